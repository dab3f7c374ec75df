//! Statements on `xxl_job_log_report`.

use super::Store;
use super::error::Result;
use super::query::{Dialect, Query};
use crate::model::EpochMs;

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

impl Store {
    /// Counts the runs that were triggered between two instants, both included.
    pub async fn count_runs(&self, from: EpochMs, to: EpochMs) -> Result<DayCount> {
        let cast = match self.dialect() {
            Dialect::MySql => "SIGNED",
            Dialect::Postgres | Dialect::Sqlite => "BIGINT",
        };
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
