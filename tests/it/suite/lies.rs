//! Every way in which a test file can seem to test something, and does not: each fails, and says how it
//! is mended.

use std::fs;

use super::{cases, project, test};
use crate::cli::Place;

#[test]
fn what_a_test_file_can_say_holds() {
    let place = project(&["policy.toll", "holds.test.yaml", "holds.test.snap"]);
    let ended = test(&place, &["."]);
    assert_eq!(ended.status, Some(0), "{ended}");
    insta::assert_snapshot!(ended);
}

/// The first line of a fixture says how the run ends: with 1 where a check fails, with 2 where the file
/// cannot be used.
#[test]
fn every_lie_is_told() {
    let mut count = 0;
    insta::glob!("../../cases/suite/lies", "*.test.yaml", |path| {
        let name = format!("lies/{}", path.file_name().unwrap().to_str().unwrap());
        let text = fs::read_to_string(cases().join(&name)).unwrap();
        let expected: i32 = text.lines().next().unwrap().strip_prefix("# exit: ").unwrap().parse().unwrap();
        let place = project(&["policy.toll", &name]);
        // Its verdicts are known, so that nothing but the lie is left.
        test(&place, &["--accept", &name]);
        let ended = test(&place, &[&name]);
        assert_eq!(ended.status, Some(expected), "{name}\n{ended}");
        for format in ["json", "junit"] {
            let other = test(&place, &["--format", format, &name]);
            assert_eq!(other.status, ended.status, "{name} as {format}");
        }
        insta::assert_snapshot!(ended);
        count += 1;
    });
    assert!(count >= 40, "{count} fixtures were found");
}

