//! Who may call what: every path of the console × {nobody, a user without rights, a user of the group, administrator}.

use reqwest::Method;
use serde_json::Value;
use xxl_job_admin::config::settings::Dialect;
use xxl_job_admin::model::JobLog;
use xxl_job_admin::store::{LogFilter, LogOrder};
use xxl_job_admin::web::console_paths;

use crate::support::app::{SAMPLE_JOB, TestApp, spawn_app, spawn_app_with};

/// What a caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gets {
    /// 302 to the login page.
    Login,
    /// Code 200, or a list.
    Answer,
    /// A page or redirect.
    Page,
    /// A list without a row.
    Nothing,
    /// Code 500 in the envelope of an exception.
    RefusedLoudly,
    /// Code 500 in the plain envelope, with the text of the right that is missing.
    Refused,
    /// As if there were nothing.
    Unknown,
    /// Status 405.
    PostOnly,
    /// A page that says what is wrong.
    ErrorPage,
}

use Gets::{Answer, ErrorPage, Login, Nothing, Page, PostOnly, Refused, RefusedLoudly, Unknown};

/// Path, form, and what nobody, a user without rights and the administrator get.
type Line = (&'static str, &'static [(&'static str, &'static str)], Gets, Gets, Gets);

/// Every path. The job, its group and its run have the id 1; nothing in the table changes a row that a later line needs.
const TABLE: &[Line] = &[
    ("/", &[], Login, Page, Page),
    ("/toLogin", &[], Page, Page, Page),
    ("/login", &[], RefusedLoudly, RefusedLoudly, RefusedLoudly),
    ("/logout", &[], Answer, Answer, Answer),
    ("/help", &[], Login, Page, Page),
    ("/jobinfo", &[], Login, ErrorPage, Page),
    ("/joblog", &[], Login, ErrorPage, Page),
    ("/joblog", &[("jobId", "1")], Login, ErrorPage, Page),
    ("/joblog/logDetailPage", &[("id", "1")], Login, ErrorPage, Page),
    ("/jobcode", &[("jobId", "1")], Login, ErrorPage, ErrorPage),
    ("/jobgroup", &[], Login, ErrorPage, Page),
    ("/user", &[], Login, ErrorPage, Page),
    ("/chartInfo", &[], Login, Answer, Answer),
    ("/user/pageList", &[("role", "-1")], Login, RefusedLoudly, Answer),
    ("/user/add", &[("username", "table"), ("password", "secret")], Login, RefusedLoudly, Answer),
    ("/user/update", &[("id", "99"), ("username", "x")], Login, RefusedLoudly, Answer),
    ("/user/remove", &[("id", "99")], Login, RefusedLoudly, Answer),
    ("/user/updatePwd", &[("oldPassword", "wrong"), ("password", "other")], Login, RefusedLoudly, RefusedLoudly),
    ("/jobcode/save", &[("id", "1"), ("glueRemark", "table")], Login, RefusedLoudly, Answer),
    ("/jobgroup/pageList", &[], Login, RefusedLoudly, Answer),
    ("/jobgroup/save", &[("appname", "table"), ("title", "t")], Login, RefusedLoudly, Answer),
    (
        "/jobgroup/update",
        &[("id", "1"), ("appname", "xxl-job-executor-sample"), ("title", "t")],
        Login,
        RefusedLoudly,
        Answer,
    ),
    ("/jobgroup/loadById", &[("id", "1")], Login, RefusedLoudly, Answer),
    ("/jobgroup/remove", &[("id", "2")], Login, RefusedLoudly, Answer),
    ("/jobinfo/pageList", &[("jobGroup", "1"), ("triggerStatus", "-1")], Login, RefusedLoudly, Answer),
    ("/jobinfo/pageList", &[("jobGroup", "-1"), ("triggerStatus", "-1")], Login, Nothing, Answer),
    ("/jobinfo/pageList", &[("jobGroup", "0"), ("triggerStatus", "-1")], Login, Nothing, Answer),
    ("/jobinfo/add", SAMPLE_JOB, Login, RefusedLoudly, Answer),
    ("/jobinfo/update", SAMPLE_JOB, Login, RefusedLoudly, Answer),
    ("/jobinfo/start", &[("id", "1")], Login, Refused, Answer),
    ("/jobinfo/stop", &[("id", "1")], Login, Refused, Answer),
    ("/jobinfo/trigger", &[("id", "1")], Login, Refused, Answer),
    ("/jobinfo/nextTriggerTime", &[], Login, Answer, Answer),
    ("/joblog/pageList", &[("jobGroup", "1"), ("jobId", "1"), ("logStatus", "-1")], Login, RefusedLoudly, Answer),
    ("/joblog/pageList", &[("jobGroup", "0"), ("jobId", "0"), ("logStatus", "-1")], Login, RefusedLoudly, Answer),
    ("/joblog/getJobsByGroup", &[("jobGroup", "1")], Login, RefusedLoudly, Answer),
    ("/joblog/logDetailCat", &[("logId", "1"), ("fromLineNum", "1")], Login, Unknown, RefusedLoudly),
    ("/joblog/logKill", &[("id", "1")], Login, RefusedLoudly, RefusedLoudly),
    ("/joblog/clearLog", &[("jobGroup", "1"), ("jobId", "1"), ("type", "4")], Login, RefusedLoudly, Answer),
    ("/jobinfo/remove", &[("id", "1")], Login, Refused, Answer),
];

