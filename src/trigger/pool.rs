//! Fires on their way to the executors: accepted, loaded, given a log row, handed to tasks.
//!
//! Ports `JobTriggerPoolHelper`. Better on purpose: a fire is a task and no thread, the queue has one stated limit at
//! which callers wait, and nothing that was accepted is dropped: whatever happens to it ends in its log row. A stop
//! finishes what is queued.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::fire::Fire;
use super::route::Router;
use super::slots::Slots;
use super::slow_jobs::SlowJobs;
use super::writers::{WriterTask, Writers, writers};
use crate::clock::SharedClock;
use crate::config::Profile;
use crate::config::settings::{Glue, Settings, Trigger};
use crate::i18n::{self, Key, Locale};
use crate::model::{EpochMs, JobGroup, JobInfo, Shard, TriggerType};
use crate::protocol::SharedExecutors;
use crate::store::{ClaimedFire, Error, NewRun, NodeId, Store, TriggerResult};

/// Fires loaded by one pair of statements.
const LOAD: usize = 500;

/// A run to be started for another reason than the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The job.
    pub job_id: i32,
    /// Why.
    pub trigger_type: TriggerType,
    /// Retries left; none = as many as the job has.
    pub retry: Option<i32>,
    /// The one part of a broadcast to run.
    pub shard: Option<Shard>,
    /// Parameter in place of the job's.
    pub param: Option<String>,
    /// Addresses, comma-separated, in place of the group's.
    pub addresses: Option<String>,
    /// Length of the chain of children that led here.
    pub depth: u32,
}

impl Start {
    /// A plain start of this job.
    pub const fn new(job_id: i32, trigger_type: TriggerType) -> Self {
        Self { job_id, trigger_type, retry: None, shard: None, param: None, addresses: None, depth: 0 }
    }

    /// The log row of this start.
    pub(super) fn run(&self, job: &JobInfo, trigger_time: EpochMs) -> NewRun {
        NewRun {
            job_group: job.job_group,
            job_id: job.id,
            handler: job.executor_handler.clone(),
            param: self.param.clone().or_else(|| job.executor_param.clone()),
            sharding: self.shard.map(|shard| shard.to_string()),
            retry: self.retry.unwrap_or(job.executor_fail_retry_count),
            trigger_time,
        }
    }
}

/// Why a manual run was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// There is no such job.
    #[error("there is no job {0}")]
    NoJob(i32),
    /// Too many fires wait already.
    #[error("{0} fires are waiting for their calls, as many as trigger.queue allows; try again later")]
    QueueFull(usize),
    /// The database did not take it.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
}

impl Refused {
    /// The sentence for whoever asked.
    pub fn tell(&self, locale: Locale) -> String {
        match self {
            Self::QueueFull(limit) => {
                i18n::format(i18n::text(locale, Key::OwnQueueFull), &[limit.to_string().as_str()])
            }
            other => other.to_string(),
        }
    }
}

/// What the parts of a trigger share.
pub(super) struct Pool {
    pub store: Store,
    pub clock: SharedClock,
    pub executors: SharedExecutors,
    pub router: Router,
    pub profile: Profile,
    pub locale: Locale,
    pub glue: Glue,
    pub admin_address: String,
    pub writers: Writers,
    pub slots: Slots,
    pub slow_jobs: SlowJobs,
    pub tracker: TaskTracker,
    pub give_up: CancellationToken,
    pub recovery_grace: Duration,
    limits: Trigger,
    queue: Arc<Semaphore>,
    /// Depth of child runs that are on their way, for results that arrive before the trigger message is written.
    depths: Mutex<HashMap<i64, u32>>,
}

/// Where fires are handed in. Cheap to clone.
#[derive(Clone)]
pub struct TriggerHandle {
    pub(super) pool: Arc<Pool>,
}

/// What triggers are made of.
pub struct Parts<'a> {
    /// The database.
    pub store: &'a Store,
    /// Time.
    pub clock: SharedClock,
    /// This node.
    pub node: &'a NodeId,
    /// The executors.
    pub executors: SharedExecutors,
    /// The settings.
    pub settings: &'a Settings,
    /// The release we resemble.
    pub profile: &'a Profile,
    /// IPv4 address of this machine, for the messages.
    pub admin_address: String,
    /// Numbers the batches of claims.
    pub batches: Arc<AtomicU64>,
}

