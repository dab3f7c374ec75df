//! The database URL as the Java admin's `spring.datasource.url` has it, and the native URLs of the databases.
//!
//! Connector/J, MariaDB Connector/J and the PostgreSQL driver each have their own query parameters; those that mean
//! something here are understood, those that the Java admin's own URL carries and that are fulfilled anyway are
//! accepted, and all others are named. Messages never contain a value of the URL beyond host and port.

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::SecretString;

use super::settings::{DatabaseTls, DatabaseUrl, ServerUrl};
use super::zone::parse_zone_id;
use crate::clock::Zone;

/// What a URL says.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// Where the database is.
    pub url: DatabaseUrl,
    /// `serverTimezone` or `connectionTimeZone`.
    pub column_zone: Option<Zone>,
    /// Login name inside the URL.
    pub username: Option<String>,
    /// Password inside the URL.
    pub password: Option<SecretString>,
    /// What is worth telling, e.g. parameters without a meaning.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    MySql,
    Postgres,
}

impl Kind {
    const fn port(self) -> u16 {
        match self {
            Self::MySql => 3306,
            Self::Postgres => 5432,
        }
    }
}

const KNOWN: &str = "jdbc:mysql, jdbc:mariadb, jdbc:postgresql, jdbc:sqlite, mysql, mariadb, postgres or sqlite";

/// Reads a URL; relative SQLite paths count from `working_dir`.
///
/// # Errors
/// What is wrong, without the URL's secrets.
pub fn parse(text: &str, working_dir: &Path) -> Result<Parsed, String> {
    let text = text.trim();
    let jdbc = strip_scheme(text, "jdbc").is_some();
    let native = strip_scheme(text, "jdbc").unwrap_or(text);
    let (scheme, rest) = native.split_once(':').ok_or_else(|| format!("it does not start with {KNOWN}"))?;
    match scheme.to_ascii_lowercase().as_str() {
        "mysql" | "mariadb" => server(Kind::MySql, jdbc, rest),
        "postgresql" | "postgres" => server(Kind::Postgres, jdbc, rest),
        "sqlite" => sqlite(rest, working_dir),
        other => Err(format!("`{other}` is not one of {KNOWN}")),
    }
}