/// A taken run of job 1, as if an executor that is gone by now had accepted it.
async fn seed_run(app: &TestApp) -> JobLog {
    let id = app.add_run(1, 1, "http://127.0.0.1:1/").await;
    app.core.store.find_log(id).await.expect("an answer").expect("the run")
}

async fn gets(app: &TestApp, path: &str, form: &[(&str, &str)], cookie: Option<&str>) -> Gets {
    let answer = app.post(path, form, cookie).await;
    let status = answer.status().as_u16();
    let location = answer.headers().get("location").map(|location| location.to_str().expect("text").to_owned());
    match (status, location.as_deref()) {
        (302, Some("/xxl-job-admin/toLogin")) => return Login,
        (303, _) => return Page,
        (405, _) => return PostOnly,
        (200, None) => {}
        other => panic!("{path}: {other:?}"),
    }
    let content_type = answer.headers()["content-type"].to_str().expect("text").to_owned();
    let body = answer.text().await.expect("a body");
    if content_type.starts_with("text/html") {
        return if body.contains("<title>Error</title>") { ErrorPage } else { Page };
    }
    let json: Value = serde_json::from_str(&body).expect("JSON");
    let text = json["msg"].as_str().unwrap_or_default();
    match (json["code"].as_i64(), json["recordsTotal"].as_i64()) {
        (None, Some(0)) => Nothing,
        (Some(200), None) | (None, Some(_)) => Answer,
        (Some(500), None) if text == "权限拦截" => Refused,
        (Some(500), None) if text == "日志ID非法" => Unknown,
        (Some(500), None) => RefusedLoudly,
        _ => panic!("{path}: {body}"),
    }
}

#[tokio::test]
async fn every_path_asks_for_its_right() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    app.add_user("nobody-much", "").await;
    seed_run(&app).await;
    let (plain, admin) = (app.log_in("nobody-much", "secret").await, app.admin().await);
    // Two groups, so that one may go.
    app.call("/jobgroup/save", &[("appname", "spare"), ("title", "t")], &admin).await;
    let mut paths = console_paths(Dialect::V2);
    paths.retain(|path| !TABLE.iter().any(|(known, ..)| known == path));
    assert_eq!(paths, [""; 0], "paths without a line in the table");
    for (path, form, nobody, user, administrator) in TABLE {
        assert_eq!(gets(&app, path, form, None).await, *nobody, "nobody on {path}");
        if *path != "/logout" {
            assert_eq!(gets(&app, path, form, Some(&plain)).await, *user, "user on {path} {form:?}");
            assert_eq!(gets(&app, path, form, Some(&admin)).await, *administrator, "administrator on {path}");
        }
    }
    for path in ["/login", "/logout"] {
        let answer = app.request(Method::GET, path, None).send().await.expect("an answer");
        assert_eq!((answer.status().as_u16(), &answer.headers()["allow"]), (302, &"POST".parse().expect("text")));
        let answer = app.request(Method::GET, path, Some(&admin)).send().await.expect("an answer");
        assert_eq!(answer.status(), 405);
    }
}

