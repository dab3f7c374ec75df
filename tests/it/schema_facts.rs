//! The tables that `sql/` makes, and those of the older generations that the other tests run on, are the recorded ones.

use std::collections::BTreeMap;

use super::support::db::{Connection, Engine, TestDb};
use super::support::schema::{Column, Facts, Generation, Index, Table, split};

/// The tables as the database's own catalogue describes them.
async fn catalogue(db: &TestDb) -> BTreeMap<String, Table> {
    let mut connection = db.connect().await;
    let mut tables = BTreeMap::new();
    let text = |text: &Option<String>| text.clone().expect("a text of the catalogue");
    for row in connection.texts(tables_query(db.engine())).await {
        let table =
            Table { engine: row[1].clone(), collation: row[2].clone(), columns: Vec::new(), indexes: BTreeMap::new() };
        tables.insert(text(&row[0]), table);
    }
    for row in connection.texts(columns_query(db.engine())).await {
        let column = Column {
            name: text(&row[1]),
            kind: text(&row[2]),
            nullable: row[3].as_deref() == Some("YES"),
            default: row[4].as_deref().and_then(plain_default),
            extra: text(&row[5]),
        };
        tables.get_mut(&text(&row[0])).expect("a table of the list").columns.push(column);
    }
    for row in connection.texts(indexes_query(db.engine())).await {
        let table = tables.get_mut(&text(&row[0])).expect("a table of the list");
        let index = table.indexes.entry(text(&row[1])).or_insert_with(|| Index { unique: false, columns: Vec::new() });
        index.unique = row[2].as_deref() == Some("YES");
        index.columns.push(text(&row[3]));
    }
    // A key that SQLite counts has no index: it is the row's number.
    if db.engine() == Engine::Sqlite {
        for table in tables.values_mut().filter(|table| table.columns.iter().any(|c| c.extra == "auto_increment")) {
            let primary = Index { unique: true, columns: vec!["id".to_owned()] };
            table.indexes.insert("PRIMARY".to_owned(), primary);
        }
    }
    tables
}

/// name, engine, collation.
fn tables_query(engine: Engine) -> &'static str {
    match engine {
        Engine::MariaDb => {
            "SELECT table_name, engine, table_collation FROM information_schema.tables WHERE table_schema = database()"
        }
        Engine::Postgres => {
            "SELECT table_name::text, NULL::text, NULL::text FROM information_schema.tables WHERE table_schema = 'public'"
        }
        Engine::Sqlite => {
            "SELECT name, NULL, NULL FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
    }
}

/// table, column, type, nullable (YES, NO), default, extra.
fn columns_query(engine: Engine) -> &'static str {
    match engine {
        Engine::MariaDb => {
            "SELECT table_name, column_name, column_type, is_nullable, column_default, extra \
             FROM information_schema.columns WHERE table_schema = database() ORDER BY table_name, ordinal_position"
        }
        Engine::Postgres => {
            "SELECT table_name::text, column_name::text, CASE data_type \
               WHEN 'character varying' THEN 'varchar(' || character_maximum_length || ')' \
               WHEN 'timestamp without time zone' THEN 'timestamp' ELSE data_type::text END, \
             is_nullable::text, column_default::text, \
             CASE is_identity WHEN 'YES' THEN 'auto_increment' ELSE '' END \
             FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
        }
        Engine::Sqlite => {
            "SELECT t.name, c.name, c.type, CASE WHEN c.\"notnull\" OR c.pk THEN 'NO' ELSE 'YES' END, c.dflt_value, \
             CASE WHEN c.pk AND t.sql LIKE '%AUTOINCREMENT%' THEN 'auto_increment' ELSE '' END \
             FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid"
        }
    }
}

