//! The open runs: those whose result may still come.
//!
//! A run that fails was open before. So whoever remembers the open runs need not look at all others again. The runs of
//! the last minutes are not remembered – their rows may not be visible yet, since a lower id can be committed after a
//! higher one – but sought anew each time, which is cheap as they are few; whatever is older is *settled*, and of the
//! settled runs those that are still open are remembered, by their ids.
//!
//! The memory is bounded. What it does not hold (the oldest of too many, a row that was committed later than anybody
//! expected, a finished run that is killed) is found by the slow rounds of those who use this.

use std::collections::{BTreeSet, VecDeque};

use crate::model::EpochMs;
use crate::store::{Result, RunState, Store};

/// After this time every row has been committed that has a lower id than one that is seen.
const SETTLED_MS: i64 = 120_000;
/// Time between two notes of the highest id.
const NOTE_MS: i64 = 10_000;
/// Open runs remembered.
const MOST: usize = 20_000;
/// Runs read in one statement.
const PAGE: i64 = 5_000;

/// The open runs that are settled.
#[derive(Debug, Default)]
pub struct OpenRuns {
    /// Highest ids with the time at which they were the highest, oldest first.
    newest: VecDeque<(EpochMs, i64)>,
    settled: i64,
    ids: BTreeSet<i64>,
}

impl OpenRuns {
    /// Every run up to here is settled.
    pub const fn settled(&self) -> i64 {
        self.settled
    }

    /// Those that are remembered, lowest first.
    pub fn ids(&self) -> Vec<i64> {
        self.ids.iter().copied().collect()
    }

    /// Notes how far the runs have come and remembers those that are settled and open since the last time.
    ///
    /// # Errors
    /// When the database does not answer; the next call goes on from there.
    pub async fn advance(&mut self, store: &Store, now: EpochMs) -> Result<()> {
        if self.newest.back().is_none_or(|(at, _)| now - at >= NOTE_MS || now < *at) {
            self.newest.push_back((now, store.newest_log().await?));
        }
        while let Some((at, id)) = self.newest.front().copied()
            && now - at >= SETTLED_MS
        {
            self.remember(store, self.settled, id).await?;
            self.settled = self.settled.max(id);
            self.newest.pop_front();
        }
        Ok(())
    }

    /// Looks at all runs up to the settled ones anew.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn read_again(&mut self, store: &Store) -> Result<()> {
        self.remember(store, 0, self.settled).await
    }

    async fn remember(&mut self, store: &Store, after: i64, until: i64) -> Result<()> {
        let mut after = after;
        while after < until {
            let page = store.runs_with_code(0, after, until, PAGE).await?;
            self.ids.extend(page.iter().filter(|run| run.is_open()).map(|run| run.id));
            match page.last() {
                Some(last) if page.len() as i64 == PAGE => after = last.id,
                _ => break,
            }
        }
        while self.ids.len() > MOST {
            self.ids.pop_first();
        }
        Ok(())
    }

    /// Reads what became of those that are remembered; keeps the ones that this says are to be kept.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn look(&mut self, store: &Store, keep: impl Fn(&RunState) -> bool) -> Result<Vec<RunState>> {
        let states = store.run_states(&self.ids()).await?;
        self.ids = states.iter().filter(|run| keep(run)).map(|run| run.id).collect();
        Ok(states)
    }
}
