//! The schedule loop: under the lock row, claim everything that is due within five seconds.
//!
//! Ports the schedule thread of `JobScheduleHelper`, in the one safe order that works beside Java admins: begin, lock,
//! read, decide, one conditional update, the log rows, commit – and only then hand over what is to fire. A failure before
//! the commit has fired nothing and rolls back; when the outcome of the commit is unknown the database is asked which of
//! the claims are there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::decide::{Decision, PRE_READ_MS, decide};
use super::next_time::CronCache;
use super::ring::Ring;
use crate::clock::{SharedClock, Zone};
use crate::health::Health;
use crate::model::{EpochMs, TriggerType};
use crate::store::{Advance, Claim, ClaimedFire, DueJob, LockOutcome, NodeId, Result, Store};
use crate::trigger::TriggerHandle;

/// A wait for the lock that is worth a warning.
const LONG_WAIT: Duration = Duration::from_secs(2);
/// Where in a second the pass begins. Fires go out at the full second; half a second later database and machine are
/// quiet, and with a horizon of five seconds the difference is nobody's loss.
const PHASE_MS: i64 = 500;
/// Longest sleep while nothing is due. Jobs that are started meanwhile fire at least this far ahead.
const IDLE_SECONDS: i64 = 5;
/// Cron expressions kept parsed.
const PARSED: usize = 20_000;

/// What the loop works with.
pub struct Scan {
    /// The database.
    pub store: Store,
    /// Time.
    pub clock: SharedClock,
    /// Zone of cron expressions.
    pub zone: Zone,
    /// This node.
    pub node: NodeId,
    /// Numbers the batches of claims.
    pub batches: Arc<AtomicU64>,
    /// Jobs read in one pass.
    pub pre_read_count: i64,
    /// Rows in one write-back statement.
    pub batch_size: usize,
    /// Parsed expressions.
    pub cron: CronCache,
    /// Where fires wait for their second.
    pub ring: Arc<Ring>,
    /// Where fires go.
    pub triggers: TriggerHandle,
    /// Whom to tell how it goes.
    pub health: Health,
}

/// What a pass came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Nothing was due; the earliest known next time, if any.
    Idle(Option<EpochMs>),
    /// Something was claimed.
    Busy,
    /// As much was due as one pass reads: more may be.
    Full,
    /// The lock row is missing; nothing was claimed.
    NoLockRow,
}

/// Cache of parsed expressions for a loop.
pub fn cron_cache(flavour: crate::config::CronFlavour, max_year: i32) -> CronCache {
    CronCache::new(flavour, max_year, PARSED)
}

/// Fires of one pass that do not wait in the ring.
type Now = Vec<(ClaimedFire, TriggerType)>;

impl Scan {
    /// Passes each second, or each five while nothing is due, until the token is cancelled.
    pub async fn run(&mut self, token: &CancellationToken) {
        while !token.is_cancelled() {
            let began = self.clock.now_ms();
            let pass = match self.pass(token).await {
                Ok(pass) => Some(pass),
                Err(error) => {
                    tracing::warn!("the schedule pass failed and is tried again: {error}");
                    None
                }
            };
            let ended = self.clock.now_ms();
            if pass.is_some() {
                self.health.scan_ended(ended);
            }
            metrics::histogram!("xxl_scan_seconds").record((ended - began).max(0) as f64 / 1000.0);
            let in_phase = |seconds: i64| (ended - PHASE_MS).div_euclid(1000) * 1000 + PHASE_MS + seconds * 1000;
            let next = match pass {
                Some(Pass::Full) => continue,
                // As soon as the earliest comes into the window, so that a crowd due at one second is claimed in time.
                Some(Pass::Idle(earliest)) => {
                    let in_window = earliest.map_or(i64::MAX, |earliest| earliest - PRE_READ_MS);
                    in_window.clamp(in_phase(1), in_phase(IDLE_SECONDS))
                }
                Some(Pass::Busy | Pass::NoLockRow) | None => in_phase(1),
            };
            if token.run_until_cancelled(self.clock.sleep_until(next)).await.is_none() {
                return;
            }
        }
    }

    /// One pass. Public for tests that step through time.
    ///
    /// # Errors
    /// When the database failed; then nothing was claimed, or what was claimed has been handed over.
    pub async fn pass(&mut self, token: &CancellationToken) -> Result<Pass> {
        let asked = self.clock.now_ms();
        let Some(mut claim) = self.lock(token).await? else { return Ok(Pass::NoLockRow) };
        let now = self.clock.now_ms();
        metrics::histogram!("xxl_scan_lock_wait_seconds").record((now - asked).max(0) as f64 / 1000.0);

        let jobs = claim.due(now + PRE_READ_MS, self.pre_read_count).await?;
        if jobs.is_empty() {
            let earliest = claim.earliest_next().await?;
            claim.commit().await?;
            return Ok(Pass::Idle(earliest));
        }
        let decisions: Vec<(&DueJob, Decision)> = jobs.iter().map(|job| (job, self.decide(job, now))).collect();
        let (ahead, at_once) = self.write(&mut claim, &decisions, now).await?;
        match claim.commit().await {
            Ok(()) => self.hand_over(ahead, at_once).await,
            Err(error) => {
                tracing::warn!("the outcome of a claim's commit is unknown, asking: {error}");
                self.hand_over_survivors(ahead, at_once, token).await;
            }
        }
        Ok(if jobs.len() as i64 >= self.pre_read_count { Pass::Full } else { Pass::Busy })
    }

