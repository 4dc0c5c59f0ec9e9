//! Rules and invariants.

use std::sync::Arc;

use crate::base::{FileId, Sources, Span};
use crate::compile::check::modify::{PlacedEdit, condition_key};
use crate::compile::check::scope::WrittenScope;
use crate::compile::check::{Checker, Lowered, Use};
use crate::compile::expr::{AtomKind, CommandPart, Expr, Subject, Test};
use crate::compile::program::{Invariant, Limits, Rule, Scope, Verb};
use crate::compile::resolve::Declared;
use crate::model::CapabilitySet;
use crate::model::verdict::Grade;
use crate::syntax::ast::{self, ClauseKind, GradeWord, LimitClause, ModifyClause, Step};

/// A rule with what the checks of its layer still need.
pub(in crate::compile) struct LoweredRule {
    pub(in crate::compile) rule: Rule,
    pub(in crate::compile) edits: Vec<PlacedEdit>,
    /// It looks at `ip`, in its condition or its text.
    pub(in crate::compile) looks_at_ip: bool,
}

/// What is gathered while the clauses of a rule are read.
struct Draft {
    rule: Rule,
    when: Option<Lowered>,
    unless: Option<Lowered>,
    uses: Vec<Use>,
    scope: Option<WrittenScope>,
    spans: Vec<Span>,
    places: Vec<(Vec<Step>, Span)>,
    fine: bool,
}

impl Draft {
    /// Keeps a value, or notes that something was refused.
    fn keep<T>(&mut self, value: Option<T>) -> Option<T> {
        self.fine &= value.is_some();
        value
    }
}

fn is_example(clause: &ast::Clause) -> bool {
    matches!(clause.kind, ClauseKind::Example(_))
}

/// `FILE:LINE:COLUMN`.
pub(in crate::compile) fn at(sources: &Sources, file: FileId, span: Span) -> String {
    sources.get(file).map_or_else(String::new, |source| {
        let place = source.place(span.start);
        format!("{}:{}:{}", source.name, place.line, place.column)
    })
}

