//! Statements on `xxl_job_log`, but for the claim's (see `claim`) and the result's (see `complete`).

use std::collections::{HashMap, HashSet};

use super::db::Row;
use super::error::{Error, Result};
use super::query::{Cell, Dialect, Query, Value, ValuesTable, by_statement};
use super::{Mark, NodeId, Store, fit};
use crate::model::{AlarmStatus, EpochMs, JobLog};

/// Columns of a [`JobLog`], in the order in which [`Store::log`] reads them.
pub(super) const COLUMNS: &str = "id, job_group, job_id, executor_address, executor_handler, executor_param, \
     executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, \
     handle_code, handle_msg, alarm_status";

/// Rows written in one statement.
const CHUNK: usize = 200;

/// Ids named in one statement.
const ID_CHUNK: usize = 1000;

/// A run that somebody or something other than the schedule starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    /// Group of the job.
    pub job_group: i32,
    /// The job.
    pub job_id: i32,
    /// Handler, for a retry that the fail monitor sees early.
    pub handler: Option<String>,
    /// Parameter.
    pub param: Option<String>,
    /// `index/total` of a broadcast.
    pub sharding: Option<String>,
    /// Retries left.
    pub retry: i32,
    /// When it is triggered.
    pub trigger_time: EpochMs,
}

/// What became of a trigger: the columns that Java's second statement of a trigger writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TriggerResult {
    /// The run.
    pub log_id: i64,
    /// When it was triggered.
    pub trigger_time: EpochMs,
    /// 200 = taken by the executor.
    pub code: i32,
    /// What happened, as HTML.
    pub msg: String,
    /// Address that was called.
    pub address: Option<String>,
    /// Handler.
    pub handler: Option<String>,
    /// Parameter.
    pub param: Option<String>,
    /// `index/total` of a broadcast.
    pub sharding: Option<String>,
    /// Retries left.
    pub retry: i32,
}

impl Store {
    pub(super) fn log(&self, row: &Row) -> Result<JobLog> {
        Ok(JobLog {
            id: row.int(0)?,
            job_group: row.int32(1)?,
            job_id: row.int32(2)?,
            executor_address: row.maybe_text(3)?,
            executor_handler: row.maybe_text(4)?,
            executor_param: row.maybe_text(5)?,
            executor_sharding_param: row.maybe_text(6)?,
            executor_fail_retry_count: row.int32(7)?,
            trigger_time: self.time(row, 8)?,
            trigger_code: row.int32(9)?,
            trigger_msg: row.maybe_text(10)?,
            handle_time: self.time(row, 11)?,
            handle_code: row.int32(12)?,
            handle_msg: row.maybe_text(13)?,
            alarm_status: row.int32(14)?,
        })
    }

    /// The run with this id.
    pub async fn find_log(&self, id: i64) -> Result<Option<JobLog>> {
        let query = Query::new("SELECT ").push(COLUMNS).push(" FROM xxl_job_log WHERE id = ?").bind(id);
        self.main.fetch_optional(query).await?.map(|row| self.log(&row)).transpose()
    }

    /// The runs with these ids, by id; missing ones are left out.
    pub async fn find_logs(&self, ids: &[i64]) -> Result<Vec<JobLog>> {
        let mut logs = Vec::with_capacity(ids.len());
        for chunk in ids.chunks(ID_CHUNK) {
            let query = Query::varying("SELECT ")
                .push(COLUMNS)
                .push(" FROM xxl_job_log WHERE id IN ")
                .push_numbers(chunk.iter().copied())
                .push(" ORDER BY id");
            for row in self.main.fetch_all(query).await? {
                logs.push(self.log(&row)?);
            }
        }
        Ok(logs)
    }

