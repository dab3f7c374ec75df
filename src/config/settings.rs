//! The settings as types: everything is parsed and checked before a value of these types exists.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use jiff::civil::Date;
use secrecy::SecretString;

use super::profile::{CronFlavour, MessageLayout, Release};
use crate::clock::Zone;
use crate::i18n::Locale;

/// All settings of the program. `Debug` shows no secret.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the HTTP server listens.
    pub server: Server,
    /// The database.
    pub database: Database,
    /// The keys that start with `xxl.job.`.
    pub job: Job,
    /// The mail server for alarms; none = no mail.
    pub mail: Option<Mail>,
    /// Zone of cron, report days and dates on pages.
    pub zone: Zone,
    /// Which release we resemble.
    pub compat: Compat,
    /// The console.
    pub console: Console,
    /// What is refused.
    pub security: Security,
    /// Calls to executors.
    pub executor: Executor,
    /// Limits of the trigger lanes.
    pub trigger: Trigger,
    /// The schedule loop.
    pub scheduler: Scheduler,
    /// The background loops.
    pub monitor: Monitor,
    /// How long a stop waits for queue and open calls.
    pub drain_timeout: Duration,
    /// How long a start waits for the database.
    pub startup_timeout: Duration,
    /// `init.admin-password`: password of the administrator when tables are made.
    pub init_admin_password: Option<SecretString>,
    /// Folder of the embedded database.
    pub data_dir: PathBuf,
    /// Where logs go.
    pub logging: Logging,
    /// `audit.file`: file that gets the audit lines as JSON; none = log lines of target `audit` alone.
    pub audit_file: Option<PathBuf>,
    /// Bearer tokens of `/api/v1`, from the TOML file alone.
    pub api_tokens: Vec<ApiToken>,
}

/// Where the HTTP server listens.
#[derive(Debug, Clone)]
pub struct Server {
    /// TCP port; 0 = any free one.
    pub port: u16,
    /// Address to bind; none = all, or loopback while the database is the embedded default.
    pub address: Option<IpAddr>,
    /// `/xxl-job-admin`, or `""` for the root.
    pub context_path: String,
    /// `/actuator`, below the context path.
    pub management_path: String,
    /// Networks whose `X-Forwarded-*` headers are believed.
    pub trusted_proxies: Vec<IpNet>,
}

/// The database and its pool.
#[derive(Debug, Clone)]
pub struct Database {
    /// Where it is.
    pub url: DatabaseUrl,
    /// Whether it is the embedded default, made at the first start.
    pub embedded: bool,
    /// Login name.
    pub username: Option<String>,
    /// Password.
    pub password: Option<SecretString>,
    /// Zone of the wall times in DATETIME columns; none = the process zone.
    pub column_zone: Option<Zone>,
    /// Most connections.
    pub max_connections: u32,
    /// Connections kept open.
    pub min_idle: u32,
    /// Wait for a free connection.
    pub connection_timeout: Duration,
    /// Age at which a connection is replaced.
    pub max_lifetime: Duration,
    /// Idle time after which a connection beyond `min_idle` is closed.
    pub idle_timeout: Duration,
}

/// Which database, where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// MySQL or MariaDB.
    MySql(ServerUrl),
    /// PostgreSQL.
    Postgres(ServerUrl),
    /// A file, made when missing.
    Sqlite(PathBuf),
}

/// A database server, or several of which the first that answers is taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerUrl {
    /// Host names and ports, in order of preference.
    pub hosts: Vec<(String, u16)>,
    /// Name of the database.
    pub database: String,
    /// Encryption.
    pub tls: DatabaseTls,
    /// Root certificate file for `VerifyCa` and `VerifyIdentity`.
    pub root_certificate: Option<PathBuf>,
    /// Time allowed to connect; none = the driver's own.
    pub connect_timeout: Option<Duration>,
    /// Time allowed for an answer on the socket; none = no limit.
    pub socket_timeout: Option<Duration>,
}

/// Encryption of the connection to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DatabaseTls {
    /// Never.
    Disabled,
    /// When the server offers it.
    #[default]
    Preferred,
    /// Always, whatever the certificate.
    Required,
    /// Always, with a certificate of a known authority.
    VerifyCa,
    /// Always, with a certificate of a known authority for this host.
    VerifyIdentity,
}