/// The URL without passwords, to be shown.
pub fn redact(text: &str) -> String {
    let credentials = text.find("//").map(|start| start + 2).zip(text.rfind('@')).filter(|(start, at)| start <= at);
    let text = match credentials {
        Some((start, at)) => {
            // A question mark before the last `@` is a part of the password or starts a query with an `@` in it; what
            // is what cannot be told, so nothing of it is shown.
            let inner = &text[start..at];
            let name = if inner.contains('?') { "" } else { inner.split(':').next().unwrap_or_default() };
            format!("{}{name}:***{}", &text[..start], &text[at..])
        }
        None => text.to_owned(),
    };
    let (base, query) = text.split_once('?').map_or((text.as_str(), None), |(base, query)| (base, Some(query)));
    let Some(query) = query else { return base.to_owned() };
    let shown: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if !is_plain(name) => format!("{name}=***"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{base}?{}", shown.join("&"))
}

/// Whether the value of a parameter may be shown: an allow list, since drivers have many a name for a password.
fn is_plain(name: &str) -> bool {
    const PLAIN: [&str; 17] = [
        "servertimezone",
        "connectiontimezone",
        "timezone",
        "usessl",
        "sslmode",
        "requiressl",
        "verifyservercertificate",
        "trustservercertificate",
        "characterencoding",
        "useunicode",
        "allowpublickeyretrieval",
        "connecttimeout",
        "sockettimeout",
        "autoreconnect",
        "ssl",
        "sslrootcert",
        "serversslcert",
    ];
    PLAIN.contains(&name.to_ascii_lowercase().as_str())
}

fn strip_scheme<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = text.split_once(':')?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// `//user:password@host:port,host:port/database?query`, for MySQL also `loadbalance://…` and its like.
fn server(kind: Kind, jdbc: bool, rest: &str) -> Result<Parsed, String> {
    let mut warnings = Vec::new();
    let (mode, rest) = rest.split_once("//").ok_or("there is no `//` before the host")?;
    if !mode.is_empty() {
        warnings.push(format!(
            "the mode `{}` of the database URL means nothing here: the hosts are tried in their order",
            mode.trim_end_matches(':')
        ));
    }
    let (base, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = base.split_once('/').unwrap_or((base, ""));
    let (credentials, hosts) =
        authority.rsplit_once('@').map_or((None, authority), |(credentials, hosts)| (Some(credentials), hosts));
    let (username, password) = match credentials.map(|both| both.split_once(':').unwrap_or((both, ""))) {
        Some((name, password)) => (Some(decode(name)), (!password.is_empty()).then(|| decode(password))),
        None => (None, None),
    };
    let database = decode(database);
    if database.is_empty() {
        return Err("the name of the database is missing after the host".into());
    }
    let hosts = hosts.split(',').map(|item| host(item, kind.port())).collect::<Result<_, _>>()?;
    let mut read = Query { kind, jdbc, warnings, username, password, ..Query::new(kind) };
    read.all(query)?;
    read.finish(hosts, database)
}

fn host(item: &str, default_port: u16) -> Result<(String, u16), String> {
    let item = item.trim();
    if item.contains(['(', ')', '=']) {
        return Err("the form `address=(host=…)` is not understood; write host:port,host:port".into());
    }
    let (name, port) = match item.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((name, port)) => (name, port.strip_prefix(':')),
        None => item.split_once(':').map_or((item, None), |(name, port)| (name, Some(port))),
    };
    let port = match port {
        None | Some("") => default_port,
        Some(port) => port
            .parse::<u16>()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| format!("the port of host `{name}` is not a number from 1 to 65535"))?,
    };
    Ok((if name.is_empty() { "localhost".into() } else { name.into() }, port))
}

/// The query of a URL, read parameter by parameter.
#[derive(Debug)]
struct Query {
    kind: Kind,
    jdbc: bool,
    warnings: Vec<String>,
    username: Option<String>,
    password: Option<String>,
    column_zone: Option<Zone>,
    tls: Option<DatabaseTls>,
    use_ssl: Option<bool>,
    require_ssl: bool,
    verify_certificate: bool,
    root_certificate: Option<String>,
    connect_timeout: Option<Duration>,
    socket_timeout: Option<Duration>,
    unknown: Vec<String>,
}

impl Query {
    const fn new(kind: Kind) -> Self {
        Self {
            kind,
            jdbc: true,
            warnings: Vec::new(),
            username: None,
            password: None,
            column_zone: None,
            tls: None,
            use_ssl: None,
            require_ssl: false,
            verify_certificate: false,
            root_certificate: None,
            connect_timeout: None,
            socket_timeout: None,
            unknown: Vec::new(),
        }
    }

