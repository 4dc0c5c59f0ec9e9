//! One call, as it stands, judged by every rule of every layer.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::base::limits;
use crate::compile::Program;
use crate::compile::program::{Layer, Rule, Verb};
use crate::effects::{self, World};
use crate::model::effect::Resource;
use crate::model::path::{Anchors, PathVariant, VariantRole};
use crate::model::verdict::pseudo;
use crate::model::{Call, Capability, Demand, Effect, Level, Origin, ToolDeclaration, Truth};
use crate::syntax::ast::{Date, DefaultWord, UnknownWord};

use super::datum::View;
use super::eval::{Frame, evaluate};

/// What does not change between the calls judged on the way to one verdict.
pub(super) struct Facts<'a> {
    pub program: &'a Program,
    pub world: &'a dyn World,
    /// Looked up when a path first has to be compared or shown.
    anchors: OnceCell<Anchors>,
    pub labels: BTreeSet<String>,
    pub today: Option<Date>,
    /// Canonical paths that the gate protects.
    pub protected: Vec<String>,
    /// Candidates come from the index; otherwise every rule is read (`explain`).
    pub indexed: bool,
    pub declarations: Vec<&'a ToolDeclaration>,
    /// The outermost layer that knows the tool; every layer inside it does too.
    known_from: Option<usize>,
    demand: Demand,
    /// The text of the result, once there is one.
    pub result: Option<&'a str>,
}

impl<'a> Facts<'a> {
    pub fn gather(program: &'a Program, call: &Call, world: &'a dyn World, indexed: bool) -> Self {
        let mut labels = call.context.labels.clone();
        labels.extend(world.labels());
        let declared = program.declared(&call.tool);
        Self {
            program,
            world,
            anchors: OnceCell::new(),
            labels,
            today: call.context.today.or_else(|| world.today()),
            protected: world.protected(),
            indexed,
            known_from: declared.iter().map(|declared| declared.layer.unwrap_or(0)).min(),
            declarations: declared.into_iter().map(|declared| &declared.declaration).collect(),
            demand: program.demand(&call.tool),
            result: None,
        }
    }

    /// Takes in how the paths of a call name the places of the policy.
    pub(super) fn widen(&mut self, effects: &[Effect]) {
        let paths = || {
            effects.iter().flat_map(|effect| {
                let (own, cwd) = match &effect.resource {
                    Resource::Path(fact) => (Some(fact), None),
                    Resource::Command(command) => (None, Some(&command.cwd)),
                    Resource::None | Resource::Network(_) | Resource::Target(_) => (None, None),
                };
                own.into_iter().chain(cwd)
            })
        };
        // Only a path through a link can name a place in another way.
        if paths().all(|fact| fact.variants.len() < 2) {
            return;
        }
        let places = self.program.places();
        let known = self.anchors.take();
        let mut anchors = known.unwrap_or_else(|| effects::path::anchors_of(self.world, places));
        effects::path::widen(self.world, &mut anchors, &places.literal_dirs(), paths());
        self.anchors = anchors.into();
    }

    pub fn anchors(&self) -> &Anchors {
        self.anchors.get_or_init(|| effects::path::anchors_of(self.world, self.program.places()))
    }

    /// Whether a layer knows the tool: the host, the layer itself or an outer one declares it.
    pub fn knows(&self, layer: usize) -> bool {
        self.known_from.is_some_and(|from| from <= layer)
    }
}

/// What one rule (or pseudo-rule) adds to one effect.
#[derive(Debug, Clone)]
pub(super) struct Contribution<'p> {
    pub source: Cause<'p>,
    pub level: Level,
    /// It counts because its condition could not be known.
    pub unknown: bool,
}

/// Who adds it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cause<'p> {
    Rule(&'p Rule),
    Pseudo(&'static str),
}

impl Cause<'_> {
    pub fn name(&self) -> &str {
        match self {
            Self::Rule(rule) => &rule.full_name,
            Self::Pseudo(name) => name,
        }
    }
}

/// The judgement on one effect.
#[derive(Debug)]
pub(super) struct EffectJudgement<'p> {
    /// Every rule that counts, of every layer.
    pub contributions: Vec<Contribution<'p>>,
    level: Option<Level>,
}

impl EffectJudgement<'_> {
    /// What nobody has an opinion on is blocked.
    pub fn level(&self) -> Level {
        self.level.unwrap_or(Level::Block)
    }
}

