//! Sets of addresses and ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net};

use super::PatternError;

/// Addresses and ranges; IPv4 inside IPv6 is folded before it is looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NetSet {
    nets: Vec<IpNet>,
}

impl NetSet {
    /// Parses addresses (`10.0.0.1`) and ranges (`10.0.0.0/8`). A range that lies wholly in a form of
    /// IPv4 inside IPv6 (`64:ff9b::/96`) is the range of IPv4 addresses, as the addresses are.
    ///
    /// # Errors
    /// A text that is neither, or a range with bits behind its prefix.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        let mut nets = Vec::new();
        for text in texts {
            nets.extend(folded_net(parse_net(text)?));
        }
        nets.sort_by_key(|net| (net.network(), net.prefix_len()));
        // Sorted so, a range stands behind every range that holds it.
        let mut kept: Vec<IpNet> = Vec::new();
        for net in nets {
            if !kept.last().is_some_and(|last| last.contains(&net)) {
                kept.push(net);
            }
        }
        Ok(Self { nets: kept })
    }

    /// The ranges, sorted, without those that another one holds.
    #[must_use]
    pub fn nets(&self) -> &[IpNet] {
        &self.nets
    }

    /// Whether the set holds the address. `address` is folded first.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = fold(address);
        let behind = self.nets.partition_point(|net| net.network() <= address);
        behind.checked_sub(1).and_then(|at| self.nets.get(at)).is_some_and(|net| net.contains(&address))
    }
}

const EXPECTED: &str = "an address such as `10.0.0.1` or `::1`, or a range such as `10.0.0.0/8`";

fn parse_net(text: &str) -> Result<IpNet, PatternError> {
    if text.contains('/') {
        let net: IpNet = text.parse().map_err(|_| not_a_net(text))?;
        if net.addr() != net.network() {
            return Err(PatternError::new(
                format!("`{text}` has bits behind its prefix"),
                "the first address of the range",
            )
            .mend(net.trunc().to_string()));
        }
        return Ok(net);
    }
    text.parse::<IpAddr>().map(IpNet::from).map_err(|_| not_a_net(text))
}

fn not_a_net(text: &str) -> PatternError {
    let error = PatternError::new(format!("`{text}` is no address and no range"), EXPECTED);
    match parse_address(text) {
        Some(address) => error.mend(address.to_string()),
        None => error,
    }
}

/// A range, and the range of IPv4 addresses that it holds inside IPv6, where it lies in one form.
fn folded_net(net: IpNet) -> Vec<IpNet> {
    let IpNet::V6(v6) = net else { return vec![net] };
    let (first, last) = (v6.network(), v6.broadcast());
    // `::` and `::1` are IPv6 addresses of their own, so ranges at the very beginning stay as well.
    let stays = first.is_unspecified() || first == Ipv6Addr::LOCALHOST;
    let (Some(low), Some(high)) = (embedded(first, true), embedded(last, true)) else { return vec![net] };
    if form(first) != form(last) {
        return vec![net];
    }
    let bits = u32::from(low) ^ u32::from(high);
    let prefix = u8::try_from(bits.leading_zeros()).unwrap_or(32);
    let mut out = Vec::new();
    if stays {
        out.push(net);
        if v6.prefix_len() >= 127 {
            return out;
        }
    }
    if let Ok(inner) = Ipv4Net::new(low, prefix) {
        out.push(IpNet::V4(inner.trunc()));
    }
    out
}

/// Which way of writing IPv4 inside IPv6 an address is in.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    None,
    Compatible,
    Mapped,
    Nat64,
    SixToFour,
}

fn form(address: Ipv6Addr) -> Form {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, _, _] => Form::Compatible,
        [0, 0, 0, 0, 0, 0xffff, _, _] => Form::Mapped,
        [0x64, 0xff9b, 0, 0, 0, 0, _, _] => Form::Nat64,
        [0x2002, ..] => Form::SixToFour,
        _ => Form::None,
    }
}

