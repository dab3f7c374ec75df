//! Jobs (Java: `JobInfoController`, `XxlJobServiceImpl`).
//!
//! Better on purpose: rights are those of the *stored* job and of the group it moves to; only the columns that a call
//! changes are written; whatever touches the schedule holds the schedule lock, so that no pass works on a row that changes
//! under it; the addresses of a manual run must be known ones by default, since the access token goes there.

use actix_web::web;

use super::job_form::{Purpose, bind, check, normalise_source};
use super::{Mapping, child_jobs, page};
use crate::config::settings::{Glue, TriggerAddresses};
use crate::i18n::Key;
use crate::model::{GlueType, JobInfo, ScheduleType, split_addresses};
use crate::store::{JobFilter, ScheduleChange};
use crate::web::auth::LoginUser;
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::message::{Message, message};
use crate::web::params::{Params, is_blank};
use crate::web::rows::Row;

/// A schedule that is started or edited fires this much later at the earliest: a pass of any admin may have read the
/// next five seconds already.
const AHEAD_MS: i64 = 5_000;
/// Fire times shown of a schedule.
const PREVIEW: usize = 5;

pub(super) fn mappings() -> Vec<Mapping> {
    use Dialect as D;
    vec![
        Mapping::json("/jobinfo/pageList", D::ALL, web::to(page_list)).read(),
        Mapping::json("/jobinfo/add", D::TO_3_2, web::to(add)),
        Mapping::json("/jobinfo/insert", D::ONLY_3, web::to(add)),
        Mapping::json("/jobinfo/update", D::ALL, web::to(update)),
        Mapping::json("/jobinfo/remove", D::TO_3_2, web::to(remove)),
        Mapping::json("/jobinfo/delete", D::ONLY_3, web::to(remove)),
        Mapping::json("/jobinfo/start", D::ALL, web::to(start)).id_tells().operate(),
        Mapping::json("/jobinfo/stop", D::ALL, web::to(stop)).id_tells().operate(),
        Mapping::json("/jobinfo/trigger", D::ALL, web::to(trigger)).operate(),
        Mapping::json("/jobinfo/nextTriggerTime", D::ALL, web::to(next_trigger_time)).read(),
    ]
}

fn bad_schedule() -> Message {
    message![Key::ScheduleType, Key::SystemUnvalid]
}

fn no_job() -> Message {
    message![Key::JobinfoGlueJobidUnvalid]
}

async fn page_list(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let (start, length) = page(&user, &params)?;
    let job_group = params.int("jobGroup")?;
    let mut filter = JobFilter {
        job_group,
        trigger_status: params.int("triggerStatus")?,
        job_desc: params.required_text("jobDesc")?.unwrap_or_default(),
        executor_handler: params.required_text("executorHandler")?.unwrap_or_default(),
        author: params.required_text("author")?.unwrap_or_default(),
        among: None,
    };
    if job_group > 0 || user.dialect().is_3() {
        user.require_group(job_group)?;
    } else if !user.user().is_admin() {
        // "All" are all of this user's own.
        filter.among = Some(user.user().permitted_groups());
    }
    let (jobs, total) = user.state().core.store.page_jobs(&filter, start, length).await?;
    let style = user.style();
    let rows: Vec<Row> = jobs.into_iter().map(|job| style.job(job)).collect();
    Ok(Reply::list(&rows, total))
}

async fn add(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let mut job = bind(&params)?;
    user.require_group(job.job_group)?;
    let core = &user.state().core;
    if core.store.find_group(job.job_group).await?.is_none() {
        return Err(Error::refused(message![Key::SystemPleaseChoose, Key::JobinfoFieldJobgroup]));
    }
    check(&job, Purpose::Add, &core.profile, core.max_year).map_err(Error::refused)?;
    require_scripting(&user, &job.glue_type)?;
    normalise_source(&mut job);
    trim_handler(&user, &mut job)?;
    child_jobs::check(&user, &mut job, 0).await?;
    let id = core.store.insert_job(&job, user.state().now()).await?;
    user.audit("jobinfo add", &format!("{id} {}", job.job_desc));
    Ok(Reply::content(&id.to_string()))
}

