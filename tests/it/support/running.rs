//! The core at work: the whole program on a database of a test, jobs put in by SQL, and what the rows say afterwards.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDateTime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use xxl_job_admin::app::App;
use xxl_job_admin::clock::{SystemClock, Zone};
use xxl_job_admin::config::{Settings, jdbc};
use xxl_job_admin::store::Store;
use xxl_job_admin::web::Core;

use super::db::{Connection, TestDb};
use super::fake_executor::{self, FakeExecutor, Reporting};

/// Token that executors show.
pub const TOKEN: &str = "default_token";

/// How long something may take that must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running admin. Dropped without [`Running::stop`] it ends at once, as by a kill.
pub struct Running {
    /// `http://127.0.0.1:PORT/xxl-job-admin`
    pub base_url: String,
    /// The parts inside.
    pub core: Core,
    /// Dropping it is the signal.
    _stop: oneshot::Sender<()>,
    task: Option<JoinHandle<()>>,
}

impl Running {
    /// An admin on this database.
    pub async fn start(db: &TestDb) -> Self {
        Self::start_with(db, |_| {}).await
    }

    /// An admin on this database with these settings. Columns are in UTC.
    pub async fn start_with(db: &TestDb, change: impl FnOnce(&mut Settings)) -> Self {
        let parsed = jdbc::parse(db.url(), Path::new(".")).expect("a database URL");
        let mut settings = Settings::for_database(parsed.url);
        settings.database.username = parsed.username;
        settings.database.password = parsed.password;
        settings.database.column_zone = Some(Zone::utc());
        settings.job.access_token = TOKEN.into();
        change(&mut settings);
        let context_path = settings.server.context_path.clone();
        let store = Store::open(&settings).await.expect("the tables are there");
        let app = App::build(settings, store, Arc::new(SystemClock)).await.expect("the admin starts");
        let address: SocketAddr = app.address();
        let core = app.core().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            app.run_until(shutdown).await.expect("the admin runs");
        });
        Self { base_url: format!("http://{address}{context_path}"), core, _stop: stop, task: Some(task) }
    }

    /// Stops it in order, as SIGTERM does, and waits until it has; whatever was claimed has been called then.
    pub async fn stop(mut self) {
        let task = self.task.take().expect("it stops once");
        // The signal goes with it, and so does the handle for which the writers would wait.
        drop(self);
        tokio::time::timeout(Duration::from_mins(1), task).await.expect("it stops in time").expect("it stops in order");
    }

    /// Sends results as an executor does; the code of the answer.
    pub async fn report(&self, results: &serde_json::Value) -> i64 {
        self.call("callback", results).await
    }

    /// Calls `/api/NAME` as an executor does; the code of the answer.
    pub async fn call(&self, name: &str, body: &serde_json::Value) -> i64 {
        let (status, text) = fake_executor::post(&format!("{}/api/{name}", self.base_url), TOKEN, body).await;
        assert_eq!(status, 200, "{name}: {text}");
        let answer: serde_json::Value = serde_json::from_str(&text).expect("a JSON answer");
        answer["code"].as_i64().expect("a code")
    }

    /// Lets the executor report the success of each run here.
    pub fn hears_from(&self, executor: &FakeExecutor) {
        let (admin, token) = (self.base_url.clone(), TOKEN.to_owned());
        executor.report(Reporting { admin, token, handle_code: 200, handle_msg: Some("done".into()) });
    }

    /// Starts a run by hand.
    pub async fn trigger(&self, job_id: i32) {
        self.core.triggers.trigger_by_hand(job_id, String::new(), None).await.expect("the run is accepted");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The present instant in milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64
}

/// The full second that is so many seconds ahead, in milliseconds since 1970.
pub fn in_seconds(seconds: i64) -> i64 {
    (now_ms() / 1000 + seconds) * 1000
}

