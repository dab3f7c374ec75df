//! The executor protocol: what the admin and its executors say to each other, in every dialect from 2.2.0 on.
//!
//! Two directions. *Inbound*: executors register, sign off and report results to `/api/*`; [`decide`] turns such a
//! request into a finished [`Answer`] or a typed [`ApiCall`], without HTTP server, database or clock. *Outbound*: the
//! [`ExecutorClient`] calls `/run`, `/beat`, `/idleBeat`, `/kill` and `/log` of an executor; whatever happens is a
//! [`CallResult`]. Who calls executors takes the trait [`Executors`], so that it can be tested without a network.
//!
//! Mirrors the Java classes `AdminBiz`, `ExecutorBizClient`, `XxlJobRemotingUtil` and `JobApiController` (3.3 and
//! later: `AdminBiz`, `ExecutorBiz` proxies over `HttpTool` and `OpenApiController`). Better on purpose: connections are
//! kept, one bad item does not spoil a batch of results, results of 2.2.0 executors are understood, and a bad answer of
//! an executor always ends as a failed call with a text that quotes it.

mod answer;
mod callback;
mod client;
mod executors;
mod inbound;
mod job_call;
mod json;
mod log;
mod registry;
mod run;
mod token;

pub use answer::Answer;
pub use callback::{CallbackItem, Callbacks};
pub use client::{ClientError, ExecutorClient};
pub use executors::{Dialect, Executors, SharedExecutors, Target};
pub use inbound::{APP_INVALID, ApiCall, ApiRequest, Inbound, JobRequest, body_limit, decide};
pub use job_call::{JobCall, JobCallName};
pub use json::BodyError;
pub use log::{LogPage, LogRequest};
pub use registry::RegistryCall;
pub use run::RunRequest;
pub use token::{Reach, Tokens};

/// What a call to an executor came to. A call never fails with an error: whatever went wrong is a code and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The executor's code, or 500 when there was no usable answer.
    pub code: i32,
    /// The executor's message, or the text of what went wrong.
    pub msg: Option<String>,
    /// Whether the executor itself said so. `false`: no usable answer came, `msg` tells why.
    pub answered: bool,
}

impl CallResult {
    /// The code of success, in answers of executors, `trigger_code` and `handle_code`.
    pub const SUCCESS: i32 = 200;
    /// The code of failure.
    pub const FAIL: i32 = 500;

    /// Whether the executor took the call.
    pub const fn is_success(&self) -> bool {
        self.code == Self::SUCCESS
    }

    /// The executor did not answer usably; `msg` tells why.
    pub const fn unanswered(msg: String) -> Self {
        Self { code: Self::FAIL, msg: Some(msg), answered: false }
    }
}
