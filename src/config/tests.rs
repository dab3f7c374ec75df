//! The promises of `docs/configuration.md`, row by row.

use std::net::IpAddr;
use std::time::Duration;

use secrecy::ExposeSecret;

use super::settings::{
    DatabaseUrl, Dialect, Glue, JsonDates, MailTls, Recovery, SeedPassword, ServerUrl, TriggerAddresses,
};
use super::*;
use crate::i18n::Locale;

/// A folder to start in, with a start line, an environment and files.
struct Start {
    folder: tempfile::TempDir,
    invocation: Invocation,
}

impl Start {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let working_dir = folder.path().to_owned();
        let env = BTreeMap::from([("TZ".into(), "UTC".into())]);
        Self { folder, invocation: Invocation { args: Vec::new(), env, working_dir } }
    }

    fn args(mut self, line: &[&str]) -> Self {
        self.invocation.args.extend(line.iter().map(|word| (*word).to_owned()));
        self
    }

    fn env(mut self, name: &str, text: &str) -> Self {
        self.invocation.env.insert(name.into(), text.into());
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(path, text).expect("file");
        self
    }

    fn load(&self) -> Loaded {
        load(&self.invocation).unwrap_or_else(|e| panic!("{e}"))
    }

    fn faults(&self) -> Vec<Fault> {
        load(&self.invocation).map_or_else(|error| error.faults, |_| Vec::new())
    }
}

/// Settings with one `--key=value`.
fn with(arg: &str) -> Settings {
    Start::new().args(&["--spring.datasource.url=mysql://h/d", arg]).load().settings
}

fn told(loaded: &Loaded, text: &str) -> bool {
    loaded.warnings.iter().any(|warning| warning.contains(text))
}

fn shown(loaded: &Loaded, key: &str) -> (String, String) {
    let origin = loaded.origins.iter().find(|origin| origin.key == key).expect("every key has an origin");
    (origin.shown.clone(), origin.source.to_string())
}

#[test]
fn the_built_in_file_names_every_key_and_sets_it_to_what_the_program_starts_with() {
    let file = toml_file::parse(sources::DEFAULTS, None);
    assert_eq!(file.faults, []);
    for entry in &file.entries {
        assert!(entry.found.is_some(), "{} is unknown", entry.name);
    }
    // With the commented lines read as well, nothing is missing.
    let all = sources::DEFAULTS.lines().map(uncommented).collect::<Vec<_>>().join("\n");
    let names = toml_file::parse(&all, None);
    let malformed: Vec<_> = names.faults.iter().filter(|fault| fault.key != "api-token").collect();
    assert!(malformed.is_empty(), "{malformed:?}");
    for key in keys::all().filter(|key| key.name != "api-token") {
        let named =
            names.entries.iter().any(|entry| entry.found.as_ref().is_some_and(|found| found.key.name == key.name));
        assert!(named, "{} is not in config.default.toml", key.name);
        assert_eq!(default_of(key).is_none(), !key.unset.is_empty(), "{}", key.name);
    }
}

/// A line that shows a setting, without its comment sign.
fn uncommented(line: &str) -> &str {
    let bare = line.strip_prefix("# ").unwrap_or(line);
    let is_setting = bare.starts_with('[')
        || bare.split_once(" = ").is_some_and(|(name, _)| !name.contains(' ') && !name.is_empty());
    if is_setting { bare } else { line }
}

#[test]
fn the_documentation_names_every_key_with_its_default() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/configuration.md");
    let mut text = std::fs::read_to_string(path).expect("the page");
    for (own, name) in [(false, "java"), (true, "own")] {
        let (start, end) = (format!("<!-- keys:{name} -->\n"), format!("<!-- /keys:{name} -->"));
        let from = text.find(&start).expect("start of the table") + start.len();
        let to = text.find(&end).expect("end of the table");
        let table = keys::markdown(own, default_of);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            text.replace_range(from..to, &table);
            std::fs::write(path, &text).expect("the page is written");
        } else {
            assert_eq!(&text[from..to], table, "run this test with UPDATE_DOCS=1 to write the table anew");
        }
    }
}

