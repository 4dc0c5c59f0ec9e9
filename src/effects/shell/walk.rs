//! Walks a parsed line with the state that will hold, and notes what each command does.

use std::rc::Rc;
use std::sync::Arc;

use super::CommandLine;
use super::ast::{
    Chain, Command as Tree, Joint, Kind, List, Pipeline, RawWord, Redirect, RedirectOp, Unparsed,
};
use super::budget::Budget;
use super::expand::Field;
use super::scope::{Flow, Scope, Value, merge};
use super::simple::Invocation;
use crate::base::limits::EFFECTS_PER_CALL_MAX;
use crate::effects::World;
use crate::model::command::Command;
use crate::model::{Action, Demand, Effect};

/// Walks of loop bodies that are followed value by value.
const UNROLLED_MAX: usize = 16;

/// Lists in lists that are walked, function calls and embedded lines included: bounds the stack.
const DEPTH_MAX: usize = 64;

/// Where a command's standard input comes from.
#[derive(Debug, Clone, Default)]
pub enum Stdin {
    /// From whoever started the line.
    #[default]
    Inherit,
    /// From a pipe, or a file.
    RunTime,
    /// A text on the line; `None` where it is not wholly known.
    Text(Option<String>),
}

/// The state of a walk.
pub struct Walker<'a> {
    pub(super) world: &'a dyn World,
    pub(super) demand: &'a Demand,
    pub(super) line: &'a CommandLine<'a>,
    pub(super) budget: Budget,
    pub(super) effects: Vec<Effect>,
    /// Reasons why the command whose words are being expanded is opaque.
    pub(super) hidden: Vec<String>,
    /// Words stand in the argument at their own offsets.
    pub(super) in_place: bool,
    pub(super) stdin: Stdin,
    /// Something in the line may have changed files before this point.
    pub(super) changed: bool,
    /// The same before the command at hand.
    pub(super) changed_before: bool,
    /// The reserved word `time` and the like around the command.
    pub(super) around: Vec<String>,
    /// Names of functions whose bodies are being walked.
    pub(super) calls: Vec<String>,
    /// Functions that were called.
    pub(super) called: std::collections::BTreeSet<String>,
    /// All functions that were defined, with the state at that point.
    pub(super) defined: Vec<(String, Rc<Tree>, Scope)>,
    /// Names that evaluate what is assigned to them.
    pub(super) integers: std::collections::BTreeSet<String>,
    /// The line was made opaque for a value in it.
    pub(super) guarded: bool,
    unrolled: usize,
    conditional: usize,
    depth: usize,
}

impl<'a> Walker<'a> {
    /// A walker at the beginning of a line.
    pub fn new(line: &'a CommandLine<'a>, world: &'a dyn World, demand: &'a Demand, budget: Budget) -> Self {
        Self {
            world,
            demand,
            line,
            budget,
            effects: Vec::new(),
            hidden: Vec::new(),
            in_place: true,
            stdin: Stdin::Inherit,
            changed: false,
            changed_before: false,
            around: Vec::new(),
            calls: Vec::new(),
            called: std::collections::BTreeSet::new(),
            defined: Vec::new(),
            integers: std::collections::BTreeSet::new(),
            guarded: false,
            unrolled: 1,
            conditional: 0,
            depth: 0,
        }
    }

    /// Whether there are more effects than a call may have, so that the rest does not matter.
    pub(super) fn is_full(&self) -> bool {
        self.effects.len() > EFFECTS_PER_CALL_MAX
    }

    /// Walks a whole line.
    pub fn line(&mut self, list: &List, scope: Scope) {
        self.list(list, scope);
        let mut at = 0;
        while let Some((name, body, scope)) = self.defined.get(at).cloned() {
            at += 1;
            if at > UNROLLED_MAX * UNROLLED_MAX || self.is_full() {
                self.opaque_line("too many functions");
                return;
            }
            if self.called.contains(&name) {
                continue;
            }
            // Never called by that name in this line: still judged, its arguments unknown.
            let mut scope = scope;
            scope.lose_all();
            self.calls.push(name);
            self.command(&body, scope);
            self.calls.pop();
        }
    }

    /// Walks a list; the state is that behind the last command.
    pub(super) fn list(&mut self, list: &List, scope: Scope) -> Flow {
        self.depth += 1;
        let flow = if self.depth > DEPTH_MAX {
            self.opaque_line("the line nests too deep to follow");
            Flow::either(scope)
        } else {
            self.chains(list, scope)
        };
        self.depth -= 1;
        flow
    }

