//! The eight tables of every schema generation, built for every engine from the recorded facts.
//!
//! MariaDB gets what a release's own table script makes there. No release ships tables for PostgreSQL and SQLite; there a
//! generation is what `sql/` makes with the differences of that generation: the types are translated by the table below.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::db::Engine;

/// A schema generation: releases with the same tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// 2.3.0 – 2.4.2.
    V2_4,
    /// 2.5.0 – 3.1.x.
    V2_5,
    /// 3.2.0 – 3.3.x.
    V3_3,
    /// 3.4.x, what `sql/` makes.
    V3_4,
}

impl Generation {
    /// All of them, oldest first.
    pub const ALL: [Self; 4] = [Self::V2_4, Self::V2_5, Self::V3_3, Self::V3_4];

    /// What was recorded of its newest release.
    pub fn facts(self) -> Facts {
        Facts::parse(match self {
            Self::V2_4 => include_str!("../../../compat-tests/golden/schema/2.4.2.json"),
            Self::V2_5 => include_str!("../../../compat-tests/golden/schema/2.5.0.json"),
            Self::V3_3 => include_str!("../../../compat-tests/golden/schema/3.3.2.json"),
            Self::V3_4 => include_str!("../../../compat-tests/golden/schema/3.4.2.json"),
        })
    }
}

/// What the catalogue says of the tables of one release, and its seed rows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Facts {
    /// The release.
    pub generation_of: String,
    /// By name.
    pub tables: BTreeMap<String, Table>,
    /// Rows by table, columns by name.
    pub seed_rows: BTreeMap<String, Vec<Map<String, Value>>>,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Table {
    /// Storage engine; known for MariaDB alone.
    pub engine: Option<String>,
    /// Collation; known for MariaDB alone.
    pub collation: Option<String>,
    /// In their order.
    pub columns: Vec<Column>,
    /// By name.
    pub indexes: BTreeMap<String, Index>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Type, in the words of the engine.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Default without quotes.
    pub default: Option<String>,
    /// `auto_increment` for ids that the database gives.
    pub extra: String,
}

/// One index, the primary key (`PRIMARY`) included.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Index {
    /// Whether it refuses doubles.
    pub unique: bool,
    /// In their order.
    pub columns: Vec<String>,
}

impl Facts {
    /// Reads a recording.
    pub fn parse(json: &str) -> Self {
        serde_json::from_str(json).expect("a recording of schema facts")
    }

    /// The same tables in the words of another engine's catalogue.
    pub fn translated(mut self, engine: Engine) -> Self {
        if engine == Engine::MariaDb {
            return self;
        }
        for table in self.tables.values_mut() {
            (table.engine, table.collation) = (None, None);
            for column in &mut table.columns {
                column.kind = translate(engine, column);
            }
            if engine == Engine::Postgres {
                // Unquoted names are folded to lower case.
                table.indexes = std::mem::take(&mut table.indexes)
                    .into_iter()
                    .map(|(name, index)| (if name == "PRIMARY" { name } else { name.to_lowercase() }, index))
                    .collect();
            }
        }
        self
    }

    /// Statements that build the tables on this engine and fill in the seed rows.
    pub fn statements(self, engine: Engine) -> Vec<String> {
        let facts = self.translated(engine);
        let mut statements = Vec::new();
        for (name, table) in &facts.tables {
            statements.push(create_table(engine, name, table));
            if engine != Engine::MariaDb {
                statements.extend(create_indexes(name, table));
            }
        }
        for (name, rows) in &facts.seed_rows {
            statements.extend(rows.iter().map(|row| insert(name, row)));
            let counted = facts.tables[name].columns.iter().any(|column| column.extra == "auto_increment");
            if engine == Engine::Postgres && counted {
                statements.push(format!("ALTER TABLE {name} ALTER COLUMN id RESTART WITH {}", rows.len() + 1));
            }
        }
        statements
    }
}