#[test]
fn without_any_source_it_is_a_trial_run_on_this_machine() {
    let start = Start::new();
    let loaded = start.load();
    let settings = &loaded.settings;
    assert_eq!(settings.server.port, 8080);
    assert_eq!(settings.server.address, Some(IpAddr::from([127, 0, 0, 1])));
    assert_eq!(settings.server.context_path, "/xxl-job-admin");
    assert_eq!(settings.server.management_path, "/actuator");
    assert_eq!(settings.server.trusted_proxies.len(), 2);
    let file = start.invocation.working_dir.join("xxl-job-data/xxl-job.db");
    assert_eq!(settings.database.url, DatabaseUrl::Sqlite(file));
    assert!(settings.database.embedded);
    assert_eq!((settings.database.max_connections, settings.database.min_idle), (30, 10));
    assert_eq!(settings.database.connection_timeout, Duration::from_secs(10));
    assert_eq!(settings.database.max_lifetime, Duration::from_mins(15));
    assert_eq!(settings.database.idle_timeout, Duration::from_secs(30));
    assert_eq!(settings.job.access_token.expose_secret(), "default_token");
    assert_eq!((settings.job.timeout_s, settings.job.log_retention_days), (3, 30));
    assert_eq!((settings.job.fast_max, settings.job.slow_max, settings.job.schedule_batch_size), (None, None, 100));
    assert_eq!(settings.job.locale, Locale::ZhCn);
    assert!(settings.mail.is_none());
    assert_eq!(settings.scheduler.recovery, Recovery::On);
    assert_eq!(settings.logging.filter, "info");
    assert!(settings.init_admin_password.is_none() && settings.audit_file.is_none());
    assert!(told(&loaded, "embedded database") && told(&loaded, "accessToken is the default"));
    assert!(told(&loaded, "--server.address=0.0.0.0"));
}

/// What a source is called, and a start to which it is added.
type Step = (&'static str, fn(Start) -> Start);

#[test]
fn later_sources_win_and_each_value_remembers_its_own() {
    let mut start = Start::new();
    let steps: [Step; 9] = [
        ("default", |s| s),
        ("xxl-job-admin.toml line 2", |s| s.file("xxl-job-admin.toml", "[server]\nport = 1\n")),
        ("application.yml", |s| s.file("application.yml", "server:\n  port: 2\n")),
        ("application.properties line 1", |s| s.file("application.properties", "server.port=3")),
        ("config/application.properties line 2", |s| s.file("config/application.properties", "\nserver.port: 4")),
        ("environment SERVER_PORT", |s| s.env("SERVER_PORT", "5")),
        ("environment PARAMS", |s| s.env("PARAMS", "--xxl.job.i18n=en --server.port=6")),
        ("environment JAVA_OPTS", |s| s.env("JAVA_OPTS", "-Xmx1g -Dserver.port=7")),
        ("command line", |s| s.args(&["-Dserver.port=8", "--server.port=8"])),
    ];
    for (count, (source, step)) in steps.into_iter().enumerate() {
        start = step(start);
        let loaded = start.load();
        let (text, place) = shown(&loaded, "server.port");
        assert!(place.ends_with(source), "{place} instead of {source}");
        assert_eq!(text, if count == 0 { "8080".to_owned() } else { count.to_string() });
        assert_eq!(loaded.settings.server.port.to_string(), text);
    }
}

#[test]
fn a_named_file_of_our_own_replaces_the_usual_one_and_must_exist() {
    let start = Start::new().file("xxl-job-admin.toml", "[server]\nport = 1").file(
        "other.toml",
        "[server]\nport = 2\n[spring.datasource]\nurl = \"mysql://h/d\"\n[xxl.job]\naccessToken = \"t\"",
    );
    assert_eq!(start.load().settings.server.port, 1);
    for args in [["--config", "other.toml"].as_slice(), &["--config=other.toml"], &["check", "--config", "other.toml"]]
    {
        let start = Start { folder: tempfile::tempdir().expect("folder"), invocation: start.invocation.clone() };
        let settings = start.args(args).load().settings;
        assert_eq!(settings.server.port, 2);
        assert_eq!(settings.job.access_token.expose_secret(), "t");
        assert!(!settings.database.embedded);
    }
    let faults = Start::new().args(&["--config", "nowhere.toml"]).faults();
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].key, "--config");
}

