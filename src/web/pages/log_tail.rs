//! The log of a run as it grows, as server-sent events, so that nobody has to ask again and again.
//!
//! No release has it: the Java console's page asks every three seconds and gives up after a minute of silence. Here a run
//! is followed until it is over, however long it is silent. A reader costs one call to the executor each interval and, while
//! nothing comes, now and then a look at the row; a reader who takes nothing is not read for.
//!
//! Events: `lines` = `{"from", "text"}` with the next line's number as id, so that a browser goes on where it was when the
//! connection breaks; `trouble` = `{"text"}` when the executor does not answer; `end` = `{"handleCode", "reason", "text"}`.
//! A connection is ended after some minutes; the browser opens the next by itself, and its rights are looked at anew.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::Bytes;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep};

use super::Mapping;
use super::job_log::{address, app_name, no_log};
use crate::model::JobLog;
use crate::protocol::{CallResult, LogPage, LogRequest, Target};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::error::Error;
use crate::web::params::Params;
use crate::web::state::AppState;

/// Logs that are followed at a time on one node; further readers ask by themselves, as the Java console does.
pub const READERS: usize = 500;
/// Pause after lines came, and at most when none come.
const PAUSE: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(1));
/// Pause after the executor did not answer.
const PAUSE_OF_TROUBLE: Duration = Duration::from_secs(5);
/// How often the row is looked at while no lines come.
const ROW_AGE: Duration = Duration::from_secs(1);
/// How long nothing at all is sent; more, and proxies cut the connection.
const SILENCE: Duration = Duration::from_secs(15);
/// How long a connection lasts before rights are looked at anew.
const LIFE: Duration = Duration::from_mins(5);
/// Bytes of text in an event, unless a single line is longer.
const EVENT_BYTES: usize = 64 * 1024;
/// Bytes of text that one connection gives.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// How often in a row an executor may not answer for the log of a run that is over.
const PATIENCE: u32 = 3;

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::json("/console/joblog/tail", Dialect::ALL, web::to(tail)).read().extra()]
}

async fn tail(user: LoginUser, params: Params, request: HttpRequest) -> Result<HttpResponse, Error> {
    let (id, from) = (params.long("id")?, params.int_or("from", 1)?);
    let state = user.state();
    let log = state.core.store.find_log(id).await?.filter(|log| user.may_use_group(log.job_group));
    let log = log.ok_or_else(|| no_log(&user))?;
    address(&log)?;
    let Ok(place) = state.log_readers.clone().try_acquire_owned() else {
        return Ok(HttpResponse::new(StatusCode::SERVICE_UNAVAILABLE));
    };
    let tail = Tail {
        app_name: app_name(&user, log.job_group).await?,
        state: state.clone(),
        next: last_event(&request).unwrap_or(from).max(1),
        is_over: log.handle_code > 0,
        log,
        ready: VecDeque::from([Bytes::from_static(b"retry: 2000\n\n")]),
        pause: Duration::ZERO,
        failures: 0,
        given: 0,
        is_done: false,
        opened: Instant::now(),
        row_read: Instant::now(),
        spoke: Instant::now(),
        _place: place,
    };
    Ok(HttpResponse::Ok()
        .content_type("text/event-stream; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-store"))
        // A proxy that collected the answer first would make a tail of it that never moves.
        .insert_header((HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")))
        .streaming(stream::unfold(tail, Tail::step)))
}

/// The line at which a browser goes on after its connection broke.
fn last_event(request: &HttpRequest) -> Option<i32> {
    request.headers().get("last-event-id")?.to_str().ok()?.parse().ok()
}

/// One reader of one log.
struct Tail {
    state: Arc<AppState>,
    log: JobLog,
    app_name: String,
    /// The line that is asked for next.
    next: i32,
    /// The row has a result.
    is_over: bool,
    /// Events to send before anything else is asked for.
    ready: VecDeque<Bytes>,
    pause: Duration,
    /// Calls in a row that the executor did not answer.
    failures: u32,
    /// Bytes of text sent.
    given: usize,
    is_done: bool,
    opened: Instant,
    row_read: Instant,
    spoke: Instant,
    _place: OwnedSemaphorePermit,
}

#[derive(Serialize)]
struct Lines<'a> {
    from: i32,
    text: &'a str,
}

#[derive(Serialize)]
struct Trouble<'a> {
    text: &'a str,
}

/// Why nothing more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Reason {
    /// The run is over and its log was read.
    Finished,
    /// The executor does not answer for it.
    Unreachable,
    /// There is more than a page can show.
    Full,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct End<'a> {
    handle_code: i32,
    reason: Reason,
    text: &'a str,
}

