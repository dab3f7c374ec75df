//! FIRST: the first address.

/// Mirrors `ExecutorRouteFirst`.
pub(super) fn choose(addresses: &[String]) -> Option<&str> {
    addresses.first().map(String::as_str)
}
