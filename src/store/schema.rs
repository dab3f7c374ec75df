//! Which of the schema generations the tables are, found in the catalogue by columns, never by version numbers.

use std::collections::{HashMap, HashSet};

use super::db::Db;
use super::error::{Error, Result};
use super::extra_indexes::{self, Indexes};
use super::query::{Dialect, Query};
use crate::config::Release;

/// The eight tables.
pub const TABLES: [&str; 8] = [
    "xxl_job_group",
    "xxl_job_info",
    "xxl_job_lock",
    "xxl_job_log",
    "xxl_job_log_report",
    "xxl_job_logglue",
    "xxl_job_registry",
    "xxl_job_user",
];

/// A schema generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// 2.3.0 – 2.4.2
    G2_3,
    /// 2.5.0 – 3.1.x
    G2_5,
    /// 3.2.0 – 3.3.x
    G3_2,
    /// 3.4.x
    G3_4,
}

impl Generation {
    /// The release that the tables by themselves make us resemble.
    pub const fn release(self) -> Release {
        match self {
            Self::G2_3 => Release::V2_4,
            Self::G2_5 => Release::V2_5,
            Self::G3_2 => Release::V3_3,
            Self::G3_4 => Release::V3_4,
        }
    }

    /// Releases that made these tables.
    pub const fn releases(self) -> &'static str {
        match self {
            Self::G2_3 => "2.3.0 - 2.4.2",
            Self::G2_5 => "2.5.0 - 3.1.x",
            Self::G3_2 => "3.2.0 - 3.3.x",
            Self::G3_4 => "3.4.x",
        }
    }
}

/// How passwords are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PasswordHash {
    /// Lower-case hex MD5, before 3.2.
    Md5,
    /// Lower-case hex SHA-256.
    Sha256,
}

/// Longest texts of columns in characters; none = a `text` column of 65,535 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// `xxl_job_log.executor_param`.
    pub log_param: Option<usize>,
    /// `xxl_job_log.executor_address`.
    pub log_address: Option<usize>,
    /// `xxl_job_log.executor_handler`.
    pub log_handler: Option<usize>,
    /// `xxl_job_group.address_list`.
    pub address_list: Option<usize>,
    /// `xxl_job_registry.registry_group`.
    pub registry_group: Option<usize>,
    /// `xxl_job_registry.registry_key`.
    pub registry_key: Option<usize>,
    /// `xxl_job_registry.registry_value`.
    pub registry_value: Option<usize>,
    /// `xxl_job_group.app_name`.
    pub app_name: Option<usize>,
    /// `xxl_job_group.title`.
    pub title: Option<usize>,
    /// `xxl_job_info.job_desc`.
    pub job_desc: Option<usize>,
    /// `xxl_job_info.author`.
    pub author: Option<usize>,
    /// `xxl_job_info.alarm_email`.
    pub alarm_email: Option<usize>,
    /// `xxl_job_info.schedule_conf`.
    pub schedule_conf: Option<usize>,
    /// `xxl_job_info.executor_handler`.
    pub executor_handler: Option<usize>,
    /// `xxl_job_info.executor_param`.
    pub executor_param: Option<usize>,
    /// `xxl_job_info.child_jobid`.
    pub child_jobid: Option<usize>,
    /// `glue_remark` of `xxl_job_info` and `xxl_job_logglue`.
    pub glue_remark: Option<usize>,
    /// `xxl_job_user.username`.
    pub username: Option<usize>,
    /// `xxl_job_user.permission`.
    pub permission: Option<usize>,
}

/// What the tables can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// The generation.
    pub generation: Generation,
    /// Whether `xxl_job_registry` has its unique key on group, key and value.
    pub registry_unique: bool,
    /// Whether `xxl_job_user` has a `token` column.
    pub user_token: bool,
    /// Whether `xxl_job_log_report` has its unique key on the day.
    pub report_unique: bool,
    /// How passwords are stored.
    pub password_hash: PasswordHash,
    /// Longest texts.
    pub limits: Limits,
    /// Which indexes of runs there are, besides those of every generation.
    pub indexes: Indexes,
}

