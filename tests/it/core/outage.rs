//! The database is away for a while.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::db::{Engine, TestDb};
use crate::support::fake_executor::FakeExecutor;
use crate::support::running::{GROUP, Job, Running, in_seconds, now_ms, reach, until};
use crate::support::schema::Generation;

/// Servers of this test alone, which it may stop.
struct OwnServers {
    folder: tempfile::TempDir,
    url: String,
    mariadb: Pid,
}

impl OwnServers {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("make a folder");
        let script = |word: &str| {
            let mut script = Self::script(&folder.path().join("state"), word);
            let output = script.stderr(Stdio::inherit()).output().expect("run the script");
            assert!(output.status.success(), "databases.sh {word}");
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        script("up");
        let env = script("env");
        let value = |name: &str| {
            let start = format!("export {name}=");
            env.lines().find_map(|line| line.strip_prefix(&start)).expect("in env").to_owned()
        };
        let pid = std::fs::read_to_string(value("TEST_MARIADB_PID_FILE")).expect("the server runs");
        let mariadb = Pid::from_raw(pid.trim().parse().expect("a number")).expect("not 0");
        Self { folder, url: value("TEST_MYSQL_URL"), mariadb }
    }

    fn script(state: &std::path::Path, word: &str) -> Command {
        let mut script = Command::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/databases.sh"));
        script.arg(word).env("DATABASES_STATE", state).stdin(Stdio::null());
        script
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.mariadb, signal).expect("the server is ours");
    }
}

impl Drop for OwnServers {
    fn drop(&mut self) {
        // A server that stands still does not hear that it is to end.
        let _ = kill_process(self.mariadb, Signal::CONT);
        let _ = Self::script(&self.folder.path().join("state"), "down").status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scheduling_goes_on_after_it_and_results_come_again() {
    // Where the other tests have a MariaDB, one can be started.
    if TestDb::create_empty(Engine::MariaDb).await.is_none() {
        return;
    }
    let servers = tokio::task::spawn_blocking(OwnServers::start).await.expect("servers");
    let db = TestDb::create_on(&servers.url, Engine::MariaDb, Generation::V3_4).await;
    let executor = FakeExecutor::start().await;
    let mut connection = db.connect().await;
    connection.add_group(GROUP, "fake", Some(executor.address())).await;
    connection.add_jobs(&[Job::each(101, "1", in_seconds(2)), Job::new(102)]).await;
    let admin = Running::start(&db).await;
    admin.trigger(102).await;
    let open = connection.wait_for_runs(102, 1, |run| run.trigger_code == 200).await.remove(0);
    executor.wait_for_runs(3).await;

    let away = now_ms();
    servers.signal(Signal::STOP);
    let result = json!([{"logId": open.id, "handleCode": 200, "handleMsg": "kept"}]);
    assert_eq!(admin.report(&result).await, 500, "the executor has to keep it");
    assert!(now_ms() - away < 3_000, "within the time-out of executors");
    until("health", async || (!admin.core.health.report().database).then_some(())).await;
    reach(away + 7_000).await;
    let so_far = executor.calls_to("run").len();
    servers.signal(Signal::CONT);

    until("health", async || admin.core.health.report().database.then_some(())).await;
    until("the result", async || (admin.report(&result).await == 200).then_some(())).await;
    let run = connection.runs_of(102).await.remove(0);
    assert_eq!((run.handle_code, run.handle_msg.as_deref()), (200, Some("kept")));
    executor.wait_for_runs(so_far + 4).await;
    admin.stop().await;
    let runs = connection.runs_of(101).await;
    assert!(runs.iter().all(|run| run.trigger_code == 200), "whatever was claimed has run: {runs:#?}");
    let calls = executor.calls_to("run").iter().filter(|call| call.json()["jobId"] == 101).count();
    assert_eq!(calls, runs.len());
    drop(connection);
    drop(db);
    tokio::task::spawn_blocking(move || drop(servers)).await.expect("servers end");
}
