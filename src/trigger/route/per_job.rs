//! What a strategy remembers about each job, forgotten as a whole once a day.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::model::EpochMs;

/// How long memories live. Java forgets all of them at once, so that nothing remains of jobs that are gone.
const LIFETIME_MS: i64 = 24 * 60 * 60 * 1000;

/// A memory for each job.
#[derive(Debug)]
pub(super) struct PerJob<T>(Mutex<Memories<T>>);

#[derive(Debug)]
struct Memories<T> {
    valid_until: EpochMs,
    of_jobs: HashMap<i32, T>,
}

impl<T> Default for PerJob<T> {
    fn default() -> Self {
        Self(Mutex::new(Memories { valid_until: 0, of_jobs: HashMap::new() }))
    }
}

impl<T: Default> PerJob<T> {
    /// Works on the memory of a job, an empty one when there is none. All memories are gone first when their day is over.
    pub(super) fn with<R>(&self, job_id: i32, now_ms: EpochMs, work: impl FnOnce(&mut T) -> R) -> R {
        // A panic between two statements of a strategy leaves a memory that is merely odd, so poison means nothing here.
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now_ms > memories.valid_until {
            memories.of_jobs = HashMap::new();
            memories.valid_until = now_ms.saturating_add(LIFETIME_MS);
        }
        work(memories.of_jobs.entry(job_id).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_forgotten_after_a_day() {
        let memory = PerJob::<u32>::default();
        let start = 1_796_070_773_121;
        for job in 0..1000 {
            memory.with(job, start, |count| *count += 1);
        }
        assert_eq!(memory.with(7, start + LIFETIME_MS, |count| *count), 1);
        assert_eq!(memory.with(7, start + LIFETIME_MS + 1, |count| *count), 0);
        assert_eq!(memory.0.lock().expect("not poisoned").of_jobs.len(), 1);
    }
}