#[tokio::test]
async fn a_foreign_job_stays_as_it_is_whatever_the_form_says() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    app.call("/jobgroup/save", &[("appname", "own-app"), ("title", "t")], &admin).await;
    let groups = app.call("/jobgroup/pageList", &[("appname", "own-app")], &admin).await;
    let own = groups["data"][0]["id"].to_string();
    app.add_user("owner", &own).await;
    let owner = app.log_in("owner", "secret").await;
    let before = app.core.store.find_job(1).await.expect("an answer");
    let mut form = SAMPLE_JOB.to_vec();
    form[1] = ("jobGroup", &own);
    assert_eq!(
        app.outcome("/jobinfo/update", &form, &owner).await,
        "500 java.lang.RuntimeException: 权限拦截[username=owner]"
    );
    // Into a foreign group neither.
    let id = app.call("/jobinfo/add", &form, &owner).await["content"].as_str().expect("an id").to_owned();
    let mut form = SAMPLE_JOB.to_vec();
    form[0] = ("id", &id);
    assert!(app.outcome("/jobinfo/update", &form, &owner).await.starts_with("500 java.lang.RuntimeException"));
    // Nor as a child.
    form[1] = ("jobGroup", &own);
    form.push(("childJobId", "1"));
    assert_eq!(app.outcome("/jobinfo/update", &form, &owner).await, "500 子任务ID(1)权限拦截");
    assert_eq!(app.core.store.find_job(1).await.expect("an answer"), before);
    // "All" are one's own.
    let all = app.call("/jobinfo/pageList", &[("jobGroup", "-1"), ("triggerStatus", "-1")], &owner).await;
    assert_eq!(all["recordsTotal"], 1);
    assert_eq!(all["data"][0]["id"].to_string(), id);
}

#[tokio::test]
async fn foreign_runs_look_like_none_and_stay() {
    let app = spawn_app().await;
    app.add_user("owner", "7").await;
    let owner = app.log_in("owner", "secret").await;
    let log = seed_run(&app).await;
    for id in ["1", "2", "99"] {
        let form = [("logId", id), ("fromLineNum", "1")];
        assert_eq!(app.outcome("/joblog/logDetailCat", &form, &owner).await, "500 日志ID非法", "{id}");
    }
    let clear = [("jobGroup", "7"), ("jobId", "0"), ("type", "9")];
    assert_eq!(app.outcome("/joblog/clearLog", &clear, &owner).await, "200 -");
    let form = [("jobGroup", "7"), ("jobId", "1"), ("logStatus", "-1")];
    assert!(app.outcome("/joblog/pageList", &form, &owner).await.starts_with("500 "));
    let (logs, _) = app.core.store.page_logs(&LogFilter::default(), LogOrder::Id, 0, 10).await.expect("runs");
    assert_eq!(logs, [log]);
}

#[tokio::test]
async fn the_seed_password_is_for_this_machine() {
    let app = spawn_app().await;
    let login = |header: Option<(&'static str, &'static str)>| {
        let form = "userName=admin&password=123456";
        let request = app.request(Method::POST, "/login", None);
        let request = request.header("Content-Type", "application/x-www-form-urlencoded").body(form);
        let request = header.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        async move { request.send().await.expect("an answer").text().await.expect("a body") }
    };
    assert!(login(None).await.contains("\"code\":200"));
    for name in ["Forwarded", "X-Forwarded-For", "X-Real-IP"] {
        let refused = login(Some((name, "192.0.2.1"))).await;
        assert!(refused.contains("\"code\":500") && refused.contains("security.seed-password"), "{refused}");
    }
    let open = spawn_app_with(|settings| {
        settings.security.seed_password = xxl_job_admin::config::settings::SeedPassword::Allow;
    })
    .await;
    let request = open.request(Method::POST, "/login?userName=admin&password=123456", None);
    let answer = request.header("X-Forwarded-For", "192.0.2.1").send().await.expect("an answer");
    assert!(answer.text().await.expect("a body").contains("\"code\":200"));
}

