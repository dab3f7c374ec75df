//! SIGTERM while fires that are taken up are still to come: all of them must run before the process ends.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::stage::{Stage, report_results, report_window};
use super::{Arguments, Ground};
use crate::clock;
use crate::report::Report;
use crate::statistics;

/// Over how many seconds the fires are spread.
const SPREAD_S: u64 = 3;
/// The signal comes so long before the first; all are taken up by then.
const LEAD_MS: u64 = 1_500;

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let plan = stage.once_after_run_up(SPREAD_S);
    stage.seed(&plan).await?;
    let mut admin = stage.start_admin().await?;

    clock::sleep_until(plan.start_ms - LEAD_MS).await;
    let not_taken_up = stage.database().await?.waiting_jobs().await?;
    let to_come = plan.jobs - stage.executors.arrivals.count() - not_taken_up;
    eprintln!("{}: SIGTERM with {to_come} fires to come", ground.name());
    let signalled = Instant::now();
    let status = admin.terminate(Duration::from_mins(1)).await?.context("the admin is not ours")?;
    let took = signalled.elapsed();
    stage.keep_log()?;

    let assessment = statistics::assess(&plan, |_| u64::MAX, &stage.executors.arrivals.snapshot());
    let judged = assessment.window(&(0..u64::MAX));
    let mut report = Report::new("drain", ground.name());
    report.figure("jobs", plan.jobs);
    report.figure("fires_to_come_at_signal", to_come);
    report.figure("jobs_not_taken_up_at_signal", not_taken_up);
    report.measure("signal_to_exit_s", took.as_secs_f64());
    report.figure("exit_code", status.code());
    report_window(&judged, &assessment, &mut report);
    let rows = report_results(&stage, &mut report).await?;

    report.demand("all were taken up before the signal", not_taken_up == 0);
    report.demand("all ran", judged.missing.is_empty());
    report.demand("nothing doubled", assessment.doubled == 0 && assessment.same_log_id == 0);
    report.demand("every job has one row", rows.total() == plan.jobs);
    report.demand("exit code 0", status.code() == Some(0));
    Ok(report)
}
