//! Runs whose result will never come, because their executor is gone.
//!
//! Ports the lost-job loop of `JobCompleteHelper`. Better on purpose: before a run is marked, its address is asked once
//! whether it still works on the job, since an executor behind a load balancer or entered by hand is never registered
//! under the address that was called; and a result that arrives just now is not overwritten.

use std::collections::HashMap;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::pause;
use crate::clock::SharedClock;
use crate::complete::Complete;
use crate::model::JobLog;
use crate::protocol::{SharedExecutors, Target};
use crate::store::{Result, Store};

/// What a busy executor says to an idle beat.
const BUSY: &str = "running or has trigger queue";

/// The search for lost results.
pub struct LostMonitor {
    /// The database.
    pub store: Store,
    /// Time.
    pub clock: SharedClock,
    /// The executors.
    pub executors: SharedExecutors,
    /// Where results are handed in.
    pub complete: Complete,
    /// Age at which a run without a result is looked into.
    pub lost_after: Duration,
}

impl LostMonitor {
    /// Rounds in this rhythm until the token is cancelled.
    pub async fn run(&self, rhythm: Duration, token: &CancellationToken) {
        loop {
            if let Err(error) = self.round().await {
                tracing::warn!("lost results could not be sought and are sought again: {error}");
            }
            if !pause(&self.clock, rhythm, token).await {
                return;
            }
        }
    }

    /// Marks what is lost; gives how many runs.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn round(&self) -> Result<usize> {
        let before = self.clock.now_ms() - self.lost_after.as_millis() as i64;
        let runs = self.store.lost_runs(before).await?;
        let mut busy: HashMap<(String, i32), bool> = HashMap::new();
        let mut lost = Vec::new();
        for run in &runs {
            let key = (run.executor_address.clone().unwrap_or_default(), run.job_id);
            let is_busy = if let Some(known) = busy.get(&key) {
                *known
            } else {
                let answer = self.is_busy(run, &key.0).await?;
                busy.insert(key, answer);
                answer
            };
            if !is_busy {
                lost.push(run.id);
            }
        }
        for id in &lost {
            tracing::warn!(log.id = id, "the result of a run is lost, it is marked as failed");
        }
        self.complete.lost(&lost).await?;
        Ok(lost.len())
    }

    async fn is_busy(&self, run: &JobLog, address: &str) -> Result<bool> {
        if address.is_empty() {
            return Ok(false);
        }
        let group = self.store.find_group(run.job_group).await?;
        let app_name = group.map(|group| group.app_name).unwrap_or_default();
        let answer = self.executors.idle_beat(Target { address, app_name: &app_name }, run.job_id).await;
        Ok(!answer.is_success() && answer.answered && answer.msg.is_some_and(|msg| msg.contains(BUSY)))
    }
}
