//! Making the tables.

use xxl_job_admin::store::{Error, Generation, InitOutcome, Store};

use super::base::{Base, error, settings};
use crate::support::db::{Engine, TestDb};

conformance!(a_database_with_tables_is_left_alone);

async fn a_database_with_tables_is_left_alone(base: &Base) {
    let before = base.store.find_user(1).await.expect("read").expect("the seed user");
    let outcome = Store::init(&settings(&base.db), "hash").await.expect("ask");
    assert!(matches!(outcome, InitOutcome::Refused(tables) if tables.len() == 8));
    base.sql("DROP TABLE xxl_job_log").await;
    let outcome = Store::init(&settings(&base.db), "hash").await.expect("ask");
    assert!(
        matches!(outcome, InitOutcome::Refused(tables) if tables.len() == 7 && !tables.contains(&"xxl_job_log")),
        "one table is enough to refuse"
    );
    assert_eq!(base.store.find_user(1).await.expect("read"), Some(before));
}

async fn an_empty_database_gets_tables_and_seed_rows(engine: Engine) {
    let Some(db) = TestDb::create_empty(engine).await else { return };
    let text = match error(Store::open(&settings(&db)).await) {
        Error::Schema(text) => text,
        other => panic!("not a word about the tables: {other:?}"),
    };
    assert!(text.contains("init-db"), "{text}");
    assert_eq!(Store::init(&settings(&db), "a hash").await.expect("make the tables"), InitOutcome::Created);
    let store = Store::open(&settings(&db)).await.expect("open what was made");
    assert_eq!(store.schema().generation, Generation::G3_4);
    assert!(store.lock_row_present().await.expect("look"));
    let admin = store.find_user_by_name("admin").await.expect("read").expect("the administrator");
    assert_eq!(admin.password, "a hash");
    assert!(admin.is_admin());
    assert_eq!(store.count_groups().await.expect("count"), 1);
    assert_eq!(
        store.find_job(1).await.expect("read").expect("the seed job").schedule_conf.as_deref(),
        Some("0 0 0 * * ? *")
    );
    // The next ids come after those of the seed rows.
    assert_eq!(store.insert_job(&super::base::job(), super::base::NOW).await.expect("add a job"), 2);
    assert!(matches!(Store::init(&settings(&db), "other").await.expect("ask"), InitOutcome::Refused(_)));
}

#[tokio::test]
async fn an_empty_database_gets_tables_on_sqlite() {
    an_empty_database_gets_tables_and_seed_rows(Engine::Sqlite).await;
}

#[tokio::test]
async fn an_empty_database_gets_tables_on_mariadb() {
    an_empty_database_gets_tables_and_seed_rows(Engine::MariaDb).await;
}

#[tokio::test]
async fn an_empty_database_gets_tables_on_postgres() {
    an_empty_database_gets_tables_and_seed_rows(Engine::Postgres).await;
}
