//! Alarm mails, sent to a real server.

use std::time::Duration;

use xxl_job_admin::alarm::mail::MailAlarm;
use xxl_job_admin::alarm::{Alarm as _, FailedRun};
use xxl_job_admin::config::Release;
use xxl_job_admin::config::settings::{Mail, MailTls};
use xxl_job_admin::i18n::Locale;
use xxl_job_admin::model::{JobInfo, JobLog};

use crate::support::log;
use crate::support::smtp::{Encryption, Manner, Silence, SmtpServer};

fn mail(server: &SmtpServer, tls: MailTls) -> Mail {
    Mail {
        host: "127.0.0.1".into(),
        port: server.port(),
        username: None,
        password: None,
        from: "admin@example.org".into(),
        tls,
    }
}

fn channel(mail: Mail) -> MailAlarm {
    MailAlarm::new(Some(mail), Locale::ZhCn, Release::V2_4)
}

/// Whether the alarm of a failed run of a job with these addresses was told to all of them.
async fn send(channel: &MailAlarm, addresses: Option<&str>) -> bool {
    let job = JobInfo {
        id: 1234,
        job_desc: "夜间 <script>x</script>".into(),
        alarm_email: addresses.map(Into::into),
        ..JobInfo::default()
    };
    let log = JobLog {
        id: 77,
        trigger_code: 500,
        trigger_msg: Some("任务触发类型：Cron触发<br>\n.\nend".into()),
        ..JobLog::default()
    };
    channel.send(FailedRun { job: &job, group_title: Some("示例执行器"), log: &log }).await
}

#[tokio::test]
async fn each_address_gets_a_message_of_its_own() {
    let server = SmtpServer::start(Manner::default()).await;
    assert!(send(&channel(mail(&server, MailTls::Plain)), Some("a@x.org,b@x.org,a@x.org")).await);
    let messages = server.messages();
    assert_eq!(messages.iter().map(|message| message.to.join("+")).collect::<Vec<_>>(), ["a@x.org", "b@x.org"]);
    let first = &messages[0];
    assert_eq!(first.from, "admin@example.org");
    assert_eq!(first.header("To").as_deref(), Some("a@x.org"));
    assert_eq!(first.header("Subject").as_deref(), Some("任务调度中心监控报警"));
    let from = first.header("From").expect("a sender");
    assert_eq!(from.replace('"', ""), "分布式任务调度平台XXL-JOB <admin@example.org>");
    assert!(first.header("Content-Type").is_some_and(|kind| kind.starts_with("multipart/mixed;")));
    assert!(first.header("Date").is_some() && first.header("Message-ID").is_some());
    assert_eq!(
        first.html(),
        "<h5>监控告警明细：</span><table border=\"1\" cellpadding=\"3\" style=\"border-collapse:collapse; width:80%;\" >\n\
         <thead style=\"font-weight: bold;color: #ffffff;background-color: #ff8c00;\" ><tr>\n\
         <td width=\"20%\" >执行器</td>\n<td width=\"10%\" >任务ID</td>\n<td width=\"20%\" >任务描述</td>\n\
         <td width=\"10%\" >告警类型</td>\n<td width=\"40%\" >告警内容</td>\n</tr>\n</thead>\n<tbody>\n<tr>\n\
         <td>示例执行器</td>\n<td>1,234</td>\n<td>夜间 &lt;script>x&lt;/script></td>\n<td>调度失败</td>\n\
         <td>Alarm Job LogId=77<br>TriggerMsg=<br>任务触发类型：Cron触发<br>\n.\nend</td>\n</tr>\n</tbody>\n</table>"
    );
}

#[tokio::test]
async fn markup_in_an_alarm_is_text() {
    let server = SmtpServer::start(Manner::default()).await;
    let markers = ["<img src=x onerror=window.__x=1>", "<svg/onload=\t1>", "</td><script>1</script>"];
    for marker in markers {
        let job = JobInfo { job_desc: marker.into(), alarm_email: Some("a@x.org".into()), ..JobInfo::default() };
        let told = Some(format!("{marker}<br>"));
        let log = JobLog { trigger_code: 500, trigger_msg: told.clone(), handle_msg: told, ..JobLog::default() };
        let channel = channel(mail(&server, MailTls::Plain));
        assert!(channel.send(FailedRun { job: &job, group_title: Some(marker), log: &log }).await);
    }
    for message in server.messages() {
        let html = message.html();
        assert!(["<img", "<svg", "<script"].iter().all(|tag| !html.contains(tag)), "{html}");
        assert!(html.matches("&lt;").count() >= 3, "{html}");
        assert_eq!(html.matches("<td>").count(), 5, "{html}");
    }
    assert_eq!(server.messages().len(), markers.len());
}

#[tokio::test]
async fn the_sender_has_the_name_of_the_release_and_the_language() {
    let server = SmtpServer::start(Manner::default()).await;
    let channel = MailAlarm::new(Some(mail(&server, MailTls::Plain)), Locale::ZhTc, Release::V3_4);
    assert!(send(&channel, Some("a@x.org")).await);
    let message = &server.messages()[0];
    assert!(message.header("From").is_some_and(|from| from.contains("分布式任務調度平臺｜XXL-JOB")));
    assert_eq!(message.header("Subject").as_deref(), Some("任務調度中心監控告警"));
}

