//! Which addresses may be called: `security.executor-cidrs`, checked on what a name resolves to.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::CallError;

/// The networks to which calls may go; none listed = all.
#[derive(Debug, Clone)]
pub(super) struct Networks(Arc<[IpNet]>);

impl Networks {
    /// These networks.
    pub(super) fn new(networks: &[IpNet]) -> Self {
        Self(networks.into())
    }

    /// Whether an address may be called. An IPv4 address in IPv6 clothes counts as the IPv4 address.
    pub(super) fn admit(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        self.0.is_empty() || self.0.iter().any(|network| network.contains(&ip))
    }
}

/// Resolves names with the system's resolver and keeps the permitted addresses. Addresses that stand in a URL never come
/// here; they are checked with the URL.
pub(super) struct PermittedAddresses(pub(super) Networks);

/// Why a name leads nowhere.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    /// The resolver knows no address.
    #[error("{0}: Name or service not known")]
    Unknown(String),
    /// No address of the name may be called; the first of them.
    #[error("{0} is not permitted")]
    Forbidden(IpAddr),
}

impl From<&ResolveError> for CallError {
    fn from(error: &ResolveError) -> Self {
        match error {
            ResolveError::Unknown(_) => Self::Unreached(error.to_string()),
            ResolveError::Forbidden(ip) => Self::Forbidden(*ip),
        }
    }
}

impl Resolve for PermittedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let networks = self.0.clone();
        Box::pin(async move {
            let unknown = || ResolveError::Unknown(name.as_str().to_owned());
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await.map_err(|_| unknown())?.collect();
            let first = found.first().ok_or_else(unknown)?.ip();
            let permitted: Vec<SocketAddr> = found.into_iter().filter(|to| networks.admit(to.ip())).collect();
            if permitted.is_empty() {
                return Err(ResolveError::Forbidden(first).into());
            }
            Ok(Box::new(permitted.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_admit_their_own() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("test data");
        let none = Networks::new(&[]);
        assert!(none.admit(ip("192.0.2.1")));
        let some = Networks::new(&["10.0.0.0/8".parse().expect("test data"), "fd00::/8".parse().expect("test data")]);
        assert!(some.admit(ip("10.1.2.3")) && some.admit(ip("::ffff:10.1.2.3")) && some.admit(ip("fd12::1")));
        assert!(!some.admit(ip("11.0.0.1")) && !some.admit(ip("::ffff:11.0.0.1")) && !some.admit(ip("::1")));
    }
}