/// `yyyy-MM-dd HH:mm:ss` in UTC, as the columns hold it.
pub fn wall(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).expect("a year of four digits").format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The cron expression that fires at this instant alone.
pub fn cron_at(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms)
        .expect("a year of four digits")
        .format("%-S %-M %-H %-d %-m ? %Y")
        .to_string()
}

/// Ends when the wall clock shows this instant.
pub async fn reach(at_ms: i64) {
    let left = u64::try_from(at_ms - now_ms()).unwrap_or(0);
    tokio::time::sleep(Duration::from_millis(left)).await;
}

/// Looks again and again until there is what is looked for.
///
/// # Panics
/// When it does not come in time.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A job to be put in.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    pub id: i32,
    pub group: i32,
    pub schedule: (&'a str, &'a str),
    pub misfire: &'a str,
    pub route: &'a str,
    pub retry: i32,
    pub children: &'a str,
    /// 0 = stopped.
    pub next: i64,
}

impl<'a> Job<'a> {
    /// A job that runs by hand alone.
    pub fn new(id: i32) -> Self {
        let (misfire, route) = ("DO_NOTHING", "FIRST");
        Self { id, group: GROUP, schedule: ("NONE", ""), misfire, route, retry: 0, children: "", next: 0 }
    }

    /// A started job with a cron expression.
    pub fn cron(id: i32, expression: &'a str, next: i64) -> Self {
        Self { schedule: ("CRON", expression), next, ..Self::new(id) }
    }

    /// A started job with a fixed rate.
    pub fn each(id: i32, seconds: &'a str, next: i64) -> Self {
        Self { schedule: ("FIX_RATE", seconds), next, ..Self::new(id) }
    }
}

/// The group of [`Job::new`].
pub const GROUP: i32 = 2;

/// What the tests ask of the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: i64,
    pub job: i32,
    pub address: Option<String>,
    pub shard: Option<String>,
    pub retry: i32,
    /// Seconds since 1970.
    pub triggered: i64,
    pub trigger_code: i32,
    pub trigger_msg: String,
    pub handle_code: i32,
    pub handle_msg: Option<String>,
    pub alarm: i32,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    pub status: i32,
    pub last: i64,
    pub next: i64,
}

impl Connection {
    /// Adds a group; without addresses it takes what registers.
    pub async fn add_group(&mut self, id: i32, app_name: &str, addresses: Option<&str>) {
        let (kind, list) = addresses.map_or((0, "NULL".into()), |list| (1, format!("'{list}'")));
        self.execute(&format!(
            "INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) \
             VALUES ({id}, '{app_name}', 'test', {kind}, {list})"
        ))
        .await;
    }

