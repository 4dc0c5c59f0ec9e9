//! The clauses of rules.

use super::name::Kind;
use super::{Built, Tree, child, has};
use crate::base::{Fix, Spanned};
use crate::syntax::ast::{
    ApproveReach, ArgPlace, Clause, ClauseKind, Example, GradeWord, LimitClause, ModifyClause, Step,
    ValueKind,
};
use crate::syntax::grammar::{Node, Rule};
use crate::syntax::literal;

const DURATION: &str = "a duration such as `30s`, `15m`, `2h` or `7d`";

fn duration(value: ValueKind) -> Option<u64> {
    if let ValueKind::Duration(ms) = value { Some(ms) } else { None }
}

fn count(value: ValueKind) -> Option<u64> {
    if let ValueKind::Number(text) = value { text.parse().ok() } else { None }
}

fn any_number(value: ValueKind) -> Option<String> {
    if let ValueKind::Number(text) = value { Some(text) } else { None }
}

impl<'a> Tree<'a> {
    pub(super) fn clause(&self, node: &Node<'a>) -> Built<Clause> {
        let Some(inner) = node.clone().into_inner().next() else { return self.odd(node) };
        let condition = || self.condition(&self.child(&inner, Rule::condition)?);
        let text = || self.text(&self.child(&inner, Rule::string)?);
        let kind = match inner.as_rule() {
            Rule::on => ClauseKind::On {
                result: has(&inner, Rule::result_of),
                capabilities: self.capabilities(&inner, true)?,
                by: self.by(&inner)?,
            },
            Rule::when => ClauseKind::When(condition()?),
            Rule::unless => ClauseKind::Unless(condition()?),
            Rule::because => ClauseKind::Because(text()?),
            Rule::fix => ClauseKind::Fix(text()?),
            Rule::covers => ClauseKind::Covers(self.capabilities(&inner, false)?),
            Rule::limit => ClauseKind::Limit(self.limit(&inner)?),
            Rule::approve => self.approve(&inner)?,
            Rule::unknown => ClauseKind::Unknown(self.unknown_word(&inner)?),
            Rule::until => {
                let day = self.child(&inner, Rule::quantity)?;
                let pick = |value| if let ValueKind::Date(date) = value { Some(date) } else { None };
                ClauseKind::Until(self.quantity(&day, "a day such as `2027-03-31`", pick)?)
            }
            Rule::mark => ClauseKind::Mark(self.name(&self.child(&inner, Rule::name)?, Kind::Label)?),
            Rule::replace => self.replace(&inner)?,
            Rule::example => ClauseKind::Example(self.example(&inner)?),
            _ => ClauseKind::Modify(self.modify(&inner)?),
        };
        Ok(Clause { kind, span: self.span(&inner) })
    }

    fn limit(&self, node: &Node<'a>) -> Built<LimitClause> {
        let Some(inner) = node.clone().into_inner().nth(1) else { return self.odd(node) };
        let amounts: Vec<_> = super::children(&inner, Rule::quantity).collect();
        let first = || amounts.first().map_or_else(|| self.odd(node), Ok);
        Ok(match inner.as_rule() {
            Rule::limit_time => LimitClause::Time(self.quantity(first()?, DURATION, duration)?),
            Rule::limit_output => {
                let size = |value| if let ValueKind::Size(bytes) = value { Some(bytes) } else { None };
                LimitClause::Output(self.quantity(first()?, "a size such as `20KB` or `2MB`", size)?)
            }
            Rule::limit_calls => {
                let max = self.quantity(first()?, "a whole number of calls", count)?;
                let per_ms = match amounts.get(1) {
                    Some(per) => {
                        Some(self.quantity(per, "`session`, or a duration such as `1m`", duration)?.node)
                    }
                    None => None,
                };
                LimitClause::Calls { max, per_ms }
            }
            Rule::limit_grade => {
                let grades = [("held", GradeWord::Held), ("confined", GradeWord::Confined)];
                LimitClause::Grade(self.one_of(&self.child(&inner, Rule::word)?, "grade", &grades)?)
            }
            _ => return self.odd(node),
        })
    }

    fn approve(&self, node: &Node<'a>) -> Built<ClauseKind> {
        let reach = if let Some(per) = child(node, Rule::approve_per) {
            let words = [("call", ApproveReach::Call), ("session", ApproveReach::Session)];
            self.one_of(&self.child(&per, Rule::word)?, "reach of an approval", &words)?.node
        } else {
            let time = self.child(node, Rule::approve_for)?;
            ApproveReach::Ms(self.quantity(&self.child(&time, Rule::quantity)?, DURATION, duration)?.node)
        };
        Ok(ClauseKind::Approve { alike: has(node, Rule::kw_alike), reach })
    }

