//! `init`: a project to start from.

use super::Place;

#[test]
fn writes_what_is_missing_and_keeps_what_is_there() {
    let place = Place::new();
    place.file("policies/agent.toll", "tollgate 1\n");
    let first = place.run(&["init"]);
    let second = place.run(&["init"]);
    assert_eq!(place.text("policies/agent.toll"), "tollgate 1\n");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(place.work().join(".githooks/pre-commit")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o100, 0o100, "the hook can be run");
    insta::assert_snapshot!(format!("{first}\nand again\n{second}"));
}

#[test]
fn what_it_writes_is_sound() {
    let place = Place::new();
    assert_eq!(place.run(&["init", "new/project"]).status, Some(0));
    let project = place.work().join("new/project");
    let lint = place.run_in(&project, &["lint", "--workspace", ".", "--fail-on", "warning"], b"");
    assert_eq!(lint.status, Some(0), "{lint}");
    let fmt = place.run_in(&project, &["fmt", "--check", "policies"], b"");
    assert_eq!(fmt.status, Some(0), "{fmt}");
    // In a repository of its own, as a project is.
    std::fs::create_dir(project.join(".git")).unwrap();
    let test = place.run_in(&project, &["test"], b"");
    assert_eq!(test.status, Some(0), "{test}");
}
