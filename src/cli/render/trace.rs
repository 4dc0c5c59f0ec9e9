//! An explanation as a tree for people, and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::cli::output::harmless;
use crate::compile::Program;
use crate::compile::program::{Rule, Verb};
use crate::decide::json::verdict_to_json;
use crate::decide::trace::{CountedRule, FailedComparison, NearRule, Trace, TracedCall, TracedEffect};
use crate::lint::comparison;
use crate::model::{Capability, Level, Truth};

const PLAIN: &str = "\u{1b}[0m";

/// One node of the tree: its lines, and what hangs below it.
struct Node {
    lines: Vec<String>,
    below: Vec<Node>,
}

/// The tree. Styled: what prints it strips the colours where there is no terminal.
#[must_use]
pub fn text(trace: &Trace, program: &Program) -> String {
    let layers = program.layers().iter().flat_map(|layer| &layer.rules);
    let rules: BTreeMap<&str, &Rule> = layers.map(|rule| (&*rule.full_name, rule)).collect();
    let verdict = &trace.verdict;
    let by =
        if verdict.rules.is_empty() { String::new() } else { format!(", by {}", verdict.rules.join(", ")) };
    let mut root = Node {
        lines: vec![format!("{} {}{}", coloured(verdict.level), harmless(&verdict.tool), harmless(&by))],
        below: Vec::new(),
    };
    if let [only] = trace.calls.as_slice() {
        root.below = effects(only, &rules);
    } else {
        let last = trace.calls.len().saturating_sub(1);
        let by = verdict.modified.as_ref().map(|modified| modified.by.join(", ")).unwrap_or_default();
        let calls = trace.calls.iter().enumerate();
        root.below = calls.map(|(at, call)| way(call, way_name(at, last, &by), &rules)).collect();
    }
    root.below.extend(other_reasons(trace));
    let mut out = String::new();
    draw(&mut out, &root, "", "");
    out
}

/// A call on the way from what was asked to what would run.
fn way(call: &TracedCall, name: String, rules: &BTreeMap<&str, &Rule>) -> Node {
    let args = Value::Object(call.args.clone()).to_string();
    Node { lines: vec![format!("{name}: {}", harmless(&args))], below: effects(call, rules) }
}

fn way_name(at: usize, last: usize, by: &str) -> String {
    match at {
        0 => "as asked".to_owned(),
        _ if at == last => format!("as it would run, changed by {}", harmless(by)),
        _ => "on the way".to_owned(),
    }
}

fn effects(call: &TracedCall, rules: &BTreeMap<&str, &Rule>) -> Vec<Node> {
    call.effects.iter().map(|effect| effect_node(effect, rules)).collect()
}

fn effect_node(effect: &TracedEffect, rules: &BTreeMap<&str, &Rule>) -> Node {
    let resource = match (&effect.resource, effect.capability) {
        (Some(resource), _) => format!(" {resource}"),
        (None, Capability::Nothing) => String::new(),
        (None, _) => " anything".to_owned(),
    };
    let from = effect.from.as_deref().map(|from| format!(", from {from}")).unwrap_or_default();
    let line = format!(
        "{} {}{}{}",
        coloured(effect.level),
        effect.capability.as_str(),
        harmless(&resource),
        harmless(&from)
    );
    let counted = effect.counted.iter().map(|counted| counted_node(counted, rules));
    let nearest = effect.nearest.iter().map(near_node);
    Node { lines: vec![line], below: counted.chain(nearest).collect() }
}

fn counted_node(counted: &CountedRule, rules: &BTreeMap<&str, &Rule>) -> Node {
    let at = counted.at.as_deref().map(|at| format!("  {at}")).unwrap_or_default();
    let mut lines = vec![format!("{} {}{}", coloured(counted.level), harmless(&counted.rule), harmless(&at))];
    let rule = rules.get(counted.rule.as_str());
    if let Some(docs) = rule.map(|rule| rule.docs.as_slice()) {
        lines.extend(docs.iter().map(|line| harmless(line).into_owned()));
    }
    let fix = rule.and_then(|rule| rule.fix.as_deref());
    for (word, text) in [
        ("because", counted.because.as_deref()),
        ("instead", fix),
        ("counts as unknown", counted.unknown.as_deref()),
    ] {
        if let Some(text) = text {
            lines.push(format!("{word}: {}", harmless(text)));
        }
    }
    Node { lines, below: Vec::new() }
}

