//! A store on a fresh database, and short ways to put rows there and look at them.

use std::time::Duration;

use url::Url;
use xxl_job_admin::clock::Zone;
use xxl_job_admin::config::settings::{DatabaseUrl, ServerUrl, Settings};
use xxl_job_admin::model::{EpochMs, JobInfo, JobLog};
use xxl_job_admin::store::{Claim, LockOutcome, NewRun, NodeId, Result, Store, TriggerResult};

use crate::support::db::{Engine, TestDb};
use crate::support::schema::Generation;

/// 2026-12-01T00:00:00Z, the present of these tests.
pub const NOW: EpochMs = 1_796_083_200_000;

/// A store on a database of its own.
pub struct Base {
    /// The database.
    pub db: TestDb,
    /// What is tested.
    pub store: Store,
    /// Its tables.
    pub generation: Generation,
}

impl Base {
    /// None when the engine's server is not there.
    pub async fn create(engine: Engine, generation: Generation) -> Option<Self> {
        let db = TestDb::create(engine, generation).await?;
        let store = Store::open(&settings(&db)).await.expect("open the store");
        Some(Self { db, store, generation })
    }

    /// Another store on the same database, as another admin has it.
    pub async fn another(&self) -> Store {
        Store::open(&settings(&self.db)).await.expect("open another store")
    }

    /// The same database seen with another column zone; the process zone stays UTC.
    pub async fn in_zone(&self, name: &str) -> Store {
        let mut settings = settings(&self.db);
        settings.database.column_zone = Some(Zone::new(name, jiff::tz::TimeZone::get(name).expect("a known zone")));
        Store::open(&settings).await.expect("open the store with a zone")
    }

    /// Runs a statement behind the store's back.
    pub async fn sql(&self, sql: &str) -> u64 {
        self.db.connect().await.execute(sql).await
    }

    /// One column of a query as text, in the order of the rows.
    pub async fn column(&self, expression: &str, rest: &str) -> Vec<Option<String>> {
        let text = if self.db.engine() == Engine::MariaDb { "CHAR" } else { "TEXT" };
        let query = format!("SELECT CAST({expression} AS {text}) FROM {rest}");
        let rows = self.db.connect().await.texts(&query).await;
        rows.into_iter().map(|mut row| row.remove(0)).collect()
    }

    /// A number that a query counts.
    pub async fn count(&self, rest: &str) -> i64 {
        let rows = self.column("COUNT(*)", rest).await;
        rows[0].as_deref().expect("a count").parse().expect("a number")
    }

    /// Adds a scheduled job that is due at this instant; its id.
    pub async fn scheduled(&self, due: EpochMs) -> i32 {
        let job = JobInfo { trigger_status: 1, trigger_next_time: due, ..job() };
        self.store.insert_job(&job, NOW).await.expect("add a job")
    }

    /// Writes runs as claimed by this node; their ids.
    pub async fn claimed(&self, node: &NodeId, runs: usize) -> Vec<i64> {
        self.store.insert_runs(node, 1, &vec![new_run(); runs]).await.expect("write runs")
    }

    /// Writes a run with these codes; its id.
    pub async fn run(&self, trigger_time: EpochMs, trigger_code: i32, handle_code: i32) -> i64 {
        let run = NewRun { trigger_time, ..new_run() };
        let id = self.store.insert_runs(&NodeId::random(), 1, &[run]).await.expect("write a run")[0];
        let codes = format!("trigger_code = {trigger_code}, handle_code = {handle_code}");
        self.sql(&format!("UPDATE xxl_job_log SET {codes} WHERE id = {id}")).await;
        id
    }

    /// The run with this id.
    pub async fn log(&self, id: i64) -> JobLog {
        self.store.find_log(id).await.expect("read a run").expect("the run is there")
    }

    /// The job with this id.
    pub async fn job(&self, id: i32) -> JobInfo {
        self.store.find_job(id).await.expect("read a job").expect("the job is there")
    }
}

/// Opens a claim that must get the lock.
pub async fn claim(store: &Store) -> Box<Claim> {
    match store.begin_claim().await.expect("ask for the lock") {
        LockOutcome::Held(claim) => claim,
        LockOutcome::NoRow => panic!("the lock row is missing"),
    }
}

/// Whether the call is still waiting for somebody after a while.
pub async fn waits<T>(call: &mut tokio::task::JoinHandle<T>) -> bool {
    tokio::time::timeout(Duration::from_millis(200), call).await.is_err()
}

/// Settings for a store on this database.
pub fn settings(db: &TestDb) -> Settings {
    let url = Url::parse(db.url()).expect("the URL of a test database");
    let server = || ServerUrl {
        hosts: vec![(
            url.host_str().expect("a host").to_owned(),
            url.port().unwrap_or(if url.scheme() == "mysql" { 3306 } else { 5432 }),
        )],
        database: url.path().trim_start_matches('/').to_owned(),
        ..ServerUrl::default()
    };
    let mut settings = Settings::for_database(match db.engine() {
        Engine::Sqlite => DatabaseUrl::Sqlite(url.path().into()),
        Engine::MariaDb => DatabaseUrl::MySql(server()),
        Engine::Postgres => DatabaseUrl::Postgres(server()),
    });
    if db.engine() != Engine::Sqlite {
        settings.database.username = Some(url.username().to_owned());
        settings.database.password = url.password().map(|password| password.to_owned().into());
    }
    // Many tests share a server.
    settings.database.max_connections = 6;
    settings
}

/// A job of the seed group with something in every column.
pub fn job() -> JobInfo {
    JobInfo {
        id: 0,
        job_group: 1,
        job_desc: "每日报表 ☕".into(),
        add_time: Some(NOW),
        update_time: Some(NOW),
        author: Some("Ada".into()),
        alarm_email: Some("a@example.org".into()),
        schedule_type: "FIX_RATE".into(),
        schedule_conf: Some("30".into()),
        misfire_strategy: "FIRE_ONCE_NOW".into(),
        executor_route_strategy: Some("ROUND".into()),
        executor_handler: Some("report".into()),
        executor_param: Some("p=1".into()),
        executor_block_strategy: Some("DISCARD_LATER".into()),
        executor_timeout: 7,
        executor_fail_retry_count: 2,
        glue_type: "BEAN".into(),
        glue_source: Some(String::new()),
        glue_remark: Some("first".into()),
        glue_updatetime: Some(NOW),
        child_jobid: None,
        trigger_status: 0,
        trigger_last_time: 0,
        trigger_next_time: 0,
    }
}

/// A run of job 1 at the present.
pub fn new_run() -> NewRun {
    NewRun {
        job_group: 1,
        job_id: 1,
        handler: Some("demoJobHandler".into()),
        param: None,
        sharding: None,
        retry: 0,
        trigger_time: NOW,
    }
}

/// The result of a call that an executor took.
pub fn taken_by_executor(log_id: i64) -> TriggerResult {
    TriggerResult {
        log_id,
        trigger_time: NOW + 1_000,
        code: 200,
        msg: "sent".into(),
        address: Some("http://10.0.0.1:9999/".into()),
        handler: Some("demoJobHandler".into()),
        param: Some("p".into()),
        sharding: None,
        retry: 1,
    }
}

/// The error of a call that must fail.
pub fn error<T>(result: Result<T>) -> xxl_job_admin::store::Error {
    match result {
        Ok(_) => panic!("the call must fail"),
        Err(error) => error,
    }
}
