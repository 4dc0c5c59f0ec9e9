//! `lint`: findings in three formats, mends.

use super::{POLICY, Place};

const BROKEN: &str = "\
tollgate 1

  allow reads { on read  when path under workspace }

block keys {
  on read
  when path in {\"./keys/**\"
}

block more { on write  when path udner home }
";

#[test]
fn findings_for_people() {
    let place = Place::new();
    place.file("policies/base.toll", BROKEN);
    insta::assert_snapshot!(place.run(&["lint", "policies/base.toll"]));
}

#[test]
fn findings_as_json() {
    let place = Place::new();
    let ended = place.file("policies/base.toll", BROKEN).run(&["lint", "policies", "--format", "json"]);
    let findings: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(1), ""));
    insta::assert_snapshot!(serde_json::to_string_pretty(&findings).unwrap());
}

#[test]
fn findings_for_github() {
    let place = Place::new();
    place.file("a,b:c%.toll", BROKEN);
    insta::assert_snapshot!(place.run(&["lint", "a,b:c%.toll", "--format", "github"]));
}

#[test]
fn what_is_sound_is_said_to_be() {
    let place = Place::new();
    insta::assert_snapshot!(place.file("p.toll", POLICY).run(&["lint", "p.toll"]));
}

#[test]
fn certain_mends_are_applied_and_nothing_else() {
    let place = Place::new();
    let broken = "tollgate 1\n\n  allow reads { on read  when path under workspace }\n\nblock x { on write  when path udner home }\n";
    let ended = place.file("p.toll", broken).run(&["lint", "p.toll", "--fix"]);
    insta::assert_snapshot!(format!("{ended}----- p.toll -----\n{}", place.text("p.toll")));
}

#[test]
fn colours_are_for_terminals() {
    let place = Place::new();
    place.file("p.toll", BROKEN);
    let coloured = |name: &str, value: &str| {
        let work = place.work();
        let output = place.command(&work, &["lint", "p.toll"]).env(name, value).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured("X", "x"));
    assert!(!coloured("NO_COLOR", "1"));
    assert!(coloured("CLICOLOR_FORCE", "1"));
}

#[test]
fn hostile_texts_do_not_steer_the_terminal() {
    let place = Place::new();
    place.file(
        "p.toll",
        "tollgate 1\nallow \u{1b}[2J\u{202e}\u{9b}31m { on read }\nimport \"std:\u{1b}[31mx\"\n",
    );
    let ended = place.run(&["lint", "p.toll"]);
    assert_eq!(ended.status, Some(1));
    assert!(!ended.to_string().contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{ended}");
}

#[test]
fn several_paths_are_checked_one_by_one() {
    let place = Place::new();
    place.file("a.toll", POLICY).file("b.toll", POLICY).file("c.toll", BROKEN);
    let ended = place.run(&["lint", "a.toll", "b.toll", "c.toll", "c.toll"]);
    assert!(ended.stderr.contains("in 4 files"), "{ended}");
    let alone = place.run(&["lint", "c.toll"]);
    assert_eq!(ended.stdout, alone.stdout, "what two sets share is said once");
}

#[test]
fn examples_have_to_hold() {
    let place = Place::new();
    place.file(
        "p.toll",
        r#"tollgate 1

modes plan, build

tool read_file { reads args.path }

tool shell { runs args.command }

block secrets {
  on read, write
  when path in {"**/.env"} and mode is build
  example read_file {"path": ".env"} in build
  example read_file {"path": ".env"}
  example not shell {"command": "cat .env"} in build
  example not read_file {"path": "README.md"} in build
  example read_file {"path": "link.txt"} in build with {"links": {"link.txt": ".env"}, "files": {".env": ""}}
}

allow reads {
  on read
  when path under workspace
  example read_file {"path": "a/b.md"}
  example read_file {"path": "/etc/passwd"}
  example shell {"command": "cd docs && cat a.md"}
  example read_file {}
}

modify staging {
  on exec
  when command is `deployctl ...` and command.flags not contains "--environment"
  append command `--environment staging`
  example shell {"command": "deployctl release"} gives {"command": "deployctl release --environment staging"}
  example shell {"command": "deployctl release"} gives {"command": "deployctl release --environment live"}
  example not shell {"command": "deployctl release --environment live"}
}
"#,
    );
    insta::assert_snapshot!(place.run(&["lint", "p.toll"]));
}

#[test]
fn a_layer_that_only_restricts_is_checked_with_another() {
    let place = Place::new();
    place.file("org.toll", "tollgate 1\n\ndefault pass\n\nblock x {\n  on read\n}\n");
    let ended = place.run(&["lint", "org.toll"]);
    assert!(ended.stdout.contains("`tollgate lint --layer org=org.toll --layer NAME=PATH`"), "{ended}");
}
