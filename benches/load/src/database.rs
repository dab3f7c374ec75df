//! The database that the admin under test works on: its address in both spellings, and what is asked of it.
//!
//! Statements are plain text that MySQL, PostgreSQL and SQLite all understand; every value in them is a number or a
//! text made here.

use std::collections::HashMap;
use std::str::FromStr as _;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Row as _};
use url::Url;

use crate::plan::GROUP;

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// MySQL or MariaDB.
    MySql,
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

/// Where a database is.
#[derive(Clone)]
pub struct Location {
    dialect: Dialect,
    /// `mysql://user:password@host:port/name`, `postgres://…` or `sqlite:/path`.
    url: String,
}

impl std::str::FromStr for Location {
    type Err = anyhow::Error;

    fn from_str(url: &str) -> Result<Self> {
        let dialect = match url.split(':').next() {
            Some("mysql" | "mariadb") => Dialect::MySql,
            Some("postgres" | "postgresql") => Dialect::Postgres,
            Some("sqlite") => Dialect::Sqlite,
            _ => bail!("a database URL starts with mysql://, postgres:// or sqlite:"),
        };
        Ok(Self { dialect, url: url.to_owned() })
    }
}

impl Location {
    /// A MySQL or MariaDB server on this machine whose user has no password.
    pub fn mysql(user: &str, port: u16, database: &str) -> Self {
        Self { dialect: Dialect::MySql, url: format!("mysql://{user}@127.0.0.1:{port}/{database}") }
    }

    /// A SQLite file.
    pub fn sqlite(file: &std::path::Path) -> Self {
        Self { dialect: Dialect::Sqlite, url: format!("sqlite:{}", file.display()) }
    }

    /// What the admin gets on its command line.
    ///
    /// # Errors
    /// When the URL cannot be read.
    pub fn admin_arguments(&self) -> Result<Vec<String>> {
        if self.dialect == Dialect::Sqlite {
            return Ok(vec![format!("--spring.datasource.url=jdbc:{}", self.url.replacen("sqlite://", "sqlite:", 1))]);
        }
        let url = Url::parse(&self.url).context("database URL")?;
        let (scheme, port, query) = match self.dialect {
            Dialect::MySql => ("mysql", 3306, "?useUnicode=true&characterEncoding=UTF-8&serverTimezone=UTC"),
            _ => ("postgresql", 5432, ""),
        };
        let host = url.host_str().context("database URL without host")?;
        let port = url.port().unwrap_or(port);
        let mut arguments = vec![
            format!("--spring.datasource.url=jdbc:{scheme}://{host}:{port}{}{query}", url.path()),
            format!("--spring.datasource.username={}", url.username()),
        ];
        arguments.extend(url.password().map(|password| format!("--spring.datasource.password={password}")));
        Ok(arguments)
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn connect(&self) -> Result<Database> {
        sqlx::any::install_default_drivers();
        let options = sqlx::any::AnyConnectOptions::from_str(&self.url).context("database URL")?;
        let connection = AnyConnection::connect_with(&options).await.context("database does not answer")?;
        Ok(Database { dialect: self.dialect, connection })
    }
}

/// Password that [`Database::know_password`] gives to the user admin.
pub const PASSWORD: &str = "123456";
/// Its hash as the tables of 3.2 and later keep it.
const PASSWORD_HASH: &str = "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92";

/// An open database.
pub struct Database {
    dialect: Dialect,
    connection: AnyConnection,
}

/// Log rows of the seeded group by what became of them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LogRows {
    /// Handled with 200.
    pub handled: u64,
    /// Called or about to be called, no result yet.
    pub open: u64,
    /// Call or run failed.
    pub failed: u64,
}

impl LogRows {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.handled + self.open + self.failed
    }

    fn add(&mut self, trigger_code: i64, handle_code: i64, rows: u64) {
        match (trigger_code, handle_code) {
            (_, 200) => self.handled += rows,
            (0 | 200, 0) => self.open += rows,
            _ => self.failed += rows,
        }
    }
}

