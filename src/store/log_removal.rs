//! The removal of runs: by hand, by age, and with their job (Java: `XxlJobLogMapper.findClearLogIds`, `clearLog`).
//!
//! However many there are, nobody waits long for it: the ids are found by reads that lock nothing, each a step further
//! than the last and none over what is done; the rows go in small batches of their own, each named by its id, so that only
//! they are locked and only for the few milliseconds of their batch; and after each batch others get their turn for half
//! as long. "All but the latest" finds its bound once; Java sought the rows to keep anew for every batch.

use std::time::Duration;

use chrono::NaiveDateTime;
use tokio::time::Instant;

use super::Store;
use super::catalogue::Criteria;
use super::error::{Error, Result};
use super::log_page::scoped;
use super::query::Query;
use crate::model::EpochMs;

/// Runs removed in one statement, at most and at least.
const BATCH: (usize, usize) = (1_000, 50);
/// A batch that takes longer than this makes the next one smaller.
const LONG: Duration = Duration::from_millis(100);
/// Ids looked through in one read.
const WINDOW: i64 = 10_000;
/// How often a batch is tried when somebody else holds its rows.
const TRIES: usize = 5;

/// Which runs of a group or job are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Those triggered at or before the instant.
    Until(EpochMs),
    /// All but so many of the latest.
    KeepLatest(i64),
}

/// Where a removal begins, from the newest.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Everything,
    Until(NaiveDateTime),
    From { at: NaiveDateTime, id: i64 },
}

impl Bound {
    /// Latest trigger time of what goes; none = no matter.
    const fn latest(self) -> Option<NaiveDateTime> {
        match self {
            Self::Everything => None,
            Self::Until(at) | Self::From { at, .. } => Some(at),
        }
    }

    /// Whether a run of the latest time goes.
    const fn takes(self, time: Option<NaiveDateTime>, id: i64) -> bool {
        match (self, time) {
            (Self::From { at, id: bound }, Some(time)) if is_same(time, at) => id <= bound,
            _ => true,
        }
    }
}

const fn is_same(one: NaiveDateTime, other: NaiveDateTime) -> bool {
    one.and_utc().timestamp() == other.and_utc().timestamp()
}

/// Rows that go, and how far the search came.
struct Step {
    ids: Vec<i64>,
    next: Option<Cursor>,
}

#[derive(Clone, Copy)]
enum Cursor {
    /// Ids above.
    Above(i64),
    /// From this time on, ids above within the time.
    At(NaiveDateTime, i64),
}

impl Store {
    /// Removes runs of a group and job (0 or less = all of them), a batch at a time. Gives how many. Dropped, it stops
    /// after the batch in hand.
    pub async fn remove_logs(&self, job_group: i32, job_id: i32, removal: Removal) -> Result<u64> {
        let Some(bound) = self.removal_bound(job_group, job_id, removal).await? else { return Ok(0) };
        let scope = (job_group, job_id);
        if (job_group > 0 || job_id > 0) && self.catalogue.is_ready() {
            return self.remove_by_catalogue(scope, bound).await;
        }
        let mut pace = Pace::new();
        let mut cursor = Some(Cursor::Above(0));
        while let Some(from) = cursor {
            let step = self.next_step(scope, bound, from).await?;
            self.remove_ids(&step.ids, scope, &mut pace).await?;
            cursor = step.next;
        }
        Ok(pace.removed)
    }

    async fn next_step(&self, (job_group, job_id): (i32, i32), bound: Bound, from: Cursor) -> Result<Step> {
        match bound.latest() {
            Some(latest) if job_group <= 0 && job_id <= 0 => self.step_by_time(bound, latest, from).await,
            _ => self.step_by_id((job_group, job_id), bound, from).await,
        }
    }

    /// The next oldest runs over all groups, by the index of the trigger time.
    async fn step_by_time(&self, bound: Bound, latest: NaiveDateTime, from: Cursor) -> Result<Step> {
        let query = Query::varying("SELECT id, trigger_time FROM xxl_job_log WHERE trigger_time <= ").push_bind(latest);
        let query = match from {
            Cursor::Above(_) => query,
            Cursor::At(time, id) => query
                .push(" AND trigger_time >= ")
                .push_bind(time)
                .push(" AND (trigger_time > ")
                .push_bind(time)
                .push(" OR id > ")
                .push_bind(id)
                .push(")"),
        };
        let query = query.push(" ORDER BY trigger_time, id LIMIT ").push_number(WINDOW);
        let (mut ids, mut next) = (Vec::new(), None);
        let rows = self.main.fetch_all(query).await?;
        for row in &rows {
            let (id, time) = (row.int(0)?, row.time(1)?);
            next = time.map(|time| Cursor::At(time, id));
            if bound.takes(time, id) {
                ids.push(id);
            }
        }
        Ok(Step { ids, next: if (rows.len() as i64) < WINDOW { None } else { next } })
    }

    /// The runs of a scope among the next ids.
    async fn step_by_id(&self, (job_group, job_id): (i32, i32), bound: Bound, from: Cursor) -> Result<Step> {
        let Cursor::Above(after) = from else { return Ok(Step { ids: Vec::new(), next: None }) };
        // With an index the next ones of the job or group come from it; otherwise a stretch of ids is looked through.
        let indexed = match (job_id > 0, job_group > 0) {
            (true, _) => self.schema.indexes.job,
            (false, true) => self.schema.indexes.group,
            (false, false) => true,
        };
        let until = if indexed { None } else { self.end_of_window(after).await? };
        let mut query = Query::varying("SELECT id, trigger_time FROM xxl_job_log WHERE id > ").push_bind(after);
        if let Some(until) = until {
            query = query.push(" AND id <= ").push_bind(until);
        }
        query = scoped(query, job_group, job_id);
        if let Some(latest) = bound.latest() {
            query = query.push(" AND trigger_time <= ").push_bind(latest);
        }
        let rows = self.main.fetch_all(query.push(" ORDER BY id LIMIT ").push_number(WINDOW)).await?;
        let (mut ids, mut last) = (Vec::new(), after);
        for row in &rows {
            last = row.int(0)?;
            if bound.takes(row.time(1)?, last) {
                ids.push(last);
            }
        }
        let is_full = rows.len() as i64 == WINDOW;
        let next = if is_full { Some(last) } else { until };
        Ok(Step { ids, next: next.map(Cursor::Above) })
    }

