//! A Java admin and ours on one database: each second of jobs that run every second is fired exactly once, by
//! whichever.
//!
//! Java is played by a stand-in in both forms of its claim; where `JAVA_ADMIN_JAR` names a real one, that runs too.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use compat_tests::admin::{Admin, TOKEN};
use compat_tests::eventually::eventually;
use compat_tests::fires;
use compat_tests::port;
use compat_tests::process::Process;
use compat_tests::report::Report;
use compat_tests::sink::Sink;
use compat_tests::stand_in::{self, Form, StandIn};
use sqlx::MySqlPool;
use tokio::net::TcpStream;
use tokio::process::Command;

/// The suite's name in the report.
const SUITE: &str = "mixed-cluster";
/// Both admins wake up at least every 5 s: with this lead neither meets the first second late.
const LEAD_S: i64 = 8;
/// How late a fire may be: both sides, their database and everything else share two cores.
const LATEST_S: i64 = 2;
/// The ring of either side is empty, and every row written, so long after the last claim.
const DRAIN: Duration = Duration::from_secs(30);
/// Longest run of the jobs: until both sides have fired something, and who claims is a matter of luck.
const MOST: Duration = Duration::from_mins(3);

/// Who runs beside our admin.
#[derive(Clone, Debug)]
pub enum Companion {
    /// The stand-in.
    StandIn(Form),
    /// A Java admin.
    Jar(PathBuf),
}

/// Jobs, and the seconds that they run for.
struct Load {
    jobs: i64,
    seconds: i64,
}

impl Companion {
    /// All that can run here.
    pub fn available() -> Vec<Self> {
        let jar = std::env::var_os("JAVA_ADMIN_JAR").map(|jar| Self::Jar(PathBuf::from(jar)));
        [Self::StandIn(Form::Old), Self::StandIn(Form::New)].into_iter().chain(jar).collect()
    }

    fn case(&self) -> &'static str {
        match self {
            Self::StandIn(Form::Old) => "beside-the-old-form",
            Self::StandIn(Form::New) => "beside-the-new-form",
            Self::Jar(_) => "beside-a-java-admin",
        }
    }

    fn load(&self) -> Load {
        match self {
            Self::StandIn(_) => Load { jobs: 50, seconds: 30 },
            Self::Jar(_) => Load { jobs: 200, seconds: 120 },
        }
    }
}

/// One case.
pub async fn suite(report: &Report, work: &Path, companion: Companion) {
    report.case(SUITE, companion.case(), Box::pin(every_second_exactly_once(work, &companion))).await;
}

async fn every_second_exactly_once(work: &Path, companion: &Companion) -> Result<()> {
    let Load { jobs, seconds } = companion.load();
    let sink = Sink::start().await?;
    let mut admin = Admin::start(work, companion.case(), &[]).await?;
    let pool = admin.database().pool().await?;
    let other = Other::start(work, companion, &admin, &pool).await?;
    let begin = now_s() + LEAD_S;
    add_jobs(&pool, &sink.address, jobs, begin).await?;

    until_both_fired(&pool, companion, begin + seconds).await?;
    let end = stop_jobs(&pool).await?;
    eventually("all claimed seconds are fired", DRAIN, async || check(&pool, &end, begin).await).await?;
    // Whatever is still under way comes out before both have ended; then the count must still be right.
    other.stop().await?;
    admin.stop().await?;
    check(&pool, &end, begin).await?;
    ensure!(sink.calls() > 0, "ours called no executor");
    pool.close().await;
    admin.remove().await
}

/// The companion as it runs.
enum Other {
    StandIn(StandIn),
    Jar(Box<Process>),
}

impl Other {
    async fn start(work: &Path, companion: &Companion, admin: &Admin, pool: &MySqlPool) -> Result<Self> {
        match companion {
            Companion::StandIn(form) => Ok(Self::StandIn(StandIn::start(pool.clone(), *form))),
            Companion::Jar(jar) => Ok(Self::Jar(Box::new(start_jar(work, jar, admin).await?))),
        }
    }

    async fn stop(self) -> Result<()> {
        match self {
            Self::StandIn(stand_in) => stand_in.stop().await,
            // A JVM ends with the signal's number, not with 0.
            Self::Jar(process) => process.terminate(DRAIN).await.map(drop),
        }
    }
}

