//! Runs (Java: `JobLogController`).
//!
//! Better on purpose: who may not use a run's group learns nothing of it, and the address to ask for a log is the run's
//! own, never one from the request.

use actix_web::web;
use serde::Serialize;

use super::log_text::escape;
use super::{Mapping, filter_time, page};
use crate::config::Release;
use crate::i18n::Key;
use crate::model::{EpochMs, JobLog};
use crate::protocol::{CallResult, LogRequest, Target};
use crate::store::{LogFilter, LogOrder, LogStatus, Removal};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::message::message;
use crate::web::params::Params;
use crate::web::rows::Row;

pub(super) fn mappings() -> Vec<Mapping> {
    use Dialect as D;
    vec![
        Mapping::json("/joblog/pageList", D::ALL, web::to(page_list)).read(),
        Mapping::json("/joblog/getJobsByGroup", D::ONLY_2, web::to(jobs_by_group)).read(),
        Mapping::json("/joblog/logDetailCat", D::ALL, web::to(log_detail_cat)).read(),
        Mapping::json("/joblog/logKill", D::ALL, web::to(log_kill)).operate(),
        Mapping::json("/joblog/clearLog", D::ALL, web::to(clear_log)),
    ]
}

async fn page_list(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let (start, length) = page(&user, &params)?;
    let (job_group, job_id) = (params.int("jobGroup")?, params.int("jobId")?);
    let status = match params.int("logStatus")? {
        1 => LogStatus::Success,
        2 => LogStatus::Failed,
        3 => LogStatus::Running,
        _ => LogStatus::All,
    };
    let filter_time = params.required_text("filterTime")?.unwrap_or_default();
    user.require_group(job_group)?;
    let core = &user.state().core;
    let span = filter_time::parse(&filter_time, &core.settings.zone);
    if user.dialect() == Dialect::V3 && span.has_unreadable_end {
        return Err(Error::Exception(message!["java.lang.RuntimeException: parse error."]));
    }
    // In 3.4 group and job both count: of a foreign job there is nothing to see in one's own group.
    let both = user.dialect() == Dialect::V3 && core.profile.release >= Release::V3_4;
    if !both
        && job_id > 0
        && let Some(job) = core.store.find_job(job_id).await?
    {
        user.require_group(job.job_group)?;
    }
    // To 3.3 the job alone counts when there is one; for a user who is no administrator his group does as well.
    let by_job_alone = !both && job_id > 0 && user.user().is_admin();
    let filter =
        LogFilter { job_group: if by_job_alone { 0 } else { job_group }, job_id, status, from: span.from, to: span.to };
    let order = match user.dialect() {
        Dialect::V2 | Dialect::V3_2 => LogOrder::TriggerTime,
        Dialect::V3 => LogOrder::Id,
    };
    let (logs, total) = core.store.page_logs(&filter, order, start, length).await?;
    let style = user.style();
    let rows: Vec<Row> = logs.into_iter().map(|log| style.log(log)).collect();
    Ok(Reply::list(&rows, total))
}

async fn jobs_by_group(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let job_group = params.int("jobGroup")?;
    user.require_group(job_group)?;
    let jobs = user.state().core.store.jobs_of_group(job_group).await?;
    let style = user.style();
    let rows: Vec<Row> = jobs.into_iter().map(|job| style.job(job)).collect();
    Ok(Reply::content(&rows))
}

/// A piece of a log as the console reads it; executors say `isEnd`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogPiece {
    from_line_num: i32,
    to_line_num: i32,
    log_content: String,
    end: bool,
}

async fn log_detail_cat(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let (log_id, from_line_num) = (params.long("logId")?, params.int("fromLineNum")?);
    let core = &user.state().core;
    let log = core.store.find_log(log_id).await?.filter(|log| user.may_use_group(log.job_group));
    let log = log.ok_or_else(|| no_log(&user))?;
    let address = address(&log)?;
    let app_name = app_name(&user, log.job_group).await?;
    let request = LogRequest::new(log_id, log.trigger_time.unwrap_or_default(), from_line_num);
    let page = core.executors.log(Target { address, app_name: &app_name }, request).await.map_err(Error::Executor)?;
    let is_over = page.from_line_num > page.to_line_num && log.handle_code > 0;
    Ok(Reply::content(&LogPiece {
        from_line_num: page.from_line_num,
        to_line_num: page.to_line_num,
        log_content: escape(core.profile.release, &page.log_content),
        end: page.is_end || is_over,
    }))
}