/// What the catalogue says of one column.
struct Column {
    is_text: bool,
    length: Option<usize>,
}

type Columns = HashMap<(String, String), Column>;

/// Which of the eight tables are there.
pub(super) async fn present_tables(db: &Db) -> Result<Vec<&'static str>> {
    let columns = columns(db).await?;
    let tables: HashSet<&str> = columns.keys().map(|(table, _)| table.as_str()).collect();
    Ok(TABLES.into_iter().filter(|table| tables.contains(table)).collect())
}

/// Recognises the tables.
///
/// # Errors
/// [`Error::Schema`] when tables are missing, or are of no generation that we serve; the text says which and what to do.
pub(super) async fn recognise(db: &Db) -> Result<Schema> {
    let columns = columns(db).await?;
    let tables: HashSet<&str> = columns.keys().map(|(table, _)| table.as_str()).collect();
    let missing: Vec<&str> = TABLES.into_iter().filter(|table| !tables.contains(table)).collect();
    if missing.len() == TABLES.len() {
        return Err(Error::Schema(
            "the database has none of the eight tables; create them with: xxl-job-admin init-db".into(),
        ));
    }
    if !missing.is_empty() {
        return Err(Error::Schema(format!(
            "the database lacks the tables {}; restore them, or use an empty database and create all eight with: \
             xxl-job-admin init-db",
            missing.join(", ")
        )));
    }
    let has = |table: &str, column: &str| columns.contains_key(&(table.to_owned(), column.to_owned()));
    for (table, column) in [
        ("xxl_job_group", "title"),
        ("xxl_job_info", "job_desc"),
        ("xxl_job_info", "schedule_type"),
        ("xxl_job_info", "misfire_strategy"),
    ] {
        if !has(table, column) {
            return Err(Error::Schema(format!(
                "unknown schema generation: table {table} has no column {column} (known are the tables of the \
                 releases 2.3 - 3.4; those before 2.3 and the unreleased 3.5 are not served)"
            )));
        }
    }
    if has("xxl_job_group", "access_token") {
        return Err(Error::Schema(
            "unknown schema generation: table xxl_job_group has a column access_token (the unreleased 3.5 is not \
             served)"
                .into(),
        ));
    }
    let unique = unique_indexes(db).await?;
    let length = |table: &str, column: &str| {
        columns
            .get(&(table.to_owned(), column.to_owned()))
            .and_then(|column| if column.is_text { None } else { column.length })
    };
    let registry_unique = unique.contains("xxl_job_registry");
    let user_token = has("xxl_job_user", "token");
    let long_params = length("xxl_job_log", "executor_param").is_none();
    let generation = match (long_params && user_token, user_token, registry_unique) {
        (true, _, _) => Generation::G3_4,
        (_, true, _) => Generation::G3_2,
        (_, _, true) => Generation::G2_5,
        _ => Generation::G2_3,
    };
    Ok(Schema {
        generation,
        registry_unique,
        user_token,
        report_unique: unique.contains("xxl_job_log_report"),
        password_hash: if user_token { PasswordHash::Sha256 } else { PasswordHash::Md5 },
        limits: Limits {
            log_param: length("xxl_job_log", "executor_param"),
            log_address: length("xxl_job_log", "executor_address"),
            log_handler: length("xxl_job_log", "executor_handler"),
            address_list: length("xxl_job_group", "address_list"),
            registry_group: length("xxl_job_registry", "registry_group"),
            registry_key: length("xxl_job_registry", "registry_key"),
            registry_value: length("xxl_job_registry", "registry_value"),
            app_name: length("xxl_job_group", "app_name"),
            title: length("xxl_job_group", "title"),
            job_desc: length("xxl_job_info", "job_desc"),
            author: length("xxl_job_info", "author"),
            alarm_email: length("xxl_job_info", "alarm_email"),
            schedule_conf: length("xxl_job_info", "schedule_conf"),
            executor_handler: length("xxl_job_info", "executor_handler"),
            executor_param: length("xxl_job_info", "executor_param"),
            child_jobid: length("xxl_job_info", "child_jobid"),
            glue_remark: length("xxl_job_logglue", "glue_remark"),
            username: length("xxl_job_user", "username"),
            permission: length("xxl_job_user", "permission"),
        },
        indexes: extra_indexes::present(db).await?,
    })
}

