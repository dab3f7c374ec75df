//! A row of `xxl_job_info` and the words of its columns.

use super::{EpochMs, words};

words! {
    /// Column `schedule_type` (Java `ScheduleTypeEnum`).
    ScheduleType {
        /// Never fires by itself.
        None = "NONE",
        /// Fires by a cron expression.
        Cron = "CRON",
        /// Fires every so many seconds.
        FixRate = "FIX_RATE",
    }
}

words! {
    /// Column `misfire_strategy` (Java `MisfireStrategyEnum`): what to do with a fire that is more than 5 s late.
    MisfireStrategy {
        /// Leave it out.
        DoNothing = "DO_NOTHING",
        /// Run once, now.
        FireOnceNow = "FIRE_ONCE_NOW",
    }
}

words! {
    /// Column `executor_route_strategy` (Java `ExecutorRouteStrategyEnum`).
    RouteStrategy {
        /// The first address.
        First = "FIRST",
        /// The last address.
        Last = "LAST",
        /// One after the other.
        Round = "ROUND",
        /// Any.
        Random = "RANDOM",
        /// By a hash of the job id, so that a job keeps its address.
        ConsistentHash = "CONSISTENT_HASH",
        /// The address used least often by this job.
        LeastFrequentlyUsed = "LEAST_FREQUENTLY_USED",
        /// The address not used by this job for the longest time.
        LeastRecentlyUsed = "LEAST_RECENTLY_USED",
        /// The first address that answers a beat.
        Failover = "FAILOVER",
        /// The first address that is idle.
        Busyover = "BUSYOVER",
        /// Every address, with its number.
        ShardingBroadcast = "SHARDING_BROADCAST",
    }
}

words! {
    /// Column `executor_block_strategy` (Java `ExecutorBlockStrategyEnum`).
    BlockStrategy {
        /// Wait in the executor's queue.
        SerialExecution = "SERIAL_EXECUTION",
        /// Refuse the later run.
        DiscardLater = "DISCARD_LATER",
        /// End the earlier run.
        CoverEarly = "COVER_EARLY",
    }
}

words! {
    /// Column `glue_type` (Java `GlueTypeEnum`).
    GlueType {
        /// A handler in the executor's own code.
        Bean = "BEAN",
        /// A Groovy source, compiled by the executor.
        Groovy = "GLUE_GROOVY",
        /// A shell script.
        Shell = "GLUE_SHELL",
        /// A Python 3 script.
        Python = "GLUE_PYTHON",
        /// A Python 2 script (from 3.2.0).
        Python2 = "GLUE_PYTHON2",
        /// A PHP script.
        Php = "GLUE_PHP",
        /// A Node.js script.
        Nodejs = "GLUE_NODEJS",
        /// A PowerShell script.
        PowerShell = "GLUE_POWERSHELL",
    }
}

impl GlueType {
    /// Whether the executor runs the source as a script of its own interpreter.
    pub const fn is_script(self) -> bool {
        !matches!(self, Self::Bean | Self::Groovy)
    }
}

/// Why a job is triggered (Java `TriggerTypeEnum`). Never stored as a word, only as a label in the trigger message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerType {
    /// By hand, from the console.
    Manual,
    /// By its schedule, whatever the schedule type.
    Cron,
    /// Again after a failure.
    Retry,
    /// As child of a job that succeeded.
    Parent,
    /// By an API call.
    Api,
    /// In place of a fire that was missed.
    Misfire,
}

/// A row of `xxl_job_info`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobInfo {
    /// Primary key.
    pub id: i32,
    /// Id of the executor group that runs it.
    pub job_group: i32,
    /// What it is for.
    pub job_desc: String,
    /// When it was made.
    pub add_time: Option<EpochMs>,
    /// When it was last edited.
    pub update_time: Option<EpochMs>,
    /// Who answers for it.
    pub author: Option<String>,
    /// Comma-separated addresses for failure mails.
    pub alarm_email: Option<String>,
    /// See [`ScheduleType`].
    pub schedule_type: String,
    /// Cron expression or seconds.
    pub schedule_conf: Option<String>,
    /// See [`MisfireStrategy`].
    pub misfire_strategy: String,
    /// See [`RouteStrategy`].
    pub executor_route_strategy: Option<String>,
    /// Name of the handler for BEAN jobs.
    pub executor_handler: Option<String>,
    /// Parameter handed to the run.
    pub executor_param: Option<String>,
    /// See [`BlockStrategy`].
    pub executor_block_strategy: Option<String>,
    /// Seconds after which the executor ends the run; 0 or less = never.
    pub executor_timeout: i32,
    /// How often a failed run is repeated.
    pub executor_fail_retry_count: i32,
    /// See [`GlueType`].
    pub glue_type: String,
    /// Source of a GLUE job.
    pub glue_source: Option<String>,
    /// Remark of the source's last version.
    pub glue_remark: Option<String>,
    /// When the source was last saved.
    pub glue_updatetime: Option<EpochMs>,
    /// Comma-separated ids of jobs to trigger after a success.
    pub child_jobid: Option<String>,
    /// 1 = scheduled, 0 = stopped.
    pub trigger_status: i32,
    /// The scheduled time of the last fire; 0 = none.
    pub trigger_last_time: EpochMs,
    /// The scheduled time of the next fire; 0 = none.
    pub trigger_next_time: EpochMs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_there_and_back() {
        for strategy in RouteStrategy::ALL {
            assert_eq!(RouteStrategy::parse(strategy.as_str()), Some(*strategy));
        }
        assert_eq!(RouteStrategy::parse("first"), None);
        assert_eq!(ScheduleType::parse("FIX_DELAY"), None);
    }
}
