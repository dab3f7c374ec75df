//! The job calls of 3.5 under `/api`, as a program makes them.

use std::fmt::Write as _;

use futures_util::future::join_all;
use serde_json::{Value, json};
use xxl_job_admin::config::profile::Release;
use xxl_job_admin::config::settings::{Glue, Settings, TriggerAddresses};
use xxl_job_admin::model::JobInfo;

use crate::support::app::{TOKEN, TestApp, spawn_app_on};
use crate::support::db::{Engine, TestDb};
use crate::support::log;
use crate::support::running::until;
use crate::support::schema::Generation;

const NAMES: [&str; 6] = ["addJob", "updateJob", "removeJob", "startJob", "stopJob", "triggerJob"];

/// Groups of [`app_on`].
const OWN: i32 = 101;
const FOREIGN: i32 = 102;

/// An admin with the apps `app-own`, whose token is `own-token`, and `app-foreign`, which has the shared one alone.
async fn app_on(db: TestDb, change: impl FnOnce(&mut Settings)) -> TestApp {
    let mut connection = db.connect().await;
    connection.add_group(OWN, "app-own", Some("http://127.0.0.1:1/")).await;
    connection.add_group(FOREIGN, "app-foreign", Some("http://127.0.0.1:1/")).await;
    drop(connection);
    spawn_app_on(db, |settings| {
        settings.executor.tokens.insert("app-own".into(), "own-token".into());
        change(settings);
    })
    .await
}

async fn app_with(change: impl FnOnce(&mut Settings)) -> TestApp {
    let db = TestDb::create(Engine::Sqlite, Generation::V3_4).await.expect("SQLite is always there");
    app_on(db, change).await
}

/// A program that makes calls.
#[derive(Clone, Copy)]
struct Program<'a> {
    admin: &'a TestApp,
    app: Option<&'a str>,
    token: Option<&'a str>,
}

impl<'a> Program<'a> {
    fn new(admin: &'a TestApp, app: &'a str, token: &'a str) -> Self {
        Self { admin, app: Some(app), token: Some(token) }
    }

    /// Whoever shows the shared token.
    fn shared(admin: &'a TestApp) -> Self {
        Self::new(admin, "app-foreign", TOKEN)
    }

    /// Whoever shows the token of one app.
    fn own(admin: &'a TestApp) -> Self {
        Self::new(admin, "app-own", "own-token")
    }

    fn post(&self, url: String, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let mut request = self.admin.client.post(url).header("Content-Type", "application/json").body(body);
        for (name, value) in [("XXL-JOB-ACCESS-TOKEN", self.token), ("XXL-JOB-APPNAME", self.app)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        request
    }

    /// The answer, byte for byte.
    async fn text(&self, name: &str, body: impl Into<reqwest::Body>) -> String {
        let url = format!("{}/api/{name}", self.admin.base_url);
        let answer = self.post(url, body).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{name}");
        assert_eq!(answer.headers()["content-type"], "application/json", "{name}");
        answer.text().await.expect("a body")
    }

    async fn call(&self, name: &str, body: &Value) -> Value {
        let text = self.text(name, body.to_string()).await;
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let keys: Vec<&String> = answer.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["code", "data", "msg", "success"], "{text}");
        assert_eq!(answer["success"], answer["code"] == 200, "{text}");
        answer
    }