async fn update(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let mut job = bind(&params)?;
    user.require_group(job.job_group)?;
    let state = user.state();
    let core = &state.core;
    check(&job, Purpose::Update, &core.profile, core.max_year).map_err(Error::refused)?;
    let own_id = job.id;
    child_jobs::check(&user, &mut job, own_id).await?;
    if core.store.find_group(job.job_group).await?.is_none() {
        return Err(Error::refused(message![Key::JobinfoFieldJobgroup, Key::SystemUnvalid]));
    }
    let (mut change, stored) = core.store.begin_job_change(job.id).await?;
    let Some(stored) = stored else {
        return Err(Error::refused(message![Key::JobinfoFieldId, Key::SystemNotFound]));
    };
    user.require_group(stored.job_group)?;
    require_scripting(&user, &stored.glue_type)?;
    if job.schedule_conf.is_none() {
        return Err(Error::Exception(message!["the parameter 'scheduleConf' is missing"]));
    }
    trim_handler(&user, &mut job)?;
    let now = state.now();
    let moved = stored.schedule_type != job.schedule_type || stored.schedule_conf != job.schedule_conf;
    let next = if stored.trigger_status == 1 && moved { Some(next_after(&user, &job)?) } else { None };
    change.save_edit(&job, next, now).await?;
    change.commit().await?;
    user.audit("jobinfo update", &format!("{} {}", job.id, job.job_desc));
    Ok(Reply::done())
}

/// From 3.2 on the handler's name loses the blanks around it, and must be there even where it means nothing.
fn trim_handler(user: &LoginUser, job: &mut JobInfo) -> Result<(), Error> {
    if !user.dialect().is_3() {
        return Ok(());
    }
    match &job.executor_handler {
        Some(handler) => job.executor_handler = Some(handler.trim_matches(|c| c <= ' ').to_owned()),
        None => return Err(Error::Exception(message!["the parameter 'executorHandler' is missing; it may be empty"])),
    }
    Ok(())
}

/// Refuses a job with a script where `security.glue` keeps scripts from this user.
fn require_scripting(user: &LoginUser, glue_type: &str) -> Result<(), Error> {
    let permitted = match user.state().core.settings.security.glue {
        Glue::All => true,
        Glue::Admin => user.is_admin(),
        Glue::Off => false,
    };
    if permitted || glue_type == GlueType::Bean.as_str() {
        return Ok(());
    }
    user.audit("refused", &format!("a job of type {glue_type}"));
    Err(Error::NotPermitted(user.user().username.clone()))
}

/// The next time of a schedule that is started or moved now.
fn next_after(user: &LoginUser, job: &JobInfo) -> Result<i64, Error> {
    let state = user.state();
    let next = state.next_time(&job.schedule_type, job.schedule_conf.as_deref(), state.now() + AHEAD_MS);
    next.ok().flatten().ok_or_else(|| Error::refused(bad_schedule()))
}

async fn remove(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = params.listed_id()?;
    let store = &user.state().core.store;
    let Some(job) = store.find_job(id).await? else { return Ok(Reply::done()) };
    require_group_of(&user, &job)?;
    store.remove_job(id).await?;
    user.audit("jobinfo remove", &format!("{id} {}", job.job_desc));
    Ok(Reply::done())
}

/// Refuses a foreign job, in the form of the calls that name a job by its id alone.
fn require_group_of(user: &LoginUser, job: &JobInfo) -> Result<(), Error> {
    if user.may_use_group(job.job_group) {
        return Ok(());
    }
    Err(Error::refused(message![Key::SystemPermissionLimit]))
}

async fn start(user: LoginUser, params: Params) -> Result<Reply, Error> {
    change_schedule(&user, params.listed_id()?, "jobinfo start", |job| {
        if ScheduleType::parse(&job.schedule_type).is_none_or(|kind| kind == ScheduleType::None) {
            return Err(Error::refused(message![Key::ScheduleTypeNoneLimitStart]));
        }
        Ok(ScheduleChange { status: 1, last: 0, next: next_after(&user, job)? })
    })
    .await
}

async fn stop(user: LoginUser, params: Params) -> Result<Reply, Error> {
    change_schedule(&user, params.listed_id()?, "jobinfo stop", |_| Ok(ScheduleChange { status: 0, last: 0, next: 0 }))
        .await
}

