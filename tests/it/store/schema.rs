//! Which tables are recognised, and what is said of others.

use xxl_job_admin::store::{Error, Generation as Recognised, PasswordHash, Store};

use super::base::{Base, error, settings};
use crate::support::db::{Engine, TestDb};
use crate::support::schema::Generation;

conformance!(
    every_generation_is_recognised,
    missing_tables_are_named,
    tables_of_the_unreleased_head_are_refused,
    tables_without_a_title_are_refused,
    the_day_is_unique_only_with_its_index,
    the_database_gives_a_sign_of_life,
);

async fn every_generation_is_recognised(base: &Base) {
    let schema = base.store.schema();
    let (generation, registry_unique, user_token, hash) = match base.generation {
        Generation::V2_4 => (Recognised::G2_3, false, false, PasswordHash::Md5),
        Generation::V2_5 => (Recognised::G2_5, true, false, PasswordHash::Md5),
        Generation::V3_3 => (Recognised::G3_2, true, true, PasswordHash::Sha256),
        Generation::V3_4 => (Recognised::G3_4, true, true, PasswordHash::Sha256),
    };
    assert_eq!(schema.generation, generation);
    assert_eq!(schema.registry_unique, registry_unique);
    assert_eq!(schema.user_token, user_token);
    assert_eq!(schema.password_hash, hash);
    assert!(schema.report_unique);
    assert_eq!(schema.limits.log_param, if base.generation == Generation::V3_4 { None } else { Some(512) });
    assert_eq!(schema.limits.log_address, Some(255));
    assert_eq!(schema.limits.log_handler, Some(255));
    assert_eq!(schema.limits.address_list, None);
    assert_eq!(schema.limits.registry_group, Some(50));
    assert_eq!(schema.limits.registry_key, Some(255));
    assert_eq!(schema.limits.registry_value, Some(255));
}

/// What the store says when it is opened on this database.
async fn refusal(db: &TestDb) -> String {
    match error(Store::open(&settings(db)).await) {
        Error::Schema(text) => text,
        other => panic!("not a word about the tables: {other:?}"),
    }
}

async fn missing_tables_are_named(base: &Base) {
    base.sql("DROP TABLE xxl_job_logglue").await;
    base.sql("DROP TABLE xxl_job_lock").await;
    let text = refusal(&base.db).await;
    assert!(text.contains("xxl_job_lock, xxl_job_logglue"), "{text}");
    assert!(!text.contains("xxl_job_info"), "{text}");
}

async fn tables_of_the_unreleased_head_are_refused(base: &Base) {
    base.sql("ALTER TABLE xxl_job_group ADD COLUMN access_token varchar(255)").await;
    let text = refusal(&base.db).await;
    assert!(text.contains("access_token") && text.contains("3.5"), "{text}");
}

async fn tables_without_a_title_are_refused(base: &Base) {
    base.sql("ALTER TABLE xxl_job_group RENAME COLUMN title TO name").await;
    let text = refusal(&base.db).await;
    assert!(text.contains("xxl_job_group has no column title") && text.contains("2.3 - 3.4"), "{text}");
}

async fn the_day_is_unique_only_with_its_index(base: &Base) {
    drop_report_index(base).await;
    assert!(!base.another().await.schema().report_unique);
}

/// Takes the unique key from the report table, as some installations lack it.
pub async fn drop_report_index(base: &Base) {
    let table = if base.db.engine() == Engine::MariaDb { " ON xxl_job_log_report" } else { "" };
    base.sql(&format!("DROP INDEX i_trigger_day{table}")).await;
}

async fn the_database_gives_a_sign_of_life(base: &Base) {
    base.store.probe().await.expect("a sign of life");
    let (open, idle) = base.store.pool_usage();
    assert!(open >= 1 && idle <= open as usize);
    base.store.close().await;
    assert!(matches!(error(base.store.probe().await), Error::Unavailable(_)));
}
