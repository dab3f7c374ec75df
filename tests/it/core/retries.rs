//! Failed runs are tried again, as often as they have retries and no more; broadcasts.

use std::time::Duration;

use tokio::net::TcpListener;

use super::{executor_of, is_done, on};
use crate::support::db::TestDb;
use crate::support::fake_executor::{Behaviour, FakeExecutor};
use crate::support::running::{GROUP, Job, Running, now_ms};

/// An admin whose fail monitor does not let a test wait.
async fn eager(db: &TestDb) -> Running {
    Running::start_with(db, |settings| settings.monitor.failed_interval = Duration::from_millis(200)).await
}

on!(dead_nodes_cost_the_retries_and_no_more);

async fn dead_nodes_cost_the_retries_and_no_more(db: TestDb) {
    let mut dead = Vec::new();
    for _ in 0..2 {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        dead.push(format!("http://{}/", listener.local_addr().expect("bound")));
    }
    let mut connection = db.connect().await;
    connection.add_group(GROUP, "dead", Some(&dead.join(","))).await;
    // Stopped, which keeps nobody from a retry.
    connection.add_jobs(&[Job { route: "FAILOVER", retry: 1, ..Job::new(101) }]).await;
    // Of a job that is gone.
    connection.add_run(1, 999, now_ms(), (500, "refused"), "", 1).await;
    // Just inserted by somebody: not failed.
    connection.add_run(2, 101_000, now_ms(), (0, ""), "", 1).await;
    let admin = eager(&db).await;
    admin.trigger(101).await;
    let runs = connection.wait_for_runs(101, 2, |run| run.alarm == 2).await;
    connection.wait_for_runs(999, 1, |run| run.alarm == 1).await;
    admin.stop().await;

    assert_eq!(connection.runs_of(101).await, runs, "one run and one retry");
    assert!(runs.iter().all(|run| run.trigger_code == 500 && run.handle_code == 0), "{runs:#?}");
    assert_eq!(runs.iter().map(|run| run.retry).collect::<Vec<_>>(), [1, 0]);
    assert!(runs[0].trigger_msg.ends_with(">>>>>>>>>>>失败重试触发<<<<<<<<<<< </span><br>"), "{runs:#?}");
    assert!(runs[1].trigger_msg.starts_with("任务触发类型：失败重试触发<br>"), "{runs:#?}");
    assert!(!runs[1].trigger_msg.ends_with("</span><br>"), "{runs:#?}");
    assert!(dead.iter().all(|address| runs[0].trigger_msg.contains(address)), "{runs:#?}");
    assert_eq!(connection.runs("job_id = 999").await.len(), 1, "nothing is retried for a job that is gone");
    assert_eq!(connection.runs("id = 2").await[0].alarm, 0, "what has not failed is not told");
}

on!(each_part_of_a_broadcast_starts_the_child);

async fn each_part_of_a_broadcast_starts_the_child(db: TestDb) {
    let nodes = [FakeExecutor::start().await, FakeExecutor::start().await, FakeExecutor::start().await];
    let child = FakeExecutor::start().await;
    let mut connection = db.connect().await;
    let addresses = nodes.iter().map(FakeExecutor::address).collect::<Vec<_>>().join(",");
    connection.add_group(GROUP, "parent", Some(&addresses)).await;
    connection.add_group(3, "child", Some(child.address())).await;
    let parent = Job { route: "SHARDING_BROADCAST", children: "102", ..Job::new(101) };
    connection.add_jobs(&[parent, Job { group: 3, ..Job::new(102) }]).await;
    let admin = Running::start(&db).await;
    nodes.iter().chain([&child]).for_each(|node| admin.hears_from(node));
    admin.trigger(101).await;
    let mut parts = connection.wait_for_runs(101, 3, is_done).await;
    connection.wait_for_runs(102, 3, is_done).await;
    admin.stop().await;

    parts.sort_by(|a, b| a.shard.cmp(&b.shard));
    for (number, (part, node)) in parts.iter().zip(&nodes).enumerate() {
        assert_eq!(part.shard, Some(format!("{number}/3")));
        assert_eq!(part.address.as_deref(), Some(node.address()));
        let calls = node.calls_to("run");
        let sent =
            calls.iter().map(|call| (call.json()["broadcastIndex"].clone(), call.json()["broadcastTotal"].clone()));
        assert_eq!(sent.collect::<Vec<_>>(), [(number.into(), 3.into())]);
        assert!(part.trigger_msg.contains(&format!("分片广播({number}/3)")), "{part:#?}");
    }
    assert_eq!(connection.runs_of(102).await.len(), 3);
    assert_eq!(child.calls_to("run").len(), 3);
}

on!(a_retry_repeats_only_its_part_of_a_broadcast);

async fn a_retry_repeats_only_its_part_of_a_broadcast(db: TestDb) {
    let nodes = [FakeExecutor::start().await, FakeExecutor::start().await, FakeExecutor::start().await];
    nodes[1].once("run", Behaviour::Refuse(500, "not now".into()));
    let mut connection = db.connect().await;
    let addresses = nodes.iter().map(FakeExecutor::address).collect::<Vec<_>>().join(",");
    connection.add_group(GROUP, "parent", Some(&addresses)).await;
    connection.add_jobs(&[Job { route: "SHARDING_BROADCAST", retry: 2, ..Job::new(101) }]).await;
    let admin = eager(&db).await;
    for node in &nodes {
        admin.hears_from(node);
    }
    admin.trigger(101).await;
    let runs = connection.wait_for_runs(101, 4, |run| is_done(run) || run.alarm == 2).await;
    admin.stop().await;
    let retry = runs.last().expect("four");
    assert_eq!((retry.shard.as_deref(), retry.retry, retry.trigger_code), (Some("1/3"), 1, 200));
    assert_eq!(retry.address.as_deref(), Some(nodes[1].address()));
    assert_eq!(nodes.iter().map(|node| node.calls_to("run").len()).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!(connection.runs_of(101).await.len(), 4);
}

on!(a_failed_result_is_tried_again: sqlite Sqlite);

async fn a_failed_result_is_tried_again(db: TestDb) {
    let executor = executor_of(&db).await;
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job { retry: 1, ..Job::new(101) }]).await;
    let admin = eager(&db).await;
    admin.trigger(101).await;
    let first = executor.wait_for_runs(1).await[0].json()["logId"].clone();
    let result = serde_json::json!([{"logId": first, "handleCode": 500, "handleMsg": "no"}]);
    assert_eq!(admin.report(&result).await, 200);
    executor.wait_for_runs(2).await;
    admin.stop().await;
    let runs = connection.runs_of(101).await;
    assert_eq!(runs.iter().map(|run| (run.handle_code, run.retry)).collect::<Vec<_>>(), [(500, 1), (0, 0)]);
}
