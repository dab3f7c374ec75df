//! Databases for one test each: made fresh, of any engine and generation, and dropped when the test ends, also by a panic.
//!
//! A test asks for [`TestDb::create`]. SQLite is always there. The servers of the other two are named by `TEST_MYSQL_URL`
//! and `TEST_POSTGRES_URL`, such as `mysql://root@127.0.0.1:3306`; without one the test is skipped by hand, which is said on
//! stderr, and fails where databases are demanded (`CI` or `REQUIRE_DATABASES` set). What a killed run leaves behind has a
//! name of its own and is in nobody's way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, io::Write as _, process, thread};

use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _, SqlSafeStr as _};
use sqlx::{MySqlConnection, PgConnection, SqliteConnection};
use tempfile::TempDir;

use super::participants;
use super::schema::{Generation, split};

/// A database system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// In a file, always there.
    Sqlite,
    /// On the server of `TEST_MYSQL_URL`.
    MariaDb,
    /// On the server of `TEST_POSTGRES_URL`.
    Postgres,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sqlite, Self::MariaDb, Self::Postgres];

    /// What `init-db` runs on it.
    pub fn script(self) -> &'static str {
        match self {
            Self::Sqlite => include_str!("../../../sql/tables_xxl_job.sqlite.sql"),
            Self::MariaDb => include_str!("../../../sql/tables_xxl_job.sql"),
            Self::Postgres => include_str!("../../../sql/tables_xxl_job.postgres.sql"),
        }
    }

    /// URL of its server without a database, if it is there.
    fn server(self) -> Option<String> {
        let name = match self {
            Self::Sqlite => return Some(String::new()),
            Self::MariaDb => "TEST_MYSQL_URL",
            Self::Postgres => "TEST_POSTGRES_URL",
        };
        if let Some(url) = env::var(name).ok().filter(|url| !url.is_empty()) {
            return Some(url.trim_end_matches('/').to_owned());
        }
        let is_on = |value: String| !["", "0", "false"].contains(&value.as_str());
        let demanded = ["CI", "REQUIRE_DATABASES"].iter().any(|name| env::var(name).is_ok_and(is_on));
        assert!(!demanded, "{name} is not set, but this run demands every database: make test-db starts them");
        // Past the capture of the test harness, which shows nothing of a test that passes.
        let test = thread::current().name().unwrap_or("a test").to_owned();
        let _ = writeln!(std::io::stderr(), "SKIPPED on {self:?}: {test} ({name} is not set; make test-db starts it)");
        None
    }
}

/// A database that lives as long as this value.
pub struct TestDb {
    engine: Engine,
    url: String,
    /// What drops it: server and name, or the folder of the file.
    holder: Holder,
}

enum Holder {
    Folder { _folder: TempDir },
    Server { url: String, name: String },
}

impl TestDb {
    /// A database with the eight tables and the seed rows of this generation; none when the engine's server is not there.
    ///
    /// The newest generation comes from the script that `init-db` runs, the others from the recorded facts.
    pub async fn create(engine: Engine, generation: Generation) -> Option<Self> {
        let server = engine.server()?;
        Some(Self::create_on(&server, engine, generation).await)
    }

    /// The same on the server of this URL.
    pub async fn create_on(server: &str, engine: Engine, generation: Generation) -> Self {
        let db = Self::create_empty_on(server, engine).await;
        let statements = match generation {
            Generation::V3_4 => split(engine.script()),
            older => older.facts().statements(engine),
        };
        let mut connection = db.connect().await;
        for statement in statements {
            connection.execute(&statement).await;
        }
        db
    }

    /// A database without a table; none when the engine's server is not there.
    pub async fn create_empty(engine: Engine) -> Option<Self> {
        let server = engine.server()?;
        Some(Self::create_empty_on(&server, engine).await)
    }

