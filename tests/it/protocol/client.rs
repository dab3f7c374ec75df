//! The client against executors that are slow, broken, gone or of another dialect.

use std::time::Duration;

use secrecy::SecretString;
use tokio::net::TcpListener;
use xxl_job_admin::config::profile::Release;
use xxl_job_admin::protocol::{CallResult, Dialect, ExecutorClient, LogPage, LogRequest, Target};

use super::{client, demo, profile, run_request, settings};
use crate::support::fake_executor::{Behaviour, FakeExecutor};

fn old(cause: &str, address: &str) -> CallResult {
    CallResult {
        code: 500,
        msg: Some(format!("xxl-job remoting error({cause}), for url : {address}run")),
        answered: false,
    }
}

async fn run(executor: &FakeExecutor, behaviour: Behaviour) -> CallResult {
    executor.once("run", behaviour);
    client(Release::V2_4).run(demo(executor.address()), &run_request(1)).await
}

#[tokio::test]
async fn nobody_there_is_a_refused_connection() {
    let executor = FakeExecutor::start().await;
    let address = executor.address().to_owned();
    executor.stop().await;
    assert_eq!(client(Release::V2_4).run(demo(&address), &run_request(1)).await, old("Connection refused", &address));
    assert_eq!(
        client(Release::V3_3).run(demo(&address), &run_request(1)).await.msg,
        Some(format!("Http Request Error (Connection refused). for url : {address}run"))
    );
}

#[tokio::test]
async fn a_silent_executor_is_given_up() {
    let executor = FakeExecutor::start().await;
    assert_eq!(run(&executor, Behaviour::Never).await, old("Read timed out", executor.address()));
    let head_only = b"HTTP/1.1 200 x\r\ncontent-length: 12\r\n\r\n{\"code\"".to_vec();
    assert_eq!(run(&executor, Behaviour::Raw(head_only)).await, old("Read timed out", executor.address()));
}

#[tokio::test]
async fn a_full_accept_queue_is_a_connect_time_out() {
    // A listener with a queue of one that nobody empties: further connections hang in their handshake.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let listener = socket.listen(0).expect("a listener");
    let address = listener.local_addr().expect("bound");
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(200), tokio::net::TcpStream::connect(address)).await
    {
        waiting.push(stream);
        assert!(waiting.len() < 10, "the queue never fills");
    }
    let url = format!("http://{address}/");
    assert_eq!(client(Release::V2_4).run(demo(&url), &run_request(1)).await, old("connect timed out", &url));
}

#[tokio::test]
async fn a_cut_connection_is_a_failure_and_the_run_is_sent_once() {
    let executor = FakeExecutor::start().await;
    let result = run(&executor, Behaviour::Cut).await;
    assert!(!result.answered && result.code == 500, "{result:?}");
    assert_eq!(executor.calls().len(), 1);
    // Also on a kept connection.
    let client = client(Release::V2_4);
    assert!(client.run(demo(executor.address()), &run_request(2)).await.is_success());
    executor.once("run", Behaviour::Cut);
    assert!(!client.run(demo(executor.address()), &run_request(3)).await.answered);
    assert_eq!(executor.calls().len(), 3);
}

#[tokio::test]
async fn statuses_are_failures_and_redirects_are_not_followed() {
    let executor = FakeExecutor::start().await;
    let url = format!("{}run", executor.address());
    assert_eq!(
        run(&executor, Behaviour::Status(500, "oops".into())).await.msg,
        Some(format!("xxl-job remoting fail, StatusCode(500) invalid. for url : {url}, response content(oops)"))
    );
    let redirect = format!("HTTP/1.1 302 x\r\nlocation: {}beat\r\ncontent-length: 0\r\n\r\n", executor.address());
    assert_eq!(
        run(&executor, Behaviour::Raw(redirect.into_bytes())).await.msg,
        Some(format!("xxl-job remoting fail, StatusCode(302) invalid. for url : {url}"))
    );
    assert!(executor.calls_to("beat").is_empty());
}

