//! `modify` rules: which fire, what they write, whether their writes agree (`language.md`, section 5).

use serde_json::{Map, Value};

use crate::compile::program::{ArgEdit, Layer, Rule};
use crate::model::command::AppendPlace;
use crate::model::effect::Resource;
use crate::model::{Call, Effect, Level, Number, Origin, Truth};
use crate::syntax::ast::Step;

use super::judge::{Cause, Contribution, Facts, Whole, count_truth, unknown_level};

/// What the modify rules of one layer do to one call.
#[derive(Debug)]
pub(super) enum Amendment<'p> {
    /// Writes that agree.
    Args {
        /// The arguments after all writes; `None` where nothing changes.
        args: Option<Map<String, Value>>,
        /// The rules that wrote something new.
        by: Vec<&'p Rule>,
        /// What rules add that met a place of the wrong type, and so wrote nothing.
        unwritable: Vec<Whole<'p>>,
    },
    /// Writes that do not agree: nothing is written.
    Refused(Vec<Whole<'p>>),
}

/// One write to one place.
#[derive(Debug, Clone, PartialEq)]
enum Write {
    /// The value of a place; `None` removes it.
    Value(Vec<Step>, Option<Value>),
    /// Words put into a string, at a byte offset.
    Insert(AppendPlace, String),
}

impl Write {
    fn place(&self) -> &[Step] {
        match self {
            Self::Value(place, _) => place,
            Self::Insert(place, _) => &place.argument,
        }
    }

    /// Whether both can be done: equal writes, disjoint places, insertions at different offsets.
    fn agrees(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        if let (Self::Insert(a, _), Self::Insert(b, _)) = (self, other) {
            return a.argument != b.argument || a.offset != b.offset;
        }
        let (a, b) = (self.place(), other.place());
        !(a.starts_with(b) || b.starts_with(a))
    }
}

/// Evaluates the modify rules of a layer on a call and applies their writes at once.
///
/// A layer that knows the tool does not look at what an outer one fears of it.
pub(super) fn amend<'p>(
    facts: &Facts<'p>,
    call: &Call,
    effects: &[Effect],
    at: usize,
    layer: &'p Layer,
) -> Amendment<'p> {
    let known = facts.knows(at);
    let mut writes: Vec<(&'p Rule, Write)> = Vec::new();
    let mut unwritable = Vec::new();
    for rule in layer.at(layer.index().modify()) {
        let fired: Vec<&Effect> = effects
            .iter()
            .filter(|effect| !(known && effect.origin == Origin::Undeclared))
            .filter(|effect| in_scope(rule, call, effect))
            .filter(|effect| count_truth(facts, call, effect, rule) == Truth::True)
            .collect();
        if fired.is_empty() {
            continue;
        }
        match writes_of(rule, call, &fired) {
            Ok(own) => writes.extend(own.into_iter().map(|write| (rule, write))),
            Err(because) => unwritable.push(whole(rule, unknown_level(rule), true, because)),
        }
    }
    let conflicts = conflicts(&writes);
    if !conflicts.is_empty() {
        unwritable.extend(conflicts);
        return Amendment::Refused(unwritable);
    }
    if writes.is_empty() {
        return Amendment::Args { args: None, by: Vec::new(), unwritable };
    }
    let mut args = call.args.clone();
    let mut by: Vec<&'p Rule> = Vec::new();
    for write in ordered(&writes) {
        let before = args.clone();
        apply(&mut args, write);
        if args == before {
            continue;
        }
        // Rules that write the same are all named.
        for (rule, _) in writes.iter().filter(|(_, own)| own == write) {
            if by.iter().all(|other| other.full_name != rule.full_name) {
                by.push(rule);
            }
        }
    }
    let args = (args != call.args).then_some(args);
    Amendment::Args { args, by, unwritable }
}

fn in_scope(rule: &Rule, call: &Call, effect: &Effect) -> bool {
    !rule.scope.result
        && rule.scope.capabilities.contains(effect.capability)
        && rule.scope.has_tool(&call.tool)
}

/// A contribution of a rule to the whole call.
pub(super) fn whole<'p>(
    rule: &'p Rule,
    level: Level,
    unknown: bool,
    because: impl Into<String>,
) -> Whole<'p> {
    Whole {
        contribution: Contribution { source: Cause::Rule(rule), level, unknown },
        because: because.into(),
    }
}

fn conflicts<'p>(writes: &[(&'p Rule, Write)]) -> Vec<Whole<'p>> {
    let mut found: Vec<Whole<'p>> = Vec::new();
    for (at, (rule, write)) in writes.iter().enumerate() {
        for (other, against) in writes.iter().skip(at + 1) {
            if write.agrees(against) {
                continue;
            }
            let place = shown(write.place());
            for name in [rule, other] {
                if found.iter().all(|w| w.contribution.source.name() != &*name.full_name) {
                    let because = format!(
                        "`{}` and `{}` write different values to {place}",
                        rule.full_name, other.full_name
                    );
                    found.push(whole(name, Level::Block, false, because));
                }
            }
        }
    }
    found
}

