//! What real Java admins sent to executors and made of their answers, against our client.

use serde_json::{Value, json};
use xxl_job_admin::config::profile::Release;
use xxl_job_admin::protocol::{CallResult, Dialect, ExecutorClient, LogPage, LogRequest, RunRequest, Target};

use super::{client, demo, profile, run_request, settings};
use crate::support::fake_executor::{Behaviour, Call, FakeExecutor};
use crate::support::recordings::Recording;

/// Answers every call as recorded.
fn answer_as_recorded(executor: &FakeExecutor, recording: &Recording) {
    let bytes = recording.response.bytes().expect("a recorded answer");
    for name in ["run", "trigger", "beat", "idleBeat", "kill", "log"] {
        executor.on(name, Behaviour::Raw(bytes.clone()));
    }
}

/// The one call that was made.
async fn only_call(executor: &FakeExecutor, path: &str) -> Call {
    let calls = executor.wait_for(path.trim_start_matches('/'), 1).await;
    assert_eq!(executor.calls().len(), 1, "{:?}", executor.calls());
    calls.into_iter().next().expect("one call")
}

#[tokio::test]
async fn requests_are_those_of_the_java_client() {
    let mut compared = 0;
    for recording in Recording::read("java-admin-client.jsonl") {
        compared += 1;
        let name = format!("{} {}", recording.admin, recording.case);
        let executor = FakeExecutor::start().await;
        answer_as_recorded(&executor, &recording);
        let without_token = recording.case.ends_with("_empty_token");
        let mut settings = settings();
        if without_token {
            settings.job.access_token = "".into();
        }
        let client = ExecutorClient::new(&settings, &profile(Release::V3_4)).expect("a client");
        let address = if recording.case.ends_with("_without_slash") {
            executor.address().trim_end_matches('/')
        } else {
            executor.address()
        };
        let path = recording.request.path.as_str();
        if path == "/trigger" {
            client.learn(address, Dialect::Trigger);
        }
        let result = make_call(&client, path, demo(address)).await;
        assert_eq!(result, Ok(CallResult { code: 200, msg: None, answered: true }), "{name}");

        let sent = only_call(&executor, path).await;
        let recorded = &recording.request;
        assert_eq!(sent.header("content-type"), recorded.header("content-type"), "{name}");
        // From 3.3 Java sends an empty token as an empty header; a missing one means the same.
        let token = recorded.header("xxl-job-access-token").filter(|token| !token.is_empty());
        assert_eq!(sent.header("xxl-job-access-token"), token, "{name}");
        assert_eq!(sent.header("xxl-job-appname"), Some("demo"), "{name}");
        match path {
            // Some releases send these two bytes, others nothing.
            "/beat" => assert!(sent.body == "\"\"" && ["", "\"\""].contains(&recorded.text()), "{name}"),
            // We give the date under both names.
            "/log" => {
                let (sent, recorded) = (sent.json(), recorded.json());
                for (field, value) in recorded.as_object().expect("an object") {
                    assert_eq!(&sent[field], value, "{name}");
                }
                assert_eq!(sent.as_object().map(serde_json::Map::len), Some(4), "{name}");
            }
            // Also in order.
            _ => assert_eq!(sent.json().to_string(), recorded.json().to_string(), "{name}"),
        }
    }
    assert_eq!(compared, 72);
}

/// Makes the call that leads to this path; a log page counts as success without text.
async fn make_call(client: &ExecutorClient, path: &str, to: Target<'_>) -> Result<CallResult, CallResult> {
    Ok(match path {
        "/beat" => client.beat(to).await,
        "/idleBeat" => client.idle_beat(to, 7).await,
        "/kill" => client.kill(to, 7).await,
        "/log" => {
            let page = client.log(to, LogRequest::new(5_000_000_001, 1_700_000_000_123, 1)).await?;
            let expected = LogPage { from_line_num: 1, to_line_num: 2, log_content: "l1\nl2\n".into(), is_end: true };
            assert_eq!(page, expected);
            CallResult { code: 200, msg: None, answered: true }
        }
        _ => client.run(to, &run_request(5_000_000_001)).await,
    })
}

