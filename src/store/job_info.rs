//! Statements on `xxl_job_info`.

use super::Store;
use super::db::Row;
use super::error::Result;
use super::query::Query;
use crate::model::{EpochMs, JobInfo};

/// Columns of a [`JobInfo`], in the order in which [`Store::job`] reads them.
const COLUMNS: &str = "id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, \
     schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, \
     executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, \
     glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time";

/// Rows asked for in one statement.
const CHUNK: usize = 500;

/// Which jobs a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFilter {
    /// Jobs of this group; 0 or less = all.
    pub job_group: i32,
    /// 0 stopped, 1 running, negative = all.
    pub trigger_status: i32,
    /// Text in the description; blank = all. `%` and `_` of the caller are wildcards, as in Java.
    pub job_desc: String,
    /// Text in the handler.
    pub executor_handler: String,
    /// Text in the author.
    pub author: String,
}

/// How a schedule is started, stopped or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleChange {
    /// New `trigger_status`.
    pub status: i32,
    /// New `trigger_last_time`.
    pub last: EpochMs,
    /// New `trigger_next_time`.
    pub next: EpochMs,
}

impl Store {
    fn job(&self, row: &Row) -> Result<JobInfo> {
        Ok(JobInfo {
            id: row.int32(0)?,
            job_group: row.int32(1)?,
            job_desc: row.text(2)?,
            add_time: self.time(row, 3)?,
            update_time: self.time(row, 4)?,
            author: row.maybe_text(5)?,
            alarm_email: row.maybe_text(6)?,
            schedule_type: row.text(7)?,
            schedule_conf: row.maybe_text(8)?,
            misfire_strategy: row.text(9)?,
            executor_route_strategy: row.maybe_text(10)?,
            executor_handler: row.maybe_text(11)?,
            executor_param: row.maybe_text(12)?,
            executor_block_strategy: row.maybe_text(13)?,
            executor_timeout: row.int32(14)?,
            executor_fail_retry_count: row.int32(15)?,
            glue_type: row.text(16)?,
            glue_source: row.maybe_text(17)?,
            glue_remark: row.maybe_text(18)?,
            glue_updatetime: self.time(row, 19)?,
            child_jobid: row.maybe_text(20)?,
            trigger_status: row.int32(21)?,
            trigger_last_time: row.int(22)?,
            trigger_next_time: row.int(23)?,
        })
    }

    /// The job with this id.
    pub async fn find_job(&self, id: i32) -> Result<Option<JobInfo>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_info WHERE id = ?").bind(id);
        self.main.fetch_optional(query).await?.map(|row| self.job(&row)).transpose()
    }

    /// The jobs with these ids, in no particular order; missing ones are left out.
    pub async fn find_jobs(&self, ids: &[i32]) -> Result<Vec<JobInfo>> {
        let mut jobs = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(CHUNK) {
            let query = Query::varying("SELECT ")
                .push(COLUMNS)
                .push(" FROM xxl_job_info WHERE id IN ")
                .push_numbers(chunk.iter().map(|id| i64::from(*id)));
            for row in self.main.fetch_all(query).await? {
                jobs.push(self.job(&row)?);
            }
        }
        Ok(jobs)
    }
}
