//! The edge itself: paths, methods, bodies, the executors' endpoints and the actuator.

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use serde_json::{Value, json};
use xxl_job_admin::config::settings::{Dialect, Glue};
use xxl_job_admin::model::EXECUTOR_GROUP;

use crate::support::app::{TOKEN, TestApp, spawn_app, spawn_app_with};
use crate::support::fake_executor::{FakeExecutor, Reporting, post, register};
use crate::support::running::until;

async fn get(app: &TestApp, url: &str) -> (u16, String, String) {
    let answer = app.client.get(url).send().await.expect("an answer");
    let header = |name| answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (status, location, content_type) = (answer.status().as_u16(), header(LOCATION), header(CONTENT_TYPE));
    (status, location, content_type)
}

fn root(app: &TestApp) -> &str {
    app.base_url.strip_suffix("/xxl-job-admin").expect("the default context path")
}

#[tokio::test]
async fn the_root_and_the_bare_context_path_lead_home() {
    let app = spawn_app().await;
    for url in [format!("{}/", root(&app)), app.base_url.clone()] {
        assert_eq!(get(&app, &url).await.1, "/xxl-job-admin/", "{url}");
    }
    let (status, location, _) = get(&app, &format!("{}/", app.base_url)).await;
    assert_eq!((status, location), (302, format!("{}/auth/login", app.base_url)));
    let (status, _, content_type) = get(&app, &format!("{}/elsewhere", root(&app))).await;
    assert_eq!((status, content_type.as_str()), (404, "text/html;charset=UTF-8"));
    app.stop().await;
}

#[tokio::test]
async fn an_empty_context_path_serves_all_at_the_root() {
    let app = spawn_app_with(|settings| {
        settings.server.context_path = String::new();
        settings.console.dialect = Some(Dialect::V2);
    })
    .await;
    assert_eq!(get(&app, &format!("{}/", app.base_url)).await.1, "/toLogin");
    let admin = app.admin().await;
    assert_eq!(app.outcome("/jobinfo/nextTriggerTime", &[], &admin).await, "200 -");
    let (status, body) = register(&app.base_url, TOKEN, "app-a", "http://127.0.0.1:1/").await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(get(&app, &format!("{}/actuator/health", app.base_url)).await.0, 200);
}

#[tokio::test]
async fn every_method_and_a_slash_at_the_end_are_taken() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    for path in ["/jobgroup/pageList?length=1", "/jobgroup/pageList/?length=1"] {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let answer = app.request(method.clone(), path, Some(&admin)).send().await.expect("an answer");
            let json: Value = answer.json().await.expect("JSON");
            assert_eq!(json["recordsTotal"], 1, "{method} {path}");
        }
    }
    let answer = app.request(Method::HEAD, "/jobgroup/pageList", Some(&admin)).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    let answer = app.request(Method::OPTIONS, "/jobgroup/pageList", Some(&admin)).send().await.expect("an answer");
    assert_eq!(answer.headers()["allow"], "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    let answer = app.request(Method::OPTIONS, "/jobgroup/pageList?start=0", None).send().await.expect("an answer");
    assert_eq!(answer.status(), 302);
}

#[tokio::test]
async fn what_is_unknown_is_404_for_who_is_logged_in() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let answer = app.request(Method::GET, "/nope", Some(&admin)).send().await.expect("an answer");
    assert_eq!(answer.status(), 404);
    let json: Value = answer.json().await.expect("JSON");
    assert_eq!((&json["error"], &json["path"]), (&json!("Not Found"), &json!("/xxl-job-admin/nope")));
    let page = app.request(Method::GET, "/nope", Some(&admin)).header("Accept", "text/html,*/*");
    let page = page.send().await.expect("an answer");
    assert_eq!(
        (page.status().as_u16(), page.headers()["content-type"].to_str().ok()),
        (404, Some("text/html;charset=UTF-8"))
    );
}

#[tokio::test]
async fn bodies_have_their_limits() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let form = |size: usize| vec![("userName", "admin".to_owned()), ("password", "x".repeat(size))];
    let send = |path: &'static str, size: usize| {
        let form = form(size);
        let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let request = app.request(Method::POST, path, Some(&admin));
        let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(body);
        async move { request.send().await.expect("an answer") }
    };
    assert_eq!(send("/login", 60 << 10).await.status(), 200);
    let refused = send("/login", 70 << 10).await;
    assert_eq!(refused.status(), 413);
    let json: Value = refused.json().await.expect("JSON");
    assert_eq!(json["code"], 500);
    assert_eq!(send("/jobgroup/pageList", 1 << 20).await.status(), 200);
    let (status, body) = post(&format!("{}/api/registry", app.base_url), TOKEN, &json!("x".repeat(5 << 20))).await;
    assert_eq!(status, 413, "{body}");
}

