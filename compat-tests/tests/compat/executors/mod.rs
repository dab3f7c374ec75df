//! Every executor of the suite against one admin: the same cases, with what each kind can do as its own words tell.
mod blocking;
mod fixture;
mod lifecycle;
mod results;
mod routing;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use compat_tests::admin::Admin;
use compat_tests::executor::{LINES, Launcher, Line};
use compat_tests::report::Report;
use tokio::task::JoinSet;

use fixture::{Fixture, World};

/// Runs all lines side by side on one admin.
pub async fn all(report: &Rc<Report>, work: &Path) -> Result<()> {
    let admin = Admin::start(work, "executors", &[]).await?;
    let world = Rc::new(World {
        console: admin.console().await?,
        pool: admin.database().pool().await?,
        url: admin.url(),
        launcher: Arc::new(Launcher::spawn(work)?),
        work: work.to_path_buf(),
    });
    let mut lines = JoinSet::new();
    for line in LINES.into_iter().filter(|line| report.wants(line.name)) {
        let (report, world) = (Rc::clone(report), Rc::clone(&world));
        lines.spawn_local(async move { one(&report, world, line).await });
    }
    while let Some(ended) = lines.join_next().await {
        if let Err(panic) = ended {
            report.broke("executors", &anyhow!(panic));
        }
    }
    drop(world);
    admin.remove().await
}

/// The cases of one executor, one after the other: Go keeps one state a handler, so runs must not overlap by chance.
async fn one(report: &Report, world: Rc<World>, line: Line) {
    let suite = line.name;
    let Some(fixture) = report.needed(suite, "registers", Fixture::set_up(world, line)).await else { return };
    let f = &fixture;
    report.case(suite, "bean_job_succeeds", results::bean_job_succeeds(f)).await;
    report.case(suite, "parameter_arrives", results::parameter_arrives(f)).await;
    report.case(suite, "unknown_handler_is_refused", results::unknown_handler_is_refused(f)).await;
    report.case(suite, "shell_script_runs", results::shell_script_runs(f)).await;
    report.case(suite, "job_fails", results::job_fails(f)).await;
    report.case(suite, "job_throws", results::job_throws(f)).await;
    report.case(suite, "job_times_out", results::job_times_out(f)).await;
    report.case(suite, "log_is_read_in_pages", results::log_is_read_in_pages(f)).await;
    report.case(suite, "running_job_is_killed", results::running_job_is_killed(f)).await;
    report.case(suite, "kill_counts_for_a_deaf_job", results::kill_counts_for_a_deaf_job(f)).await;
    report.case(suite, "runs_by_schedule", routing::runs_by_schedule(f)).await;
    report.case(suite, "round_robin_reaches_both_nodes", routing::round_robin_reaches_both_nodes(f)).await;
    report.case(suite, "broadcast_reaches_both_nodes", routing::broadcast_reaches_both_nodes(f)).await;
    report.case(suite, "busyover_avoids_the_busy_node", routing::busyover_avoids_the_busy_node(f)).await;
    report.case(suite, "serial_execution", blocking::serial_execution(f)).await;
    report.case(suite, "discard_later", blocking::discard_later(f)).await;
    report.case(suite, "cover_early", blocking::cover_early(f)).await;
    report.case(suite, "callback_after_restart", lifecycle::callback_after_restart(f)).await;
    report.case(suite, "callback_after_outage", lifecycle::callback_after_outage(f)).await;
    report.case(suite, "deregisters", lifecycle::deregisters(fixture)).await;
}