/// table, index, unique (YES, NO), column.
fn indexes_query(engine: Engine) -> &'static str {
    match engine {
        Engine::MariaDb => {
            "SELECT table_name, index_name, CASE non_unique WHEN 0 THEN 'YES' ELSE 'NO' END, column_name \
             FROM information_schema.statistics WHERE table_schema = database() ORDER BY table_name, index_name, seq_in_index"
        }
        Engine::Postgres => {
            "SELECT t.relname::text, CASE WHEN x.indisprimary THEN 'PRIMARY' ELSE i.relname::text END, \
             CASE WHEN x.indisunique THEN 'YES' ELSE 'NO' END, a.attname::text \
             FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid \
             JOIN pg_namespace n ON n.oid = t.relnamespace \
             CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k(attnum, place) \
             JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum \
             WHERE n.nspname = 'public' ORDER BY 1, 2, k.place"
        }
        Engine::Sqlite => {
            "SELECT t.name, CASE i.origin WHEN 'pk' THEN 'PRIMARY' ELSE i.name END, \
             CASE i.\"unique\" WHEN 1 THEN 'YES' ELSE 'NO' END, c.name \
             FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_info(i.name) c \
             WHERE t.type = 'table' ORDER BY t.name, i.name, c.seqno"
        }
    }
}

/// A default without the engine's dressing: quotes, a cast, the word NULL.
fn plain_default(default: &str) -> Option<String> {
    let value = default.split("::").next().unwrap_or_default();
    (value != "NULL").then(|| value.trim_matches('\'').to_owned())
}

/// The seed rows as recorded, times left out; nothing else in any table.
async fn assert_seed_rows(db: &TestDb, facts: &Facts) {
    let mut connection = db.connect().await;
    let text = if db.engine() == Engine::MariaDb { "CHAR" } else { "TEXT" };
    for table in facts.tables.keys() {
        let recorded = facts.seed_rows.get(table).map(Vec::as_slice).unwrap_or_default();
        let count = connection.texts(&format!("SELECT CAST(count(*) AS {text}) FROM {table}")).await;
        assert_eq!(count[0][0], Some(recorded.len().to_string()), "rows of {table}");
        for row in recorded {
            let is_time = |name: &str| name.ends_with("time") && !name.starts_with("trigger_");
            let (times, others): (Vec<_>, Vec<_>) = row.iter().partition(|(name, _)| is_time(name));
            let fields =
                others.iter().map(|(name, _)| format!("CAST({name} AS {text})")).collect::<Vec<_>>().join(", ");
            let expected: Vec<Option<String>> = others
                .iter()
                .map(|(_, value)| match value {
                    serde_json::Value::Null => None,
                    serde_json::Value::String(text) => Some(text.clone()),
                    number => Some(number.to_string()),
                })
                .collect();
            assert_eq!(connection.texts(&format!("SELECT {fields} FROM {table}")).await, [expected], "{table}");
            for (name, _) in times {
                let empty = connection.texts(&format!("SELECT '' FROM {table} WHERE {name} IS NULL")).await;
                assert!(empty.is_empty(), "{table}.{name} is empty");
            }
        }
    }
}

/// New rows of every table whose ids the database gives get the id after the seed row's.
async fn assert_ids_go_on(connection: &mut Connection, engine: Engine, facts: &Facts) {
    let text = if engine == Engine::MariaDb { "CHAR" } else { "TEXT" };
    for (insert, table) in [
        ("INSERT INTO xxl_job_group (app_name, title) VALUES ('a', 't')", "xxl_job_group"),
        ("INSERT INTO xxl_job_info (job_group, job_desc, glue_type) VALUES (1, 'd', 'BEAN')", "xxl_job_info"),
        ("INSERT INTO xxl_job_user (username, password, role) VALUES ('u', 'p', 0)", "xxl_job_user"),
        ("INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 1, 0, 0)", "xxl_job_log"),
    ] {
        assert_eq!(connection.execute(insert).await, 1);
        let seeded = facts.seed_rows.get(table).map_or(0, Vec::len);
        let newest = connection.texts(&format!("SELECT CAST(max(id) AS {text}) FROM {table}")).await;
        assert_eq!(newest[0][0], Some((seeded + 1).to_string()), "next id of {table}");
    }
}