    fn all(&mut self, query: &str) -> Result<(), String> {
        // `&amp;` is what is left of a URL that was copied out of an XML file.
        for pair in query.replace("&amp;", "&").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            self.one(&decode(name), &decode(value))?;
        }
        Ok(())
    }

    fn one(&mut self, name: &str, value: &str) -> Result<(), String> {
        let normal: String = name.to_ascii_lowercase().replace(['-', '_'], "");
        match normal.as_str() {
            "user" | "username" => self.username = Some(value.into()),
            "password" => self.password = Some(value.into()),
            "servertimezone" | "connectiontimezone" => self.zone(name, value)?,
            "timezone" if self.kind == Kind::MySql => self.zone(name, value)?,
            "sslmode" => self.tls = Some(tls(name, value)?),
            "usessl" => self.use_ssl = Some(flag(name, value)?),
            // The PostgreSQL driver's `ssl=true` checks certificate and name.
            "ssl" if self.kind == Kind::Postgres => {
                self.tls = self.tls.or(flag(name, value)?.then_some(DatabaseTls::VerifyIdentity));
            }
            "requiressl" => self.require_ssl = flag(name, value)?,
            "verifyservercertificate" => self.verify_certificate = flag(name, value)?,
            "trustservercertificate" => self.verify_certificate = !flag(name, value)?,
            "trustcertificatekeystoreurl" | "sslrootcert" | "serversslcert" => {
                self.root_certificate = Some(value.strip_prefix("file:").unwrap_or(value).into());
            }
            "connecttimeout" => self.connect_timeout = self.time(name, value)?,
            "sockettimeout" => self.socket_timeout = self.time(name, value)?,
            "characterencoding" => {
                if !value.to_ascii_lowercase().replace('-', "").starts_with("utf8") {
                    self.warnings.push(format!("{name} of the database URL is ignored: the connection is UTF-8"));
                }
            }
            // Fulfilled anyway: text is Unicode, lost connections are replaced, the key exchange needs no leave.
            "useunicode" | "autoreconnect" | "allowpublickeyretrieval" => {
                flag(name, value)?;
            }
            _ => self.unknown.push(name.to_owned()),
        }
        Ok(())
    }

    fn zone(&mut self, name: &str, value: &str) -> Result<(), String> {
        match value.to_ascii_uppercase().as_str() {
            "" | "LOCAL" => self.column_zone = None,
            "SERVER" | "AUTO" => {
                return Err(format!("{name}={value} leaves the zone of the stored times open; write its name"));
            }
            _ => self.column_zone = Some(parse_zone_id(value).map_err(|unknown| format!("{name}: {unknown}"))?),
        }
        Ok(())
    }

    /// Milliseconds, in the PostgreSQL driver seconds; 0 = none.
    fn time(&self, name: &str, value: &str) -> Result<Option<Duration>, String> {
        let count: u32 = value.trim().parse().map_err(|_| format!("{name} is not a whole number"))?;
        let unit = if self.kind == Kind::Postgres { 1000 } else { 1 };
        Ok((count > 0).then(|| Duration::from_millis(u64::from(count) * unit)))
    }

    /// How Connector/J reads its older flags where `sslMode` is not given.
    fn encryption(&self) -> DatabaseTls {
        self.tls.unwrap_or(match self.use_ssl {
            Some(false) => DatabaseTls::Disabled,
            _ if self.verify_certificate => DatabaseTls::VerifyCa,
            _ if self.require_ssl => DatabaseTls::Required,
            _ => DatabaseTls::Preferred,
        })
    }

    fn finish(mut self, hosts: Vec<(String, u16)>, database: String) -> Result<Parsed, String> {
        let tls = self.encryption();
        let root_certificate = match self.root_certificate.take() {
            Some(path) if is_key_store(&path) => {
                if matches!(tls, DatabaseTls::VerifyCa | DatabaseTls::VerifyIdentity) {
                    return Err(
                        "the certificate store is a Java key store; export its certificate as a PEM file".into()
                    );
                }
                self.warnings.push("the Java key store of the database URL is ignored".into());
                None
            }
            path => path.map(|path| PathBuf::from(path.strip_prefix("//").unwrap_or(&path))),
        };
        if !self.unknown.is_empty() {
            let what = if self.jdbc { "JDBC URL" } else { "database URL" };
            let names = self.unknown.join(", ");
            self.warnings.push(format!("parameters of the {what} that mean nothing here and are ignored: {names}"));
        }
        let server = ServerUrl {
            hosts,
            database,
            tls,
            root_certificate,
            connect_timeout: self.connect_timeout,
            socket_timeout: self.socket_timeout,
        };
        Ok(Parsed {
            url: match self.kind {
                Kind::MySql => DatabaseUrl::MySql(server),
                Kind::Postgres => DatabaseUrl::Postgres(server),
            },
            column_zone: self.column_zone,
            username: self.username.filter(|name| !name.is_empty()),
            password: self.password.map(SecretString::from),
            warnings: self.warnings,
        })
    }
}

