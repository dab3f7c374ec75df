//! Requests as they go over the wire.
use super::Framing;
use crate::exchange::Request;

/// The type of [`multipart`] bodies.
pub const MULTIPART: &str = "multipart/form-data; boundary=----compat7MA4YWxkTrZu0gW";
const BOUNDARY: &str = "------compat7MA4YWxkTrZu0gW";
/// Bytes of a chunk.
const CHUNK: usize = 7;

/// A request; the type is named unless a header already does.
pub fn request(
    method: &str,
    path: &str,
    mut headers: Vec<String>,
    content_type: &str,
    mut body: String,
    framing: Framing,
) -> Request {
    let has_type = headers.iter().any(|header| header.to_ascii_lowercase().starts_with("content-type:"));
    if !content_type.is_empty() && !has_type {
        headers.push(format!("Content-Type: {content_type}"));
    }
    if framing == Framing::Chunked {
        headers.push("Transfer-Encoding: chunked".to_owned());
        body = in_chunks(&body);
    } else if method != "GET" || !body.is_empty() {
        headers.push(format!("Content-Length: {}", body.len()));
    }
    if framing == Framing::Continue {
        headers.push("Expect: 100-continue".to_owned());
    }
    let version = if framing == Framing::Old { "1.0" } else { "1.1" };
    let head = format!("{method} {path} HTTP/{version}\r\n{}\r\n\r\n", headers.join("\r\n"));
    Request { head, body, waits: framing == Framing::Continue }
}

/// The body of a form in parts.
pub fn multipart(fields: &[(&str, String)]) -> String {
    let part = |(name, value): &(&str, String)| {
        format!("{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let parts: Vec<String> = fields.iter().map(part).collect();
    format!("{}{BOUNDARY}--\r\n", parts.concat())
}

/// A body in chunks of a few bytes.
fn in_chunks(body: &str) -> String {
    let mut chunks = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let mut end = rest.len().min(CHUNK);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (chunk, behind) = rest.split_at(end);
        chunks.push(format!("{:x}\r\n{chunk}\r\n", chunk.len()));
        rest = behind;
    }
    chunks.push("0\r\n\r\n".to_owned());
    chunks.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_chunked() {
        assert_eq!(in_chunks("12345678"), "7\r\n1234567\r\n1\r\n8\r\n0\r\n\r\n");
        assert_eq!(in_chunks(""), "0\r\n\r\n");
    }

    #[test]
    fn a_type_of_the_callers_own_counts() {
        let headers = vec!["content-type: x/y".to_owned()];
        let request = request("POST", "/a", headers, "z/z", "b".into(), Framing::Usual);
        assert_eq!(request.head, "POST /a HTTP/1.1\r\ncontent-type: x/y\r\nContent-Length: 1\r\n\r\n");
    }
}
