//! The trigger message: what the admin did, kept as HTML in the row of the run and shown on the console.
//!
//! Mirrors `XxlJobTrigger` (to 3.2) and `JobTrigger` (from 3.3), whose layouts differ after the head; sites read these
//! texts with scripts, so both are exact to the byte. Better on purpose: a message never grows beyond its column, so the
//! statement that stores it cannot be refused, and a message that a child's run carries tells how deep its chain is.

use std::fmt::Write as _;

use super::route::RouteOutcome;
use crate::config::profile::MessageLayout;
use crate::i18n::{Key, Locale, text};
use crate::model::{AddressType, BlockStrategy, JobInfo, RouteStrategy, Shard, TriggerType};
use crate::protocol::CallResult;

/// Bytes that the column `trigger_msg` (TEXT) holds.
pub const MAX_BYTES: usize = 65_535;

/// The message of a call that was not made because no address was found (releases from 3.3).
pub const NO_ADDRESS: &str = "Address Router Fail.";

const DEPTH_OPEN: &str = "<!--d";
const DEPTH_CLOSE: &str = "-->";
const HEADING_OPEN: &str = "<br><br><span style=\"color:";
const HEADING_CLOSE: &str = "<<<<<<<<<<< </span><br>";

/// All that a trigger message tells.
#[derive(Debug, Clone, Copy)]
pub struct TriggerMessage<'a> {
    /// Which of the two layouts.
    pub layout: MessageLayout,
    /// Its language.
    pub locale: Locale,
    /// Why the job was triggered.
    pub trigger_type: TriggerType,
    /// IPv4 address of this admin.
    pub admin_address: &'a str,
    /// How the addresses came to be; by hand when the caller gave some for this run.
    pub address_type: AddressType,
    /// The addresses of this run.
    pub addresses: &'a [String],
    /// The job.
    pub job: &'a JobInfo,
    /// Parameter of this run.
    pub param: Option<&'a str>,
    /// Retries left after this run.
    pub retry: i32,
    /// Which part of a broadcast this is; told only when the job is one.
    pub shard: Shard,
    /// What the route came to.
    pub route: &'a RouteOutcome,
    /// What the call came to; none when no address was found.
    pub call: Option<&'a CallResult>,
    /// Length of the chain of children that led here; 0 when the job is nobody's child.
    pub child_depth: u32,
}

impl TriggerMessage<'_> {
    /// The message as it is stored, at most [`MAX_BYTES`] long.
    pub fn compose(&self) -> String {
        let mut out = self.head();
        match self.layout {
            MessageLayout::Old => self.tail_old(&mut out),
            MessageLayout::New => self.tail_new(&mut out),
        }
        // An executor's words that end like a mark of ours get a true one behind them.
        let depth = if self.child_depth > 0 || split_depth(&out).is_some() {
            format!("{DEPTH_OPEN}{}{DEPTH_CLOSE}", self.child_depth)
        } else {
            String::new()
        };
        fit(out, &depth)
    }

    fn label(&self, key: Key) -> &'static str {
        text(self.locale, key)
    }

    /// The part that both layouts share, to the heading of the call.
    fn head(&self) -> String {
        let address_type = match self.address_type {
            AddressType::Automatic => Key::JobgroupFieldAddressType0,
            AddressType::Manual => Key::JobgroupFieldAddressType1,
        };
        let addresses =
            if self.addresses.is_empty() { "null".to_owned() } else { format!("[{}]", self.addresses.join(", ")) };
        let lines = [
            (Key::JobconfTriggerType, self.label(trigger_type_key(self.trigger_type)).to_owned()),
            (Key::JobconfTriggerAdminAdress, self.admin_address.to_owned()),
            (Key::JobconfTriggerExeRegtype, self.label(address_type).to_owned()),
            (Key::JobconfTriggerExeRegaddress, addresses),
            (Key::JobinfoFieldExecutorRouteStrategy, self.route_label()),
            (Key::JobinfoFieldExecutorBlockStrategy, self.label(block_key(block_of(self.job))).to_owned()),
            (Key::JobinfoFieldTimeout, self.job.executor_timeout.to_string()),
            (Key::JobinfoFieldExecutorFailRetryCount, self.retry.to_string()),
        ];
        let lines: Vec<String> =
            lines.into_iter().map(|(key, value)| format!("{}：{value}", self.label(key))).collect();
        lines.join("<br>") + &heading("#00c0ef", self.label(Key::JobconfTriggerRun))
    }

    /// To 3.2: what the route said, then the call as it was answered.
    fn tail_old(&self, out: &mut String) {
        if let Some(said) = &self.route.msg {
            out.push_str(said);
            out.push_str("<br><br>");
        }
        if let (Some(address), Some(call)) = (&self.route.address, self.call) {
            out.push_str(&call_block(self.label(Key::JobconfTriggerRun), address, call));
        }
    }

    /// From 3.3: address, handler and parameter, then success or what went wrong.
    fn tail_new(&self, out: &mut String) {
        let address = match (&self.route.address, &self.route.msg) {
            (Some(address), _) => address.clone(),
            (None, Some(said)) => format!("address route fail, {said}"),
            (None, None) => "address route fail.".to_owned(),
        };
        let _ = write!(out, "<br>{}：{address}", self.label(Key::JoblogFieldExecutorAddress));
        if let Some(handler) = self.job.executor_handler.as_deref().filter(|name| !name.trim().is_empty()) {
            let _ = write!(out, "<br>JobHandler：{handler}");
        }
        let _ = write!(out, "<br>{}：{}", self.label(Key::JobinfoFieldExecutorparam), self.param.unwrap_or("null"));
        let _ = write!(out, "<br>{}：{}", self.label(Key::JoblogFieldTriggerMsg), self.result_new());
    }

    fn result_new(&self) -> String {
        let said = match (&self.route.address, self.call) {
            (_, Some(call)) if call.is_success() => return "success".to_owned(),
            (Some(address), Some(call)) if call.answered => {
                Some(call_block(self.label(Key::JobconfTriggerRun), address, call))
            }
            (_, Some(call)) => call.msg.clone(),
            (_, None) => Some(NO_ADDRESS.to_owned()),
        };
        said.map_or_else(|| "fail".to_owned(), |said| format!("error, {said}"))
    }

    /// The strategy's label, a word that is none of them as it stands, and for a broadcast which part this is.
    fn route_label(&self) -> String {
        let word = self.job.executor_route_strategy.as_deref();
        match word.and_then(RouteStrategy::parse) {
            Some(strategy @ RouteStrategy::ShardingBroadcast) => {
                format!("{}({})", self.label(route_key(strategy)), self.shard)
            }
            Some(strategy) => self.label(route_key(strategy)).to_owned(),
            None => word.unwrap_or("null").to_owned(),
        }
    }
}

