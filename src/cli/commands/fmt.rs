//! `tollgate fmt`: the one canonical layout.

use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::base::limits::POLICY_FILE_BYTES_MAX;
use crate::base::{Source, Sources};
use crate::cli::args::FmtArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, output, render};
use crate::format::format;

/// Lays out every file, or says which would change.
///
/// # Errors
/// Standard input together with files; the last of several files that cannot be read is told, not
/// returned, so that the others are still laid out.
pub fn run(args: &FmtArgs) -> Result<Exit, Failure> {
    if args.paths.iter().any(|path| path == Path::new("-")) {
        if args.paths.len() > 1 {
            return Err(Failure::unusable(
                "`-` stands for standard input and cannot stand beside other paths",
            ));
        }
        return standard_input(args);
    }
    let mut exit = Exit::Fine;
    let mut changed = 0;
    let mut total = 0;
    let mut failed = 0;
    for path in policy_files(&args.paths)? {
        total += 1;
        match one_file(args, &path) {
            Ok(false) => {}
            Ok(true) => changed += 1,
            Err(failure) => {
                failed += 1;
                output::tell_failure(&failure);
                exit = exit.max(failure.exit);
            }
        }
    }
    let writes = !args.check && !args.diff;
    if changed > 0 && !writes {
        exit = exit.max(Exit::Negative);
    }
    if failed < total {
        let verb = if writes { "laid out" } else { "would change:" };
        let of = render::counted(total - failed, "file");
        let left = if failed > 0 { format!("; {failed} could not be laid out") } else { String::new() };
        output::tell(&if changed == 0 {
            format!("{of}, nothing to change{left}")
        } else {
            format!("{verb} {changed} of {of}{left}")
        });
    }
    Ok(exit)
}

fn policy_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut found = Vec::new();
    for path in paths {
        if files::is_folder(path) {
            let inside = files::toll_files_below(path).map_err(|why| {
                Failure::unusable(format!("the folder `{}` cannot be read: {why}", path.display()))
            })?;
            if inside.is_empty() {
                return Err(Failure::unusable(format!("there is no *.toll file below `{}`", path.display()))
                    .help("name the folder that holds the policies, or a file"));
            }
            found.extend(inside);
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Lays out one file; says whether it differs from the layout.
fn one_file(args: &FmtArgs, path: &Path) -> Result<bool, Failure> {
    let name = files::shown(path);
    let text = files::read_text(path, "policy", POLICY_FILE_BYTES_MAX)?;
    let laid_out = laid_out(&name, &text)?;
    if laid_out == text {
        return Ok(false);
    }
    if args.diff {
        show_difference(&name, &text, &laid_out)?;
    } else if args.check {
        output::print_line(&output::harmless(&name))?;
    } else {
        files::replace_text(path, &laid_out)?;
    }
    Ok(true)
}

fn standard_input(args: &FmtArgs) -> Result<Exit, Failure> {
    let text = files::read_bounded(io::stdin().lock(), POLICY_FILE_BYTES_MAX)
        .map_err(|why| Failure::unusable(format!("standard input cannot be read: {why}")))?;
    let laid_out = laid_out("<standard input>", &text)?;
    let differs = laid_out != text;
    if args.diff {
        if differs {
            show_difference("<standard input>", &text, &laid_out)?;
        }
    } else if !args.check {
        output::print(&laid_out)?;
    }
    Ok(if differs && (args.check || args.diff) { Exit::Negative } else { Exit::Fine })
}

fn laid_out(name: &str, text: &str) -> Result<String, Failure> {
    format(text).map_err(|found| {
        let mut sources = Sources::default();
        sources.add(Source::new(name, text));
        output::tell(&format!("{}\n", render::text::diagnostics(&found, &sources).trim_end()));
        Failure::unusable(format!(
            "`{name}` cannot be laid out: it has {}",
            render::counted(found.len(), "error")
        ))
    })
}

fn show_difference(name: &str, old: &str, new: &str) -> Result<(), Failure> {
    let diff = TextDiff::from_lines(old, new);
    let text = diff.unified_diff().context_radius(3).header(name, name).to_string();
    output::print(&output::harmless(&text))
}
