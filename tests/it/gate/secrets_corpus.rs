//! Published samples of credentials, and of what only looks like one: how many are found, by source and
//! by rule, and how often what is none is touched.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use tollgate::gate::Scrubber;

/// Sources whose positives must be found, as nearly all of them.
const FLOORS: &[(&str, f64)] = &[
    ("gitleaks-rule-samples", 0.95),
    ("gitleaks-pattern-generated", 0.95),
    ("secretlint", 0.95),
    // Nothing of the table was written with these in view: they tell how it does with strangers.
    ("detect-secrets-tests", 0.75),
];

/// Texts without a credential that may be touched, of those that say nothing about a single rule only.
const TOUCHED_MAX: usize = 5;

/// Kinds whose reported place is more than the credential: an address, a whole file, a name before it.
const WIDER: &[&str] =
    &["BasicAuth", "MySQLConnection", "PackageJSON_xOauthToken", "PrivateKeyJSON", "AzureClientSecret"];

fn rows() -> Vec<Value> {
    let root = std::env::var_os("TOLLGATE_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(root.join("secrets/secrets.jsonl")) else {
        assert!(
            std::env::var("TOLLGATE_CORPORA_REQUIRED").as_deref() != Ok("1"),
            "the corpus of secrets is not there; TOLLGATE_CORPORA names its folder"
        );
        eprintln!("SKIPPED: the corpus of secrets is not there; TOLLGATE_CORPORA names its folder");
        return Vec::new();
    };
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

#[derive(Default)]
struct Tally {
    rows: usize,
    touched: usize,
}

fn count(tallies: &mut BTreeMap<String, Tally>, key: &str, touched: bool) {
    let tally = tallies.entry(key.to_owned()).or_default();
    tally.rows += 1;
    tally.touched += usize::from(touched);
}

fn share(tally: &Tally) -> f64 {
    tally.touched as f64 / tally.rows as f64
}

#[test]
fn published_credentials_are_found_and_the_rest_is_left() {
    let rows = rows();
    if rows.is_empty() {
        return;
    }
    let scrubber = Scrubber::shared().unwrap();
    let (mut by_source, mut by_rule) = (BTreeMap::new(), BTreeMap::new());
    let (mut false_alarms, mut of_one_rule) = (BTreeMap::new(), BTreeMap::new());
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for row in &rows {
        let (source, text) = (field(row, "source"), field(row, "text"));
        let touched = !scrubber.secrets(text).is_empty();
        if row["has_secret"] == true {
            count(&mut by_source, source, touched);
            count(&mut by_rule, &format!("{source}: {}", field(row, "rule")), touched);
            if !touched {
                missed.push(format!("{source}: {}: {text:.60}", field(row, "rule")));
            }
        } else if row["scope"].is_null() {
            count(&mut false_alarms, source, touched);
            if touched {
                wrong.push(format!("{source}: {text:.90}"));
            }
        } else {
            count(&mut of_one_rule, source, touched);
        }
    }
    for (what, tallies) in [
        ("found, by rule", &by_rule),
        ("found, by source", &by_source),
        ("touched without a credential", &false_alarms),
        ("touched where another rule may have found one", &of_one_rule),
    ] {
        println!("{what}:");
        for (key, tally) in tallies {
            println!("  {key}: {} of {} ({:.1} %)", tally.touched, tally.rows, 100.0 * share(tally));
        }
    }
    println!("missed:\n  {}", missed.join("\n  "));
    for (source, floor) in FLOORS {
        let tally = by_source.get(*source).expect(source);
        assert!(share(tally) >= *floor, "{source}: {} of {}; {missed:#?}", tally.touched, tally.rows);
    }
    assert!(wrong.len() <= TOUCHED_MAX, "{wrong:#?}");
}

#[test]
fn the_places_that_are_known_are_covered() {
    let scrubber = Scrubber::shared().unwrap();
    let mut wrong = Vec::new();
    for row in rows().iter().filter(|row| row["spans"].is_array()) {
        let text = field(row, "text");
        let byte = |chars: &Value| {
            let chars = usize::try_from(chars.as_u64().unwrap()).unwrap();
            text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
        };
        let secrets = scrubber.secrets(text);
        for span in row["spans"].as_array().unwrap() {
            let (start, end) = (byte(&span[0]), byte(&span[1]));
            let covered = if WIDER.contains(&field(row, "kind")) {
                secrets.iter().any(|secret| secret.start < end && start < secret.end)
            } else {
                secrets.iter().any(|secret| secret.start <= start && end <= secret.end)
            };
            if !covered {
                wrong.push(format!("{}: {:.80}", field(row, "kind"), &text[start..end]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
