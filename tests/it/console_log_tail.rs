//! The log of a run as server-sent events, from an executor to the reader.

use std::time::Duration;

use reqwest::{Method, Response};
use serde_json::json;

use crate::support::app::{TestApp, spawn_app};
use crate::support::fake_executor::{Behaviour, FakeExecutor};

const PATIENCE: Duration = Duration::from_secs(10);

async fn end_run(app: &TestApp, code: i32) {
    app.db.connect().await.execute(&format!("UPDATE xxl_job_log SET handle_code = {code} WHERE id = 1")).await;
}

fn page(from: i32, to: i32, text: &str, is_end: bool) -> Behaviour {
    let content = json!({"fromLineNum": from, "toLineNum": to, "logContent": text, "isEnd": is_end});
    Behaviour::Json(json!({"code": 200, "content": content}).to_string())
}

async fn open(app: &TestApp, query: &str, cookie: &str) -> Response {
    let path = format!("/console/joblog/tail?{query}");
    app.request(Method::GET, &path, Some(cookie)).send().await.expect("the admin answers")
}

/// What comes until this text has come.
async fn until(answer: &mut Response, wanted: &str) -> String {
    let mut told = String::new();
    let read = async {
        while !told.contains(wanted) {
            let chunk = answer.chunk().await.expect("the answer goes on").expect("the answer is not over");
            told.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, read).await.is_ok();
    assert!(in_time, "{wanted} within {told}");
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_run_is_followed_until_it_is_over() {
    let (app, executor) = (spawn_app().await, FakeExecutor::start().await);
    app.add_run(1, 1, executor.address()).await;
    // Not begun, then two lines, then silence: none of it is the end while the run has no result.
    executor.once("log", page(1, 0, "readLog fail, logFile not exists", true));
    executor.once("log", page(1, 2, "first <b>\nsecond\n", true));
    executor.on("log", page(3, 2, "", false));
    let mut answer = open(&app, "id=1", &app.admin().await).await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream; charset=utf-8");
    assert_eq!(answer.headers()["x-accel-buffering"], "no");
    let told = until(&mut answer, "second").await;
    assert_eq!(told, "retry: 2000\n\nid: 3\nevent: lines\ndata: {\"from\":1,\"text\":\"first <b>\\nsecond\"}\n\n");
    executor.wait_for("log", 5).await;

    executor.once("log", page(3, 3, "third\n", false));
    until(&mut answer, "{\"from\":3,\"text\":\"third\"}").await;
    executor.on("log", page(4, 3, "", false));
    end_run(&app, 200).await;
    let told = until(&mut answer, "event: end").await;
    assert!(told.ends_with("data: {\"handleCode\":200,\"reason\":\"finished\",\"text\":\"\"}\n\n"), "{told}");
    assert!(answer.chunk().await.expect("an end in order").is_none(), "nothing follows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_goes_on_where_it_was() {
    let (app, executor) = (spawn_app().await, FakeExecutor::start().await);
    app.add_run(1, 1, executor.address()).await;
    end_run(&app, 500).await;
    executor.on("log", page(7, 7, "seventh\n", true));
    let request = app.request(Method::GET, "/console/joblog/tail?id=1&from=2", Some(&app.admin().await));
    let mut answer = request.header("Last-Event-ID", "7").send().await.expect("the admin answers");
    let told = until(&mut answer, "event: end").await;
    assert!(told.contains("id: 8\nevent: lines\ndata: {\"from\":7,\"text\":\"seventh\"}"), "{told}");
    assert_eq!(executor.calls_to("log")[0].json()["fromLineNum"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_use_the_group_of_a_run_learns_nothing() {
    let (app, executor) = (spawn_app().await, FakeExecutor::start().await);
    app.add_run(1, 1, executor.address()).await;
    app.add_user("tailless", "").await;
    let foreign = app.log_in("tailless", "secret").await;
    let admin = app.admin().await;
    let mut told = Vec::new();
    for (query, cookie) in [("id=1", &foreign), ("id=99", &foreign), ("id=99", &admin)] {
        let answer = open(&app, query, cookie).await;
        assert!(answer.headers()["content-type"].to_str().expect("text").starts_with("application/json"));
        told.push(answer.text().await.expect("a body"));
    }
    assert_eq!(told[0], told[1], "a foreign run is as one that is not there");
    assert!(told.iter().all(|text| text.contains("\"code\":500")), "{told:?}");
    let nobody = app.request(Method::GET, "/console/joblog/tail?id=1", None).header("X-XXL-Dialect", "2");
    assert_eq!(nobody.send().await.expect("an answer").status(), 302);
    assert!(executor.calls_to("log").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_told_of_jobs_that_the_caller_may_use() {
    let app = spawn_app().await;
    app.add_user("nameless", "").await;
    let (admin, foreign) = (app.admin().await, app.log_in("nameless", "secret").await);
    let names = app.call("/console/jobinfo/names", &[("jobGroup", "0")], &admin).await;
    assert_eq!(names["code"], 200);
    let first = names["content"].as_array().and_then(|jobs| jobs.last()).expect("the job of the script").clone();
    assert!(first["jobDesc"].is_string() && first.get("glueSource").is_none(), "{first}");
    let id = first["id"].to_string();
    let listed = |cookie: String| {
        let (app, id) = (&app, id.clone());
        async move { app.call("/console/jobinfo/names", &[("jobIds", &id)], &cookie).await["content"].clone() }
    };
    assert_eq!(listed(admin).await, json!([first]));
    assert_eq!(listed(foreign.clone()).await, json!([]));
    assert_eq!(app.call("/console/jobinfo/names", &[("jobGroup", "0")], &foreign).await["code"], 500);
}
