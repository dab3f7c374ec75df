//! Holes that the Java admins have had, tried on ours: hashes in answers, markup and templates in texts, foreign scripts.

use serde_json::Value;
use xxl_job_admin::config::settings::Dialect;
use xxl_job_admin::web::console_paths;

use crate::support::app::{TestApp, spawn_app, spawn_app_with};
use crate::support::html::Page;

const DIALECTS: [&str; 3] = ["2", "3.2", "3"];

/// CVE-2020-23811: the list of users gave their password hashes.
#[tokio::test]
async fn no_answer_holds_a_password_hash_or_a_login_token() {
    let app = spawn_app().await;
    app.db.connect().await.execute("UPDATE xxl_job_user SET token = 'c4a38d6253c04c15a12426435761a5a9'").await;
    app.add_user("watched", "1").await;
    let admin = app.admin().await;
    let hash = app.core.store.find_user(1).await.expect("read").expect("the administrator").password;
    for dialect in DIALECTS {
        for (path, form) in [
            ("/user/pageList", &[("username", ""), ("role", "-1")][..]),
            ("/user", &[]),
            ("/", &[]),
            ("/user/update", &[("id", "2"), ("username", "watched"), ("role", "0"), ("permission", "1")]),
        ] {
            let answer = app.text_in(dialect, path, form, &admin).await;
            assert!(!answer.contains(&hash) && !answer.contains("c4a38d6253c0"), "{dialect} {path}: {answer}");
            if path == "/user/pageList" {
                assert_eq!(answer.matches("\"password\":null").count(), 2, "{dialect}: {answer}");
                let tokens = if dialect == "2" { 0 } else { 2 };
                assert_eq!(answer.matches("\"token\":null").count(), tokens, "{dialect}: {answer}");
            }
        }
    }
}

/// CVE-2020-29204, CVE-2023-26120: markup in names of users.
#[tokio::test]
async fn markup_in_a_name_is_text_and_long_names_are_refused() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let admin = app.admin().await;
    let add = async |name: &str| {
        let form = [("username", name), ("password", "secret"), ("role", "1")];
        app.outcome("/user/add", &form, &admin).await
    };
    assert_eq!(add("<img src=x onerror=1>").await, "500 长度限制[4-20]");
    let name = "<img src=x onload=1>";
    assert_eq!(add(name).await, "200 -");
    let listed = app.call("/user/pageList", &[("username", "<img"), ("role", "-1")], &admin).await;
    assert_eq!(listed["data"][0]["username"], name, "raw in JSON");
    let own = app.log_in(name, "secret").await;
    for path in ["/", "/user", "/help", "/jobinfo", "/joblog", "/jobgroup"] {
        let page = app.text_in("2", path, &[], &own).await;
        assert!(!page.contains("<img"), "{path}: {page}");
        assert!(Page::read(&page).text.contains(name), "{path}: {page}");
    }
    let refused = app.text_in("2", "/jobcode", &[("jobId", "1")], &own).await;
    assert!(!refused.contains("<img"), "{refused}");
}

/// A script job of a group.
async fn script_job(app: &TestApp, group: &str, admin: &str) -> String {
    let form = [
        ("jobGroup", group),
        ("jobDesc", "</title><script>1</script>{{7*7}}"),
        ("author", "${7*7}"),
        ("scheduleType", "NONE"),
        ("glueType", "GLUE_SHELL"),
        ("executorRouteStrategy", "FIRST"),
        ("misfireStrategy", "DO_NOTHING"),
        ("executorBlockStrategy", "SERIAL_EXECUTION"),
    ];
    app.call("/jobinfo/add", &form, admin).await["content"].as_str().expect("an id").to_owned()
}

/// CVE-2026-106706: markup in the editor of scripts.
#[tokio::test]
async fn the_editor_gets_scripts_as_text_and_byte_for_byte() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let admin = app.admin().await;
    let job = script_job(&app, "1", &admin).await;
    let source = "\n</textarea><img src=x onerror=alert(1)>\r\n&lt;{{ t.admin_name }}</script>\t'\"中文\r";
    for remark in ["</script><img src=x>", "<b>second</b>"] {
        let form = [("id", job.as_str()), ("glueSource", source), ("glueRemark", remark)];
        assert_eq!(app.outcome("/jobcode/save", &form, &admin).await, "200 -", "{remark}");
    }
    let html = app.text_in("2", "/jobcode", &[("jobId", &job)], &admin).await;
    for markup in ["<img", "</script><", "<script>", "<b>"] {
        assert!(!html.contains(markup), "{html}");
    }
    let page = Page::read(&html);
    let stored = page.areas.iter().filter(|(id, _)| id.starts_with("version_"));
    let areas: Vec<&str> = stored.map(|(_, content)| content.as_str()).collect();
    assert_eq!(areas, [source; 3], "the present one and two versions");
    let versions: Vec<&str> = ["<b>second</b>", "</script><img src=x>"]
        .into_iter()
        .filter(|remark| page.text.contains(&format!("GLUE(Shell)： {remark}")))
        .collect();
    assert_eq!(versions.len(), 2, "{}", page.text);
}

