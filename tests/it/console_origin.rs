//! Pages of other sites: what they may not do, and what those of `console.cors-origins` may.

use reqwest::{Method, Response};
use serde_json::Value;
use xxl_job_admin::config::settings::Dialect;
use xxl_job_admin::web::auth::api_token::Access;
use xxl_job_admin::web::call::Kind;
use xxl_job_admin::web::pages;

use crate::support::app::{COOKIE_NAME, TestApp, spawn_app, spawn_app_with};

const EVIL: &str = "https://evil.example";

async fn send(app: &TestApp, method: Method, path: &str, headers: &[(&str, &str)], body: &'static str) -> (u16, Value) {
    let mut request = app.client.request(method, format!("{}{path}", app.base_url)).body(body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.expect("a body")).unwrap_or_default())
}

/// Every call that changes something, with a form that would do so.
const CHANGES: &[&str] = &[
    "/jobgroup/save?appname=evil-app&title=t",
    "/jobgroup/insert?appname=evil-app&title=t",
    "/jobgroup/update?id=1&appname=evil-app&title=t",
    "/jobgroup/remove?id=1",
    "/jobgroup/delete?ids[]=1",
    "/jobinfo/add?jobGroup=1",
    "/jobinfo/insert?jobGroup=1",
    "/jobinfo/update?id=1&jobGroup=1",
    "/jobinfo/remove?id=1",
    "/jobinfo/delete?ids[]=1",
    "/jobinfo/start?id=1",
    "/jobinfo/stop?id=1",
    "/jobinfo/trigger?id=1&executorParam=&addressList=",
    "/joblog/logKill?id=1",
    "/joblog/clearLog?jobGroup=0&jobId=0&type=9",
    "/jobcode/save?id=1&glueSource=rm&glueRemark=evil",
    "/user/add?username=evil&password=secret&role=1",
    "/user/insert?username=evil&password=secret&role=1",
    "/user/update?id=1&username=other&password=secret&role=1",
    "/user/remove?id=1",
    "/user/delete?ids[]=1",
    "/user/updatePwd?password=secret&oldPassword=123456",
    "/auth/updatePwd?password=secret&oldPassword=123456",
    "/login?userName=admin&password=123456",
    "/logout",
    "/auth/doLogin?userName=admin&password=123456",
    "/auth/logout",
    "/jobgroup/add?appname=evil-app&title=t",
];

#[test]
fn the_list_of_changes_is_whole() {
    for mapping in pages::mappings() {
        let place = mapping.place;
        let changes = place.kind == Kind::Json && place.access != Access::Read;
        let is_listed = CHANGES.iter().any(|change| change.split('?').next() == Some(place.path));
        assert_eq!(is_listed, changes, "{}", place.path);
    }
}

#[tokio::test]
async fn a_foreign_page_changes_nothing_by_any_method() {
    let app = spawn_app().await;
    let cookie = format!("{COOKIE_NAME}={}", app.admin().await);
    let form = "application/x-www-form-urlencoded";
    for path in CHANGES {
        for (method, kind) in
            [(Method::POST, form), (Method::POST, "text/plain"), (Method::GET, form), (Method::PUT, form)]
        {
            for sign in [("Origin", EVIL), ("Referer", "https://evil.example/page"), ("Sec-Fetch-Site", "cross-site")] {
                let headers = [("Cookie", cookie.as_str()), ("Content-Type", kind), sign];
                let (status, answer) = send(&app, method.clone(), path, &headers, "").await;
                assert_eq!((status, &answer["code"]), (403, &500.into()), "{method} {path} {sign:?}: {answer}");
            }
        }
    }
    let users = app.core.store.find_user_by_name("evil").await.expect("an answer");
    assert!(users.is_none() && app.core.store.versions_of(1).await.expect("an answer").is_empty());
    let navigation = [("Cookie", cookie.as_str()), ("Upgrade-Insecure-Requests", "1")];
    assert_eq!(send(&app, Method::GET, "/jobinfo/remove?id=1", &navigation, "").await.0, 403);
    assert!(app.core.store.find_job(1).await.expect("an answer").is_some());
    assert_eq!(app.core.store.count_groups().await.expect("an answer"), 1);
    // Nor does it log anybody in or out.
    for path in [
        "/login?userName=admin&password=123456",
        "/auth/doLogin?userName=admin&password=123456",
        "/logout",
        "/auth/logout",
    ] {
        assert_eq!(send(&app, Method::POST, path, &[("Cookie", &cookie), ("Origin", EVIL)], "").await.0, 403, "{path}");
    }
    assert_eq!(app.outcome("/jobinfo/stop", &[("id", "1")], cookie.split_once('=').expect("a value").1).await, "200 -");
}

