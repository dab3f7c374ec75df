//! The claim transaction of the schedule pass: read what is due, advance it, write the log rows, commit.
//!
//! Claiming is reading a due row and advancing its `trigger_next_time`, while holding the lock row from before the read
//! until the commit (Java: `JobScheduleHelper`). An occurrence belongs to whoever committed the advance from it.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::db::Tx;
use super::error::Result;
use super::query::{Cell, Dialect, Query, ValuesTable};
use super::{Mark, NodeId, Store, lock};
use crate::model::EpochMs;

/// What the schedule pass needs to know of a due job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueJob {
    /// Job id.
    pub id: i32,
    /// Kind of schedule, as stored.
    pub schedule_type: String,
    /// Cron expression or seconds.
    pub schedule_conf: Option<String>,
    /// Misfire strategy, as stored.
    pub misfire_strategy: String,
    /// The stored next time.
    pub next: EpochMs,
}

/// How a claimed job's row is to be advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advance {
    /// Job id.
    pub id: i32,
    /// The next time that was read; the row is left alone if it holds another by now.
    pub read_next: EpochMs,
    /// New `trigger_last_time`.
    pub last: EpochMs,
    /// New `trigger_next_time`; 0 with status 0.
    pub next: EpochMs,
    /// New `trigger_status`: 1, or 0 for a schedule that has ended or cannot be computed.
    pub status: i32,
}

/// A claimed occurrence with its log row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedFire {
    /// Job id.
    pub job_id: i32,
    /// When it is due.
    pub due: EpochMs,
    /// Id of its log row.
    pub log_id: i64,
}

/// Outcome of asking for the lock.
pub enum LockOutcome {
    /// It is ours until the claim is dropped or committed.
    Held(Box<Claim>),
    /// The row to lock is missing: nothing may be claimed.
    NoRow,
}

/// An open claim transaction. Dropped without commit it changes nothing.
pub struct Claim {
    store: Store,
    tx: Tx,
}

/// Rows in one INSERT … SELECT.
const INSERT_CHUNK: usize = 1000;

impl Store {
    /// Opens the claim transaction on the schedule loop's own connection and waits for the lock row.
    ///
    /// # Errors
    /// [`super::Error::Locked`] when the database gave up waiting: another admin still has it.
    pub async fn begin_claim(&self) -> Result<LockOutcome> {
        let mut tx = self.scan.begin().await?;
        if lock::take(&mut tx).await? {
            Ok(LockOutcome::Held(Box::new(Claim { store: self.clone(), tx })))
        } else {
            Ok(LockOutcome::NoRow)
        }
    }

    /// Which of these claims are in the database; asked when the outcome of a commit is unknown.
    pub async fn surviving_claims(&self, node: &NodeId, fires: &[ClaimedFire]) -> Result<HashSet<i64>> {
        let mut found = HashSet::new();
        for chunk in fires.chunks(INSERT_CHUNK) {
            let query = Query::varying("SELECT id FROM xxl_job_log WHERE id IN ")
                .push_numbers(chunk.iter().map(|fire| fire.log_id))
                .push(" AND trigger_msg LIKE ")
                .push_bind(Mark::claimed_by(node));
            for row in self.main.fetch_all(query).await? {
                found.insert(row.int(0)?);
            }
        }
        Ok(found)
    }
}

impl Claim {
    /// Scheduled jobs due until this instant, lowest id first.
    pub async fn due(&mut self, until: EpochMs, limit: i64) -> Result<Vec<DueJob>> {
        let query = Query::new(
            "SELECT id, schedule_type, schedule_conf, misfire_strategy, trigger_next_time FROM xxl_job_info \
             WHERE trigger_status = 1 AND trigger_next_time <= ? ORDER BY id LIMIT ?",
        )
        .bind(until)
        .bind(limit);
        self.tx
            .fetch_all(query)
            .await?
            .iter()
            .map(|row| {
                Ok(DueJob {
                    id: row.int32(0)?,
                    schedule_type: row.text(1)?,
                    schedule_conf: row.maybe_text(2)?,
                    misfire_strategy: row.text(3)?,
                    next: row.int(4)?,
                })
            })
            .collect()
    }

    /// The earliest next time of all scheduled jobs.
    pub async fn earliest_next(&mut self) -> Result<Option<EpochMs>> {
        let query = Query::new("SELECT MIN(trigger_next_time) FROM xxl_job_info WHERE trigger_status = 1");
        let earliest = self.tx.fetch_optional(query).await?.map_or(Ok(0), |row| row.int(0))?;
        Ok(Some(earliest).filter(|next| *next > 0))
    }

    /// Advances the jobs, `batch` rows in a statement, and gives the ids of those whose rows were still as read. A
    /// console that bypasses the lock may have changed others meanwhile; those are left as they are.
    pub async fn advance(&mut self, advances: &[Advance], batch: usize) -> Result<HashSet<i32>> {
        let mut ours = HashSet::with_capacity(advances.len());
        for chunk in advances.chunks(batch.max(1)) {
            let changed = self.tx.execute(advance_query(self.tx.dialect(), chunk)).await?.rows;
            if changed == chunk.len() as u64 {
                ours.extend(chunk.iter().map(|advance| advance.id));
            } else {
                ours.extend(self.written(chunk).await?);
            }
        }
        Ok(ours)
    }

