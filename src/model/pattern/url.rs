//! URL patterns: `https://api.example.com/v1/**`.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::PatternError;
use super::glob::{Component, Token, components_match, expand_braces, parse_component};
use super::host::HostPattern;
use crate::model::effect::NetworkFact;
use crate::model::path::Folding;

/// A parsed URL pattern: a scheme, a host pattern, a port, a glob of the path; any query.
///
/// Paths are compared in the normal form of RFC 3986, section 6.2.2: `%61` is `a`, `%2f` is `%2F`
/// (and never a separator).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UrlPattern {
    text: String,
    scheme: String,
    host: HostPattern,
    port: Option<u16>,
    /// One for each way through the braces.
    paths: Vec<Vec<Component>>,
}

const EXPECTED: &str = "a URL such as `https://api.example.com/v1/**`";

impl UrlPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// No scheme, no path, user information, a query, a fragment, or a host that is none.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(PatternError::new(format!("`{text}` has no scheme"), EXPECTED)
                .mend(format!("https://{}", text.trim_start_matches('/'))));
        };
        let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
            return Err(PatternError::new(format!("`{scheme}` is no scheme"), EXPECTED));
        }
        let scheme = scheme.to_ascii_lowercase();
        if let Some((url, _)) = text.split_once(['?', '#']) {
            return Err(PatternError::new(
                format!("`{text}` has a query or a fragment; any query matches"),
                "the URL without it; `url.query` is a field of its own",
            )
            .mend(url));
        }
        let Some((authority, path)) = rest.split_once('/') else {
            return Err(
                PatternError::new(format!("`{text}` has no path"), EXPECTED).mend(format!("{text}/**"))
            );
        };
        if let Some((_, host)) = authority.rsplit_once('@') {
            return Err(PatternError::new(
                format!("`{text}` has user information"),
                "the URL without it; `url.userinfo` is a field of its own",
            )
            .mend(format!("{scheme}://{host}/{path}")));
        }
        let (host, port) = split_port(authority, text)?;
        let host = HostPattern::parse(host)?;
        let port = port.or_else(|| default_port(&scheme));
        let paths = expand_braces(path)?
            .iter()
            .map(|one| one.split('/').map(|part| parse_part(part, text)).collect())
            .collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), scheme, host, port, paths })
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The hosts that match.
    #[must_use]
    pub fn host(&self) -> &HostPattern {
        &self.host
    }

    /// Whether a connection with a URL matches. `false` where the fact has no URL.
    #[must_use]
    pub fn matches(&self, fact: &NetworkFact) -> bool {
        let (Some(_), Some(scheme), Some(host), Some(path)) =
            (&fact.url, &fact.scheme, &fact.host, &fact.path)
        else {
            return false;
        };
        if *scheme != self.scheme || fact.port != self.port || !self.host.matches(host) {
            return false;
        }
        let path = normal_path(path.strip_prefix('/').unwrap_or(path));
        self.paths.iter().any(|pattern| components_match(pattern, Some(&path), Folding::default()))
    }
}

/// The port that a scheme means where none is written.
#[must_use]
pub fn default_port(scheme: &str) -> Option<u16> {
    Some(match scheme {
        "http" | "ws" | "git+http" => 80,
        "https" | "wss" | "git+https" => 443,
        "ftp" => 21,
        "ssh" | "sftp" | "scp" | "git+ssh" | "ssh+git" | "svn+ssh" => 22,
        "telnet" => 23,
        "smtp" => 25,
        "gopher" => 70,
        "pop3" => 110,
        "imap" => 143,
        "ldap" => 389,
        "smb" => 445,
        "smtps" => 465,
        "rtsp" => 554,
        "ldaps" => 636,
        "rsync" => 873,
        "ftps" => 990,
        "imaps" => 993,
        "pop3s" => 995,
        "mqtt" => 1883,
        "mysql" => 3306,
        "svn" => 3690,
        "postgres" | "postgresql" => 5432,
        "amqps" => 5671,
        "amqp" => 5672,
        "redis" | "rediss" => 6379,
        "mqtts" => 8883,
        "git" => 9418,
        "mongodb" => 27017,
        _ => return None,
    })
}

fn split_port<'a>(authority: &'a str, whole: &str) -> Result<(&'a str, Option<u16>), PatternError> {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') && (!host.contains(':') || host.ends_with(']')) => {
            (host, port)
        }
        _ => return Ok((authority, None)),
    };
    match port.parse::<u16>() {
        Ok(number) if port.bytes().all(|b| b.is_ascii_digit()) => Ok((host, Some(number))),
        _ => Err(PatternError::new(format!("`{port}` in `{whole}` is no port"), "a port from 0 to 65535")),
    }
}

