//! The house rules that a machine can check: imports point to lower ranks, files stay short, every
//! test file is listed, `ARCHITECTURE.md` lists the folders that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The ranks of `ARCHITECTURE.md`. A folder imports lower ranks only.
const RANKS: [(&str, u8); 17] = [
    ("base", 0),
    ("syntax", 1),
    ("model", 2),
    ("effects", 3),
    ("compile", 4),
    ("decide", 5),
    ("analyze", 6),
    ("lint", 6),
    ("format", 6),
    ("suite", 6),
    ("ide", 6),
    ("import", 6),
    ("gate", 6),
    ("host", 7),
    ("tools", 7),
    ("adapters", 8),
    ("cli", 9),
];

/// The only edges inside one rank.
const SIDEWAYS: [(&str, &str); 8] = [
    ("lint", "analyze"),
    ("suite", "lint"),
    ("suite", "gate"),
    ("suite", "analyze"),
    ("ide", "analyze"),
    ("ide", "lint"),
    ("ide", "format"),
    ("tools", "host"),
];

const FILE_LINES_MAX: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_under(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn rank(folder: &str) -> Option<u8> {
    RANKS.iter().find(|(name, _)| *name == folder).map(|(_, rank)| *rank)
}

/// The first path segments behind `crate::` in a line of code, grouped imports included.
fn imports(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect();
    let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let mut depth = 0;
                let mut start = true;
                for (i, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && c.is_alphanumeric() => {
                            found.push(word(&group[i..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
            None => found.push(word(rest)),
        }
    }
    found
}

#[test]
fn imports_point_to_lower_ranks() {
    let source = root().join("src");
    let mut wrong = Vec::new();
    for path in files_under(&source, "rs") {
        let inside = path.strip_prefix(&source).unwrap();
        let folder = inside.components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
        let Some(own) = rank(&folder) else {
            assert!(["lib.rs", "main.rs"].contains(&folder.as_str()), "`{folder}` has no rank");
            continue;
        };
        for target in imports(&fs::read_to_string(&path).unwrap()) {
            let Some(other) = rank(&target) else { continue };
            let sideways = SIDEWAYS.contains(&(folder.as_str(), target.as_str()));
            if target != folder && other >= own && !sideways {
                wrong.push(format!("{} imports crate::{target}", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the ranks:\n{}", wrong.join("\n"));
}

#[test]
fn the_import_reader_sees_groups_and_paths() {
    let text = "use crate::{base::{Span, x}, gate::Gate};\nlet a = crate::cli::run();\n// crate::host\n";
    assert_eq!(imports(text), ["base", "gate", "cli"]);
}

#[test]
fn no_file_is_longer_than_the_limit() {
    let mut long = Vec::new();
    for folder in ["src", "tests"] {
        for path in files_under(&root().join(folder), "rs") {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > FILE_LINES_MAX {
                long.push(format!("{} has {lines} lines", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "over {FILE_LINES_MAX} lines:\n{}", long.join("\n"));
}

#[test]
fn every_test_file_is_in_the_binary() {
    let folder = root().join("tests/it");
    let main = fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_module = path.is_dir() || path.extension().is_some_and(|e| e == "rs");
        if is_module && name != "main" && name != "snapshots" {
            assert!(main.contains(&format!("mod {name};")), "tests/it/main.rs does not list `mod {name};`");
        }
    }
}

#[test]
fn the_architecture_page_lists_the_folders_that_exist() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let listed: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter(|(name, rest)| rank(name).is_some_and(|rank| rest.starts_with(&format!("{rank} |"))))
        .map(|(name, _)| name.to_owned())
        .collect();
    let exist: BTreeSet<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(listed, exist, "left: ARCHITECTURE.md, right: src/");
}
