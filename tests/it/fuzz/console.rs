//! The console: parameters in every form, cookies, headers, on every path.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use xxl_job_admin::config::settings::Dialect;
use xxl_job_admin::web::console_paths;

use super::{runtime, try_all};
use crate::support::app::{COOKIE_NAME, TestApp, spawn_app};

const NAMES: &[&str] = &[
    "id",
    "ids[]",
    "ids",
    "jobGroup",
    "jobId",
    "logId",
    "fromLineNum",
    "type",
    "triggerStatus",
    "logStatus",
    "start",
    "length",
    "offset",
    "pagesize",
    "jobDesc",
    "author",
    "executorHandler",
    "executorParam",
    "addressList",
    "appname",
    "title",
    "addressType",
    "scheduleType",
    "scheduleConf",
    "glueType",
    "glueSource",
    "glueRemark",
    "childJobId",
    "executorRouteStrategy",
    "misfireStrategy",
    "executorBlockStrategy",
    "executorTimeout",
    "executorFailRetryCount",
    "filterTime",
    "startDate",
    "endDate",
    "username",
    "userName",
    "password",
    "oldPassword",
    "role",
    "permission",
    "ifRemember",
    "triggerNextTime",
    "alarmEmail",
];

const WORDS: &[&str] = &[
    "",
    " ",
    "0",
    "1",
    "-1",
    "2",
    "7",
    "0x1",
    "2147483647",
    "2147483648",
    "-9223372036854775808",
    "1e3",
    "NaN",
    "null",
    "CRON",
    "FIX_RATE",
    "NONE",
    "BEAN",
    "GLUE_SHELL",
    "FIRST",
    "FAILOVER",
    "SERIAL_EXECUTION",
    "DO_NOTHING",
    "0 0 0 * * ?",
    "0 0 0 31 2 ? 2099",
    "99999999999",
    "1,2,,",
    ",",
    "%",
    "_",
    "'",
    "\"",
    "\\",
    "';--",
    "\u{0}",
    "<script>x</script>",
    "http://127.0.0.1:1/",
    "2026-13-41 25:61:61 - 2026-11-30 00:00:00",
    " - ",
    "a - b",
    "2026-11-30 00:00:00",
    "admin",
    "123456",
    "on",
    "{{7*7}}",
    "${7*7}",
    "中文😀",
    "\u{feff}",
    "\r\n",
];

