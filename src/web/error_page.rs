//! What a person sees instead of a page: not there, not allowed, broken.
//!
//! Mirrors the Java admin's error page, which shows the class of an exception; here are plain words.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use super::frame::{Page, language};
use super::texts;

#[derive(Serialize)]
struct View {
    status: u16,
    heading: String,
    text: String,
}

/// The page for a status; `message`, when there is one, takes the place of the usual words.
pub(super) fn answer(request: &HttpRequest, status: StatusCode, message: &str) -> HttpResponse {
    let texts = texts::texts(language(request));
    let (heading, text) = match status {
        StatusCode::NOT_FOUND => ("not_found", "not_found_text"),
        StatusCode::FORBIDDEN => ("forbidden", "forbidden_text"),
        _ => ("broken", "broken_text"),
    };
    let word = |key: &str| texts.get("error").and_then(|texts| texts.get(key)).cloned().unwrap_or_default();
    let text = if message.is_empty() { word(text) } else { message.to_owned() };
    let view = View { status: status.as_u16(), heading: word(heading), text };
    Page { template: "error.html", texts: &[], user: None, view }.answer(request, status)
}
