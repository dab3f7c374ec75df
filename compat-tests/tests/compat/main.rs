//! The compatibility suite: `cargo test -p compat-tests [-- FILTER...]`, where a filter is a part of `suite/case`.
//!
//! Needs the built admin, `TEST_MYSQL_URL`, a JDK, Maven, Go and Python. Suites wait far more than they compute, so
//! they run side by side; only the mixed cluster, which watches seconds, runs alone at the end.
mod addresses;
mod answers;
mod executors;
mod flows;
mod inbound;
mod mixed;
mod xxl_admin_sh;
mod xxl_job_auto;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::{Context, Result, anyhow, ensure};
use compat_tests::executor::LINES;
use compat_tests::paths;
use compat_tests::report::Report;
use tokio::process::Command;
use tokio::task::{JoinSet, LocalSet};

fn main() -> ExitCode {
    match start() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Says whether all went well.
fn start() -> Result<bool> {
    // Flags that cargo or other test runners hand to any test binary have no meaning here.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(true);
    }
    let filters = arguments.into_iter().filter(|argument| !argument.starts_with('-')).collect();
    // One thread is enough for waiting, and spares all cases the bounds of threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, run(filters))
}

async fn run(filters: Vec<String>) -> Result<bool> {
    println!("admin under test: {}", paths::admin_binary()?.display());
    let work = paths::fresh_work()?;
    println!("logs of all processes: {}", work.display());
    let report = Rc::new(Report::new(filters));
    side_by_side(&report, &work).await?;
    for form in mixed::Companion::available() {
        mixed::suite(&report, &work, form).await;
    }
    Ok(Rc::into_inner(report).context("a suite still runs")?.finish())
}

async fn side_by_side(report: &Rc<Report>, work: &Path) -> Result<()> {
    let mut suites = JoinSet::new();
    let with_executors = LINES.iter().any(|line| report.wants(line.name));
    if with_executors || [xxl_admin_sh::SUITE, xxl_job_auto::SUITE].iter().any(|suite| report.wants(suite)) {
        build_executors().await?;
    }
    if with_executors {
        let (report, work) = (Rc::clone(report), PathBuf::from(work));
        suites.spawn_local(async move { ("executors".to_owned(), executors::all(&report, &work).await) });
    }
    /// Starts a suite of one module if it is wanted.
    macro_rules! start {
        ($($suite:ident),+) => {$(
            if report.wants($suite::SUITE) {
                let (report, work) = (Rc::clone(report), PathBuf::from(work));
                suites.spawn_local(async move { ($suite::SUITE.to_owned(), $suite::suite(&report, &work).await) });
            }
        )+};
    }
    start!(inbound, addresses, flows, xxl_admin_sh, xxl_job_auto);
    for release in answers::RELEASES {
        let suite = answers::suite_name(release);
        if report.wants(&suite) {
            let (report, work) = (Rc::clone(report), PathBuf::from(work));
            suites.spawn_local(async move { (suite, answers::suite(&report, &work, release).await) });
        }
    }
    while let Some(ended) = suites.join_next().await {
        match ended {
            Ok((_, Ok(()))) => {}
            Ok((suite, Err(error))) => report.broke(&suite, &error),
            Err(panic) => report.broke("suite", &anyhow!(panic)),
        }
    }
    Ok(())
}

async fn build_executors() -> Result<()> {
    let script = paths::package().join("build-executors.sh");
    let status = Command::new(script).env("CARGO_TARGET_DIR", paths::target()?).status().await?;
    ensure!(status.success(), "build-executors.sh ended with {status}");
    Ok(())
}
