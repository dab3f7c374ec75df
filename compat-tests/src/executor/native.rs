//! Executors that are processes of their own.
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use tokio::process::Command;

use super::Start;
use crate::paths;
use crate::process::Process;

/// How long a stop may take.
pub const STOP: Duration = Duration::from_secs(30);

/// Starts the Go executor.
pub fn go(work: &Path, start: Start<'_>, port: u16) -> Result<Process> {
    let mut command = Command::new(paths::executors()?.join("go/executor"));
    command.args([start.appname, &port.to_string(), start.admin, start.token]);
    if start.paged_log {
        command.arg("paged-log");
    }
    spawn(command, work, start.name)
}

/// Starts the Python executor.
pub fn python(work: &Path, start: Start<'_>, port: u16) -> Result<Process> {
    let mut command = Command::new(paths::executors()?.join("python/venv/bin/python"));
    command.arg(paths::package().join("executors/python/executor.py"));
    command.args([start.appname, &port.to_string(), start.admin, start.token]);
    spawn(command, work, start.name)
}

fn spawn(mut command: Command, work: &Path, name: &str) -> Result<Process> {
    let folder = work.join(name);
    std::fs::create_dir_all(&folder)?;
    command.current_dir(&folder);
    Process::spawn(command, &folder.join("executor.log"))
}
