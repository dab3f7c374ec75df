//! Bytes on the wire that are hardly HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::{runtime, try_all};
use crate::support::app::spawn_app;

fn line() -> impl Strategy<Value = Vec<u8>> {
    let header = prop::sample::select(vec![
        "Content-Length: 5",
        "Content-Length: -1",
        "Content-Length: 99999999999999999999",
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Expect: 100-continue",
        "Connection: close",
        "Connection: upgrade",
        "Host: a",
        "Host:",
        "Cookie: XXL_JOB_LOGIN_IDENTITY=\u{1}",
        "Content-Type: multipart/form-data; boundary=",
        "Upgrade: h2c",
        "X: y",
    ]);
    prop_oneof![
        5 => header.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn request() -> impl Strategy<Value = Vec<u8>> {
    let start = prop_oneof![
        6 => (
            prop::sample::select(vec!["GET", "POST", "PUT", "TRACE", "CONNECT", "get", ""]),
            prop::sample::select(vec!["/", "/xxl-job-admin/login", "/xxl-job-admin/jobinfo/pageList?a=%zz", "/api/registry", "*", "http://x/", "//", "/%00", "/../.."]),
            prop::sample::select(vec!["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9.9", ""]),
        ).prop_map(|(method, path, version)| format!("{method} {path} {version}").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..60),
    ];
    let body = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        Just(b"5\r\na=b&c\r\n0\r\n\r\n".to_vec()),
        Just(b"ffffffffffffffff\r\n".to_vec()),
    ];
    (start, prop::collection::vec(line(), 0..8), body).prop_map(|(start, lines, body)| {
        let mut bytes = start;
        for line in lines {
            bytes.extend_from_slice(b"\r\n");
            bytes.extend(line);
        }
        bytes.extend_from_slice(b"\r\n\r\n");
        bytes.extend(body);
        bytes
    })
}

/// What comes back, if anything does before the connection is closed for writing and read to its end.
fn exchange(address: &str, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut answer = Vec::new();
    // The server may hang up in the middle, which is its right.
    if stream.write_all(bytes).is_ok() && stream.shutdown(std::net::Shutdown::Write).is_ok() {
        let _ = stream.read_to_end(&mut answer);
    }
    Ok(answer)
}

#[test]
fn no_bytes_on_the_wire_break_it() {
    let runtime = runtime();
    let app = runtime.block_on(spawn_app());
    let address = app.base_url.trim_start_matches("http://").split('/').next().expect("a host").to_owned();
    let cases = try_all(&request(), |bytes| {
        let answer = exchange(&address, &bytes).map_err(|error| TestCaseError::fail(format!("refused: {error}")))?;
        let text = String::from_utf8_lossy(&answer);
        prop_assert!(!text.starts_with("HTTP/1.1 5") && !text.starts_with("HTTP/1.0 5"), "{text}");
        Ok(())
    });
    assert!(cases > 0);
    let health = runtime.block_on(app.client.get(format!("{}/actuator/health", app.base_url)).send());
    assert_eq!(health.expect("an answer").status(), 200);
    runtime.block_on(app.stop());
}
