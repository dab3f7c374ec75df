//! Which test holds which published hole shut, and those tests that have no place elsewhere.

use serde_json::Value;
use xxl_job_admin::config::settings::{Dialect, Glue};
use xxl_job_admin::store::{LogFilter, LogOrder};

use crate::support::app::{TOKEN, TestApp, spawn_app, spawn_app_on, spawn_app_with};
use crate::support::db::{Engine, TestDb};
use crate::support::fake_executor::{self, Behaviour, FakeExecutor};
use crate::support::html::Page;
use crate::support::log;
use crate::support::schema::Generation;

/// A case, what it is known as, and its tests as `file::function`.
const CASES: &[(&str, &str, &[&str])] = &[
    ("S01", "CVE-2020-23811", &["console_security::no_answer_holds_a_password_hash_or_a_login_token"]),
    ("S02", "CVE-2020-23814", &["console_holes::markup_in_a_group_is_refused_or_text"]),
    ("S03", "CVE-2020-24922", &["console_origin::a_foreign_page_changes_nothing_by_any_method"]),
    (
        "S04",
        "CVE-2023-0674",
        &["console_origin::a_foreign_page_changes_nothing_by_any_method", "console_areas::users_of_3_3_and_later"],
    ),
    ("S05", "CVE-2020-29204", &["console_security::markup_in_a_name_is_text_and_long_names_are_refused"]),
    (
        "S06",
        "CVE-2022-29770",
        &["console_holes::markup_in_the_fields_of_a_job_is_text", "mail::markup_in_an_alarm_is_text"],
    ),
    ("S07", "CVE-2026-94426", &["console_holes::markup_in_a_group_is_refused_or_text"]),
    ("S08", "CVE-2026-106706", &["console_security::the_editor_gets_scripts_as_text_and_byte_for_byte"]),
    ("S09", "CVE-2023-48088", &["console_holes::markup_in_the_log_of_an_executor_is_text"]),
    (
        "S11",
        "CVE-2022-36157",
        &[
            "console_security::a_low_user_changes_nothing_in_any_dialect",
            "console_rights::every_path_of_every_dialect_gives_each_role_what_the_table_says",
        ],
    ),
    ("S12", "CVE-2023-27087", &["console_holes::lists_hold_no_foreign_row_whatever_the_group_that_is_asked_for"]),
    ("S13", "CVE-2023-33779", &["console_access::a_foreign_job_stays_as_it_is_whatever_the_form_says"]),
    ("S14", "CVE-2025-9264", &["console_holes::a_foreign_job_is_not_removed_alone_nor_among_own_ones"]),
    ("S15", "CVE-2025-9263", &["console_holes::lists_hold_no_foreign_row_whatever_the_group_that_is_asked_for"]),
    ("S16", "CVE-2023-48087", &["console_access::foreign_runs_look_like_none_and_stay"]),
    ("S17", "GHSA-gw2x-mfwr-h46p", &["console_holes::a_walk_over_the_ids_of_runs_tells_nothing"]),
    ("S19", "CVE-2023-48089", &["console_security::the_script_of_a_foreign_job_stays"]),
    (
        "S20",
        "CVE-2022-40929",
        &[
            "console_holes::scripts_are_for_whom_the_setting_says_and_are_audited",
            "console_edge::scripts_that_are_switched_off_are_not_called",
        ],
    ),
    ("S21", "CVE-2022-43183", &["console_addresses::a_log_is_asked_of_the_executor_of_its_run_and_of_nobody_else"]),
    ("S22", "CVE-2024-24113", &["console_addresses::a_run_by_hand_goes_to_known_addresses_alone"]),
    ("S24", "CVE-2024-3366", &["console_security::templates_in_texts_are_never_evaluated"]),
    ("S25", "CVE-2024-42681", &["console_holes::a_foreign_job_is_no_child"]),
    ("S26", "CVE-2025-7787", &["console_holes::the_program_runs_no_job_itself"]),
    (
        "S27",
        "CVE-2025-7789",
        &[
            "console_login::the_cookie_tells_nothing_and_comes_alone",
            "console_login::a_log_out_and_a_changed_password_end_logins_for_good",
            "console_login::java_cookies_are_nothing_unless_they_are_shared",
        ],
    ),
    (
        "S28",
        "guessed passwords",
        &[
            "console_login::who_guesses_is_slowed_and_then_refused_and_the_owner_gets_in_from_elsewhere",
            "console_login::guesses_from_many_addresses_leave_the_known_ones_in",
            "console_access::the_seed_password_is_for_this_machine",
        ],
    ),
    ("S29", "empty or default token", &["console_holes::only_the_whole_token_lets_an_executor_in"]),
    ("S32", "CWE-916", &["console_holes::passwords_are_stored_as_the_tables_demand"]),
    ("S33", "headers", &["console_origin::every_answer_keeps_the_browser_in_check"]),
];

