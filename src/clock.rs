//! Time as something handed in: the instant, the zones, and sleeping until an instant.
//!
//! Nothing else in the program reads the machine's clock, so a test can hold every loop in its hand.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use tokio::sync::watch;

use crate::model::EpochMs;

/// A source of time.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now_ms(&self) -> EpochMs;
    /// Ends when the clock has reached the instant; at once when it already has.
    fn sleep_until(&self, at: EpochMs) -> BoxFuture<'_, ()>;
}

/// A clock that is handed around.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's wall clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> EpochMs {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        since.as_millis() as EpochMs
    }

    /// Sleeps in slices of at most one second and looks at the wall clock again, so that a clock that was set or a
    /// machine that was suspended cannot shift a fire by more than that.
    fn sleep_until(&self, at: EpochMs) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let left = at - self.now_ms();
                if left <= 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(left.min(1000) as u64)).await;
            }
        })
    }
}

/// A clock that stands still until it is told to go on; for tests.
#[derive(Debug)]
pub struct ManualClock {
    now: watch::Sender<EpochMs>,
}

impl ManualClock {
    /// A clock that shows this instant.
    pub fn at(now: EpochMs) -> Self {
        Self { now: watch::Sender::new(now) }
    }

    /// Moves the clock on and wakes every sleeper whose time has come.
    pub fn advance(&self, ms: i64) {
        self.now.send_modify(|now| *now += ms);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> EpochMs {
        *self.now.borrow()
    }

    fn sleep_until(&self, at: EpochMs) -> BoxFuture<'_, ()> {
        let mut now = self.now.subscribe();
        Box::pin(async move {
            // An error means that the clock itself is gone, and with it whoever could wake the sleeper.
            if now.wait_for(|now| *now >= at).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

/// A time zone with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    name: String,
    tz: TimeZone,
}

impl Zone {
    /// UTC.
    pub fn utc() -> Self {
        Self { name: "UTC".into(), tz: TimeZone::UTC }
    }

    /// A zone of the embedded IANA database or a fixed offset under a name of its own.
    pub fn new(name: impl Into<String>, tz: TimeZone) -> Self {
        Self { name: name.into(), tz }
    }

    /// The name as configured.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules.
    pub const fn tz(&self) -> &TimeZone {
        &self.tz
    }

    /// Wall time of an instant. Instants beyond the years −9999…9999 give the nearest end of that range.
    pub fn wall(&self, at: EpochMs) -> DateTime {
        let at = at.clamp(-377_705_023_201_000, 253_402_207_200_999);
        self.tz.to_datetime(Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH))
    }

    /// Instant of a wall time. In an overlap the first pass counts, in a gap the time is moved on by its length, as
    /// `java.util.Calendar` does when it reads a column.
    pub fn instant(&self, wall: DateTime) -> EpochMs {
        self.tz.to_ambiguous_zoned_datetime(wall).compatible().map_or(0, |zoned| zoned.timestamp().as_millisecond())
    }

    /// 00:00 of the day that the instant falls in, plus so many days.
    pub fn day_start(&self, at: EpochMs, plus_days: i64) -> EpochMs {
        let day = self.wall(at).date();
        let day = day.checked_add(jiff::Span::new().days(plus_days)).unwrap_or(day);
        self.instant(day.at(0, 0, 0, 0))
    }

    /// `yyyy-MM-dd HH:mm:ss` of an instant.
    pub fn format(&self, at: EpochMs) -> String {
        self.wall(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shanghai() -> Zone {
        Zone::new("Asia/Shanghai", TimeZone::get("Asia/Shanghai").expect("embedded zone"))
    }

    #[test]
    fn wall_time_goes_there_and_back() {
        let at = 1_796_070_773_121;
        assert_eq!(shanghai().format(at), "2026-12-01 04:32:53");
        assert_eq!(shanghai().instant(shanghai().wall(at)), at);
        assert_eq!(shanghai().format(shanghai().day_start(at, -1)), "2026-11-30 00:00:00");
    }

    #[tokio::test]
    async fn a_manual_clock_wakes_sleepers_in_time() {
        let clock = Arc::new(ManualClock::at(1_000));
        clock.sleep_until(1_000).await;
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep_until(1_500).await }
        });
        clock.advance(499);
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        clock.advance(1);
        sleeper.await.expect("the sleeper wakes");
    }
}
