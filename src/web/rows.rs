//! Rows as JSON: every key always there, in the order of the Java classes `XxlJobGroup`, `XxlJobInfo`, `XxlJobLog` and
//! `XxlJobUser`, or from 3.3 in that of the alphabet.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::dialect::Dialect;
use crate::clock::Zone;
use crate::config::settings::JsonDates;
use crate::model::{EpochMs, JobGroup, JobInfo, JobLog, JobUser, split_addresses};

/// How rows are written.
#[derive(Debug, Clone)]
pub struct Style {
    /// The dialect, which orders the keys.
    pub dialect: Dialect,
    /// The form of dates.
    pub dates: JsonDates,
    /// The zone of the dates of runs in their plain form.
    pub zone: Zone,
}

impl Style {
    /// A date of a group or job. In its plain form it is in UTC: so it is in the Java admins that write it.
    fn date(&self, at: Option<EpochMs>) -> Cell {
        self.date_in(&Zone::utc(), at)
    }

    /// A date of a run.
    fn run_date(&self, at: Option<EpochMs>) -> Cell {
        self.date_in(&self.zone, at)
    }

    fn date_in(&self, zone: &Zone, at: Option<EpochMs>) -> Cell {
        Cell::Text(at.map(|at| match self.dates {
            JsonDates::Offset => offset(at),
            JsonDates::Z => Zone::utc().wall(at).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
            JsonDates::Plain => zone.format(at),
        }))
    }

