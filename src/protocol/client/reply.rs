//! What an executor's answer means.
//!
//! Every dialect is understood: the payload is `content` (to 3.2) or `data`. Go executors answer a failed run with an
//! array of results. Unlike Java, an empty answer and one without `code` are failures (there the log row stays open for
//! ever).

use serde::Deserialize;
use serde_json::Value;

use super::error::CallError;
use crate::protocol::{CallResult, LogPage, json};

/// An executor's answer (Java `ReturnT`, later `Response`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply {
    code: Value,
    msg: Value,
    content: Value,
    data: Value,
}

impl Reply {
    fn parse(body: &[u8]) -> Result<Self, CallError> {
        let invalid = || CallError::invalid(body);
        // An array would be taken for the four fields in order.
        if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Err(invalid());
        }
        serde_json::from_slice(body)
            .or_else(|_| json::parse(body).and_then(serde_json::from_value))
            .map_err(|_| invalid())
    }

    /// The code and the executor's own message.
    fn result(&mut self, body: &[u8]) -> Result<CallResult, CallError> {
        let code = json::whole(&self.code).and_then(|code| i32::try_from(code).ok());
        match (code, self.msg.take()) {
            (None, _) | (_, Value::Array(_) | Value::Object(_)) => Err(CallError::invalid(body)),
            (Some(code), msg) => Ok(CallResult { code, msg: json::scalar_text(msg), answered: true }),
        }
    }
}

/// Reads the answer to anything but `/log`.
pub(super) fn result(body: &[u8]) -> Result<CallResult, CallError> {
    let mut reply = match Reply::parse(body) {
        Ok(reply) => reply,
        Err(invalid) => return refused_run(body).ok_or(invalid),
    };
    let compound = |value: &Value| value.is_object() || value.is_array();
    if compound(&reply.content) || compound(&reply.data) {
        return Err(CallError::invalid(body));
    }
    reply.result(body)
}

/// Reads the answer to `/kill`, whose text moved from `msg` to `content` (3.2) and `data` (3.3).
pub(super) fn kill_result(body: &[u8]) -> Result<CallResult, CallError> {
    let mut result = result(body)?;
    if result.msg.is_none()
        && let Ok(reply) = Reply::parse(body)
    {
        result.msg = json::scalar_text(reply.content).or_else(|| json::scalar_text(reply.data));
    }
    Ok(result)
}

/// Reads the answer to `/log`. The inner error is what the executor said instead of a page.
pub(super) fn log_page(body: &[u8]) -> Result<Result<LogPage, CallResult>, CallError> {
    let mut reply = Reply::parse(body)?;
    let result = reply.result(body)?;
    if !result.is_success() {
        return Ok(Err(result));
    }
    LogPage::from_value(reply.content)
        .or_else(|| LogPage::from_value(reply.data))
        .map(Ok)
        .ok_or_else(|| CallError::invalid(body))
}

/// The array with which Go executors refuse a run: the message of its first item, always a failure.
fn refused_run(body: &[u8]) -> Option<CallResult> {
    let Ok(Value::Array(items)) = json::parse(body) else { return None };
    let msg = items.into_iter().next()?.get_mut("handleMsg").map(Value::take).and_then(json::scalar_text)?;
    Some(CallResult { code: CallResult::FAIL, msg: Some(msg), answered: true })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(code: i32, msg: Option<&str>) -> CallResult {
        CallResult { code, msg: msg.map(str::to_owned), answered: true }
    }

    #[test]
    fn every_shape_of_an_answer_is_read() {
        for (body, expected) in [
            (r#"{"code":200}"#, said(200, None)),
            (r#"{"code":"200","msg":null,"content":null}"#, said(200, None)),
            ("{\n \"code\": 200, \"msg\": \"Success\", \"data\": \"x\", \"more\": [1]}\n", said(200, Some("Success"))),
            (r#"{"code":200,"content":5,"data":null}"#, said(200, None)),
            (r#"{"code":500,"msg":"no"}"#, said(500, Some("no"))),
            (r#"{"code":201,"msg":7}"#, said(201, Some("7"))),
            (
                r#"[{"logId":1,"handleCode":200,"handleMsg":"Task not registered"}]"#,
                said(500, Some("Task not registered")),
            ),
        ] {
            assert_eq!(result(body.as_bytes()), Ok(expected), "{body}");
        }
    }

    #[test]
    fn what_is_no_answer_is_quoted() {
        for body in [
            "",
            "null",
            "<html>x</html>",
            "[]",
            "[200]",
            r#"{"msg":"no code"}"#,
            r#"{"code":true}"#,
            r#"{"code":200,"msg":{}}"#,
            r#"{"code":200,"content":{}}"#,
            r#"{"code":200,"data":[]}"#,
            r#"{"code":99999999999}"#,
            r#"{"code":200"#,
        ] {
            assert_eq!(result(body.as_bytes()), Err(CallError::invalid(body.as_bytes())), "{body}");
        }
    }

    #[test]
    fn the_text_of_a_kill_is_found_wherever_it_is() {
        for (body, msg) in [
            (r#"{"code":200,"msg":"m"}"#, "m"),
            (r#"{"code":200,"content":"c"}"#, "c"),
            (r#"{"code":200,"msg":null,"data":"d"}"#, "d"),
            (r#"{"code":200,"msg":"Success","data":"d"}"#, "Success"),
        ] {
            assert_eq!(kill_result(body.as_bytes()), Ok(said(200, Some(msg))), "{body}");
        }
    }

    #[test]
    fn a_log_page_is_content_or_data() {
        let page = LogPage { from_line_num: 1, to_line_num: 2, log_content: "l1\nl2\n".into(), is_end: true };
        for key in ["content", "data"] {
            let body = format!(
                r#"{{"code":200,"{key}":{{"fromLineNum":1,"toLineNum":2,"logContent":"l1\nl2\n","isEnd":true}}}}"#
            );
            assert_eq!(log_page(body.as_bytes()), Ok(Ok(page.clone())));
        }
        assert_eq!(log_page(br#"{"code":500,"msg":"no"}"#), Ok(Err(said(500, Some("no")))));
        assert!(log_page(br#"{"code":200}"#).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer_or_none(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (result(&body), kill_result(&body), log_page(&body));
        }
    }
}
