//! What Java admins were recorded to answer on `/api/*` is what ours answers when it is told to resemble that release,
//! but for the differences that are ours on purpose: [`Expected`] lists them.
use std::path::Path;

use anyhow::{Context, Result, ensure};
use compat_tests::admin::Admin;
use compat_tests::exchange::{Answer, exchange};
use compat_tests::recording::{self, Recording, Request, media_type};
use compat_tests::report::Report;
use serde_json::Value;
use sqlx::MySqlPool;

use crate::inbound::{fresh_row, handled};

/// `compat.release` and the file whose answers it must give. (The recorded head is unreleased and no profile.)
pub const RELEASES: [(&str, &str); 5] = [
    ("2.3", "java-admin-2.3.1"),
    ("2.5", "java-admin-2.5.0"),
    ("3.2", "java-admin-3.2.0"),
    ("3.3", "java-admin-3.3.2"),
    ("3.4", "java-admin-3.4.2"),
];

/// The suite's name in the report.
pub fn suite_name((release, _): (&str, &str)) -> String {
    format!("answers-{release}")
}

/// One case for each recorded call.
pub async fn suite(report: &Report, work: &Path, (release, file): (&str, &str)) -> Result<()> {
    let suite = suite_name((release, file));
    let admin = Admin::start(work, &suite, &[&format!("--compat.release={release}")]).await?;
    let pool = admin.database().pool().await?;
    let recordings = recording::read(file)?;
    let calls = recordings.iter().filter(|recording| recording.case.starts_with("api_"));
    for recording in calls {
        let run = one(recording, &recordings, admin.port(), &pool);
        report.case(&suite, &recording.case, run).await;
    }
    pool.close().await;
    admin.remove().await
}

async fn one(recording: &Recording, all: &[Recording], port: u16, pool: &MySqlPool) -> Result<()> {
    let request = &recording.request;
    let body = body(request)?;
    let log_id = recording.handled.as_ref().and_then(|_| log_id(&body));
    if let Some(log_id) = log_id {
        fresh_row(pool, log_id).await?;
        if recording.case == "api_callback_on_failed_trigger" {
            let failed = "UPDATE xxl_job_log SET trigger_code = 500 WHERE id = ?";
            sqlx::query(failed).bind(log_id).execute(pool).await?;
        }
    }
    let answer = exchange(port, &request.method, &request.path, &request.headers, &body).await?;
    Expected::of(recording, all)?.check(&answer)?;
    if let (Some(log_id), Some(recorded)) = (log_id, &recording.handled) {
        // A result in the 2.2 form is lost on a later Java admin; ours reads it.
        let read = (200, "old".to_owned(), true);
        let expected = if recording.case == "api_callback_22_style" { &read } else { recorded };
        let handled = handled(pool, log_id).await?;
        ensure!(handled == *expected, "the row has {handled:?}, not {expected:?}");
    }
    Ok(())
}

