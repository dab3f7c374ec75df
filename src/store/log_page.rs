//! Lists of runs as the console asks for them, and the removal of runs by hand.

use super::Store;
use super::db::Row;
use super::error::Result;
use super::job_log::COLUMNS;
use super::query::Query;
use crate::model::{EpochMs, JobLog};

/// Rows counted exactly; beyond, a list says "at least".
pub const EXACT_COUNT: i64 = 10_000;

/// Runs removed in one statement.
const REMOVAL: i64 = 1_000;

/// Which runs a list shows, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogStatus {
    /// All.
    #[default]
    All,
    /// handle_code 200.
    Success,
    /// trigger_code or handle_code neither 0 nor 200.
    Failed,
    /// trigger_code 200 and handle_code 0.
    Running,
}

/// Which runs a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogFilter {
    /// Runs of this group; 0 or less = all.
    pub job_group: i32,
    /// Runs of this job; 0 or less = all.
    pub job_id: i32,
    /// By outcome.
    pub status: LogStatus,
    /// Triggered at or after.
    pub from: Option<EpochMs>,
    /// Triggered at or before.
    pub to: Option<EpochMs>,
}

/// What comes first in a list of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogOrder {
    /// The latest trigger time (to 3.3.1).
    TriggerTime,
    /// The highest id (from 3.3.2).
    Id,
}

/// Which runs of a group or job are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Those triggered at or before the instant.
    Until(EpochMs),
    /// All but so many of the latest.
    KeepLatest(i64),
}

impl Store {
    /// A page of runs and how many there are in all: exact up to 10,000, and beyond that a number which is too
    /// high by one page at most, so that a client which pages until it has seen so many reaches the end.
    pub async fn page_logs(
        &self,
        filter: &LogFilter,
        order: LogOrder,
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<JobLog>, i64)> {
        let count = self
            .filtered(Query::varying("SELECT COUNT(*) FROM (SELECT id FROM xxl_job_log WHERE 1 = 1"), filter)
            .push(" LIMIT ")
            .push_number(EXACT_COUNT + 1)
            .push(") counted");
        let counted = self.main.fetch_optional(count).await?.map_or(Ok(0), |row| row.int(0))?;
        // One row more than asked for tells whether any follow.
        let query = Query::varying("SELECT ").push(COLUMNS).push(" FROM xxl_job_log WHERE 1 = 1");
        let query = self
            .filtered(query, filter)
            .push(match order {
                LogOrder::TriggerTime => " ORDER BY trigger_time DESC, id DESC",
                LogOrder::Id => " ORDER BY id DESC",
            })
            .push(" LIMIT ")
            .push_bind(limit.saturating_add(1))
            .push(" OFFSET ")
            .push_bind(offset);
        let mut logs: Vec<JobLog> =
            self.main.fetch_all(query).await?.iter().map(|row| self.log(row)).collect::<Result<_>>()?;
        let more = logs.len() as i64 > limit;
        logs.truncate(usize::try_from(limit).unwrap_or_default());
        let seen = offset.saturating_add(logs.len() as i64);
        let total = match (counted > EXACT_COUNT, more) {
            (false, _) => counted,
            (true, true) => counted.max(offset.saturating_add(limit).saturating_add(1)),
            (true, false) if logs.is_empty() => counted,
            (true, false) => seen,
        };
        Ok((logs, total))
    }

    fn filtered(&self, mut query: Query, filter: &LogFilter) -> Query {
        query = scoped(query, filter.job_group, filter.job_id);
        if let Some(from) = filter.from {
            query = query.push(" AND trigger_time >= ").push_bind(self.wall(from));
        }
        if let Some(to) = filter.to {
            query = query.push(" AND trigger_time <= ").push_bind(self.wall(to));
        }
        match filter.status {
            LogStatus::All => query,
            LogStatus::Success => query.push(" AND handle_code = 200"),
            LogStatus::Failed => query.push(" AND (trigger_code NOT IN (0, 200) OR handle_code NOT IN (0, 200))"),
            LogStatus::Running => query.push(" AND trigger_code = 200 AND handle_code = 0"),
        }
    }

