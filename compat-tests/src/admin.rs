//! The admin under test as a process.
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;
use tokio::time::timeout;

use crate::console::Console;
use crate::database::Database;
use crate::paths;
use crate::process::Process;

/// The token that executors and admin share.
pub const TOKEN: &str = "default_token";
/// The administrator's password.
pub const PASSWORD: &str = "compat-suite-1";
/// How long a start may take; the machine may be busy.
const START: Duration = Duration::from_mins(1);
/// How long a stop may take; the admin itself drains for 30 s at most.
const STOP: Duration = Duration::from_mins(1);

/// A running admin with a database of its own.
pub struct Admin {
    process: Option<Process>,
    database: Database,
    arguments: Vec<String>,
    log: PathBuf,
    work: PathBuf,
    port: u16,
}

impl Admin {
    /// Makes a database and its tables, and starts an admin on a free port; `extra` are further arguments, `name` that
    /// of its folder below `work`.
    ///
    /// # Errors
    /// When the tables cannot be made or the admin does not say within a minute where it listens.
    pub async fn start(work: &std::path::Path, name: &str, extra: &[&str]) -> Result<Self> {
        let work = work.join(name);
        std::fs::create_dir_all(&work)?;
        let database = Database::create().await?;
        let mut arguments = database.arguments();
        arguments.extend(
            [
                "--server.address=127.0.0.1",
                "--spring.datasource.hikari.maximum-pool-size=8",
                "--spring.datasource.hikari.minimum-idle=1",
                // An executor may answer late while the whole suite shares two cores.
                "--xxl.job.timeout=10",
                &format!("--xxl.job.accessToken={TOKEN}"),
                &format!("--init.admin-password={PASSWORD}"),
            ]
            .map(str::to_owned),
        );
        arguments.extend(extra.iter().map(|&argument| argument.to_owned()));
        let log = work.join("admin.log");
        let mut admin = Self { process: None, database, arguments, log, work, port: 0 };
        admin.init_db().await?;
        admin.launch().await?;
        Ok(admin)
    }

    async fn init_db(&self) -> Result<()> {
        let output = self.command(&["init-db"])?.args(self.database.arguments()).args(["--admin-password", PASSWORD]);
        let output = output.output().await?;
        ensure!(output.status.success(), "init-db: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    fn command(&self, arguments: &[&str]) -> Result<Owned> {
        let mut command = Command::new(paths::admin_binary()?);
        command.args(arguments).current_dir(&self.work).env("TZ", "UTC");
        Ok(Owned(command))
    }

    /// Starts the admin, on the port that it had before if it had one.
    ///
    /// # Errors
    /// When it does not say within a minute where it listens.
    pub async fn launch(&mut self) -> Result<()> {
        let port = format!("--server.port={}", self.port);
        let command = self.command(&[&port])?.args(&self.arguments).0;
        let mut process = Process::spawn(command, &self.log)?;
        let port = timeout(START, listening(&mut process)).await.context("no start line")?;
        self.port = port.with_context(|| format!("the admin ended at start, see {}", self.log.display()))?;
        process.ignore_lines();
        self.process = Some(process);
        Ok(())
    }

    /// Stops the admin with SIGTERM and waits for its end.
    ///
    /// # Errors
    /// When it does not end within a minute or not with status 0.
    pub async fn stop(&mut self) -> Result<()> {
        let process = self.process.take().context("the admin does not run")?;
        let status = process.terminate(STOP).await?;
        ensure!(status.success(), "the admin ended with {status}");
        Ok(())
    }

    /// Stops the admin if it runs and drops its database.
    ///
    /// # Errors
    /// As [`Admin::stop`], or when the database cannot be dropped.
    pub async fn remove(mut self) -> Result<()> {
        if self.process.is_some() {
            self.stop().await?;
        }
        self.database.remove().await
    }

    /// The base address as executors are told: without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/xxl-job-admin", self.port)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Logs in as administrator.
    ///
    /// # Errors
    /// When the login fails.
    pub async fn console(&self) -> Result<Console> {
        Console::login(&self.url(), "admin", PASSWORD).await
    }
}

/// A command under construction that is handed on by value.
struct Owned(Command);

impl Owned {
    fn args<S: AsRef<std::ffi::OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.0.args(arguments);
        self
    }

    async fn output(mut self) -> Result<std::process::Output> {
        Ok(self.0.output().await?)
    }
}

/// Reads on until the start line and takes the port out of its `http://ADDRESS:PORT/xxl-job-admin`.
async fn listening(process: &mut Process) -> Option<u16> {
    while let Some(line) = process.next_line().await {
        if let Some(port) = port_in(&line) {
            return Some(port);
        }
    }
    None
}

fn port_in(line: &str) -> Option<u16> {
    let (_, from_scheme) = line.split_once("http://")?;
    let (authority, path) = from_scheme.split_once('/')?;
    let (_, port) = authority.rsplit_once(':')?;
    path.starts_with("xxl-job-admin").then(|| port.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::port_in;

    #[test]
    fn the_port_is_read_from_the_start_line() {
        assert_eq!(port_in("ready on http://127.0.0.1:41234/xxl-job-admin (pid 7)"), Some(41234));
        assert_eq!(port_in("INFO listening url=http://[::1]:8080/xxl-job-admin"), Some(8080));
        assert_eq!(port_in("see http://127.0.0.1:1/other"), None);
        assert_eq!(port_in("starting"), None);
    }
}
