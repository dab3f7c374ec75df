//! A million runs are cleared while 200 jobs fire each second: does a writer have to wait?

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::sync::watch;

use super::stage::{Stage, report_results, report_window};
use super::{Arguments, Ground};
use crate::clock;
use crate::console::Console;
use crate::database::Location;
use crate::fill;
use crate::plan::Plan;
use crate::report::Report;
use crate::statistics;

/// Runs of the past, unless `--rows` says otherwise.
const ROWS: u64 = 1_000_000;
/// Time between two writes of the probe.
const PROBE: Duration = Duration::from_millis(10);

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let mut past = arguments.past;
    past.rows = past.rows.min(ROWS);
    // Everything is older than a month.
    let then = fill::now() - 60 * 86_400;
    {
        let mut database = stage.database().await?;
        database.as_of_2_4().await?;
        fill::fill(&mut database, &past, then).await?;
    }
    let plan = Plan::recurring(arguments.kind, arguments.jobs_or(200), 1, stage.start_ms())?;
    stage.seed(&plan).await?;
    let (admin, _) = stage.start_admin_before(&plan).await?;
    let from = plan.start_ms + 5_000;
    clock::sleep_until(from).await;

    let (stop, stopped) = watch::channel(false);
    let probe = tokio::spawn(probe(stage.location(), stopped));
    let mut console = Console::log_in(&stage.base()?, "admin", crate::database::PASSWORD).await?;
    eprintln!("{}: clearing", ground.name());
    let started = Instant::now();
    // One group by all its runs, then everything that is older than a month.
    let group = past.group(0).to_string();
    for (group, kind) in [(group.as_str(), "9"), ("0", "1")] {
        let form = [("jobGroup", group), ("jobId", "0"), ("type", kind)];
        let answer = console.post("joblog/clearLog", &form).await?;
        ensure!(answer.status == 200 && answer.body["code"] == 200, "clearLog: {} {}", answer.status, answer.body);
    }
    let cleared_in = started.elapsed();
    let until = clock::now_ms();
    stop.send_replace(true);
    let waits = probe.await??;

    let ends = stage.database().await?.stop_jobs().await?;
    clock::sleep_until(ends.values().copied().max().unwrap_or(0)).await;
    stage.settle().await;
    let end_of = |job| ends.get(&job).copied().filter(|end| *end > 0).unwrap_or(until);
    let assessment = statistics::assess(&plan, end_of, &stage.executors.arrivals.snapshot());
    let judged = assessment.window(&(from..until));

    let mut report = Report::new("clear", ground.name());
    report.figure("rows", past.rows);
    report.measure("cleared_in_s", cleared_in.as_secs_f64());
    report.measure("rows_per_s", past.rows as f64 / cleared_in.as_secs_f64());
    report.figure("probe_writes", waits.len());
    let mut sorted = waits.clone();
    sorted.sort_unstable();
    let at = |share: f64| sorted.get((sorted.len() as f64 * share) as usize).or(sorted.last()).copied();
    let millis = |time: Option<Duration>| time.map(|time| time.as_secs_f64() * 1e3);
    report.measure("probe_wait_p50_ms", millis(at(0.5)));
    report.measure("probe_wait_p99_ms", millis(at(0.99)));
    report.measure("probe_wait_longest_ms", millis(at(1.0)));
    report_window(&judged, &assessment, &mut report);
    let left =
        stage.database().await?.count("xxl_job_log WHERE trigger_code IN (200, 500) AND job_id >= 2000000").await?;
    report.figure("left", left);
    report_results(&stage, &mut report).await?;

    report.demand("no writer waits longer than 1 s", at(1.0).is_some_and(|longest| longest <= Duration::from_secs(1)));
    report.demand("no fire comes later than 1 s", judged.late_ms(1.0).is_some_and(|late| late <= 1_000.0));
    report.demand("everything is cleared", left == 0);
    report.demand("nothing missing, nothing doubled", judged.missing.is_empty() && assessment.doubled == 0);
    stage.finish(admin, &mut report).await?;
    Ok(report)
}

/// Writes a row of its own and changes it, again and again, as an admin does for each fire; how long each took.
async fn probe(location: Location, stopped: watch::Receiver<bool>) -> Result<Vec<Duration>> {
    let mut database = location.connect().await?;
    let mut waits = Vec::new();
    while !*stopped.borrow() {
        let started = Instant::now();
        database
            .statement(
                "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code, alarm_status) \
                 VALUES (1, 1, '2036-01-01 00:00:00', 200, 200, 0)",
            )
            .await?;
        waits.push(started.elapsed());
        tokio::time::sleep(PROBE).await;
    }
    Ok(waits)
}
