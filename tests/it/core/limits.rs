//! Full queues and slow executors.

use std::time::Duration;

use xxl_job_admin::trigger::Refused;

use super::{assert_each_second, executor_of, on};
use crate::support::db::TestDb;
use crate::support::fake_executor::{Behaviour, FakeExecutor};
use crate::support::running::{Job, Running, cron_at, in_seconds, now_ms, until};

on!(a_full_queue_refuses_by_hand_and_holds_the_schedule: sqlite Sqlite, mariadb MariaDb);

async fn a_full_queue_refuses_by_hand_and_holds_the_schedule(db: TestDb) {
    let executor = executor_of(&db).await;
    executor.on("run", Behaviour::Held(Box::new(Behaviour::Accept)));
    let soon = in_seconds(3);
    let expression = cron_at(soon);
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::new(101), Job::cron(102, &expression, soon)]).await;
    let admin = Running::start_with(&db, |settings| {
        settings.job.timeout_s = 60;
        settings.trigger.per_address = 1;
        settings.trigger.queue = 2;
    })
    .await;
    // One is being called, two wait.
    admin.trigger(101).await;
    executor.wait_for_runs(1).await;
    until("a free queue", async || (admin.core.triggers.waiting() == 0).then_some(())).await;
    admin.trigger(101).await;
    admin.trigger(101).await;
    let refused = admin.core.triggers.trigger_by_hand(101, String::new(), None).await;
    assert!(matches!(refused, Err(Refused::QueueFull(2))), "{refused:?}");
    assert_eq!(connection.runs_of(101).await.len(), 3, "a refusal leaves no row");

    let waiting = connection.wait_for_runs(102, 1, |run| run.trigger_code == 0).await;
    until("its second", async || (now_ms() > soon + 1_500).then_some(())).await;
    assert_eq!(connection.runs_of(102).await, waiting, "it waits");
    assert_eq!(executor.calls_to("run").len(), 1);
    executor.on("run", Behaviour::Accept);
    executor.release();
    connection.wait_for_runs(102, 1, |run| run.trigger_code == 200).await;
    connection.wait_for_runs(101, 3, |run| run.trigger_code == 200).await;
    admin.stop().await;
    assert_eq!(executor.calls_to("run").len(), 4);
}

on!(an_address_that_stays_busy_ends_the_wait: sqlite Sqlite);

async fn an_address_that_stays_busy_ends_the_wait(db: TestDb) {
    let executor = executor_of(&db).await;
    executor.once("run", Behaviour::Held(Box::new(Behaviour::Accept)));
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::new(101)]).await;
    let admin = Running::start_with(&db, |settings| {
        settings.job.timeout_s = 60;
        settings.trigger.per_address = 1;
        settings.trigger.max_wait = Duration::from_secs(1);
    })
    .await;
    admin.trigger(101).await;
    executor.wait_for_runs(1).await;
    admin.trigger(101).await;
    let busy = until("the end of the wait", async || {
        connection.runs("trigger_code <> 0").await.into_iter().find(|run| run.trigger_code == 500)
    })
    .await;
    assert!(busy.trigger_msg.ends_with("等待执行器地址超过 1 秒，未调用执行器"), "{busy:#?}");
    executor.release();
    admin.stop().await;
    assert_eq!(executor.calls_to("run").len(), 1);
}

on!(a_slow_executor_holds_nobody_up: sqlite Sqlite, mariadb MariaDb);

async fn a_slow_executor_holds_nobody_up(db: TestDb) {
    let healthy = executor_of(&db).await;
    let slow = FakeExecutor::start().await;
    slow.on("run", Behaviour::Slow(Duration::from_secs(2), Box::new(Behaviour::Accept)));
    let first = in_seconds(3);
    let mut connection = db.connect().await;
    connection.add_group(3, "slow", Some(slow.address())).await;
    // Sixty calls of two seconds every four, thirty at a time: the slow one is never free.
    let slow_jobs: Vec<Job<'_>> = (201..261).map(|id| Job { group: 3, ..Job::each(id, "4", first) }).collect();
    connection.add_jobs(&[Job::each(101, "1", first)]).await;
    connection.add_jobs(&slow_jobs).await;
    let admin = Running::start_with(&db, |settings| settings.trigger.per_address = 30).await;
    healthy.wait_for_runs(4).await;
    until("eight seconds", async || (healthy.calls_to("run").len() >= 8).then_some(())).await;
    assert!(slow.calls_to("run").len() >= 60);
    assert_each_second(&db, vec![admin], &healthy, &[101], first).await;
    let runs = connection.runs("job_id > 200").await;
    assert!(runs.iter().all(|run| run.trigger_code == 200), "slow is not failed: {runs:#?}");
    assert_eq!(slow.calls_to("run").len(), runs.len());
}
