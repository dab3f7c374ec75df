//! Telling people that a run failed.
//!
//! Mirrors `JobAlarm` and `JobAlarmer`: every channel is asked for every failure, whether it will be retried or not, and
//! the run's `alarm_status` says whether all of them took it.

pub mod mail;

use futures_util::future::BoxFuture;

use crate::model::{JobInfo, JobLog};

/// A run that failed, with what an alarm tells about it.
#[derive(Debug, Clone, Copy)]
pub struct FailedRun<'a> {
    /// The job.
    pub job: &'a JobInfo,
    /// Title of its executor group; none when the group is gone.
    pub group_title: Option<&'a str>,
    /// The run.
    pub log: &'a JobLog,
}

/// A channel for alarms.
pub trait Alarm: Send + Sync {
    /// Whether this job's failures are told on this channel. For the others [`Alarm::send`] has nothing to do, and nobody
    /// needs to load the title of the group.
    fn is_wanted(&self, job: &JobInfo) -> bool;

    /// Tells about a failed run and says whether it was told to everybody who should know. Never fails otherwise: what
    /// went wrong is in the log.
    fn send<'a>(&'a self, run: FailedRun<'a>) -> BoxFuture<'a, bool>;
}
