//! The whole way of a call: validated and judged as asked, then rewritten layer by layer, and every
//! call on the way judged in full.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};
use tollgate::effects::World;
use tollgate::model::{Call, Capability, Effect, Level, Number, Origin, Resource, Truth};
use tollgate::syntax::ast::{ModifyClause, Step, VerbWord};

use super::facts;
use super::json::{Place, place};
use super::judge::{Outcome, Sitting, unknown_level};
use super::policy::{Judged, Layer, Policy};

/// The verdict over every call on the way.
pub fn judge(policy: &Policy, call: &Call, world: &dyn World) -> Outcome {
    if !policy.has_mode(call.context.mode.as_deref()) {
        return Outcome::pseudo("unknown-mode");
    }
    let mut labels: Vec<String> = call.context.labels.iter().cloned().collect();
    labels.extend(world.labels());
    let way = Way { policy, world, labels: &labels };
    way.walk(call.clone())
}

struct Way<'a> {
    policy: &'a Policy,
    world: &'a dyn World,
    labels: &'a [String],
}

/// What one rule writes.
struct Writes {
    rule: String,
    writes: Vec<(Vec<Step>, Write)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Write {
    Put(Json),
    Remove,
    Push(Json),
    /// Words behind a byte of a command line.
    Insert(usize, String),
}

/// The verdict so far: the strictest, with every rule that gave it.
struct Total {
    level: Level,
    rules: BTreeSet<String>,
    unknown: bool,
}

impl Total {
    fn add(&mut self, level: Level, rules: impl IntoIterator<Item = String>) {
        for rule in rules {
            if level > self.level {
                self.level = level;
                self.rules.clear();
            }
            if level == self.level {
                self.rules.insert(rule);
            }
        }
    }
}

impl Way<'_> {
    fn walk(&self, asked: Call) -> Outcome {
        let mut call = asked.clone();
        let mut effects = match facts::derive(self.policy, &call, self.world) {
            Ok(effects) => effects,
            Err(pseudo) => return Outcome::pseudo(pseudo),
        };
        let first = capabilities(&effects);
        let mut last = self.outcome(&call, &effects);
        let mut total = Total { level: last.level, rules: last.rules.clone(), unknown: last.unknown };
        let mut changed = BTreeSet::new();
        let mut settled = true;
        for layer in &self.policy.layers {
            let (writes, unwritable) = self.plan(layer, &call, &effects);
            for (level, rule) in unwritable {
                total.unknown = true;
                total.add(level, [rule]);
            }
            let clash = clashes(&writes);
            if !clash.is_empty() {
                total.add(Level::Block, clash);
                settled = false;
                break;
            }
            let mut rewritten = call.clone();
            apply(&mut rewritten.args, &writes);
            if rewritten.args == call.args {
                continue;
            }
            changed.extend(writes.iter().filter(|w| changes(w, &call.args)).map(|w| w.rule.clone()));
            call = rewritten;
            effects = match facts::derive(self.policy, &call, self.world) {
                Ok(next) => next,
                Err(pseudo) => {
                    total.add(Level::Block, [pseudo.to_owned()]);
                    last.effects.clear();
                    settled = false;
                    break;
                }
            };
            last = self.outcome(&call, &effects);
            total.add(last.level, last.rules.clone());
            total.unknown |= last.unknown;
        }
        if settled && !changed.is_empty() {
            for layer in &self.policy.layers {
                let (writes, unwritable) = self.plan(layer, &call, &effects);
                for (level, rule) in unwritable {
                    total.add(level, [rule]);
                }
                // Rules whose writes clash write nothing, and neither do their neighbours.
                let clash = clashes(&writes);
                let again = writes.iter().filter(|w| clash.is_empty() && changes(w, &call.args));
                total.add(Level::Block, again.map(|w| w.rule.clone()));
                total.add(Level::Block, clash);
            }
            if !capabilities(&effects).is_subset(&first) {
                total.add(Level::Block, changed);
            }
        }
        let modified = (call.args != asked.args).then_some(call.args);
        Outcome {
            level: total.level,
            rules: total.rules,
            effects: last.effects,
            modified,
            unknown: total.unknown,
        }
    }

    fn outcome(&self, call: &Call, effects: &[Effect]) -> Outcome {
        self.sitting(call, effects).outcome()
    }

