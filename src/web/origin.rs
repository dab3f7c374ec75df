//! The rule against foreign sites, for every call that changes something: a browser that another site has talked into
//! calling us is told from a script and from our own pages by what it says about itself.
//!
//! The Java admins have no such rule. Scripts send none of these headers, so none of them needs to change.

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, HOST, HeaderMap, HeaderName, ORIGIN, REFERER, UPGRADE_INSECURE_REQUESTS};
use url::Url;

use super::client::forwarded_host;
use super::state::AppState;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A site that is not ours, as the browser names it; for the refusal and the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign(pub String);

/// Whether a call comes from our own pages, from a site of `console.cors-origins`, or from no browser at all.
///
/// # Errors
/// When it comes from another site.
pub fn check(request: &HttpRequest, state: &AppState) -> Result<(), Foreign> {
    let settings = &state.core.settings;
    let headers = request.headers();
    // A proxy may keep the one and leave the port out of the other.
    let hosts = [forwarded_host(request, &settings.server.trusted_proxies), text(headers, &HOST)];
    judge(request.method(), headers, &hosts, &settings.console.cors_origins)
}

fn judge(method: &Method, headers: &HeaderMap, hosts: &[Option<&str>], own: &[String]) -> Result<(), Foreign> {
    let origin = text(headers, &ORIGIN);
    if origin.is_some_and(|origin| own.iter().any(|own| own.trim_end_matches('/').eq_ignore_ascii_case(origin))) {
        return Ok(());
    }
    let source = origin.or_else(|| text(headers, &REFERER));
    let foreign = || Foreign(source.map_or_else(|| "unknown".to_owned(), site));
    let verdict = if let Some(fetch_site) = text(headers, &FETCH_SITE) {
        matches!(fetch_site, "same-origin" | "none")
    } else if let Some(source) = source {
        hosts.iter().flatten().any(|host| is_host(source, host))
    } else {
        !looks_like_navigation(method, headers)
    };
    if verdict { Ok(()) } else { Err(foreign()) }
}

/// Host and port, without the ports that http and https need not name. The scheme does not count: TLS may end before us.
fn is_host(source: &str, host: &str) -> bool {
    let Ok(source) = Url::parse(source) else { return false };
    let Some(name) = source.host_str() else { return false };
    let port = source.port().filter(|port| !matches!(port, 80 | 443));
    let Ok(own) = Url::parse(&format!("http://{host}")) else { return false };
    let own_port = own.port().filter(|port| !matches!(port, 80 | 443));
    own.host_str().is_some_and(|own| own.eq_ignore_ascii_case(name)) && own_port == port
}

/// Over plain http browsers send no Sec-Fetch headers, and a page can hide its Referer; a link or a form that leads here
/// by GET still asks for a page.
fn looks_like_navigation(method: &Method, headers: &HeaderMap) -> bool {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let wants_page = text(headers, &ACCEPT).is_some_and(|accept| accept.contains("application/xhtml+xml"));
    reads && (wants_page || headers.contains_key(UPGRADE_INSECURE_REQUESTS))
}

