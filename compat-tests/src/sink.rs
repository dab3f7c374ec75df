//! An executor that accepts every call, has a log of one line, and never reports back.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const ACCEPTED: &str = r#"{"code":200}"#;
const LOG: &str = r#"{"code":200,"content":{"fromLineNum":1,"toLineNum":1,"logContent":"a line\n","isEnd":true}}"#;

/// The executor; stops when dropped.
pub struct Sink {
    /// Where it listens, as an executor would register it.
    pub address: String,
    calls: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Sink {
    /// Listens on a free port.
    ///
    /// # Errors
    /// When there is none.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}/", listener.local_addr()?);
        let calls = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&calls);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                // A connection ends with the caller's wish; there is nobody to tell.
                tokio::spawn(async move { drop(serve(stream, &count).await) });
            }
        });
        Ok(Self { address, calls, task })
    }

    /// Calls answered so far.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(stream: TcpStream, calls: &AtomicU64) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        let mut answer = ACCEPTED;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if line.split(' ').nth(1) == Some("/log") {
                answer = LOG;
            }
            if line.trim_end().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().context("length")?;
            }
        }
        stream.read_exact(&mut vec![0; length]).await?;
        calls.fetch_add(1, Ordering::Relaxed);
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", answer.len());
        stream.write_all(format!("{head}{answer}").as_bytes()).await?;
    }
}
