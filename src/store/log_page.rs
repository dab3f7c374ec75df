//! Lists of runs as the console asks for them (Java: `XxlJobLogMapper.pageList`, which counts everything and sorts
//! everything for each page).
//!
//! Three ways lead to a page, and each gives the same rows in the same order:
//!
//! - **The tables' own indexes**, where they give the order and the filter: all runs and those of a time, and with an
//!   index by job or group also theirs. The ids are found in the index alone, then the rows of one page are read by id.
//! - **The catalogue in memory** (see `catalogue`) for everything else: a job's or group's runs, an outcome, deep pages.
//! - **A plain search** where there are few runs, or the catalogue is not there (yet). Then a total that would cost a
//!   search of all runs is not counted: while more rows follow, the list says "more than".
//!
//! The total: exact up to 10,000 and, for whole days over all groups, beyond. Otherwise, while more rows follow, the larger of
//! 10,001 and one more than was shown so far; on the last page what was shown. A client that pages until it has seen so
//! many reaches the end, whichever way led to each page.

use std::collections::{HashMap, HashSet};

use super::Store;
use super::catalogue::{Criteria, Entry, outcome_flags};
use super::error::Result;
use super::query::Query;
use crate::model::{EpochMs, JobLog};

/// Rows counted exactly; beyond, a list says "at least".
pub const EXACT_COUNT: i64 = 10_000;
/// Ids between the lowest and the highest up to which a plain search is quick.
const FEW: i64 = 50_000;
/// Rows that an index skips quickly.
const SHALLOW: i64 = 20_000;
/// How often a page is sought again after what the catalogue said of its rows was corrected.
const TRIES: usize = 5;
const DAY_MS: EpochMs = 24 * 3_600_000;

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

/// A page of ids, and what is known of the number of all.
struct Found {
    ids: Vec<i64>,
    /// Exact up to [`EXACT_COUNT`]; none = not counted.
    counted: Option<i64>,
    /// Whether rows follow the page.
    more: bool,
}

/// How a page is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// By a search of the database that counts as well.
    Search,
    /// By the catalogue.
    Catalogue,
}

impl Store {
    /// A page of runs and how many there are in all; see the module for what is exact of that number.
    pub async fn page_logs(
        &self,
        filter: &LogFilter,
        order: LogOrder,
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<JobLog>, i64)> {
        if self.plan(filter, order, offset).await? == Plan::Search {
            let found = self.search(filter, order, offset, limit, true).await?;
            return self.read_page(filter, offset, limit, found).await;
        }
        if !self.catalogue.is_ready() {
            // Both start; a list of a job with many runs is found quickly, a rare one waits for the catalogue.
            let searched = tokio::select! {
                found = self.search(filter, order, offset, limit, false) => Some(found?),
                () = self.catalogue.until_ready() => None,
            };
            if let Some(found) = searched {
                return self.read_page(filter, offset, limit, found).await;
            }
        }
        self.page_by_catalogue(filter, order, offset, limit).await
    }

    async fn plan(&self, filter: &LogFilter, order: LogOrder, offset: i64) -> Result<Plan> {
        let query = Query::new("SELECT (SELECT MIN(id) FROM xxl_job_log), (SELECT MAX(id) FROM xxl_job_log)");
        let Some(row) = self.main.fetch_optional(query).await? else { return Ok(Plan::Search) };
        if row.int(1)? - row.int(0)? <= FEW {
            return Ok(Plan::Search);
        }
        // Also for a list that does not need it: whoever looks at all runs will soon look at the failed ones.
        self.catalogue.want();
        let is_indexed = self.has_index_for(filter, order) && offset <= SHALLOW;
        Ok(if is_indexed { Plan::Search } else { Plan::Catalogue })
    }

    /// Whether an index gives both order and filter.
    fn has_index_for(&self, filter: &LogFilter, order: LogOrder) -> bool {
        let indexes = &self.schema.indexes;
        let by_time = filter.from.is_some() || filter.to.is_some();
        let (job, group) = (filter.job_id > 0, filter.job_group > 0);
        if filter.is_by_outcome() || (order == LogOrder::Id && by_time) {
            return false;
        }
        match (order, job, group) {
            (_, false, false) => true,
            (LogOrder::TriggerTime, true, false) => indexes.job_time,
            (LogOrder::TriggerTime, false, true) => indexes.group_time,
            (LogOrder::Id, true, false) => indexes.job,
            (LogOrder::Id, false, true) => indexes.group,
            (_, true, true) => false,
        }
    }

    /// A page by the database. Without `count` only what the page itself shows is known of the total.
    async fn search(&self, filter: &LogFilter, order: LogOrder, offset: i64, limit: i64, count: bool) -> Result<Found> {
        let counted = if count {
            let query = self
                .filtered(Query::varying("SELECT COUNT(*) FROM (SELECT id FROM xxl_job_log WHERE 1 = 1"), filter)
                .push(" LIMIT ")
                .push_number(EXACT_COUNT + 1)
                .push(") counted");
            Some(self.main.fetch_optional(query).await?.map_or(Ok(0), |row| row.int(0))?)
        } else {
            None
        };
        // One row more than asked for tells whether any follow.
        let query = self
            .filtered(Query::varying("SELECT id FROM xxl_job_log WHERE 1 = 1"), filter)
            .push(match order {
                LogOrder::TriggerTime => " ORDER BY trigger_time DESC, id DESC",
                LogOrder::Id => " ORDER BY id DESC",
            })
            .push(" LIMIT ")
            .push_bind(limit.saturating_add(1))
            .push(" OFFSET ")
            .push_bind(offset);
        let rows = self.main.fetch_all(query).await?;
        let mut ids = rows.iter().map(|row| row.int(0)).collect::<Result<Vec<i64>>>()?;
        let more = ids.len() as i64 > limit;
        ids.truncate(usize::try_from(limit).unwrap_or_default());
        let end = offset.saturating_add(ids.len() as i64);
        // The last page tells the number of all without counting.
        let counted = if count || more || ids.is_empty() { counted } else { Some(end) };
        Ok(Found { ids, counted, more })
    }