/// The judgement on one call.
#[derive(Debug)]
pub(super) struct CallJudgement<'p> {
    pub effects: Vec<Effect>,
    pub judged: Vec<EffectJudgement<'p>>,
    /// What is added to the call as a whole: refusals before any rule, modify conflicts.
    pub whole: Vec<Whole<'p>>,
    /// Redact rules and result rules whose scope the call is in.
    pub on_result: Vec<&'p Rule>,
}

/// A contribution to the whole call, with what it is about.
#[derive(Debug, Clone)]
pub(super) struct Whole<'p> {
    pub contribution: Contribution<'p>,
    pub because: String,
}

impl CallJudgement<'_> {
    /// A call that was refused before any rule was read.
    fn refused(name: &'static str, because: String) -> Self {
        let contribution = Contribution { source: Cause::Pseudo(name), level: Level::Block, unknown: false };
        Self {
            effects: Vec::new(),
            judged: Vec::new(),
            whole: vec![Whole { contribution, because }],
            on_result: Vec::new(),
        }
    }

    /// Whether rules were read at all.
    pub fn is_refused_unread(&self) -> bool {
        self.judged.is_empty()
    }

    /// The strictest level over all effects and the whole.
    pub fn level(&self) -> Level {
        let effects = self.judged.iter().map(EffectJudgement::level);
        let whole = self.whole.iter().map(|whole| whole.contribution.level);
        effects.chain(whole).max().unwrap_or(Level::Block)
    }
}

/// Derives the effects of a call and judges them.
pub(super) fn judge<'p>(facts: &mut Facts<'p>, call: &Call) -> CallJudgement<'p> {
    let program = facts.program;
    let mode = call.context.mode.as_deref();
    if !program.has_mode(mode) {
        return CallJudgement::refused(pseudo::UNKNOWN_MODE, unknown_mode(program, mode));
    }
    let effects = match effects::tool::derive(call, &facts.declarations, facts.world, &facts.demand) {
        Ok(effects) => effects,
        Err(error) => {
            let name = match error {
                effects::DeriveError::TooManyEffects => pseudo::LIMIT,
                effects::DeriveError::InvalidArguments(_) => pseudo::INVALID_ARGUMENTS,
            };
            return CallJudgement::refused(name, error.to_string());
        }
    };
    if effects.len() > limits::EFFECTS_PER_CALL_MAX {
        let because = format!("the call has more than {} effects", limits::EFFECTS_PER_CALL_MAX);
        return CallJudgement::refused(pseudo::LIMIT, because);
    }
    facts.widen(&effects);
    judge_effects(facts, call, with_undeclared(facts, call, effects))
}

/// Adds the four bare capabilities where some layer does not know the tool that an inner one declares:
/// for that layer it is a tool that may do anything, and an inner layer cannot say less.
fn with_undeclared(facts: &Facts<'_>, call: &Call, mut effects: Vec<Effect>) -> Vec<Effect> {
    // Where the outermost layer knows it, all do.
    if !facts.knows(0) && effects.iter().all(|effect| effect.origin != Origin::Undeclared) {
        let undeclared = effects::tool::derive(call, &[], facts.world, &Demand::default());
        effects.extend(undeclared.unwrap_or_default());
    }
    effects
}

fn unknown_mode(program: &Program, mode: Option<&str>) -> String {
    let outermost = program.layers().first().map_or("", |layer| layer.name.as_str());
    match (mode, program.modes()) {
        (Some(mode), _) if !program.outermost_has_modes() => {
            format!("there is no mode `{mode}`: the outermost layer, `{outermost}`, declares no modes")
        }
        (None, Some(modes)) => format!("the call has no mode; the policy declares {}", modes.join(", ")),
        (Some(mode), Some(modes)) => {
            format!("there is no mode `{mode}`; the policy declares {}", modes.join(", "))
        }
        (Some(mode), None) => format!("there is no mode `{mode}`: the policy declares no modes"),
        (None, None) => "the call has no mode".to_owned(),
    }
}