impl TriggerHandle {
    /// The lanes of a node and the writers that must run for them.
    pub fn new(parts: Parts<'_>) -> (Self, Vec<(&'static str, WriterTask)>) {
        let (writers, tasks) = writers(parts.store, parts.node, parts.batches);
        let limits = parts.settings.trigger;
        let give_up = CancellationToken::new();
        let pool = Pool {
            store: parts.store.clone(),
            clock: parts.clock,
            executors: parts.executors,
            router: Router::new(parts.settings.job.locale),
            profile: *parts.profile,
            locale: parts.settings.job.locale,
            glue: parts.settings.security.glue,
            admin_address: parts.admin_address,
            writers,
            slots: Slots::new(&limits, give_up.clone()),
            slow_jobs: SlowJobs::default(),
            tracker: TaskTracker::new(),
            give_up,
            recovery_grace: parts.settings.scheduler.recovery_grace,
            limits,
            queue: Arc::new(Semaphore::new(limits.queue)),
            depths: Mutex::default(),
        };
        (Self { pool: Arc::new(pool) }, tasks)
    }

    /// Hands in claimed occurrences. Waits while the queue is full: fires come late then, never twice and never not.
    pub async fn fire(&self, fires: &[(ClaimedFire, TriggerType)]) {
        for chunk in fires.chunks(LOAD.min(self.pool.limits.queue.max(1))) {
            let Ok(mut permits) = self.pool.queue.clone().acquire_many_owned(chunk.len() as u32).await else { return };
            let ids: Vec<i32> = chunk.iter().map(|(fire, _)| fire.job_id).collect();
            let jobs = self.pool.load(&ids).await;
            for (claimed, trigger_type) in chunk {
                let Some(permit) = permits.split(1) else { return };
                let start = Start::new(claimed.job_id, *trigger_type);
                match jobs.get(&claimed.job_id) {
                    Some((job, group)) => self.pool.spawn(Fire {
                        start,
                        job: job.clone(),
                        group: group.clone(),
                        log_id: claimed.log_id,
                        due: claimed.due,
                        permit,
                    }),
                    None => self.pool.end_without_job(*claimed),
                }
            }
        }
    }

    /// Hands in runs for other reasons than the schedule. Waits while the queue is full.
    pub async fn start(&self, starts: Vec<Start>) {
        for chunk in starts.chunks(LOAD.min(self.pool.limits.queue.max(1))) {
            let Ok(mut permits) = self.pool.queue.clone().acquire_many_owned(chunk.len() as u32).await else { return };
            let ids: Vec<i32> = chunk.iter().map(|start| start.job_id).collect();
            let jobs = self.pool.load(&ids).await;
            for start in chunk {
                let Some(permit) = permits.split(1) else { return };
                let Some((job, group)) = jobs.get(&start.job_id).cloned() else {
                    tracing::warn!(job.id = start.job_id, "job is gone, its {:?} run is left out", start.trigger_type);
                    continue;
                };
                let (pool, start) = (self.pool.clone(), start.clone());
                self.pool.tracker.spawn(async move { pool.insert_and_fire(start, job, group, permit).await });
            }
        }
    }

    /// Hands in runs without waiting for the queue: a task of their own does.
    pub fn start_beside(&self, starts: Vec<Start>) {
        let triggers = self.clone();
        self.pool.tracker.spawn(async move { triggers.start(starts).await });
    }

    /// Runs a job by hand; the parameter replaces the job's, also when empty. Accepted means that its log row is written.
    ///
    /// # Errors
    /// When there is no such job, too much waits already, or the database does not take it.
    pub async fn trigger_by_hand(&self, job_id: i32, param: String, addresses: Option<String>) -> Result<(), Refused> {
        let permit =
            self.pool.queue.clone().try_acquire_owned().map_err(|_| Refused::QueueFull(self.pool.limits.queue))?;
        let job = self.pool.store.find_job(job_id).await?.ok_or(Refused::NoJob(job_id))?;
        let group = self.pool.store.find_group(job.job_group).await?.map(Arc::new);
        let start = Start { param: Some(param), addresses, ..Start::new(job_id, TriggerType::Manual) };
        let due = self.pool.clock.now_ms();
        let log_id = self.pool.writers.runs.submit(start.run(&job, due)).await?;
        self.pool.spawn(Fire { start, job: Arc::new(job), group, log_id, due, permit });
        Ok(())
    }

    /// Depth of a child run that is on its way; 0 for all others.
    pub fn depth_of(&self, log_id: i64) -> u32 {
        self.pool.depths.lock().unwrap_or_else(PoisonError::into_inner).get(&log_id).copied().unwrap_or(0)
    }

    /// Fires that are accepted and not called yet.
    pub fn waiting(&self) -> usize {
        self.pool.limits.queue.saturating_sub(self.pool.queue.available_permits())
    }

    /// Waits until every accepted fire has ended. After `patience` what was not called ends as such in its row, and
    /// calls still open are written as failed. Gives how many fires were given up.
    pub async fn drain(&self, patience: Duration) -> usize {
        self.pool.tracker.close();
        if tokio::time::timeout(patience, self.pool.tracker.wait()).await.is_ok() {
            return 0;
        }
        let left = self.pool.tracker.len();
        tracing::warn!(left, "stopping although fires are not finished");
        self.pool.give_up.cancel();
        let _ = tokio::time::timeout(Duration::from_secs(5), self.pool.tracker.wait()).await;
        left
    }
}

