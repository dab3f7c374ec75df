//! What can be wrong with a call of the console, and the one place where it is rendered.
//!
//! A handler returns an [`Error`]; `render` makes an answer of it in the caller's dialect and the configured language.
//! Refusals that the Java admin makes by an exception have an envelope of their own (see [`Error::Exception`]); where its
//! text would be that of a Java exception ours has plain words that name what is missing.

use actix_web::http::StatusCode;
use actix_web::http::header::{ACCEPT, ALLOW, HOST, HeaderValue, LOCATION, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError};

use super::auth::cookie;
use super::call::{Call, Kind, Place};
use super::client::Client;
use super::dialect::Dialect;
use super::envelope::{exception, failure};
use super::jobs::Refusal;
use super::message::Message;
use super::rows::offset;
use super::view::Frame;
use super::{language, state, view};
use crate::i18n::{Key, format, text};
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
        /// A cookie of this name came that logs nobody in: it is to be forgotten.
        clear_cookie: Option<String>,
        /// The path takes POST only.
        post_only: bool,
    },
    /// A parameter that must be there is not.
    #[error("the parameter {0} is missing")]
    Missing(&'static str),
    /// A parameter that should be a number is none.
    #[error("the parameter {0} is not a number")]
    NotANumber(&'static str),
    /// The call comes from a page of this other site.
    #[error("the call comes from another site: {0}")]
    ForeignSite(String),
    /// A parameter that should be a date is none.
    #[error("the parameter {0} is not of the form yyyy-MM-dd HH:mm:ss")]
    NotADate(&'static str),
    /// No such path.
    #[error("no such path")]
    NotFound,
    /// The path takes POST only.
    #[error("the path takes POST only")]
    MethodNotAllowed,
    /// The body is larger than this many bytes.
    #[error("the request body is larger than {0} bytes")]
    TooLarge(usize),
    /// There are more parameters than this.
    #[error("the request has more than {0} parameters")]
    TooManyParameters(usize),
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

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Refused(message) => Self::refused(message),
            Refusal::Exception(message) => Self::Exception(message),
            Refusal::NotPermitted(name) => Self::NotPermitted(name),
            Refusal::Store(error) => Self::Store(error),
        }
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
    let call = Call::of(request);
    let dialect = call.choice.dialect;
    let locale = language::of(request);
    let permission = text(locale, Key::SystemPermissionLimit);
    match error {
        Error::Refused(message) => {
            failure(dialect, CallResult::FAIL, message.as_ref().map(|message| message.render(locale)).as_deref())
        }
        Error::Executor(result) => failure(dialect, result.code, result.msg.as_deref()),
        Error::Exception(message) => thrown(request, &call, &message.render(locale)),
        Error::NotAdmin if dialect.is_3() => thrown(request, &call, NOT_ADMIN),
        Error::NotAdmin => thrown(request, &call, &format!("java.lang.RuntimeException: {permission}")),
        Error::NotPermitted(username) => {
            thrown(request, &call, &format!("java.lang.RuntimeException: {permission}[username={username}]"))
        }
        Error::Unauthenticated { clear_cookie, post_only } => {
            let mut answer = not_logged_in(request, &call);
            let headers = answer.headers_mut();
            if *post_only {
                headers.insert(ALLOW, HeaderValue::from_static("POST"));
            }
            let secure = Client::of(request, &state::of(request).core.settings.server.trusted_proxies).is_https();
            if let Some(cleared) = clear_cookie.as_ref().and_then(|name| cookie::cleared(name, secure).parse().ok()) {
                headers.append(SET_COOKIE, cleared);
            }
            answer
        }
        Error::Missing(name) if !dialect.is_3() => {
            thrown(request, &call, &format!("the parameter '{name}' is missing; it must be a number"))
        }
        Error::Missing(_) | Error::NotANumber(_) | Error::NotADate(_) | Error::Unreadable => {
            status(request, dialect, StatusCode::BAD_REQUEST, &error.to_string())
        }
        Error::ForeignSite(site) => {
            let told = format(text(locale, Key::OwnForeignSite), &[site]);
            failure_as(StatusCode::FORBIDDEN, dialect, &told)
        }
        Error::NotFound => status(request, dialect, StatusCode::NOT_FOUND, ""),
        Error::MethodNotAllowed => status(request, dialect, StatusCode::METHOD_NOT_ALLOWED, ""),
        Error::TooLarge(_) | Error::TooManyParameters(_) => {
            failure_as(StatusCode::PAYLOAD_TOO_LARGE, dialect, &error.to_string())
        }
        Error::Store(error) => {
            if matches!(error, store::Error::TooLong { .. }) {
                tracing::debug!("a call of the console was refused: {error}");
            } else if error.is_transient() {
                tracing::warn!("a call of the console failed: {error}");
            } else {
                tracing::error!("a call of the console failed: {error}");
            }
            thrown(request, &call, &error.to_string())
        }
    }
}

/// The failure envelope under a status that says so, too.
fn failure_as(status: StatusCode, dialect: Dialect, msg: &str) -> HttpResponse {
    let mut answer = failure(dialect, CallResult::FAIL, Some(msg));
    *answer.status_mut() = status;
    answer
}

/// What the releases from 3.2 say to whoever is no administrator, in every language.
const NOT_ADMIN: &str =
    "com.xxl.sso.core.exception.XxlSsoException: permission limit, current login-user does not have role:ADMIN";

/// What the Java admin answers when it throws: JSON, or a page that says so, with status 200.
fn thrown(request: &HttpRequest, call: &Call, msg: &str) -> HttpResponse {
    if call.place.is_some_and(|place| place.kind == Kind::Page) {
        return view::error_page(StatusCode::OK, Frame::of(request), &[msg]);
    }
    exception(call.choice.dialect, msg)
}

/// Leads to the login page, or says that nobody is logged in.
fn not_logged_in(request: &HttpRequest, call: &Call) -> HttpResponse {
    let dialect = call.choice.dialect;
    let page = format!("{}{}", state::of(request).context_path(), dialect.login_page());
    let is_page = |place: Place| place.kind == Kind::Page;
    match call.place {
        _ if !dialect.is_3() => HttpResponse::Found().insert_header((LOCATION, page)).finish(),
        Some(place) if !is_page(place) => {
            let path = place.path;
            exception(dialect, &format!("com.xxl.sso.core.exception.XxlSsoException: not login for path:{path}"))
        }
        Some(_) => {
            let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
            let origin = host.map(|host| format!("http://{host}")).unwrap_or_default();
            HttpResponse::Found().insert_header((LOCATION, format!("{origin}{page}"))).finish()
        }
        None => status(request, dialect, StatusCode::NOT_FOUND, ""),
    }
}

/// An answer by its status alone: JSON in dialect 2 but for whoever asks for a page, a page in the others.
fn status(request: &HttpRequest, dialect: Dialect, status: StatusCode, message: &str) -> HttpResponse {
    let wants_page = request
        .headers()
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if dialect.is_3() || wants_page {
        return allowing(status, status_page(request, status, message));
    }
    let body = serde_json::json!({
        "timestamp": offset(state::of(request).now()),
        "status": status.as_u16(),
        "error": status.canonical_reason().unwrap_or_default(),
        "path": request.path(),
    });
    allowing(status, HttpResponseBuilder::new(status).content_type("application/json").body(body.to_string()))
}

/// Says which method is allowed where another one was used.
fn allowing(status: StatusCode, mut answer: HttpResponse) -> HttpResponse {
    if status == StatusCode::METHOD_NOT_ALLOWED {
        answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    }
    answer
}

/// The page for a status, with a sentence that says what is wrong.
pub(super) fn status_page(request: &HttpRequest, status: StatusCode, message: &str) -> HttpResponse {
    let code = format!("HTTP Status Code: {}", status.as_u16());
    let sentences = [code.as_str(), message];
    view::error_page(status, Frame::of(request), if message.is_empty() { &sentences[..1] } else { &sentences })
}