/// Later insertions first, so that offsets stay right; equal writes once.
fn ordered<'a>(writes: &'a [(&Rule, Write)]) -> Vec<&'a Write> {
    let mut once: Vec<&'a Write> = Vec::new();
    for (_, write) in writes {
        if !once.contains(&write) {
            once.push(write);
        }
    }
    once.sort_by_key(|write| match write {
        Write::Value(..) => std::cmp::Reverse(usize::MAX),
        Write::Insert(place, _) => std::cmp::Reverse(place.offset),
    });
    once
}

fn writes_of(rule: &Rule, call: &Call, fired: &[&Effect]) -> Result<Vec<Write>, String> {
    let mut writes = Vec::new();
    let mut replaced = Vec::new();
    for edit in &rule.edits {
        match edit {
            ArgEdit::AppendCommand(words) => append_command(words, call, fired, &mut writes)?,
            ArgEdit::Set(place, value) => {
                for place in concrete(place, &call.args)? {
                    parents_fit(&place, &call.args)?;
                    writes.push(Write::Value(place, Some(value.clone())));
                }
            }
            ArgEdit::Fill(place, value) => {
                for place in concrete(place, &call.args)? {
                    parents_fit(&place, &call.args)?;
                    if find(&place, &call.args).is_none() {
                        writes.push(Write::Value(place, Some(value.clone())));
                    }
                }
            }
            ArgEdit::Remove(place) => each_present(place, call, &mut writes, |_| Ok(Some(None)))?,
            ArgEdit::Clamp(place, low, high) => {
                each_present(place, call, &mut writes, |value| clamp(value, low, high))?;
            }
            ArgEdit::Append(place, value) => each_present(place, call, &mut writes, |found| match found {
                Value::Array(elements) => {
                    let appended = elements.iter().chain([value]).cloned().collect();
                    Ok(Some(Some(Value::Array(appended))))
                }
                _ => Err("is not a list".to_owned()),
            })?,
            ArgEdit::Replace(place, pattern, text) => {
                replace(place, pattern, text, call, &mut replaced)?;
            }
        }
    }
    for (place, new) in replaced {
        if !matches!(find(&place, &call.args), Some(Value::String(old)) if *old == new) {
            writes.push(Write::Value(place, Some(Value::String(new))));
        }
    }
    Ok(writes)
}

/// The `replace` clauses of one rule on one place follow each other, and are one write: each reads what
/// the one before left.
fn replace(
    place: &[Step],
    pattern: &regex::Regex,
    text: &str,
    call: &Call,
    replaced: &mut Vec<(Vec<Step>, String)>,
) -> Result<(), String> {
    for place in concrete(place, &call.args)? {
        let Some(found) = find(&place, &call.args) else { continue };
        let Value::String(asked) = found else { return Err(format!("{} is not a string", shown(&place))) };
        let new = |old: &str| pattern.replace_all(old, regex::NoExpand(text)).into_owned();
        match replaced.iter_mut().find(|(earlier, _)| *earlier == place) {
            Some((_, left)) => *left = new(left),
            None => replaced.push((place, new(asked))),
        }
    }
    Ok(())
}

fn clamp(
    value: &Value,
    low: &(Number, Value),
    high: &(Number, Value),
) -> Result<Option<Option<Value>>, String> {
    let number = match value {
        Value::Number(number) => Number::parse(&number.to_string()),
        _ => None,
    };
    let Some(number) = number else { return Err("is not a number".to_owned()) };
    Ok(if number < low.0 {
        Some(Some(low.1.clone()))
    } else if number > high.0 {
        Some(Some(high.1.clone()))
    } else {
        None
    })
}

/// Writes to every present place; an absent one is left alone. `new` gives `None` for no change.
fn each_present(
    place: &[Step],
    call: &Call,
    writes: &mut Vec<Write>,
    new: impl Fn(&Value) -> Result<Option<Option<Value>>, String>,
) -> Result<(), String> {
    for place in concrete(place, &call.args)? {
        let Some(value) = find(&place, &call.args) else { continue };
        let change = new(value).map_err(|why| format!("{} {why}", shown(&place)))?;
        if let Some(value) = change {
            writes.push(Write::Value(place, value));
        }
    }
    Ok(())
}

fn append_command(
    words: &str,
    call: &Call,
    fired: &[&Effect],
    writes: &mut Vec<Write>,
) -> Result<(), String> {
    for effect in fired {
        let Resource::Command(command) = &effect.resource else { continue };
        let Some(place) = &command.append_at else {
            return Err(format!("the words of `{}` do not stand literally in the arguments", command.text));
        };
        match find(&place.argument, &call.args) {
            Some(Value::String(text)) if text.is_char_boundary(place.offset) => {
                writes.push(Write::Insert(place.clone(), format!(" {words}")));
            }
            _ => return Err(format!("{} is not a string", shown(&place.argument))),
        }
    }
    Ok(())
}

