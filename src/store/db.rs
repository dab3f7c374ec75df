//! The pools and transactions of three databases behind one face.

use std::time::Duration;

use chrono::NaiveDateTime;
use sqlx::mysql::{MySql, MySqlRow};
use sqlx::postgres::{PgRow, Postgres};
use sqlx::sqlite::{Sqlite, SqliteRow};
use sqlx::{AssertSqlSafe, Executor, MySqlPool, PgPool, Row as _, SqlitePool, Transaction};

use super::error::{Error, Result};
use super::query::{Dialect, Query, Value};

/// Longest wait for the answer to one statement before the connection counts as dead, unless the URL's socketTimeout
/// says otherwise. Longer than the lock wait time-out of the databases, so that a wait for a lock ends as that.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(65);

/// A pool of connections to one of the databases, and how long to wait for an answer.
#[derive(Debug, Clone)]
pub(super) struct Db {
    pool: Pool,
    patience: Duration,
}

/// A pool of connections to one of the databases.
#[derive(Debug, Clone)]
pub(super) enum Pool {
    MySql(MySqlPool),
    Postgres(PgPool),
    /// SQLite has one writer: all writes queue for its one connection, readers do not wait for them.
    Sqlite {
        read: SqlitePool,
        write: SqlitePool,
    },
}

/// A row of any of the databases; columns are taken by their place.
pub(super) enum Row {
    MySql(MySqlRow),
    Postgres(PgRow),
    Sqlite(SqliteRow),
}

macro_rules! column {
    ($row:expr, $at:expr, $kind:ty) => {
        match $row {
            Row::MySql(row) => row.try_get_unchecked::<$kind, _>($at),
            Row::Postgres(row) => row.try_get_unchecked::<$kind, _>($at),
            Row::Sqlite(row) => row.try_get_unchecked::<$kind, _>($at),
        }
        .map_err(Error::from)
    };
}

impl Row {
    pub fn int(&self, at: usize) -> Result<i64> {
        // NULL of a sum over no rows counts as 0.
        Ok(column!(self, at, Option<i64>)?.unwrap_or(0))
    }

    pub fn int32(&self, at: usize) -> Result<i32> {
        let value = self.int(at)?;
        i32::try_from(value).map_err(|_| Error::Refused(format!("column {at} holds {value}, more than 32 bits")))
    }

    pub fn maybe_text(&self, at: usize) -> Result<Option<String>> {
        column!(self, at, Option<String>)
    }

    pub fn text(&self, at: usize) -> Result<String> {
        Ok(self.maybe_text(at)?.unwrap_or_default())
    }

    pub fn time(&self, at: usize) -> Result<Option<NaiveDateTime>> {
        column!(self, at, Option<NaiveDateTime>)
    }
}

/// What a statement changed.
pub(super) struct Changed {
    /// Rows matched, also those that already had the new values.
    pub rows: u64,
    /// First generated id, on MySQL only.
    pub first_id: i64,
}

/// Builds the driver's query with every value bound.
macro_rules! bound {
    ($db:ty, $dialect:expr, $query:expr) => {{
        let (text, values, persistent) = $query.finish($dialect);
        let mut query = sqlx::query::<$db>(AssertSqlSafe(text)).persistent(persistent);
        for value in values {
            query = match value {
                Value::Int(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
                Value::Time(value) => query.bind(value),
            };
        }
        query
    }};
}

/// Bounds the wait for the database's answer.
async fn timed<T>(patience: Duration, call: impl Future<Output = std::result::Result<T, sqlx::Error>>) -> Result<T> {
    match tokio::time::timeout(patience, call).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Error::no_answer(patience)),
    }
}

/// Runs a statement on MySQL by a method of the driver. A text that is one of many goes as it is, values and all:
/// prepared, it would have to be closed again, and as the server does not answer to that, what follows on the connection
/// would wait for its delayed acknowledgement, some 40 ms (the driver does not set `TCP_NODELAY`).
macro_rules! on_mysql {
    ($patience:expr, $query:expr, $connection:expr, $method:ident) => {{
        let query = $query;
        if query.is_varying() {
            let statement = sqlx::raw_sql(AssertSqlSafe(query.inlined()));
            watched(query.text(), timed($patience, statement.$method($connection))).await
        } else {
            let text = query.text().clone();
            watched(&text, timed($patience, bound!(MySql, Dialect::MySql, query).$method($connection))).await
        }
    }};
}

async fn execute_mysql<'c>(
    patience: Duration,
    query: Query,
    connection: impl Executor<'c, Database = MySql>,
) -> Result<Changed> {
    let done = on_mysql!(patience, query, connection, execute)?;
    Ok(Changed { rows: done.rows_affected(), first_id: done.last_insert_id() as i64 })
}

async fn fetch_mysql<'c>(
    patience: Duration,
    query: Query,
    connection: impl Executor<'c, Database = MySql>,
) -> Result<Vec<Row>> {
    let rows = on_mysql!(patience, query, connection, fetch_all)?;
    Ok(rows.into_iter().map(Row::MySql).collect())
}

/// A statement that takes longer is told.
const SLOW: Duration = Duration::from_secs(1);
/// So much of its text.
const TOLD: usize = 300;

/// Tells of a slow statement. The driver does so too, but with the values, which are nobody's business.
async fn watched<T>(text: &str, call: impl Future<Output = T>) -> T {
    let started = tokio::time::Instant::now();
    let result = call.await;
    let took = started.elapsed();
    if took > SLOW {
        let told: String = text.chars().take(TOLD).collect();
        tracing::warn!(statement = told, took_ms = took.as_millis() as u64, "a slow statement");
    }
    result
}