    async fn read_page(&self, filter: &LogFilter, offset: i64, limit: i64, found: Found) -> Result<(Vec<JobLog>, i64)> {
        let logs = in_order(self.find_logs(&found.ids).await?, &found.ids);
        let total = self.total(filter, offset, limit, &found).await?;
        Ok((logs, total))
    }

    async fn page_by_catalogue(
        &self,
        filter: &LogFilter,
        order: LogOrder,
        offset: i64,
        limit: i64,
    ) -> Result<(Vec<JobLog>, i64)> {
        self.refresh_catalogue(filter.is_by_outcome()).await?;
        let criteria = self.criteria(filter);
        let enough = if is_days(filter) { usize::MAX } else { EXACT_COUNT as usize + 1 };
        let mut tries = 0;
        loop {
            let page = self.catalogue.select(&criteria, order, offset, limit, enough);
            let logs = self.find_logs(&page.ids).await?;
            let read: Vec<Entry> = logs
                .iter()
                .map(|log| Entry::of(log, log.trigger_time.map_or(0, |at| self.catalogue_time(at))))
                .collect();
            tries += 1;
            if !self.catalogue.confirm(&page.ids, &read) && tries < TRIES {
                continue;
            }
            let shown = offset.saturating_add(page.ids.len() as i64);
            let counted = page.counted as i64;
            let found = Found { more: counted > shown, counted: Some(counted), ids: page.ids };
            let wanted: HashSet<i64> =
                read.iter().filter(|entry| criteria.matches(entry)).map(|entry| entry.id).collect();
            let mut logs = in_order(logs, &found.ids);
            logs.retain(|log| wanted.contains(&log.id));
            // The catalogue has counted days already, as far as it was asked to.
            let total = if is_days(filter) && counted > EXACT_COUNT {
                counted.max(shown)
            } else {
                total_of(offset, limit, &found)
            };
            return Ok((logs, total));
        }
    }

    pub(super) fn criteria(&self, filter: &LogFilter) -> Criteria {
        Criteria {
            job_group: filter.job_group,
            job_id: filter.job_id,
            outcome: outcome_flags(filter.status),
            from: filter.from.map(|at| self.catalogue_time(at)),
            to: filter.to.map(|at| self.catalogue_time(at)),
        }
    }

    async fn total(&self, filter: &LogFilter, offset: i64, limit: i64, found: &Found) -> Result<i64> {
        let total = total_of(offset, limit, found);
        let (Some(from), Some(to)) = (filter.from, filter.to) else { return Ok(total) };
        if !is_days(filter) || !found.more || total <= EXACT_COUNT {
            return Ok(total);
        }
        // What is reported may be a minute old, or older than a removal.
        Ok(self.reported_runs(from, to).await?.map_or(total, |reported| {
            let shown = offset.saturating_add(found.ids.len() as i64);
            reported.max(shown.saturating_add(1))
        }))
    }

    /// Runs of whole days by the day report; none where it lacks a day, or these are no days.
    async fn reported_runs(&self, from: EpochMs, to: EpochMs) -> Result<Option<i64>> {
        let mut expected = from;
        let mut sum = 0;
        for (day, count) in self.days(from, to).await? {
            if day != expected {
                return Ok(None);
            }
            expected += DAY_MS;
            sum += [count.running, count.success, count.fail].map(i64::from).iter().sum::<i64>();
        }
        Ok((expected == to + 1_000).then_some(sum))
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
}

/// Whether the filter is for days over all groups: then the number of all is told exactly.
fn is_days(filter: &LogFilter) -> bool {
    let (Some(from), Some(to)) = (filter.from, filter.to) else { return false };
    let all = filter.job_group <= 0 && filter.job_id <= 0 && !filter.is_by_outcome();
    all && to > from && (to - from + 1_000) % DAY_MS == 0
}

/// The total by the rule of the module.
fn total_of(offset: i64, limit: i64, found: &Found) -> i64 {
    let shown = offset.saturating_add(found.ids.len() as i64);
    match found.counted {
        Some(counted) if counted <= EXACT_COUNT => counted,
        _ if found.more => (EXACT_COUNT + 1).max(offset.saturating_add(limit).saturating_add(1)),
        // Beyond the end: whoever asks here has seen them all.
        _ if found.ids.is_empty() => found.counted.unwrap_or(EXACT_COUNT + 1).min(offset),
        _ => shown,
    }
}

/// The rows in the order of these ids.
fn in_order(logs: Vec<JobLog>, ids: &[i64]) -> Vec<JobLog> {
    let mut by_id: HashMap<i64, JobLog> = logs.into_iter().map(|log| (log.id, log)).collect();
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

/// Adds the scope of a group and job; 0 or less = all.
pub(super) fn scoped(mut query: Query, job_group: i32, job_id: i32) -> Query {
    if job_id > 0 {
        query = query.push(" AND job_id = ").push_bind(job_id);
    }
    if job_group > 0 {
        query = query.push(" AND job_group = ").push_bind(job_group);
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::{DatabaseUrl, Settings};
    use crate::store::{NewRun, NodeId, Removal};

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
