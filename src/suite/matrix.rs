//! Matrices: every tool × mode × arguments; a cell that no list names is expected to block.

use std::collections::HashSet;

use serde_json::Value;

use super::case::{Check, Kind, Mode, Setting, Worlds, name_of, room_for, setting};
use super::expect::Expectation;
use super::reader::{At, SuiteError, hint, listed};
use crate::model::Level;
use crate::model::value::values_equal;

/// The keys of a row.
pub const ROW_KEYS: &[&str] = &[
    "name",
    "tool",
    "mode",
    "args",
    "agent",
    "user",
    "cwd",
    "labels",
    "source",
    "unattended",
    "world",
    "allow",
    "warn",
    "ask",
];
/// The keys of a listed cell.
pub const CELL_KEYS: &[&str] = &["tool", "mode", "args"];

const LISTS: [(&str, Level); 3] = [("allow", Level::Allow), ("warn", Level::Warn), ("ask", Level::Ask)];

/// A cell before it is a check.
struct Cell {
    tool: String,
    mode: Mode,
    /// An object.
    args: Value,
    /// What a list says about it, and where.
    listed: Option<(Level, Option<(u32, u32)>)>,
}

/// Reads the rows and adds their cells.
pub(super) fn read(
    rows: &At<'_>,
    worlds: &mut Worlds,
    base: usize,
    checks: &mut Vec<Check>,
) -> Result<(), SuiteError> {
    let mut names: Vec<String> = Vec::new();
    for (number, row) in rows.items()?.iter().enumerate() {
        row.object("a row", ROW_KEYS)?;
        let name = match row.key("name") {
            Some(name) => name_of(&name)?,
            None => format!("matrix {}", number + 1),
        };
        if names.contains(&name) {
            return Err(row.key_error("name", format!("two rows are called `{name}`")).help("rename one"));
        }
        let setting = setting(row, worlds, base)?;
        let cells = cells(row, &setting.mode, checks.len())?;
        checks.extend(cells.into_iter().map(|cell| check(&name, row, &setting, cell)));
        names.push(name);
    }
    Ok(())
}

fn check(row_name: &str, row: &At<'_>, setting: &Setting, cell: Cell) -> Check {
    let mode = match &cell.mode {
        Mode::First => String::new(),
        Mode::Absent => " in no mode".to_owned(),
        Mode::Named(mode) => format!(" in {mode}"),
    };
    let (level, place) = cell.listed.unwrap_or((Level::Block, None));
    Check {
        name: format!("{row_name}: {}{mode} {}", cell.tool, cell.args),
        kind: Kind::Cell { listed: cell.listed.is_some() },
        place: place.or_else(|| row.place()),
        setting: Setting { mode: cell.mode, ..setting.clone() },
        tool: cell.tool,
        args: cell.args.as_object().cloned().unwrap_or_default(),
        result: None,
        expect: Expectation::level(level),
    }
}

/// The cells of a row: the product, with what the lists say.
fn cells(row: &At<'_>, mode: &Mode, before: usize) -> Result<Vec<Cell>, SuiteError> {
    let need = |key: &str| {
        let example = "a row names `tool`, `args` and, where the policy has modes, `mode`; each is a list";
        row.key(key).ok_or_else(|| row.error(format!("this row has no `{key}`")).help(example))
    };
    let tools = need("tool")?.texts()?;
    let modes: Vec<Mode> = match row.key("mode") {
        Some(modes) if modes.value.is_array() => modes.texts()?.into_iter().map(Mode::Named).collect(),
        _ => vec![mode.clone()],
    };
    let args = Arguments::read(&need("args")?, &tools)?;
    let count = tools.iter().map(|tool| args.of(tool).len()).sum::<usize>().saturating_mul(modes.len());
    room_for(before.saturating_add(count), row)?;
    let mut cells: Vec<Cell> = Vec::with_capacity(count);
    for tool in &tools {
        for mode in &modes {
            for args in args.of(tool) {
                let (tool, mode, args) = (tool.clone(), mode.clone(), args.clone());
                cells.push(Cell { tool, mode, args, listed: None });
            }
        }
    }
    let names: Vec<String> = modes.iter().filter_map(named).collect();
    for (list, level) in LISTS {
        let Some(listed) = row.key(list) else { continue };
        for pattern in listed.items()? {
            mark(&mut cells, &pattern, (list, level), &tools, &names)?;
        }
    }
    Ok(cells)
}

fn named(mode: &Mode) -> Option<String> {
    match mode {
        Mode::Named(name) => Some(name.clone()),
        Mode::First | Mode::Absent => None,
    }
}

