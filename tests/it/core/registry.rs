//! Executors that register and leave.

use serde_json::json;

use super::on;
use crate::support::db::TestDb;
use crate::support::fake_executor::FakeExecutor;
use crate::support::log;
use crate::support::running::{Job, Running, until};

on!(nodes_come_and_go_at_once);

async fn nodes_come_and_go_at_once(db: TestDb) {
    let (first, second) = (FakeExecutor::start().await, FakeExecutor::start().await);
    let mut connection = db.connect().await;
    connection.add_group(2, "app", None).await;
    connection.add_group(3, "app", Some("http://192.0.2.7:9999/")).await;
    connection.add_jobs(&[Job { route: "ROUND", ..Job::new(101) }]).await;
    let admin = Running::start(&db).await;
    let entry = |executor: &FakeExecutor| json!({"registryGroup": "EXECUTOR", "registryKey": "app", "registryValue": executor.address()});

    // The list is there with the answer, not with the next sweep.
    assert_eq!(admin.call("registry", &entry(&first)).await, 200);
    assert_eq!(connection.address_list(2).await.as_deref(), Some(first.address()));
    assert_eq!(admin.call("registry", &entry(&second)).await, 200);
    let mut both = [first.address(), second.address()];
    both.sort_unstable();
    assert_eq!(connection.address_list(2).await, Some(both.join(",")));

    assert_eq!(admin.call("registryRemove", &entry(&first)).await, 200);
    assert_eq!(connection.address_list(2).await.as_deref(), Some(second.address()));
    for _ in 0..20 {
        admin.trigger(101).await;
    }
    second.wait_for_runs(20).await;
    assert_eq!(first.calls().len(), 0, "nobody calls a node that has signed off");

    // A second removal, and one of nobody, are no errors.
    assert_eq!(admin.call("registryRemove", &entry(&first)).await, 200);
    assert_eq!(admin.call("registryRemove", &entry(&second)).await, 200);
    assert_eq!(connection.address_list(2).await, None);
    assert_eq!(connection.address_list(3).await.as_deref(), Some("http://192.0.2.7:9999/"), "lists by hand stay");

    let ours = json!({"registryGroup": "RS_NODE", "registryKey": "aaaaaaaaaaaaaaaa", "registryValue": "192.0.2.1:1"});
    assert_eq!(admin.call("registry", &ours).await, 500);
    assert_eq!(admin.call("registryRemove", &ours).await, 500);
    admin.stop().await;
}

on!(silent_nodes_are_swept: sqlite Sqlite);

async fn silent_nodes_are_swept(db: TestDb) {
    let executor = FakeExecutor::start().await;
    let mut connection = db.connect().await;
    connection.add_group(2, "app", None).await;
    for (value, time) in
        [("http://192.0.2.8:9999/", "2026-01-01 00:00:00"), (executor.address(), "2100-01-01 00:00:00")]
    {
        connection
            .execute(&format!(
                "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) \
                 VALUES ('EXECUTOR', 'app', '{value}', '{time}')"
            ))
            .await;
    }
    let admin = Running::start(&db).await;
    let list = until("the list", async || connection.address_list(2).await).await;
    assert_eq!(list, executor.address());
    assert_eq!(
        connection.texts("SELECT registry_value FROM xxl_job_registry WHERE registry_key = 'app'").await.len(),
        1
    );
    admin.stop().await;
}

on!(another_column_zone_is_told: sqlite Sqlite);

/// A Java admin with another serverTimezone beside us stamps beats hours ahead of our clock.
async fn another_column_zone_is_told(db: TestDb) {
    log::keep();
    let mut connection = db.connect().await;
    connection
        .execute(
            "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) \
             VALUES ('EXECUTOR', 'elsewhere', 'http://192.0.2.9:9999/', '2100-01-01 00:00:00')",
        )
        .await;
    let admin = Running::start(&db).await;
    until("the warning", async || (!log::lines_with("serverTimezone in the database URL").is_empty()).then_some(()))
        .await;
    admin.stop().await;
}
