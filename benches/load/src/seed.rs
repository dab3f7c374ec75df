//! Puts the executor group and the jobs of a plan into the tables, past the admin. The columns used are those that all
//! generations of the schema share.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Result, ensure};
use chrono::FixedOffset;

use crate::clock;
use crate::database::{Database, Location};
use crate::plan::{FIRST_JOB, GROUP, Kind, Plan};

/// Jobs in one statement.
const CHUNK: usize = 500;

/// What the jobs have in common; the same for `load seed` and `load drive`.
#[derive(Debug, Clone, clap::Args)]
pub struct Traits {
    /// Route strategy; FIRST for one address, ROUND for several when not given.
    #[arg(long)]
    pub route: Option<String>,
    /// Misfire strategy.
    #[arg(long, default_value = "DO_NOTHING")]
    pub misfire: String,
}

/// `load seed`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// `mysql://user:password@host:port/name`, `postgres://…` or `sqlite:/path`.
    #[arg(long)]
    database_url: String,
    /// Addresses of the executors.
    #[arg(long, default_value = "http://127.0.0.1:9900/", value_delimiter = ',')]
    address: Vec<String>,
    /// How many jobs.
    #[arg(long, default_value_t = 1_000)]
    jobs: u64,
    /// Seconds between two fires of one job.
    #[arg(long, value_name = "S", default_value_t = 1)]
    every: u64,
    /// How the jobs are scheduled.
    #[arg(long, value_enum, default_value = "CRON")]
    kind: Kind,
    /// Seconds from now to the first due time.
    #[arg(long, value_name = "S", default_value_t = 20)]
    start_in: u64,
    /// All jobs due once, in the same second.
    #[arg(long)]
    burst: bool,
    /// Zone in which the admin reads cron, as `+08:00`; only the burst needs it.
    #[arg(long, default_value = "+00:00", allow_hyphen_values = true)]
    zone: FixedOffset,
    #[command(flatten)]
    traits: Traits,
}

/// Runs `load seed` and prints the plan as JSON.
///
/// # Errors
/// When the arguments contradict each other or the database refuses.
pub async fn run(arguments: Arguments) -> Result<()> {
    let start = clock::whole_second_ahead(Duration::from_secs(arguments.start_in));
    let plan = if arguments.burst {
        Plan::once(arguments.jobs, 1, start)
    } else {
        Plan::recurring(arguments.kind, arguments.jobs, arguments.every, start)?
    };
    let mut database = arguments.database_url.parse::<Location>()?.connect().await?;
    seed(&mut database, &plan, &arguments.address, &arguments.traits, arguments.zone).await?;
    println!("{}", serde_json::to_string_pretty(&plan)?);
    Ok(())
}

/// Replaces what an earlier run left by this plan.
///
/// # Errors
/// When a text has characters that SQL would need to quote, or the database refuses.
pub async fn seed(
    database: &mut Database,
    plan: &Plan,
    addresses: &[String],
    traits: &Traits,
    zone: FixedOffset,
) -> Result<()> {
    database.write(&statements(plan, addresses, traits, zone)?).await
}

