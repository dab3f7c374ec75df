//! One run on one node and what comes of it.
use anyhow::{Result, ensure};
use compat_tests::console::LogRow;
use compat_tests::eventually::eventually;
use compat_tests::executor::Family;

use super::fixture::{Fixture, Job, PATIENCE};

/// What the Go library serves for `/log` when an application has no log handler.
const GO_STAND_IN_LOG: &str = "这是日志默认返回，说明没有设置LogHandler";
/// The words before the executor's message in the row of a killed run.
const KILLED_BY_HAND: &str = "人为操作，主动终止";

fn expect(row: &LogRow, code: i64, message: &str) -> Result<()> {
    ensure!(row.handle_code == code && row.handle_msg == message, "expected {code} {message:?}, not {row:?}");
    Ok(())
}

pub async fn bean_job_succeeds(f: &Fixture) -> Result<()> {
    let row = f.run(Job::bean("ok"), "").await?;
    expect(&row, 200, "")?;
    let log = f.log(row.id).await?.concat();
    ensure!(log.contains("one line"), "log: {log}");
    Ok(())
}

pub async fn parameter_arrives(f: &Fixture) -> Result<()> {
    let param = "a=1&b=<x> \"q\" 'p' \\ 100% 中文 😀";
    let row = f.run(Job::bean("echo"), param).await?;
    expect(&row, 200, &format!("param=[{param}]"))
}

pub async fn unknown_handler_is_refused(f: &Fixture) -> Result<()> {
    let job = f.add(Job::bean("noSuchHandler")).await?;
    f.trigger(job, "").await?;
    let row = f.only(f.triggered(job, 1).await?)?;
    let words = match f.line.family {
        Family::Java22 | Family::Java => "job handler [noSuchHandler] not found.",
        Family::Python => "handler noSuchHandler not found.",
        Family::Go => "Task not registered",
    };
    ensure!(row.trigger_code == 500 && row.trigger_msg.contains(words), "expected {words:?}: {row:?}");
    Ok(())
}

pub async fn shell_script_runs(f: &Fixture) -> Result<()> {
    let script = "#!/bin/bash\necho \"param=$1 index=$2 total=$3\"\nexit 0\n";
    if !f.line.runs_scripts() {
        return script_is_refused(f, script).await;
    }
    let row = f.run(Job { script, ..Job::default() }, "p1").await?;
    expect(&row, 200, "")?;
    let log = f.log(row.id).await?.concat();
    ensure!(log.contains("param=p1 index=0 total=1"), "log: {log}");
    let row = f.run(Job { script: "exit 3\n", ..Job::default() }, "").await?;
    expect(&row, 500, "script exit value(3) is failed")
}

async fn script_is_refused(f: &Fixture, script: &str) -> Result<()> {
    let job = f.add(Job { script, ..Job::default() }).await?;
    f.trigger(job, "p1").await?;
    let row = f.only(f.triggered(job, 1).await?)?;
    let words = if f.is_go() { "Task not registered" } else { "handler  not found." };
    ensure!(row.trigger_code == 500 && row.trigger_msg.contains(words), "expected {words:?}: {row:?}");
    Ok(())
}

pub async fn job_fails(f: &Fixture) -> Result<()> {
    let row = f.run(Job::bean("fail"), "").await?;
    // The Go library knows failure only as a panic: a text is always a success.
    let code = if f.is_go() { 200 } else { 500 };
    expect(&row, code, "failed on purpose")
}

pub async fn job_throws(f: &Fixture) -> Result<()> {
    let row = f.run(Job::bean("throw"), "").await?;
    match f.line.family {
        Family::Java22 | Family::Java => {
            let thrown = "java.lang.IllegalStateException: thrown on purpose";
            ensure!(row.handle_code == 500 && row.handle_msg.contains(thrown), "{row:?}");
            ensure!(row.handle_msg.contains("\tat "), "with a stack trace: {row:?}");
            Ok(())
        }
        Family::Python => expect(&row, 500, "thrown on purpose"),
        Family::Go => expect(&row, 500, "task panic:thrown on purpose"),
    }
}

