//! The ring's second hand: at each full second hands over what is due.
//!
//! Ports the ring thread of `JobScheduleHelper`.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::ring::Ring;
use crate::clock::SharedClock;
use crate::model::TriggerType;
use crate::trigger::TriggerHandle;

/// Longest wait for the ring to run empty at a stop: a claim is at most five seconds ahead.
const DRAIN: Duration = Duration::from_secs(8);

/// Ticks until the token is cancelled, then on until the ring is empty.
pub async fn run(ring: &Arc<Ring>, clock: &SharedClock, triggers: &TriggerHandle, stop: &CancellationToken) {
    let mut give_up_at = None;
    loop {
        let next = (clock.now_ms().div_euclid(1000) + 1) * 1000;
        if give_up_at.is_none() {
            if stop.run_until_cancelled(clock.sleep_until(next)).await.is_none() {
                give_up_at = Some(clock.now_ms() + DRAIN.as_millis() as i64);
                tracing::info!(fires = ring.len(), "stopping: the ring runs empty");
            }
        } else {
            clock.sleep_until(next).await;
        }
        let due: Vec<_> = ring.tick(clock.now_ms()).into_iter().map(|fire| (fire, TriggerType::Cron)).collect();
        if !due.is_empty() {
            triggers.fire(&due).await;
        }
        metrics::gauge!("xxl_ring_size").set(ring.len() as f64);
        if let Some(give_up_at) = give_up_at
            && (ring.is_empty() || clock.now_ms() >= give_up_at)
        {
            return;
        }
    }
}
