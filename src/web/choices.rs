//! What the reader of the pages chose: theme, width of the menu, zone of times. Browsers keep it in cookies that scripts
//! write; they hold nothing secret, and a value that is none of the choices counts as the first of them.
//!
//! The language is chosen likewise, see [`super::language`].

use actix_web::http::header::HeaderMap;
use serde::Serialize;

use super::auth::cookie;

const THEME: (&str, &[&str]) = ("xxl_theme", &["auto", "light", "dark"]);
const ZONE: (&str, &[&str]) = ("xxl_zone", &["server", "browser"]);
/// The name is that of the Java admin's console.
const SIDEBAR: (&str, &[&str]) = ("xxljob_adminlte_settings", &["on", "off"]);

/// The choices of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Choices {
    /// `auto`, `light` or `dark`.
    theme: &'static str,
    /// `on`: the menu is wide; `off`: it is narrow.
    sidebar: &'static str,
    /// `server` or `browser`.
    zone_choice: &'static str,
}

impl Choices {
    /// Those in the cookies of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        Self { theme: chosen(headers, THEME), sidebar: chosen(headers, SIDEBAR), zone_choice: chosen(headers, ZONE) }
    }
}

impl Default for Choices {
    /// Those of somebody who chose nothing.
    fn default() -> Self {
        Self::of(&HeaderMap::new())
    }
}

fn chosen(headers: &HeaderMap, (name, choices): (&str, &[&'static str])) -> &'static str {
    let value = cookie::value(headers, name);
    let known = choices.iter().find(|choice| value.as_deref() == Some(**choice));
    known.or(choices.first()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{COOKIE, HeaderValue};

    use super::*;

    #[test]
    fn cookies_choose_and_anything_else_is_the_first_choice() {
        let mut headers = HeaderMap::new();
        let cookies = "xxl_theme=dark; xxl_zone=\"><script>; xxljob_adminlte_settings=off";
        headers.insert(COOKIE, HeaderValue::from_static(cookies));
        let choices = Choices::of(&headers);
        assert_eq!(choices, Choices { theme: "dark", sidebar: "off", zone_choice: "server" });
        assert_eq!(Choices::default(), Choices { theme: "auto", sidebar: "on", zone_choice: "server" });
    }
}
