//! `tollgate test`: what holds, every way in which a test file can lie, snapshots, formats.

mod docs;
mod formats;
mod library;
mod lies;
mod memory;
mod policies;
mod snapshots;

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Ended, Place};

/// Where the test files of these tests are.
pub fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/suite")
}

/// A project with some of the fixtures, under their own names.
pub fn project(names: &[&str]) -> Place {
    let place = Place::new();
    for name in names {
        place.file(name, fs::read(cases().join(name)).unwrap());
    }
    place
}

/// Runs `tollgate test` in the project.
pub fn test(place: &Place, arguments: &[&str]) -> Ended {
    place.run(&[&["test"], arguments].concat())
}

/// The same where `CI` is set to something.
pub fn test_with_ci(place: &Place, ci: &str, arguments: &[&str]) -> Ended {
    let arguments = [&["test"], arguments].concat();
    let output = place.command(&place.work(), &arguments).env("CI", ci).output().unwrap();
    let text = |bytes: &[u8]| place.redacted(std::str::from_utf8(bytes).unwrap());
    Ended { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
