//! The console program of the package xxl-admin-sh, unchanged, as a person uses it from one day to the next: it logs in
//! once, keeps the cookie in a file and never looks whether the login still holds.
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use compat_tests::admin::Admin;
use compat_tests::client::Shell;
use compat_tests::eventually::eventually;
use compat_tests::report::{Report, took_part};
use compat_tests::sink::Sink;
use sqlx::MySqlPool;

/// The suite's name in the report.
pub const SUITE: &str = "client-xxl-admin-sh";
/// Longest wait for a run.
const PATIENCE: Duration = Duration::from_secs(30);

struct Desk {
    admin: Admin,
    pool: MySqlPool,
    sink: Sink,
    shell: Shell,
    group: u64,
}

/// All commands in the order in which one would give them.
pub async fn suite(report: &Report, work: &Path) -> Result<()> {
    let Some(mut desk) = report.needed(SUITE, "logs_in_and_lists_groups", Desk::set_up(work)).await else {
        return Ok(());
    };
    if report.needed(SUITE, "adds_and_lists_a_job", desk.adds_and_lists_a_job()).await.is_some() {
        report.case(SUITE, "updates_a_job", desk.updates_a_job()).await;
        report.case(SUITE, "runs_a_job_and_reads_its_log", desk.runs_a_job_and_reads_its_log()).await;
        report.case(SUITE, "starts_and_stops_a_job", desk.starts_and_stops_a_job()).await;
        report.case(SUITE, "goes_on_after_a_restart", desk.goes_on_after_a_restart()).await;
        report.case(SUITE, "goes_on_the_next_day", desk.goes_on_after_days(1)).await;
        report.case(SUITE, "goes_on_after_four_weeks", desk.goes_on_after_days(28)).await;
    }
    desk.pool.close().await;
    desk.admin.remove().await
}

impl Desk {
    async fn set_up(work: &Path) -> Result<Self> {
        let admin = Admin::start(work, SUITE, &[]).await?;
        let pool = admin.database().pool().await?;
        let sink = Sink::start().await?;
        let group = "INSERT INTO xxl_job_group (app_name, title, address_type, address_list, update_time) \
                     VALUES ('shell-group', 'shell', 1, ?, UTC_TIMESTAMP())";
        let group = sqlx::query(group).bind(&sink.address).execute(&pool).await?.last_insert_id();
        let shell = Shell::new(&work.join(SUITE), &admin)?;
        let desk = Self { admin, pool, sink, shell, group };
        let screen = desk.shell.type_line("group list").await?;
        ensure!(screen.contains("shell-group") && screen.contains(&desk.sink.address), "{screen}");
        let found = desk.shell.type_line("group list shell").await?;
        ensure!(found.contains("shell-group"), "{found}");
        desk.one_login().await?;
        took_part("client", "xxl-admin-sh-0.1.1")?;
        Ok(desk)
    }

    /// It logged in once, and so it stays.
    async fn one_login(&self) -> Result<()> {
        let logins = "SELECT COUNT(*) FROM xxl_job_registry WHERE registry_group = 'RS_LOGIN'";
        let logins: i64 = sqlx::query_scalar(logins).fetch_one(&self.pool).await?;
        ensure!(logins == 1, "{logins} logins");
        Ok(())
    }

    async fn succeeds(&self, line: &str) -> Result<()> {
        let screen = self.shell.type_line(line).await?;
        // What was typed is on the screen, too.
        ensure!(screen.contains("结果: OK"), "{line}: {screen}");
        self.one_login().await
    }

    async fn adds_and_lists_a_job(&self) -> Result<()> {
        let add = format!("job add --exec shellJob --group {} --cron '0 0 3 * * ?' --title nightly", self.group);
        self.succeeds(&add).await?;
        let job: (String, String, String, String, i32) = sqlx::query_as(
            "SELECT job_desc, author, schedule_type, schedule_conf, CAST(trigger_status AS SIGNED) FROM xxl_job_info \
             WHERE executor_handler = 'shellJob'",
        )
        .fetch_one(&self.pool)
        .await?;
        let expected = ("nightly", "admin", "CRON", "0 0 3 * * ?", 0);
        ensure!((&*job.0, &*job.1, &*job.2, &*job.3, job.4) == expected, "{job:?}");
        for line in ["job list", "job list shell"] {
            let screen = self.shell.type_line(line).await?;
            ensure!(screen.contains("nightly") && screen.contains("0 0 3 * * ?"), "{line}: {screen}");
        }
        Ok(())
    }

