//! Names: which words may be one, and what to write instead of those that may not.

use super::{Built, Tree, child};
use crate::base::suggest::nearest;
use crate::base::{Diagnostic, Fix, Span, Spanned};
use crate::syntax::ast::{CapabilityWord, Name};
use crate::syntax::grammar::{Node, Rule};
use crate::syntax::literal;
use crate::syntax::words;

/// What a name is of: what it may look like depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rule,
    Let,
    Label,
    Tool,
    /// A tool in `by`: a quoted one may end in `*`.
    ToolPattern,
    Mode,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Let => "let",
            Self::Label => "label",
            Self::Tool | Self::ToolPattern => "tool",
            Self::Mode => "mode",
        }
    }

    fn quotable(self) -> bool {
        matches!(self, Self::Tool | Self::ToolPattern | Self::Mode)
    }
}

impl<'a> Tree<'a> {
    /// A `name` node as a name of its kind.
    pub(super) fn name(&self, node: &Node<'a>, kind: Kind) -> Built<Name> {
        let span = self.span(node);
        if let Some(quoted) = child(node, Rule::string) {
            let text = self.text(&quoted)?;
            return self.quoted_name(text, kind);
        }
        let word = node.as_str();
        if words::is_reserved(word) {
            return Err(Box::new(self.reserved(word, span, kind)));
        }
        let fits = if kind.quotable() { words::is_identifier(word) } else { words::is_kebab(word) };
        if fits {
            return Ok(Spanned::new(word.to_owned(), span));
        }
        Err(Box::new(self.bad_name(word, span, kind)))
    }

    fn quoted_name(&self, name: Name, kind: Kind) -> Built<Name> {
        if !kind.quotable() {
            let diagnostic = self
                .error(
                    "bad-name",
                    name.span,
                    format!("the name of a {} stands without quotes", kind.as_str()),
                )
                .expected("a name such as `no-secrets`");
            return Err(Box::new(match words::to_kebab(&name.node) {
                Some(kebab) if !words::is_reserved(&kebab) => {
                    diagnostic.help(format!("write `{kebab}`")).fix(Fix::replace(name.span, kebab))
                }
                _ => diagnostic,
            }));
        }
        if name.node.trim().is_empty() {
            let message = format!("the name of a {} is empty", kind.as_str());
            return Err(Box::new(self.error("bad-name", name.span, message)));
        }
        Ok(name)
    }

    fn reserved(&self, word: &str, span: Span, kind: Kind) -> Diagnostic {
        let diagnostic = self
            .error("reserved-word", span, format!("`{word}` is a word of the language, not a name"))
            .expected(format!("the name of a {}", kind.as_str()));
        if kind.quotable() {
            return diagnostic
                .help(format!("if the {} has this name, write `\"{word}\"`", kind.as_str()))
                .fix(Fix::suggest(span, format!("\"{word}\"")));
        }
        let other = format!("{word}-{}", if kind == Kind::Let { "set" } else { kind.as_str() });
        diagnostic.help(format!("choose another name, such as `{other}`")).fix(Fix::suggest(span, other))
    }

    fn bad_name(&self, word: &str, span: Span, kind: Kind) -> Diagnostic {
        let what = kind.as_str();
        if kind.quotable() {
            return self
                .error("bad-name", span, format!("`{word}` stands in quotes, as it is no plain name"))
                .expected(format!(
                    "the name of a {what}: letters, digits, `_` and `-`, or any text in quotes"
                ))
                .help(format!("write `\"{word}\"`"))
                .fix(Fix::replace(span, format!("\"{word}\"")));
        }
        let diagnostic = self.error("bad-name", span, format!("`{word}` is no kebab-case name")).expected(
            format!("the name of a {what}: lower-case words with `-` between, such as `no-secrets`"),
        );
        match words::to_kebab(word) {
            Some(kebab) if !words::is_reserved(&kebab) => {
                diagnostic.help(format!("write `{kebab}`")).fix(Fix::suggest(span, kebab))
            }
            _ => diagnostic,
        }
    }

    /// A string node as its value.
    pub(super) fn text(&self, node: &Node<'a>) -> Built<Name> {
        let value = self.literal(node, literal::string(node.as_str()))?;
        Ok(Spanned::new(value, self.span(node)))
    }

    /// The `name` nodes of a list.
    pub(super) fn names(&self, node: &Node<'a>, kind: Kind) -> Built<Vec<Name>> {
        super::children(node, Rule::name)
            .map(|name| {
                let list = matches!(node.as_rule(), Rule::by | Rule::modes | Rule::labels);
                if list {
                    self.no_clause_word(&name)?;
                }
                self.name(&name, kind)
            })
            .collect()
    }

