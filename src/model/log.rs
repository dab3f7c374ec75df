//! A row of `xxl_job_log`: one run, from the fire to its result.

use super::EpochMs;

/// Column `alarm_status`; it moves only 0 → −1 → {1, 2, 3}.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum AlarmStatus {
    /// A node is at it.
    Locked = -1,
    /// Nobody has looked.
    Untouched = 0,
    /// No alarm needed (the job is gone).
    NotNeeded = 1,
    /// Every channel took the alarm.
    Sent = 2,
    /// A channel failed.
    Failed = 3,
}

/// Which part of a broadcast a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shard {
    /// 0-based number of this part.
    pub index: i32,
    /// How many parts there are.
    pub total: i32,
}

impl Shard {
    /// The run of a job that is no broadcast.
    pub const SINGLE: Self = Self { index: 0, total: 1 };
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.total)
    }
}

/// A row of `xxl_job_log`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobLog {
    /// Primary key, the `logId` of the protocol.
    pub id: i64,
    /// Group of the job at trigger time.
    pub job_group: i32,
    /// The job.
    pub job_id: i32,
    /// Address that was called.
    pub executor_address: Option<String>,
    /// Handler of the run.
    pub executor_handler: Option<String>,
    /// Parameter of the run.
    pub executor_param: Option<String>,
    /// `index/total` of a broadcast, else none.
    pub executor_sharding_param: Option<String>,
    /// Retries left.
    pub executor_fail_retry_count: i32,
    /// When it was triggered.
    pub trigger_time: Option<EpochMs>,
    /// 0 = not called yet, 200 = taken by the executor, else failed.
    pub trigger_code: i32,
    /// What the admin did, as HTML.
    pub trigger_msg: Option<String>,
    /// When the result came.
    pub handle_time: Option<EpochMs>,
    /// 0 = no result yet, 200 = success, 500 = failure, 502 = time-out.
    pub handle_code: i32,
    /// What the executor said, as HTML.
    pub handle_msg: Option<String>,
    /// See [`AlarmStatus`].
    pub alarm_status: i32,
}
