//! One call as it stands: every rule of every layer on every effect, the strictest wins.

use std::collections::{BTreeMap, BTreeSet};

use tollgate::effects::World;
use tollgate::model::call::Call;
use tollgate::model::path::VariantRole;
use tollgate::model::{Action, Capability, Effect, Level, Origin, Resource, Truth};
use tollgate::syntax::ast::{
    Comparison, Condition, ConditionKind, DefaultWord, UnknownWord, Value, ValueKind, VerbWord,
};

use super::command;
use super::condition::{Scene, truth};
use super::paths::{Places, below};
use super::policy::{Judged, Layer, Policy};

/// What the oracle says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub level: Level,
    pub rules: BTreeSet<String>,
    pub effects: Vec<EffectOutcome>,
    /// The arguments of the last call, where they differ.
    pub modified: Option<serde_json::Map<String, serde_json::Value>>,
    /// Whether some condition that counted could not be known.
    pub unknown: bool,
}

/// What it says about an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectOutcome {
    pub level: Level,
    pub rules: BTreeSet<String>,
}

impl Outcome {
    /// A verdict that no rule gave.
    pub fn pseudo(name: &str) -> Self {
        let rules = BTreeSet::from([name.to_owned()]);
        Self { level: Level::Block, rules, effects: Vec::new(), modified: None, unknown: false }
    }
}

/// Everything that one judgement looks at.
pub struct Sitting<'a> {
    pub policy: &'a Policy,
    pub call: &'a Call,
    pub world: &'a dyn World,
    pub effects: &'a [Effect],
    pub labels: &'a [String],
}

/// What counted on an effect: rule names by level.
#[derive(Default)]
struct Counted {
    by_level: BTreeMap<Level, BTreeSet<String>>,
    unknown: bool,
}

impl Counted {
    fn add(&mut self, level: Level, name: &str) {
        self.by_level.entry(level).or_default().insert(name.to_owned());
    }
}

impl Sitting<'_> {
    /// The verdict on the call as it stands.
    pub fn outcome(&self) -> Outcome {
        let mut effects = Vec::new();
        let mut unknown = false;
        for effect in self.effects {
            let mut counted = Counted::default();
            for at in 0..self.policy.layers.len() {
                self.layer(at, effect, &mut counted);
            }
            self.gate(effect, &mut counted);
            unknown |= counted.unknown;
            let (level, mut rules) = counted
                .by_level
                .pop_last()
                .unwrap_or_else(|| panic!("no layer has an opinion of {effect:?}"));
            // These two stand where no rule gave the verdict.
            if rules.iter().any(|rule| rule.contains('/')) {
                rules.retain(|rule| rule.contains('/'));
            }
            effects.push(EffectOutcome { level, rules });
        }
        let level = effects.iter().map(|e| e.level).max().expect("a call has an effect");
        let rules = effects.iter().filter(|e| e.level == level).flat_map(|e| e.rules.clone()).collect();
        Outcome { level, rules, effects, modified: None, unknown }
    }

    fn layer(&self, at: usize, effect: &Effect, counted: &mut Counted) {
        let layer = &self.policy.layers[at];
        let known = self.policy.layer_knows(at, &self.call.tool);
        if known && effect.origin == Origin::Undeclared {
            return;
        }
        let mut let_through = false;
        for rule in layer.rules.iter().filter(|rule| rule.has_tool(&self.call.tool)) {
            let names = known || rule.names_tool(&self.call.tool);
            let own = rule.capabilities.contains(&effect.capability).then_some(effect);
            for subject in own.into_iter().chain(self.covering(rule, effect)) {
                if names && self.grants(layer, rule, subject) {
                    let_through = true;
                    // What an ask lets through, it asks about.
                    let level = if rule.verb == VerbWord::Allow { Level::Allow } else { Level::Ask };
                    counted.add(level, &rule.full_name);
                }
            }
            if let Some(own) = own {
                self.tighten(layer, rule, own, counted);
            }
        }
        if let_through {
            return;
        }
        match layer.default {
            _ if !known => counted.add(Level::Block, "unknown-tool"),
            DefaultWord::Block => counted.add(Level::Block, "default"),
            DefaultWord::Ask => counted.add(Level::Ask, "default"),
            DefaultWord::Allow => counted.add(Level::Allow, "default"),
            DefaultWord::Pass => {}
        }
    }

    /// The command that implies an effect, where the rule covers it: the grant reaches that far.
    fn covering<'e>(&'e self, rule: &Judged, effect: &'e Effect) -> Option<&'e Effect> {
        let covered = effect.origin == Origin::Implied && rule.covers.contains(&effect.capability);
        effect.cause.filter(|_| covered).map(|cause| &self.effects[cause])
    }

    fn tighten(&self, layer: &Layer, rule: &Judged, effect: &Effect, counted: &mut Counted) {
        let value = self.counts(layer, rule, effect);
        let by_unknown = unknown_level(layer, rule);
        let level = match (rule.verb, value) {
            (VerbWord::Allow | VerbWord::Redact, _) | (_, Truth::False) => return,
            (VerbWord::Modify, Truth::True) => return,
            (VerbWord::Warn, _) => Level::Warn,
            (VerbWord::Ask, _) => Level::Ask,
            (VerbWord::Block, Truth::True) => Level::Block,
            (VerbWord::Block | VerbWord::Modify, Truth::Unknown) => by_unknown,
        };
        counted.unknown |= value == Truth::Unknown;
        counted.add(level, &rule.full_name);
    }

    /// Whether a rule counts other than by letting through: true on one of the spellings is enough.
    pub fn counts(&self, layer: &Layer, rule: &Judged, effect: &Effect) -> Truth {
        let grants_only = |variant: usize| match &effect.resource {
            Resource::Path(fact) => fact
                .variants
                .get(variant)
                .is_some_and(|v| v.role == VariantRole::Region { grants_only: true }),
            _ => false,
        };
        let mut value = Truth::False;
        for variant in views(effect) {
            if !grants_only(variant) {
                value = value.or(self.condition(layer, rule, effect, variant, false));
            }
        }
        value
    }

    /// Whether a rule lets through: true on every spelling, and nothing set for the command.
    fn grants(&self, layer: &Layer, rule: &Judged, effect: &Effect) -> bool {
        match rule.verb {
            VerbWord::Allow => {}
            // What it does not ask about, it does not let through.
            VerbWord::Ask if self.counts(layer, rule, effect) == Truth::True => {}
            _ => return false,
        }
        let today = self.call.context.today.or(self.world.today());
        if rule.until.is_some_and(|last| today.is_none_or(|today| today > last)) {
            return false;
        }
        if self.is_set_for(layer, rule, effect) {
            return false;
        }
        views(effect).all(|variant| self.condition(layer, rule, effect, variant, true) == Truth::True)
    }

    /// Whether the line set a name that the rule, which looks at the command, does not speak of.
    fn is_set_for(&self, layer: &Layer, rule: &Judged, effect: &Effect) -> bool {
        let mut looks = Looks::default();
        for condition in [&rule.when, &rule.unless].into_iter().flatten() {
            looks.condition(layer, condition);
        }
        let foreign = |set: &[String]| set.iter().any(|name| !looks.assigned.contains(name));
        let own = match &effect.resource {
            Resource::Command(command) => looks.command && foreign(&command.env),
            _ => false,
        };
        own || looks.via && effect.via.as_ref().is_some_and(|via| foreign(&via.env))
    }

    fn condition(&self, layer: &Layer, rule: &Judged, effect: &Effect, variant: usize, grant: bool) -> Truth {
        let places = Places { world: self.world };
        let scene =
            Scene { layer, call: self.call, labels: self.labels, effect, places: &places, variant, grant };
        let when = rule.when.as_ref().map_or(Truth::True, |c| truth(c, false, &scene));
        when.and(rule.unless.as_ref().map_or(Truth::True, |c| truth(c, true, &scene)))
    }

    /// The gate protects what it loads and keeps.
    fn gate(&self, effect: &Effect, counted: &mut Counted) {
        let protected = self.world.protected();
        let Resource::Path(fact) = &effect.resource else { return };
        if effect.capability != Capability::Write || protected.is_empty() {
            return;
        }
        if fact.unresolved.is_some() {
            counted.add(Level::Ask, "gate/self");
        }
        for variant in &fact.variants {
            for own in &protected {
                let region = variant.role != VariantRole::Itself;
                let around = below(own, &variant.path, fact.folding);
                if below(&variant.path, own, fact.folding) {
                    counted.add(Level::Block, "gate/self");
                } else if around && region {
                    // Something could come to lie there.
                    counted.add(Level::Ask, "gate/self");
                } else if around && effect.action == Some(Action::Delete) {
                    counted.add(Level::Block, "gate/self");
                }
            }
        }
    }
}