/// The IPv4 address inside; `::` and `::1` have one only where `low` asks for it.
fn embedded(address: Ipv6Addr, low: bool) -> Option<Ipv4Addr> {
    let [_, b, c, _, _, _, g, h] = address.segments();
    let (high, rest) = match form(address) {
        Form::None => return None,
        Form::Compatible if !low && g == 0 && h <= 1 => return None,
        Form::SixToFour => (b, c),
        Form::Compatible | Form::Mapped | Form::Nat64 => (g, h),
    };
    Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(rest)))
}

/// The IPv4 address inside an IPv6 address (mapped, compatible, NAT64, 6to4), or the address itself.
/// `::` and `::1` are IPv6.
#[must_use]
pub fn fold(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => embedded(v6, false).map_or(address, IpAddr::V4),
    }
}

/// Reads an address in any spelling that the URL standard's host parser knows (`0x7f.1`, `[::1]`,
/// `2130706433`), or as plain IPv6, folded.
#[must_use]
pub fn parse_address(text: &str) -> Option<IpAddr> {
    // Four plain decimal numbers mean the same everywhere.
    if let Ok(v4) = text.parse::<Ipv4Addr>() {
        return Some(IpAddr::V4(v4));
    }
    if let Ok(v6) = text.parse::<Ipv6Addr>() {
        return Some(fold(IpAddr::V6(v6)));
    }
    match url::Host::parse(text).ok()? {
        url::Host::Ipv4(v4) => Some(IpAddr::V4(v4)),
        url::Host::Ipv6(v6) => Some(fold(IpAddr::V6(v6))),
        url::Host::Domain(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address() {
        for (text, expected) in [
            ("127.0.0.1", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("0177.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("１２７.0.0.1", "127.0.0.1"),
            ("127。0。0。1", "127.0.0.1"),
            ("%31%32%37.0.0.1", "127.0.0.1"),
            ("[::ffff:127.0.0.1]", "127.0.0.1"),
            ("::ffff:7f00:1", "127.0.0.1"),
            ("[::127.0.0.1]", "127.0.0.1"),
            ("[64:ff9b::a9fe:a9fe]", "169.254.169.254"),
            ("2002:7f00:1::", "127.0.0.1"),
            ("2002:a9fe:a9fe:1::5", "169.254.169.254"),
            ("[::1]", "::1"),
            ("::", "::"),
            ("0:0:0:0:0:0:0:1", "::1"),
            ("0", "0.0.0.0"),
            ("2001:db8::1", "2001:db8::1"),
        ] {
            assert_eq!(parse_address(text).map(|a| a.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "example.com", "1.2.3.4.5", "256.1.1.1.", "[::1", "fe80::1%eth0", "0x100000000"] {
            assert_eq!(parse_address(text), None, "{text}");
        }
    }

    #[test]
    fn sets() {
        let set = NetSet::parse([
            "10.0.0.0/8",
            "10.1.0.0/16",
            "127.0.0.0/8",
            "::/127",
            "fc00::/7",
            "64:ff9b::a9fe:0/112",
            "::ffff:1.2.3.0/120",
            "2002:505::/32",
        ])
        .expect("set");
        let shown: Vec<String> = set.nets().iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["1.2.3.0/24", "5.5.0.0/16", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "::/127", "fc00::/7"]
        );
        for (text, expected) in [
            ("10.200.0.1", true),
            ("::1", true),
            ("::", true),
            ("::2", false),
            ("11.0.0.0", false),
            ("::ffff:127.9.9.9", true),
            ("fd00::1", true),
            ("9.255.255.255", false),
            ("2002:7f00:1::", true),
            ("1.2.3.4", true),
            ("5.5.1.1", true),
            ("169.254.169.254", true),
        ] {
            assert_eq!(set.contains(text.parse().expect(text)), expected, "{text}");
        }
        assert!(!NetSet::default().contains(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    }

    #[test]
    fn refused_with_a_mend() {
        for (text, mend) in [
            ("10.0.0.1/8", Some("10.0.0.0/8")),
            ("fe80::1/10", Some("fe80::/10")),
            ("10.0.0.0/33", None),
            ("example.com", None),
            ("0x7f.1", Some("127.0.0.1")),
            ("[::1]", Some("::1")),
            ("", None),
        ] {
            assert_eq!(NetSet::parse([text]).expect_err(text).mend.as_deref(), mend, "{text}");
        }
    }
}
