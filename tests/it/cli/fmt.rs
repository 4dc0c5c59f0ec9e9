//! `fmt`: writing, checking, differences, standard input.

use super::Place;

const LOOSE: &str = "tollgate 1\n\n\n\nallow   reads {on read when path under workspace}\n";

#[test]
fn files_are_laid_out_once() {
    let place = Place::new();
    place.file("p/a.toll", LOOSE).file("p/deep/b.toll", LOOSE).file("p/.hidden/c.toll", LOOSE);
    let before = place.run(&["fmt", "--check", "p"]);
    assert_eq!(before.status, Some(1));
    insta::assert_snapshot!(before);
    insta::assert_snapshot!(place.run(&["fmt", "--diff", "p/a.toll"]));
    assert_eq!(place.text("p/a.toll"), LOOSE, "neither flag writes");
    assert_eq!(place.run(&["fmt", "p"]).status, Some(0));
    assert_ne!(place.text("p/a.toll"), LOOSE);
    assert_eq!(place.text("p/a.toll"), place.text("p/deep/b.toll"));
    assert_eq!(place.text("p/.hidden/c.toll"), LOOSE, "hidden folders are left alone");
    insta::assert_snapshot!(place.run(&["fmt", "--check", "--diff"]));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let place = Place::new();
    insta::assert_snapshot!(place.run_with(&["fmt", "-"], LOOSE.as_bytes()));
    assert_eq!(place.run_with(&["fmt", "--check", "-"], LOOSE.as_bytes()).status, Some(1));
}

#[test]
fn what_cannot_be_read_stays_and_the_rest_is_laid_out() {
    let place = Place::new();
    let broken = "tollgate 1\nallow x { on raed }\n";
    place.file("a.toll", broken).file("b.toll", LOOSE);
    let ended = place.run(&["fmt", "a.toll", "b.toll", "missing.toll"]);
    assert_eq!((place.text("a.toll").as_str(), ended.status), (broken, Some(2)));
    assert_ne!(place.text("b.toll"), LOOSE);
    insta::assert_snapshot!(ended);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::new();
    place.file("real.toll", LOOSE);
    let real = place.work().join("real.toll");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.toll", place.work().join("link.toll")).unwrap();
    assert_eq!(place.run(&["fmt", "link.toll"]).status, Some(0));
    assert!(place.work().join("link.toll").is_symlink());
    assert_ne!(place.text("real.toll"), LOOSE);
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_file_that_is_not_there_is_no_file_without_changes() {
    let ended = Place::new().run(&["fmt", "missing.toll"]);
    assert_eq!((ended.status, ended.stderr.lines().count()), (Some(2), 1), "{ended}");
}