    async fn create_empty_on(server: &str, engine: Engine) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let db = if engine == Engine::Sqlite {
            let folder = tempfile::tempdir().expect("make a folder");
            let url = format!("sqlite://{}?mode=rwc", folder.path().join("xxl-job.db").display());
            Self { engine, url, holder: Holder::Folder { _folder: folder } }
        } else {
            let (count, salt) = (COUNT.fetch_add(1, Ordering::Relaxed), rand::random::<u32>());
            let name = format!("xxl_test_{}_{count}_{salt:08x}", process::id());
            let mut connection = Connection::connect(engine, server).await;
            let options = if engine == Engine::MariaDb { " DEFAULT CHARACTER SET utf8mb4" } else { "" };
            connection.execute(&format!("CREATE DATABASE {name}{options}")).await;
            let url = format!("{server}/{name}");
            Self { engine, url, holder: Holder::Server { url: server.to_owned(), name } }
        };
        static NOTED: [AtomicU32; 3] = [AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0)];
        if NOTED[engine as usize].fetch_add(1, Ordering::Relaxed) == 0 {
            participants::note("database", &db.connect().await.version().await);
        }
        db
    }

    /// The engine it is on.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// URL with login and database, in the native form: `mysql://`, `postgres://` or `sqlite://`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A connection of its own.
    pub async fn connect(&self) -> Connection {
        Connection::connect(self.engine, &self.url).await
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let Holder::Server { url, name } = &self.holder else { return };
        let (engine, url, name) = (self.engine, url.clone(), name.clone());
        // A runtime of its own: this may run inside another one, or after it. A server that does not answer (tests stop
        // it) keeps the leftover; a panic here would hide the test's own.
        let dropped = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let drop =
                async { tokio::time::timeout(Duration::from_secs(10), drop_database(engine, &url, &name)).await };
            runtime.is_ok_and(|runtime| matches!(runtime.block_on(drop), Ok(Ok(()))))
        });
        if !dropped.join().unwrap_or(false) {
            let _ = writeln!(std::io::stderr(), "the test database {} was left behind", self.url_without_login());
        }
    }
}

impl TestDb {
    fn url_without_login(&self) -> &str {
        self.url.rsplit('@').next().unwrap_or_default()
    }
}

async fn drop_database(engine: Engine, server: &str, name: &str) -> sqlx::Result<()> {
    match engine {
        Engine::Sqlite => Ok(()),
        Engine::MariaDb => {
            let mut connection = MySqlConnection::connect(server).await?;
            // A connection that a test left open may hold the tables.
            connection.execute("SET SESSION lock_wait_timeout = 5").await?;
            connection.execute(AssertSqlSafe(format!("DROP DATABASE {name}")).into_sql_str()).await?;
            connection.close().await
        }
        Engine::Postgres => {
            let mut connection = PgConnection::connect(&format!("{server}/postgres")).await?;
            connection.execute(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)")).into_sql_str()).await?;
            connection.close().await
        }
    }
}

/// A connection to a test database.
pub enum Connection {
    /// SQLite.
    Sqlite(SqliteConnection),
    /// MariaDB.
    MariaDb(MySqlConnection),
    /// PostgreSQL.
    Postgres(PgConnection),
}

/// Runs the same expression on whichever connection it is.
macro_rules! on {
    ($db:expr, $connection:ident => $run:expr) => {
        match $db {
            Connection::Sqlite($connection) => $run,
            Connection::MariaDb($connection) => $run,
            Connection::Postgres($connection) => $run,
        }
    };
}

impl Connection {
    async fn connect(engine: Engine, url: &str) -> Self {
        match engine {
            Engine::Sqlite => Self::Sqlite(SqliteConnection::connect(url).await.expect("open SQLite")),
            Engine::MariaDb => Self::MariaDb(MySqlConnection::connect(url).await.expect("connect to MariaDB")),
            Engine::Postgres => {
                let options: sqlx::postgres::PgConnectOptions = url.parse().expect("a PostgreSQL URL");
                // The server's own database is where others are made from.
                let options = if options.get_database().is_none() { options.database("postgres") } else { options };
                Self::Postgres(options.connect().await.expect("connect to PostgreSQL"))
            }
        }
    }

    /// Runs one statement; rows affected.
    ///
    /// # Panics
    /// When the database refuses it.
    pub async fn execute(&mut self, sql: &str) -> u64 {
        let statement = AssertSqlSafe(sql.to_owned());
        let affected = on!(self, c => sqlx::query(statement).execute(c).await.map(|result| result.rows_affected()));
        affected.unwrap_or_else(|error| panic!("{error}\n{sql}"))
    }

    /// Rows of a query whose columns are all text.
    ///
    /// # Panics
    /// When the database refuses it, or a column is no text.
    pub async fn texts(&mut self, sql: &str) -> Vec<Vec<Option<String>>> {
        let statement = AssertSqlSafe(sql.to_owned());
        let rows: sqlx::Result<_> = on!(self, c => {
            let rows = sqlx::query(statement).fetch_all(c).await;
            rows.and_then(|rows| rows.iter().map(|row| (0..row.len()).map(|i| row.try_get(i)).collect()).collect())
        });
        rows.unwrap_or_else(|error| panic!("{error}\n{sql}"))
    }

    /// Name and release of the engine.
    pub async fn version(&mut self) -> String {
        let (name, sql) = match self {
            Self::Sqlite(_) => ("SQLite", "SELECT sqlite_version()"),
            Self::MariaDb(_) => ("MariaDB", "SELECT version()"),
            Self::Postgres(_) => ("PostgreSQL", "SHOW server_version"),
        };
        let rows = self.texts(sql).await;
        let version = rows[0][0].as_deref().unwrap_or_default();
        format!("{name} {}", version.split(['-', ' ']).next().unwrap_or_default())
    }
}
