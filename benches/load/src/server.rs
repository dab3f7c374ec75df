//! A small HTTP server: keep-alive, one task a connection, one read and one write for what came together. It shares
//! the machine with the admin under test, so every microsecond here is one that the admin lacks.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::request::{self, Request};

/// What answers.
pub trait Answer: Send + Sync + 'static {
    /// Handles one request and returns the JSON of the answer.
    fn answer(&self, request: &Request<'_>) -> std::borrow::Cow<'static, str>;

    /// Time between a request and its answer.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }
}

/// Serves every connection of `listener`, for ever.
pub async fn serve<A: Answer>(listener: TcpListener, answerer: Arc<A>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let answerer = Arc::clone(&answerer);
                // A broken connection is the client's business: it opens another.
                tokio::spawn(async move { connection(stream, &*answerer).await.ok() });
            }
            // Out of file descriptors, most likely: connections that end free some.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn connection<A: Answer>(mut stream: TcpStream, answerer: &A) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = Vec::with_capacity(8 << 10);
    let mut output = Vec::with_capacity(1 << 10);
    while stream.read_buf(&mut input).await? > 0 {
        let mut used = 0;
        let mut open = true;
        while open {
            match request::parse(&input[used..]) {
                Ok(Some(request)) => {
                    write_answer(&answerer.answer(&request), &mut output)?;
                    used += request.length;
                    open = request.keep_alive;
                }
                Ok(None) => break,
                Err(request::Malformed) => {
                    output.extend_from_slice(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                    open = false;
                }
            }
        }
        input.drain(..used);
        if !output.is_empty() {
            if !answerer.delay().is_zero() {
                tokio::time::sleep(answerer.delay()).await;
            }
            stream.write_all(&output).await?;
            output.clear();
        }
        if !open {
            break;
        }
    }
    Ok(())
}

fn write_answer(json: &str, output: &mut Vec<u8>) -> std::io::Result<()> {
    write!(
        output,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=UTF-8\r\nContent-Length: {}\r\n\r\n{json}",
        json.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Answer for Echo {
        fn answer(&self, request: &Request<'_>) -> std::borrow::Cow<'static, str> {
            request.path.to_owned().into()
        }
    }

    async fn exchange(sent: &[&[u8]]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(serve(listener, Arc::new(Echo)));
        let mut stream = TcpStream::connect(address).await.unwrap();
        for part in sent {
            stream.write_all(part).await.unwrap();
            tokio::task::yield_now().await;
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        server.abort();
        answer
    }

    #[tokio::test]
    async fn requests_that_come_together_or_in_pieces_are_answered_in_order() {
        let answer = exchange(&[
            b"POST /a HTTP/1.1\r\n\r\nPOST /bc HTTP/1.1\r\nContent-Len",
            b"gth: 2\r\n\r\n{}POST /d HTTP/1.1\r\nConnection: close\r\n\r\n",
        ])
        .await;
        let bodies: Vec<_> = answer.split("\r\n\r\n").map(|part| part.split("HTTP").next().unwrap()).collect();
        assert_eq!(bodies, ["", "/a", "/bc", "/d"]);
        assert!(answer.contains("Content-Length: 3"));
    }

    #[tokio::test]
    async fn nonsense_is_refused_and_the_connection_closed() {
        assert!(exchange(&[b"\x16\x03\x01\x00"]).await.starts_with("HTTP/1.1 400 "));
    }
}
