//! Settings in the making: the values of single keys first, then what follows from several of them together.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};

use super::jdbc;
use super::settings::{DatabaseUrl, JsonDates, Mail, MailTls, Settings};
use super::value::{self, Parsed};
use super::zone::system_zone;
use crate::clock::Zone;

/// The token that every Java admin has until somebody changes it.
const DEFAULT_TOKEN: &str = "default_token";

/// Settings in the making.
#[derive(Debug)]
pub struct Draft {
    /// What needs no other key to be known.
    pub settings: Settings,
    /// `spring.datasource.url`.
    pub url: Option<String>,
    /// The keys of the mail server.
    pub mail: MailWords,
    /// Process zone, where it is set.
    pub zone: Option<Zone>,
    /// `spring.jackson.date-format` asks for plain dates.
    pub plain_dates: bool,
    /// Folder of `LOG_HOME`.
    pub log_home: Option<PathBuf>,
    levels: BTreeMap<String, String>,
    warnings: Vec<String>,
}

/// The keys of the mail server as they are written.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each key that is true or false")]
pub struct MailWords {
    /// Host name.
    pub host: Option<String>,
    /// Port.
    pub port: Option<u16>,
    /// Login name.
    pub username: Option<String>,
    /// Password.
    pub password: Option<SecretString>,
    /// Sender.
    pub from: Option<String>,
    /// `starttls.enable`.
    pub starttls: bool,
    /// `starttls.required`.
    pub starttls_required: bool,
    /// `ssl.enable`.
    pub ssl: bool,
    /// `socketFactory.class` names an SSL factory.
    pub ssl_factory: bool,
}

