//! The end of a job.

use super::{Caller, Refusal, require_group_of};
use crate::web::Core;

/// Removes a job with its runs and script versions. One that is gone is no error.
///
/// # Errors
/// When the job is a foreign one.
pub async fn remove(core: &Core, caller: &impl Caller, id: i32) -> Result<(), Refusal> {
    let Some(job) = core.store.find_job(id).await? else { return Ok(()) };
    require_group_of(caller, &job)?;
    core.store.remove_job(id).await?;
    caller.audit("jobinfo remove", &format!("{id} {}", job.job_desc));
    Ok(())
}