/// What is said of a run that is not there – and of one that is foreign: who may not see it does not learn whether it is
/// there. From 3.2 on that is the refusal of a foreign run, before the sentence on a missing one.
pub(super) fn no_log(user: &LoginUser) -> Error {
    if user.user().is_admin() || !user.dialect().is_3() {
        return Error::refused(message![Key::JoblogLogidUnvalid]);
    }
    let name = format!("[username={}]", user.user().username);
    Error::refused(message![Key::SystemPermissionLimit, name])
}

/// The address that was called for a run.
pub(super) fn address(log: &JobLog) -> Result<&str, Error> {
    let address = log.executor_address.as_deref().filter(|address| !address.trim().is_empty());
    address.ok_or_else(|| Error::refused(message![Key::OwnNoAddress]))
}

/// App name of a group; empty when the group is gone.
pub(super) async fn app_name(user: &LoginUser, group: i32) -> Result<String, Error> {
    let group = user.state().core.store.find_group(group).await?;
    Ok(group.map(|group| group.app_name).unwrap_or_default())
}

async fn log_kill(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let log_id = if user.dialect() == Dialect::V3 { params.long("id")? } else { params.id()?.into() };
    let core = &user.state().core;
    let log = core.store.find_log(log_id).await?;
    let log = log.ok_or_else(|| Error::Exception(message![Key::JoblogLogidUnvalid]))?;
    let job = core.store.find_job(log.job_id).await?;
    let job = job.ok_or_else(|| Error::refused(message![Key::JobinfoGlueJobidUnvalid]))?;
    if log.trigger_code != CallResult::SUCCESS {
        return Err(Error::refused(message![Key::JoblogKillLogLimit]));
    }
    user.require_group(job.job_group)?;
    let address = address(&log)?;
    let app_name = app_name(&user, job.job_group).await?;
    let result = core.executors.kill(Target { address, app_name: &app_name }, job.id).await;
    if !result.is_success() {
        return Err(Error::Executor(CallResult { code: CallResult::FAIL, ..result }));
    }
    core.complete.killed(log.id, result.msg.as_deref()).await?;
    user.audit("joblog kill", &format!("run {} of job {} {}", log.id, job.id, job.job_desc));
    Ok(Reply::content(&result.msg))
}

async fn clear_log(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let (job_group, job_id) = (params.int("jobGroup")?, params.int("jobId")?);
    let kind = params.int("type")?;
    user.require_group(job_group)?;
    let removal = match kind {
        1 => Removal::Until(months_ago(&user, 1)),
        2 => Removal::Until(months_ago(&user, 3)),
        3 => Removal::Until(months_ago(&user, 6)),
        4 => Removal::Until(months_ago(&user, 12)),
        5 => Removal::KeepLatest(1_000),
        6 => Removal::KeepLatest(10_000),
        7 => Removal::KeepLatest(30_000),
        8 => Removal::KeepLatest(100_000),
        9 => Removal::KeepLatest(0),
        _ => return Err(Error::refused(message![Key::JoblogCleanTypeUnvalid])),
    };
    let removed = user.state().core.store.remove_logs(job_group, job_id, removal).await?;
    user.audit("joblog clear", &format!("{removed} runs of group {job_group}, job {job_id}, type {kind}"));
    Ok(Reply::done())
}

/// The same time of day so many months ago, as `java.util.Calendar` counts.
fn months_ago(user: &LoginUser, months: i64) -> EpochMs {
    let state = user.state();
    let zone = &state.core.settings.zone;
    let now = zone.wall(state.now());
    zone.instant(now.saturating_sub(jiff::Span::new().months(months)))
}
