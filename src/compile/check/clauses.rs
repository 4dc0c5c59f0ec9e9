//! Which verb has which clause, and what stands at most once (`language.md`, section 5).

use crate::base::{Fix, Span, Spanned};
use crate::compile::program::Verb;
use crate::model::{Capability, CapabilitySet};
use crate::syntax::ast::{CapabilityWord, Clause, ClauseKind, LimitClause, ModifyClause, VerbWord};

use super::Checker;
use super::scope::{WrittenScope, capability_set};

impl Verb {
    /// The verb of a word.
    #[must_use]
    pub fn of_word(word: VerbWord) -> Self {
        match word {
            VerbWord::Allow => Self::Allow,
            VerbWord::Warn => Self::Warn,
            VerbWord::Ask => Self::Ask,
            VerbWord::Block => Self::Block,
            VerbWord::Modify => Self::Modify,
            VerbWord::Redact => Self::Redact,
        }
    }

    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Modify => "modify",
            Self::Redact => "redact",
        }
    }
}

/// The first words of a clause, for messages and for "at most once".
pub(super) fn clause_word(kind: &ClauseKind) -> &'static str {
    match kind {
        ClauseKind::On { .. } => "on",
        ClauseKind::When(_) => "when",
        ClauseKind::Unless(_) => "unless",
        ClauseKind::Because(_) => "because",
        ClauseKind::Fix(_) => "fix",
        ClauseKind::Covers(_) => "covers",
        ClauseKind::Limit(_) => "limit",
        ClauseKind::Approve { .. } => "approve",
        ClauseKind::Unknown(_) => "unknown",
        ClauseKind::Until(_) => "until",
        ClauseKind::Mark(_) => "mark",
        ClauseKind::Modify(clause) => match clause {
            ModifyClause::Set(..) => "set",
            ModifyClause::Fill(..) => "fill",
            ModifyClause::Clamp(..) => "clamp",
            ModifyClause::Remove(_) => "remove",
            ModifyClause::Append(..) | ModifyClause::AppendCommand(_) => "append",
            ModifyClause::Replace(..) => "replace",
        },
        ClauseKind::Redact { .. } => "replace",
        ClauseKind::Example(_) => "example",
    }
}

/// The verbs that have a clause.
fn verbs(kind: &ClauseKind) -> &'static [Verb] {
    use Verb::{Allow, Ask, Block, Modify, Redact, Warn};
    match kind {
        ClauseKind::On { result: true, .. } => &[Block, Redact],
        ClauseKind::On { .. }
        | ClauseKind::When(_)
        | ClauseKind::Unless(_)
        | ClauseKind::Because(_)
        | ClauseKind::Example(_) => &[Allow, Warn, Ask, Block, Modify, Redact],
        ClauseKind::Fix(_) => &[Block, Ask, Warn],
        ClauseKind::Covers(_) | ClauseKind::Limit(_) => &[Allow, Ask],
        ClauseKind::Approve { .. } => &[Ask],
        ClauseKind::Unknown(_) => &[Block, Modify],
        ClauseKind::Until(_) => &[Allow],
        ClauseKind::Mark(_) => &[Allow, Ask, Warn],
        ClauseKind::Modify(_) => &[Modify],
        ClauseKind::Redact { .. } => &[Redact],
    }
}

fn at_most_once(kind: &ClauseKind) -> bool {
    !matches!(
        kind,
        ClauseKind::Limit(_)
            | ClauseKind::Mark(_)
            | ClauseKind::Modify(_)
            | ClauseKind::Redact { .. }
            | ClauseKind::Example(_)
    )
}

