//! A job that is triggered again while it runs.
use anyhow::{Result, ensure};
use compat_tests::console::LogRow;
use compat_tests::executor::Family;

use super::fixture::{Fixture, Gate, Job};

/// A run that stands at its gate, and a second trigger of the same job that the executor has answered.
struct Conflict {
    job: i64,
    first: Gate,
    second: Gate,
    /// Both rows, the first run's first.
    rows: Vec<LogRow>,
}

async fn conflict(f: &Fixture, block: &str) -> Result<Conflict> {
    let (first, second) = (f.gate()?, f.gate()?);
    let job = f.add(Job { block, ..Job::bean("gate") }).await?;
    f.trigger(job, &first.param()).await?;
    first.await_point("started").await?;
    f.triggered(job, 1).await?;
    f.trigger(job, &second.param()).await?;
    let rows = f.triggered(job, 2).await?;
    ensure!(rows.len() == 2 && rows[0].trigger_code == 200, "{rows:?}");
    Ok(Conflict { job, first, second, rows })
}

/// The second trigger was refused with these words; the first run ends well.
async fn second_is_refused(f: &Fixture, conflict: Conflict, words: &str) -> Result<()> {
    let row = &conflict.rows[1];
    ensure!(row.trigger_code == 500 && row.trigger_msg.contains(words), "expected {words:?}: {row:?}");
    conflict.first.open()?;
    let rows = f.finished(conflict.job, 1).await?;
    ensure!(rows[0].handle_code == 200 && rows[0].handle_msg == "passed", "{rows:?}");
    ensure!(rows[1].handle_code == 0 && !conflict.second.reached("started"), "never run: {rows:?}");
    Ok(())
}

pub async fn serial_execution(f: &Fixture) -> Result<()> {
    let conflict = conflict(f, "SERIAL_EXECUTION").await?;
    if f.is_go() {
        return second_is_refused(f, conflict, "There are tasks running").await;
    }
    let row = &conflict.rows[1];
    ensure!(row.trigger_code == 200, "queued: {row:?}");
    conflict.second.open()?;
    ensure!(!conflict.second.reached("started"), "the second waits for the first");
    conflict.first.open()?;
    let rows = f.finished(conflict.job, 2).await?;
    ensure!(rows.iter().all(|row| row.handle_code == 200 && row.handle_msg == "passed"), "{rows:?}");
    Ok(())
}

pub async fn discard_later(f: &Fixture) -> Result<()> {
    let conflict = conflict(f, "DISCARD_LATER").await?;
    let words = match f.line.family {
        Family::Java22 | Family::Java => "block strategy effect：Discard Later",
        Family::Python => "is already executing and this has been discarded",
        Family::Go => "There are tasks running",
    };
    second_is_refused(f, conflict, words).await
}

pub async fn cover_early(f: &Fixture) -> Result<()> {
    let conflict = conflict(f, "COVER_EARLY").await?;
    ensure!(conflict.rows[1].trigger_code == 200, "{:?}", conflict.rows);
    conflict.first.await_point("interrupted").await?;
    if f.is_go() {
        return go_cover_early(f, conflict).await;
    }
    conflict.second.open()?;
    let rows = f.finished(conflict.job, 2).await?;
    let words = match f.line.family {
        Family::Python => "CancelledError",
        _ => "block strategy effect：Cover Early [job running, killed]",
    };
    ensure!(rows[0].handle_code == 500 && rows[0].handle_msg == words, "expected {words:?}: {rows:?}");
    ensure!(rows[1].handle_code == 200 && rows[1].handle_msg == "passed", "{rows:?}");
    Ok(())
}

/// The Go library sends the old run's result under the new run's id, so the old run never gets one.
async fn go_cover_early(f: &Fixture, conflict: Conflict) -> Result<()> {
    let rows = f.finished(conflict.job, 1).await?;
    let covered = |rows: &[LogRow]| {
        ensure!(rows[0].handle_code == 0, "the old run stays without result: {rows:?}");
        let new = &rows[1];
        ensure!(new.handle_code == 200 && new.handle_msg == "ctx done: context canceled", "{rows:?}");
        Ok(())
    };
    covered(&rows)?;
    // The new run's own result comes second and changes nothing.
    conflict.second.await_point("started").await?;
    conflict.second.open()?;
    f.flush_callbacks().await?;
    covered(&f.finished(conflict.job, 1).await?)
}
