//! What the cases of one executor share: a group, two nodes, and verbs to run jobs and wait for what comes of them.
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use compat_tests::admin::TOKEN;
use compat_tests::console::{Console, LogRow};
use compat_tests::eventually::eventually;
use compat_tests::executor::{Family, Launcher, Line, Node, Start};
use compat_tests::report::took_part;
use sqlx::MySqlPool;

/// Longest wait for anything that happens by itself; the registry is looked through every 30 s.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// What all lines share.
pub struct World {
    pub console: Console,
    pub pool: MySqlPool,
    pub url: String,
    pub launcher: Arc<Launcher>,
    pub work: PathBuf,
}

/// One executor with two nodes.
pub struct Fixture {
    pub world: Rc<World>,
    pub line: Line,
    pub appname: String,
    pub group: i64,
    /// The node that cases use unless they need two.
    pub first: Node,
    pub second: Node,
    gates: AtomicU32,
}

/// A job to add; `Default` is a BEAN job without schedule for the first node.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pub handler: &'a str,
    pub route: &'a str,
    pub block: &'a str,
    pub timeout_s: &'a str,
    /// CRON expression; empty = none.
    pub cron: &'a str,
    /// Shell script; empty = BEAN.
    pub script: &'a str,
}

impl Default for Job<'_> {
    fn default() -> Self {
        Self { handler: "", route: "FIRST", block: "SERIAL_EXECUTION", timeout_s: "0", cron: "", script: "" }
    }
}

impl<'a> Job<'a> {
    /// A BEAN job.
    pub fn bean(handler: &'a str) -> Self {
        Self { handler, ..Self::default() }
    }

    /// Adds the job to a group.
    pub async fn add(self, console: &Console, group: i64) -> Result<i64> {
        let fields = [
            ("jobGroup", &*group.to_string()),
            ("jobDesc", if self.script.is_empty() { self.handler } else { "script" }),
            ("author", "compat"),
            ("alarmEmail", ""),
            ("scheduleType", if self.cron.is_empty() { "NONE" } else { "CRON" }),
            ("scheduleConf", self.cron),
            ("misfireStrategy", "DO_NOTHING"),
            ("executorRouteStrategy", self.route),
            ("executorHandler", self.handler),
            ("executorParam", ""),
            ("executorBlockStrategy", self.block),
            ("executorTimeout", self.timeout_s),
            ("executorFailRetryCount", "0"),
            ("glueType", if self.script.is_empty() { "BEAN" } else { "GLUE_SHELL" }),
            ("glueSource", self.script),
            ("glueRemark", "compat"),
            ("childJobId", ""),
        ];
        console.add_job(&fields).await
    }
}

/// A gate that a job waits at: paths that the handlers `gate` and `stubborn` read and write.
#[derive(Clone)]
pub struct Gate(PathBuf);

impl Gate {
    fn file(&self, suffix: &str) -> PathBuf {
        self.0.with_extension(suffix)
    }

    /// The job's parameter.
    pub fn param(&self) -> String {
        self.0.display().to_string()
    }

    /// Lets the job pass.
    pub fn open(&self) -> Result<()> {
        Ok(std::fs::write(self.file("open"), "")?)
    }

    /// Has the job reached this point (`started`, `interrupted`, `ended`)?
    pub fn reached(&self, point: &str) -> bool {
        self.file(point).exists()
    }

    /// Waits until it has.
    pub async fn await_point(&self, point: &str) -> Result<()> {
        let look = async || {
            ensure!(self.reached(point), "the job has not {point}");
            Ok(())
        };
        eventually(point, PATIENCE, look).await
    }
}

/// Is everything known of a run? A quick executor's result can be stored before the outcome of its call.
pub fn has_result(row: &LogRow) -> bool {
    row.trigger_code != 0 && row.handle_code != 0
}

/// Waits until a job has `count` rows that `ready` likes, and gives all its rows.
pub async fn rows_when(
    console: &Console,
    (group, job): (i64, i64),
    count: usize,
    what: &str,
    ready: impl Fn(&LogRow) -> bool,
) -> Result<Vec<LogRow>> {
    let look = async || {
        let rows = console.logs(group, job).await?;
        let found = rows.iter().filter(|row| ready(row)).count();
        ensure!(found >= count, "{found} of {count} rows in {rows:?}");
        Ok(rows)
    };
    eventually(what, PATIENCE, look).await
}