#[test]
fn every_case_has_its_tests() {
    let ids: Vec<&str> = CASES.iter().map(|(id, ..)| *id).collect();
    let wanted = "S01 S02 S03 S04 S05 S06 S07 S08 S09 S11 S12 S13 S14 S15 S16 S17 S19 S20 S21 S22 S24 S25 S26 S27 S28 \
                  S29 S32 S33";
    assert_eq!(ids.join(" "), wanted);
    for (id, known_as, tests) in CASES {
        assert!(!tests.is_empty(), "{id} {known_as}");
        for test in *tests {
            let (file, function) = test.split_once("::").expect("file::function");
            let path = format!("{}/tests/it/{file}.rs", env!("CARGO_MANIFEST_DIR"));
            let source = std::fs::read_to_string(&path).expect("a file of tests");
            let head = format!("fn {function}() {{");
            let (before, _) = source.split_once(&head).unwrap_or_else(|| panic!("{id}: no {test}"));
            let before = before.trim_end_matches("async ").trim_end();
            assert!(before.ends_with("#[tokio::test]") || before.ends_with("#[test]"), "{id}: {test} is no test");
        }
    }
}

const DIALECTS: [(Dialect, &str); 3] = [(Dialect::V2, "2"), (Dialect::V3_2, "3.2"), (Dialect::V3, "3")];

/// Elements of which only their encoded form may be in a page.
const MARKUP: [&str; 5] = [
    "<img src=x onerror=window.__x=1>",
    "<svg/onload=\twindow.__x=1>",
    "<b onpointerenter=window.__x=1>",
    "<a href=data:text/html,1>",
    "\"><i id='m'>",
];

async fn json(app: &TestApp, dialect: &str, path: &str, form: &[(&str, &str)], cookie: &str) -> Value {
    let text = app.text_in(dialect, path, form, cookie).await;
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path} answered {text}: {error}"))
}

/// An answer without the time of day that is in each page.
async fn told(app: &TestApp, dialect: &str, path: &str, form: &[(&str, &str)], cookie: &str) -> String {
    let text = app.text_in(dialect, path, form, cookie).await;
    let Some((before, rest)) = text.split_once(" data-now=\"") else { return text };
    format!("{before}{}", rest.split_once('"').expect("the end of it").1)
}

/// Rows of a list of either shape.
fn rows(list: &Value) -> Vec<Value> {
    let rows = list["data"].as_array().or_else(|| list["data"]["data"].as_array());
    rows.cloned().unwrap_or_default()
}

fn assert_plain(page: &str, what: &str) {
    for markup in MARKUP {
        assert!(!page.contains(markup), "{what}: {page}");
    }
}

/// A second group and a user of the first.
async fn with_two_groups(app: &TestApp) -> (String, String, String) {
    let admin = app.admin().await;
    app.call("/jobgroup/save", &[("appname", "other-app"), ("title", "t")], &admin).await;
    let groups = app.core.store.all_groups().await.expect("read");
    let other = groups.into_iter().find(|group| group.app_name == "other-app").expect("the group").id.to_string();
    app.add_user("member", "1").await;
    (admin, app.log_in("member", "secret").await, other)
}

fn job<'a>(group: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let job = [
        ("jobGroup", group),
        ("jobDesc", "d"),
        ("author", "a"),
        ("scheduleType", "NONE"),
        ("glueType", "BEAN"),
        ("executorHandler", "h"),
        ("executorRouteStrategy", "FIRST"),
        ("misfireStrategy", "DO_NOTHING"),
        ("executorBlockStrategy", "SERIAL_EXECUTION"),
    ];
    job.into_iter()
        .filter(|(name, _)| !more.iter().any(|(other, _)| other == name))
        .chain(more.iter().copied())
        .collect()
}

