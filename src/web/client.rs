//! Who is at the other end of a connection, as far as it can be told.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use ipnet::IpNet;

/// Headers that a proxy adds.
const PROXY_HEADERS: [&str; 3] = ["forwarded", "x-forwarded-for", "x-real-ip"];

/// The client of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    peer: Option<IpAddr>,
    forwarded: bool,
    address: Option<IpAddr>,
    https: bool,
}

impl Client {
    /// The client of this request; what a proxy says counts only when the proxy is one of these.
    pub fn of(request: &HttpRequest, trusted_proxies: &[IpNet]) -> Self {
        let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
        Self::new(peer, request.headers(), trusted_proxies)
    }

    fn new(peer: Option<IpAddr>, headers: &HeaderMap, trusted_proxies: &[IpNet]) -> Self {
        let is_trusted = |ip: IpAddr| trusted_proxies.iter().any(|net| net.contains(&ip));
        let behind_proxy = peer.is_some_and(is_trusted);
        let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let mut address = peer;
        if behind_proxy {
            // From the right: the nearest hop that is none of ours.
            let hops = headers.get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
            let hops: Vec<IpAddr> = hops.flat_map(|list| list.split(',')).filter_map(parse_hop).collect();
            address = hops.iter().rev().copied().find(|hop| !is_trusted(*hop)).or(hops.first().copied()).or(peer);
        }
        Self {
            peer,
            forwarded: PROXY_HEADERS.iter().any(|name| headers.contains_key(*name)),
            address,
            https: behind_proxy
                && value("x-forwarded-proto").is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")),
        }
    }

    /// Whether the client is on this machine and did not come through a proxy.
    pub fn is_local(&self) -> bool {
        !self.forwarded && self.peer.is_some_and(|peer| peer.is_loopback())
    }

    /// Its address, as far as it is known.
    pub const fn address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Whether the client speaks https with the proxy before us.
    pub const fn is_https(&self) -> bool {
        self.https
    }
}

/// The address, for the log.
impl std::fmt::Display for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.address {
            Some(address) => address.fmt(f),
            None => f.write_str("unknown"),
        }
    }
}

/// The host that a trusted proxy was asked for.
pub fn forwarded_host<'a>(request: &'a HttpRequest, trusted_proxies: &[IpNet]) -> Option<&'a str> {
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical())?;
    if !trusted_proxies.iter().any(|net| net.contains(&peer)) {
        return None;
    }
    let hosts = request.headers().get("x-forwarded-host")?.to_str().ok()?;
    hosts.split(',').next().map(str::trim).filter(|host| !host.is_empty())
}

fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    hop.parse().ok().or_else(|| hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn client(peer: &str, headers: &[(&'static str, &'static str)]) -> Client {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let trusted = ["127.0.0.0/8".parse().unwrap(), "10.0.0.0/8".parse().unwrap()];
        Client::new(Some(peer.parse().unwrap()), &map, &trusted)
    }

    #[test]
    fn only_this_machine_without_a_proxy_is_local() {
        assert!(client("127.0.0.1", &[]).is_local());
        assert!(client("::1", &[]).is_local());
        assert!(!client("192.0.2.1", &[]).is_local());
        for name in PROXY_HEADERS {
            assert!(!client("127.0.0.1", &[(name, "127.0.0.1")]).is_local(), "{name}");
        }
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_no_other() {
        let headers = [("x-forwarded-for", "192.0.2.9, 198.51.100.7, 10.1.1.1"), ("x-forwarded-proto", "https")];
        let behind = client("127.0.0.1", &headers);
        assert_eq!((behind.to_string().as_str(), behind.is_https()), ("198.51.100.7", true));
        let direct = client("192.0.2.1", &headers);
        assert_eq!((direct.to_string().as_str(), direct.is_https()), ("192.0.2.1", false));
    }
}
