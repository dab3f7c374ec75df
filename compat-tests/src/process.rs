//! Child processes whose output is kept in a file and whose end is asked for politely.
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// A running child; killed when dropped.
pub struct Process {
    child: Child,
    /// The child's standard input; as long as it is open the child knows that we live.
    stdin: Option<ChildStdin>,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Process {
    /// Starts `command`; its standard output and error are appended to the file `log`, the former also handed out line
    /// by line.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn spawn(mut command: Command, log: &Path) -> Result<Self> {
        let stderr = std::fs::File::options().create(true).append(true).open(log)?;
        let mut copy = tokio::fs::File::from_std(stderr.try_clone()?);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", command.as_std().get_program().display()))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("the child has no output")?;
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut output = BufReader::new(stdout).lines();
            while let Ok(Some(line)) = output.next_line().await {
                let kept = copy.write_all(format!("{line}\n").as_bytes()).await;
                // The reader may have gone; the file still wants the rest.
                let _ = sender.send(line);
                if kept.is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, stdin, lines })
    }

    /// Takes the standard input.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The next line of standard output; `None` at its end.
    pub async fn next_line(&mut self) -> Option<String> {
        self.lines.recv().await
    }

    /// From now on nobody wants the lines; they still go to the file.
    pub fn ignore_lines(&mut self) {
        self.lines.close();
    }

    /// Asks the child to end (SIGTERM) and waits for it.
    ///
    /// # Errors
    /// When it has not ended within `patience`.
    pub async fn terminate(mut self, patience: Duration) -> Result<ExitStatus> {
        if let Some(id) = self.child.id() {
            let pid = rustix::process::Pid::from_raw(i32::try_from(id)?).context("no process id")?;
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        }
        Ok(timeout(patience, self.child.wait()).await.context("the process did not end when asked to")??)
    }
}