/// A job with its group, which may be missing.
pub(super) type Loaded = (Arc<JobInfo>, Option<Arc<JobGroup>>);

impl Pool {
    /// The jobs with these ids and their groups, as they are now: edits apply to the very next fire. Waits while the
    /// database is away.
    async fn load(&self, ids: &[i32]) -> HashMap<i32, Loaded> {
        self.persistently("load jobs", || self.try_load(ids)).await.unwrap_or_default()
    }

    async fn try_load(&self, ids: &[i32]) -> crate::store::Result<HashMap<i32, Loaded>> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let jobs = self.store.find_jobs(&ids).await?;
        let mut groups: Vec<i32> = jobs.iter().map(|job| job.job_group).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups: HashMap<i32, Arc<JobGroup>> =
            self.store.find_groups(&groups).await?.into_iter().map(|group| (group.id, Arc::new(group))).collect();
        Ok(jobs
            .into_iter()
            .map(|job| {
                let group = groups.get(&job.job_group).cloned();
                (job.id, (Arc::new(job), group))
            })
            .collect())
    }

    /// Repeats a call to the database until it succeeds or is refused for good. None when it was refused, or when the
    /// admin gives up stopping.
    pub async fn persistently<T, F>(&self, what: &str, mut call: impl FnMut() -> F) -> Option<T>
    where
        F: Future<Output = crate::store::Result<T>>,
    {
        let mut pause = Duration::from_millis(100);
        loop {
            match call().await {
                Ok(done) => return Some(done),
                Err(error) if error.is_transient() => {
                    tracing::warn!("cannot {what} yet, trying again: {error}");
                    if self.give_up.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                        tracing::error!("cannot {what}, stopping without it: {error}");
                        return None;
                    }
                    pause = (pause * 2).min(Duration::from_secs(2));
                }
                Err(error) => {
                    tracing::error!("cannot {what}: {error}");
                    return None;
                }
            }
        }
    }

    fn spawn(self: &Arc<Self>, fire: Fire) {
        let pool = self.clone();
        self.tracker.spawn(async move { fire.run(pool).await });
    }

    async fn insert_and_fire(
        self: Arc<Self>,
        start: Start,
        job: Arc<JobInfo>,
        group: Option<Arc<JobGroup>>,
        permit: OwnedSemaphorePermit,
    ) {
        let due = self.clock.now_ms();
        let run = start.run(&job, due);
        let Some(log_id) = self.insert(run, start.depth).await else {
            metrics::counter!("xxl_fires_lost_total", "reason" => "row refused").increment(1);
            tracing::error!(
                job.id = job.id,
                "a {:?} run is lost: its log row could not be written",
                start.trigger_type
            );
            return;
        };
        Fire { start, job, group, log_id, due, permit }.run(self).await;
    }

    /// Writes the row of a run, however long the database is away.
    pub async fn insert(&self, run: NewRun, depth: u32) -> Option<i64> {
        let insert = || async {
            self.writers.runs.submit(run.clone()).await.map_err(|error| match error {
                // The database numbers the rows. A number that is taken (a sequence that a restored dump left behind) is
                // passed by when it is asked again.
                Error::Conflict(text) => Error::Locked(text),
                other => other,
            })
        };
        let log_id = self.persistently("write a log row", insert).await?;
        if depth > 0 {
            self.depths.lock().unwrap_or_else(PoisonError::into_inner).insert(log_id, depth);
        }
        Some(log_id)
    }

    /// Writes what became of a trigger, however long the database is away.
    pub async fn save(&self, result: TriggerResult) {
        let log_id = result.log_id;
        let saved = self.persistently("write a trigger's result", || self.writers.results.submit(result.clone())).await;
        if saved.is_none() {
            metrics::counter!("xxl_fires_lost_total", "reason" => "result not written").increment(1);
            tracing::error!(log.id = log_id, code = result.code, "the result of a trigger could not be written");
        }
        self.depths.lock().unwrap_or_else(PoisonError::into_inner).remove(&log_id);
    }

    /// A job that was deleted after its occurrence was claimed: its row, if still there, says so.
    fn end_without_job(self: &Arc<Self>, claimed: ClaimedFire) {
        tracing::warn!(job.id = claimed.job_id, log.id = claimed.log_id, "job is gone, its fire is left out");
        let pool = self.clone();
        let result = TriggerResult {
            log_id: claimed.log_id,
            trigger_time: claimed.due,
            code: crate::protocol::CallResult::FAIL,
            msg: "The job was deleted before this fire; nothing was called.".into(),
            address: None,
            handler: None,
            param: None,
            sharding: None,
            retry: 0,
        };
        self.tracker.spawn(async move { pool.save(result).await });
    }
}