async fn assert_is_as_recorded(engine: Engine, generation: Generation) {
    let Some(db) = TestDb::create(engine, generation).await else { return };
    let facts = generation.facts().translated(engine);
    let built = catalogue(&db).await;
    assert_eq!(built.keys().collect::<Vec<_>>(), facts.tables.keys().collect::<Vec<_>>(), "tables");
    for (name, table) in &facts.tables {
        assert_eq!(&built[name], table, "{name} of {} on {engine:?}", facts.generation_of);
    }
    assert_seed_rows(&db, &facts).await;
    assert_ids_go_on(&mut db.connect().await, engine, &facts).await;
}

macro_rules! each_engine {
    ($($name:ident: $engine:ident),*) => { $(
        #[tokio::test]
        async fn $name() {
            for generation in Generation::ALL {
                assert_is_as_recorded(Engine::$engine, generation).await;
            }
        }
    )* };
}

each_engine! {
    every_generation_on_mariadb_is_as_recorded: MariaDb,
    every_generation_on_postgres_is_as_recorded: Postgres,
    every_generation_on_sqlite_is_as_recorded: Sqlite
}

#[tokio::test]
async fn the_newest_generation_of_the_facts_is_what_the_scripts_make() {
    for engine in Engine::ALL {
        let Some(scripted) = TestDb::create(engine, Generation::V3_4).await else { continue };
        let Some(built) = TestDb::create_empty(engine).await else { continue };
        let mut connection = built.connect().await;
        for statement in Generation::V3_4.facts().statements(engine) {
            connection.execute(&statement).await;
        }
        assert_eq!(catalogue(&built).await, catalogue(&scripted).await, "{engine:?}");
    }
}

#[test]
fn releases_of_one_generation_have_the_same_tables() {
    for (older, generation) in [
        (include_str!("../../compat-tests/golden/schema/2.3.1.json"), Generation::V2_4),
        (include_str!("../../compat-tests/golden/schema/3.2.0.json"), Generation::V3_3),
    ] {
        assert_eq!(Facts::parse(older).tables, generation.facts().tables);
    }
}

#[test]
fn the_scripts_destroy_nothing() {
    for engine in Engine::ALL {
        let statements = split(engine.script());
        let tables = statements.iter().filter(|statement| statement.starts_with("CREATE TABLE xxl_job_")).count();
        assert_eq!(tables, 8, "{engine:?}");
        for statement in statements {
            let word = statement.split_whitespace().next().unwrap_or_default();
            assert!(["SET", "CREATE", "INSERT", "ALTER"].contains(&word), "{engine:?}: {statement}");
        }
    }
}

#[tokio::test]
async fn a_test_database_is_fresh_and_gone_when_its_test_panics() {
    for engine in Engine::ALL {
        let Some(one) = TestDb::create(engine, Generation::V3_4).await else { continue };
        let Some(other) = TestDb::create(engine, Generation::V3_4).await else { continue };
        assert_ne!(one.url(), other.url());
        one.connect().await.execute("DELETE FROM xxl_job_user").await;
        assert_eq!(other.connect().await.texts("SELECT username FROM xxl_job_user").await.len(), 1, "{engine:?}");
        let (url, name) = (one.url().to_owned(), one.url().rsplit('/').next().unwrap_or_default().to_owned());
        // Neither a panic nor an open connection keeps it.
        let _open = one.connect().await;
        let test = tokio::spawn(async move {
            let _held = one;
            panic!("a test that fails");
        });
        assert!(test.await.is_err_and(|error| error.is_panic()));
        let left = match engine {
            Engine::Sqlite => {
                let path = url.trim_start_matches("sqlite://").trim_end_matches("?mode=rwc").to_owned();
                usize::from(std::path::Path::new(&path).exists())
            }
            Engine::MariaDb => {
                let query = format!("SELECT schema_name FROM information_schema.schemata WHERE schema_name = '{name}'");
                other.connect().await.texts(&query).await.len()
            }
            Engine::Postgres => {
                let query = format!("SELECT datname::text FROM pg_database WHERE datname = '{name}'");
                other.connect().await.texts(&query).await.len()
            }
        };
        assert_eq!(left, 0, "{engine:?}");
    }
}
