//! Where calls to executors may go, and with them the access token: never to an address that somebody just names.

use std::net::TcpListener;

use xxl_job_admin::config::settings::{Settings, TriggerAddresses};
use xxl_job_admin::model::JobLog;

use crate::support::app::{TOKEN, TestApp, spawn_app, spawn_app_with};
use crate::support::fake_executor::{Behaviour, FakeExecutor, register};
use crate::support::running::until;

const SAMPLE: &str = "xxl-job-executor-sample";

/// A port that nobody must connect to.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        Self(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().expect("bound").port()
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port())
    }

    /// Nobody has connected. Whoever asks has seen the end of the call that might have.
    fn assert_untouched(&self) {
        let connection = self.0.accept();
        assert!(
            connection.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock),
            "somebody connected: {connection:?}"
        );
    }
}

/// The run with this id, once it has been tried.
async fn tried(app: &TestApp, id: i64) -> JobLog {
    until("the run was tried", async || {
        app.core.store.find_log(id).await.expect("an answer").filter(|log| log.trigger_code != 0)
    })
    .await
}

#[tokio::test]
async fn a_log_is_asked_of_the_executor_of_its_run_and_of_nobody_else() {
    let app = spawn_app().await;
    let (executor, trap) = (FakeExecutor::start().await, Trap::new());
    let page = r#"{"code":200,"content":{"fromLineNum":1,"toLineNum":1,"logContent":"l","isEnd":true}}"#;
    executor.on("log", Behaviour::Json(page.into()));
    let id = app.add_run(1, 1, executor.address()).await.to_string();
    let admin = app.admin().await;
    let elsewhere = trap.address();
    for (asked, dialect) in ["2", "3"].into_iter().enumerate() {
        let form = [
            ("logId", id.as_str()),
            ("fromLineNum", "1"),
            ("executorAddress", &elsewhere),
            ("triggerTime", "1"),
            ("address", &elsewhere),
        ];
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = app.request(reqwest::Method::POST, &format!("/joblog/logDetailCat?{query}"), Some(&admin));
        let answer = request.header("X-XXL-Dialect", dialect).send().await.expect("an answer");
        assert!(answer.text().await.expect("a body").contains(r#""code":200"#), "dialect {dialect}");
        assert_eq!(executor.calls_to("log").len(), asked + 1);
    }
    let form = [("id", id.as_str()), ("executorAddress", &elsewhere), ("addressList", &elsewhere)];
    assert_eq!(app.call("/joblog/logKill", &form, &admin).await["code"], 200);
    assert_eq!(executor.calls_to("kill").len(), 1);
    trap.assert_untouched();
}

#[tokio::test]
async fn a_run_by_hand_goes_to_known_addresses_alone() {
    let app = spawn_app().await;
    let (executor, trap) = (FakeExecutor::start().await, Trap::new());
    register(&app.base_url, TOKEN, SAMPLE, executor.address()).await;
    app.add_user("owner", "1").await;
    let (owner, admin) = (app.log_in("owner", "secret").await, app.admin().await);
    let bare = executor.address().trim_end_matches('/').to_owned();
    let port = trap.port();
    let refused = [
        trap.address(),
        format!("{},{}", executor.address(), trap.address()),
        format!("{},{}", trap.address(), executor.address()),
        format!("{bare}@127.0.0.1:{port}/"),
        format!("{bare}/../@127.0.0.1:{port}"),
        format!("{bare}#,http://127.0.0.1:{port}"),
    ];
    for (list, cookie) in refused.iter().flat_map(|list| [(list, &owner), (list, &admin)]) {
        for dialect in ["2", "3"] {
            let form = [("id", "1"), ("executorParam", ""), ("addressList", list)];
            let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
            let request = app.request(reqwest::Method::POST, &format!("/jobinfo/trigger?{query}"), Some(cookie));
            let answer = request.header("X-XXL-Dialect", dialect).send().await.expect("an answer");
            assert_eq!(answer.status(), 200);
            let text = answer.text().await.expect("a body");
            assert!(text.contains("机器地址非法") && text.contains(r#""code":500"#), "{list}: {text}");
        }
    }
    // No run was made of any of them, and a known address is one with or without its slash.
    let form = [("id", "1"), ("executorParam", ""), ("addressList", bare.as_str())];
    assert_eq!(app.outcome("/jobinfo/trigger", &form, &owner).await, "200 -");
    let runs = executor.wait_for_runs(1).await;
    assert_eq!(runs[0].header("xxl-job-access-token"), Some(TOKEN));
    assert_eq!(runs[0].json()["logId"], 1);
    trap.assert_untouched();
}

#[tokio::test]
async fn other_addresses_are_for_administrators_or_all_where_that_is_set() {
    for (setting, of_owner) in [(TriggerAddresses::Admin, "500 机器地址非法"), (TriggerAddresses::Any, "200 -")] {
        let app = spawn_app_with(|settings| settings.security.trigger_addresses = setting).await;
        let executor = FakeExecutor::start().await;
        app.add_user("owner", "1").await;
        let (owner, admin) = (app.log_in("owner", "secret").await, app.admin().await);
        let form = [("id", "1"), ("executorParam", ""), ("addressList", executor.address())];
        assert_eq!(app.outcome("/jobinfo/trigger", &form, &owner).await, of_owner, "{setting:?}");
        assert_eq!(app.outcome("/jobinfo/trigger", &form, &admin).await, "200 -", "{setting:?}");
        executor.wait_for_runs(if of_owner == "200 -" { 2 } else { 1 }).await;
    }
}

#[tokio::test]
async fn a_redirect_leads_the_token_nowhere() {
    let app = spawn_app().await;
    let (executor, trap) = (FakeExecutor::start().await, Trap::new());
    register(&app.base_url, TOKEN, SAMPLE, executor.address()).await;
    let admin = app.admin().await;
    for status in [301, 302, 303, 307, 308] {
        let answer = format!("HTTP/1.1 {status} x\r\nlocation: {}run\r\ncontent-length: 0\r\n\r\n", trap.address());
        for call in ["run", "log", "kill", "beat", "idleBeat"] {
            executor.on(call, Behaviour::Raw(answer.clone().into_bytes()));
        }
        let form = [("id", "1"), ("executorParam", ""), ("addressList", "")];
        assert_eq!(app.outcome("/jobinfo/trigger", &form, &admin).await, "200 -", "{status}");
    }
    for id in 1..=5 {
        let log = tried(&app, id).await;
        assert_eq!(log.trigger_code, 500, "{log:?}");
    }
    app.db.connect().await.execute("UPDATE xxl_job_log SET trigger_code = 200 WHERE id = 1").await;
    let form = [("logId", "1"), ("fromLineNum", "1")];
    assert_eq!(app.call("/joblog/logDetailCat", &form, &admin).await["code"], 500);
    assert_eq!(app.call("/joblog/logKill", &[("id", "1")], &admin).await["code"], 500);
    trap.assert_untouched();
}

fn confined(settings: &mut Settings) {
    settings.security.executor_cidrs = vec!["10.0.0.0/8".parse().expect("a network")];
    settings.security.trigger_addresses = TriggerAddresses::Any;
}

#[tokio::test]
async fn no_call_leaves_the_permitted_networks_however_the_address_is_written() {
    let app = spawn_app_with(confined).await;
    let trap = Trap::new();
    let admin = app.admin().await;
    let port = trap.port();
    let mut addresses = Vec::new();
    for host in
        ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "2130706433", "0x7f.1", "127.1", "0"]
    {
        addresses.push(format!("http://{host}:{port}/"));
    }
    addresses.push(format!("http://10.0.0.1@127.0.0.1:{port}/"));
    for route in ["FIRST", "FAILOVER", "BUSYOVER"] {
        let sql = format!("UPDATE xxl_job_info SET executor_route_strategy = '{route}' WHERE id = 1");
        app.db.connect().await.execute(&sql).await;
        for address in &addresses {
            let form = [("id", "1"), ("executorParam", ""), ("addressList", address)];
            assert_eq!(app.outcome("/jobinfo/trigger", &form, &admin).await, "200 -", "{address}");
        }
    }
    let runs = i64::try_from(addresses.len() * 3).expect("a few");
    for id in 1..=runs {
        let log = tried(&app, id).await;
        let told = log.trigger_msg.unwrap_or_default();
        assert!(log.trigger_code == 500 && told.contains("security.executor-cidrs"), "{id}: {told}");
    }
    for address in &addresses {
        let sql = format!("UPDATE xxl_job_log SET trigger_code = 200, executor_address = '{address}' WHERE id = 1");
        app.db.connect().await.execute(&sql).await;
        let form = [("logId", "1"), ("fromLineNum", "1")];
        let told = app.outcome("/joblog/logDetailCat", &form, &admin).await;
        assert!(told.starts_with("500 ") && told.contains("security.executor-cidrs"), "{address}: {told}");
        let told = app.outcome("/joblog/logKill", &[("id", "1")], &admin).await;
        assert!(told.starts_with("500 ") && told.contains("security.executor-cidrs"), "{address}: {told}");
    }
    trap.assert_untouched();
}
