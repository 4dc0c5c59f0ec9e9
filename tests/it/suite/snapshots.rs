//! Snapshots: written where a person accepts them, never in continuous integration, readable by insta.

use std::fs;

use super::{cases, project, test, test_with_ci};
use crate::cli::Place;

const TEST: &str = "policy: policy.toll\ncases:\n  - name: a\n    call: {tool: read_file, args: {path: README.md}}\n    \
                    expect: {verdict: allow}\n  - name: b\n    call: {tool: read_file, args: {path: .env}}\n    \
                    expect: {verdict: block}\n";

fn place() -> Place {
    let place = project(&["policy.toll"]);
    place.file("x.test.yaml", TEST);
    place
}

fn exists(place: &Place, name: &str) -> bool {
    place.work().join(name).exists()
}

#[test]
fn a_missing_one_is_proposed_and_accepted() {
    let place = place();
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(1), "{ended}");
    insta::assert_snapshot!("missing", ended);
    let proposed = place.text("x.test.snap.new");
    assert!(!exists(&place, "x.test.snap"));
    let ended = test(&place, &["--accept"]);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert!(ended.stdout.contains("snapshot written"), "{ended}");
    assert_eq!(place.text("x.test.snap"), proposed);
    assert!(!exists(&place, "x.test.snap.new"), "nothing is left to look at");
    assert_eq!(test(&place, &[]).status, Some(0));
    insta::assert_snapshot!("written", proposed);
}

#[test]
fn a_stale_one_shows_what_changed() {
    let place = place();
    test(&place, &["--accept"]);
    let old = place.text("x.test.snap");
    // The verdict of `b` has another reason, `a` has another name, and `c` is new.
    place.file("policy.toll", place.text("policy.toll").replace("holds credentials", "holds secrets"));
    let c = "  - name: c\n    call: {tool: shell, args: {command: ls}}\n    expect: {verdict: allow}\n";
    place.file("x.test.yaml", TEST.replace("name: a", "name: it's another") + c);
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(1), "{ended}");
    insta::assert_snapshot!(ended);
    assert_eq!(place.text("x.test.snap"), old, "only a person accepts");
    assert!(exists(&place, "x.test.snap.new"));
    assert_eq!(test(&place, &["--accept"]).status, Some(0));
    assert_eq!(test(&place, &[]).status, Some(0));
}

#[test]
fn a_line_that_moves_is_no_change_and_an_order_is() {
    let place = place();
    test(&place, &["--accept"]);
    place.file("policy.toll", format!("// A comment.\n{}", place.text("policy.toll")));
    assert_eq!(test(&place, &[]).status, Some(0));
    let (a, b) = TEST.split_once("  - name: b").unwrap();
    let (head, a) = a.split_once("  - name: a").unwrap();
    place.file("x.test.yaml", format!("{head}  - name: b{b}  - name: a{a}"));
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(1));
    assert!(ended.stdout.contains("another order"), "{ended}");
}

#[test]
fn a_check_that_is_gone_is_told() {
    let place = place();
    test(&place, &["--accept"]);
    place.file("x.test.yaml", TEST.split("  - name: b").next().unwrap());
    let ended = test(&place, &[]);
    assert_eq!(ended.status, Some(1));
    assert!(ended.stdout.contains("b: is in the snapshot, but no check any more"), "{ended}");
    // A filter leaves checks out; they are not gone.
    place.file("x.test.yaml", TEST);
    assert_eq!(test(&place, &["--filter", ": a"]).status, Some(0));
}

#[test]
fn a_filter_compares_what_it_selects_and_writes_nothing() {
    let place = place();
    let ended = test(&place, &["--filter", ": a"]);
    assert_eq!(ended.status, Some(1), "{ended}");
    assert!(!exists(&place, "x.test.snap.new"));
    test(&place, &["--accept"]);
    place.file("policy.toll", place.text("policy.toll").replace("holds credentials", "holds secrets"));
    assert_eq!(test(&place, &["--filter", ": a"]).status, Some(0));
    assert_eq!(test(&place, &["--filter", ": b"]).status, Some(1));
    assert!(!exists(&place, "x.test.snap.new"));
}

#[test]
fn continuous_integration_writes_nothing() {
    let place = place();
    for ci in ["true", "1", "yes"] {
        let ended = test_with_ci(&place, ci, &[]);
        assert_eq!(ended.status, Some(1), "{ended}");
        assert!(ended.stdout.contains("run `tollgate test --accept x.test.yaml` where"), "{ended}");
        let ended = test_with_ci(&place, ci, &["--accept"]);
        assert_eq!(ended.status, Some(2), "{ended}");
        assert!(!exists(&place, "x.test.snap") && !exists(&place, "x.test.snap.new"), "CI={ci}");
    }
    for ci in ["", "false", "0"] {
        assert_eq!(test_with_ci(&place, ci, &[]).status, Some(1));
        assert!(exists(&place, "x.test.snap.new"), "CI={ci}");
        fs::remove_file(place.work().join("x.test.snap.new")).unwrap();
    }
    test(&place, &["--accept"]);
    assert_eq!(test_with_ci(&place, "true", &[]).status, Some(0));
    place.file("x.test.snap", place.text("x.test.snap").replace("holds", "has"));
    let stale = place.text("x.test.snap");
    assert_eq!(test_with_ci(&place, "true", &[]).status, Some(1));
    assert_eq!(place.text("x.test.snap"), stale);
    assert!(!exists(&place, "x.test.snap.new"));
}

#[test]
fn one_that_is_no_snapshot_is_told_and_mended() {
    let place = place();
    for text in ["", "x", "---\nsource: x\n", "---\n---\n- name: a\n"] {
        place.file("x.test.snap", text);
        let ended = test(&place, &[]);
        assert_eq!(ended.status, Some(1), "{text:?}\n{ended}");
        assert!(ended.stdout.contains("the snapshot `x.test.snap` cannot be read: "), "{ended}");
        assert_eq!(test(&place, &["--accept"]).status, Some(0));
    }
}

/// What a proposal leaves behind goes away when it is no longer one.
#[test]
fn an_old_proposal_is_removed() {
    let place = place();
    test(&place, &["--accept"]);
    place.file("x.test.snap.new", "old");
    assert_eq!(test(&place, &[]).status, Some(0));
    assert!(!exists(&place, "x.test.snap.new"));
}

/// insta itself takes our file for one of its own that says the same.
#[test]
fn insta_reads_what_is_written() {
    let text = fs::read_to_string(cases().join("holds.test.snap")).unwrap();
    let content = text.splitn(3, "---\n").nth(2).unwrap();
    insta::with_settings!({
        snapshot_path => "../../cases/suite",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!("holds.test", content);
    });
}