async fn start_jar(work: &Path, jar: &Path, admin: &Admin) -> Result<Process> {
    let port = port::free()?;
    let mut command = Command::new("java");
    command.arg("-jar").arg(jar.canonicalize()?).arg(format!("--server.port={port}"));
    command.arg(format!("--xxl.job.accessToken={TOKEN}")).args(admin.database().arguments());
    command.current_dir(work).env("TZ", "UTC");
    let process = Process::spawn(command, &work.join("java-admin.log"))?;
    let look = async || Ok(TcpStream::connect(("127.0.0.1", port)).await.map(drop)?);
    eventually("the Java admin listens", Duration::from_mins(2), look).await?;
    Ok(process)
}

fn now_s() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX)
}

async fn add_jobs(pool: &MySqlPool, executor: &str, jobs: i64, begin: i64) -> Result<()> {
    let group = "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) \
                 VALUES ('compat-mixed', 'mixed', 1, ?, UTC_TIMESTAMP())";
    let group = sqlx::query(group).bind(executor).execute(pool).await?.last_insert_id();
    let job = "INSERT INTO xxl_job_info (job_group, job_desc, add_time, update_time, author, schedule_type, \
               schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, \
               executor_block_strategy, glue_type, glue_updatetime, trigger_status, trigger_next_time) \
               VALUES (?, 'every second', UTC_TIMESTAMP(), UTC_TIMESTAMP(), 'compat', 'CRON', '* * * * * ?', \
               'DO_NOTHING', 'FIRST', 'none', '', 'SERIAL_EXECUTION', 'BEAN', UTC_TIMESTAMP(), 1, ?)";
    let mut transaction = pool.begin().await?;
    for _ in 0..jobs {
        sqlx::query(job).bind(group).bind(begin * 1000).execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

/// Waits for the end of the time and, where the rows tell the sides apart, until both have fired something.
async fn until_both_fired(pool: &MySqlPool, companion: &Companion, end: i64) -> Result<()> {
    let sides = "SELECT CAST(COALESCE(SUM(executor_address = ?), 0) AS SIGNED), COUNT(*) FROM xxl_job_log";
    let look = async || {
        ensure!(now_s() > end, "the time is not over");
        // A real Java admin calls the executor as ours does: its rows look like ours.
        if let Companion::StandIn(_) = companion {
            let (one, all): (i64, i64) = sqlx::query_as(sides).bind(stand_in::ADDRESS).fetch_one(pool).await?;
            ensure!(one > 0 && all > one, "{one} of {all} fires by the other");
        }
        Ok(())
    };
    eventually("the time is over and both sides have fired", MOST, look).await
}

/// Stops all jobs as a claim would; gives for each the first second (since 1970) that nobody has claimed.
async fn stop_jobs(pool: &MySqlPool) -> Result<BTreeMap<i32, i64>> {
    let mut transaction = pool.begin().await?;
    let lock = "SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE";
    sqlx::query(lock).fetch_one(&mut *transaction).await?;
    let jobs = "SELECT id, CAST(trigger_next_time AS SIGNED) FROM xxl_job_info WHERE trigger_status = 1";
    let next: Vec<(i32, i64)> = sqlx::query_as(jobs).fetch_all(&mut *transaction).await?;
    let stop = "UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0";
    sqlx::query(stop).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(next.into_iter().map(|(job, next)| (job, next / 1000)).collect())
}

/// Every occurrence from `begin` to a job's end was fired exactly once. The stand-in's rows name the second that was
/// due, an admin's rows tell when it fired.
async fn check(pool: &MySqlPool, end: &BTreeMap<i32, i64>, begin: i64) -> Result<()> {
    let rows = "SELECT job_id, CAST(TIMESTAMPDIFF(SECOND, '1970-01-01', trigger_time) AS SIGNED), \
                CAST(COALESCE(executor_address = ?, 0) AS SIGNED) FROM xxl_job_log ORDER BY 1, 2";
    let rows: Vec<(i32, i64, i64)> = sqlx::query_as(rows).bind(stand_in::ADDRESS).fetch_all(pool).await?;
    let mut by_job: BTreeMap<i32, (Vec<i64>, Vec<i64>)> = BTreeMap::new();
    for (job, second, by_stand_in) in rows {
        let (ours, others) = by_job.entry(job).or_default();
        if by_stand_in == 1 { others.push(second) } else { ours.push(second) }
    }
    let mut faults = Vec::new();
    for (&job, &end) in end {
        let (ours, others) = by_job.remove(&job).unwrap_or_default();
        faults.extend(
            fires::faults(begin..end, &others, &ours, LATEST_S).into_iter().map(|fault| format!("job {job}: {fault}")),
        );
    }
    faults.extend(by_job.keys().map(|job| format!("job {job} has rows but was not due")));
    let shown = faults.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("; ");
    (faults.is_empty() && !end.is_empty()).then_some(()).with_context(|| format!("{} faults: {shown}", faults.len()))
}
