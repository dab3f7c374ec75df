//! A stop in order loses nothing.

use std::time::Duration;

use super::{executor_of, is_done, on};
use crate::support::db::TestDb;
use crate::support::fake_executor::Behaviour;
use crate::support::running::{Job, Running, cron_at, in_seconds, until};

on!(what_is_claimed_runs_before_the_end);

async fn what_is_claimed_runs_before_the_end(db: TestDb) {
    let executor = executor_of(&db).await;
    // The last are still being called when the ring is empty.
    executor.on("run", Behaviour::Slow(Duration::from_millis(700), Box::new(Behaviour::Accept)));
    let times = [3, 4].map(in_seconds);
    let expressions = times.map(cron_at);
    let jobs: Vec<Job<'_>> =
        (0..200).map(|n: usize| Job::cron(101 + n as i32, &expressions[n % 2], times[n % 2])).collect();
    let mut connection = db.connect().await;
    connection.add_jobs(&jobs).await;
    let admin = Running::start(&db).await;
    admin.hears_from(&executor);
    until("200 claims", async || (connection.runs("1 = 1").await.len() == 200).then_some(())).await;
    let health = admin.core.health.clone();
    assert!(health.report().ready);
    admin.stop().await;

    assert!(!health.report().ready);
    let runs = connection.runs("1 = 1").await;
    assert_eq!(runs.len(), 200);
    assert!(runs.iter().all(|run| run.trigger_code == 200), "all are called: {runs:#?}");
    assert_eq!(executor.calls_to("run").len(), 200);
    assert!(runs.iter().filter(|run| is_done(run)).count() >= 100, "results are taken meanwhile");
}

on!(a_stop_that_takes_too_long_says_what_it_left: sqlite Sqlite);

async fn a_stop_that_takes_too_long_says_what_it_left(db: TestDb) {
    let executor = executor_of(&db).await;
    executor.on("run", Behaviour::Never);
    let mut connection = db.connect().await;
    connection.add_jobs(&[Job::new(101)]).await;
    let admin = Running::start_with(&db, |settings| {
        settings.job.timeout_s = 120;
        settings.trigger.per_address = 1;
        settings.drain_timeout = Duration::from_secs(1);
    })
    .await;
    admin.trigger(101).await;
    executor.wait_for_runs(1).await;
    admin.trigger(101).await;
    admin.stop().await;
    let runs = connection.runs_of(101).await;
    assert_eq!(runs.iter().map(|run| run.trigger_code).collect::<Vec<_>>(), [500, 500]);
    assert!(runs[0].trigger_msg.contains("may go on there"), "{runs:#?}");
    assert!(runs[1].trigger_msg.ends_with("调度中心停止，未调用执行器"), "{runs:#?}");
}
