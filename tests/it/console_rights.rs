//! The table of rights: every path of each dialect × {nobody, a user without rights, a user of another group, a user of
//! the group, administrator}. Each answer must have the form of its dialect and no other.

use serde_json::Value;
use xxl_job_admin::config::settings::Dialect;
use xxl_job_admin::web::console_paths;

use crate::support::app::{SAMPLE_JOB, TestApp, spawn_app};

/// What a caller gets, whatever the dialect writes it like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gets {
    /// Success, or a list with rows.
    Done,
    /// A list without a row.
    Nothing,
    /// A failure that has nothing to do with rights.
    Fails,
    /// A page, or the way to one.
    Page,
    /// A page that says what is wrong.
    NoPage,
    /// The refusal of who is no administrator.
    NotAdmin,
    /// The refusal of who may not use the group, with his name.
    NoGroup,
    /// The same without a name.
    Barred,
    /// What is said of a run that is not there.
    Unseen,
}

use Gets::{Barred, Done, Fails, NoGroup, NoPage, NotAdmin, Nothing, Page, Unseen};

/// Names of a call in the dialects, form, and what a user without rights, one of another group, one of the group and the
/// administrator get.
type Line = (&'static [&'static str], &'static [(&'static str, &'static str)], [Gets; 4]);

/// For administrators alone.
const ADMIN: [Gets; 4] = [NotAdmin, NotAdmin, NotAdmin, Done];
/// A page for administrators alone.
const ADMIN_PAGE: [Gets; 4] = [NoPage, NoPage, NoPage, Page];
/// For those who may use the group.
const GROUP: [Gets; 4] = [NoGroup, NoGroup, Done, Done];
/// The same, where the refusal names nobody.
const GROUP_BARE: [Gets; 4] = [Barred, Barred, Done, Done];
/// For those who may use the group, where others are told of administrators.
const LOOK_UP: [Gets; 4] = [NotAdmin, NotAdmin, Done, Done];
/// A page for those who may use the group.
const GROUP_PAGE: [Gets; 4] = [NoPage, NoPage, Page, Page];
/// A page for everybody who has a group.
const SOME_GROUP_PAGE: [Gets; 4] = [NoPage, Page, Page, Page];

/// Job, group and run 1 belong together; group 2 is the other one. Nothing changes a row that a later line needs.
const TABLE: &[Line] = &[
    (&["/", "/dashboard", "/help"], &[], [Page; 4]),
    (&["/toLogin", "/auth/login"], &[], [Page; 4]),
    (&["/errorpage"], &[], [NoPage; 4]),
    (&["/login", "/auth/doLogin"], &[("userName", "nobody"), ("password", "x")], [Fails; 4]),
    (&["/jobinfo", "/joblog"], &[], SOME_GROUP_PAGE),
    (&["/joblog/logDetailPage"], &[("id", "1")], GROUP_PAGE),
    (&["/jobcode"], &[("jobId", "1")], GROUP_PAGE),
    (&["/jobgroup", "/user"], &[], ADMIN_PAGE),
    (&["/chartInfo"], &[("startDate", "2020-01-01 00:00:00"), ("endDate", "2020-01-07 23:59:59")], [Done; 4]),
    (&["/user/pageList"], &[("username", ""), ("role", "-1")], ADMIN),
    (&["/user/add", "/user/insert"], &[("username", "table"), ("password", "secret"), ("role", "0")], ADMIN),
    (&["/user/update"], &[("id", "99"), ("username", "table"), ("role", "0")], ADMIN),
    (&["/user/remove", "/user/delete"], &[("id", "99")], ADMIN),
    (&["/user/updatePwd", "/auth/updatePwd"], &[("oldPassword", "wrong"), ("password", "other")], [Fails; 4]),
    (&["/jobcode/save"], &[("id", "1"), ("glueSource", "echo"), ("glueRemark", "table")], GROUP),
    (&["/jobgroup/pageList"], &[("appname", ""), ("title", "")], ADMIN),
    (&["/jobgroup/save", "/jobgroup/insert"], &[("appname", "table"), ("title", "t"), ("addressType", "0")], ADMIN),
    (&["/jobgroup/update"], &[("id", "1"), ("appname", "xxl-job-executor-sample"), ("title", "t")], ADMIN),
    (&["/jobinfo/pageList"], &list("1"), GROUP),
    (&["/jobinfo/add", "/jobinfo/insert"], SAMPLE_JOB, GROUP),
    (&["/jobinfo/update"], SAMPLE_JOB, GROUP),
    (&["/jobinfo/start", "/jobinfo/stop"], &[("id", "1")], GROUP_BARE),
    (&["/jobinfo/trigger"], &[("id", "1"), ("executorParam", ""), ("addressList", "")], GROUP_BARE),
    (&["/jobinfo/nextTriggerTime"], &[("scheduleType", "FIX_RATE"), ("scheduleConf", "60")], [Done; 4]),
    (&["/joblog/pageList"], &runs("1", "0"), GROUP),
    (&["/joblog/pageList"], &runs("1", "1"), GROUP),
    (&["/joblog/pageList"], &runs("0", "0"), [NoGroup, NoGroup, NoGroup, Done]),
    (&["/joblog/pageList"], &runs("-1", "0"), [NoGroup, NoGroup, NoGroup, Done]),
    (&["/joblog/getJobsByGroup"], &[("jobGroup", "1")], GROUP),
    (&["/joblog/logDetailCat"], &[("logId", "1"), ("fromLineNum", "1")], [Unseen, Unseen, Fails, Fails]),
    (&["/joblog/logKill"], &[("id", "1")], [NoGroup, NoGroup, Fails, Fails]),
    (&["/joblog/clearLog"], &[("jobGroup", "1"), ("jobId", "1"), ("type", "4")], GROUP),
    (&["/joblog/clearLog"], &[("jobGroup", "0"), ("jobId", "0"), ("type", "4")], [NoGroup, NoGroup, NoGroup, Done]),
    (&["/jobinfo/remove", "/jobinfo/delete"], &[("id", "1")], GROUP_BARE),
    (&["/jobgroup/remove", "/jobgroup/delete"], &[("id", "3")], ADMIN),
    (&["/logout", "/auth/logout"], &[], [Done; 4]),
];