fn statements(plan: &Plan, addresses: &[String], traits: &Traits, zone: FixedOffset) -> Result<Vec<String>> {
    let addresses = addresses.join(",");
    let route = traits.route.as_deref().unwrap_or(if addresses.contains(',') { "ROUND" } else { "FIRST" });
    for text in [&addresses, route, &traits.misfire] {
        ensure!(!text.contains(['\'', '\\']), "no quotes in {text}");
    }
    let mut statements: Vec<String> = [
        format!("DELETE FROM xxl_job_log WHERE job_group = {GROUP}"),
        format!("DELETE FROM xxl_job_info WHERE job_group = {GROUP}"),
        format!("DELETE FROM xxl_job_group WHERE id = {GROUP}"),
        format!(
            "INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time) \
             VALUES ({GROUP}, 'load', 'load', 1, '{addresses}', '2026-01-01 00:00:00')"
        ),
    ]
    .into();
    let indexes: Vec<u64> = (0..plan.jobs).collect();
    for chunk in indexes.chunks(CHUNK) {
        let mut insert = String::from(
            "INSERT INTO xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, \
             schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, \
             executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, \
             glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, \
             trigger_next_time) VALUES ",
        );
        for (position, index) in chunk.iter().enumerate() {
            let (kind, schedule) = plan.schedule(*index, zone);
            // Writing to a string cannot fail.
            write!(
                insert,
                "{}({}, {GROUP}, 'load {index}', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'load', '', \
                 '{kind}', '{schedule}', '{}', '{route}', 'load', '', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', '', \
                 '2026-01-01 00:00:00', '', 1, 0, {})",
                if position == 0 { "" } else { ", " },
                FIRST_JOB + index,
                traits.misfire,
                plan.first_due(*index),
            )
            .ok();
        }
        statements.push(insert);
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The four tables that are used here, with the column names of every generation and types that all databases know.
    const TABLES: [&str; 4] = [
        "CREATE TABLE xxl_job_group (id INTEGER PRIMARY KEY, app_name VARCHAR(64) NOT NULL, title VARCHAR(12) NOT NULL, \
         address_type SMALLINT NOT NULL, address_list TEXT, update_time TIMESTAMP NULL)",
        "CREATE TABLE xxl_job_info (id INTEGER PRIMARY KEY, job_group INTEGER NOT NULL, job_desc VARCHAR(255) NOT NULL, \
         add_time TIMESTAMP NULL, update_time TIMESTAMP NULL, author VARCHAR(64), alarm_email VARCHAR(255), \
         schedule_type VARCHAR(50) NOT NULL, schedule_conf VARCHAR(128), misfire_strategy VARCHAR(50) NOT NULL, \
         executor_route_strategy VARCHAR(50), executor_handler VARCHAR(255), executor_param VARCHAR(512), \
         executor_block_strategy VARCHAR(50), executor_timeout INTEGER NOT NULL, \
         executor_fail_retry_count INTEGER NOT NULL, glue_type VARCHAR(50) NOT NULL, glue_source TEXT, \
         glue_remark VARCHAR(128), glue_updatetime TIMESTAMP NULL, child_jobid VARCHAR(255), \
         trigger_status SMALLINT NOT NULL, trigger_last_time BIGINT NOT NULL, trigger_next_time BIGINT NOT NULL)",
        "CREATE TABLE xxl_job_log (id BIGINT PRIMARY KEY, job_group INTEGER NOT NULL, job_id INTEGER NOT NULL, \
         trigger_code INTEGER NOT NULL, handle_code INTEGER NOT NULL)",
        "CREATE TABLE xxl_job_lock (lock_name VARCHAR(50) PRIMARY KEY)",
    ];

    fn traits() -> Traits {
        Traits { route: None, misfire: "DO_NOTHING".into() }
    }

    #[tokio::test]
    async fn sqlite_is_seeded() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}?mode=rwc", folder.path().join("x.db").display());
        seeding_replaces_and_stopping_tells_how_far_the_admin_was(&url).await;
    }

    #[tokio::test]
    async fn mysql_is_seeded() {
        on_server("TEST_MYSQL_URL", "mysql").await;
    }

    #[tokio::test]
    async fn postgres_is_seeded() {
        on_server("TEST_POSTGRES_URL", "postgres").await;
    }

    /// Runs the check in a database of its own on the server that `variable` names; without one it says so.
    async fn on_server(variable: &str, first: &str) {
        let Ok(server) = std::env::var(variable) else {
            eprintln!("skipped: {variable} is not set");
            return;
        };
        let name = format!("load_{}", std::process::id());
        let mut root = format!("{server}/{first}").parse::<Location>().unwrap().connect().await.unwrap();
        root.statement(&format!("CREATE DATABASE {name}")).await.unwrap();
        seeding_replaces_and_stopping_tells_how_far_the_admin_was(&format!("{server}/{name}")).await;
        root.statement(&format!("DROP DATABASE {name}")).await.unwrap();
    }

    async fn seeding_replaces_and_stopping_tells_how_far_the_admin_was(url: &str) {
        let mut database = url.parse::<Location>().unwrap().connect().await.unwrap();
        assert!(!database.has_tables().await);
        database.write(&TABLES.map(String::from)).await.unwrap();
        assert!(database.has_tables().await);

        let utc = FixedOffset::east_opt(0).unwrap();
        let addresses = ["http://127.0.0.1:1/".to_owned(), "http://127.0.0.1:2/".to_owned()];
        let old = Plan::once(7, 1, 5_000);
        seed(&mut database, &old, &addresses, &traits(), utc).await.unwrap();
        let plan = Plan::recurring(Kind::Cron, 1_201, 2, 60_000).unwrap();
        seed(&mut database, &plan, &addresses, &traits(), utc).await.unwrap();
        assert_eq!(database.waiting_jobs().await.unwrap(), 1_201);

        let log =
            |id: u32, code: u32| format!("INSERT INTO xxl_job_log VALUES ({id}, {GROUP}, {FIRST_JOB}, 200, {code})");
        database.write(&[log(1, 200), log(2, 0), log(3, 500), log(4, 200)]).await.unwrap();
        let rows = database.log_rows().await.unwrap();
        assert_eq!((rows.handled, rows.open, rows.failed), (2, 1, 1));

        let ends = database.stop_jobs().await.unwrap();
        assert_eq!((ends.len(), ends[&FIRST_JOB], ends[&(FIRST_JOB + 1)]), (1_201, 60_000, 61_000));
        assert_eq!(database.waiting_jobs().await.unwrap(), 0);
    }

    #[test]
    fn several_addresses_are_used_in_turn_and_quotes_refused() {
        let plan = Plan::once(1, 1, 0);
        let utc = FixedOffset::east_opt(0).unwrap();
        let made = |addresses: &[&str], traits: &Traits| {
            let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            statements(&plan, &addresses, traits, utc)
        };
        assert!(made(&["http://a/"], &traits()).unwrap()[4].contains("'FIRST'"));
        assert!(made(&["http://a/", "http://b/"], &traits()).unwrap()[4].contains("'ROUND'"));
        assert!(made(&["http://a'/"], &traits()).is_err());
        assert!(made(&["http://a/"], &Traits { misfire: "x\\".into(), ..traits() }).is_err());
    }
}
