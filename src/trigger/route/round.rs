//! ROUND: one address after the other.

use rand::RngExt as _;

use super::per_job::PerJob;
use crate::model::EpochMs;

/// Mirrors `ExecutorRouteRound`: a counter for each job, which starts anywhere so that jobs do not all start at the same
/// address.
#[derive(Debug, Default)]
pub(super) struct Round(PerJob<Option<u32>>);

/// A counter beyond this starts anew.
const LIMIT: u32 = 1_000_000;

impl Round {
    pub(super) fn choose<'a>(&self, job_id: i32, addresses: &'a [String], now_ms: EpochMs) -> Option<&'a str> {
        if addresses.is_empty() {
            return None;
        }
        let turn = self.0.with(job_id, now_ms, |counter| {
            let next = match *counter {
                Some(count) if count <= LIMIT => count + 1,
                _ => rand::rng().random_range(0..100),
            };
            *counter = Some(next);
            next
        });
        addresses.get(turn as usize % addresses.len()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_beyond_the_limit_starts_anew() {
        let (round, addresses) = (Round::default(), ["a".to_owned()]);
        round.0.with(1, 1, |counter| *counter = Some(LIMIT));
        round.choose(1, &addresses, 1);
        assert_eq!(round.0.with(1, 1, |counter| *counter), Some(LIMIT + 1));
        round.choose(1, &addresses, 1);
        assert!(round.0.with(1, 1, |counter| counter.is_some_and(|count| count < 100)));
    }
}
