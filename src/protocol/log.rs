//! Reading an executor's run log: `/log`.

use serde::Serialize;
use serde_json::Value;

use super::json;
use crate::model::EpochMs;

/// Body of `/log`. The date goes under both names: executors to 3.4 read `logDateTim`, later ones `logDateTime`, and each
/// ignores the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogRequest {
    log_date_tim: EpochMs,
    log_date_time: EpochMs,
    log_id: i64,
    from_line_num: i32,
}

impl LogRequest {
    /// The lines of this run from the given one (the first is 1). `log_date_time` must fall on the same day as the one in
    /// the run request: it names the executor's folder.
    pub const fn new(log_id: i64, log_date_time: EpochMs, from_line_num: i32) -> Self {
        Self { log_date_tim: log_date_time, log_date_time, log_id, from_line_num }
    }

    /// Id of the log row.
    pub const fn log_id(&self) -> i64 {
        self.log_id
    }

    /// The first line wanted.
    pub const fn from_line_num(&self) -> i32 {
        self.from_line_num
    }
}

/// A piece of a run's log (Java `LogResult`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPage {
    /// The first line of the piece, as asked for.
    pub from_line_num: i32,
    /// The last line of the piece. In an empty piece 0 or the length of the file, so it must not move a read position.
    pub to_line_num: i32,
    /// The lines; they may hold HTML.
    pub log_content: String,
    /// Whether the executor says that nothing will follow.
    pub is_end: bool,
}

impl LogPage {
    /// Reads `content` or `data` of an executor's answer; none when it is no page.
    pub(super) fn from_value(value: Value) -> Option<Self> {
        let Value::Object(mut page) = value else { return None };
        let line = |value: Option<&Value>| {
            value.and_then(json::whole).and_then(|line| i32::try_from(line).ok()).unwrap_or_default()
        };
        Some(Self {
            from_line_num: line(page.get("fromLineNum")),
            to_line_num: line(page.get("toLineNum")),
            is_end: page.get("isEnd").and_then(Value::as_bool).unwrap_or_default(),
            log_content: page.remove("logContent").and_then(json::scalar_text).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_date_goes_under_both_names() {
        assert_eq!(
            serde_json::to_string(&LogRequest::new(5_000_000_001, 1_700_000_000_123, 1)).expect("plain data"),
            r#"{"logDateTim":1700000000123,"logDateTime":1700000000123,"logId":5000000001,"fromLineNum":1}"#
        );
    }

    #[test]
    fn a_page_is_read_whatever_is_missing() {
        let page = json!({"fromLineNum":1,"toLineNum":"2","logContent":"a\n","isEnd":true});
        assert_eq!(
            LogPage::from_value(page),
            Some(LogPage { from_line_num: 1, to_line_num: 2, log_content: "a\n".into(), is_end: true })
        );
        assert_eq!(LogPage::from_value(json!({"logContent":null})), Some(LogPage::default()));
        assert_eq!(LogPage::from_value(json!("text")), None);
    }
}