async fn add_job(app: &TestApp, form: &[(&str, &str)], cookie: &str) -> String {
    let answer = app.call("/jobinfo/add", form, cookie).await;
    answer["content"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test]
async fn markup_in_a_group_is_refused_or_text() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    for (dialect, word) in DIALECTS {
        let save = if dialect == Dialect::V3 { "/jobgroup/insert" } else { "/jobgroup/save" };
        for (n, markup) in MARKUP.into_iter().enumerate() {
            for (appname, title, list) in [
                (markup, "t", "http://h:1/"),
                ("plain-app", markup, "http://h:1/"),
                ("plain-app", "t", markup),
                ("plain-app", "t", "http://h:1/<img src=x onerror=window.__x=1>"),
            ] {
                let form = [("appname", appname), ("title", title), ("addressType", "1"), ("addressList", list)];
                let answer = json(&app, word, save, &form, &admin).await;
                assert!(answer["code"] == 200 || answer["code"] == 500, "{word} {n}: {answer}");
            }
        }
    }
    // Rows that a Java admin has stored come as they are.
    for markup in MARKUP {
        let quoted = markup.replace('\'', "''");
        let sql = format!(
            "INSERT INTO xxl_job_group (app_name, title, address_type, address_list) \
             VALUES ('{quoted}', '{quoted}', 1, '{quoted}')"
        );
        app.db.connect().await.execute(&sql).await;
    }
    for (_, word) in DIALECTS {
        for path in ["/", "/jobgroup", "/jobinfo", "/joblog", "/user"] {
            let page = app.text_in(word, path, &[], &admin).await;
            assert!(!page.contains("<title>Error</title>"), "{word} {path}: {page}");
            assert_plain(&page, path);
            if path == "/jobinfo" || path == "/joblog" {
                assert!(page.contains("&lt;img src=x onerror=window.__x=1&gt;"), "{word} {path}: {page}");
            }
        }
    }
}

#[tokio::test]
async fn markup_in_the_fields_of_a_job_is_text() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    for markup in MARKUP {
        let fields = [
            ("jobDesc", markup),
            ("author", markup),
            ("executorHandler", markup),
            ("executorParam", markup),
            ("alarmEmail", markup),
        ];
        let id = add_job(&app, &job("1", &fields), &admin).await;
        let children = job("1", &[("childJobId", markup)]);
        assert!(app.outcome("/jobinfo/add", &children, &admin).await.starts_with("500 "), "{markup}");
        let number: i32 = id.parse().expect("a number");
        let quoted = markup.replace('\'', "''");
        let mut db = app.db.connect().await;
        db.execute(&format!("UPDATE xxl_job_info SET glue_type = 'GLUE_SHELL' WHERE id = {id}")).await;
        app.add_run(1, number, "http://127.0.0.1:1/").await;
        let sql = format!(
            "UPDATE xxl_job_log SET trigger_msg = '{quoted}', handle_msg = '{quoted}', executor_handler = '{quoted}' \
             WHERE job_id = {id}"
        );
        db.execute(&sql).await;
        let sql = format!("SELECT CAST(id AS CHAR(20)) FROM xxl_job_log WHERE job_id = {id}");
        let run = db.texts(&sql).await[0][0].clone().expect("an id");
        for (_, word) in DIALECTS {
            for (path, form) in [
                ("/jobinfo", &[][..]),
                ("/joblog", &[("jobId", id.as_str())]),
                ("/jobcode", &[("jobId", &id)]),
                ("/joblog/logDetailPage", &[("id", &run)]),
            ] {
                let page = app.text_in(word, path, form, &admin).await;
                assert!(!page.contains("<title>Error</title>"), "{word} {path}: {page}");
                assert_plain(&page, path);
            }
            let detail = app.text_in(word, "/joblog/logDetailPage", &[("id", &run)], &admin).await;
            assert!(Page::read(&detail).text.contains(markup.replace('\t', " ").as_str()), "{word}: {detail}");
        }
    }
}

