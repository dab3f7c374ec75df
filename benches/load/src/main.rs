//! Puts load on an admin and measures what comes of it.
//!
//! `load drive` is the whole: it makes a database, starts the admin, seeds jobs, plays their executor, and reports how
//! many fires came, how late, how often twice, what they cost. `load executor` and `load seed` are its parts, for
//! admins that run elsewhere; `load self-test` measures the executor itself.

mod admin;
mod arrivals;
mod callback;
mod client;
mod clock;
mod console;
mod database;
mod executor;
mod fill;
mod mariadb;
mod plan;
mod process;
mod report;
mod request;
mod scenario;
mod seed;
mod self_test;
mod server;
mod statistics;

use std::process::ExitCode;

use clap::Parser;

/// Puts load on an xxl-job admin and measures what comes of it.
#[derive(Debug, Parser)]
#[command(name = "load")]
enum Command {
    /// Plays executors that answer at once and call back.
    Executor(executor::Arguments),
    /// Puts a group and jobs into a database.
    Seed(seed::Arguments),
    /// Fills the log of a database with the runs of a long past.
    Fill(fill::Arguments),
    /// Does a whole run against an admin and reports. Exit status: 0 all demands met, 1 not all, 2 could not be run.
    Drive(Box<scenario::Arguments>),
    /// Measures the load executor by itself.
    SelfTest(self_test::Arguments),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Executor(arguments) => executor::run(arguments).await.map(|()| true),
        Command::Seed(arguments) => seed::run(arguments).await.map(|()| true),
        Command::Fill(arguments) => fill::run(arguments).await.map(|()| true),
        // Dropping a run ends its processes and deletes its folders.
        Command::Drive(arguments) => tokio::select! {
            outcome = scenario::run(&arguments) => outcome,
            () = executor::terminated() => Err(anyhow::anyhow!("interrupted")),
        },
        Command::SelfTest(arguments) => self_test::run(arguments).await,
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}