#[derive(Debug, Clone)]
enum Body {
    None,
    Form(Vec<(String, String)>),
    Multipart(Vec<(String, String)>),
    Bytes(&'static str, Vec<u8>),
}

#[derive(Debug, Clone)]
struct Call {
    method: &'static str,
    path: String,
    query: Vec<(String, String)>,
    body: Body,
    cookie: Option<String>,
    logged_in: bool,
    header: Option<(&'static str, String)>,
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![9 => prop::sample::select(NAMES).prop_map(str::to_owned), 1 => ".{0,8}"];
    let word =
        prop_oneof![4 => prop::sample::select(WORDS).prop_map(str::to_owned), 2 => ".{0,40}", 1 => "[0-9]{1,20}"];
    prop::collection::vec((name, word), 0..12)
}

fn body() -> impl Strategy<Value = Body> {
    let kind = prop::sample::select(vec![
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=GBK",
        "application/json",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "",
    ]);
    prop_oneof![
        2 => Just(Body::None),
        5 => pairs().prop_map(Body::Form),
        2 => pairs().prop_map(Body::Multipart),
        2 => (kind, prop::collection::vec(any::<u8>(), 0..200)).prop_map(|(kind, bytes)| Body::Bytes(kind, bytes)),
    ]
}

fn cookie() -> impl Strategy<Value = Option<String>> {
    let name = prop::sample::select(vec![COOKIE_NAME, "xxl_job_login_token", "xxl_lang", "x"]);
    let value = prop_oneof!["[ -~]{0,60}", "[0-9a-f]{0,80}", "[A-Za-z0-9_-]{43}", "eyJ[A-Za-z0-9_-]{0,60}"];
    let other = prop::sample::select(vec!["", "; Path=/; HttpOnly", "; $Path=\"/\"", ";;;=", "; x"]);
    prop::option::of((name, value, other).prop_map(|(name, value, other)| format!("{name}={value}{other}")))
}

fn header() -> impl Strategy<Value = Option<(&'static str, String)>> {
    let name = prop::sample::select(vec![
        "x-xxl-dialect",
        "accept",
        "accept-language",
        "authorization",
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-forwarded-host",
        "origin",
        "referer",
        "sec-fetch-site",
        "content-type",
        "x-xxl-lang",
        "if-none-match",
        "range",
    ]);
    prop::option::of((name, prop_oneof![Just("2".to_owned()), Just("3".to_owned()), "[ -~]{0,40}"]))
}

fn call() -> impl Strategy<Value = Call> {
    let mut paths: Vec<&'static str> =
        [Dialect::V2, Dialect::V3_2, Dialect::V3].into_iter().flat_map(console_paths).collect();
    paths.retain(|path| !path.ends_with("logout"));
    let path = prop_oneof![
        12 => prop::sample::select(paths).prop_map(str::to_owned),
        1 => "/[a-zA-Z/.%]{0,20}",
        1 => prop::sample::select(vec!["/actuator", "/actuator/health", "/actuator/prometheus", "/static/x", "/api/x"]).prop_map(str::to_owned),
    ];
    let method = prop::sample::select(vec!["GET", "POST", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
    (method, path, pairs(), body(), cookie(), prop::bool::weighted(0.8), header()).prop_map(
        |(method, path, query, body, cookie, logged_in, header)| Call {
            method,
            path,
            query,
            body,
            cookie,
            logged_in,
            header,
        },
    )
}

fn encoded(pairs: &[(String, String)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn multipart(pairs: &[(String, String)]) -> String {
    let part = |(name, value): &(String, String)| {
        format!("--xxfuzz\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{value}\r\n", name.replace('"', ""))
    };
    pairs.iter().map(part).collect::<String>() + "--xxfuzz--\r\n"
}

async fn send(app: &TestApp, admin: &str, call: &Call) -> Result<(), TestCaseError> {
    let method = Method::from_bytes(call.method.as_bytes()).expect("a method");
    let url = format!("{}{}?{}", app.base_url, call.path, encoded(&call.query));
    let Ok(url) = url::Url::parse(&url) else { return Ok(()) };
    let mut request = app.client.request(method, url);
    let admin = call.logged_in.then(|| format!("{COOKIE_NAME}={admin}"));
    let cookies: Vec<String> = call.cookie.iter().cloned().chain(admin).collect();
    if let Ok(value) = HeaderValue::from_str(&cookies.join("; ")) {
        request = request.header("Cookie", value);
    }
    if let Some((name, value)) = &call.header
        && let Ok(value) = HeaderValue::from_str(value)
    {
        request = request.header(HeaderName::from_static(name), value);
    }
    request = match &call.body {
        Body::None => request,
        Body::Form(pairs) => request.header("Content-Type", "application/x-www-form-urlencoded").body(encoded(pairs)),
        Body::Multipart(pairs) => {
            request.header("Content-Type", "multipart/form-data; boundary=xxfuzz").body(multipart(pairs))
        }
        Body::Bytes(kind, bytes) => request.header("Content-Type", *kind).body(bytes.clone()),
    };
    let answer = request.send().await.map_err(|error| TestCaseError::fail(format!("no answer: {error:?}")))?;
    let status = answer.status();
    let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    let body = answer.text().await.map_err(|error| TestCaseError::fail(format!("no body: {error:?}")))?;
    prop_assert!(status.as_u16() < 500, "{status}: {body}");
    if kind.starts_with("application/json") && !body.is_empty() {
        let json: Result<serde_json::Value, _> = serde_json::from_str(&body);
        prop_assert!(json.is_ok_and(|json| json.is_object()), "no JSON object: {body}");
    }
    Ok(())
}

#[test]
fn no_call_of_the_console_breaks_it() {
    let runtime = runtime();
    let app = runtime.block_on(spawn_app());
    let admin = runtime.block_on(app.admin());
    let cases = try_all(&call(), |call| runtime.block_on(send(&app, &admin, &call)));
    assert!(cases > 0);
    let alive =
        runtime.block_on(app.outcome("/jobinfo/nextTriggerTime", &[("scheduleType", "NONE"), ("start", "0")], &admin));
    assert_eq!(alive, "200 -");
    runtime.block_on(app.stop());
}
