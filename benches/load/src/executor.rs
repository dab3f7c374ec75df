//! The load executor: one or more addresses that answer `/run`, `/beat`, `/idleBeat`, `/kill` and `/log`, record what
//! arrives and call back. It lives on a thread of its own, so that nothing else in the process delays it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::time::Instant;
use url::Url;

use crate::arrivals::{Arrival, Arrivals};
use crate::callback::{self, Finished, Outbox, Tally};
use crate::clock;
use crate::request::Request;
use crate::server::{self, Answer};

/// How the executors behave; the same for `load executor` and `load drive`.
#[derive(Debug, Clone, clap::Args)]
pub struct Behaviour {
    /// How many executors.
    #[arg(long, default_value_t = 1)]
    pub executors: u16,
    /// Milliseconds between a request and its answer.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub work: u64,
    /// Milliseconds between the answer to a run and its result.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub run_time: u64,
    /// Callback senders at work at the same time.
    #[arg(long, default_value_t = 4)]
    pub senders: usize,
    /// Most results in one callback.
    #[arg(long, default_value_t = 1_000)]
    pub batch: usize,
    /// Seconds before a refused callback is sent again.
    #[arg(long, value_name = "S", default_value_t = 5)]
    pub retry_after: u64,
    /// Access token shared with the admin.
    #[arg(long, default_value = "default_token")]
    pub token: String,
}

impl Behaviour {
    fn callback(&self, admin: &Url) -> callback::Settings {
        callback::Settings {
            admin: admin.clone(),
            token: self.token.clone(),
            senders: self.senders,
            batch: self.batch.max(1),
            retry_after: Duration::from_secs(self.retry_after),
        }
    }
}

/// `load executor`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Port of the first executor; the others follow.
    #[arg(long, default_value_t = 9900)]
    port: u16,
    /// Base address of the admin with its context path; without it nothing is called back.
    #[arg(long)]
    admin: Option<Url>,
    /// Ends after so many seconds instead of at SIGTERM or Ctrl-C.
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// Writes every arrival (job id, log id, µs since 1970) into this file.
    #[arg(long, value_name = "FILE")]
    arrivals: Option<PathBuf>,
    #[command(flatten)]
    behaviour: Behaviour,
}

/// Running executors. They stop when this is dropped.
pub struct Executors {
    /// Their addresses, as they would register.
    pub addresses: Vec<String>,
    /// What arrived.
    pub arrivals: Arc<Arrivals>,
    /// What was called back.
    pub callbacks: Arc<Tally>,
    outbox: Arc<Outbox>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Executors {
    /// Starts executors at these ports (0 = any free one) that call `admin` back.
    ///
    /// # Errors
    /// When a port is taken.
    pub fn start(behaviour: &Behaviour, ports: &[u16], admin: Option<&Url>) -> Result<Self> {
        let mut listeners = Vec::new();
        let mut addresses = Vec::new();
        for port in ports {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).with_context(|| format!("port {port}"))?;
            listener.set_nonblocking(true)?;
            addresses.push(format!("http://{}/", listener.local_addr()?));
            listeners.push(listener);
        }
        let executor = Arc::new(Executor {
            arrivals: Arc::default(),
            outbox: admin.map(|_| Arc::default()),
            work: Duration::from_millis(behaviour.work),
            run_time: Duration::from_millis(behaviour.run_time),
        });
        let arrivals = Arc::clone(&executor.arrivals);
        let outbox = executor.outbox.clone().unwrap_or_default();
        let callbacks = Arc::new(Tally::default());
        let senders = admin.map(|admin| (behaviour.callback(admin), Arc::clone(&outbox), Arc::clone(&callbacks)));

        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("executor".into()).spawn(move || {
            let ended = runtime.block_on(async move {
                for listener in listeners {
                    tokio::spawn(server::serve(tokio::net::TcpListener::from_std(listener)?, Arc::clone(&executor)));
                }
                if let Some((settings, outbox, tally)) = senders {
                    callback::start_senders(&settings, &outbox, &tally)?;
                }
                // An error only says that the other end is gone, which means the same.
                stopped.await.ok();
                anyhow::Ok(())
            });
            if let Err(error) = ended {
                eprintln!("executor: {error:#}");
            }
        })?;
        Ok(Self { addresses, arrivals, callbacks, outbox, stop: Some(stop), thread: Some(thread) })
    }