/// The keys that start with `xxl.job.`.
#[derive(Debug, Clone)]
pub struct Job {
    /// Token shared with the executors; empty = no check.
    pub access_token: SecretString,
    /// Language of JSON texts, stored messages and mails.
    pub locale: Locale,
    /// Whether somebody has set the language; if not, pages start in the browser's.
    pub is_locale_set: bool,
    /// Time-out of executor calls in seconds, as configured; what it becomes depends on the release.
    pub timeout_s: i64,
    /// `xxl.job.triggerpool.fast.max`; none = the release's default.
    pub fast_max: Option<u32>,
    /// `xxl.job.triggerpool.slow.max`; none = the release's default.
    pub slow_max: Option<u32>,
    /// Rows in one write-back statement, 50–500.
    pub schedule_batch_size: usize,
    /// Days that logs are kept; below the release's minimum = for ever.
    pub log_retention_days: i32,
}

/// The mail server for alarms.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Host name.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Login name.
    pub username: Option<String>,
    /// Password.
    pub password: Option<SecretString>,
    /// Sender address.
    pub from: String,
    /// Encryption.
    pub tls: MailTls,
}

/// Encryption of the connection to the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailTls {
    /// None.
    Plain,
    /// STARTTLS when offered.
    Opportunistic,
    /// STARTTLS or nothing.
    Required,
    /// From the first byte.
    Wrapper,
}

/// Which release we resemble; none = as the tables say.
#[derive(Debug, Clone, Default)]
pub struct Compat {
    /// `compat.release`.
    pub release: Option<Release>,
    /// `compat.cron`.
    pub cron: Option<CronFlavour>,
    /// `compat.messages`.
    pub messages: Option<MessageLayout>,
}

/// The console.
#[derive(Debug, Clone)]
pub struct Console {
    /// Shape of an answer when the call gives no sign; none = the release's.
    pub dialect: Option<Dialect>,
    /// Serve that one dialect only, exactly as recorded.
    pub strict: bool,
    /// Dates in JSON rows; none = as dialect and release say.
    pub json_dates: Option<JsonDates>,
    /// Console JSON paths at the root too; none = as the release says.
    pub root_alias: Option<bool>,
    /// Issue and accept the Java admins' own cookies.
    pub shared_login: bool,
    /// Days after which an unused login ends.
    pub login_days: u32,
    /// Slow down and lock out whoever guesses passwords.
    pub login_throttle: bool,
    /// Largest page of a list.
    pub page_limit: i64,
    /// Origins of other front ends in a browser, e.g. `https://console.example.org`.
    pub cors_origins: Vec<String>,
    /// `xxl-sso.token.key`: name of the login cookie of the 3.x dialects.
    pub token_cookie: String,
}

/// Shape of the console's answers (setting `console.dialect`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// As in 2.3 – 3.1; setting word `2`.
    V2,
    /// As in 3.2; setting word `3.2`.
    V3_2,
    /// As in 3.3 and 3.4; setting word `3`.
    V3,
}

/// Dates in JSON rows (setting `console.json-dates`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonDates {
    /// `2018-11-03T14:21:31.000+00:00`
    Offset,
    /// `2018-11-03T14:21:31.000Z`
    Z,
    /// `2018-11-03 22:21:31`
    Plain,
}

/// What is refused.
#[derive(Debug, Clone)]
pub struct Security {
    /// Whether the seed password works from other machines.
    pub seed_password: SeedPassword,
    /// Refuse to start with an unsafe access token on an open address.
    pub require_safe_token: bool,
    /// Who may create or change scripts.
    pub glue: Glue,
    /// Which addresses a manual run may name.
    pub trigger_addresses: TriggerAddresses,
    /// Networks to which executor calls may go; empty = all.
    pub executor_cidrs: Vec<IpNet>,
}

/// Who may create or change scripts (setting `security.glue`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Glue {
    /// Whoever may change the job.
    All,
    /// Administrators.
    Admin,
    /// Nobody, and scripts do not run either.
    Off,
}

/// Which addresses a manual run may name (setting `security.trigger-addresses`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerAddresses {
    /// Those of the group: in its list or registered for its app name.
    Known,
    /// Those of the group; administrators are free.
    Admin,
    /// Any, as with Java.
    Any,
}

/// A bearer token of `/api/v1`. The token itself is nowhere, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Name in logs and audit lines.
    pub name: String,
    /// SHA-256 of the token.
    pub sha256: [u8; 32],
    /// What it allows.
    pub scope: Scope,
    /// App names of the groups it reaches; empty = all.
    pub groups: Vec<String>,
    /// Last day on which it is accepted.
    pub expires: Option<Date>,
}

/// What a bearer token allows; each includes the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Read.
    Read,
    /// Start, stop and trigger jobs.
    Operate,
    /// Everything.
    Administer,
}

/// Where the seed password `123456` is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedPassword {
    /// From this machine alone.
    Local,
    /// From everywhere, as with Java.
    Allow,
}

