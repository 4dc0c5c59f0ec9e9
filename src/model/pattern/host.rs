//! Host patterns: a name, `*.x` (one or more labels before `x`), or `*`.

use std::net::IpAddr;

use super::PatternError;
use super::net::fold;

/// A parsed host pattern, in IDNA ASCII, lower case, without a trailing dot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HostPattern {
    /// Any host.
    Any,
    /// This host (a name, or an address in its plain form).
    Exact(String),
    /// One or more labels before this name.
    Below(String),
}

const EXPECTED: &str = "a host such as `api.example.com`, `*.example.com` or `*`";

impl HostPattern {
    /// Parses a pattern through the URL standard's host parser.
    ///
    /// # Errors
    /// A text that is no host (a scheme, a port or a path in it, a `*` anywhere but as the first label).
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let refuse =
            |what: &str| PatternError::new(format!("`{text}` has {what}, a host has none"), EXPECTED);
        if let Some((_, rest)) = text.split_once("://") {
            let host = rest.split(['/', '?', '#', ':']).next().unwrap_or("");
            return Err(refuse("a scheme").mend(host));
        }
        if let Some((host, _)) = text.split_once(['/', '?', '#', '\\']) {
            return Err(refuse("a path").mend(host));
        }
        if let Some((_, host)) = text.rsplit_once('@') {
            return Err(refuse("user information").mend(host));
        }
        let (below, name) = match text.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, text),
        };
        if name.contains('*') {
            let error = PatternError::new(format!("`*` in `{text}` is not the whole first label"), EXPECTED);
            return Err(match name.strip_prefix('*') {
                Some(rest) if !below && !rest.contains('*') => {
                    error.mend(format!("*.{}", rest.trim_start_matches('.')))
                }
                _ => error,
            });
        }
        let Some(host) = canonical_host(name) else {
            let error = PatternError::new(format!("`{text}` is no host"), EXPECTED);
            return Err(match name.split_once(':') {
                Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => {
                    refuse("a port").mend(format!("{}{host}", if below { "*." } else { "" }))
                }
                _ => error,
            });
        };
        if !below {
            return Ok(Self::Exact(host));
        }
        if host.parse::<IpAddr>().is_ok() {
            return Err(PatternError::new(
                format!("`{text}` puts labels before an address"),
                "the address itself, or a `net` set for a range",
            )
            .mend(host));
        }
        Ok(Self::Below(host))
    }

    /// Whether a canonical host matches.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(name) => name == host,
            Self::Below(name) => host
                .strip_suffix(name.as_str())
                .and_then(|labels| labels.strip_suffix('.'))
                .is_some_and(|labels| !labels.is_empty()),
        }
    }
}

/// A host in the form in which hosts are compared: IDNA ASCII, lower case, no trailing dot; an
/// address in its plain form, IPv4 inside IPv6 as IPv4, no brackets. `None` where it is no host.
#[must_use]
pub fn canonical_host(text: &str) -> Option<String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(fold(address).to_string());
    }
    match url::Host::parse(text).ok()? {
        url::Host::Ipv4(address) => Some(address.to_string()),
        url::Host::Ipv6(address) => Some(fold(IpAddr::V6(address)).to_string()),
        url::Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            let whole = !name.is_empty() && name.split('.').all(|label| !label.is_empty());
            whole.then(|| name.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        for (pattern, host, expected) in [
            ("good.com", "good.com", true),
            ("GOOD.com.", "good.com", true),
            ("good.com", "good.com.evil.com", false),
            ("good.com", "www.good.com", false),
            ("*.good.com", "www.good.com", true),
            ("*.good.com", "a.b.good.com", true),
            ("*.good.com", "good.com", false),
            ("*.good.com", "evilgood.com", false),
            ("*", "anything", true),
            ("bücher.example", "xn--bcher-kva.example", true),
            ("*.bücher.example", "a.xn--bcher-kva.example", true),
            ("0x7f.1", "127.0.0.1", true),
            ("[::1]", "::1", true),
            ("::1", "::1", true),
            ("[::ffff:10.0.0.1]", "10.0.0.1", true),
            ("gооd.com", "good.com", false),
        ] {
            assert_eq!(
                HostPattern::parse(pattern).expect(pattern).matches(host),
                expected,
                "{pattern} {host}"
            );
        }
    }

    #[test]
    fn refused_with_a_mend() {
        for (text, mend) in [
            ("https://good.com/x", Some("good.com")),
            ("good.com/x", Some("good.com")),
            ("good.com:443", Some("good.com")),
            ("*.good.com:443", Some("*.good.com")),
            ("me@good.com", Some("good.com")),
            ("*good.com", Some("*.good.com")),
            ("api-*.good.com", None),
            ("*.*.good.com", None),
            ("a..b", None),
            ("", None),
            ("*.", None),
            ("*.10.0.0.1", Some("10.0.0.1")),
            ("a b", None),
        ] {
            assert_eq!(HostPattern::parse(text).expect_err(text).mend.as_deref(), mend, "{text}");
        }
    }
}
