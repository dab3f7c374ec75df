//! What executors were recorded to send is sent to our admin byte for byte, under both context paths: it must answer in
//! a way that every executor accepts, and do what was asked.
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use compat_tests::admin::Admin;
use compat_tests::exchange::{Answer, exchange};
use compat_tests::recording::{self, Recording, media_type};
use compat_tests::report::Report;
use serde_json::Value;
use sqlx::MySqlPool;

/// The suite's name in the report.
pub const SUITE: &str = "inbound-replay";
/// Longest message that a row keeps, in characters.
const LONGEST_MESSAGE: usize = 15_000;

/// One case for each file of an executor and each context path.
pub async fn suite(report: &Report, work: &Path) -> Result<()> {
    let admin = Admin::start(work, SUITE, &[]).await?;
    let pool = admin.database().pool().await?;
    for file in recording::files()?.into_iter().filter(|file| !file.starts_with("java-admin-")) {
        for context in ["/xxl-job-admin", ""] {
            let case = format!("{file}{}", if context.is_empty() { "-at-the-root" } else { "" });
            report.case(SUITE, &case, replay(&file, context, admin.port(), &pool)).await;
        }
    }
    pool.close().await;
    admin.remove().await
}

async fn replay(file: &str, context: &str, port: u16, pool: &MySqlPool) -> Result<()> {
    let mut sent = 0;
    for recording in recording::read(file)? {
        // A client that follows a redirect asks for the login page: not an executor's call.
        let is_call = recording.direction == "executor->admin" && recording.request.method == "POST";
        if is_call && recording.request.body.is_some() {
            one(&recording, context, port, pool).await.with_context(|| recording.case.clone())?;
            sent += 1;
        }
    }
    ensure!(sent > 0, "nothing to send");
    Ok(())
}

async fn one(recording: &Recording, context: &str, port: u16, pool: &MySqlPool) -> Result<()> {
    let request = &recording.request;
    let body = request.body.as_deref().unwrap_or_default();
    let (_, name) = request.path.rsplit_once("/api/").context("not below /api/")?;
    let results = if name == "callback" { results(&serde_json::from_str(body)?)? } else { Vec::new() };
    for result in &results {
        fresh_row(pool, result.log_id).await?;
    }
    let answer = exchange(port, &request.method, &format!("{context}/api/{name}"), &request.headers, body).await?;
    accepted_by_every_executor(&answer)?;
    match name {
        "callback" => {
            for result in &results {
                stored(pool, result).await?;
            }
            Ok(())
        }
        "registry" => registered(pool, body, 1).await,
        "registryRemove" => registered(pool, body, 0).await,
        other => bail!("unexpected call {other}"),
    }
}

/// The strictest reading of all: status and code 200, declared as JSON, no object where a text is expected.
fn accepted_by_every_executor(answer: &Answer) -> Result<()> {
    ensure!(answer.status == 200, "{answer:?}");
    let content_type = answer.header("Content-Type").map(media_type);
    ensure!(content_type.as_deref() == Some("application/json"), "{answer:?}");
    let json: Value = serde_json::from_str(&answer.body).with_context(|| format!("{answer:?}"))?;
    ensure!(json["code"].as_i64() == Some(200), "{answer:?}");
    for key in ["msg", "content", "data"] {
        ensure!(json[key].is_null() || json[key].is_string(), "{key} in {answer:?}");
    }
    Ok(())
}

/// One item of a callback, whatever its dialect.
struct RunResult {
    log_id: i64,
    code: i64,
    message: String,
}

fn results(callback: &Value) -> Result<Vec<RunResult>> {
    let items = callback.get("callbackList").unwrap_or(callback).as_array().context("no list")?;
    let mut results: Vec<RunResult> = Vec::new();
    for item in items {
        let log_id = item["logId"].as_i64().context("logId")?;
        let (code, message) = match item.get("handleCode") {
            Some(code) => (code, &item["handleMsg"]),
            None => (&item["executeResult"]["code"], &item["executeResult"]["msg"]),
        };
        // The first result wins, inside one call as well.
        if results.iter().all(|result| result.log_id != log_id) {
            let message = message.as_str().unwrap_or_default().to_owned();
            results.push(RunResult { log_id, code: code.as_i64().context("code")?, message });
        }
    }
    Ok(results)
}

/// A row of an accepted run without result; of no known job, so that no child or retry follows.
pub async fn fresh_row(pool: &MySqlPool, log_id: i64) -> Result<()> {
    sqlx::query("DELETE FROM xxl_job_log WHERE id = ?").bind(log_id).execute(pool).await?;
    let row = "INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code, alarm_status) \
               VALUES (?, 1, 999999, UTC_TIMESTAMP(), 200, 0, 1)";
    sqlx::query(row).bind(log_id).execute(pool).await?;
    Ok(())
}

/// `handle_code`, `handle_msg` and whether `handle_time` is set.
pub async fn handled(pool: &MySqlPool, log_id: i64) -> Result<(i64, String, bool)> {
    let row = "SELECT CAST(handle_code AS SIGNED), COALESCE(handle_msg, ''), handle_time IS NOT NULL \
               FROM xxl_job_log WHERE id = ?";
    let (code, message, is_timed): (i64, String, i32) = sqlx::query_as(row).bind(log_id).fetch_one(pool).await?;
    Ok((code, message, is_timed == 1))
}

async fn stored(pool: &MySqlPool, result: &RunResult) -> Result<()> {
    let (code, message, is_timed) = handled(pool, result.log_id).await?;
    ensure!(code == result.code && is_timed, "row {} has code {code}, not {}", result.log_id, result.code);
    let expected: String = result.message.chars().take(LONGEST_MESSAGE).collect();
    ensure!(message == expected, "row {} has {message:?}, not {expected:?}", result.log_id);
    Ok(())
}

async fn registered(pool: &MySqlPool, body: &str, expected: i64) -> Result<()> {
    let json: Value = serde_json::from_str(body)?;
    let rows = "SELECT COUNT(*) FROM xxl_job_registry \
                WHERE registry_group = ? AND registry_key = ? AND registry_value = ?";
    let (count,): (i64,) = sqlx::query_as(rows)
        .bind(json["registryGroup"].as_str())
        .bind(json["registryKey"].as_str())
        .bind(json["registryValue"].as_str())
        .fetch_one(pool)
        .await?;
    ensure!(count == expected, "{count} rows for {body}");
    Ok(())
}
