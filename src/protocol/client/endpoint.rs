//! An executor's address made ready for calls: its URLs, parsed once, and the dialect it was found to speak.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Url;
use url::Host;

use super::error::CallError;
use super::resolver::Networks;
use crate::protocol::Dialect;

/// What can be asked of an executor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Run,
    Trigger,
    Beat,
    IdleBeat,
    Kill,
    Log,
}

impl Call {
    const ALL: [Self; 6] = [Self::Run, Self::Trigger, Self::Beat, Self::IdleBeat, Self::Kill, Self::Log];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Trigger => "trigger",
            Self::Beat => "beat",
            Self::IdleBeat => "idleBeat",
            Self::Kill => "kill",
            Self::Log => "log",
        }
    }
}

impl From<Dialect> for Call {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Run => Self::Run,
            Dialect::Trigger => Self::Trigger,
        }
    }
}

/// One address.
#[derive(Debug)]
pub(super) struct Endpoint {
    base: String,
    urls: Result<[Url; Call::ALL.len()], String>,
    forbidden: Option<std::net::IpAddr>,
    speaks_trigger: AtomicBool,
}

impl Endpoint {
    /// Makes the address ready. A bad one is no error before it is called.
    pub(super) fn new(address: &str, networks: &Networks) -> Self {
        let base = base_of(address);
        let urls = urls(&base);
        let ip = urls.as_ref().ok().and_then(|urls| match urls[0].host() {
            Some(Host::Ipv4(ip)) => Some(ip.into()),
            Some(Host::Ipv6(ip)) => Some(ip.into()),
            _ => None,
        });
        let forbidden = ip.filter(|ip| !networks.admit(*ip));
        Self { base, urls, forbidden, speaks_trigger: AtomicBool::new(false) }
    }

    /// The URL of a call.
    ///
    /// # Errors
    /// When the address is no HTTP address, or may not be called.
    pub(super) fn url(&self, call: Call) -> Result<&Url, CallError> {
        if let Some(ip) = self.forbidden {
            return Err(CallError::Forbidden(ip));
        }
        match &self.urls {
            Ok(urls) => Ok(&urls[call as usize]),
            // Java quotes the text with the call's name in it.
            Err(cause) if cause == NO_PROTOCOL => Err(CallError::Unreached(format!("{cause}: {}", self.text(call)))),
            Err(cause) => Err(CallError::Unreached(cause.clone())),
        }
    }

    /// The URL of a call as it stands in messages.
    pub(super) fn text(&self, call: Call) -> String {
        format!("{}/{}", self.base, call.name())
    }

    /// How the address wants to be told to run a job, as far as known.
    pub(super) fn dialect(&self) -> Dialect {
        if self.speaks_trigger.load(Ordering::Relaxed) { Dialect::Trigger } else { Dialect::Run }
    }

    /// Notes how the address wants to be told to run a job.
    pub(super) fn learn(&self, dialect: Dialect) {
        self.speaks_trigger.store(dialect == Dialect::Trigger, Ordering::Relaxed);
    }
}

const NO_PROTOCOL: &str = "no protocol";

