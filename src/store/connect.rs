//! From settings to pools.

use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions, MySqlSslMode};
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection as _};

use super::db::{Db, Pool};
use super::error::{Error, Result};
use crate::config::settings::{Database, DatabaseTls, DatabaseUrl, ServerUrl};

/// Connections of the pool that the schedule loop has for itself, so that no console load can starve it.
const SCAN_CONNECTIONS: u32 = 2;

/// The pools of the program.
pub(super) struct Pools {
    /// For everything but the schedule loop.
    pub main: Db,
    /// For the schedule loop alone.
    pub scan: Db,
}

/// Connects, trying the hosts in their order.
pub(super) async fn connect(settings: &Database) -> Result<Pools> {
    match &settings.url {
        DatabaseUrl::MySql(url) => connect_mysql(settings, url).await,
        DatabaseUrl::Postgres(url) => connect_postgres(settings, url).await,
        DatabaseUrl::Sqlite(_) => connect_sqlite(settings).await,
    }
}

fn sized<DB: sqlx::Database>(options: PoolOptions<DB>, settings: &Database, max: u32) -> PoolOptions<DB> {
    options
        .max_connections(max)
        .min_connections(settings.min_idle.min(max))
        .acquire_timeout(settings.connection_timeout)
        .max_lifetime(settings.max_lifetime)
        .idle_timeout(settings.idle_timeout)
        .test_before_acquire(true)
}

/// Makes one connection, so that what is in the way is told in the server's or the network's own words and at once: a
/// pool would go on trying and then speak of itself. Bounded by the URL's connectTimeout.
async fn first<O>(settings: &Database, url: &ServerUrl, options: &O, host: &str, port: u16) -> Result<()>
where
    O: ConnectOptions,
    O::Connection: Sized,
{
    let limit = url.connect_timeout.unwrap_or(settings.connection_timeout);
    let connect = async { options.connect().await?.close().await };
    match tokio::time::timeout(limit, connect).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(match Error::from(error) {
            Error::Unavailable(why) => Error::Unavailable(format!("{host}:{port}: {why}")),
            other => other,
        }),
        Err(_) => Err(Error::Unavailable(format!("{host}:{port}: no connection within {} s", limit.as_secs_f32()))),
    }
}

async fn connect_mysql(settings: &Database, url: &ServerUrl) -> Result<Pools> {
    let mut last = Error::Unavailable("the database URL names no host".into());
    for (host, port) in &url.hosts {
        let options = mysql_options(settings, url, host, *port);
        let max = settings.max_connections.max(2);
        match first(settings, url, &options, host, *port).await {
            Ok(()) => {
                let main = sized(MySqlPoolOptions::new(), settings, max).connect_lazy_with(options.clone());
                let scan = sized(MySqlPoolOptions::new(), settings, SCAN_CONNECTIONS)
                    .min_connections(0)
                    .connect_lazy_with(options);
                let db = |pool| Db::new(Pool::MySql(pool), url.socket_timeout);
                return Ok(Pools { main: db(main), scan: db(scan) });
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn mysql_options(settings: &Database, url: &ServerUrl, host: &str, port: u16) -> MySqlConnectOptions {
    let mut options = MySqlConnectOptions::new()
        .host(host)
        .port(port)
        .database(&url.database)
        .charset("utf8mb4")
        // The session keeps the server's SQL mode: the tables may rely on it, as a Java admin beside us does.
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        // Values stand in its statements; slow ones are told without them.
        .disable_statement_logging()
        .ssl_mode(match url.tls {
            DatabaseTls::Disabled => MySqlSslMode::Disabled,
            DatabaseTls::Preferred => MySqlSslMode::Preferred,
            DatabaseTls::Required => MySqlSslMode::Required,
            DatabaseTls::VerifyCa => MySqlSslMode::VerifyCa,
            DatabaseTls::VerifyIdentity => MySqlSslMode::VerifyIdentity,
        });
    if let Some(file) = &url.root_certificate {
        options = options.ssl_ca(file);
    }
    if let Some(name) = &settings.username {
        options = options.username(name);
    }
    if let Some(password) = &settings.password {
        options = options.password(password.expose_secret());
    }
    options
}

async fn connect_postgres(settings: &Database, url: &ServerUrl) -> Result<Pools> {
    let mut last = Error::Unavailable("the database URL names no host".into());
    for (host, port) in &url.hosts {
        let options = postgres_options(settings, url, host, *port);
        let max = settings.max_connections.max(2);
        match first(settings, url, &options, host, *port).await {
            Ok(()) => {
                let main = sized(PgPoolOptions::new(), settings, max).connect_lazy_with(options.clone());
                let scan = sized(PgPoolOptions::new(), settings, SCAN_CONNECTIONS)
                    .min_connections(0)
                    .connect_lazy_with(options);
                let db = |pool| Db::new(Pool::Postgres(pool), url.socket_timeout);
                return Ok(Pools { main: db(main), scan: db(scan) });
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn postgres_options(settings: &Database, url: &ServerUrl, host: &str, port: u16) -> PgConnectOptions {
    let mut options = PgConnectOptions::new()
        .host(host)
        .port(port)
        .database(&url.database)
        .application_name("xxl-job-admin")
        .ssl_mode(match url.tls {
            DatabaseTls::Disabled => PgSslMode::Disable,
            DatabaseTls::Preferred => PgSslMode::Prefer,
            DatabaseTls::Required => PgSslMode::Require,
            DatabaseTls::VerifyCa => PgSslMode::VerifyCa,
            DatabaseTls::VerifyIdentity => PgSslMode::VerifyFull,
        });
    if let Some(file) = &url.root_certificate {
        options = options.ssl_root_cert(file);
    }
    if let Some(name) = &settings.username {
        options = options.username(name);
    }
    if let Some(password) = &settings.password {
        options = options.password(password.expose_secret());
    }
    options
}

async fn connect_sqlite(settings: &Database) -> Result<Pools> {
    let DatabaseUrl::Sqlite(path) = &settings.url else {
        return Err(Error::Schema("not a SQLite database".into()));
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| Error::Unavailable(format!("cannot make the folder {}: {error}", folder.display())))?;
    }
    private(path).map_err(|error| Error::Unavailable(format!("cannot make {}: {error}", path.display())))?;
    let options = SqliteConnectOptions::from_str("sqlite:")
        .map_err(Error::from)?
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10));
    let write = sized(SqlitePoolOptions::new(), settings, 1)
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_with(options.clone())
        .await?;
    let read = sized(SqlitePoolOptions::new(), settings, settings.max_connections.clamp(1, 8))
        .min_connections(0)
        .connect_lazy_with(options.optimize_on_close(true, None));
    let db = Db::new(Pool::Sqlite { read, write }, None);
    Ok(Pools { main: db.clone(), scan: db })
}

/// Makes the file if it is missing, for its owner alone: it holds logins and password hashes.
fn private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
