//! Connections: from a text to a host, a port and an address (`language.md`, section 7, Addresses).

use std::net::IpAddr;

use url::Url;

use super::path;
use super::world::World;
use crate::base::limits::ADDRESSES_PER_NAME_MAX;
use crate::model::demand::Demand;
use crate::model::effect::{Address, Effect, NetworkFact, Origin, Resource};
use crate::model::path::PathFact;
use crate::model::pattern::host::canonical_host;
use crate::model::pattern::net::fold;
use crate::model::pattern::url::default_port;
use crate::model::{Action, Capability};

/// What connecting to `given` is: a URL, or `host[:port][/path]` without a scheme. One network
/// resource for each address of the host where some rule asks for addresses, else one; a `file:` URL
/// is one path to read. The effects are `Declared` and say nothing about where they come from.
///
/// Unresolved are texts that are no URL, URLs without a host (`data:`, `jar:`, …), and texts that the
/// URL standard's parser and a client that follows RFC 3986 would read differently (backslashes, tabs,
/// line ends, a second `@`, missing slashes).
#[must_use]
pub fn connect(world: &dyn World, given: &str, method: Option<&str>, demand: &Demand) -> Vec<Effect> {
    if let Some(file) = file_url(world, given) {
        return vec![effect(Capability::Read, Resource::Path(file), Some(Action::Read))];
    }
    let fact = match parse(given) {
        Ok(fact) => fact,
        Err(fact) => return vec![network(NetworkFact { method: method.map(str::to_owned), ..*fact })],
    };
    let fact = NetworkFact { method: method.map(str::to_owned), ..fact };
    addresses(world, &fact, demand)
        .into_iter()
        .map(|ip| network(NetworkFact { ip, ..fact.clone() }))
        .collect()
}

fn network(fact: NetworkFact) -> Effect {
    effect(Capability::Network, Resource::Network(Box::new(fact)), None)
}

fn effect(capability: Capability, resource: Resource, action: Option<Action>) -> Effect {
    Effect { capability, resource, origin: Origin::Declared, action, via: None, cause: None, from: None }
}

/// The addresses to judge: at least one.
fn addresses(world: &dyn World, fact: &NetworkFact, demand: &Demand) -> Vec<Address> {
    let Some(host) = &fact.host else { return vec![Address::Unresolved] };
    if let Ok(address) = host.parse::<IpAddr>() {
        return vec![Address::Known(fold(address))];
    }
    if !demand.ip {
        return vec![Address::NotAsked];
    }
    let mut known: Vec<IpAddr> = match world.addresses(host) {
        Ok(found) => found.into_iter().map(fold).collect(),
        Err(_) => Vec::new(),
    };
    known.sort_unstable();
    known.dedup();
    if known.is_empty() || known.len() > ADDRESSES_PER_NAME_MAX {
        return vec![Address::Unresolved];
    }
    known.into_iter().map(Address::Known).collect()
}

fn unresolved(given: &str, why: &str) -> Box<NetworkFact> {
    Box::new(NetworkFact {
        given: given.to_owned(),
        ip: Address::Unresolved,
        unresolved: Some(why.to_owned()),
        ..NetworkFact::default()
    })
}

/// Reads a text as a connection.
///
/// # Errors
/// An unresolved fact.
fn parse(given: &str) -> Result<NetworkFact, Box<NetworkFact>> {
    let text = given.trim_matches(' ');
    if text.is_empty() {
        return Err(unresolved(given, "the address is empty"));
    }
    // A fragment is never sent, whatever it holds.
    let text = text.split_once('#').map_or(text, |(sent, _)| sent);
    if text.contains(|c: char| c.is_control() || c == '\\') {
        return Err(unresolved(given, "clients disagree about backslashes, tabs and line ends in a URL"));
    }
    match split_scheme(text) {
        Scheme::Url(scheme, rest) => parse_url(given, text, scheme, rest),
        Scheme::Other => Err(unresolved(given, "a URL without a host")),
        Scheme::None => parse_host(given, text),
    }
}

enum Scheme<'a> {
    /// `scheme://rest`.
    Url(&'a str, &'a str),
    /// `scheme:rest`, which has no host, or slashes too few.
    Other,
    /// `host[:port][/path]`.
    None,
}

fn split_scheme(text: &str) -> Scheme<'_> {
    let Some((scheme, rest)) = text.split_once(':') else { return Scheme::None };
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
        return Scheme::None;
    }
    if let Some(rest) = rest.strip_prefix("//") {
        return Scheme::Url(scheme, rest);
    }
    let port = rest.split(['/', '?']).next().unwrap_or("");
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let special = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "ws" | "wss" | "ftp");
    if is_port && !special { Scheme::None } else { Scheme::Other }
}

