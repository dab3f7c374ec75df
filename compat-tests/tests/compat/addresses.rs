//! Executors that are no server of their own: they answer below a path of another server, or behind https. Every kind of
//! call must reach them there.
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use compat_tests::admin::Admin;
use compat_tests::console::Console;
use compat_tests::eventually::eventually;
use compat_tests::report::Report;
use compat_tests::sink::Sink;

/// The suite's name in the report.
pub const SUITE: &str = "executor-addresses";
/// Longest wait for a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// One case a form of the address.
pub async fn suite(report: &Report, work: &Path) -> Result<()> {
    let admin = Admin::start(work, SUITE, &[]).await?;
    let console = admin.console().await?;
    report.case(SUITE, "below_a_path", reached(&console, "below-path", Sink::below("app/xxl-job/"))).await;
    report.case(SUITE, "below_a_path_without_slash", reached(&console, "without-slash", Sink::below("app"))).await;
    report.case(SUITE, "https", reached(&console, "by-https", Sink::with_tls(""))).await;
    report.case(SUITE, "https_below_a_path", reached(&console, "https-path", Sink::with_tls("app/"))).await;
    admin.remove().await
}

/// A run by each route that probes, a look at the log and a kill.
async fn reached(console: &Console, appname: &str, sink: impl Future<Output = Result<Sink>>) -> Result<()> {
    let sink = sink.await?;
    // Titles are of 12 characters at most.
    let group = console.add_group(appname, "address", &sink.address).await?;
    for (route, probe) in [("FAILOVER", "beat"), ("BUSYOVER", "idleBeat")] {
        let before = sink.calls();
        let job = add(console, group, route).await?;
        console.trigger(job, "", "").await?;
        let look = async || {
            let row = console.logs(group, job).await?.pop().context("no run")?;
            ensure!(row.trigger_code == 200 && row.address == sink.address, "{row:?}");
            Ok(row.id)
        };
        let log = eventually("the run is accepted", PATIENCE, look).await?;
        let page = console.log_page(log, 1).await?;
        ensure!(page.content == "a line\n", "{page:?}");
        console.kill(log).await?;
        let base = url::Url::parse(&sink.address)?.path().trim_end_matches('/').to_owned();
        let wanted: Vec<String> = [probe, "run", "log", "kill"].map(|call| format!("{base}/{call}")).into();
        let called = sink.paths().split_off(before);
        ensure!(called == wanted, "{called:?} were called, not {wanted:?}");
    }
    Ok(())
}

async fn add(console: &Console, group: i64, route: &str) -> Result<i64> {
    let fields = [
        ("jobGroup", &*group.to_string()),
        ("jobDesc", route),
        ("author", "compat"),
        ("scheduleType", "NONE"),
        ("misfireStrategy", "DO_NOTHING"),
        ("executorRouteStrategy", route),
        ("executorHandler", "any"),
        ("executorBlockStrategy", "SERIAL_EXECUTION"),
        ("glueType", "BEAN"),
    ];
    console.add_job(&fields).await
}