fn is_key_store(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    !["pem", "crt", "cer", "cert"].iter().any(|end| lower.ends_with(&format!(".{end}")))
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "" | "true" | "yes" | "1" => Ok(true),
        "false" | "no" | "0" => Ok(false),
        _ => Err(format!("{name} is neither true nor false")),
    }
}

/// The words of the three drivers.
fn tls(name: &str, value: &str) -> Result<DatabaseTls, String> {
    match value.to_ascii_lowercase().replace('-', "_").as_str() {
        "disabled" | "disable" => Ok(DatabaseTls::Disabled),
        "preferred" | "prefer" | "allow" => Ok(DatabaseTls::Preferred),
        "required" | "require" | "trust" => Ok(DatabaseTls::Required),
        "verify_ca" => Ok(DatabaseTls::VerifyCa),
        "verify_identity" | "verify_full" => Ok(DatabaseTls::VerifyIdentity),
        _ => Err(format!("{name} is none of DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY")),
    }
}

fn sqlite(rest: &str, working_dir: &Path) -> Result<Parsed, String> {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = decode(path.strip_prefix("file:").unwrap_or(path));
    if path.is_empty() || path.contains(":memory:") {
        return Err("the embedded database needs a file".into());
    }
    let names: Vec<&str> =
        query.split('&').filter_map(|pair| pair.split('=').next()).filter(|n| !n.is_empty()).collect();
    let warnings = if names.is_empty() {
        Vec::new()
    } else {
        vec![format!("parameters of the database URL that mean nothing here and are ignored: {}", names.join(", "))]
    };
    Ok(Parsed {
        url: DatabaseUrl::Sqlite(working_dir.join(path)),
        column_zone: None,
        username: None,
        password: None,
        warnings,
    })
}

