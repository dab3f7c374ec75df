//! By schedule, and over two nodes.
use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::fixture::{Fixture, Job};

pub async fn runs_by_schedule(f: &Fixture) -> Result<()> {
    let job = f.add(Job { cron: "* * * * * ?", ..Job::bean("ok") }).await?;
    f.console().start_job(job).await?;
    ensure!(f.console().job_status(f.group, job).await? == 1, "started");
    let rows = f.finished(job, 3).await?;
    f.console().stop_job(job).await?;
    ensure!(f.console().job_status(f.group, job).await? == 0, "stopped");
    let good = |row: &&_| matches!(row, compat_tests::console::LogRow { trigger_code: 200, handle_code: 200, .. });
    ensure!(rows.iter().filter(good).count() >= 3, "{rows:?}");
    Ok(())
}

pub async fn round_robin_reaches_both_nodes(f: &Fixture) -> Result<()> {
    let job = f.add(Job { route: "ROUND", ..Job::bean("echo") }).await?;
    for run in 1..=4 {
        f.console().trigger(job, "", "").await?;
        f.finished(job, run).await?;
    }
    let rows = f.finished(job, 4).await?;
    let nodes: Vec<&str> = rows.iter().map(|row| row.address.as_str()).collect();
    ensure!(nodes[0] != nodes[1] && nodes[0] == nodes[2] && nodes[1] == nodes[3], "in turns: {nodes:?}");
    ensure!(rows.iter().all(|row| row.handle_code == 200), "{rows:?}");
    Ok(())
}

pub async fn broadcast_reaches_both_nodes(f: &Fixture) -> Result<()> {
    let job = f.add(Job { route: "SHARDING_BROADCAST", ..Job::bean("shard") }).await?;
    f.console().trigger(job, "", "").await?;
    let rows = f.finished(job, 2).await?;
    ensure!(rows.len() == 2, "two rows: {rows:?}");
    let nodes = f.console().group_addresses(&f.appname).await?;
    let expected: BTreeSet<_> =
        nodes.iter().enumerate().map(|(i, node)| (node.clone(), format!("{i}/2"), format!("shard {i}/2"))).collect();
    let seen: BTreeSet<_> =
        rows.iter().map(|row| (row.address.clone(), row.sharding.clone(), row.handle_msg.clone())).collect();
    ensure!(seen == expected, "expected {expected:?}, not {seen:?}");
    Ok(())
}

/// The second run of a job goes to the node that is not at work on the first.
pub async fn busyover_avoids_the_busy_node(f: &Fixture) -> Result<()> {
    let (first, second) = (f.gate()?, f.gate()?);
    let job = f.add(Job { route: "BUSYOVER", ..Job::bean("gate") }).await?;
    f.console().trigger(job, &first.param(), "").await?;
    first.await_point("started").await?;
    f.console().trigger(job, &second.param(), "").await?;
    second.await_point("started").await?;
    first.open()?;
    second.open()?;
    let rows = f.finished(job, 2).await?;
    ensure!(rows[0].address != rows[1].address, "on two nodes: {rows:?}");
    ensure!(rows.iter().all(|row| row.handle_code == 200), "{rows:?}");
    Ok(())
}