    /// `code data msg`
    async fn outcome(&self, name: &str, body: &Value) -> String {
        let answer = self.call(name, body).await;
        let word = |key: &str| answer[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", answer["code"], word("data"), word("msg"))
    }

    async fn add(&self, body: &Value) -> i32 {
        let answer = self.call("addJob", body).await;
        answer["data"].as_str().unwrap_or_else(|| panic!("no id: {answer}")).parse().expect("a number")
    }
}

fn job(group: i32) -> Value {
    json!({
        "jobGroup": group, "name": "nightly", "author": "ops", "alarmEmail": "a@b", "scheduleType": "CRON",
        "scheduleConf": "0 0 0 1 1 ? 2099", "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "FIRST",
        "executorHandler": " h ", "executorParam": "p", "executorBlockStrategy": "SERIAL_EXECUTION",
        "executorTimeout": "30", "executorFailRetryCount": 0, "glueType": "BEAN", "glueRemark": "first",
    })
}

/// The same with other fields.
fn with(mut body: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().expect("fields") {
        body[name] = value.clone();
    }
    body
}

async fn stored(admin: &TestApp, id: i32) -> Option<JobInfo> {
    admin.core.store.find_job(id).await.expect("an answer")
}

async fn stored_job(admin: &TestApp, id: i32) -> JobInfo {
    stored(admin, id).await.expect("the job")
}

/// A job's life by calls; what was answered, one a line.
async fn life(admin: &TestApp) -> String {
    let program = Program::own(admin);
    let mut transcript = String::new();
    let mut note = |what: &str, outcome: String| writeln!(transcript, "{what}: {outcome}").expect("a text grows");

    // State and children are not taken.
    let extra = json!({"triggerStatus": 1, "triggerNextTime": 5, "childJobId": "1", "id": 7, "unknown": [1]});
    let id = program.add(&with(job(OWN), &extra)).await;
    let new = stored_job(admin, id).await;
    let wanted = JobInfo {
        id,
        job_group: OWN,
        job_desc: "nightly".into(),
        add_time: new.add_time,
        update_time: new.add_time,
        author: Some("ops".into()),
        alarm_email: Some("a@b".into()),
        schedule_type: "CRON".into(),
        schedule_conf: Some("0 0 0 1 1 ? 2099".into()),
        misfire_strategy: "DO_NOTHING".into(),
        executor_route_strategy: Some("FIRST".into()),
        executor_handler: Some("h".into()),
        executor_param: Some("p".into()),
        executor_block_strategy: Some("SERIAL_EXECUTION".into()),
        executor_timeout: 30,
        executor_fail_retry_count: 0,
        glue_type: "BEAN".into(),
        glue_source: None,
        glue_remark: Some("first".into()),
        glue_updatetime: new.add_time,
        child_jobid: None,
        trigger_status: 0,
        trigger_last_time: 0,
        trigger_next_time: 0,
    };
    assert_eq!(new, wanted);
    assert!(new.add_time.is_some());

    note("start", program.outcome("startJob", &json!({"id": id.to_string()})).await);
    let started = stored_job(admin, id).await;
    assert_eq!(started.trigger_status, 1);
    assert!(started.trigger_next_time > admin.core.clock.now_ms());

    // What an edit does not name stays; group and children do even when it names them.
    let sql = format!("UPDATE xxl_job_info SET child_jobid = '{id}' WHERE id = {id}");
    admin.db.connect().await.execute(&sql).await;
    let edit = json!({
        "id": id, "name": "weekly", "jobGroup": FOREIGN, "childJobId": "", "scheduleConf": "0 0 0 1 2 ? 2099",
        "glueType": "GLUE_SHELL", "glueSource": "x", "glueRemark": "y", "alarmEmail": null, "executorTimeout": null,
    });
    note("update", program.outcome("updateJob", &with(job(0), &edit)).await);
    let edited = stored_job(admin, id).await;
    let wanted = JobInfo {
        job_desc: "weekly".into(),
        schedule_conf: Some("0 0 0 1 2 ? 2099".into()),
        alarm_email: None,
        executor_timeout: 0,
        child_jobid: Some(id.to_string()),
        update_time: edited.update_time,
        trigger_next_time: edited.trigger_next_time,
        ..started.clone()
    };
    assert_eq!(edited, wanted);
    assert!(edited.trigger_next_time > started.trigger_next_time);

    note(
        "update, past",
        program.outcome("updateJob", &with(job(0), &json!({"id": id, "scheduleConf": "0 0 0 1 1 ? 2020"}))).await,
    );
    note("update, no name", program.outcome("updateJob", &with(job(0), &json!({"id": id, "name": " "}))).await);
    note("update, gone", program.outcome("updateJob", &with(job(0), &json!({"id": 999}))).await);
    note(
        "update, no conf",
        program
            .outcome("updateJob", &with(job(0), &json!({"id": id, "scheduleType": "NONE", "scheduleConf": null})))
            .await,
    );
    note(
        "update, no handler",
        program.outcome("updateJob", &with(job(0), &json!({"id": id, "executorHandler": null}))).await,
    );
    note("add, foreign group", program.outcome("addJob", &job(999)).await);
    note("add, no group", Program::shared(admin).outcome("addJob", &job(999)).await);
    note("add, bad cron", program.outcome("addJob", &with(job(OWN), &json!({"scheduleConf": "x"}))).await);
    assert_eq!(stored_job(admin, id).await, edited);

    note(
        "trigger",
        program.outcome("triggerJob", &json!({"id": id, "executorParam": null, "addressList": null})).await,
    );
    note("trigger, param", program.outcome("triggerJob", &json!({"id": id, "executorParam": "q"})).await);
    note("trigger, gone", program.outcome("triggerJob", &json!({"id": 999})).await);
    let sql = format!("SELECT executor_param FROM xxl_job_log WHERE job_id = {id} ORDER BY id");
    let params = admin.db.connect().await.texts(&sql).await;
    assert_eq!(params, [[Some(String::new())], [Some("q".to_owned())]]);

    note("stop", program.outcome("stopJob", &json!({"id": id})).await);
    let stopped = stored_job(admin, id).await;
    assert_eq!((stopped.trigger_status, stopped.trigger_next_time), (0, 0));
    note("stop, gone", program.outcome("stopJob", &json!({"id": 999})).await);
    note("start, gone", program.outcome("startJob", &json!({"id": 999})).await);
    let never = program.add(&with(job(OWN), &json!({"scheduleType": "NONE"}))).await;
    note("start, never", program.outcome("startJob", &json!({"id": never})).await);

    note("remove", program.outcome("removeJob", &json!({"id": id})).await);
    assert_eq!(stored(admin, id).await, None);
    note("remove, gone", program.outcome("removeJob", &json!({"id": id})).await);
    transcript
}

#[tokio::test]
async fn a_job_lives_by_calls_on_every_database_and_schema() {
    for engine in Engine::ALL {
        for generation in Generation::ALL {
            let Some(db) = TestDb::create(engine, generation).await else { continue };
            let admin = app_on(db, |_| {}).await;
            let transcript = life(&admin).await;
            assert_eq!(
                transcript,
                "start: 200 - Success\n\
                 update: 200 - Success\n\
                 update, past: 500 - 调度类型非法\n\
                 update, no name: 500 - 请输入任务描述\n\
                 update, gone: 500 - 任务ID不存在\n\
                 update, no conf: 500 - openapi invoke error: the parameter 'scheduleConf' is missing\n\
                 update, no handler: 500 - openapi invoke error: the parameter 'executorHandler' is missing; it may be empty\n\
                 add, foreign group: 500 - 权限拦截\n\
                 add, no group: 500 - 请选择执行器\n\
                 add, bad cron: 500 - Cron非法\n\
                 trigger: 200 - Success\n\
                 trigger, param: 200 - Success\n\
                 trigger, gone: 500 - 任务ID非法\n\
                 stop: 200 - Success\n\
                 stop, gone: 500 - 任务ID非法\n\
                 start, gone: 500 - 任务ID非法\n\
                 start, never: 500 - 当前调度类型禁止启动\n\
                 remove: 200 - Success\n\
                 remove, gone: 200 - Success\n",
                "{engine:?} {generation:?}"
            );
        }
    }
}

/// Every call × every token × a job of either group: who may, does; who may not, changes nothing.
#[tokio::test]
async fn a_token_reaches_the_groups_of_its_app_alone() {
    for engine in Engine::ALL {
        let Some(db) = TestDb::create(engine, Generation::V3_4).await else { continue };
        let mut connection = db.connect().await;
        // A second group of the same app, and one whose name differs in case alone.
        connection.add_group(103, "app-own", None).await;
        connection.add_group(104, "APP-OWN", None).await;
        drop(connection);
        let admin = app_on(db, |_| {}).await;
        let (shared, own) = (Program::shared(&admin), Program::own(&admin));
        let shared_as_own = Program::new(&admin, "app-own", TOKEN);
        let groups = [(OWN, true), (FOREIGN, false), (103, true), (104, false)];
        for (program, reaches_all) in [(shared, true), (own, false), (shared_as_own, true)] {
            for (group, is_own) in groups {
                let id = shared.add(&job(group)).await;
                for name in ["addJob", "updateJob", "startJob", "stopJob", "triggerJob", "removeJob"] {
                    let before = stored(&admin, id).await;
                    let count = admin.core.store.jobs_of_group(group).await.expect("jobs").len();
                    let answer = program.call(name, &with(job(group), &json!({"id": id, "name": "other"}))).await;
                    let case = format!("{engine:?} {name} in {group} by {:?} {:?}", program.app, program.token);
                    if reaches_all || is_own {
                        assert_eq!(answer["code"], 200, "{case}: {answer}");
                    } else {
                        assert_eq!((&answer["code"], &answer["msg"]), (&json!(500), &json!("权限拦截")), "{case}");
                        assert_eq!(stored(&admin, id).await, before, "{case}");
                        let jobs = admin.core.store.jobs_of_group(group).await.expect("jobs");
                        assert_eq!(jobs.len(), count, "{case}");
                    }
                }
            }
        }
    }
}

/// The refusals, the same whatever release the tables are of.
#[tokio::test]
async fn headers_tokens_and_bodies_are_checked_as_by_3_5() {
    for release in [Release::V2_4, Release::V3_2, Release::V3_4] {
        let admin = app_with(|settings| settings.compat.release = Some(release)).await;
        let good = Program::own(&admin);
        let empty =
            r#"{"code":500,"data":null,"msg":"invalid request, accessToken or appname is empty.","success":false}"#;
        let invalid =
            r#"{"code":500,"data":null,"msg":"invalid request, accessToken or appname invalid.","success":false}"#;
        for name in NAMES {
            for program in [
                Program { app: None, ..good },
                Program { app: Some(""), ..good },
                Program { token: None, ..good },
                Program { token: Some(""), ..good },
                Program { app: None, token: None, ..good },
            ] {
                assert_eq!(program.text(name, "{}").await, empty, "{name} {:?} {:?}", program.app, program.token);
            }
            for program in [
                Program { token: Some("wrong"), ..good },
                Program { app: Some("app-foreign"), ..good },
                Program { app: Some("no-such-app"), ..good },
                // The shared token opens nothing for an app that no group has.
                Program::new(&admin, "no-such-app", TOKEN),
            ] {
                assert_eq!(program.text(name, "{}").await, invalid, "{name} {:?} {:?}", program.app, program.token);
            }
            let no_body = r#"{"code":500,"data":null,"msg":"invalid request, requestBody empty.","success":false}"#;
            assert_eq!(Program { token: None, ..good }.text(name, " \n").await, no_body, "{name}");
            for bad in
                ["null", "[]", "5", "{", "x", "\"a\"", r#"{"id":1.5,"jobGroup":"x"}"#, r#"{"id":{},"jobGroup":[]}"#]
            {
                let answer = good.text(name, bad).await;
                let refused = answer.starts_with(r#"{"code":500,"data":null,"msg":"openapi invoke error: the "#);
                assert!(refused, "{name} {bad}: {answer}");
            }
            let url = format!("{}/api/{name}", admin.base_url);
            let get = admin.client.get(&url).send().await.expect("an answer").text().await.expect("a body");
            assert!(get.contains("invalid request, HttpMethod not support."), "{get}");
            let form = good.post(url, "id=1").header("Content-Type", "application/x-www-form-urlencoded");
            assert_eq!(form.send().await.expect("an answer").status(), 200, "{name}");
        }
        let other = Program::shared(&admin).text("nope", "{}").await;
        assert!(other.contains("uri-mapping(nope) not found."), "{other}");
    }
}

#[tokio::test]
async fn without_a_shared_token_only_the_token_of_an_app_opens() {
    let admin = app_with(|settings| settings.job.access_token = "".into()).await;
    let invalid = "500 - invalid request, accessToken or appname invalid.";
    for token in ["anything", TOKEN, "x"] {
        let program = Program::new(&admin, "app-foreign", token);
        assert_eq!(program.outcome("addJob", &job(FOREIGN)).await, invalid, "{token}");
    }
    Program::own(&admin).add(&job(OWN)).await;
}

#[tokio::test]
async fn calls_are_served_below_the_context_path_and_at_the_root() {
    let admin = app_with(|_| {}).await;
    let root = admin.base_url.strip_suffix("/xxl-job-admin").expect("the context path");
    for base in [root, &admin.base_url] {
        let request = Program::own(&admin).post(format!("{base}/api/addJob"), job(OWN).to_string());
        let answer = request.send().await.expect("an answer").text().await.expect("a body");
        assert!(answer.starts_with(r#"{"code":200,"data":""#), "{base}: {answer}");
    }
}

#[tokio::test]
async fn each_app_has_a_bucket_of_its_own() {
    let admin = app_with(|_| {}).await;
    let own = Program::own(&admin);
    let gone = with(job(OWN), &json!({"id": 999, "jobGroup": 999}));
    // One bucket for all six.
    let calls = NAMES.iter().cycle().take(240).map(|name| async { (*name, own.outcome(name, &gone).await) });
    let outcomes = join_all(calls).await;
    let too_many = "502 - Too many requests, please try again later.";
    let refused: Vec<&str> = outcomes.iter().filter(|(_, what)| what == too_many).map(|(name, _)| *name).collect();
    // More than the hundred come while the calls are being made, one each 300 ms.
    assert!((10..=140).contains(&refused.len()), "{}", refused.len());
    assert!(NAMES.iter().all(|name| refused.contains(name)), "{refused:?}");
    // The other app has its own.
    let stop = json!({"id": 999});
    assert_eq!(Program::shared(&admin).outcome("stopJob", &stop).await, "500 - 任务ID非法");
}

#[tokio::test]
async fn a_program_is_no_administrator_where_settings_ask_for_one() {
    let admin = app_with(|settings| {
        settings.security.glue = Glue::Admin;
        settings.security.trigger_addresses = TriggerAddresses::Admin;
    })
    .await;
    let script = with(job(OWN), &json!({"glueType": "GLUE_SHELL", "glueSource": "echo 1\r\n"}));
    for program in [Program::own(&admin), Program::shared(&admin)] {
        assert_eq!(program.outcome("addJob", &script).await, "500 - 权限拦截");
    }
    let id = Program::own(&admin).add(&job(OWN)).await;
    let elsewhere = json!({"id": id, "addressList": "http://127.0.0.1:2/"});
    assert_eq!(Program::shared(&admin).outcome("triggerJob", &elsewhere).await, "500 - 机器地址非法");
    let known = json!({"id": id, "addressList": "http://127.0.0.1:1"});
    assert_eq!(Program::own(&admin).outcome("triggerJob", &known).await, "200 - Success");
}

#[tokio::test]
async fn scripts_and_addresses_go_where_settings_let_them() {
    let admin = app_with(|settings| settings.security.trigger_addresses = TriggerAddresses::Any).await;
    let own = Program::own(&admin);
    let id = own.add(&with(job(OWN), &json!({"glueType": "GLUE_SHELL", "glueSource": "echo 1\r\n"}))).await;
    assert_eq!(stored_job(&admin, id).await.glue_source.as_deref(), Some("echo 1\n"));
    let elsewhere = json!({"id": id, "executorParam": "x", "addressList": "http://127.0.0.1:2/"});
    assert_eq!(own.outcome("triggerJob", &elsewhere).await, "200 - Success");
    let address = until("the run's address", async || {
        admin.core.store.find_log(1).await.expect("an answer").and_then(|log| log.executor_address)
    })
    .await;
    assert_eq!(address, "http://127.0.0.1:2/");
}

#[tokio::test]
async fn every_change_is_in_the_audit_log_with_the_app() {
    log::keep();
    let admin = app_with(|settings| {
        settings.executor.tokens.insert("app-audited".into(), "secret-of-audited".into());
    })
    .await;
    admin.db.connect().await.add_group(105, "app-audited", None).await;
    let program = Program::new(&admin, "app-audited", "secret-of-audited");
    let id = program.add(&job(105)).await;
    for name in ["updateJob", "startJob", "stopJob", "triggerJob", "removeJob"] {
        assert_eq!(program.call(name, &with(job(105), &json!({"id": id}))).await["code"], 200, "{name}");
    }
    assert_eq!(program.outcome("addJob", &job(OWN)).await, "500 - 权限拦截");
    let lines = log::lines_with("app-audited");
    for action in ["add", "update", "start", "stop", "trigger", "remove"] {
        let wanted = format!("action=\"jobinfo {action}\"");
        let found = lines.lines().any(|line| line.contains(&wanted) && line.contains("from=\"127.0.0.1\""));
        assert!(found, "{action}: {lines}");
    }
    assert!(lines.contains("action=\"refused\""), "{lines}");
    assert!(!log::all().contains("secret-of-audited"));
}
