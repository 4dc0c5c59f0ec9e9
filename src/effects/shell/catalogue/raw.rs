//! The files of the catalogue as they are written.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::{Kind, Operands, Opt, Table, When};
use crate::model::{Capability, CapabilitySet};

/// A line with the effects that it must have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The command line.
    pub line: String,
    /// `exec cp a b`, `read a`, `implied network`, …
    pub effects: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawWhen {
    flags: String,
    operands: String,
    closed: Option<bool>,
    implied: Option<String>,
    default: Option<String>,
}

/// One file, or one subcommand in it. Flags are written `-a|--all -b`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawTable {
    pub names: String,
    closed: bool,
    implied: Option<String>,
    flags: String,
    values: BTreeMap<String, String>,
    optional: BTreeMap<String, String>,
    either: BTreeMap<String, String>,
    tree: String,
    stops: String,
    opens: String,
    operands: String,
    when: Vec<RawWhen>,
    default: String,
    default_with: String,
    default_unless_fed: bool,
    long_one_dash: bool,
    exact: bool,
    short_equals: bool,
    plus: bool,
    first_operand_ends: bool,
    subcommands: BTreeMap<String, RawTable>,
    inherit: bool,
    pub env: String,
    handler: String,
    wraps: Option<usize>,
    pub examples: Vec<Example>,
}

fn implied(text: Option<&str>) -> Result<CapabilitySet, String> {
    let mut set = CapabilitySet::EMPTY;
    for word in text.unwrap_or("read write network").split_whitespace() {
        set = set.with(match word {
            "read" => Capability::Read,
            "write" => Capability::Write,
            "network" => Capability::Network,
            "none" => continue,
            other => return Err(format!("`{other}` is not implied by anything")),
        });
    }
    Ok(set)
}

/// `list .`: what the program does to what, where no operand names anything.
fn default(text: &str) -> Result<Option<(Kind, String)>, String> {
    let Some((kind, path)) = text.split_once(' ') else { return Ok(None) };
    let kind = Kind::parse(kind).ok_or_else(|| format!("`{kind}` is no kind"))?;
    Ok(Some((kind, path.to_owned())))
}

impl RawTable {
    /// The flags, and which of them each spelling is.
    fn options(&self, groups: &mut u32, root: bool) -> Result<(Vec<Opt>, HashMap<String, usize>), String> {
        let mut options: Vec<Opt> = Vec::new();
        let mut add = |written: &str, value: Option<Kind>, attached_only: bool, uncertain: bool| {
            for group in written.split_whitespace() {
                *groups += 1;
                options.push(Opt {
                    spellings: group.split('|').map(str::to_owned).collect(),
                    value,
                    attached_only,
                    uncertain,
                    tree: false,
                    stops: false,
                    opens: false,
                    group: *groups,
                });
            }
        };
        let kind = |kind: &str| Kind::parse(kind).ok_or_else(|| format!("`{kind}` is no kind"));
        add(&self.flags, None, false, false);
        for (name, written) in &self.values {
            add(written, Some(kind(name)?), false, false);
        }
        for (name, written) in &self.optional {
            add(written, Some(kind(name)?), true, false);
        }
        for (name, written) in &self.either {
            add(written, Some(kind(name)?), false, true);
        }
        let stops = if root { format!("{} --help --version", self.stops) } else { self.stops.clone() };
        let written: Vec<&str> = [&self.flags]
            .into_iter()
            .chain(self.values.values())
            .chain(self.optional.values())
            .chain(self.either.values())
            .flat_map(|t| t.split(['|', ' ', '\n']))
            .collect();
        let mut missing: Vec<&str> = Vec::new();
        for spelling in [self.tree.as_str(), &stops, &self.opens].iter().flat_map(|t| t.split_whitespace()) {
            let first = spelling.split('|').next().unwrap_or(spelling);
            if !written.contains(&first) && !missing.contains(&spelling) {
                missing.push(spelling);
            }
        }
        add(&missing.join(" "), None, false, false);
        let mut by_spelling = HashMap::new();
        for (at, option) in options.iter().enumerate() {
            for spelling in &option.spellings {
                if by_spelling.insert(spelling.clone(), at).is_some() {
                    return Err(format!("`{spelling}` stands twice"));
                }
            }
        }
        mark(&mut options, &by_spelling, &self.tree, |o| o.tree = true);
        mark(&mut options, &by_spelling, &stops, |o| o.stops = true);
        mark(&mut options, &by_spelling, &self.opens, |o| o.opens = true);
        Ok((options, by_spelling))
    }

    pub fn build(self, groups: &mut u32, root: bool) -> Result<Table, String> {
        let (options, by_spelling) = self.options(groups, root)?;
        let default = default(&self.default)?;
        let mut subcommands = HashMap::new();
        for (names, raw) in self.subcommands {
            let table = raw.build(groups, false).map_err(|e| format!("{names}: {e}"))?;
            for name in names.split_whitespace() {
                subcommands.insert(name.to_owned(), table.clone());
            }
        }
        let mut when = Vec::new();
        for raw in self.when {
            when.push(When {
                flags: raw.flags.split_whitespace().map(str::to_owned).collect(),
                operands: Operands::parse(&raw.operands)?,
                closed: raw.closed,
                implied: raw.implied.as_deref().map(|t| implied(Some(t))).transpose()?,
                default: raw.default.as_deref().map(self::default).transpose()?,
            });
        }
        Ok(Table {
            closed: self.closed,
            implied: if self.closed && self.implied.is_none() {
                CapabilitySet::EMPTY
            } else {
                implied(self.implied.as_deref())?
            },
            options,
            by_spelling,
            operands: Operands::parse(&self.operands)?,
            when,
            default,
            default_with: self.default_with.split_whitespace().map(str::to_owned).collect(),
            default_unless_fed: self.default_unless_fed,
            long_one_dash: self.long_one_dash,
            exact: self.exact,
            short_equals: self.short_equals,
            plus: self.plus,
            first_operand_ends: self.first_operand_ends,
            subcommands,
            inherit: self.inherit,
            harmless_env: self.env.split_whitespace().map(str::to_owned).collect(),
            handler: self.handler,
            wraps: self.wraps,
        })
    }
}

fn mark(options: &mut [Opt], by: &HashMap<String, usize>, written: &str, set: impl Fn(&mut Opt)) {
    for spelling in written.split_whitespace().filter_map(|s| s.split('|').next()) {
        if let Some(option) = by.get(spelling).and_then(|at| options.get_mut(*at)) {
            set(option);
        }
    }
}
