//! Statements on `xxl_job_info`.

use super::db::{Row, Tx};
use super::error::Result;
use super::query::{Dialect, Query, contains};
use super::{Store, require_fit};
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
    /// Only jobs of these groups; none = of all.
    pub among: Option<Vec<i32>>,
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

    /// Ids of running jobs whose cron expression may use the letter L, with the expression.
    pub async fn running_crons_with_l(&self) -> Result<Vec<(i32, String)>> {
        let query =
            Query::varying("SELECT id, schedule_conf FROM xxl_job_info WHERE trigger_status = 1 AND schedule_type = ")
                .push_bind("CRON")
                .push(" AND schedule_conf ")
                .push(self.dialect().like())
                .push(" ")
                .push_bind("%l%")
                .push(" ORDER BY id");
        self.main.fetch_all(query).await?.iter().map(|row| Ok((row.int32(0)?, row.text(1)?))).collect()
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

    /// A page of jobs, newest first, and how many there are in all.
    pub async fn page_jobs(&self, filter: &JobFilter, offset: i64, limit: i64) -> Result<(Vec<JobInfo>, i64)> {
        let count = self.filter_jobs(Query::varying("SELECT COUNT(*) FROM xxl_job_info WHERE 1 = 1"), filter);
        let total = self.main.fetch_optional(count).await?.map_or(Ok(0), |row| row.int(0))?;
        let query = Query::varying("SELECT ").push(COLUMNS).push(" FROM xxl_job_info WHERE 1 = 1");
        let query = self
            .filter_jobs(query, filter)
            .push(" ORDER BY id DESC LIMIT ")
            .push_bind(limit)
            .push(" OFFSET ")
            .push_bind(offset);
        let jobs = self.main.fetch_all(query).await?.iter().map(|row| self.job(row)).collect::<Result<_>>()?;
        Ok((jobs, total))
    }

    fn filter_jobs(&self, mut query: Query, filter: &JobFilter) -> Query {
        if filter.job_group > 0 {
            query = query.push(" AND job_group = ").push_bind(filter.job_group);
        }
        if let Some(among) = &filter.among {
            query = query.push(" AND job_group IN ").push_numbers(among.iter().map(|id| i64::from(*id)));
        }
        if filter.trigger_status >= 0 {
            query = query.push(" AND trigger_status = ").push_bind(filter.trigger_status);
        }
        let dialect = self.dialect();
        query = contains(query, dialect, "job_desc", &filter.job_desc);
        query = contains(query, dialect, "executor_handler", &filter.executor_handler);
        contains(query, dialect, "author", &filter.author)
    }

    /// Every job of a group, by id.
    pub async fn jobs_of_group(&self, job_group: i32) -> Result<Vec<JobInfo>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_info WHERE job_group = ? ORDER BY id");
        self.main.fetch_all(query.bind(job_group)).await?.iter().map(|row| self.job(row)).collect()
    }

    /// `child_jobid` of those of these jobs that have children.
    pub async fn children_of(&self, ids: &[i32]) -> Result<Vec<(i32, String)>> {
        let mut children = Vec::new();
        for chunk in ids.chunks(CHUNK) {
            let query = Query::varying("SELECT id, child_jobid FROM xxl_job_info WHERE id IN ")
                .push_numbers(chunk.iter().map(|id| i64::from(*id)))
                .push(" AND child_jobid IS NOT NULL AND child_jobid <> ''");
            for row in self.main.fetch_all(query).await? {
                children.push((row.int32(0)?, row.text(1)?));
            }
        }
        Ok(children)
    }

    /// Adds a job as it is, but for its id and the three times of its making, which are `now`. Gives its id.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn insert_job(&self, job: &JobInfo, now: EpochMs) -> Result<i32> {
        self.require_job_fits(job)?;
        require_fit("glue_remark", job.glue_remark.as_deref(), self.schema.limits.glue_remark)?;
        let now = self.wall(now);
        let query = Query::new(
            "INSERT INTO xxl_job_info (job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, \
             schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, \
             executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, \
             glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(job.job_group)
        .bind(job.job_desc.as_str())
        .bind(now)
        .bind(now)
        .bind(job.author.as_deref())
        .bind(job.alarm_email.as_deref())
        .bind(job.schedule_type.as_str())
        .bind(job.schedule_conf.as_deref())
        .bind(job.misfire_strategy.as_str())
        .bind(job.executor_route_strategy.as_deref())
        .bind(job.executor_handler.as_deref())
        .bind(job.executor_param.as_deref())
        .bind(job.executor_block_strategy.as_deref())
        .bind(job.executor_timeout)
        .bind(job.executor_fail_retry_count)
        .bind(job.glue_type.as_str())
        .bind(job.glue_source.as_deref())
        .bind(job.glue_remark.as_deref())
        .bind(now)
        .bind(job.child_jobid.as_deref())
        .bind(job.trigger_status)
        .bind(job.trigger_last_time)
        .bind(job.trigger_next_time);
        let mut tx = self.begin_locked().await?;
        let id = match self.dialect() {
            Dialect::MySql => tx.execute(query).await?.first_id,
            Dialect::Postgres | Dialect::Sqlite => {
                tx.fetch_optional(query.push(" RETURNING id")).await?.map_or(Ok(0), |row| row.int(0))?
            }
        };
        tx.commit().await?;
        Ok(id as i32)
    }

    /// Refuses what a person may edit of a job when a column does not take it.
    fn require_job_fits(&self, job: &JobInfo) -> Result<()> {
        let limits = self.schema.limits;
        require_fit("job_desc", Some(&job.job_desc), limits.job_desc)?;
        require_fit("author", job.author.as_deref(), limits.author)?;
        require_fit("alarm_email", job.alarm_email.as_deref(), limits.alarm_email)?;
        require_fit("schedule_conf", job.schedule_conf.as_deref(), limits.schedule_conf)?;
        require_fit("executor_handler", job.executor_handler.as_deref(), limits.executor_handler)?;
        require_fit("executor_param", job.executor_param.as_deref(), limits.executor_param)?;
        require_fit("child_jobid", job.child_jobid.as_deref(), limits.child_jobid)
    }

    /// How many jobs there are.
    pub async fn count_jobs(&self) -> Result<i64> {
        let row = self.main.fetch_optional(Query::new("SELECT COUNT(*) FROM xxl_job_info")).await?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// Takes the schedule lock and reads a job as it is under it, to change it.
    pub async fn begin_job_change(&self, id: i32) -> Result<(JobChange<'_>, Option<JobInfo>)> {
        let mut tx = self.begin_locked().await?;
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_info WHERE id = ?").bind(id);
        let job = tx.fetch_optional(query).await?.map(|row| self.job(&row)).transpose()?;
        Ok((JobChange { store: self, tx }, job))
    }

    /// Removes a job with its runs and script versions. A job that is gone is no error.
    pub async fn remove_job(&self, id: i32) -> Result<()> {
        let mut tx = self.main.begin().await?;
        tx.execute(Query::new("DELETE FROM xxl_job_info WHERE id = ?").bind(id)).await?;
        // By their ids: without an index by job, a removal by job would lock the versions of all jobs.
        let versions = tx.fetch_all(Query::new("SELECT id FROM xxl_job_logglue WHERE job_id = ?").bind(id)).await?;
        let versions = versions.iter().map(|row| row.int(0)).collect::<Result<Vec<i64>>>()?;
        if !versions.is_empty() {
            tx.execute(Query::varying("DELETE FROM xxl_job_logglue WHERE id IN ").push_numbers(versions)).await?;
        }
        tx.commit().await?;
        // There may be millions of runs: they go in batches of their own.
        self.remove_logs_of(id).await.map(drop)
    }
}

