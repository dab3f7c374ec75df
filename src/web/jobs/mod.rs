//! What can be done to jobs, whoever asks: the console's calls and the job calls under `/api` come here.
//!
//! Ports the Java admin's `XxlJobServiceImpl`: the order of its checks and its texts. A caller is a [`Caller`], so that
//! nothing here knows of HTTP, and what is not done comes back as a [`Refusal`].
//!
//! Better on purpose: rights are those of the *stored* job and of the group it moves to; only the columns that a call
//! changes are written; whatever touches the schedule holds the schedule lock, so that no pass works on a row that changes
//! under it; the addresses of a manual run must be known ones by default, since the access token goes there.

mod add;
mod check;
mod children;
mod remove;
mod schedule;
mod trigger;
mod update;

pub use add::add;
pub use remove::remove;
pub use schedule::{start, stop};
pub use trigger::trigger;
pub use update::{update, update_in_place};

use super::dialect::Dialect;
use super::message::{Message, message};
use super::params::is_blank;
use crate::config::settings::Glue;
use crate::i18n::Key;
use crate::model::{EpochMs, GlueType, JobInfo};
use crate::store;
use crate::web::Core;

/// A schedule that is started or edited fires this much later at the earliest: a pass of any admin may have read the
/// next five seconds already.
const AHEAD_MS: i64 = 5_000;

/// Whoever wants something done to a job.
pub trait Caller {
    /// The name, for refusals.
    fn name(&self) -> &str;
    /// The dialect that decides where the generations of the Java admin check differently.
    fn dialect(&self) -> Dialect;
    /// Whether this is an administrator.
    fn is_admin(&self) -> bool;
    /// Whether jobs of this executor group may be touched; the refusal is written to the audit log.
    fn may_use_group(&self, group: i32) -> bool;
    /// Writes a line of the audit log: who did what, from where.
    fn audit(&self, action: &str, what: &str);
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A rule is broken; the text says which.
    #[error("the call was refused")]
    Refused(Message),
    /// Something at which the Java admin throws.
    #[error("the call cannot be carried out")]
    Exception(Message),
    /// Not for this caller, who is named.
    #[error("{0} has no right for the job")]
    NotPermitted(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] store::Error),
}

fn bad_schedule() -> Message {
    message![Key::ScheduleType, Key::SystemUnvalid]
}

fn no_job() -> Message {
    message![Key::JobinfoGlueJobidUnvalid]
}

/// Refuses unless the caller may use this executor group.
fn require_group(caller: &impl Caller, group: i32) -> Result<(), Refusal> {
    if caller.may_use_group(group) { Ok(()) } else { Err(Refusal::NotPermitted(caller.name().to_owned())) }
}

/// Refuses a foreign job, in the form of the calls that name a job by its id alone.
fn require_group_of(caller: &impl Caller, job: &JobInfo) -> Result<(), Refusal> {
    if caller.may_use_group(job.job_group) {
        return Ok(());
    }
    Err(Refusal::Refused(message![Key::SystemPermissionLimit]))
}

/// Refuses a job with a script where `security.glue` keeps scripts from this caller.
fn require_scripting(core: &Core, caller: &impl Caller, glue_type: &str) -> Result<(), Refusal> {
    if glue_type == GlueType::Bean.as_str() {
        return Ok(());
    }
    require_scripts(core, caller, &format!("a job of type {glue_type}"))
}

/// Refuses where `security.glue` keeps scripts from this caller.
pub fn require_scripts(core: &Core, caller: &impl Caller, what: &str) -> Result<(), Refusal> {
    let permitted = match core.settings.security.glue {
        Glue::All => true,
        Glue::Admin => caller.is_admin(),
        Glue::Off => false,
    };
    if permitted {
        return Ok(());
    }
    caller.audit("refused", what);
    Err(Refusal::NotPermitted(caller.name().to_owned()))
}

/// From 3.2 on the handler's name loses the blanks around it, and must be there even where it means nothing.
fn trim_handler(caller: &impl Caller, job: &mut JobInfo) -> Result<(), Refusal> {
    if !caller.dialect().is_3() {
        return Ok(());
    }
    match &job.executor_handler {
        Some(handler) => job.executor_handler = Some(handler.trim_matches(|c| c <= ' ').to_owned()),
        None => {
            return Err(Refusal::Exception(message!["the parameter 'executorHandler' is missing; it may be empty"]));
        }
    }
    Ok(())
}

/// The next time of a schedule that is started or moved now.
fn next_after(core: &Core, job: &JobInfo) -> Result<EpochMs, Refusal> {
    let next = core.next_time(&job.schedule_type, job.schedule_conf.as_deref(), core.clock.now_ms() + AHEAD_MS);
    next.ok().flatten().ok_or_else(|| Refusal::Refused(bad_schedule()))
}
