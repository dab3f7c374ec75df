//! A result arrives: write it once, start the children.
//!
//! Ports `JobCompleteHelper`'s callback and `XxlJobCompleter`. Better on purpose: a result is written before it is
//! answered, exactly one of several results for a run counts, children start only after that one is committed, and one
//! bad item does not drop the rest of a list.

use std::collections::HashMap;

use futures_util::future::BoxFuture;

pub mod message;

use self::message::{ChildOutcome, ChildTarget};
use crate::clock::SharedClock;
use crate::config::Profile;
use crate::config::number::NumberRule;
use crate::i18n::Locale;
use crate::model::TriggerType;
use crate::protocol::{CallResult, CallbackItem};
use crate::store::{Completion, GroupCommit, OpenRun, Result, Store, group_commit};
use crate::trigger::message::child_depth;
use crate::trigger::{Start, TriggerHandle};

/// Lists of results that may wait before executors wait in turn.
const QUEUE: usize = 2_000;
/// Lists written at once.
const BATCH: usize = 64;
/// Results written in one transaction.
const ROWS: usize = 1_000;

/// Where results are handed in. Cheap to clone.
#[derive(Clone)]
pub struct Complete {
    lists: GroupCommit<Vec<CallbackItem>, ()>,
    completer: Completer,
}

/// Who writes results.
#[derive(Clone)]
struct Completer {
    store: Store,
    clock: SharedClock,
    triggers: TriggerHandle,
    locale: Locale,
    numbers: NumberRule,
    child_message: &'static str,
    child_limit: u32,
}

/// How a result is written over what the run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Only while the run has none; the message is appended.
    Open,
    /// Only while the run has none; the message replaces.
    OpenReplacing,
    /// Whatever the run has; the message replaces.
    Anything,
}

impl Complete {
    /// The completion of a node and the writer that must run for it.
    pub fn new(
        store: Store,
        clock: SharedClock,
        triggers: TriggerHandle,
        profile: &Profile,
        locale: Locale,
        child_limit: u32,
    ) -> (Self, BoxFuture<'static, ()>) {
        let numbers = NumberRule::of(profile.release);
        let child_message = profile.child_message;
        let completer = Completer { store, clock, triggers, locale, numbers, child_message, child_limit };
        let writer = completer.clone();
        let (lists, mut task) = group_commit(QUEUE, BATCH, move |lists: Vec<Vec<CallbackItem>>| {
            let writer = writer.clone();
            Box::pin(async move {
                let count = lists.len();
                let items: Vec<CallbackItem> = lists.into_iter().flatten().collect();
                for chunk in items.chunks(ROWS) {
                    writer.complete(chunk, Over::Open).await?;
                }
                Ok(vec![(); count])
            })
        });
        (Self { lists, completer }, Box::pin(async move { task.run().await }))
    }

    /// Takes the results of one callback. Returns when they are written; unknown runs and runs that have a result
    /// already are passed over, as executors would send them for ever otherwise.
    ///
    /// # Errors
    /// When the database does not take them: the executor must keep them.
    pub async fn results(&self, items: Vec<CallbackItem>) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.lists.submit(items).await
    }

    /// Ends a run by hand, whatever result it has; `said` is what the executor said.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn killed(&self, log_id: i64, said: Option<&str>) -> Result<()> {
        let handle_msg = Some(message::killed(self.completer.locale, said));
        let item = CallbackItem { log_id, handle_code: CallResult::FAIL, handle_msg };
        self.completer.complete(&[item], Over::Anything).await
    }

    /// Marks runs without a result as lost.
    ///
    /// # Errors
    /// When the database does not take it.
    pub async fn lost(&self, log_ids: &[i64]) -> Result<()> {
        let handle_msg = Some(message::lost(self.completer.locale).to_owned());
        let items: Vec<CallbackItem> = log_ids
            .iter()
            .map(|log_id| CallbackItem {
                log_id: *log_id,
                handle_code: CallResult::FAIL,
                handle_msg: handle_msg.clone(),
            })
            .collect();
        self.completer.complete(&items, Over::OpenReplacing).await
    }
}

fn count(result: &'static str) {
    metrics::counter!("xxl_callback_total", "result" => result).increment(1);
}

impl Completer {
    async fn complete(&self, items: &[CallbackItem], over: Over) -> Result<()> {
        let ids: Vec<i64> = items.iter().map(|item| item.log_id).collect();
        let (mut tx, runs) = self.store.begin_completion(&ids).await?;
        let mut runs: HashMap<i64, OpenRun> = runs.into_iter().map(|run| (run.log_id, run)).collect();
        let mut completions: HashMap<i64, Completion> = HashMap::new();
        let mut children = Vec::new();
        for item in items {
            let Some(run) = runs.get_mut(&item.log_id) else {
                count("unknown");
                tracing::debug!(log.id = item.log_id, "a result for a run without a row is passed over");
                continue;
            };
            if run.handle_code > 0 && over != Over::Anything {
                count("repeated");
                tracing::debug!(log.id = item.log_id, "a second result is passed over");
                continue;
            }
            let (section, starts) = self.children(run, item.handle_code);
            let existing = run.handle_msg.as_deref().filter(|_| over == Over::Open);
            let handle_msg = message::handle_message(existing, item.handle_msg.as_deref(), &section);
            // A later item of the same list finds what this one has made of the run.
            run.handle_code = item.handle_code;
            run.handle_msg = Some(handle_msg.clone());
            children.extend(starts);
            let done = Completion { log_id: item.log_id, handle_code: item.handle_code, handle_msg };
            completions.insert(item.log_id, done);
            count(if item.handle_code == CallResult::SUCCESS { "success" } else { "failure" });
        }
        let completions: Vec<Completion> = completions.into_values().collect();
        tx.write(&completions, self.clock.now_ms()).await?;
        tx.commit().await?;
        if !children.is_empty() {
            self.triggers.start_beside(children);
        }
        Ok(())
    }

    /// The section about child jobs in the message of a successful run, and their starts.
    fn children(&self, run: &OpenRun, code: i32) -> (String, Vec<Start>) {
        let none = || (String::new(), Vec::new());
        if code != CallResult::SUCCESS {
            return none();
        }
        let Some(items) = message::child_items(run.children.as_deref(), run.job_id, self.numbers) else {
            return none();
        };
        // A result may be quicker than the trigger message with the depth.
        let depth =
            run.trigger_msg.as_deref().map_or(0, child_depth).max(self.triggers.depth_of(run.log_id)).saturating_add(1);
        let too_deep = self.child_limit > 0 && depth > self.child_limit;
        let outcome = |target| match target {
            ChildTarget::Job(_) if too_deep => ChildOutcome::TooDeep(self.child_limit),
            ChildTarget::Job(_) => ChildOutcome::Triggered(self.child_message),
            ChildTarget::Itself => ChildOutcome::PassedOver,
            ChildTarget::Bad => ChildOutcome::Bad,
        };
        let section = message::child_section(self.locale, items.iter().map(|item| (item, outcome(item.target))));
        let starts = items
            .iter()
            .filter_map(|item| match item.target {
                ChildTarget::Job(job_id) if !too_deep => {
                    Some(Start { depth, ..Start::new(job_id, TriggerType::Parent) })
                }
                _ => None,
            })
            .collect();
        (section, starts)
    }
}