fn near_node(near: &NearRule) -> Node {
    let mut lines =
        vec![format!("no {} {}  {}", near.verb.as_str(), harmless(&near.rule), harmless(&near.at))];
    lines.extend(near.failed.iter().map(|failed| harmless(&comparison(failed)).into_owned()));
    Node { lines, below: Vec::new() }
}

/// Reasons that hang on no effect: they are about the whole call.
fn other_reasons(trace: &Trace) -> Vec<Node> {
    let effects = || trace.calls.iter().flat_map(|call| &call.effects);
    let on_an_effect = |rule: &str| effects().flat_map(|effect| &effect.counted).any(|c| c.rule == rule);
    trace
        .verdict
        .reasons
        .iter()
        .filter(|reason| !on_an_effect(&reason.rule))
        .map(|reason| {
            let at = reason.at.as_deref().map(|at| format!("  {at}")).unwrap_or_default();
            let line = format!("{} {}{}", coloured(reason.level), harmless(&reason.rule), harmless(&at));
            let because = reason.because.as_deref().map(|because| format!("because: {}", harmless(because)));
            Node { lines: [line].into_iter().chain(because).collect(), below: Vec::new() }
        })
        .collect()
}

/// Draws a node: its first line behind `first`, the rest of it behind `rest`.
fn draw(out: &mut String, node: &Node, first: &str, rest: &str) {
    for (at, line) in node.lines.iter().flat_map(|line| line.split('\n')).enumerate() {
        let bar = if node.below.is_empty() { "   " } else { "│  " };
        let lead = if at == 0 { first.to_owned() } else { format!("{rest}{bar}") };
        let _ = writeln!(out, "{}", format!("{lead}{line}").trim_end());
    }
    let last = node.below.len().saturating_sub(1);
    for (at, below) in node.below.iter().enumerate() {
        let (turn, bar) = if at == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        draw(out, below, &format!("{rest}{turn}"), &format!("{rest}{bar}"));
    }
}

fn coloured(level: Level) -> String {
    let colour = match level {
        Level::Allow => "\u{1b}[32m",
        Level::Warn | Level::Ask => "\u{1b}[33m",
        Level::Block => "\u{1b}[31m",
    };
    format!("{colour}{}{PLAIN}", level.as_str())
}

/// The same as one object: the verdict, and for each call on the way its effects with the rules that
/// counted and the nearest that did not.
#[must_use]
pub fn to_json(trace: &Trace) -> Value {
    let calls: Vec<Value> = trace
        .calls
        .iter()
        .map(|call| {
            let effects: Vec<Value> = call.effects.iter().map(effect_json).collect();
            json!({"args": call.args, "effects": effects})
        })
        .collect();
    json!({"v": 1, "verdict": verdict_to_json(&trace.verdict), "calls": calls})
}

fn effect_json(effect: &TracedEffect) -> Value {
    let mut out = Map::new();
    out.insert("capability".to_owned(), json!(effect.capability.as_str()));
    optional(&mut out, "resource", effect.resource.as_deref());
    optional(&mut out, "from", effect.from.as_deref());
    out.insert("verdict".to_owned(), json!(effect.level.as_str()));
    out.insert("counted".to_owned(), effect.counted.iter().map(counted_json).collect());
    out.insert("nearest".to_owned(), effect.nearest.iter().map(near_json).collect());
    Value::Object(out)
}

fn counted_json(counted: &CountedRule) -> Value {
    let mut out = Map::new();
    out.insert("rule".to_owned(), json!(counted.rule));
    out.insert("verdict".to_owned(), json!(counted.level.as_str()));
    optional(&mut out, "at", counted.at.as_deref());
    optional(&mut out, "because", counted.because.as_deref());
    optional(&mut out, "unknown", counted.unknown.as_deref());
    Value::Object(out)
}

fn near_json(near: &NearRule) -> Value {
    let verb: Verb = near.verb;
    let failed: Vec<Value> = near.failed.iter().map(failed_json).collect();
    json!({"rule": near.rule, "verb": verb.as_str(), "at": near.at, "failed": failed})
}

fn failed_json(failed: &FailedComparison) -> Value {
    let truth = if failed.truth == Truth::Unknown { "unknown" } else { "false" };
    json!({"comparison": failed.text, "negated": failed.negated, "truth": truth, "actual": failed.actual})
}

fn optional(out: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        out.insert(key.to_owned(), json!(text));
    }
}
