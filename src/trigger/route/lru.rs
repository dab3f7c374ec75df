//! `LEAST_RECENTLY_USED`: the address that this job has not used for the longest time.

use std::collections::{HashSet, VecDeque};

use super::per_job::PerJob;
use crate::model::EpochMs;

/// Mirrors `ExecutorRouteLRU`: new addresses go to the end in the order of the list, the eldest is taken and goes there
/// too.
#[derive(Debug, Default)]
pub(super) struct Lru(PerJob<Uses>);

#[derive(Debug, Default)]
struct Uses {
    /// The list that `order` follows.
    list: Vec<String>,
    /// Its addresses, each once, the one not used for the longest time first.
    order: VecDeque<String>,
}

impl Lru {
    pub(super) fn choose<'a>(&self, job_id: i32, addresses: &'a [String], now_ms: EpochMs) -> Option<&'a str> {
        if addresses.is_empty() {
            return None;
        }
        self.0.with(job_id, now_ms, |uses| {
            if uses.list != addresses {
                uses.follow(addresses);
            }
            uses.order.rotate_left(1);
            let used = uses.order.back()?;
            addresses.iter().find(|address| *address == used).map(String::as_str)
        })
    }
}

impl Uses {
    fn follow(&mut self, addresses: &[String]) {
        let wanted: HashSet<&String> = addresses.iter().collect();
        self.order.retain(|address| wanted.contains(address));
        let mut known: HashSet<String> = self.order.iter().cloned().collect();
        self.order.extend(addresses.iter().filter(|address| known.insert((*address).clone())).cloned());
        self.list = addresses.to_vec();
    }
}
