//! Executors that are processes of their own.
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tokio::net::TcpStream;
use tokio::process::Command;

use super::Start;
use crate::eventually::eventually;
use crate::paths;
use crate::process::Process;

/// How long a start may take.
const START: Duration = Duration::from_mins(1);
/// How long a stop may take.
pub const STOP: Duration = Duration::from_secs(30);

/// Starts the Go executor.
pub async fn go(work: &Path, start: Start<'_>, port: u16) -> Result<Process> {
    let mut command = Command::new(paths::executors()?.join("go/executor"));
    command.args([start.appname, &port.to_string(), start.admin, start.token]);
    if start.paged_log {
        command.arg("paged-log");
    }
    spawn(command, work, start.name, port).await
}

/// Starts the Python executor.
pub async fn python(work: &Path, start: Start<'_>, port: u16) -> Result<Process> {
    let mut command = Command::new(paths::executors()?.join("python/venv/bin/python"));
    command.arg(paths::package().join("executors/python/executor.py"));
    command.args([start.appname, &port.to_string(), start.admin, start.token]);
    spawn(command, work, start.name, port).await
}

async fn spawn(mut command: Command, work: &Path, name: &str, port: u16) -> Result<Process> {
    let folder = work.join(name);
    std::fs::create_dir_all(&folder)?;
    command.current_dir(&folder);
    let process = Process::spawn(command, &folder.join("executor.log"))?;
    let look = async || Ok(TcpStream::connect(("127.0.0.1", port)).await.map(drop)?);
    eventually(name, START, look).await?;
    Ok(process)
}
