//! What a run prints, in every format.

use std::process::Command;

use regex::Regex;
use serde_json::Value;

use super::{cases, project, test};
use crate::cli::Place;

/// A project in which something of every kind is wrong.
fn everything() -> Place {
    let place = project(&[
        "policy.toll",
        "holds.test.yaml",
        "holds.test.snap",
        "lies/rule-does-not-count.test.yaml",
        "lies/example-fails.test.yaml",
        "lies/nothing.test.yaml",
        "lies/policy-does-not-load.test.yaml",
        "lies/no-verdict.test.yaml",
    ]);
    place.file("a.test.yml", "");
    // Names that a format has to escape.
    place.file(
        "names.test.yaml",
        "policy: policy.toll\nmatrix:\n  - name: \"a <b> & 'c' \\u202e\\uffff \\\"d\\\"\"\n    tool: shell\n    \
         args: [{command: \"ls \\u0007 \\t ]]> \\n\"}, {command: rm}]\n",
    );
    place
}

#[test]
fn text() {
    let ended = test(&everything(), &[]);
    assert_eq!(ended.status, Some(2), "{ended}");
    assert!(!ended.stdout.contains('\u{202e}') && !ended.stdout.contains('\u{1b}'));
    insta::assert_snapshot!(ended);
}

#[test]
fn json() {
    let ended = test(&everything(), &["--format", "json"]);
    assert_eq!(ended.status, Some(2), "{ended}");
    assert_eq!(ended.stdout.lines().count(), 1);
    let mut value: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(value["v"], 1);
    let count = |key: &str| value[key].as_array().unwrap().len();
    assert_eq!((count("files"), count("unusable"), count("strays")), (5, 2, 1));
    let sum = |list: &str| -> usize {
        let files = value["files"].as_array().unwrap().iter();
        files.flat_map(|file| file[list].as_array().unwrap()).count()
    };
    assert_eq!(value["summary"]["checks"], sum("checks") + sum("examples"));
    // One failing check stands for its like.
    for file in value["files"].as_array_mut().unwrap() {
        for list in ["checks", "examples"] {
            let list = file[list].as_array_mut().unwrap();
            let mut seen = Vec::new();
            list.retain(|check| {
                let new = !seen.contains(&check["holds"]);
                seen.push(check["holds"].clone());
                new
            });
        }
    }
    insta::assert_json_snapshot!(value);
}

#[test]
fn junit() {
    let ended = test(&everything(), &["--format", "junit"]);
    assert_eq!(ended.status, Some(2), "{ended}");
    insta::assert_snapshot!(ended);
}

/// The order of what is printed does not depend on which thread ends first.
#[test]
fn runs_are_alike() {
    let place = everything();
    for format in ["text", "json", "junit"] {
        let first = test(&place, &["--format", format]).stdout;
        for _ in 0..5 {
            assert_eq!(test(&place, &["--format", format]).stdout, first);
        }
    }
}

/// A reader of XML that knows what this writer writes: elements in each other, attributes in double
/// quotes, no character that is not one.
fn read_xml(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let attribute = Regex::new(r#"^ ([a-z]+)="([^"<]*)""#).unwrap();
    let reference = Regex::new("&(?:amp|lt|gt|quot|#10|#9);").unwrap();
    let whole = |text: &str| !reference.replace_all(text, "").contains('&');
    let is_char =
        |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(is_char));
    let mut rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let (mut open, mut found): (Vec<String>, Vec<_>) = (Vec::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        assert!(whole(&rest[..at]) && (!open.is_empty() || rest[..at].trim().is_empty()), "{}", &rest[..at]);
        rest = &rest[at + 1..];
        if let Some(end) = rest.strip_prefix('/') {
            let name = open.pop().unwrap();
            rest = end.strip_prefix(&name).unwrap().strip_prefix('>').unwrap();
            continue;
        }
        let name: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
        rest = &rest[name.len()..];
        let mut attributes = Vec::new();
        while let Some(found) = attribute.captures(rest) {
            assert!(whole(&found[2]), "{}", &found[2]);
            attributes.push((found[1].to_owned(), found[2].to_owned()));
            rest = &rest[found[0].len()..];
        }
        match rest.strip_prefix("/>") {
            Some(behind) => rest = behind,
            None => {
                rest = rest.strip_prefix('>').unwrap_or_else(|| panic!("{}", &rest[..80.min(rest.len())]));
                open.push(name.clone());
            }
        }
        found.push((format!("{}{name}", "/".repeat(open.len())), attributes));
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    found
}

#[test]
fn junit_is_xml_whose_sums_are_right() {
    let ended = test(&everything(), &["--format", "junit"]);
    let elements = read_xml(&ended.stdout);
    let named = |name: &str| elements.iter().filter(|(path, _)| path.trim_matches('/') == name).count();
    let root = &elements[0].1;
    let sum = |key: &str| root.iter().find(|(name, _)| name == key).unwrap().1.parse::<usize>().unwrap();
    assert_eq!(sum("tests"), named("testcase"));
    assert_eq!(sum("failures"), named("failure"));
    assert_eq!(sum("errors"), named("error"));
    assert_eq!((named("testsuite"), named("error")), (8, 2));
    let mut names: Vec<_> =
        elements.iter().filter(|(path, _)| path.ends_with("testcase")).map(|(_, a)| &a[..2]).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "a reader tells tests apart by suite and name");
}

/// Against the schema, by a reader that is not ours.
#[test]
fn junit_fits_its_schema() {
    let found = Command::new("xmllint").arg("--version").output();
    if found.is_err() {
        assert!(std::env::var_os("CI").is_none(), "xmllint (Debian: libxml2-utils) has to be there in CI");
        eprintln!("SKIPPED: xmllint is not there, the schema of JUnit reports was not checked");
        return;
    }
    let place = everything();
    let failing = test(&place, &["--format", "junit"]).stdout;
    let holding = test(&place, &["--format", "junit", "holds.test.yaml"]).stdout;
    let bad = holding.replacen("<testcase ", "<testcase colour=\"red\" ", 1);
    for (text, fits) in [(failing, true), (holding, true), (bad, false)] {
        place.file("report.xml", text);
        let output = Command::new("xmllint")
            .args(["--noout", "--schema"])
            .args([cases().join("junit.xsd"), place.work().join("report.xml")])
            .output()
            .unwrap();
        assert_eq!(output.status.success(), fits, "{}", String::from_utf8_lossy(&output.stderr));
    }
}