/// The path variants of an effect; one view where it has none.
fn views(effect: &Effect) -> std::ops::Range<usize> {
    match &effect.resource {
        Resource::Path(fact) => 0..fact.variants.len().max(1),
        _ => 0..1,
    }
}

/// What an unknown `block` or `modify` adds.
pub fn unknown_level(layer: &Layer, rule: &Judged) -> Level {
    match rule.unknown.unwrap_or(layer.unknown) {
        UnknownWord::Block => Level::Block,
        UnknownWord::Ask => Level::Ask,
    }
}

/// Which commands a condition looks at, and the names that its command patterns set.
#[derive(Default)]
struct Looks {
    command: bool,
    via: bool,
    assigned: BTreeSet<String>,
}

impl Looks {
    fn condition(&mut self, layer: &Layer, condition: &Condition) {
        match &condition.kind {
            ConditionKind::And(parts) | ConditionKind::Or(parts) => {
                parts.iter().for_each(|part| self.condition(layer, part));
            }
            ConditionKind::Not(inner) => self.condition(layer, inner),
            ConditionKind::Name(name) => self.condition(layer, layer.condition(name)),
            ConditionKind::Compare(comparison) => self.comparison(layer, comparison),
            ConditionKind::Bool(_) | ConditionKind::SessionHas(_) => {}
        }
    }

    fn comparison(&mut self, layer: &Layer, comparison: &Comparison) {
        match comparison.left.field.root.node.as_str() {
            "command" => self.command = true,
            "via" => self.via = true,
            _ => {}
        }
        // A pattern of `via` names a cause, not the command that a grant is about.
        if let Some(right) = &comparison.right
            && comparison.left.field.root.node == "command"
        {
            self.value(layer, right);
        }
    }

    fn value(&mut self, layer: &Layer, value: &Value) {
        for literal in layer.elements(value) {
            if let ValueKind::Command(text) = literal {
                self.assigned.extend(command::assigned_names(text));
            }
        }
    }
}
