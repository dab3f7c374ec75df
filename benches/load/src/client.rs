//! An HTTP client of one keep-alive connection, for callbacks, health and metrics.

use std::time::Duration;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use url::Url;

/// Executors wait so long for an answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// A client of one server.
pub struct Client {
    base: Url,
    token: HeaderValue,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    /// A client below `base`, which sends this access token.
    ///
    /// # Errors
    /// When the token cannot stand in a header.
    pub fn new(base: &Url, token: &str) -> Result<Self> {
        let mut base = base.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        Ok(Self { base, token: HeaderValue::from_str(token).context("access token")?, connection: None })
    }

    /// `GET base/path`.
    ///
    /// # Errors
    /// When no answer comes in time.
    pub async fn get(&mut self, path: &str) -> Result<(StatusCode, Bytes)> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    /// `POST base/path` with a JSON body.
    ///
    /// # Errors
    /// When no answer comes in time.
    pub async fn post(&mut self, path: &str, json: Bytes) -> Result<(StatusCode, Bytes)> {
        self.send(Method::POST, path, json).await
    }

    async fn send(&mut self, method: Method, path: &str, body: Bytes) -> Result<(StatusCode, Bytes)> {
        let answer = tokio::time::timeout(TIMEOUT, self.exchange(method, path, body)).await;
        let answer = answer.context("no answer in time").flatten();
        if answer.is_err() {
            // Whatever is still under way on it, the next call must not read.
            self.connection = None;
        }
        answer
    }

    async fn exchange(&mut self, method: Method, path: &str, body: Bytes) -> Result<(StatusCode, Bytes)> {
        let host = &self.base.host_str().context("address without host")?.to_owned();
        let port = self.base.port_or_known_default().context("address without port")?;
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base.path()))
            .header(HOST, format!("{host}:{port}"))
            .header(CONTENT_TYPE, "application/json;charset=UTF-8")
            .header("XXL-JOB-ACCESS-TOKEN", &self.token)
            .body(Full::new(body))?;
        let kept = self.connection.take().filter(|sender| !sender.is_closed());
        let reused = kept.is_some();
        let sender = match kept {
            Some(sender) => sender,
            None => connect(host, port).await?,
        };
        match self.answer(sender, request.clone()).await {
            // The server has closed an idle connection just now; as executors do, send once more.
            Err(_) if reused => self.answer(connect(host, port).await?, request).await,
            answer => answer,
        }
    }

    async fn answer(
        &mut self,
        mut sender: SendRequest<Full<Bytes>>,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, Bytes)> {
        sender.ready().await?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        self.connection = Some(sender);
        Ok((status, body))
    }
}

/// Opens a connection.
///
/// # Errors
/// When nobody listens.
pub async fn connect(host: &str, port: u16) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    // Its error reaches the request that was under way.
    tokio::spawn(async move { connection.await.ok() });
    Ok(sender)
}
