//! Rank 4: files → [`Program`]: imports, names, types, normal form.
//!
//! A policy set loads whole or not at all: [`compile`] reports every error of every file at once and
//! gives a program only where there is none.

mod check;
pub mod expr;
pub mod import;
pub mod index;
mod lower;
pub mod packs;
pub mod program;
pub mod regex;
mod resolve;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::base::{Diagnostic, Digest, FileId, Level, Source, Sources, Span};
use crate::model::ToolDeclaration;
use crate::syntax::ast::{DefaultWord, Name};

use check::Checker;
use check::tools::SchemaFiles;
pub use import::{Files, LayerInput, NoFiles};
pub use program::Program;
use program::{DeclaredTool, Layer, Parts, Scope};
use resolve::{Declared, LayerNames};

/// What compiling gave.
#[derive(Debug)]
pub struct Compiled {
    /// The program; `None` where there is any error.
    pub program: Option<Program>,
    /// Every text that was read, for showing diagnostics.
    pub sources: Sources,
    /// Errors and warnings of all files, sorted by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a policy set. Layers stand outermost first; `host_tools` are declared by the host's own
/// code, outside all layers.
#[must_use]
pub fn compile(layers: &[LayerInput], files: &dyn Files, host_tools: Vec<ToolDeclaration>) -> Compiled {
    let loaded = import::load(layers, files);
    let mut sources = loaded.sources;
    if sources.iter().next().is_none() {
        sources.add(Source::new("policy", ""));
    }
    let mut report = loaded.diagnostics;
    duplicate_layers(&loaded.layers, &mut report);
    let names: Vec<LayerNames<'_>> =
        loaded.layers.iter().map(|layer| resolve::collect(layer, &sources, &mut report)).collect();
    all_pass(&names, &mut report);
    let modes = modes(&names, &mut report);
    let labels = labels(&names);
    let seen = Seen { modes: &modes, labels: &labels };

    let mut parts: Vec<Vec<u8>> = vec![env!("CARGO_PKG_VERSION").into(), format!("{host_tools:?}").into()];
    let mut tools: Vec<DeclaredTool> =
        host_tools.into_iter().map(|declaration| DeclaredTool { declaration, layer: None }).collect();
    let mut texts: Vec<Vec<String>> = Vec::new();
    for (index, layer) in names.iter().enumerate() {
        let mut schemas = SchemaFiles { files, layer: index, texts: Vec::new() };
        let mut checker = checker(&sources, (index, layer), &seen, &[]);
        for declared in &layer.tools {
            let declaration = checker.tool(declared, &mut schemas);
            tools.extend(declaration.map(|declaration| DeclaredTool { declaration, layer: Some(index) }));
        }
        report.append(&mut checker.report);
        texts.push(schemas.texts);
    }

    let mut program_layers = Vec::new();
    let mut ip_scopes = Vec::new();
    for (index, layer) in names.iter().enumerate() {
        let mut checker = checker(&sources, (index, layer), &seen, &tools);
        program_layers.push(lower_layer(&mut checker, layer, &mut ip_scopes));
        report.append(&mut checker.report);
    }

    for (layer, mut texts) in loaded.layers.iter().zip(texts) {
        texts.extend(layer.files.iter().filter_map(|file| sources.get(file.id)).map(|s| s.text.clone()));
        texts.sort();
        parts.extend([layer.name.clone().into_bytes(), texts.len().to_string().into_bytes()]);
        parts.extend(texts.into_iter().map(String::into_bytes));
    }
    let revision = Digest::of_parts(parts.iter().map(Vec::as_slice));
    tidy(&mut report);
    let refused = report.iter().any(|diagnostic| diagnostic.level == Level::Error) || layers.is_empty();
    let program = (!refused).then(|| {
        let (modes, outermost_has_modes) = modes.effective();
        let parts = Parts { revision, layers: program_layers, modes, outermost_has_modes, tools, ip_scopes };
        Program::new(parts)
    });
    drop(names);
    Compiled { program, sources, diagnostics: report }
}

/// What all layers share.
struct Seen<'a> {
    modes: &'a Modes,
    labels: &'a [BTreeSet<String>],
}

fn checker<'a>(
    sources: &'a Sources,
    (layer, names): (usize, &'a LayerNames<'a>),
    seen: &Seen<'a>,
    tools: &'a [DeclaredTool],
) -> Checker<'a> {
    Checker {
        sources,
        names,
        layer,
        modes: seen.modes.of(layer),
        labels: labels_of(seen.labels, layer),
        tools,
        lets: HashMap::new(),
        file: FileId(0),
        report: Vec::new(),
        spent: 0,
        copied: 0,
        atoms: HashMap::new(),
    }
}

fn lower_layer<'a>(
    checker: &mut Checker<'a>,
    names: &'a LayerNames<'a>,
    ip_scopes: &mut Vec<Scope>,
) -> Layer {
    let mut report = Vec::new();
    let order = resolve::order(names, &|field, word| checker.is_word_of(field, word), &mut report);
    checker.report.append(&mut report);
    for name in order {
        if let Some(declared) = names.lets.get(name) {
            checker.file = declared.file;
            checker.declare(declared.node);
        }
    }
    let mut rules = Vec::new();
    let mut edits = Vec::new();
    for declared in &names.rules {
        if let Some(lowered) = checker.rule(declared) {
            if lowered.looks_at_ip {
                ip_scopes.push(lowered.rule.scope.clone());
            }
            edits.extend(lowered.edits);
            rules.push(lowered.rule);
        }
    }
    checker.collisions(&edits);
    let mut invariants = Vec::new();
    for declared in &names.invariants {
        if let Some((invariant, looks_at_ip)) = checker.invariant(declared) {
            if looks_at_ip {
                ip_scopes.push(invariant.scope.clone());
            }
            invariants.push(invariant);
        }
    }
    invariants.sort_by(|a, b| a.name.cmp(&b.name));
    Layer::new(names.name.to_owned(), names.default_word(), rules, invariants)
}

