//! Results that executors report: every body that an executor from 2.2.0 on sends to `/api/callback`.
//!
//! Java reads the one form of its own release and rejects the list when one item is odd. Here all forms are read, and an
//! odd item costs only itself.

use serde_json::Value;

use super::json::{self, BodyError};

/// The result of one run (Java `HandleCallbackParam`, later `CallbackRequest`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackItem {
    /// Id of the log row.
    pub log_id: i64,
    /// 200 success, 500 failure, 502 time-out, others as the handler chose; 0 leaves the row open.
    pub handle_code: i32,
    /// What the handler said, possibly as HTML.
    pub handle_msg: Option<String>,
}

/// The results of one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Callbacks {
    /// The readable ones, in order.
    pub items: Vec<CallbackItem>,
    /// How many named a run but no usable code or id.
    pub unreadable: usize,
}

impl Callbacks {
    /// Reads `[…]` (2.2.0 – 3.4), `{"callbackList":[…]}` (3.5) or nothing at all. Items that name no run are dropped, as
    /// in Java.
    ///
    /// # Errors
    /// When the body is no JSON, or neither a list nor an object that holds one.
    pub fn parse(body: &[u8]) -> Result<Self, BodyError> {
        const SHAPE: BodyError = BodyError::Shape("a list of results, or an object that holds one as callbackList");
        let list = match json::parse(body)? {
            Value::Null => Vec::new(),
            Value::Array(list) => list,
            Value::Object(mut object) => match object.remove("callbackList") {
                Some(Value::Array(list)) => list,
                Some(Value::Null) => Vec::new(),
                _ => return Err(SHAPE),
            },
            _ => return Err(SHAPE),
        };
        let mut callbacks = Self { items: Vec::with_capacity(list.len()), unreadable: 0 };
        for item in list {
            match CallbackItem::read(item) {
                Ok(Some(item)) => callbacks.items.push(item),
                Ok(None) => {}
                Err(Unreadable) => callbacks.unreadable += 1,
            }
        }
        Ok(callbacks)
    }
}

struct Unreadable;

impl CallbackItem {
    /// Reads `handleCode` and `handleMsg`, else `executeResult.code` and `.msg` as 2.2.0 sends them (Go and Python
    /// executors send both). The date is informational and not read.
    fn read(item: Value) -> Result<Option<Self>, Unreadable> {
        let Value::Object(mut item) = item else {
            return if item.is_null() { Ok(None) } else { Err(Unreadable) };
        };
        let log_id = match item.get("logId") {
            None | Some(Value::Null) => return Ok(None),
            Some(id) => json::whole(id).ok_or(Unreadable)?,
        };
        let mut code = item.remove("handleCode").unwrap_or_default();
        let mut msg = item.remove("handleMsg").unwrap_or_default();
        if code.is_null()
            && let Some(Value::Object(mut result)) = item.remove("executeResult")
        {
            code = result.remove("code").unwrap_or_default();
            if msg.is_null() {
                msg = result.remove("msg").unwrap_or_default();
            }
        }
        let handle_code = match code {
            Value::Null => 0,
            code => json::whole(&code).and_then(|code| i32::try_from(code).ok()).ok_or(Unreadable)?,
        };
        // A message that is no text is kept as JSON rather than lost.
        let handle_msg = match msg {
            Value::Array(_) | Value::Object(_) => Some(msg.to_string()),
            msg => json::scalar_text(msg),
        };
        Ok(Some(Self { log_id, handle_code, handle_msg }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(log_id: i64, handle_code: i32, handle_msg: Option<&str>) -> CallbackItem {
        CallbackItem { log_id, handle_code, handle_msg: handle_msg.map(str::to_owned) }
    }

    fn items(body: &str) -> Vec<CallbackItem> {
        Callbacks::parse(body.as_bytes()).expect("readable").items
    }

    #[test]
    fn every_dialect_is_read() {
        for body in [
            r#"[{"logId":5,"logDateTim":1,"executeResult":{"code":200,"msg":"m"}}]"#,
            r#"[{"logId":5,"logDateTim":1,"handleCode":200,"handleMsg":"m"}]"#,
            r#"{"callbackList":[{"logId":5,"logDateTime":1,"handleCode":200,"handleMsg":"m"}]}"#,
            r#"[{"logId":"5","logDateTim":"x","handleCode":"200","handleMsg":"m","executeResult":{"code":500,"msg":"n"}}]"#,
        ] {
            assert_eq!(items(body), [item(5, 200, Some("m"))], "{body}");
        }
        assert_eq!(items(r#"[{"logId":5,"handleCode":500}]"#), [item(5, 500, None)]);
        assert_eq!(items(r#"[{"logId":5}]"#), [item(5, 0, None)]);
    }

    #[test]
    fn nothing_is_a_list_too() {
        for body in ["", " ", "null", "[]", "[null]", "[{}]", r#"[{"handleCode":200}]"#, r#"{"callbackList":null}"#] {
            assert_eq!(Callbacks::parse(body.as_bytes()).expect("readable"), Callbacks::default(), "{body}");
        }
    }

    #[test]
    fn an_odd_item_costs_only_itself() {
        let body = r#"[7,"x",{"logId":"abc","handleCode":200},{"logId":1,"handleCode":{}},{"logId":2,"handleCode":1e10},
            {"logId":3,"handleCode":500,"handleMsg":{"a":[1]}},{"logId":4,"handleCode":200,"handleMsg":9}]"#;
        let callbacks = Callbacks::parse(body.as_bytes()).expect("readable");
        assert_eq!(callbacks.items, [item(3, 500, Some(r#"{"a":[1]}"#)), item(4, 200, Some("9"))]);
        assert_eq!(callbacks.unreadable, 5);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for body in ["{}", r#"{"logId":5,"handleCode":200}"#, r#"{"callbackList":5}"#, "5", "hello", "[{"] {
            assert!(Callbacks::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..256)) {
            let _ = Callbacks::parse(&body);
        }

        #[test]
        fn any_text_of_json_pieces_is_read_or_refused(body in r#"(\[|\]|\{|\}|,|:|"logId"|"handleCode"|"x"|\\ud83d|null|-?[0-9]{1,20}|1e9|"){0,24}"#) {
            let _ = Callbacks::parse(body.as_bytes());
        }

        #[test]
        fn every_result_survives(log_id: i64, handle_code: i32, handle_msg: Option<String>, wrapped: bool, nested: bool) {
            let item = if nested {
                serde_json::json!({"logId": log_id, "executeResult": {"code": handle_code, "msg": handle_msg}})
            } else {
                serde_json::json!({"logId": log_id, "handleCode": handle_code, "handleMsg": handle_msg})
            };
            let body = if wrapped { serde_json::json!({"callbackList": [item]}) } else { serde_json::json!([item]) };
            let read = Callbacks::parse(body.to_string().as_bytes()).expect("readable");
            prop_assert_eq!(read.items, vec![CallbackItem { log_id, handle_code, handle_msg }]);
        }
    }
}
