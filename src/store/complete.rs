//! The transaction in which results of runs are written.
//!
//! The rows are locked before they are read, so of two results for one run exactly one finds it open, whichever nodes
//! and tasks carry them.

use std::collections::HashMap;

use super::db::Tx;
use super::error::Result;
use super::query::{Cell, Dialect, Query, ValuesTable, by_statement};
use super::{Store, fit};
use crate::model::EpochMs;

/// What the completion of a run needs to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRun {
    /// The run.
    pub log_id: i64,
    /// Its job.
    pub job_id: i32,
    /// Result so far; greater than 0 = it has one already.
    pub handle_code: i32,
    /// Message so far.
    pub handle_msg: Option<String>,
    /// `child_jobid` of the job, if the job is there and has children.
    pub children: Option<String>,
    /// What the admin did; read only for runs of jobs with children.
    pub trigger_msg: Option<String>,
}

/// A result to be written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The run.
    pub log_id: i64,
    /// 200 success, 500 failure, 502 time-out, others verbatim.
    pub handle_code: i32,
    /// The whole message.
    pub handle_msg: String,
}

/// Rows written in one statement.
const CHUNK: usize = 200;

/// An open completion transaction.
pub struct CompletionTx<'a> {
    store: &'a Store,
    tx: Tx,
}

impl Store {
    /// Opens the transaction and locks and reads these runs, by id; missing ones are left out.
    pub async fn begin_completion(&self, log_ids: &[i64]) -> Result<(CompletionTx<'_>, Vec<OpenRun>)> {
        let mut ids = log_ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let mut tx = self.main.begin().await?;
        let query = Query::varying("SELECT id, job_id, handle_code, handle_msg FROM xxl_job_log WHERE id IN ")
            .push_numbers(ids)
            .push(" ORDER BY id")
            .push(self.dialect().for_update());
        let mut runs = Vec::new();
        for row in tx.fetch_all(query).await? {
            runs.push(OpenRun {
                log_id: row.int(0)?,
                job_id: row.int32(1)?,
                handle_code: row.int32(2)?,
                handle_msg: row.maybe_text(3)?,
                children: None,
                trigger_msg: None,
            });
        }
        let mut this = CompletionTx { store: self, tx };
        this.read_children(&mut runs).await?;
        Ok((this, runs))
    }
}

impl CompletionTx<'_> {
    async fn read_children(&mut self, runs: &mut [OpenRun]) -> Result<()> {
        let mut jobs: Vec<i32> = runs.iter().map(|run| run.job_id).collect();
        jobs.sort_unstable();
        jobs.dedup();
        if jobs.is_empty() {
            return Ok(());
        }
        let query = Query::varying("SELECT id, child_jobid FROM xxl_job_info WHERE id IN ")
            .push_numbers(jobs.into_iter().map(i64::from))
            .push(" AND child_jobid IS NOT NULL AND child_jobid <> ''");
        let mut children = HashMap::new();
        for row in self.tx.fetch_all(query).await? {
            children.insert(row.int32(0)?, row.text(1)?);
        }
        if children.is_empty() {
            return Ok(());
        }
        let parents: Vec<i64> =
            runs.iter().filter(|run| children.contains_key(&run.job_id)).map(|run| run.log_id).collect();
        let query = Query::varying("SELECT id, trigger_msg FROM xxl_job_log WHERE id IN ").push_numbers(parents);
        let mut messages = HashMap::new();
        for row in self.tx.fetch_all(query).await? {
            messages.insert(row.int(0)?, row.maybe_text(1)?);
        }
        for run in runs {
            run.children = children.get(&run.job_id).cloned();
            run.trigger_msg = messages.remove(&run.log_id).flatten();
        }
        Ok(())
    }

    /// Writes results over whatever the runs have; the caller has looked at the locked rows.
    pub async fn write(&mut self, completions: &[Completion], now: EpochMs) -> Result<()> {
        let mut by_content: HashMap<(i32, &str), Vec<i64>> = HashMap::new();
        for done in completions {
            by_content.entry((done.handle_code, &done.handle_msg)).or_default().push(done.log_id);
        }
        let mut single = Vec::new();
        for ((code, msg), mut ids) in by_content {
            if ids.len() == 1 {
                single.push((ids[0], code, msg));
                continue;
            }
            ids.sort_unstable();
            let query = Query::varying("UPDATE xxl_job_log SET handle_time = ")
                .push_bind(self.store.wall(now))
                .push(", handle_code = ")
                .push_bind(code)
                .push(", handle_msg = ")
                .push_bind(fit(Some(msg), None))
                .push(" WHERE id IN ")
                .push_numbers(ids);
            self.tx.execute(query).await?;
        }
        single.sort_unstable();
        for chunk in by_statement(&single, CHUNK, |(_, _, msg)| msg.len()) {
            self.tx.execute(self.write_query(chunk, now)).await?;
        }
        Ok(())
    }

    fn write_query(&self, completions: &[(i64, i32, &str)], now: EpochMs) -> Query {
        let table = ValuesTable { alias: "v", columns: &["id", "code_", "msg_"] };
        let rows = completions
            .iter()
            .map(|(id, code, msg)| {
                vec![Cell::Number(*id), Cell::Number((*code).into()), Cell::Bound(fit(Some(msg), None).into())]
            })
            .collect();
        let now = self.store.wall(now);
        match self.store.dialect() {
            Dialect::MySql => table
                .push_to(Dialect::MySql, Query::varying("UPDATE xxl_job_log l JOIN "), rows)
                .push(" ON l.id = v.id SET l.handle_code = v.code_, l.handle_msg = v.msg_, l.handle_time = ")
                .push_bind(now),
            dialect => table
                .push_to(
                    dialect,
                    Query::varying("UPDATE xxl_job_log SET handle_time = ")
                        .push_bind(now)
                        .push(", handle_code = v.code_, handle_msg = v.msg_ FROM "),
                    rows,
                )
                .push(" WHERE xxl_job_log.id = v.id"),
        }
    }

    /// Makes the results last.
    pub async fn commit(self) -> Result<()> {
        self.tx.commit().await
    }
}
