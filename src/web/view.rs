//! Pages: the frame around each, and the one function that renders them.
//!
//! A page is a template of `templates/` and a struct with everything that it shows. Whatever is put into a template is
//! encoded for HTML, so no text of a user is ever markup or template.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::assets::Assets;
use super::auth::seed_password::SEED_PASSWORD;
use super::auth::{LoginUser, Public, password};
use super::choices::Choices;
use super::dialect::Dialect;
use super::language;
use super::state::{self, AppState};
use super::{templates, texts};
use crate::i18n::{Key, Locale, text};
use crate::model::EpochMs;

const HTML: &str = "text/html;charset=UTF-8";

/// A page with status 200 from a template and what it shows.
pub fn render(template: &'static str, view: &impl Serialize) -> HttpResponse {
    render_as(StatusCode::OK, template, view)
}

fn render_as(status: StatusCode, template: &'static str, view: &impl Serialize) -> HttpResponse {
    match templates::render(template, view) {
        Ok(page) => HttpResponse::build(status).content_type(HTML).body(page),
        Err(error) => {
            tracing::error!("the page {template} cannot be made: {error}");
            // A debug build tells whoever writes pages what is wrong with them.
            let told = if cfg!(debug_assertions) { error } else { "the page cannot be made".to_owned() };
            HttpResponse::InternalServerError().content_type("text/plain;charset=UTF-8").body(told)
        }
    }
}

/// The page that says what is wrong, with the way back.
pub fn error_page(status: StatusCode, frame: Frame, sentences: &[&str]) -> HttpResponse {
    let code = (status != StatusCode::OK).then(|| status.as_u16());
    render_as(status, "error.html", &ErrorView { frame, code, sentences })
}

#[derive(Serialize)]
struct ErrorView<'a> {
    #[serde(flatten)]
    frame: Frame,
    /// The status, unless it claims that all is well.
    code: Option<u16>,
    sentences: &'a [&'a str],
}

/// What pages with and without a menu have in common.
#[derive(Debug, Serialize)]
pub struct Frame {
    /// Name of the product.
    pub title: &'static str,
    /// The context path.
    pub base: String,
    /// Language, as HTML names it.
    pub lang: &'static str,
    /// Language, as the settings name it.
    language: &'static str,
    /// Every text in the language.
    pub t: Texts,
    #[serde(flatten)]
    choices: Choices,
    /// Zone of the server, in which jobs are planned.
    zone: String,
    /// Present time of the server, in milliseconds.
    now: EpochMs,
    /// Version of the program.
    version: &'static str,
    /// Address of the icons.
    sprite: String,
    languages: Vec<Language>,
}

impl Frame {
    /// The frame of a page for this caller.
    pub fn new(caller: &Public) -> Self {
        let frame = Self::plain(caller.state(), caller.locale(), caller.choices());
        let title = if caller.dialect() == Dialect::V3 { Key::AdminNameFullSince33 } else { Key::AdminName };
        Self { title: text(caller.locale(), title), ..frame }
    }

    /// The frame of a page about a request that is no call of the console.
    pub fn of(request: &HttpRequest) -> Self {
        Self::plain(state::of(request), language::for_page(request), Choices::of(request.headers()))
    }

    fn plain(state: &AppState, locale: Locale, choices: Choices) -> Self {
        let base = state.context_path().to_owned();
        let icons = Assets::current().address("icons.svg").unwrap_or_default();
        let languages = Locale::ALL.into_iter().map(|known| Language {
            word: known.as_str(),
            tag: tag(known),
            name: own_name(known),
            is_current: known == locale,
        });
        Self {
            title: text(locale, Key::AdminName),
            sprite: format!("{base}{icons}"),
            base,
            lang: tag(locale),
            language: locale.as_str(),
            t: Texts(locale),
            choices,
            zone: state.core.settings.zone.name().to_owned(),
            now: state.now(),
            version: env!("CARGO_PKG_VERSION"),
            languages: languages.collect(),
        }
    }
}