async fn columns(db: &Db) -> Result<Columns> {
    let mut columns = Columns::new();
    if db.dialect() == Dialect::Sqlite {
        for table in TABLES {
            // The name is one of ours; PRAGMA functions take no bound value in older versions.
            let query = Query::varying("SELECT name, type FROM pragma_table_info('").push(table).push("')");
            for row in db.fetch_all(query).await? {
                let declared = row.text(1)?.to_lowercase();
                let length = declared
                    .split_once('(')
                    .and_then(|(_, rest)| rest.trim_end_matches(')').trim().parse().ok())
                    .filter(|_| declared.contains("char"));
                let column = Column { is_text: declared.ends_with("text"), length };
                columns.insert((table.to_owned(), row.text(0)?), column);
            }
        }
        return Ok(columns);
    }
    let (integer, text, schema) = match db.dialect() {
        Dialect::MySql => ("SIGNED", "CHAR", "DATABASE()"),
        Dialect::Postgres | Dialect::Sqlite => ("BIGINT", "TEXT", "CURRENT_SCHEMA()"),
    };
    let query = Query::varying(&format!(
        "SELECT CAST(table_name AS {text}), CAST(column_name AS {text}), CAST(data_type AS {text}), \
         CAST(character_maximum_length AS {integer}) FROM information_schema.columns \
         WHERE table_schema = {schema} AND table_name LIKE 'xxl_job%'"
    ));
    for row in db.fetch_all(query).await? {
        let kind = row.text(2)?.to_lowercase();
        let length = usize::try_from(row.int(3)?).ok().filter(|length| *length > 0);
        let key = (row.text(0)?.to_lowercase(), row.text(1)?.to_lowercase());
        columns.insert(key, Column { is_text: kind.ends_with("text"), length });
    }
    Ok(columns)
}

/// Tables with a unique index besides their primary key.
async fn unique_indexes(db: &Db) -> Result<HashSet<String>> {
    let mut tables = HashSet::new();
    match db.dialect() {
        Dialect::Sqlite => {
            for table in TABLES {
                let query = Query::varying("SELECT count(*) FROM pragma_index_list('")
                    .push(table)
                    .push("') WHERE \"unique\" = 1 AND origin <> 'pk'");
                if db.fetch_optional(query).await?.is_some_and(|row| row.int(0).is_ok_and(|n| n > 0)) {
                    tables.insert(table.to_owned());
                }
            }
        }
        Dialect::MySql => {
            let query = Query::new(
                "SELECT DISTINCT CAST(table_name AS CHAR) FROM information_schema.statistics \
                 WHERE table_schema = DATABASE() AND non_unique = 0 AND index_name <> 'PRIMARY'",
            );
            for row in db.fetch_all(query).await? {
                tables.insert(row.text(0)?.to_lowercase());
            }
        }
        Dialect::Postgres => {
            let query = Query::new(
                "SELECT DISTINCT CAST(c.relname AS TEXT) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
                 JOIN pg_namespace n ON n.oid = c.relnamespace \
                 WHERE i.indisunique AND NOT i.indisprimary AND n.nspname = CURRENT_SCHEMA()",
            );
            for row in db.fetch_all(query).await? {
                tables.insert(row.text(0)?.to_lowercase());
            }
        }
    }
    Ok(tables)
}
