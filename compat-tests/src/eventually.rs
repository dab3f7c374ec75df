//! Waiting for an event by asking again until a deadline.
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::time::{Instant, sleep};

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Calls `probe` until it is content (`Ok`) and hands on what it found; an `Err` means "not yet".
///
/// # Errors
/// The last answer of `probe`, when `within` has passed.
pub async fn eventually<T>(what: &str, within: Duration, mut probe: impl AsyncFnMut() -> Result<T>) -> Result<T> {
    let deadline = Instant::now() + within;
    loop {
        match probe().await {
            Err(not_yet) if Instant::now() < deadline => {
                drop(not_yet);
                sleep(PAUSE).await;
            }
            last => return last.with_context(|| format!("not within {within:?}: {what}")),
        }
    }
}