fn judge_effects<'p>(facts: &Facts<'p>, call: &Call, effects: Vec<Effect>) -> CallJudgement<'p> {
    let mut judged: Vec<EffectJudgement<'p>> = Vec::with_capacity(effects.len());
    judged.resize_with(effects.len(), || EffectJudgement { contributions: Vec::new(), level: None });
    let mut on_result: Vec<&'p Rule> = Vec::new();
    for (at, layer) in facts.program.layers().iter().enumerate() {
        let known = facts.knows(at);
        let candidates = Candidates::new(facts, call, layer);
        for (effect, judgement) in effects.iter().zip(&mut judged) {
            // Who knows the tool knows better what it does.
            if known && effect.origin == Origin::Undeclared {
                continue;
            }
            let rules = candidates.on(facts, effect);
            let opinion = layer_opinion(
                facts,
                call,
                effect,
                &effects,
                (layer, known),
                rules,
                &mut judgement.contributions,
            );
            judgement.level = judgement.level.max(opinion);
            let results = layer.at(layer.index().on_result());
            on_result.extend(results.filter(|rule| sees_result(rule, call, effect)));
        }
    }
    for (effect, judgement) in effects.iter().zip(&mut judged) {
        if let Some(own) = self_protection(facts, effect) {
            judgement.level = judgement.level.max(Some(own.level));
            judgement.contributions.push(own);
        }
        let level = judgement.level();
        drop_idle_fallbacks(&mut judgement.contributions, level);
    }
    on_result.sort_by(|a, b| a.full_name.cmp(&b.full_name));
    on_result.dedup_by(|a, b| a.full_name == b.full_name);
    CallJudgement { effects, judged, whole: Vec::new(), on_result }
}

/// The rules of one layer that are read for one call.
struct Candidates<'p> {
    layer: &'p Layer,
    /// Positions that the tool and the arguments do not exclude; `None` reads every rule.
    of_call: Option<Vec<u32>>,
}

impl<'p> Candidates<'p> {
    fn new(facts: &Facts<'p>, call: &Call, layer: &'p Layer) -> Self {
        let of_call = facts.indexed.then(|| {
            let mut found = Vec::with_capacity(16);
            layer.index().of_call(call, &mut found);
            found
        });
        Self { layer, of_call }
    }

    fn on(&self, facts: &Facts<'p>, effect: &Effect) -> impl Iterator<Item = &'p Rule> + use<'p> {
        let layer = self.layer;
        let (some, all) = match &self.of_call {
            Some(of_call) => {
                let mut found = Vec::with_capacity(of_call.len() + 16);
                found.extend_from_slice(of_call);
                layer.index().of_effect(effect, || facts.anchors(), &mut found);
                (found, &[][..])
            }
            None => (Vec::new(), layer.rules.as_slice()),
        };
        some.into_iter().filter_map(|at| layer.rules.get(at as usize)).chain(all)
    }
}

/// How many rules a decision reads, over all layers and effects of the call as asked: what the index
/// leaves of them.
#[must_use]
pub fn rules_read(program: &Program, call: &Call, world: &dyn World) -> usize {
    let facts = Facts::gather(program, call, world, true);
    let derived = effects::tool::derive(call, &facts.declarations, world, &facts.demand);
    let layers = program.layers().iter().map(|layer| Candidates::new(&facts, call, layer));
    let effects = derived.unwrap_or_default();
    layers.map(|layer| effects.iter().map(|effect| layer.on(&facts, effect).count()).sum::<usize>()).sum()
}

/// `default` and `unknown-tool` stand only where no rule gave the verdict (`json.md`).
fn drop_idle_fallbacks(contributions: &mut Vec<Contribution<'_>>, level: Level) {
    let idle =
        |c: &Contribution<'_>| matches!(c.source, Cause::Pseudo(pseudo::DEFAULT | pseudo::UNKNOWN_TOOL));
    if contributions.iter().any(|c| c.level == level && !idle(c)) {
        contributions.retain(|c| c.level != level || !idle(c));
    }
}

/// Whether a redact rule or a result rule is in scope: what it may say is known after execution.
pub(super) fn sees_result(rule: &Rule, call: &Call, effect: &Effect) -> bool {
    rule.scope.result
        && rule.scope.capabilities.contains(effect.capability)
        && rule.scope.has_tool(&call.tool)
}

