//! The language of an answer: this one place decides.
//!
//! JSON is in the configured language, so that a script never meets another one; only a request with the header
//! `X-XXL-Lang`, which our own pages send, chooses. Pages are in the language that was chosen in their menu (the cookie
//! `xxl_lang`), else in the configured one or, where nobody has configured any, in the browser's.

use actix_web::HttpRequest;
use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};

use super::auth::cookie;
use super::call::{Call, Kind};
use super::state;
use crate::i18n::Locale;

/// Header of a request that chooses the language of JSON.
pub const HEADER: &str = "X-XXL-Lang";
/// Cookie with the language that was chosen for pages.
pub const COOKIE: &str = "xxl_lang";

/// The language of the answer to a request.
pub fn of(request: &HttpRequest) -> Locale {
    let is_page = Call::of(request).place.is_some_and(|place| place.kind == Kind::Page);
    if is_page { for_page(request) } else { of_json(request.headers(), Configured::of(request)) }
}

/// The language of a page, whatever was asked for: that a path does not exist is said in a page, too.
pub fn for_page(request: &HttpRequest) -> Locale {
    of_page(request.headers(), Configured::of(request))
}

/// What the settings say.
#[derive(Debug, Clone, Copy)]
struct Configured {
    locale: Locale,
    is_set: bool,
}

impl Configured {
    fn of(request: &HttpRequest) -> Self {
        let job = &state::of(request).core.settings.job;
        Self { locale: job.locale, is_set: job.is_locale_set }
    }
}

fn of_json(headers: &HeaderMap, configured: Configured) -> Locale {
    let chosen = headers.get(HEADER).and_then(|value| value.to_str().ok()).and_then(|word| Locale::parse(word.trim()));
    chosen.unwrap_or(configured.locale)
}

fn of_page(headers: &HeaderMap, configured: Configured) -> Locale {
    if let Some(chosen) = cookie::value(headers, COOKIE).and_then(|word| Locale::parse(&word)) {
        return chosen;
    }
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    match accepted {
        Some(accepted) if !configured.is_set => of_browser(accepted).unwrap_or(configured.locale),
        _ => configured.locale,
    }
}

/// The one of our languages that a browser likes most. Whoever speaks none of them gets English; whoever says nothing of
/// languages gets none.
fn of_browser(accepted: &str) -> Option<Locale> {
    let mut liked: Vec<(f32, &str)> = accepted
        .split(',')
        .filter_map(|item| {
            let mut parts = item.split(';').map(str::trim);
            let tag = parts.next().filter(|tag| !tag.is_empty() && *tag != "*")?;
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok())?;
            (weight > 0.0).then_some((weight, tag))
        })
        .collect();
    // Of equal weight the first counts.
    liked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let known = liked.iter().find_map(|(_, tag)| of_tag(tag));
    known.or((!liked.is_empty()).then_some(Locale::En))
}

fn of_tag(tag: &str) -> Option<Locale> {
    let tag = tag.to_ascii_lowercase();
    let mut parts = tag.split('-');
    match parts.next()? {
        "en" => Some(Locale::En),
        "zh" if parts.any(|part| matches!(part, "tw" | "hk" | "mo" | "hant")) => Some(Locale::ZhTc),
        "zh" => Some(Locale::ZhCn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{COOKIE as COOKIE_HEADER, HeaderName, HeaderValue};

    use super::*;

    const SET: Configured = Configured { locale: Locale::ZhCn, is_set: true };
    const UNSET: Configured = Configured { locale: Locale::ZhCn, is_set: false };

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name.clone(), HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn browsers_are_understood() {
        for (accepted, wanted) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Some(Locale::ZhCn)),
            ("zh-TW,zh;q=0.9", Some(Locale::ZhTc)),
            ("zh-Hant-HK", Some(Locale::ZhTc)),
            ("en-GB", Some(Locale::En)),
            ("en;q=0.2, zh;q=0.7", Some(Locale::ZhCn)),
            ("de,fr;q=0.5", Some(Locale::En)),
            ("de, zh-TW;q=0.1", Some(Locale::ZhTc)),
            ("zh;q=0, en", Some(Locale::En)),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(of_browser(accepted), wanted, "{accepted}");
        }
    }

    #[test]
    fn pages_follow_the_menu_then_the_setting_then_the_browser() {
        let english = (ACCEPT_LANGUAGE, "en");
        let chosen = (COOKIE_HEADER, "xxl_lang=zh_TC");
        assert_eq!(of_page(&headers(&[english.clone(), chosen.clone()]), SET), Locale::ZhTc);
        let english = headers(&[english]);
        assert_eq!(of_page(&english, SET), Locale::ZhCn);
        assert_eq!(of_page(&english, UNSET), Locale::En);
        assert_eq!(of_page(&headers(&[]), UNSET), Locale::ZhCn);
        // What is no language, a template among it, is none.
        for odd in ["xxl_lang=${7*7}", "xxl_lang={{7*7}}", "xxl_lang=EN", "xxl_lang="] {
            assert_eq!(of_page(&headers(&[(COOKIE_HEADER, odd)]), SET), Locale::ZhCn, "{odd}");
        }
        // Scripts never meet another language than the configured one.
        assert_eq!(of_json(&headers(&[(ACCEPT_LANGUAGE, "en"), chosen]), UNSET), Locale::ZhCn);
        assert_eq!(of_json(&headers(&[(HeaderName::from_static("x-xxl-lang"), "en")]), SET), Locale::En);
    }
}
