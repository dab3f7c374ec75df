//! An executor that accepts every call, has a log of one line, and never reports back.
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::paths;

const ACCEPTED: &str = r#"{"code":200}"#;
const LOG: &str = r#"{"code":200,"content":{"fromLineNum":1,"toLineNum":1,"logContent":"a line\n","isEnd":true}}"#;

/// The executor; stops when dropped.
pub struct Sink {
    /// Where it listens, as an executor would register it.
    pub address: String,
    calls: Calls,
    task: JoinHandle<()>,
}

/// The paths that were called, in order.
type Calls = Arc<Mutex<Vec<String>>>;

impl Sink {
    /// Listens on a free port.
    ///
    /// # Errors
    /// When there is none.
    pub async fn start() -> Result<Self> {
        Self::start_at("", None).await
    }

    /// Listens on a free port, below a path of its own (`app/` or empty), as an executor inside another server does.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn below(path: &str) -> Result<Self> {
        Self::start_at(path, None).await
    }

    /// The same by https, with a certificate that nobody vouches for.
    ///
    /// # Errors
    /// When there is no port or no certificate.
    pub async fn with_tls(path: &str) -> Result<Self> {
        Self::start_at(path, Some(acceptor()?)).await
    }

    async fn start_at(path: &str, tls: Option<TlsAcceptor>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}/{path}", listener.local_addr()?);
        let calls = Calls::default();
        let seen = Arc::clone(&calls);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, tls) = (Arc::clone(&seen), tls.clone());
                // A connection ends with the caller's wish; there is nobody to tell.
                tokio::spawn(async move {
                    let ended = match tls {
                        None => serve(stream, &seen).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => serve(stream, &seen).await,
                            Err(error) => Err(error.into()),
                        },
                    };
                    drop(ended);
                });
            }
        });
        Ok(Self { address, calls, task })
    }

    /// The paths that were called so far, in order.
    pub fn paths(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls answered so far.
    pub fn calls(&self) -> usize {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn acceptor() -> Result<TlsAcceptor> {
    let read = |name: &str| {
        let file = paths::package().join("../tests/it/protocol").join(name);
        std::fs::read(&file).with_context(|| file.display().to_string())
    };
    let certificate = CertificateDer::from(read("another.example.cert.der")?);
    let key = PrivateKeyDer::try_from(read("another.example.key.der")?).map_err(anyhow::Error::msg)?;
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, calls: &Calls) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let path = line.split(' ').nth(1).context("a request line")?.to_owned();
        let mut length = 0;
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
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
        let answer = if path.ends_with("/log") { LOG } else { ACCEPTED };
        calls.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        let length = answer.len();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(format!("{head}{answer}").as_bytes()).await?;
        stream.flush().await?;
    }
}