impl Tail {
    /// The next piece of the answer; the client asks for it when it has taken the last.
    async fn step(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.spoke = Instant::now();
                return Some((Ok(event), self));
            }
            if self.is_done || self.opened.elapsed() > LIFE {
                return None;
            }
            sleep(self.pause).await;
            self.read().await;
            if self.ready.is_empty() && self.spoke.elapsed() > SILENCE {
                self.ready.push_back(Bytes::from_static(b":\n\n"));
            }
        }
    }

    async fn read(&mut self) {
        // The row before the log: a run that is over has written all it had to write.
        if !self.is_over && self.row_read.elapsed() > ROW_AGE {
            self.read_row().await;
        }
        let core = &self.state.core;
        let address = self.log.executor_address.as_deref().unwrap_or_default();
        let request = LogRequest::new(self.log.id, self.log.trigger_time.unwrap_or_default(), self.next);
        match core.executors.log(Target { address, app_name: &self.app_name }, request).await {
            Ok(page) => self.take(&page),
            Err(result) => self.fail(&result),
        }
    }

    async fn read_row(&mut self) {
        self.row_read = Instant::now();
        match self.state.core.store.find_log(self.log.id).await {
            Ok(Some(log)) => {
                self.is_over = log.handle_code > 0;
                self.log = log;
            }
            // Cleaned away meanwhile: nothing will tell when it is over.
            Ok(None) => self.is_over = true,
            Err(error) => tracing::warn!("the row of run {} cannot be read: {error}", self.log.id),
        }
    }

    fn take(&mut self, page: &LogPage) {
        self.failures = 0;
        let has_lines = page.from_line_num == self.next && page.to_line_num >= self.next;
        if !has_lines {
            self.pause = (self.pause * 2).clamp(PAUSE.0, PAUSE.1);
            if self.is_over {
                self.end(Reason::Finished, page.log_content.trim());
            }
            return;
        }
        self.pause = PAUSE.0;
        self.given += page.log_content.len();
        for (from, next, text) in pieces(&page.log_content, page.from_line_num, page.to_line_num) {
            self.ready.push_back(event("lines", Some(next), &Lines { from, text }));
        }
        self.next = page.to_line_num.saturating_add(1);
        if self.is_over && page.is_end {
            self.end(Reason::Finished, "");
        } else if self.given > MOST_BYTES {
            self.end(Reason::Full, "");
        }
    }

    fn fail(&mut self, result: &CallResult) {
        let text = result.msg.as_deref().unwrap_or_default();
        self.failures += 1;
        self.pause = PAUSE_OF_TROUBLE;
        if self.is_over && self.failures >= PATIENCE {
            self.end(Reason::Unreachable, text);
        } else if self.failures == 1 {
            self.ready.push_back(event("trouble", None, &Trouble { text }));
        }
    }

    fn end(&mut self, reason: Reason, text: &str) {
        self.ready.push_back(event("end", None, &End { handle_code: self.log.handle_code, reason, text }));
        self.is_done = true;
    }
}

/// A text in pieces of whole lines: number of the first line, of the line after the last, and the lines without the break
/// at their end.
fn pieces(text: &str, from: i32, to: i32) -> Vec<(i32, i32, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text.strip_suffix('\n').unwrap_or(text);
    let (mut first, after) = (from, to.saturating_add(1));
    loop {
        if rest.len() <= EVENT_BYTES {
            pieces.push((first, after, rest));
            return pieces;
        }
        // The last break within the limit, or else the first after it; both are single bytes of their own.
        let bytes = rest.as_bytes();
        let within = bytes[..EVENT_BYTES].iter().rposition(|byte| *byte == b'\n');
        let beyond = || bytes[EVENT_BYTES..].iter().position(|byte| *byte == b'\n').map(|at| at + EVENT_BYTES);
        let Some(at) = within.or_else(beyond) else {
            pieces.push((first, after, rest));
            return pieces;
        };
        let piece = &rest[..at];
        let lines = piece.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let next = first.saturating_add(i32::try_from(lines).unwrap_or(i32::MAX)).min(after);
        pieces.push((first, next, piece));
        (first, rest) = (next, &rest[at + 1..]);
    }
}

/// A server-sent event; JSON has no line breaks, so its data is one line.
fn event(name: &str, id: Option<i32>, data: &impl Serialize) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    Bytes::from(format!("{id}event: {name}\ndata: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_of_data() {
        let sent = event("lines", Some(3), &Lines { from: 1, text: "a\r\n<b>中\u{1b}[31m" });
        assert_eq!(sent, "id: 3\nevent: lines\ndata: {\"from\":1,\"text\":\"a\\r\\n<b>中\\u001b[31m\"}\n\n");
        let end = event("end", None, &End { handle_code: 500, reason: Reason::Unreachable, text: "x" });
        assert_eq!(end, "event: end\ndata: {\"handleCode\":500,\"reason\":\"unreachable\",\"text\":\"x\"}\n\n");
    }

    #[test]
    fn a_short_text_is_one_piece() {
        assert_eq!(pieces("a\nb\n", 5, 6), [(5, 7, "a\nb")]);
        assert_eq!(pieces("a\n\n", 1, 2), [(1, 3, "a\n")]);
        assert_eq!(pieces("", 1, 1), [(1, 2, "")]);
    }

    #[test]
    fn a_long_text_is_cut_between_lines_and_nothing_is_lost() {
        let line = "中".repeat(1_000);
        let text = format!("{line}\n").repeat(100);
        let cut = pieces(&text, 11, 110);
        assert!(cut.len() > 1 && cut.iter().all(|(.., text)| text.len() <= EVENT_BYTES));
        assert_eq!(cut.iter().map(|(.., text)| *text).collect::<Vec<_>>().join("\n"), text.trim_end());
        assert_eq!((cut[0].0, cut[cut.len() - 1].1), (11, 111));
        for pair in cut.windows(2) {
            assert_eq!(pair[0].1, pair[1].0, "each goes on where the last ended");
        }
        let long = "x".repeat(3 * EVENT_BYTES);
        assert_eq!(pieces(&format!("{long}\ny\n"), 1, 2), [(1, 2, long.as_str()), (2, 3, "y")]);
    }
}
