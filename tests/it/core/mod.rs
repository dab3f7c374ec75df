//! The whole program by what it does: jobs are put in by SQL, executors are called, and the rows tell the rest.
//!
//! Times are the real ones: an occurrence counts as in time when it is called within [`SLACK`] seconds, since the machine
//! of a test is a busy one. That none is missing and none doubled is exact.

mod claims;
mod cluster;
mod firing;
mod limits;
mod lock;
mod lost;
mod outage;
mod registry;
mod results;
mod retries;
mod sql;
mod stop;

use crate::support::db::TestDb;
use crate::support::fake_executor::FakeExecutor;
use crate::support::running::{GROUP, Run, Running};

/// Seconds by which a fire may be late on a busy machine.
const SLACK: i64 = 2;

/// Makes one test an engine from an `async fn NAME(db: TestDb)`: `on!(name: sqlite Sqlite, mariadb MariaDb)`.
macro_rules! on {
    ($scenario:ident: $($test:ident $engine:ident),+) => {
        mod $scenario {
            use crate::support::db::{Engine, TestDb};
            use crate::support::schema::Generation;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    if let Some(db) = TestDb::create(Engine::$engine, Generation::V3_4).await {
                        super::$scenario(db).await;
                    }
                }
            )+
        }
    };
    ($scenario:ident) => {
        on!($scenario: sqlite Sqlite, mariadb MariaDb, postgres Postgres);
    };
}
use on;

/// An executor that is the only address of the group of [`Job::new`](crate::support::running::Job::new).
async fn executor_of(db: &TestDb) -> FakeExecutor {
    let executor = FakeExecutor::start().await;
    db.connect().await.add_group(GROUP, "fake", Some(executor.address())).await;
    executor
}

/// Stops the admins and checks that a job which is due each second from `first` on fired once for each second that was
/// claimed, in time, and was called as often; gives how many fires that are.
async fn assert_each_second(
    db: &TestDb,
    admins: Vec<Running>,
    executor: &FakeExecutor,
    jobs: &[i32],
    first: i64,
) -> usize {
    futures_util::future::join_all(admins.into_iter().map(Running::stop)).await;
    let mut connection = db.connect().await;
    let calls = executor.calls_to("run");
    let mut fires = 0;
    for job in jobs {
        let next = connection.stand(*job).await.next;
        let mut runs = connection.runs_of(*job).await;
        runs.sort_by_key(|run| (run.triggered, run.id));
        let due: Vec<i64> = (first / 1000..next / 1000).collect();
        assert_eq!(runs.len(), due.len(), "job {job} from {first} to {next}: {runs:#?}");
        for (run, due) in runs.iter().zip(&due) {
            assert!((0..=SLACK).contains(&(run.triggered - due)), "job {job}, due at {due}: {run:#?}");
            assert_eq!(run.trigger_code, 200, "{run:#?}");
        }
        let called = calls.iter().filter(|call| call.json()["jobId"] == *job).count();
        assert_eq!(called, due.len(), "calls of job {job}");
        fires += due.len();
    }
    fires
}

/// Whether a run was taken and has been reported.
fn is_done(run: &Run) -> bool {
    (run.trigger_code, run.handle_code) == (200, 200)
}