/// One component, its literal text percent-encoded as the URL parser writes it.
fn parse_part(text: &str, whole: &str) -> Result<Component, PatternError> {
    let normal = normal_path(text);
    if normal == "." || normal == ".." {
        return Err(PatternError::new(
            format!("`{text}` inside `{whole}` never stands in a parsed URL"),
            "the path without it",
        ));
    }
    Ok(match parse_component(&normal, whole)? {
        Component::Literal(text) => Component::Literal(text.chars().map(encoded).collect()),
        Component::Tokens(tokens) => {
            let encode = |token: Token| match token {
                Token::Char(c) => encoded(c).chars().map(Token::Char).collect(),
                other => vec![other],
            };
            Component::Tokens(tokens.into_iter().flat_map(encode).collect())
        }
        Component::AnyDepth => Component::AnyDepth,
    })
}

/// A character as it stands in a parsed path (the URL standard's path percent-encode set).
fn encoded(c: char) -> String {
    let mut out = String::new();
    if c.is_ascii_graphic() && !"\"#<>?`{}^".contains(c) {
        out.push(c);
        return out;
    }
    let mut buffer = [0; 4];
    for byte in c.encode_utf8(&mut buffer).bytes() {
        let _ = write!(out, "%{byte:02X}");
    }
    out
}

/// Percent-encodings of unreserved characters decoded, the others in upper case.
fn normal_path(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        let hex = behind.get(..2).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    out.push(char::from(byte));
                } else {
                    let _ = write!(out, "%{byte:02X}");
                }
                rest = behind.get(2..).unwrap_or("");
            }
            None => {
                out.push('%');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(url: &str) -> NetworkFact {
        let parsed = url::Url::parse(url).expect(url);
        NetworkFact {
            given: url.to_owned(),
            url: Some(parsed.to_string()),
            scheme: Some(parsed.scheme().to_owned()),
            host: parsed.host_str().and_then(crate::model::pattern::host::canonical_host),
            port: parsed.port().or_else(|| default_port(parsed.scheme())),
            path: Some(parsed.path().to_owned()),
            ..NetworkFact::default()
        }
    }

    #[test]
    fn matching() {
        for (pattern, url, expected) in [
            ("https://api.example.com/v1/**", "https://api.example.com/v1", true),
            ("https://api.example.com/v1/**", "https://API.example.com./v1/x?q=1#f", true),
            ("https://api.example.com/v1/**", "https://api.example.com:443/v1/", true),
            ("https://api.example.com/v1/**", "https://api.example.com:8443/v1/x", false),
            ("https://api.example.com:8443/v1/**", "https://api.example.com:8443/v1/x", true),
            ("https://api.example.com/v1/**", "http://api.example.com/v1/x", false),
            ("https://api.example.com/v1/**", "https://api.example.com/v2/../v1/x", true),
            ("https://api.example.com/v1/**", "https://api.example.com/v1/%2e%2e/v2", false),
            ("https://api.example.com/v1/**", "https://u:p@api.example.com/v1/x", true),
            ("https://api.example.com/v1/*", "https://api.example.com/v1/a/b", false),
            ("https://api.example.com/admin", "https://api.example.com/%61dmin", true),
            ("https://api.example.com/a/b", "https://api.example.com/a%2Fb", false),
            ("https://*.example.com/**", "https://example.com/", false),
            ("https://*/**", "https://any.where/x", true),
            ("https://x.com/ü b/*", "https://x.com/%c3%bc%20b/1", true),
            ("https://x.com/", "https://x.com", true),
            ("https://x.com/", "https://x.com/a", false),
            ("https://x.com/{a,b/c}/**", "https://x.com/b/c/d", true),
            ("ssh://git@x.com/**", "ssh://x.com/a", false),
            ("ssh://x.com/**", "ssh://x.com/a", true),
            ("http://[::1]/**", "http://[::1]/a", true),
            ("http://[::1]:81/**", "http://[::1]:81/a", true),
            ("http://127.0.0.1/**", "http://0x7f.1/a", true),
        ] {
            let parsed = UrlPattern::parse(pattern);
            assert_eq!(parsed.is_ok_and(|p| p.matches(&fact(url))), expected, "{pattern} {url}");
        }
    }

    #[test]
    fn refused_with_a_mend() {
        for (text, mend) in [
            ("api.example.com/v1", Some("https://api.example.com/v1")),
            ("https://api.example.com", Some("https://api.example.com/**")),
            ("https://u@x.com/a", Some("https://x.com/a")),
            ("https://x.com/a?b=c", Some("https://x.com/a")),
            ("https://x.com:99999/a", None),
            ("https://x.com/a/../b", None),
            ("https:///a", None),
            ("*://x.com/a", None),
        ] {
            assert_eq!(UrlPattern::parse(text).expect_err(text).mend.as_deref(), mend, "{text}");
        }
    }
}