/// `%XX` decoded; `+` stays, or `serverTimezone=GMT+8` would lose its sign.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|pair| hex::decode(pair).ok());
        if let Some(byte) = hex {
            bytes.extend(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use secrecy::ExposeSecret;

    use super::*;

    fn read(text: &str) -> Parsed {
        parse(text, Path::new("/srv")).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn server_of(parsed: &Parsed) -> &ServerUrl {
        match &parsed.url {
            DatabaseUrl::MySql(server) | DatabaseUrl::Postgres(server) => server,
            DatabaseUrl::Sqlite(path) => panic!("{} is a file", path.display()),
        }
    }

    #[test]
    fn the_java_admins_own_url_means_what_it_meant_and_warns_of_nothing() {
        let parsed = read(
            "jdbc:mysql://127.0.0.1:3306/xxl_job?useUnicode=true&characterEncoding=UTF-8&autoReconnect=true&\
             serverTimezone=Asia/Shanghai",
        );
        assert!(matches!(parsed.url, DatabaseUrl::MySql(_)));
        assert_eq!(server_of(&parsed).hosts, [("127.0.0.1".to_owned(), 3306)]);
        assert_eq!(server_of(&parsed).database, "xxl_job");
        assert_eq!(parsed.column_zone.map(|zone| zone.name().to_owned()).as_deref(), Some("Asia/Shanghai"));
        assert_eq!(parsed.warnings, [""; 0]);
    }

    #[test]
    fn each_scheme_is_known() {
        for url in ["jdbc:mysql://h/d", "jdbc:mariadb://h/d", "mysql://h/d", "mariadb://h/d", "JDBC:MySQL://h/d"] {
            assert!(matches!(read(url).url, DatabaseUrl::MySql(_)), "{url}");
            assert_eq!(server_of(&read(url)).hosts, [("h".to_owned(), 3306)]);
        }
        for url in ["jdbc:postgresql://h/d", "postgres://h/d", "postgresql://h/d"] {
            assert!(matches!(read(url).url, DatabaseUrl::Postgres(_)), "{url}");
            assert_eq!(server_of(&read(url)).hosts, [("h".to_owned(), 5432)]);
        }
        for (url, path) in [
            ("jdbc:sqlite:/data/x.db", "/data/x.db"),
            ("sqlite:x.db", "/srv/x.db"),
            ("sqlite://x.db", "/srv/x.db"),
            ("sqlite:///data/x%20y.db", "/data/x y.db"),
            ("jdbc:sqlite:file:x.db", "/srv/x.db"),
        ] {
            assert_eq!(read(url).url, DatabaseUrl::Sqlite(path.into()), "{url}");
        }
    }

    #[test]
    fn several_hosts_are_a_list_in_order() {
        let parsed = read("jdbc:mysql://a:1,b,[::1]:3/d");
        assert_eq!(server_of(&parsed).hosts, [("a".into(), 1), ("b".into(), 3306), ("::1".into(), 3)]);
        assert_eq!(read("jdbc:mysql:///d").warnings.len(), 0);
        assert_eq!(server_of(&read("jdbc:mysql:///d")).hosts, [("localhost".to_owned(), 3306)]);
        let balanced = read("jdbc:mysql:loadbalance://a,b/d");
        assert_eq!(server_of(&balanced).hosts.len(), 2);
        assert_eq!(balanced.warnings.len(), 1);
    }

    #[test]
    fn every_way_to_ask_for_encryption() {
        use DatabaseTls::{Disabled, Preferred, Required, VerifyCa, VerifyIdentity};
        for (query, tls) in [
            ("", Preferred),
            ("useSSL=false", Disabled),
            ("useSSL=true", Preferred),
            ("useSSL=true&requireSSL=true", Required),
            ("useSSL=true&verifyServerCertificate=true", VerifyCa),
            ("useSSL=false&requireSSL=true", Disabled),
            ("sslMode=DISABLED", Disabled),
            ("sslMode=PREFERRED", Preferred),
            ("sslMode=REQUIRED&useSSL=false", Required),
            ("sslMode=VERIFY_CA", VerifyCa),
            ("sslMode=VERIFY_IDENTITY", VerifyIdentity),
            ("sslMode=verify-full", VerifyIdentity),
            ("sslMode=trust", Required),
        ] {
            assert_eq!(server_of(&read(&format!("jdbc:mysql://h/d?{query}"))).tls, tls, "{query}");
        }
        assert_eq!(server_of(&read("jdbc:postgresql://h/d?ssl=true")).tls, VerifyIdentity);
        assert_eq!(server_of(&read("jdbc:postgresql://h/d?ssl=true&sslmode=require")).tls, Required);
        assert_eq!(server_of(&read("postgres://h/d?sslmode=verify-ca&sslrootcert=/c.pem")).tls, VerifyCa);
    }

    #[test]
    fn a_certificate_file_is_taken_and_a_key_store_is_refused_where_it_would_count() {
        let parsed = read("jdbc:mysql://h/d?sslMode=VERIFY_CA&trustCertificateKeyStoreUrl=file:///etc/ca.pem");
        assert_eq!(server_of(&parsed).root_certificate.as_deref(), Some(Path::new("/etc/ca.pem")));
        let store = "jdbc:mysql://h/d?trustCertificateKeyStoreUrl=file:/etc/ca.jks";
        assert_eq!(server_of(&read(store)).root_certificate, None);
        assert_eq!(read(store).warnings.len(), 1);
        assert!(parse(&format!("{store}&sslMode=VERIFY_CA"), Path::new("/")).is_err());
    }

    #[test]
    fn the_other_parameters() {
        let parsed =
            read("jdbc:mysql://h/d?connectTimeout=2500&socketTimeout=0&allowPublicKeyRetrieval=true&tinyInt1isBit=x");
        assert_eq!(server_of(&parsed).connect_timeout, Some(Duration::from_millis(2500)));
        assert_eq!(server_of(&parsed).socket_timeout, None);
        assert_eq!(
            parsed.warnings,
            ["parameters of the JDBC URL that mean nothing here and are ignored: tinyInt1isBit"]
        );
        let parsed = read("jdbc:postgresql://h/d?connectTimeout=2&socketTimeout=30");
        assert_eq!(server_of(&parsed).connect_timeout, Some(Duration::from_secs(2)));
        assert_eq!(server_of(&parsed).socket_timeout, Some(Duration::from_secs(30)));
        assert_eq!(read("jdbc:mysql://h/d?characterEncoding=gbk").warnings.len(), 1);
    }

    #[test]
    fn the_column_zone_in_its_spellings() {
        for (query, name) in [
            ("serverTimezone=GMT%2B8", Some("GMT+8")),
            ("serverTimezone=GMT+8", Some("GMT+8")),
            ("connectionTimeZone=Asia/Tokyo", Some("Asia/Tokyo")),
            ("connectionTimeZone=LOCAL", None),
            ("serverTimezone=UTC", Some("UTC")),
            ("x=y", None),
        ] {
            let zone = read(&format!("jdbc:mysql://h/d?{query}")).column_zone;
            assert_eq!(zone.as_ref().map(Zone::name), name, "{query}");
        }
        for query in ["serverTimezone=Asia/Beijing", "connectionTimeZone=SERVER"] {
            assert!(parse(&format!("jdbc:mysql://h/d?{query}"), Path::new("/")).is_err(), "{query}");
        }
    }

    #[test]
    fn secrets_of_a_url_are_read_but_never_shown() {
        for url in ["mysql://me:pa%40ss@h/d", "jdbc:mysql://h/d?user=me&password=pa@ss&useSSL=false"] {
            let parsed = read(url);
            assert_eq!(parsed.username.as_deref(), Some("me"));
            assert_eq!(parsed.password.as_ref().map(ExposeSecret::expose_secret), Some("pa@ss"));
            for shown in [redact(url), format!("{parsed:?}")] {
                assert!(!shown.contains("pa@ss") && !shown.contains("pa%40ss"), "{shown}");
            }
        }
        assert_eq!(
            redact("jdbc:mysql://h/d?useSSL=false&clientCertificateKeyStorePassword=x"),
            "jdbc:mysql://h/d?useSSL=false&clientCertificateKeyStorePassword=***"
        );
        let wrong = parse("mysql://me:hidden@h:hidden2/d", Path::new("/")).expect_err("the port is no number");
        assert!(!wrong.contains("hidden"), "{wrong}");
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for url in [
            "",
            "mysql",
            "jdbc:",
            "jdbc:oracle:thin:@h:1521:x",
            "jdbc:h2:mem:x",
            "jdbc:mysql://h",
            "jdbc:mysql://h/",
            "jdbc:mysql:h/d",
            "jdbc:mysql://h:0/d",
            "jdbc:mysql://address=(host=h)/d",
            "jdbc:mysql://h/d?useSSL=maybe",
            "jdbc:mysql://h/d?sslMode=maybe",
            "jdbc:mysql://h/d?connectTimeout=soon",
            "sqlite::memory:",
            "sqlite:",
        ] {
            assert!(parse(url, Path::new("/")).is_err(), "{url}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_the_parser_panic(text in ".{0,80}") {
            let _ = parse(&text, Path::new("/"));
            let _ = redact(&text);
        }

        #[test]
        fn no_url_makes_the_parser_panic(scheme in "(jdbc:)?(mysql|postgres|sqlite)", rest in "[:/@?&=%a-z0-9,\\[\\]ä+.]{0,60}") {
            let url = format!("{scheme}:{rest}");
            let _ = parse(&url, Path::new("/"));
            let _ = redact(&url);
        }

        #[test]
        fn no_password_is_shown(password in "[a-zA-Z0-9!$*:]{6,20}") {
            let url = format!("mysql://me:{password}@h/d?password={password}");
            prop_assert!(!redact(&url).contains(&password));
            let odd = format!("mysql://me:x?{password}@h/d");
            prop_assert!(!redact(&odd).contains(&password));
            let oddly = format!("mysql://me:{password}@h:{password}/d");
            if let Err(wrong) = parse(&oddly, Path::new("/")) {
                prop_assert!(!wrong.contains(&password));
            }
        }
    }
}