impl Checker<'_> {
    /// Understands a rule; `None` where something in it was refused.
    pub(in crate::compile) fn rule(&mut self, declared: &Declared<'_, ast::Rule>) -> Option<LoweredRule> {
        let node = declared.node;
        self.file = declared.file;
        let verb = Verb::of_word(node.verb.node);
        let (owner, severity) = self.attributes(declared.item);
        let mut draft = Draft {
            rule: self.blank(declared, verb, owner, severity),
            when: Some(Lowered::truth()),
            unless: None,
            uses: Vec::new(),
            scope: None,
            spans: Vec::new(),
            places: Vec::new(),
            fine: true,
        };
        let clauses = self.fitting(verb, &node.clauses);
        draft.fine &= clauses.len() == node.clauses.len();
        self.on(&mut draft, declared, &clauses);
        // The examples of a pack are about the pack alone: whoever imports it may have other tools and modes.
        let in_pack = declared.path.is_none();
        for clause in clauses.iter().filter(|clause| !(in_pack && is_example(clause))) {
            self.clause(&mut draft, verb, clause);
        }
        self.bodies(&draft, declared, verb);
        self.finish(draft)
    }

    fn blank(
        &self,
        declared: &Declared<'_, ast::Rule>,
        verb: Verb,
        owner: Option<String>,
        severity: Option<String>,
    ) -> Rule {
        Rule {
            full_name: Arc::from(format!("{}/{}", self.names.name, declared.node.name.node)),
            verb,
            scope: Scope { capabilities: CapabilitySet::EMPTY, tools: Vec::new(), result: false },
            condition: Expr::All(Vec::new()),
            because: None,
            fix: None,
            covers: CapabilitySet::EMPTY,
            limits: Limits::default(),
            approve: None,
            unknown: self.names.unknown_word(),
            until: None,
            marks: Vec::new(),
            edits: Vec::new(),
            redactions: Vec::new(),
            looks_at_command: false,
            assigned_names: Vec::new(),
            at: at(self.sources, declared.file, declared.item.span),
            docs: declared.item.docs.iter().map(|line| line.node.clone()).collect(),
            owner,
            severity,
            examples: Vec::new(),
        }
    }

    fn on(&mut self, draft: &mut Draft, declared: &Declared<'_, ast::Rule>, clauses: &[&ast::Clause]) {
        let verb = draft.rule.verb;
        for clause in clauses {
            if let ClauseKind::On { result, capabilities, by } = &clause.kind {
                let written = self.scope(*result, capabilities, by);
                draft.rule.scope = written.scope.clone();
                draft.scope = Some(written);
            }
        }
        match &draft.scope {
            None => {
                draft.fine = false;
                let refused =
                    declared.node.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::On { .. }));
                if !refused {
                    self.no_scope(declared.node.name.span, declared.item.span, verb);
                }
            }
            Some(written) if verb == Verb::Redact && !written.scope.result => {
                self.redact_scope(written.capabilities);
                draft.fine = false;
            }
            Some(_) => {}
        }
    }

    fn clause(&mut self, draft: &mut Draft, verb: Verb, clause: &ast::Clause) {
        match &clause.kind {
            ClauseKind::On { .. } => {}
            ClauseKind::When(condition) => {
                let lowered = self.condition(condition);
                draft.when = draft.keep(lowered);
            }
            ClauseKind::Unless(condition) => {
                let lowered = self.condition(condition);
                draft.unless = draft.keep(lowered).map(Lowered::negated);
            }
            ClauseKind::Because(text) => {
                let template = self.template(text, &mut draft.uses);
                draft.rule.because = draft.keep(template);
            }
            ClauseKind::Fix(text) => draft.rule.fix = Some(text.node.clone()),
            ClauseKind::Covers(words) => {
                if let Some(scope) = &draft.scope {
                    draft.rule.covers = self.covers(clause.span, words, scope);
                }
            }
            ClauseKind::Limit(limit) => {
                if self.limit(limit, clause.span) {
                    combine(&mut draft.rule.limits, limit);
                }
            }
            ClauseKind::Approve { alike, reach } => {
                if *reach == ast::ApproveReach::Ms(0) {
                    self.zero(clause.span, "an approval for no time approves nothing");
                }
                draft.rule.approve = Some((*reach, *alike));
            }
            ClauseKind::Unknown(word) => draft.rule.unknown = word.node,
            ClauseKind::Until(day) => draft.rule.until = Some(day.node),
            ClauseKind::Mark(name) => {
                let label = self.label(name.span, &name.node);
                let label = draft.keep(label);
                draft.rule.marks.extend(label);
            }
            ClauseKind::Modify(edit) => self.edit_clause(draft, edit, clause.span),
            ClauseKind::Redact { pattern, with } => {
                let redaction = self.redaction(pattern.as_ref(), with);
                let redaction = draft.keep(redaction);
                draft.rule.redactions.extend(redaction);
            }
            ClauseKind::Example(example) => {
                let result = draft.rule.scope.result;
                let example = self.example(verb, result, example, clause.span);
                let example = draft.keep(example);
                draft.rule.examples.extend(example);
            }
        }
    }

    fn edit_clause(&mut self, draft: &mut Draft, edit: &ModifyClause, span: Span) {
        let scope = draft.scope.as_ref().map(|written| written.scope.capabilities);
        let lowered = self.edit(edit, scope, span);
        let Some(lowered) = draft.keep(lowered) else { return };
        if let ModifyClause::Set(place, _)
        | ModifyClause::Fill(place, _)
        | ModifyClause::Clamp(place, ..)
        | ModifyClause::Remove(place)
        | ModifyClause::Append(place, _)
        | ModifyClause::Replace(place, ..) = edit
        {
            draft.places.push((place.path.clone(), place.span));
        }
        draft.rule.edits.push(lowered);
        draft.spans.push(span);
    }

    /// `modify` and `redact` rules say what they rewrite.
    fn bodies(&mut self, draft: &Draft, declared: &Declared<'_, ast::Rule>, verb: Verb) {
        let has =
            |wanted: fn(&ClauseKind) -> bool| declared.node.clauses.iter().any(|clause| wanted(&clause.kind));
        let (code, message, expected) = match verb {
            Verb::Modify if !has(|kind| matches!(kind, ClauseKind::Modify(_))) => (
                "modify-without-edit",
                "the rule rewrites nothing",
                "`set`, `fill`, `clamp`, `remove`, `append` or `replace`",
            ),
            Verb::Redact if !has(|kind| matches!(kind, ClauseKind::Redact { .. })) => (
                "redact-without-replace",
                "the rule replaces nothing",
                "`replace secrets with \"…\"` or `replace /…/ with \"…\"`",
            ),
            _ => return,
        };
        if !draft.fine {
            return;
        }
        let diagnostic = self.error(code, declared.node.name.span, message).expected(expected);
        self.report.push(diagnostic);
    }

    fn finish(&mut self, draft: Draft) -> Option<LoweredRule> {
        let Draft { mut rule, when, unless, mut uses, scope, spans, places, fine } = draft;
        for lowered in [&when, &unless].into_iter().flatten() {
            uses.extend(lowered.uses.iter().cloned());
        }
        if let Some(written) = &scope {
            let word = if written.scope.result { "on result of" } else { "on" };
            self.carried(written, &uses, word);
            self.arguments(&written.scope, &uses, &places);
        }
        let mut condition = when?;
        if let Some(unless) = unless {
            condition = condition.and(unless);
        }
        if !fine {
            return None;
        }
        rule.looks_at_command = condition
            .uses
            .iter()
            .any(|used| matches!(used.subject.base(), Subject::Command(_) | Subject::Via(_)));
        rule.condition = condition.expr;
        rule.assigned_names = assigned_names(&rule.condition);
        rule.marks.sort();
        rule.marks.dedup();
        let looks_at_ip = uses.iter().any(|used| *used.subject.base() == Subject::Ip);
        let key = condition_key(&rule.condition);
        let edits = rule
            .edits
            .iter()
            .zip(spans)
            .map(|(edit, span)| PlacedEdit {
                rule: rule.full_name.to_string(),
                file: self.file,
                span,
                edit: edit.clone(),
                scope: rule.scope.clone(),
                condition: key.clone(),
            })
            .collect();
        Some(LoweredRule { rule, edits, looks_at_ip })
    }

    /// `@owner` and `@severity`.
    fn attributes(&mut self, item: &ast::Item) -> (Option<String>, Option<String>) {
        const SEVERITIES: [&str; 4] = ["low", "medium", "high", "critical"];
        let (mut owner, mut severity) = (None, None);
        for attribute in &item.attributes {
            let slot = match attribute.name.node.as_str() {
                "owner" => &mut owner,
                "severity" => &mut severity,
                other => {
                    let near = crate::base::suggest::nearest(other, ["owner", "severity"]);
                    let mut diagnostic = self
                        .error("unknown-attribute", attribute.name.span, format!("there is no `@{other}`"))
                        .expected("`@owner \"TEAM\"` or `@severity low|medium|high|critical`");
                    if let Some(near) = near {
                        diagnostic = diagnostic.help(format!("did you mean `@{near}`?"));
                    }
                    self.report.push(diagnostic);
                    continue;
                }
            };
            if slot.is_some() {
                let message = format!("`@{}` stands twice", attribute.name.node);
                let diagnostic =
                    self.error("duplicate-attribute", attribute.span, message).help("keep one of them");
                self.report.push(diagnostic);
                continue;
            }
            *slot = Some(attribute.value.node.clone());
            if attribute.name.node == "severity" && !SEVERITIES.contains(&attribute.value.node.as_str()) {
                let message = format!("`{}` is not a severity", attribute.value.node);
                let diagnostic = self
                    .error("unknown-severity", attribute.value.span, message)
                    .expected(super::super::check::one_of(&SEVERITIES));
                self.report.push(diagnostic);
            }
        }
        (owner, severity)
    }

    /// Understands an invariant, and says whether it looks at `ip`.
    pub(in crate::compile) fn invariant(
        &mut self,
        declared: &Declared<'_, ast::Invariant>,
    ) -> Option<(Invariant, bool)> {
        let node = declared.node;
        self.file = declared.file;
        let written = self.scope(false, &node.never, &node.by);
        let condition = match &node.when {
            Some(when) => self.condition(when)?,
            None => Lowered::truth(),
        };
        self.carried(&written, &condition.uses, "never");
        self.arguments(&written.scope, &condition.uses, &[]);
        let looks_at_ip = condition.uses.iter().any(|used| *used.subject.base() == Subject::Ip);
        let invariant = Invariant {
            name: format!("{}/{}", self.names.name, node.name.node),
            scope: written.scope,
            condition: condition.expr,
            at: at(self.sources, declared.file, declared.item.span),
        };
        Some((invariant, looks_at_ip))
    }
}

