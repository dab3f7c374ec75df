//! So many jobs every so many seconds, results and all: does everything come, when, and at what cost?

use anyhow::Result;

use super::stage::{Stage, mib, report_results, report_window};
use super::{Arguments, Ground};
use crate::clock;
use crate::plan::Plan;
use crate::report::Report;
use crate::statistics;

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let plan = Plan::recurring(arguments.kind, arguments.jobs_or(2_000), arguments.every, stage.start_ms())?;
    stage.seed(&plan).await?;
    let (admin, idle) = stage.start_admin_before(&plan).await?;

    let from = plan.start_ms + arguments.warm * 1_000;
    let window = from..from + arguments.seconds * 1_000;
    eprintln!("{}: {} jobs every {} s, warming up", ground.name(), plan.jobs, plan.period_s);
    clock::sleep_until(window.start).await;
    let before = stage.meters(&admin)?;
    eprintln!("{}: measuring for {} s", ground.name(), arguments.seconds);
    clock::sleep_until(window.end).await;
    let after = stage.meters(&admin)?;

    let ends = stage.database().await?.stop_jobs().await?;
    clock::sleep_until(ends.values().copied().max().unwrap_or(0)).await;
    stage.settle().await;

    // A job that stopped by itself tells no end: then all of the window counts.
    let end_of = |job| ends.get(&job).copied().filter(|end| *end > 0).unwrap_or(window.end);
    let assessment = statistics::assess(&plan, end_of, &stage.executors.arrivals.snapshot());
    // What the admin has not even taken up by the end of the window is owed all the same.
    let owed = statistics::owed(&plan, end_of, &window);
    let mut judged = assessment.window(&window);
    judged.owe(owed);

    let mut report = Report::new("steady", ground.name());
    report.figure("jobs", plan.jobs);
    report.figure("every_s", plan.period_s);
    report.figure("seconds", arguments.seconds);
    report_window(&judged, &assessment, &mut report);
    let whole = assessment.window(&(0..u64::MAX));
    report.measure("late_max_whole_run_ms", whole.late_ms(1.0));
    report.figure("missing_whole_run", whole.missing.len());
    after.report_rates(&before, &mut report);
    after.report_cost(&before, &mut report);
    report.measure("admin_rss_idle_mib", mib(idle.rss_kib));
    report.measure("start_to_ready_ms", admin.start_to_ready.as_secs_f64() * 1e3);
    let rows = report_results(&stage, &mut report).await?;

    report.demand("at least 99.9 % of what was due came", judged.done_ratio() >= 0.999);
    report.demand("p99 of the lateness is at most 200 ms", judged.late_ms(0.99).is_some_and(|late| late <= 200.0));
    report.demand("nothing doubled", assessment.doubled == 0 && assessment.same_log_id == 0);
    report.demand("every run has a row that is handled", rows.handled == stage.executors.arrivals.count());
    stage.finish(admin, &mut report).await?;
    Ok(report)
}