/// "All" groups: to 3.1 one's own, later for administrators alone.
const ALL_JOBS: [Line; 2] = [
    (&["/jobinfo/pageList"], &list("-1"), [Nothing, Nothing, Done, Done]),
    (&["/jobinfo/pageList"], &list("0"), [Nothing, Nothing, Done, Done]),
];

const fn list(group: &'static str) -> [(&'static str, &'static str); 5] {
    [("jobGroup", group), ("triggerStatus", "-1"), ("jobDesc", ""), ("executorHandler", ""), ("author", "")]
}

const fn runs(group: &'static str, job: &'static str) -> [(&'static str, &'static str); 4] {
    [("jobGroup", group), ("jobId", job), ("logStatus", "-1"), ("filterTime", "")]
}

const ROLES: [(&str, &str); 4] = [("lowuser", ""), ("stranger", "2"), ("member", "1"), ("admin", "")];

/// Two groups, a script job with a run of it, and the users.
async fn site() -> TestApp {
    let app = spawn_app().await;
    let admin = app.admin().await;
    for name in ["other-app", "spare-app"] {
        app.call("/jobgroup/save", &[("appname", name), ("title", "t")], &admin).await;
    }
    for (name, groups) in &ROLES[..3] {
        app.add_user(name, groups).await;
    }
    app.add_run(1, 1, "http://127.0.0.1:1/").await;
    app.db.connect().await.execute("UPDATE xxl_job_info SET glue_type = 'GLUE_SHELL' WHERE id = 1").await;
    app
}

/// A [`Line`] with one path of its paths.
type PathLine = (&'static str, &'static [(&'static str, &'static str)], [Gets; 4]);

/// The lines of a dialect, each with one path.
fn lines(dialect: Dialect) -> Vec<PathLine> {
    let all = ALL_JOBS.iter().map(|(paths, form, of)| {
        (*paths, *form, if dialect == Dialect::V2 { *of } else { [NoGroup, NoGroup, NoGroup, Done] })
    });
    // From 3.3 on the users of a group may look it up, and a foreign job in the page of runs is as none.
    let is_3 = dialect == Dialect::V3;
    let by_job: Line = (&["/joblog"], &[("jobId", "1")], if is_3 { SOME_GROUP_PAGE } else { GROUP_PAGE });
    let by_id: Line = (&["/jobgroup/loadById"], &[("id", "1")], if is_3 { LOOK_UP } else { ADMIN });
    let known = console_paths(dialect);
    all.chain([by_job, by_id])
        .chain(TABLE.iter().copied())
        .flat_map(|(paths, form, of)| paths.iter().map(move |path| (*path, form, of)))
        .filter(|(path, ..)| known.contains(path))
        .collect()
}

