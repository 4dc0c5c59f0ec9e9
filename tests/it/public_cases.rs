//! The cases from public bug reports: their suites hold, and every case of the corpus has one place
//! (`tests/cases/public/README.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tollgate::base::yaml;

use crate::cli::public_cases as in_code;

/// Classes of which every case is answered.
const WHOLE: &[&str] = &[
    "path-traversal",
    "path-symlink",
    "path-prefix",
    "path-case-or-unicode",
    "mode-bypass",
    "schema",
    "modify-revalidation",
    "config-precedence",
    "secret-redaction",
    "output-size",
];

/// What the name of a case begins with that is not from the corpus.
const CONTROL: &str = "control";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/public")
}

/// The corpus by id; none, loudly, where it is not there.
fn corpus() -> Option<BTreeMap<String, Value>> {
    let root = std::env::var_os("TOLLGATE_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(root.join("public-cases/cases.jsonl")) else {
        assert!(
            std::env::var("TOLLGATE_CORPORA_REQUIRED").as_deref() != Ok("1"),
            "the corpus of public cases is not there; TOLLGATE_CORPORA names its folder"
        );
        eprintln!("SKIPPED: the corpus of public cases is not there; TOLLGATE_CORPORA names its folder");
        return None;
    };
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    Some(rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row)).collect())
}

/// A case of a suite.
struct Case {
    /// `CLASS/FILE`.
    file: String,
    class: String,
    id: String,
    body: Value,
    world: Value,
}

/// Every case of the suites.
fn suite_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for class in sorted(&folder()).into_iter().filter(|path| path.is_dir()) {
        let class_name = name_of(&class);
        for path in sorted(&class).into_iter().filter(|path| name_of(path).ends_with(".test.yaml")) {
            let file = format!("{class_name}/{}", name_of(&path));
            let suite: Value = yaml::parse(&std::fs::read_to_string(&path).unwrap()).expect(&file);
            for body in suite["cases"].as_array().expect(&file) {
                let name = body["name"].as_str().expect(&file);
                let (id, what) = name.split_once(": ").unwrap_or_else(|| panic!("{file}: {name}: no id"));
                assert!(!what.is_empty() && !id.contains(' '), "{file}: `ID: what it shows`, not {name}");
                cases.push(Case {
                    file: file.clone(),
                    class: class_name.clone(),
                    id: id.to_owned(),
                    body: body.clone(),
                    world: suite["world"].clone(),
                });
            }
        }
    }
    cases
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// What is said about a case of `explained.yaml`.
struct Explained {
    /// Of an accepted difference: the verdict that a suite expects.
    accepted: Option<String>,
}

fn explained() -> BTreeMap<String, Explained> {
    let entries: Value =
        yaml::parse(&std::fs::read_to_string(folder().join("explained.yaml")).unwrap()).unwrap();
    let mut all = BTreeMap::new();
    for entry in entries.as_array().unwrap() {
        let text =
            |key: &str| entry[key].as_str().unwrap_or_else(|| panic!("{entry}: no `{key}`")).to_owned();
        assert!(text("reason").len() > 40, "{entry}: a reason is a sentence");
        let keys: BTreeSet<&str> = entry.as_object().unwrap().keys().map(String::as_str).collect();
        let (accepted, expected) = match text("kind").as_str() {
            "accepted-difference" => (Some(text("verdict")), ["id", "kind", "reason", "verdict"]),
            "no-verdict" => {
                assert!(text("answered-by").len() > 10, "{entry}");
                (None, ["answered-by", "id", "kind", "reason"])
            }
            other => panic!("{entry}: no such kind: {other}"),
        };
        assert_eq!(keys, BTreeSet::from(expected), "{entry}");
        assert!(all.insert(text("id"), Explained { accepted }).is_none(), "{entry}: twice");
    }
    all
}

/// What the program prints where it succeeds.
fn tollgate(arguments: &[&str]) -> String {
    let ended = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ended.status.success(), "{}{}", shown(&ended.stdout), shown(&ended.stderr));
    shown(&ended.stdout)
}

#[test]
fn the_suites_hold() {
    let stdout = tollgate(&["test", "tests/cases/public"]);
    tollgate(&["fmt", "--check", "tests/cases/public"]);
    // What it judged is what is here.
    let files: BTreeSet<String> = suite_cases().into_iter().map(|case| case.file).collect();
    for file in files {
        assert!(stdout.contains(&format!("tests/cases/public/{file}")), "{file} was not run:\n{stdout}");
    }
}

