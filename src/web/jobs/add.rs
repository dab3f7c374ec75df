//! A new job.

use super::check::{Purpose, check, normalise_source};
use super::{Caller, Refusal, children, require_group, require_scripting, trim_handler};
use crate::i18n::Key;
use crate::model::JobInfo;
use crate::web::Core;
use crate::web::message::message;

/// Adds a job as it is, its state of the schedule included; gives its id.
///
/// # Errors
/// The first rule that is broken.
pub async fn add(core: &Core, caller: &impl Caller, mut job: JobInfo) -> Result<i32, Refusal> {
    require_group(caller, job.job_group)?;
    if core.store.find_group(job.job_group).await?.is_none() {
        return Err(Refusal::Refused(message![Key::SystemPleaseChoose, Key::JobinfoFieldJobgroup]));
    }
    check(&job, Purpose::Add, &core.profile, core.max_year).map_err(Refusal::Refused)?;
    require_scripting(core, caller, &job.glue_type)?;
    normalise_source(&mut job);
    trim_handler(caller, &mut job)?;
    children::check(core, caller, &mut job, 0).await?;
    let id = core.store.insert_job(&job, core.clock.now_ms()).await?;
    caller.audit("jobinfo add", &format!("{id} {}", job.job_desc));
    Ok(id)
}