    fn replace(&self, node: &Node<'a>) -> Built<ClauseKind> {
        let with = self.text(&self.child(node, Rule::string)?)?;
        if let Some(what) = child(node, Rule::redact_what) {
            let pattern = match child(&what, Rule::regex) {
                Some(regex) => Some(self.regex(&regex)?),
                None => None,
            };
            return Ok(ClauseKind::Redact { pattern, with });
        }
        let what = self.child(node, Rule::replace_what)?;
        let place = self.arg_place(&self.child(&what, Rule::field)?)?;
        let pattern = self.regex(&self.child(&what, Rule::regex)?)?;
        Ok(ClauseKind::Modify(ModifyClause::Replace(place, pattern, with)))
    }

    pub(super) fn regex(&self, node: &Node<'a>) -> Built<Spanned<crate::syntax::ast::Regex>> {
        let regex = self.literal(node, literal::regex(node.as_str()))?;
        Ok(Spanned::new(regex, self.span(node)))
    }

    fn modify(&self, node: &Node<'a>) -> Built<ModifyClause> {
        let place = |node: &Node<'a>| self.arg_place(&self.child(node, Rule::field)?);
        let value = |node: &Node<'a>| self.json(&self.child(node, Rule::json)?);
        Ok(match node.as_rule() {
            Rule::set_arg => ModifyClause::Set(place(node)?, value(node)?),
            Rule::fill => ModifyClause::Fill(place(node)?, value(node)?),
            Rule::remove => ModifyClause::Remove(place(node)?),
            Rule::clamp => {
                let mut bounds = super::children(node, Rule::quantity);
                let (Some(low), Some(high)) = (bounds.next(), bounds.next()) else { return self.odd(node) };
                let bound = |node: &Node<'a>| self.quantity(node, "a number", any_number);
                ModifyClause::Clamp(place(node)?, bound(&low)?, bound(&high)?)
            }
            Rule::append => match child(node, Rule::append_value) {
                Some(inner) => ModifyClause::Append(place(&inner)?, value(&inner)?),
                None => {
                    let words = self.child(&self.child(node, Rule::append_command)?, Rule::command)?;
                    let text = self.literal(&words, literal::command(words.as_str()))?;
                    ModifyClause::AppendCommand(Spanned::new(text, self.span(&words)))
                }
            },
            _ => return self.odd(node),
        })
    }

    fn example(&self, node: &Node<'a>) -> Built<Example> {
        let part = |rule: Rule| match child(node, rule) {
            Some(part) => self.json(&self.child(&part, Rule::json_object)?).map(Some),
            None => Ok(None),
        };
        let mode = match child(node, Rule::example_in) {
            Some(mode) => Some(self.name(&self.child(&mode, Rule::name)?, Kind::Mode)?),
            None => None,
        };
        Ok(Example {
            negated: has(node, Rule::kw_not),
            tool: self.name(&self.child(node, Rule::name)?, Kind::Tool)?,
            args: self.json(&self.child(node, Rule::json_object)?)?,
            mode,
            world: part(Rule::example_with)?,
            gives: part(Rule::example_gives)?,
        })
    }

    /// JSON that has to stand on one line.
    fn json(&self, node: &Node<'a>) -> Built<Spanned<String>> {
        let (text, span) = (node.as_str(), self.span(node));
        if text.contains('\n') {
            // Line ends are blanks in JSON: taken out, the value is the same.
            let one_line: Vec<&str> = text.lines().map(str::trim).collect();
            return Err(Box::new(
                self.error("bad-literal", span, "this JSON stands on more than one line")
                    .expected("JSON on one line")
                    .help("join its lines")
                    .fix(Fix::replace(span, one_line.join(" "))),
            ));
        }
        Ok(Spanned::new(text.to_owned(), span))
    }

    /// A field that has to be `args.NAME…`.
    pub(super) fn arg_place(&self, node: &Node<'a>) -> Built<ArgPlace> {
        let field = self.field(node)?;
        if field.root.node != "args" {
            let span = field.root.span;
            return Err(Box::new(
                self.error(
                    "not-an-argument",
                    span,
                    format!("`{}` is no argument of the call", node.as_str()),
                )
                .expected("an argument such as `args.path`")
                .help(format!("did you mean `args.{}`?", node.as_str()))
                .fix(Fix::suggest(span, format!("args.{}", field.root.node))),
            ));
        }
        let path: Vec<Step> = field.steps.into_iter().map(|step| step.node).collect();
        if !matches!(path.first(), Some(Step::Name(_))) {
            return Err(Box::new(
                self.error("not-an-argument", field.span, "`args` alone names no argument")
                    .expected("an argument such as `args.path`"),
            ));
        }
        Ok(ArgPlace { path, span: field.span })
    }
}
