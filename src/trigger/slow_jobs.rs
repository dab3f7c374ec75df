//! Which jobs belong into the slow lane: those with more than ten triggers of over 500 ms in the running minute.
//!
//! Ports the rule of `JobTriggerPoolHelper`, with its order of steps: a finished trigger first empties the counts when
//! the minute has changed, then counts itself; the clock alone changes nothing.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::slots::Lane;
use crate::model::EpochMs;

const SLOW_MS: i64 = 500;
const SLOW_TRIGGERS: u32 = 10;
const MINUTE_MS: i64 = 60_000;

/// Counts of slow triggers.
#[derive(Debug, Default)]
pub struct SlowJobs {
    counts: Mutex<(i64, HashMap<i32, u32>)>,
}

impl SlowJobs {
    /// The lane for a trigger of this job.
    pub fn lane(&self, job_id: i32) -> Lane {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.1.get(&job_id).is_some_and(|count| *count > SLOW_TRIGGERS) { Lane::Slow } else { Lane::Fast }
    }

    /// A trigger of this job has ended; it took so long, waiting not counted.
    pub fn finished(&self, job_id: i32, took_ms: i64, now: EpochMs) {
        let minute = now / MINUTE_MS;
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.0 != minute {
            *counts = (minute, HashMap::new());
        }
        if took_ms > SLOW_MS {
            *counts.1.entry(job_id).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twelfth_trigger_after_eleven_slow_ones_goes_slow() {
        let jobs = SlowJobs::default();
        for done in 0..11 {
            assert_eq!(jobs.lane(1), Lane::Fast, "after {done}");
            jobs.finished(1, 501, 1_000);
        }
        assert_eq!(jobs.lane(1), Lane::Slow);
        assert_eq!(jobs.lane(2), Lane::Fast);
        jobs.finished(1, 500, 59_999);
        assert_eq!(jobs.lane(1), Lane::Slow);
        jobs.finished(2, 10, 60_000);
        assert_eq!(jobs.lane(1), Lane::Fast);
    }
}
