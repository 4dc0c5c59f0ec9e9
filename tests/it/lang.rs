//! Texts of the rule language, read and explained.

use std::fmt::Write as _;
use std::path::PathBuf;

use tollgate::base::{Diagnostic, FileId, Source};
use tollgate::syntax::ast::*;
use tollgate::syntax::parse;

pub fn cases(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/lang").join(folder);
    let mut out: Vec<(String, String)> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "toll"))
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    out.sort();
    out
}

/// `code line:col-line:col message | expected | help`, and the line with its fix made.
pub fn listing(text: &str, diagnostics: &[Diagnostic]) -> String {
    let source = Source::new("x.toll", text);
    let mut out = String::new();
    for d in diagnostics {
        let (from, to) = source.places(d.span);
        let or = |s: &Option<String>| s.clone().unwrap_or_else(|| "-".into());
        writeln!(
            out,
            "{} {}:{}-{}:{} {} | {} | {}",
            d.code,
            from.line,
            from.column,
            to.line,
            to.column,
            d.message,
            or(&d.expected),
            or(&d.help)
        )
        .unwrap();
        if let Some(fix) = &d.fix {
            let mut fixed = text.to_owned();
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|e| std::cmp::Reverse(e.span.start));
            for edit in &edits {
                fixed.replace_range(edit.span.range(), &edit.text);
            }
            let first = edits.last().unwrap().span.start as usize;
            let start = fixed[..first].rfind('\n').map_or(0, |at| at + 1);
            let lines: Vec<&str> = fixed[start..].lines().take(2).collect();
            let how = if fix.safe { "fix" } else { "maybe" };
            writeln!(out, "    {how}: {}", lines.join(" ⏎ ")).unwrap();
        }
    }
    out
}

fn good(text: &str) -> File {
    let whole = format!("tollgate 1\n{text}\n");
    let (file, diagnostics) = parse(FileId(0), &whole);
    assert!(diagnostics.is_empty(), "{}\n{}", whole, listing(&whole, &diagnostics));
    file
}

#[test]
fn the_good_files_are_read_without_a_word() {
    for (name, text) in cases("good") {
        let (_, diagnostics) = parse(FileId(0), &text);
        assert!(diagnostics.is_empty(), "{name}\n{}", listing(&text, &diagnostics));
    }
}

#[test]
fn the_bad_files_are_explained() {
    insta::glob!("../cases/lang", "*.toll", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let (_, diagnostics) = parse(FileId(0), &text);
        insta::assert_snapshot!(listing(&text, &diagnostics));
    });
}

fn codes(text: &str) -> Vec<&'static str> {
    parse(FileId(0), text).1.iter().map(|d| d.code).collect()
}

#[test]
fn the_policies_that_ship_are_read() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for folder in ["policies/std", "policies/starters", "examples/quickstart"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ext| ext == "toll") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (_, diagnostics) = parse(FileId(0), &text);
                assert!(diagnostics.is_empty(), "{}\n{}", path.display(), listing(&text, &diagnostics));
            }
        }
    }
}

#[test]
fn huge_nonsense_ends_quickly() {
    const BYTES: usize = 4 << 20;
    let mut seed = 7_u32;
    let noise: Vec<u8> = (0..BYTES / 4)
        .flat_map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()
        })
        .collect();
    let mut noise = String::from_utf8_lossy(&noise).into_owned();
    noise.truncate((0..=BYTES).rev().find(|&at| noise.is_char_boundary(at)).unwrap());
    let mut texts = vec![noise];
    for unit in [
        "(",
        "not ",
        "{",
        "[",
        "a\n",
        "block\n",
        "block a {\n",
        "}\n",
        "\"",
        "/",
        "@",
        "///\n",
        "unknown\n",
        "{\"a\":",
    ] {
        texts.push(unit.repeat(BYTES / unit.len()));
        for head in ["let x = ", "block a { example t {\"a\": "] {
            let mut text = head.to_owned();
            text.push_str(&unit.repeat((BYTES - head.len()) / unit.len()));
            texts.push(text);
        }
    }
    for unit in ["a and ", "a or b and ", "path in {\"x\"} and not "] {
        // Long, flat and right: no recursion may be as deep as the text is long.
        texts.push(format!("tollgate 1\nlet x = {}a\n", unit.repeat((1 << 18) / unit.len())));
    }
    for text in texts {
        let (_, diagnostics) = parse(FileId(0), &text);
        assert!(diagnostics.len() <= 1_010);
    }
    assert_eq!(codes(&"x".repeat(BYTES + 1)), ["file-too-large"]);
}