#[tokio::test]
async fn scripts_and_addresses_are_kept_from_users_by_settings() {
    use xxl_job_admin::config::settings::{Glue, TriggerAddresses};
    let app = spawn_app_with(|settings| {
        settings.security.glue = Glue::Admin;
        settings.security.trigger_addresses = TriggerAddresses::Admin;
    })
    .await;
    app.add_user("owner", "1").await;
    let (owner, admin) = (app.log_in("owner", "secret").await, app.admin().await);
    let mut script = SAMPLE_JOB.to_vec();
    script[6] = ("glueType", "GLUE_SHELL");
    assert!(app.outcome("/jobinfo/add", &script, &owner).await.starts_with("500 "));
    assert_eq!(app.outcome("/jobinfo/add", SAMPLE_JOB, &owner).await, "200 -");
    assert_eq!(app.outcome("/jobinfo/add", &script, &admin).await, "200 -");
    let elsewhere = [("id", "1"), ("addressList", "http://127.0.0.1:1/")];
    assert_eq!(app.outcome("/jobinfo/trigger", &elsewhere, &owner).await, "500 机器地址非法");
    assert_eq!(app.outcome("/jobinfo/trigger", &elsewhere, &admin).await, "200 -");
}

#[tokio::test]
async fn a_logout_ends_one_login_and_a_password_change_all() {
    let app = spawn_app().await;
    let (one, two) = (app.admin().await, app.admin().await);
    assert_eq!(app.outcome("/logout", &[], &one).await, "200 -");
    assert_eq!(gets(&app, "/jobgroup/pageList", &[], Some(&one)).await, Login);
    assert_eq!(gets(&app, "/jobgroup/pageList", &[], Some(&two)).await, Answer);
    // The cookie of a Java admin of 2.x is a password hash; it opens nothing.
    let java = hex::encode(
        r#"{"id":1,"username":"admin","password":"e10adc3949ba59abbe56e057f20f883e","role":1,"permission":null}"#,
    );
    assert_eq!(gets(&app, "/jobgroup/pageList", &[], Some(&java)).await, Login);
}

#[tokio::test]
async fn a_changed_user_has_his_new_rights_and_password_at_once() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let admin = app.admin().await;
    let form = [("username", " owner "), ("password", " secret "), ("role", "0"), ("permission", "1")];
    assert_eq!(app.outcome("/user/add", &form, &admin).await, "200 -");
    let id =
        app.call("/user/pageList", &[("username", "OWN"), ("role", "0")], &admin).await["data"][0]["id"].to_string();
    let owner = app.log_in("owner", "secret").await;
    let list = [("jobGroup", "1"), ("triggerStatus", "-1")];
    assert_eq!(gets(&app, "/jobinfo/pageList", &list, Some(&owner)).await, Answer);
    let edit = [("id", id.as_str()), ("username", "owner"), ("role", "0"), ("permission", "2")];
    assert_eq!(app.outcome("/user/update", &edit, &admin).await, "200 -");
    assert_eq!(gets(&app, "/jobinfo/pageList", &list, Some(&owner)).await, RefusedLoudly);
    let edit = [("id", id.as_str()), ("username", "owner"), ("password", "another"), ("permission", "1")];
    assert_eq!(app.outcome("/user/update", &edit, &admin).await, "200 -");
    assert_eq!(gets(&app, "/help", &[], Some(&owner)).await, Login, "the login has ended");
    let (owner, second) = (app.log_in("owner", "another").await, app.log_in("owner", "another").await);
    let own = [("oldPassword", "another"), ("password", " the third ")];
    assert_eq!(app.outcome("/user/updatePwd", &own, &owner).await, "200 -");
    assert_eq!(gets(&app, "/help", &[], Some(&owner)).await, Login);
    assert_eq!(gets(&app, "/help", &[], Some(&second)).await, Login);
    let owner = app.log_in("owner", "the third").await;
    assert_eq!(app.outcome("/user/remove", &[("id", &id)], &admin).await, "200 -");
    assert_eq!(gets(&app, "/help", &[], Some(&owner)).await, Login, "a user who is gone");
}