impl Fixture {
    /// Adds the group, starts two nodes and waits until both stand in the group as they registered themselves.
    pub async fn set_up(world: Rc<World>, line: Line) -> Result<Self> {
        let appname = format!("compat-{}", line.name);
        // Releases to 3.3 limit a title to 12 characters.
        let title: String = line.name.chars().take(12).collect();
        let group = world.console.add_group(&appname, &title, "").await?;
        let start = |name, paged_log| {
            let start = Start { name, appname: &appname, admin: &world.url, token: TOKEN, paged_log };
            Node::start(line, &world.launcher, &world.work, start)
        };
        let (name_a, name_b) = (format!("{}-a", line.name), format!("{}-b", line.name));
        let first = start(&name_a, true).await?;
        let second = start(&name_b, false).await?;
        let mut expected = vec![first.address.clone(), second.address.clone()];
        expected.sort();
        let look = async || {
            let mut addresses = world.console.group_addresses(&appname).await?;
            addresses.sort();
            ensure!(addresses == expected, "the group has {addresses:?}, not {expected:?}");
            Ok(())
        };
        eventually("both nodes stand in the group", PATIENCE, look).await?;
        took_part("executor", line.name)?;
        Ok(Self { world, line, appname, group, first, second, gates: AtomicU32::new(0) })
    }

    /// The console.
    pub fn console(&self) -> &Console {
        &self.world.console
    }

    /// Adds a job to the group.
    pub async fn add(&self, job: Job<'_>) -> Result<i64> {
        job.add(self.console(), self.group).await
    }

    /// A gate of its own for one run.
    pub fn gate(&self) -> Result<Gate> {
        let folder = self.world.work.join("gates");
        std::fs::create_dir_all(&folder)?;
        let nth = self.gates.fetch_add(1, Ordering::Relaxed);
        // Dots in the name would be taken for the suffix.
        Ok(Gate(folder.join(format!("{}-{nth}", self.line.name.replace('.', "_")))))
    }

    /// Triggers a job on the first node.
    pub async fn trigger(&self, job: i64, param: &str) -> Result<()> {
        self.console().trigger(job, param, &self.first.address).await
    }

    /// All rows of a job, once `count` of them were called or refused.
    pub async fn triggered(&self, job: i64, count: usize) -> Result<Vec<LogRow>> {
        rows_when(self.console(), (self.group, job), count, "called", |row| row.trigger_code != 0).await
    }

    /// All rows of a job, once `count` of them have a result.
    pub async fn finished(&self, job: i64, count: usize) -> Result<Vec<LogRow>> {
        rows_when(self.console(), (self.group, job), count, "finished", has_result).await
    }

    /// Adds a job, runs it on the first node and gives its row once the run has a result.
    pub async fn run(&self, job: Job<'_>, param: &str) -> Result<LogRow> {
        let job = self.add(job).await?;
        self.trigger(job, param).await?;
        let row = self.only(self.finished(job, 1).await?)?;
        ensure!(row.trigger_code == 200, "accepted: {row:?}");
        ensure!(row.address == self.first.address, "on the first node: {row:?}");
        Ok(row)
    }

    /// The one row that there may be.
    #[expect(clippy::unused_self, reason = "reads as a verb of the fixture where it is used")]
    pub fn only(&self, rows: Vec<LogRow>) -> Result<LogRow> {
        let [row] = <[LogRow; 1]>::try_from(rows).map_err(|rows| anyhow::anyhow!("not one row but {rows:?}"))?;
        Ok(row)
    }

    /// The log of a run that has ended, read in pages to its end as a console page does; the pages' texts.
    pub async fn log(&self, log: i64) -> Result<Vec<String>> {
        let mut pages = Vec::new();
        let mut from = 1;
        let read = async || {
            loop {
                let page = self.console().log_page(log, from).await?;
                let is_new = page.to_line >= from && !page.content.is_empty();
                if is_new {
                    pages.push(page.content);
                    from = page.to_line + 1;
                }
                if page.end {
                    return Ok(());
                }
                ensure!(is_new, "no end at line {from}");
            }
        };
        eventually("the log ends", PATIENCE, read).await?;
        Ok(pages)
    }

    /// Is the family the Go library?
    pub fn is_go(&self) -> bool {
        self.line.family == Family::Go
    }

    /// Runs a job that just succeeds on the first node. As an executor delivers results in order, those of earlier runs
    /// have arrived afterwards.
    pub async fn flush_callbacks(&self) -> Result<()> {
        let row = self.run(Job::bean("echo"), "flush").await?;
        ensure!(row.handle_code == 200, "{row:?}");
        Ok(())
    }
}