/// The level that a layer gives an effect; `None` where the layer has no opinion. Adds what counts.
fn layer_opinion<'p>(
    facts: &Facts<'p>,
    call: &Call,
    effect: &Effect,
    all: &[Effect],
    (layer, known): (&'p Layer, bool),
    rules: impl Iterator<Item = &'p Rule>,
    contributions: &mut Vec<Contribution<'p>>,
) -> Option<Level> {
    let mut let_through = false;
    let mut level = None;
    for rule in rules {
        let Some(weight) = weigh(facts, call, effect, all, rule) else { continue };
        let_through |= weight.lets_through && (known || rule.scope.names_tool(&call.tool));
        if let Some(added) = weight.adds {
            // A grant that does not name an unknown tool counts for nothing.
            if added.level == Level::Allow && !(known || rule.scope.names_tool(&call.tool)) {
                continue;
            }
            level = level.max(Some(added.level));
            contributions.push(added);
        }
    }
    if let_through {
        return level;
    }
    let fallback = if known { default_level(layer) } else { Some(Level::Block) };
    if let Some(fallback) = fallback {
        let name = if known { pseudo::DEFAULT } else { pseudo::UNKNOWN_TOOL };
        contributions.push(Contribution { source: Cause::Pseudo(name), level: fallback, unknown: false });
        level = level.max(Some(fallback));
    }
    level
}

/// `pass` has no opinion where no rule of the layer counts, and none of its own where one does.
fn default_level(layer: &Layer) -> Option<Level> {
    match layer.default {
        DefaultWord::Block => Some(Level::Block),
        DefaultWord::Ask => Some(Level::Ask),
        DefaultWord::Allow => Some(Level::Allow),
        DefaultWord::Pass => None,
    }
}

/// What a rule says about an effect.
pub(super) struct Weight<'p> {
    pub lets_through: bool,
    pub adds: Option<Contribution<'p>>,
}

/// `None` where the rule is not judged on this effect, or is and does not count.
pub(super) fn weigh<'p>(
    facts: &Facts<'p>,
    call: &Call,
    effect: &Effect,
    all: &[Effect],
    rule: &'p Rule,
) -> Option<Weight<'p>> {
    if rule.scope.result || !rule.scope.has_tool(&call.tool) {
        return None;
    }
    let source = Cause::Rule(rule);
    let adds = |level, unknown| Some(Contribution { source, level, unknown });
    if !rule.scope.capabilities.contains(effect.capability) {
        return covered(facts, call, effect, all, rule);
    }
    match rule.verb {
        Verb::Allow => {
            let granted = grant_truth(facts, call, effect, rule) == Truth::True;
            granted
                .then(|| Weight { lets_through: true, adds: adds(Level::Allow, false) })
                .or_else(|| covered(facts, call, effect, all, rule))
        }
        Verb::Ask => match count_truth(facts, call, effect, rule) {
            Truth::False => covered(facts, call, effect, all, rule),
            truth => {
                let lets_through =
                    truth == Truth::True && grant_truth(facts, call, effect, rule) == Truth::True;
                Some(Weight { lets_through, adds: adds(Level::Ask, truth == Truth::Unknown) })
            }
        },
        Verb::Warn => match count_truth(facts, call, effect, rule) {
            Truth::False => None,
            truth => Some(Weight { lets_through: false, adds: adds(Level::Warn, truth == Truth::Unknown) }),
        },
        Verb::Block => match count_truth(facts, call, effect, rule) {
            Truth::False => None,
            Truth::True => Some(Weight { lets_through: false, adds: adds(Level::Block, false) }),
            Truth::Unknown => Some(Weight { lets_through: false, adds: adds(unknown_level(rule), true) }),
        },
        Verb::Modify => match count_truth(facts, call, effect, rule) {
            Truth::False | Truth::True => None,
            Truth::Unknown => Some(Weight { lets_through: false, adds: adds(unknown_level(rule), true) }),
        },
        Verb::Redact => None,
    }
}

/// What a `block` or `modify` rule adds where its condition is unknown.
pub(super) fn unknown_level(rule: &Rule) -> Level {
    match rule.unknown {
        UnknownWord::Block => Level::Block,
        UnknownWord::Ask => Level::Ask,
    }
}