/// An open change of one job that holds the schedule lock. Dropped without commit it changes nothing.
pub struct JobChange<'a> {
    store: &'a Store,
    tx: Tx,
}

impl JobChange<'_> {
    /// Writes what a person may edit of a job, and nothing else; the next time only when it is given.
    ///
    /// # Errors
    /// [`super::Error::TooLong`], and what the database says.
    pub async fn save_edit(&mut self, job: &JobInfo, next: Option<EpochMs>, now: EpochMs) -> Result<()> {
        self.store.require_job_fits(job)?;
        let mut query = Query::varying(
            "UPDATE xxl_job_info SET job_group = ?, job_desc = ?, author = ?, alarm_email = ?, schedule_type = ?, \
             schedule_conf = ?, misfire_strategy = ?, executor_route_strategy = ?, executor_handler = ?, \
             executor_param = ?, executor_block_strategy = ?, executor_timeout = ?, executor_fail_retry_count = ?, \
             child_jobid = ?, update_time = ?",
        )
        .bind(job.job_group)
        .bind(job.job_desc.as_str())
        .bind(job.author.as_deref())
        .bind(job.alarm_email.as_deref())
        .bind(job.schedule_type.as_str())
        .bind(job.schedule_conf.as_deref())
        .bind(job.misfire_strategy.as_str())
        .bind(job.executor_route_strategy.as_deref())
        .bind(job.executor_handler.as_deref())
        .bind(job.executor_param.as_deref())
        .bind(job.executor_block_strategy.as_deref())
        .bind(job.executor_timeout)
        .bind(job.executor_fail_retry_count)
        .bind(job.child_jobid.as_deref())
        .bind(self.store.wall(now));
        if let Some(next) = next {
            query = query.push(", trigger_next_time = ").push_bind(next);
        }
        self.tx.execute(query.push(" WHERE id = ").push_bind(job.id)).await.map(drop)
    }

    /// Starts, stops or moves the job's schedule.
    pub async fn save_schedule(&mut self, id: i32, change: ScheduleChange, now: EpochMs) -> Result<()> {
        let query = Query::new(
            "UPDATE xxl_job_info SET trigger_status = ?, trigger_last_time = ?, trigger_next_time = ?, update_time = ? \
             WHERE id = ?",
        )
        .bind(change.status)
        .bind(change.last)
        .bind(change.next)
        .bind(self.store.wall(now))
        .bind(id);
        self.tx.execute(query).await.map(drop)
    }

    /// Makes the change last and releases the schedule lock.
    pub async fn commit(self) -> Result<()> {
        self.tx.commit().await
    }
}
