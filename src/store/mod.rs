//! The database: the only place with SQL.
//!
//! One body of statements serves MySQL/MariaDB, PostgreSQL and SQLite and all schema generations; where a dialect truly
//! differs, the function says so. Instants go in and come out as epoch milliseconds: DATETIME columns hold wall time of
//! the *column zone*, which is known here alone. Fractions of a second are cut before they reach the database, since
//! servers disagree about rounding them. No statement asks the database for the time.

mod catalogue;
mod claim;
mod complete;
mod connect;
mod db;
mod error;
mod extra_indexes;
mod group_commit;
mod init;
mod job_code;
mod job_group;
mod job_info;
mod job_log;
mod job_names;
mod lock;
mod log_page;
mod log_removal;
mod mark;
mod query;
mod registry;
mod report;
mod run_search;
mod schema;
mod user;

use std::sync::Arc;

use chrono::{NaiveDate, NaiveDateTime};

pub use claim::{Advance, Claim, ClaimedFire, DueJob, LockOutcome};
pub use complete::{Completion, CompletionTx, OpenRun};
pub use error::{Error, Result};
pub use extra_indexes::{EXTRA_INDEXES, ExtraIndex, Indexes};
pub use group_commit::{GroupCommit, GroupCommitTask, group_commit};
pub use init::{InitOutcome, embedded_script};
pub use job_code::KEPT_VERSIONS;
pub use job_info::{JobChange, JobFilter, ScheduleChange};
pub use job_log::{NewRun, TriggerResult};
pub use job_names::JobName;
pub use lock::LOCK_NAME;
pub use log_page::{LogFilter, LogOrder, LogStatus};
pub use log_removal::Removal;
pub use mark::{Mark, NodeId};
pub use query::Dialect;
pub use report::{DayCount, Totals};
pub use run_search::RunState;
pub use schema::{Generation, Limits, PasswordHash, Schema};
pub use user::UserEdit;

use self::catalogue::Catalogue;
use self::db::{Db, Row};
use crate::clock::Zone;
use crate::config::settings::Settings;
use crate::model::EpochMs;

/// All access to the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    main: Db,
    scan: Db,
    columns: Zone,
    schema: Schema,
    catalogue: Arc<Catalogue>,
}

impl Store {
    /// Connects and recognises the tables.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when no host answers, [`Error::Schema`] when the tables are missing or unknown.
    pub async fn open(settings: &Settings) -> Result<Self> {
        let pools = connect::connect(&settings.database).await?;
        let schema = match schema::recognise(&pools.main).await {
            Ok(schema) => schema,
            Err(error) => {
                pools.main.close().await;
                pools.scan.close().await;
                return Err(error);
            }
        };
        let columns = settings.database.column_zone.clone().unwrap_or_else(|| settings.zone.clone());
        Ok(Self { main: pools.main, scan: pools.scan, columns, schema, catalogue: Arc::new(Catalogue::new()) })
    }

    /// What the tables can do.
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Which database it is.
    pub const fn dialect(&self) -> Dialect {
        self.main.dialect()
    }

    /// The zone of the wall times in the tables.
    pub const fn column_zone(&self) -> &Zone {
        &self.columns
    }

    /// Asks the database for a sign of life.
    pub async fn probe(&self) -> Result<()> {
        self.main.fetch_all(query::Query::new("SELECT 1")).await.map(drop)
    }

    /// Open connections of the main pool and how many of them are idle.
    pub fn pool_usage(&self) -> (u32, usize) {
        self.main.usage()
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.main.close().await;
        self.scan.close().await;
    }

    /// The wall time, in the column zone and to the second, of an instant.
    fn wall(&self, at: EpochMs) -> NaiveDateTime {
        let wall = self.columns.wall(at);
        NaiveDate::from_ymd_opt(
            wall.year().into(),
            wall.month().unsigned_abs().into(),
            wall.day().unsigned_abs().into(),
        )
        .and_then(|day| {
            day.and_hms_opt(
                wall.hour().unsigned_abs().into(),
                wall.minute().unsigned_abs().into(),
                wall.second().unsigned_abs().into(),
            )
        })
        .unwrap_or_default()
    }

    /// The instant of a wall time in the column zone.
    fn instant(&self, wall: NaiveDateTime) -> EpochMs {
        use chrono::{Datelike as _, Timelike as _};
        let date = jiff::civil::Date::new(wall.year() as i16, wall.month() as i8, wall.day() as i8);
        date.map_or(0, |date| {
            self.columns.instant(date.at(wall.hour() as i8, wall.minute() as i8, wall.second() as i8, 0))
        })
    }

    /// Reads a DATETIME column.
    fn time(&self, row: &Row, at: usize) -> Result<Option<EpochMs>> {
        Ok(row.time(at)?.map(|wall| self.instant(wall)))
    }
}

/// The text cut to so many characters, as the column takes it.
fn fit(text: Option<&str>, limit: Option<usize>) -> Option<String> {
    text.map(|text| match limit {
        Some(limit) => text.chars().take(limit).collect(),
        None => cut_bytes(text, TEXT_BYTES).to_owned(),
    })
}

/// Refuses a text that its column does not take: in the same words on every database, also where the database would cut
/// it or, as SQLite, take it.
fn require_fit(column: &'static str, text: Option<&str>, limit: Option<usize>) -> Result<()> {
    let Some(text) = text else { return Ok(()) };
    let (fits, limit) = match limit {
        Some(limit) => (text.chars().count() <= limit, format!("{limit} characters")),
        None => (text.len() <= TEXT_BYTES, format!("{TEXT_BYTES} bytes")),
    };
    if fits { Ok(()) } else { Err(Error::TooLong { column, limit }) }
}

/// Most bytes in a `text` column of MySQL.
pub const TEXT_BYTES: usize = 65_535;

/// The text cut to so many bytes on a character boundary.
fn cut_bytes(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_on_character_boundaries() {
        assert_eq!(cut_bytes("日本語", 4), "日");
        assert_eq!(fit(Some("日本語"), Some(2)).as_deref(), Some("日本"));
        assert_eq!(fit(None, Some(2)), None);
    }

    #[test]
    fn columns_take_characters_and_long_ones_bytes() {
        let text = |result: Result<()>| result.err().map(|error| error.to_string());
        assert_eq!(text(require_fit("author", Some("日本"), Some(2))), None);
        assert_eq!(text(require_fit("author", None, Some(2))), None);
        assert_eq!(
            text(require_fit("author", Some("日本語"), Some(2))).as_deref(),
            Some("author is too long: its column takes 2 characters")
        );
        assert_eq!(text(require_fit("executor_param", Some(&"x".repeat(TEXT_BYTES)), None)), None);
        assert!(require_fit("executor_param", Some(&"x".repeat(TEXT_BYTES + 1)), None).is_err());
    }
}
