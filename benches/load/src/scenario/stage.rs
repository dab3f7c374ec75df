//! What every scenario needs around it: a database with tables, executors that listen, a way to start the admin, and
//! meters on all three.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use chrono::{FixedOffset, Offset as _, Utc};
use tempfile::TempDir;

use super::{Arguments, Ground, Made};
use crate::admin::{Admin, Launcher};
use crate::callback;
use crate::clock;
use crate::database::{Database, Location};
use crate::executor::Executors;
use crate::mariadb::MariaDb;
use crate::plan::Plan;
use crate::process::Usage;
use crate::report::Report;
use crate::seed;
use crate::statistics::{Assessment, Window};

/// Longer than the five seconds between two looks of an admin that has nothing to do.
const RUN_UP: u64 = 7;
/// The last results may take so long after the last fire.
const SETTLE: Duration = Duration::from_mins(1);

/// Everything but the admin.
pub struct Stage<'a> {
    arguments: &'a Arguments,
    /// The server, when it is ours.
    pub server: Option<MariaDb>,
    database: Location,
    /// None when the admin runs already.
    launcher: Option<Launcher>,
    /// The executors.
    pub executors: Executors,
    folder: TempDir,
}

impl<'a> Stage<'a> {
    /// Makes or opens the database, creates the tables, starts the executors.
    ///
    /// # Errors
    /// When one of them cannot be had.
    pub async fn set_up(arguments: &'a Arguments, ground: &Ground) -> Result<Self> {
        eprintln!("{}: setting up", ground.name());
        let folder = tempfile::Builder::new().prefix("load-admin-").tempdir()?;
        let (server, database) = match ground {
            Ground::Made(Made::Mariadb) => {
                let server = MariaDb::start(arguments.is_large()).await?;
                let database = server.job_database();
                (Some(server), database)
            }
            Ground::Made(Made::Sqlite) => (None, Location::sqlite(&folder.path().join("xxl-job.db"))),
            Ground::Given(url) => (None, url.parse::<Location>()?),
        };
        let token = &arguments.behaviour.token;
        let (launcher, base) = if let Some(base) = &arguments.attach {
            (None, base.clone())
        } else {
            let mut passed_on = arguments.passed_on.clone();
            if arguments.is_large() {
                // What is cleared by hand is not to be cleared by age meanwhile.
                passed_on.push("--xxl.job.logretentiondays=-1".to_owned());
            }
            let launcher = Launcher::new(&arguments.bin, folder.path(), &database, token, &passed_on)?;
            let base = launcher.base()?;
            (Some(launcher), base)
        };
        let has_tables = match database.connect().await {
            Ok(mut open) => open.has_tables().await,
            // A SQLite file that is not there yet.
            Err(_) => false,
        };
        if let (Some(launcher), false) = (&launcher, has_tables) {
            launcher.init_db().await?;
        }
        let ports = vec![0; usize::from(arguments.behaviour.executors.max(1))];
        let executors = Executors::start(&arguments.behaviour, &ports, Some(&base))?;
        Ok(Self { arguments, server, database, launcher, executors, folder })
    }

    /// The past that the log is filled with.
    pub fn past(&self) -> crate::fill::Past {
        self.arguments.past
    }

    /// Where the database is.
    pub fn location(&self) -> Location {
        self.database.clone()
    }

    /// Runs a command of the admin's program that ends by itself.
    ///
    /// # Errors
    /// When it fails, or the admin is not ours.
    pub async fn command(&self, name: &str) -> Result<()> {
        self.launcher.as_ref().context("the admin is not ours")?.run(name).await
    }

    /// Opens the database.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn database(&self) -> Result<Database> {
        self.database.connect().await
    }

    /// A start time for a plan.
    pub fn start_ms(&self) -> u64 {
        clock::whole_second_ahead(Duration::from_secs(self.arguments.start_in))
    }

    /// A plan whose jobs, `--jobs` or 200 and some before them, are due once, and are taken up well before that.
    pub fn once_after_run_up(&self, spread_s: u64) -> Plan {
        let start_ms = self.start_ms() + RUN_UP * 1_000;
        Plan::once(self.arguments.jobs_or(200), spread_s, start_ms).after_run_up(RUN_UP)
    }

    /// Seeds the plan. Admins that are started here live in UTC; for an attached one the first due time is right in any
    /// zone, as it is stored beside the expression.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn seed(&self, plan: &Plan) -> Result<()> {
        let utc: FixedOffset = Utc.fix();
        let mut database = self.database().await?;
        seed::seed(&mut database, plan, &self.executors.addresses, &self.arguments.traits, utc).await
    }

    /// Starts the admin, or takes the one that runs.
    ///
    /// # Errors
    /// When it does not get ready.
    pub async fn start_admin(&self) -> Result<Admin> {
        match (&self.launcher, &self.arguments.attach, self.arguments.pid) {
            (Some(launcher), ..) => launcher.start().await,
            (None, Some(base), Some(pid)) => Admin::attach(base, pid, &self.arguments.behaviour.token),
            _ => bail!("no admin to start or to attach to"),
        }
    }

    /// Starts the admin on a seeded plan and waits until just before the first job is due.
    ///
    /// # Errors
    /// When it is not ready by then.
    pub async fn start_admin_before(&self, plan: &Plan) -> Result<(Admin, Usage)> {
        let admin = self.start_admin().await?;
        ensure!(clock::now_ms() + 1_000 < plan.start_ms, "ready too late for the first job: raise --start-in");
        clock::sleep_until(plan.start_ms - 1_000).await;
        let idle = admin.usage()?;
        Ok((admin, idle))
    }

    /// Base address of an admin that is started here.
    ///
    /// # Errors
    /// When the admin is attached.
    pub fn base(&self) -> Result<url::Url> {
        self.launcher.as_ref().context("the admin is not ours")?.base()
    }

    /// Reads all meters.
    ///
    /// # Errors
    /// When the admin has ended.
    pub fn meters(&self, admin: &Admin) -> Result<Meters> {
        let server = self.server.as_ref().and_then(MariaDb::pid).map(Usage::of).transpose()?;
        Ok(Meters {
            at: Instant::now(),
            admin: admin.usage()?,
            server,
            executors: Usage::of(std::process::id())?,
            arrivals: self.executors.arrivals.count(),
            callbacks: self.executors.callbacks.read(),
        })
    }

    /// Waits until no run has come for two seconds and no result waits.
    pub async fn settle(&self) {
        let deadline = Instant::now() + SETTLE;
        let mut calm_since = Instant::now();
        let mut before = self.executors.arrivals.count();
        while calm_since.elapsed() < Duration::from_secs(2) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = self.executors.arrivals.count();
            if now != before || self.executors.waiting_results() > 0 {
                calm_since = Instant::now();
            }
            before = now;
        }
    }

    /// Ends the admin if it is ours, keeps its log if wanted, and puts its exit code into the report.
    ///
    /// # Errors
    /// When it does not end or the log cannot be kept.
    pub async fn finish(&self, mut admin: Admin, report: &mut Report) -> Result<()> {
        let ended = admin.terminate(Duration::from_mins(1)).await?;
        if let Some(status) = ended {
            report.figure("exit_code", status.code());
        }
        self.keep_log()
    }

    /// Keeps what the admin printed, if wanted.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_log(&self) -> Result<()> {
        if let (Some(file), Some(_)) = (&self.arguments.admin_log, &self.launcher) {
            std::fs::copy(self.folder.path().join("admin.log"), file).with_context(|| file.display().to_string())?;
        }
        Ok(())
    }
}

