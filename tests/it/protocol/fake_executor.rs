//! The fake executor itself, since many tests believe it.

use std::time::Duration;

use serde_json::json;
use xxl_job_admin::config::profile::Release;

use super::{client, demo, run_request};
use crate::support::fake_executor::{Behaviour, FakeExecutor, Reporting, post, register};

#[tokio::test]
async fn calls_are_recorded_and_behaviours_used_up_in_order() {
    let executor = FakeExecutor::start().await;
    let client = client(Release::V3_4);
    executor.on("run", Behaviour::Refuse(500, "always".into()));
    executor.once("run", Behaviour::Slow(Duration::from_millis(1), Box::new(Behaviour::Accept)));
    executor.once("run", Behaviour::Json(r#"{"code":201}"#.into()));
    let mut codes = Vec::new();
    for log_id in 1..=4 {
        codes.push(client.run(demo(executor.address()), &run_request(log_id)).await.code);
    }
    assert_eq!(codes, [200, 201, 500, 500]);
    assert!(client.beat(demo(executor.address())).await.is_success());
    let runs = executor.wait_for_runs(4).await;
    assert_eq!(
        runs.iter().map(|run| run.json()["logId"].as_i64()).collect::<Vec<_>>(),
        (1..=4).map(Some).collect::<Vec<_>>()
    );
    assert!(runs.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(executor.calls_to("beat").len(), 1);
    assert_eq!(executor.calls().len(), 5);
}

#[tokio::test]
async fn a_held_call_goes_on_when_it_is_released() {
    let executor = FakeExecutor::start().await;
    executor.on("beat", Behaviour::Held(Box::new(Behaviour::Accept)));
    let address = executor.address().to_owned();
    let beat = tokio::spawn(async move { client(Release::V3_4).beat(demo(&address)).await });
    executor.wait_for("beat", 1).await;
    assert!(!beat.is_finished());
    executor.release();
    assert!(beat.await.expect("no panic").is_success());
}

#[tokio::test]
async fn accepted_runs_are_reported() {
    // The admin's part is played by another one.
    let admin = FakeExecutor::start().await;
    admin.on("xxl-job-admin/api/callback", Behaviour::Status(503, "busy".into()));
    let executor = FakeExecutor::start().await;
    executor.once("run", Behaviour::Refuse(500, "no".into()));
    executor.report(Reporting {
        admin: format!("{}xxl-job-admin", admin.address()),
        token: "t".into(),
        handle_code: 500,
        handle_msg: Some("boom".into()),
    });
    let client = client(Release::V3_4);
    for log_id in 1..=2 {
        client.run(demo(executor.address()), &run_request(log_id)).await;
    }
    assert_eq!(executor.wait_for_reports(1).await, [json!({"logId": 2, "status": 503, "body": "busy"})]);
    let callback = &admin.calls_to("xxl-job-admin/api/callback")[0];
    assert_eq!(
        callback.json(),
        json!([{"logId": 2, "logDateTim": 1_700_000_000_123_i64, "handleCode": 500, "handleMsg": "boom"}])
    );
    assert_eq!(callback.header("xxl-job-access-token"), Some("t"));
}

#[tokio::test]
async fn registrations_are_sent() {
    let admin = FakeExecutor::start().await;
    admin.on("api/registry", Behaviour::Accept);
    let base = admin.address().trim_end_matches('/');
    assert_eq!(register(base, "t", "demo", "http://x/").await, (200, r#"{"code":200}"#.into()));
    assert_eq!(post(&format!("{base}/nope"), "t", &json!({})).await.0, 200);
    let call = &admin.calls_to("api/registry")[0];
    assert_eq!(call.json(), json!({"registryGroup": "EXECUTOR", "registryKey": "demo", "registryValue": "http://x/"}));
}
