//! The text of an alarm mail.

use crate::alarm::FailedRun;
use crate::i18n::{Key, Locale, grouped, text};
use crate::protocol::CallResult;

/// Heading and table, as HTML. Like in Java nothing is escaped, since trigger messages are HTML by design; mail programs
/// run no scripts.
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
        head += &format!("<td width=\"{width}%\" >{}</td>\n", label(key));
        row += &format!("<td>{value}</td>\n");
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
             </tr></thead><tbody><tr><td>group</td><td>1,234</td><td>nightly <i>report</i></td><td>Trigger Fail</td>\
             <td>Alarm Job LogId=7<br>HandleCode=null</td></tr></tbody></table>"
        );
        let told = body(Locale::ZhCn, FailedRun { job: &job, group_title: None, log: &log });
        assert!(told.starts_with("<h5>监控告警明细：</span>"));
        assert!(told.contains("<td>null</td>"));
    }
}
