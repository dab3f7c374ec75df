//! The optional additional indexes: which they are, which of them are there, making and removing them.
//!
//! The Java admins work without them and do not notice them: they read and write the same rows, a little slower where a
//! row is written. Which indexes are there is found in the catalogue by their columns, so those that somebody has made
//! by hand under another name count as well; only those of our own names are removed.

use std::time::Duration;

use super::db::Db;
use super::error::Result;
use super::query::{Dialect, Query};
use super::{Store, connect};
use crate::config::settings::Settings;

/// Longest time for one statement that makes or removes indexes.
const PATIENCE: Duration = Duration::from_hours(6);

/// An additional index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtraIndex {
    /// Its name.
    pub name: &'static str,
    /// Its table.
    pub table: &'static str,
    /// Its columns. The id is written out for the databases that do not add it by themselves.
    pub columns: &'static [&'static str],
}

/// All of them.
pub const EXTRA_INDEXES: [ExtraIndex; 5] = [
    // Due jobs, for the schedule pass.
    ExtraIndex { name: "rs_job_due", table: "xxl_job_info", columns: &["trigger_status", "trigger_next_time"] },
    // Failures that nobody has looked at, and runs without a result: alarm_status alone says nothing, as it is 0 for
    // every run that went well.
    ExtraIndex {
        name: "rs_log_alarm",
        table: "xxl_job_log",
        columns: &["alarm_status", "handle_code", "trigger_code", "id"],
    },
    // Counts by outcome of a day, from the index alone.
    ExtraIndex { name: "rs_log_day", table: "xxl_job_log", columns: &["trigger_time", "trigger_code", "handle_code"] },
    // Runs of one job, and of one group, latest first.
    ExtraIndex { name: "rs_log_job", table: "xxl_job_log", columns: &["job_id", "trigger_time", "id"] },
    ExtraIndex { name: "rs_log_group", table: "xxl_job_log", columns: &["job_group", "trigger_time", "id"] },
];

/// Which of the indexes that a plan may rest upon are there, by their first columns.
#[expect(clippy::struct_excessive_bools, reason = "each stands for an index of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Indexes {
    /// `xxl_job_log` by job and then by id.
    pub job: bool,
    /// `xxl_job_log` by job and trigger time.
    pub job_time: bool,
    /// `xxl_job_log` by group and then by id.
    pub group: bool,
    /// `xxl_job_log` by group and trigger time.
    pub group_time: bool,
    /// `xxl_job_log` by alarm status, result and trigger result.
    pub alarm: bool,
}

/// An index that the database has.
struct Found {
    table: String,
    name: String,
    columns: Vec<String>,
    /// PostgreSQL leaves an index that could not be completed behind; nothing uses it.
    valid: bool,
}

impl Found {
    /// Whether it has these columns of the log, and then at most the id.
    fn is_exactly(&self, columns: &[&str]) -> bool {
        let rest = self.columns.get(columns.len()..).unwrap_or_default();
        self.starts_with("xxl_job_log", columns) && rest.iter().all(|column| column == "id")
    }

    fn starts_with(&self, table: &str, columns: &[&str]) -> bool {
        self.valid
            && self.table == table
            && self.columns.len() >= columns.len()
            && self.columns.iter().zip(columns).all(|(has, wanted)| has == wanted)
    }
}

/// Which indexes are there.
pub(super) async fn present(db: &Db) -> Result<Indexes> {
    let found = read(db).await?;
    let has = |columns: &[&str]| found.iter().any(|index| index.starts_with("xxl_job_log", columns));
    Ok(Indexes {
        job: found.iter().any(|index| index.is_exactly(&["job_id"])),
        job_time: has(&["job_id", "trigger_time"]),
        group: found.iter().any(|index| index.is_exactly(&["job_group"])),
        group_time: has(&["job_group", "trigger_time"]),
        alarm: has(&["alarm_status", "handle_code", "trigger_code"]),
    })
}

async fn read(db: &Db) -> Result<Vec<Found>> {
    let query = match db.dialect() {
        Dialect::MySql => Query::new(
            "SELECT CAST(table_name AS CHAR), CAST(index_name AS CHAR), CAST(column_name AS CHAR), 1 \
             FROM information_schema.statistics \
             WHERE table_schema = DATABASE() AND table_name IN ('xxl_job_log', 'xxl_job_info') \
             ORDER BY table_name, index_name, seq_in_index",
        ),
        Dialect::Postgres => Query::new(
            "SELECT CAST(t.relname AS TEXT), CAST(i.relname AS TEXT), CAST(a.attname AS TEXT), \
             CASE WHEN x.indisvalid THEN 1 ELSE 0 END \
             FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid \
             JOIN pg_namespace n ON n.oid = t.relnamespace \
             CROSS JOIN LATERAL unnest(CAST(x.indkey AS int2[])) WITH ORDINALITY k(attnum, place) \
             JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum \
             WHERE n.nspname = CURRENT_SCHEMA() AND t.relname IN ('xxl_job_log', 'xxl_job_info') \
             ORDER BY t.relname, i.relname, k.place",
        ),
        Dialect::Sqlite => Query::new(
            "SELECT t.name, i.name, c.name, 1 FROM sqlite_master t JOIN pragma_index_list(t.name) i \
             JOIN pragma_index_info(i.name) c WHERE t.type = 'table' AND t.name IN ('xxl_job_log', 'xxl_job_info') \
             ORDER BY t.name, i.name, c.seqno",
        ),
    };
    let mut found: Vec<Found> = Vec::new();
    for row in db.fetch_all(query).await? {
        let (table, name, column) = (row.text(0)?.to_lowercase(), row.text(1)?, row.text(2)?.to_lowercase());
        match found.last_mut().filter(|last| last.table == table && last.name == name) {
            Some(last) => last.columns.push(column),
            None => found.push(Found { table, name, columns: vec![column], valid: row.int(3)? == 1 }),
        }
    }
    Ok(found)
}

