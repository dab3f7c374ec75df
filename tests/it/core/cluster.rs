//! Two admins on one database.

use super::{assert_each_second, executor_of, on};
use crate::support::db::TestDb;
use crate::support::running::{Job, Running, in_seconds, until};

on!(two_admins_fire_once: mariadb MariaDb, postgres Postgres);

async fn two_admins_fire_once(db: TestDb) {
    let executor = executor_of(&db).await;
    let ids: Vec<i32> = (101..=150).collect();
    let first = in_seconds(4);
    let mut connection = db.connect().await;
    let jobs: Vec<Job<'_>> = ids
        .iter()
        .map(|id| if id % 2 == 0 { Job::each(*id, "1", first) } else { Job::cron(*id, "* * * * * ?", first) })
        .collect();
    connection.add_jobs(&jobs).await;
    let (one, two) = tokio::join!(Running::start(&db), Running::start(&db));
    until("ten seconds", async || (executor.calls_to("run").len() >= 500).then_some(())).await;
    let fires = assert_each_second(&db, vec![one, two], &executor, &ids, first).await;
    assert!(fires >= 500, "{fires}");
    assert_eq!(connection.runs("1 = 1").await.len(), fires);
    let nodes = connection.texts("SELECT registry_key FROM xxl_job_registry WHERE registry_group = 'RS_NODE'").await;
    assert_eq!(nodes.len(), 0, "who stops in order signs off");
}

on!(who_stays_takes_over: mariadb MariaDb, postgres Postgres);

async fn who_stays_takes_over(db: TestDb) {
    let executor = executor_of(&db).await;
    let jobs = [101, 102, 103, 104, 105];
    let first = in_seconds(3);
    db.connect().await.add_jobs(&jobs.map(|id| Job::each(id, "1", first))).await;
    let (one, two) = tokio::join!(Running::start(&db), Running::start(&db));
    executor.wait_for_runs(10).await;
    one.stop().await;
    let so_far = executor.calls_to("run").len();
    executor.wait_for_runs(so_far + 15).await;
    assert_each_second(&db, vec![two], &executor, &jobs, first).await;
}