/// Where we conclude otherwise than the Java admin of the recording, on purpose; the code that we store.
#[expect(clippy::match_same_arms, reason = "an arm for each reason")]
fn intended_difference(release: Release, case: &str) -> Option<i32> {
    match case {
        // Rows left at 0 look as if they ran for ever.
        "java_admin_job_answer_no_code" => Some(500),
        "java_admin_job_answer_empty" if release < Release::V3_3 => Some(500),
        // Java repeats the call as GET wherever the answer sends it.
        "java_admin_job_answer_redirect" => Some(500),
        _ => None,
    }
}

#[tokio::test]
async fn answers_are_concluded_as_by_the_java_admins() {
    let mut compared = 0;
    for (admin, release) in [
        ("2.3.1", Release::V2_3),
        ("2.5.0", Release::V2_5),
        ("3.2.0", Release::V3_2),
        ("3.3.2", Release::V3_3),
        ("3.4.2", Release::V3_4),
        ("HEAD", Release::V3_4),
    ] {
        for recording in Recording::read(&format!("java-admin-{admin}.jsonl")) {
            if recording.is_to_admin() || recording.db_after.is_null() {
                continue;
            }
            compared += 1;
            conclude(admin, release, &recording).await;
        }
    }
    assert_eq!(compared, 90);
}

async fn conclude(admin: &str, release: Release, recording: &Recording) {
    let name = format!("{admin} {}", recording.case);
    let executor = FakeExecutor::start().await;
    answer_as_recorded(&executor, recording);
    if recording.case == "java_admin_job_answer_slow" {
        executor.on("run", Behaviour::Never);
        executor.on("trigger", Behaviour::Never);
    }
    let client = client(release);
    let path = recording.request.path.as_str();
    if path == "/trigger" {
        client.learn(executor.address(), Dialect::Trigger);
    }
    let job = recording.request.json();
    let result = if path == "/idleBeat" {
        client.idle_beat(demo(executor.address()), int(&job, "jobId")).await
    } else {
        client.run(demo(executor.address()), &recorded_request(&job)).await
    };
    let sent = only_call(&executor, path).await;
    assert_eq!(sent.json().to_string(), job.to_string(), "{name}");
    assert_eq!(sent.header("xxl-job-access-token"), recording.request.header("xxl-job-access-token"), "{name}");

    let stored = recording.db_after["trigger_code"].as_i64().expect("a code");
    if let Some(code) = intended_difference(release, &recording.case) {
        assert_ne!(i64::from(code), stored, "{name} is no difference any more");
        assert_eq!((result.code, result.answered), (code, false), "{name}");
    } else {
        assert_eq!(i64::from(result.code), stored, "{name}: {result:?}");
        check_message(&name, release, recording, &result, executor.address());
    }
}

/// The message is the one in the text that Java stored.
fn check_message(name: &str, release: Release, recording: &Recording, result: &CallResult, address: &str) {
    let stored = recording.db_after["trigger_msg_tail"].as_str().expect("a text");
    let msg = result.msg.as_deref().unwrap_or("null").replace(address, "http://127.0.0.1:18310/");
    // We also quote the body of an answer whose status is not 200.
    let msg = msg.strip_suffix(", response content(oops)").unwrap_or(&msg);
    if release < Release::V3_3 {
        let said = format!("code：{}<br>msg：{msg}", result.code);
        assert!(stored.trim_end_matches("<br>").ends_with(&said), "{name}: {said} in {stored}");
    } else if !result.answered {
        // A stack trace of which the first letters are cut off; for a body that is no JSON it names the parser.
        match recording.case.as_str() {
            "java_admin_job_answer_html" | "java_admin_job_answer_empty" => {
                assert!(msg.starts_with("Http Response content invalid("), "{name}: {msg}");
            }
            _ => assert!(stored.contains(msg.strip_prefix("Htt").expect("Http")), "{name}: {msg} in {stored}"),
        }
    } else if !result.is_success() {
        assert!(stored.contains(&format!("code：{}<br>msg：{msg}", result.code)), "{name}: {msg} in {stored}");
    }
}

