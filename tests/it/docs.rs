//! The pages for people: every `console` block runs and prints what it says. The other blocks of
//! `README.md` and `docs/` are run by `spec`; the Rust ones are doc tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|e| e == "md")));
    pages.sort();
    pages
}

/// A page whose steps follow each other; `first_day` runs it.
const IN_ORDER: &str = "first-day.md";

/// The `console` blocks of a page: each command with the lines it prints.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match line.strip_prefix("$ ") {
                Some(command) => found.push((command.to_owned(), String::new())),
                None => {
                    let (_, output) = found.last_mut().expect("a block begins with `$ `");
                    output.push_str(line);
                    output.push('\n');
                }
            },
            (false, _) => {}
        }
    }
    found
}

/// What differs from run to run.
fn masked(text: &str) -> String {
    let digests = Regex::new("sha256:[0-9a-f]{64}").unwrap();
    let trailing = Regex::new("(?m)[ \t]+$").unwrap();
    trailing.replace_all(&digests.replace_all(text, "sha256:…"), "").into_owned()
}

fn run(command: &str, home: &Path) -> String {
    let binary = env!("CARGO_BIN_EXE_tollgate");
    let own = command.replacen("cargo run --release --", binary, 1);
    let own = if own == command { own.replacen("tollgate", binary, 1) } else { own };
    let output = Command::new("bash")
        .args(["-c", &own])
        .current_dir(root())
        .env("HOME", home)
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "{command}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// With `TOLLGATE_UPDATE_DOCS=1` the blocks are rewritten; read the difference before you keep it.
#[test]
fn console_blocks_print_what_they_say() {
    let update = std::env::var_os("TOLLGATE_UPDATE_DOCS").is_some();
    let home = tempfile::tempdir().unwrap();
    let mut ran = 0;
    for page in pages().into_iter().filter(|page| !page.ends_with(IN_ORDER)) {
        let mut text = fs::read_to_string(&page).unwrap();
        for (command, expected) in commands(&text) {
            let found = masked(&run(&command, home.path()));
            ran += 1;
            if update {
                let block = |output: &str| format!("$ {command}\n{output}");
                text = text.replace(&block(&expected), &block(&found));
            } else {
                assert_eq!(found, masked(&expected), "{}: $ {command}", page.display());
            }
        }
        if update {
            fs::write(&page, text).unwrap();
        }
    }
    assert!(ran >= 2, "the README has at least two commands, {ran} were found");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    let mut broken = Vec::new();
    for page in pages().into_iter().chain([root().join("ARCHITECTURE.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&text) {
            let target = page.parent().unwrap().join(&found[1]);
            if !target.exists() {
                broken.push(format!("{}: {}", page.display(), &found[1]));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