/// Takes one limit in: the smallest of each kind, every limit of calls.
fn combine(limits: &mut Limits, limit: &LimitClause) {
    let smaller = |old: Option<u64>, new: u64| Some(old.map_or(new, |old| old.min(new)));
    match limit {
        LimitClause::Time(ms) => limits.time_ms = smaller(limits.time_ms, ms.node),
        LimitClause::Output(bytes) => limits.output_bytes = smaller(limits.output_bytes, bytes.node),
        LimitClause::Calls { max, per_ms } => {
            let one = (max.node, *per_ms);
            if !limits.calls.contains(&one) {
                limits.calls.push(one);
            }
        }
        LimitClause::Grade(word) => {
            let grade = match word.node {
                GradeWord::Held => Grade::Held,
                GradeWord::Confined => Grade::Confined,
            };
            limits.grade = Some(limits.grade.map_or(grade, |old| old.max(grade)));
        }
    }
}

/// Calls `each` on every test of a condition, with its field.
pub(in crate::compile) fn walk(expr: &Expr, each: &mut dyn FnMut(&Subject, &Test)) {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().for_each(|part| walk(part, each)),
        Expr::Atom(atom) => match &atom.kind {
            AtomKind::Test { subject, test } | AtomKind::Quantified { subject, test, .. } => {
                each(subject, test)
            }
            AtomKind::SessionHas(_) => {}
        },
    }
}

/// The names that the command patterns of a condition set, sorted. `via` names a cause, not the
/// command that a grant is about.
fn assigned_names(expr: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    walk(expr, &mut |subject, test| {
        if let (Subject::Command(CommandPart::Whole), Test::Commands(patterns)) = (subject, test) {
            names.extend(patterns.iter().flat_map(|p| p.assignments.iter().map(|(name, _)| name.clone())));
        }
    });
    names.sort();
    names.dedup();
    names
}
