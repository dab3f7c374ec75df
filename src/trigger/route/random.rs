//! RANDOM: any address, all alike.

use rand::seq::IndexedRandom as _;

/// Mirrors `ExecutorRouteRandom`.
pub(super) fn choose(addresses: &[String]) -> Option<&str> {
    addresses.choose(&mut rand::rng()).map(String::as_str)
}