    /// Which of the rows now hold exactly what we wanted to write.
    async fn written(&mut self, chunk: &[Advance]) -> Result<Vec<i32>> {
        let wanted: HashMap<i32, &Advance> = chunk.iter().map(|advance| (advance.id, advance)).collect();
        let query = Query::varying(
            "SELECT id, trigger_last_time, trigger_next_time, trigger_status FROM xxl_job_info WHERE id IN ",
        )
        .push_numbers(chunk.iter().map(|advance| advance.id.into()));
        let mut ours = Vec::new();
        for row in self.tx.fetch_all(query).await? {
            let id = row.int32(0)?;
            let stored = (row.int(1)?, row.int(2)?, row.int32(3)?);
            if wanted.get(&id).is_some_and(|a| stored == (a.last, a.next, a.status)) {
                ours.push(id);
            }
        }
        Ok(ours)
    }

    /// Writes a log row for each claimed occurrence, filled from the job's row. `batch` numbers the caller's claims so
    /// that their marks differ.
    pub async fn insert(
        &mut self,
        node: &NodeId,
        batch: u64,
        fires: impl IntoIterator<Item = (i32, EpochMs)>,
    ) -> Result<Vec<ClaimedFire>> {
        insert_claimed(&self.store, &mut self.tx, &Mark::claimed(node, batch), fires).await
    }

    /// Makes the claim last and releases the lock.
    ///
    /// # Errors
    /// When the outcome is unknown; see [`Store::surviving_claims`].
    pub async fn commit(self) -> Result<()> {
        self.tx.commit().await
    }
}

fn advance_query(dialect: Dialect, chunk: &[Advance]) -> Query {
    let table = ValuesTable { alias: "v", columns: &["id", "read_next", "last_time", "next_time", "status"] };
    let rows = chunk
        .iter()
        .map(|a| {
            [i64::from(a.id), a.read_next, a.last, a.next, i64::from(a.status)].map(Cell::Number).into_iter().collect()
        })
        .collect();
    match dialect {
        Dialect::MySql => table.push_to(dialect, Query::varying("UPDATE xxl_job_info i JOIN "), rows).push(
            " ON i.id = v.id SET i.trigger_last_time = v.last_time, i.trigger_next_time = v.next_time, \
             i.trigger_status = v.status WHERE i.trigger_status = 1 AND i.trigger_next_time = v.read_next",
        ),
        Dialect::Postgres | Dialect::Sqlite => table
            .push_to(
                dialect,
                Query::varying(
                    "UPDATE xxl_job_info SET trigger_last_time = v.last_time, trigger_next_time = v.next_time, \
                     trigger_status = v.status FROM ",
                ),
                rows,
            )
            .push(
                " WHERE xxl_job_info.id = v.id AND xxl_job_info.trigger_status = 1 \
                 AND xxl_job_info.trigger_next_time = v.read_next",
            ),
    }
}

/// Log rows for occurrences of scheduled jobs: one statement for each due time, filled by the database itself.
async fn insert_claimed(
    store: &Store,
    tx: &mut Tx,
    mark: &str,
    fires: impl IntoIterator<Item = (i32, EpochMs)>,
) -> Result<Vec<ClaimedFire>> {
    let mut by_due: BTreeMap<EpochMs, Vec<i32>> = BTreeMap::new();
    for (job_id, due) in fires {
        by_due.entry(due).or_default().push(job_id);
    }
    let mut claimed = Vec::new();
    for (due, jobs) in by_due {
        for chunk in jobs.chunks(INSERT_CHUNK) {
            insert_chunk(store, tx, mark, due, chunk, &mut claimed).await?;
        }
    }
    Ok(claimed)
}

async fn insert_chunk(
    store: &Store,
    tx: &mut Tx,
    mark: &str,
    due: EpochMs,
    jobs: &[i32],
    claimed: &mut Vec<ClaimedFire>,
) -> Result<()> {
    let query = Query::varying(
        "INSERT INTO xxl_job_log (job_group, job_id, executor_handler, executor_param, executor_fail_retry_count, \
         trigger_time, trigger_code, trigger_msg, handle_code, alarm_status) \
         SELECT job_group, id, executor_handler, executor_param, executor_fail_retry_count, ",
    );
    let query = query
        .push_bind(store.wall(due))
        .push(", 0, ")
        .push_bind(mark)
        .push(", 0, 0 FROM xxl_job_info WHERE id IN ")
        .push_numbers(jobs.iter().map(|id| i64::from(*id)));
    let rows = match tx.dialect() {
        Dialect::Postgres | Dialect::Sqlite => tx.fetch_all(query.push(" RETURNING id, job_id")).await?,
        Dialect::MySql => {
            let done = tx.execute(query).await?;
            if done.rows == 0 {
                // No row, so no first id: the jobs are gone.
                return Ok(());
            }
            let ids = Query::varying("SELECT id, job_id FROM xxl_job_log WHERE id >= ")
                .push_number(done.first_id)
                .push(" AND trigger_msg = ")
                .push_bind(mark);
            // Rows of the same claim with another due time were written before `first`.
            tx.fetch_all(ids).await?
        }
    };
    for row in rows {
        claimed.push(ClaimedFire { log_id: row.int(0)?, job_id: row.int32(1)?, due });
    }
    Ok(())
}