#[test]
fn springs_places_profiles_and_placeholders_are_followed() {
    let start = Start::new()
        .file(
            "conf/application.properties",
            "db.host=h\nspring.datasource.url=jdbc:mysql://${db.host}:${DB_PORT:3306}/d\n\
             spring.datasource.password=${DB_PASSWORD}\nserver.port=${app.port}\n",
        )
        .file("conf/application-prod.yml", "app.port: 9")
        .env("DB_PASSWORD", "from-env")
        .env("DB_PORT", "3307")
        .env("SPRING_PROFILES_ACTIVE", "prod");
    for arg in [
        "--spring.config.location=file:./conf/",
        "-Dspring.config.location=conf/",
        "--spring.config.additional-location=conf",
    ] {
        let start = Start { folder: tempfile::tempdir().expect("folder"), invocation: start.invocation.clone() };
        let settings = start.args(&[arg]).load().settings;
        let DatabaseUrl::MySql(ServerUrl { hosts, .. }) = &settings.database.url else { panic!("{arg}") };
        assert_eq!(hosts, &[("h".to_owned(), 3307)]);
        assert_eq!(settings.database.password.as_ref().map(ExposeSecret::expose_secret), Some("from-env"));
        assert_eq!(settings.server.port, 9);
    }
    let settings = Start::new()
        .env("SPRING_CONFIG_LOCATION", "x.properties")
        .file("x.properties", "server.port=4")
        .load()
        .settings;
    assert_eq!(settings.server.port, 4);
    let faults = Start::new().file("application.properties", "server.port=${nothing}").faults();
    assert!(faults[0].to_string().contains("placeholder `nothing`"), "{}", faults[0]);
}