impl Database {
    /// Runs one statement outside a transaction.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn statement(&mut self, statement: &str) -> Result<()> {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut self.connection).await?;
        Ok(())
    }

    /// Runs statements in one transaction.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn write(&mut self, statements: &[String]) -> Result<()> {
        let begin = self.begin();
        let mut transaction = self.connection.begin_with(begin).await?;
        for statement in statements {
            sqlx::raw_sql(AssertSqlSafe(statement.as_str())).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Gives the log the indexes of the releases 2.3 – 2.4 alone, and the user admin a known password.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn as_of_2_4(&mut self) -> Result<()> {
        for index in ["I_jobgroup", "I_jobid"] {
            let of_table = if self.dialect == Dialect::MySql { " ON xxl_job_log" } else { "" };
            // One that is not there is as good as dropped.
            self.statement(&format!("DROP INDEX {index}{of_table}")).await.ok();
        }
        self.know_password().await
    }

    /// Gives [`PASSWORD`] to the user admin.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn know_password(&mut self) -> Result<()> {
        self.statement(&format!("UPDATE xxl_job_user SET password = '{PASSWORD_HASH}' WHERE username = 'admin'")).await
    }

    /// A table of the numbers `n` between these two, both included.
    pub fn numbers(&self, from: u64, until: u64) -> String {
        match self.dialect {
            Dialect::MySql => format!("(SELECT seq AS n FROM seq_{from}_to_{until}) numbers"),
            Dialect::Postgres => format!("generate_series({from}::bigint, {until}::bigint) AS numbers(n)"),
            Dialect::Sqlite => format!(
                "(WITH RECURSIVE numbers(n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM numbers WHERE n < {until}) \
                 SELECT n FROM numbers)"
            ),
        }
    }

    /// A time so many seconds after another.
    pub fn plus_seconds(&self, start: &str, seconds: &str) -> String {
        match self.dialect {
            Dialect::MySql => format!("'{start}' + INTERVAL FLOOR({seconds}) SECOND"),
            Dialect::Postgres => format!("timestamp '{start}' + ({seconds}) * interval '1 second'"),
            Dialect::Sqlite => format!("datetime('{start}', CAST({seconds} AS INTEGER) || ' seconds')"),
        }
    }

    /// Start of the day of a time.
    pub fn day(&self, time: &str) -> String {
        match self.dialect {
            Dialect::MySql => format!("CAST(DATE({time}) AS DATETIME)"),
            Dialect::Postgres => format!("date_trunc('day', {time})"),
            Dialect::Sqlite => format!("datetime(date({time}))"),
        }
    }

    /// Lets the database count what it plans by.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn analyze(&mut self) -> Result<()> {
        self.statement(if self.dialect == Dialect::MySql { "ANALYZE TABLE xxl_job_log" } else { "ANALYZE" }).await
    }

    /// Counts rows.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn count(&mut self, of: &str) -> Result<u64> {
        let count = format!("SELECT COUNT(*) FROM {of}");
        let row = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut self.connection).await?;
        Ok(row.try_get::<i64, _>(0)? as u64)
    }

    /// Whether the eight tables (one of them) are there.
    pub async fn has_tables(&mut self) -> bool {
        sqlx::query("SELECT COUNT(*) FROM xxl_job_info").fetch_one(&mut self.connection).await.is_ok()
    }

    /// Stops the seeded jobs and returns for each the time (ms) before which the admin has taken up its due seconds.
    /// Under the schedule lock, so that no claim is half done.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn stop_jobs(&mut self) -> Result<HashMap<u64, u64>> {
        let (begin, dialect) = (self.begin(), self.dialect);
        let mut transaction = self.connection.begin_with(begin).await?;
        if dialect != Dialect::Sqlite {
            sqlx::query("SELECT 1 FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE")
                .fetch_optional(&mut *transaction)
                .await?;
        }
        let select = format!("SELECT id, trigger_next_time FROM xxl_job_info WHERE job_group = {GROUP}");
        let rows = sqlx::query(AssertSqlSafe(select)).fetch_all(&mut *transaction).await?;
        let ends: Result<HashMap<u64, u64>, sqlx::Error> =
            rows.iter().map(|row| Ok((row.try_get::<i64, _>(0)? as u64, row.try_get::<i64, _>(1)? as u64))).collect();
        let stop = format!(
            "UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0 \
             WHERE job_group = {GROUP}"
        );
        sqlx::query(AssertSqlSafe(stop)).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(ends?)
    }

    /// Jobs of the seeded group that still wait for a due time.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn waiting_jobs(&mut self) -> Result<u64> {
        let count = format!("SELECT COUNT(*) FROM xxl_job_info WHERE job_group = {GROUP} AND trigger_status = 1");
        let row = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut self.connection).await?;
        Ok(row.try_get::<i64, _>(0)? as u64)
    }

    /// Counts the log rows of the seeded group.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn log_rows(&mut self) -> Result<LogRows> {
        let select = format!(
            "SELECT trigger_code, handle_code, COUNT(*) FROM xxl_job_log WHERE job_group = {GROUP} \
             GROUP BY trigger_code, handle_code"
        );
        let mut found = LogRows::default();
        for row in sqlx::query(AssertSqlSafe(select)).fetch_all(&mut self.connection).await? {
            found.add(row.try_get(0)?, row.try_get(1)?, row.try_get::<i64, _>(2)? as u64);
        }
        Ok(found)
    }

    /// SQLite must have the write lock from the start, or it may fail in the middle.
    fn begin(&self) -> &'static str {
        if self.dialect == Dialect::Sqlite { "BEGIN IMMEDIATE" } else { "BEGIN" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_admin_gets_the_jdbc_spelling() {
        let arguments = |url: &str| url.parse::<Location>().unwrap().admin_arguments().unwrap();
        assert_eq!(
            arguments("mysql://xxl:pw@127.0.0.1:3307/xxl_job"),
            [
                "--spring.datasource.url=jdbc:mysql://127.0.0.1:3307/xxl_job\
                 ?useUnicode=true&characterEncoding=UTF-8&serverTimezone=UTC",
                "--spring.datasource.username=xxl",
                "--spring.datasource.password=pw",
            ]
        );
        assert_eq!(
            arguments("postgres://xxl@db/x"),
            ["--spring.datasource.url=jdbc:postgresql://db:5432/x", "--spring.datasource.username=xxl"]
        );
        assert_eq!(arguments("sqlite:///a/b.db?mode=rwc"), ["--spring.datasource.url=jdbc:sqlite:/a/b.db?mode=rwc"]);
        assert!("oracle:x".parse::<Location>().is_err());
    }

    #[test]
    fn rows_are_open_until_call_or_run_failed() {
        let mut rows = LogRows::default();
        for (trigger, handle) in [(200, 200), (0, 200), (200, 0), (0, 0), (500, 0), (200, 500), (200, 502)] {
            rows.add(trigger, handle, 1);
        }
        assert_eq!((rows.handled, rows.open, rows.failed, rows.total()), (2, 2, 3, 7));
    }
}