    /// Results that are not called back yet.
    pub fn waiting_results(&self) -> usize {
        self.outbox.len()
    }
}

impl Drop for Executors {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// What answers at every address.
struct Executor {
    arrivals: Arc<Arrivals>,
    outbox: Option<Arc<Outbox>>,
    work: Duration,
    run_time: Duration,
}

/// The fields of a run that matter here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    job_id: u64,
    log_id: u64,
    #[serde(default)]
    log_date_time: u64,
}

const SUCCESS: &str = r#"{"code":200}"#;

impl Answer for Executor {
    fn answer(&self, request: &Request<'_>) -> Cow<'static, str> {
        match request.path.rsplit('/').next() {
            Some("run" | "trigger") => Cow::Borrowed(self.run(request.body)),
            Some("log") => log_page(request.body).into(),
            _ => Cow::Borrowed(SUCCESS),
        }
    }

    fn delay(&self) -> Duration {
        self.work
    }
}

impl Executor {
    fn run(&self, body: &[u8]) -> &'static str {
        let at_us = clock::now_us();
        let Ok(Run { job_id, log_id, log_date_time }) = serde_json::from_slice(body) else {
            return r#"{"code":500,"msg":"not a run"}"#;
        };
        self.arrivals.record(Arrival { job: job_id, log: log_id, at_us });
        if let Some(outbox) = &self.outbox {
            let ready = Instant::now() + self.work + self.run_time;
            outbox.put(ready, Finished { log: log_id, log_time: log_date_time });
        }
        SUCCESS
    }
}

/// One line of log, under both names that admins look for.
fn log_page(body: &[u8]) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Page {
        #[serde(default)]
        from_line_num: i64,
    }
    let from = serde_json::from_slice::<Page>(body).map_or(1, |page| page.from_line_num);
    let page = serde_json::json!({"fromLineNum": from, "toLineNum": 1, "logContent": "load\n", "isEnd": true});
    serde_json::json!({"code": 200, "content": page, "data": page}).to_string()
}

/// Runs `load executor`: serves until told to stop, then prints what came.
///
/// # Errors
/// When a port is taken or a file cannot be written.
pub async fn run(arguments: Arguments) -> Result<()> {
    let ports: Vec<u16> = (0..arguments.behaviour.executors).map(|n| arguments.port + n).collect();
    let executors = Executors::start(&arguments.behaviour, &ports, arguments.admin.as_ref())?;
    eprintln!("executors at {}", executors.addresses.join(","));
    tokio::select! {
        () = terminated() => {}
        () = async {
            match arguments.seconds {
                Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                None => std::future::pending().await,
            }
        } => {}
    }
    let arrivals = executors.arrivals.snapshot();
    if let Some(file) = &arguments.arrivals {
        let mut lines = String::with_capacity(arrivals.len() * 40);
        for Arrival { job, log, at_us } in &arrivals {
            // Writing to a string cannot fail.
            writeln!(lines, "{job}\t{log}\t{at_us}").ok();
        }
        std::fs::write(file, lines).with_context(|| file.display().to_string())?;
    }
    let summary = Summary::new(&arrivals, executors.callbacks.read(), executors.waiting_results());
    println!("{}", serde_json::to_string_pretty(&summary)?);
    Ok(())
}

/// Returns at SIGTERM or Ctrl-C.
pub async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! { _ = terminate.recv() => {}, _ = tokio::signal::ctrl_c() => {} },
        Err(_) => {
            tokio::signal::ctrl_c().await.ok();
        }
    }
}

/// What an executor that knows no plan can say.
#[derive(Debug, serde::Serialize, Deserialize)]
pub struct Summary {
    /// Runs that arrived.
    pub runs: u64,
    /// Different jobs among them.
    pub jobs: usize,
    /// Runs beyond the first of one log id.
    pub same_log_id_again: u64,
    /// Runs beyond the first of one job in one second of the clock.
    pub same_job_and_second_again: u64,
    /// Results called back.
    pub callbacks: callback::Count,
    /// Results that still waited.
    pub callbacks_waiting: usize,
}