    fn sitting<'s>(&'s self, call: &'s Call, effects: &'s [Effect]) -> Sitting<'s> {
        Sitting { policy: self.policy, call, world: self.world, effects, labels: self.labels }
    }

    /// The effects on which a modify rule is true.
    fn fires_at(&self, layer: &Layer, rule: &Judged, call: &Call, effects: &[Effect]) -> Vec<usize> {
        let sitting = self.sitting(call, effects);
        let known = layer.knows(self.policy, &call.tool);
        (0..effects.len())
            .filter(|at| !(known && effects[*at].origin == Origin::Undeclared))
            .filter(|at| rule.has_tool(&call.tool) && rule.capabilities.contains(&effects[*at].capability))
            .filter(|at| sitting.counts(layer, rule, &effects[*at]) == Truth::True)
            .collect()
    }

    /// What every modify rule of a layer would write to the call, and what those add that cannot.
    fn plan(&self, layer: &Layer, call: &Call, effects: &[Effect]) -> (Vec<Writes>, Vec<(Level, String)>) {
        let (mut plan, mut unwritable) = (Vec::new(), Vec::new());
        for rule in layer.rules.iter().filter(|rule| rule.verb == VerbWord::Modify) {
            let at = self.fires_at(layer, rule, call, effects);
            if at.is_empty() {
                continue;
            }
            match writes(rule, call, effects, &at) {
                Some(writes) => plan.push(Writes { rule: rule.full_name.clone(), writes }),
                None => unwritable.push((unknown_level(layer, rule), rule.full_name.clone())),
            }
        }
        (plan, unwritable)
    }
}

fn capabilities(effects: &[Effect]) -> BTreeSet<Capability> {
    // A call without effects has the single effect `nothing`, which is no capability to gain.
    let declared = effects.iter().filter(|effect| effect.origin != Origin::Undeclared);
    declared.map(|effect| effect.capability).filter(|c| *c != Capability::Nothing).collect()
}

/// The writes of a rule; `None` where a place has the wrong type.
fn writes(rule: &Judged, call: &Call, effects: &[Effect], at: &[usize]) -> Option<Vec<(Vec<Step>, Write)>> {
    let args = Json::Object(call.args.clone());
    let mut out = Vec::new();
    let mut replaced: Vec<(Vec<Step>, String)> = Vec::new();
    for edit in &rule.edits {
        match edit {
            ModifyClause::Set(to, value) => {
                parents(&args, &to.path)?;
                out.push((to.path.clone(), Write::Put(parse(&value.node))));
            }
            ModifyClause::Fill(to, value) => {
                parents(&args, &to.path)?;
                if matches!(place(&args, &to.path), Place::Absent) {
                    out.push((to.path.clone(), Write::Put(parse(&value.node))));
                }
            }
            ModifyClause::Clamp(to, low, high) => {
                let Some(value) = here(&args, &to.path) else { continue };
                let Json::Number(number) = value else { return None };
                let number = Number::parse(&number.to_string())?;
                let bound = |text: &str| (Number::parse(text).expect("a number"), parse(text));
                let ((low, low_json), (high, high_json)) = (bound(&low.node), bound(&high.node));
                if number < low {
                    out.push((to.path.clone(), Write::Put(low_json)));
                } else if number > high {
                    out.push((to.path.clone(), Write::Put(high_json)));
                }
            }
            ModifyClause::Remove(to) => {
                if here(&args, &to.path).is_some() {
                    out.push((to.path.clone(), Write::Remove));
                }
            }
            ModifyClause::Append(to, value) => match here(&args, &to.path) {
                None => {}
                Some(Json::Array(_)) => out.push((to.path.clone(), Write::Push(parse(&value.node)))),
                Some(_) => return None,
            },
            ModifyClause::Replace(to, regex, with) => match here(&args, &to.path) {
                None => {}
                Some(Json::String(text)) => {
                    let found = regex::RegexBuilder::new(&regex.node.pattern)
                        .case_insensitive(regex.node.ignore_case)
                        .build()
                        .expect("a checked regex");
                    // It reads what the rule's own replacements before it have left there.
                    let earlier = replaced.iter().position(|(path, _)| *path == to.path);
                    let before = earlier.map_or_else(|| text.clone(), |at| replaced.remove(at).1);
                    let new = found.replace_all(&before, regex::NoExpand(&with.node)).into_owned();
                    replaced.push((to.path.clone(), new));
                }
                Some(_) => return None,
            },
            ModifyClause::AppendCommand(words) => {
                for effect in at {
                    let Resource::Command(command) = &effects[*effect].resource else { continue };
                    let at = command.append_at.as_ref()?;
                    out.push((at.argument.clone(), Write::Insert(at.offset, words.node.clone())));
                }
            }
        }
    }
    for (path, new) in replaced {
        if here(&args, &path) != Some(&Json::String(new.clone())) {
            out.push((path, Write::Put(Json::String(new))));
        }
    }
    Some(out)
}

