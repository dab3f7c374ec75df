//! Runs whose result does not come.

use std::time::Duration;

use serde_json::json;

use super::on;
use crate::support::db::TestDb;
use crate::support::fake_executor::{Behaviour, FakeExecutor};
use crate::support::running::{GROUP, Job, Running, now_ms, until};

on!(only_runs_of_nodes_that_are_gone_are_lost);

async fn only_runs_of_nodes_that_are_gone_are_lost(db: TestDb) {
    let (registered, busy, idle) =
        (FakeExecutor::start().await, FakeExecutor::start().await, FakeExecutor::start().await);
    busy.on("idleBeat", Behaviour::Refuse(500, "job thread is running or has trigger queue.".into()));
    let mut connection = db.connect().await;
    connection.add_group(GROUP, "app", Some(&[busy.address(), idle.address()].join(","))).await;
    connection.add_group(3, "registered", None).await;
    connection.add_jobs(&[Job::new(101)]).await;
    let admin = Running::start_with(&db, |settings| {
        settings.monitor.lost_after = Duration::from_secs(5);
        settings.monitor.lost_interval = Duration::from_millis(200);
    })
    .await;
    let entry =
        json!({"registryGroup": "EXECUTOR", "registryKey": "registered", "registryValue": registered.address()});
    assert_eq!(admin.call("registry", &entry).await, 200);
    let (old, young) = (now_ms() - 60_000, now_ms() + 60_000);
    for (id, at, address) in [
        (1, old, registered.address()),
        (2, old, busy.address()),
        (3, old, idle.address()),
        (4, old, "http://127.0.0.1:1/"),
        (5, young, "http://127.0.0.1:1/"),
    ] {
        connection.add_run(id, 101, at, (200, "taken"), address, 0).await;
    }
    let lost = until("two lost runs", async || {
        let lost = connection.runs("handle_code <> 0").await;
        (lost.len() >= 2).then_some(lost)
    })
    .await;
    assert_eq!(lost.iter().map(|run| (run.id, run.handle_code)).collect::<Vec<_>>(), [(3, 500), (4, 500)]);
    assert!(lost.iter().all(|run| run.handle_msg.as_deref() == Some("任务结果丢失，标记失败")), "{lost:#?}");

    // The busy one is spared each time, and its result is taken.
    let asked = busy.calls_to("idleBeat").len();
    busy.wait_for("idleBeat", asked + 2).await;
    assert_eq!(connection.runs("handle_code <> 0").await.len(), 2);
    assert_eq!(admin.report(&json!([{"logId": 2, "handleCode": 200, "handleMsg": "at last"}])).await, 200);
    assert_eq!(connection.runs("id = 2").await[0].handle_code, 200);
    assert_eq!(registered.calls().len(), 0, "a registered node is not asked");
    admin.stop().await;
    assert_eq!(connection.runs("handle_code = 0").await.len(), 2);
}
