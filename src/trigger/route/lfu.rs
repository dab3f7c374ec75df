//! `LEAST_FREQUENTLY_USED`: the address that this job used least often.

use std::collections::{HashMap, HashSet};

use rand::RngExt as _;

use super::per_job::PerJob;
use crate::model::EpochMs;

/// Mirrors `ExecutorRouteLFU`. Of equal counts the first in the list wins; in Java that order means nothing.
#[derive(Debug, Default)]
pub(super) struct Lfu(PerJob<Vec<Count>>);

/// How often an address was used, from a random start.
#[derive(Debug)]
struct Count {
    address: String,
    uses: u32,
}

/// A count beyond this starts anew.
const LIMIT: u32 = 1_000_000;

impl Lfu {
    pub(super) fn choose<'a>(&self, job_id: i32, addresses: &'a [String], now_ms: EpochMs) -> Option<&'a str> {
        if addresses.is_empty() {
            return None;
        }
        self.0.with(job_id, now_ms, |counts| {
            if !counts.iter().map(|count| &count.address).eq(addresses) {
                follow(counts, addresses);
            }
            for count in counts.iter_mut().filter(|count| count.uses > LIMIT) {
                count.uses = start(addresses.len());
            }
            let least = counts.iter_mut().min_by_key(|count| count.uses)?;
            least.uses += 1;
            addresses.iter().find(|address| **address == least.address).map(String::as_str)
        })
    }
}

/// Brings the counts in line with a list that changed: in its order, each address once, known ones with their counts.
fn follow(counts: &mut Vec<Count>, addresses: &[String]) {
    let known: HashMap<String, u32> = counts.drain(..).map(|count| (count.address, count.uses)).collect();
    let mut seen = HashSet::new();
    counts.extend(addresses.iter().filter(|address| seen.insert(*address)).map(|address| Count {
        address: address.clone(),
        uses: known.get(address).copied().unwrap_or_else(|| start(addresses.len())),
    }));
}

fn start(addresses: usize) -> u32 {
    rand::rng().random_range(0..u32::try_from(addresses).unwrap_or(u32::MAX).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_limit_start_anew() {
        let (lfu, addresses) = (Lfu::default(), ["a".to_owned(), "b".to_owned()]);
        lfu.choose(1, &addresses, 1);
        lfu.0.with(1, 1, |counts| counts.iter_mut().for_each(|count| count.uses = LIMIT + 1));
        lfu.choose(1, &addresses, 1);
        lfu.0.with(1, 1, |counts| assert!(counts.iter().all(|count| count.uses <= 2)));
    }

    #[test]
    fn addresses_that_stay_keep_their_counts() {
        let lfu = Lfu::default();
        let list = |names: [&str; 2]| names.map(str::to_owned);
        lfu.choose(1, &list(["a", "b"]), 1);
        lfu.0.with(1, 1, |counts| counts.iter_mut().for_each(|count| count.uses = 50));
        assert_eq!(lfu.choose(1, &list(["b", "c"]), 1), Some("c"));
        lfu.0.with(1, 1, |counts| {
            let left: Vec<_> = counts.iter().map(|count| count.address.as_str()).collect();
            assert_eq!(left, ["b", "c"]);
            assert_eq!(counts[0].uses, 50);
        });
    }

    #[test]
    fn an_address_that_is_listed_twice_counts_once() {
        let (lfu, twice) = (Lfu::default(), ["a", "a", "b"].map(str::to_owned));
        lfu.choose(1, &twice, 1);
        lfu.0.with(1, 1, |counts| counts.iter_mut().for_each(|count| count.uses = 0));
        let chosen: Vec<_> = (0..4).filter_map(|_| lfu.choose(1, &twice, 1)).collect();
        assert_eq!(chosen, ["a", "b", "a", "b"]);
    }
}
