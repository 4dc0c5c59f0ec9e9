//! Decision specifications: Markdown pages in which a policy, calls and verdicts stand together.
//!
//! Fenced blocks, read in order:
//! - `toll`: a whole policy, the layer `policy`. `toll NAME` is one layer of a set: blocks of that
//!   form that follow each other are one set, outermost first. `toll-part` is not read.
//! - `world`: the virtual world in YAML, until the next policy. Without one it is the plain world.
//! - `call`: one call a line, as `decide` takes it.
//! - `verdict`: one line for each call: `LEVEL rule, rule`, the rules sorted.
//! - `toll-bad`, followed by `error`: a text that does not load, and the codes of its errors.
//!
//! Every `toll` block loads without a finding of level error and is a fixed point of `fmt`.

use std::path::{Path, PathBuf};

use tollgate::base::diagnostic::Level;
use tollgate::compile::{Compiled, LayerInput, NoFiles, compile};
use tollgate::decide::decide;
use tollgate::effects::VirtualWorld;
use tollgate::model::value::parse_call;

/// A fenced block.
pub struct Block {
    pub kind: String,
    pub text: String,
    pub line: usize,
}

/// The fenced blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut open = false;
    for (at, line) in page.lines().enumerate() {
        match (open, line.strip_prefix("```")) {
            (false, Some(kind)) => {
                out.push(Block { kind: kind.trim().to_owned(), text: String::new(), line: at + 1 });
                open = true;
            }
            (true, Some("")) => open = false,
            (true, _) => {
                let block = out.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            (false, None) => {}
        }
    }
    assert!(!open, "the last block is not closed");
    out
}

/// What a page has said so far.
#[derive(Default)]
struct Page {
    name: String,
    layers: Vec<(String, String)>,
    world: Option<VirtualWorld>,
    calls: Vec<String>,
    bad: Option<String>,
    /// Whether the blocks that came last are layers of one set.
    collecting: bool,
    verdicts: usize,
    faults: Vec<String>,
}

impl Page {
    fn read(&mut self, block: &Block) {
        let mut words = block.kind.split_whitespace();
        let (kind, name) = (words.next().unwrap_or(""), words.next());
        let collecting = std::mem::take(&mut self.collecting);
        match kind {
            "toll" => {
                if !(collecting && name.is_some()) {
                    self.layers.clear();
                }
                self.collecting = name.is_some();
                self.world = None;
                self.policy(name.unwrap_or("policy"), block);
            }
            "world" => match world(&block.text) {
                Ok(world) => self.world = Some(world),
                Err(error) => self.fault(block, &format!("no world: {error}")),
            },
            "call" => self.calls = block.text.lines().map(str::to_owned).collect(),
            "verdict" => self.verdict(block),
            "toll-bad" => self.bad = Some(block.text.clone()),
            "error" => self.errors(block),
            _ => {}
        }
    }

    fn fault(&mut self, block: &Block, what: &str) {
        self.faults.push(format!("{}:{}: {what}", self.name, block.line));
    }

    fn compiled(&self) -> Compiled {
        let input = |(name, text): &(String, String)| LayerInput {
            name: name.clone(),
            files: vec![(format!("{name}.toll"), text.clone())],
        };
        let inputs: Vec<LayerInput> = self.layers.iter().map(input).collect();
        compile(&inputs, &NoFiles, Vec::new())
    }

    fn policy(&mut self, name: &str, block: &Block) {
        self.layers.push((name.to_owned(), block.text.clone()));
        match tollgate::format::format(&block.text) {
            Ok(text) if text == block.text => {}
            Ok(text) => self.fault(block, &format!("`fmt` would write:\n{text}")),
            Err(diagnostics) => self.fault(block, &format!("does not parse: {diagnostics:#?}")),
        }
        // A layer that passes loads only with another one.
        let alone =
            [LayerInput { name: name.to_owned(), files: vec![(format!("{name}.toll"), block.text.clone())] }];
        if block.kind == "toll" {
            let codes = errors(&compile(&alone, &NoFiles, Vec::new()));
            if !codes.is_empty() {
                self.fault(block, &format!("does not load: {codes:?}"));
            }
        }
    }

    fn verdict(&mut self, block: &Block) {
        let compiled = self.compiled();
        let Some(program) = &compiled.program else {
            let codes = errors(&compiled);
            self.fault(block, &format!("the policy does not load: {codes:?}"));
            return;
        };
        let calls = std::mem::take(&mut self.calls);
        let wanted: Vec<&str> = block.text.lines().collect();
        if calls.len() != wanted.len() {
            self.fault(block, &format!("{} verdicts for {} calls", wanted.len(), calls.len()));
        }
        for (text, wanted) in calls.iter().zip(wanted) {
            let call = match parse_call(text) {
                Ok(call) => call,
                Err(error) => {
                    self.fault(block, &format!("no call: {error:?}: {text}"));
                    continue;
                }
            };
            let world = self.world.clone().unwrap_or_else(|| world("").unwrap());
            let decision = decide(program, call, &world);
            let verdict = decision.verdict();
            let found = format!("{} {}", verdict.level.as_str(), verdict.rules.join(", "));
            self.verdicts += 1;
            if found.trim() != wanted.trim() {
                let effects: String = verdict.effects.iter().map(|e| format!("\n    {e:?}")).collect();
                self.fault(block, &format!("{text}\n  wanted {wanted}\n  found  {found}{effects}"));
            }
        }
    }

    fn errors(&mut self, block: &Block) {
        let Some(text) = self.bad.take() else {
            self.fault(block, "no `toll-bad` before it");
            return;
        };
        let files = vec![("policy.toll".to_owned(), text)];
        let compiled = compile(&[LayerInput { name: "policy".to_owned(), files }], &NoFiles, Vec::new());
        let wanted: Vec<&str> = block.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let found: Vec<&str> = errors(&compiled);
        if found != wanted {
            self.fault(block, &format!("wanted {wanted:?}, found {found:?}: {:#?}", compiled.diagnostics));
        }
    }
}

/// A world in which the gate protects what the command line protects by default.
fn world(text: &str) -> Result<VirtualWorld, tollgate::effects::virtual_world::WorldFileError> {
    let protected =
        if text.contains("protected:") { "" } else { "protected: [tollgate.yaml, policy.toll]\n" };
    VirtualWorld::from_yaml(&format!("{protected}{text}"))
}

/// The codes of all errors, in their order.
fn errors(compiled: &Compiled) -> Vec<&'static str> {
    compiled.diagnostics.iter().filter(|d| d.level == Level::Error).map(|d| d.code).collect()
}

/// Runs a page; gives the number of verdicts it holds and what is wrong.
fn run(path: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let root = env!("CARGO_MANIFEST_DIR");
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let mut page = Page { name, ..Page::default() };
    blocks(&text).iter().for_each(|block| page.read(block));
    (page.verdicts, page.faults)
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut out: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "md"))
        .collect();
    out.sort();
    out
}

fn check(paths: &[PathBuf], least: usize) {
    let mut verdicts = 0;
    let mut faults = Vec::new();
    for path in paths {
        let (count, more) = run(path);
        verdicts += count;
        faults.extend(more);
    }
    println!("{} pages, {verdicts} verdicts", paths.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(verdicts >= least, "only {verdicts} verdicts");
}

#[test]
fn the_specifications_hold() {
    let pages = pages("tests/cases/decide");
    assert!(pages.len() >= 25, "only {} pages", pages.len());
    check(&pages, 100);
}

#[test]
fn the_examples_of_the_documentation_hold() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    check(&[docs.join("language.md"), docs.join("verdicts.md")], 40);
}