/// What the meters showed at one time.
pub struct Meters {
    at: Instant,
    admin: Usage,
    server: Option<Usage>,
    executors: Usage,
    arrivals: u64,
    callbacks: callback::Count,
}

impl Meters {
    /// Puts how much came a second since `earlier` into the report.
    pub fn report_rates(&self, earlier: &Self, report: &mut Report) {
        let seconds = (self.at - earlier.at).as_secs_f64();
        let mut rate = |name: &str, count: u64| report.measure(name, count as f64 / seconds);
        rate("fired_per_s", self.arrivals - earlier.arrivals);
        rate("callbacks_per_s", self.callbacks.accepted - earlier.callbacks.accepted);
        rate("callback_requests_per_s", self.callbacks.requests - earlier.callbacks.requests);
    }

    /// Puts what was used since `earlier` into the report.
    pub fn report_cost(&self, earlier: &Self, report: &mut Report) {
        let seconds = (self.at - earlier.at).as_secs_f64();
        let runs = (self.arrivals - earlier.arrivals) as f64;
        let cpu = self.admin.cpu_since(&earlier.admin).as_secs_f64();
        report.measure("admin_cpu_us_per_trigger", (runs > 0.0).then_some(cpu * 1e6 / runs));
        report.measure("admin_cpu_cores", cpu / seconds);
        if let (Some(now), Some(before)) = (&self.server, &earlier.server) {
            report.measure("database_cpu_cores", now.cpu_since(before).as_secs_f64() / seconds);
        }
        let executors = self.executors.cpu_since(&earlier.executors).as_secs_f64();
        report.measure("load_executor_cpu_cores", executors / seconds);
        report.measure("admin_rss_load_mib", mib(self.admin.rss_kib));
        report.measure("admin_rss_peak_mib", mib(self.admin.peak_kib));
    }
}

/// KiB as MiB.
pub fn mib(kib: u64) -> f64 {
    kib as f64 / 1_024.0
}

/// Puts what the fires of a window came to into the report.
pub fn report_window(window: &Window, assessment: &Assessment, report: &mut Report) {
    report.figure("expected", window.expected);
    report.figure("fired", window.fired);
    report.figure("done_ratio", (window.done_ratio() * 1e6).round() / 1e6);
    report.figure("missing", window.missing.len());
    report.figure("jobs_never_fired", window.silent_jobs);
    for (name, share) in [("late_p50_ms", 0.5), ("late_p90_ms", 0.9), ("late_p99_ms", 0.99), ("late_max_ms", 1.0)] {
        report.measure(name, window.late_ms(share));
    }
    report.figure("early", window.early);
    report.figure("same_log_id_twice", assessment.same_log_id);
    report.figure("same_job_and_due_twice", assessment.doubled);
    report.figure("same_job_and_clock_second_twice", assessment.same_clock_second);
    report.figure("foreign_runs", assessment.foreign);
}

/// Puts callbacks and log rows at the end into the report.
///
/// # Errors
/// When the database does not answer.
pub async fn report_results(stage: &Stage<'_>, report: &mut Report) -> Result<crate::database::LogRows> {
    let callbacks = stage.executors.callbacks.read();
    report.figure("callbacks_ok", callbacks.accepted);
    report.figure("callbacks_failed", callbacks.refused);
    report.figure("callbacks_waiting", stage.executors.waiting_results());
    let rows = stage.database().await?.log_rows().await?;
    report.figure("log_rows", rows.total());
    report.figure("log_rows_handled", rows.handled);
    report.figure("log_rows_open", rows.open);
    report.figure("log_rows_failed", rows.failed);
    Ok(rows)
}