#[tokio::test]
async fn a_job_without_addresses_needs_no_mail_and_no_server() {
    let channel = MailAlarm::new(None, Locale::En, Release::V2_4);
    assert!(send(&channel, None).await);
    assert!(send(&channel, Some("  ")).await);
    assert!(!send(&channel, Some("a@x.org")).await);
}

#[tokio::test]
async fn one_bad_address_fails_the_alarm_but_not_the_others() {
    let server = SmtpServer::start(Manner { refused: Some("gone@x.org"), ..Manner::default() }).await;
    let channel = channel(mail(&server, MailTls::Plain));
    for (bad, rest) in [("gone@x.org", 1), ("not an address", 2), ("", 3), ("a@x.org\r\nRCPT TO:<evil@x.org>", 4)] {
        assert!(!send(&channel, Some(&format!("{bad},fine@x.org"))).await, "{bad:?}");
        assert_eq!(server.messages().len(), rest);
    }
    assert!(server.messages().iter().all(|message| message.to == ["fine@x.org"]));
}

#[tokio::test]
async fn a_bad_sender_is_a_failed_alarm() {
    let server = SmtpServer::start(Manner::default()).await;
    let channel = channel(Mail { from: String::new(), ..mail(&server, MailTls::Plain) });
    assert!(!send(&channel, Some("a@x.org")).await);
}

#[tokio::test]
async fn nobody_at_the_port_is_a_failed_alarm() {
    let server = SmtpServer::start(Manner::default()).await;
    let channel = channel(mail(&server, MailTls::Plain));
    drop(server);
    assert!(!send(&channel, Some("a@x.org")).await);
}

#[tokio::test]
async fn a_server_that_says_nothing_ends_with_the_time_limit() {
    for silence in [Silence::AtConnect, Silence::AtData] {
        let server = SmtpServer::start(Manner { silence, ..Manner::default() }).await;
        let limit = Duration::from_millis(200);
        let channel = channel(mail(&server, MailTls::Plain)).with_time_limit(limit);
        let sent = tokio::time::timeout(Duration::from_secs(30), send(&channel, Some("a@x.org,b@x.org"))).await;
        assert_eq!(sent, Ok(false));
        assert_eq!(server.messages(), []);
    }
}

#[tokio::test]
async fn logins_are_made_when_the_server_wants_them() {
    let server = SmtpServer::start(Manner { login: Some(("user", "secret")), ..Manner::default() }).await;
    let with = |password: &str| Mail {
        username: Some("user".into()),
        password: Some(password.to_owned().into()),
        ..mail(&server, MailTls::Plain)
    };
    assert!(send(&channel(with("secret")), Some("a@x.org")).await);
    assert_eq!(server.messages()[0].login.as_deref(), Some("user"));
    assert!(!send(&channel(with("wrong")), Some("a@x.org")).await);
    assert!(!send(&channel(mail(&server, MailTls::Plain)), Some("a@x.org")).await);
    assert_eq!(server.messages().len(), 1);

    let open = SmtpServer::start(Manner::default()).await;
    let channel = channel(Mail { port: open.port(), ..with("secret") });
    assert!(send(&channel, Some("a@x.org")).await);
    assert_eq!(open.messages()[0].login, None);
}

#[tokio::test]
async fn encryption_is_as_demanded() {
    let plain = SmtpServer::start(Manner::default()).await;
    let offering = SmtpServer::start(Manner { encryption: Encryption::StartTls, ..Manner::default() }).await;
    let wrapper = SmtpServer::start(Manner { encryption: Encryption::Wrapper, ..Manner::default() }).await;
    // A handshake that was begun cannot succeed here, so the mail fails rather than going out in the clear.
    for (server, tls, expected) in [
        (&plain, MailTls::Plain, (true, 0)),
        (&plain, MailTls::Opportunistic, (true, 0)),
        (&plain, MailTls::Required, (false, 0)),
        (&offering, MailTls::Plain, (true, 0)),
        (&offering, MailTls::Opportunistic, (false, 1)),
        (&offering, MailTls::Required, (false, 1)),
        (&wrapper, MailTls::Wrapper, (false, 1)),
    ] {
        let (messages, handshakes) = (server.messages().len(), server.handshakes());
        let sent = send(&channel(mail(server, tls)), Some("a@x.org")).await;
        assert_eq!((sent, server.handshakes() - handshakes), expected, "{tls:?}");
        assert_eq!(server.messages().len() - messages, usize::from(sent), "{tls:?}");
    }
}

/// The server of the tests repeats a wrong login in its refusal.
#[tokio::test]
async fn the_log_names_the_fault_and_never_the_password() {
    log::keep();
    let server = SmtpServer::start(Manner { login: Some(("user", "right")), ..Manner::default() }).await;
    let password = Some("unsaid-7391".to_owned().into());
    let mail = Mail { username: Some("user".into()), password, ..mail(&server, MailTls::Plain) };
    assert!(!send(&channel(mail), Some("logged@x.org")).await);
    let line = log::lines_with("logged@x.org");
    assert!(line.contains("alarm mail not sent"), "{line}");
    assert!(line.contains("the server did not accept the login (535)"), "{line}");
    assert!(!log::all().contains("unsaid-7391"), "{}", log::all());
}
