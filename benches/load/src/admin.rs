//! The admin under test as a process: prepared, started, watched, ended.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::Signal;
use tokio::process::{Child, Command};
use url::Url;

use crate::client::Client;
use crate::database::Location;
use crate::process::{self, Usage};

/// How to start the admin; always on the same port and database.
pub struct Launcher {
    binary: PathBuf,
    folder: PathBuf,
    port: u16,
    token: String,
    arguments: Vec<String>,
}

impl Launcher {
    /// A launcher that works in `folder`; `extra` goes to the admin as it is.
    ///
    /// # Errors
    /// When the binary is missing or no port is free.
    pub fn new(binary: &Path, folder: &Path, database: &Location, token: &str, extra: &[String]) -> Result<Self> {
        let binary = binary.canonicalize().with_context(|| format!("{}: build it first", binary.display()))?;
        let mut arguments = database.admin_arguments()?;
        arguments.push(format!("--xxl.job.accessToken={token}"));
        arguments.push(format!("--data.dir={}", folder.join("data").display()));
        arguments.extend_from_slice(extra);
        Ok(Self { binary, folder: folder.to_owned(), port: free_port()?, token: token.to_owned(), arguments })
    }

    /// Base address of the admin, context path included.
    ///
    /// # Errors
    /// Never with a port.
    pub fn base(&self) -> Result<Url> {
        Ok(Url::parse(&format!("http://127.0.0.1:{}/xxl-job-admin", self.port))?)
    }

    /// Runs `init-db`.
    ///
    /// # Errors
    /// When it fails.
    pub async fn init_db(&self) -> Result<()> {
        self.run("init-db").await
    }

    /// Runs a command that ends by itself.
    ///
    /// # Errors
    /// When it fails.
    pub async fn run(&self, name: &str) -> Result<()> {
        let output = self.command().arg(name).args(&self.arguments).output().await?;
        let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{name} ended with {}: {}", output.status, last_lines(&said));
        Ok(())
    }

    /// Starts the admin and waits until it is ready.
    ///
    /// # Errors
    /// When it ends or is not ready within a minute.
    pub async fn start(&self) -> Result<Admin> {
        let log = self.folder.join("admin.log");
        let output = File::options().create(true).append(true).open(&log)?;
        let started = Instant::now();
        let child = self
            .command()
            .args([format!("--server.port={}", self.port), "--server.address=127.0.0.1".into()])
            .args(&self.arguments)
            .stdout(output.try_clone()?)
            .stderr(output)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().context("admin has ended")?;
        let client = Client::new(&self.base()?, &self.token)?;
        let mut admin = Admin { pid, child: Some(child), log, client, start_to_ready: Duration::ZERO };
        admin.wait_ready().await?;
        admin.start_to_ready = started.elapsed();
        Ok(admin)
    }

    /// The binary without the settings of whoever runs this, in UTC.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.env_clear().env("TZ", "UTC").current_dir(&self.folder).stdin(std::process::Stdio::null());
        command
    }
}

/// A running admin. One that was started here is killed when this is dropped.
pub struct Admin {
    pid: u32,
    child: Option<Child>,
    log: PathBuf,
    client: Client,
    /// Time from the start of the process to the first good readiness.
    pub start_to_ready: Duration,
}

impl Admin {
    /// An admin that runs already and stays.
    ///
    /// # Errors
    /// When the token cannot be sent.
    pub fn attach(base: &Url, pid: u32, token: &str) -> Result<Self> {
        let client = Client::new(base, token)?;
        Ok(Self { pid, child: None, log: PathBuf::new(), client, start_to_ready: Duration::ZERO })
    }

    /// CPU and memory so far.
    ///
    /// # Errors
    /// When it has ended.
    pub fn usage(&self) -> Result<Usage> {
        Usage::of(self.pid)
    }

    /// Whether the process that was started is still the one that runs.
    ///
    /// # Errors
    /// When that cannot be found out.
    pub fn is_running(&mut self) -> Result<bool> {
        match &mut self.child {
            Some(child) => Ok(child.try_wait()?.is_none()),
            None => Ok(self.usage().is_ok()),
        }
    }

    /// Sum of a counter over all its labels; none when it is not shown.
    ///
    /// # Errors
    /// When the metrics cannot be had.
    pub async fn counter(&mut self, name: &str) -> Result<Option<f64>> {
        let (status, body) = self.client.get("actuator/prometheus").await?;
        ensure!(status == 200, "metrics: {status}");
        Ok(sum(&String::from_utf8_lossy(&body), name))
    }

    /// Sends SIGTERM and waits for the end.
    ///
    /// # Errors
    /// When it does not end within `patience`.
    pub async fn terminate(&mut self, patience: Duration) -> Result<Option<ExitStatus>> {
        let Some(child) = &mut self.child else { return Ok(None) };
        process::signal(self.pid, Signal::TERM)?;
        let status = tokio::time::timeout(patience, child.wait()).await.context("admin does not end at SIGTERM")??;
        Ok(Some(status))
    }

    /// Sends SIGKILL and waits for the end.
    ///
    /// # Errors
    /// When it has ended already.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.as_mut().context("only an admin that was started here is killed")?.kill().await?;
        Ok(())
    }

    async fn wait_ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_mins(1);
        while Instant::now() < deadline {
            if !self.is_running()? {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                bail!("the admin has ended: {}", last_lines(&log));
            }
            let answer = self.client.get("actuator/health/readiness").await;
            if answer.is_ok_and(|(status, _)| status == 200) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        bail!("the admin is not ready after a minute: {}", last_lines(&log))
    }
}

/// A TCP port that is free now.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The end of a log, for an error message.
pub fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(15)..].join("\n")
}

fn sum(metrics: &str, name: &str) -> Option<f64> {
    let values = metrics.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let rest = if rest.starts_with('{') { rest.rsplit_once('}')?.1 } else { rest.strip_prefix(' ')? };
        rest.split_whitespace().next()?.parse::<f64>().ok()
    });
    values.fold(None, |sum, value| Some(sum.unwrap_or(0.0) + value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_summed_over_its_labels() {
        let metrics =
            "# TYPE lost counter\nlost{reason=\"a b\"} 3\nlost{reason=\"c}\"} 4 1700\nlost_other 9\nplain 5\n";
        assert_eq!(sum(metrics, "lost"), Some(7.0));
        assert_eq!(sum(metrics, "plain"), Some(5.0));
        assert_eq!(sum(metrics, "none"), None);
    }

    #[test]
    fn only_the_end_of_a_log_is_told() {
        let log: String = (0..40).map(|n| n.to_string() + "\n").collect();
        assert!(last_lines(&log).starts_with("25\n26"));
        assert_eq!(last_lines("one\n"), "one");
    }
}