/// `label：<br>address：…<br>code：…<br>msg：…`, the form of every call in a message: runs, beats and idle beats.
pub fn call_block(label: &str, address: &str, call: &CallResult) -> String {
    let said = call.msg.as_deref().unwrap_or("null");
    format!("{label}：<br>address：{address}<br>code：{}<br>msg：{said}", call.code)
}

/// The coloured heading of a section, with the line breaks around it.
pub fn heading(colour: &str, label: &str) -> String {
    format!("{HEADING_OPEN}{colour};\" > >>>>>>>>>>>{label}{HEADING_CLOSE}")
}

/// The message of a failed run to which another attempt was started: the old one and a heading that says so. A missing
/// message reads `null`, as in Java.
pub fn with_retry(trigger_msg: Option<&str>, locale: Locale, colour: &str) -> String {
    let suffix = heading(colour, text(locale, Key::JobconfTriggerTypeRetry));
    let message = trigger_msg.unwrap_or("null");
    let (said, depth) = split_depth(message).map_or((message, ""), |(said, _)| message.split_at(said.len()));
    fit(said.to_owned(), &format!("{depth}{suffix}"))
}

/// Length of the chain of children that led to the run with this message; 0 when it was nobody's child.
///
/// Only the mark at the end counts, or before the headings of [`with_retry`]: an executor's own words stand before it.
pub fn child_depth(trigger_msg: &str) -> u32 {
    let mut rest = trigger_msg;
    loop {
        if let Some((_, depth)) = split_depth(rest) {
            return depth;
        }
        match rest.ends_with(HEADING_CLOSE).then(|| rest.rfind(HEADING_OPEN)).flatten() {
            Some(at) => rest = &rest[..at],
            None => return 0,
        }
    }
}

/// What stands before the mark at the very end, and the number in it.
fn split_depth(message: &str) -> Option<(&str, u32)> {
    let (said, number) = message.strip_suffix(DEPTH_CLOSE)?.rsplit_once(DEPTH_OPEN)?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((said, digits.then(|| number.parse().ok()).flatten()?))
}

/// Joins the two and shortens the first, at the end of a character, when the column could not hold them.
fn fit(mut message: String, end: &str) -> String {
    let room = MAX_BYTES.saturating_sub(end.len());
    if message.len() > room {
        message.truncate(message.floor_char_boundary(room));
    }
    message + end
}

const fn trigger_type_key(trigger_type: TriggerType) -> Key {
    match trigger_type {
        TriggerType::Manual => Key::JobconfTriggerTypeManual,
        TriggerType::Cron => Key::JobconfTriggerTypeCron,
        TriggerType::Retry => Key::JobconfTriggerTypeRetry,
        TriggerType::Parent => Key::JobconfTriggerTypeParent,
        TriggerType::Api => Key::JobconfTriggerTypeApi,
        TriggerType::Misfire => Key::JobconfTriggerTypeMisfire,
    }
}

/// Name of a route strategy for people.
pub const fn route_key(strategy: RouteStrategy) -> Key {
    match strategy {
        RouteStrategy::First => Key::JobconfRouteFirst,
        RouteStrategy::Last => Key::JobconfRouteLast,
        RouteStrategy::Round => Key::JobconfRouteRound,
        RouteStrategy::Random => Key::JobconfRouteRandom,
        RouteStrategy::ConsistentHash => Key::JobconfRouteConsistenthash,
        RouteStrategy::LeastFrequentlyUsed => Key::JobconfRouteLfu,
        RouteStrategy::LeastRecentlyUsed => Key::JobconfRouteLru,
        RouteStrategy::Failover => Key::JobconfRouteFailover,
        RouteStrategy::Busyover => Key::JobconfRouteBusyover,
        RouteStrategy::ShardingBroadcast => Key::JobconfRouteShard,
    }
}

/// An unknown word reads as serial execution, which is also what executors make of it.
fn block_of(job: &JobInfo) -> BlockStrategy {
    let word = job.executor_block_strategy.as_deref();
    word.and_then(BlockStrategy::parse).unwrap_or(BlockStrategy::SerialExecution)
}

/// Name of a block strategy for people.
pub const fn block_key(strategy: BlockStrategy) -> Key {
    match strategy {
        BlockStrategy::DiscardLater => Key::JobconfBlockDiscardLater,
        BlockStrategy::CoverEarly => Key::JobconfBlockCoverEarly,
        BlockStrategy::SerialExecution => Key::JobconfBlockSerialExecution,
    }
}

#[cfg(test)]
mod tests;
