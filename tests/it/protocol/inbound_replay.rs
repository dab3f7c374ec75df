//! What real executors sent, and what real Java admins answered, against our decision and our answers.

use serde_json::Value;
use xxl_job_admin::config::profile::{Profile, Release};
use xxl_job_admin::protocol::{Answer, ApiCall, ApiRequest, Inbound, body_limit, decide};

use super::{profile, tokens};
use crate::support::recordings::{Recording, Request};

/// The release that we resemble for each recorded admin. 3.5 is none of ours; its executors are served all the same.
const ADMINS: [(&str, Release); 6] = [
    ("2.3.1", Release::V2_3),
    ("2.5.0", Release::V2_5),
    ("3.2.0", Release::V3_2),
    ("3.3.2", Release::V3_3),
    ("3.4.2", Release::V3_4),
    ("HEAD", Release::V3_4),
];

/// What we answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ours {
    /// Success.
    Success,
    /// This status and text in the failure envelope.
    Failure(u16, &'static str),
    /// The exception envelope, with a sentence of our own. Java's quotes its parser or a `NullPointerException`.
    Exception,
}

/// Where we answer otherwise than the recorded admin, on purpose.
#[expect(clippy::match_same_arms, reason = "an arm for each reason")]
fn intended_difference(admin: &str, case: &str) -> Option<Ours> {
    const UNSUPPORTED: Ours = Ours::Failure(200, "invalid request, HttpMethod not support.");
    const WRONG_TOKEN: Ours = Ours::Failure(200, "The access token is wrong.");
    Some(match case {
        // The login page in place of an answer.
        "api_registry_options" => UNSUPPORTED,
        "api_registry_accept_xml" | "api_registry_accept_html" | "api_registry_other_context" => Ours::Success,
        "api_registry_trailing_slash" if !admin.starts_with('2') => Ours::Success,
        "api_api_root" => Ours::Failure(404, "invalid request, uri-mapping() not found."),
        "api_api_nested" => Ours::Failure(404, "invalid request, uri-mapping(a/b) not found."),
        "api_registry_double_slash" => Ours::Failure(404, "invalid request, uri-mapping(/registry) not found."),
        // The text of an exception.
        "api_registry_empty_body" | "api_registry_blank_body" if !has_blank_body_check(admin) => Ours::Exception,
        "api_registry_malformed"
        | "api_registry_null"
        | "api_registry_text"
        | "api_callback_malformed"
        | "api_callback_object" => Ours::Exception,
        // Every dialect at once.
        "api_callback_head_wrapped" if admin != "HEAD" => Ours::Success,
        "api_callback_empty_list" | "api_callback_unknown_logid" | "api_callback_null" | "api_callback_5MiB"
            if admin == "HEAD" =>
        {
            Ours::Success
        }
        // 3.5 takes any object, whatever it holds.
        "api_callback_wrapped_missing" => Ours::Exception,
        // 3.5 has tokens of groups and texts of its own.
        "api_registry_wrong_token"
        | "api_registry_missing_token"
        | "api_registry_empty_token"
        | "api_unknown_uri_wrong_token"
        | "api_callback_wrong_token"
            if admin == "HEAD" =>
        {
            WRONG_TOKEN
        }
        "api_registry_missing_appname" | "api_registry_wrong_appname" | "api_registry_empty_appname" => Ours::Success,
        _ => return None,
    })
}

fn has_blank_body_check(admin: &str) -> bool {
    !admin.starts_with('2') && admin != "3.2.0"
}

fn decided(request: &Request, body: &str, profile: &Profile) -> Inbound {
    let (_, path) = request.path.split_once("/api/").expect("a path of the API");
    assert!(body.len() <= body_limit(path));
    let request = ApiRequest {
        method: &request.method,
        path,
        access_token: request.header("XXL-JOB-ACCESS-TOKEN").map(str::as_bytes),
        app_name: request.header("XXL-JOB-APPNAME"),
        content_type: request.header("Content-Type"),
        body: body.as_bytes(),
    };
    decide(&request, profile, &tokens())
}