/// The recorded body; the one that was left out for its size is made again.
fn body(request: &Request) -> Result<String> {
    if let Some(body) = &request.body {
        return Ok(body.clone());
    }
    let length: usize = request.header("Content-Length").context("length")?.parse()?;
    let (before, after) = (r#"[{"logId":999999,"logDateTim":1,"handleCode":200,"handleMsg":""#, r#""}]"#);
    let filling = length.checked_sub(before.len() + after.len()).context("too short to be left out")?;
    Ok(format!("{before}{}{after}", "x".repeat(filling)))
}

fn log_id(body: &str) -> Option<i64> {
    serde_json::from_str::<Value>(body).ok()?[0]["logId"].as_i64()
}

/// What ours must answer.
enum Expected<'a> {
    /// The same status, media type and body.
    Same(&'a Recording),
    /// The exception envelope of the release: this code and beginning of the message, then words of our own.
    Exception { code: i64, prefix: &'static str, keys: Vec<String> },
    /// 404 with the failure envelope, whose keys are these; Java redirects to its login page or shows a page.
    NoSuchCall { keys: Vec<String> },
    /// Answered like Java, which answers before it writes and so loses what no column can hold, or refused.
    SameOrRefused(&'a Recording),
}

impl<'a> Expected<'a> {
    fn of(recording: &'a Recording, all: &'a [Recording]) -> Result<Self> {
        let named = |case: &str| {
            let found = all.iter().find(|recording| recording.case == case);
            found.with_context(|| format!("no recording {case}"))
        };
        let failure = || -> Result<Vec<String>> { keys(named("api_unknown_uri")?.response.body.as_deref()) };
        Ok(match recording.case.as_str() {
            // Served by us: the other context path, one trailing slash, whatever `Accept` says, the callback of the head.
            "api_registry_other_context"
            | "api_registry_trailing_slash"
            | "api_registry_accept_xml"
            | "api_registry_accept_html" => Self::Same(named("api_registry_ok")?),
            "api_callback_head_wrapped" => Self::Same(named("api_callback_unknown_logid")?),
            // Java's filter chain answers OPTIONS itself; to us it is one more method that is not POST.
            "api_registry_options" => Self::Same(named("api_registry_get")?),
            "api_api_root" | "api_api_nested" | "api_registry_double_slash" => Self::NoSuchCall { keys: failure()? },
            "api_registry_key_256_chars" => Self::SameOrRefused(recording),
            _ => Self::exception(recording)?.unwrap_or(Self::Same(recording)),
        })
    }

    /// Whether the recorded answer quotes a Java exception, or is the empty one that 3.2 gives for malformed JSON.
    fn exception(recording: &Recording) -> Result<Option<Self>> {
        const PREFIX: &str = "openapi invoke error: ";
        let body = recording.response.body.as_deref().unwrap_or_default();
        if recording.response.status != 200 || recording.request.method == "HEAD" {
            return Ok(None);
        }
        if body.is_empty() {
            let keys = vec!["code".to_owned(), "msg".to_owned()];
            return Ok(Some(Self::Exception { code: 203, prefix: "", keys }));
        }
        let json: Value = serde_json::from_str(body)?;
        let message = json["msg"].as_str().unwrap_or_default();
        let prefix = if message.starts_with(PREFIX) { PREFIX } else { "" };
        let quotes_java = !prefix.is_empty() || message.starts_with("java.") || message.starts_with("com.google.");
        let code = json["code"].as_i64().context("code")?;
        let keys = keys(Some(body))?;
        Ok(quotes_java.then_some(Self::Exception { code, prefix, keys }))
    }

    fn check(&self, answer: &Answer) -> Result<()> {
        match self {
            Self::Same(recording) => same(recording, answer),
            Self::Exception { code, prefix, keys: expected } => {
                ensure!(answer.status == 200, "{answer:?}");
                ensure!(keys(Some(&answer.body))? == *expected, "expected {expected:?}: {answer:?}");
                let json: Value = serde_json::from_str(&answer.body)?;
                let message = json["msg"].as_str().unwrap_or_default();
                let says_more = message.len() > prefix.len() && message.starts_with(prefix);
                ensure!(json["code"] == *code && says_more, "expected {code} {prefix:?}…: {answer:?}");
                Ok(())
            }
            Self::NoSuchCall { keys: expected } => {
                ensure!(answer.status == 404, "{answer:?}");
                ensure!(keys(Some(&answer.body))? == *expected, "expected {expected:?}: {answer:?}");
                ensure!(serde_json::from_str::<Value>(&answer.body)?["code"] == 500, "{answer:?}");
                Ok(())
            }
            Self::SameOrRefused(recording) => {
                let refused = serde_json::from_str::<Value>(&answer.body).is_ok_and(|json| json["code"] == 500);
                if answer.status == 200 && refused { Ok(()) } else { same(recording, answer) }
            }
        }
    }
}

/// The keys of a JSON object, in order.
fn keys(body: Option<&str>) -> Result<Vec<String>> {
    let json: Value = serde_json::from_str(body.unwrap_or_default()).context("no JSON")?;
    Ok(json.as_object().context("no object")?.keys().cloned().collect())
}

fn same(recording: &Recording, answer: &Answer) -> Result<()> {
    let expected = &recording.response;
    ensure!(answer.status == expected.status, "expected {}: {answer:?}", expected.status);
    let media = answer.header("Content-Type").map(media_type);
    ensure!(media == expected.content_type, "expected {:?}: {answer:?}", expected.content_type);
    let body = expected.body.as_deref().context("no recorded body")?;
    ensure!(answer.body.trim_end() == body.trim_end(), "expected {body}: {answer:?}");
    Ok(())
}