/// Something wrong between several keys: the key to name, what is wrong, what is right.
pub type Conflict = (&'static str, String, String);

/// What has become of a draft.
#[derive(Debug)]
pub struct Finished {
    /// The settings; not to be used while there are conflicts.
    pub settings: Settings,
    /// What is worth telling.
    pub warnings: Vec<String>,
    /// What is wrong.
    pub conflicts: Vec<Conflict>,
}

impl Default for Draft {
    fn default() -> Self {
        let mut settings = Settings::for_database(DatabaseUrl::Sqlite(PathBuf::new()));
        settings.server.address = None;
        Self {
            settings,
            url: None,
            mail: MailWords::default(),
            zone: None,
            plain_dates: false,
            log_home: None,
            levels: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}

impl Draft {
    /// Notes something worth telling. Never fails; the type is what a parser returns.
    pub fn warn(&mut self, text: impl Into<String>) -> Parsed<()> {
        self.warnings.push(text.into());
        Ok(())
    }

    /// Reads a path of the HTTP server; a missing slash at its start is repaired and told.
    pub fn path(&mut self, key: &str, text: &str, slot: fn(&mut Self) -> &mut String) -> Parsed<()> {
        let (path, repaired) = value::path(text)?;
        if repaired {
            self.warn(format!("{key} has no leading slash: {path} is taken"))?;
        }
        *slot(self) = path;
        Ok(())
    }

    /// Reads a level of a logger; those of Java's libraries mean nothing here.
    pub fn log_level(&mut self, logger: &str, text: &str) -> Parsed<()> {
        let level = match text.trim().to_ascii_lowercase().as_str() {
            "trace" => "trace",
            "debug" => "debug",
            "info" | "true" => "info",
            "warn" => "warn",
            "error" | "fatal" => "error",
            "off" | "false" => "off",
            other => return Err(format!("`{other}` is not a level")),
        };
        let target = logger.replace('-', "_").replace('.', "::");
        let target = if logger.eq_ignore_ascii_case("root") {
            ""
        } else if logger.to_ascii_lowercase().starts_with("com.xxl.job") {
            "xxl_job_admin"
        } else if target == "audit" || target.starts_with("xxl_job_admin") {
            target.as_str()
        } else {
            return self.warn(format!("logging.level.{logger} means nothing here and is ignored"));
        };
        self.levels.insert(target.to_owned(), level.to_owned());
        Ok(())
    }

    /// What follows from several keys together. Relative paths count from `working_dir`; `etc` tells the system's zone.
    pub fn finish(mut self, working_dir: &Path, etc: &Path) -> Finished {
        let mut conflicts = Vec::new();
        self.settings.zone = self.zone.take().unwrap_or_else(|| system_zone(etc));
        self.settings.data_dir = working_dir.join(&self.settings.data_dir);
        self.settings.audit_file = self.settings.audit_file.take().map(|file| working_dir.join(file));
        if self.plain_dates {
            self.settings.console.json_dates = self.settings.console.json_dates.or(Some(JsonDates::Plain));
        }
        self.finish_logging(working_dir);
        self.finish_mail();
        self.finish_database(working_dir, &mut conflicts);
        self.finish_token(&mut conflicts);
        if self.settings.console.shared_login {
            self.warnings.push(
                "console.shared-login is on: the Java admins' 2.x cookie can be forged from a leaked password hash"
                    .into(),
            );
        }
        Finished { settings: self.settings, warnings: self.warnings, conflicts }
    }

    fn finish_logging(&mut self, working_dir: &Path) {
        let root = self.levels.remove("").unwrap_or_else(|| "info".into());
        let targets = self.levels.iter().map(|(target, level)| format!("{target}={level}"));
        self.settings.logging.filter = std::iter::once(root).chain(targets).collect::<Vec<_>>().join(",");
        let home = self.log_home.take().map(|home| home.join("xxl-job-admin.log"));
        self.settings.logging.file = self.settings.logging.file.take().or(home).map(|file| working_dir.join(file));
    }

    fn finish_mail(&mut self) {
        let words = std::mem::take(&mut self.mail);
        let Some(host) = words.host.clone() else {
            if words.username.is_some() || words.from.is_some() {
                self.warnings.push("no mail is sent: spring.mail.host is not set".into());
            }
            return;
        };
        let tls = words.tls();
        let Some(from) = words.from.or_else(|| words.username.clone()).filter(|from| from.contains('@')) else {
            self.warnings.push("no mail is sent: spring.mail.from is not set to an address".into());
            return;
        };
        self.settings.mail = Some(Mail {
            host,
            port: words.port.unwrap_or(if words.ssl { 465 } else { 25 }),
            username: words.username,
            password: words.password,
            from,
            tls,
        });
    }

    fn finish_database(&mut self, working_dir: &Path, conflicts: &mut Vec<Conflict>) {
        let database = &mut self.settings.database;
        database.min_idle = database.min_idle.min(database.max_connections);
        let Some(url) = self.url.take() else {
            let file = self.settings.data_dir.join("xxl-job.db");
            database.embedded = true;
            self.warnings
                .push(format!("spring.datasource.url is not set: the embedded database {} is used", file.display()));
            database.url = DatabaseUrl::Sqlite(file);
            if self.settings.server.address.is_none() {
                self.settings.server.address = Some(IpAddr::from([127, 0, 0, 1]));
                self.warnings.push(
                    "with the embedded database only this machine reaches the console; --server.address=0.0.0.0 opens it"
                        .into(),
                );
            }
            return;
        };
        match jdbc::parse(&url, working_dir) {
            Ok(parsed) => {
                self.warnings.extend(parsed.warnings);
                database.url = parsed.url;
                database.column_zone = parsed.column_zone;
                database.username = database.username.take().or(parsed.username);
                database.password = database.password.take().or(parsed.password);
            }
            Err(wrong) => conflicts.push((
                "spring.datasource.url",
                wrong,
                "a URL such as jdbc:mysql://127.0.0.1:3306/xxl_job?serverTimezone=Asia/Shanghai".into(),
            )),
        }
    }

    fn finish_token(&mut self, conflicts: &mut Vec<Conflict>) {
        let token = self.settings.job.access_token.expose_secret();
        let state = match token.trim() {
            "" => "empty: whoever reaches this admin can register executors and report results",
            DEFAULT_TOKEN => "the default that everybody knows",
            _ => return,
        };
        let loopback = self.settings.server.address.is_some_and(|address| address.is_loopback());
        if self.settings.security.require_safe_token && !loopback {
            conflicts.push((
                "xxl.job.accessToken",
                format!("it is {state}, and security.require-safe-token is on"),
                "a long random text, the same at every executor".into(),
            ));
        } else {
            self.warnings
                .push(format!("xxl.job.accessToken is {state}; set a long random text here and at the executors"));
        }
    }
}

impl MailWords {
    /// Whether a Java class is a socket factory for SSL.
    pub fn is_ssl_factory(class: &str) -> bool {
        class.to_ascii_lowercase().contains("ssl")
    }

    fn tls(&self) -> MailTls {
        if self.ssl || self.ssl_factory || self.port == Some(465) {
            MailTls::Wrapper
        } else if self.starttls_required {
            MailTls::Required
        } else if self.starttls {
            MailTls::Opportunistic
        } else {
            MailTls::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(words: MailWords) -> (Option<Mail>, Vec<String>) {
        let draft = Draft { mail: words, url: Some("mysql://h/d".into()), ..Draft::default() };
        let done = draft.finish(Path::new("/srv"), Path::new("/nowhere"));
        (done.settings.mail, done.warnings)
    }

    fn words() -> MailWords {
        MailWords { host: Some("h".into()), username: Some("me@h".into()), ..MailWords::default() }
    }

    #[test]
    fn mail_is_encrypted_as_the_keys_ask() {
        for (words, port, tls) in [
            (words(), 25, MailTls::Plain),
            (MailWords { starttls: true, ..words() }, 25, MailTls::Opportunistic),
            (MailWords { starttls: true, starttls_required: true, ..words() }, 25, MailTls::Required),
            (MailWords { ssl: true, ..words() }, 465, MailTls::Wrapper),
            (MailWords { port: Some(465), ..words() }, 465, MailTls::Wrapper),
            (MailWords { port: Some(25), ssl_factory: true, starttls_required: true, ..words() }, 25, MailTls::Wrapper),
        ] {
            let (mail, _) = mail(words);
            assert_eq!(mail.map(|mail| (mail.port, mail.tls)), Some((port, tls)));
        }
        assert!(MailWords::is_ssl_factory("javax.net.ssl.SSLSocketFactory"));
        assert!(!MailWords::is_ssl_factory("javax.net.DefaultSocketFactory"));
    }

    #[test]
    fn mail_without_a_host_or_a_sender_is_no_mail_and_is_told() {
        let (none, warnings) = mail(MailWords::default());
        assert!(none.is_none() && !warnings.iter().any(|text| text.contains("mail")));
        for words in [MailWords { host: None, ..words() }, MailWords { username: Some("me".into()), ..words() }] {
            let (none, warnings) = mail(words);
            assert!(none.is_none() && warnings.iter().any(|text| text.contains("no mail is sent")));
        }
    }

    #[test]
    fn levels_become_a_filter() {
        let mut draft = Draft::default();
        for (logger, level) in [
            ("root", "WARN"),
            ("com.xxl.job.admin", "DEBUG"),
            ("xxl-job-admin.schedule", "trace"),
            ("org.springframework", "ERROR"),
        ] {
            draft.log_level(logger, level).expect("a level");
        }
        assert!(draft.log_level("root", "loud").is_err());
        let done = draft.finish(Path::new("/srv"), Path::new("/nowhere"));
        assert_eq!(done.settings.logging.filter, "warn,xxl_job_admin=debug,xxl_job_admin::schedule=trace");
        assert!(done.warnings.iter().any(|text| text.contains("org.springframework")));
    }
}