fn int(job: &Value, field: &str) -> i32 {
    job[field].as_i64().and_then(|value| i32::try_from(value).ok()).expect("an int")
}

fn recorded_request(job: &Value) -> RunRequest<'_> {
    RunRequest {
        job_id: int(job, "jobId"),
        executor_handler: job["executorHandler"].as_str(),
        executor_params: job["executorParams"].as_str(),
        executor_block_strategy: job["executorBlockStrategy"].as_str().expect("a text"),
        executor_timeout: int(job, "executorTimeout"),
        log_id: job["logId"].as_i64().expect("a long"),
        log_date_time: job["logDateTime"].as_i64().expect("a long"),
        glue_type: job["glueType"].as_str().expect("a text"),
        glue_source: job["glueSource"].as_str(),
        glue_updatetime: job["glueUpdatetime"].as_i64().expect("a long"),
        broadcast_index: int(job, "broadcastIndex"),
        broadcast_total: int(job, "broadcastTotal"),
    }
}

#[tokio::test]
async fn answers_of_every_executor_are_read() {
    let mut compared = 0;
    for file in [
        "2.2.0",
        "2.3.1",
        "2.5.0",
        "3.2.0",
        "3.3.2",
        "3.4.2",
        "HEAD",
        "go-1.2.0",
        "pyxxl-0.4.8",
        "pyxxljob-1.0.7",
        "flask-xxljob-0.4.0",
    ] {
        let executor = FakeExecutor::start().await;
        let client = client(Release::V3_4);
        for recording in Recording::read(&format!("{file}.jsonl")) {
            let path = recording.request.path.as_str();
            if recording.is_to_admin()
                || recording.response.bytes().is_none()
                || recording.request.method != "POST"
                || !["/run", "/trigger", "/beat", "/idleBeat", "/kill", "/log"].contains(&path)
            {
                continue;
            }
            compared += 1;
            let name = format!("{file} {}", recording.case);
            answer_as_recorded(&executor, &recording);
            let said: Value =
                serde_json::from_str(recording.response.body.as_deref().unwrap_or_default()).unwrap_or_default();
            let code = match recording.response.status {
                Some(200) => said["code"].as_i64().unwrap_or(500),
                _ => 500,
            };
            let to = demo(executor.address());
            if path == "/log" {
                let payload = [&said["content"], &said["data"]].into_iter().find(|payload| payload.is_object());
                match client.log(to, LogRequest::new(1, 2, 3)).await {
                    Ok(page) => assert_eq!(
                        json!({
                            "fromLineNum": page.from_line_num,
                            "toLineNum": page.to_line_num,
                            "logContent": page.log_content,
                            "isEnd": page.is_end,
                        }),
                        *payload.expect("a page"),
                        "{name}"
                    ),
                    Err(result) => assert!(i64::from(result.code) == code && code != 200, "{name}: {result:?}"),
                }
                continue;
            }
            let result = match path {
                "/beat" => client.beat(to).await,
                "/idleBeat" => client.idle_beat(to, 1).await,
                "/kill" => client.kill(to, 1).await,
                _ => client.run(to, &run_request(1)).await,
            };
            assert_eq!(i64::from(result.code), code, "{name}: {result:?}");
            if let Some(items) = said.as_array() {
                // Go refuses a run by a list.
                assert_eq!(result.msg.as_deref(), items[0]["handleMsg"].as_str(), "{name}");
            } else if let Some(msg) = said["msg"].as_str() {
                assert_eq!(result.msg.as_deref(), Some(msg), "{name}");
            }
        }
    }
    assert_eq!(compared, 838);
}
