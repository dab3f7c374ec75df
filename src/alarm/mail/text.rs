//! The text of an alarm mail.

use std::fmt::Write as _;

use crate::alarm::FailedRun;
use crate::i18n::{Key, Locale, grouped, text};
use crate::protocol::CallResult;

/// The tags of our own messages, which are HTML by design.
const OWN_TAGS: [&str; 5] =
    ["<br>", "</span>", "<span style=\"color:#00c0ef;\" >", "<span style=\"color:#F39C12;\" >", "<br/>"];

/// Heading and table, as HTML. In Java all values go into it as they are; here nothing that a value brings is a tag,
/// except those of our own messages.
pub(super) fn body(locale: Locale, run: FailedRun<'_>) -> String {
    let label = |key| text(locale, key);
    let columns = [
        (20, Key::JobinfoFieldJobgroup, run.group_title.unwrap_or("null").to_owned()),
        (10, Key::JobinfoFieldId, grouped(run.job.id.into())),
        (20, Key::JobinfoFieldJobdesc, run.job.job_desc.clone()),
        (10, Key::JobconfMonitorAlarmTitle, label(Key::JobconfMonitorAlarmType).to_owned()),
        (40, Key::JobconfMonitorAlarmContent, content(run)),
    ];
    let mut head = String::new();
    let mut row = String::new();
    for (width, key, value) in columns {
        // Writing to a string cannot fail.
        let _ = writeln!(head, "<td width=\"{width}%\" >{}</td>", label(key));
        let _ = writeln!(row, "<td>{}</td>", defuse(&value));
    }
    format!(
        "<h5>{}：</span><table border=\"1\" cellpadding=\"3\" style=\"border-collapse:collapse; width:80%;\" >\n\
         <thead style=\"font-weight: bold;color: #ffffff;background-color: #ff8c00;\" ><tr>\n{head}</tr>\n</thead>\n\
         <tbody>\n<tr>\n{row}</tr>\n</tbody>\n</table>",
        label(Key::JobconfMonitorDetail)
    )
}

/// Which run it was, and what failed of it: the call, the result, or both.
fn content(run: FailedRun<'_>) -> String {
    let log = run.log;
    let mut content = format!("Alarm Job LogId={}", log.id);
    if log.trigger_code != CallResult::SUCCESS {
        content += "<br>TriggerMsg=<br>";
        content += log.trigger_msg.as_deref().unwrap_or("null");
    }
    if log.handle_code > 0 && log.handle_code != CallResult::SUCCESS {
        content += "<br>HandleCode=";
        content += log.handle_msg.as_deref().unwrap_or("null");
    }
    content
}

/// Makes text of every tag that is none of [`OWN_TAGS`]. All else stays as it is, to the byte: a `<` opens a tag only
/// before a letter, `/`, `!` or `?`.
fn defuse(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        let opens = from[1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next));
        out += before;
        out += if opens && !is_own(from) { "&lt;" } else { "<" };
        rest = &from[1..];
    }
    out + rest
}

/// Whether the text begins with a tag of our own messages, or with their mark of a chain's depth.
fn is_own(from: &str) -> bool {
    let depth = || from.strip_prefix("<!--d")?.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix("-->");
    OWN_TAGS.iter().any(|tag| from.starts_with(tag)) || depth().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{JobInfo, JobLog};

    #[test]
    fn the_content_tells_what_failed() {
        let job = JobInfo::default();
        for (trigger_code, handle_code, expected) in [
            (500, 0, "Alarm Job LogId=1234<br>TriggerMsg=<br><b>t</b>"),
            (200, 500, "Alarm Job LogId=1234<br>HandleCode=h"),
            (500, 502, "Alarm Job LogId=1234<br>TriggerMsg=<br><b>t</b><br>HandleCode=h"),
            (500, 200, "Alarm Job LogId=1234<br>TriggerMsg=<br><b>t</b>"),
        ] {
            let log = JobLog {
                id: 1234,
                trigger_code,
                handle_code,
                trigger_msg: Some("<b>t</b>".into()),
                handle_msg: Some("h".into()),
                ..JobLog::default()
            };
            assert_eq!(content(FailedRun { job: &job, group_title: None, log: &log }), expected);
        }
        let log = JobLog { id: 1, trigger_code: 500, handle_code: 500, ..JobLog::default() };
        let told = content(FailedRun { job: &job, group_title: None, log: &log });
        assert_eq!(told, "Alarm Job LogId=1<br>TriggerMsg=<br>null<br>HandleCode=null");
    }

    #[test]
    fn values_bring_no_tags_of_their_own() {
        let heading = "a & b<br><br><span style=\"color:#00c0ef;\" > >>>>>>>>>>>触发调度<<<<<<<<<<< </span><br>1 < 2";
        assert_eq!(defuse(heading), heading);
        for (value, told) in [
            ("<script>x</script>", "&lt;script>x&lt;/script>"),
            ("<<img src=x onerror=y>", "<&lt;img src=x onerror=y>"),
            ("<span style=\"color:#00c0ef;\" onclick=x>", "&lt;span style=\"color:#00c0ef;\" onclick=x>"),
            ("<BR><br onload=x>", "&lt;BR>&lt;br onload=x>"),
            ("<!-- x --><?php", "&lt;!-- x -->&lt;?php"),
            ("m<!--d3-->", "m<!--d3-->"),
            ("<!--drop the rest", "&lt;!--drop the rest"),
            ("<", "<"),
        ] {
            assert_eq!(defuse(value), told);
        }
    }

    #[test]
    fn the_body_is_a_table_of_one_row() {
        let job = JobInfo { id: 1234, job_desc: "nightly <i>report</i>".into(), ..JobInfo::default() };
        let log = JobLog { id: 7, trigger_code: 200, handle_code: 500, ..JobLog::default() };
        let told = body(Locale::En, FailedRun { job: &job, group_title: Some("group"), log: &log });
        assert_eq!(
            told.replace('\n', ""),
            "<h5>monitor alarm details：</span><table border=\"1\" cellpadding=\"3\" \
             style=\"border-collapse:collapse; width:80%;\" ><thead style=\"font-weight: bold;color: #ffffff;\
             background-color: #ff8c00;\" ><tr><td width=\"20%\" >Executor</td><td width=\"10%\" >Job ID</td>\
             <td width=\"20%\" >Job description</td><td width=\"10%\" >Alarm Type</td><td width=\"40%\" >Alarm Content</td>\
             </tr></thead><tbody><tr><td>group</td><td>1,234</td><td>nightly &lt;i>report&lt;/i></td><td>Trigger Fail</td>\
             <td>Alarm Job LogId=7<br>HandleCode=null</td></tr></tbody></table>"
        );
        let told = body(Locale::ZhCn, FailedRun { job: &job, group_title: None, log: &log });
        assert!(told.starts_with("<h5>监控告警明细：</span>"));
        assert!(told.contains("<td>null</td>"));
    }
}