fn parse_url(given: &str, text: &str, scheme: &str, rest: &str) -> Result<NetworkFact, Box<NetworkFact>> {
    let authority = rest.split(['/', '?']).next().unwrap_or("");
    check_authority(given, authority)?;
    let Ok(url) = Url::parse(text) else { return Err(unresolved(given, "not a URL")) };
    let raw = host_and_port(authority).0;
    let host = url.host_str().and_then(canonical_host);
    // RFC 3986 reads the host from the same text; both readings must be one host.
    let (Some(host), Some(plain)) = (host, canonical_host(raw)) else {
        return Err(unresolved(given, "the URL has no host, or one that is none"));
    };
    if host != plain {
        return Err(unresolved(given, "clients disagree about the host of this URL"));
    }
    let scheme = scheme.to_ascii_lowercase();
    let default = default_port(&scheme);
    let port = url.port().or(default);
    let userinfo = match (url.username(), url.password()) {
        ("", None) => None,
        (user, None) => Some(user.to_owned()),
        (user, Some(password)) => Some(format!("{user}:{password}")),
    };
    Ok(NetworkFact {
        given: given.to_owned(),
        scheme: Some(scheme),
        host: Some(host),
        port,
        port_written: port.is_some() && port != default,
        path: Some(if url.path().is_empty() { "/".to_owned() } else { url.path().to_owned() }),
        query: url.query().map(str::to_owned),
        userinfo,
        method: None,
        ip: Address::NotAsked,
        unresolved: None,
        url: Some(url.into()),
    })
}

/// Refuses what stands where a host should stand and is read in more than one way.
fn check_authority(given: &str, authority: &str) -> Result<(), Box<NetworkFact>> {
    if authority.is_empty() {
        return Err(unresolved(given, "the URL has no host"));
    }
    if authority.matches('@').count() > 1 {
        return Err(unresolved(given, "clients disagree about a second `@` in a URL"));
    }
    if authority.contains([' ', '"', '<', '>', '^', '`', '{', '|', '}']) {
        return Err(unresolved(given, "a character that no host has"));
    }
    Ok(())
}

/// Splits `[user@]host[:port]`; the port as written.
fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    }
}

/// `host[:port][/path]`.
fn parse_host(given: &str, text: &str) -> Result<NetworkFact, Box<NetworkFact>> {
    let at = text.find(['/', '?']).unwrap_or(text.len());
    let (authority, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    check_authority(given, authority)?;
    if authority.contains('@') {
        return Err(unresolved(given, "user information without a scheme"));
    }
    // Plain IPv6 without brackets has no room for a port.
    let plain_v6 = authority.parse::<std::net::Ipv6Addr>().is_ok();
    let (name, port) = if plain_v6 { (authority, None) } else { host_and_port(authority) };
    let port = match port.map(str::parse::<u16>) {
        None => None,
        Some(Ok(port)) => Some(port),
        Some(Err(_)) => return Err(unresolved(given, "the port is no number from 0 to 65535")),
    };
    let Some(host) = canonical_host(name) else { return Err(unresolved(given, "not a host")) };
    let parsed = Url::parse(&format!("http://host{behind}"));
    let Ok(parsed) = parsed else { return Err(unresolved(given, "not a path of a URL")) };
    Ok(NetworkFact {
        given: given.to_owned(),
        host: Some(host),
        port,
        port_written: port.is_some(),
        path: behind.starts_with('/').then(|| parsed.path().to_owned()),
        query: parsed.query().map(str::to_owned),
        ..NetworkFact::default()
    })
}

/// The path of a `file:` URL; unresolved where it names another machine or cannot be decoded.
fn file_url(world: &dyn World, given: &str) -> Option<PathFact> {
    let text = given.trim_matches(|c: char| c.is_control() || c == ' ');
    // The parser drops tabs and line ends wherever they stand, also inside the scheme.
    let scheme: String = text.chars().filter(|c| !c.is_control()).take(5).collect();
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let refuse = |why: &str| Some(PathFact::unresolved(given, why));
    if text.contains(|c: char| c.is_control() || c == '\\') {
        return refuse("clients disagree about backslashes, tabs and line ends in a URL");
    }
    let Ok(url) = Url::parse(text) else { return refuse("not a URL") };
    if !matches!(url.host_str(), None | Some("localhost")) {
        return refuse("a file on another machine");
    }
    let Some(decoded) = percent_decoded(url.path()) else { return refuse("a path that is not UTF-8") };
    if decoded.matches('/').count() != url.path().matches('/').count() {
        return refuse("an encoded separator in a path");
    }
    let drive = decoded.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    let decoded = match (world.platform(), drive) {
        (super::world::Platform::Windows, Some(rest)) => rest,
        _ => decoded.as_str(),
    };
    Some(PathFact { given: given.to_owned(), ..path::resolve(world, decoded, world.workspace()) })
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let ahead = bytes.clone();
        let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let mut pair = ahead.clone();
        match (byte, pair.next().and_then(digit), pair.next().and_then(digit)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                bytes = pair;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