    /// Waits for the lock row, and says so when it takes long. None when the row is missing or the admin stops.
    async fn lock(&self, token: &CancellationToken) -> Result<Option<Box<Claim>>> {
        let wait = self.store.begin_claim();
        tokio::pin!(wait);
        let outcome = tokio::select! {
            biased;
            outcome = &mut wait => outcome,
            () = tokio::time::sleep(LONG_WAIT) => {
                tracing::warn!("waiting for the schedule lock for more than {} s: another admin holds it, or the \
                                database is away", LONG_WAIT.as_secs());
                match token.run_until_cancelled(wait).await {
                    Some(outcome) => outcome,
                    None => return Ok(None),
                }
            }
        };
        match outcome? {
            LockOutcome::Held(claim) => {
                self.health.lock_row(true);
                Ok(Some(claim))
            }
            LockOutcome::NoRow => {
                tracing::error!(
                    "the row schedule_lock of table xxl_job_lock is missing; nothing is scheduled until it is back, \
                     it is being put back now"
                );
                self.health.lock_row(false);
                self.store.put_lock_row().await?;
                Ok(None)
            }
        }
    }

    fn decide(&mut self, job: &DueJob, now: EpochMs) -> Decision {
        let (cron, zone) = (&mut self.cron, &self.zone);
        let decision =
            decide(job, now, |from| cron.next_time(&job.schedule_type, job.schedule_conf.as_deref(), from, zone));
        if let Some((strategy, late_ms)) = decision.missed {
            metrics::counter!("xxl_misfires_total", "strategy" => strategy.as_str()).increment(1);
            tracing::warn!(job.id = job.id, late_ms, strategy = strategy.as_str(), "a fire was missed");
        }
        match &decision.fault {
            Some(fault) => tracing::error!(job.id = job.id, "the schedule cannot be computed, the job stops: {fault}"),
            None if decision.next == 0 => tracing::info!(job.id = job.id, "the schedule has ended, the job stops"),
            None => {}
        }
        decision
    }

    /// Advances the jobs and writes the rows of their fires; what another admin's console changed meanwhile is left out.
    async fn write(
        &self,
        claim: &mut Claim,
        decisions: &[(&DueJob, Decision)],
        now: EpochMs,
    ) -> Result<(Vec<ClaimedFire>, Now)> {
        let advances: Vec<Advance> = decisions
            .iter()
            .map(|(job, decision)| Advance {
                id: job.id,
                read_next: job.next,
                last: decision.last,
                next: decision.next,
                status: decision.status(),
            })
            .collect();
        let ours = claim.advance(&advances, self.batch_size).await?;
        if ours.len() < advances.len() {
            tracing::info!(jobs = advances.len() - ours.len(), "jobs were changed during the pass and are left alone");
        }
        let of_ours = || decisions.iter().filter(|(job, _)| ours.contains(&job.id));
        let ahead: Vec<(i32, EpochMs)> =
            of_ours().flat_map(|(job, decision)| decision.ahead.iter().map(|due| (job.id, *due))).collect();
        let at_once: Vec<(i32, TriggerType)> =
            of_ours().filter_map(|(job, decision)| Some((job.id, decision.fire_now?))).collect();

        let ahead = claim.insert(&self.node, self.batches.fetch_add(1, Ordering::Relaxed), ahead).await?;
        let rows = at_once.iter().map(|(job_id, _)| (*job_id, now));
        let rows = claim.insert(&self.node, self.batches.fetch_add(1, Ordering::Relaxed), rows).await?;
        let types: std::collections::HashMap<i32, TriggerType> = at_once.into_iter().collect();
        let at_once = rows
            .into_iter()
            .map(|fire| (fire, types.get(&fire.job_id).copied().unwrap_or(TriggerType::Cron)))
            .collect();
        Ok((ahead, at_once))
    }

    async fn hand_over(&self, ahead: Vec<ClaimedFire>, at_once: Now) {
        self.ring.push(ahead);
        metrics::gauge!("xxl_ring_size").set(self.ring.len() as f64);
        self.triggers.fire(&at_once).await;
    }

    /// Hands over those claims that turn out to have been committed; asks until the database answers.
    async fn hand_over_survivors(&self, ahead: Vec<ClaimedFire>, at_once: Now, token: &CancellationToken) {
        let mut all = ahead.clone();
        all.extend(at_once.iter().map(|(fire, _)| *fire));
        let surviving = loop {
            match self.store.surviving_claims(&self.node, &all).await {
                Ok(surviving) => break surviving,
                Err(error) => tracing::warn!("cannot ask for the outcome of a claim yet: {error}"),
            }
            let pause = self.clock.now_ms() + 500;
            if token.run_until_cancelled(self.clock.sleep_until(pause)).await.is_none() {
                tracing::error!(fires = all.len(), "stopping without knowing whether these claims were committed");
                return;
            }
        };
        tracing::warn!(claims = all.len(), committed = surviving.len(), "the outcome of the claim is known now");
        let survives = |fire: &ClaimedFire| surviving.contains(&fire.log_id);
        let ahead = ahead.into_iter().filter(survives).collect();
        let at_once = at_once.into_iter().filter(|(fire, _)| survives(fire)).collect();
        self.hand_over(ahead, at_once).await;
    }
}