fn parse(text: &str) -> Json {
    serde_json::from_str(text).expect("checked JSON")
}

/// What stands at a place, if anything does.
fn here<'a>(args: &'a Json, path: &[Step]) -> Option<&'a Json> {
    match place(args, path) {
        Place::Here(value) => Some(value),
        Place::Absent | Place::WrongType => None,
    }
}

/// Whether the place can be written to: no step meets a value that it cannot go into.
fn parents(args: &Json, path: &[Step]) -> Option<()> {
    (!matches!(place(args, path), Place::WrongType)).then_some(())
}

/// The names of all rules that write differing values to one place.
fn clashes(all: &[Writes]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, one) in all.iter().enumerate() {
        for two in &all[at..] {
            let clash = one.writes.iter().any(|a| two.writes.iter().any(|b| collide(a, b)));
            if clash {
                names.extend([one.rule.clone(), two.rule.clone()]);
            }
        }
    }
    names
}

fn collide(a: &(Vec<Step>, Write), b: &(Vec<Step>, Write)) -> bool {
    if !(a.0.starts_with(&b.0) || b.0.starts_with(&a.0)) {
        return false;
    }
    match (&a.1, &b.1) {
        (Write::Insert(x, _), Write::Insert(y, _)) if a.0 == b.0 && x != y => false,
        _ => a != b,
    }
}

/// Whether the writes of one rule would change the arguments.
fn changes(writes: &Writes, args: &Map<String, Json>) -> bool {
    let mut alone = args.clone();
    apply(&mut alone, std::slice::from_ref(writes));
    alone != *args
}

/// Writes everything at once: equal writes are one.
fn apply(args: &mut Map<String, Json>, all: &[Writes]) {
    let mut done: Vec<&(Vec<Step>, Write)> = Vec::new();
    let mut inserts: Vec<(&Vec<Step>, usize, &String)> = Vec::new();
    let mut root = Json::Object(std::mem::take(args));
    for write in all.iter().flat_map(|writes| &writes.writes) {
        if done.contains(&write) {
            continue;
        }
        done.push(write);
        match &write.1 {
            Write::Insert(at, words) => inserts.push((&write.0, *at, words)),
            other => put(&mut root, &write.0, other),
        }
    }
    // From the back, so that the offsets in front stay true.
    inserts.sort_by_key(|(_, at, _)| std::cmp::Reverse(*at));
    for (path, at, words) in inserts {
        put(&mut root, path, &Write::Insert(at, words.clone()));
    }
    if let Json::Object(map) = root {
        *args = map;
    }
}

fn put(value: &mut Json, path: &[Step], write: &Write) {
    let Some((step, rest)) = path.split_first() else {
        match (write, value) {
            (Write::Put(new), value) => *value = new.clone(),
            (Write::Push(new), Json::Array(list)) => list.push(new.clone()),
            (Write::Insert(at, words), Json::String(text)) => text.insert_str(*at, &format!(" {words}")),
            _ => panic!("a checked place"),
        }
        return;
    };
    match (step, value) {
        (Step::Name(name), Json::Object(map)) => {
            if rest.is_empty() && *write == Write::Remove {
                map.shift_remove(name);
            } else {
                let missing = if rest.is_empty() { Json::Null } else { Json::Object(Map::new()) };
                put(map.entry(name.clone()).or_insert(missing), rest, write);
            }
        }
        (Step::Index(index), Json::Array(list)) => {
            if rest.is_empty() && *write == Write::Remove {
                list.remove(*index as usize);
            } else if let Some(element) = list.get_mut(*index as usize) {
                put(element, rest, write);
            }
        }
        _ => panic!("a checked place"),
    }
}