    fn chains(&mut self, list: &List, scope: Scope) -> Flow {
        let mut scope = scope;
        let mut flow = Flow::sure(scope.clone());
        for (at, chain) in list.chains.iter().enumerate() {
            if self.is_full() {
                break;
            }
            if at > 0 {
                let exits = scope.errexit && self.conditional == 0;
                let next = if exits && flow.ok.is_some() { flow.ok.take() } else { flow.after() };
                scope = next.unwrap_or(scope);
            }
            flow = self.chain(chain, scope.clone());
            if chain.background {
                flow = Flow::sure(scope.clone());
            }
        }
        flow
    }

    fn chain(&mut self, chain: &Chain, scope: Scope) -> Flow {
        let guarded = usize::from(!chain.rest.is_empty());
        self.conditional += guarded;
        let mut flow = self.pipeline(&chain.first, scope.clone());
        for (joint, pipeline) in &chain.rest {
            let before = match joint {
                Joint::And => flow.ok.take(),
                Joint::Or => flow.failed.take(),
            };
            // Where the left side cannot end so, the right one is still judged, in the state at hand.
            let reached = before.is_some();
            let right = self.pipeline(pipeline, before.unwrap_or_else(|| scope.clone()));
            let right = if reached { right } else { Flow { ok: None, failed: None } };
            flow = match joint {
                Joint::And => Flow { ok: right.ok, failed: merge(flow.failed, right.failed) },
                Joint::Or => Flow { ok: merge(flow.ok, right.ok), failed: right.failed },
            };
        }
        self.conditional -= guarded;
        flow
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: Scope) -> Flow {
        let around = self.around.len();
        if pipeline.timed {
            self.around.push("time".to_owned());
        }
        self.conditional += usize::from(pipeline.negated);
        let flow = match pipeline.stages.as_slice() {
            [] => Flow::either(scope),
            [only] => self.command(only, scope),
            stages => {
                let outer = self.stdin.clone();
                for (at, stage) in stages.iter().enumerate() {
                    if at > 0 {
                        self.stdin = Stdin::RunTime;
                    }
                    self.command(stage, scope.clone());
                }
                self.stdin = outer;
                Flow::either(scope)
            }
        };
        self.conditional -= usize::from(pipeline.negated);
        self.around.truncate(around);
        if pipeline.negated { Flow { ok: flow.failed, failed: flow.ok } } else { flow }
    }

    /// Walks commands whose state is lost behind them.
    pub(super) fn subshell(&mut self, list: &List, scope: &Scope, stdin: Stdin) {
        let outer = if matches!(stdin, Stdin::Inherit) {
            self.stdin.clone()
        } else {
            std::mem::replace(&mut self.stdin, stdin)
        };
        let hidden = std::mem::take(&mut self.hidden);
        let around = std::mem::take(&mut self.around);
        self.list(list, scope.clone());
        self.around = around;
        self.hidden = hidden;
        self.stdin = outer;
    }

    pub(super) fn command(&mut self, tree: &Tree, scope: Scope) -> Flow {
        if let Kind::Simple(simple) = &tree.kind {
            return self.simple(simple, &tree.redirects, scope);
        }
        let mut scope = scope;
        let outer = self.stdin.clone();
        let base = scope.clone();
        for redirect in &tree.redirects {
            if let Some((field, actions)) = self.redirect(redirect, &mut scope) {
                self.redirect_effects(&field, actions, &base, None);
            }
        }
        self.report_hidden(&scope);
        let flow = self.compound(&tree.kind, scope);
        self.stdin = outer;
        flow
    }

