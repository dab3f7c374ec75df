//! The counts of each day for the dashboard, and the removal of old logs.
//!
//! Ports `JobLogReportHelper`. Better on purpose: days that are over are counted every ten minutes and not each minute; no
//! count reads a whole day again (see `day_counts`); the clean-up lets everybody else through; and an error in it ends
//! neither the loop nor the reports.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::day_counts::DayCounts;
use super::pause;
use crate::clock::{SharedClock, Zone};
use crate::config::Profile;
use crate::config::Release;
use crate::model::EpochMs;
use crate::store::{Removal, Result, Store};

const RHYTHM: Duration = Duration::from_mins(1);
/// Time between two clean-ups.
const CLEAN_EVERY_MS: i64 = 24 * 3_600_000;
/// Time between two counts of days that are over.
const CLOSED_EVERY_MS: i64 = 10 * 60_000;

/// The report loop.
pub struct Report {
    store: Store,
    clock: SharedClock,
    zone: Zone,
    /// Days that logs are kept; none = for ever.
    keep_days: Option<i32>,
    writes_update_time: bool,
    cleaned: Option<EpochMs>,
    closed_counted: Option<EpochMs>,
    /// Today and the two days before.
    days: Vec<DayCounts>,
}

impl Report {
    /// A report by the days of this zone.
    pub fn new(store: Store, clock: SharedClock, zone: Zone, profile: &Profile, retention_days: i32) -> Self {
        Self {
            store,
            clock,
            zone,
            keep_days: (retention_days >= profile.shortest_retention_days).then_some(retention_days),
            writes_update_time: profile.release >= Release::V3_4,
            cleaned: None,
            closed_counted: None,
            days: Vec::new(),
        }
    }

    /// Rounds each minute until the token is cancelled.
    pub async fn run(&mut self, token: &CancellationToken) {
        loop {
            if let Err(error) = self.count().await {
                tracing::warn!("the day report could not be written and is tried again: {error}");
            }
            if let Err(error) = self.clean(token).await {
                tracing::warn!("old logs could not be removed and are tried again: {error}");
            }
            if !pause(&self.clock, RHYTHM, token).await {
                return;
            }
        }
    }

    /// Counts today and, now and then, the two days before.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn count(&mut self) -> Result<()> {
        let now = self.clock.now_ms();
        let today = self.zone.day_start(now, 0);
        let closed = self.closed_counted.is_none_or(|at| now - at >= CLOSED_EVERY_MS || at < today);
        let oldest = self.zone.day_start(now, -2);
        self.days.retain(|counts| counts.day() >= oldest);
        for back in 0..=(if closed { 2 } else { 0 }) {
            let day = self.zone.day_start(now, -back);
            let end = self.zone.day_start(now, 1 - back) - 1;
            let count = counts_of(&mut self.days, day, end).count(&self.store, now).await?;
            self.store.save_day(day, count, self.writes_update_time.then_some(now)).await?;
        }
        if closed {
            self.closed_counted = Some(now);
        }
        Ok(())
    }

    /// Removes old logs, once a day.
    ///
    /// # Errors
    /// When the database does not answer; what was removed until then stays removed.
    pub async fn clean(&mut self, token: &CancellationToken) -> Result<()> {
        let now = self.clock.now_ms();
        let Some(keep) = self.keep_days else { return Ok(()) };
        if self.cleaned.is_some_and(|at| now - at <= CLEAN_EVERY_MS) {
            return Ok(());
        }
        let cutoff = self.zone.day_start(now, -i64::from(keep));
        let removal = self.store.remove_logs(0, 0, Removal::Until(cutoff));
        let Some(removed) = token.run_until_cancelled(removal).await else { return Ok(()) };
        let removed = removed?;
        self.cleaned = Some(now);
        if removed > 0 {
            tracing::info!(removed, keep_days = keep, "old logs were removed");
        }
        Ok(())
    }
}

fn counts_of(days: &mut Vec<DayCounts>, day: EpochMs, end: EpochMs) -> &mut DayCounts {
    let at = days.iter().position(|counts| counts.day() == day).unwrap_or_else(|| {
        days.push(DayCounts::new(day, end));
        days.len() - 1
    });
    &mut days[at]
}