impl Summary {
    fn new(arrivals: &[Arrival], callbacks: callback::Count, callbacks_waiting: usize) -> Self {
        let jobs: std::collections::HashSet<u64> = arrivals.iter().map(|arrival| arrival.job).collect();
        Self {
            runs: arrivals.len() as u64,
            jobs: jobs.len(),
            same_log_id_again: crate::statistics::repeated(arrivals.iter().map(|a| a.log)),
            same_job_and_second_again: crate::statistics::repeated(
                arrivals.iter().map(|a| (a.job, a.at_us / 1_000_000)),
            ),
            callbacks,
            callbacks_waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::client::Client;

    fn behaviour() -> Behaviour {
        use clap::Parser as _;
        #[derive(clap::Parser)]
        struct Only {
            #[command(flatten)]
            behaviour: Behaviour,
        }
        Only::parse_from(["load", "--retry-after", "0"]).behaviour
    }

    /// An admin that refuses the first callback and keeps the log ids of the others.
    #[derive(Default)]
    struct Admin {
        seen: Mutex<(u32, Vec<u64>)>,
        changed: tokio::sync::Notify,
    }

    impl Answer for Admin {
        fn answer(&self, request: &Request<'_>) -> Cow<'static, str> {
            assert_eq!(request.path, "/xxl-job-admin/api/callback");
            let results: Vec<serde_json::Value> = serde_json::from_slice(request.body).unwrap();
            let mut seen = self.seen.lock().unwrap();
            seen.0 += 1;
            if seen.0 == 1 {
                return r#"{"code":500}"#.into();
            }
            seen.1.extend(results.iter().map(|result| result["logId"].as_u64().unwrap()));
            self.changed.notify_one();
            SUCCESS.into()
        }
    }

    #[tokio::test]
    async fn runs_are_recorded_and_called_back_until_accepted() {
        let admin = Arc::new(Admin::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/xxl-job-admin", listener.local_addr().unwrap())).unwrap();
        tokio::spawn(server::serve(listener, Arc::clone(&admin)));
        let executors = Executors::start(&behaviour(), &[0, 0], Some(&url)).unwrap();

        let before = clock::now_us();
        for (address, log) in executors.addresses.iter().zip([71u64, 72]) {
            let mut client = Client::new(&Url::parse(address).unwrap(), "").unwrap();
            let run = format!(r#"{{"jobId":9,"executorParams":"x","logId":{log},"logDateTime":5,"glueType":"BEAN"}}"#);
            let (status, body) = client.post("run", run.into()).await.unwrap();
            assert_eq!((status.as_u16(), &body[..]), (200, SUCCESS.as_bytes()));
            let (_, body) = client.post("beat", bytes::Bytes::new()).await.unwrap();
            assert_eq!(body, SUCCESS);
            let (_, body) = client.post("run", "{}".into()).await.unwrap();
            assert!(body.starts_with(br#"{"code":500"#));
        }
        while admin.seen.lock().unwrap().1.len() < 2 {
            admin.changed.notified().await;
        }

        let mut logs = std::mem::take(&mut admin.seen.lock().unwrap().1);
        logs.sort_unstable();
        assert_eq!(logs, [71, 72]);
        let arrivals = executors.arrivals.snapshot();
        assert_eq!(arrivals.iter().map(|a| (a.job, a.log)).collect::<Vec<_>>(), [(9, 71), (9, 72)]);
        assert!(arrivals[0].at_us >= before && arrivals[1].at_us <= clock::now_us());
        assert!(executors.callbacks.read().refused >= 1);
    }

    #[test]
    fn a_log_page_carries_both_names() {
        let page: serde_json::Value = serde_json::from_str(&log_page(br#"{"logId":1,"fromLineNum":3}"#)).unwrap();
        assert_eq!(page["content"]["fromLineNum"], 3);
        assert_eq!(page["data"]["isEnd"], true);
    }

    #[test]
    fn the_summary_counts_repetitions() {
        let at = |job, log, ms: u64| Arrival { job, log, at_us: ms * 1_000 };
        let arrivals = [at(1, 10, 5_100), at(1, 11, 5_900), at(1, 11, 6_000), at(2, 12, 5_100)];
        let summary = Summary::new(&arrivals, callback::Count::default(), 0);
        assert_eq!((summary.runs, summary.jobs), (4, 2));
        assert_eq!((summary.same_log_id_again, summary.same_job_and_second_again), (1, 1));
    }
}