#[test]
fn the_names_of_the_environment() {
    let loaded = Start::new()
        .env("SPRING_DATASOURCE_URL", "jdbc:postgresql://h/d")
        .env("XXL_JOB_ACCESSTOKEN", "")
        .env("XXL_JOB_I18N", "en")
        .env("XXL_JOB_LOGRETENTIONDAYS", "9")
        .env("XXL_JOB_TRIGGERPOOL_FAST_MAX", "500")
        .env("XXL_ADMIN_CONSOLE_DIALECT", "3")
        .env("SPRING_APPLICATION_JSON", r#"{"server":{"port":7}}"#)
        .load();
    let settings = &loaded.settings;
    assert!(matches!(settings.database.url, DatabaseUrl::Postgres(_)));
    assert_eq!(settings.job.access_token.expose_secret(), "");
    assert!(told(&loaded, "accessToken is empty"));
    assert_eq!(settings.job.locale, Locale::En);
    assert_eq!((settings.job.log_retention_days, settings.job.fast_max), (9, Some(500)));
    assert_eq!(settings.console.dialect, Some(Dialect::V3));
    assert_eq!(settings.server.port, 7);
    assert_eq!(settings.zone.name(), "UTC");
}

#[test]
fn a_secret_from_a_file_counts_as_its_variable() {
    let start = Start::new().file("run/secret", "s3cret\n").env("XXL_JOB_ACCESSTOKEN_FILE", "run/secret");
    let loaded = start.load();
    assert_eq!(loaded.settings.job.access_token.expose_secret(), "s3cret");
    let (text, source) = shown(&loaded, "xxl.job.accessToken");
    assert_eq!(text, "***");
    assert!(source.starts_with("environment XXL_JOB_ACCESSTOKEN_FILE"), "{source}");
}

#[test]
fn a_java_start_line_needs_one_word_changed() {
    let loaded = Start::new()
        .args(&[
            "-Xmx512m",
            "-XX:+UseG1GC",
            "-Duser.timezone=PRC",
            "-Dfile.encoding=UTF-8",
            "-jar",
            "xxl-job-admin.jar",
            "--server.port=8081",
            "--spring.freemarker.suffix=.ftl",
            "--debug",
        ])
        .load();
    assert_eq!(loaded.settings.server.port, 8081);
    assert_eq!(loaded.settings.zone.name(), "PRC");
    assert!(told(&loaded, "-Xmx512m -XX:+UseG1GC -Dfile.encoding -jar --debug"), "{:?}", loaded.warnings);
    assert!(told(&loaded, "spring.freemarker.suffix"));
}

#[test]
fn what_is_unknown_is_refused_on_the_command_line_and_named_once_elsewhere() {
    for (arg, nearest) in [
        ("--consol.dialect=3", "console.dialect"),
        ("--xxl.job.acessToken=x", "xxl.job.accessToken"),
        ("--server.prot=1", "server.port"),
        ("--foo.bar=1", "--"),
    ] {
        let faults = Start::new().args(&[arg]).faults();
        assert_eq!(faults.len(), 1, "{arg}");
        assert!(faults[0].right.contains(nearest), "{}", faults[0]);
    }
    let loaded = Start::new()
        .file(
            "application.properties",
            "mybatis.mapper-locations=x\nserver.prot=1\nmy.own=2\nxxl.job.i18n=${my.own:en}",
        )
        .env("XXL_ADMIN_CONSOLE_DIALEKT", "3")
        .env("PARAMS", "--foo.bar=1")
        .load();
    let of_file: Vec<_> = loaded.warnings.iter().filter(|text| text.contains("application.properties")).collect();
    assert_eq!(of_file.len(), 1);
    assert!(
        of_file[0].ends_with("mybatis.mapper-locations, server.prot (did you mean server.port?)"),
        "{}",
        of_file[0]
    );
    assert!(told(&loaded, "XXL_ADMIN_CONSOLE_DIALEKT") && told(&loaded, "foo.bar"));
}

#[test]
fn all_faults_are_told_at_once() {
    let faults = Start::new()
        .file("application.properties", "server.port=x\nxxl.job.timeout=soon")
        .env("TZ", "Asia/Beijing")
        .args(&["--console.dialect=4", "--spring.datasource.url=jdbc:oracle:x", "--server.adress=1", "--no.such.key=1"])
        .faults();
    let keys: Vec<_> = faults.iter().map(|fault| fault.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "server.port",
            "xxl.job.timeout",
            "TZ",
            "console.dialect",
            "spring.datasource.url",
            "--server.adress",
            "--no.such.key"
        ]
    );
    assert!(faults[0].to_string().contains("application.properties line 1"), "{}", faults[0]);
    assert!(faults[2].wrong.contains("Asia/Beijing"));
}