    fn compound(&mut self, kind: &Kind, scope: Scope) -> Flow {
        let mut scope = scope;
        match kind {
            Kind::Simple(_) => Flow::either(scope),
            Kind::Group(list) => self.list(list, scope),
            Kind::Subshell(list) => {
                self.list(list, scope.clone());
                Flow::either(scope)
            }
            Kind::If(branches, otherwise) => self.conditional(branches, otherwise.as_ref(), scope),
            Kind::Loop { condition, body } => {
                self.havoc(condition, &mut scope);
                self.havoc(body, &mut scope);
                self.changed = true;
                self.conditional += 1;
                let tested = self.list(condition, scope.clone());
                self.conditional -= 1;
                let inside = self.list(body, tested.ok.clone().unwrap_or_else(|| scope.clone()));
                let behind = merge(tested.after(), inside.after());
                Flow::either(behind.unwrap_or(scope))
            }
            Kind::For { name, words, body, select } => {
                self.for_loop(name, words.as_deref(), body, *select, scope)
            }
            Kind::ForArith { parts, body } => {
                self.havoc(body, &mut scope);
                self.scan(parts, &mut scope);
                self.report_hidden(&scope);
                self.changed = true;
                let inside = self.list(body, scope.clone());
                Flow::either(merge(Some(scope.clone()), inside.after()).unwrap_or(scope))
            }
            Kind::Case { words, bodies } => {
                for word in words {
                    self.expand_one(word, &mut scope);
                }
                self.report_hidden(&scope);
                let mut behind = Some(scope.clone());
                for body in bodies {
                    // `;&` may come from the body before.
                    let before = behind.clone().unwrap_or_else(|| scope.clone());
                    let flow = self.list(body, before);
                    behind = merge(behind, flow.after());
                }
                Flow::either(behind.unwrap_or(scope))
            }
            Kind::Arith(parts) => {
                self.scan(parts, &mut scope);
                self.report_hidden(&scope);
                Flow::either(scope)
            }
            Kind::Test(words) => {
                self.test(words, &mut scope);
                Flow::either(scope)
            }
            Kind::Function { name, body } => {
                Rc::make_mut(&mut scope.functions).insert(name.clone(), Rc::clone(body));
                if self.defined.len() < UNROLLED_MAX * UNROLLED_MAX {
                    self.defined.push((name.clone(), Rc::clone(body), scope.clone()));
                } else {
                    self.opaque_line("too many functions");
                }
                Flow::sure(scope)
            }
        }
    }

    fn test(&mut self, words: &[RawWord], scope: &mut Scope) {
        let compares = |at: Option<usize>| {
            let word = at.and_then(|at| words.get(at)).and_then(RawWord::bare);
            matches!(word, Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"))
        };
        for (at, word) in words.iter().enumerate() {
            self.expand_one(word, scope);
            let before = at.checked_sub(1);
            let named = before.and_then(|b| words.get(b)).and_then(RawWord::bare) == Some("-v");
            if !named && !compares(before) && !compares(at.checked_add(1)) {
                continue;
            }
            self.evaluated(&word.parts, scope);
            let subscript = |part: &super::ast::Part| match part {
                super::ast::Part::Bare(text) | super::ast::Part::Quoted(text) => text.contains('['),
                _ => false,
            };
            if word.parts.iter().any(subscript) {
                self.hidden.push("a subscript in `[[ … ]]`".to_owned());
            }
        }
        self.report_hidden(scope);
    }

    fn conditional(&mut self, branches: &[(List, List)], otherwise: Option<&List>, scope: Scope) -> Flow {
        let mut behind: Option<Scope> = None;
        let mut next = Some(scope.clone());
        for (condition, body) in branches {
            let before = next.take().unwrap_or_else(|| scope.clone());
            self.conditional += 1;
            let tested = self.list(condition, before.clone());
            self.conditional -= 1;
            let inside = self.list(body, tested.ok.unwrap_or(before));
            behind = merge(behind, inside.after());
            next = tested.failed;
        }
        match otherwise {
            Some(body) => {
                let flow = self.list(body, next.unwrap_or_else(|| scope.clone()));
                behind = merge(behind, flow.after());
            }
            None => behind = merge(behind, next),
        }
        behind.map_or(Flow { ok: None, failed: None }, Flow::either)
    }

    fn for_loop(
        &mut self,
        name: &str,
        words: Option<&[RawWord]>,
        body: &List,
        select: bool,
        scope: Scope,
    ) -> Flow {
        let mut scope = scope;
        let values: Option<Vec<Value>> = match words {
            Some(words) => {
                let mut fields: Vec<Field> = Vec::new();
                for word in words {
                    fields.extend(self.expand(word, &mut scope, false));
                }
                Some(fields.into_iter().map(field_value).collect())
            }
            None => scope.positional.as_deref().cloned(),
        };
        self.report_hidden(&scope);
        for value in values.iter().flatten() {
            self.guard(name, value);
        }
        self.havoc(body, &mut scope);
        self.changed = true;
        let numeric = words.is_some_and(|w| w.iter().all(|w| counts(w) || self.word_is_number(w, &scope)));
        let rounds = match values {
            Some(values) if !select && self.unrolled.saturating_mul(values.len()) <= UNROLLED_MAX => values,
            _ if numeric => vec![Value::number()],
            _ => vec![Value::unknown()],
        };
        let used = super::havoc::uses(body, name);
        let outer = self.unrolled;
        self.unrolled = outer.saturating_mul(rounds.len().max(1));
        let mut behind = scope.clone();
        for (at, value) in rounds.into_iter().enumerate() {
            if at > 0 && !used || self.is_full() {
                break;
            }
            let value = if numeric && value.text().is_none() { Value::number() } else { value };
            let mut inside = scope.clone();
            self.assign(name, value, &mut inside);
            if let Some(after) = self.list(body, inside).after() {
                behind = behind.merge(after);
            }
        }
        self.unrolled = outer;
        Flow::either(behind)
    }

    /// What a redirection opens, and with which actions. Sets the standard input.
    pub(super) fn redirect(
        &mut self,
        redirect: &Redirect,
        scope: &mut Scope,
    ) -> Option<(Field, &'static [Action])> {
        if let Some(fd) = redirect.fd.as_deref().and_then(|fd| fd.strip_prefix('{')) {
            self.assign(fd.trim_end_matches('}'), Value::number(), scope);
        }
        let is_stdin = redirect.fd.as_deref().is_none_or(|fd| fd == "0");
        match redirect.op {
            RedirectOp::Document => {
                let document = redirect.document.as_ref().and_then(|slot| slot.get())?;
                let raw = RawWord { parts: document.parts.clone(), end: 0 };
                let was = std::mem::replace(&mut self.in_place, false);
                let field = self.expand_one(&raw, scope);
                self.in_place = was;
                if is_stdin {
                    self.stdin = Stdin::Text(field.text().map(str::to_owned));
                }
                None
            }
            RedirectOp::Text => {
                let field = self.expand_one(&redirect.target, scope);
                if is_stdin {
                    self.stdin = Stdin::Text(field.text().map(|t| format!("{t}\n")));
                }
                None
            }
            op => {
                let field = self.redirect_target(&redirect.target, scope);
                let actions: &'static [Action] = match op {
                    RedirectOp::Read | RedirectOp::DupIn => &[Action::Read],
                    RedirectOp::ReadWrite => &[Action::Read, Action::Change],
                    _ => &[Action::Change],
                };
                if is_stdin && actions.first() == Some(&Action::Read) {
                    self.stdin = Stdin::RunTime;
                }
                let duplicates = matches!(op, RedirectOp::DupIn | RedirectOp::DupOut);
                let is_fd = |t: &str| {
                    let digits = t.trim_end_matches('-');
                    digits.bytes().all(|b| b.is_ascii_digit())
                };
                if duplicates && field.text().is_some_and(is_fd) { None } else { Some((field, actions)) }
            }
        }
    }