    /// A word that starts a clause where a list should go on is a comma too many.
    fn no_clause_word(&self, node: &Node<'a>) -> Built<()> {
        let word = node.as_str();
        if words::CLAUSES.contains(&word) || word == "by" || words::starts_item(word) {
            return self.trailing_comma(node);
        }
        Ok(())
    }

    fn trailing_comma(&self, node: &Node<'a>) -> Built<()> {
        let start = node.as_span().start();
        let before = self.text.get(..start).unwrap_or("").trim_end();
        if !before.ends_with(',') {
            return Ok(());
        }
        let comma = Span::new(self.base + before.len() - 1, self.base + before.len());
        Err(Box::new(
            self.error("trailing-comma", comma, "a list outside braces ends without a comma")
                .expected(format!("another element, or `{}` without the comma before it", node.as_str()))
                .help("remove the comma")
                .fix(Fix::replace(comma, "")),
        ))
    }

    /// The capabilities of `on`, `covers` and `never`.
    pub(super) fn capabilities(&self, node: &Node<'a>, any: bool) -> Built<Vec<Spanned<CapabilityWord>>> {
        let list = self.child(node, Rule::capabilities)?;
        super::children(&list, Rule::word)
            .map(|word| {
                self.no_clause_word(&word)?;
                self.capability(&word, any)
            })
            .collect()
    }

    fn capability(&self, node: &Node<'a>, any: bool) -> Built<Spanned<CapabilityWord>> {
        let (word, span) = (node.as_str(), self.span(node));
        if let Some(capability) = capability_word(word)
            && (any || capability != CapabilityWord::Any)
        {
            return Ok(Spanned::new(capability, span));
        }
        let diagnostic =
            self.error("unknown-capability", span, format!("`{word}` is no capability")).expected(if any {
                "`read`, `write`, `exec`, `network`, `nothing` or `any`"
            } else {
                "`read`, `write`, `exec` or `network`"
            });
        let meant = match word {
            "reads" | "list" | "lists" => Some("read"),
            "writes" | "delete" | "create" | "edit" => Some("write"),
            "run" | "runs" | "execute" | "command" | "shell" => Some("exec"),
            "net" | "connect" | "connects" | "http" | "fetch" => Some("network"),
            "all" | "every" | "everything" if any => Some("any"),
            "none" => Some("nothing"),
            _ => nearest(word, words::CAPABILITIES.iter().copied()),
        };
        Err(Box::new(self.did_you_mean(diagnostic, span, meant)))
    }

    /// Adds "did you mean", with the mend.
    pub(super) fn did_you_mean(&self, diagnostic: Diagnostic, span: Span, meant: Option<&str>) -> Diagnostic {
        match meant {
            Some(word) => diagnostic.help(format!("did you mean `{word}`?")).fix(Fix::suggest(span, word)),
            None => diagnostic,
        }
    }

    /// One of a few words, or what it should have been.
    pub(super) fn one_of<T: Copy>(
        &self,
        node: &Node<'a>,
        what: &str,
        choices: &[(&'static str, T)],
    ) -> Built<Spanned<T>> {
        let (word, span) = (node.as_str(), self.span(node));
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == word) {
            return Ok(Spanned::new(*value, span));
        }
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        let diagnostic = self
            .error("unknown-word", span, format!("`{word}` is no {what}"))
            .expected(super::super::explain::either(&names));
        let known = |meant: &str| choices.iter().find(|(name, _)| *name == meant).map(|(name, _)| *name);
        let alias = match word {
            "deny" | "forbid" | "reject" | "stop" => known("block"),
            "permit" | "accept" => known("allow"),
            "confirm" | "prompt" => known("ask"),
            "none" | "skip" => known("pass"),
            _ => None,
        };
        let meant = alias.or_else(|| nearest(word, choices.iter().map(|(name, _)| *name)));
        Err(Box::new(self.did_you_mean(diagnostic, span, meant)))
    }
}

/// The capability a word names.
pub(super) fn capability_word(word: &str) -> Option<CapabilityWord> {
    Some(match word {
        "read" => CapabilityWord::Read,
        "write" => CapabilityWord::Write,
        "exec" => CapabilityWord::Exec,
        "network" => CapabilityWord::Network,
        "nothing" => CapabilityWord::Nothing,
        "any" => CapabilityWord::Any,
        _ => return None,
    })
}
