//! Real executors: which there are, how one is started and stopped.
mod java;
mod native;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};

pub use java::Launcher;

use crate::port;
use crate::process::Process;

/// What an executor is written with; decides what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// xxl-job-core 2.2.0, whose callbacks nest the result.
    Java22,
    /// xxl-job-core 2.3.0 and later.
    Java,
    /// pyxxl.
    Python,
    /// xxl-job-executor-go.
    Go,
}

/// One executor of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The name in the report.
    pub name: &'static str,
    /// Its release.
    pub version: &'static str,
    /// What it is written with.
    pub family: Family,
}

/// All executors of the suite.
pub const LINES: [Line; 10] = [
    Line { name: "java-2.2.0", version: "2.2.0", family: Family::Java22 },
    Line { name: "java-2.3.1", version: "2.3.1", family: Family::Java },
    Line { name: "java-2.4.2", version: "2.4.2", family: Family::Java },
    Line { name: "java-2.5.0", version: "2.5.0", family: Family::Java },
    Line { name: "java-3.0.0", version: "3.0.0", family: Family::Java },
    Line { name: "java-3.1.1", version: "3.1.1", family: Family::Java },
    Line { name: "java-3.2.0", version: "3.2.0", family: Family::Java },
    Line { name: "java-3.3.2", version: "3.3.2", family: Family::Java },
    Line { name: "pyxxl-0.4.8", version: "0.4.8", family: Family::Python },
    Line { name: "go-1.2.0", version: "1.2.0", family: Family::Go },
];

impl Line {
    /// Does it run scripts that the admin hands out?
    pub fn runs_scripts(self) -> bool {
        matches!(self.family, Family::Java22 | Family::Java)
    }

    /// The address that it registers for a port.
    fn address(self, port: u16) -> String {
        let slash = if self.runs_scripts() { "/" } else { "" };
        format!("http://127.0.0.1:{port}{slash}")
    }
}

/// How [`Node::start`] is to start an executor.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Unique in the run.
    pub name: &'a str,
    /// The group it registers for.
    pub appname: &'a str,
    /// The admin's base address.
    pub admin: &'a str,
    /// The token it sends and demands.
    pub token: &'a str,
    /// Only Go: serve real logs, in pages, instead of the library's stand-in text.
    pub paged_log: bool,
}

/// A running executor.
pub struct Node {
    /// As it registers itself.
    pub address: String,
    running: Running,
}

enum Running {
    Java { launcher: Arc<Launcher>, name: String },
    Native(Box<Process>),
}

impl Node {
    /// Starts an executor on a free port and waits until it can be called; `work` gets a folder with what it leaves behind.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn start(line: Line, launcher: &Arc<Launcher>, work: &Path, start: Start<'_>) -> Result<Self> {
        let port = port::free()?;
        let running = match line.family {
            Family::Java22 | Family::Java => {
                launcher.start(start, line.version, port).await?;
                Running::Java { launcher: Arc::clone(launcher), name: start.name.to_owned() }
            }
            Family::Python => Running::Native(Box::new(native::python(work, start, port).await?)),
            Family::Go => Running::Native(Box::new(native::go(work, start, port).await?)),
        };
        Ok(Self { address: line.address(port), running })
    }

    /// Shuts the executor down in its own orderly way.
    ///
    /// # Errors
    /// When it does not end in time.
    pub async fn stop(self) -> Result<()> {
        match self.running {
            Running::Java { launcher, name } => launcher.stop(&name).await,
            Running::Native(process) => {
                process.terminate(native::STOP).await.context(self.address)?;
                Ok(())
            }
        }
    }
}
