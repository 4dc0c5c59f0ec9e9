//! The corpus of command lines, `bash -n` and another parser as oracles.

use std::path::PathBuf;

use tollgate::effects::shell::derive;
use tollgate::model::Demand;
use tollgate::model::effect::{Origin, Resource};

use super::{CommandLine, Plain, command_line, commands, effects, is_opaque};

fn corpus(file: &str) -> Option<Vec<serde_json::Value>> {
    let root = std::env::var_os("TOLLGATE_CORPORA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"), PathBuf::from);
    let text = std::fs::read_to_string(root.join("shell").join(file));
    match text {
        Ok(text) => Some(text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()),
        Err(error) => {
            let required = std::env::var_os("TOLLGATE_CORPORA_REQUIRED").is_some_and(|v| v == "1");
            assert!(!required, "the corpus {file} is missing: {error}");
            eprintln!("SKIPPED: the corpus {file} is missing: {error}");
            None
        }
    }
}

fn lines_of(rows: &[serde_json::Value]) -> Vec<String> {
    rows.iter()
        .filter(|row| row.get("form").is_none_or(|f| f == "shell"))
        .filter_map(|row| row.get("command").or_else(|| row.get("text"))?.as_str().map(str::to_owned))
        .collect()
}

/// Whether the program's own parser took the line (opaque commands in it are fine).
fn parses(line: &str) -> bool {
    !commands(line).iter().any(|c| c.opaque.is_some() && c.text == shown(line))
}

fn shown(line: &str) -> String {
    let probe = CommandLine { opaque_dialect: Some("x"), ..command_line(line) };
    match derive(&probe, &Plain, &Demand::default()).into_iter().next().map(|e| e.resource) {
        Some(Resource::Command(command)) => command.text.clone(),
        _ => String::new(),
    }
}

#[test]
fn bash_takes_what_is_taken() {
    let mut lines = Vec::new();
    for file in [
        "commands.jsonl",
        "unlabelled.jsonl",
        "evasion.jsonl",
        "compound_prefix_cases.jsonl",
        "injection_args.jsonl",
    ] {
        let Some(rows) = corpus(file) else { return };
        lines.extend(lines_of(&rows));
    }
    let mut lax = Vec::new();
    let mut strict = Vec::new();
    for line in &lines {
        if line.contains('\0') {
            continue;
        }
        let Ok(output) = std::process::Command::new("bash").args(["-n", "-c", line]).output() else {
            eprintln!("SKIPPED: no bash");
            return;
        };
        match (output.status.success(), parses(line)) {
            (false, true) => lax.push(line.clone()),
            (true, false) => strict.push(line.clone()),
            _ => {}
        }
    }
    eprintln!(
        "{} lines; taken but refused by bash: {}; refused but taken by bash: {}",
        lines.len(),
        lax.len(),
        strict.len()
    );
    if std::env::var_os("TOLLGATE_VERBOSE").is_some() {
        eprintln!("LAX {lax:#?}\nSTRICT {strict:#?}");
    }
    assert!(lax.len() * 100 <= lines.len(), "{lax:#?}");
    assert!(strict.len() * 50 <= lines.len(), "{strict:#?}");
}

#[test]
fn benign_lines_are_understood() {
    let Some(rows) = corpus("commands.jsonl") else { return };
    let rows: Vec<_> =
        rows.into_iter().filter(|r| r["label"] == "benign" && r.get("label_conflict").is_none()).collect();
    let lines = lines_of(&rows);
    let opaque: Vec<&String> = lines.iter().filter(|line| is_opaque(line)).collect();
    let open = lines.iter().filter(|line| effects(line).iter().any(|e| e.origin == Origin::Implied)).count();
    eprintln!(
        "benign lines: {}; with an opaque part: {}; with implied effects: {open}",
        lines.len(),
        opaque.len()
    );
    if std::env::var_os("TOLLGATE_VERBOSE").is_some() {
        for line in &opaque {
            let why: Vec<String> = commands(line).into_iter().filter_map(|c| c.opaque).collect();
            eprintln!("{line}\n    {why:?}");
        }
    }
    assert!(opaque.len() * 20 <= lines.len(), "{} of {}", opaque.len(), lines.len());
}