/// A key with a text, and whether the settings have become what they should.
type Row = (&'static str, fn(&Settings) -> bool);

#[test]
fn each_key_of_java_does_what_it_says() {
    let rows: [Row; 45] = [
        ("--server.port=0", |s| s.server.port == 0),
        ("--server.address=::1", |s| s.server.address == "::1".parse().ok()),
        ("--server.servlet.context-path=/", |s| s.server.context_path.is_empty()),
        ("--server.servlet.contextPath=xxl/", |s| s.server.context_path == "/xxl"),
        ("--management.server.base-path=/a", |s| s.server.management_path == "/a"),
        ("--management.server.servlet.context-path=/a", |s| s.server.management_path == "/a"),
        ("--management.endpoints.web.base-path=/a", |s| s.server.management_path == "/a"),
        ("--spring.datasource.url=jdbc:mysql://h/d?serverTimezone=Asia/Tokyo", |s| {
            s.database.column_zone.as_ref().is_some_and(|zone| zone.name() == "Asia/Tokyo")
        }),
        ("--spring.datasource.username=me", |s| s.database.username.as_deref() == Some("me")),
        ("--spring.datasource.password=pw", |s| s.database.password.is_some()),
        ("--spring.datasource.hikari.maximum-pool-size=5", |s| {
            (s.database.max_connections, s.database.min_idle) == (5, 5)
        }),
        ("--spring.datasource.hikari.minimum-idle=1", |s| s.database.min_idle == 1),
        ("--spring.datasource.hikari.connection-timeout=2000", |s| {
            s.database.connection_timeout == Duration::from_secs(2)
        }),
        ("--spring.datasource.hikari.max-lifetime=900000", |s| s.database.max_lifetime == Duration::from_mins(15)),
        ("--spring.datasource.hikari.max-lifetime=0", |s| s.database.max_lifetime > Duration::from_hours(24 * 365)),
        ("--spring.datasource.hikari.idle-timeout=30000", |s| s.database.idle_timeout == Duration::from_secs(30)),
        ("--xxl.job.accessToken=t", |s| s.job.access_token.expose_secret() == "t"),
        ("--xxl.job.accessToken=", |s| s.job.access_token.expose_secret().is_empty()),
        ("--xxl.job.i18n=zh_TC", |s| s.job.locale == Locale::ZhTc),
        ("--xxl.job.i18n=fr", |s| s.job.locale == Locale::ZhCn),
        ("--xxl.job.timeout=11", |s| s.job.timeout_s == 11),
        ("--xxl.job.timeout=-1", |s| s.job.timeout_s == -1),
        ("--xxl.job.triggerpool.fast.max=400", |s| s.job.fast_max == Some(400)),
        ("--xxl.job.triggerpool.slow.max=50", |s| s.job.slow_max == Some(50)),
        ("--xxl.job.schedule.batchsize=500", |s| s.job.schedule_batch_size == 500),
        ("--xxl.job.schedule.batchsize=501", |s| s.job.schedule_batch_size == 100),
        ("--xxl.job.logretentiondays=-1", |s| s.job.log_retention_days == -1),
        ("--xxl-sso.token.key=cookie", |s| s.console.token_cookie == "cookie"),
        ("--xxl-sso.token.timeout=1", |s| s.console.login_days == 30),
        ("--spring.jackson.date-format=yyyy-MM-dd HH:mm:ss", |s| s.console.json_dates == Some(JsonDates::Plain)),
        ("--spring.jackson.date-format=yyyy", |s| s.console.json_dates.is_none()),
        ("--logging.level.root=WARN", |s| s.logging.filter == "warn"),
        ("--logging.level.com.xxl.job.admin=debug", |s| s.logging.filter == "info,xxl_job_admin=debug"),
        ("--logging.file.name=x.log", |s| s.logging.file.as_ref().is_some_and(|file| file.ends_with("x.log"))),
        ("-DLOG_HOME=/logs", |s| s.logging.file == Some("/logs/xxl-job-admin.log".into())),
        ("-Duser.timezone=GMT+8", |s| s.zone.name() == "GMT+8"),
        ("--spring.mail.host=h", |s| s.mail.is_none()),
        ("--spring.mail.port=465", |s| s.mail.is_none()),
        ("--spring.mail.username=u", |s| s.mail.is_none()),
        ("--spring.mail.password=p", |s| s.mail.is_none()),
        ("--spring.mail.from=a@b", |s| s.mail.is_none()),
        ("--spring.mail.properties.mail.smtp.auth=true", |s| s.mail.is_none()),
        ("--spring.mail.properties.mail.smtp.starttls.enable=true", |s| s.mail.is_none()),
        ("--spring.mail.properties.mail.smtp.ssl.enable=true", |s| s.mail.is_none()),
        ("--server.port=", |s| s.server.port == 8080),
    ];
    for (arg, is_right) in rows {
        assert!(is_right(&with(arg)), "{arg}");
    }
}

#[test]
fn the_mail_server_of_the_java_admins_own_file() {
    let start = Start::new().file(
        "application.properties",
        "spring.mail.host=smtp.example.org\nspring.mail.port=25\nspring.mail.from=a@example.org\n\
         spring.mail.username=u@example.org\nspring.mail.password=xxx\nspring.mail.properties.mail.smtp.auth=true\n\
         spring.mail.properties.mail.smtp.starttls.enable=true\n\
         spring.mail.properties.mail.smtp.starttls.required=true\n\
         spring.mail.properties.mail.smtp.socketFactory.class=javax.net.ssl.SSLSocketFactory\n",
    );
    let mail = start.load().settings.mail.expect("a mail server");
    assert_eq!((mail.host.as_str(), mail.port, mail.from.as_str()), ("smtp.example.org", 25, "a@example.org"));
    assert_eq!(mail.tls, MailTls::Wrapper);
    assert_eq!(mail.username.as_deref(), Some("u@example.org"));
}

#[test]
fn each_key_of_our_own_does_what_it_says() {
    let rows: [Row; 40] = [
        ("--compat.release=3.2", |s| s.compat.release == Some(Release::V3_2)),
        ("--compat.cron=3.4", |s| s.compat.cron == Some(CronFlavour::V3_4)),
        ("--compat.messages=new", |s| s.compat.messages == Some(MessageLayout::New)),
        ("--console.dialect=2", |s| s.console.dialect == Some(Dialect::V2)),
        ("--console.dialect=3.2", |s| s.console.dialect == Some(Dialect::V3_2)),
        ("--console.strict=true", |s| s.console.strict),
        ("--console.json-dates=z", |s| s.console.json_dates == Some(JsonDates::Z)),
        ("--console.root-alias=off", |s| s.console.root_alias == Some(false)),
        ("--console.root-alias=auto", |s| s.console.root_alias.is_none()),
        ("--console.shared-login=true", |s| s.console.shared_login),
        ("--console.login-days=1", |s| s.console.login_days == 1),
        ("--console.login-throttle=off", |s| !s.console.login_throttle),
        ("--console.page-limit=100", |s| s.console.page_limit == 100),
        ("--console.cors-origins=https://a,http://b:1", |s| s.console.cors_origins == ["https://a", "http://b:1"]),
        ("--security.seed-password=allow", |s| s.security.seed_password == SeedPassword::Allow),
        ("--security.require-safe-token=false", |s| !s.security.require_safe_token),
        ("--security.glue=admin", |s| s.security.glue == Glue::Admin),
        ("--security.trigger-addresses=any", |s| s.security.trigger_addresses == TriggerAddresses::Any),
        ("--security.executor-cidrs=10.0.0.0/8,fd00::/8", |s| s.security.executor_cidrs.len() == 2),
        ("--server.trusted-proxies=10.1.1.1", |s| s.server.trusted_proxies.len() == 1),
        ("--server.trusted-proxies=", |s| s.server.trusted_proxies.is_empty()),
        ("--executor.verify-tls=true", |s| s.executor.verify_tls),
        ("--executor.tokens.my-app=t", |s| s.executor.tokens["my-app"].expose_secret() == "t"),
        ("--trigger.in-flight-fast=16", |s| s.trigger.in_flight_fast == 16),
        ("--trigger.in-flight-slow=16", |s| s.trigger.in_flight_slow == 16),
        ("--trigger.per-address=2000", |s| s.trigger.per_address == 2000),
        ("--trigger.queue=5", |s| s.trigger.queue == 5),
        ("--trigger.max-wait=2m", |s| s.trigger.max_wait == Duration::from_mins(2)),
        ("--trigger.child-depth=0", |s| s.trigger.child_depth == 0),
        ("--scheduler.partitioning=off", |s| !s.scheduler.partitioning),
        ("--scheduler.recovery=count", |s| s.scheduler.recovery == Recovery::Count),
        ("--scheduler.recovery-grace=10", |s| s.scheduler.recovery_grace == Duration::from_secs(10)),
        ("--drain-timeout=0", |s| s.drain_timeout.is_zero()),
        ("--startup-timeout=5s", |s| s.startup_timeout == Duration::from_secs(5)),
        ("--init.admin-password=1234", |s| s.init_admin_password.is_some()),
        ("--data.dir=/data", |s| s.data_dir.to_str() == Some("/data")),
        ("--audit.file=/a.json", |s| s.audit_file.as_deref() == Some(Path::new("/a.json"))),
        ("--monitor.failed-interval=500ms", |s| s.monitor.failed_interval == Duration::from_millis(500)),
        ("--monitor.lost-after=1s", |s| s.monitor.lost_after == Duration::from_secs(1)),
        ("--registry.sweep-interval=1s", |s| s.monitor.sweep_interval == Duration::from_secs(1)),
    ];
    for (arg, is_right) in rows {
        assert!(is_right(&with(arg)), "{arg}");
    }
}

#[test]
fn what_no_key_can_be_is_a_fault_of_that_key() {
    for arg in [
        "--server.port=65536",
        "--server.address=here",
        "--server.servlet.context-path=/a b",
        "--spring.datasource.hikari.maximum-pool-size=0",
        "--xxl.job.timeout=3s",
        "--spring.mail.port=0",
        "--xxl-sso.token.key=a b",
        "--compat.release=2.2",
        "--compat.cron=3.1",
        "--compat.messages=odd",
        "--console.dialect=1",
        "--console.json-dates=iso",
        "--console.login-days=0",
        "--console.page-limit=99",
        "--console.cors-origins=*",
        "--security.seed-password=deny",
        "--security.glue=none",
        "--security.trigger-addresses=all",
        "--security.executor-cidrs=10/8",
        "--trigger.in-flight-fast=15",
        "--trigger.per-address=2001",
        "--trigger.max-wait=0",
        "--scheduler.recovery=maybe",
        "--scheduler.recovery-grace=9s",
        "--drain-timeout=11m",
        "--init.admin-password=123",
        "--logging.level.root=loud",
        "--api-token=x",
    ] {
        let faults = Start::new().args(&[arg]).faults();
        let key = arg.trim_start_matches("--").split('=').next().unwrap_or_default();
        assert_eq!(faults.iter().map(|fault| fault.key.as_str()).collect::<Vec<_>>(), [key], "{arg}");
        assert!(!faults[0].right.is_empty() && !faults[0].wrong.is_empty());
    }
}

#[test]
fn an_unsafe_token_is_refused_on_an_open_address_where_that_is_asked_for() {
    let asked = ["--security.require-safe-token=true", "--spring.datasource.url=mysql://h/d"];
    assert_eq!(Start::new().args(&asked).faults().len(), 1);
    assert_eq!(Start::new().args(&asked).args(&["--xxl.job.accessToken="]).faults().len(), 1);
    assert_eq!(Start::new().args(&asked).args(&["--server.address=127.0.0.1"]).faults(), []);
    assert_eq!(Start::new().args(&asked).args(&["--xxl.job.accessToken=long-and-random"]).faults(), []);
    assert_eq!(Start::new().args(&asked[..1]).faults(), [], "the embedded database listens on loopback");
}

#[test]
fn no_secret_is_ever_shown() {
    let start = Start::new()
        .args(&[
            "--spring.datasource.url=jdbc:mysql://me:s3cret-a@h/d?password=s3cret-b",
            "--spring.datasource.password=s3cret-c",
            "--xxl.job.accessToken=s3cret-d",
            "--spring.mail.host=h",
            "--spring.mail.from=a@b",
            "--spring.mail.password=s3cret-e",
            "--executor.tokens.app=s3cret-f",
            "--init.admin-password=s3cret-g",
        ])
        .env("UNRELATED", "s3cret-h")
        .file("xxl-job-admin.toml", "[database]\npassword = \"s3cret-i\"");
    let loaded = start.load();
    for text in [format!("{loaded:?}"), format!("{:?}", start.invocation)] {
        assert!(!text.contains("s3cret"), "{text}");
    }
    assert!(loaded.warnings.iter().all(|text| !text.contains("s3cret")));
    let broken = start.args(&["--init.admin-password=s3cret-that-is-far-too-long", "--server.port=x"]);
    let error = load(&broken.invocation).expect_err("two faults");
    assert_eq!(error.faults.len(), 2);
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
}

#[test]
fn bearer_tokens_come_from_the_file_alone() {
    let hash = "0".repeat(64);
    let text = format!("[[api-token]]\nname = \"ci\"\nhash = \"sha256:{hash}\"\nscope = \"read\"\n");
    let loaded = Start::new().file("xxl-job-admin.toml", &text).load();
    assert_eq!(loaded.settings.api_tokens.len(), 1);
    assert!(loaded.origins.iter().any(|origin| origin.key == "api-token ci" && origin.shown == "***"));
}

proptest::proptest! {
    #[test]
    fn no_start_line_makes_the_reading_panic(words in proptest::collection::vec("(--|-D|-)?[a-z.=$\\{\\}-]{0,20}", 0..6)) {
        let env = BTreeMap::from([("TZ".to_owned(), "UTC".to_owned())]);
        let _ = load(&Invocation { args: words, env, working_dir: "/nonexistent".into() });
    }
}
