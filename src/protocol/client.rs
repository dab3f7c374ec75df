//! Calls to executors over HTTP: the port of `ExecutorBizClient` and `XxlJobRemotingUtil` (from 3.3 `HttpTool`).
//!
//! Better on purpose: connections are kept, so that thousands of calls a second need no connection each; redirects are
//! not followed (Java repeats the call as GET at whatever place the answer names); an answer has a largest size; an
//! address can be confined to networks. As in Java, any certificate is accepted unless `executor.verify-tls` says
//! otherwise. A call is never repeated once it may have been read, since the executor would run the job twice.

mod endpoint;
mod error;
mod reply;
mod resolver;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Client, Method, Request, Response};
use secrecy::ExposeSecret;

use self::endpoint::{Call, Endpoint};
use self::error::CallError;
use self::resolver::{Networks, PermittedAddresses};
use super::answer::uri_mapping_not_found;
use super::json::is_blank;
use super::{CallResult, Dialect, Executors, LogPage, LogRequest, RunRequest, Target, Tokens};
use crate::config::profile::{MessageLayout, Profile};
use crate::config::settings::Settings;

const ACCESS_TOKEN: HeaderName = HeaderName::from_static("xxl-job-access-token");
const APP_NAME: HeaderName = HeaderName::from_static("xxl-job-appname");

const MIB: usize = 1024 * 1024;
/// Largest request body that executors take.
const LARGEST_REQUEST: usize = 5 * MIB;
/// Largest answer to `/log`.
const LARGEST_LOG: usize = 16 * MIB;
/// Largest answer to anything else.
const LARGEST_ANSWER: usize = MIB;

