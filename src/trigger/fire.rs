//! One trigger: shards, route, call, result.
//!
//! Ports `XxlJobTrigger`. Better on purpose: every path after the log row exists ends in a result in that row – a missing
//! group, an unknown route, a busy address, a stop – where upstream leaves rows that look as if they ran for ever; the
//! parts of a broadcast are called beside each other; and before the call the row is *taken*, so that a claim which was
//! given to somebody else meanwhile is not called here too.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::OwnedSemaphorePermit;

use super::message::TriggerMessage;
use super::pool::{Pool, Start};
use super::route::{Prober, RouteOutcome, RouteRequest, shards};
use super::slots::{CallSlot, Lane};
use crate::config::settings::Glue;
use crate::i18n::{Key, format, text};
use crate::model::{AddressType, EpochMs, GlueType, JobGroup, JobInfo, RouteStrategy, Shard, split_addresses};
use crate::protocol::{CallResult, RunRequest, Target};
use crate::store::TriggerResult;

/// An accepted fire with its log row.
pub(super) struct Fire {
    pub start: Start,
    pub job: Arc<JobInfo>,
    pub group: Option<Arc<JobGroup>>,
    pub log_id: i64,
    /// When it was meant to be.
    pub due: EpochMs,
    /// Its place in the queue, free again once it is called.
    pub permit: OwnedSemaphorePermit,
}

/// What the parts of one fire share.
struct Plan {
    pool: Arc<Pool>,
    start: Start,
    job: Arc<JobInfo>,
    app_name: String,
    address_type: AddressType,
    addresses: Vec<String>,
    /// Why nothing can be called, whatever the addresses.
    fault: Option<String>,
    strategy: RouteStrategy,
    param: Option<String>,
    retry: i32,
    lane: Lane,
    trigger_time: EpochMs,
    due: EpochMs,
}

impl Fire {
    /// Carries the fire out to its end.
    pub async fn run(self, pool: Arc<Pool>) {
        let Self { start, job, group, log_id, due, permit } = self;
        let plan = Arc::new(Plan::new(pool, start, job, group.as_deref(), due));
        let broadcast = plan.strategy == RouteStrategy::ShardingBroadcast;
        let mut parts = if broadcast {
            shards(plan.addresses.len(), plan.start.shard).into_iter()
        } else {
            vec![plan.start.shard.unwrap_or(Shard::SINGLE)].into_iter()
        };
        let first = parts.next().unwrap_or(Shard::SINGLE);
        for shard in parts {
            let plan = plan.clone();
            plan.pool.clone().tracker.spawn(async move {
                let mut run = plan.start.run(&plan.job, plan.trigger_time);
                run.sharding = Some(shard.to_string());
                if let Some(log_id) = plan.pool.insert(run, plan.start.depth).await {
                    plan.call(log_id, shard, None).await;
                }
            });
        }
        plan.call(log_id, first, Some(permit)).await;
    }
}

impl Plan {
    fn new(pool: Arc<Pool>, start: Start, job: Arc<JobInfo>, group: Option<&JobGroup>, due: EpochMs) -> Self {
        // To the second, so that the column, the executor's log folder and the log page agree about the day.
        let trigger_time = pool.clock.now_ms().div_euclid(1000) * 1000;
        let by_hand = start.addresses.as_deref().map(str::trim).filter(|list| !list.is_empty());
        let addresses = match by_hand {
            Some(list) => split_addresses(Some(list)),
            None => group.map(JobGroup::addresses).unwrap_or_default(),
        };
        let word = job.executor_route_strategy.as_deref();
        let strategy = word.and_then(RouteStrategy::parse);
        let fault = if group.is_none() {
            Some(text(pool.locale, Key::OwnGroupMissing).to_owned())
        } else if strategy.is_none() {
            Some(format(text(pool.locale, Key::OwnRouteUnknown), &[word.unwrap_or("null")]))
        } else if pool.glue == Glue::Off && job.glue_type != GlueType::Bean.as_str() {
            Some(text(pool.locale, Key::OwnScriptsOff).to_owned())
        } else {
            None
        };
        Self {
            app_name: group.map(|group| group.app_name.clone()).unwrap_or_default(),
            address_type: match by_hand {
                Some(_) => AddressType::Manual,
                None => group.map_or(AddressType::Automatic, JobGroup::address_type),
            },
            addresses,
            fault,
            strategy: strategy.unwrap_or(RouteStrategy::First),
            param: start.param.clone().or_else(|| job.executor_param.clone()),
            retry: start.retry.unwrap_or(job.executor_fail_retry_count),
            lane: pool.slow_jobs.lane(job.id),
            trigger_time,
            due,
            pool,
            start,
            job,
        }
    }

