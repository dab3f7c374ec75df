//! `load drive`: whole runs, each with its own database, admin and executors.

mod burst;
mod clear;
mod drain;
mod idle;
mod kill9;
mod lists;
mod logins;
mod outage;
mod stage;
mod steady;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use url::Url;

use crate::executor::Behaviour;
use crate::fill::Past;
use crate::plan::Kind;
use crate::report::Report;
use crate::seed::Traits;

/// What is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Scenario {
    /// So many jobs every so many seconds.
    Steady,
    /// All jobs due in one second, once.
    Burst,
    /// Start and ten seconds of nothing.
    Idle,
    /// The database freezes for ten seconds, dies, and is back ten seconds later. MariaDB alone.
    Outage,
    /// Guessed passwords, 500 a second, on one user.
    Logins,
    /// SIGTERM shortly before jobs are due.
    Drain,
    /// SIGKILL shortly before jobs are due, and a new start.
    Kill9,
    /// The lists of the console on a log of five million runs, without and with the additional indexes.
    Lists,
    /// A million runs are cleared while 200 jobs fire each second.
    Clear,
}

/// A database that is made for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Made {
    /// A file in a temporary folder.
    Sqlite,
    /// A private server in a temporary folder.
    Mariadb,
}

/// `load drive`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What is played.
    #[arg(value_enum, default_value = "steady")]
    scenario: Scenario,
    /// The admin.
    #[arg(long, default_value = "target/release/xxl-job-admin")]
    bin: PathBuf,
    /// Databases that are made for the run, one run each.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "sqlite,mariadb")]
    database: Vec<Made>,
    /// A database that is there, instead: `mysql://user:password@host:port/name`, `postgres://…`, `sqlite:/path`.
    /// Without tables, `init-db` makes them.
    #[arg(long)]
    database_url: Option<String>,
    /// An admin that runs already, by its base address with the context path; needs --pid and --database-url.
    #[arg(long, requires_all = ["pid", "database_url"])]
    attach: Option<Url>,
    /// Process id of that admin.
    #[arg(long)]
    pid: Option<u32>,
    /// How many jobs: 2000 for steady, 10000 for burst, 200 for the others when not given.
    #[arg(long)]
    jobs: Option<u64>,
    /// Seconds between two fires of one job.
    #[arg(long, value_name = "S", default_value_t = 1)]
    every: u64,
    /// How the jobs are scheduled.
    #[arg(long, value_enum, default_value = "CRON")]
    kind: Kind,
    /// Seconds that are measured.
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u64,
    /// Seconds before that.
    #[arg(long, value_name = "S", default_value_t = 10)]
    warm: u64,
    /// Seconds from the seeding to the first due time: the start of the admin falls into them.
    #[arg(long, value_name = "S", default_value_t = 10)]
    start_in: u64,
    /// Writes the reports as JSON into this file; `-` = standard output, instead of the tables.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keeps what the admin printed in this file.
    #[arg(long, value_name = "FILE")]
    admin_log: Option<PathBuf>,
    #[command(flatten)]
    past: Past,
    #[command(flatten)]
    traits: Traits,
    #[command(flatten)]
    behaviour: Behaviour,
    /// Further arguments of the admin, after `--`.
    #[arg(last = true, value_name = "ADMIN_ARGUMENT")]
    passed_on: Vec<String>,
}

/// Where a run works.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ground {
    Made(Made),
    Given(String),
}

impl Ground {
    /// How a report names it; no password in it.
    fn name(&self) -> &str {
        match self {
            Self::Made(Made::Sqlite) => "sqlite",
            Self::Made(Made::Mariadb) => "mariadb",
            Self::Given(url) => url.split(':').next().unwrap_or_default(),
        }
    }
}

impl Arguments {
    /// Whether the log is far larger than what the server holds in memory by default.
    fn is_large(&self) -> bool {
        matches!(self.scenario, Scenario::Lists | Scenario::Clear)
    }

    fn jobs_or(&self, jobs: u64) -> u64 {
        self.jobs.unwrap_or(jobs)
    }

    fn grounds(&self) -> Vec<Ground> {
        match &self.database_url {
            Some(url) => vec![Ground::Given(url.clone())],
            None => self.database.iter().copied().map(Ground::Made).collect(),
        }
    }
}

/// Runs `load drive`; true when every demand was met.
///
/// # Errors
/// When a run cannot be carried through.
pub async fn run(arguments: &Arguments) -> Result<bool> {
    let lives_on = matches!(arguments.scenario, Scenario::Steady | Scenario::Burst);
    ensure!(lives_on || arguments.attach.is_none(), "--attach is for steady and burst");
    let to_stdout = arguments.json.as_ref().is_some_and(|file| file.as_os_str() == "-");
    let mut reports = Vec::new();
    for ground in arguments.grounds() {
        if arguments.scenario == Scenario::Outage && ground != Ground::Made(Made::Mariadb) {
            eprintln!("outage: not on {}, only on a MariaDB server of its own", ground.name());
            continue;
        }
        let report = play(arguments, &ground).await.with_context(|| format!("on {}", ground.name()))?;
        if !to_stdout {
            println!("{report}");
        }
        reports.push(report);
    }
    ensure!(!reports.is_empty(), "nothing was run");
    if let Some(file) = &arguments.json {
        let json = serde_json::to_string_pretty(&reports)? + "\n";
        if to_stdout {
            print!("{json}");
        } else {
            std::fs::write(file, json).with_context(|| file.display().to_string())?;
        }
    }
    Ok(reports.iter().all(Report::all_met))
}

async fn play(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    match arguments.scenario {
        Scenario::Steady => steady::run(arguments, ground).await,
        Scenario::Burst => burst::run(arguments, ground).await,
        Scenario::Idle => idle::run(arguments, ground).await,
        Scenario::Outage => outage::run(arguments, ground).await,
        Scenario::Logins => logins::run(arguments, ground).await,
        Scenario::Drain => drain::run(arguments, ground).await,
        Scenario::Kill9 => kill9::run(arguments, ground).await,
        Scenario::Lists => Box::pin(lists::run(arguments, ground)).await,
        Scenario::Clear => Box::pin(clear::run(arguments, ground)).await,
    }
}
