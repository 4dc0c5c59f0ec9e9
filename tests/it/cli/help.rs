//! Help and usage.

use super::Place;

#[test]
fn every_verb_explains_itself() {
    let place = Place::new();
    let top = place.run(&["--help"]);
    let verbs: Vec<&str> = top
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.contains(&"decide"), "{verbs:?}");
    insta::assert_snapshot!("top", top);
    for verb in verbs {
        let help = place.run(&[verb, "--help"]);
        assert_eq!(help.status, Some(0));
        let examples = help.stdout.split("Examples:\n").nth(1).expect("examples");
        let count = examples.lines().filter(|line| line.contains("tollgate ")).count();
        assert_eq!(count, 2, "{verb}: {examples}");
        insta::assert_snapshot!(verb, help);
    }
}

#[test]
fn usage_errors_name_the_mistake() {
    let place = Place::new();
    let mut out = String::new();
    for arguments in [
        &[][..],
        &["decied"],
        &["decide", "--modee", "x"],
        &["decide", "--fail-on", "never"],
        &["decide", "--layer", "policies"],
        &["decide", "--layer", "Org=policies"],
        &["decide", "--layer", "org="],
        &["decide", "--policy", "a", "--policy", "b"],
        &["lint", "a.toll", "--policy", "b.toll"],
        &["explain", "--line", "0"],
        &["explain", "--call", "{}", "--line", "2"],
        &["fmt", "-", "a.toll"],
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.status, Some(2), "{arguments:?}");
        out += &format!("tollgate {}\n{ended}\n", arguments.join(" "));
    }
    insta::assert_snapshot!(out);
}
