//! Rows that others write while the admin runs: teams bring groups and jobs by SQL migrations. All takes effect without a
//! restart, within a pass.

use super::{SLACK, executor_of, on};
use crate::support::db::TestDb;
use crate::support::fake_executor::FakeExecutor;
use crate::support::running::{GROUP, Job, Run, Running, now_ms, until};

/// How far ahead fires are claimed: what was claimed before a change still comes.
const AHEAD_S: i64 = 5;

on!(jobs_put_in_by_sql_run);

async fn jobs_put_in_by_sql_run(db: TestDb) {
    let admin = Running::start(&db).await;
    // The admin has looked for jobs and groups before there are any.
    let executor = executor_of(&db).await;
    let mut connection = db.connect().await;
    let began = now_ms();
    let jobs = [
        Job { misfire: "DO_NOTHING", ..Job::cron(101, "0/2 * * * * ?", 0) },
        Job { misfire: "FIRE_ONCE_NOW", ..Job::cron(102, "0 0 0 1 1 ? 2099", 0) },
        Job { misfire: "DO_NOTHING", ..Job::cron(103, "0 0 0 1 1 ? 2099", began) },
    ];
    connection.add_jobs(&jobs).await;
    // Their next time is still that which the column has by default.
    connection.execute("UPDATE xxl_job_info SET trigger_status = 1 WHERE id IN (101, 102)").await;

    // Long overdue by the column: skipped, or made up for once; then as the schedule says. Due now: fired.
    let of_101 = until("the first runs of 101", async || some(&mut connection, 101, 2).await).await;
    assert!(of_101.iter().all(|run| run.trigger_msg.starts_with("任务触发类型：Cron触发")), "{of_101:#?}");
    let apart = of_101[1].triggered - of_101[0].triggered;
    assert!((2 - SLACK..=2 + SLACK).contains(&apart), "{of_101:#?}");
    let of_102 = connection.wait_for_runs(102, 1, accepted).await;
    assert!(of_102[0].trigger_msg.starts_with("任务触发类型：调度过期补偿"), "{of_102:#?}");
    let of_103 = connection.wait_for_runs(103, 1, accepted).await;
    assert!(of_103[0].trigger_msg.starts_with("任务触发类型：Cron触发"), "{of_103:#?}");
    assert!(of_103[0].triggered - began / 1000 <= AHEAD_S + SLACK, "{of_103:#?}");
    let in_2099 = 4_070_908_800_000;
    for job in [102, 103] {
        let stand = connection.stand(job).await;
        assert_eq!((stand.status, stand.next), (1, in_2099), "job {job}");
    }
    admin.stop().await;
    drop(executor);
}

on!(changes_by_sql_count: sqlite Sqlite, mariadb MariaDb);

async fn changes_by_sql_count(db: TestDb) {
    let admin = Running::start(&db).await;
    let first = executor_of(&db).await;
    let second = FakeExecutor::start().await;
    let mut connection = db.connect().await;
    let soon = now_ms();
    let each_second = [101, 102, 103].map(|id| Job::cron(id, "* * * * * ?", soon));
    connection.add_jobs(&each_second).await;
    first.wait_for_runs(6).await;

    // A schedule, a job, a group's addresses: what was claimed comes, then the new rows count.
    connection.execute("UPDATE xxl_job_info SET schedule_conf = '0 0 0 1 1 ? 2099' WHERE id = 101").await;
    connection.execute("DELETE FROM xxl_job_info WHERE id = 102").await;
    let address = second.address().to_owned();
    connection.execute(&format!("UPDATE xxl_job_group SET address_list = '{address}' WHERE id = {GROUP}")).await;
    let changed = now_ms() / 1000;
    let settled = changed + AHEAD_S + SLACK;
    until("two runs of the other job after all has settled", async || {
        let runs = connection.runs_of(103).await;
        (runs.iter().filter(|run| run.triggered > settled && accepted(run)).count() >= 2).then_some(())
    })
    .await;
    let late = connection.runs("job_id IN (101, 102)").await;
    assert!(late.iter().all(|run| run.triggered <= settled), "{late:#?}");
    assert_eq!(connection.stand(101).await.next, 4_070_908_800_000);
    let of_103 = connection.runs_of(103).await;
    for run in of_103.iter().filter(|run| run.triggered > settled && accepted(run)) {
        assert_eq!(run.address.as_ref(), Some(&address), "{run:#?}");
    }

    // Stopped, as a hand does it.
    connection.execute("UPDATE xxl_job_info SET trigger_status = 0, trigger_next_time = 0 WHERE id = 103").await;
    admin.stop().await;
    let stand = connection.stand(103).await;
    assert_eq!((stand.status, stand.next), (0, 0), "the admin does not start it again");
}

fn accepted(run: &Run) -> bool {
    run.trigger_code == 200
}

async fn some(connection: &mut crate::support::db::Connection, job: i32, count: usize) -> Option<Vec<Run>> {
    let mut runs = connection.runs_of(job).await;
    runs.retain(accepted);
    (runs.len() >= count).then_some(runs)
}