/// The statements of a script of `sql/`, which end with `;` at the end of a line.
pub fn split(script: &str) -> Vec<String> {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with("--"));
    let text = lines.fold(String::new(), |text, line| text + line + "\n");
    text.split(";\n").map(str::trim).filter(|statement| !statement.is_empty()).map(str::to_owned).collect()
}

/// MariaDB's word for a type in that of another engine.
fn translate(engine: Engine, column: &Column) -> String {
    let word = column.kind.split('(').next().expect("split gives one part at least");
    let plain = match (word, engine) {
        ("int" | "tinyint", _) => "integer",
        ("bigint", Engine::Sqlite) if column.extra == "auto_increment" => "integer",
        ("bigint", _) => "bigint",
        ("text" | "mediumtext", _) => "text",
        ("datetime", Engine::Postgres) => "timestamp",
        ("datetime", _) => "datetime",
        ("varchar", _) => &column.kind,
        (other, _) => panic!("no translation for the type {other}"),
    };
    if engine == Engine::Sqlite { plain.to_uppercase() } else { plain.to_owned() }
}

fn create_table(engine: Engine, name: &str, table: &Table) -> String {
    let mut parts: Vec<String> = table.columns.iter().map(|column| definition(engine, column)).collect();
    match engine {
        Engine::MariaDb => parts.extend(table.indexes.iter().map(|(name, index)| {
            let columns = index.columns.join(", ");
            match (name.as_str(), index.unique) {
                ("PRIMARY", _) => format!("PRIMARY KEY ({columns})"),
                (name, true) => format!("UNIQUE KEY {name} ({columns})"),
                (name, false) => format!("KEY {name} ({columns})"),
            }
        })),
        // A key of SQLite's that counts is part of its column.
        Engine::Sqlite if table.columns.iter().any(|column| column.extra == "auto_increment") => {}
        Engine::Postgres | Engine::Sqlite => {
            parts.push(format!("PRIMARY KEY ({})", table.indexes["PRIMARY"].columns.join(", ")));
        }
    }
    let options = match (&table.engine, &table.collation) {
        (Some(engine), Some(collation)) => format!(" ENGINE={engine} DEFAULT CHARSET=utf8mb4 COLLATE={collation}"),
        _ => String::new(),
    };
    format!("CREATE TABLE {name} (\n  {}\n){options}", parts.join(",\n  "))
}

fn definition(engine: Engine, column: &Column) -> String {
    let Column { name, kind, nullable, default, extra } = column;
    let rest = match (extra.as_str(), engine) {
        ("auto_increment", Engine::MariaDb) => "NOT NULL AUTO_INCREMENT",
        ("auto_increment", Engine::Postgres) => "GENERATED BY DEFAULT AS IDENTITY",
        ("auto_increment", Engine::Sqlite) => "PRIMARY KEY AUTOINCREMENT",
        _ if *nullable => "DEFAULT NULL",
        _ => "NOT NULL",
    };
    let default = default.as_ref().map(|default| format!(" DEFAULT {}", literal(default))).unwrap_or_default();
    format!("{name} {kind} {rest}{default}")
}

fn create_indexes(table: &str, facts: &Table) -> Vec<String> {
    let secondary = facts.indexes.iter().filter(|(name, _)| *name != "PRIMARY");
    secondary
        .map(|(name, index)| {
            let unique = if index.unique { "UNIQUE " } else { "" };
            format!("CREATE {unique}INDEX {name} ON {table} ({})", index.columns.join(", "))
        })
        .collect()
}

fn insert(table: &str, row: &Map<String, Value>) -> String {
    let columns: Vec<&str> = row.keys().map(String::as_str).collect();
    let values: Vec<String> = row
        .values()
        .map(|value| match value {
            Value::Null => "NULL".to_owned(),
            Value::String(text) => format!("'{}'", text.replace('\'', "''")),
            other => other.to_string(),
        })
        .collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), values.join(", "))
}

/// Numbers as they are, words in quotes.
fn literal(default: &str) -> String {
    if default.parse::<i64>().is_ok() { default.to_owned() } else { format!("'{default}'") }
}