    /// Removes runs of a group and job (0 or less = all of them), a batch at a time. Gives how many.
    pub async fn remove_logs(&self, job_group: i32, job_id: i32, removal: Removal) -> Result<u64> {
        let Some(bound) = self.removal_bound(job_group, job_id, removal).await? else { return Ok(0) };
        let mut removed = 0;
        loop {
            let query = scoped(Query::varying("SELECT id FROM xxl_job_log WHERE 1 = 1"), job_group, job_id);
            let query = match &bound {
                Bound::Everything => query,
                Bound::Until(at) => query.push(" AND trigger_time <= ").push_bind(*at),
                Bound::From { at, id } => query
                    .push(" AND (trigger_time < ")
                    .push_bind(*at)
                    .push(" OR (trigger_time = ")
                    .push_bind(*at)
                    .push(" AND id <= ")
                    .push_bind(*id)
                    .push("))"),
            };
            let ids = ids(&self.main.fetch_all(query.push(" ORDER BY id LIMIT ").push_number(REMOVAL)).await?)?;
            if ids.is_empty() {
                return Ok(removed);
            }
            let query = Query::varying("DELETE FROM xxl_job_log WHERE id IN ").push_numbers(ids);
            removed += self.main.execute(query).await?.rows;
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

/// Where a removal begins, from the newest.
enum Bound {
    Everything,
    Until(chrono::NaiveDateTime),
    From { at: chrono::NaiveDateTime, id: i64 },
}

fn scoped(mut query: Query, job_group: i32, job_id: i32) -> Query {
    if job_id > 0 {
        query = query.push(" AND job_id = ").push_bind(job_id);
    }
    if job_group > 0 {
        query = query.push(" AND job_group = ").push_bind(job_group);
    }
    query
}

fn ids(rows: &[Row]) -> Result<Vec<i64>> {
    rows.iter().map(|row| row.int(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::{DatabaseUrl, Settings};
    use crate::store::{NewRun, NodeId};

    const START: EpochMs = 1_796_000_000_000;

    /// Runs of job 1 of group 1, one a second; ids start at 1.
    async fn store_with(runs: i64) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings::for_database(DatabaseUrl::Sqlite(folder.path().join("x.db")));
        Store::init(&settings, "hash").await.unwrap();
        let store = Store::open(&settings).await.unwrap();
        let run = |number| NewRun {
            job_group: 1,
            job_id: 1,
            handler: None,
            param: None,
            sharding: None,
            retry: 0,
            trigger_time: START + number * 1000,
        };
        let runs: Vec<NewRun> = (1..=runs).map(run).collect();
        store.insert_runs(&NodeId::random(), 1, &runs).await.unwrap();
        (folder, store)
    }

    async fn page(store: &Store, offset: i64, limit: i64) -> (Vec<i64>, i64) {
        let (logs, total) = store.page_logs(&LogFilter::default(), LogOrder::TriggerTime, offset, limit).await.unwrap();
        (logs.iter().map(|log| log.id).collect(), total)
    }

    #[tokio::test]
    async fn small_tables_are_counted_exactly() {
        let (_folder, store) = store_with(5).await;
        assert_eq!(page(&store, 0, 2).await, (vec![5, 4], 5));
        assert_eq!(page(&store, 4, 2).await, (vec![1], 5));
        assert_eq!(page(&store, 9, 2).await, (vec![], 5));
        assert_eq!(page(&store, 0, 0).await, (vec![], 5));
    }

    #[tokio::test]
    async fn large_tables_show_enough_to_reach_the_end() {
        let count = EXACT_COUNT + 50;
        let (_folder, store) = store_with(count).await;
        assert_eq!(page(&store, 0, 2).await.1, EXACT_COUNT + 1);
        assert_eq!(page(&store, EXACT_COUNT, 20).await.1, EXACT_COUNT + 21);
        assert_eq!(page(&store, EXACT_COUNT, 100).await.1, count);
        // A client that pages until it has seen as many as it was told sees all.
        let (mut seen, mut total) = (0, 1);
        while seen < total {
            let (rows, told) = page(&store, seen, 1500).await;
            seen += rows.len() as i64;
            total = told;
        }
        assert_eq!(seen, count);
    }

    #[tokio::test]
    async fn the_latest_are_kept() {
        let (_folder, store) = store_with(5).await;
        assert_eq!(store.remove_logs(2, 0, Removal::KeepLatest(0)).await.unwrap(), 0);
        assert_eq!(store.remove_logs(1, 1, Removal::KeepLatest(9)).await.unwrap(), 0);
        assert_eq!(store.remove_logs(1, 1, Removal::KeepLatest(3)).await.unwrap(), 2);
        assert_eq!(page(&store, 0, 9).await.0, [5, 4, 3]);
        assert_eq!(store.remove_logs(0, 0, Removal::Until(START + 3_999)).await.unwrap(), 1);
        assert_eq!(page(&store, 0, 9).await.0, [5, 4]);
        assert_eq!(store.remove_logs(0, 1, Removal::KeepLatest(0)).await.unwrap(), 2);
    }
}