#[tokio::test]
async fn answers_have_a_largest_size() {
    let executor = FakeExecutor::start().await;
    let body = |size: usize| format!(r#"{{"code":200,"msg":"{}"}}"#, "x".repeat(size));
    assert!(run(&executor, Behaviour::Json(body(1024 * 1024 - 22))).await.is_success());
    let too_large = "the answer is larger than 1048576 bytes";
    assert_eq!(run(&executor, Behaviour::Json(body(1024 * 1024))).await, old(too_large, executor.address()));
    // Without an announced length.
    let piece = "x".repeat(700_000);
    let chunked = format!(
        "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\naae60\r\n{piece}\r\naae60\r\n{piece}\r\n0\r\n\r\n"
    );
    assert_eq!(run(&executor, Behaviour::Raw(chunked.into_bytes())).await, old(too_large, executor.address()));

    let content = "l\n".repeat(4 * 1024 * 1024);
    let page = serde_json::json!({"code": 200, "content": {"toLineNum": 9, "logContent": content}});
    executor.on("log", Behaviour::Json(page.to_string()));
    let read = client(Release::V2_4).log(demo(executor.address()), LogRequest::new(1, 2, 1)).await;
    assert_eq!(read, Ok(LogPage { from_line_num: 0, to_line_num: 9, log_content: content, is_end: false }));
}

#[tokio::test]
async fn a_request_too_large_for_executors_is_not_sent() {
    let executor = FakeExecutor::start().await;
    let source = "x".repeat(5 * 1024 * 1024);
    let request = xxl_job_admin::protocol::RunRequest { glue_source: Some(&source), ..run_request(1) };
    let result = client(Release::V2_4).run(demo(executor.address()), &request).await;
    assert!(result.msg.expect("a text").contains("an executor takes at most 5 MiB"));
    assert!(executor.calls().is_empty());
}

#[tokio::test]
async fn connections_are_kept() {
    let executor = FakeExecutor::start().await;
    let client = client(Release::V3_4);
    for log_id in 0..5 {
        assert!(client.run(demo(executor.address()), &run_request(log_id)).await.is_success());
    }
    assert!(executor.calls().iter().all(|call| call.connection == 0));
}

#[tokio::test]
async fn the_dialect_is_found_and_remembered() {
    let executor = FakeExecutor::start().await;
    executor.speak_trigger();
    let client = client(Release::V3_4);
    for log_id in 1..=2 {
        assert!(client.run(demo(executor.address()), &run_request(log_id)).await.is_success());
    }
    let paths = |executor: &FakeExecutor| executor.calls().into_iter().map(|call| call.path).collect::<Vec<_>>();
    assert_eq!(paths(&executor), ["/run", "/trigger", "/trigger"]);
    assert_eq!(executor.calls()[0].body, executor.calls()[1].body);

    // Told so by a registration, and then gone back to an older release.
    let downgraded = FakeExecutor::start().await;
    client.learn(downgraded.address(), Dialect::Trigger);
    for log_id in 1..=2 {
        assert!(client.run(demo(downgraded.address()), &run_request(log_id)).await.is_success());
    }
    assert_eq!(paths(&downgraded), ["/trigger", "/run", "/run"]);
}

#[tokio::test]
async fn an_executor_that_knows_neither_is_asked_anew_each_time() {
    let executor = FakeExecutor::start().await;
    executor.on("run", Behaviour::Refuse(500, "invalid request, uri-mapping(/run) not found.".into()));
    let client = client(Release::V3_4);
    for log_id in 1..=2 {
        let result = client.run(demo(executor.address()), &run_request(log_id)).await;
        assert_eq!(result.msg.as_deref(), Some("invalid request, uri-mapping(/trigger) not found."));
    }
    assert_eq!(executor.calls_to("run").len(), 2);
}

#[tokio::test]
async fn each_group_is_shown_its_own_token() {
    let executor = FakeExecutor::start().await;
    let mut settings = settings();
    settings.executor.tokens.insert("demo".into(), "of-demo".into());
    settings.job.access_token = SecretString::from(" ");
    let client = ExecutorClient::new(&settings, &profile(Release::V3_4)).expect("a client");
    client.beat(demo(executor.address())).await;
    client.beat(Target { address: executor.address(), app_name: "other" }).await;
    let shown = |call: usize| {
        let call = &executor.calls()[call];
        ["xxl-job-access-token", "xxl-job-appname"].map(|name| call.header(name).map(str::to_owned))
    };
    assert_eq!(shown(0), [Some("of-demo".into()), Some("demo".into())]);
    assert_eq!(shown(1), [None, Some("other".into())]);
}

#[tokio::test]
async fn calls_stay_inside_the_permitted_networks() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let mut settings = settings();
    settings.security.executor_cidrs = vec!["10.0.0.0/8".parse().expect("a network")];
    let client = ExecutorClient::new(&settings, &profile(Release::V2_4)).expect("a client");
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let result = client.beat(demo(&format!("http://{host}:{port}"))).await;
        let msg = result.msg.expect("a text");
        assert!(msg.contains("is not in the permitted networks (security.executor-cidrs)"), "{msg}");
    }
    tokio::select! {
        biased;
        _ = listener.accept() => panic!("somebody connected"),
        () = std::future::ready(()) => {}
    }
}

#[tokio::test]
async fn an_unknown_host_is_named() {
    let result = client(Release::V2_4).beat(demo("http://no-such-host.invalid:1/")).await;
    assert_eq!(
        result.msg.as_deref(),
        Some(
            "xxl-job remoting error(no-such-host.invalid: Name or service not known), \
             for url : http://no-such-host.invalid:1/beat"
        )
    );
}

#[tokio::test]
async fn addresses_that_are_not_http_are_failed_calls() {
    for (address, cause) in
        [("127.0.0.1:9999", "no protocol: 127.0.0.1:9999/beat"), ("localhost:1", "unknown protocol: localhost")]
    {
        assert_eq!(
            client(Release::V2_4).beat(demo(address)).await.msg,
            Some(format!("xxl-job remoting error({cause}), for url : {address}/beat"))
        );
    }
    assert!(!client(Release::V3_4).kill(demo(" "), 1).await.answered);
}
