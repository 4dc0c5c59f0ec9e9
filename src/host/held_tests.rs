#![expect(clippy::disallowed_methods, reason = "tests make files")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::*;

fn place() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap();
    (place, path)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn read(path: &Path) -> Result<Vec<u8>, HeldError> {
    open_file(text(path), true)?.read_all(1_000)
}

#[test]
fn no_link_is_followed_anywhere() {
    let (_place, at) = place();
    std::fs::create_dir(at.join("in")).unwrap();
    std::fs::write(at.join("in/a"), "content").unwrap();
    symlink(at.join("in"), at.join("out")).unwrap();
    symlink("a", at.join("in/b")).unwrap();
    assert_eq!(read(&at.join("in/a")).unwrap(), b"content");
    for path in ["out/a", "in/b"] {
        assert!(matches!(read(&at.join(path)), Err(HeldError::Changed(_))), "{path}");
    }
    assert_eq!(read(&at.join("none")), Err(HeldError::Missing));
    assert_eq!(read(&at.join("none/a")), Err(HeldError::Missing));
    assert_eq!(read(&at.join("in")), Err(HeldError::NotAFile));
    assert!(matches!(read(&at.join("in/../in/a")), Err(HeldError::Other(_))));
    assert!(matches!(list(text(&at.join("out"))), Err(HeldError::Changed(_) | HeldError::NotADirectory)));
}

#[test]
fn steps_give_what_the_kernel_gives() {
    let (_place, at) = place();
    std::fs::create_dir(at.join("in")).unwrap();
    std::fs::write(at.join("in/a"), "content").unwrap();
    symlink(at.join("in"), at.join("out")).unwrap();
    let root = || rustix::fs::open("/", HOLD, Mode::empty()).unwrap();
    let relative = |path: &str| text(&at.join(path)).trim_start_matches('/').to_owned();
    assert!(open_by_steps(root(), &relative("in/a"), READ).is_ok());
    for path in ["out/a", "out", "in/b"] {
        assert!(open_by_steps(root(), &relative(path), READ).is_err(), "{path}");
    }
}

#[test]
fn a_second_name_is_seen() {
    let (_place, at) = place();
    std::fs::write(at.join("a"), "x").unwrap();
    std::fs::hard_link(at.join("a"), at.join("b")).unwrap();
    assert!(matches!(read(&at.join("a")), Err(HeldError::Changed(_))));
    assert!(open_file(text(&at.join("a")), false).is_ok());
}

#[test]
fn a_pipe_does_not_hang() {
    let (_place, at) = place();
    let directory = rustix::fs::open(&at, HOLD, Mode::empty()).unwrap();
    rustix::fs::mknodat(&directory, "p", FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert_eq!(read(&at.join("p")), Err(HeldError::NotAFile));
}

#[test]
fn writing_replaces_at_once_and_keeps_the_mode() {
    let (_place, at) = place();
    let file = at.join("a");
    write(text(&file), b"one", &Before::Nothing).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
    assert!(matches!(write(text(&file), b"no", &Before::Nothing), Err(HeldError::Changed(_))));
    write(text(&file), b"two", &Before::AFile).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"two");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(write(text(&at.join("none/a")), b"x", &Before::Nothing), Err(HeldError::NoDirectory));
    assert_eq!(std::fs::read_dir(&at).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_link_at_the_place_is_neither_followed_nor_replaced() {
    let (_place, at) = place();
    let outside = at.join("outside");
    std::fs::write(&outside, "old").unwrap();
    symlink(&outside, at.join("a")).unwrap();
    for before in [Before::Nothing, Before::AFile] {
        assert!(matches!(write(text(&at.join("a")), b"new", &before), Err(HeldError::Changed(_))));
    }
    symlink(at.join("missing"), at.join("dangling")).unwrap();
    assert!(write(text(&at.join("dangling")), b"new", &Before::Nothing).is_err());
    assert_eq!(std::fs::read(&outside).unwrap(), b"old");
    assert!(!at.join("missing").exists());
}

#[test]
fn what_another_program_wrote_meanwhile_is_not_lost() {
    let (_place, at) = place();
    let file = at.join("a");
    std::fs::write(&file, "old").unwrap();
    let seen = open_file(text(&file), true).unwrap();
    std::fs::write(&file, "newer text").unwrap();
    assert!(matches!(write(text(&file), b"mine", &Before::This(seen)), Err(HeldError::Changed(_))));
    assert_eq!(std::fs::read(&file).unwrap(), b"newer text");
}