/// Calls to executors.
#[derive(Debug, Clone, Default)]
pub struct Executor {
    /// Check certificate and name of https executors.
    pub verify_tls: bool,
    /// Own tokens of executor groups, by app name.
    pub tokens: std::collections::HashMap<String, SecretString>,
}

/// Limits of the trigger lanes.
#[derive(Debug, Clone, Copy)]
pub struct Trigger {
    /// Open calls in the fast lane.
    pub in_flight_fast: usize,
    /// Open calls in the slow lane.
    pub in_flight_slow: usize,
    /// Open calls to one address.
    pub per_address: usize,
    /// Fires waiting in both lanes together.
    pub queue: usize,
    /// Longest wait for an address.
    pub max_wait: Duration,
    /// Depth at which chains of children are cut; 0 = never.
    pub child_depth: u32,
}

/// The schedule loop.
#[derive(Debug, Clone, Copy)]
pub struct Scheduler {
    /// What happens to fires that a dead node left.
    pub recovery: Recovery,
    /// How long a node may be silent before its claims are taken for lost.
    pub recovery_grace: Duration,
    /// Parallel claiming where the database and the other nodes allow it.
    pub partitioning: bool,
}

/// What happens to fires that a dead node left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// They are taken over.
    On,
    /// They are counted, logged and ended.
    Count,
    /// Nothing.
    Off,
}

/// The background loops.
#[derive(Debug, Clone, Copy)]
pub struct Monitor {
    /// Rhythm of the fail monitor.
    pub failed_interval: Duration,
    /// Rhythm of the search for lost results.
    pub lost_interval: Duration,
    /// Age at which an unanswered run counts as lost.
    pub lost_after: Duration,
    /// Rhythm of the registry sweep.
    pub sweep_interval: Duration,
}

/// Where logs go.
#[derive(Debug, Clone)]
pub struct Logging {
    /// Filter directives of the log level, e.g. `info,xxl_job_admin::schedule=debug`.
    pub filter: String,
    /// File that is rolled daily; none = standard output.
    pub file: Option<PathBuf>,
}

impl Settings {
    /// Plain settings on this database, for tests: loopback, any free port,
    /// UTC, token `default_token`.
    pub fn for_database(url: DatabaseUrl) -> Self {
        Self {
            server: Server {
                port: 0,
                address: Some(IpAddr::from([127, 0, 0, 1])),
                context_path: "/xxl-job-admin".into(),
                management_path: "/actuator".into(),
                trusted_proxies: Vec::new(),
            },
            database: Database {
                url,
                embedded: false,
                username: None,
                password: None,
                column_zone: None,
                max_connections: 30,
                min_idle: 0,
                connection_timeout: Duration::from_secs(10),
                max_lifetime: Duration::from_mins(15),
                idle_timeout: Duration::from_secs(30),
            },
            job: Job {
                access_token: "default_token".into(),
                locale: Locale::ZhCn,
                is_locale_set: false,
                timeout_s: 3,
                fast_max: None,
                slow_max: None,
                schedule_batch_size: 100,
                log_retention_days: 30,
            },
            mail: None,
            zone: Zone::utc(),
            compat: Compat::default(),
            console: Console {
                dialect: None,
                strict: false,
                json_dates: None,
                root_alias: None,
                shared_login: false,
                login_days: 30,
                login_throttle: true,
                page_limit: 10_000,
                cors_origins: Vec::new(),
                token_cookie: "xxl_job_login_token".into(),
            },
            security: Security {
                seed_password: SeedPassword::Local,
                require_safe_token: false,
                glue: Glue::All,
                trigger_addresses: TriggerAddresses::Known,
                executor_cidrs: Vec::new(),
            },
            executor: Executor::default(),
            trigger: Trigger {
                in_flight_fast: 4096,
                in_flight_slow: 1024,
                per_address: 256,
                queue: 100_000,
                max_wait: Duration::from_mins(1),
                child_depth: 100,
            },
            scheduler: Scheduler {
                recovery: Recovery::Count,
                recovery_grace: Duration::from_secs(20),
                partitioning: true,
            },
            monitor: Monitor {
                failed_interval: Duration::from_secs(10),
                lost_interval: Duration::from_mins(1),
                lost_after: Duration::from_mins(10),
                sweep_interval: Duration::from_secs(30),
            },
            drain_timeout: Duration::from_secs(30),
            startup_timeout: Duration::from_secs(30),
            init_admin_password: None,
            data_dir: PathBuf::from("xxl-job-data"),
            logging: Logging { filter: "info".into(), file: None },
            audit_file: None,
            api_tokens: Vec::new(),
        }
    }
}
