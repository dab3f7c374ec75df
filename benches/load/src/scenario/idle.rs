//! Nothing to do: time from start to ready, memory and CPU of an admin without jobs.

use std::time::Duration;

use anyhow::Result;

use super::stage::{Stage, mib};
use super::{Arguments, Ground, Made};
use crate::report::Report;

/// Starts; the median counts.
const STARTS: usize = 5;
/// Length of the rest.
const REST: Duration = Duration::from_secs(10);

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let stage = Stage::set_up(arguments, ground).await?;
    let mut report = Report::new("idle", ground.name());
    let mut ready = Vec::new();
    for _ in 1..STARTS {
        let mut admin = stage.start_admin().await?;
        ready.push(admin.start_to_ready);
        admin.terminate(Duration::from_mins(1)).await?;
    }
    let admin = stage.start_admin().await?;
    ready.push(admin.start_to_ready);
    ready.sort_unstable();

    eprintln!("{}: resting for {} s", ground.name(), REST.as_secs());
    let before = admin.usage()?;
    tokio::time::sleep(REST).await;
    let after = admin.usage()?;

    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    report.measure("start_to_ready_median_ms", millis(ready[STARTS / 2]));
    report.measure("start_to_ready_min_ms", millis(ready[0]));
    report.measure("start_to_ready_max_ms", millis(ready[STARTS - 1]));
    report.measure("rss_idle_mib", mib(after.rss_kib));
    report.measure("rss_peak_mib", mib(after.peak_kib));
    report.measure("cpu_idle_ms_per_s", millis(after.cpu_since(&before)) / REST.as_secs_f64());

    let most = if *ground == Ground::Made(Made::Sqlite) { 300.0 } else { 1_000.0 };
    report.demand(&format!("ready within {most} ms"), millis(ready[STARTS / 2]) <= most);
    report.demand("at most 40 MiB resident", mib(after.rss_kib) <= 40.0);
    stage.finish(admin, &mut report).await?;
    Ok(report)
}
