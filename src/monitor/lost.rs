//! Runs whose result will never come, because their executor is gone.
//!
//! Ports the lost-job loop of `JobCompleteHelper`. Better on purpose: before a run is marked, its address is asked once
//! whether it still works on the job, since an executor behind a load balancer or entered by hand is never registered
//! under the address that was called; and a result that arrives just now is not overwritten.
//!
//! What is read: the runs of the last minutes, and the runs before them that were open when they were settled (see
//! `open_runs`); nothing that has ended is looked at again. Every half hour, and first of all, all runs without a result
//! are looked at anew, in pages, for what the memory cannot know. Nobody waits longer for it than that half hour.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::open_runs::OpenRuns;
use super::pause;
use crate::clock::SharedClock;
use crate::complete::Complete;
use crate::model::{EpochMs, JobLog};
use crate::protocol::{SharedExecutors, Target};
use crate::store::{Result, RunState, Store};

/// What a busy executor says to an idle beat.
const BUSY: &str = "running or has trigger queue";

/// Time between two looks at all runs without a result.
const ALL_EVERY_MS: i64 = 1_800_000;

/// Which runs are looked at.
#[derive(Debug, Default)]
pub struct LostSearch {
    open: OpenRuns,
    all_looked: Option<EpochMs>,
}

impl LostSearch {
    async fn find(&mut self, store: &Store, now: EpochMs, before: EpochMs) -> Result<Vec<JobLog>> {
        self.open.advance(store, now).await?;
        // Before anything is settled, all runs are "above": that is the first look at all.
        if self.open.settled() > 0 && self.all_looked.is_none_or(|at| now - at >= ALL_EVERY_MS) {
            self.open.read_again(store).await?;
            self.all_looked = Some(now);
        }
        self.open.look(store, RunState::is_open).await?;
        let mut lost = store.lost_among(&self.open.ids(), before).await?;
        lost.append(&mut store.lost_above(self.open.settled(), before).await?);
        Ok(lost)
    }
}

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
    /// Which runs are looked at.
    pub search: Mutex<LostSearch>,
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
        let now = self.clock.now_ms();
        let before = now - self.lost_after.as_millis() as i64;
        let runs = self.search.lock().await.find(&self.store, now, before).await?;
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
