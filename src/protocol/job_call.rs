//! The job calls of 3.5, which programs make to manage jobs: their names and their bodies.
//!
//! Mirrors the requests that `OpenApiController` of the unreleased release reads by Gson: fields that nobody knows are left
//! aside, numbers may come as text and texts as numbers, a number that is absent or null is 0, a text null. On purpose
//! otherwise: a call about one job must name it, so that nothing is done to a job 0.

use serde_json::{Map, Value};

use super::json::{self, BodyError};
use crate::model::JobInfo;

/// Which of the job calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobCallName {
    /// A new job.
    Add,
    /// An edit.
    Update,
    /// The end of a job.
    Remove,
    /// Start of its schedule.
    Start,
    /// Stop of its schedule.
    Stop,
    /// A run now.
    Trigger,
}

impl JobCallName {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Add, Self::Update, Self::Remove, Self::Start, Self::Stop, Self::Trigger];

    /// The segment behind `/api/`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "addJob",
            Self::Update => "updateJob",
            Self::Remove => "removeJob",
            Self::Start => "startJob",
            Self::Stop => "stopJob",
            Self::Trigger => "triggerJob",
        }
    }

    /// The call with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|call| call.as_str() == name)
    }
}

/// A job call with what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobCall {
    /// This new job; it stands still and has no children.
    Add(Box<JobInfo>),
    /// These fields for the job with this id. Group, children and script are not among them.
    Update(Box<JobInfo>),
    /// The end of the job with this id.
    Remove(i32),
    /// Start of its schedule.
    Start(i32),
    /// Stop of its schedule.
    Stop(i32),
    /// A run of it now.
    Trigger {
        /// The job.
        id: i32,
        /// In place of the job's parameter.
        param: Option<String>,
        /// In place of the addresses of its group.
        addresses: Option<String>,
    },
}

impl JobCall {
    /// Reads the body of a call.
    ///
    /// # Errors
    /// When it is no JSON object, or a field is something else than it should be.
    pub fn parse(name: JobCallName, body: &[u8]) -> Result<Self, BodyError> {
        let Value::Object(object) = json::parse(body)? else {
            return Err(BodyError::Shape("an object with the fields of the call"));
        };
        let mut fields = Fields(object);
        Ok(match name {
            JobCallName::Add => Self::Add(Box::new(JobInfo {
                job_group: fields.int("jobGroup")?,
                glue_type: fields.text("glueType")?.unwrap_or_default(),
                glue_source: fields.text("glueSource")?,
                glue_remark: fields.text("glueRemark")?,
                ..fields.job()?
            })),
            JobCallName::Update => Self::Update(Box::new(JobInfo { id: fields.id()?, ..fields.job()? })),
            JobCallName::Remove => Self::Remove(fields.id()?),
            JobCallName::Start => Self::Start(fields.id()?),
            JobCallName::Stop => Self::Stop(fields.id()?),
            JobCallName::Trigger => Self::Trigger {
                id: fields.id()?,
                param: fields.text("executorParam")?,
                addresses: fields.text("addressList")?,
            },
        })
    }
}

/// The fields of a body.
struct Fields(Map<String, Value>);

impl Fields {
    fn text(&mut self, name: &'static str) -> Result<Option<String>, BodyError> {
        match self.0.remove(name).unwrap_or_default() {
            Value::Array(_) | Value::Object(_) => Err(BodyError::Field { name, expected: "a text" }),
            value => Ok(json::scalar_text(value)),
        }
    }

