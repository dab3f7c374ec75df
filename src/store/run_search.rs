//! What the monitors ask of the runs, so that nothing is read twice that cannot have changed: see `monitor::failed`,
//! `monitor::lost`.
//!
//! Each statement names one handle_code, so that the index by result, which holds the ids in order, leads to exactly the
//! rows above an id.

use super::Store;
use super::error::Result;
use super::job_log::COLUMNS;
use super::query::Query;
use crate::model::{EpochMs, JobLog};

/// Ids named in one statement.
const IDS: usize = 1_000;
/// More different results than this are not sought one by one.
const MOST_CODES: usize = 100;

/// What a monitor needs to know of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunState {
    /// The run.
    pub id: i64,
    /// What became of the trigger.
    pub trigger_code: i32,
    /// What became of the run.
    pub handle_code: i32,
    /// Whether somebody has looked at it.
    pub alarm_status: i32,
}

impl RunState {
    /// Whether it may still fail or succeed.
    pub const fn is_open(&self) -> bool {
        self.handle_code == 0 && matches!(self.trigger_code, 0 | 200)
    }

    /// Whether it failed (Java: NOT((trigger_code IN (0, 200) AND handle_code = 0) OR handle_code = 200)).
    pub const fn has_failed(&self) -> bool {
        !self.is_open() && self.handle_code != 200
    }
}

impl Store {
    /// The results of failed runs that there are, and 0 for those that were refused; none when there are too many.
    pub async fn failing_codes(&self) -> Result<Option<Vec<i32>>> {
        let mut codes = vec![0];
        // From one value to the next by the index, never over the runs.
        let mut next = self.least_code("IS NOT NULL").await?;
        while let Some(code) = next {
            if code != 0 && code != 200 {
                codes.push(code);
            }
            if codes.len() > MOST_CODES {
                return Ok(None);
            }
            next = self.least_code(&format!("> {code}")).await?;
        }
        codes.sort_unstable();
        Ok(Some(codes))
    }

    async fn least_code(&self, bound: &str) -> Result<Option<i32>> {
        let query = Query::varying("SELECT handle_code FROM xxl_job_log WHERE handle_code ")
            .push(bound)
            .push(" ORDER BY handle_code LIMIT 1");
        self.main.fetch_optional(query).await?.map(|row| row.int32(0)).transpose()
    }

    /// Failed runs with this result (0 = refused ones) above an id that nobody has looked at, lowest id first.
    pub async fn unhandled_failures(&self, code: i32, after: i64, limit: i64) -> Result<Vec<i64>> {
        let query = Query::varying("SELECT id FROM xxl_job_log WHERE handle_code = ")
            .push_bind(code)
            .push(" AND id > ")
            .push_bind(after)
            .push(if code == 0 { " AND trigger_code NOT IN (0, 200)" } else { "" })
            .push(" AND alarm_status = 0 ORDER BY id LIMIT ")
            .push_bind(limit);
        self.main.fetch_all(query).await?.iter().map(|row| row.int(0)).collect()
    }

    /// The next runs with this result between two ids, whatever became of them.
    pub async fn runs_with_code(&self, code: i32, after: i64, until: i64, limit: i64) -> Result<Vec<RunState>> {
        let query = Query::new(
            "SELECT id, trigger_code, handle_code, alarm_status FROM xxl_job_log \
             WHERE handle_code = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?",
        );
        self.states(query.bind(code).bind(after).bind(until).bind(limit)).await
    }

    /// What became of these runs; missing ones are left out.
    pub async fn run_states(&self, ids: &[i64]) -> Result<Vec<RunState>> {
        let mut states = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(IDS) {
            let query =
                Query::varying("SELECT id, trigger_code, handle_code, alarm_status FROM xxl_job_log WHERE id IN ")
                    .push_numbers(chunk.iter().copied());
            states.append(&mut self.states(query).await?);
        }
        Ok(states)
    }

