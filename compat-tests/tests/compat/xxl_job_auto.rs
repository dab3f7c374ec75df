//! A Spring Boot application that registers its group and its job with the package xxl-job-auto, unchanged, each time it
//! starts, and is the executor of the job.
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use compat_tests::admin::Admin;
use compat_tests::client::{AutoNode, AutoStart};
use compat_tests::eventually::eventually;
use compat_tests::port;
use compat_tests::report::{Report, took_part};
use sqlx::MySqlPool;

/// The suite's name in the report.
pub const SUITE: &str = "client-xxl-job-auto";
/// The job's handler as the library names it.
const HANDLER: &str = "compat.auto.Jobs#beat";
/// Longest wait for a run.
const PATIENCE: Duration = Duration::from_mins(1);

/// Three starts of one node, then two nodes at a time.
pub async fn suite(report: &Report, work: &Path) -> Result<()> {
    let admin = Admin::start(work, SUITE, &[]).await?;
    let pool = admin.database().pool().await?;
    let site = Site { admin: &admin, pool: &pool, work: work.join(SUITE) };
    if report.needed(SUITE, "first_start_makes_group_and_job", site.first_start()).await.is_some() {
        report.case(SUITE, "second_start_makes_no_double", site.later_start("release-1", "0/3 * * * * ?")).await;
        report.case(SUITE, "third_start_changes_the_schedule", site.later_start("release-2", "0/1 * * * * ?")).await;
    }
    report.case(SUITE, "two_nodes_start_at_once", site.two_nodes_start_at_once()).await;
    pool.close().await;
    admin.remove().await
}

struct Site<'a> {
    admin: &'a Admin,
    pool: &'a MySqlPool,
    work: std::path::PathBuf,
}

impl Site<'_> {
    async fn node(&self, name: &str, release: &str, appname: &str) -> Result<AutoNode> {
        let start = AutoStart { name, release, appname, port: port::free()? };
        AutoNode::start(&self.work, self.admin, &start).await
    }

    /// Groups of an application and jobs in them.
    async fn counts(&self, appname: &str) -> Result<(i64, i64)> {
        let counts = "SELECT COUNT(DISTINCT g.id), COUNT(j.id) FROM xxl_job_group g \
                      LEFT JOIN xxl_job_info j ON j.job_group = g.id WHERE g.app_name = ?";
        Ok(sqlx::query_as(counts).bind(appname).fetch_one(self.pool).await?)
    }

    async fn last_run(&self) -> Result<i64> {
        let last = "SELECT CAST(COALESCE(MAX(id), 0) AS SIGNED) FROM xxl_job_log";
        Ok(sqlx::query_scalar(last).fetch_one(self.pool).await?)
    }

    /// Waits until the job has run by its schedule after the run `last`.
    async fn runs_after(&self, last: i64) -> Result<()> {
        let runs = "SELECT COUNT(*) FROM xxl_job_log WHERE id > ? AND executor_handler = ? AND trigger_code = 200 \
                    AND handle_code = 200";
        let look = async || {
            let runs: i64 = sqlx::query_scalar(runs).bind(last).bind(HANDLER).fetch_one(self.pool).await?;
            ensure!(runs > 0, "no run has succeeded");
            Ok(())
        };
        eventually("the job runs on its executor", PATIENCE, look).await
    }

    async fn first_start(&self) -> Result<()> {
        let mut node = self.node("first", "release-1", "auto-one").await?;
        node.register().await?;
        ensure!(self.counts("auto-one").await? == (1, 1), "{:?}", self.counts("auto-one").await?);
        let job: (String, String, String, String, String, i32) = sqlx::query_as(
            "SELECT job_desc, author, schedule_type, schedule_conf, glue_type, CAST(trigger_status AS SIGNED) \
             FROM xxl_job_info WHERE executor_handler = ?",
        )
        .bind(HANDLER)
        .fetch_one(self.pool)
        .await?;
        let expected = (HANDLER, "JobAutoRegister", "CRON", "0/3 * * * * ?", "BEAN", 1);
        ensure!((&*job.0, &*job.1, &*job.2, &*job.3, &*job.4, job.5) == expected, "{job:?}");
        self.runs_after(0).await?;
        took_part("client", "xxl-job-auto-1.0.1")?;
        no_errors(&node)?;
        node.stop().await
    }

    async fn later_start(&self, release: &str, cron: &str) -> Result<()> {
        let last = self.last_run().await?;
        let mut node = self.node(&format!("later-{release}"), release, "auto-one").await?;
        node.register().await?;
        ensure!(self.counts("auto-one").await? == (1, 1), "{:?}", self.counts("auto-one").await?);
        let job: (String, i32) = sqlx::query_as(
            "SELECT schedule_conf, CAST(trigger_status AS SIGNED) FROM xxl_job_info WHERE executor_handler = ?",
        )
        .bind(HANDLER)
        .fetch_one(self.pool)
        .await?;
        ensure!((&*job.0, job.1) == (cron, 1), "{job:?}");
        self.runs_after(last).await?;
        no_errors(&node)?;
        node.stop().await
    }

    /// Both may find nothing and add it, as nothing is unique here; neither may fail.
    async fn two_nodes_start_at_once(&self) -> Result<()> {
        let (left, right) =
            tokio::join!(self.node("left", "release-1", "auto-two"), self.node("right", "release-1", "auto-two"));
        let (mut left, mut right) = (left?, right?);
        tokio::try_join!(left.register(), right.register())?;
        let (groups, jobs) = self.counts("auto-two").await?;
        ensure!((1..=2).contains(&groups) && (1..=2).contains(&jobs), "{groups} groups, {jobs} jobs");
        for node in [left, right] {
            no_errors(&node)?;
            node.stop().await?;
        }
        Ok(())
    }
}

/// The application's log tells of no error.
fn no_errors(node: &AutoNode) -> Result<()> {
    let log = std::fs::read_to_string(&node.log)?;
    let errors: Vec<&str> = log.lines().filter(|line| line.contains(" ERROR ") || line.contains("Exception")).collect();
    ensure!(errors.is_empty(), "{errors:?}");
    Ok(())
}
