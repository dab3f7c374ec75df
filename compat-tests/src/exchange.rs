//! One HTTP exchange byte for byte: what a client library would tidy up (header order and case, doubled slashes) is
//! sent as it is given.
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::recording::find;

/// Executors give up after 3 s; a busy machine gets more.
const PATIENCE: Duration = Duration::from_secs(20);

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// In wire order.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub body: String,
}

impl Answer {
    /// The first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }
}

/// A request as it goes over the wire.
#[derive(Clone, Debug)]
pub struct Request {
    /// Request line and headers, with the empty line behind them.
    pub head: String,
    /// The body as it is framed.
    pub body: String,
    /// The body goes only after `100 Continue`.
    pub waits: bool,
}

/// Sends a request to a port on this machine and reads the answer.
///
/// # Errors
/// When the exchange fails or takes too long.
pub async fn exchange(port: u16, method: &str, path: &str, headers: &[(String, String)], body: &str) -> Result<Answer> {
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("{method} {path} HTTP/1.1\r\n{}\r\n", headers.concat());
    send(port, &Request { head, body: body.to_owned(), waits: false }).await
}

/// Sends a request to a port on this machine and reads the answer.
///
/// # Errors
/// When the exchange fails or takes too long, or when the body is waited for in vain.
pub async fn send(port: u16, request: &Request) -> Result<Answer> {
    let talk = async {
        let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await?);
        stream.write_all(request.head.as_bytes()).await?;
        if request.waits {
            let line = read_line(&mut stream).await?;
            ensure!(line.split(' ').nth(1) == Some("100"), "the body is not wanted: {line}");
            read_headers(&mut stream).await?;
        }
        stream.write_all(request.body.as_bytes()).await?;
        read_answer(stream, request.head.starts_with("HEAD ")).await
    };
    timeout(PATIENCE, talk).await.context("no answer in time")?
}

async fn read_answer(mut stream: BufReader<TcpStream>, head_only: bool) -> Result<Answer> {
    let status_line = read_line(&mut stream).await?;
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.with_context(|| format!("status line {status_line:?}"))?;
    let headers = read_headers(&mut stream).await?;
    let body = if head_only || status == 204 || status == 304 {
        Vec::new()
    } else if find(&headers, "Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        read_chunks(&mut stream).await?
    } else if let Some(length) = find(&headers, "Content-Length") {
        let mut body = vec![0; length.parse()?];
        stream.read_exact(&mut body).await?;
        body
    } else {
        let mut body = Vec::new();
        stream.read_to_end(&mut body).await?;
        body
    };
    Ok(Answer { status, headers, body: String::from_utf8(body).context("the body is not UTF-8")? })
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> Result<String> {
    let mut line = String::new();
    ensure!(stream.read_line(&mut line).await? > 0, "the connection was closed");
    Ok(line.trim_end().to_owned())
}

async fn read_headers(stream: &mut BufReader<TcpStream>) -> Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = read_line(stream).await?;
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').with_context(|| format!("header {line:?}"))?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

async fn read_chunks(stream: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(stream).await?;
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default(), 16).context("chunk size")?;
        let begin = body.len();
        body.resize(begin + size, 0);
        stream.read_exact(&mut body[begin..]).await?;
        read_line(stream).await?;
        if size == 0 {
            return Ok(body);
        }
    }
}
