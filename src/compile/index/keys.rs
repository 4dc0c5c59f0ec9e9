//! From a condition to the keys of which one must be found for it to be anything but false.

use std::collections::HashMap;

use ipnet::IpNet;

use crate::compile::expr::{AtomKind, CommandPart, Directory, Expr, HostSet, Scalar, Scalars, Subject, Test};
use crate::compile::regex::{self, TextPattern};
use crate::model::path::name_of;
use crate::model::pattern::path::{Anchor, PathKey, folded_key};
use crate::syntax::ast::Step;

/// One way in which a condition can be anything but false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Path(PathKey),
    Program(String),
    Host(String),
    HostBelow(String),
    Ip(IpNet),
    Target(String),
    Tool(String),
    /// A text at a place of the arguments.
    Text(Vec<Step>, TextKey),
    /// An address at a place of the arguments.
    Address(Vec<Step>, IpNet),
}

/// What a text is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextKey {
    /// It is this.
    Is(String),
    /// It begins so.
    Begins(String),
    /// It holds this, if the case of ASCII letters is ignored. Never empty.
    Holds(String),
}

/// How often each text is required by an expression of the layer: the rarest is looked for.
#[derive(Debug, Default)]
pub(super) struct Frequencies(HashMap<String, usize>);

impl Frequencies {
    /// Counts the texts of a condition.
    pub(super) fn count(&mut self, expr: &Expr) {
        match expr {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().for_each(|part| self.count(part)),
            Expr::Atom(atom) if atom.negated => {}
            Expr::Atom(atom) => {
                if let AtomKind::Test {
                    test: Test::Matches(pattern) | Test::ContainsMatch(pattern), ..
                } = &atom.kind
                {
                    for text in required(pattern).into_iter().flatten() {
                        *self.0.entry(text).or_default() += 1;
                    }
                }
            }
        }
    }

    /// The list that prunes best.
    fn rarest(&self, pattern: &TextPattern) -> Option<Vec<TextKey>> {
        let cost = |list: &regex::Required| {
            let shortest = list.iter().map(String::len).min().unwrap_or(0);
            let often: usize = list.iter().map(|text| self.0.get(text).copied().unwrap_or(0)).sum();
            // One letter is in every text, whatever other expressions say.
            (shortest < 2, often, usize::MAX - shortest)
        };
        let best = required(pattern).into_iter().min_by_key(cost)?;
        Some(best.into_iter().map(TextKey::Holds).collect())
    }

    /// Keys of which at least one must be found for the condition to be anything but false. `None`:
    /// there is no such list.
    pub(super) fn keys(&self, expr: &Expr) -> Option<Vec<Key>> {
        match expr {
            // One part that must hold is enough; the one with the least keys prunes best.
            Expr::All(parts) => {
                parts.iter().filter_map(|part| self.keys(part)).min_by_key(|keys| (is_wide(keys), keys.len()))
            }
            Expr::Any(parts) => {
                let lists: Option<Vec<_>> = parts.iter().map(|part| self.keys(part)).collect();
                lists.map(|lists| lists.into_iter().flatten().collect())
            }
            Expr::Atom(atom) if atom.negated => None,
            Expr::Atom(atom) => match &atom.kind {
                AtomKind::Test { subject, test } => self.of_test(subject, test),
                AtomKind::Quantified { .. } | AtomKind::SessionHas(_) => None,
            },
        }
    }