    /// Adds jobs.
    pub async fn add_jobs(&mut self, jobs: &[Job<'_>]) {
        let values: Vec<String> = jobs
            .iter()
            .map(|job| {
                let Job { id, group, schedule: (kind, conf), misfire, route, retry, children, next } = job;
                let status = i32::from(*next > 0);
                format!(
                    "({id}, {group}, 'test', '{kind}', '{conf}', '{misfire}', '{route}', 'demo', 'p', \
                     'SERIAL_EXECUTION', 0, {retry}, 'BEAN', '', '2026-01-01 00:00:00', '{children}', {status}, 0, {next})"
                )
            })
            .collect();
        self.execute(&format!(
            "INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, schedule_conf, misfire_strategy, \
             executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, \
             executor_fail_retry_count, glue_type, glue_source, glue_updatetime, child_jobid, trigger_status, \
             trigger_last_time, trigger_next_time) VALUES {}",
            values.join(", ")
        ))
        .await;
    }

    /// Adds a run with this id that has no result; `call` is its `trigger_code` and `trigger_msg`.
    pub async fn add_run(&mut self, id: i64, job: i32, at_ms: i64, call: (i32, &str), address: &str, retry: i32) {
        let (code, msg) = call;
        let at = wall(at_ms);
        self.execute(&format!(
            "INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_fail_retry_count, trigger_time, \
             trigger_code, trigger_msg, handle_code, alarm_status) \
             VALUES ({id}, {GROUP}, {job}, '{address}', {retry}, '{at}', {code}, '{msg}', 0, 0)"
        ))
        .await;
        if matches!(self, Self::Postgres(_)) {
            // The other two go on above it by themselves.
            self.execute("SELECT setval(pg_get_serial_sequence('xxl_job_log', 'id'), max(id)) FROM xxl_job_log").await;
        }
    }

    /// The runs for which a condition holds, by id.
    pub async fn runs(&mut self, condition: &str) -> Vec<Run> {
        let sql = format!(
            "SELECT CAST(id AS CHAR(20)), CAST(job_id AS CHAR(20)), executor_address, executor_sharding_param, \
             CAST(executor_fail_retry_count AS CHAR(20)), CAST(trigger_time AS CHAR(19)), \
             CAST(trigger_code AS CHAR(20)), trigger_msg, CAST(handle_code AS CHAR(20)), handle_msg, \
             CAST(alarm_status AS CHAR(20)) FROM xxl_job_log WHERE {condition} ORDER BY id"
        );
        let rows = self.texts(&sql).await;
        rows.into_iter().map(run).collect()
    }

    /// The runs of a job, by id.
    pub async fn runs_of(&mut self, job: i32) -> Vec<Run> {
        self.runs(&format!("job_id = {job}")).await
    }

    /// Waits until exactly these runs of a job are there and `ready` holds for each.
    pub async fn wait_for_runs(&mut self, job: i32, count: usize, ready: impl Fn(&Run) -> bool) -> Vec<Run> {
        let what = format!("{count} runs of job {job}");
        until(&what, async || {
            let runs = self.runs_of(job).await;
            assert!(runs.len() <= count, "more than {what}: {runs:#?}");
            (runs.len() == count && runs.iter().all(&ready)).then_some(runs)
        })
        .await
    }

    /// Where a job stands.
    pub async fn stand(&mut self, job: i32) -> Stand {
        let rows = self
            .texts(&format!(
                "SELECT CAST(trigger_status AS CHAR(20)), CAST(trigger_last_time AS CHAR(20)), \
                 CAST(trigger_next_time AS CHAR(20)) FROM xxl_job_info WHERE id = {job}"
            ))
            .await;
        let [status, last, next] = rows.first().expect("the job is there").as_slice() else { panic!("three columns") };
        Stand { status: number(status.as_deref()), last: number(last.as_deref()), next: number(next.as_deref()) }
    }

    /// The address list of a group.
    pub async fn address_list(&mut self, group: i32) -> Option<String> {
        let rows = self.texts(&format!("SELECT address_list FROM xxl_job_group WHERE id = {group}")).await;
        rows[0][0].clone().filter(|list| !list.is_empty())
    }
}

fn run(columns: Vec<Option<String>>) -> Run {
    let [id, job, address, shard, retry, triggered, trigger_code, trigger_msg, handle_code, handle_msg, alarm] =
        columns.try_into().expect("eleven columns");
    let triggered: String = triggered.expect("a time");
    let triggered = NaiveDateTime::parse_from_str(triggered.trim(), "%Y-%m-%d %H:%M:%S").expect("a time");
    Run {
        id: number(id.as_deref()),
        job: number(job.as_deref()),
        address,
        shard,
        retry: number(retry.as_deref()),
        triggered: triggered.and_utc().timestamp(),
        trigger_code: number(trigger_code.as_deref()),
        trigger_msg: trigger_msg.unwrap_or_default(),
        handle_code: number(handle_code.as_deref()),
        handle_msg,
        alarm: number(alarm.as_deref()),
    }
}

fn number<T: std::str::FromStr<Err = std::num::ParseIntError>>(text: Option<&str>) -> T {
    text.expect("a number").trim().parse().expect("a number")
}
