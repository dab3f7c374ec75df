//! Jobs (Java: `JobInfoController`): parameters in, replies out. What is done to a job is in [`jobs`].

use actix_web::web;

use super::{Mapping, page};
use crate::i18n::Key;
use crate::model::JobInfo;
use crate::store::JobFilter;
use crate::web::auth::{LoginUser, Public};
use crate::web::dialect::Dialect;
use crate::web::envelope::Reply;
use crate::web::error::Error;
use crate::web::jobs::{self, Caller};
use crate::web::message::message;
use crate::web::params::{Params, is_blank};
use crate::web::rows::Row;

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

impl Caller for LoginUser {
    fn name(&self) -> &str {
        &self.user().username
    }

    fn dialect(&self) -> Dialect {
        Public::dialect(self)
    }

    fn is_admin(&self) -> bool {
        LoginUser::is_admin(self)
    }

    fn may_use_group(&self, group: i32) -> bool {
        Self::may_use_group(self, group)
    }

    fn audit(&self, action: &str, what: &str) {
        Self::audit(self, action, what);
    }
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

/// Reads every field of the form, the ones about the schedule's state included: a script may add a job that is started
/// already.
fn bind(params: &Params) -> Result<JobInfo, Error> {
    Ok(JobInfo {
        id: params.bound_int("id")?,
        job_group: params.bound_int("jobGroup")?,
        job_desc: params.text_or_empty("jobDesc"),
        add_time: None,
        update_time: None,
        author: params.text("author"),
        alarm_email: params.text("alarmEmail"),
        schedule_type: params.text_or_empty("scheduleType"),
        schedule_conf: params.text("scheduleConf"),
        misfire_strategy: params.text_or_empty("misfireStrategy"),
        executor_route_strategy: params.text("executorRouteStrategy"),
        executor_handler: params.text("executorHandler"),
        executor_param: params.text("executorParam"),
        executor_block_strategy: params.text("executorBlockStrategy"),
        executor_timeout: params.bound_int("executorTimeout")?,
        executor_fail_retry_count: params.bound_int("executorFailRetryCount")?,
        glue_type: params.text_or_empty("glueType"),
        glue_source: params.text("glueSource"),
        glue_remark: params.text("glueRemark"),
        glue_updatetime: None,
        child_jobid: params.text("childJobId"),
        trigger_status: params.bound_int("triggerStatus")?,
        trigger_last_time: params.bound_long("triggerLastTime")?,
        trigger_next_time: params.bound_long("triggerNextTime")?,
    })
}

async fn add(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = jobs::add(&user.state().core, &user, bind(&params)?).await?;
    Ok(Reply::content(&id.to_string()))
}

async fn update(user: LoginUser, params: Params) -> Result<Reply, Error> {
    jobs::update(&user.state().core, &user, bind(&params)?).await?;
    Ok(Reply::done())
}

async fn remove(user: LoginUser, params: Params) -> Result<Reply, Error> {
    jobs::remove(&user.state().core, &user, params.listed_id()?).await?;
    Ok(Reply::done())
}

async fn start(user: LoginUser, params: Params) -> Result<Reply, Error> {
    jobs::start(&user.state().core, &user, params.listed_id()?).await?;
    Ok(Reply::done())
}

async fn stop(user: LoginUser, params: Params) -> Result<Reply, Error> {
    jobs::stop(&user.state().core, &user, params.listed_id()?).await?;
    Ok(Reply::done())
}

async fn trigger(user: LoginUser, params: Params) -> Result<Reply, Error> {
    let id = params.id()?;
    let (param, addresses) = (params.required_text("executorParam")?, params.required_text("addressList")?);
    jobs::trigger(&user.state().core, &user, id, param, addresses).await?;
    Ok(Reply::done())
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
        match state.core.next_time(&kind, conf.as_deref(), at) {
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
