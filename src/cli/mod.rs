//! The command line: the commands of this program beside the start line of a Java admin.
//!
//! What [`Arguments`] leaves of the words is ours and goes to clap; `--key=value`, `-D…` and JVM flags never reach it.
//! Exit status: 0 good, 1 failed, 2 configuration or usage.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use secrecy::{ExposeSecret, SecretString};

use crate::config::arguments::Arguments;
use crate::config::{Invocation, Source, default_of, keys};

pub mod check;
pub mod next;
pub mod serve;
pub mod tables;

/// What the program was asked to do.
#[derive(Debug, Clone)]
pub struct Command {
    /// The command.
    pub action: Action,
    /// What the configuration is read from.
    pub invocation: Invocation,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Action {
    /// Run the admin (default)
    Serve,
    /// Read and check everything, connect, and say what was found; change nothing
    Check,
    /// Fire times of a cron expression
    Next(next::NextArgs),
    /// Make the eight tables and their first rows in an empty database
    InitDb(InitDb),
    /// Make the additional indexes that are missing, while admins run
    AddIndexes,
    /// Remove the additional indexes, while admins run
    DropIndexes,
    /// Set the password of a user and end the user's logins
    Password(Password),
}

/// Options of `init-db`.
#[derive(Debug, Clone, Args)]
pub struct InitDb {
    /// Password of the administrator, 4 to 20 characters [default: random, printed once]
    #[arg(long, value_name = "P", value_parser = secret)]
    pub admin_password: Option<SecretString>,
    /// Make the additional indexes as well
    #[arg(long)]
    pub with_indexes: bool,
}

/// Options of `password`.
#[derive(Debug, Clone, Args)]
pub struct Password {
    /// Name of the user
    pub user: String,
    /// Read the password from standard input [default: random, printed once]
    #[arg(long)]
    pub stdin: bool,
}

/// What cannot be understood, or the help that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct UsageError {
    /// What to print: on standard output when the status is 0, else on standard error.
    pub text: String,
    /// Exit status.
    pub status: u8,
}

#[derive(Debug, Parser)]
#[command(name = "xxl-job-admin", version, about = "Schedules jobs: a drop-in replacement for the Java xxl-job admin")]
struct Line {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    flags: Flags,
}

/// Flags that count for every command. They are read by the configuration; here they are only allowed.
#[derive(Debug, Args)]
struct Flags {
    /// Configuration file [default: xxl-job-admin.toml, if it exists]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How long a stop waits for queue and open calls
    #[arg(long, global = true, value_name = "TIME")]
    drain_timeout: Option<String>,
    /// How long a start waits for the database
    #[arg(long, global = true, value_name = "TIME")]
    startup_timeout: Option<String>,
}

/// Reads the words of the start line, the program's name not among them.
///
/// # Errors
/// What cannot be understood (status 2), or the help or version that was asked for (status 0).
pub fn parse(args: Vec<String>, env: BTreeMap<String, String>, working_dir: PathBuf) -> Result<Command, UsageError> {
    let ours = Arguments::split(&args, &Source::CommandLine).rest;
    let words = std::iter::once("xxl-job-admin".to_owned()).chain(ours);
    let asks_for_all = words.clone().any(|word| word == "--help");
    let mut command = Line::command();
    if asks_for_all {
        command = command.after_long_help(all_keys());
    }
    let line = command
        .try_get_matches_from_mut(words)
        .and_then(|matches| Line::from_arg_matches(&matches))
        .map_err(|error| usage(&error))?;
    let action = line.action.unwrap_or(Action::Serve);
    if let Action::InitDb(InitDb { admin_password: Some(password), .. }) = &action
        && !(4..=20).contains(&password.expose_secret().chars().count())
    {
        let text = "error: --admin-password must have 4 to 20 characters\n".to_owned();
        return Err(UsageError { text, status: 2 });
    }
    Ok(Command { action, invocation: Invocation { args, env, working_dir } })
}

#[expect(clippy::unnecessary_wraps, reason = "the form that clap demands of a parser")]
fn secret(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(text.into())
}

fn usage(error: &clap::Error) -> UsageError {
    let mut text = error.render().to_string();
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg)
        && error.get(ContextKind::SuggestedArg).is_none()
    {
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\nThe nearest known key is --{}=VALUE.", keys::nearest(name).0);
    }
    UsageError { text, status: u8::try_from(error.exit_code()).unwrap_or(2) }
}