pub async fn job_times_out(f: &Fixture) -> Result<()> {
    let row = f.run(Job { timeout_s: "1", ..Job::bean("sleep") }, "20000").await?;
    match f.line.family {
        Family::Java22 | Family::Java => expect(&row, 502, "job execute timeout "),
        Family::Python => expect(&row, 500, "TimeoutError"),
        // The library only ends the context; the result is what the handler makes of it.
        Family::Go => expect(&row, 200, "ctx done: context deadline exceeded"),
    }
}

pub async fn log_is_read_in_pages(f: &Fixture) -> Result<()> {
    let row = f.run(Job::bean("log200"), "").await?;
    let pages = f.log(row.id).await?;
    let text = pages.concat();
    let mut rest = text.as_str();
    for nth in 0..200 {
        let line = format!("log line {nth:03}");
        let (_, after) = rest.split_once(&line).ok_or_else(|| anyhow::anyhow!("no {line:?} in order in {text}"))?;
        rest = after;
    }
    ensure!(!f.is_go() || pages.len() >= 4, "our Go executor hands out 64 lines at a time, not {} pages", pages.len());
    let tail = f.console().log_page(row.id, 150).await?;
    ensure!(tail.content.contains("log line 199") && !tail.content.contains("log line 100"), "from line 150: {tail:?}");
    if f.is_go() { go_stand_in_log(f).await } else { Ok(()) }
}

/// The second Go node has no log handler.
async fn go_stand_in_log(f: &Fixture) -> Result<()> {
    let job = f.add(Job::bean("ok")).await?;
    f.console().trigger(job, "", &f.second.address).await?;
    let row = f.only(f.finished(job, 1).await?)?;
    let page = f.console().log_page(row.id, 1).await?;
    ensure!(page.content == GO_STAND_IN_LOG && page.to_line == 2 && page.end, "{page:?}");
    Ok(())
}

pub async fn running_job_is_killed(f: &Fixture) -> Result<()> {
    let gate = f.gate()?;
    let job = f.add(Job::bean("gate")).await?;
    f.trigger(job, &gate.param()).await?;
    gate.await_point("started").await?;
    let row = f.only(f.triggered(job, 1).await?)?;
    f.console().kill(row.id).await?;
    gate.await_point("interrupted").await?;
    f.flush_callbacks().await?;
    killed(&f.only(f.finished(job, 1).await?)?)
}

/// The kill decides at once, whatever the job answers later: the first result wins.
pub async fn kill_counts_for_a_deaf_job(f: &Fixture) -> Result<()> {
    let gate = f.gate()?;
    let job = f.add(Job::bean("stubborn")).await?;
    f.trigger(job, &gate.param()).await?;
    gate.await_point("started").await?;
    let row = f.only(f.triggered(job, 1).await?)?;
    f.console().kill(row.id).await?;
    killed(&f.only(f.finished(job, 1).await?)?)?;
    ensure!(!gate.reached("ended"), "the job still runs");
    gate.open()?;
    gate.await_point("ended").await?;
    f.flush_callbacks().await?;
    killed(&f.only(f.finished(job, 1).await?)?)?;
    idle_again(f, job).await
}

/// After a kill the same job can be run again.
async fn idle_again(f: &Fixture, job: i64) -> Result<()> {
    let gate = f.gate()?;
    gate.open()?;
    f.trigger(job, &gate.param()).await?;
    let look = async || {
        let rows = f.console().logs(f.group, job).await?;
        ensure!(rows.iter().any(|row| row.handle_code == 200), "{rows:?}");
        Ok(())
    };
    eventually("the job runs again", PATIENCE, look).await
}

fn killed(row: &LogRow) -> Result<()> {
    ensure!(row.handle_code == 500 && row.handle_msg.starts_with(KILLED_BY_HAND), "{row:?}");
    Ok(())
}
