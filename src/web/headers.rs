//! Headers that keep a browser from doing with an answer what it should not.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;

/// For pages: everything from here, nothing inline. Frames of our own pages are allowed, since the console of 3.3 is one.
const PAGE: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; \
                    frame-ancestors 'self'";
/// For all that is no page: nothing in it may be run.
const DATA: &str = "default-src 'none'; frame-ancestors 'self'";

const ALWAYS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "SAMEORIGIN"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// Adds them to every answer. One that says how long it may be kept goes on to say so.
///
/// # Errors
/// Those of the handler.
pub async fn add<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, actix_web::Error> {
    let mut response = next.call(request).await?;
    write(response.headers_mut());
    Ok(response)
}

fn write(headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let is_page = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(if is_page { PAGE } else { DATA }));
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(kind: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        write(&mut headers);
        headers.get(CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn nothing_but_pages_may_load_anything() {
        assert_eq!(policy("text/html;charset=UTF-8"), PAGE);
        assert_eq!(policy("application/json"), DATA);
        assert!(!PAGE.contains("unsafe"));
    }

    #[test]
    fn what_may_be_kept_is_kept() {
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
        write(&mut headers);
        assert!(headers.get(CACHE_CONTROL).unwrap().to_str().unwrap().contains("immutable"));
    }
}
