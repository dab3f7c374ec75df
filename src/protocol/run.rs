//! The request that starts a run on an executor.

use serde::Serialize;

use crate::model::{BlockStrategy, EpochMs, JobInfo, Shard};

/// Body of `/run` (from 3.5: `/trigger`): exactly these twelve fields, in this order, in every release (Java
/// `TriggerParam`, later `TriggerRequest`). Texts that are none are left out. Some executors refuse any other field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRequest<'a> {
    /// The job.
    pub job_id: i32,
    /// Name of the handler; read for BEAN jobs only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor_handler: Option<&'a str>,
    /// Parameter of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor_params: Option<&'a str>,
    /// The column's word. Python executors insist on the field, so it is never left out.
    pub executor_block_strategy: &'a str,
    /// Seconds after which the executor ends the run; 0 or less = never.
    pub executor_timeout: i32,
    /// Id of the log row, which exists before the call.
    pub log_id: i64,
    /// Trigger time with its milliseconds; its day names the executor's log folder.
    pub log_date_time: EpochMs,
    /// The column's word.
    pub glue_type: &'a str,
    /// Source of the script; sent for BEAN jobs as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glue_source: Option<&'a str>,
    /// When the source was last saved: executors keep a script for as long as this value stays.
    pub glue_updatetime: EpochMs,
    /// Number of this shard, from 0.
    pub broadcast_index: i32,
    /// How many shards there are.
    pub broadcast_total: i32,
}

impl<'a> RunRequest<'a> {
    /// The request for one run of this job. `params` is the effective parameter: the trigger's own or the job's.
    pub fn for_job(
        job: &'a JobInfo,
        params: Option<&'a str>,
        log_id: i64,
        log_date_time: EpochMs,
        shard: Shard,
    ) -> Self {
        Self {
            job_id: job.id,
            executor_handler: job.executor_handler.as_deref(),
            executor_params: params,
            executor_block_strategy: job
                .executor_block_strategy
                .as_deref()
                .unwrap_or(BlockStrategy::SerialExecution.as_str()),
            executor_timeout: job.executor_timeout,
            log_id,
            log_date_time,
            glue_type: &job.glue_type,
            glue_source: job.glue_source.as_deref(),
            glue_updatetime: job.glue_updatetime.unwrap_or_default(),
            broadcast_index: shard.index,
            broadcast_total: shard.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_order_and_missing_texts_are_left_out() {
        let job = JobInfo {
            id: 4,
            executor_handler: Some("demo".into()),
            executor_block_strategy: Some("SERIAL_EXECUTION".into()),
            glue_type: "BEAN".into(),
            glue_source: Some(String::new()),
            glue_updatetime: Some(1_796_041_943_000),
            ..JobInfo::default()
        };
        let request = RunRequest::for_job(&job, Some("p"), 8, 1_796_070_773_121, Shard::SINGLE);
        assert_eq!(
            serde_json::to_string(&request).expect("plain data"),
            concat!(
                r#"{"jobId":4,"executorHandler":"demo","executorParams":"p","executorBlockStrategy":"SERIAL_EXECUTION","#,
                r#""executorTimeout":0,"logId":8,"logDateTime":1796070773121,"glueType":"BEAN","glueSource":"","#,
                r#""glueUpdatetime":1796041943000,"broadcastIndex":0,"broadcastTotal":1}"#
            )
        );
        let bare = JobInfo { id: 113, glue_type: "BEAN".into(), ..JobInfo::default() };
        let request = RunRequest::for_job(&bare, None, 12, 1, Shard { index: 1, total: 2 });
        assert_eq!(
            serde_json::to_string(&request).expect("plain data"),
            concat!(
                r#"{"jobId":113,"executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":12,"logDateTime":1,"#,
                r#""glueType":"BEAN","glueUpdatetime":0,"broadcastIndex":1,"broadcastTotal":2}"#
            )
        );
    }
}