/// The origin in a URL, and no more of it: the rest may be secret.
fn site(source: &str) -> String {
    match Url::parse(source) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => "null".to_owned(),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    // A value that is no text is a sign as well, and certainly not ours.
    headers.get(name).map(|value| value.to_str().unwrap_or("null"))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    const HOST_NAME: &str = "admin.example:8080";

    fn is_own(method: &Method, headers: &[(&'static str, &str)], host: &str, own: &[&str]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let own: Vec<String> = own.iter().map(|own| (*own).to_owned()).collect();
        judge(method, &map, &[None, Some(host)], &own).is_ok()
    }

    fn post(headers: &[(&'static str, &str)]) -> bool {
        is_own(&Method::POST, headers, HOST_NAME, &["https://front.example"])
    }

    #[test]
    fn the_first_sign_decides() {
        let evil = ("origin", "https://evil.example");
        let same = ("origin", "http://admin.example:8080");
        for site in ["same-origin", "none"] {
            assert!(post(&[("sec-fetch-site", site), evil]), "{site}");
        }
        for site in ["same-site", "cross-site", "", "nonsense"] {
            assert!(!post(&[("sec-fetch-site", site), same]), "{site}");
        }
        assert!(post(&[same, ("referer", "https://evil.example/")]));
        assert!(!post(&[evil, ("referer", "http://admin.example:8080/")]));
        assert!(post(&[("referer", "http://admin.example:8080/jobinfo?x=1")]));
        assert!(!post(&[("referer", "https://evil.example/?http://admin.example:8080/")]));
        for origin in
            ["null", "", "http://", "://", "http://admin.example:8081", "http://admin.example.evil.example:8080"]
        {
            assert!(!post(&[("origin", origin)]), "{origin}");
        }
    }

    #[test]
    fn origins_of_the_setting_are_own_whatever_else_is_said() {
        assert!(post(&[("sec-fetch-site", "cross-site"), ("origin", "https://front.example")]));
        assert!(!post(&[("sec-fetch-site", "cross-site"), ("origin", "http://front.example")]));
        assert!(!post(&[("sec-fetch-site", "cross-site"), ("referer", "https://front.example/")]));
    }

    #[test]
    fn the_usual_ports_need_not_be_named_and_the_scheme_does_not_count() {
        for (origin, host) in [
            ("https://a.example", "a.example"),
            ("https://a.example", "a.example:443"),
            ("http://a.example:80", "a.example"),
            ("https://A.example", "a.EXAMPLE:80"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert!(is_own(&Method::POST, &[("origin", origin)], host, &[]), "{origin} {host}");
        }
        assert!(!is_own(&Method::POST, &[("origin", "https://a.example:8443")], "a.example", &[]));
    }

    #[test]
    fn either_host_will_do() {
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, HeaderValue::from_static("https://console.example:8443"));
        let judged = |hosts: &[Option<&str>]| judge(&Method::POST, &headers, hosts, &[]).is_ok();
        assert!(judged(&[Some("console.example"), Some("console.example:8443")]));
        assert!(judged(&[Some("console.example:8443"), Some("127.0.0.1:8080")]));
        assert!(!judged(&[Some("console.example"), Some("127.0.0.1:8080")]));
        assert!(!judged(&[None, None]));
    }

    #[test]
    fn scripts_pass_and_links_do_not() {
        assert!(post(&[]));
        assert!(is_own(&Method::GET, &[("accept", "*/*")], HOST_NAME, &[]));
        let page = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
        assert!(!is_own(&Method::GET, &[page], HOST_NAME, &[]));
        assert!(!is_own(&Method::HEAD, &[("upgrade-insecure-requests", "1")], HOST_NAME, &[]));
        // A form by POST always has an Origin.
        assert!(post(&[page]));
    }

    #[test]
    fn only_the_origin_of_a_foreign_site_is_told() {
        let mut headers = HeaderMap::new();
        headers.insert(REFERER, HeaderValue::from_static("https://evil.example/path?secret=1"));
        let foreign = judge(&Method::POST, &headers, &[Some(HOST_NAME)], &[]);
        assert_eq!(foreign, Err(Foreign("https://evil.example".into())));
    }

    proptest! {
        #[test]
        fn no_header_makes_it_panic_or_lets_a_stranger_in(
            value in "[ -~]{0,40}",
            host in "[ -~]{0,20}",
            name in prop::sample::select(vec!["origin", "referer", "sec-fetch-site"]),
        ) {
            let own = is_own(&Method::POST, &[(name, &value)], &host, &[]);
            let named = Url::parse(&value).ok().and_then(|url| url.host_str().map(str::to_lowercase));
            if name != "sec-fetch-site" && own {
                prop_assert!(named.is_some_and(|named| host.to_lowercase().contains(&named)), "{value} {host}");
            }
        }
    }
}
