//! A row of `xxl_job_logglue`: a version of the script of a job.

use super::EpochMs;

/// A row of `xxl_job_logglue`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScriptVersion {
    /// Primary key.
    pub id: i32,
    /// The job.
    pub job_id: i32,
    /// Kind of the script when it was saved.
    pub glue_type: Option<String>,
    /// The script.
    pub source: Option<String>,
    /// What its author said about it.
    pub remark: String,
    /// When it was saved.
    pub add_time: Option<EpochMs>,
    /// When it was saved; by this the newest are told.
    pub update_time: Option<EpochMs>,
}
