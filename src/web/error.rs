//! What can be wrong with a call of the console, and the one place where it is rendered.
//!
//! A handler returns an [`Error`]; `render` makes an answer of it in the caller's dialect and the configured language.
//! Refusals that the Java admin makes by an exception have an envelope of their own (see [`Error::Exception`]); where its
//! text would be that of a Java exception ours has plain words that name what is missing.

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, ALLOW, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError};

use super::auth::cookie;
use super::dialect::Dialect;
use super::envelope::{exception, failure};
use super::message::Message;
use super::rows::offset;
use super::state;
use crate::i18n::{Key, text};
use crate::protocol::CallResult;
use crate::store;

/// A call that was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Refused, with or without a text.
    #[error("the call was refused")]
    Refused(Option<Message>),
    /// An executor refused, or could not be reached: its code and text are passed on.
    #[error("the executor refused")]
    Executor(CallResult),
    /// Something that the Java admin answers with an exception.
    #[error("the call cannot be carried out")]
    Exception(Message),
    /// Only for administrators.
    #[error("the user is no administrator")]
    NotAdmin,
    /// Not for this user's executor groups.
    #[error("the user {0} has no right for the executor group")]
    NotPermitted(String),
    /// Nobody is logged in.
    #[error("not logged in")]
    Unauthenticated {
        /// A cookie came that cannot be one of ours: it is to be forgotten.
        clear_cookie: bool,
        /// The path takes POST only.
        post_only: bool,
    },
    /// A parameter that should be a number is none.
    #[error("the parameter {0} is not a number")]
    NotANumber(&'static str),
    /// No such path.
    #[error("no such path")]
    NotFound,
    /// The path takes POST only.
    #[error("the path takes POST only")]
    MethodNotAllowed,
    /// The body is larger than this many bytes.
    #[error("the request body is larger than {0} bytes")]
    TooLarge(usize),
    /// The body could not be read.
    #[error("the request body could not be read")]
    Unreadable,
    /// The database.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Error {
    /// The failure envelope with this text.
    pub const fn refused(message: Message) -> Self {
        Self::Refused(Some(message))
    }
}

impl ResponseError for Error {
    // Only a fallback: `render` replaces it.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::InternalServerError().finish()
    }
}

/// The answer to a call that was not carried out.
pub(super) fn render(error: &Error, request: &HttpRequest) -> HttpResponse {
    let dialect = Dialect::of(request);
    let locale = state::of(request).locale();
    match error {
        Error::Refused(message) => {
            failure(dialect, CallResult::FAIL, message.as_ref().map(|message| message.render(locale)).as_deref())
        }
        Error::Executor(result) => failure(dialect, result.code, result.msg.as_deref()),
        Error::Exception(message) => exception(dialect, &message.render(locale)),
        Error::NotAdmin => {
            let text = text(locale, Key::SystemPermissionLimit);
            exception(dialect, &format!("java.lang.RuntimeException: {text}"))
        }
        Error::NotPermitted(username) => {
            let text = text(locale, Key::SystemPermissionLimit);
            exception(dialect, &format!("java.lang.RuntimeException: {text}[username={username}]"))
        }
        Error::Unauthenticated { clear_cookie, post_only } => {
            let mut answer = HttpResponse::Found();
            let page = format!("{}{}", state::of(request).context_path(), dialect.login_page());
            answer.insert_header((LOCATION, page));
            if *post_only {
                answer.insert_header((ALLOW, "POST"));
            }
            if *clear_cookie {
                answer.append_header((SET_COOKIE, cookie::cleared(dialect.cookie())));
            }
            answer.finish()
        }
        Error::NotANumber(_) | Error::Unreadable => status(request, StatusCode::BAD_REQUEST),
        Error::NotFound => status(request, StatusCode::NOT_FOUND),
        Error::MethodNotAllowed => status(request, StatusCode::METHOD_NOT_ALLOWED),
        Error::TooLarge(limit) => {
            let mut answer =
                failure(dialect, CallResult::FAIL, Some(&format!("the request body is larger than {limit} bytes")));
            *answer.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
            answer
        }
        Error::Store(error) => {
            if error.is_transient() {
                tracing::warn!("a call of the console failed: {error}");
            } else {
                tracing::error!("a call of the console failed: {error}");
            }
            exception(dialect, &error.to_string())
        }
    }
}

/// An answer by its status alone: JSON, or a page for whoever asks for one.
fn status(request: &HttpRequest, status: StatusCode) -> HttpResponse {
    let mut answer = HttpResponseBuilder::new(status);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        answer.insert_header((ALLOW, "POST"));
    }
    let reason = status.canonical_reason().unwrap_or_default();
    let wants_page = request
        .headers()
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if wants_page {
        return answer.content_type("text/html;charset=UTF-8").body(status_page(status));
    }
    let body = serde_json::json!({
        "timestamp": offset(state::of(request).now()),
        "status": status.as_u16(),
        "error": reason,
        "path": request.path(),
    });
    answer.content_type("application/json").body(body.to_string())
}

/// The page for a status.
pub(super) fn status_page(status: StatusCode) -> String {
    let (code, reason) = (status.as_u16(), status.canonical_reason().unwrap_or_default());
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{reason}</title></head><body><h1>{code} {reason}</h1></body></html>\n"
    )
}
