//! What can go wrong with the database, in the terms that callers act upon.

use std::time::Duration;

/// A failed database call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database cannot be reached or does not answer. Try again later.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A row with this unique key exists.
    #[error("a row with the same unique key exists: {0}")]
    Conflict(String),
    /// Somebody else holds a lock, or the database broke a deadlock. Try again at once.
    #[error("the database gave up waiting for a lock: {0}")]
    Locked(String),
    /// The tables are not what we need.
    #[error("{0}")]
    Schema(String),
    /// A text is longer than its column.
    #[error("{column} is too long: its column takes {limit}")]
    TooLong {
        /// The column.
        column: &'static str,
        /// What it takes, for people: `255 characters`.
        limit: String,
    },
    /// The database refuses the statement or its values.
    #[error("the database refuses: {0}")]
    Refused(String),
}

impl Error {
    /// Whether the same call may well succeed later without any change.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Locked(_))
    }

    pub(super) fn no_answer(within: Duration) -> Self {
        Self::Unavailable(format!("no answer within {} s", within.as_secs()))
    }
}

/// MySQL 1205, 1213, and 1020 where MariaDB isolates snapshots; PostgreSQL lock_not_available, deadlock_detected, serialization_failure; SQLite busy, locked.
const LOCK_CODES: [&str; 8] = ["1020", "1205", "1213", "55P03", "40P01", "40001", "5", "6"];

/// MySQL shutdown and connection errors; PostgreSQL classes 08 and 57 are matched by prefix.
const AWAY_CODES: [&str; 5] = ["1053", "1040", "1927", "2006", "2013"];

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(db) => {
                let text = db.message().to_owned();
                if db.is_unique_violation() {
                    return Self::Conflict(text);
                }
                // MySQL reports SQLSTATE through `code`; its own number is in the driver's error.
                let number = db.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>().map(|my| my.number().to_string());
                let code = number.or_else(|| db.code().map(std::borrow::Cow::into_owned)).unwrap_or_default();
                if LOCK_CODES.contains(&code.as_str()) {
                    Self::Locked(text)
                } else if AWAY_CODES.contains(&code.as_str()) || code.starts_with("08") || code.starts_with("57P") {
                    Self::Unavailable(text)
                } else {
                    Self::Refused(text)
                }
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error.to_string()),
            _ => Self::Refused(error.to_string()),
        }
    }
}

/// Result of a database call.
pub type Result<T> = std::result::Result<T, Error>;