/// The address without blanks around it and slashes after it, an IPv6 address in brackets.
fn base_of(address: &str) -> String {
    let base = address.trim().trim_end_matches('/');
    let Some((scheme, rest)) = base.split_once("://") else { return base.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match bracketed(authority) {
        Some(authority) => format!("{scheme}://{authority}{path}"),
        None => base.to_owned(),
    }
}

/// Brackets for an IPv6 address: Java executors register `http://::1:9999/`. The last group counts as the port, as they
/// always name one.
fn bracketed(authority: &str) -> Option<String> {
    let is_v6 = |text: &str| text.contains(':') && text.parse::<std::net::Ipv6Addr>().is_ok();
    let (host, port) = authority.rsplit_once(':')?;
    if is_v6(host) && port.parse::<u16>().is_ok() {
        return Some(format!("[{host}]:{port}"));
    }
    is_v6(authority).then(|| format!("[{authority}]"))
}

fn urls(base: &str) -> Result<[Url; Call::ALL.len()], String> {
    if base.is_empty() {
        return Err("the executor's address is blank".into());
    }
    match java_protocol(base) {
        None => return Err(NO_PROTOCOL.into()),
        Some(protocol) if protocol != "http" && protocol != "https" => {
            return Err(format!("unknown protocol: {protocol}"));
        }
        // The parser below would take the first word it finds for the host.
        Some(protocol)
            if base[protocol.len()..].strip_prefix("://").is_none_or(|rest| rest.starts_with(['/', '\\'])) =>
        {
            return Err("no host".into());
        }
        Some(_) => {}
    }
    let mut parsed = Vec::with_capacity(Call::ALL.len());
    for call in Call::ALL {
        let url = Url::parse(&format!("{base}/{}", call.name())).map_err(|error| error.to_string())?;
        parsed.push(url);
    }
    parsed.try_into().map_err(|_| String::new())
}

/// The protocol that `java.net.URL` sees: everything before the first `:` ahead of any `/`, when it begins with a letter
/// and goes on with letters, digits, `.`, `+` and `-`.
fn java_protocol(base: &str) -> Option<String> {
    let (protocol, _) = base[..base.find('/').unwrap_or(base.len())].split_once(':')?;
    let mut chars = protocol.chars();
    let valid = chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
    valid.then(|| protocol.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(address: &str) -> Endpoint {
        Endpoint::new(address, &Networks::new(&[]))
    }

    #[test]
    fn slashes_and_blanks_do_not_matter() {
        for address in ["http://h:9999", "http://h:9999/", " http://h:9999// "] {
            assert_eq!(endpoint(address).url(Call::IdleBeat).expect("valid").as_str(), "http://h:9999/idleBeat");
        }
        assert_eq!(endpoint("https://h/ctx/").url(Call::Run).expect("valid").as_str(), "https://h/ctx/run");
    }

    #[test]
    fn ipv6_addresses_get_brackets() {
        for (address, url) in [
            ("http://::1:9999/", "http://[::1]:9999/run"),
            ("http://0:0:0:0:0:0:0:1:9999", "http://[0:0:0:0:0:0:0:1]:9999/run"),
            ("http://[::1]:9999/", "http://[::1]:9999/run"),
            ("http://fe80:0:0:0:0:0:0:1/x/", "http://[fe80:0:0:0:0:0:0:1]/x/run"),
            ("http://h:9999/", "http://h:9999/run"),
        ] {
            let endpoint = endpoint(address);
            assert_eq!(endpoint.text(Call::Run), url);
            endpoint.url(Call::Run).expect("valid");
        }
    }

    #[test]
    fn addresses_that_are_not_http_fail_as_in_java() {
        for (address, cause) in [
            ("127.0.0.1:9999", "no protocol: 127.0.0.1:9999/run"),
            ("/x", "no protocol: /x/run"),
            ("localhost:9999", "unknown protocol: localhost"),
            ("FTP://h/", "unknown protocol: ftp"),
            ("", "the executor's address is blank"),
            (" / ", "the executor's address is blank"),
        ] {
            assert_eq!(endpoint(address).url(Call::Run), Err(CallError::Unreached(cause.into())), "{address}");
        }
        for address in ["http://", "http:h", "http:///h/", "http://\\h", "http://h:99999", "http://a b/"] {
            assert!(matches!(endpoint(address).url(Call::Run), Err(CallError::Unreached(_))), "{address}");
        }
    }

    #[test]
    fn addresses_outside_the_networks_are_forbidden_however_they_are_written() {
        let networks = Networks::new(&["10.0.0.0/8".parse().expect("test data")]);
        for address in ["http://127.0.0.1:1", "http://0x7f.1:1", "http://2130706433", "http://[::ffff:127.0.0.1]:1"] {
            let endpoint = Endpoint::new(address, &networks);
            assert!(matches!(endpoint.url(Call::Run), Err(CallError::Forbidden(_))), "{address}");
        }
        Endpoint::new("http://10.1.2.3:1", &networks).url(Call::Run).expect("permitted");
    }

    #[test]
    fn a_dialect_is_learnt_and_unlearnt() {
        let endpoint = endpoint("http://h");
        assert_eq!(endpoint.dialect(), Dialect::Run);
        endpoint.learn(Dialect::Trigger);
        assert_eq!(endpoint.dialect(), Dialect::Trigger);
        endpoint.learn(Dialect::Run);
        assert_eq!(endpoint.dialect(), Dialect::Run);
    }
}
