//! A person at the console: logs in and sends forms, as the pages of the releases 2.3 – 3.1 do.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::SendRequest;
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;
use url::Url;

use crate::client::connect;

/// Whoever waits longer has gone.
const PATIENCE: Duration = Duration::from_mins(30);

/// A logged-in session on one kept connection.
pub struct Console {
    base: Url,
    cookie: String,
    connection: Option<SendRequest<Full<Bytes>>>,
}

/// What came of a call.
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The body, null when it is no JSON.
    pub body: Value,
    /// From the request to the whole answer.
    pub took: Duration,
}

impl Answer {
    /// The number of all rows of a list.
    pub fn total(&self) -> Option<i64> {
        self.body["recordsTotal"].as_i64()
    }

    /// The rows of a list.
    pub fn rows(&self) -> &[Value] {
        self.body["data"].as_array().map_or(&[], Vec::as_slice)
    }
}

impl Console {
    /// Logs in.
    ///
    /// # Errors
    /// When the admin refuses.
    pub async fn log_in(base: &Url, name: &str, password: &str) -> Result<Self> {
        let mut console = Self { base: base.clone(), cookie: String::new(), connection: None };
        let (_, cookie, body) = console.exchange("login", &[("userName", name), ("password", password)]).await?;
        console.cookie = cookie.with_context(|| format!("no login: {body}"))?;
        Ok(console)
    }

    /// Tries to log in, on a connection of its own.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn attempt(base: &Url, name: &str, password: &str) -> Result<Answer> {
        let mut console = Self { base: base.clone(), cookie: String::new(), connection: None };
        console.post("login", &[("userName", name), ("password", password)]).await
    }

    /// Sends a form.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Result<Answer> {
        let started = Instant::now();
        let (status, _, body) = tokio::time::timeout(PATIENCE, self.exchange(path, form)).await??;
        Ok(Answer { status, took: started.elapsed(), body })
    }

    /// Asks for a list; anything but a list is an error.
    ///
    /// # Errors
    /// When no list comes.
    pub async fn list(&mut self, path: &str, form: &[(&str, &str)]) -> Result<Answer> {
        let answer = self.post(path, form).await?;
        ensure!(answer.status == 200 && answer.total().is_some(), "{path}: {} {}", answer.status, answer.body);
        Ok(answer)
    }

    async fn exchange(&mut self, path: &str, form: &[(&str, &str)]) -> Result<(StatusCode, Option<String>, Value)> {
        let host = self.base.host_str().context("address without host")?.to_owned();
        let port = self.base.port_or_known_default().context("address without port")?;
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}/{path}", self.base.path().trim_end_matches('/')))
            .header(HOST, format!("{host}:{port}"))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(COOKIE, &self.cookie)
            .body(Full::new(Bytes::from(body)))?;
        let kept = self.connection.take().filter(|sender| !sender.is_closed());
        let mut sender = match kept {
            Some(sender) => sender,
            None => connect(&host, port).await?,
        };
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let cookie = answer.headers().get(SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
        let body = answer.into_body().collect().await?.to_bytes();
        self.connection = Some(sender);
        Ok((status, cookie, serde_json::from_slice(&body).unwrap_or_default()))
    }
}
