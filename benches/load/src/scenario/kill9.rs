//! SIGKILL while fires that are taken up are still to come, and a new start: every one of them must be fired once or
//! be counted as lost, fire by fire.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::stage::{Stage, report_results, report_window};
use super::{Arguments, Ground};
use crate::clock;
use crate::report::Report;
use crate::statistics;

/// The signal comes so long before the jobs are due.
const LEAD_MS: u64 = 2_000;
/// A dead node is given some time before its fires are looked at.
const PATIENCE: Duration = Duration::from_secs(90);
/// The counter of the admin.
const LOST: &str = "xxl_fires_lost_total";

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let plan = stage.once_after_run_up(1);
    stage.seed(&plan).await?;
    let mut admin = stage.start_admin().await?;

    clock::sleep_until(plan.start_ms - LEAD_MS).await;
    admin.kill().await?;
    let mut database = stage.database().await?;
    let taken_up = plan.jobs - stage.executors.arrivals.count() - database.waiting_jobs().await?;
    let rows_at_kill = database.log_rows().await?;
    eprintln!("{}: killed with {taken_up} fires to come, starting again", ground.name());
    let mut admin = stage.start_admin().await?;
    let again = Instant::now();
    let lost = loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let lost = admin.counter(LOST).await?.unwrap_or(0.0) as u64;
        if lost + stage.executors.arrivals.count() >= plan.jobs || again.elapsed() > PATIENCE {
            break lost;
        }
    };
    let told_after = again.elapsed();
    stage.settle().await;

    let assessment = statistics::assess(&plan, |_| u64::MAX, &stage.executors.arrivals.snapshot());
    let judged = assessment.window(&(0..u64::MAX));
    let mut report = Report::new("kill9", ground.name());
    report.figure("jobs", plan.jobs);
    report.figure("fires_to_come_at_kill", taken_up);
    report.figure("log_rows_at_kill", rows_at_kill.total());
    report.measure("start_again_to_ready_ms", admin.start_to_ready.as_secs_f64() * 1e3);
    report.measure("all_accounted_for_after_s", told_after.as_secs_f64());
    report.figure(LOST, lost);
    report_window(&judged, &assessment, &mut report);
    let rows = report_results(&stage, &mut report).await?;

    let missing = judged.missing.len() as u64;
    report.demand("some were taken up at the kill", taken_up > 0);
    report.demand("what did not fire is counted as lost", lost == missing);
    report.demand("every lost fire has a row that says so", rows.failed == missing && rows.total() == plan.jobs);
    report.demand("nothing doubled", assessment.doubled == 0 && assessment.same_log_id == 0);
    stage.finish(admin, &mut report).await?;
    Ok(report)
}
