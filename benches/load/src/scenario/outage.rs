//! The database freezes under load, dies, and comes back: is the health red meanwhile, and how soon does everything
//! fire again, in the same process?

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::stage::{Stage, report_results, report_window};
use super::{Arguments, Ground};
use crate::client::Client;
use crate::clock;
use crate::plan::Plan;
use crate::report::Report;
use crate::statistics;

/// How long the server is frozen, and then how long it is gone.
const PHASE: Duration = Duration::from_secs(10);
/// Load before and after.
const AROUND_MS: u64 = 25_000;
/// A second in which every fire is less late than this has nothing left of the outage, in µs.
const ON_TIME_US: u64 = 1_000_000;

/// Plays it.
///
/// # Errors
/// When it cannot be carried through.
pub async fn run(arguments: &Arguments, ground: &Ground) -> Result<Report> {
    let mut stage = Stage::set_up(arguments, ground).await?;
    let plan = Plan::recurring(arguments.kind, arguments.jobs_or(200), arguments.every, stage.start_ms())?;
    stage.seed(&plan).await?;
    let (mut admin, _) = stage.start_admin_before(&plan).await?;
    let health = HealthWatch::start(Client::new(&stage.base()?, "")?);

    clock::sleep_until(plan.start_ms + AROUND_MS).await;
    let server = stage.server.as_mut().context("an outage needs a server of its own")?;
    eprintln!("the database freezes");
    let frozen_ms = clock::now_ms();
    server.freeze()?;
    tokio::time::sleep(PHASE).await;
    eprintln!("the database is killed");
    server.kill().await?;
    tokio::time::sleep(PHASE).await;
    server.restart().await?;
    let back_ms = clock::now_ms();
    eprintln!("the database is back");
    clock::sleep_until(back_ms + AROUND_MS).await;

    let running = admin.is_running()?;
    let ends = stage.database().await?.stop_jobs().await?;
    clock::sleep_until(ends.values().copied().max().unwrap_or(0)).await;
    stage.settle().await;
    let seen = health.stop();

    let arrivals = stage.executors.arrivals.snapshot();
    let end_of = |job| ends.get(&job).copied().unwrap_or(0);
    let assessment = statistics::assess(&plan, end_of, &arrivals);
    let all = assessment.window(&(0..u64::MAX));
    let resumed_ms = arrivals.iter().map(|arrival| arrival.at_us / 1_000).find(|at_ms| *at_ms >= back_ms);
    let steady_ms = assessment.steady_from(back_ms, ON_TIME_US);
    let seconds_after_return = |at_ms: u64| at_ms.saturating_sub(back_ms) as f64 / 1e3;

    let mut report = Report::new("outage", ground.name());
    report.figure("jobs", plan.jobs);
    report.measure("outage_s", (back_ms - frozen_ms) as f64 / 1e3);
    report.figure("health_before", seen.last_before(frozen_ms));
    report.figure("health_red_answers", seen.red(frozen_ms, back_ms));
    report.figure("health_unanswered", seen.unanswered(frozen_ms, back_ms));
    report.figure("health_red_after_s", seen.first_after(frozen_ms, |status| status == 503));
    report.figure("health_green_after_return_s", seen.first_after(back_ms, |status| status == 200));
    report.figure("first_fire_after_return_s", resumed_ms.map(seconds_after_return));
    report.figure("all_on_time_after_return_s", steady_ms.map(seconds_after_return));
    let missing_after = steady_ms.map_or(0, |steady| all.missing.iter().filter(|(_, due)| *due >= steady).count());
    let missing_before = all.missing.iter().filter(|(_, due)| *due < frozen_ms).count();
    report.figure("missing_before_outage", missing_before);
    report.figure("missing_in_outage", all.missing.len() - missing_before - missing_after);
    report_window(&all, &assessment, &mut report);
    report_results(&stage, &mut report).await?;

    report.demand("health was red meanwhile", seen.red(frozen_ms, back_ms) > 0);
    report.demand("everything fires within 10 s of the return", steady_ms.is_some_and(|at| at <= back_ms + 10_000));
    report.demand("the process is the same", running);
    report.demand("nothing doubled", assessment.doubled == 0 && assessment.same_log_id == 0);
    stage.finish(admin, &mut report).await?;
    Ok(report)
}

/// Health as it was answered over time: (ms, status; none = no answer).
#[derive(Default)]
struct Health(Vec<(u64, Option<u16>)>);

impl Health {
    fn between(&self, from_ms: u64, to_ms: u64) -> impl Iterator<Item = Option<u16>> {
        self.0.iter().filter(move |(at, _)| (from_ms..to_ms).contains(at)).map(|(_, status)| *status)
    }

    fn red(&self, from_ms: u64, to_ms: u64) -> usize {
        self.between(from_ms, to_ms).filter(|status| *status == Some(503)).count()
    }

    fn unanswered(&self, from_ms: u64, to_ms: u64) -> usize {
        self.between(from_ms, to_ms).filter(Option::is_none).count()
    }

    fn last_before(&self, at_ms: u64) -> Option<u16> {
        self.between(0, at_ms).last().flatten()
    }

    /// Seconds from `from_ms` to the first answer that fits.
    fn first_after(&self, from_ms: u64, fits: impl Fn(u16) -> bool) -> Option<f64> {
        let (at, _) = self.0.iter().find(|(at, status)| *at >= from_ms && status.is_some_and(&fits))?;
        Some((at - from_ms) as f64 / 1e3)
    }
}

/// Asks for the health four times a second.
struct HealthWatch {
    seen: Arc<Mutex<Health>>,
    task: tokio::task::JoinHandle<()>,
}

impl HealthWatch {
    fn start(mut client: Client) -> Self {
        let seen = Arc::new(Mutex::new(Health::default()));
        let record = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(250));
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let answer = client.get("actuator/health").await;
                let status = answer.ok().map(|(status, _)| status.as_u16());
                record.lock().unwrap_or_else(PoisonError::into_inner).0.push((clock::now_ms(), status));
            }
        });
        Self { seen, task }
    }

    fn stop(self) -> Health {
        self.task.abort();
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_told_by_phase() {
        let health =
            Health(vec![(900, Some(200)), (1_100, Some(200)), (1_500, Some(503)), (1_700, None), (2_600, Some(200))]);
        assert_eq!(health.last_before(1_000), Some(200));
        assert_eq!((health.red(1_000, 2_000), health.unanswered(1_000, 2_000)), (1, 1));
        assert_eq!(health.first_after(1_000, |status| status == 503), Some(0.5));
        assert_eq!(health.first_after(2_000, |status| status == 200), Some(0.6));
        assert_eq!(health.first_after(2_700, |_| true), None);
    }
}
