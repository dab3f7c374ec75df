//! Between claim and call: the job goes, the row goes, the node goes.

use super::{executor_of, on};
use crate::support::db::{Connection, TestDb};
use crate::support::running::{Job, Run, Running, cron_at, in_seconds, now_ms, until, wall};

/// Waits for the row that a job's claim writes ahead of its time.
async fn claimed(connection: &mut Connection, job: i32) -> Run {
    let runs = connection.wait_for_runs(job, 1, |run| run.trigger_msg.starts_with("<!--rs:claimed:")).await;
    assert_eq!((runs[0].trigger_code, runs[0].handle_code), (0, 0), "Java admins leave such rows alone");
    runs.into_iter().next().expect("one")
}

on!(a_job_deleted_after_its_claim_is_not_called);

async fn a_job_deleted_after_its_claim_is_not_called(db: TestDb) {
    let executor = executor_of(&db).await;
    let soon = in_seconds(5);
    let expression = cron_at(soon);
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::cron(101, &expression, soon)]).await;
    let admin = Running::start(&db).await;
    claimed(&mut connection, 101).await;
    connection.execute("DELETE FROM xxl_job_info WHERE id = 101").await;
    let runs = connection.wait_for_runs(101, 1, |run| run.trigger_code == 500).await;
    assert!(runs[0].trigger_msg.contains("deleted"), "{runs:#?}");
    admin.stop().await;
    assert_eq!(executor.calls().len(), 0);
}

on!(a_row_cleared_after_its_claim_is_written_anew);

async fn a_row_cleared_after_its_claim_is_written_anew(db: TestDb) {
    let executor = executor_of(&db).await;
    let soon = in_seconds(5);
    let expression = cron_at(soon);
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::cron(101, &expression, soon)]).await;
    let admin = Running::start(&db).await;
    let cleared = claimed(&mut connection, 101).await;
    connection.execute("DELETE FROM xxl_job_log").await;
    let call = executor.wait_for_runs(1).await.remove(0);
    let runs = connection.wait_for_runs(101, 1, |run| run.trigger_code == 200).await;
    assert_eq!(call.json()["logId"], runs[0].id);
    assert_ne!(runs[0].id, cleared.id);
    admin.stop().await;
    assert_eq!(executor.calls_to("run").len(), 1);
}

on!(claims_of_dead_nodes_are_counted_and_ended);

async fn claims_of_dead_nodes_are_counted_and_ended(db: TestDb) {
    let executor = executor_of(&db).await;
    let now = now_ms();
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::new(101)]).await;
    for (id, at, mark) in [
        (1, now, "<!--rs:claimed:aaaaaaaaaaaaaaaa:3-->"),
        (2, now - 60_000, "<!--rs:claimed:dddddddddddddddd:7-->"),
        (3, now - 60_000, "<!--rs:taken:dddddddddddddddd-->"),
        (4, now + 3_600_000, "<!--rs:claimed:dddddddddddddddd:8-->"),
        (5, now - 60_000, ""),
    ] {
        connection.add_run(id, 101, at, (0, mark), "", 2).await;
    }
    connection
        .execute(&format!(
            "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) \
             VALUES ('RS_NODE', 'aaaaaaaaaaaaaaaa', '192.0.2.1:8080', '{}')",
            wall(now)
        ))
        .await;
    let before = [lost("claimed"), lost("taken")];
    let admin = Running::start(&db).await;
    let ended = until("both rows are ended", async || {
        let runs = connection.runs("id IN (2, 3)").await;
        runs.iter().all(|run| run.trigger_code == 500).then_some(runs)
    })
    .await;
    let said: Vec<&str> = ended.iter().map(|run| run.trigger_msg.as_str()).collect();
    let expected = [
        "认领该次触发的节点失效，该次触发丢失，未调用执行器 [dddddddddddddddd]",
        "执行该次触发的节点失效，调用结果未知，不再重复触发 [dddddddddddddddd]",
    ];
    assert_eq!(said, expected);
    assert_eq!(ended.iter().map(|run| run.retry).collect::<Vec<_>>(), [0, 0], "what may have run is not run again");
    assert!(lost("claimed") > before[0] && lost("taken") > before[1], "counted: {before:?}");

    // Its result still counts.
    assert_eq!(admin.report(&serde_json::json!([{"logId": 3, "handleCode": 200, "handleMsg": "late"}])).await, 200);
    assert_eq!(connection.runs("id = 3").await[0].handle_code, 200);
    admin.stop().await;
    let left = connection.runs("id IN (1, 4, 5)").await;
    assert!(left.iter().all(|run| run.trigger_code == 0), "of a live node, not due, of a Java admin: {left:#?}");
    assert_eq!(executor.calls_to("run").len(), 0);
}

/// `xxl_fires_lost_total` of a reason; other tests of this process count there too.
fn lost(reason: &str) -> u64 {
    let text = xxl_job_admin::metrics::recorder().render();
    let line = format!("xxl_fires_lost_total{{reason=\"{reason}\"}} ");
    text.lines().find_map(|text| text.strip_prefix(&line)).map_or(0, |count| count.parse().expect("a count"))
}
