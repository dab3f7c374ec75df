//! What can go wrong with a call, and the texts that the Java admin stores for it.

use std::error::Error;
use std::io;
use std::net::IpAddr;

use crate::config::profile::MessageLayout;

/// Longest quotation of an answer that nobody expected, in characters: the text ends in a column of 64 KiB.
const LONGEST_QUOTE: usize = 4000;

/// Why a call brought no usable answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    /// There was no answer; the cause is worded as by the JDK where it has words for it.
    #[error("{0}")]
    Unreached(String),
    /// The address lies outside the permitted networks.
    #[error("{0} is not in the permitted networks (security.executor-cidrs)")]
    Forbidden(IpAddr),
    /// The answer's status is not 200.
    #[error("status {status}")]
    Status {
        /// The status.
        status: u16,
        /// The beginning of the body.
        body: String,
    },
    /// The body is no answer of an executor; its beginning.
    #[error("invalid answer")]
    Invalid(String),
    /// The body is too large.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The request is larger than executors take.
    #[error("the request has {0} bytes, an executor takes at most 5 MiB")]
    RequestTooLarge(usize),
}

impl CallError {
    /// An answer with this status and body.
    pub(super) fn status(status: u16, body: &[u8]) -> Self {
        Self::Status { status, body: quote(body) }
    }

    /// An answer with this body that is none.
    pub(super) fn invalid(body: &[u8]) -> Self {
        Self::Invalid(quote(body))
    }

    /// Finds the cause in an error of the HTTP client.
    pub(super) fn from_transport(error: &reqwest::Error) -> Self {
        let mut innermost: &dyn Error = error;
        let mut io = None;
        while let Some(source) = innermost.source() {
            if let Some(refused) = source.downcast_ref::<super::resolver::ResolveError>() {
                return refused.into();
            }
            io = source.downcast_ref::<io::Error>().or(io);
            innermost = source;
        }
        Self::Unreached(match io.map(io::Error::kind) {
            _ if error.is_timeout() && error.is_connect() => "connect timed out".into(),
            _ if error.is_timeout() => READ_TIMED_OUT.into(),
            Some(io::ErrorKind::ConnectionRefused) => "Connection refused".into(),
            Some(io::ErrorKind::ConnectionReset) => "Connection reset".into(),
            Some(io::ErrorKind::BrokenPipe) => "Broken pipe".into(),
            Some(io::ErrorKind::HostUnreachable) => "No route to host".into(),
            Some(io::ErrorKind::NetworkUnreachable) => "Network is unreachable".into(),
            _ => innermost.to_string(),
        })
    }

    /// The executor did not answer in time.
    pub(super) fn read_timed_out() -> Self {
        Self::Unreached(READ_TIMED_OUT.into())
    }

    /// The text that is stored, shown and sent in mails. Java 3.3 and later store a stack trace that begins with it.
    pub(super) fn text(&self, layout: MessageLayout, url: &str) -> String {
        match (layout, self) {
            (MessageLayout::Old, Self::Status { status, body }) => {
                format!("xxl-job remoting fail, StatusCode({status}) invalid. for url : {url}{}", quotation(body))
            }
            (MessageLayout::New, Self::Status { status, body }) => {
                format!("Http Request fail, statusCode({status}) for url : {url}{}", quotation(body))
            }
            (MessageLayout::Old, Self::Invalid(body)) => {
                format!("xxl-job remoting (url={url}) response content invalid({body}).")
            }
            (MessageLayout::New, Self::Invalid(body)) => {
                format!("Http Response content invalid({body}). for url : {url}")
            }
            (MessageLayout::Old, cause) => format!("xxl-job remoting error({cause}), for url : {url}"),
            (MessageLayout::New, cause) => format!("Http Request Error ({cause}). for url : {url}"),
        }
    }
}

const READ_TIMED_OUT: &str = "Read timed out";

/// The beginning of a body as text.
fn quote(body: &[u8]) -> String {
    let beginning = &body[..body.len().min(LONGEST_QUOTE * 4)];
    let text = String::from_utf8_lossy(beginning);
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

fn quotation(body: &str) -> String {
    if body.trim().is_empty() { String::new() } else { format!(", response content({body})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://h:1/run";

    #[test]
    fn texts_follow_the_layout() {
        let unreached = || CallError::Unreached("Connection refused".into());
        for (error, old, new) in [
            (
                unreached(),
                "xxl-job remoting error(Connection refused), for url : http://h:1/run",
                "Http Request Error (Connection refused). for url : http://h:1/run",
            ),
            (
                CallError::status(500, b" "),
                "xxl-job remoting fail, StatusCode(500) invalid. for url : http://h:1/run",
                "Http Request fail, statusCode(500) for url : http://h:1/run",
            ),
            (
                CallError::status(404, b"oops"),
                "xxl-job remoting fail, StatusCode(404) invalid. for url : http://h:1/run, response content(oops)",
                "Http Request fail, statusCode(404) for url : http://h:1/run, response content(oops)",
            ),
            (
                CallError::invalid(b"<html>"),
                "xxl-job remoting (url=http://h:1/run) response content invalid(<html>).",
                "Http Response content invalid(<html>). for url : http://h:1/run",
            ),
        ] {
            assert_eq!(error.text(MessageLayout::Old, URL), old);
            assert_eq!(error.text(MessageLayout::New, URL), new);
        }
    }

    #[test]
    fn quotations_are_cut() {
        assert_eq!(quote("é".repeat(LONGEST_QUOTE).as_bytes()), "é".repeat(LONGEST_QUOTE));
        assert_eq!(quote("é".repeat(LONGEST_QUOTE + 1).as_bytes()), "é".repeat(LONGEST_QUOTE) + "...");
        assert!(quote(&vec![0xFF; LONGEST_QUOTE * 5]).ends_with("\u{FFFD}..."));
    }
}
