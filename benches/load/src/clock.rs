//! The wall clock of this crate: the one place that reads it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Microseconds since 1970.
pub fn now_us() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as u64
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    now_us() / 1_000
}

/// The first whole second that lies at least `ahead` in the future, in ms.
pub fn whole_second_ahead(ahead: Duration) -> u64 {
    (now_us() + ahead.as_micros() as u64).div_ceil(1_000_000) * 1_000
}

/// Sleeps until the wall clock shows `at_ms`; returns at once when that has passed.
pub async fn sleep_until(at_ms: u64) {
    let wait = (at_ms * 1_000).saturating_sub(now_us());
    tokio::time::sleep(Duration::from_micros(wait)).await;
}
