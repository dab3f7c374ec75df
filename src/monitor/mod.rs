//! The loops that watch over runs and nodes.

pub mod day_counts;
pub mod failed;
pub mod failed_search;
pub mod lost;
pub mod open_runs;
pub mod recovery;
pub mod report;

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;

/// Sleeps for the rhythm of a loop, a little longer each time, so that the nodes of a cluster do not all come at the same
/// second. `false`: the token was cancelled.
async fn pause(clock: &SharedClock, rhythm: Duration, token: &CancellationToken) -> bool {
    let rhythm = rhythm.as_millis() as i64;
    let wake = clock.now_ms() + rhythm + rand::random_range(0..=rhythm / 20);
    token.run_until_cancelled(clock.sleep_until(wake)).await.is_some()
}
