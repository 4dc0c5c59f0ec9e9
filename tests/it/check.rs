//! What the checker refuses, and what it lets through.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "the helpers of a test, which reads its fixtures"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use tollgate::base::{Diagnostic, Level, Sources};
use tollgate::compile::{Compiled, Files, LayerInput, NoFiles, compile};

/// A policy set in one text. Lines `//# layer NAME`, `//# file NAME` and `//# extra NAME` begin a
/// layer, a file given directly, and a file that is only read when something asks for it.
struct Fixture {
    layers: Vec<LayerInput>,
    extra: BTreeMap<(usize, String), String>,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let mut fixture = Self {
            layers: vec![LayerInput { name: "project".into(), files: vec![] }],
            extra: BTreeMap::new(),
        };
        let mut name = ("file".to_owned(), "policy.toll".to_owned());
        let mut body = String::new();
        for line in text.lines() {
            let Some(directive) = line.strip_prefix("//# ") else {
                body.push_str(line);
                body.push('\n');
                continue;
            };
            fixture.part(&name, std::mem::take(&mut body));
            let (kind, value) = directive.split_once(' ').unwrap();
            if kind == "layer" {
                let empty = fixture.layers.len() == 1 && fixture.layers[0].files.is_empty();
                if empty {
                    fixture.layers.clear();
                }
                fixture.layers.push(LayerInput { name: value.into(), files: vec![] });
                name = ("file".into(), format!("{value}.toll"));
            } else {
                name = (kind.into(), value.into());
            }
        }
        fixture.part(&name, body);
        fixture
    }

    fn part(&mut self, (kind, name): &(String, String), body: String) {
        if body.trim().is_empty() {
            return;
        }
        let layer = self.layers.len() - 1;
        if kind == "extra" {
            self.extra.insert((layer, name.clone()), body);
        } else {
            self.layers[layer].files.push((name.clone(), body));
        }
    }

    fn compile(&self) -> Compiled {
        compile(&self.layers, self, Vec::new())
    }
}

