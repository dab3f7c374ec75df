//! The keys of the Java admin.

use super::super::draft::{Draft, MailWords};
use super::super::value::{Parsed, address, boolean, milliseconds, number, number_in, put};
use super::super::zone::parse_zone;
use super::Set::{Named, One};
use super::{Key, Shown};
use crate::i18n::Locale;

/// Time that stands for "never" where the Java pool writes 0.
const NEVER: std::time::Duration = std::time::Duration::from_hours(24 * 3650);

pub(super) static KEYS: &[Key] = &[
    Key::java(
        "server.port",
        "server.port",
        "0 – 65535",
        "port of the HTTP server; `0` takes a free one and prints it",
        One(|d, t| put(&mut d.settings.server.port, number(t))),
    ),
    Key::java(
        "server.address",
        "server.address",
        "an IP address or `localhost`",
        "address to listen on",
        One(|d, t| put(&mut d.settings.server.address, address(t).map(Some))),
    )
    .unset("all; `127.0.0.1` while the database is the embedded default"),
    Key::java(
        "server.servlet.context-path",
        "server.context-path",
        "a path; `/` = the root",
        "where the console lives; `/api/*` answers at the root as well",
        One(|d, t| d.path("server.servlet.context-path", t, |d| &mut d.settings.server.context_path)),
    ),
    Key::java(
        "management.server.base-path",
        "server.management-path",
        "a path",
        "health, info and metrics, below the context path",
        One(|d, t| d.path("management.server.base-path", t, |d| &mut d.settings.server.management_path)),
    )
    .aliases(&["management.server.servlet.context-path", "management.endpoints.web.base-path"]),
    Key {
        shown: Shown::Url,
        ..Key::java(
            "spring.datasource.url",
            "database.url",
            "`jdbc:mysql://`, `jdbc:mariadb://`, `jdbc:postgresql://`, `jdbc:sqlite:`, `mysql://`, `postgres://`, `sqlite:`",
            "the database; its query parameters: see below",
            One(|d, t| put(&mut d.url, Ok(Some(t.to_owned())))),
        )
        .unset("the file `xxl-job.db` in `data.dir`")
    },
    Key::java(
        "spring.datasource.username",
        "database.username",
        "text",
        "login name at the database",
        One(|d, t| put(&mut d.settings.database.username, Ok(Some(t.to_owned())))),
    )
    .unset("none"),
    Key::java(
        "spring.datasource.password",
        "database.password",
        "text",
        "password at the database; never shown anywhere",
        One(|d, t| put(&mut d.settings.database.password, Ok(Some(t.into())))),
    )
    .unset("none")
    .secret(),
    Key::java(
        "spring.datasource.hikari.maximum-pool-size",
        "database.max-connections",
        "1 – 10000",
        "most connections to the database; the schedule scan has 2 of its own beside them",
        One(|d, t| put(&mut d.settings.database.max_connections, number_in(t, &(1..=10_000)))),
    ),
    Key::java(
        "spring.datasource.hikari.minimum-idle",
        "database.min-idle",
        "0 – 10000",
        "connections that are kept open",
        One(|d, t| put(&mut d.settings.database.min_idle, number_in(t, &(0..=10_000)))),
    ),
    Key::java(
        "spring.datasource.hikari.connection-timeout",
        "spring.datasource.hikari.connection-timeout",
        "milliseconds, or a time such as `10s`",
        "longest wait for a free connection",
        One(|d, t| put(&mut d.settings.database.connection_timeout, milliseconds(t).map(or_never))),
    ),
    Key::java(
        "spring.datasource.hikari.max-lifetime",
        "spring.datasource.hikari.max-lifetime",
        "milliseconds, or a time such as `15m`; 0 = for ever",
        "age at which a connection is replaced",
        One(|d, t| put(&mut d.settings.database.max_lifetime, milliseconds(t).map(or_never))),
    ),
    Key::java(
        "spring.datasource.hikari.idle-timeout",
        "spring.datasource.hikari.idle-timeout",
        "milliseconds, or a time such as `30s`; 0 = never",
        "idle time after which a spare connection is closed",
        One(|d, t| put(&mut d.settings.database.idle_timeout, milliseconds(t).map(or_never))),
    ),
    Key {
        empty_counts: true,
        ..Key::java(
            "xxl.job.accessToken",
            "job.access-token",
            "text; empty = no check",
            "token shared with the executors; the default and the empty one are warned of",
            One(|d, t| put(&mut d.settings.job.access_token, Ok(t.into()))),
        )
        .secret()
    },
    Key::java(
        "xxl.job.i18n",
        "job.i18n",
        "`zh_CN`, `zh_TC`, `en`; anything else is `zh_CN`",
        "language of JSON texts, stored messages and mails, and the one in which pages start",
        One(locale),
    )
    .unset("`zh_CN`; pages start in the browser's language"),
    Key::java(
        "xxl.job.timeout",
        "job.timeout",
        "seconds; to release 3.2: 1 – 10, from 3.3: 1 or more; else 3",
        "connecting to an executor and waiting for its answer, each",
        One(|d, t| put(&mut d.settings.job.timeout_s, number(t))),
    ),
    Key::java(
        "xxl.job.triggerpool.fast.max",
        "job.triggerpool.fast.max",
        "a number; less than 200 is 200",
        "with slow.max the number of jobs that one schedule pass reads; calls in flight have limits of their own: \
         `trigger.in-flight-fast`, `trigger.in-flight-slow`",
        One(|d, t| put(&mut d.settings.job.fast_max, number_in(t, &(0..=1_000_000)).map(Some))),
    )
    .unset("200; 300 from release 3.3"),
    Key::java(
        "xxl.job.triggerpool.slow.max",
        "job.triggerpool.slow.max",
        "a number; less than 100 is 100",
        "see fast.max",
        One(|d, t| put(&mut d.settings.job.slow_max, number_in(t, &(0..=1_000_000)).map(Some))),
    )
    .unset("100; 200 from release 3.3"),
    Key::java(
        "xxl.job.schedule.batchsize",
        "job.schedule.batchsize",
        "50 – 500, else 100",
        "rows in one write-back statement of the schedule scan",
        One(batch_size),
    ),
    Key::java(
        "xxl.job.logretentiondays",
        "job.logretentiondays",
        "days; smaller than 7 (from release 3.1: 3) = for ever",
        "how long logs are kept",
        One(|d, t| put(&mut d.settings.job.log_retention_days, number(t))),
    ),
    Key::java(
        "spring.mail.host",
        "mail.host",
        "a host name",
        "mail server for alarms; without it no mail is sent",
        One(|d, t| put(&mut d.mail.host, Ok(Some(t.to_owned())))),
    )
    .unset("none"),
    Key::java(
        "spring.mail.port",
        "mail.port",
        "1 – 65535",
        "its port; 465 means TLS from the first byte",
        One(|d, t| put(&mut d.mail.port, number_in(t, &(1..=65535)).map(Some))),
    )
    .unset("25; 465 with ssl.enable"),
    Key::java(
        "spring.mail.username",
        "mail.username",
        "text",
        "login name at the mail server",
        One(|d, t| put(&mut d.mail.username, Ok(Some(t.to_owned())))),
    )
    .unset("none"),
    Key::java(
        "spring.mail.password",
        "mail.password",
        "text",
        "password at the mail server",
        One(|d, t| put(&mut d.mail.password, Ok(Some(t.into())))),
    )
    .unset("none")
    .secret(),
    Key::java(
        "spring.mail.from",
        "mail.from",
        "a mail address",
        "sender of the alarms",
        One(|d, t| put(&mut d.mail.from, Ok(Some(t.to_owned())))),
    )
    .unset("`spring.mail.username`"),
    Key::java(
        "spring.mail.properties.mail.smtp.auth",
        "mail.auth",
        "`true`, `false`",
        "accepted; as with Java, name and password decide whether there is a login",
        One(|_, t| boolean(t).map(|_| ())),
    )
    .unset("by name and password"),
    Key::java(
        "spring.mail.properties.mail.smtp.starttls.enable",
        "mail.starttls",
        "`true`, `false`",
        "STARTTLS when the server offers it",
        One(|d, t| put(&mut d.mail.starttls, boolean(t))),
    )
    .unset("`false`"),
    Key::java(
        "spring.mail.properties.mail.smtp.starttls.required",
        "mail.starttls-required",
        "`true`, `false`",
        "STARTTLS or no mail",
        One(|d, t| put(&mut d.mail.starttls_required, boolean(t))),
    )
    .unset("`false`"),
    Key::java(
        "spring.mail.properties.mail.smtp.ssl.enable",
        "mail.ssl",
        "`true`, `false`",
        "TLS from the first byte",
        One(|d, t| put(&mut d.mail.ssl, boolean(t))),
    )
    .unset("`false`"),
    Key::java(
        "spring.mail.properties.mail.smtp.socketFactory.class",
        "mail.socket-factory",
        "a Java class",
        "one that names an SSL factory means TLS from the first byte; any other is ignored",
        One(|d, t| put(&mut d.mail.ssl_factory, Ok(MailWords::is_ssl_factory(t)))),
    )
    .unset("none"),
    Key::java(
        "xxl-sso.token.key",
        "console.token-cookie",
        "a cookie name",
        "name of the login cookie of the 3.x dialects",
        One(token_cookie),
    ),
    Key::java(
        "xxl-sso.token.timeout",
        "xxl-sso.token.timeout",
        "a number",
        "accepted without effect, as Java does not enforce it: `console.login-days` counts",
        One(|d, _| d.warn("xxl-sso.token.timeout has no effect, as in the Java admin: console.login-days counts")),
    )
    .unset("none"),
    Key::java(
        "spring.jackson.date-format",
        "spring.jackson.date-format",
        "`yyyy-MM-dd HH:mm:ss`",
        "the same as `console.json-dates` = `plain`",
        One(date_format),
    )
    .unset("none"),
    Key::java(
        "logging.level.*",
        "logging.level.*",
        "`trace`, `debug`, `info`, `warn`, `error`, `off`",
        "level of a logger: `root`, `com.xxl.job` (the whole program) or a module of this program",
        Named(Draft::log_level),
    )
    .unset("`info`"),
    Key::java(
        "logging.file.name",
        "logging.file.name",
        "a path",
        "log file instead of standard output: each day one with its date at the end of the name, the last 30 are kept",
        One(|d, t| put(&mut d.settings.logging.file, Ok(Some(t.into())))),
    )
    .unset("standard output"),
    Key::java(
        "LOG_HOME",
        "logging.home",
        "a folder",
        "log to `xxl-job-admin.log` in this folder, where `logging.file.name` is not set",
        One(|d, t| put(&mut d.log_home, Ok(Some(t.into())))),
    )
    .unset("none"),
    Key::java(
        "TZ",
        "time-zone",
        "`Asia/Shanghai`, `PRC`, `GMT+8`, `CST-8`, …",
        "process zone: cron, report days, log clean-up, dates on pages; also `-Duser.timezone`",
        One(|d, t| put(&mut d.zone, parse_zone(t).map(Some).map_err(|unknown| unknown.to_string()))),
    )
    .aliases(&["user.timezone"])
    .unset("the system's zone"),
];