#[tokio::test]
async fn markup_in_the_log_of_an_executor_is_text() {
    let app = spawn_app().await;
    let executor = FakeExecutor::start().await;
    let page = r#"{"code":200,"content":{"fromLineNum":1,"toLineNum":2,"logContent":"<img src=x onerror=window.__x=1>\n\u001b[31mred</pre><BR onload=1><br>'\"&","isEnd":true}}"#;
    executor.on("log", Behaviour::Json(page.into()));
    app.add_run(1, 1, executor.address()).await;
    let admin = app.admin().await;
    for (dialect, word) in DIALECTS {
        let answer = json(&app, word, "/joblog/logDetailCat", &[("logId", "1"), ("fromLineNum", "1")], &admin).await;
        let piece = if dialect == Dialect::V3 { &answer["data"] } else { &answer["content"] };
        let wanted = "&lt;img src=x onerror=window.__x=1&gt;\n\u{1b}[31mred&lt;/pre&gt;&lt;BR onload=1&gt;<br>\
                      &#39;&quot;&amp;";
        assert_eq!(piece["logContent"], wanted, "{word}");
    }
}

#[tokio::test]
async fn lists_hold_no_foreign_row_whatever_the_group_that_is_asked_for() {
    let app = spawn_app().await;
    let (admin, member, other) = with_two_groups(&app).await;
    let foreign = add_job(&app, &job(&other, &[("jobDesc", "foreign")]), &admin).await;
    app.add_run(other.parse().expect("a number"), foreign.parse().expect("a number"), "http://h:1/").await;
    app.add_run(1, 1, "http://h:1/").await;
    for (_, word) in DIALECTS {
        for group in [other.as_str(), "0", "-1", "1", "99", ""] {
            let list = [
                ("jobGroup", group),
                ("triggerStatus", "-1"),
                ("jobDesc", ""),
                ("executorHandler", ""),
                ("author", ""),
            ];
            let jobs = app.text_in(word, "/jobinfo/pageList", &list, &member).await;
            assert!(!jobs.contains("foreign"), "{word} {group}: {jobs}");
            for job in ["0", "1", foreign.as_str(), "-1"] {
                let list = [("jobGroup", group), ("jobId", job), ("logStatus", "-1"), ("filterTime", "")];
                let answer = app.text_in(word, "/joblog/pageList", &list, &member).await;
                let listed = serde_json::from_str(&answer).map(|list| rows(&list)).unwrap_or_default();
                assert!(listed.iter().all(|run| run["jobGroup"] == 1), "{word} {group} {job}: {answer}");
            }
        }
        let jobs = app.text_in(word, "/jobinfo/pageList", &[("triggerStatus", "-1")], &member).await;
        assert!(!jobs.contains("foreign"), "{word}: {jobs}");
    }
    let own = app.call("/jobinfo/pageList", &[("jobGroup", "1"), ("triggerStatus", "-1")], &member).await;
    assert_eq!(own["recordsTotal"], 1, "there is something to see at all");
    for group in [other.as_str(), "0", "-1"] {
        let jobs = app.text_in("2", "/joblog/getJobsByGroup", &[("jobGroup", group)], &member).await;
        assert!(jobs.contains("权限拦截[username=member]") && !jobs.contains("foreign"), "{group}: {jobs}");
    }
}

#[tokio::test]
async fn a_foreign_job_is_not_removed_alone_nor_among_own_ones() {
    let app = spawn_app().await;
    let (admin, member, other) = with_two_groups(&app).await;
    let foreign = add_job(&app, &job(&other, &[]), &admin).await;
    for (dialect, word) in DIALECTS {
        let path = if dialect == Dialect::V3 { "/jobinfo/delete" } else { "/jobinfo/remove" };
        for ids in [
            &[("id", foreign.as_str()), ("jobGroup", "1")][..],
            &[("ids[]", foreign.as_str()), ("jobGroup", "1")],
            &[("ids[]", "1"), ("ids[]", foreign.as_str())],
            &[("ids[]", foreign.as_str()), ("ids[]", "1")],
            &[("ids", foreign.as_str())],
        ] {
            let answer = json(&app, word, path, ids, &member).await;
            assert_eq!(answer["code"], 500, "{word} {ids:?}: {answer}");
            for id in [1, foreign.parse().expect("a number")] {
                let job = app.core.store.find_job(id).await.expect("read");
                assert!(job.is_some(), "{word} {ids:?}: job {id} is gone");
            }
        }
    }
}

