//! The row of `xxl_job_lock` that makes one admin at a time decide about schedules.

use super::Store;
use super::db::Tx;
use super::error::{Error, Result};
use super::query::{Dialect, Query};

/// Name of the row that all admins, Java's and ours, lock before they touch a schedule.
pub const LOCK_NAME: &str = "schedule_lock";

/// Locks the row for this transaction, waiting while another admin holds it. `false`: the row is missing, so nothing
/// is locked.
///
/// This must be the first statement of the transaction: under REPEATABLE READ a snapshot opened earlier would show
/// rows as they were before the lock was granted.
pub(super) async fn take(tx: &mut Tx) -> Result<bool> {
    let query = Query::new("SELECT lock_name FROM xxl_job_lock WHERE lock_name = ?")
        .push(tx.dialect().for_update())
        .bind(LOCK_NAME);
    Ok(tx.fetch_optional(query).await?.is_some())
}

impl Store {
    /// Whether the lock row is there.
    pub async fn lock_row_present(&self) -> Result<bool> {
        let query = Query::new("SELECT lock_name FROM xxl_job_lock WHERE lock_name = ?").bind(LOCK_NAME);
        Ok(self.main.fetch_optional(query).await?.is_some())
    }

    /// Puts the lock row back where it is missing. Without it two locking reads both return at once, and there is no
    /// exclusion at all.
    pub async fn put_lock_row(&self) -> Result<()> {
        // An insert would wait for whoever holds the row, and an admin that starts has no need to.
        if self.lock_row_present().await? {
            return Ok(());
        }
        let query = match self.dialect() {
            Dialect::MySql => Query::new("INSERT IGNORE INTO xxl_job_lock (lock_name) VALUES (?)"),
            Dialect::Postgres | Dialect::Sqlite => {
                Query::new("INSERT INTO xxl_job_lock (lock_name) VALUES (?) ON CONFLICT DO NOTHING")
            }
        };
        self.main.execute(query.bind(LOCK_NAME)).await.map(drop)
    }

    /// Begins a transaction of the console that holds the schedule lock, for writes of `trigger_*` columns.
    pub(super) async fn begin_locked(&self) -> Result<Tx> {
        let mut tx = self.main.begin().await?;
        if !take(&mut tx).await? {
            drop(tx);
            self.put_lock_row().await?;
            tx = self.main.begin().await?;
            if !take(&mut tx).await? {
                return Err(Error::Schema("the row schedule_lock of table xxl_job_lock is missing".into()));
            }
        }
        Ok(tx)
    }
}
