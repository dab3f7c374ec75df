//! Reading the catalogue and keeping it true.

use std::time::Duration;

use chrono::NaiveDateTime;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::blocks::{Blocks, Entry, outcome};
use super::{Catalogue, IN_FLIGHT, MOST_RUNS, State};
use crate::store::db::Row;
use crate::store::error::Result;
use crate::store::query::Query;
use crate::store::{Error, Store};

/// Runs read in one statement.
const PAGE: i64 = 10_000;
/// Ids below the highest that are read again after the first reading.
const UNSETTLED: i64 = 5_000;
/// Open runs that are looked at again before an answer, the latest of them.
const OPEN: usize = 5_000;
/// Ids named in one statement.
const IDS: usize = 1_000;
/// Rhythm in which new runs are read while lists are asked for.
const RHYTHM: Duration = Duration::from_secs(5);
/// Lists are being asked for when the last came within this time.
const IN_USE: Duration = Duration::from_mins(10);
/// Time without a list after which the memory is given back.
const FORGET: Duration = Duration::from_mins(30);
/// Time between two sweeps.
const SWEEP: Duration = Duration::from_mins(10);
/// Shortest time between two sweeps that were asked for.
const SWEEP_AGAIN: Duration = Duration::from_secs(20);
/// Time after which a table that was too large is looked at again.
const RETRY: Duration = Duration::from_hours(6);

impl State {
    /// Notes that everything up to this id has been read.
    fn note_tip(&mut self, tip: i64) {
        let now = Instant::now();
        self.tips.push_back((now, tip));
        while let Some((at, id)) = self.tips.front().copied()
            && now - at >= IN_FLIGHT
        {
            self.settled = self.settled.max(id);
            self.tips.pop_front();
        }
    }
}

impl Store {
    /// Reads the catalogue of runs if it is not there yet, so that lists are answered from it. Tells whether it is there
    /// (not when there are too many runs).
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn read_catalogue(&self) -> Result<bool> {
        let catalogue = &self.catalogue;
        let _reading = catalogue.reading.lock().await;
        if catalogue.is_ready() {
            return Ok(true);
        }
        if catalogue.state().gave_up.is_some_and(|at| at.elapsed() < RETRY) {
            return Ok(false);
        }
        let started = Instant::now();
        let (mut blocks, mut tip) = (Blocks::default(), 0);
        loop {
            let entries = self.entries_above(tip).await?;
            let Some(last) = entries.last() else { break };
            let until = last.id;
            if blocks.len() + entries.len() > MOST_RUNS || blocks.replace(tip, until, &entries).is_err() {
                tracing::warn!(
                    "the log has too many runs for the catalogue in memory: lists of one job or group are slow unless the \
                     indexes are added (xxl-job-admin add-indexes)"
                );
                catalogue.state().gave_up = Some(Instant::now());
                return Ok(false);
            }
            tip = until;
            // Between two pages others get their turn.
            tokio::task::yield_now().await;
        }
        let mut state = catalogue.state();
        let runs = blocks.len();
        *state = State { blocks, used: state.used, swept: Some(Instant::now()), ..State::default() };
        state.note_tip(tip);
        // Some of the last may have been overtaken by higher ids.
        state.settled = (tip - UNSETTLED).max(0);
        drop(state);
        catalogue.ready.send_replace(true);
        tracing::info!(runs, seconds = started.elapsed().as_secs_f32(), "the catalogue of runs has been read");
        Ok(true)
    }

    /// Brings the catalogue up to date with what came since, and with what became of open runs.
    pub(in crate::store) async fn refresh_catalogue(&self, with_open: bool) -> Result<()> {
        let catalogue = &self.catalogue;
        let _reading = catalogue.reading.lock().await;
        let mut after = catalogue.state().settled;
        loop {
            let entries = self.entries_above(after).await?;
            let until =
                if entries.len() as i64 == PAGE { entries.last().map_or(after, |last| last.id) } else { i64::MAX };
            let tip = entries.last().map_or(after, |last| last.id);
            let mut state = catalogue.state();
            // A page that is not full is the last: nothing is above it.
            if state.blocks.replace(after, until, &entries).is_err() || state.blocks.len() > MOST_RUNS {
                give_up(catalogue, &mut state);
                return Ok(());
            }
            if until == i64::MAX {
                state.note_tip(tip);
                break;
            }
            after = until;
        }
        self.forget_removed_from_below().await?;
        if with_open {
            let ids = {
                let state = catalogue.state();
                state.blocks.open_until(state.settled, OPEN)
            };
            self.read_again(&ids).await?;
        }
        Ok(())
    }

