//! Clients of the console that are processes of their own: started, fed, waited for.
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};
use tokio::time::timeout;

use crate::admin::{Admin, PASSWORD, TOKEN};
use crate::paths;
use crate::process::Process;

/// How long a client may take for one thing; the machine may be busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// The program `xxl` of the package xxl-admin-sh as one person uses it: its settings and cookies are kept in a home
/// folder.
pub struct Shell {
    home: PathBuf,
}

impl Shell {
    /// A new home folder below `work`, with the settings for an admin.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(work: &Path, admin: &Admin) -> Result<Self> {
        let home = work.join("xxl-admin-sh");
        std::fs::create_dir_all(home.join(".config"))?;
        // The program puts the context path before each path itself.
        let clusters = serde_json::json!({ "cn": format!("http://127.0.0.1:{}", admin.port()) });
        let user = serde_json::json!({ "username": "admin", "password": PASSWORD, "clusters": clusters });
        let settings = serde_json::json!({ "env_list": ["test"], "default_env": "test", "default_cluster": "cn",
            "credentials": { "test": user } });
        std::fs::write(home.join(".config/xxl.json"), settings.to_string())?;
        Ok(Self { home })
    }

    /// Opens the program, types one line, leaves, and gives what was on the screen.
    ///
    /// # Errors
    /// When the program cannot be started, does not end, or shows an exception.
    pub async fn type_line(&self, line: &str) -> Result<String> {
        let mut command = Command::new(paths::executors()?.join("xxl-admin-sh/venv/bin/xxl"));
        command.current_dir(&self.home).env("HOME", &self.home).env("TZ", "UTC").env("PYTHONUTF8", "1");
        // Wide enough for the tables; a colour would part the words.
        command.env("COLUMNS", "300").env("NO_COLOR", "1").env_remove("XDG_CONFIG_HOME");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("xxl does not start")?;
        let mut stdin = child.stdin.take().context("no input")?;
        stdin.write_all(format!("{line}\nexit\n").as_bytes()).await?;
        let output = timeout(PATIENCE, child.wait_with_output()).await.context("xxl does not end")??;
        drop(stdin);
        let screen = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{line}: {}: {screen}{errors}", output.status);
        ensure!(!screen.contains("异常"), "{line}: an exception: {screen}; see {}", self.home.display());
        Ok(screen)
    }

    /// The text of its cookie file.
    ///
    /// # Errors
    /// When it has none.
    pub fn cookies(&self) -> Result<String> {
        for entry in std::fs::read_dir(&self.home)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cookies") {
                return Ok(std::fs::read_to_string(path)?);
            }
        }
        anyhow::bail!("no cookie file in {}", self.home.display())
    }
}

/// A node of the Spring Boot application that registers its job by xxl-job-auto.
pub struct AutoNode {
    process: Process,
    stdin: ChildStdin,
    /// What it wrote.
    pub log: PathBuf,
}

impl AutoNode {
    /// Starts a node of a release of the application and waits until it is about to register.
    ///
    /// # Errors
    /// When it ends before that.
    pub async fn start(work: &Path, admin: &Admin, node: &AutoStart<'_>) -> Result<Self> {
        let folder = work.join(node.name);
        std::fs::create_dir_all(&folder)?;
        let auto = paths::executors()?.join("auto");
        let class_path = format!("{}:{}", auto.join(node.release).display(), auto.join("jars/*").display());
        let mut command = Command::new("java");
        command.args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp"]);
        command.arg(class_path).arg("compat.auto.Application").current_dir(&folder);
        command.arg("--xxl.job.enable=true").arg(format!("--xxl.job.admin.addresses={}", admin.url()));
        command.arg("--xxl.job.admin.username=admin").arg(format!("--xxl.job.admin.password={PASSWORD}"));
        command
            .arg(format!("--xxl.job.accessToken={TOKEN}"))
            .arg(format!("--xxl.job.executor.appname={}", node.appname));
        command.arg("--xxl.job.executor.title=auto").arg(format!("--compat.port={}", node.port));
        let log = folder.join("application.log");
        let mut process = Process::spawn(command, &log)?;
        let stdin = process.take_stdin().context("no input")?;
        let mut started = Self { process, stdin, log };
        started.read_until("waiting").await?;
        Ok(started)
    }

    async fn read_until(&mut self, wanted: &str) -> Result<()> {
        let read = async {
            while let Some(line) = self.process.next_line().await {
                if line.trim() == wanted {
                    return Ok(());
                }
            }
            anyhow::bail!("it ended before it was {wanted}, see {}", self.log.display())
        };
        timeout(PATIENCE, read).await.with_context(|| format!("not {wanted}, see {}", self.log.display()))?
    }

    /// Lets it register and waits until it has.
    ///
    /// # Errors
    /// When it ends instead.
    pub async fn register(&mut self) -> Result<()> {
        self.stdin.write_all(b"\n").await?;
        self.read_until("ready").await
    }

    /// Ends it in its own orderly way.
    ///
    /// # Errors
    /// When it does not end.
    pub async fn stop(self) -> Result<()> {
        drop(self.stdin);
        self.process.terminate(PATIENCE).await.map(drop)
    }
}

/// Which node of the application is to start.
#[derive(Clone, Copy, Debug)]
pub struct AutoStart<'a> {
    /// Name of its folder.
    pub name: &'a str,
    /// `release-1` or `release-2`, which differ in the schedule of the job.
    pub release: &'a str,
    /// Its group.
    pub appname: &'a str,
    /// Where it is called.
    pub port: u16,
}