/// `covers`: the grant on a command also reaches its implied effects, never a spelled one.
fn covered<'p>(
    facts: &Facts<'p>,
    call: &Call,
    effect: &Effect,
    all: &[Effect],
    rule: &'p Rule,
) -> Option<Weight<'p>> {
    if effect.origin != Origin::Implied || !rule.covers.contains(effect.capability) {
        return None;
    }
    let cause = all.get(effect.cause?)?;
    if cause.capability != Capability::Exec || !rule.scope.capabilities.contains(Capability::Exec) {
        return None;
    }
    if grant_truth(facts, call, cause, rule) != Truth::True {
        return None;
    }
    let level = match rule.verb {
        Verb::Allow => Level::Allow,
        Verb::Ask if count_truth(facts, call, cause, rule) == Truth::True => Level::Ask,
        Verb::Ask | Verb::Warn | Verb::Block | Verb::Modify | Verb::Redact => return None,
    };
    let adds = Some(Contribution { source: Cause::Rule(rule), level, unknown: false });
    Some(Weight { lets_through: true, adds })
}

/// The truth for everything but letting through: one spelling, one existing path in a tree is enough.
pub(super) fn count_truth(facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> Truth {
    let judged = |variant: &&PathVariant| variant.role != VariantRole::Region { grants_only: true };
    over_variants(facts, call, effect, rule, false, judged, Truth::False, Truth::or)
}

/// The truth for letting through: every spelling, everything in and possibly in a tree; no name set
/// for the command that the rule does not name; not after its last day.
pub(super) fn grant_truth(facts: &Facts<'_>, call: &Call, effect: &Effect, rule: &Rule) -> Truth {
    // A call without a day counts as later.
    if rule.until.is_some_and(|until| facts.today.is_none_or(|today| today > until)) {
        return Truth::False;
    }
    let truth = over_variants(facts, call, effect, rule, true, |_| true, Truth::True, Truth::and);
    if rule.looks_at_command && sets_unnamed(effect, rule) { truth.and(Truth::Unknown) } else { truth }
}

/// Whether the line sets a name for the command that no pattern of the rule names.
fn sets_unnamed(effect: &Effect, rule: &Rule) -> bool {
    let own = match &effect.resource {
        Resource::Command(command) => Some(command),
        Resource::None | Resource::Path(_) | Resource::Network(_) | Resource::Target(_) => {
            effect.via.as_ref()
        }
    };
    own.is_some_and(|command| command.env.iter().any(|name| !rule.assigned_names.contains(name)))
}

#[expect(clippy::too_many_arguments, reason = "the two callers differ in exactly these")]
fn over_variants(
    facts: &Facts<'_>,
    call: &Call,
    effect: &Effect,
    rule: &Rule,
    grant: bool,
    judged: impl Fn(&&PathVariant) -> bool,
    start: Truth,
    join: fn(Truth, Truth) -> Truth,
) -> Truth {
    let frame = Frame { facts, grant };
    let view = View { call, mode: call.context.mode.as_deref(), effect, variant: None, result: facts.result };
    match &effect.resource {
        Resource::Path(fact) if fact.unresolved.is_none() && !fact.variants.is_empty() => fact
            .variants
            .iter()
            .filter(judged)
            .map(|variant| evaluate(&rule.condition, View { variant: Some(variant), ..view }, frame))
            .fold(start, join),
        Resource::Path(_)
        | Resource::None
        | Resource::Command(_)
        | Resource::Network(_)
        | Resource::Target(_) => evaluate(&rule.condition, view, frame),
    }
}

/// `gate/self`: a write to what the gate loads or keeps (`gate.md`, section 7). Implied writes are not
/// judged by it: the grade says so.
fn self_protection<'p>(facts: &Facts<'_>, effect: &Effect) -> Option<Contribution<'p>> {
    if effect.capability != Capability::Write || facts.protected.is_empty() {
        return None;
    }
    let Resource::Path(fact) = &effect.resource else { return None };
    let own = |level, unknown| Contribution { source: Cause::Pseudo(pseudo::GATE_SELF), level, unknown };
    if fact.unresolved.is_some() {
        return Some(own(Level::Ask, true));
    }
    let mut found = None;
    for variant in &fact.variants {
        for protected in &facts.protected {
            let inside = super::eval::under(&variant.path, protected, fact.folding);
            let around = super::eval::under(protected, &variant.path, fact.folding);
            let level = match variant.role {
                _ if inside => Level::Block,
                // Taking a folder away takes what lies in it.
                VariantRole::Itself if around && effect.action == Some(crate::model::Action::Delete) => {
                    Level::Block
                }
                VariantRole::Region { .. } if around => Level::Ask,
                VariantRole::Itself | VariantRole::Region { .. } => continue,
            };
            found = found.max(Some(level));
        }
    }
    found.map(|level| own(level, level == Level::Ask))
}