    async fn forget_removed_from_below(&self) -> Result<()> {
        let query = Query::new("SELECT MIN(id) FROM xxl_job_log");
        let lowest = self.main.fetch_optional(query).await?.map_or(Ok(0), |row| row.int(0))?;
        let mut state = self.catalogue.state();
        // No run has an id of 0 or less: 0 says that there is none.
        let until = if lowest == 0 { i64::MAX } else { lowest - 1 };
        if state.blocks.lowest().is_some_and(|known| known <= until) {
            // Taking out needs no owner's number, so it cannot be too much.
            let _ = state.blocks.replace(0, until, &[]);
        }
        Ok(())
    }

    async fn read_again(&self, ids: &[i64]) -> Result<()> {
        for chunk in ids.chunks(IDS) {
            let query = entry_query(" WHERE id IN ").push_numbers(chunk.iter().copied());
            let read = entries(&self.main.fetch_all(query).await?)?;
            self.catalogue.confirm(chunk, &read);
        }
        Ok(())
    }

    async fn entries_above(&self, after: i64) -> Result<Vec<Entry>> {
        let query = entry_query(" WHERE id > ").push_bind(after).push(" ORDER BY id LIMIT ").push_number(PAGE);
        entries(&self.main.fetch_all(query).await?)
    }

    /// Reads all settled runs anew, a page at a time with rests between, so that it takes a tenth of one connection.
    async fn sweep_catalogue(&self) -> Result<()> {
        let mut after = 0;
        loop {
            let started = Instant::now();
            {
                let _reading = self.catalogue.reading.lock().await;
                let settled = self.catalogue.state().settled;
                if after >= settled {
                    return Ok(());
                }
                let entries = self.entries_above(after).await?;
                let until = entries.last().map_or(settled, |last| last.id).min(settled);
                let entries: Vec<Entry> = entries.into_iter().take_while(|entry| entry.id <= until).collect();
                let mut state = self.catalogue.state();
                if state.blocks.replace(after, until, &entries).is_err() {
                    give_up(&self.catalogue, &mut state);
                    return Ok(());
                }
                after = until;
            }
            tokio::time::sleep(started.elapsed() * 9).await;
        }
    }

    /// Reads the catalogue once a list wants it, keeps it true while lists are asked for, and forgets it when none is.
    pub async fn keep_catalogue(&self, token: &CancellationToken) {
        while !token.is_cancelled() {
            let woken = tokio::time::timeout(RHYTHM, self.catalogue.wanted.notified());
            if token.run_until_cancelled(woken).await.is_none() {
                return;
            }
            if let Some(Err(error)) = token.run_until_cancelled(self.tend_catalogue()).await {
                tracing::warn!("the catalogue of runs could not be read and is read again: {error}");
                token.run_until_cancelled(tokio::time::sleep(RHYTHM)).await;
            }
        }
    }

    async fn tend_catalogue(&self) -> Result<()> {
        let catalogue = &self.catalogue;
        let Some(idle) = catalogue.state().used.map(|used| used.elapsed()) else { return Ok(()) };
        if idle >= FORGET {
            let _reading = catalogue.reading.lock().await;
            catalogue.ready.send_replace(false);
            *catalogue.state() = State::default();
            return Ok(());
        }
        if idle >= IN_USE || !self.read_catalogue().await? {
            return Ok(());
        }
        self.refresh_catalogue(false).await?;
        let due = {
            let mut state = catalogue.state();
            let least = if state.sweep_wanted { SWEEP_AGAIN } else { SWEEP };
            let due = state.swept.is_none_or(|at| at.elapsed() >= least);
            if due {
                state.sweep_wanted = false;
                state.swept = Some(Instant::now());
            }
            due
        };
        if due {
            self.sweep_catalogue().await?;
            catalogue.state().swept = Some(Instant::now());
        }
        Ok(())
    }

    /// The wall time as the catalogue keeps it.
    pub(in crate::store) fn catalogue_time(&self, at: crate::model::EpochMs) -> u32 {
        seconds(self.wall(at))
    }
}

fn give_up(catalogue: &Catalogue, state: &mut State) {
    catalogue.ready.send_replace(false);
    *state = State { used: state.used, gave_up: Some(Instant::now()), ..State::default() };
}

fn entry_query(rest: &str) -> Query {
    Query::varying("SELECT id, job_group, job_id, trigger_time, trigger_code, handle_code FROM xxl_job_log").push(rest)
}

fn entries(rows: &[Row]) -> Result<Vec<Entry>> {
    rows.iter()
        .map(|row| {
            Ok::<_, Error>(Entry {
                id: row.int(0)?,
                job_group: row.int32(1)?,
                job_id: row.int32(2)?,
                time: row.time(3)?.map_or(0, seconds),
                outcome: outcome(row.int32(4)?, row.int32(5)?),
            })
        })
        .collect()
}

/// Seconds of the wall time: what the database orders by, whatever the zone does.
fn seconds(wall: NaiveDateTime) -> u32 {
    u32::try_from(wall.and_utc().timestamp()).unwrap_or_default()
}
