//! The lock row: deleted, and held by somebody else.

use super::{SLACK, assert_each_second, executor_of, on};
use crate::support::db::TestDb;
use crate::support::running::{Job, Running, in_seconds, now_ms, reach, until};

on!(a_deleted_lock_row_comes_back);

async fn a_deleted_lock_row_comes_back(db: TestDb) {
    let executor = executor_of(&db).await;
    let jobs = [101, 102, 103];
    let first = in_seconds(3);
    let mut connection = db.connect().await;
    connection.add_jobs(&jobs.map(|id| Job::each(id, "1", first))).await;
    let mut admins = vec![Running::start(&db).await];
    if db.engine() != crate::support::db::Engine::Sqlite {
        admins.push(Running::start(&db).await);
    }
    executor.wait_for_runs(6).await;
    connection.execute("DELETE FROM xxl_job_lock").await;
    let said =
        until("a word about it", async || admins.iter().find_map(|admin| admin.core.health.report().scheduler.err()))
            .await;
    assert!(said.contains("schedule_lock"), "{said}");
    until("the row", async || {
        let rows = connection.texts("SELECT lock_name FROM xxl_job_lock").await;
        (rows == [[Some("schedule_lock".to_owned())]]).then_some(())
    })
    .await;
    until("health", async || admins.iter().all(|admin| admin.core.health.report().is_up()).then_some(())).await;
    let so_far = executor.calls_to("run").len();
    executor.wait_for_runs(so_far + 9).await;
    assert_each_second(&db, admins, &executor, &jobs, first).await;
}

on!(who_holds_the_lock_delays_and_loses_nothing_more: mariadb MariaDb, postgres Postgres);

async fn who_holds_the_lock_delays_and_loses_nothing_more(db: TestDb) {
    let executor = executor_of(&db).await;
    let mut holder = db.connect().await;
    holder.execute("BEGIN").await;
    holder.execute("UPDATE xxl_job_lock SET lock_name = lock_name WHERE lock_name = 'schedule_lock'").await;

    // An admin starts meanwhile, and does not fire.
    let due = in_seconds(1);
    let mut connection = db.connect().await;
    let mut jobs = vec![Job::each(100, "1", due)];
    for id in 101..=105 {
        jobs.push(Job { misfire: "FIRE_ONCE_NOW", ..Job::each(id, "3600", due) });
        jobs.push(Job { misfire: "DO_NOTHING", ..Job::each(id + 100, "3600", due) });
    }
    connection.add_jobs(&jobs).await;
    let admin = Running::start(&db).await;
    reach(due + 6_000).await;
    assert_eq!(connection.runs("1 = 1").await.len(), 0, "who does not hold the lock claims nothing");
    assert_eq!(executor.calls().len(), 0);
    holder.execute("COMMIT").await;
    let released = now_ms();

    executor.wait_for_runs(5 + 4).await;
    admin.stop().await;
    for id in 101..=105 {
        let (once, never) = (connection.runs_of(id).await, connection.runs_of(id + 100).await);
        assert_eq!((once.len(), never.len()), (1, 0), "{once:#?} {never:#?}");
        assert!(once[0].trigger_msg.starts_with("任务触发类型：调度过期补偿"), "{once:#?}");
        for id in [id, id + 100] {
            let stand = connection.stand(id).await;
            assert_eq!((stand.status, stand.last), (1, due));
            assert!(stand.next > released + 3_590_000, "{stand:?}");
        }
    }
    // The one of each second goes on as if it had begun then.
    let each: Vec<i64> = connection.runs_of(100).await.iter().map(|run| run.triggered).collect();
    assert!(each.len() >= 4 && each[0] - released / 1000 <= 1 + SLACK, "{each:?} after {released}");
}