async fn change_schedule(
    user: &LoginUser,
    id: i32,
    action: &str,
    decide: impl FnOnce(&JobInfo) -> Result<ScheduleChange, Error>,
) -> Result<Reply, Error> {
    let (mut change, job) = user.state().core.store.begin_job_change(id).await?;
    // To 3.1 the Java admin throws.
    let gone = if user.dialect().is_3() { Error::refused } else { Error::Exception };
    let job = job.ok_or_else(|| gone(no_job()))?;
    require_group_of(user, &job)?;
    let decided = decide(&job)?;
    change.save_schedule(id, decided, user.state().now()).await?;
    change.commit().await?;
    user.audit(action, &format!("{id} {}", job.job_desc));
    Ok(Reply::done())
}

async fn trigger(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = params.id()?;
    let (param, addresses) = (params.required_text("executorParam")?, params.required_text("addressList")?);
    let core = &user.state().core;
    let job = core.store.find_job(id).await?.ok_or_else(|| Error::refused(no_job()))?;
    require_group_of(&user, &job)?;
    let addresses = addresses.filter(|list| !is_blank(Some(list)));
    if let Some(list) = &addresses {
        require_known(&user, &job, list).await?;
    }
    // An absent parameter is an empty one, and replaces the job's.
    core.triggers
        .trigger_by_hand(id, param.unwrap_or_default(), addresses.clone())
        .await
        .map_err(|refused| Error::refused(message![refused.tell(user.state().locale())]))?;
    user.audit("jobinfo trigger", &format!("{id} {} on {}", job.job_desc, addresses.as_deref().unwrap_or("its group")));
    Ok(Reply::done())
}

/// Refuses addresses that neither stand in the group's list nor are registered for it, unless
/// `security.trigger-addresses` allows others.
async fn require_known(user: &LoginUser, job: &JobInfo, list: &str) -> Result<(), Error> {
    let core = &user.state().core;
    match core.settings.security.trigger_addresses {
        TriggerAddresses::Any => return Ok(()),
        TriggerAddresses::Admin if user.is_admin() => return Ok(()),
        TriggerAddresses::Admin | TriggerAddresses::Known => {}
    }
    let mut known = Vec::new();
    if let Some(group) = core.store.find_group(job.job_group).await? {
        known = group.addresses();
        known.extend(split_addresses(core.registry.address_list(&group.app_name).await?.as_deref()));
    }
    if is_known(list, &known) {
        return Ok(());
    }
    user.audit("refused", &format!("job {} on the addresses {list}", job.id));
    Err(Error::refused(message![Key::JobgroupFieldRegistryList, Key::SystemUnvalid]))
}

fn is_known(list: &str, known: &[String]) -> bool {
    let plain = |address: &str| {
        let address = address.trim();
        address.strip_suffix('/').unwrap_or(address).to_owned()
    };
    let known: Vec<String> = known.iter().map(|address| plain(address)).collect();
    split_addresses(Some(list)).iter().all(|address| known.contains(&plain(address)))
}

async fn next_trigger_time(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let kind = params.required_text("scheduleType")?.unwrap_or_default();
    let conf = params.required_text("scheduleConf")?;
    if user.dialect() == Dialect::V3 && (is_blank(Some(&kind)) || is_blank(conf.as_deref())) {
        return Ok(Reply::content(&[""; 0]));
    }
    let state = user.state();
    let mut at = state.now();
    let mut times = Vec::new();
    while times.len() < PREVIEW {
        match state.next_time(&kind, conf.as_deref(), at) {
            Ok(Some(next)) => at = next,
            Ok(None) => break,
            Err(error) => {
                return Err(Error::refused(message![Key::ScheduleType, Key::SystemUnvalid, error.to_string()]));
            }
        }
        times.push(state.core.settings.zone.format(at));
    }
    Ok(Reply::content(&times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_whatever_their_last_slash() {
        let known = ["http://a:1/".to_owned(), " http://b:2".to_owned()];
        for list in ["http://a:1", "http://a:1/", " http://b:2/ ,http://a:1", "http://a:1,"] {
            assert!(is_known(list, &known), "{list}");
        }
        for list in ["http://c:3/", "http://a:1,http://c:3", "http://a:1//", "http://a:1,,http://b:2"] {
            assert!(!is_known(list, &known), "{list}");
        }
    }
}