/// Reads an answer, and sees to it that its form is that of the dialect.
async fn read(app: &TestApp, dialect: Dialect, answer: reqwest::Response, name: &str) -> Gets {
    let status = answer.status().as_u16();
    if status == 303 {
        assert_eq!(answer.headers()["location"], "/xxl-job-admin/");
        return Page;
    }
    assert_eq!(status, 200, "{}", app.base_url);
    let kind = answer.headers()["content-type"].to_str().expect("text").to_owned();
    let body = answer.text().await.expect("a body");
    if kind.starts_with("text/html") {
        return if body.contains("<title>Error</title>") { NoPage } else { Page };
    }
    let json: Value = serde_json::from_str(&body).expect("JSON");
    let keys = json.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>().join(",");
    let (code, msg) = (json["code"].as_i64(), json["msg"].as_str().unwrap_or_default());
    let (plain, loud, loud_code) = match dialect {
        Dialect::V2 => ("code,msg,content", "code,msg,content", 500),
        Dialect::V3_2 => ("code,msg,content,success", "code,msg", 203),
        Dialect::V3 => ("code,data,msg,success", "code,msg", 500),
    };
    let is_list = keys == "recordsFiltered,data,recordsTotal";
    assert!(is_list || keys == plain || keys == loud, "{dialect:?}: {body}");
    assert!(!is_list || dialect != Dialect::V3, "{body}");
    let not_admin = match dialect {
        Dialect::V2 => "java.lang.RuntimeException: 权限拦截",
        _ => {
            "com.xxl.sso.core.exception.XxlSsoException: permission limit, current login-user does not have role:ADMIN"
        }
    };
    let is_empty = is_list && json["recordsTotal"] == 0 || json["data"]["total"] == 0;
    match code {
        None | Some(200) if is_empty => Nothing,
        None if is_list => Done,
        Some(200) => {
            assert_eq!(keys, plain, "{body}");
            Done
        }
        Some(code) if code == loud_code && keys == loud && msg == not_admin => NotAdmin,
        Some(code)
            if code == loud_code
                && keys == loud
                && msg == format!("java.lang.RuntimeException: 权限拦截[username={name}]") =>
        {
            NoGroup
        }
        Some(500) if keys == plain && msg == "权限拦截" => Barred,
        Some(500) if keys == plain && dialect == Dialect::V2 && msg == "日志ID非法" => Unseen,
        Some(500) if keys == plain && dialect.is_3() && msg == format!("权限拦截[username={name}]") => Unseen,
        Some(500) if keys == plain && !msg.contains("权限") => Fails,
        _ => panic!("{dialect:?}: {body}"),
    }
}

#[tokio::test]
async fn every_path_of_every_dialect_gives_each_role_what_the_table_says() {
    let mut wrong = Vec::new();
    for dialect in [Dialect::V2, Dialect::V3_2, Dialect::V3] {
        let lines = lines(dialect);
        let mut paths = console_paths(dialect);
        paths.retain(|path| !lines.iter().any(|(known, ..)| known == path));
        assert_eq!(paths, [""; 0], "paths of {dialect:?} without a line in the table");
        for (column, (name, _)) in ROLES.into_iter().enumerate() {
            let app = site().await;
            let cookie = app.log_in(name, if name == "admin" { "123456" } else { "secret" }).await;
            for (path, form, of) in &lines {
                // From 3.3 on some calls know a row by `ids[]` alone; ours take either.
                let answer = app.post_in(dialect.word(), path, form, &cookie).await;
                let got = read(&app, dialect, answer, name).await;
                if got != of[column] {
                    wrong.push(format!("{} {path} {form:?} {name}: {got:?}, not {:?}", dialect.word(), of[column]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The calls that nobody needs a login for.
const OPEN: [&str; 7] = ["/toLogin", "/login", "/logout", "/auth/login", "/auth/doLogin", "/auth/logout", "/errorpage"];

#[tokio::test]
async fn nobody_gets_the_way_to_the_login_and_not_a_byte_more() {
    let app = site().await;
    let admin = app.admin().await;
    let first = if admin.starts_with('A') { "B" } else { "A" };
    let expired = app.log_in("member", "secret").await;
    app.call("/logout", &[], &expired).await;
    for dialect in [Dialect::V2, Dialect::V3_2, Dialect::V3] {
        for (path, form, of) in lines(dialect) {
            for cookie in ["", "aGVsbG8", &expired, &format!("{first}{}", &admin[1..])] {
                let answer = app.post_in(dialect.word(), path, form, cookie).await;
                if OPEN.contains(&path) {
                    let got = read(&app, dialect, answer, "").await;
                    // From 3.2 on a log-out says so when what came is no cookie at all.
                    let is_no_cookie = path == "/auth/logout" && cookie == "aGVsbG8";
                    let wanted = if is_no_cookie { Fails } else { of[3] };
                    assert_eq!(got, wanted, "{} {path} {cookie}", dialect.word());
                    continue;
                }
                let status = answer.status().as_u16();
                let location = answer.headers().get("location").map(|to| to.to_str().expect("text").to_owned());
                let body = answer.text().await.expect("a body");
                let is_page = matches!(of[3], Page | NoPage);
                let wanted = match dialect {
                    Dialect::V2 => (302, Some("/xxl-job-admin/toLogin".to_owned()), String::new()),
                    _ if is_page => (302, Some(format!("{}/auth/login", app.base_url)), String::new()),
                    _ => (200, None, not_logged_in(if dialect == Dialect::V3 { 500 } else { 203 }, path)),
                };
                assert_eq!((status, location, body), wanted, "{} {path} {cookie}", dialect.word());
            }
        }
    }
}

fn not_logged_in(code: i32, path: &str) -> String {
    format!("{{\"code\":{code},\"msg\":\"com.xxl.sso.core.exception.XxlSsoException: not login for path:{path}\"}}\n")
}
