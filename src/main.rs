//! The program: read the start line, hand over to the library, end with its exit status.

use std::io::{self, Write as _};
use std::process::ExitCode;

use xxl_job_admin::cli::{self, Action};
use xxl_job_admin::clock::{Clock as _, SystemClock};
use xxl_job_admin::config::{self, CronFlavour, Loaded};

fn main() -> ExitCode {
    let working_dir = std::env::current_dir().unwrap_or_default();
    let args = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let env = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let command = match cli::parse(args, env, working_dir) {
        Ok(command) => command,
        Err(usage) => {
            // Whoever closed our output does not want to hear of it.
            let _ = if usage.status == 0 {
                io::stdout().write_all(usage.text.as_bytes())
            } else {
                io::stderr().write_all(usage.text.as_bytes())
            };
            return ExitCode::from(usage.status);
        }
    };
    let loaded = match config::load(&command.invocation) {
        Ok(loaded) => loaded,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("cannot start: {error}");
            return ExitCode::from(1);
        }
    };
    ExitCode::from(runtime.block_on(run(command.action, loaded)))
}

async fn run(action: Action, loaded: Loaded) -> u8 {
    let (mut out, mut err) = (io::stdout(), io::stderr());
    match action {
        Action::Serve => Box::pin(cli::serve::run(loaded)).await,
        Action::Check => cli::tables::check(&loaded, &mut out).await,
        Action::InitDb(options) => cli::tables::init_db(&loaded.settings, &options, &mut out, &mut err).await,
        Action::AddIndexes => cli::tables::add_indexes(&loaded.settings, &mut out, &mut err).await,
        Action::DropIndexes => cli::tables::drop_indexes(&loaded.settings, &mut out, &mut err).await,
        Action::Password(options) => {
            cli::tables::set_password(&loaded.settings, &options, io::stdin().lock(), &mut out, &mut err).await
        }
        Action::Token(options) => cli::token::run(&options, &mut out, &mut err),
        Action::Next(args) => {
            let defaults = cli::next::NextDefaults {
                zone: loaded.settings.zone.clone(),
                flavour: loaded.settings.compat.cron.unwrap_or(CronFlavour::V2_4),
                now_ms: SystemClock.now_ms(),
            };
            let resolve = |name: &str| config::parse_zone(name).ok();
            cli::next::run(&args, &defaults, &resolve, io::stdin().lock(), &mut out, &mut err)
        }
    }
}
