//! Fills the log with the runs of a long past, by statements that make them inside the database: some hundred thousand a
//! statement, so that millions take minutes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, ensure};
use chrono::{DateTime, Utc};

use crate::database::{Database, Location};
use crate::plan::{FIRST_JOB, GROUP};

/// Runs made in one statement.
const CHUNK: u64 = 200_000;
/// Jobs made in one statement.
const JOBS: u64 = 500;
/// First group of the filled jobs; that of the seeded ones stays as it is.
const FIRST_GROUP: u64 = GROUP + 1_000;
/// First filled job.
const FIRST: u64 = FIRST_JOB + 1_000_000;
/// One run in so many was refused by the executor, and one in so many failed.
const REFUSED: u64 = 500;
const FAILED: u64 = 100;

/// What the past was.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Past {
    /// How many runs.
    #[arg(long, default_value_t = 5_000_000)]
    pub rows: u64,
    /// Of how many jobs, evenly.
    #[arg(long = "past-jobs", default_value_t = 5_000)]
    pub owners: u64,
    /// In how many groups.
    #[arg(long, default_value_t = 20)]
    pub groups: u64,
    /// Over how many days up to now.
    #[arg(long, default_value_t = 30)]
    pub days: u64,
}

/// `load fill`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// `mysql://user:password@host:port/name` (MariaDB), `postgres://…` or `sqlite:/path`, with the eight tables.
    #[arg(long)]
    database_url: String,
    #[command(flatten)]
    past: Past,
}

/// Runs `load fill`.
///
/// # Errors
/// When the database refuses.
pub async fn run(arguments: Arguments) -> Result<()> {
    let mut database = arguments.database_url.parse::<Location>()?.connect().await?;
    fill(&mut database, &arguments.past, now()).await
}

/// The present in whole seconds.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl Past {
    /// A job by its number.
    pub fn job(&self, number: u64) -> u64 {
        FIRST + number % self.owners
    }

    /// The group of a job.
    pub fn group_of(&self, job: u64) -> u64 {
        FIRST_GROUP + (job - FIRST) % self.groups
    }

    /// A group by its number.
    pub fn group(&self, number: u64) -> u64 {
        FIRST_GROUP + number % self.groups
    }

    /// Runs of each job, when they come out even.
    pub fn runs_of_a_job(&self) -> u64 {
        self.rows / self.owners
    }

    fn days(&self) -> Duration {
        Duration::from_secs(self.days * 86_400)
    }
}

/// Makes groups, jobs (which are stopped) and runs, and the day report of their days. `now` is the time of the last run in
/// seconds. Ids go on from those there are; times are those of the ids but for a second or two.
///
/// # Errors
/// When the database refuses.
pub async fn fill(database: &mut Database, past: &Past, now: u64) -> Result<()> {
    ensure!(past.rows > 0 && past.owners > 0 && past.groups > 0, "rows, jobs and groups must be more than 0");
    for statement in owners(past) {
        database.statement(&statement).await?;
    }
    let mut from = 1;
    while from <= past.rows {
        let until = (from + CHUNK - 1).min(past.rows);
        database.statement(&runs(database, past, now, from, until)).await?;
        eprintln!("{until} of {} runs", past.rows);
        from = until + 1;
    }
    database.statement("DELETE FROM xxl_job_log_report").await?;
    let day = database.day("trigger_time");
    let report = format!(
        "INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count) SELECT {day}, \
         SUM(CASE WHEN trigger_code IN (0, 200) AND handle_code = 0 THEN 1 ELSE 0 END), \
         SUM(CASE WHEN handle_code = 200 THEN 1 ELSE 0 END), \
         SUM(CASE WHEN handle_code = 200 OR (trigger_code IN (0, 200) AND handle_code = 0) THEN 0 ELSE 1 END) \
         FROM xxl_job_log GROUP BY {day}"
    );
    database.statement(&report).await?;
    database.analyze().await
}

fn owners(past: &Past) -> Vec<String> {
    let mut statements = vec![
        format!("DELETE FROM xxl_job_group WHERE id >= {FIRST_GROUP}"),
        format!("DELETE FROM xxl_job_info WHERE id >= {FIRST}"),
    ];
    let groups: Vec<String> = (0..past.groups)
        .map(|number| {
            let id = past.group(number);
            format!("({id}, 'past-{number}', 'past {number}', 1, 'http://127.0.0.1:1/', '2026-01-01 00:00:00')")
        })
        .collect();
    statements.push(format!(
        "INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time) VALUES {}",
        groups.join(", ")
    ));
    let numbers: Vec<u64> = (0..past.owners).collect();
    for chunk in numbers.chunks(JOBS as usize) {
        let jobs: Vec<String> = chunk
            .iter()
            .map(|number| {
                let id = past.job(*number);
                format!(
                    "({id}, {}, 'past {number}', '2026-01-01 00:00:00', '2026-01-01 00:00:00', 'load', '', 'CRON', \
                     '0 0 0 * * ?', 'DO_NOTHING', 'FIRST', 'load', '', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', '', \
                     '2026-01-01 00:00:00', '', 0, 0, 0)",
                    past.group_of(id)
                )
            })
            .collect();
        statements.push(format!(
            "INSERT INTO xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, \
             schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, \
             executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, \
             glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time) VALUES {}",
            jobs.join(", ")
        ));
    }
    statements
}

fn runs(database: &Database, past: &Past, now: u64, from: u64, until: u64) -> String {
    let Past { rows, owners, groups, .. } = past;
    let start = now.saturating_sub(past.days().as_secs());
    let start = DateTime::<Utc>::from_timestamp(start as i64, 0).unwrap_or_default().format("%Y-%m-%d %H:%M:%S");
    let seconds = past.days().as_secs();
    // Two seconds of disorder; 7,919 is prime to the number of jobs, so that neighbours are of other jobs.
    let offset = format!("(n * {seconds} / {rows} - n % 3)");
    let time = database.plus_seconds(&start.to_string(), &offset);
    let number = format!("((n * 7919) % {owners})");
    let text =
        "Trigger type: Cron trigger<br>Admin address: 10.0.0.1<br>Executor register type: automatic<br>".repeat(3);
    format!(
        "INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, trigger_time, \
         trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status) \
         SELECT {FIRST_GROUP} + {number} % {groups}, {FIRST} + {number}, 'http://127.0.0.1:1/', 'load', '', {time}, \
         CASE WHEN n % {REFUSED} = 0 THEN 500 ELSE 200 END, '{text}', {time}, \
         CASE WHEN n % {REFUSED} = 0 THEN 0 WHEN n % {FAILED} = 1 THEN 500 ELSE 200 END, '', \
         CASE WHEN n % {REFUSED} = 0 OR n % {FAILED} = 1 THEN 2 ELSE 0 END FROM {}",
        database.numbers(from, until)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_lie_in_their_groups() {
        let past = Past { rows: 100, owners: 10, groups: 3, days: 1 };
        assert_eq!(past.job(13), past.job(3));
        assert_eq!(past.group_of(past.job(4)), past.group(1));
        assert_eq!(past.runs_of_a_job(), 10);
    }
}