#[tokio::test]
async fn a_walk_over_the_ids_of_runs_tells_nothing() {
    let app = spawn_app().await;
    let (admin, member, other) = with_two_groups(&app).await;
    let executor = FakeExecutor::start().await;
    let foreign = add_job(&app, &job(&other, &[]), &admin).await;
    for _ in 0..5 {
        app.add_run(other.parse().expect("a number"), foreign.parse().expect("a number"), executor.address()).await;
    }
    app.add_user("lowuser", "").await;
    let low = app.log_in("lowuser", "secret").await;
    for (_, word) in DIALECTS {
        for cookie in [&member, &low] {
            for (path, name) in
                [("/joblog/logDetailCat", "logId"), ("/joblog/logDetailPage", "id"), ("/joblog/logDetailPage", "logId")]
            {
                let absent = told(&app, word, path, &[(name, "100000"), ("fromLineNum", "1")], cookie).await;
                for id in (1..=100).step_by(3) {
                    let form = [(name, &*id.to_string()), ("fromLineNum", "1")];
                    assert_eq!(told(&app, word, path, &form, cookie).await, absent, "{word} {path} {id}");
                }
            }
        }
    }
    assert_eq!(executor.calls_to("log").len(), 0);
    let (runs, _) = app.core.store.page_logs(&LogFilter::default(), LogOrder::Id, 0, 10).await.expect("runs");
    assert_eq!(runs.len(), 5);
}

#[tokio::test]
async fn scripts_are_for_whom_the_setting_says_and_are_audited() {
    log::keep();
    for (setting, of_member, of_admin) in
        [(Glue::All, true, true), (Glue::Admin, false, true), (Glue::Off, false, false)]
    {
        let app = spawn_app_with(|settings| settings.security.glue = setting).await;
        app.add_user("scripter", "1").await;
        let (member, admin) = (app.log_in("scripter", "secret").await, app.admin().await);
        for (cookie, is_allowed) in [(&member, of_member), (&admin, of_admin)] {
            for (dialect, word) in DIALECTS {
                let desc = format!("audited-{setting:?}-{word}-{is_allowed}");
                let fields = [
                    ("glueType", "GLUE_SHELL"),
                    ("glueSource", "echo 1"),
                    ("glueRemark", "first"),
                    ("jobDesc", &desc),
                    ("executorHandler", ""),
                ];
                let path = if dialect == Dialect::V3 { "/jobinfo/insert" } else { "/jobinfo/add" };
                let answer = json(&app, word, path, &job("1", &fields), cookie).await;
                assert_eq!(answer["code"] == 200, is_allowed, "{setting:?} {word}: {answer}");
                let save = [("id", "1"), ("glueSource", "echo 2"), ("glueRemark", "second")];
                let answer = json(&app, word, "/jobcode/save", &save, cookie).await;
                assert_eq!(answer["code"] == 200, is_allowed, "{setting:?} {word}: {answer}");
                if is_allowed {
                    let lines = log::lines_with(&desc);
                    assert!(lines.contains("audit"), "{desc}: {lines}");
                }
            }
        }
        let versions = app.core.store.versions_of(1).await.expect("read").len();
        assert_eq!(versions, 3 * (usize::from(of_member) + usize::from(of_admin)), "{setting:?}");
    }
}

#[tokio::test]
async fn a_foreign_job_is_no_child() {
    let app = spawn_app().await;
    let (admin, member, other) = with_two_groups(&app).await;
    let foreign = add_job(&app, &job(&other, &[]), &admin).await;
    let before = app.core.store.find_job(1).await.expect("read");
    for (dialect, word) in DIALECTS {
        let path = if dialect == Dialect::V3 { "/jobinfo/insert" } else { "/jobinfo/add" };
        for children in [foreign.clone(), format!("1,{foreign}")] {
            let form = job("1", &[("childJobId", &children), ("id", "1")]);
            for path in [path, "/jobinfo/update"] {
                let answer = json(&app, word, path, &form, &member).await;
                assert_eq!(answer["code"], 500, "{word} {path}: {answer}");
            }
        }
    }
    assert_eq!(app.core.store.find_job(1).await.expect("read"), before);
    let jobs = app.call("/jobinfo/pageList", &[("jobGroup", "1"), ("triggerStatus", "-1")], &member).await;
    assert_eq!(jobs["recordsTotal"], 1);
}