/// The body, made anew where it was left out for its size.
fn body_of(recording: &Recording) -> String {
    recording.request.body.clone().unwrap_or_else(|| {
        assert_eq!(recording.case, "api_callback_5MiB");
        let mut body = String::from(r#"[{"logId":999999,"handleCode":200,"handleMsg":""#);
        body.push_str(&"x".repeat(5_242_945 - body.len() - 3));
        body + r#""}]"#
    })
}

#[test]
fn answers_are_those_of_the_java_admins() {
    let mut compared = 0;
    for (admin, release) in ADMINS {
        let profile = profile(release);
        for recording in Recording::read(&format!("java-admin-{admin}.jsonl")) {
            if !recording.is_to_admin() {
                continue;
            }
            compared += 1;
            let name = format!("{admin} {}", recording.case);
            let answer = match decided(&recording.request, &body_of(&recording), &profile) {
                Inbound::Answer(answer) => answer,
                Inbound::Call(_) => Answer::success(&profile),
                Inbound::Job(call) => panic!("{name}: {call:?}"),
            };
            let body = if recording.request.method == "HEAD" { &[][..] } else { &answer.body };
            let same = recording.response.status == Some(answer.status)
                && recording.response.body.as_deref().map(str::as_bytes) == Some(body)
                && recording.response.header("Content-Type") == Some(answer.content_type);
            match intended_difference(admin, &recording.case) {
                None => assert!(same, "{name}: {answer:?} in place of {:?}", recording.response),
                Some(ours) => {
                    assert!(!same, "{name} is no difference any more");
                    check_difference(&name, &answer, ours, &profile, &recording);
                }
            }
        }
    }
    assert_eq!(compared, 287);
}

fn check_difference(name: &str, answer: &Answer, ours: Ours, profile: &Profile, recording: &Recording) {
    match ours {
        Ours::Success => assert_eq!(*answer, Answer::success(profile), "{name}"),
        Ours::Failure(status, msg) => {
            assert_eq!(*answer, Answer { status, ..Answer::failure(profile, msg) }, "{name}");
        }
        Ours::Exception => {
            let json: Value = serde_json::from_slice(&answer.body).expect("JSON");
            let msg = json["msg"].as_str().expect("a text");
            let sentence = msg.strip_prefix("openapi invoke error: ").unwrap_or(msg);
            assert_eq!(*answer, Answer::exception(profile, &sentence), "{name}");
            // Code and prefix are Java's, where it said anything and thought it wrong.
            let theirs: Value =
                serde_json::from_str(recording.response.body.as_deref().unwrap_or_default()).unwrap_or_default();
            if theirs.is_object() && theirs["code"] != 200 {
                assert_eq!((answer.status, &json["code"]), (200, &theirs["code"]), "{name}");
                assert_eq!(
                    msg.starts_with("openapi"),
                    theirs["msg"].as_str().is_some_and(|msg| msg.starts_with("openapi")),
                    "{name}"
                );
                assert_eq!(recording.response.header("Content-Type"), Some(answer.content_type), "{name}");
            }
        }
    }
}

#[test]
fn results_are_read_as_the_java_admins_stored_them() {
    let mut compared = 0;
    for (admin, release) in ADMINS {
        for recording in Recording::read(&format!("java-admin-{admin}.jsonl")) {
            if !recording.is_to_admin() || recording.db_after.is_null() {
                continue;
            }
            compared += 1;
            let Inbound::Call(ApiCall::Callback(items)) =
                decided(&recording.request, &body_of(&recording), &profile(release))
            else {
                panic!("{admin} {}: not read", recording.case)
            };
            let [item] = &items[..] else { panic!("{admin} {}: {items:?}", recording.case) };
            let read = (item.handle_code, item.handle_msg.as_deref().unwrap_or_default());
            if recording.case == "api_callback_22_style" {
                // Java from 2.3 on stores 0 and nothing, and the job looks as if it ran for ever.
                assert_eq!(read, (200, "old"), "{admin}");
            } else {
                let stored = (&recording.db_after["handle_code"], &recording.db_after["handle_msg"]);
                assert_eq!((&Value::from(read.0), &Value::from(read.1)), stored, "{admin} {}", recording.case);
            }
        }
    }
    assert_eq!(compared, 37);
}

#[test]
fn every_executor_is_understood() {
    let mut compared = 0;
    for file in [
        "2.2.0",
        "2.3.0",
        "2.3.1",
        "2.4.0",
        "2.4.1",
        "2.4.2",
        "2.5.0",
        "3.0.0",
        "3.1.0",
        "3.1.1",
        "3.2.0",
        "3.3.1",
        "3.3.2",
        "3.4.2",
        "HEAD",
        "go-1.2.0",
        "pyxxl-0.4.8",
        "pyxxljob-1.0.7",
        "flask-xxljob-0.4.0",
    ] {
        for recording in Recording::read(&format!("{file}.jsonl")) {
            // A body is missing where it was left out for its size; an executor that was redirected asked for a page.
            if !recording.is_to_admin()
                || recording.request.body.is_none()
                || recording.case == "cb_redirect302_followed"
            {
                continue;
            }
            compared += 1;
            let name = format!("{file} {} {}", recording.case, recording.request.path);
            let sent = recording.request.json();
            for release in [Release::V2_3, Release::V3_2, Release::V3_4] {
                match decided(&recording.request, &body_of(&recording), &profile(release)) {
                    other @ (Inbound::Answer(_) | Inbound::Job(_)) => panic!("{name}: {other:?}"),
                    Inbound::Call(ApiCall::Registry { call, dialect }) => {
                        assert_eq!(
                            [&*call.group, &*call.key, &*call.value].map(Value::from),
                            ["registryGroup", "registryKey", "registryValue"].map(|field| sent[field].clone()),
                            "{name}"
                        );
                        assert_eq!(dialect.is_some(), file == "HEAD", "{name}");
                    }
                    Inbound::Call(ApiCall::RegistryRemove(call)) => {
                        assert_eq!(
                            (&*call.group, &sent["registryValue"]),
                            ("EXECUTOR", &Value::from(call.value)),
                            "{name}"
                        );
                    }
                    Inbound::Call(ApiCall::Callback(items)) => {
                        let list = sent.get("callbackList").unwrap_or(&sent).as_array().expect("a list");
                        let read: Vec<Value> = items
                            .iter()
                            .map(|item| {
                                let msg = item.handle_msg.as_deref().map_or(Value::Null, Value::from);
                                Value::from(vec![item.log_id.into(), item.handle_code.into(), msg])
                            })
                            .collect();
                        let sent: Vec<Value> = list
                            .iter()
                            .map(|item| {
                                let (result, code, msg) = match item.get("handleCode") {
                                    Some(_) => (item, "handleCode", "handleMsg"),
                                    None => (&item["executeResult"], "code", "msg"),
                                };
                                Value::from(vec![item["logId"].clone(), result[code].clone(), result[msg].clone()])
                            })
                            .collect();
                        assert_eq!(read, sent, "{name}");
                    }
                }
            }
        }
    }
    assert_eq!(compared, 581);
}