impl Store {
    /// Makes those of the additional indexes that are missing, without keeping anybody from reading or writing where
    /// the database can do so (SQLite cannot). Gives the names of those that were made.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses; what was made until then stays.
    pub async fn add_indexes(settings: &Settings) -> Result<Vec<&'static str>> {
        Self::with_patient_database(settings, async |db| {
            let found = read(db).await?;
            let is_there = |index: &ExtraIndex| found.iter().any(|has| has.starts_with(index.table, index.columns));
            let missing: Vec<ExtraIndex> = EXTRA_INDEXES.into_iter().filter(|index| !is_there(index)).collect();
            let broken: Vec<ExtraIndex> = missing.iter().copied().filter(|index| is_named(&found, index)).collect();
            drop_all(db, &broken).await?;
            create_all(db, &missing).await?;
            Ok(missing.iter().map(|index| index.name).collect())
        })
        .await
    }

    /// Removes the additional indexes of our names. Gives the names of those that were there.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses.
    pub async fn drop_indexes(settings: &Settings) -> Result<Vec<&'static str>> {
        Self::with_patient_database(settings, async |db| {
            let found = read(db).await?;
            let ours: Vec<ExtraIndex> = EXTRA_INDEXES.into_iter().filter(|index| is_named(&found, index)).collect();
            drop_all(db, &ours).await?;
            Ok(ours.iter().map(|index| index.name).collect())
        })
        .await
    }

    async fn with_patient_database<T>(settings: &Settings, work: impl AsyncFnOnce(&Db) -> Result<T>) -> Result<T> {
        let store = Self::open(settings).await?;
        let done = work(&store.main.with_patience(PATIENCE)).await;
        store.close().await;
        done
    }
}

/// Makes all of them on tables that were just made.
pub(super) async fn create_on_new_tables(pools: &connect::Pools) -> Result<()> {
    create_all(&pools.main.with_patience(PATIENCE), &EXTRA_INDEXES).await
}

fn is_named(found: &[Found], index: &ExtraIndex) -> bool {
    found.iter().any(|has| has.table == index.table && has.name == index.name)
}

async fn create_all(db: &Db, indexes: &[ExtraIndex]) -> Result<()> {
    for statement in statements(db.dialect(), indexes, Change::Create) {
        db.execute(Query::varying(&statement)).await?;
    }
    Ok(())
}

async fn drop_all(db: &Db, indexes: &[ExtraIndex]) -> Result<()> {
    for statement in statements(db.dialect(), indexes, Change::Drop) {
        db.execute(Query::varying(&statement)).await?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Create,
    Drop,
}

/// On MySQL one statement a table, so that the table is read once; on the others one an index.
fn statements(dialect: Dialect, indexes: &[ExtraIndex], change: Change) -> Vec<String> {
    if dialect == Dialect::MySql {
        let tables = ["xxl_job_info", "xxl_job_log"];
        let of_table = |table: &str| -> Option<String> {
            let parts: Vec<String> = indexes
                .iter()
                .filter(|index| index.table == table)
                .map(|index| match change {
                    Change::Create => format!("ADD INDEX {} ({})", index.name, index.columns.join(", ")),
                    Change::Drop => format!("DROP INDEX {}", index.name),
                })
                .collect();
            // Refused rather than done with the table locked.
            let online = "ALGORITHM = INPLACE, LOCK = NONE";
            (!parts.is_empty()).then(|| format!("ALTER TABLE {table} {}, {online}", parts.join(", ")))
        };
        return tables.into_iter().filter_map(of_table).collect();
    }
    // PostgreSQL works beside readers and writers only where it is told so.
    let how = if dialect == Dialect::Postgres { "CONCURRENTLY " } else { "" };
    indexes
        .iter()
        .map(|ExtraIndex { name, table, columns }| match change {
            Change::Create => format!("CREATE INDEX {how}IF NOT EXISTS {name} ON {table} ({})", columns.join(", ")),
            Change::Drop => format!("DROP INDEX {how}IF EXISTS {name}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysql_reads_each_table_once() {
        let made = statements(Dialect::MySql, &EXTRA_INDEXES, Change::Create);
        assert_eq!(made.len(), 2);
        assert!(made[1].matches("ADD INDEX").count() == 4 && made[1].ends_with("LOCK = NONE"), "{}", made[1]);
        assert!(statements(Dialect::MySql, &[], Change::Create).is_empty());
    }

    #[test]
    fn postgres_works_beside_readers_and_writers() {
        let made = statements(Dialect::Postgres, &EXTRA_INDEXES[..1], Change::Create);
        let text =
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS rs_job_due ON xxl_job_info (trigger_status, trigger_next_time)";
        assert_eq!(made, [text]);
        assert_eq!(statements(Dialect::Sqlite, &EXTRA_INDEXES[..1], Change::Drop), ["DROP INDEX IF EXISTS rs_job_due"]);
    }
}