#[tokio::test]
async fn the_refusal_names_the_site_and_the_setting_in_each_dialect() {
    let app = spawn_app_with(|settings| settings.job.locale = xxl_job_admin::i18n::Locale::En).await;
    let cookie = format!("{COOKIE_NAME}={}", app.admin().await);
    for (dialect, keys) in
        [("2", "code,msg,content"), ("3.2", "code,msg,content,success"), ("3", "code,data,msg,success")]
    {
        let headers = [("Cookie", cookie.as_str()), ("Origin", EVIL), ("X-XXL-Dialect", dialect)];
        let (_, answer) = send(&app, Method::POST, "/jobinfo/stop?id=1", &headers, "").await;
        let found: Vec<&str> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(found.join(","), keys);
        let msg = answer["msg"].as_str().expect("a text");
        assert!(msg.contains(EVIL) && msg.contains("console.cors-origins"), "{msg}");
    }
}

#[tokio::test]
async fn own_pages_scripts_and_lists_are_left_alone() {
    let app = spawn_app_with(|settings| {
        settings.console.dialect = Some(Dialect::V2);
        settings.server.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    })
    .await;
    let cookie = format!("{COOKIE_NAME}={}", app.admin().await);
    let own = app.base_url.split("/xxl-job-admin").next().expect("an origin").to_owned();
    let page = format!("{own}/xxl-job-admin/jobinfo");
    let signs: [&[(&str, &str)]; 7] = [
        &[],
        &[("Sec-Fetch-Site", "same-origin"), ("Origin", EVIL)],
        &[("Sec-Fetch-Site", "none")],
        &[("Origin", &own)],
        &[("Referer", &page)],
        &[("X-Forwarded-Host", "console.example"), ("Origin", "https://console.example")],
        &[("Origin", &own), ("Sec-Fetch-Mode", "cors")],
    ];
    for sign in signs {
        let headers: Vec<(&str, &str)> =
            [("Cookie", cookie.as_str())].into_iter().chain(sign.iter().copied()).collect();
        for method in [Method::GET, Method::POST] {
            let (status, answer) = send(&app, method, "/jobinfo/stop?id=1", &headers, "").await;
            assert_eq!((status, &answer["code"]), (200, &200.into()), "{sign:?}");
        }
    }
    // Reading harms nobody; the answer stays with the browser.
    let headers = [("Cookie", cookie.as_str()), ("Origin", EVIL)];
    let (status, answer) = send(&app, Method::GET, "/jobgroup/pageList", &headers, "").await;
    assert_eq!((status, &answer["recordsTotal"]), (200, &1.into()));
}

#[tokio::test]
async fn pages_open_in_a_browser_wherever_the_way_comes_from() {
    let app = spawn_app().await;
    let cookie = app.admin().await;
    // Over plain http a browser says nothing about the site; with a link from elsewhere it names that one.
    let typed = [
        ("Upgrade-Insecure-Requests", "1"),
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ];
    let linked = [("Referer", "https://wiki.example/"), ("Sec-Fetch-Site", "cross-site")];
    for path in ["/", "/toLogin", "/auth/login"] {
        for cookie in [None, Some(cookie.as_str())] {
            for signs in [typed, linked] {
                let request = app.request(Method::GET, path, cookie);
                let request = signs.iter().fold(request, |request, (name, value)| request.header(*name, *value));
                let answer = request.send().await.expect("an answer");
                assert!([200, 302, 303].contains(&answer.status().as_u16()), "{path} {signs:?}: {}", answer.status());
            }
        }
    }
}

