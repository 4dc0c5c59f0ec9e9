//! Every entry of the table shows what it finds and what it leaves, and is held to it.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::table::{Table, fault_of};
use super::{Rewriting, Scrubber};

/// Texts without any form of their own, as `{mixed 20}` names them.
fn made_up(kind: &str, count: usize) -> String {
    let letters = match kind {
        "mixed" => "a1B2c3D4e5F6g7H8jK9mN",
        "hex" => "0a1b2c3d4e5f6978",
        "upper" => "A2B3C4D5E6F7G8H9J",
        "lower" => "qwzjxkvbhmdpftygc",
        "digits" => "1029384756",
        "base64" => "m1F8c/R3+z7Q0vY5",
        other => panic!("there is no `{other}`"),
    };
    letters.chars().cycle().take(count).collect()
}

/// An example with what it makes up.
pub(super) fn spelled(example: &str) -> String {
    let slot = regex::Regex::new(r"\{(mixed|hex|upper|lower|digits|base64) (\d+)\}").unwrap();
    let fill = |found: &regex::Captures<'_>| made_up(&found[1], found[2].parse().unwrap());
    slot.replace_all(example, fill).into_owned()
}

fn scrub(text: &str) -> String {
    Scrubber::shared().unwrap().text(text, &Rewriting::default()).into_inner()
}

/// One text of a form.
fn text_of(hir: &Hir, seed: &mut usize) -> String {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => String::new(),
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).unwrap(),
        HirKind::Class(class) => {
            let letters: Vec<char> = match class {
                Class::Unicode(class) => class.ranges().iter().flat_map(|r| r.start()..=r.end()).collect(),
                Class::Bytes(class) => {
                    class.ranges().iter().flat_map(|r| r.start()..=r.end()).map(char::from).collect()
                }
            };
            *seed += 7;
            let letters: Vec<_> = letters.into_iter().filter(char::is_ascii_alphanumeric).collect();
            letters[*seed % letters.len()].to_string()
        }
        HirKind::Repetition(repeated) => (0..repeated.min).map(|_| text_of(&repeated.sub, seed)).collect(),
        HirKind::Capture(capture) => text_of(&capture.sub, seed),
        HirKind::Concat(parts) => parts.iter().map(|part| text_of(part, seed)).collect(),
        HirKind::Alternation(parts) => text_of(&parts[*seed % parts.len()], seed),
    }
}

#[test]
fn every_pattern_compiles() {
    let table = Table::embedded().unwrap_or_else(|error| panic!("{error}"));
    let faults: Vec<_> = table.detectors.iter().filter_map(|d| Some((&d.id, fault_of(d)?))).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(table.detectors.len() >= 150, "{}", table.detectors.len());
}

#[test]
fn what_is_found_goes_whole_and_alone() {
    let table = Table::embedded().unwrap();
    let mut wrong = Vec::new();
    for (detector, examples) in table.detectors.iter().zip(&table.examples) {
        for example in &examples.found {
            let text = spelled(example);
            let (before, rest) = text.split_once('«').expect("an example marks its credential");
            let (credential, after) = rest.split_once('»').unwrap();
            let out = scrub(&format!("{before}{credential}{after}"));
            if out != format!("{before}[REDACTED:{}]{after}", detector.id) {
                wrong.push(format!("{}: {text}\n    {out}", detector.id));
            } else if scrub(&out) != out {
                wrong.push(format!("{}: scrubbing twice: {}", detector.id, scrub(&out)));
            }
            for place in ["Zeile äöü\n{}\nlast line", "{\"text\": 1, \"lines\": \"\n{}\n\"}"] {
                let inside = place.replace("{}", &format!("{before}{credential}{after}"));
                if scrub(&inside).contains(credential) {
                    wrong.push(format!("{}: in the middle: {inside}", detector.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_kept_stays() {
    let table = Table::embedded().unwrap();
    let mut wrong = Vec::new();
    for (detector, examples) in table.detectors.iter().zip(&table.examples) {
        for text in examples.kept.iter().map(|example| spelled(example)) {
            let out = scrub(&text);
            if out != text {
                wrong.push(format!("{}: {text}\n    {out}", detector.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_of_services_are_found_by_their_names_only() {
    let table = Table::embedded().unwrap();
    let mut wrong = Vec::new();
    for (detector, examples) in table.detectors.iter().zip(&table.examples) {
        let Some((word, form)) = &examples.service else { continue };
        let value = text_of(&regex_syntax::parse(form).unwrap(), &mut 3);
        let out = scrub(&format!("{word}_setting: {value} # as given"));
        if !(out.starts_with(&format!("{word}_setting: [REDACTED:")) && out.ends_with("] # as given")) {
            wrong.push(format!("{}: {value}: {out}", detector.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let plain = "revision: 0a1b2c3d4e5f69780a1b2c3d4e5f6978";
    assert_eq!(scrub(plain), plain);
}

#[test]
fn a_broken_table_is_refused_whole() {
    let parts = "parts: {a: 'x'}\n";
    let entry = |change: (&str, &str)| {
        let text = "detectors:\n  - {id: a-b, issuer: x, keywords: [abc], pattern: 'abc@{a}', found: [\"«abcx»\"], kept: [abc]}\n";
        Table::parse(parts, &[("t", &text.replace(change.0, change.1))])
    };
    assert!(entry(("", "")).is_ok());
    for (change, expected) in [
        (("[abc], pattern", "[], pattern"), "t.yaml: a-b: it has no keyword"),
        (("[abc], pattern", "[Abc], pattern"), "`Abc` is not lower case"),
        (("[abc], pattern", "[a], pattern"), "`a` is not lower case, or too short"),
        (("@{a}", "@{b}"), "there is no piece `b`"),
        (("@{a}", "@{a"), "`@{` without `}`"),
        (("id: a-b", "id: A"), "an id is made of"),
        (("issuer: x", "issuer: ''"), "`issuer` says nothing"),
        (("found: [\"«abcx»\"]", "found: []"), "it needs an example"),
        (("kept: [abc]", "kept: [abc], kpt: 1"), "kpt"),
    ] {
        let error = entry(change).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}
