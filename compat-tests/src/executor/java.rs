//! The JVM that hosts the Java executors, obeying lines (see `executors/java/launcher`).
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Start;
use crate::paths;
use crate::process::Process;

/// How long a command may take; an executor that has run a job waits 5 s at its end from 3.3.2 on.
const ANSWER: Duration = Duration::from_mins(1);

type Waiting = Mutex<HashMap<String, oneshot::Sender<Result<()>>>>;

/// The JVM; ends with the value, because its standard input does.
pub struct Launcher {
    commands: tokio::sync::Mutex<ChildStdin>,
    waiting: Arc<Waiting>,
}

impl Launcher {
    /// Starts the JVM in a folder of its own below `work`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn(work: &Path) -> Result<Self> {
        let folder = work.join("java");
        std::fs::create_dir_all(&folder)?;
        let java = paths::executors()?.join("java");
        let mut command = Command::new("java");
        command.args(["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
        // Executors of 2.2.0 read answers in the platform's charset.
        command.arg("-Dfile.encoding=UTF-8");
        // Some thirty copies of netty, each with pools of its own, would use up the memory outside the heap; releases to
        // 2.4 then leave a call without any answer.
        command.args(["-Dio.netty.allocator.type=unpooled", "-XX:MaxDirectMemorySize=1g", "-cp"]);
        command.arg(java.join("launcher")).arg("Launcher").arg(&java).current_dir(&folder);
        let mut process = Process::spawn(command, &folder.join("jvm.log"))?;
        let commands = tokio::sync::Mutex::new(process.take_stdin().context("the JVM has no input")?);
        let waiting = Arc::new(Waiting::default());
        tokio::spawn(deliver(process, Arc::clone(&waiting)));
        Ok(Self { commands, waiting })
    }

    /// Starts an executor and waits until it can be called.
    pub async fn start(&self, start: Start<'_>, version: &str, port: u16) -> Result<()> {
        let Start { name, appname, admin, token, .. } = start;
        self.obey(name, &format!("start {name} {version} {appname} {port} {admin} {token}\n")).await
    }

    /// Stops an executor and waits until it has ended.
    pub async fn stop(&self, name: &str) -> Result<()> {
        self.obey(name, &format!("stop {name}\n")).await
    }

    async fn obey(&self, name: &str, command: &str) -> Result<()> {
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), sender);
        self.commands.lock().await.write_all(command.as_bytes()).await.context("the JVM has ended")?;
        timeout(ANSWER, answer)
            .await
            .with_context(|| format!("no answer to: {command}"))?
            .context("the JVM has ended")?
    }
}

/// Hands the JVM's answers to those who wait for them.
async fn deliver(mut process: Process, waiting: Arc<Waiting>) {
    while let Some(line) = process.next_line().await {
        let mut words = line.splitn(3, ' ');
        let (Some(verb), Some(name)) = (words.next(), words.next()) else { continue };
        let answer = match verb {
            "started" | "stopped" => Ok(()),
            _ => Err(anyhow!("{line}")),
        };
        let waiter = waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        if let Some(waiter) = waiter {
            // Whoever has given up waiting does not want the answer any more.
            let _ = waiter.send(answer);
        }
    }
    waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