    async fn updates_a_job(&self) -> Result<()> {
        self.succeeds("job update shellJob --cron '0 30 4 * * ?' --title early").await?;
        let job: (String, String, i32) = sqlx::query_as(
            "SELECT job_desc, schedule_conf, CAST(job_group AS SIGNED) FROM xxl_job_info \
             WHERE executor_handler = 'shellJob'",
        )
        .fetch_one(&self.pool)
        .await?;
        ensure!((&*job.0, &*job.1, u64::try_from(job.2)?) == ("early", "0 30 4 * * ?", self.group), "{job:?}");
        Ok(())
    }

    async fn runs_a_job_and_reads_its_log(&self) -> Result<()> {
        self.succeeds("job run shellJob -p hello").await?;
        let run = "SELECT executor_param FROM xxl_job_log WHERE executor_handler = 'shellJob' AND trigger_code = 200";
        let look = async || {
            let param: Option<String> = sqlx::query_scalar(run).fetch_optional(&self.pool).await?.context("no run")?;
            ensure!(param.as_deref() == Some("hello"), "{param:?}");
            Ok(())
        };
        eventually("the run is accepted", PATIENCE, look).await?;
        ensure!(self.sink.calls() > 0, "the executor was not called");
        let screen = self.shell.type_line("job log shellJob").await?;
        ensure!(screen.contains("hello") && screen.contains("成功"), "{screen}");
        Ok(())
    }

    async fn starts_and_stops_a_job(&self) -> Result<()> {
        for (line, wanted) in
            [("job on shellJob", 1), ("job on shellJob", 1), ("job off shellJob", 0), ("job off shellJob", 0)]
        {
            self.succeeds(line).await?;
            let status = "SELECT CAST(trigger_status AS SIGNED) FROM xxl_job_info WHERE executor_handler = 'shellJob'";
            let status: i64 = sqlx::query_scalar(status).fetch_one(&self.pool).await?;
            ensure!(status == wanted, "{line}: {status}");
        }
        Ok(())
    }

    async fn goes_on_after_a_restart(&mut self) -> Result<()> {
        let cookies = self.shell.cookies()?;
        self.admin.stop().await?;
        self.admin.launch().await?;
        let screen = self.shell.type_line("job list shellJob").await?;
        ensure!(screen.contains("shellJob"), "{screen}");
        self.succeeds("job run shellJob").await?;
        ensure!(self.shell.cookies()? == cookies, "the cookie file was written again");
        Ok(())
    }

    /// As if so many days had gone by without a call: the end of the login has come nearer. It moves away again.
    async fn goes_on_after_days(&mut self, days: i64) -> Result<()> {
        let cookies = self.shell.cookies()?;
        // A running admin believes a login for some seconds without looking.
        self.admin.stop().await?;
        let passed =
            "UPDATE xxl_job_registry SET update_time = update_time - INTERVAL ? DAY WHERE registry_group = 'RS_LOGIN'";
        sqlx::query(passed).bind(days).execute(&self.pool).await?;
        self.admin.launch().await?;
        self.succeeds("job run shellJob").await?;
        ensure!(self.shell.cookies()? == cookies, "the cookie file was written again");
        let left = "SELECT CAST(TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), update_time) AS SIGNED) FROM xxl_job_registry \
                    WHERE registry_group = 'RS_LOGIN'";
        let left: i64 = sqlx::query_scalar(left).fetch_one(&self.pool).await?;
        ensure!(left >= 29 * 24, "the login ends in {left} hours");
        Ok(())
    }
}
