//! Fires that a dead node of ours left: found by their marks, counted, said and ended.
//!
//! The Java admin loses what it had claimed when it dies, without a trace. Here each claimed fire has a row with the mark
//! of its node; a row whose node no longer beats is a fire that was lost (*claimed*) or whose outcome is unknown (*taken*),
//! and its row says so from then on.

use std::collections::HashSet;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::pause;
use crate::clock::SharedClock;
use crate::i18n::{Key, Locale, text};
use crate::model::{EpochMs, JobLog, NODE_GROUP, RegistryEntry};
use crate::protocol::CallResult;
use crate::store::{Mark, NodeId, Result, Store};

/// Rhythm of a node's beat.
pub const BEAT: Duration = Duration::from_secs(5);
/// Rhythm of the search.
const RHYTHM: Duration = Duration::from_secs(10);
/// How far back the first search after a start looks.
const LOOK_BACK_MS: i64 = 7 * 24 * 3_600_000;

/// This node and its watch over the others.
pub struct Recovery {
    store: Store,
    clock: SharedClock,
    node: NodeId,
    /// `host:port`, for people.
    address: String,
    grace: Duration,
    locale: Locale,
    /// Rows up to this id are settled.
    settled: i64,
}

impl Recovery {
    /// The watch of this node, which is reached at `address`.
    pub fn new(
        store: Store,
        clock: SharedClock,
        node: NodeId,
        address: String,
        grace: Duration,
        locale: Locale,
    ) -> Self {
        Self { store, clock, node, address, grace, locale, settled: 0 }
    }

    fn entry(&self) -> RegistryEntry {
        RegistryEntry {
            group: NODE_GROUP.into(),
            key: self.node.as_str().into(),
            value: self.address.clone(),
            update_time: None,
        }
    }

    /// Says that this node lives.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn beat(&self) -> Result<()> {
        self.store.beat(&[self.entry()], self.clock.now_ms()).await.map(drop)
    }

    /// Takes this node's beat back: it stops, and has left nothing.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn leave(&self) -> Result<()> {
        let entry = self.entry();
        self.store.remove_entry(&entry.group, &entry.key, &entry.value).await.map(drop)
    }

    /// Beats until the token is cancelled.
    pub async fn run_beat(&self, token: &CancellationToken) {
        loop {
            if let Err(error) = self.beat().await {
                tracing::warn!("this node's beat could not be written: {error}");
            }
            let wake = self.clock.now_ms() + BEAT.as_millis() as i64;
            if token.run_until_cancelled(self.clock.sleep_until(wake)).await.is_none() {
                return;
            }
        }
    }

    /// Searches until the token is cancelled.
    pub async fn run(&mut self, token: &CancellationToken) {
        loop {
            if let Err(error) = self.round().await {
                tracing::warn!("fires of dead nodes could not be sought and are sought again: {error}");
            }
            if !pause(&self.clock, RHYTHM, token).await {
                return;
            }
        }
    }

    /// Ends what dead nodes left; gives how many fires.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn round(&mut self) -> Result<usize> {
        let now = self.clock.now_ms();
        let newest = self.store.newest_log().await?;
        let grace = self.grace.as_millis() as i64;
        let alive: HashSet<String> =
            self.store.live_entries(NODE_GROUP, now - grace).await?.into_iter().map(|entry| entry.key).collect();
        let runs = self.store.marked_runs(self.settled, now - LOOK_BACK_MS).await?;
        let mut ended = 0;
        // Ids of transactions that are not committed yet may be lower than the newest that is.
        let mut settled = newest - IN_FLIGHT;
        for run in &runs {
            let Some(mark) = run.trigger_msg.as_deref().and_then(Mark::parse) else { continue };
            let dead = *mark.node() != self.node && !alive.contains(mark.node().as_str());
            if !dead || run.trigger_time.is_some_and(|due| due > now) {
                settled = settled.min(run.id - 1);
            } else if self.end(run, &mark, now).await? {
                ended += 1;
            }
        }
        if runs.len() >= Store::MARKED_PAGE {
            settled = settled.min(runs.last().map_or(settled, |run| run.id));
        }
        self.settled = self.settled.max(settled);
        Ok(ended)
    }

    async fn end(&self, run: &JobLog, mark: &Mark, now: EpochMs) -> Result<bool> {
        let due = run.trigger_time.unwrap_or(now);
        let (reason, key) = match mark {
            Mark::Claimed(_) => ("claimed", Key::OwnFireLeft),
            Mark::Taken(_) => ("taken", Key::OwnOutcomeUnknown),
        };
        let text = format!("{} [{}]", text(self.locale, key), mark.node());
        if !self.store.end_marked(run, CallResult::FAIL, &text).await? {
            return Ok(false);
        }
        metrics::counter!("xxl_fires_lost_total", "reason" => reason).increment(1);
        tracing::error!(
            job.id = run.job_id,
            log.id = run.id,
            node = mark.node().as_str(),
            late_ms = now - due,
            "a fire of a node that died is lost ({reason})"
        );
        Ok(true)
    }
}

/// Newest rows that are looked at again each time.
const IN_FLIGHT: i64 = 10_000;
