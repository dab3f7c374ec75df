//! `load self-test`: what the load executor itself costs. A caller sends runs at a fixed rate over a few connections
//! to an executor in a process of its own, an admin that only counts takes the results, and the CPU of that process
//! is read.

use std::borrow::Cow;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use rustix::process::Signal;
use serde::de::IgnoredAny;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use url::Url;

use crate::admin::free_port;
use crate::client::Client;
use crate::executor::Summary;
use crate::process::{self, Usage};
use crate::report::Report;
use crate::request::Request;
use crate::server::{self, Answer};

/// `load self-test`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Runs a second.
    #[arg(long, default_value_t = 10_000)]
    rate: u64,
    /// How long.
    #[arg(long, value_name = "S", default_value_t = 10)]
    seconds: u64,
    /// Connections of the caller.
    #[arg(long, default_value_t = 64)]
    connections: u64,
}

/// An admin that counts results.
#[derive(Default)]
struct Admin {
    results: AtomicU64,
}

impl Answer for Admin {
    fn answer(&self, request: &Request<'_>) -> Cow<'static, str> {
        match serde_json::from_slice::<Vec<IgnoredAny>>(request.body) {
            Ok(results) => {
                self.results.fetch_add(results.len() as u64, Ordering::Relaxed);
                r#"{"code":200,"msg":null,"content":null}"#.into()
            }
            Err(_) => r#"{"code":500}"#.into(),
        }
    }
}

/// Runs it; true when the executor kept up and lost nothing.
///
/// # Errors
/// When the executor cannot be started or refuses a run.
pub async fn run(arguments: Arguments) -> Result<bool> {
    ensure!(arguments.rate > 0 && arguments.connections > 0, "at least one run and one connection");
    let admin = Arc::new(Admin::default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let admin_url = format!("http://{}/xxl-job-admin", listener.local_addr()?);
    tokio::spawn(server::serve(listener, Arc::clone(&admin)));

    let port = free_port()?;
    let address = Url::parse(&format!("http://127.0.0.1:{port}/"))?;
    let child = Command::new(std::env::current_exe()?)
        .args(["executor", "--port", &port.to_string(), "--admin", &admin_url])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let pid = child.id().context("executor has ended")?;
    wait_for(&address).await?;

    let before = Usage::of(pid)?;
    let started = Instant::now();
    let sent = call(&arguments, &address).await?;
    let took = started.elapsed();
    let calm = Instant::now();
    while admin.results.load(Ordering::Relaxed) < sent && calm.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let used = Usage::of(pid)?;
    process::signal(pid, Signal::TERM)?;
    let output = child.wait_with_output().await?;
    let summary: Summary = serde_json::from_slice(&output.stdout).context("summary of the executor")?;

    let cpu = used.cpu_since(&before).as_secs_f64();
    let rate = sent as f64 / took.as_secs_f64();
    let results = admin.results.load(Ordering::Relaxed);
    let mut report = Report::new("self-test", "the load executor alone");
    report.figure("runs_sent", sent);
    report.figure("runs_recorded", summary.runs);
    report.measure("runs_per_s", rate);
    report.figure("results_called_back", results);
    report.figure("callback_requests", summary.callbacks.requests);
    report.measure("executor_cpu_cores", cpu / took.as_secs_f64());
    report.measure("executor_cpu_us_per_run", cpu * 1e6 / sent as f64);
    report.measure("executor_rss_mib", used.rss_kib as f64 / 1_024.0);
    report.demand("every run recorded", summary.runs == sent);
    report.demand("every result called back", results == sent);
    report.demand("the rate was reached", rate >= arguments.rate as f64 * 0.99);
    println!("{report}");
    Ok(report.all_met())
}

async fn wait_for(address: &Url) -> Result<()> {
    let mut client = Client::new(address, "")?;
    let beats = async {
        while client.post("beat", bytes::Bytes::new()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), beats).await.context("the executor does not answer")
}

/// Sends runs at the rate, shared out among the connections, and returns how many were accepted.
async fn call(arguments: &Arguments, address: &Url) -> Result<u64> {
    let total = arguments.rate * arguments.seconds;
    let interval = Duration::from_secs_f64(arguments.connections as f64 / arguments.rate as f64);
    let mut callers = JoinSet::new();
    for number in 0..arguments.connections {
        let mut client = Client::new(address, "default_token")?;
        let logs = (number..total).step_by(arguments.connections as usize);
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        callers.spawn(async move {
            let mut accepted = 0;
            for log in logs {
                ticks.tick().await;
                let (_, answer) = client.post("run", run_body(log).into()).await?;
                ensure!(answer.starts_with(br#"{"code":200"#), "run refused");
                accepted += 1;
            }
            Ok(accepted)
        });
    }
    let mut sent = 0;
    while let Some(accepted) = callers.join_next().await {
        sent += accepted??;
    }
    Ok(sent)
}

/// A run as an admin sends it, all twelve fields.
fn run_body(log: u64) -> String {
    format!(
        r#"{{"jobId":{},"executorHandler":"load","executorParams":"","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":{log},"logDateTime":1700000000000,"glueType":"BEAN","glueSource":"","glueUpdatetime":1700000000000,"broadcastIndex":0,"broadcastTotal":1}}"#,
        1_000_000 + log % 2_000
    )
}