#[tokio::test]
async fn executors_register_below_the_context_path_and_at_the_root() {
    let app = spawn_app().await;
    for (admin, address) in [(app.base_url.as_str(), "http://127.0.0.1:1/"), (root(&app), "http://127.0.0.1:2/")] {
        let (status, body) = register(admin, TOKEN, "xxl-job-executor-sample", address).await;
        assert_eq!((status, body.as_str()), (200, r#"{"code":200,"data":null,"msg":"Success","success":true}"#));
    }
    let entries = app.core.store.entries_of(EXECUTOR_GROUP, "xxl-job-executor-sample").await.expect("rows");
    assert_eq!(entries.len(), 2);
    let wrong = register(&app.base_url, "wrong", "xxl-job-executor-sample", "http://127.0.0.1:3/").await.1;
    assert!(wrong.contains("The access token is wrong."), "{wrong}");
    let planted = json!({"registryGroup": "RS_LOGIN", "registryKey": "k", "registryValue": "v"});
    let planted = post(&format!("{}/api/registry", app.base_url), TOKEN, &planted).await.1;
    assert!(planted.contains("Illegal Argument."), "{planted}");
    let answer = app.client.post(format!("{}/api/nope", root(&app))).header("XXL-JOB-ACCESS-TOKEN", TOKEN).body("{}");
    let answer = answer.send().await.expect("an answer");
    assert_eq!(answer.headers()["keep-alive"], "timeout=60");
    assert!(answer.text().await.expect("a body").contains("uri-mapping(nope) not found."));
    for path in ["/api/", "/api/a/b"] {
        let answer = app.client.post(format!("{}{path}", app.base_url)).body("{}").send().await.expect("an answer");
        assert_eq!(answer.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn a_run_by_hand_ends_with_the_executors_result() {
    let app = spawn_app().await;
    let executor = FakeExecutor::start().await;
    register(&app.base_url, TOKEN, "xxl-job-executor-sample", executor.address()).await;
    executor.report(Reporting {
        admin: app.base_url.clone(),
        token: TOKEN.into(),
        handle_code: 200,
        handle_msg: Some("done".into()),
    });
    let admin = app.admin().await;
    let form = [("id", "1"), ("executorParam", "by hand"), ("addressList", "")];
    assert_eq!(app.outcome("/jobinfo/trigger", &form, &admin).await, "200 -");
    let runs = executor.wait_for_runs(1).await;
    assert_eq!(runs[0].json()["executorParams"], "by hand");
    let reports = executor.wait_for_reports(1).await;
    assert_eq!(reports[0]["status"], 200, "{reports:?}");
    // The answer comes after the write.
    let log = app.core.store.find_log(1).await.expect("an answer").expect("the run");
    assert_eq!((log.handle_code, log.handle_msg.as_deref()), (200, Some("done")));
}

#[tokio::test]
async fn scripts_that_are_switched_off_are_not_called() {
    let app = spawn_app_with(|settings| settings.security.glue = Glue::Off).await;
    let executor = FakeExecutor::start().await;
    register(&app.base_url, TOKEN, "xxl-job-executor-sample", executor.address()).await;
    let sql = "UPDATE xxl_job_info SET glue_type = 'GLUE_SHELL', glue_source = 'id' WHERE id = 1";
    app.db.connect().await.execute(sql).await;
    let admin = app.admin().await;
    assert_eq!(app.outcome("/jobinfo/trigger", &[("id", "1")], &admin).await, "200 -");
    let log = until("the run ends", async || {
        app.core.store.find_log(1).await.expect("an answer").filter(|log| log.trigger_code != 0)
    })
    .await;
    assert_eq!(log.trigger_code, 500);
    assert!(log.trigger_msg.is_some_and(|text| text.contains("security.glue=off")));
    assert_eq!(executor.calls_to("run").len(), 0);
}

#[tokio::test]
async fn what_cannot_be_stored_is_not_acknowledged() {
    let app = spawn_app().await;
    app.core.store.close().await;
    for (path, body) in [
        ("registry", json!({"registryGroup": "EXECUTOR", "registryKey": "app-a", "registryValue": "http://a/"})),
        ("callback", json!([{"logId": 1, "logDateTim": 1, "handleCode": 200}])),
    ] {
        let (status, answer) = post(&format!("{}/api/{path}", app.base_url), TOKEN, &body).await;
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!((status, &answer["code"]), (200, &json!(500)), "{path}: {answer}");
    }
}

#[tokio::test]
async fn the_actuator_tells_how_it_is() {
    let app = spawn_app().await;
    let actuator = format!("{}/actuator", app.base_url);
    let text = async |path: &str| {
        let answer = app.client.get(format!("{actuator}{path}")).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        let content_type = answer.headers()["content-type"].to_str().expect("text").to_owned();
        (content_type, answer.text().await.expect("a body"))
    };
    let (content_type, health) = text("/health").await;
    assert_eq!(content_type, "application/vnd.spring-boot.actuator.v3+json");
    assert_eq!(health, r#"{"groups":["liveness","readiness"],"status":"UP"}"#);
    assert_eq!(text("/health/liveness").await.1, r#"{"status":"UP"}"#);
    assert_eq!(text("/health/readiness").await.1, r#"{"status":"UP"}"#);
    assert!(text("/info").await.1.contains("xxl-job-admin"));
    let (content_type, metrics) = text("/prometheus").await;
    assert_eq!(content_type, "text/plain; version=0.0.4; charset=utf-8");
    assert!(
        metrics.contains("http_requests_total{route=\"/xxl-job-admin/actuator/health\",status=\"200\"}"),
        "{metrics}"
    );
    assert!(metrics.contains("xxl_db_pool{state=\"open\"}"), "{metrics}");
    app.core.health.stopping();
    let answer = app.client.get(format!("{actuator}/health/readiness")).send().await.expect("an answer");
    assert_eq!(answer.status(), 503);
}
