//! Which of its addresses a run goes to.
//!
//! Mirrors `ExecutorRouter` and `ExecutorRouteStrategyEnum`: ten strategies, of which some remember per job what they
//! chose. Better on purpose: that memory is locked, so parallel fires of one job cannot spoil it (in Java they could end
//! in an exception that left the run without a result), the hash rings of unchanged address lists are kept, and a list
//! without addresses is an outcome like any other. Memory is per process, so a cluster is only statistically even.

mod broadcast;
mod busyover;
mod consistent_hash;
mod failover;
mod first;
mod last;
mod lfu;
mod lru;
mod per_job;
mod random;
mod round;

use futures_util::future::BoxFuture;

pub use broadcast::{parse_shard, shards};

use crate::i18n::{Key, Locale, text};
use crate::model::{EpochMs, RouteStrategy, Shard};
use crate::protocol::CallResult;

/// What a route came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteOutcome {
    /// The address that was chosen; none = there is nothing to call.
    pub address: Option<String>,
    /// 200 when an address was chosen, else 500.
    pub code: i32,
    /// What the trigger message tells about it: probes, or why there is no address.
    pub msg: Option<String>,
}

impl RouteOutcome {
    /// This address, without words.
    pub fn to(address: impl Into<String>) -> Self {
        Self { address: Some(address.into()), code: CallResult::SUCCESS, msg: None }
    }

    /// No address, for this reason.
    pub const fn failed(msg: String) -> Self {
        Self { address: None, code: CallResult::FAIL, msg: Some(msg) }
    }

    /// The group has no addresses.
    pub fn no_address(locale: Locale) -> Self {
        Self::failed(text(locale, Key::JobconfTriggerAddressEmpty).to_owned())
    }
}

/// The calls that FAILOVER and BUSYOVER make before they choose.
pub trait Prober: Send + Sync {
    /// Asks an executor whether it is there.
    fn beat<'a>(&'a self, address: &'a str) -> BoxFuture<'a, CallResult>;
    /// Asks an executor whether this job is idle on it.
    fn idle_beat<'a>(&'a self, address: &'a str, job_id: i32) -> BoxFuture<'a, CallResult>;
}

/// What is to be routed.
#[derive(Debug, Clone, Copy)]
pub struct RouteRequest<'a> {
    /// How to choose.
    pub strategy: RouteStrategy,
    /// For which job.
    pub job_id: i32,
    /// From which addresses, in the order of the group. They may differ from call to call.
    pub addresses: &'a [String],
    /// Which part of a broadcast this is; [`Shard::SINGLE`] for every other strategy.
    pub shard: Shard,
    /// The present instant.
    pub now_ms: EpochMs,
}

/// Chooses addresses and remembers what it chose. One for the whole process, shared by all fires.
#[derive(Debug)]
pub struct Router {
    locale: Locale,
    round: round::Round,
    lfu: lfu::Lfu,
    lru: lru::Lru,
    rings: consistent_hash::Rings,
}

impl Router {
    /// A router without memory that tells its probes in this language.
    pub fn new(locale: Locale) -> Self {
        Self {
            locale,
            round: round::Round::default(),
            lfu: lfu::Lfu::default(),
            lru: lru::Lru::default(),
            rings: consistent_hash::Rings::default(),
        }
    }

    /// Chooses an address. Only FAILOVER and BUSYOVER call the prober, one address after the other, and wait for it.
    pub async fn route(&self, request: RouteRequest<'_>, prober: &dyn Prober) -> RouteOutcome {
        let RouteRequest { strategy, job_id, addresses, shard, now_ms } = request;
        let chosen = match strategy {
            RouteStrategy::First => first::choose(addresses),
            RouteStrategy::Last => last::choose(addresses),
            RouteStrategy::Round => self.round.choose(job_id, addresses, now_ms),
            RouteStrategy::Random => random::choose(addresses),
            RouteStrategy::ConsistentHash => self.rings.choose(job_id, addresses),
            RouteStrategy::LeastFrequentlyUsed => self.lfu.choose(job_id, addresses, now_ms),
            RouteStrategy::LeastRecentlyUsed => self.lru.choose(job_id, addresses, now_ms),
            RouteStrategy::ShardingBroadcast => broadcast::choose(addresses, shard),
            _ if addresses.is_empty() => None,
            RouteStrategy::Failover => return failover::choose(addresses, self.locale, prober).await,
            RouteStrategy::Busyover => return busyover::choose(job_id, addresses, self.locale, prober).await,
        };
        chosen.map_or_else(|| RouteOutcome::no_address(self.locale), RouteOutcome::to)
    }
}

#[cfg(test)]
mod tests;