#[test]
fn destructive_lines_do_something() {
    let Some(rows) = corpus("commands.jsonl") else { return };
    let rows: Vec<_> = rows.into_iter().filter(|r| r["label"] != "benign").collect();
    for line in lines_of(&rows) {
        let list = effects(&line);
        let does = list.iter().any(|e| matches!(e.resource, Resource::Command(_)));
        assert!(does || list.iter().any(|e| matches!(e.resource, Resource::Path(_))), "{line}");
    }
}

mod brush {
    use super::super::{commands, is_opaque};
    use super::{corpus, lines_of};
    use brush_parser::ast;

    fn compound_list(list: &ast::CompoundList, out: &mut Vec<String>) {
        for item in &list.0 {
            pipeline(&item.0.first, out);
            for other in &item.0.additional {
                match other {
                    ast::AndOr::And(p) | ast::AndOr::Or(p) => pipeline(p, out),
                }
            }
        }
    }

    fn pipeline(pipeline: &ast::Pipeline, out: &mut Vec<String>) {
        for stage in &pipeline.seq {
            command(stage, out);
        }
    }

    fn command(command: &ast::Command, out: &mut Vec<String>) {
        match command {
            ast::Command::Simple(simple) => out.extend(simple.word_or_name.as_ref().map(|w| w.value.clone())),
            ast::Command::Compound(inner, _) => compound(inner, out),
            ast::Command::Function(function) => compound(&function.body.0, out),
            _ => {}
        }
    }

    fn compound(inner: &ast::CompoundCommand, out: &mut Vec<String>) {
        use ast::CompoundCommand as C;
        match inner {
            C::BraceGroup(group) => compound_list(&group.list, out),
            C::Subshell(shell) => compound_list(&shell.list, out),
            C::ForClause(clause) => compound_list(&clause.body.list, out),
            C::ArithmeticForClause(clause) => compound_list(&clause.body.list, out),
            C::CaseClause(clause) => {
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        compound_list(list, out);
                    }
                }
            }
            C::IfClause(clause) => {
                compound_list(&clause.condition, out);
                compound_list(&clause.then, out);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        compound_list(condition, out);
                    }
                    compound_list(&other.body, out);
                }
            }
            C::WhileClause(clause) | C::UntilClause(clause) => {
                compound_list(&clause.0, out);
                compound_list(&clause.1.list, out);
            }
            _ => {}
        }
    }

    fn names(line: &str) -> Option<Vec<String>> {
        let tokens = brush_parser::tokenize_str(line).ok()?;
        let program = brush_parser::parse_tokens(&tokens, &brush_parser::ParserOptions::default()).ok()?;
        let mut out = Vec::new();
        for list in &program.complete_commands {
            compound_list(list, &mut out);
        }
        Some(out)
    }

    #[test]
    fn every_name_that_brush_finds_is_found() {
        let Some(rows) = corpus("commands.jsonl") else { return };
        let mut lines = lines_of(&rows);
        lines.extend(
            super::super::BYPASSES
                .iter()
                .chain(super::super::HIDING)
                .chain(super::super::DATA)
                .map(|l| (*l).to_owned()),
        );
        lines.retain(|l| l.matches('(').count() <= 8 && l.matches("case").count() <= 2 && l.len() < 2_000);
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
            let mut missing = Vec::new();
            for line in lines {
                if is_opaque(&line) {
                    continue;
                }
                let ours: Vec<String> = commands(&line)
                    .iter()
                    .filter_map(|c| c.words.first().and_then(|w| w.text()).map(str::to_owned))
                    .collect();
                for name in names(&line).unwrap_or_default() {
                    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./+[:".contains(&b));
                    if plain && !ours.contains(&name) && name != "export" {
                        missing.push(format!("{name} in {line}"));
                    }
                }
            }
            missing
        });
        let missing = thread.expect("a thread").join().expect("no panic");
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }
}
