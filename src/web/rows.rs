//! Rows as JSON, every key always there and in the order of the Java classes `XxlJobGroup`, `XxlJobInfo` and `XxlJobLog`.

use serde::{Serialize, Serializer};

use super::dialect::Dialect;
use crate::clock::Zone;
use crate::model::{EpochMs, JobGroup, JobInfo, JobLog, split_addresses};

/// A DATETIME column as JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Date(Dialect, Option<EpochMs>);

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self(_, None) => serializer.serialize_none(),
            Self(Dialect::V2, Some(at)) => serializer.serialize_str(&offset(*at)),
        }
    }
}

/// `2026-11-30T20:39:41.000+00:00`
pub(super) fn offset(at: EpochMs) -> String {
    Zone::utc().wall(at).strftime("%Y-%m-%dT%H:%M:%S.%3f+00:00").to_string()
}

/// A row of `xxl_job_group`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GroupRow {
    id: i32,
    appname: String,
    title: String,
    address_type: i32,
    address_list: Option<String>,
    update_time: Date,
    /// Not stored: the list once more, split.
    registry_list: Option<Vec<String>>,
}

impl GroupRow {
    pub fn new(dialect: Dialect, group: JobGroup) -> Self {
        let blank = group.address_list.as_deref().is_none_or(|list| list.chars().all(|c| c <= ' '));
        Self {
            id: group.id,
            registry_list: (!blank).then(|| split_addresses(group.address_list.as_deref())),
            appname: group.app_name,
            title: group.title,
            address_type: group.address_type,
            address_list: group.address_list,
            update_time: Date(dialect, group.update_time),
        }
    }
}

/// A row of `xxl_job_info`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobRow {
    id: i32,
    job_group: i32,
    job_desc: String,
    add_time: Date,
    update_time: Date,
    author: Option<String>,
    alarm_email: Option<String>,
    schedule_type: String,
    schedule_conf: Option<String>,
    misfire_strategy: String,
    executor_route_strategy: Option<String>,
    executor_handler: Option<String>,
    executor_param: Option<String>,
    executor_block_strategy: Option<String>,
    executor_timeout: i32,
    executor_fail_retry_count: i32,
    glue_type: String,
    glue_source: Option<String>,
    glue_remark: Option<String>,
    glue_updatetime: Date,
    child_job_id: Option<String>,
    trigger_status: i32,
    trigger_last_time: EpochMs,
    trigger_next_time: EpochMs,
}

impl JobRow {
    pub fn new(dialect: Dialect, job: JobInfo) -> Self {
        Self {
            id: job.id,
            job_group: job.job_group,
            job_desc: job.job_desc,
            add_time: Date(dialect, job.add_time),
            update_time: Date(dialect, job.update_time),
            author: job.author,
            alarm_email: job.alarm_email,
            schedule_type: job.schedule_type,
            schedule_conf: job.schedule_conf,
            misfire_strategy: job.misfire_strategy,
            executor_route_strategy: job.executor_route_strategy,
            executor_handler: job.executor_handler,
            executor_param: job.executor_param,
            executor_block_strategy: job.executor_block_strategy,
            executor_timeout: job.executor_timeout,
            executor_fail_retry_count: job.executor_fail_retry_count,
            glue_type: job.glue_type,
            glue_source: job.glue_source,
            glue_remark: job.glue_remark,
            glue_updatetime: Date(dialect, job.glue_updatetime),
            child_job_id: job.child_jobid,
            trigger_status: job.trigger_status,
            trigger_last_time: job.trigger_last_time,
            trigger_next_time: job.trigger_next_time,
        }
    }
}

/// A row of `xxl_job_log`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogRow {
    id: i64,
    job_group: i32,
    job_id: i32,
    executor_address: Option<String>,
    executor_handler: Option<String>,
    executor_param: Option<String>,
    executor_sharding_param: Option<String>,
    executor_fail_retry_count: i32,
    trigger_time: Date,
    trigger_code: i32,
    trigger_msg: Option<String>,
    handle_time: Date,
    handle_code: i32,
    handle_msg: Option<String>,
    alarm_status: i32,
}

impl LogRow {
    pub fn new(dialect: Dialect, log: JobLog) -> Self {
        Self {
            id: log.id,
            job_group: log.job_group,
            job_id: log.job_id,
            executor_address: log.executor_address,
            executor_handler: log.executor_handler,
            executor_param: log.executor_param,
            executor_sharding_param: log.executor_sharding_param,
            executor_fail_retry_count: log.executor_fail_retry_count,
            trigger_time: Date(dialect, log.trigger_time),
            trigger_code: log.trigger_code,
            trigger_msg: log.trigger_msg,
            handle_time: Date(dialect, log.handle_time),
            handle_code: log.handle_code,
            handle_msg: log.handle_msg,
            alarm_status: log.alarm_status,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(row: &impl Serialize) -> String {
        serde_json::to_string(row).unwrap()
    }

    #[test]
    fn a_group_with_every_key() {
        let group = JobGroup {
            id: 3,
            app_name: "app-a".into(),
            title: "A".into(),
            address_type: 1,
            address_list: Some("http://h:1/,".into()),
            update_time: Some(1_796_071_183_000),
        };
        assert_eq!(
            json(&GroupRow::new(Dialect::V2, group)),
            r#"{"id":3,"appname":"app-a","title":"A","addressType":1,"addressList":"http://h:1/,","updateTime":"2026-11-30T20:39:43.000+00:00","registryList":["http://h:1/"]}"#
        );
        let empty = JobGroup { address_list: Some(" ".into()), ..JobGroup::default() };
        assert!(json(&GroupRow::new(Dialect::V2, empty)).ends_with(r#""updateTime":null,"registryList":null}"#));
    }

    #[test]
    fn a_job_and_a_run_with_every_key() {
        insta::assert_snapshot!(json(&JobRow::new(Dialect::V2, JobInfo::default())), @r#"{"id":0,"jobGroup":0,"jobDesc":"","addTime":null,"updateTime":null,"author":null,"alarmEmail":null,"scheduleType":"","scheduleConf":null,"misfireStrategy":"","executorRouteStrategy":null,"executorHandler":null,"executorParam":null,"executorBlockStrategy":null,"executorTimeout":0,"executorFailRetryCount":0,"glueType":"","glueSource":null,"glueRemark":null,"glueUpdatetime":null,"childJobId":null,"triggerStatus":0,"triggerLastTime":0,"triggerNextTime":0}"#);
        insta::assert_snapshot!(json(&LogRow::new(Dialect::V2, JobLog::default())), @r#"{"id":0,"jobGroup":0,"jobId":0,"executorAddress":null,"executorHandler":null,"executorParam":null,"executorShardingParam":null,"executorFailRetryCount":0,"triggerTime":null,"triggerCode":0,"triggerMsg":null,"handleTime":null,"handleCode":0,"handleMsg":null,"alarmStatus":0}"#);
    }
}
