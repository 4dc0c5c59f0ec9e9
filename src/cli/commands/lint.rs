//! `tollgate lint`: what the checker finds, and examples that do not hold.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use crate::base::{Diagnostic, Edit, FileId, Level, Sources};
use crate::cli::args::{ContextArgs, FindingFormat, LintArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::load::{self, Layer};
use crate::cli::render::{self, Findings};
use crate::cli::{files, output, tools};
use crate::compile::compile;
use crate::lint;

/// Rounds of mending: each applies every certain mend at once, so that few are ever needed.
const ROUNDS_MAX: usize = 16;

/// Checks, mends where told to, and shows what is left.
///
/// # Errors
/// A file cannot be read or written.
pub fn run(args: &LintArgs) -> Result<Exit, Failure> {
    let sets = policy_sets(args)?;
    if args.fix {
        mend(&sets)?;
    }
    let all = check_all(&sets)?;
    show(&all, args.format)?;
    let least = Level::from(args.fail_on);
    let failing = all.iter().flat_map(|findings| &findings.found).any(|found| found.level >= least);
    Ok(if failing { Exit::Negative } else { Exit::Fine })
}

/// What is checked together: each path alone, else all configured layers.
fn policy_sets(args: &LintArgs) -> Result<Vec<Vec<Layer>>, Failure> {
    if args.paths.is_empty() {
        return Ok(vec![load::setup(&args.policy, &ContextArgs::default())?.layers]);
    }
    Ok(args.paths.iter().map(|path| vec![load::layer_of_path(path)]).collect())
}

/// The findings of every set; what two sets share is reported once.
fn check_all(sets: &[Vec<Layer>]) -> Result<Vec<Findings>, Failure> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for layers in sets {
        let (mut findings, _) = check(layers)?;
        let sources = &findings.sources;
        findings.found.retain(|found| {
            let name = sources.get(found.file).map(|source| source.name.clone());
            seen.insert((name, found.span, found.code, found.message.clone()))
        });
        all.push(findings);
    }
    Ok(all)
}

/// The findings of one set, in the order of file and place, and where its files are.
fn check(layers: &[Layer]) -> Result<(Findings, files::LayerFolders), Failure> {
    let texts = load::read_layers(layers)?;
    let compiled = compile(&texts.inputs, &texts.folders, tools::builtin()?.declarations());
    let mut found = compiled.diagnostics;
    if let [alone] = layers {
        found.iter_mut().filter(|found| found.code == "all-layers-pass").for_each(|found| {
            let shown = alone.paths.first().map(|(_, shown)| files::shown(shown)).unwrap_or_default();
            found.help = Some(format!(
                "a layer that only restricts is checked together with the one that lets things through: \
                 `tollgate lint --layer {}={shown} --layer NAME=PATH`; a policy of its own has \
                 `default block` here",
                alone.name
            ));
        });
    }
    if let Some(program) = &compiled.program {
        found.extend(lint::examples::check(program));
    }
    found.sort_by_key(|found| (found.file, found.span));
    Ok((Findings { sources: compiled.sources, found }, texts.folders))
}

fn show(all: &[Findings], format: FindingFormat) -> Result<(), Failure> {
    match format {
        FindingFormat::Json => output::print_line(&render::json::findings(all).to_string()),
        FindingFormat::Github => output::print(&render::github::findings(all)),
        FindingFormat::Text => {
            let text: String = all
                .iter()
                .map(|findings| render::text::diagnostics(&findings.found, &findings.sources))
                .collect();
            output::print(&text)?;
            let found: Vec<&Diagnostic> = all.iter().flat_map(|findings| &findings.found).collect();
            let files: usize = all.iter().map(|findings| findings.sources.iter().count()).sum();
            let summary = render::summary(&found);
            let summary = if summary.is_empty() { "no findings".to_owned() } else { summary };
            output::tell(&format!("{summary} in {}", render::counted(files, "file")));
            Ok(())
        }
    }
}

/// Applies the certain mends of every set until none is left.
fn mend(sets: &[Vec<Layer>]) -> Result<(), Failure> {
    let mut applied = 0;
    let mut touched: HashSet<PathBuf> = HashSet::new();
    for layers in sets {
        for _ in 0..ROUNDS_MAX {
            let (findings, folders) = check(layers)?;
            let changed = mend_once(&findings, &folders)?;
            if changed.is_empty() {
                break;
            }
            applied += changed.values().sum::<usize>();
            touched.extend(changed.into_keys());
        }
    }
    if applied > 0 {
        let files = render::counted(touched.len(), "file");
        output::tell(&format!("mended {} in {files}", render::counted(applied, "finding")));
    }
    Ok(())
}

/// Applies what can be applied at once; gives the files that changed with the number of mends.
fn mend_once(
    findings: &Findings,
    folders: &files::LayerFolders,
) -> Result<BTreeMap<PathBuf, usize>, Failure> {
    let mut changed = BTreeMap::new();
    for (file, edits, mends) in certain_edits(&findings.found, &findings.sources) {
        let Some(source) = findings.sources.get(file) else { continue };
        // Packs that ship with the program have no file.
        let Some(path) = folders.find(&source.name) else { continue };
        let text = apply(&source.text, &edits);
        if text != source.text {
            files::replace_text(&path, &text)?;
            *changed.entry(path).or_insert(0) += mends;
        }
    }
    Ok(changed)
}

/// For each file the certain edits that do not touch each other, in order, and of how many findings.
fn certain_edits(found: &[Diagnostic], sources: &Sources) -> Vec<(FileId, Vec<Edit>, usize)> {
    let mut out = Vec::new();
    for (file, source) in sources.iter() {
        let mut taken: Vec<Edit> = Vec::new();
        let mut mends = 0;
        for fix in found.iter().filter(|found| found.file == file).filter_map(|found| found.fix.as_ref()) {
            let fits = |edit: &Edit| source.text.get(edit.span.range()).is_some();
            let free = |edit: &Edit| {
                taken.iter().all(|other| {
                    let apart = edit.span.end < other.span.start || other.span.end < edit.span.start;
                    let beside = edit.span.end == other.span.start || other.span.end == edit.span.start;
                    let empty = edit.span.start == edit.span.end || other.span.start == other.span.end;
                    apart || (beside && !empty)
                })
            };
            if fix.safe && fix.edits.iter().all(|edit| fits(edit) && free(edit)) {
                taken.extend(fix.edits.iter().cloned());
                mends += 1;
            }
        }
        taken.sort_by_key(|edit| edit.span);
        if !taken.is_empty() {
            out.push((file, taken, mends));
        }
    }
    out
}

/// The text after edits that are in order and apart.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.span.range();
        out.push_str(text.get(at..range.start).unwrap_or(""));
        out.push_str(&edit.text);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

#[cfg(test)]
mod tests {
    use super::{apply, certain_edits};
    use crate::base::{Diagnostic, Fix, Source, Sources, Span};

    #[test]
    fn edits_that_touch_wait_for_the_next_round() {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("a.toll", "one two three"));
        let finding = |start, end, text: &str| {
            let span = Span::new(start, end);
            Diagnostic::error("x", file, span, "m").fix(Fix::replace(span, text))
        };
        let mut unsure = finding(4, 7, "zwei");
        unsure.fix = Some(Fix::suggest(Span::new(4, 7), "zwei"));
        let found = [finding(8, 13, "drei"), finding(0, 3, "eins"), finding(2, 5, "no"), unsure];
        let edits = certain_edits(&found, &sources);
        assert_eq!(edits[0].2, 2);
        assert_eq!(apply("one two three", &edits[0].1), "eins two drei");
    }
}