impl Db {
    pub fn new(pool: Pool, patience: Option<Duration>) -> Self {
        Self { pool, patience: patience.unwrap_or(STATEMENT_TIMEOUT) }
    }

    /// The same connections with another longest wait for an answer.
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { pool: self.pool.clone(), patience }
    }

    pub const fn dialect(&self) -> Dialect {
        match &self.pool {
            Pool::MySql(_) => Dialect::MySql,
            Pool::Postgres(_) => Dialect::Postgres,
            Pool::Sqlite { .. } => Dialect::Sqlite,
        }
    }

    /// Runs a statement that changes rows, on its own.
    pub async fn execute(&self, query: Query) -> Result<Changed> {
        match &self.pool {
            Pool::MySql(pool) => execute_mysql(self.patience, query, pool).await,
            Pool::Postgres(pool) => {
                let done = timed(self.patience, bound!(Postgres, Dialect::Postgres, query).execute(pool)).await?;
                Ok(Changed { rows: done.rows_affected(), first_id: 0 })
            }
            Pool::Sqlite { write, .. } => {
                let done = timed(self.patience, bound!(Sqlite, Dialect::Sqlite, query).execute(write)).await?;
                Ok(Changed { rows: done.rows_affected(), first_id: done.last_insert_rowid() })
            }
        }
    }

    /// All rows of a query.
    pub async fn fetch_all(&self, query: Query) -> Result<Vec<Row>> {
        match &self.pool {
            Pool::MySql(pool) => fetch_mysql(self.patience, query, pool).await,
            Pool::Postgres(pool) => {
                let rows = timed(self.patience, bound!(Postgres, Dialect::Postgres, query).fetch_all(pool)).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
            Pool::Sqlite { read, .. } => {
                let rows = timed(self.patience, bound!(Sqlite, Dialect::Sqlite, query).fetch_all(read)).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
        }
    }

    /// The first row of a query.
    pub async fn fetch_optional(&self, query: Query) -> Result<Option<Row>> {
        Ok(self.fetch_all(query).await?.into_iter().next())
    }

    /// Begins a transaction that is going to write.
    pub async fn begin(&self) -> Result<Tx> {
        let open = match &self.pool {
            Pool::MySql(pool) => Open::MySql(timed(self.patience, pool.begin()).await?),
            Pool::Postgres(pool) => Open::Postgres(timed(self.patience, pool.begin()).await?),
            Pool::Sqlite { write, .. } => {
                Open::Sqlite(timed(self.patience, write.begin_with("BEGIN IMMEDIATE")).await?)
            }
        };
        Ok(Tx { open, patience: self.patience })
    }

    /// Closes every connection.
    pub async fn close(&self) {
        match &self.pool {
            Pool::MySql(pool) => pool.close().await,
            Pool::Postgres(pool) => pool.close().await,
            Pool::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
        }
    }

    /// Open connections and how many of them are idle.
    pub fn usage(&self) -> (u32, usize) {
        match &self.pool {
            Pool::MySql(pool) => (pool.size(), pool.num_idle()),
            Pool::Postgres(pool) => (pool.size(), pool.num_idle()),
            Pool::Sqlite { read, write } => (read.size() + write.size(), read.num_idle() + write.num_idle()),
        }
    }
}

/// A transaction; dropped without [`Tx::commit`] it is rolled back.
pub(super) struct Tx {
    open: Open,
    patience: Duration,
}

enum Open {
    MySql(Transaction<'static, MySql>),
    Postgres(Transaction<'static, Postgres>),
    Sqlite(Transaction<'static, Sqlite>),
}

impl Tx {
    pub const fn dialect(&self) -> Dialect {
        match &self.open {
            Open::MySql(_) => Dialect::MySql,
            Open::Postgres(_) => Dialect::Postgres,
            Open::Sqlite(_) => Dialect::Sqlite,
        }
    }

    /// Runs a statement that changes rows.
    pub async fn execute(&mut self, query: Query) -> Result<Changed> {
        match &mut self.open {
            Open::MySql(tx) => execute_mysql(self.patience, query, &mut **tx).await,
            Open::Postgres(tx) => {
                let done = timed(self.patience, bound!(Postgres, Dialect::Postgres, query).execute(&mut **tx)).await?;
                Ok(Changed { rows: done.rows_affected(), first_id: 0 })
            }
            Open::Sqlite(tx) => {
                let done = timed(self.patience, bound!(Sqlite, Dialect::Sqlite, query).execute(&mut **tx)).await?;
                Ok(Changed { rows: done.rows_affected(), first_id: done.last_insert_rowid() })
            }
        }
    }

    /// All rows of a query.
    pub async fn fetch_all(&mut self, query: Query) -> Result<Vec<Row>> {
        match &mut self.open {
            Open::MySql(tx) => fetch_mysql(self.patience, query, &mut **tx).await,
            Open::Postgres(tx) => {
                let rows =
                    timed(self.patience, bound!(Postgres, Dialect::Postgres, query).fetch_all(&mut **tx)).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
            Open::Sqlite(tx) => {
                let rows = timed(self.patience, bound!(Sqlite, Dialect::Sqlite, query).fetch_all(&mut **tx)).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
        }
    }

    /// The first row of a query.
    pub async fn fetch_optional(&mut self, query: Query) -> Result<Option<Row>> {
        Ok(self.fetch_all(query).await?.into_iter().next())
    }

    /// Makes the changes last.
    pub async fn commit(self) -> Result<()> {
        match self.open {
            Open::MySql(tx) => timed(self.patience, tx.commit()).await,
            Open::Postgres(tx) => timed(self.patience, tx.commit()).await,
            Open::Sqlite(tx) => timed(self.patience, tx.commit()).await,
        }
    }
}
