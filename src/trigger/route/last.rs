//! LAST: the last address.

/// Mirrors `ExecutorRouteLast`.
pub(super) fn choose(addresses: &[String]) -> Option<&str> {
    addresses.last().map(String::as_str)
}
