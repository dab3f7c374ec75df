//! The executors as seen by who calls them.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{CallResult, LogPage, LogRequest, RunRequest};

/// Which executor to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// Its address as stored; blanks around it and slashes after it do not matter.
    pub address: &'a str,
    /// App name of its group, which executors of 3.5 insist on; it also chooses the token.
    pub app_name: &'a str,
}

/// How an address wants to be told to run a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// By `/run`, to 3.4.
    Run,
    /// By `/trigger`, from 3.5.
    Trigger,
}

/// Calls to executors. Every call ends in a [`CallResult`], never in an error or a panic.
pub trait Executors: Send + Sync + 'static {
    /// Starts a run. Success means that it is queued there, not that it is done.
    fn run<'a>(&'a self, to: Target<'a>, request: &'a RunRequest<'a>) -> BoxFuture<'a, CallResult>;
    /// Asks whether the executor lives.
    fn beat<'a>(&'a self, to: Target<'a>) -> BoxFuture<'a, CallResult>;
    /// Asks whether the executor has nothing to do for this job.
    fn idle_beat<'a>(&'a self, to: Target<'a>, job_id: i32) -> BoxFuture<'a, CallResult>;
    /// Ends the runs of this job.
    fn kill<'a>(&'a self, to: Target<'a>, job_id: i32) -> BoxFuture<'a, CallResult>;
    /// Reads the log of a run; the error tells why there is no page.
    fn log<'a>(&'a self, to: Target<'a>, request: LogRequest) -> BoxFuture<'a, Result<LogPage, CallResult>>;
    /// Notes how an address wants to be called, as its registration tells.
    fn learn(&self, address: &str, dialect: Dialect);
}

/// Executors that are handed around.
pub type SharedExecutors = Arc<dyn Executors>;