    fn maybe_int(&mut self, name: &'static str) -> Result<Option<i32>, BodyError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = json::whole(&value).and_then(|number| i32::try_from(number).ok());
                number.map(Some).ok_or(BodyError::Field { name, expected: "a whole number of 32 bits" })
            }
        }
    }

    fn int(&mut self, name: &'static str) -> Result<i32, BodyError> {
        Ok(self.maybe_int(name)?.unwrap_or_default())
    }

    fn id(&mut self) -> Result<i32, BodyError> {
        self.maybe_int("id")?.ok_or(BodyError::Field { name: "id", expected: "the id of a job" })
    }

    /// What both `addJob` and `updateJob` say.
    fn job(&mut self) -> Result<JobInfo, BodyError> {
        Ok(JobInfo {
            job_desc: self.text("name")?.unwrap_or_default(),
            author: self.text("author")?,
            alarm_email: self.text("alarmEmail")?,
            schedule_type: self.text("scheduleType")?.unwrap_or_default(),
            schedule_conf: self.text("scheduleConf")?,
            misfire_strategy: self.text("misfireStrategy")?.unwrap_or_default(),
            executor_route_strategy: self.text("executorRouteStrategy")?,
            executor_handler: self.text("executorHandler")?,
            executor_param: self.text("executorParam")?,
            executor_block_strategy: self.text("executorBlockStrategy")?,
            executor_timeout: self.int("executorTimeout")?,
            executor_fail_retry_count: self.int("executorFailRetryCount")?,
            ..JobInfo::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn parse(name: JobCallName, body: &Value) -> Result<JobCall, String> {
        JobCall::parse(name, body.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn names_go_there_and_back() {
        for name in JobCallName::ALL {
            assert_eq!(JobCallName::parse(name.as_str()), Some(name));
        }
        for other in ["addjob", "registry", "loadJob", ""] {
            assert_eq!(JobCallName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn every_field_of_a_new_job_is_read_and_no_other() {
        let body = json!({
            "jobGroup": "3", "name": "d", "author": "a", "alarmEmail": "m", "scheduleType": "CRON",
            "scheduleConf": "0 0 0 * * ?", "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "FIRST",
            "executorHandler": "h", "executorParam": 5, "executorBlockStrategy": "SERIAL_EXECUTION",
            "executorTimeout": "-7", "executorFailRetryCount": 2.0, "glueType": "BEAN", "glueSource": "s",
            "glueRemark": "r", "id": 9, "childJobId": "1", "triggerStatus": 1, "triggerNextTime": 5, "jobDesc": "x",
        });
        let job = JobInfo {
            job_group: 3,
            job_desc: "d".into(),
            author: Some("a".into()),
            alarm_email: Some("m".into()),
            schedule_type: "CRON".into(),
            schedule_conf: Some("0 0 0 * * ?".into()),
            misfire_strategy: "DO_NOTHING".into(),
            executor_route_strategy: Some("FIRST".into()),
            executor_handler: Some("h".into()),
            executor_param: Some("5".into()),
            executor_block_strategy: Some("SERIAL_EXECUTION".into()),
            executor_timeout: -7,
            executor_fail_retry_count: 2,
            glue_type: "BEAN".into(),
            glue_source: Some("s".into()),
            glue_remark: Some("r".into()),
            ..JobInfo::default()
        };
        let edit = JobInfo {
            id: 9,
            job_group: 0,
            glue_type: String::new(),
            glue_source: None,
            glue_remark: None,
            ..job.clone()
        };
        assert_eq!(parse(JobCallName::Add, &body), Ok(JobCall::Add(Box::new(job))));
        assert_eq!(parse(JobCallName::Update, &body), Ok(JobCall::Update(Box::new(edit))));
        assert_eq!(parse(JobCallName::Add, &json!({})), Ok(JobCall::Add(Box::default())));
    }

    #[test]
    fn a_call_about_a_job_names_it() {
        assert_eq!(parse(JobCallName::Stop, &json!({"id": "7"})), Ok(JobCall::Stop(7)));
        let run = JobCall::Trigger { id: 7, param: None, addresses: Some("a,b".into()) };
        assert_eq!(
            parse(JobCallName::Trigger, &json!({"id": 7, "executorParam": null, "addressList": "a,b"})),
            Ok(run)
        );
        for (body, sentence) in [
            (json!({}), "the field 'id' must be the id of a job"),
            (json!({"id": null}), "the field 'id' must be the id of a job"),
            (json!({"id": "x"}), "the field 'id' must be a whole number of 32 bits"),
            (json!({"id": ""}), "the field 'id' must be a whole number of 32 bits"),
            (json!({"id": 1.5}), "the field 'id' must be a whole number of 32 bits"),
            (json!({"id": 2_147_483_648_i64}), "the field 'id' must be a whole number of 32 bits"),
            (json!({"id": [1]}), "the field 'id' must be a whole number of 32 bits"),
            (json!({"id": 1, "executorParam": {}}), "the field 'executorParam' must be a text"),
            (json!([1]), "the request body must be an object with the fields of the call"),
            (json!(null), "the request body must be an object with the fields of the call"),
        ] {
            assert_eq!(parse(JobCallName::Trigger, &body), Err(sentence.to_owned()), "{body}");
        }
    }

    fn name() -> impl Strategy<Value = JobCallName> {
        prop::sample::select(&JobCallName::ALL[..])
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(name in name(), body in prop::collection::vec(any::<u8>(), 0..60)) {
            // That it comes back at all is the point; what it says of bytes like these does not matter.
            let _ = JobCall::parse(name, &body);
        }

        #[test]
        fn numbers_mean_the_same_as_text(name in name(), id in any::<i32>(), count in any::<i32>()) {
            let numbers = json!({"id": id, "jobGroup": id, "executorTimeout": count, "executorParam": count});
            let texts = json!({
                "id": id.to_string(), "jobGroup": id.to_string(), "executorTimeout": count.to_string(),
                "executorParam": count.to_string(),
            });
            prop_assert!(parse(name, &numbers).is_ok());
            prop_assert_eq!(parse(name, &numbers), parse(name, &texts));
        }

        #[test]
        fn unknown_fields_change_nothing(name in name(), id in any::<i32>(), field in "x[a-zA-Z]{1,9}", text in ".{0,9}") {
            let mut body = json!({"id": id, "jobGroup": id, "name": &text});
            let plain = parse(name, &body);
            body[field] = json!({"a": [text]});
            prop_assert!(plain.is_ok());
            prop_assert_eq!(plain, parse(name, &body));
        }
    }
}