/// Every place that a path with `[*]` stands for; a `[*]` over anything but a list is refused.
fn concrete(place: &[Step], args: &Map<String, Value>) -> Result<Vec<Vec<Step>>, String> {
    let Some(each) = place.iter().position(|step| *step == Step::Each) else {
        return Ok(vec![place.to_vec()]);
    };
    let (before, after) = place.split_at(each);
    match find(before, args) {
        None => Ok(Vec::new()),
        Some(Value::Array(elements)) => {
            let mut places = Vec::new();
            for index in 0..u32::try_from(elements.len()).unwrap_or(u32::MAX) {
                let mut full = before.to_vec();
                full.push(Step::Index(index));
                full.extend_from_slice(after.get(1..).unwrap_or(&[]));
                places.extend(concrete(&full, args)?);
            }
            Ok(places)
        }
        Some(_) => Err(format!("{} is not a list", shown(before))),
    }
}

fn find<'a>(place: &[Step], args: &'a Map<String, Value>) -> Option<&'a Value> {
    let (first, rest) = place.split_first()?;
    let Step::Name(first) = first else { return None };
    rest.iter().try_fold(args.get(first)?, |value, step| match step {
        Step::Name(name) => value.as_object()?.get(name),
        Step::Index(at) => value.as_array()?.get(*at as usize),
        Step::Each => None,
    })
}

/// Whether `set` and `fill` can write: every present parent is an object (or a list that has the index).
fn parents_fit(place: &[Step], args: &Map<String, Value>) -> Result<(), String> {
    for length in 1..place.len() {
        let (Some(parent), Some(step)) = (place.get(..length), place.get(length)) else { continue };
        let Some(value) = find(parent, args) else {
            // A missing parent is made, and only objects can be made.
            return match place
                .get(length..)
                .is_some_and(|rest| rest.iter().all(|s| matches!(s, Step::Name(_))))
            {
                true => Ok(()),
                false => Err(format!("{} is absent", shown(parent))),
            };
        };
        let fits = match (step, value) {
            (Step::Name(_), Value::Object(_)) => true,
            (Step::Index(at), Value::Array(elements)) => (*at as usize) < elements.len(),
            _ => false,
        };
        if !fits {
            return Err(format!("{} has another type", shown(parent)));
        }
    }
    Ok(())
}

fn apply(args: &mut Map<String, Value>, write: &Write) {
    match write {
        Write::Value(place, value) => set(args, place, value.clone()),
        Write::Insert(place, text) => {
            let Some(Value::String(old)) = find(&place.argument, args) else { return };
            let mut new = old.clone();
            if new.is_char_boundary(place.offset) {
                new.insert_str(place.offset, text);
            }
            set(args, &place.argument, Some(Value::String(new)));
        }
    }
}

fn set(args: &mut Map<String, Value>, place: &[Step], value: Option<Value>) {
    let Some((Step::Name(first), rest)) = place.split_first() else { return };
    let Some((last, middle)) = rest.split_last() else {
        match value {
            Some(value) => drop(args.insert(first.clone(), value)),
            None => drop(args.shift_remove(first)),
        }
        return;
    };
    if value.is_none() && find(place, args).is_none() {
        return;
    }
    let mut parent = args.entry(first.clone()).or_insert_with(|| Value::Object(Map::new()));
    for step in middle {
        let next = match (step, parent) {
            (Step::Name(name), Value::Object(members)) => {
                members.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()))
            }
            (Step::Index(at), Value::Array(elements)) => match elements.get_mut(*at as usize) {
                Some(next) => next,
                None => return,
            },
            _ => return,
        };
        parent = next;
    }
    match (last, parent, value) {
        (Step::Name(name), Value::Object(members), Some(value)) => drop(members.insert(name.clone(), value)),
        (Step::Name(name), Value::Object(members), None) => drop(members.shift_remove(name)),
        (Step::Index(at), Value::Array(elements), Some(value)) => {
            if let Some(element) = elements.get_mut(*at as usize) {
                *element = value;
            }
        }
        (Step::Index(at), Value::Array(elements), None) if (*at as usize) < elements.len() => {
            drop(elements.remove(*at as usize));
        }
        _ => {}
    }
}

fn shown(place: &[Step]) -> String {
    let mut text = "args".to_owned();
    for step in place {
        match step {
            Step::Name(name) => text = format!("{text}.{name}"),
            Step::Index(at) => text = format!("{text}[{at}]"),
            Step::Each => text.push_str("[*]"),
        }
    }
    text
}