    fn row(&self, mut cells: Vec<(&'static str, Cell)>) -> Row {
        if self.dialect == Dialect::V3 {
            cells.sort_unstable_by_key(|(key, _)| *key);
        }
        Row(cells)
    }

    /// A row of `xxl_job_group`.
    pub fn group(&self, group: JobGroup) -> Row {
        let list = group.address_list.as_deref().filter(|list| list.chars().any(|c| c > ' '));
        // Not stored: the list once more, split.
        let registry_list = list.map(|list| split_addresses(Some(list)));
        self.row(vec![
            ("id", Cell::Number(group.id.into())),
            ("appname", Cell::Text(Some(group.app_name))),
            ("title", Cell::Text(Some(group.title))),
            ("addressType", Cell::Number(group.address_type.into())),
            ("addressList", Cell::Text(group.address_list)),
            ("updateTime", self.date(group.update_time)),
            ("registryList", Cell::List(registry_list)),
        ])
    }

    /// A row of `xxl_job_info`.
    pub fn job(&self, job: JobInfo) -> Row {
        self.row(vec![
            ("id", Cell::Number(job.id.into())),
            ("jobGroup", Cell::Number(job.job_group.into())),
            ("jobDesc", Cell::Text(Some(job.job_desc))),
            ("addTime", self.date(job.add_time)),
            ("updateTime", self.date(job.update_time)),
            ("author", Cell::Text(job.author)),
            ("alarmEmail", Cell::Text(job.alarm_email)),
            ("scheduleType", Cell::Text(Some(job.schedule_type))),
            ("scheduleConf", Cell::Text(job.schedule_conf)),
            ("misfireStrategy", Cell::Text(Some(job.misfire_strategy))),
            ("executorRouteStrategy", Cell::Text(job.executor_route_strategy)),
            ("executorHandler", Cell::Text(job.executor_handler)),
            ("executorParam", Cell::Text(job.executor_param)),
            ("executorBlockStrategy", Cell::Text(job.executor_block_strategy)),
            ("executorTimeout", Cell::Number(job.executor_timeout.into())),
            ("executorFailRetryCount", Cell::Number(job.executor_fail_retry_count.into())),
            ("glueType", Cell::Text(Some(job.glue_type))),
            ("glueSource", Cell::Text(job.glue_source)),
            ("glueRemark", Cell::Text(job.glue_remark)),
            ("glueUpdatetime", self.date(job.glue_updatetime)),
            ("childJobId", Cell::Text(job.child_jobid)),
            ("triggerStatus", Cell::Number(job.trigger_status.into())),
            ("triggerLastTime", Cell::Number(job.trigger_last_time)),
            ("triggerNextTime", Cell::Number(job.trigger_next_time)),
        ])
    }

    /// A row of `xxl_job_log`.
    pub fn log(&self, log: JobLog) -> Row {
        self.row(vec![
            ("id", Cell::Number(log.id)),
            ("jobGroup", Cell::Number(log.job_group.into())),
            ("jobId", Cell::Number(log.job_id.into())),
            ("executorAddress", Cell::Text(log.executor_address)),
            ("executorHandler", Cell::Text(log.executor_handler)),
            ("executorParam", Cell::Text(log.executor_param)),
            ("executorShardingParam", Cell::Text(log.executor_sharding_param)),
            ("executorFailRetryCount", Cell::Number(log.executor_fail_retry_count.into())),
            ("triggerTime", self.run_date(log.trigger_time)),
            ("triggerCode", Cell::Number(log.trigger_code.into())),
            ("triggerMsg", Cell::Text(log.trigger_msg)),
            ("handleTime", self.run_date(log.handle_time)),
            ("handleCode", Cell::Number(log.handle_code.into())),
            ("handleMsg", Cell::Text(log.handle_msg)),
            ("alarmStatus", Cell::Number(log.alarm_status.into())),
        ])
    }

    /// A row of `xxl_job_user`. The password is always null, and so is the token, which in the Java admins is the login.
    pub fn user(&self, user: JobUser) -> Row {
        let mut cells = vec![
            ("id", Cell::Number(user.id.into())),
            ("username", Cell::Text(Some(user.username))),
            ("password", Cell::Text(None)),
        ];
        if self.dialect.is_3() {
            cells.push(("token", Cell::Text(None)));
        }
        cells.extend([("role", Cell::Number(user.role.into())), ("permission", Cell::Text(user.permission))]);
        self.row(cells)
    }
}

/// `2026-11-30T20:39:41.000+00:00`
pub(super) fn offset(at: EpochMs) -> String {
    Zone::utc().wall(at).strftime("%Y-%m-%dT%H:%M:%S.%3f+00:00").to_string()
}

/// A row of a table, with its keys in the order of the answer.
#[derive(Debug)]
pub struct Row(Vec<(&'static str, Cell)>);

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Cell {
    Number(i64),
    Text(Option<String>),
    List(Option<Vec<String>>),
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, cell) in &self.0 {
            map.serialize_entry(key, cell)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: EpochMs = 1_796_071_183_000;

    fn style(dialect: Dialect, dates: JsonDates) -> Style {
        Style { dialect, dates, zone: crate::config::parse_zone("Asia/Shanghai").unwrap() }
    }

    fn json(row: &Row) -> String {
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
            update_time: Some(AT),
        };
        let old = style(Dialect::V2, JsonDates::Offset);
        assert_eq!(
            json(&old.group(group.clone())),
            r#"{"id":3,"appname":"app-a","title":"A","addressType":1,"addressList":"http://h:1/,","updateTime":"2026-11-30T20:39:43.000+00:00","registryList":["http://h:1/"]}"#
        );
        assert_eq!(
            json(&style(Dialect::V3, JsonDates::Plain).group(group)),
            r#"{"addressList":"http://h:1/,","addressType":1,"appname":"app-a","id":3,"registryList":["http://h:1/"],"title":"A","updateTime":"2026-11-30 20:39:43"}"#
        );
        let empty = JobGroup { address_list: Some(" ".into()), ..JobGroup::default() };
        assert!(json(&old.group(empty)).ends_with(r#""updateTime":null,"registryList":null}"#));
    }

    #[test]
    fn plain_dates_of_runs_are_in_the_zone_of_the_process() {
        let log = || JobLog { trigger_time: Some(AT), ..JobLog::default() };
        let date = |dates| {
            let row = json(&style(Dialect::V3, dates).log(log()));
            row.split(r#""triggerTime":""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned()
        };
        assert_eq!(date(JsonDates::Plain), "2026-12-01 04:39:43");
        assert_eq!(date(JsonDates::Z), "2026-11-30T20:39:43.000Z");
        assert_eq!(date(JsonDates::Offset), "2026-11-30T20:39:43.000+00:00");
    }

    #[test]
    fn a_user_keeps_his_secrets() {
        let user = || JobUser {
            id: 3,
            username: "u".into(),
            password: "hash".into(),
            token: Some("live".into()),
            role: 0,
            permission: Some(String::new()),
        };
        for (dialect, row) in [
            (Dialect::V2, r#"{"id":3,"username":"u","password":null,"role":0,"permission":""}"#),
            (Dialect::V3_2, r#"{"id":3,"username":"u","password":null,"token":null,"role":0,"permission":""}"#),
            (Dialect::V3, r#"{"id":3,"password":null,"permission":"","role":0,"token":null,"username":"u"}"#),
        ] {
            assert_eq!(json(&style(dialect, JsonDates::Offset).user(user())), row);
        }
    }

    #[test]
    fn a_job_and_a_run_with_every_key() {
        let old = style(Dialect::V2, JsonDates::Offset);
        insta::assert_snapshot!(json(&old.job(JobInfo::default())), @r#"{"id":0,"jobGroup":0,"jobDesc":"","addTime":null,"updateTime":null,"author":null,"alarmEmail":null,"scheduleType":"","scheduleConf":null,"misfireStrategy":"","executorRouteStrategy":null,"executorHandler":null,"executorParam":null,"executorBlockStrategy":null,"executorTimeout":0,"executorFailRetryCount":0,"glueType":"","glueSource":null,"glueRemark":null,"glueUpdatetime":null,"childJobId":null,"triggerStatus":0,"triggerLastTime":0,"triggerNextTime":0}"#);
        insta::assert_snapshot!(json(&old.log(JobLog::default())), @r#"{"id":0,"jobGroup":0,"jobId":0,"executorAddress":null,"executorHandler":null,"executorParam":null,"executorShardingParam":null,"executorFailRetryCount":0,"triggerTime":null,"triggerCode":0,"triggerMsg":null,"handleTime":null,"handleCode":0,"handleMsg":null,"alarmStatus":0}"#);
    }
}
