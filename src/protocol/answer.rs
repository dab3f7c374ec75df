//! The answers of `/api/*`, byte for byte as the release that we resemble writes them.

use std::fmt::Display;

use bytes::Bytes;

use crate::config::profile::{ApiAnswer, Profile};

/// A finished answer to an executor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Value of `Content-Type`.
    pub content_type: &'static str,
    /// The JSON text.
    pub body: Bytes,
}

const JSON: &str = "application/json";

impl Answer {
    /// The call was carried out.
    pub const fn success(profile: &Profile) -> Self {
        let body: &'static [u8] = match profile.api_answer {
            ApiAnswer::CodeMsgContent => br#"{"code":200,"msg":null,"content":null}"#,
            ApiAnswer::CodeMsgContentSuccess => br#"{"code":200,"msg":"Success","content":null,"success":true}"#,
            ApiAnswer::CodeDataMsgSuccess => br#"{"code":200,"data":null,"msg":"Success","success":true}"#,
        };
        Self { status: 200, content_type: JSON, body: Bytes::from_static(body) }
    }

    /// The call was refused, or could not be carried out: code 500 and this text.
    pub fn failure(profile: &Profile, msg: &str) -> Self {
        Self::failure_with_status(200, profile, msg)
    }

    /// Java ends such a call with an exception: the envelope that its release then writes, with a plain sentence in place
    /// of the exception's text. 3.2 says code 203 (and nothing at all when the JSON is malformed; here as for the others).
    pub fn exception(profile: &Profile, sentence: &impl Display) -> Self {
        match profile.api_answer {
            ApiAnswer::CodeMsgContent => {
                Self { content_type: "application/json;charset=utf-8", ..Self::failure(profile, &sentence.to_string()) }
            }
            ApiAnswer::CodeMsgContentSuccess => Self {
                status: 200,
                content_type: "application/json;charset=UTF-8",
                body: format!("{{\"code\":203,\"msg\":{}}}\n", quoted(&sentence.to_string())).into(),
            },
            ApiAnswer::CodeDataMsgSuccess => Self::failure(profile, &invoke_error(sentence)),
        }
    }

    /// The path names nothing that could be called.
    pub fn not_found(profile: &Profile, path: &str) -> Self {
        Self::failure_with_status(404, profile, &uri_mapping_not_found(path))
    }

    /// The body is larger than [`body_limit`](super::body_limit) allows.
    pub fn too_large(profile: &Profile) -> Self {
        Self::failure_with_status(413, profile, "invalid request, requestBody too large.")
    }

    /// A job call was carried out; it may have something to tell.
    pub fn job_done(data: Option<&str>) -> Self {
        let data = data.map_or_else(|| "null".to_owned(), quoted);
        let body = format!(r#"{{"code":200,"data":{data},"msg":"Success","success":true}}"#);
        Self { status: 200, content_type: JSON, body: body.into() }
    }

    /// A job call was refused.
    pub fn job_refused(msg: &str) -> Self {
        failure_in(JOB_CALLS, 200, 500, msg)
    }

    /// Java ends such a job call with an exception.
    pub fn job_exception(sentence: &impl Display) -> Self {
        Self::job_refused(&invoke_error(sentence))
    }

    /// Too many job calls.
    pub fn too_many_job_calls() -> Self {
        failure_in(JOB_CALLS, 200, 502, "Too many requests, please try again later.")
    }

    fn failure_with_status(status: u16, profile: &Profile, msg: &str) -> Self {
        failure_in(profile.api_answer, status, 500, msg)
    }
}

/// The shape in which job calls are answered, whatever release we resemble: 3.5 alone has them.
const JOB_CALLS: ApiAnswer = ApiAnswer::CodeDataMsgSuccess;

fn failure_in(shape: ApiAnswer, status: u16, code: u16, msg: &str) -> Answer {
    let msg = quoted(msg);
    let body = match shape {
        ApiAnswer::CodeMsgContent => format!(r#"{{"code":{code},"msg":{msg},"content":null}}"#),
        ApiAnswer::CodeMsgContentSuccess => format!(r#"{{"code":{code},"msg":{msg},"content":null,"success":false}}"#),
        ApiAnswer::CodeDataMsgSuccess => format!(r#"{{"code":{code},"data":null,"msg":{msg},"success":false}}"#),
    };
    Answer { status, content_type: JSON, body: body.into() }
}

/// What the releases from 3.3 say before the text of an exception.
fn invoke_error(sentence: &impl Display) -> String {
    format!("openapi invoke error: {sentence}")
}

/// The text for a path that names nothing.
pub(super) fn uri_mapping_not_found(name: &str) -> String {
    format!("invalid request, uri-mapping({name}) not found.")
}

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::profile::Release;
    use crate::config::settings::{DatabaseUrl, Settings};

    fn profile(release: Release) -> Profile {
        Profile::resolve(&Settings::for_database(DatabaseUrl::Sqlite("x".into())), release)
    }

    #[test]
    fn every_release_has_its_own_shape() {
        for (release, success, failure, exception) in [
            (
                Release::V2_4,
                r#"{"code":200,"msg":null,"content":null}"#,
                r#"{"code":500,"msg":"a \"b\"","content":null}"#,
                r#"{"code":500,"msg":"a \"b\"","content":null}"#,
            ),
            (
                Release::V3_2,
                r#"{"code":200,"msg":"Success","content":null,"success":true}"#,
                r#"{"code":500,"msg":"a \"b\"","content":null,"success":false}"#,
                "{\"code\":203,\"msg\":\"a \\\"b\\\"\"}\n",
            ),
            (
                Release::V3_4,
                r#"{"code":200,"data":null,"msg":"Success","success":true}"#,
                r#"{"code":500,"data":null,"msg":"a \"b\"","success":false}"#,
                r#"{"code":500,"data":null,"msg":"openapi invoke error: a \"b\"","success":false}"#,
            ),
        ] {
            let profile = profile(release);
            assert_eq!(Answer::success(&profile).body, success);
            assert_eq!(Answer::failure(&profile, "a \"b\"").body, failure);
            assert_eq!(Answer::exception(&profile, &"a \"b\"").body, exception);
        }
    }

    #[test]
    fn job_calls_are_answered_as_by_3_5() {
        for (answer, body) in [
            (Answer::job_done(Some("7")), r#"{"code":200,"data":"7","msg":"Success","success":true}"#),
            (Answer::job_done(None), r#"{"code":200,"data":null,"msg":"Success","success":true}"#),
            (Answer::job_refused("a"), r#"{"code":500,"data":null,"msg":"a","success":false}"#),
            (
                Answer::job_exception(&"a"),
                r#"{"code":500,"data":null,"msg":"openapi invoke error: a","success":false}"#,
            ),
            (
                Answer::too_many_job_calls(),
                r#"{"code":502,"data":null,"msg":"Too many requests, please try again later.","success":false}"#,
            ),
        ] {
            assert_eq!((answer.status, answer.content_type), (200, "application/json"));
            assert_eq!(answer.body, body);
        }
    }

    #[test]
    fn status_and_content_type_follow_the_kind() {
        let old = profile(Release::V2_5);
        assert_eq!(Answer::exception(&old, &"x").content_type, "application/json;charset=utf-8");
        assert_eq!(Answer::exception(&profile(Release::V3_2), &"x").content_type, "application/json;charset=UTF-8");
        assert_eq!(Answer::exception(&profile(Release::V3_3), &"x").content_type, "application/json");
        assert_eq!((Answer::not_found(&old, "a/b").status, Answer::too_large(&old).status), (404, 413));
    }
}