    /// The id at the end of the next stretch; none when nothing follows.
    async fn end_of_window(&self, after: i64) -> Result<Option<i64>> {
        let query =
            Query::new("SELECT MAX(id) FROM (SELECT id FROM xxl_job_log WHERE id > ? ORDER BY id LIMIT ?) stretch")
                .bind(after)
                .bind(WINDOW);
        let last = self.main.fetch_optional(query).await?.map_or(Ok(0), |row| row.int(0))?;
        Ok((last > after).then_some(last))
    }

    async fn remove_by_catalogue(&self, scope: (i32, i32), bound: Bound) -> Result<u64> {
        self.refresh_catalogue(false).await?;
        let criteria = Criteria { job_group: scope.0, job_id: scope.1, ..Criteria::default() };
        let mut pace = Pace::new();
        for chunk in self.catalogue.ids(&criteria).chunks(BATCH.0) {
            let query = Query::varying("SELECT id, trigger_time FROM xxl_job_log WHERE id IN ");
            let query = scoped(query.push_numbers(chunk.iter().copied()), scope.0, scope.1);
            let query = match bound.latest() {
                Some(latest) => query.push(" AND trigger_time <= ").push_bind(latest),
                None => query,
            };
            let mut ids = Vec::new();
            for row in self.main.fetch_all(query.push(" ORDER BY id")).await? {
                let id = row.int(0)?;
                if bound.takes(row.time(1)?, id) {
                    ids.push(id);
                }
            }
            self.remove_ids(&ids, scope, &mut pace).await?;
        }
        Ok(pace.removed)
    }

    /// Removes these runs of the scope, batch by batch with rests.
    async fn remove_ids(&self, ids: &[i64], scope: (i32, i32), pace: &mut Pace) -> Result<()> {
        let mut left = ids;
        while !left.is_empty() {
            let (batch, rest) = left.split_at(pace.batch.min(left.len()));
            left = rest;
            pace.rest().await;
            let started = Instant::now();
            pace.removed += self.remove_batch(batch, scope).await?;
            self.catalogue.removed(batch);
            pace.took(started.elapsed());
        }
        Ok(())
    }

    async fn remove_batch(&self, ids: &[i64], (job_group, job_id): (i32, i32)) -> Result<u64> {
        let mut tries = 0;
        loop {
            let query = Query::varying("DELETE FROM xxl_job_log WHERE id IN ").push_numbers(ids.iter().copied());
            tries += 1;
            match self.main.execute(scoped(query, job_group, job_id)).await {
                Err(Error::Locked(_)) if tries < TRIES => tokio::time::sleep(LONG).await,
                done => return Ok(done?.rows),
            }
        }
    }

    async fn removal_bound(&self, job_group: i32, job_id: i32, removal: Removal) -> Result<Option<Bound>> {
        match removal {
            Removal::Until(at) => Ok(Some(Bound::Until(self.wall(at)))),
            Removal::KeepLatest(kept) if kept <= 0 => Ok(Some(Bound::Everything)),
            Removal::KeepLatest(kept) => {
                let query = Query::varying("SELECT id, trigger_time FROM xxl_job_log WHERE trigger_time IS NOT NULL");
                let query = scoped(query, job_group, job_id)
                    .push(" ORDER BY trigger_time DESC, id DESC LIMIT 1 OFFSET ")
                    .push_bind(kept);
                let Some(row) = self.main.fetch_optional(query).await? else { return Ok(None) };
                let Some(at) = row.time(1)? else { return Ok(None) };
                Ok(Some(Bound::From { at, id: row.int(0)? }))
            }
        }
    }

    /// Removes all runs of a job.
    pub(super) async fn remove_logs_of(&self, job_id: i32) -> Result<u64> {
        if job_id <= 0 {
            return Ok(0);
        }
        self.remove_logs(0, job_id, Removal::KeepLatest(0)).await
    }
}

/// How fast a removal goes: each batch is followed by a rest of half its time.
struct Pace {
    batch: usize,
    rest: Duration,
    removed: u64,
}

impl Pace {
    const fn new() -> Self {
        Self { batch: BATCH.0 / 4, rest: Duration::ZERO, removed: 0 }
    }

    async fn rest(&self) {
        if !self.rest.is_zero() {
            tokio::time::sleep(self.rest).await;
        }
    }

    fn took(&mut self, time: Duration) {
        self.rest = time / 2;
        self.batch = if time > LONG { (self.batch / 2).max(BATCH.1) } else { (self.batch + BATCH.1).min(BATCH.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_batches_make_the_next_ones_smaller() {
        let mut pace = Pace::new();
        for _ in 0..50 {
            pace.took(Duration::from_millis(10));
        }
        assert_eq!((pace.batch, pace.rest), (1_000, Duration::from_millis(5)));
        pace.took(Duration::from_millis(400));
        assert_eq!((pace.batch, pace.rest), (500, Duration::from_millis(200)));
        for _ in 0..50 {
            pace.took(Duration::from_secs(1));
        }
        assert_eq!(pace.batch, 50);
    }
}