    fn of_test(&self, subject: &Subject, test: &Test) -> Option<Vec<Key>> {
        match (subject, test) {
            (Subject::Path, Test::Paths(patterns)) => {
                let keys: Option<Vec<_>> = patterns.iter().map(|pattern| pattern.index_keys()).collect();
                keys.map(|keys| keys.into_iter().flatten().map(Key::Path).collect())
            }
            (
                Subject::Path,
                Test::PathIs(Directory::Literal(dir)) | Test::PathUnder(Directory::Literal(dir)),
            ) if !dir.dir.is_empty() => Some(vec![Key::Path(PathKey::Dir(dir.clone()))]),
            (Subject::PathName, Test::OneOf(set)) => {
                let name = |text: &str| Key::Path(PathKey::Name(folded_key(text)));
                texts(set).map(|texts| texts.into_iter().map(name).collect())
            }
            (
                Subject::Command(CommandPart::Whole) | Subject::Via(CommandPart::Whole),
                Test::Commands(patterns),
            ) => {
                let mut keys = Vec::new();
                for pattern in patterns {
                    for alternative in &pattern.program.alternatives {
                        // A text without `*`; a path is looked up by its last component.
                        let [text] = alternative.as_slice() else { return None };
                        keys.push(Key::Program(name_of(text).to_owned()));
                    }
                }
                Some(keys)
            }
            (
                Subject::Command(CommandPart::Program) | Subject::Via(CommandPart::Program),
                Test::Programs(programs),
            ) => Some(programs.iter().map(|program| Key::Program(name_of(program).to_owned())).collect()),
            (Subject::Host, Test::Hosts(set)) => of_hosts(set),
            (Subject::Url, Test::Urls(patterns)) => {
                of_hosts(&patterns.iter().map(|pattern| pattern.host().clone()).collect())
            }
            (Subject::Ip, Test::Nets(set)) => Some(set.nets().iter().map(|net| Key::Ip(*net)).collect()),
            (Subject::Target, Test::OneOf(set)) => {
                texts(set).map(|texts| texts.into_iter().map(|text| Key::Target(text.to_owned())).collect())
            }
            (Subject::Tool, Test::OneOf(set)) => {
                texts(set).map(|texts| texts.into_iter().map(|text| Key::Tool(text.to_owned())).collect())
            }
            (Subject::Arg(steps), Test::Nets(set)) if !steps.contains(&Step::Each) => {
                Some(set.nets().iter().map(|net| Key::Address(steps.clone(), *net)).collect())
            }
            (Subject::Arg(steps), test) => of_text(steps, self.of_text_test(test)?),
            (Subject::Lower(inner), test) => {
                let Subject::Arg(steps) = &**inner else { return None };
                let holds = |key: TextKey| match key {
                    TextKey::Is(text) | TextKey::Begins(text) | TextKey::Holds(text) => holds(&text),
                };
                let keys: Option<Vec<_>> = self.of_text_test(test)?.into_iter().map(holds).collect();
                of_text(steps, keys?)
            }
            _ => None,
        }
    }

    fn of_text_test(&self, test: &Test) -> Option<Vec<TextKey>> {
        match test {
            Test::OneOf(set) => {
                texts(set).map(|texts| texts.into_iter().map(|text| TextKey::Is(text.to_owned())).collect())
            }
            Test::StartsWith(text) if !text.is_empty() => Some(vec![TextKey::Begins(text.clone())]),
            Test::EndsWith(text) | Test::ContainsText(text) | Test::ContainsElement(Scalar::Text(text)) => {
                holds(text).map(|key| vec![key])
            }
            Test::Matches(pattern) | Test::ContainsMatch(pattern) => self.rarest(pattern),
            _ => None,
        }
    }
}

fn required(pattern: &TextPattern) -> Vec<regex::Required> {
    regex::parse(&pattern.source, pattern.ignore_case).map_or(Vec::new(), |parsed| regex::required(&parsed))
}

fn holds(text: &str) -> Option<TextKey> {
    (!text.is_empty()).then(|| TextKey::Holds(text.to_ascii_lowercase()))
}

fn of_text(steps: &[Step], keys: Vec<TextKey>) -> Option<Vec<Key>> {
    if steps.contains(&Step::Each) {
        return None;
    }
    Some(keys.into_iter().map(|key| Key::Text(steps.to_vec(), key)).collect())
}

/// The members of a set of strings; `None` where it holds anything else.
fn texts(set: &Scalars) -> Option<Vec<&str>> {
    set.0
        .iter()
        .map(|scalar| match scalar {
            Scalar::Text(text) => Some(text.as_str()),
            Scalar::Number(_) | Scalar::Bool(_) | Scalar::Null => None,
        })
        .collect()
}

fn of_hosts(set: &HostSet) -> Option<Vec<Key>> {
    if set.is_any() {
        return None;
    }
    let exact = set.exact().map(|host| Key::Host(host.to_owned()));
    let below = set.below().map(|host| Key::HostBelow(host.to_owned()));
    Some(exact.chain(below).collect())
}

/// Whether one of the keys is found in very many calls.
fn is_wide(keys: &[Key]) -> bool {
    keys.iter().any(|key| match key {
        Key::Path(PathKey::Dir(dir)) => {
            dir.dir.is_empty() && matches!(dir.anchor, Anchor::Workspace | Anchor::Home)
        }
        Key::Ip(net) | Key::Address(_, net) => net.prefix_len() == 0,
        Key::Text(_, TextKey::Holds(text)) => text.len() < 2,
        _ => false,
    })
}
