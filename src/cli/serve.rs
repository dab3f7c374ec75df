//! The command `serve`: run the admin until it is told to stop.

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use tokio::signal::unix::{SignalKind, signal};

use crate::app::App;
use crate::clock::SystemClock;
use crate::config::{Loaded, Profile, Settings, Source};
use crate::startup::{self, FirstPassword};
use crate::store::Store;
use crate::telemetry;

/// Exit status for what is wrong with the configuration or the surroundings at start.
const CANNOT_START: u8 = 2;

/// Settings that are understood and checked, but that nothing reads yet.
const WITHOUT_EFFECT: [&str; 1] = ["scheduler.partitioning"];

/// Runs the admin; gives the exit status.
pub async fn run(loaded: Loaded) -> u8 {
    let Loaded { settings, warnings, origins } = loaded;
    let _guard = match telemetry::init(&settings.logging, settings.audit_file.as_deref()) {
        Ok(guard) => guard,
        Err(error) => return refuse(&error),
    };
    // Before anything is counted.
    crate::metrics::recorder();
    for warning in &warnings {
        tracing::warn!("{warning}");
    }
    for origin in origins.iter().filter(|origin| origin.source != Source::Default) {
        if WITHOUT_EFFECT.contains(&origin.key.as_str()) {
            tracing::warn!("{} is set ({}), but has no effect in this version", origin.key, origin.source);
        }
    }
    raise_open_files();
    match Box::pin(start(settings)).await {
        Ok(()) => 0,
        Err(error) => refuse(error.as_ref()),
    }
}

fn refuse(error: &(dyn std::error::Error + 'static)) -> u8 {
    tracing::error!("the admin cannot start: {error}");
    eprintln!("xxl-job-admin cannot start: {error}");
    CANNOT_START
}

async fn start(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    require_safe_token(&settings)?;
    let first = startup::prepare_embedded(&settings).await?;
    let store = startup::open_store(&settings).await?;
    let profile = Profile::resolve(&settings, store.schema().generation.release());
    for note in profile.notes(&settings) {
        tracing::warn!("{note}");
    }
    if let Some(warning) = startup::last_day_warning(&store).await? {
        tracing::warn!("{warning}");
    }
    tell(&store, &profile, &settings);
    let context_path = settings.server.context_path.clone();
    let embedded = settings.database.embedded;
    let app = App::build(settings, store, Arc::new(SystemClock)).await?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    greet(&app, &context_path, embedded, first.as_ref());
    app.run_until(async move {
        tokio::select! {
            _ = terminate.recv() => tracing::info!("SIGTERM: stopping; a second signal stops at once"),
            _ = interrupt.recv() => tracing::info!("SIGINT: stopping; a second signal stops at once"),
        }
        tokio::spawn(async move {
            tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
            tracing::error!("a second signal: stopping at once");
            std::process::exit(1);
        });
    })
    .await?;
    Ok(())
}

fn tell(store: &Store, profile: &Profile, settings: &Settings) {
    let schema = store.schema();
    tracing::info!(
        database = store.dialect().name(),
        tables = schema.generation.releases(),
        release = profile.release.as_str(),
        zone = settings.zone.name(),
        column_zone = store.column_zone().name(),
        "the database is open"
    );
}

/// The lines that a person at the terminal looks for.
fn greet(app: &App, context_path: &str, embedded: bool, first: Option<&FirstPassword>) {
    let address = app.address();
    let shown =
        if address.ip().is_unspecified() { format!("127.0.0.1:{}", address.port()) } else { address.to_string() };
    println!("xxl-job-admin {} is ready: http://{shown}{context_path}", env!("CARGO_PKG_VERSION"));
    if address.ip().is_unspecified() {
        println!("It listens on all addresses: {address}");
    }
    if embedded {
        println!("It uses an embedded database and listens on {address}; for all addresses: --server.address=0.0.0.0");
    }
    match first {
        Some(FirstPassword { password: Some(password), file }) => {
            println!("Login: admin / {password} (kept in {} until it is changed)", file.display());
        }
        Some(FirstPassword { password: None, file }) => {
            println!("Login: admin, password in {}", file.display());
        }
        None => {}
    }
}

/// The default token is known to everybody, and an empty one is none: the configuration warns of both, and here the start
/// is refused where that is wished.
fn require_safe_token(settings: &Settings) -> Result<(), Box<dyn std::error::Error>> {
    let token = settings.job.access_token.expose_secret();
    let what = match token {
        "" => "is empty: executors are not asked for a token",
        "default_token" => "is the default that everybody knows",
        _ => return Ok(()),
    };
    let loopback = settings.server.address.map_or(settings.database.embedded, |address| address.is_loopback());
    if settings.security.require_safe_token && !loopback {
        return Err(format!("xxl.job.accessToken {what}, and security.require-safe-token forbids that").into());
    }
    Ok(())
}

/// Calls to executors need a socket each, so the soft limit of open files goes up to the hard one.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!("the limit of open files could not be raised: {error}");
    }
}
