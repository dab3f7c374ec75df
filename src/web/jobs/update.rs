//! An edit of a job.

use super::check::{Purpose, check};
use super::{Caller, Refusal, children, next_after, require_group, require_scripting, trim_handler};
use crate::i18n::Key;
use crate::model::JobInfo;
use crate::web::Core;
use crate::web::message::message;

/// Writes what may be edited of a job, its group and its children included.
///
/// # Errors
/// The first rule that is broken.
pub async fn update(core: &Core, caller: &impl Caller, mut job: JobInfo) -> Result<(), Refusal> {
    require_group(caller, job.job_group)?;
    check(&job, Purpose::Update, &core.profile, core.max_year).map_err(Refusal::Refused)?;
    let own_id = job.id;
    children::check(core, caller, &mut job, own_id).await?;
    if core.store.find_group(job.job_group).await?.is_none() {
        return Err(Refusal::Refused(message![Key::JobinfoFieldJobgroup, Key::SystemUnvalid]));
    }
    save(core, caller, job, |_, _| ()).await
}

/// The same for a call that names neither group nor children: the job keeps those it has.
///
/// # Errors
/// The first rule that is broken.
pub async fn update_in_place(core: &Core, caller: &impl Caller, job: JobInfo) -> Result<(), Refusal> {
    check(&job, Purpose::Update, &core.profile, core.max_year).map_err(Refusal::Refused)?;
    save(core, caller, job, |job, stored| {
        job.job_group = stored.job_group;
        job.child_jobid.clone_from(&stored.child_jobid);
    })
    .await
}

/// Writes a checked job under the schedule lock, after `keep` has taken over what stays of the stored one.
async fn save(
    core: &Core,
    caller: &impl Caller,
    mut job: JobInfo,
    keep: impl FnOnce(&mut JobInfo, &JobInfo),
) -> Result<(), Refusal> {
    let (mut change, stored) = core.store.begin_job_change(job.id).await?;
    let Some(stored) = stored else {
        return Err(Refusal::Refused(message![Key::JobinfoFieldId, Key::SystemNotFound]));
    };
    require_group(caller, stored.job_group)?;
    require_scripting(core, caller, &stored.glue_type)?;
    keep(&mut job, &stored);
    if job.schedule_conf.is_none() {
        return Err(Refusal::Exception(message!["the parameter 'scheduleConf' is missing"]));
    }
    trim_handler(caller, &mut job)?;
    let moved = stored.schedule_type != job.schedule_type || stored.schedule_conf != job.schedule_conf;
    let next = if stored.trigger_status == 1 && moved { Some(next_after(core, &job)?) } else { None };
    change.save_edit(&job, next, core.clock.now_ms()).await?;
    change.commit().await?;
    caller.audit("jobinfo update", &format!("{} {}", job.id, job.job_desc));
    Ok(())
}
