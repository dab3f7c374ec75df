//! The keys of our own.

use std::path::PathBuf;
use std::time::Duration;

use super::super::profile::{CronFlavour, MessageLayout, Release};
use super::super::settings::{Dialect, Glue, JsonDates, Recovery, SeedPassword, TriggerAddresses};
use super::super::value::{Parsed, boolean, duration_in, networks, number_in, origins, put, word};
use super::Key;
use super::Set::{Named, One};

const TEN_MINUTES: Duration = Duration::from_mins(10);

pub(super) static KEYS: &[Key] = &[
    Key::own(
        "compat.release",
        "`auto`, `2.3`, `2.4`, `2.5`, `3.0`, `3.1`, `3.2`, `3.3`, `3.4`",
        "the release of the Java admin that we resemble; auto = as the tables say",
        One(|d, t| put(&mut d.settings.compat.release, auto(t, Release::parse))),
    ),
    Key::own(
        "compat.cron",
        "`auto`, `2.4`, `3.4`",
        "which cron grammar counts; auto = the release's",
        One(|d, t| put(&mut d.settings.compat.cron, auto(t, CronFlavour::parse))),
    ),
    Key::own(
        "compat.messages",
        "`auto`, `old`, `new`",
        "layout of stored messages; auto = the release's",
        One(|d, t| {
            let words = [("auto", None), ("old", Some(MessageLayout::Old)), ("new", Some(MessageLayout::New))];
            put(&mut d.settings.compat.messages, word(t, &words))
        }),
    ),
    Key::own(
        "console.dialect",
        "`auto`, `2`, `3.2`, `3`",
        "shape of an answer when the call gives no sign; auto = the release's",
        One(|d, t| {
            let words =
                [("auto", None), ("2", Some(Dialect::V2)), ("3.2", Some(Dialect::V3_2)), ("3", Some(Dialect::V3))];
            put(&mut d.settings.console.dialect, word(t, &words))
        }),
    ),
    Key::own(
        "console.strict",
        "`true`, `false`",
        "serve that one dialect only, exactly as recorded",
        One(|d, t| put(&mut d.settings.console.strict, boolean(t))),
    ),
    Key::own(
        "console.json-dates",
        "`auto`, `offset`, `z`, `plain`",
        "dates in JSON rows; auto = as dialect and release say",
        One(|d, t| {
            let words = [
                ("auto", None),
                ("offset", Some(JsonDates::Offset)),
                ("z", Some(JsonDates::Z)),
                ("plain", Some(JsonDates::Plain)),
            ];
            put(&mut d.settings.console.json_dates, word(t, &words))
        }),
    ),
    Key::own(
        "console.root-alias",
        "`auto`, `on`, `off`",
        "console JSON paths at the root too; auto = on for release 3.4",
        One(|d, t| {
            let auto = t.trim().eq_ignore_ascii_case("auto");
            put(&mut d.settings.console.root_alias, if auto { Ok(None) } else { boolean(t).map(Some) })
        }),
    ),
    Key::own(
        "console.shared-login",
        "`true`, `false`",
        "issue and accept the Java admins' own cookies as well; their 2.x form can be forged from a leaked password \
         hash",
        One(|d, t| put(&mut d.settings.console.shared_login, boolean(t))),
    ),
    Key::own(
        "console.login-days",
        "1 – 3650",
        "a login unused for so many days ends",
        One(|d, t| put(&mut d.settings.console.login_days, number_in(t, &(1..=3650)))),
    ),
    Key::own(
        "console.login-throttle",
        "`on`, `off`",
        "slow down and then refuse whoever guesses passwords",
        One(|d, t| put(&mut d.settings.console.login_throttle, boolean(t))),
    ),
    Key::own(
        "console.page-limit",
        "100 – 100000",
        "longer pages of a list are cut to it",
        One(|d, t| put(&mut d.settings.console.page_limit, number_in(t, &(100..=100_000)))),
    ),
    Key::own(
        "console.cors-origins",
        "list of origins such as `https://console.example.org`",
        "origins of other front ends in a browser, which may call the console",
        One(|d, t| put(&mut d.settings.console.cors_origins, origins(t))),
    )
    .unset("none"),
    Key::own(
        "security.seed-password",
        "`local`, `allow`",
        "where the seed password `123456` is accepted: from this machine alone, or from everywhere as with Java",
        One(|d, t| {
            let words = [("local", SeedPassword::Local), ("allow", SeedPassword::Allow)];
            put(&mut d.settings.security.seed_password, word(t, &words))
        }),
    ),
    Key::own(
        "security.require-safe-token",
        "`true`, `false`",
        "refuse to start with an empty or the default access token on an address that is not loopback",
        One(|d, t| put(&mut d.settings.security.require_safe_token, boolean(t))),
    ),
    Key::own(
        "security.glue",
        "`all`, `admin`, `off`",
        "who may create or change scripts; off: nobody, and runs of stored scripts end with code 500",
        One(|d, t| {
            put(
                &mut d.settings.security.glue,
                word(t, &[("all", Glue::All), ("admin", Glue::Admin), ("off", Glue::Off)]),
            )
        }),
    ),
    Key::own(
        "security.trigger-addresses",
        "`known`, `admin`, `any`",
        "addresses given to a manual run: only the group's; administrators are free; any, as with Java",
        One(|d, t| {
            let words = [
                ("known", TriggerAddresses::Known),
                ("admin", TriggerAddresses::Admin),
                ("any", TriggerAddresses::Any),
            ];
            put(&mut d.settings.security.trigger_addresses, word(t, &words))
        }),
    ),
    Key::own(
        "security.executor-cidrs",
        "list of networks such as `10.0.0.0/8`",
        "the only networks to which calls to executors go",
        One(|d, t| put(&mut d.settings.security.executor_cidrs, networks(t))),
    )
    .unset("all"),
    Key {
        empty_counts: true,
        ..Key::own(
            "server.trusted-proxies",
            "list of networks; empty = nobody",
            "whose X-Forwarded-For, -Proto and -Host are believed",
            One(|d, t| put(&mut d.settings.server.trusted_proxies, networks(t))),
        )
    },
    Key::own(
        "executor.verify-tls",
        "`true`, `false`",
        "check certificate and name of https executors; Java checks nothing",
        One(|d, t| put(&mut d.settings.executor.verify_tls, boolean(t))),
    ),
    Key::own(
        "executor.tokens.*",
        "app name → token",
        "token of one executor group, both ways",
        Named(|d, app, t| {
            d.settings.executor.tokens.insert(app.to_owned(), t.into());
            Ok(())
        }),
    )
    .unset("none")
    .secret(),
    Key::own(
        "trigger.in-flight-fast",
        "16 – 65536",
        "open executor calls in the fast lane",
        One(|d, t| put(&mut d.settings.trigger.in_flight_fast, number_in(t, &(16..=65_536)))),
    ),
    Key::own(
        "trigger.in-flight-slow",
        "16 – 65536",
        "open executor calls in the slow lane",
        One(|d, t| put(&mut d.settings.trigger.in_flight_slow, number_in(t, &(16..=65_536)))),
    ),
    Key::own(
        "trigger.per-address",
        "1 – 2000",
        "open calls to one executor address; more wait here",
        One(|d, t| put(&mut d.settings.trigger.per_address, number_in(t, &(1..=2000)))),
    ),
    Key::own(
        "trigger.queue",
        "1 – 10000000",
        "fires waiting in both lanes together",
        One(|d, t| put(&mut d.settings.trigger.queue, number_in(t, &(1..=10_000_000)))),
    ),
    Key::own(
        "trigger.max-wait",
        "1s – 24h",
        "longest wait for an address",
        One(|d, t| {
            put(&mut d.settings.trigger.max_wait, duration_in(t, &(Duration::from_secs(1)..=Duration::from_hours(24))))
        }),
    ),
    Key::own(
        "trigger.child-depth",
        "a number; 0 = no limit",
        "depth at which chains of child jobs are cut",
        One(|d, t| put(&mut d.settings.trigger.child_depth, number_in(t, &(0..=1_000_000)))),
    ),
    Key::own(
        "scheduler.partitioning",
        "`auto`, `off`",
        "no effect yet: parallel claiming of due jobs where the database and the other nodes allow it",
        One(|d, t| put(&mut d.settings.scheduler.partitioning, word(t, &[("auto", true), ("off", false)]))),
    ),
    Key::own(
        "scheduler.recovery",
        "`on`, `count`, `off`",
        "what becomes of fires that a dead node left: `count` = ended as failed, counted and logged; `off` = nothing; `on` \
         acts like `count` for now",
        One(|d, t| {
            let words = [("on", Recovery::On), ("count", Recovery::Count), ("off", Recovery::Off)];
            put(&mut d.settings.scheduler.recovery, word(t, &words))
        }),
    ),
    Key::own(
        "scheduler.recovery-grace",
        "10s – 10m",
        "how long a node may be silent before its fires are taken for lost",
        One(|d, t| {
            put(&mut d.settings.scheduler.recovery_grace, duration_in(t, &(Duration::from_secs(10)..=TEN_MINUTES)))
        }),
    ),
    Key::own(
        "drain-timeout",
        "0 – 10m",
        "how long a stop waits for queue and open calls",
        One(|d, t| put(&mut d.settings.drain_timeout, duration_in(t, &(Duration::ZERO..=TEN_MINUTES)))),
    ),
    Key::own(
        "startup-timeout",
        "0 – 10m",
        "how long a start waits for the database",
        One(|d, t| put(&mut d.settings.startup_timeout, duration_in(t, &(Duration::ZERO..=TEN_MINUTES)))),
    ),
    Key::own(
        "init.admin-password",
        "4 – 20 characters",
        "password of the administrator when tables are made",
        One(|d, t| {
            if !(4..=20).contains(&t.chars().count()) {
                return Err("it is too short or too long".into());
            }
            put(&mut d.settings.init_admin_password, Ok(Some(t.into())))
        }),
    )
    .unset("random, printed once")
    .secret(),
    Key::own(
        "data.dir",
        "a folder",
        "embedded database and its files; relative to the working directory",
        One(|d, t| put(&mut d.settings.data_dir, Ok(t.into()))),
    ),
    Key::own(
        "audit.file",
        "a path",
        "audit lines as JSON, a line each, beside the log lines of target `audit`; a file that is moved away is made anew",
        One(|d, t| put(&mut d.settings.audit_file, Ok(Some(PathBuf::from(t))))),
    )
    .unset("none"),
    Key::own(
        "monitor.failed-interval",
        "100ms – 1h",
        "rhythm of retries and alarms; for tests",
        One(|d, t| put(&mut d.settings.monitor.failed_interval, rhythm(t))),
    ),
    Key::own(
        "monitor.lost-interval",
        "100ms – 1h",
        "rhythm of the search for lost results; for tests",
        One(|d, t| put(&mut d.settings.monitor.lost_interval, rhythm(t))),
    ),
    Key::own(
        "monitor.lost-after",
        "100ms – 24h",
        "age at which an unanswered run of a dead executor counts as lost; for tests",
        One(|d, t| {
            let range = Duration::from_millis(100)..=Duration::from_hours(24);
            put(&mut d.settings.monitor.lost_after, duration_in(t, &range))
        }),
    ),
    Key::own(
        "registry.sweep-interval",
        "100ms – 1h",
        "rhythm of the search for dead executors; for tests",
        One(|d, t| put(&mut d.settings.monitor.sweep_interval, rhythm(t))),
    ),
    Key::own(
        "api-token",
        "tables `[[api-token]]` of the TOML file: name, hash, scope, groups, expires",
        "bearer tokens of scripts, in place of a login; `token new` makes them",
        One(|_, _| Err("bearer tokens are written into the TOML file alone".into())),
    )
    .unset("none")
    .secret(),
];

/// `auto` or one of the words that this function knows.
fn auto<T>(text: &str, parse: fn(&str) -> Option<T>) -> Parsed<Option<T>> {
    match text.trim() {
        "auto" => Ok(None),
        other => parse(other).map(Some).ok_or_else(|| format!("`{other}` is none of the words that it can be")),
    }
}

fn rhythm(text: &str) -> Parsed<Duration> {
    duration_in(text, &(Duration::from_millis(100)..=Duration::from_hours(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_the_absence_of_a_choice() {
        assert_eq!(auto("auto", Release::parse), Ok(None));
        assert_eq!(auto("3.2", Release::parse), Ok(Some(Release::V3_2)));
        assert!(auto("2.2", Release::parse).is_err());
    }
}
