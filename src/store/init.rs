//! Making the eight tables in an empty database (generation 3.4).

use super::error::{Error, Result};
use super::query::{Dialect, Query};
use super::{Store, connect, extra_indexes, schema};
use crate::config::settings::Settings;

/// What became of a request to make the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitOutcome {
    /// They have been made.
    Created,
    /// These were there already, so nothing was done.
    Refused(Vec<&'static str>),
}

/// The script that makes tables and seed rows, as a person may load it by hand too.
pub const fn embedded_script(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::MySql => include_str!("../../sql/tables_xxl_job.sql"),
        Dialect::Postgres => include_str!("../../sql/tables_xxl_job.postgres.sql"),
        Dialect::Sqlite => include_str!("../../sql/tables_xxl_job.sqlite.sql"),
    }
}

/// Statements of a script: each ends with `;` at the end of a line; lines that start with `--` are comments.
fn statements(script: &str) -> Vec<String> {
    let code: Vec<&str> = script.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    code.join("\n")
        .split(";\n")
        .map(|part| part.trim().trim_end_matches(';').to_owned())
        .filter(|s| !s.is_empty())
        .collect()
}

impl Store {
    /// Makes the eight tables and their seed rows, with this password hash for the user admin, if none of the eight is
    /// there.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses a statement.
    pub async fn init(settings: &Settings, admin_password_hash: &str) -> Result<InitOutcome> {
        Self::init_with(settings, admin_password_hash, false).await
    }

    /// Like [`Store::init`], and the additional indexes as well.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses a statement.
    pub async fn init_with_indexes(settings: &Settings, admin_password_hash: &str) -> Result<InitOutcome> {
        Self::init_with(settings, admin_password_hash, true).await
    }

    async fn init_with(settings: &Settings, admin_password_hash: &str, indexes: bool) -> Result<InitOutcome> {
        let pools = connect::connect(&settings.database).await?;
        let mut outcome = Self::init_on(&pools, admin_password_hash).await;
        if indexes && matches!(outcome, Ok(InitOutcome::Created)) {
            outcome = extra_indexes::create_on_new_tables(&pools).await.map(|()| InitOutcome::Created);
        }
        pools.main.close().await;
        pools.scan.close().await;
        outcome
    }

    async fn init_on(pools: &connect::Pools, admin_password_hash: &str) -> Result<InitOutcome> {
        let present = schema::present_tables(&pools.main).await?;
        if !present.is_empty() {
            return Ok(InitOutcome::Refused(present));
        }
        // MySQL commits each CREATE TABLE by itself; the others make all or nothing.
        let mut tx = pools.main.begin().await?;
        for statement in statements(embedded_script(pools.main.dialect())) {
            tx.execute(Query::varying(&statement)).await.map_err(|error| match error {
                Error::Refused(text) => Error::Refused(format!("{text} (while running: {})", first_line(&statement))),
                other => other,
            })?;
        }
        let query = Query::new("UPDATE xxl_job_user SET password = ? WHERE username = 'admin'");
        tx.execute(query.bind(admin_password_hash)).await?;
        tx.commit().await?;
        Ok(InitOutcome::Created)
    }
}

fn first_line(statement: &str) -> &str {
    statement.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_split_into_statements() {
        let script = "-- a; comment\nCREATE TABLE a (\n  b int\n);\n\nINSERT INTO a VALUES (1),\n(2);\n";
        assert_eq!(statements(script), ["CREATE TABLE a (\n  b int\n)", "INSERT INTO a VALUES (1),\n(2)"]);
    }
}
