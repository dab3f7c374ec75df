//! Just enough of HTTP/1.1 to read the requests that an admin sends, without a copy.

/// More than this is refused; an admin sends scripts of some kilobytes at most here.
const LARGEST: usize = 16 << 20;

/// One whole request at the start of the bytes read so far.
#[derive(Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Path as sent.
    pub path: &'a str,
    /// Body; empty without a `Content-Length`.
    pub body: &'a [u8],
    /// Whether the connection stays open after the answer.
    pub keep_alive: bool,
    /// Bytes that the request takes.
    pub length: usize,
}

/// Not HTTP, too large, or a body of unknown length.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// Reads the first request of `input`; none when it is not complete yet.
pub fn parse(input: &[u8]) -> Result<Option<Request<'_>>, Malformed> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(start) = head.parse(input).map_err(|_| Malformed)? else {
        return if input.len() > LARGEST { Err(Malformed) } else { Ok(None) };
    };
    let mut body_length = 0;
    let mut keep_alive = head.version == Some(1);
    for header in head.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            body_length = number(header.value).ok_or(Malformed)?;
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(Malformed);
        } else if header.name.eq_ignore_ascii_case("connection") {
            keep_alive = !header.value.eq_ignore_ascii_case(b"close");
        }
    }
    let length = start + body_length;
    if length > LARGEST {
        return Err(Malformed);
    }
    let Some(body) = input.get(start..length) else { return Ok(None) };
    Ok(Some(Request { path: head.path.unwrap_or_default(), body, keep_alive, length }))
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_once_it_is_whole() {
        let bytes = b"POST /run HTTP/1.1\r\nHost: a\r\ncontent-length: 7\r\n\r\n{\"a\":1}POST /beat";
        for cut in 0..bytes.len() - 10 {
            assert_eq!(parse(&bytes[..cut]), Ok(None), "{cut} bytes");
        }
        let request = parse(bytes).unwrap().unwrap();
        assert_eq!((request.path, request.body, request.keep_alive), ("/run", &b"{\"a\":1}"[..], true));
        assert_eq!(&bytes[request.length..], b"POST /beat");
    }

    #[test]
    fn a_beat_has_no_body_and_may_close() {
        let request = parse(b"POST /beat HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap().unwrap();
        assert_eq!((request.body.len(), request.keep_alive), (0, false));
        assert!(!parse(b"POST /beat HTTP/1.0\r\n\r\n").unwrap().unwrap().keep_alive);
    }

    #[test]
    fn what_cannot_be_delimited_is_refused() {
        assert_eq!(parse(b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), Err(Malformed));
        assert_eq!(parse(b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), Err(Malformed));
        assert_eq!(parse(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Malformed));
        assert_eq!(parse(b"\x16\x03\x01 hello"), Err(Malformed));
    }
}
