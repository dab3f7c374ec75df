//! A catalogue in memory of all runs: job, group, trigger time and outcome by id, for the lists that the tables have no
//! index for.
//!
//! The tables of 2.3 – 2.4 have no index by job or group, none of any release has one by outcome; a list of one job's
//! runs among five million then costs a read of all of them, and so does every total and every deep page. Extra indexes
//! help, but not everybody may make them. So the first such list makes the program read the six narrow columns of all
//! runs once, page by page and beside everything else (some seconds for millions); from then on a list is answered by
//! looking through nine bytes a run in memory and reading the rows of one page by their ids.
//!
//! **What makes it right although others write too.** The database is the truth, the catalogue only says where to look:
//!
//! - A page's rows are read from the database and compared with what the catalogue said of them; where they differ the
//!   catalogue is corrected and asked again. So a page never shows a run that is gone, or does not match the filter.
//! - Before each answer all runs are read that came since the last, and again all of the last seconds, whose
//!   transactions may have been under way; where the outcome counts, also the runs that were open until now.
//! - What this program removes leaves the catalogue at once; removals from the lowest ids upwards by others (a clean-up)
//!   are seen by the lowest id there is. Other removals by other admins, and results that replace results (a finished run
//!   is killed), are seen when a page meets them, and by a sweep that reads everything anew every ten minutes while lists
//!   are asked for. Until then a total may be too high by them; a client that pages to the total still reaches the end.
//!
//! Memory: nine bytes a run, given back when no list has been asked for during half an hour. A table of more than ten
//! million runs gets no catalogue: such a site adds the indexes.

mod blocks;
mod upkeep;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use self::blocks::{Blocks, FAILED, RUNNING, SUCCESS};
pub(super) use self::blocks::{Criteria, Entry, Selection};
use super::log_page::{LogFilter, LogOrder, LogStatus};

/// Most runs in the catalogue.
const MOST_RUNS: usize = 10_000_000;
/// Transactions that number a row are over after this time.
const IN_FLIGHT: Duration = Duration::from_secs(15);

/// The catalogue of one store; empty until somebody wants it.
#[derive(Debug)]
pub(super) struct Catalogue {
    state: Mutex<State>,
    /// Held while the database is read for it: one reads, the others wait for what he brings.
    reading: tokio::sync::Mutex<()>,
    wanted: Notify,
    ready: watch::Sender<bool>,
    removals: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    blocks: Blocks,
    /// Highest ids with the time at which they were the highest, oldest first.
    tips: VecDeque<(Instant, i64)>,
    /// Up to here no run will appear any more.
    settled: i64,
    used: Option<Instant>,
    swept: Option<Instant>,
    sweep_wanted: bool,
    /// When it was found that there are too many runs.
    gave_up: Option<Instant>,
}

impl Catalogue {
    pub fn new() -> Self {
        Self {
            state: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
            wanted: Notify::new(),
            ready: watch::Sender::new(false),
            removals: AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether lists can be answered from it.
    pub fn is_ready(&self) -> bool {
        *self.ready.borrow()
    }

    /// Ends when it is ready.
    pub async fn until_ready(&self) {
        // The sender lives as long as this does.
        let _ = self.ready.subscribe().wait_for(|ready| *ready).await;
    }

    /// Says that lists are asked for.
    pub fn want(&self) {
        self.state().used = Some(Instant::now());
        self.wanted.notify_one();
    }

    pub fn select(&self, criteria: &Criteria, order: LogOrder, offset: i64, limit: i64, enough: usize) -> Selection {
        let number = |number: i64| usize::try_from(number).unwrap_or_default();
        self.state().blocks.select(criteria, order, number(offset), number(limit), enough)
    }

    /// Ids of all runs that match, lowest first.
    pub fn ids(&self, criteria: &Criteria) -> Vec<i64> {
        self.state().blocks.ids(criteria)
    }

    /// How often runs have been taken out.
    pub fn removals(&self) -> u64 {
        self.removals.load(Ordering::Relaxed)
    }

    /// Takes runs out that have been removed.
    pub fn removed(&self, ids: &[i64]) {
        self.removals.fetch_add(1, Ordering::Relaxed);
        if self.is_ready() {
            self.state().blocks.remove(ids);
        }
    }

    /// Compares what it said of these runs with what was read; corrects itself. Tells whether all was right.
    pub fn confirm(&self, ids: &[i64], read: &[Entry]) -> bool {
        let mut state = self.state();
        let read: HashMap<i64, &Entry> = read.iter().map(|entry| (entry.id, entry)).collect();
        let mut gone = Vec::new();
        let mut right = true;
        for id in ids {
            match read.get(id) {
                None => gone.push(*id),
                Some(entry) if state.blocks.get(*id) == Some(**entry) => {}
                Some(entry) => {
                    right = false;
                    if state.blocks.replace(id - 1, *id, &[**entry]).is_err() {
                        gone.push(*id);
                    }
                }
            }
        }
        if !gone.is_empty() {
            state.blocks.remove(&gone);
            // Where one was removed by somebody else, others were.
            state.sweep_wanted = true;
            self.wanted.notify_one();
        }
        right && gone.is_empty()
    }
}

/// The flags of a list's status.
pub(super) const fn outcome_flags(status: LogStatus) -> u8 {
    match status {
        LogStatus::All => 0,
        LogStatus::Success => SUCCESS,
        LogStatus::Failed => FAILED,
        LogStatus::Running => RUNNING,
    }
}

impl LogFilter {
    /// Whether the outcome counts.
    pub(super) fn is_by_outcome(&self) -> bool {
        self.status != LogStatus::All
    }
}
