//! How often programs may make job calls: one bucket of permits an app name.
//!
//! As in 3.5 a bucket holds 100 permits and fills up in 30 seconds; whoever finds it empty waits up to a second for the
//! next permit. Better on purpose: one app name cannot use up what the others need.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::clock::SharedClock;
use crate::model::EpochMs;

/// Permits of a full bucket.
const PERMITS: i64 = 100;
/// Time in which an empty bucket fills up.
const PERIOD_MS: i64 = 30_000;
/// Time in which one permit comes.
const EACH_MS: i64 = PERIOD_MS / PERMITS;
/// Longest wait for a permit.
const PATIENCE_MS: i64 = 1_000;
/// Buckets that are kept; when there are more, the full ones go, for a new one is full as well.
const KEPT: usize = 1_000;

/// The bucket of every app name that has made calls lately.
pub struct Buckets {
    clock: SharedClock,
    /// When each bucket is full again.
    full_at: Mutex<HashMap<String, EpochMs>>,
}

impl Buckets {
    /// No bucket has been used yet.
    pub fn new(clock: SharedClock) -> Self {
        Self { clock, full_at: Mutex::default() }
    }

    /// Takes a permit of this app name, perhaps after a short wait; tells whether there was one.
    pub async fn take(&self, app: &str) -> bool {
        let Some(at) = self.reserve(app) else { return false };
        self.clock.sleep_until(at).await;
        true
    }

    /// The instant at which a permit is there; none when that is too late, and then none is used up.
    fn reserve(&self, app: &str) -> Option<EpochMs> {
        let now = self.clock.now_ms();
        let mut buckets = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        // Never further ahead than calls can bring it: a clock that is set back must not lock anybody out.
        if let Some(full_at) = buckets.get_mut(app) {
            *full_at = (*full_at).clamp(now, now + PERIOD_MS + PATIENCE_MS);
        }
        let full_at = buckets.get(app).copied().unwrap_or(now) + EACH_MS;
        let at = full_at - PERIOD_MS;
        if at - now > PATIENCE_MS {
            return None;
        }
        if buckets.len() >= KEPT {
            buckets.retain(|_, full_at| *full_at > now);
        }
        buckets.insert(app.to_owned(), full_at);
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::clock::ManualClock;

    fn buckets() -> (Arc<ManualClock>, Buckets) {
        let clock = Arc::new(ManualClock::at(1_000_000));
        (clock.clone(), Buckets::new(clock))
    }

    /// Permits that are had without a wait.
    fn at_once(buckets: &Buckets, app: &str) -> usize {
        (0..1000).take_while(|_| buckets.take(app).now_or_never() == Some(true)).count()
    }

    #[tokio::test]
    async fn a_full_bucket_gives_a_hundred_at_once_and_three_after_a_wait() {
        let (clock, buckets) = buckets();
        assert_eq!((0..100).filter(|_| buckets.take("a").now_or_never() == Some(true)).count(), 100);
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(buckets.take("a"))).collect();
        assert!(waiting.iter_mut().all(|take| take.as_mut().now_or_never().is_none()));
        assert_eq!(buckets.take("a").now_or_never(), Some(false));
        for take in waiting {
            clock.advance(EACH_MS);
            assert_eq!(take.now_or_never(), Some(true));
        }
    }

    #[test]
    fn a_bucket_fills_up_again_but_not_over() {
        let (clock, buckets) = buckets();
        assert_eq!(at_once(&buckets, "a"), 100);
        // The hundred and first, who would have had to wait, has used one up as well.
        clock.advance(EACH_MS * 11);
        assert_eq!(at_once(&buckets, "a"), 10);
        clock.advance(PERIOD_MS * 10);
        assert_eq!(at_once(&buckets, "a"), 100);
    }

    #[test]
    fn each_app_has_its_own() {
        let (_, buckets) = buckets();
        assert_eq!(at_once(&buckets, "a"), 100);
        assert_eq!(at_once(&buckets, "b"), 100);
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let (clock, buckets) = buckets();
        let kept = || buckets.full_at.lock().expect("no panic").len();
        for n in 0..KEPT {
            assert_eq!(buckets.take(&n.to_string()).now_or_never(), Some(true));
        }
        assert_eq!(kept(), KEPT);
        clock.advance(PERIOD_MS);
        assert_eq!(buckets.take("new").now_or_never(), Some(true));
        assert_eq!(kept(), 1);
    }

    #[test]
    fn a_clock_that_is_set_back_locks_nobody_out_for_long() {
        let (clock, buckets) = buckets();
        assert_eq!(at_once(&buckets, "a"), 100);
        clock.advance(-3_600_000);
        assert_eq!(buckets.take("a").now_or_never(), Some(false));
        clock.advance(PERIOD_MS);
        assert!(at_once(&buckets, "a") > 90);
    }
}
