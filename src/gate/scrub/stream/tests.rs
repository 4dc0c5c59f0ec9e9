//! However a text is cut, the same comes out, and nothing of a credential does.

use proptest::prelude::*;

use super::super::table::Table;
use super::super::table_tests::spelled;
use super::super::{Rewriting, Scrubber};
use super::*;

/// Small, so that a few hundred bytes cross every border.
const SMALL: Sizes = Sizes { block: 64, window: 512, context: 256, hold: 2048 };

fn shared() -> &'static Scrubber {
    Scrubber::shared().unwrap()
}

fn streamed(text: &[u8], sizes: Sizes, mut lengths: impl Iterator<Item = usize>) -> String {
    let mut stream = Stream::with_sizes(&shared().finder, &Rewriting::default(), sizes);
    let (mut out, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (now, later) = rest.split_at(lengths.next().unwrap_or(rest.len()).clamp(1, rest.len()));
        out.extend(stream.push(now));
        rest = later;
    }
    out.extend(stream.finish());
    String::from_utf8(out).unwrap()
}

fn whole(text: &str) -> String {
    shared().text(text, &Rewriting::default()).into_inner()
}

/// Every credential of the table that fits the small window, and a key.
fn credentials() -> Vec<(String, String)> {
    let table = Table::embedded().unwrap();
    let marked = table.examples.iter().flat_map(|examples| &examples.found);
    let mut all: Vec<_> = marked
        .map(|example| {
            let text = spelled(example);
            let (before, rest) = text.split_once('«').unwrap();
            let (credential, after) = rest.split_once('»').unwrap();
            (format!("{before}{credential}{after}"), credential.to_owned())
        })
        .filter(|(text, _)| text.len() <= 400)
        .collect();
    all.push((key(6), key(6)));
    all
}

fn key(lines: usize) -> String {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDndJt7NaG8T64x\n".repeat(lines);
    format!("-----BEGIN {0}-----\n{body}-----END {0}-----", "RSA PRIVATE KEY")
}

/// A text, its credentials, and what stands around them: that may hold by chance what is a credential
/// elsewhere, as the public half of a key does.
fn texts() -> impl Strategy<Value = (String, Vec<String>, String)> {
    let credentials = credentials();
    let part = prop_oneof![
        3 => "[a-zäß ,]{0,80}\n".prop_map(|text| (text, None)),
        1 => (0..credentials.len()).prop_map(move |at| {
            let (text, credential) = credentials[at].clone();
            (format!("\n{text}\n"), Some(credential))
        }),
    ];
    proptest::collection::vec(part, 1..24).prop_map(|parts| {
        let text = parts.iter().map(|(text, _)| text.as_str()).collect();
        let around = parts.iter().map(|(text, credential)| match credential {
            Some(credential) => text.replacen(credential, "", 1),
            None => text.clone(),
        });
        let around = around.collect();
        (text, parts.into_iter().filter_map(|(_, credential)| credential).collect(), around)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_gives_what_the_whole_text_gives(
        (text, credentials, around) in texts(),
        lengths in proptest::collection::vec(1_usize..90, 1..8),
    ) {
        let expected = whole(&text);
        let out = streamed(text.as_bytes(), SMALL, lengths.iter().copied().cycle());
        prop_assert_eq!(&out, &expected);
        for credential in credentials.iter().filter(|credential| credential.len() >= 8) {
            let left = |text: &str| text.matches(credential.as_str()).count();
            prop_assert!(left(&out) <= left(&around), "{}", credential);
        }
    }
}

#[test]
fn a_credential_on_any_border_goes_whole() {
    let token = spelled("ghp_{mixed 36}");
    for before in (SIZES.block - 60)..(SIZES.block + 10) {
        let text = format!("{}{token} and more", "x ".repeat(before / 2) + &" ".repeat(before % 2));
        let out = streamed(text.as_bytes(), SIZES, std::iter::repeat(4_096));
        assert!(out.ends_with("[REDACTED:github-token] and more"), "{before}");
        assert_eq!(out.len(), text.len() - token.len() + "[REDACTED:github-token]".len());
    }
}

#[test]
fn a_key_of_any_length_goes_whole_in_bounded_memory() {
    for lines in [1, 40, 200, 2_000, 20_000] {
        let text = format!("before\n{}\nafter\n", key(lines));
        let mut stream = shared().stream(&Rewriting::default());
        let (mut out, mut most) = (Vec::new(), 0);
        for piece in text.as_bytes().chunks(1_000) {
            out.extend(stream.push(piece));
            most = most.max(stream.buffer.len());
        }
        out.extend(stream.finish());
        assert_eq!(String::from_utf8(out).unwrap(), "before\n[REDACTED:private-key]\nafter\n", "{lines}");
        assert!(most <= SIZES.hold + SIZES.block + SIZES.context + SIZES.window, "{most}");
    }
}

#[test]
fn a_long_key_without_an_end_lets_the_rest_of_the_log_through() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDndJt7NaG8T64x\n".repeat(2_000);
    let rest = "the server said no\n".repeat(12);
    let text = format!("a\n-----BEGIN {}-----\n{body}{rest}", "PRIVATE KEY");
    let expected = format!("a\n[REDACTED:private-key]\n{rest}");
    assert_eq!(whole(&text), expected);
    assert_eq!(streamed(text.as_bytes(), SIZES, std::iter::repeat(777)), expected);
}

#[test]
fn a_token_without_an_end_is_dropped_as_it_comes() {
    let token = format!("ghp_{}", "a1B2c3D4".repeat(50_000));
    let text = format!("x {token} y\nz");
    let expected = "x [REDACTED:github-token] y\nz";
    assert_eq!(whole(&text), expected);
    assert_eq!(streamed(text.as_bytes(), SIZES, std::iter::repeat(10_000)), expected);
}

#[test]
fn what_is_given_out_does_not_wait_for_the_end() {
    let mut stream = shared().stream(&Rewriting::default());
    let line = "nothing to hide in this line\n";
    let out = stream.push(line.repeat(10_000).as_bytes());
    let held = line.len() * 10_000 - out.len();
    assert!(held <= SIZES.block + SIZES.window + line.len(), "{held}");
}

#[test]
fn redact_rules_hold_across_borders() {
    let rules = Rewriting {
        secrets_with: Some("<gone>".to_owned()),
        matches: vec![(regex::Regex::new("(?i)customer-[0-9]+").unwrap(), "customer-x".to_owned())],
    };
    let text = format!("{}Customer-{} {}", "y ".repeat(9_000), "7".repeat(20_000), spelled("ghp_{mixed 36}"));
    let mut stream = shared().stream(&rules);
    let mut out = Vec::new();
    for piece in text.as_bytes().chunks(333) {
        out.extend(stream.push(piece));
    }
    out.extend(stream.finish());
    let expected = format!("{}customer-x <gone>", "y ".repeat(9_000));
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