#[tokio::test]
async fn refusals_keep_the_browser_in_check_as_well() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let large = "x".repeat(70 << 10);
    let request = |method: Method, path: &str, sign: (&'static str, &'static str), body: String| {
        app.request(method, path, Some(&admin)).header(sign.0, sign.1).body(body)
    };
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    for (wanted, request) in [
        (400, request(Method::POST, "/jobgroup/pageList?start=x", form, String::new())),
        (403, request(Method::POST, "/jobgroup/remove?id=1", ("Origin", EVIL), String::new())),
        (404, request(Method::GET, "/nope", form, String::new())),
        (405, request(Method::GET, "/login", form, String::new())),
        (413, request(Method::POST, "/login", form, large)),
    ] {
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), wanted);
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{wanted}");
        assert_eq!(header(&answer, "x-frame-options"), "SAMEORIGIN", "{wanted}");
        assert_eq!(header(&answer, "cross-origin-opener-policy"), "same-origin", "{wanted}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{wanted}");
        assert!(header(&answer, "content-security-policy").contains("frame-ancestors 'self'"), "{wanted}");
        assert_eq!(header(&answer, "strict-transport-security"), "", "{wanted}");
        if matches!(wanted, 403 | 413) {
            assert_eq!(header(&answer, "x-xxl-dialect"), "2", "{wanted}");
        }
    }
}

fn header(answer: &Response, name: &str) -> String {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn listed_origins_may_call_from_a_browser_and_others_may_not() {
    const FRONT: &str = "https://front.example";
    let app = spawn_app_with(|settings| settings.console.cors_origins = vec![FRONT.into()]).await;
    let cookie = format!("{COOKIE_NAME}={}", app.admin().await);
    let preflight = |origin: &'static str| {
        let request = app.client.request(Method::OPTIONS, format!("{}/jobinfo/stop", app.base_url));
        let request = request.header("Origin", origin).header("Access-Control-Request-Method", "POST");
        let request = request.header("Access-Control-Request-Headers", "content-type,x-xxl-dialect");
        async move { request.send().await.expect("an answer") }
    };
    let allowed = preflight(FRONT).await;
    assert_eq!(allowed.status(), 200);
    assert_eq!(header(&allowed, "access-control-allow-origin"), FRONT);
    assert_eq!(header(&allowed, "access-control-allow-credentials"), "true");
    assert_eq!(header(&preflight(EVIL).await, "access-control-allow-origin"), "");
    for (origin, status, told) in [(FRONT, 200, FRONT), (EVIL, 403, "")] {
        let request = app.client.post(format!("{}/jobinfo/stop?id=1", app.base_url));
        let request = request.header("Origin", origin).header("Sec-Fetch-Site", "cross-site").header("Cookie", &cookie);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), status, "{origin}");
        assert_eq!(header(&answer, "access-control-allow-origin"), told);
        assert!(header(&answer, "vary").to_lowercase().contains("origin"), "{origin}");
    }
}

#[tokio::test]
async fn without_the_setting_nobody_is_told_of_origins() {
    let app = spawn_app().await;
    let request = app.client.request(Method::OPTIONS, format!("{}/jobinfo/stop", app.base_url));
    let request = request.header("Origin", EVIL).header("Access-Control-Request-Method", "POST");
    let cookie = format!("{COOKIE_NAME}={}", app.admin().await);
    let answer = request.header("Cookie", cookie).send().await.expect("an answer");
    assert_eq!(header(&answer, "allow"), "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
    assert_eq!(header(&answer, "access-control-allow-origin"), "");
}

#[tokio::test]
async fn every_answer_keeps_the_browser_in_check() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let mut paths: Vec<&str> =
        [Dialect::V2, Dialect::V3].into_iter().flat_map(xxl_job_admin::web::console_paths).collect();
    paths.extend(["/nope", "/actuator/health", "/api/registry", "/jobinfo/start?id=x"]);
    for path in paths {
        for cookie in [None, Some(admin.as_str())] {
            for accept in ["*/*", "text/html"] {
                let request = app.request(Method::GET, path, cookie).header("Accept", accept);
                let answer = request.send().await.expect("an answer");
                assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{path}");
                assert_eq!(header(&answer, "x-frame-options"), "SAMEORIGIN", "{path}");
                assert_eq!(header(&answer, "referrer-policy"), "same-origin", "{path}");
                let policy = header(&answer, "content-security-policy");
                let is_page = header(&answer, "content-type").starts_with("text/html");
                assert_eq!(policy.contains("default-src 'self'"), is_page, "{path}: {policy}");
                assert!(policy.contains("frame-ancestors 'self'") && !policy.contains("unsafe"), "{path}: {policy}");
            }
        }
    }
}
