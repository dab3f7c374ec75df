//! Login cookies on the wire.

use std::time::{Duration, UNIX_EPOCH};

use actix_web::http::header::{COOKIE, HeaderMap, HttpDate};

use super::java_cookie::Token;
use super::session::Sessions;
use crate::model::EpochMs;

/// The two login cookies, by the releases that introduced them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// To 3.1: `XXL_JOB_LOGIN_IDENTITY`.
    Identity,
    /// From 3.2: `xxl_job_login_token`, or as `xxl-sso.token.key` names it.
    Token,
}

/// A login cookie that came with a call, valid or not.
#[derive(Clone)]
pub struct LoginCookie {
    /// Which of the two.
    pub family: Family,
    /// Its value.
    pub value: String,
}

impl LoginCookie {
    /// Whether a login can have made it, by its looks.
    pub fn could_be_valid(&self) -> bool {
        Sessions::is_plausible(&self.value)
            || match self.family {
                Family::Identity => self.value.bytes().all(|b| b.is_ascii_hexdigit()),
                Family::Token => Token::decode(&self.value).is_some(),
            }
    }
}

/// Life of a remembered cookie in the browser, in seconds. Java's is 68 years, which some clients cannot parse.
const REMEMBERED_S: u64 = 31_536_000;

/// The value of a cookie, if one of that name came. Clients send back all sorts of things beside it – a whole Set-Cookie
/// text, `$Path`, quotes, parts without `=` – which must not spoil it.
pub fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    let texts = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(';')).find_map(|part| {
        let (key, value) = part.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// `Set-Cookie` of a new login.
pub fn issued(name: &str, value: &str, remember: bool, secure: bool, now: EpochMs) -> String {
    let life = if remember {
        let expires = UNIX_EPOCH + Duration::from_millis(now.max(0).unsigned_abs()) + Duration::from_secs(REMEMBERED_S);
        format!("; Max-Age={REMEMBERED_S}; Expires={}", HttpDate::from(expires))
    } else {
        String::new()
    };
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}{life}; Path=/; HttpOnly; SameSite=Lax{secure}")
}

/// `Set-Cookie` that makes the browser forget the login. With the attributes of the login: a cookie that was set as
/// `Secure` may be replaced only by one that is.
pub fn cleared(name: &str, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn read(text: &'static str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static(text));
        value(&headers, "N")
    }

    #[test]
    fn other_parts_do_not_spoil_a_cookie() {
        for text in ["N=v", "a=b; N=v", "N=v; Path=/; HttpOnly", "x; N=\"v\"; $Path=\"/\"", "N=v;Max-Age=5"] {
            assert_eq!(read(text).as_deref(), Some("v"), "{text}");
        }
        assert_eq!(read("").as_deref(), None);
        assert_eq!(read("N").as_deref(), None);
        assert_eq!(read("NN=v").as_deref(), None);
    }

    #[test]
    fn a_cookie_lasts_only_when_it_is_to_be_remembered() {
        assert_eq!(issued("N", "v", false, false, 0), "N=v; Path=/; HttpOnly; SameSite=Lax");
        assert_eq!(
            issued("N", "v", true, true, 1_796_071_183_000),
            "N=v; Max-Age=31536000; Expires=Tue, 30 Nov 2027 20:39:43 GMT; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