/// Marks every cell that an entry of a list names.
fn mark(
    cells: &mut [Cell],
    pattern: &At<'_>,
    (list, level): (&str, Level),
    tools: &[String],
    modes: &[String],
) -> Result<(), SuiteError> {
    let object = pattern.object("a cell", CELL_KEYS)?;
    if object.is_empty() {
        return Err(pattern.error("this cell names nothing").help("name its `tool`, `mode` or `args`"));
    }
    let words = |key: &str, known: &[String]| -> Result<Option<Vec<String>>, SuiteError> {
        let Some(at) = pattern.key(key) else { return Ok(None) };
        let words = at.texts()?;
        match words.iter().find(|word| !known.contains(word)) {
            Some(word) => Err(at
                .error(format!("`{word}` is no {key} of this row"))
                .help(if known.is_empty() { format!("the row names no {key}") } else { hint(word, known) })),
            None => Ok(Some(words)),
        }
    };
    let (tools, modes) = (words("tool", tools)?, words("mode", modes)?);
    let args: Option<Vec<Value>> = match pattern.key("args") {
        None => None,
        Some(args) if args.value.is_array() => {
            Some(args.items()?.iter().map(|at| at.value.clone()).collect())
        }
        Some(args) => {
            args.map()?;
            Some(vec![args.value.clone()])
        }
    };
    let mut met = vec![false; args.as_ref().map_or(1, Vec::len)];
    for cell in cells.iter_mut() {
        let tool = tools.as_ref().is_none_or(|tools| tools.contains(&cell.tool));
        let mode = modes.as_ref().is_none_or(|modes| named(&cell.mode).is_some_and(|m| modes.contains(&m)));
        if !tool || !mode {
            continue;
        }
        let which = match &args {
            None => Some(0),
            Some(args) => args.iter().position(|args| values_equal(args, &cell.args)),
        };
        let Some(which) = which else { continue };
        if let Some((other, place)) = cell.listed {
            let line = place.map(|(line, _)| format!(" (line {line})")).unwrap_or_default();
            let cell = format!("`{}` with `{}`", cell.tool, cell.args);
            return Err(pattern
                .error(format!("{cell} is listed already, under `{}`{line}", other.as_str()))
                .help(format!("remove it there or from `{list}`; `mode` tells cells apart that are alike")));
        }
        cell.listed = Some((level, pattern.place()));
        if let Some(met) = met.get_mut(which) {
            *met = true;
        }
    }
    if met.contains(&false) {
        return Err(pattern
            .error("the row has no such cell")
            .help("a listed cell is one of tool × mode × args: write its `args` exactly as in the row"));
    }
    Ok(())
}

/// The arguments of a row: for every tool, or for each its own.
enum Arguments {
    All(Vec<Value>),
    Each(Vec<(String, Vec<Value>)>),
}

impl Arguments {
    fn read(at: &At<'_>, tools: &[String]) -> Result<Self, SuiteError> {
        if at.value.is_array() {
            return Ok(Self::All(objects(at)?));
        }
        let mut each = Vec::new();
        for (tool, list) in at.entries()? {
            if !tools.iter().any(|other| other == tool) {
                return Err(at.key_error(tool, format!("`{tool}` is no tool of this row")).help(format!(
                    "write a list of arguments, `args: [{{NAME: VALUE}}]`, or a list for each of {}",
                    listed(tools)
                )));
            }
            each.push((tool.to_owned(), objects(&list)?));
        }
        match tools.iter().find(|tool| !each.iter().any(|(other, _)| other == *tool)) {
            Some(tool) => Err(at
                .error(format!("`{tool}` has no arguments here"))
                .help(format!("add `{tool}: [{{…}}]`"))),
            None => Ok(Self::Each(each)),
        }
    }

    fn of(&self, tool: &str) -> &[Value] {
        match self {
            Self::All(list) => list,
            Self::Each(each) => each.iter().find(|(name, _)| name == tool).map_or(&[], |(_, list)| list),
        }
    }
}

/// A list of objects, none of them twice.
fn objects(at: &At<'_>) -> Result<Vec<Value>, SuiteError> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for item in at.items()? {
        item.map()?;
        if !seen.insert(item.value.to_string()) {
            return Err(item.error("these arguments stand in the row twice").help("remove one"));
        }
        found.push(item.value.clone());
    }
    if found.is_empty() {
        return Err(at
            .error("a row without arguments has no cell")
            .help("write `[{}]` for a call without any"));
    }
    Ok(found)
}