/// CVE-2022-36157: administrators' pages and calls with a low user.
#[tokio::test]
async fn a_low_user_changes_nothing_in_any_dialect() {
    let app = spawn_app().await;
    app.add_user("lowuser", "1").await;
    let low = app.log_in("lowuser", "secret").await;
    let user = app.core.store.find_user_by_name("lowuser").await.expect("read").expect("the user");
    let id = user.id.to_string();
    let form = [
        ("id", id.as_str()),
        ("ids[]", &id),
        ("username", "lowuser"),
        ("password", "another"),
        ("role", "1"),
        ("permission", "1,2"),
        ("appname", "xxl-job-executor-sample"),
        ("title", "mine"),
    ];
    let before = app.core.store.all_groups().await.expect("read");
    for (dialect, word) in [(Dialect::V2, "2"), (Dialect::V3_2, "3.2"), (Dialect::V3, "3")] {
        let for_admins = |path: &&str| {
            (path.starts_with("/user") || path.starts_with("/jobgroup"))
                && !path.ends_with("updatePwd")
                && !path.ends_with("loadById")
        };
        let paths: Vec<&str> = console_paths(dialect).into_iter().filter(for_admins).collect();
        assert!(paths.len() >= 9, "{paths:?}");
        for path in paths {
            let answer = app.text_in(word, path, &form, &low).await;
            let refused =
                if word == "2" { "java.lang.RuntimeException: 权限拦截" } else { "does not have role:ADMIN" };
            assert!(answer.contains(refused), "{word} {path}: {answer}");
        }
    }
    assert_eq!(app.core.store.find_user(user.id).await.expect("read"), Some(user));
    assert_eq!(app.core.store.all_groups().await.expect("read"), before);
}

/// CVE-2023-48089: the script of a foreign job changed.
#[tokio::test]
async fn the_script_of_a_foreign_job_stays() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let admin = app.admin().await;
    app.call("/jobgroup/save", &[("appname", "other-app"), ("title", "t")], &admin).await;
    let groups = app.call("/jobgroup/pageList", &[("appname", "other-app")], &admin).await;
    let job = script_job(&app, &groups["data"][0]["id"].to_string(), &admin).await;
    let number: i32 = job.parse().expect("a number");
    app.add_user("noperm", "").await;
    app.add_user("other", "1").await;
    let before = app.core.store.find_job(number).await.expect("read");
    for name in ["noperm", "other"] {
        let cookie = app.log_in(name, "secret").await;
        for dialect in DIALECTS {
            let form = [("id", job.as_str()), ("glueSource", "rm -rf /"), ("glueRemark", "mine now")];
            let answer = app.text_in(dialect, "/jobcode/save", &form, &cookie).await;
            let json: Value = serde_json::from_str(&answer).expect("JSON");
            assert!(json["code"] == 500 || json["code"] == 203, "{dialect}: {answer}");
            let refusal = format!("java.lang.RuntimeException: 权限拦截[username={name}]");
            assert_eq!(json["msg"], refusal, "{dialect}: {answer}");
            let page = app.text_in(dialect, "/jobcode", &[("jobId", &job)], &cookie).await;
            assert!(page.contains("<title>Error</title>") && page.contains("权限拦截"), "{dialect}: {page}");
        }
    }
    assert_eq!(app.core.store.find_job(number).await.expect("read"), before);
    assert!(app.core.store.versions_of(number).await.expect("read").is_empty());
}

/// CVE-2024-3366: templates in texts.
#[tokio::test]
async fn templates_in_texts_are_never_evaluated() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let admin = app.admin().await;
    for (name, text) in [("{{7*7}}", "${7*7}"), ("${7*7}", "{{7*7}}"), ("<#assign x=7*7>", "{% set x = 7*7 %}")] {
        let form = [("username", name), ("password", "secret"), ("role", "1")];
        assert_eq!(app.outcome("/user/add", &form, &admin).await, "200 -");
        let group = [("appname", "{{7*7}}"), ("title", text), ("addressType", "1"), ("addressList", "http://{{7*7}}/")];
        assert_eq!(app.outcome("/jobgroup/save", &group, &admin).await, "200 -");
    }
    let job = script_job(&app, "1", &admin).await;
    let save = [("id", job.as_str()), ("glueSource", "{{7*7}}${7*7}"), ("glueRemark", "{{ 7*7 }}")];
    assert_eq!(app.outcome("/jobcode/save", &save, &admin).await, "200 -");
    for name in ["{{7*7}}", "${7*7}", "<#assign x=7*7>"] {
        let own = app.log_in(name, "secret").await;
        for path in
            ["/", "/jobinfo", "/joblog?jobId=1", "/jobgroup", "/user", "/help", &format!("/jobcode?jobId={job}")]
        {
            for language in ["${7*7}", "{{7*7}}", "en"] {
                let request = app.client.get(format!("{}{path}", app.base_url));
                let cookies = format!("XXL_JOB_LOGIN_IDENTITY={own}; xxl_lang={language}");
                let answer = request.header("Cookie", cookies).send().await.expect("an answer");
                assert_eq!(answer.status(), 200);
                let page = answer.text().await.expect("a body");
                let read = Page::read(&page);
                assert!(!read.text.contains("49") && !read.title.contains("49"), "{path}: {page}");
                assert!(read.areas.iter().all(|(_, content)| !content.contains("49")), "{path}: {page}");
                let chinese = page.contains("<html lang=\"zh-CN\"");
                assert_eq!(chinese, language != "en", "{path} {language}");
                if path != "/help" && !path.starts_with("/jobcode") {
                    assert!(Page::read(&page).text.contains(name), "{path}: {page}");
                }
            }
        }
    }
}
