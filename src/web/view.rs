//! Pages: templates that are compiled in, the frame around each page, and the one function that renders them.
//!
//! A page is a template of `templates/` and a struct with everything that it shows. Whatever is put into a template is
//! encoded for HTML, so no text of a user is ever markup or template.

use std::io::Write;
use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use tera::{Context, Tera};

use super::auth::{LoginUser, Public};
use super::dialect::Dialect;
use crate::i18n::{Key, Locale, text};

const HTML: &str = "text/html;charset=UTF-8";

/// Names and texts of the templates.
macro_rules! templates {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/", $name)))),+]
    };
}

const TEMPLATES: &[(&str, &str)] = templates![
    "dashboard.html",
    "error.html",
    "help.html",
    "job_code.html",
    "job_group.html",
    "job_group_fields.html",
    "job_info.html",
    "job_info_fields.html",
    "job_log.html",
    "layout.html",
    "log_detail.html",
    "login.html",
    "options.html",
    "user.html",
    "user_fields.html",
    "window.html",
];

static TERA: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.set_escape_fn(escape);
    if let Err(error) = tera.add_raw_templates(TEMPLATES.iter().copied()) {
        tracing::error!("the templates cannot be read: {error}");
    }
    tera
});

/// Encodes a text for HTML. A carriage return is encoded, too: browsers would drop it from a script.
fn escape(text: &str, into: &mut dyn Write) -> std::io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'', '\r']) {
        into.write_all(&rest.as_bytes()[..at])?;
        into.write_all(match rest.as_bytes()[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => b"&#13;",
        })?;
        rest = &rest[at + 1..];
    }
    into.write_all(rest.as_bytes())
}

/// A page with status 200 from a template and what it shows.
pub fn render(template: &'static str, view: &impl Serialize) -> HttpResponse {
    render_as(StatusCode::OK, template, view)
}

fn render_as(status: StatusCode, template: &'static str, view: &impl Serialize) -> HttpResponse {
    let page = Context::from_serialize(view).and_then(|context| TERA.render(template, &context));
    match page {
        Ok(page) => HttpResponse::build(status).content_type(HTML).body(page),
        Err(error) => {
            tracing::error!("the page {template} cannot be made: {error}");
            HttpResponse::InternalServerError().content_type("text/plain;charset=UTF-8").body("the page cannot be made")
        }
    }
}

/// The page that says what is wrong, with the way back.
pub fn error_page(status: StatusCode, base: &str, locale: Locale, sentences: &[&str]) -> HttpResponse {
    render_as(status, "error.html", &ErrorView { base, lang: tag(locale), sentences })
}

#[derive(Serialize)]
struct ErrorView<'a> {
    base: &'a str,
    lang: &'static str,
    sentences: &'a [&'a str],
}

/// What pages with and without a menu have in common.
#[derive(Debug, Serialize)]
pub struct Frame {
    /// Title of the page.
    pub title: &'static str,
    /// The context path.
    pub base: String,
    /// Language, as HTML names it.
    pub lang: &'static str,
    /// Every text in the language.
    pub t: Texts,
}

impl Frame {
    /// The frame of a page for this caller.
    pub fn new(caller: &Public) -> Self {
        let locale = caller.locale();
        let title = if caller.dialect() == Dialect::V3 { Key::AdminNameFullSince33 } else { Key::AdminName };
        Self {
            title: text(locale, title),
            base: caller.state().context_path().to_owned(),
            lang: tag(locale),
            t: Texts(locale),
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
    is_admin: bool,
    menu: Vec<Entry>,
    languages: Vec<Language>,
}

/// An entry of the menu.
#[derive(Debug, Serialize)]
struct Entry {
    path: &'static str,
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

/// Path, label, and whether it is for administrators alone.
const MENU: [(&str, Key, bool); 6] = [
    ("/", Key::JobDashboardName, false),
    ("/jobinfo", Key::JobinfoName, false),
    ("/joblog", Key::JoblogName, false),
    ("/jobgroup", Key::JobgroupName, true),
    ("/user", Key::UserManage, true),
    ("/help", Key::JobHelp, false),
];

impl Shell {
    /// The frame of the page with this path in the menu.
    pub fn new(caller: &LoginUser, path: &str) -> Self {
        let locale = caller.locale();
        let is_admin = caller.user().is_admin();
        let entries = MENU.iter().filter(|(_, _, for_admins)| is_admin || !for_admins);
        let menu: Vec<Entry> = entries
            .map(|(entry, label, _)| Entry { path: entry, label: text(locale, *label), is_current: *entry == path })
            .collect();
        let languages = Locale::ALL.into_iter().map(|known| Language {
            word: known.as_str(),
            tag: tag(known),
            name: own_name(known),
            is_current: known == locale,
        });
        Self {
            frame: Frame::new(caller),
            heading: menu.iter().find(|entry| entry.is_current).map_or("", |entry| entry.label),
            username: caller.user().username.clone(),
            is_admin,
            menu,
            languages: languages.collect(),
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

/// All texts of a language by name, as templates ask for them.
#[derive(Debug, Clone, Copy)]
pub struct Texts(pub Locale);

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Key::ALL.len()))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut out = Vec::new();
        escape(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_encoded() {
        assert_eq!(escaped("<a href='x'>&\"中\r\n"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;中&#13;\n");
        assert_eq!(escaped("{{ 7*7 }}"), "{{ 7*7 }}");
    }

    #[test]
    fn every_template_of_the_folder_is_compiled_in_and_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let mut files: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort_unstable();
        let mut names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, files);
        let mut read: Vec<&str> = TERA.get_template_names().collect();
        read.sort_unstable();
        names.sort_unstable();
        assert_eq!(read, names);
    }

    #[actix_web::test]
    async fn what_is_wrong_is_shown_as_text() {
        let page = error_page(StatusCode::NOT_FOUND, "/x", Locale::En, &["<b>", "{{ base }}"]);
        assert_eq!(page.status(), 404);
        let body = actix_web::body::to_bytes(page.into_body()).await.unwrap();
        let body = std::str::from_utf8(&body).unwrap();
        assert!(body.contains("<p>&lt;b&gt;</p>\n<p>{{ base }}</p>"), "{body}");
        assert!(body.contains("<a id=\"go_back\" href=\"/x/\">Back</a>"), "{body}");
    }
}