/// The modes of each layer, as it sees them.
struct Modes {
    seen: Vec<Option<Vec<String>>>,
    outermost: bool,
}

impl Modes {
    fn of(&self, layer: usize) -> Option<&[String]> {
        self.seen.get(layer).and_then(|modes| modes.as_deref())
    }

    /// The list after all narrowing, and whether the outermost layer has one.
    fn effective(&self) -> (Option<Vec<String>>, bool) {
        (self.seen.last().cloned().flatten(), self.outermost)
    }
}

/// The outermost list decides, inner ones narrow it.
fn modes(names: &[LayerNames<'_>], report: &mut Vec<Diagnostic>) -> Modes {
    let mut seen: Vec<Option<Vec<String>>> = Vec::new();
    let mut current: Option<Vec<String>> = None;
    for (index, layer) in names.iter().enumerate() {
        if let Some(declared) = &layer.modes {
            let outer = current.take();
            let kept: Vec<String> = declared
                .node
                .iter()
                .filter(|mode| fits(declared, mode, outer.as_deref(), report))
                .map(|mode| mode.node.clone())
                .collect();
            if index > 0 && outer.is_none() {
                let message = "no call can be in a mode: the outermost layer declares none";
                report.push(
                    Diagnostic::warning(
                        "modes-without-outermost",
                        declared.file,
                        declared.item.span,
                        message,
                    )
                    .help("declare the modes in the outermost layer"),
                );
            }
            current = Some(kept);
        }
        seen.push(current.clone());
    }
    let outermost = names.first().is_some_and(|layer| layer.modes.is_some());
    Modes { seen, outermost }
}

fn fits(
    declared: &Declared<'_, [Name]>,
    mode: &Name,
    outer: Option<&[String]>,
    report: &mut Vec<Diagnostic>,
) -> bool {
    let Some(outer) = outer else { return true };
    if outer.contains(&mode.node) {
        return true;
    }
    let message = format!("`{}` is not a mode of the layers outside this one", mode.node);
    let mut diagnostic = Diagnostic::error("undeclared-mode", declared.file, mode.span, message)
        .expected(check::one_of(outer));
    if let Some(near) = crate::base::suggest::nearest(&mode.node, outer.iter().map(String::as_str)) {
        diagnostic = diagnostic
            .help(format!("did you mean `{near}`?"))
            .fix(crate::base::Fix::suggest(mode.span, near));
    } else {
        diagnostic = diagnostic.help("an inner layer narrows the modes, it adds none");
    }
    report.push(diagnostic);
    false
}

/// For each layer the labels that it may speak of: its own and those of layers outside it.
fn labels(names: &[LayerNames<'_>]) -> Vec<BTreeSet<String>> {
    let mut current = BTreeSet::new();
    names
        .iter()
        .map(|layer| {
            current.extend(layer.labels.iter().map(|(_, label)| label.node.clone()));
            current.clone()
        })
        .collect()
}

fn labels_of(labels: &[BTreeSet<String>], layer: usize) -> &BTreeSet<String> {
    static NONE: BTreeSet<String> = BTreeSet::new();
    labels.get(layer).unwrap_or(&NONE)
}

fn duplicate_layers(layers: &[import::LoadedLayer], report: &mut Vec<Diagnostic>) {
    let mut seen = HashSet::new();
    for layer in layers {
        if !seen.insert(layer.name.as_str()) {
            let file = layer.files.first().map_or(FileId(0), |file| file.id);
            let message = format!("two layers are called `{}`", layer.name);
            report.push(
                Diagnostic::error("duplicate-layer", file, Span::default(), message)
                    .help("give one of them another name"),
            );
        }
    }
}

fn all_pass(names: &[LayerNames<'_>], report: &mut Vec<Diagnostic>) {
    if names.is_empty() {
        report.push(Diagnostic::error("no-layers", FileId(0), Span::default(), "there is no policy"));
        return;
    }
    if names.iter().all(|layer| layer.default_word() == DefaultWord::Pass) {
        let Some((_, (file, span))) = names.first().and_then(|layer| layer.default) else { return };
        report.push(
            Diagnostic::error("all-layers-pass", file, span, "every layer passes: nothing decides the rest")
                .expected("a layer with `default block`, `ask` or `allow`")
                .help("write `default block` in the outermost layer"),
        );
    }
}

/// Sorts by file and place, and says nothing twice.
fn tidy(report: &mut Vec<Diagnostic>) {
    report.sort_by(|a, b| (a.file, a.span, a.code, &a.message).cmp(&(b.file, b.span, b.code, &b.message)));
    report.dedup_by(|a, b| (a.file, a.span, a.code) == (b.file, b.span, b.code) && a.message == b.message);
}
