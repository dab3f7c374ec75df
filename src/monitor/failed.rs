//! Failed runs: tried again while they have retries left, and told about.
//!
//! Ports `JobFailMonitorHelper`. Better on purpose: mails are sent beside the loop, so a slow mail server delays no
//! retry; a retry is started before anything waits for mail; rows that a dead node left locked are freed; and the search
//! does not read the failures of the past again and again (see `failed_search`).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::failed_search::FailedSearch;
use super::pause;
use crate::alarm::{Alarm, FailedRun};
use crate::clock::SharedClock;
use crate::config::Profile;
use crate::config::number::NumberRule;
use crate::i18n::Locale;
use crate::model::{AlarmStatus, JobInfo, JobLog, TriggerType};
use crate::store::{Result, Store};
use crate::trigger::message::with_retry;
use crate::trigger::route::parse_shard;
use crate::trigger::{Start, TriggerHandle};

/// Failures handled in one round.
const ROUND: i64 = 1_000;
/// Alarms on their way at once.
const ALARMS: usize = 16;

/// The fail monitor.
pub struct FailMonitor {
    store: Store,
    clock: SharedClock,
    triggers: TriggerHandle,
    channels: Arc<Vec<Box<dyn Alarm>>>,
    locale: Locale,
    retry_colour: &'static str,
    numbers: NumberRule,
    alarms: Arc<Semaphore>,
    tracker: TaskTracker,
    search: FailedSearch,
}

impl FailMonitor {
    /// A monitor that tells failures on these channels.
    pub fn new(
        store: Store,
        clock: SharedClock,
        triggers: TriggerHandle,
        channels: Vec<Box<dyn Alarm>>,
        profile: &Profile,
        locale: Locale,
    ) -> Self {
        Self {
            store,
            clock,
            triggers,
            channels: Arc::new(channels),
            locale,
            retry_colour: profile.retry_colour,
            numbers: NumberRule::of(profile.release),
            alarms: Arc::new(Semaphore::new(ALARMS)),
            tracker: TaskTracker::new(),
            search: FailedSearch::default(),
        }
    }

    /// Rounds in this rhythm until the token is cancelled; then waits for the alarms on their way.
    pub async fn run(&mut self, rhythm: Duration, token: &CancellationToken) {
        loop {
            match self.round(token).await {
                Ok(done) if done as i64 >= ROUND => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!("failed runs could not be handled and are tried again: {error}"),
            }
            if !pause(&self.clock, rhythm, token).await {
                break;
            }
        }
        self.tracker.close();
        self.tracker.wait().await;
        self.tracker.reopen();
    }

    /// Handles what has failed; gives how many runs were found.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn round(&mut self, token: &CancellationToken) -> Result<usize> {
        let ids = self.search.find(&self.store, self.clock.now_ms(), ROUND).await?;
        for id in &ids {
            if token.is_cancelled() {
                break;
            }
            self.handle(*id).await?;
        }
        Ok(ids.len())
    }

    async fn handle(&self, id: i64) -> Result<()> {
        if !self.store.move_alarm(id, AlarmStatus::Untouched, AlarmStatus::Locked).await? {
            return Ok(());
        }
        let Some(log) = self.store.find_log(id).await? else { return Ok(()) };
        let job = self.store.find_job(log.job_id).await?;
        let log = if log.executor_fail_retry_count > 0 { self.retry(log, job.is_some()).await? } else { log };
        let Some(job) = job else {
            return self.store.move_alarm(id, AlarmStatus::Locked, AlarmStatus::NotNeeded).await.map(drop);
        };
        if !self.channels.iter().any(|channel| channel.is_wanted(&job)) {
            return self.store.move_alarm(id, AlarmStatus::Locked, AlarmStatus::Sent).await.map(drop);
        }
        self.tell(job, log);
        Ok(())
    }

    /// Starts the run once more, with what it had, and notes so in its message.
    async fn retry(&self, mut log: JobLog, job_exists: bool) -> Result<JobLog> {
        if job_exists {
            let shard = log.executor_sharding_param.as_deref().and_then(|param| parse_shard(param, self.numbers));
            self.triggers.start_beside(vec![Start {
                retry: Some(log.executor_fail_retry_count - 1),
                shard,
                param: log.executor_param.clone(),
                ..Start::new(log.job_id, TriggerType::Retry)
            }]);
        }
        let msg = with_retry(log.trigger_msg.as_deref(), self.locale, self.retry_colour);
        self.store.save_trigger_msg(log.id, &msg).await?;
        log.trigger_msg = Some(msg);
        Ok(log)
    }

    fn tell(&self, job: JobInfo, log: JobLog) {
        let (store, channels, alarms) = (self.store.clone(), self.channels.clone(), self.alarms.clone());
        self.tracker.spawn(async move {
            let _permit = alarms.acquire().await;
            let group = store.find_group(job.job_group).await.ok().flatten();
            let title = group.as_ref().map(|group| group.title.as_str());
            let mut all_told = true;
            for channel in channels.iter() {
                all_told &= channel.send(FailedRun { job: &job, group_title: title, log: &log }).await;
            }
            let status = if all_told { AlarmStatus::Sent } else { AlarmStatus::Failed };
            if let Err(error) = store.move_alarm(log.id, AlarmStatus::Locked, status).await {
                tracing::warn!(log.id = log.id, "the outcome of an alarm could not be written: {error}");
            }
        });
    }
}