/// The frame of a page with menu.
#[derive(Debug, Serialize)]
pub struct Shell {
    #[serde(flatten)]
    frame: Frame,
    heading: &'static str,
    username: String,
    /// First letter of the name.
    initial: String,
    is_admin: bool,
    /// The user's password is the one that everybody knows.
    has_seed_password: bool,
    menu: Vec<Entry>,
}

/// An entry of the menu.
#[derive(Debug, Serialize)]
struct Entry {
    path: &'static str,
    icon: &'static str,
    /// The key that leads there after `g`.
    key: &'static str,
    label: &'static str,
    is_current: bool,
}

/// A language that can be chosen.
#[derive(Debug, Serialize)]
struct Language {
    word: &'static str,
    tag: &'static str,
    name: &'static str,
    is_current: bool,
}

/// Path, label, icon, key, and whether it is for administrators alone.
const MENU: [(&str, Key, &str, &str, bool); 6] = [
    ("/", Key::JobDashboardName, "report", "r", false),
    ("/jobinfo", Key::JobinfoName, "jobs", "j", false),
    ("/joblog", Key::JoblogName, "runs", "l", false),
    ("/jobgroup", Key::JobgroupName, "executors", "e", true),
    ("/user", Key::UserManage, "users", "u", true),
    ("/help", Key::JobHelp, "help", "h", false),
];

impl Shell {
    /// The frame of the page with this path in the menu.
    pub fn new(caller: &LoginUser, path: &str) -> Self {
        let locale = caller.locale();
        let is_admin = caller.user().is_admin();
        let entries = MENU.into_iter().filter(|(.., for_admins)| is_admin || !for_admins);
        let entry = |(entry, label, icon, key, _)| Entry {
            path: entry,
            icon,
            key,
            label: text(locale, label),
            is_current: entry == path,
        };
        let menu: Vec<Entry> = entries.map(entry).collect();
        Self {
            frame: Frame::new(caller),
            heading: menu.iter().find(|entry| entry.is_current).map_or("", |entry| entry.label),
            username: caller.user().username.clone(),
            initial: caller.user().username.chars().take(1).collect(),
            is_admin,
            has_seed_password: password::verify(
                caller.state().core.store.schema().password_hash,
                Some(&caller.user().password),
                SEED_PASSWORD,
            ),
            menu,
        }
    }
}

/// An option of a select, or a check box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// Whether it is chosen at first.
    pub is_selected: bool,
}

impl Choice {
    /// An option that is not chosen.
    pub fn new(value: &(impl ToString + ?Sized), label: impl Into<String>) -> Self {
        Self { value: value.to_string(), label: label.into(), is_selected: false }
    }

    /// The same, chosen if this holds.
    #[must_use]
    pub fn selected_if(self, is_selected: bool) -> Self {
        Self { is_selected, ..self }
    }
}

/// All texts of a language, as templates ask for them: `t.system_save` is a [`Key`], `t.words.save` a text of
/// `locales/console/words.toml`.
#[derive(Debug, Clone, Copy)]
pub struct Texts(pub Locale);

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let files = texts::texts(self.0);
        let mut map = serializer.serialize_map(Some(Key::ALL.len() + files.len()))?;
        for (file, texts) in files.iter() {
            map.serialize_entry(file, texts)?;
        }
        for key in Key::ALL {
            map.serialize_entry(key.name(), text(self.0, *key))?;
        }
        map.end()
    }
}

const fn tag(locale: Locale) -> &'static str {
    match locale {
        Locale::ZhCn => "zh-CN",
        Locale::ZhTc => "zh-TW",
        Locale::En => "en",
    }
}

const fn own_name(locale: Locale) -> &'static str {
    match locale {
        Locale::ZhCn => "简体中文",
        Locale::ZhTc => "繁體中文",
        Locale::En => "English",
    }
}
