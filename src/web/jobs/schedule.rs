//! Start and stop of a job's schedule.

use super::{Caller, Refusal, next_after, no_job, require_group_of};
use crate::i18n::Key;
use crate::model::{JobInfo, ScheduleType};
use crate::store::ScheduleChange;
use crate::web::Core;
use crate::web::message::message;

/// Starts a job's schedule, or starts it anew.
///
/// # Errors
/// When there is no such job, it is a foreign one, or its schedule never fires.
pub async fn start(core: &Core, caller: &impl Caller, id: i32) -> Result<(), Refusal> {
    change_schedule(core, caller, id, "jobinfo start", |job| {
        if ScheduleType::parse(&job.schedule_type).is_none_or(|kind| kind == ScheduleType::None) {
            return Err(Refusal::Refused(message![Key::ScheduleTypeNoneLimitStart]));
        }
        Ok(ScheduleChange { status: 1, last: 0, next: next_after(core, job)? })
    })
    .await
}

/// Stops a job's schedule.
///
/// # Errors
/// When there is no such job, or it is a foreign one.
pub async fn stop(core: &Core, caller: &impl Caller, id: i32) -> Result<(), Refusal> {
    change_schedule(core, caller, id, "jobinfo stop", |_| Ok(ScheduleChange { status: 0, last: 0, next: 0 })).await
}

async fn change_schedule(
    core: &Core,
    caller: &impl Caller,
    id: i32,
    action: &str,
    decide: impl FnOnce(&JobInfo) -> Result<ScheduleChange, Refusal>,
) -> Result<(), Refusal> {
    let (mut change, job) = core.store.begin_job_change(id).await?;
    // To 3.1 the Java admin throws.
    let gone = if caller.dialect().is_3() { Refusal::Refused } else { Refusal::Exception };
    let job = job.ok_or_else(|| gone(no_job()))?;
    require_group_of(caller, &job)?;
    let decided = decide(&job)?;
    change.save_schedule(id, decided, core.clock.now_ms()).await?;
    change.commit().await?;
    caller.audit(action, &format!("{id} {}", job.job_desc));
    Ok(())
}