#[test]
fn every_case_has_one_place() {
    let Some(corpus) = corpus() else { return };
    let explained = explained();
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let cases = suite_cases();
    for case in cases.iter().filter(|case| case.id != CONTROL) {
        places.entry(&case.id).or_default().insert(&case.file);
    }
    for id in in_code::IDS {
        assert!(places.entry(id).or_default().insert("a test in code"), "{id} is there twice");
    }
    for (id, entry) in &explained {
        if entry.accepted.is_some() {
            assert!(places.contains_key(id.as_str()), "{id} is an accepted difference, and no suite has it");
        } else {
            places.entry(id).or_default().insert("explained.yaml");
        }
    }
    let mut wrong = Vec::new();
    for (id, at) in &places {
        if at.len() != 1 {
            wrong.push(format!("{id} has several places: {at:?}"));
        }
        if !corpus.contains_key(*id) {
            wrong.push(format!("{id} ({at:?}) is not in the corpus"));
        }
    }
    for (id, row) in &corpus {
        let class = row["class"].as_str().unwrap();
        if !places.contains_key(id.as_str()) && WHOLE.contains(&class) {
            wrong.push(format!("{id} ({class}) has no place"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for class in WHOLE {
        assert!(corpus.values().any(|row| row["class"] == **class), "no case is of the class {class}");
    }
}

#[test]
fn cases_ask_what_the_corpus_asks() {
    let Some(corpus) = corpus() else { return };
    let explained = explained();
    let mut wrong = Vec::new();
    for case in suite_cases().iter().filter(|case| case.id != CONTROL) {
        let Some(row) = corpus.get(&case.id) else { continue };
        let accepted = explained.get(&case.id).and_then(|entry| entry.accepted.as_deref());
        let faults = [call_differs(case, row), expectation_differs(case, row, accepted)];
        wrong
            .extend(faults.into_iter().flatten().map(|fault| format!("{}: {}: {fault}", case.file, case.id)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// How the call of a case is another one than the corpus'.
fn call_differs(case: &Case, row: &Value) -> Option<String> {
    let (body, context) = (&case.body, &row["context"]);
    let call = &body["call"];
    let args = call.get("args").cloned().unwrap_or_else(|| serde_json::json!({}));
    let mode = context["mode"].as_str().filter(|mode| *mode != "default");
    let workspace = |given: &Value| given.as_str().map(|path| path.replace('\\', "/"));
    let here = workspace(&case.world["workspace"]).unwrap_or_else(|| "/home/user/project".to_owned());
    if row["class"] != *case.class {
        return Some(format!("it is of the class {}", row["class"]));
    }
    if call["tool"] != row["tool"] || args != row["call"] {
        return Some(format!("the corpus calls {} with {}", row["tool"], row["call"]));
    }
    if body["mode"].as_str() != mode {
        return Some(format!("the corpus has the mode {}", context["mode"]));
    }
    if body["unattended"].as_bool().unwrap_or(false) == context["interactive"].as_bool().unwrap_or(true) {
        return Some(format!("the corpus is interactive: {}", context["interactive"]));
    }
    if workspace(&context["workspace"]).is_some_and(|there| there != here) {
        return Some(format!("the corpus works in {}", context["workspace"]));
    }
    let windows = context["platform"] == "windows";
    (windows != (case.world["platform"] == "windows"))
        .then(|| format!("the corpus is about {}", context["platform"]))
}

/// How a case expects something else than the corpus.
fn expectation_differs(case: &Case, row: &Value, accepted: Option<&str>) -> Option<String> {
    let (expect, wanted) = (&case.body["expect"], row["expected"].as_str().unwrap());
    let verdict = expect["verdict"].as_str().unwrap();
    let is = |same: bool, what: &str| (!same).then(|| format!("the corpus expects {wanted}: {what}"));
    if let Some(accepted) = accepted {
        return if verdict == wanted {
            Some("it is listed as an accepted difference, and there is none".to_owned())
        } else {
            is(verdict == accepted, &format!("the accepted difference is {accepted}"))
        };
    }
    match wanted {
        "modify" => is(
            verdict == "allow" && expect["args"].is_object() && expect["args"] != case.body["call"]["args"],
            "a call that is allowed with other arguments",
        ),
        "redact" => is(
            verdict == "allow" && !expect["result"].is_null() && expect["result"] != case.body["result"],
            "a call that is allowed with another result",
        ),
        "status:invalid_arguments" => is(
            verdict == "block" && expect["rules"] == serde_json::json!(["invalid-arguments"]),
            "`block` by `invalid-arguments`",
        ),
        level => is(verdict == level, "that verdict"),
    }
}