    /// Writes the rows of new runs as claimed by this node and gives their ids in the same order.
    pub async fn insert_runs(&self, node: &NodeId, batch: u64, runs: &[NewRun]) -> Result<Vec<i64>> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let mark = Mark::claimed(node, batch);
        let mut tx = self.main.begin().await?;
        let mut ids = Vec::with_capacity(runs.len());
        for chunk in by_statement(runs, CHUNK, |run| run.param.as_ref().map_or(0, String::len)) {
            let query = self.insert_query(&mark, chunk);
            let mut found = match self.dialect() {
                Dialect::Postgres | Dialect::Sqlite => tx.fetch_all(query.push(" RETURNING id")).await?,
                Dialect::MySql => {
                    let first = tx.execute(query).await?.first_id;
                    let ids = Query::varying("SELECT id FROM xxl_job_log WHERE id >= ").push_number(first);
                    tx.fetch_all(ids.push(" AND trigger_msg = ").push_bind(mark.as_str())).await?
                }
            }
            .iter()
            .map(|row| row.int(0))
            .collect::<Result<Vec<i64>>>()?;
            if found.len() != chunk.len() {
                return Err(Error::Refused(format!("{} runs written, {} found", chunk.len(), found.len())));
            }
            // One statement numbers its rows in their order.
            found.sort_unstable();
            ids.append(&mut found);
        }
        tx.commit().await?;
        Ok(ids)
    }

    fn insert_query(&self, mark: &str, runs: &[NewRun]) -> Query {
        let limits = &self.schema.limits;
        let mut query = Query::varying(
            "INSERT INTO xxl_job_log (job_group, job_id, executor_handler, executor_param, executor_sharding_param, \
             executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_code, alarm_status) VALUES ",
        );
        for (number, run) in runs.iter().enumerate() {
            query = query
                .push(if number == 0 { "(" } else { ",(" })
                .push_number(run.job_group.into())
                .push(",")
                .push_number(run.job_id.into())
                .push(",")
                .push_bind(fit(run.handler.as_deref(), limits.log_handler))
                .push(",")
                .push_bind(fit(run.param.as_deref(), limits.log_param))
                .push(",")
                .push_bind(fit(run.sharding.as_deref(), Some(20)))
                .push(",")
                .push_number(run.retry.into())
                .push(",")
                .push_bind(self.wall(run.trigger_time))
                .push(",0,")
                .push_bind(mark)
                .push(",0,0)");
        }
        query
    }

    /// Takes claimed runs for the call: only rows that still are this node's own claim. Gives the ids taken; whoever is
    /// not among them belongs to somebody else by now, has ended, or is gone. A node that asks again, because the answer
    /// was lost, hears the same until it has written the result: it must ask for one run from one place only.
    pub async fn take(&self, node: &NodeId, ids: &[i64]) -> Result<HashSet<i64>> {
        let mut taken = HashSet::with_capacity(ids.len());
        let mark = Mark::taken(node);
        for chunk in ids.chunks(ID_CHUNK) {
            let query = Query::varying("UPDATE xxl_job_log SET trigger_msg = ")
                .push_bind(mark.as_str())
                .push(" WHERE id IN ")
                .push_numbers(chunk.iter().copied())
                .push(" AND trigger_code = 0 AND trigger_msg LIKE ")
                .push_bind(Mark::claimed_by(node));
            if self.main.execute(query).await?.rows == chunk.len() as u64 {
                taken.extend(chunk);
                continue;
            }
            let query = Query::varying("SELECT id FROM xxl_job_log WHERE id IN ")
                .push_numbers(chunk.iter().copied())
                .push(" AND trigger_code = 0 AND trigger_msg = ")
                .push_bind(mark.as_str());
            for row in self.main.fetch_all(query).await? {
                taken.insert(row.int(0)?);
            }
        }
        Ok(taken)
    }

    /// Which of these runs still have a row.
    pub async fn existing_logs(&self, ids: &[i64]) -> Result<HashSet<i64>> {
        let mut found = HashSet::new();
        for chunk in ids.chunks(ID_CHUNK) {
            let query = Query::varying("SELECT id FROM xxl_job_log WHERE id IN ").push_numbers(chunk.iter().copied());
            for row in self.main.fetch_all(query).await? {
                found.insert(row.int(0)?);
            }
        }
        Ok(found)
    }

    /// Writes what became of triggers. Never touches a `handle_*` column: a result may have arrived already.
    pub async fn save_trigger_results(&self, results: &[TriggerResult]) -> Result<()> {
        let mut by_content: HashMap<TriggerResult, Vec<i64>> = HashMap::new();
        for result in results {
            // Rows that differ in nothing but the id are written together.
            let content = TriggerResult { log_id: 0, ..result.clone() };
            by_content.entry(content).or_default().push(result.log_id);
        }
        let mut tx = self.main.begin().await?;
        let mut single = Vec::new();
        for (content, mut ids) in by_content {
            if ids.len() == 1 {
                single.push(TriggerResult { log_id: ids[0], ..content });
                continue;
            }
            ids.sort_unstable();
            for chunk in ids.chunks(ID_CHUNK) {
                tx.execute(self.same_result_query(&content, chunk)).await?;
            }
        }
        single.sort_unstable_by_key(|result| result.log_id);
        let bytes = |result: &TriggerResult| result.msg.len() + result.param.as_ref().map_or(0, String::len);
        for chunk in by_statement(&single, CHUNK, bytes) {
            tx.execute(self.results_query(chunk)).await?;
        }
        tx.commit().await
    }

    fn same_result_query(&self, result: &TriggerResult, ids: &[i64]) -> Query {
        let [time, code, msg, address, handler, param, sharding, retry] = self.result_values(result);
        Query::varying("UPDATE xxl_job_log SET trigger_time = ")
            .push_bind(time)
            .push(", trigger_code = ")
            .push_bind(code)
            .push(", trigger_msg = ")
            .push_bind(msg)
            .push(", executor_address = ")
            .push_bind(address)
            .push(", executor_handler = ")
            .push_bind(handler)
            .push(", executor_param = ")
            .push_bind(param)
            .push(", executor_sharding_param = ")
            .push_bind(sharding)
            .push(", executor_fail_retry_count = ")
            .push_bind(retry)
            .push(" WHERE id IN ")
            .push_numbers(ids.iter().copied())
    }

    fn results_query(&self, results: &[TriggerResult]) -> Query {
        const SET: &str = "trigger_time = v.time_, trigger_code = v.code_, trigger_msg = v.msg_, \
             executor_address = v.address_, executor_handler = v.handler_, executor_param = v.param_, \
             executor_sharding_param = v.sharding_, executor_fail_retry_count = v.retry_";
        let table = ValuesTable {
            alias: "v",
            columns: &["id", "time_", "code_", "msg_", "address_", "handler_", "param_", "sharding_", "retry_"],
        };
        let rows = results
            .iter()
            .map(|result| {
                let values = self.result_values(result).into_iter().map(Cell::Bound);
                std::iter::once(Cell::Number(result.log_id)).chain(values).collect()
            })
            .collect();
        match self.dialect() {
            Dialect::MySql => table
                .push_to(Dialect::MySql, Query::varying("UPDATE xxl_job_log l JOIN "), rows)
                .push(" ON l.id = v.id SET ")
                .push(SET),
            dialect => table
                .push_to(dialect, Query::varying("UPDATE xxl_job_log SET ").push(SET).push(" FROM "), rows)
                .push(" WHERE xxl_job_log.id = v.id"),
        }
    }

    fn result_values(&self, result: &TriggerResult) -> [Value; 8] {
        let limits = &self.schema.limits;
        [
            self.wall(result.trigger_time).into(),
            result.code.into(),
            fit(Some(&result.msg), None).into(),
            fit(result.address.as_deref(), limits.log_address).into(),
            fit(result.handler.as_deref(), limits.log_handler).into(),
            fit(result.param.as_deref(), limits.log_param).into(),
            fit(result.sharding.as_deref(), Some(20)).into(),
            result.retry.into(),
        ]
    }

    /// Highest id; 0 in an empty table.
    pub async fn newest_log(&self) -> Result<i64> {
        let row = self.main.fetch_optional(Query::new("SELECT MAX(id) FROM xxl_job_log")).await?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// Failed runs that nobody has looked at, lowest id first, at most `limit`. Runs that failed before an executor
    /// took them are sought above `after` only: a caller that has seen all older ones spares the database their rows.
    pub async fn failed_runs(&self, after: i64, limit: i64) -> Result<Vec<i64>> {
        let handled = Query::new(
            "SELECT id FROM xxl_job_log WHERE (handle_code < 0 OR (handle_code > 0 AND handle_code < 200) \
             OR handle_code > 200) AND alarm_status = 0 ORDER BY id LIMIT ?",
        )
        .bind(limit);
        let refused = Query::new(
            "SELECT id FROM xxl_job_log WHERE handle_code = 0 AND id > ? AND trigger_code <> 0 \
             AND trigger_code <> 200 AND alarm_status = 0 ORDER BY id LIMIT ?",
        )
        .bind(after)
        .bind(limit);
        let mut ids = Vec::new();
        for query in [handled, refused] {
            for row in self.main.fetch_all(query).await? {
                ids.push(row.int(0)?);
            }
        }
        ids.sort_unstable();
        ids.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(ids)
    }

    /// Moves the alarm status of a run, only from the given one. Tells whether it was moved.
    pub async fn move_alarm(&self, id: i64, from: AlarmStatus, to: AlarmStatus) -> Result<bool> {
        let query = Query::new("UPDATE xxl_job_log SET alarm_status = ? WHERE id = ? AND alarm_status = ?")
            .bind(to as i32)
            .bind(id)
            .bind(from as i32);
        Ok(self.main.execute(query).await?.rows > 0)
    }

    /// Writes the trigger message of a run.
    pub async fn save_trigger_msg(&self, id: i64, msg: &str) -> Result<()> {
        let query =
            Query::new("UPDATE xxl_job_log SET trigger_msg = ? WHERE id = ?").bind(fit(Some(msg), None)).bind(id);
        self.main.execute(query).await.map(drop)
    }

    /// Frees runs whose alarm was locked by a node that did not finish: triggered at or after `from`, trigger and result
    /// older than `before`. Reads without locks and then writes the few that it found.
    pub async fn free_stuck_alarms(&self, from: EpochMs, before: EpochMs) -> Result<u64> {
        let query = Query::new(
            "SELECT id FROM xxl_job_log WHERE trigger_time >= ? AND trigger_time < ? AND alarm_status = -1 \
             AND handle_code <> 200 AND (handle_time IS NULL OR handle_time < ?) ORDER BY id LIMIT 1000",
        )
        .bind(self.wall(from))
        .bind(self.wall(before))
        .bind(self.wall(before));
        let ids = self.main.fetch_all(query).await?.iter().map(|row| row.int(0)).collect::<Result<Vec<_>>>()?;
        if ids.is_empty() {
            return Ok(0);
        }
        let query = Query::varying("UPDATE xxl_job_log SET alarm_status = 0 WHERE alarm_status = -1 AND id IN ")
            .push_numbers(ids);
        Ok(self.main.execute(query).await?.rows)
    }

    /// Most rows that [`Store::marked_runs`] gives at once.
    pub const MARKED_PAGE: usize = 5_000;

    /// Runs with a mark of ours, due at or after the instant, above an id; lowest id first.
    pub async fn marked_runs(&self, after_id: i64, from: EpochMs) -> Result<Vec<JobLog>> {
        let query = Query::varying("SELECT ")
            .push(COLUMNS)
            .push(
                " FROM xxl_job_log WHERE id > ? AND trigger_time >= ? AND handle_code = 0 \
                 AND trigger_code = 0 AND trigger_msg LIKE ? ORDER BY id LIMIT ",
            )
            .push_number(Self::MARKED_PAGE as i64)
            .bind(after_id)
            .bind(self.wall(from))
            .bind(Mark::PATTERN);
        self.main.fetch_all(query).await?.iter().map(|row| self.log(row)).collect()
    }

    /// Ends a run that a dead node left, only while it still carries the mark that was read. Tells whether it did.
    pub async fn end_marked(&self, log: &JobLog, code: i32, msg: &str) -> Result<bool> {
        let query = Query::new(
            "UPDATE xxl_job_log SET trigger_code = ?, trigger_msg = ?, executor_fail_retry_count = 0 \
             WHERE id = ? AND trigger_code = 0 AND trigger_msg = ?",
        )
        .bind(code)
        .bind(fit(Some(msg), None))
        .bind(log.id)
        .bind(log.trigger_msg.as_deref());
        Ok(self.main.execute(query).await?.rows > 0)
    }
}
