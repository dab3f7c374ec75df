//! The admin goes and comes back; an executor goes.
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use compat_tests::admin::{Admin, TOKEN};
use compat_tests::console::{Console, LogRow};
use compat_tests::eventually::eventually;
use compat_tests::executor::{Node, Start};

use super::fixture::{Fixture, Gate, Job, PATIENCE, has_result, rows_when};

/// Java executors look every 30 s for results to send again.
const RESENT: Duration = Duration::from_secs(90);

/// An admin and a node of their own, and a run that stands at its gate.
struct Waiting {
    admin: Admin,
    node: Node,
    group: i64,
    job: i64,
    gate: Gate,
}

impl Waiting {
    async fn set_up(f: &Fixture, name: &str) -> Result<Self> {
        let name = format!("{}-{name}", f.line.name);
        let admin = Admin::start(&f.world.work, &format!("{name}-admin"), &[]).await?;
        let console = admin.console().await?;
        let url = admin.url();
        let start = Start { name: &name, appname: &name, admin: &url, token: TOKEN, paged_log: true };
        let node = Node::start(f.line, &f.world.launcher, &f.world.work, start).await?;
        let group = console.add_group(&name, "restart", &node.address).await?;
        let job = Job::bean("gate").add(&console, group).await?;
        let gate = f.gate()?;
        // A group of fixed addresses needs no registration.
        console.trigger(job, &gate.param(), "").await?;
        let rows = rows_when(&console, (group, job), 1, "called", |row| row.trigger_code != 0).await?;
        ensure!(rows[0].trigger_code == 200, "{rows:?}");
        gate.await_point("started").await?;
        Ok(Self { admin, node, group, job, gate })
    }

    /// The run's row, once it has a result.
    async fn result(&self, console: &Console) -> Result<LogRow> {
        let look = async || {
            let row = self.row(console).await?;
            ensure!(has_result(&row), "{row:?}");
            Ok(row)
        };
        eventually("the result arrives", RESENT, look).await
    }

    /// The run's row.
    async fn row(&self, console: &Console) -> Result<LogRow> {
        console.logs(self.group, self.job).await?.pop().context("no row")
    }

    async fn tear_down(self) -> Result<()> {
        self.node.stop().await?;
        self.admin.remove().await
    }
}

/// The run ends after the admin is back: its result is stored.
pub async fn callback_after_restart(f: &Fixture) -> Result<()> {
    let mut waiting = Waiting::set_up(f, "restart").await?;
    let port = waiting.admin.port();
    waiting.admin.stop().await?;
    waiting.admin.launch().await?;
    ensure!(waiting.admin.port() == port, "on the same port");
    let console = waiting.admin.console().await?;
    waiting.gate.open()?;
    let row = waiting.result(&console).await?;
    ensure!(row.handle_code == 200 && row.handle_msg == "passed", "{row:?}");
    waiting.tear_down().await
}

/// The run ends while the admin is away. Java keeps the result and sends it again after 30 s, Python tries for 15 s;
/// the Go library tries once, so that run stays without result.
pub async fn callback_after_outage(f: &Fixture) -> Result<()> {
    let mut waiting = Waiting::set_up(f, "outage").await?;
    waiting.admin.stop().await?;
    waiting.gate.open()?;
    waiting.gate.await_point("passed").await?;
    waiting.admin.launch().await?;
    let console = waiting.admin.console().await?;
    if f.is_go() {
        let later = Job::bean("echo").add(&console, waiting.group).await?;
        console.trigger(later, "", "").await?;
        rows_when(&console, (waiting.group, later), 1, "finished", has_result).await?;
        let row = waiting.row(&console).await?;
        ensure!(row.handle_code == 0, "the library does not send again: {row:?}");
    } else {
        let row = waiting.result(&console).await?;
        ensure!(row.handle_code == 200 && row.handle_msg == "passed", "{row:?}");
    }
    waiting.tear_down().await
}

/// An orderly end takes the address out of the group at once, not with the next look at the registry (every 30 s).
pub async fn deregisters(fixture: Fixture) -> Result<()> {
    let Fixture { world, appname, group, first, second, .. } = fixture;
    let gone = second.address.clone();
    let stopping = tokio::spawn(second.stop());
    let look = async || {
        let left: Vec<(String,)> =
            sqlx::query_as("SELECT registry_value FROM xxl_job_registry WHERE registry_key = ? AND registry_value = ?")
                .bind(&appname)
                .bind(&gone)
                .fetch_all(&world.pool)
                .await?;
        ensure!(left.is_empty(), "still registered");
        Ok(())
    };
    eventually("the registration is removed", PATIENCE, look).await?;
    let look = async || {
        let addresses = world.console.group_addresses(&appname).await?;
        ensure!(addresses == [first.address.clone()], "the group still has {addresses:?}");
        Ok(())
    };
    eventually("the address has left the group", Duration::from_secs(2), look).await?;
    let job = Job { route: "SHARDING_BROADCAST", ..Job::bean("shard") }.add(&world.console, group).await?;
    world.console.trigger(job, "", "").await?;
    let rows = rows_when(&world.console, (group, job), 1, "finished", has_result).await?;
    ensure!(rows.len() == 1 && rows[0].handle_msg == "shard 0/1", "only the node that is left: {rows:?}");
    stopping.await??;
    first.stop().await
}