#[test]
fn paths_and_filters_that_select_nothing() {
    let place = project(&["policy.toll", "holds.test.yaml", "holds.test.snap"]);
    place.file("empty/README.md", "").file("bare/a.toll", "tollgate 1\n\ndefault block\n");
    let mut out = String::new();
    for arguments in [
        &["--filter", "no such check"][..],
        &["--filter", "x", "--accept"],
        &["missing"],
        &["empty"],
        &["empty/README.md"],
        &["bare"],
    ] {
        let ended = test(&place, arguments);
        assert_eq!(ended.status, Some(2), "{arguments:?}\n{ended}");
        out += &format!("tollgate test {}\n{ended}\n", arguments.join(" "));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_filter_selects_by_file_and_name() {
    let place = project(&["policy.toll", "holds.test.yaml", "holds.test.snap"]);
    for (filter, count) in
        [("a warning", 1), ("holds.test.yaml: ", 30), ("policy.toll: example", 2), ("commands: ", 3)]
    {
        let ended = test(&place, &["--filter", filter]);
        assert_eq!(ended.status, Some(0), "{ended}");
        let sum = format!("{count} check");
        assert!(ended.stdout.lines().last().unwrap().starts_with(&sum), "{filter}\n{ended}");
    }
}

/// What is not run, though its name looks as if it were.
#[test]
fn strays_are_told() {
    let place = project(&["policy.toll", "holds.test.yaml", "holds.test.snap"]);
    place
        .file("tests/a.test.yml", "")
        .file("tests/b_test.yaml", "")
        .file("tests/gone.test.snap", "---\n---\n");
    place.file("tests/.hidden/x.test.yaml", "no: yaml: at all").file("tests/notes.yaml", "");
    let ended = test(&place, &["."]);
    assert_eq!(ended.status, Some(1), "{ended}");
    insta::assert_snapshot!(ended);
}

#[test]
fn one_file_that_cannot_be_used_does_not_hide_the_others() {
    let place = project(&["policy.toll", "holds.test.yaml", "holds.test.snap", "lies/no-verdict.test.yaml"]);
    place.file("alone/pass.toll", "tollgate 1\n\ndefault pass\n\nblock writes { on write }\n");
    let ended = test(&place, &["."]);
    assert_eq!(ended.status, Some(2), "{ended}");
    insta::assert_snapshot!(ended);
}

#[test]
fn a_policy_without_a_test_file_has_its_examples_run() {
    let place = project(&["policy.toll"]);
    let ended = test(&place, &["policy.toll"]);
    assert_eq!(
        (ended.status, ended.stdout.as_str()),
        (Some(0), "ok   policy.toll  2 examples\n2 checks in 1 file hold\n")
    );
    let text = place.text("policy.toll").replace("example not read_file", "example read_file");
    place.file("policy.toll", text);
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(1), "{ended}");
    assert!(ended.stdout.contains("policy.toll:21:3"), "{ended}");
}

/// The layers of the project's configuration, where a test file names no policy.
#[test]
fn the_layers_of_the_configuration() {
    let place = project(&["policy.toll"]);
    place.file(
        "tollgate.yaml",
        "layers:\n  - {name: organisation, path: policy.toll}\n  - {name: team, path: team}\n",
    );
    place.file(
        "team/a.toll",
        "tollgate 1\n\ndefault pass\n\nblock notes {\n  on read\n  when path is \"./notes.txt\"\n}\n",
    );
    place.file(
        "tests/deep/a.test.yaml",
        "cases:\n  - name: the team is stricter\n    call: {tool: read_file, args: {path: notes.txt}}\n    \
         expect: {verdict: block, rules: [team/notes]}\n  - name: the rest is the organisation's\n    \
         call: {tool: read_file, args: {path: README.md}}\n    expect: {verdict: allow, rules: [reads]}\n  \
         - name: what the gate loads is protected\n    mode: build\n    \
         call: {tool: write_file, args: {path: team/b.toll, content: \"\"}}\n    \
         expect: {verdict: block, rules: [gate/self]}\n",
    );
    test(&place, &["--accept"]);
    let ended = test(&place, &["tests"]);
    assert_eq!(ended.status, Some(0), "{ended}");
    let from_below = place.run_in(&place.work().join("tests/deep"), &["test"], b"");
    assert_eq!(from_below.status, Some(0), "the verdicts do not depend on where one stands\n{from_below}");
}

/// What the gate protects is the same wherever the run is started.
#[test]
fn policy_and_tests_are_protected_by_default() {
    let place = Place::new();
    place.file(
        "policies/a.toll",
        "tollgate 1\n\ndefault block\n\ntool write_file { writes args.path }\n\nallow writes { on write }\n",
    );
    let case = |path: &str, expect: &str| {
        format!(
            "  - name: {path}\n    call: {{tool: write_file, args: {{path: {path}, content: \"\"}}}}\n    expect: {expect}\n"
        )
    };
    let itself = "{verdict: block, rules: [gate/self]}";
    let cases: String = [
        ("policies/a.toll", itself),
        ("policies/tests/a.test.yaml", itself),
        ("tollgate.yaml", itself),
        ("policies/b.toll", "{verdict: allow, rules: [writes]}"),
    ]
    .into_iter()
    .map(|(path, expect)| case(path, expect))
    .collect();
    place.file("policies/tests/a.test.yaml", format!("policy: ../a.toll\ncases:\n{cases}"));
    test(&place, &["--accept"]);
    for folder in ["", "policies", "policies/tests"] {
        let ended = place.run_in(&place.work().join(folder), &["test"], b"");
        assert_eq!(ended.status, Some(0), "{folder}\n{ended}");
    }
}

/// Imports of a policy in a test file begin at the folder of the test file, wherever the run is started.
#[test]
fn a_policy_in_a_test_file_imports_what_lies_beside_it() {
    let place = Place::new();
    place.file("policies/tests/tools.toll", "tollgate 1\n\ntool put { writes args.path }\n");
    place.file("policies/rules.toll", "tollgate 1\n\nallow puts { on write by put }\n");
    place.file(
        "policies/tests/a.test.yaml",
        "policy: ../rules.toll\npolicy-text: |\n  tollgate 1\n  import \"./tools.toll\"\ncases:\n  - name: a\n    \
         call: {tool: put, args: {path: x}}\n    expect: {verdict: allow, rules: [puts]}\n",
    );
    test(&place, &["--accept", "policies/tests"]);
    for (folder, path) in
        [("", "policies"), ("policies/tests", "."), ("policies", "../policies/tests/a.test.yaml")]
    {
        let ended = place.run_in(&place.work().join(folder), &["test", path], b"");
        assert_eq!(ended.status, Some(0), "{folder}\n{ended}");
    }
}

/// A policy that two test files name is one policy.
#[test]
fn an_example_is_counted_once() {
    let place = Place::new();
    let rules = "tollgate 1\n\ntool put { writes args.path }\n\nallow puts {\n  on write\n  when session has clean\n  \
                 example put {\"path\": \"x\"} with {\"labels\": [\"clean\"]}\n}\n";
    place.file("rules.toll", format!("{rules}\nlabels clean\n"));
    let case = "cases:\n  - name: a\n    call: {tool: put, args: {path: x}}\n    expect: {verdict: block}\n";
    place.file("a.test.yaml", format!("policy: rules.toll\n{case}"));
    place.file("b.test.yaml", format!("layers: {{a: rules.toll, b: rules.toll}}\n{case}"));
    test(&place, &["--accept"]);
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert!(ended.stdout.ends_with("3 checks in 2 files hold\n"), "one example, met twice\n{ended}");
}
