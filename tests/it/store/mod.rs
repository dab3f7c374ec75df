//! The contract of every function of the store, on each database and each schema generation.

/// A test for each engine and generation out of each of these functions, which take the database they run on.
macro_rules! conformance {
    ($($contract:ident),+ $(,)?) => {$(
        mod $contract {
            conformance! { @each $contract
                sqlite_2_4 Sqlite V2_4, sqlite_2_5 Sqlite V2_5, sqlite_3_3 Sqlite V3_3, sqlite_3_4 Sqlite V3_4,
                mariadb_2_4 MariaDb V2_4, mariadb_2_5 MariaDb V2_5, mariadb_3_3 MariaDb V3_3, mariadb_3_4 MariaDb V3_4,
                postgres_2_4 Postgres V2_4, postgres_2_5 Postgres V2_5, postgres_3_3 Postgres V3_3,
                postgres_3_4 Postgres V3_4
            }
        }
    )+};
    (@each $contract:ident $($name:ident $engine:ident $generation:ident),+) => {$(
        #[tokio::test]
        async fn $name() {
            use crate::support::{db::Engine, schema::Generation};
            let base = $crate::store::base::Base::create(Engine::$engine, Generation::$generation).await;
            if let Some(base) = base {
                super::$contract(&base).await;
            }
        }
    )+};
}

mod base;
mod claim;
mod completion;
mod group_commit;
mod groups;
mod init;
mod jobs;
mod large_log;
mod log_page;
mod monitors;
mod registry;
mod report;
mod runs;
mod schema;
mod scripts;
mod users;
mod zone;
