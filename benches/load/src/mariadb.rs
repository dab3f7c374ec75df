//! A private MariaDB server in a temporary folder, as durable as in production: every commit is flushed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::database::Location;
use crate::process;

/// Time allowed for a start or a stop.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server. It ends and its folder goes when this is dropped.
pub struct MariaDb {
    folder: TempDir,
    port: u16,
    child: Child,
    is_large: bool,
}

impl MariaDb {
    /// Installs and starts a server with an empty database `xxl_job`; a large one has 512 MiB for its pages.
    ///
    /// # Errors
    /// When MariaDB is not installed or does not start.
    pub async fn start(is_large: bool) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("load-mariadb-").tempdir()?;
        let installed = Command::new(program("mariadb-install-db")?)
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(format!("--datadir={}", folder.path().join("data").display()))
            .args(as_root())
            .output()
            .await?;
        ensure!(installed.status.success(), "mariadb-install-db: {}", String::from_utf8_lossy(&installed.stderr));
        let port = crate::admin::free_port()?;
        let child = spawn(folder.path(), port, is_large)?;
        let mut server = Self { folder, port, child, is_large };
        server.answers().await?;
        let mut root = server.location("mysql").connect().await?;
        root.statement("CREATE DATABASE xxl_job CHARACTER SET utf8mb4").await?;
        Ok(server)
    }

    /// Where the database `xxl_job` is.
    pub fn job_database(&self) -> Location {
        self.location("xxl_job")
    }

    fn location(&self, database: &str) -> Location {
        Location::mysql("root", self.port, database)
    }

    /// Process id, as long as it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until the server accepts statements.
    ///
    /// # Errors
    /// When it has ended or does not within a minute.
    pub async fn answers(&mut self) -> Result<()> {
        let tries = async {
            loop {
                if let Some(status) = self.child.try_wait()? {
                    let log = std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
                    bail!("mariadbd ended with {status}: {}", crate::admin::last_lines(&log));
                }
                if self.location("mysql").connect().await.is_ok() {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, tries).await.context("mariadbd does not answer")?
    }

    /// Freezes the server: connections stay open, nothing answers.
    ///
    /// # Errors
    /// When it does not run.
    pub fn freeze(&self) -> Result<()> {
        process::signal(self.pid().context("mariadbd has ended")?, Signal::STOP)
    }

    /// Kills the server without warning.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Starts the server again on the same files and port.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn restart(&mut self) -> Result<()> {
        self.child = spawn(self.folder.path(), self.port, self.is_large)?;
        self.answers().await
    }
}

impl Drop for MariaDb {
    /// Waits until the killed server is gone: it must not write into the folder that is deleted next.
    fn drop(&mut self) {
        self.child.start_kill().ok();
        let deadline = Instant::now() + Duration::from_secs(2);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn spawn(folder: &Path, port: u16, is_large: bool) -> Result<Child> {
    let log = File::create(folder.join("server.log"))?;
    let child = Command::new(program("mariadbd")?)
        .arg("--no-defaults")
        .arg(format!("--datadir={}", folder.join("data").display()))
        .arg(format!("--socket={}", folder.join("s").display()))
        .arg(format!("--port={port}"))
        .args(["--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin"])
        .args(["--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=1", "--max-connections=200"])
        .args(is_large.then_some("--innodb-buffer-pool-size=512M"))
        .args(is_large.then_some("--innodb-log-file-size=512M"))
        .args(as_root())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true)
        .spawn()?;
    Ok(child)
}

/// MariaDB refuses to run as root unless told so.
fn as_root() -> Option<&'static str> {
    rustix::process::geteuid().is_root().then_some("--user=root")
}

/// Looks a program up where servers are installed too.
fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/usr/local/sbin", "/usr/bin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .with_context(|| format!("{name} not found: install MariaDB, or give --database-url"))
}
