//! All jobs due in one second, once: how long until the last has started, and is one lost?

use std::time::{Duration, Instant};

use anyhow::Result;

use super::stage::{Stage, report_results, report_window};
use super::{Arguments, Ground};
use crate::clock;
use crate::plan::Plan;
use crate::report::Report;
use crate::statistics;

/// Longest wait for the last start.
const PATIENCE: Duration = Duration::from_mins(2);

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let plan = Plan::once(arguments.jobs_or(10_000), 1, stage.start_ms());
    stage.seed(&plan).await?;
    let (admin, _) = stage.start_admin_before(&plan).await?;
    let before = stage.meters(&admin)?;

    eprintln!("{}: {} jobs are due in one second", ground.name(), plan.jobs);
    clock::sleep_until(plan.start_ms).await;
    let due = Instant::now();
    while stage.executors.arrivals.count() < plan.jobs && due.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    stage.settle().await;
    let after = stage.meters(&admin)?;

    let assessment = statistics::assess(&plan, |_| u64::MAX, &stage.executors.arrivals.snapshot());
    let judged = assessment.window(&(0..u64::MAX));
    let mut report = Report::new("burst", ground.name());
    report.figure("jobs", plan.jobs);
    report_window(&judged, &assessment, &mut report);
    let all_started_ms = judged.late_ms(1.0).filter(|_| judged.missing.is_empty());
    report.measure("all_started_s", all_started_ms.map(|late| late / 1e3));
    after.report_cost(&before, &mut report);
    let rows = report_results(&stage, &mut report).await?;

    report.demand("none lost", judged.missing.is_empty());
    report.demand("all started within 5 s", all_started_ms.is_some_and(|late| late <= 5_000.0));
    report.demand("nothing doubled", assessment.doubled == 0 && assessment.same_log_id == 0);
    report.demand("every job has one row that is handled", rows.handled == plan.jobs && rows.total() == plan.jobs);
    stage.finish(admin, &mut report).await?;
    Ok(report)
}