    /// Routes and calls one part and writes what became of it.
    async fn call(&self, log_id: i64, shard: Shard, permit: Option<OwnedSemaphorePermit>) {
        let pool = &self.pool;
        let began = pool.clock.now_ms();
        let route = self.route(shard).await;
        let probing = pool.clock.now_ms() - began;
        let mut log_id = log_id;
        let call = match &route.address {
            None => None,
            Some(address) => match pool.slots.acquire(self.lane, address).await {
                Err(no_slot) => Some(failed(no_slot.tell(self.pool.locale))),
                Ok(slot) => {
                    drop(permit);
                    let Some(taken) = self.take(log_id).await else { return };
                    log_id = taken;
                    let began = pool.clock.now_ms();
                    metrics::histogram!("xxl_fire_delay_seconds").record((began - self.due).max(0) as f64 / 1000.0);
                    let call = self.run(address, log_id, shard, slot).await;
                    let now = pool.clock.now_ms();
                    pool.slow_jobs.finished(self.job.id, probing + now - began, now);
                    Some(call)
                }
            },
        };
        self.save(log_id, shard, &route, call.as_ref()).await;
    }

    async fn route(&self, shard: Shard) -> RouteOutcome {
        if let Some(fault) = &self.fault {
            return RouteOutcome::failed(fault.clone());
        }
        let request = RouteRequest {
            strategy: self.strategy,
            job_id: self.job.id,
            addresses: &self.addresses,
            shard,
            now_ms: self.pool.clock.now_ms(),
        };
        self.pool.router.route(request, self).await
    }

    /// Makes sure that the claim is still ours. None: it is not, and nothing may be called. A row that somebody cleared
    /// away is written anew while the claim is young.
    async fn take(&self, log_id: i64) -> Option<i64> {
        let pool = &self.pool;
        let take = |id| pool.persistently("take a claimed run", move || pool.writers.take.submit(id));
        if take(log_id).await? {
            return Some(log_id);
        }
        let exists = || async { Ok(!pool.store.existing_logs(&[log_id]).await?.is_empty()) };
        let young = pool.clock.now_ms() - self.due < pool.recovery_grace.as_millis() as i64;
        if young && !pool.persistently("look for a log row", exists).await? {
            let run = self.start.run(&self.job, self.trigger_time);
            let log_id = pool.insert(run, self.start.depth).await?;
            return take(log_id).await?.then_some(log_id);
        }
        tracing::warn!(job.id = self.job.id, log.id = log_id, "the claim was taken over or ended, nothing is called");
        None
    }

    async fn run(&self, address: &str, log_id: i64, shard: Shard, slot: CallSlot) -> CallResult {
        let request = RunRequest::for_job(&self.job, self.param.as_deref(), log_id, self.trigger_time, shard);
        let to = Target { address, app_name: &self.app_name };
        let began = self.pool.clock.now_ms();
        let call = tokio::select! {
            biased;
            call = self.pool.executors.run(to, &request) => call,
            () = self.pool.give_up.cancelled() => failed(
                "the admin was stopped while it waited for the executor's answer; the run may go on there".into(),
            ),
        };
        drop(slot);
        let result = if call.is_success() { "ok" } else { "failed" };
        let took = (self.pool.clock.now_ms() - began).max(0) as f64 / 1000.0;
        metrics::histogram!("xxl_executor_call_seconds", "api" => "run", "result" => result).record(took);
        metrics::counter!("xxl_trigger_total", "lane" => self.lane.as_str(), "result" => result).increment(1);
        call
    }

    async fn save(&self, log_id: i64, shard: Shard, route: &RouteOutcome, call: Option<&CallResult>) {
        let message = TriggerMessage {
            layout: self.pool.profile.messages,
            locale: self.pool.locale,
            trigger_type: self.start.trigger_type,
            admin_address: &self.pool.admin_address,
            address_type: self.address_type,
            addresses: &self.addresses,
            job: &self.job,
            param: self.param.as_deref(),
            retry: self.retry,
            shard,
            route,
            call,
            child_depth: self.start.depth,
        };
        let broadcast = self.strategy == RouteStrategy::ShardingBroadcast && self.fault.is_none();
        let result = TriggerResult {
            log_id,
            trigger_time: self.trigger_time,
            code: call.map_or(CallResult::FAIL, |call| call.code),
            msg: message.compose(),
            address: route.address.clone(),
            handler: self.job.executor_handler.clone(),
            param: self.param.clone(),
            sharding: broadcast.then(|| shard.to_string()),
            retry: self.retry,
        };
        if call.is_none() {
            metrics::counter!("xxl_trigger_total", "lane" => self.lane.as_str(), "result" => "no address").increment(1);
        }
        self.pool.save(result).await;
    }
}

fn failed(msg: String) -> CallResult {
    CallResult { code: CallResult::FAIL, msg: Some(msg), answered: false }
}

/// Probes count as calls: each waits for its slot.
impl Prober for Plan {
    fn beat<'a>(&'a self, address: &'a str) -> BoxFuture<'a, CallResult> {
        Box::pin(async move {
            match self.pool.slots.acquire(self.lane, address).await {
                Ok(_slot) => self.pool.executors.beat(Target { address, app_name: &self.app_name }).await,
                Err(no_slot) => failed(no_slot.tell(self.pool.locale)),
            }
        })
    }

    fn idle_beat<'a>(&'a self, address: &'a str, job_id: i32) -> BoxFuture<'a, CallResult> {
        Box::pin(async move {
            match self.pool.slots.acquire(self.lane, address).await {
                Ok(_slot) => self.pool.executors.idle_beat(Target { address, app_name: &self.app_name }, job_id).await,
                Err(no_slot) => failed(no_slot.tell(self.pool.locale)),
            }
        })
    }
}
