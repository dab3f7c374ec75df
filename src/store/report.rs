//! Statements on `xxl_job_log_report`.

use std::collections::HashSet;

use super::Store;
use super::error::Result;
use super::query::{Dialect, Query};
use crate::model::{EpochMs, JobGroup};

/// Runs of one day by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayCount {
    /// Neither succeeded nor failed yet.
    pub running: i32,
    /// Succeeded.
    pub success: i32,
    /// Failed.
    pub fail: i32,
}

/// Sums over everything that the database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Jobs, whatever their state.
    pub jobs: i64,
    /// Runs, as far as the daily reports count them.
    pub runs: i64,
    /// Of these, the successful ones.
    pub successful_runs: i64,
    /// Distinct addresses in the lists of all executor groups.
    pub executors: i64,
}

impl Store {
    /// The sums that the first page shows.
    pub async fn totals(&self) -> Result<Totals> {
        let cast = self.integer();
        let query = Query::varying(&format!(
            "SELECT CAST(SUM(running_count + suc_count + fail_count) AS {cast}), CAST(SUM(suc_count) AS {cast}) \
             FROM xxl_job_log_report"
        ));
        let row = self.main.fetch_optional(query).await?;
        let (runs, successful_runs) =
            row.map_or(Ok((0, 0)), |row| Ok::<_, super::Error>((row.int(0)?, row.int(1)?)))?;
        let groups = self.all_groups().await?;
        let addresses: HashSet<String> = groups.iter().flat_map(JobGroup::addresses).collect();
        Ok(Totals { jobs: self.count_jobs().await?, runs, successful_runs, executors: addresses.len() as i64 })
    }

    /// The counts of the days that start between two instants, both included, in their order.
    pub async fn days(&self, from: EpochMs, to: EpochMs) -> Result<Vec<(EpochMs, DayCount)>> {
        let query = Query::new(
            "SELECT trigger_day, running_count, suc_count, fail_count FROM xxl_job_log_report \
             WHERE trigger_day >= ? AND trigger_day <= ? ORDER BY trigger_day, id",
        )
        .bind(self.wall(from))
        .bind(self.wall(to));
        let rows = self.main.fetch_all(query).await?;
        rows.iter()
            .map(|row| {
                let count = DayCount { running: row.int32(1)?, success: row.int32(2)?, fail: row.int32(3)? };
                Ok((self.time(row, 0)?.unwrap_or_default(), count))
            })
            .collect()
    }

    /// The type that a sum is cast to.
    const fn integer(&self) -> &'static str {
        match self.dialect() {
            Dialect::MySql => "SIGNED",
            Dialect::Postgres | Dialect::Sqlite => "BIGINT",
        }
    }

    /// Counts the runs that were triggered between two instants, both included.
    pub async fn count_runs(&self, from: EpochMs, to: EpochMs) -> Result<DayCount> {
        let cast = self.integer();
        let query = Query::varying(&format!(
            "SELECT COUNT(*), \
             CAST(SUM(CASE WHEN trigger_code IN (0, 200) AND handle_code = 0 THEN 1 ELSE 0 END) AS {cast}), \
             CAST(SUM(CASE WHEN handle_code = 200 THEN 1 ELSE 0 END) AS {cast}) \
             FROM xxl_job_log WHERE trigger_time >= ? AND trigger_time <= ?"
        ))
        .bind(self.wall(from))
        .bind(self.wall(to));
        let Some(row) = self.main.fetch_optional(query).await? else { return Ok(DayCount::default()) };
        let (total, running, success) = (row.int32(0)?, row.int32(1)?, row.int32(2)?);
        Ok(DayCount { running, success, fail: total - running - success })
    }

    /// Writes the counts of the day that starts at this instant. `update_time` is written by the releases from 3.4.
    pub async fn save_day(&self, day: EpochMs, count: DayCount, update_time: Option<EpochMs>) -> Result<()> {
        let trigger_day = self.wall(day);
        let mut query = Query::varying("UPDATE xxl_job_log_report SET running_count = ")
            .push_bind(count.running)
            .push(", suc_count = ")
            .push_bind(count.success)
            .push(", fail_count = ")
            .push_bind(count.fail);
        if let Some(time) = update_time {
            query = query.push(", update_time = ").push_bind(self.wall(time));
        }
        let query = query.push(" WHERE trigger_day = ").push_bind(trigger_day);
        if self.main.execute(query).await?.rows > 0 {
            return Ok(());
        }
        let query = Query::varying(
            "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time) VALUES (",
        )
        .push_bind(trigger_day)
        .push(",")
        .push_bind(count.running)
        .push(",")
        .push_bind(count.success)
        .push(",")
        .push_bind(count.fail)
        .push(",")
        .push_bind(update_time.map(|time| self.wall(time)))
        .push(")");
        match self.main.execute(query).await {
            // Another admin was quicker; its counts are the same.
            Ok(_) | Err(super::Error::Conflict(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