/// There is no job built in that could call somebody: the program answers none of an executor's calls.
#[tokio::test]
async fn the_program_runs_no_job_itself() {
    let app = spawn_app().await;
    let root = app.base_url.trim_end_matches("/xxl-job-admin");
    let job = serde_json::json!({"jobId": 1, "executorHandler": "httpJobHandler", "executorParams": "url: http://h/",
        "logId": 1, "logDateTime": 1, "glueType": "BEAN"});
    for base in [root, &app.base_url] {
        for call in ["run", "beat", "idleBeat", "log", "kill", "api/run", "api/beat"] {
            let (status, text) = fake_executor::post(&format!("{base}/{call}"), TOKEN, &job).await;
            assert!(!text.replace(' ', "").contains("\"code\":200"), "{base}/{call}: {status} {text}");
        }
    }
}

#[tokio::test]
async fn only_the_whole_token_lets_an_executor_in() {
    let app = spawn_app_with(|settings| settings.job.access_token = "a-long-token".to_owned().into()).await;
    let body = serde_json::json!({"registryGroup": "EXECUTOR", "registryKey": "app-a", "registryValue": "http://h:1/"});
    let url = format!("{}/api/registry", app.base_url);
    for token in ["", " ", "a-long-toke", "a-long-token ", "a-long-tokenx", "A-LONG-TOKEN", "default_token"] {
        let (status, text) = fake_executor::post(&url, token, &body).await;
        let is_right = token.trim() == "a-long-token";
        // A header's value has no blanks at its ends.
        let wanted = if is_right { "\"code\":200" } else { "The access token is wrong." };
        assert!(status == 200 && text.contains(wanted), "{token:?}: {status} {text}");
        assert!(is_right || text.contains("\"code\":500"), "{token:?}: {text}");
    }
    let request = app.client.post(&url).header("XXL-JOB-access-TOKEN", "a-long-token").json(&body);
    let text = request.send().await.expect("an answer").text().await.expect("a body");
    assert!(text.contains("\"code\":200"), "names of headers know no case: {text}");
    let text = app.client.post(&url).json(&body).send().await.expect("an answer").text().await.expect("a body");
    assert!(text.contains("The access token is wrong."), "{text}");
}

#[tokio::test]
async fn passwords_are_stored_as_the_tables_demand() {
    for engine in [Engine::Sqlite, Engine::MariaDb, Engine::Postgres] {
        for generation in Generation::ALL {
            let Some(db) = TestDb::create(engine, generation).await else { continue };
            stores_hashes_of(generation, &spawn_app_on(db, |_| {}).await).await;
        }
    }
}

async fn stores_hashes_of(generation: Generation, app: &TestApp) {
    let (first, second) = match generation {
        Generation::V2_4 | Generation::V2_5 => ("5ebe2294ecd0e0f08eab7690d2a6ee69", "4fa2bc09c71133626e5b53b86708d289"),
        Generation::V3_3 | Generation::V3_4 => (
            "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
            "1882236e7d471ec1536a657c3193f034aef596968ddc9c413b1a43e2b8c1cea4",
        ),
    };
    let admin = app.admin().await;
    for (dialect, word) in DIALECTS {
        let (add, own) =
            if dialect == Dialect::V3 { ("/user/insert", "/auth/updatePwd") } else { ("/user/add", "/user/updatePwd") };
        let name = format!("user-{word}");
        let stored = async || app.core.store.find_user_by_name(&name).await.expect("read").expect("the user").password;
        let user = [("username", name.as_str()), ("password", "secret"), ("role", "0"), ("permission", "")];
        assert_eq!(json(app, word, add, &user, &admin).await["code"], 200, "{generation:?} {word}");
        assert_eq!(stored().await, first, "{generation:?} {word}: added");
        let cookie = app.log_in(&name, "secret").await;
        let form = [("oldPassword", "secret"), ("password", "the third")];
        assert_eq!(json(app, word, own, &form, &cookie).await["code"], 200, "{generation:?} {word}");
        assert_eq!(stored().await, second, "{generation:?} {word}: changed");
        let id = app.core.store.find_user_by_name(&name).await.expect("read").expect("the user").id.to_string();
        let edit = [&user[..], &[("id", id.as_str())]].concat();
        assert_eq!(json(app, word, "/user/update", &edit, &admin).await["code"], 200, "{generation:?} {word}");
        assert_eq!(stored().await, first, "{generation:?} {word}: reset");
    }
}