impl Checker<'_> {
    /// Reports clauses that the verb does not have and those that stand twice; gives the others.
    pub(in crate::compile) fn fitting<'c>(&mut self, verb: Verb, clauses: &'c [Clause]) -> Vec<&'c Clause> {
        let mut fine: Vec<&Clause> = Vec::new();
        for clause in clauses {
            let word = clause_word(&clause.kind);
            if !verbs(&clause.kind).contains(&verb) {
                self.clause_verb(verb, word, clause);
                continue;
            }
            let first = fine.iter().find(|other| clause_word(&other.kind) == word).map(|other| other.span);
            match first {
                Some(first) if at_most_once(&clause.kind) => self.second(word, clause.span, first),
                _ => fine.push(clause),
            }
        }
        fine
    }

    fn clause_verb(&mut self, verb: Verb, word: &str, clause: &Clause) {
        let names: Vec<&str> = verbs(&clause.kind).iter().map(|verb| verb.as_str()).collect();
        let of = super::join_or(&names);
        let (code, message) = match &clause.kind {
            ClauseKind::On { .. } => {
                ("result-scope", format!("`on result of` is not for `{}` rules", verb.as_str()))
            }
            _ => ("clause-verb", format!("`{}` rules have no `{word}`", verb.as_str())),
        };
        let help = match (&clause.kind, verb) {
            (ClauseKind::On { .. }, _) => "write `on` without `result of`".to_owned(),
            (ClauseKind::Modify(ModifyClause::Replace(..)), Verb::Redact) => {
                "in a `redact` rule write `replace /…/ with \"…\"`, without an argument".to_owned()
            }
            (ClauseKind::Redact { .. }, Verb::Modify) => {
                "in a `modify` rule write `replace args.NAME matching /…/ with \"…\"`".to_owned()
            }
            (ClauseKind::Fix(_), _) => "put it into `because`".to_owned(),
            _ => "remove the clause, or use another verb".to_owned(),
        };
        let diagnostic =
            self.error(code, clause.span, message).expected(format!("{of} as the verb")).help(help);
        self.report.push(diagnostic);
    }

    fn second(&mut self, word: &str, span: Span, first: Span) {
        let help = match word {
            "when" => "join both by `and` in one `when`",
            "unless" => "join both by `or` in one `unless`",
            "on" => "write one `on`, or a second rule",
            _ => "keep one of them",
        };
        let diagnostic = self
            .error("duplicate-clause", span, format!("`{word}` stands twice in one rule"))
            .help(help)
            .label(self.file, first, "the first one");
        self.report.push(diagnostic);
    }

    /// Reports a rule without `on`.
    pub(in crate::compile) fn no_scope(&mut self, name: Span, item: Span, verb: Verb) {
        let code = "missing-scope";
        let place = self.text(item).find('{').map(|at| {
            let at = item.start as usize + at + 1;
            Span::new(at, at)
        });
        let on = if verb == Verb::Redact { "on result of any" } else { "on any" };
        let mut diagnostic = self
            .error(code, name, "the rule does not say what it is on")
            .expected("`on` with capabilities, such as `on read, write`")
            .help(format!("write `{on}` for every effect"));
        if let Some(place) = place {
            diagnostic = diagnostic.fix(Fix::suggest(place, format!(" {on}")));
        }
        self.report.push(diagnostic);
    }

    /// `redact` is on results.
    pub(in crate::compile) fn redact_scope(&mut self, capabilities: Span) {
        let start = Span { start: capabilities.start, end: capabilities.start };
        let diagnostic = self
            .error("redact-scope", capabilities, "a `redact` rule is about results")
            .expected("`on result of`")
            .fix(Fix::replace(start, "result of "));
        self.report.push(diagnostic);
    }

    /// `covers`: only implied effects, only beside `on exec`.
    pub(in crate::compile) fn covers(
        &mut self,
        span: Span,
        words: &[Spanned<CapabilityWord>],
        scope: &WrittenScope,
    ) -> CapabilitySet {
        let exec = CapabilitySet::EMPTY.with(Capability::Exec);
        if !scope.scope.capabilities.is_empty() && scope.scope.capabilities != exec {
            let diagnostic = self
                .error(
                    "covers-scope",
                    span,
                    "`covers` is about what commands do, and the rule is not `on exec` alone",
                )
                .expected("`on exec`")
                .help("give the commands a rule of their own");
            self.report.push(diagnostic);
        }
        let mut set = CapabilitySet::EMPTY;
        for word in words {
            let one = capability_set(word.node);
            if matches!(word.node, CapabilityWord::Read | CapabilityWord::Write | CapabilityWord::Network) {
                if !set.intersection(one).is_empty() {
                    let message = format!("`{}` stands twice", self.text(word.span));
                    let diagnostic =
                        self.error("duplicate-capability", word.span, message).help("remove the second one");
                    self.report.push(diagnostic);
                }
                set = set.union(one);
                continue;
            }
            let message = format!("no command implies `{}`", self.text(word.span));
            let diagnostic =
                self.error("covers-what", word.span, message).expected("`read`, `write` or `network`");
            self.report.push(diagnostic);
        }
        set
    }

    /// A limit of nothing lets nothing through and is written as a `block`.
    pub(in crate::compile) fn limit(&mut self, limit: &LimitClause, span: Span) -> bool {
        let zero = match limit {
            LimitClause::Time(n) | LimitClause::Output(n) => n.node == 0,
            LimitClause::Calls { max, per_ms } => max.node == 0 || *per_ms == Some(0),
            LimitClause::Grade(_) => false,
        };
        if zero {
            self.zero(span, "a limit of zero lets nothing through");
        }
        !zero
    }

    /// Reports a zero where something positive belongs.
    pub(in crate::compile) fn zero(&mut self, span: Span, message: &str) {
        let diagnostic = self
            .error("zero-limit", span, message)
            .expected("more than zero")
            .help("to stop calls write a `block` rule");
        self.report.push(diagnostic);
    }
}
