//! What surrounds a page: title, menu, account, clock, the choices of the reader. One template, `layout.html`, draws it.

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde::Serialize;

use super::assets::Assets;
use super::auth::cookie;
use super::state;
use super::templates;
use super::texts::{self, Texts};
use crate::i18n::Locale;
use crate::model::{EpochMs, JobUser};

/// What a page may do: nothing from elsewhere, no script and no style in the markup.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";

/// Cookies in which a browser keeps what its reader chose. They hold nothing secret and are written by scripts.
mod choice {
    pub(super) const LANGUAGE: &str = "xxl_lang";
    pub(super) const THEME: &str = "xxl_theme";
    pub(super) const ZONE: &str = "xxl_zone";
    /// The name that the Java admin's console used.
    pub(super) const SIDEBAR: &str = "xxljob_adminlte_settings";
}

/// A page to be rendered: its template, the texts that its scripts need, and its own values.
pub(super) struct Page<'a, V> {
    /// The template.
    pub(super) template: &'a str,
    /// Files of texts that the page's scripts use, beside `common` and `frame`.
    pub(super) texts: &'a [&'a str],
    /// Who is logged in.
    pub(super) user: Option<&'a JobUser>,
    /// What else the template shows.
    pub(super) view: V,
}

/// The values of `layout.html`; a template sees them beside its own.
#[derive(Serialize)]
struct Frame<'a> {
    /// Context path without a slash at the end.
    base: String,
    /// Path below the context path, such as `/jobinfo`.
    path: String,
    /// `en`, `zh_CN`, `zh_TC`.
    lang: &'static str,
    /// The same as browsers call it.
    html_lang: &'static str,
    theme: String,
    sidebar: String,
    zone: String,
    zone_choice: String,
    now: EpochMs,
    version: &'static str,
    user: Option<User>,
    /// Address of the icons.
    sprite: String,
    t: &'a Texts,
    texts_json: String,
    /// Whether the third-party scripts are there.
    has_vendor: bool,
    is_debug: bool,
}

#[derive(Serialize)]
struct User {
    name: String,
    initial: String,
    is_admin: bool,
}

impl From<&JobUser> for User {
    fn from(user: &JobUser) -> Self {
        let initial = user.username.chars().take(1).collect();
        Self { name: user.username.clone(), initial, is_admin: user.is_admin() }
    }
}

impl<V: Serialize> Page<'_, V> {
    /// The page as an answer.
    pub(super) fn answer(&self, request: &HttpRequest, status: StatusCode) -> HttpResponse {
        let locale = language(request);
        let texts = texts::texts(locale);
        let frame = self.frame(request, locale, &texts);
        let html = templates::context(&frame, &self.view).and_then(|context| templates::render(self.template, &context));
        match html {
            Ok(html) => HttpResponseBuilder::new(status)
                .content_type("text/html; charset=utf-8")
                .insert_header((CACHE_CONTROL, "no-store"))
                .insert_header((CONTENT_SECURITY_POLICY, POLICY))
                .body(html),
            Err(error) => {
                tracing::error!("the page {} cannot be rendered: {error}", self.template);
                HttpResponse::InternalServerError().content_type("text/plain; charset=utf-8").body(if cfg!(debug_assertions) {
                    error
                } else {
                    "This page cannot be shown; the log of the program says why.".to_owned()
                })
            }
        }
    }

    fn frame<'a>(&self, request: &HttpRequest, locale: Locale, texts: &'a Texts) -> Frame<'a> {
        let state = state::of(request);
        let base = state.context_path().to_owned();
        let assets = Assets::current();
        let address = |path: &str| assets.address(path).map(|address| format!("{base}{address}"));
        let files: Vec<&str> = ["common", "frame"].iter().chain(self.texts).copied().collect();
        Frame {
            path: request.path().strip_prefix(&base).unwrap_or_default().to_owned(),
            lang: locale.as_str(),
            html_lang: html_lang(locale),
            theme: chosen(request, choice::THEME, &["auto", "light", "dark"]),
            sidebar: chosen(request, choice::SIDEBAR, &["on", "off"]),
            zone: state.core.settings.zone.name().to_owned(),
            zone_choice: chosen(request, choice::ZONE, &["server", "browser"]),
            now: state.now(),
            version: env!("CARGO_PKG_VERSION"),
            user: self.user.map(User::from),
            sprite: address("icons.svg").unwrap_or_default(),
            texts_json: texts::as_json(texts, &files),
            t: texts,
            has_vendor: address("vendor/editor.js").is_some(),
            is_debug: cfg!(debug_assertions),
            base,
        }
    }
}

/// What the reader chose, the first of these unless a cookie names another.
fn chosen(request: &HttpRequest, name: &str, choices: &[&str]) -> String {
    let value = cookie::value(request.headers(), name);
    let choice = choices.iter().find(|choice| value.as_deref() == Some(**choice)).or(choices.first());
    choice.copied().unwrap_or_default().to_owned()
}

const fn html_lang(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "en",
        Locale::ZhCn => "zh-CN",
        Locale::ZhTc => "zh-TW",
    }
}

/// The language of a page: as chosen in the menu, else as the browser asks, else as configured.
pub(super) fn language(request: &HttpRequest) -> Locale {
    let by_choice = cookie::value(request.headers(), choice::LANGUAGE).and_then(|word| Locale::parse(&word));
    let header = request.headers().get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    by_choice.or_else(|| accepted(header?)).unwrap_or_else(|| state::of(request).locale())
}

/// The first language of an `Accept-Language` that we have; the order is taken for the weight, as browsers write it.
fn accepted(header: &str) -> Option<Locale> {
    header.split(',').find_map(|item| {
        let tag = item.split(';').next()?.trim().to_ascii_lowercase();
        let mut parts = tag.split('-');
        match parts.next()? {
            "en" => Some(Locale::En),
            "zh" if parts.any(|part| matches!(part, "tw" | "hk" | "mo" | "hant")) => Some(Locale::ZhTc),
            "zh" => Some(Locale::ZhCn),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_the_first_of_their_languages_that_we_have() {
        assert_eq!(accepted("fr-CH, fr;q=0.9, en;q=0.8"), Some(Locale::En));
        assert_eq!(accepted("zh-TW,zh;q=0.9"), Some(Locale::ZhTc));
        assert_eq!(accepted("zh-Hant-HK"), Some(Locale::ZhTc));
        assert_eq!(accepted("zh,en-US"), Some(Locale::ZhCn));
        assert_eq!(accepted("de, *"), None);
    }
}
