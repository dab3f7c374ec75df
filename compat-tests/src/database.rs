//! Databases on the MySQL or MariaDB server that `TEST_MYSQL_URL` names.
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use sqlx::mysql::{MySqlConnectOptions, MySqlPool, MySqlPoolOptions};
use sqlx::{AssertSqlSafe, Connection};
use url::Url;

/// A database of our own; dropped by [`Database::remove`].
#[derive(Clone, Debug)]
pub struct Database {
    server: Url,
    name: String,
}

impl Database {
    /// Makes an empty database.
    ///
    /// # Errors
    /// When `TEST_MYSQL_URL` is not set or the server refuses.
    pub async fn create() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("TEST_MYSQL_URL")
            .context("TEST_MYSQL_URL must name a server, e.g. mysql://root@127.0.0.1:3306/")?;
        let server = Url::parse(&server).context("TEST_MYSQL_URL")?;
        let nth = COUNT.fetch_add(1, Ordering::Relaxed);
        let database = Self { server, name: format!("compat_{}_{nth}", std::process::id()) };
        database.on_server(&format!("DROP DATABASE IF EXISTS {}", database.name)).await?;
        database.on_server(&format!("CREATE DATABASE {} DEFAULT CHARACTER SET utf8mb4", database.name)).await?;
        Ok(database)
    }

    /// Drops the database.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn remove(&self) -> Result<()> {
        self.on_server(&format!("DROP DATABASE IF EXISTS {}", self.name)).await
    }

    async fn on_server(&self, statement: &str) -> Result<()> {
        // Boxed: connecting makes a large future, which would make that of every case large.
        let mut server = Box::pin(sqlx::MySqlConnection::connect(self.server.as_str())).await?;
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut server).await?;
        server.close().await?;
        Ok(())
    }

    /// Connections to the database; DATETIME columns are written in UTC throughout the suite.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn pool(&self) -> Result<MySqlPool> {
        let options: MySqlConnectOptions = self.server.as_str().parse()?;
        let pool = MySqlPoolOptions::new().max_connections(4);
        Ok(Box::pin(pool.connect_with(options.database(&self.name))).await?)
    }

    /// The start-up arguments of an admin, in the Java admin's words.
    pub fn arguments(&self) -> Vec<String> {
        let host = self.server.host_str().unwrap_or("127.0.0.1");
        let port = self.server.port().unwrap_or(3306);
        let name = &self.name;
        vec![
            format!(
                "--spring.datasource.url=jdbc:mysql://{host}:{port}/{name}?useUnicode=true&characterEncoding=UTF-8&autoReconnect=true&serverTimezone=UTC"
            ),
            format!("--spring.datasource.username={}", self.server.username()),
            format!("--spring.datasource.password={}", self.server.password().unwrap_or_default()),
        ]
    }
}
