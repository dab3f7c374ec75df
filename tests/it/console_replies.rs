//! The shape of every JSON answer, byte for byte but for times, on every database and generation of the tables.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

use crate::support::app::{TestApp, spawn_app_on};
use crate::support::db::{Engine, TestDb};
use crate::support::schema::Generation;

/// Keys whose values are times, or tell which release we resemble.
const VARYING: [&str; 8] = [
    "addTime",
    "updateTime",
    "glueUpdatetime",
    "triggerTime",
    "handleTime",
    "triggerNextTime",
    "triggerMsg",
    "alarmStatus",
];

const GROUP: &[(&str, &str)] =
    &[("appname", "app-a"), ("title", "A"), ("addressType", "1"), ("addressList", "http://127.0.0.1:1/,")];

const JOB: &[(&str, &str)] = &[
    ("jobDesc", "描述 <b>"),
    ("author", "a"),
    ("alarmEmail", ""),
    ("scheduleType", "FIX_RATE"),
    ("scheduleConf", "86400"),
    ("glueType", "GLUE_SHELL"),
    ("glueSource", "echo 1\r\n"),
    ("glueRemark", "first"),
    ("executorHandler", ""),
    ("executorParam", "p=1"),
    ("executorRouteStrategy", "ROUND"),
    ("misfireStrategy", "DO_NOTHING"),
    ("executorBlockStrategy", "DISCARD_LATER"),
    ("executorTimeout", "3"),
    ("executorFailRetryCount", "0"),
];

fn redact(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let is_set = !value.is_null() && (*value != 0 || key == "alarmStatus");
                if VARYING.contains(&key.as_str()) && is_set {
                    *value = Value::from("…");
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact),
        _ => {}
    }
}

/// What the calls are answered, one a line.
struct Transcript<'a> {
    app: &'a TestApp,
    admin: String,
    text: String,
}

impl Transcript<'_> {
    async fn call(&mut self, path: &str, form: &[(&str, &str)]) -> Value {
        let answer = self.app.call(path, form, &self.admin).await;
        let mut shown = answer.clone();
        redact(&mut shown);
        writeln!(self.text, "{path} {shown}").expect("a text grows");
        answer
    }

    async fn run_ends(&self) {
        for _ in 0..200 {
            let log = self.app.core.store.find_log(1).await.expect("an answer").expect("the run");
            if log.trigger_code != 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the run does not end");
    }
}