/// Every key, for `--help`.
fn all_keys() -> String {
    let mut text = String::from(
        "Settings, as --key=value (also -Dkey=value, in the environment, in application.properties and \
         xxl-job-admin.toml):\n",
    );
    for key in keys::all().filter(|key| key.name != "api-token") {
        let default = default_of(key).unwrap_or_else(|| key.unset.replace('`', ""));
        let name = if key.name.contains("_HOME") || key.name == "TZ" { "-D" } else { "--" };
        let name = format!("{name}{}", if key.name == "TZ" { "user.timezone" } else { key.name });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name}\n          {} [default: {default}]", key.meaning.replace('`', ""));
    }
    text.push_str("\nFlags of a JVM (-Xmx…, -jar FILE) are accepted and ignored.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, UsageError> {
        let args = line.split_whitespace().map(str::to_owned).collect();
        parse(args, BTreeMap::new(), "/".into())
    }

    fn action(line: &str) -> Action {
        read(line).unwrap_or_else(|e| panic!("{line}: {e}")).action
    }

    #[test]
    fn without_a_command_the_admin_runs() {
        for line in [
            "",
            "serve",
            "--server.port=1 -Xmx1g -jar x.jar",
            "--config a.toml --drain-timeout 5s",
            "serve --startup-timeout=0 --spring.a.b=c",
            "-Dserver.port=1 serve --add-opens java.base/java.lang=ALL-UNNAMED",
        ] {
            assert!(matches!(action(line), Action::Serve), "{line}");
        }
        let command = read("check --server.port=1").expect("a command");
        assert!(matches!(command.action, Action::Check));
        assert_eq!(command.invocation.args, ["check", "--server.port=1"]);
    }

    #[test]
    fn the_commands_and_their_options() {
        let Action::InitDb(init) = action("init-db --admin-password=s3cret --with-indexes --config a.toml") else {
            panic!("another command")
        };
        assert!(init.with_indexes);
        assert_eq!(init.admin_password.as_ref().map(ExposeSecret::expose_secret), Some("s3cret"));
        assert!(!format!("{init:?}").contains("s3cret"));
        let Action::Password(password) = action("password admin --stdin") else { panic!("another command") };
        assert_eq!((password.user.as_str(), password.stdin), ("admin", true));
        let args = ["next", "0 0 8 * * ?", "--zone", "PRC", "--from=-5", "--count=2", "--compat.cron=3.4"];
        let command = parse(args.map(str::to_owned).to_vec(), BTreeMap::new(), "/".into()).expect("a command");
        let Action::Next(next) = command.action else { panic!("another command") };
        assert_eq!(next.expr.as_deref(), Some("0 0 8 * * ?"));
        assert_eq!((next.zone.as_deref(), next.from, next.count), (Some("PRC"), Some(-5), 2));
    }

    #[test]
    fn what_is_wrong_has_status_2_and_names_what_is_near() {
        for (line, hint) in [
            ("--prot=1", "--server.port"),
            ("--server-port=1", "--server.port"),
            ("--drian-timeout=1", "--drain-timeout"),
            ("serv", "serve"),
            ("init-db --admin-password=abc", "4 to 20"),
            ("password", "<USER>"),
            ("--config", "--config"),
        ] {
            let error = read(line).expect_err(line);
            assert_eq!(error.status, 2, "{line}");
            assert!(error.text.contains(hint), "{line}: {error}");
        }
        let error = read("init-db --admin-password=s3").expect_err("too short");
        assert!(!error.text.contains("s3"));
    }

    #[test]
    fn help_names_commands_flags_and_every_key() {
        let help = read("--help").expect_err("help");
        assert_eq!(help.status, 0);
        for word in [
            "serve",
            "check",
            "next",
            "init-db",
            "add-indexes",
            "drop-indexes",
            "password",
            "--config",
            "--drain-timeout",
            "--version",
        ] {
            assert!(help.text.contains(word), "{word}");
        }
        for key in keys::all().filter(|key| !["TZ", "api-token"].contains(&key.name)) {
            assert!(help.text.contains(key.name), "{}", key.name);
        }
        let version = read("--version").expect_err("version");
        assert_eq!((version.status, version.text.trim()), (0, concat!("xxl-job-admin ", env!("CARGO_PKG_VERSION"))));
    }
}
