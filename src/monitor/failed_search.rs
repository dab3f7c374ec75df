//! Which runs have failed and nobody has looked at.
//!
//! The Java admins read every failed run of the table for it, every ten seconds. Here a round reads
//!
//! 1. the failures among the runs of the last minutes (everything above the *settled* id, see `open_runs`);
//! 2. the runs below it that were open when they were settled: a run that fails late – after hours, by a result, by being
//!    lost or refused, whoever writes it – is one of them;
//! 3. a stretch of all failures there are, from the lowest id to the settled one and again from the start. In the first
//!    round after a start the whole way is gone: what was left unhandled while nobody ran is found at once.
//!
//! No failure is missed: each is above the settled id (1), or was open when it was settled (2), or is on the way of (3):
//! the few that 1 and 2 cannot know (a finished run that is killed, a row committed minutes after its id was given, more
//! than 20,000 runs open at once) wait for 3 at most as long as one way takes, ten seconds for each 5,000 failures.
//! Whether a run is handled is decided by its alarm status alone, so nothing is handled twice, and Java admins that share
//! the table take their part.
//!
//! With the index by alarm status (`rs_log_alarm`) the unhandled failures lie side by side, and one look finds them all.
//!
//! Locked alarms that a dead node left are found on the way of (3).

use super::open_runs::OpenRuns;
use crate::model::{AlarmStatus, EpochMs};
use crate::store::{Result, Store};

/// Failures that the slow way passes in one round.
const STRETCH: i64 = 5_000;
/// Runs read in one statement.
const PAGE: i64 = 1_000;
/// Age at which a locked alarm counts as left by a dead node.
const STUCK_MS: i64 = 1_800_000;
/// Older ones stay as they are: nobody wants to hear of them any more.
const STUCK_BACK_MS: i64 = 24 * 3_600_000;

/// The search, and how far it has come.
#[derive(Debug, Default)]
pub struct FailedSearch {
    open: OpenRuns,
    way: Way,
    /// When stuck alarms were last sought by the index.
    stuck_sought: Option<EpochMs>,
}

/// Where the slow way is: at this result, above this id.
#[derive(Debug, Default)]
struct Way {
    code: Option<i32>,
    after: i64,
    /// Whether it has been gone once.
    gone: bool,
}

impl FailedSearch {
    /// Failed runs that nobody has looked at, lowest id first; of each kind about so many at most.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find(&mut self, store: &Store, now: EpochMs, limit: i64) -> Result<Vec<i64>> {
        if store.schema().indexes.alarm {
            self.free_stuck_by_index(store, now).await?;
            return store.unhandled_failures_by_index(limit).await;
        }
        let Some(codes) = store.failing_codes().await? else {
            // Executors that answer with hundreds of results of their own.
            return store.failed_runs(self.open.settled(), limit).await;
        };
        self.open.advance(store, now).await?;
        let mut found = Vec::new();
        // The first time the whole way is gone anyway.
        for code in codes.iter().filter(|_| self.way.gone) {
            found.append(&mut store.unhandled_failures(*code, self.open.settled(), limit).await?);
        }
        let is_wanted = |alarm_status: i32| alarm_status == AlarmStatus::Untouched as i32;
        let late =
            self.open.look(store, |run| run.is_open() || (run.has_failed() && is_wanted(run.alarm_status))).await?;
        found.extend(late.iter().filter(|run| run.has_failed() && is_wanted(run.alarm_status)).map(|run| run.id));
        found.append(&mut self.go_on(store, &codes, now, limit).await?);
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Goes a stretch of the slow way.
    async fn go_on(&mut self, store: &Store, codes: &[i32], now: EpochMs, limit: i64) -> Result<Vec<i64>> {
        let (mut found, mut stuck, mut passed) = (Vec::new(), Vec::new(), 0);
        let at = self.way.code;
        let mut places = codes.iter().copied().skip_while(|code| at.is_some_and(|at| *code < at)).peekable();
        if places.peek().copied() != at {
            self.way.after = 0;
        }
        for code in places {
            self.way.code = Some(code);
            loop {
                // Up to the settled id; in the first round, when nothing is settled, to the end.
                let until = if self.way.gone { self.open.settled() } else { i64::MAX };
                let page = store.runs_with_code(code, self.way.after, until, PAGE).await?;
                for run in page.iter().filter(|run| run.has_failed()) {
                    if run.alarm_status == AlarmStatus::Untouched as i32 {
                        found.push(run.id);
                    } else if run.alarm_status == AlarmStatus::Locked as i32 {
                        stuck.push(run.id);
                    }
                }
                passed += page.len() as i64;
                let Some(last) = page.last().filter(|_| page.len() as i64 == PAGE) else { break };
                self.way.after = last.id;
                if (self.way.gone && passed >= STRETCH) || found.len() as i64 >= limit {
                    self.free(store, &stuck, now).await?;
                    return Ok(found);
                }
            }
            self.way.after = 0;
        }
        self.way = Way { gone: true, ..Way::default() };
        self.free(store, &stuck, now).await?;
        Ok(found)
    }

    async fn free(&self, store: &Store, stuck: &[i64], now: EpochMs) -> Result<()> {
        if stuck.is_empty() {
            return Ok(());
        }
        told(store.free_stuck(stuck, now - STUCK_BACK_MS, now - STUCK_MS).await?);
        Ok(())
    }

    async fn free_stuck_by_index(&mut self, store: &Store, now: EpochMs) -> Result<()> {
        if self.stuck_sought.is_some_and(|at| now - at < STUCK_MS) {
            return Ok(());
        }
        told(store.free_stuck_alarms(now - STUCK_BACK_MS, now - STUCK_MS).await?);
        self.stuck_sought = Some(now);
        Ok(())
    }
}

fn told(freed: u64) {
    if freed > 0 {
        tracing::warn!(freed, "failed runs that a node left half-handled are handled again");
    }
}