impl Files for Fixture {
    fn read(&self, layer: usize, path: &str) -> Result<String, String> {
        self.extra.get(&(layer, path.to_owned())).cloned().ok_or_else(|| "no such file".to_owned())
    }
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn texts(name: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "toll"))
        .map(|path| {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            (stem, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    out.sort();
    out
}

/// `code line:col-line:col message`, then what was expected, the help, the labels and the fixed line.
fn listing(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let source = sources.get(d.file).unwrap();
        let (from, to) = source.places(d.span);
        let level = if d.level == Level::Error { "" } else { " (warning)" };
        let file = if sources.iter().count() > 1 { format!("{}:", source.name) } else { String::new() };
        let place = format!("{file}{}:{}-{}:{}", from.line, from.column, to.line, to.column);
        writeln!(out, "{}{level} {place} {}", d.code, d.message).unwrap();
        for (word, text) in [("expected", &d.expected), ("help", &d.help)] {
            if let Some(text) = text {
                writeln!(out, "    {word}: {text}").unwrap();
            }
        }
        for label in &d.labels {
            let source = sources.get(label.file).unwrap();
            let place = source.place(label.span.start);
            writeln!(out, "    {}:{}:{}: {}", source.name, place.line, place.column, label.text).unwrap();
        }
        if let Some(fix) = &d.fix {
            let mut fixed = source.text.clone();
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
            for edit in &edits {
                fixed.replace_range(edit.span.range(), &edit.text);
            }
            let first = edits.last().unwrap().span.start as usize;
            let start = fixed[..first].rfind('\n').map_or(0, |at| at + 1);
            let how = if fix.safe { "fix" } else { "maybe" };
            writeln!(out, "    {how}: {}", fixed[start..].lines().next().unwrap_or("").trim()).unwrap();
        }
    }
    out
}

#[test]
fn every_refusal_in_words() {
    let mut all = String::new();
    let mut silent = Vec::new();
    for (name, text) in texts("tests/cases/check") {
        let compiled = Fixture::new(&text).compile();
        let shown = listing(&compiled.sources, &compiled.diagnostics);
        if !compiled.diagnostics.iter().any(|d| d.code == name) {
            silent.push(format!("`{name}.toll` does not show its code:\n{shown}"));
        }
        let refused = compiled.diagnostics.iter().any(|d| d.level == Level::Error);
        assert_eq!(compiled.program.is_none(), refused, "{name}");
        writeln!(all, "# {name}\n{shown}").unwrap();
    }
    insta::assert_snapshot!(all);
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// The sample of the language's page, the drafts of five teams with their known misfits, layers.
#[test]
fn whole_policies() {
    let mut all = String::new();
    for (name, text) in texts("tests/cases/compile") {
        let compiled = Fixture::new(&text).compile();
        writeln!(all, "# {name}\n{}", listing(&compiled.sources, &compiled.diagnostics)).unwrap();
        if let Some(program) = &compiled.program {
            for layer in program.layers() {
                let rules: Vec<&str> = layer.rules.iter().map(|rule| &*rule.full_name).collect();
                writeln!(all, "{} {:?}: {}", layer.name, layer.default, rules.join(" ")).unwrap();
            }
            writeln!(all).unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

/// Every code in the sources of the checker has a fixture of its name.
#[test]
fn every_code_has_a_fixture() {
    let codes = regex::Regex::new(r#"(?:error|warning)(?:_at)?\(\s*"([a-z-]+)"|\(\s*"([a-z]+(?:-[a-z]+)+)",\s*(?:"|format!)|=> "(bad-[a-z]+)"|"([a-z]+-in-import|duplicate-default|duplicate-unknown)""#).unwrap();
    let fixtures: Vec<String> = texts("tests/cases/check").into_iter().map(|(name, _)| name).collect();
    let mut missing = Vec::new();
    let mut folders = vec![folder("src/compile")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for found in codes.captures_iter(&text) {
                let code = (1..5).find_map(|at| found.get(at)).unwrap().as_str();
                if !fixtures.iter().any(|name| name == code) && !NO_FIXTURE.contains(&code) {
                    missing.push(code.to_owned());
                }
            }
        }
    }
    missing.sort();
    missing.dedup();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}

/// Codes that need more than a text in a file, each with a test below, or that the parser shows first.
const NO_FIXTURE: [&str; 11] = [
    "any-in-tool",
    "bad-number",
    "file-too-large",
    "missing-value",
    "no-layers",
    "regex-in-set",
    "set-in-set",
    "too-many-elements",
    "too-many-files",
    "unknown-attribute",
    "unknown-severity",
];

#[test]
fn limits_of_a_set() {
    let codes = |layers: &[LayerInput]| {
        let compiled = compile(layers, &NoFiles, Vec::new());
        assert!(compiled.program.is_none());
        compiled.diagnostics.iter().map(|d| d.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&[]), ["no-layers"]);
    let layer = |files| LayerInput { name: "project".into(), files };
    let long = format!("tollgate 1\n{}", " ".repeat(4 << 20));
    assert_eq!(codes(&[layer(vec![("a.toll".into(), long)])]), ["file-too-large"]);
    let many = (0..1_002).map(|at| (format!("{at}.toll"), "tollgate 1\n".to_owned())).collect();
    assert_eq!(codes(&[layer(many)]), ["too-many-files"]);
    let mut chain = "tollgate 1\n\nlet a0 = path {\"./x\"}\n".to_owned();
    for at in 1..2_000 {
        chain.push_str(&format!("let a{at} = path {{a{}, \"./y{at}\"}}\n", at - 1));
    }
    assert_eq!(codes(&[layer(vec![("a.toll".into(), chain)])]), ["too-many-elements"]);
}

fn quiet(text: &str) -> Compiled {
    let compiled = Fixture::new(text).compile();
    assert!(compiled.diagnostics.is_empty(), "{}", listing(&compiled.sources, &compiled.diagnostics));
    compiled
}

#[test]
fn examples_of_a_pack_are_about_the_pack_alone() {
    let examples = |text: &str| -> usize {
        let program = Fixture::new(text).compile().program.unwrap();
        program.layers().iter().flat_map(|layer| &layer.rules).map(|rule| rule.examples.len()).sum()
    };
    // Here `shell` takes another argument than in the examples of the pack.
    let importing = "tollgate 1\nimport \"std:self\"\ntool shell { runs args.cmd }\n";
    assert!(quiet(importing).program.is_some());
    assert_eq!(examples(importing), 0);
    assert!(examples(tollgate::compile::packs::text("self").unwrap()) > 0);
}

#[test]
fn packs_and_starters_compile() {
    for pack in tollgate::compile::packs::names() {
        quiet(&format!("tollgate 1\nimport \"std:{pack}\"\n"));
    }
    for (name, text) in texts("policies/starters") {
        let layer = LayerInput { name: "starter".into(), files: vec![(format!("{name}.toll"), text)] };
        let compiled = compile(&[layer], &NoFiles, Vec::new());
        assert!(compiled.diagnostics.is_empty(), "{}", listing(&compiled.sources, &compiled.diagnostics));
    }
}