fn or_never(time: std::time::Duration) -> std::time::Duration {
    if time.is_zero() { NEVER } else { time }
}

fn locale(draft: &mut Draft, text: &str) -> Parsed<()> {
    draft.settings.job.is_locale_set = true;
    draft.settings.job.locale = match text.trim() {
        "zh_CN" => Locale::ZhCn,
        "zh_TC" => Locale::ZhTc,
        "en" => Locale::En,
        other => {
            draft.warn(format!("xxl.job.i18n `{other}` is none of zh_CN, zh_TC and en: zh_CN is taken"))?;
            Locale::ZhCn
        }
    };
    Ok(())
}

fn batch_size(draft: &mut Draft, text: &str) -> Parsed<()> {
    let size: i64 = number(text)?;
    draft.settings.job.schedule_batch_size = if (50..=500).contains(&size) {
        size as usize
    } else {
        draft.warn(format!("xxl.job.schedule.batchsize {size} is not between 50 and 500: 100 is taken"))?;
        100
    };
    Ok(())
}

fn token_cookie(draft: &mut Draft, text: &str) -> Parsed<()> {
    let text = text.trim();
    if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)) {
        return Err("it has characters that the name of a cookie cannot have".into());
    }
    text.clone_into(&mut draft.settings.console.token_cookie);
    Ok(())
}

fn date_format(draft: &mut Draft, text: &str) -> Parsed<()> {
    draft.plain_dates = text.trim() == "yyyy-MM-dd HH:mm:ss";
    if draft.plain_dates {
        return Ok(());
    }
    draft.warn(format!(
        "spring.jackson.date-format `{}` is ignored: only yyyy-MM-dd HH:mm:ss is understood (console.json-dates)",
        text.trim()
    ))
}
