//! `/api/*`: JSON that is nearly right, and bytes that are not.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};

use super::{runtime, try_all};
use crate::support::app::{TOKEN, TestApp, spawn_app};

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,30}".prop_map(Value::from),
        prop::sample::select(vec![
            "EXECUTOR",
            "RS_LOGIN",
            "xxl-job-executor-sample",
            "http://127.0.0.1:1/",
            "200",
            "0"
        ])
        .prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        6 => prop::sample::select(vec![
            "registryGroup", "registryKey", "registryValue", "logId", "logDateTim", "logDateTime", "handleCode",
            "handleMsg", "executeResult", "code", "msg", "id", "jobGroup", "name", "scheduleType", "scheduleConf",
            "glueType", "executorParam", "addressList",
        ]).prop_map(str::to_owned),
        1 => ".{0,10}",
    ];
    leaf().prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => tree().prop_map(|value| value.to_string().into_bytes()),
        1 => (tree(), any::<prop::sample::Index>()).prop_map(|(value, at)| {
            let mut text = value.to_string().into_bytes();
            text.truncate(at.index(text.len() + 1));
            text
        }),
        1 => prop::collection::vec(any::<u8>(), 0..300),
    ]
}

async fn send(app: &TestApp, path: &str, token: &str, body: Vec<u8>) -> Result<(), TestCaseError> {
    let request = app.client.post(format!("{}/api/{path}", app.base_url));
    let request = request.header("XXL-JOB-ACCESS-TOKEN", token).header("XXL-JOB-APPNAME", "xxl-job-executor-sample");
    let answer = request.body(body).send().await;
    let answer = answer.map_err(|error| TestCaseError::fail(format!("no answer: {error:?}")))?;
    let status = answer.status();
    let body = answer.text().await.map_err(|error| TestCaseError::fail(format!("no body: {error:?}")))?;
    prop_assert!(status.as_u16() < 500, "{status}: {body}");
    let json: Result<Value, _> = serde_json::from_str(&body);
    prop_assert!(json.is_ok_and(|json| json["code"].is_number()), "no envelope: {body}");
    Ok(())
}

#[test]
fn no_body_of_an_executor_breaks_it() {
    let runtime = runtime();
    let app = runtime.block_on(spawn_app());
    let path = prop::sample::select(vec!["registry", "registryRemove", "callback", "addJob", "updateJob", "x"]);
    let token = prop::sample::select(vec![TOKEN, TOKEN, TOKEN, "wrong", ""]);
    let cases = try_all(&(path, token, body()), |(path, token, body)| runtime.block_on(send(&app, path, token, body)));
    assert!(cases > 0);
    runtime.block_on(app.stop());
}
