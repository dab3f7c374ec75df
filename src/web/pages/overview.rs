//! How things are right now, for the first page: the sums, the runs under way and the latest failures. No release has this
//! call; the first page asks for it again and again.

use std::collections::HashMap;

use actix_web::web;
use serde::Serialize;

use super::Mapping;
use crate::model::{EpochMs, JobLog};
use crate::store::{LogFilter, LogOrder, LogStatus, Store};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;

/// Runs shown of each kind.
const SHOWN: i64 = 6;
/// Executor groups that are looked at for a user who may not see all of them.
const MOST_GROUPS: usize = 10;
const DAY_MS: EpochMs = 24 * 3_600_000;
/// Older runs without a result will hardly get one.
const RUNNING_DAYS: EpochMs = 7;

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::json("/console/overview", Dialect::ALL, web::to(overview)).read().extra()]
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Overview {
    jobs: i64,
    runs: i64,
    successful_runs: i64,
    executors: i64,
    running: Vec<Run>,
    failed: Vec<Run>,
}

/// A run in few words.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    id: i64,
    job_id: i32,
    /// None when the job is gone.
    job_desc: Option<String>,
    trigger_time: Option<EpochMs>,
    /// It did not reach an executor.
    is_trigger_failed: bool,
    address: Option<String>,
}

async fn overview(user: LoginUser) -> Result<Reply, Error> {
    let store = &user.state().core.store;
    let now = user.state().now();
    let totals = store.totals().await?;
    let groups = scope(&user);
    let running = latest(store, &groups, LogStatus::Running, now - RUNNING_DAYS * DAY_MS).await?;
    let failed = latest(store, &groups, LogStatus::Failed, now - DAY_MS).await?;
    let mut ids: Vec<i32> = running.iter().chain(&failed).map(|log| log.job_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let names: HashMap<i32, String> =
        store.job_names(&ids).await?.into_iter().map(|job| (job.id, job.job_desc)).collect();
    let told = |logs: Vec<JobLog>| logs.into_iter().map(|log| Run::of(log, &names)).collect();
    Ok(Reply::content(&Overview {
        jobs: totals.jobs,
        runs: totals.runs,
        successful_runs: totals.successful_runs,
        executors: totals.executors,
        running: told(running),
        failed: told(failed),
    }))
}

/// The groups whose runs are shown, as a filter names them: 0 = all.
fn scope(user: &LoginUser) -> Vec<i32> {
    if user.user().is_admin() {
        return vec![0];
    }
    let mut groups: Vec<i32> = user.user().permitted_groups().into_iter().filter(|group| *group > 0).collect();
    groups.truncate(MOST_GROUPS);
    groups
}

async fn latest(store: &Store, groups: &[i32], status: LogStatus, from: EpochMs) -> Result<Vec<JobLog>, Error> {
    let mut latest = Vec::new();
    for group in groups {
        let filter = LogFilter { job_group: *group, status, from: Some(from), ..LogFilter::default() };
        latest.extend(store.page_logs(&filter, LogOrder::TriggerTime, 0, SHOWN).await?.0);
    }
    latest.sort_by_key(|log| std::cmp::Reverse((log.trigger_time, log.id)));
    latest.truncate(SHOWN as usize);
    Ok(latest)
}

impl Run {
    fn of(log: JobLog, names: &HashMap<i32, String>) -> Self {
        Self {
            id: log.id,
            job_id: log.job_id,
            job_desc: names.get(&log.job_id).cloned(),
            trigger_time: log.trigger_time,
            is_trigger_failed: !matches!(log.trigger_code, 0 | 200),
            address: log.executor_address,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_where_it_failed_and_what_it_was() {
        let names = HashMap::from([(7, "nightly".to_owned())]);
        let log = JobLog { id: 3, job_id: 7, trigger_code: 500, ..JobLog::default() };
        let run = Run::of(log, &names);
        assert_eq!((run.job_desc.as_deref(), run.is_trigger_failed), (Some("nightly"), true));
        let log = JobLog { id: 4, job_id: 8, trigger_code: 200, handle_code: 500, ..JobLog::default() };
        let run = Run::of(log, &names);
        assert_eq!((run.job_desc, run.is_trigger_failed), (None, false));
    }
}