    fn redirect_target(&mut self, raw: &RawWord, scope: &mut Scope) -> Field {
        let mut fields = self.expand(raw, scope, false);
        match (fields.pop(), fields.is_empty()) {
            (Some(field), true) => field,
            _ => Field { word: crate::model::Word::unknown(), origin: None, end: None },
        }
    }

    /// Redirections of a command as effects.
    pub(super) fn redirect_effects(
        &mut self,
        field: &Field,
        actions: &[Action],
        scope: &Scope,
        cause: Option<(usize, Arc<Command>)>,
    ) {
        let from = match &cause {
            Some((_, command)) => format!("redirection of `{}`", command.program().unwrap_or("…")),
            None => "redirection".to_owned(),
        };
        if let Some(network) = field.text().and_then(super::resources::device_address) {
            self.connect(&network, None, &cause, &from);
            return;
        }
        for action in actions {
            self.path_effect(field, *action, false, scope, &cause, &from);
        }
    }

    /// Notes what made the expansion of other words than a command's own opaque.
    pub(super) fn report_hidden(&mut self, scope: &Scope) {
        if let Some(reason) = self.hidden.pop() {
            self.hidden.clear();
            self.opaque_command(Invocation::default(), reason, scope);
        }
    }

    /// Makes the whole line opaque.
    pub(super) fn opaque_line(&mut self, reason: &str) {
        let invocation =
            Invocation { fields: vec![Field::known(self.line.shown())], ..Invocation::default() };
        self.opaque_command(invocation, reason.to_owned(), &Scope::new(None));
    }

    /// Makes the whole line opaque because it was not parsed.
    pub fn unparsed(&mut self, unparsed: &Unparsed) {
        self.opaque_line(&unparsed.reason);
    }
}

/// The value that a word gives to a variable.
pub fn field_value(field: Field) -> Value {
    Value { pieces: field.word.pieces, origin: field.origin, numeric: false }
}

/// Whether a word of a `for` is a number.
fn counts(word: &RawWord) -> bool {
    word.bare().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()))
}
