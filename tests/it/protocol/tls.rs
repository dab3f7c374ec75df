//! Executors behind https, with a certificate that nobody vouches for and of another name.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use xxl_job_admin::config::profile::Release;
use xxl_job_admin::protocol::ExecutorClient;

use super::{demo, profile, settings};

/// Made for this test alone; it protects nothing.
const CERTIFICATE: &[u8] = include_bytes!("another.example.cert.der");
const KEY: &[u8] = include_bytes!("another.example.key.der");

/// Answers one connection's first request; returns whether there was one.
fn https_executor() -> (String, JoinHandle<bool>) {
    let key = PrivateKeyDer::try_from(KEY).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)
        .expect("they belong together");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("https://{}/", listener.local_addr().expect("bound"));
    let serving = std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a connection");
        let connection = ServerConnection::new(Arc::new(config)).expect("a valid configuration");
        let mut stream = StreamOwned::new(connection, socket);
        let mut seen = Vec::new();
        let mut buffer = [0; 1024];
        while !seen.ends_with(b"\"\"") {
            match stream.read(&mut buffer) {
                Ok(read) if read > 0 => seen.extend_from_slice(&buffer[..read]),
                _ => return false,
            }
        }
        stream.write_all(b"HTTP/1.1 200 x\r\ncontent-length: 12\r\n\r\n{\"code\":200}").expect("the client reads");
        true
    });
    (address, serving)
}

#[tokio::test]
async fn any_certificate_is_accepted_by_default() {
    let (address, serving) = https_executor();
    let client = ExecutorClient::new(&settings(), &profile(Release::V2_4)).expect("a client");
    let result = client.beat(demo(&address)).await;
    assert!(result.is_success(), "{result:?}");
    assert!(serving.join().expect("no panic"));
}

#[tokio::test]
async fn a_strict_client_refuses_it() {
    let (address, serving) = https_executor();
    let mut settings = settings();
    settings.executor.verify_tls = true;
    let client = ExecutorClient::new(&settings, &profile(Release::V2_4)).expect("a client");
    let result = client.beat(demo(&address)).await;
    assert!(!result.answered && result.msg.as_deref().is_some_and(|msg| msg.contains("certificate")), "{result:?}");
    assert!(!serving.join().expect("no panic"));
}