/// Shorter than what any known executor keeps an idle connection (Java 90 s, aiohttp 75 s, uvicorn 5 s), so that a call
/// and the other side's close do not meet: a call that was cut off is not repeated.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept for one address; the usual bound of open calls to it.
const POOL_SIZE: usize = 256;
/// Added to the time-out of the answer, so that a connection that is not made in time is told from a silent executor.
const GRACE: Duration = Duration::from_millis(100);
/// A trickling answer is given up after so many time-outs.
const LONGEST_TRICKLE: u32 = 10;
/// Addresses and app names remembered; beyond, all are forgotten, which costs only their preparation.
const MOST_REMEMBERED: usize = 10_000;

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for executors cannot be made")]
pub struct ClientError(#[from] reqwest::Error);

/// The HTTP client for all executors. Clones share everything.
#[derive(Clone)]
pub struct ExecutorClient {
    shared: Arc<Shared>,
}

struct Shared {
    http: Client,
    time_out: Duration,
    messages: MessageLayout,
    tokens: Tokens,
    networks: Networks,
    endpoints: Remembered<Endpoint>,
    headers: Remembered<HeaderMap>,
}

impl ExecutorClient {
    /// A client with these settings. Time-outs (connect and read) and texts follow the profile.
    ///
    /// # Errors
    /// When encryption cannot be set up, for instance because the system has no root certificates to verify with.
    pub fn new(settings: &Settings, profile: &Profile) -> Result<Self, ClientError> {
        // Somebody else may have installed it before; there is only this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let time_out = Duration::from_secs(profile.call_timeout_s);
        let networks = Networks::new(&settings.security.executor_cidrs);
        let mut builder = Client::builder()
            .user_agent(concat!("xxl-job-admin/", env!("CARGO_PKG_VERSION")))
            .http1_only()
            .http1_ignore_invalid_headers_in_responses(true)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(time_out)
            .pool_idle_timeout(POOL_IDLE)
            .pool_max_idle_per_host(POOL_SIZE)
            .dns_resolver(PermittedAddresses(networks.clone()));
        if !settings.executor.verify_tls {
            builder = builder.tls_danger_accept_invalid_certs(true);
        }
        let shared = Shared {
            http: builder.build()?,
            time_out,
            messages: profile.messages,
            tokens: Tokens::of(settings),
            networks,
            endpoints: Remembered::default(),
            headers: Remembered::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Starts a run: by `/run`, or by `/trigger` where the address is known to want that. An executor that does not know
    /// the one is asked by the other with the same body; nothing was run in between.
    pub async fn run(&self, to: Target<'_>, request: &RunRequest<'_>) -> CallResult {
        let endpoint = self.shared.endpoint(to.address);
        let body = json(request);
        let dialect = endpoint.dialect();
        let result = self.ask(&endpoint, dialect.into(), to.app_name, body.clone(), reply::result).await;
        if !is_unknown(&result, dialect) {
            return result;
        }
        let other = match dialect {
            Dialect::Run => Dialect::Trigger,
            Dialect::Trigger => Dialect::Run,
        };
        let result = self.ask(&endpoint, other.into(), to.app_name, body, reply::result).await;
        if result.answered && !is_unknown(&result, other) {
            endpoint.learn(other);
        }
        result
    }

    /// Asks whether the executor lives.
    pub async fn beat(&self, to: Target<'_>) -> CallResult {
        // The body of 2.3 – 3.2; every executor takes it, and Python frameworks dislike none at all.
        let body = Bytes::from_static(b"\"\"");
        self.ask(&self.shared.endpoint(to.address), Call::Beat, to.app_name, body, reply::result).await
    }

    /// Asks whether the executor has nothing to do for this job.
    pub async fn idle_beat(&self, to: Target<'_>, job_id: i32) -> CallResult {
        self.ask(&self.shared.endpoint(to.address), Call::IdleBeat, to.app_name, of_job(job_id), reply::result).await
    }

    /// Ends the runs of this job. Success also when there were none; the text then says so.
    pub async fn kill(&self, to: Target<'_>, job_id: i32) -> CallResult {
        self.ask(&self.shared.endpoint(to.address), Call::Kill, to.app_name, of_job(job_id), reply::kill_result).await
    }

    /// Reads the log of a run.
    ///
    /// # Errors
    /// What the executor said, or what went wrong, when there is no page.
    pub async fn log(&self, to: Target<'_>, request: LogRequest) -> Result<LogPage, CallResult> {
        let endpoint = self.shared.endpoint(to.address);
        match self
            .shared
            .post(&endpoint, Call::Log, to.app_name, json(&request))
            .await
            .and_then(|b| reply::log_page(&b))
        {
            Ok(page) => page,
            Err(error) => Err(self.shared.failed(&error, &endpoint, Call::Log)),
        }
    }

    /// Notes how an address wants to be called, as its registration tells.
    pub fn learn(&self, address: &str, dialect: Dialect) {
        self.shared.endpoint(address).learn(dialect);
    }

    async fn ask(
        &self,
        endpoint: &Endpoint,
        call: Call,
        app_name: &str,
        body: Bytes,
        read: fn(&[u8]) -> Result<CallResult, CallError>,
    ) -> CallResult {
        match self.shared.post(endpoint, call, app_name, body).await.and_then(|body| read(&body)) {
            Ok(result) => result,
            Err(error) => self.shared.failed(&error, endpoint, call),
        }
    }
}

impl Executors for ExecutorClient {
    fn run<'a>(&'a self, to: Target<'a>, request: &'a RunRequest<'a>) -> BoxFuture<'a, CallResult> {
        Box::pin(Self::run(self, to, request))
    }

    fn beat<'a>(&'a self, to: Target<'a>) -> BoxFuture<'a, CallResult> {
        Box::pin(Self::beat(self, to))
    }

    fn idle_beat<'a>(&'a self, to: Target<'a>, job_id: i32) -> BoxFuture<'a, CallResult> {
        Box::pin(Self::idle_beat(self, to, job_id))
    }

    fn kill<'a>(&'a self, to: Target<'a>, job_id: i32) -> BoxFuture<'a, CallResult> {
        Box::pin(Self::kill(self, to, job_id))
    }

    fn log<'a>(&'a self, to: Target<'a>, request: LogRequest) -> BoxFuture<'a, Result<LogPage, CallResult>> {
        Box::pin(Self::log(self, to, request))
    }

    fn learn(&self, address: &str, dialect: Dialect) {
        Self::learn(self, address, dialect);
    }
}

impl Shared {
    fn endpoint(&self, address: &str) -> Arc<Endpoint> {
        self.endpoints.get(address, || Endpoint::new(address, &self.networks))
    }

    fn failed(&self, error: &CallError, endpoint: &Endpoint, call: Call) -> CallResult {
        CallResult::unanswered(error.text(self.messages, &endpoint.text(call)))
    }

    /// Sends a call and reads the answer's body.
    async fn post(&self, endpoint: &Endpoint, call: Call, app_name: &str, body: Bytes) -> Result<Bytes, CallError> {
        if body.len() > LARGEST_REQUEST {
            return Err(CallError::RequestTooLarge(body.len()));
        }
        let mut request = Request::new(Method::POST, endpoint.url(call)?.clone());
        *request.headers_mut() = self.headers.get(app_name, || headers(&self.tokens, app_name)).as_ref().clone();
        *request.body_mut() = Some(Body::from(body));
        let sent = tokio::time::timeout(self.time_out + GRACE, self.http.execute(request)).await;
        let response = sent.map_err(|_| CallError::read_timed_out())?.map_err(|e| CallError::from_transport(&e))?;
        let status = response.status().as_u16();
        let limit = if call == Call::Log { LARGEST_LOG } else { LARGEST_ANSWER };
        let body = tokio::time::timeout(self.time_out * LONGEST_TRICKLE, self.read(response, limit));
        let body = body.await.unwrap_or_else(|_| Err(CallError::read_timed_out()));
        if status == 200 { body } else { Err(CallError::status(status, &body.unwrap_or_default())) }
    }

    async fn read(&self, mut response: Response, limit: usize) -> Result<Bytes, CallError> {
        let announced = response.content_length().unwrap_or_default();
        if announced > limit as u64 {
            return Err(CallError::TooLarge(limit));
        }
        // Most answers are one piece, which is handed on as it is.
        let first = self.chunk(&mut response).await?.unwrap_or_default();
        let Some(second) = self.chunk(&mut response).await? else {
            return if first.len() > limit { Err(CallError::TooLarge(limit)) } else { Ok(first) };
        };
        let mut body = BytesMut::with_capacity((announced as usize).max(first.len() + second.len()));
        body.extend_from_slice(&first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            if body.len() + chunk.len() > limit {
                return Err(CallError::TooLarge(limit));
            }
            body.extend_from_slice(&chunk);
            next = self.chunk(&mut response).await?;
        }
        Ok(body.freeze())
    }

    async fn chunk(&self, response: &mut Response) -> Result<Option<Bytes>, CallError> {
        tokio::time::timeout(self.time_out, response.chunk())
            .await
            .map_err(|_| CallError::read_timed_out())?
            .map_err(|error| CallError::from_transport(&error))
    }
}

/// Values prepared once for a text.
struct Remembered<T>(RwLock<HashMap<String, Arc<T>>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Remembered<T> {
    fn get(&self, text: &str, prepare: impl FnOnce() -> T) -> Arc<T> {
        // The map is whole even after a panic while it was locked: every change is one insertion.
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(text) {
            return Arc::clone(known);
        }
        let prepared = Arc::new(prepare());
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if map.len() >= MOST_REMEMBERED {
            map.clear();
        }
        Arc::clone(map.entry(text.to_owned()).or_insert(prepared))
    }
}

fn headers(tokens: &Tokens, app_name: &str) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json;charset=UTF-8"));
    let token = tokens.for_app(app_name).map(ExposeSecret::expose_secret);
    if let Some(Ok(mut token)) = token.map(HeaderValue::from_str) {
        token.set_sensitive(true);
        headers.insert(ACCESS_TOKEN, token);
    }
    if !is_blank(app_name)
        && let Ok(app_name) = HeaderValue::from_str(app_name)
    {
        headers.insert(APP_NAME, app_name);
    }
    headers
}

fn json(value: &impl serde::Serialize) -> Bytes {
    #[expect(clippy::expect_used, reason = "plain structs of texts and numbers always have a JSON form")]
    serde_json::to_vec(value).expect("plain data").into()
}

fn of_job(job_id: i32) -> Bytes {
    format!(r#"{{"jobId":{job_id}}}"#).into()
}

/// Whether the executor does not know the call of this dialect.
fn is_unknown(result: &CallResult, dialect: Dialect) -> bool {
    result.answered
        && result.code == CallResult::FAIL
        && result
            .msg
            .as_deref()
            .is_some_and(|msg| msg == uri_mapping_not_found(&format!("/{}", Call::from(dialect).name())))
}