async fn transcript(app: &TestApp) -> String {
    let admin = app.admin().await;
    let mut t = Transcript { app, admin, text: String::new() };
    t.call("/jobgroup/save", GROUP).await;
    let groups = t.call("/jobgroup/pageList", &[("appname", "APP-a"), ("title", "a")]).await;
    let group = groups["data"][0]["id"].to_string();
    t.call("/jobgroup/loadById", &[("id", &group)]).await;
    t.call("/jobgroup/loadById", &[("id", "99")]).await;
    let mut automatic = GROUP.to_vec();
    automatic[2] = ("addressType", "0");
    automatic.push(("id", &group));
    t.call("/jobgroup/update", &automatic).await;
    t.call("/jobgroup/loadById", &[("id", &group)]).await;
    let mut job = JOB.to_vec();
    job.push(("jobGroup", &group));
    let id = t.call("/jobinfo/add", &job).await["content"].as_str().expect("an id").to_owned();
    let list = [("jobGroup", group.as_str()), ("triggerStatus", "-1"), ("jobDesc", "描述"), ("author", "A")];
    t.call("/jobinfo/pageList", &list).await;
    t.call("/jobinfo/start", &[("id", &id)]).await;
    job.push(("id", &id));
    job[4] = ("scheduleConf", "43200");
    t.call("/jobinfo/update", &job).await;
    t.call("/jobinfo/pageList", &[("jobGroup", &group), ("triggerStatus", "1"), ("executorHandler", "")]).await;
    t.call("/jobinfo/stop", &[("id", &id)]).await;
    t.call("/joblog/getJobsByGroup", &[("jobGroup", &group)]).await;
    t.call("/jobinfo/nextTriggerTime", &[("scheduleType", "CRON"), ("scheduleConf", "0 0 0 1 1 ? 2098")]).await;
    t.call("/jobinfo/nextTriggerTime", &[("scheduleType", "CRON"), ("scheduleConf", "abc")]).await;
    t.call("/jobinfo/trigger", &[("id", &id), ("executorParam", "x")]).await;
    t.run_ends().await;
    for status in ["0", "1", "2", "3"] {
        let filter = "2020-01-01 00:00:00 - 2090-01-01 00:00:00";
        let form = [("jobGroup", group.as_str()), ("jobId", &id), ("logStatus", status), ("filterTime", filter)];
        t.call("/joblog/pageList", &form).await;
    }
    t.call("/joblog/logDetailCat", &[("logId", "1"), ("fromLineNum", "1")]).await;
    t.call("/joblog/logDetailCat", &[("logId", "2"), ("fromLineNum", "1")]).await;
    t.call("/joblog/logKill", &[("id", "1")]).await;
    for kind in ["1", "5", "9", "10"] {
        t.call("/joblog/clearLog", &[("jobGroup", &group), ("jobId", "0"), ("type", kind)]).await;
    }
    t.call("/joblog/pageList", &[("jobGroup", &group), ("jobId", "0"), ("logStatus", "-1")]).await;
    t.call("/jobgroup/remove", &[("id", &group)]).await;
    t.call("/jobinfo/remove", &[("id", &id)]).await;
    t.call("/jobinfo/remove", &[("id", &id)]).await;
    t.call("/jobgroup/remove", &[("id", &group)]).await;
    t.call("/jobgroup/remove", &[("id", &group)]).await;
    t.call("/logout", &[]).await;
    // Ids depend on what the seed rows used.
    t.text
        .replace(&format!("\"id\":{group},\"appname\""), "\"id\":G,\"appname\"")
        .replace(&format!("\"jobGroup\":{group},"), "\"jobGroup\":G,")
        .replace(&format!("\"id\":{id},\"jobGroup\""), "\"id\":J,\"jobGroup\"")
        .replace(&format!("\"jobId\":{id},"), "\"jobId\":J,")
        .replace(&format!("\"content\":\"{id}\""), "\"content\":\"J\"")
}

#[tokio::test]
async fn answers_are_the_same_on_every_database() {
    let mut all = Vec::new();
    for engine in Engine::ALL {
        for generation in Generation::ALL {
            let Some(db) = TestDb::create(engine, generation).await else { continue };
            let app = spawn_app_on(db, |_| {}).await;
            all.push((format!("{engine:?} {generation:?}"), transcript(&app).await));
        }
    }
    let (_, first) = &all[0];
    insta::assert_snapshot!("dialect_2", first);
    for (name, text) in &all[1..] {
        assert_eq!(text, first, "{name}");
    }
}

#[tokio::test]
async fn children_that_lead_back_are_refused() {
    let db = TestDb::create(Engine::Sqlite, Generation::V3_4).await.expect("SQLite is always there");
    let app = spawn_app_on(db, |_| {}).await;
    let admin = app.admin().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let mut job = JOB.to_vec();
        job.push(("jobGroup", "1"));
        ids.push(app.call("/jobinfo/add", &job, &admin).await["content"].as_str().expect("an id").to_owned());
    }
    let [a, b, c] = &ids[..] else { panic!("three jobs") };
    let link = async |from: &str, to: &str| {
        let mut job = JOB.to_vec();
        job.extend([("jobGroup", "1"), ("id", from), ("childJobId", to)]);
        app.outcome("/jobinfo/update", &job, &admin).await
    };
    assert_eq!(link(a, &format!("{b},")).await, "200 -");
    assert_eq!(link(b, c).await, "200 -");
    assert_eq!(link(c, a).await, format!("500 子任务ID({a})非法"));
    assert_eq!(link(c, c).await, format!("500 子任务ID({c})非法"));
    assert_eq!(link(c, "99").await, "500 子任务ID(99)不存在");
    let stored = app.core.store.find_job(a.parse().expect("a number")).await.expect("an answer").expect("the job");
    assert_eq!(stored.child_jobid.as_ref(), Some(b));
}