    async fn states(&self, query: Query) -> Result<Vec<RunState>> {
        let rows = self.main.fetch_all(query).await?;
        rows.iter()
            .map(|row| {
                Ok(RunState {
                    id: row.int(0)?,
                    trigger_code: row.int32(1)?,
                    handle_code: row.int32(2)?,
                    alarm_status: row.int32(3)?,
                })
            })
            .collect()
    }

    /// Failed runs that nobody has looked at, lowest ids of each kind first, by the index of the alarm status: it holds
    /// them side by side, so nothing else is read.
    pub async fn unhandled_failures_by_index(&self, limit: i64) -> Result<Vec<i64>> {
        const RANGES: [&str; 6] = [
            "handle_code < 0",
            "handle_code > 0 AND handle_code < 200",
            "handle_code > 200",
            "handle_code = 0 AND trigger_code < 0",
            "handle_code = 0 AND trigger_code > 0 AND trigger_code < 200",
            "handle_code = 0 AND trigger_code > 200",
        ];
        let mut ids = Vec::new();
        for range in RANGES {
            let query = Query::varying("SELECT id FROM xxl_job_log WHERE alarm_status = 0 AND ")
                .push(range)
                .push(" ORDER BY handle_code, trigger_code, id LIMIT ")
                .push_bind(limit);
            for row in self.main.fetch_all(query).await? {
                ids.push(row.int(0)?);
            }
        }
        ids.sort_unstable();
        ids.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(ids)
    }

    /// Frees those of these runs whose alarm was locked by a node that did not finish: triggered at or after `from`,
    /// trigger and result older than `before`.
    pub async fn free_stuck(&self, ids: &[i64], from: EpochMs, before: EpochMs) -> Result<u64> {
        let mut freed = 0;
        for chunk in ids.chunks(IDS) {
            let query = Query::varying("UPDATE xxl_job_log SET alarm_status = 0 WHERE id IN ")
                .push_numbers(chunk.iter().copied())
                .push(" AND alarm_status = -1 AND handle_code <> 200 AND trigger_time >= ")
                .push_bind(self.wall(from))
                .push(" AND trigger_time < ")
                .push_bind(self.wall(before))
                .push(" AND (handle_time IS NULL OR handle_time < ")
                .push_bind(self.wall(before))
                .push(")");
            freed += self.main.execute(query).await?.rows;
        }
        Ok(freed)
    }

    /// Those of these runs that are lost: without a result, taken at or before `before` by an executor that is registered
    /// no more. By id.
    pub async fn lost_among(&self, ids: &[i64], before: EpochMs) -> Result<Vec<JobLog>> {
        let mut lost = Vec::new();
        for chunk in ids.chunks(IDS) {
            let query = self.lost_query(before).push(" AND id IN ").push_numbers(chunk.iter().copied());
            for row in self.main.fetch_all(query.push(" ORDER BY id")).await? {
                lost.push(self.log(&row)?);
            }
        }
        Ok(lost)
    }

    /// The lost runs above an id, by id.
    pub async fn lost_above(&self, after: i64, before: EpochMs) -> Result<Vec<JobLog>> {
        let query = self.lost_query(before).push(" AND id > ").push_bind(after).push(" ORDER BY id");
        self.main.fetch_all(query).await?.iter().map(|row| self.log(row)).collect()
    }

    fn lost_query(&self, before: EpochMs) -> Query {
        Query::varying("SELECT ")
            .push(COLUMNS)
            .push(
                " FROM xxl_job_log l WHERE handle_code = 0 AND trigger_code = 200 AND NOT EXISTS \
                 (SELECT 1 FROM xxl_job_registry r WHERE r.registry_value = l.executor_address) AND trigger_time <= ",
            )
            .push_bind(self.wall(before))
    }

    /// Whether the wall times between two instants follow each other as the instants do: no clock was changed.
    pub fn is_even(&self, from: EpochMs, to: EpochMs) -> bool {
        let whole = (to - from) / 1_000;
        (self.wall(to) - self.wall(from)).num_seconds() == whole
    }

    /// How many batches of runs this program has removed.
    pub fn removals(&self) -> u64 {
        self.catalogue.removals()
    }
}
