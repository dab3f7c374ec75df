//! How the program feels: what the health pages and the readiness of a load balancer ask for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::model::EpochMs;
use crate::store::Store;

/// Longest time without the end of a schedule pass.
const SCAN_SILENCE_MS: i64 = 30_000;
/// Rhythm and time-out of the database probe.
const PROBE: Duration = Duration::from_secs(2);

/// What is asked of [`Health`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whether the last database probe succeeded.
    pub database: bool,
    /// Why schedules do not fire, if so.
    pub scheduler: Result<(), String>,
    /// Whether requests should be sent here: the database has answered, still does, and nobody is stopping us.
    pub ready: bool,
}

impl Report {
    /// Whether all is well.
    pub const fn is_up(&self) -> bool {
        self.database && self.scheduler.is_ok()
    }
}

/// What the parts of the program note about their health. Cheap to clone.
#[derive(Clone)]
pub struct Health {
    inner: Arc<Inner>,
}

struct Inner {
    clock: SharedClock,
    database: AtomicBool,
    lock_row: AtomicBool,
    scan_ended: AtomicI64,
    stopping: AtomicBool,
}

impl Health {
    /// A program that has just started and has reached its database.
    pub fn new(clock: SharedClock) -> Self {
        let scan_ended = AtomicI64::new(clock.now_ms());
        Self {
            inner: Arc::new(Inner {
                clock,
                database: AtomicBool::new(true),
                lock_row: AtomicBool::new(true),
                scan_ended,
                stopping: AtomicBool::new(false),
            }),
        }
    }

    /// A schedule pass has ended at this instant.
    pub fn scan_ended(&self, at: EpochMs) {
        self.inner.scan_ended.store(at, Ordering::Relaxed);
    }

    /// Whether the row that admins lock is there.
    pub fn lock_row(&self, present: bool) {
        self.inner.lock_row.store(present, Ordering::Relaxed);
    }

    /// The program is going to stop.
    pub fn stopping(&self) {
        self.inner.stopping.store(true, Ordering::Relaxed);
    }

    /// The present state.
    pub fn report(&self) -> Report {
        let inner = &self.inner;
        let database = inner.database.load(Ordering::Relaxed);
        let silence = inner.clock.now_ms() - inner.scan_ended.load(Ordering::Relaxed);
        let scheduler = if !inner.lock_row.load(Ordering::Relaxed) {
            Err("the row schedule_lock of table xxl_job_lock is missing".to_owned())
        } else if silence > SCAN_SILENCE_MS {
            Err(format!("no schedule pass has ended for {} s", silence / 1000))
        } else {
            Ok(())
        };
        Report { database, scheduler, ready: database && !inner.stopping.load(Ordering::Relaxed) }
    }

    /// Probes the database until the token is cancelled.
    pub async fn probe_database(&self, store: &Store, token: &CancellationToken) {
        loop {
            let up = matches!(tokio::time::timeout(PROBE, store.probe()).await, Ok(Ok(())));
            if self.inner.database.swap(up, Ordering::Relaxed) != up {
                if up {
                    tracing::info!("the database answers again");
                } else {
                    tracing::error!("the database does not answer");
                }
            }
            let wake = self.inner.clock.now_ms() + PROBE.as_millis() as i64;
            if token.run_until_cancelled(self.inner.clock.sleep_until(wake)).await.is_none() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn silence_of_the_scan_and_a_missing_lock_row_are_told() {
        let clock = Arc::new(ManualClock::at(1_000_000));
        let health = Health::new(clock.clone());
        assert!(health.report().is_up());
        clock.advance(30_001);
        assert_eq!(health.report().scheduler, Err("no schedule pass has ended for 30 s".into()));
        health.scan_ended(1_030_001);
        assert!(health.report().is_up());
        health.lock_row(false);
        assert!(!health.report().is_up() && health.report().ready);
        health.stopping();
        assert!(!health.report().ready);
    }
}
