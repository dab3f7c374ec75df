//! `CONSISTENT_HASH`: a job keeps its address, and most jobs keep theirs when an address comes or goes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use md5::{Digest as _, Md5};

/// Places that each address takes on the ring.
const NODES_PER_ADDRESS: u32 = 100;

/// Rings that are kept. More address lists than this are hardly in use at once; when they are, all rings are made anew.
const KEPT: usize = 256;

/// Mirrors `ExecutorRouteConsistentHash` to the bit: beside a Java admin a job must not hop between executors with
/// whoever fires it. Java makes the ring anew for every run (100 digests an address); the rings of lists that come again
/// are kept here.
#[derive(Debug, Default)]
pub(super) struct Rings(Mutex<HashMap<Vec<String>, Arc<Ring>>>);

impl Rings {
    pub(super) fn choose<'a>(&self, job_id: i32, addresses: &'a [String]) -> Option<&'a str> {
        addresses.get(self.ring(addresses).index_of(job_id)?).map(String::as_str)
    }

    fn ring(&self, addresses: &[String]) -> Arc<Ring> {
        if let Some(ring) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(addresses) {
            return ring.clone();
        }
        let ring = Arc::new(Ring::of(addresses));
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(addresses.to_vec(), ring.clone());
        ring
    }
}

/// The places of all addresses in ascending order of their hashes: (hash, index of the address).
#[derive(Debug)]
struct Ring(Vec<(u32, usize)>);

impl Ring {
    fn of(addresses: &[String]) -> Self {
        let mut places: Vec<(u32, usize)> = addresses
            .iter()
            .enumerate()
            .flat_map(|(index, address)| {
                (0..NODES_PER_ADDRESS).map(move |node| (hash(&format!("SHARD-{address}-NODE-{node}")), index))
            })
            .collect();
        // Of equal hashes the one that was put last counts: reversed, the stable sort brings it to the front.
        places.reverse();
        places.sort_by_key(|(hash, _)| *hash);
        places.dedup_by_key(|(hash, _)| *hash);
        Self(places)
    }

    /// The first place at or after the job's hash, else the first of all; none when there are no addresses.
    fn index_of(&self, job_id: i32) -> Option<usize> {
        let hash = hash(&job_id.to_string());
        let at = self.0.partition_point(|(place, _)| *place < hash);
        self.0.get(at).or_else(|| self.0.first()).map(|(_, index)| *index)
    }
}

/// The first four bytes of the MD5 digest, the first one least significant.
fn hash(text: &str) -> u32 {
    let digest = Md5::digest(text.as_bytes());
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<String> {
        (1..=3).map(|octet| format!("http://10.0.0.{octet}:9999/")).collect()
    }

    #[test]
    fn hashes_are_those_of_the_java_class() {
        for (text, expected) in [
            ("1", 943_901_380),
            ("2", 2_373_066_440),
            ("3", 2_127_088_620),
            ("42", 3_905_343_649),
            ("1000", 1_891_284_905),
            ("123456", 970_722_017),
            ("SHARD-http://10.0.0.1:9999/-NODE-0", 3_725_898_238),
            ("SHARD-http://10.0.0.3:9999/-NODE-99", 2_238_008_246),
        ] {
            assert_eq!(hash(text), expected, "{text}");
        }
    }

    #[test]
    fn jobs_go_where_the_java_class_sends_them() {
        let (rings, addresses) = (Rings::default(), three());
        let placed = [
            (1, 3),
            (2, 3),
            (3, 1),
            (4, 3),
            (5, 1),
            (6, 3),
            (7, 2),
            (8, 2),
            (9, 1),
            (10, 1),
            (42, 2),
            (100, 3),
            (1000, 3),
            (123_456, 1),
        ];
        for (job, octet) in placed {
            assert_eq!(rings.choose(job, &addresses), Some(addresses[octet - 1].as_str()), "job {job}");
        }
    }

    #[test]
    fn ten_thousand_jobs_spread_as_with_the_java_class() {
        let ring = Ring::of(&three());
        let mut counts = [0; 3];
        for job in 1..=10_000 {
            counts[ring.index_of(job).expect("three addresses")] += 1;
        }
        assert_eq!(counts, [3215, 3315, 3470]);
    }

    #[test]
    fn the_later_of_equal_places_counts() {
        let twice = ["a".to_owned(), "a".to_owned()];
        let ring = Ring::of(&twice);
        assert_eq!(ring.0.len(), NODES_PER_ADDRESS as usize);
        assert!(ring.0.iter().all(|(_, index)| *index == 1));
    }

    #[test]
    fn kept_rings_are_bounded() {
        let rings = Rings::default();
        for port in 0..=2 * KEPT {
            rings.choose(1, &[format!("http://a:{port}/")]);
            assert!(rings.0.lock().expect("not poisoned").len() <= KEPT);
        }
    }
}
