//! Parameters in every form in which a servlet container takes them, sent as bytes: what a script or an old client writes.

use reqwest::Method;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use xxl_job_admin::config::settings::Dialect;

use crate::support::app::{COOKIE_NAME, TestApp, spawn_app, spawn_app_with};

const FORM: &str = "application/x-www-form-urlencoded";

async fn connect(app: &TestApp) -> TcpStream {
    let host = app.base_url.trim_start_matches("http://").split('/').next().expect("a host");
    TcpStream::connect(host).await.expect("the admin listens")
}

/// Sends these bytes and reads to the end of the connection.
async fn exchange(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = connect(app).await;
    stream.write_all(bytes).await.expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    String::from_utf8(answer).expect("text")
}

/// Start line and headers of a call that closes its connection.
fn head(start: &str, cookie: &str, headers: &[&str]) -> String {
    let headers = headers.iter().fold(String::new(), |text, line| text + line + "\r\n");
    format!("{start}\r\nHost: a\r\nConnection: close\r\nCookie: {COOKIE_NAME}={cookie}\r\n{headers}")
}

fn with_length(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn chunked(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for piece in body.chunks(7) {
        bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

fn multipart(pairs: &[(&str, &str)]) -> Vec<u8> {
    let part = |(name, value): &(&str, &str)| {
        format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let file = "--B\r\nContent-Disposition: form-data; name=\"title\"; filename=\"f\"\r\nContent-Type: text/plain\r\n\r\n\
                not this\r\n";
    (file.to_owned() + &pairs.iter().map(part).collect::<String>() + "--B--\r\n").into_bytes()
}

/// Title of the group with this app name.
async fn title(app: &TestApp, app_name: &str) -> Option<String> {
    let (groups, _) = app.core.store.page_groups(app_name, "", 0, 10).await.expect("groups");
    groups.into_iter().find(|group| group.app_name == app_name).map(|group| group.title)
}

#[tokio::test]
async fn the_form_of_a_body_does_not_matter() {
    let app = spawn_app().await;
    let cookie = app.admin().await;
    let path = "/xxl-job-admin/jobgroup/save";
    let encoded = |name: &str| format!("appname={name}&addressType=0&title=%E4%B8%AD%3A+a+b").into_bytes();
    let raw = |name: &str| format!("appname={name}&addressType=0&title=中: a b").into_bytes();
    let post = |headers: &[&str]| head(&format!("POST {path} HTTP/1.1"), &cookie, headers);
    let form = format!("Content-Type: {FORM}");
    let call = |method: &str| head(&format!("{method} {path} HTTP/1.1"), &cookie, &[&form]);
    let query = |name: &str| format!("{path}?appname={name}&addressType=0&title=%E4%B8%AD%3A%20a%20b");
    let parts = [("appname", "app-multipart"), ("addressType", "0"), ("title", "中: a b")];
    let in_query = |name: &str, headers: &[&str]| head(&format!("POST {} HTTP/1.1", query(name)), &cookie, headers);
    let old = |name: &str| {
        let head = format!("POST {path} HTTP/1.0\r\nCookie: {COOKIE_NAME}={cookie}\r\n{form}\r\n");
        with_length(&head, &encoded(name))
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("app-plain", with_length(&post(&[&form]), &encoded("app-plain"))),
        ("app-charset", with_length(&post(&[&format!("{form}; charset=GBK")]), &encoded("app-charset"))),
        (
            "app-capitals",
            with_length(
                &post(&["Content-Type: Application/X-WWW-Form-Urlencoded;charset=UTF-8"]),
                &encoded("app-capitals"),
            ),
        ),
        ("app-raw", with_length(&post(&[&form]), &raw("app-raw"))),
        ("app-multipart", with_length(&post(&["Content-Type: multipart/form-data; boundary=B"]), &multipart(&parts))),
        ("app-put", with_length(&call("PUT"), &encoded("app-put"))),
        ("app-patch", with_length(&call("PATCH"), &encoded("app-patch"))),
        ("app-delete", with_length(&call("DELETE"), &encoded("app-delete"))),
        ("app-chunked", chunked(&post(&[&form]), &encoded("app-chunked"))),
        ("app-http10", old("app-http10")),
        ("app-query", with_length(&in_query("app-query", &[]), b"")),
        ("app-json", with_length(&in_query("app-json", &["Content-Type: application/json"]), b"{}")),
        ("app-text", with_length(&in_query("app-text", &["Content-Type: text/plain"]), b"title=not-this")),
        ("app-get", format!("{}\r\n", head(&format!("GET {} HTTP/1.1", query("app-get")), &cookie, &[])).into_bytes()),
        ("app-token", with_length(&post(&[&form, "XXL-JOB-ACCESS-TOKEN: wrong"]), &encoded("app-token"))),
        ("app-stray", with_length(&in_query("app-stray", &[&form]), b"_=1&draw=2&columns[0][data]=x&addressType=x")),
    ];
    for (name, bytes) in cases {
        let answer = exchange(&app, &bytes).await;
        assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.0 200"), "{name}: {answer}");
        assert_eq!(title(&app, name).await.as_deref(), Some("中: a b"), "{name}: {answer}");
    }
}

#[tokio::test]
async fn a_body_that_waits_to_be_asked_for_is_asked_for() {
    let app = spawn_app().await;
    let cookie = app.admin().await;
    let body = b"appname=app-expect&addressType=0&title=t";
    let start = "POST /xxl-job-admin/jobgroup/save HTTP/1.1";
    let length = format!("Content-Length: {}", body.len());
    let head = head(start, &cookie, &[&format!("Content-Type: {FORM}"), "Expect: 100-continue", &length]);
    let mut stream = connect(&app).await;
    stream.write_all(format!("{head}\r\n").as_bytes()).await.expect("written");
    let wanted = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut asked = vec![0; wanted.len()];
    stream.read_exact(&mut asked).await.expect("the interim answer");
    assert_eq!(String::from_utf8_lossy(&asked), String::from_utf8_lossy(wanted));
    stream.write_all(body).await.expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(title(&app, "app-expect").await.as_deref(), Some("t"));
}

#[tokio::test]
async fn a_connection_takes_one_call_after_the_other() {
    let app = spawn_app().await;
    let cookie = app.admin().await;
    let call = |name: &str, last: bool| {
        let body = format!("appname={name}&addressType=0&title=t");
        let end = if last { "Connection: close\r\n" } else { "" };
        format!(
            "POST /xxl-job-admin/jobgroup/save HTTP/1.1\r\nHost: a\r\nCookie: {COOKIE_NAME}={cookie}\r\n\
             Content-Type: {FORM}\r\nContent-Length: {}\r\n{end}\r\n{body}",
            body.len()
        )
    };
    let both = call("app-first", false) + &call("app-second", true);
    let answers = exchange(&app, both.as_bytes()).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 2, "{answers}");
    assert!(title(&app, "app-first").await.is_some() && title(&app, "app-second").await.is_some());
}

#[tokio::test]
async fn of_a_name_that_comes_twice_the_query_is_first() {
    let app = spawn_app().await;
    let cookie = app.admin().await;
    let start = "POST /xxl-job-admin/jobgroup/save?title=q&addressType=0 HTTP/1.1";
    let head = head(start, &cookie, &[&format!("Content-Type: {FORM}")]);
    let body = b"title=x&appname=app-twice&title=y&addressType=1";
    let answer = exchange(&app, &with_length(&head, body)).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(title(&app, "app-twice").await.as_deref(), Some("q,x,y"));
}

#[tokio::test]
async fn what_a_json_body_says_is_not_read() {
    let app = spawn_app_with(|settings| settings.console.dialect = Some(Dialect::V2)).await;
    let cookie = app.admin().await;
    let request = app.request(Method::POST, "/jobgroup/save", Some(&cookie)).header("Content-Type", "application/json");
    let answer = request.body(r#"{"appname":"app-body","title":"t"}"#).send().await.expect("an answer");
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(answer["msg"], "请输入AppName");
    assert_eq!(title(&app, "app-body").await, None);
}

#[tokio::test]
async fn too_much_is_refused_in_the_envelope_of_the_dialect() {
    let app = spawn_app().await;
    let admin = app.admin().await;
    let large = |size: usize| format!("x={}", "x".repeat(size));
    let envelopes = [("2", "code,msg,content"), ("3.2", "code,msg,content,success"), ("3", "code,data,msg,success")];
    for (dialect, keys) in envelopes {
        for (path, body, told) in [
            ("/login", large(64 << 10), "larger than 65536 bytes"),
            ("/auth/doLogin", large(64 << 10), "larger than 65536 bytes"),
            ("/jobgroup/pageList", large(16 << 20), "larger than 16777216 bytes"),
            ("/jobinfo/update", "a&".repeat(10_001), "more than 10000 parameters"),
        ] {
            let request = app.request(Method::POST, path, Some(&admin)).header("Content-Type", FORM);
            let answer = request.header("X-XXL-Dialect", dialect).body(body).send().await.expect("an answer");
            assert_eq!(answer.status(), 413, "{dialect} {path}");
            assert_eq!(answer.headers()["x-xxl-dialect"], dialect, "{path}");
            assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{path}");
            let answer: Value = answer.json().await.expect("JSON");
            let found: Vec<&str> = answer.as_object().expect("an object").keys().map(String::as_str).collect();
            assert_eq!((found.join(","), &answer["code"]), (keys.to_owned(), &500.into()), "{path}");
            assert!(answer["msg"].as_str().expect("a text").contains(told), "{path}: {answer}");
        }
    }
    let fields = "a&".repeat(10_000);
    let request = app.request(Method::POST, "/jobgroup/pageList", Some(&admin)).header("Content-Type", FORM);
    assert_eq!(request.body(fields).send().await.expect("an answer").status(), 200);
    let request = app.request(Method::POST, "/jobgroup/pageList", Some(&admin));
    let request = request.header("Content-Type", "multipart/form-data; boundary=B");
    let answer = request.body(multipart(&vec![("a", "1"); 10_001])).send().await.expect("an answer");
    assert_eq!(answer.status(), 413);
}

#[tokio::test]
async fn of_a_stranger_no_more_is_read_than_of_a_login() {
    let app = spawn_app().await;
    for body in [format!("x={}", "x".repeat(64 << 10)), "a&".repeat(10_001)] {
        let request = app.request(Method::POST, "/jobgroup/pageList?start=0", None).header("Content-Type", FORM);
        let answer = request.body(body).send().await.expect("an answer");
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["location"]),
            (302, &"/xxl-job-admin/toLogin".parse().expect("text"))
        );
    }
}

#[tokio::test]
async fn pages_of_lists_are_cut() {
    let app = spawn_app_with(|settings| settings.console.page_limit = 2).await;
    let admin = app.admin().await;
    for name in ["app-one", "app-two", "app-three"] {
        app.call("/jobgroup/save", &[("appname", name), ("title", "t")], &admin).await;
    }
    for length in ["1000", "2147483647", "3"] {
        let page = app.call("/jobgroup/pageList", &[("start", "0"), ("length", length)], &admin).await;
        assert_eq!((page["data"].as_array().map(Vec::len), &page["recordsTotal"]), (Some(2), &4.into()), "{length}");
        let form = [("offset", "0"), ("pagesize", length), ("appname", ""), ("title", "")];
        let page = &app.call("/jobgroup/pageList", &form, &admin).await["data"];
        assert_eq!((page["data"].as_array().map(Vec::len), &page["total"]), (Some(2), &4.into()), "{length}");
    }
    let page = app.call("/jobgroup/pageList", &[("start", "3"), ("length", "1000")], &admin).await;
    assert_eq!(page["data"].as_array().map(Vec::len), Some(1));
}
