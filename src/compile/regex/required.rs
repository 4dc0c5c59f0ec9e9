//! Texts of which every match of an expression holds at least one: what an index may look for before
//! the expression is tried.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

/// Texts that stand for one piece of an expression: more prune badly.
const TEXTS_MAX: usize = 16;
/// Repetitions that are written out.
const COPIES_MAX: u32 = 4;

/// A list of which at least one text occurs in every match, if the case of ASCII letters is ignored.
/// Texts are in lower case (ASCII) and never empty.
pub type Required = BTreeSet<String>;

/// Every such list that is easily found; none for an expression without one. Any of them may be used.
#[must_use]
pub fn required(hir: &Hir) -> Vec<Required> {
    let mut found = Vec::new();
    collect(hir, &mut found);
    found
}

fn collect(hir: &Hir, found: &mut Vec<Required>) {
    if let Some(texts) = exact(hir) {
        keep(texts, found);
        return;
    }
    match hir.kind() {
        HirKind::Capture(capture) => collect(&capture.sub, found),
        HirKind::Repetition(repetition) if repetition.min > 0 => collect(&repetition.sub, found),
        HirKind::Concat(parts) => collect_parts(parts, found),
        HirKind::Alternation(parts) => {
            let mut union = Required::new();
            for part in parts {
                let lists = required(part);
                // The one whose shortest text is longest.
                let best = lists.into_iter().max_by_key(|list| list.iter().map(String::len).min());
                let Some(best) = best else { return };
                union.extend(best);
            }
            keep(union, found);
        }
        _ => {}
    }
}

/// Neighbours that stand for a few texts each are joined.
fn collect_parts(parts: &[Hir], found: &mut Vec<Required>) {
    let mut run = Required::from([String::new()]);
    for part in parts {
        let texts = exact(part);
        if let Some(joined) = texts.as_ref().and_then(|texts| product(&run, texts)) {
            run = joined;
            continue;
        }
        keep(run, found);
        run = match texts {
            Some(texts) => texts,
            None => {
                collect(part, found);
                Required::from([String::new()])
            }
        };
    }
    keep(run, found);
}

fn keep(texts: Required, found: &mut Vec<Required>) {
    if texts.is_empty() || texts.len() > TEXTS_MAX || texts.contains("") {
        return;
    }
    // A text that holds another one is found with it.
    let shortest =
        |text: &&String| !texts.iter().any(|other| other != *text && text.contains(other.as_str()));
    found.push(texts.iter().filter(shortest).cloned().collect());
}

/// All texts that match, in lower case, where they are few.
fn exact(hir: &Hir) -> Option<Required> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Required::from([String::new()])),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(Required::from([text.to_ascii_lowercase()]))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut texts = Required::new();
            for range in class.ranges() {
                if range.len() > TEXTS_MAX {
                    return None;
                }
                texts.extend((range.start()..=range.end()).map(|c| c.to_ascii_lowercase().to_string()));
            }
            few(texts)
        }
        HirKind::Class(Class::Bytes(_)) => None,
        HirKind::Capture(capture) => exact(&capture.sub),
        HirKind::Concat(parts) => parts
            .iter()
            .try_fold(Required::from([String::new()]), |texts, part| product(&texts, &exact(part)?)),
        HirKind::Alternation(parts) => {
            let mut texts = Required::new();
            for part in parts {
                texts.extend(exact(part)?);
            }
            few(texts)
        }
        HirKind::Repetition(repetition) => {
            let max = repetition.max.filter(|max| *max <= COPIES_MAX)?;
            let one = exact(&repetition.sub)?;
            let mut copies = Required::from([String::new()]);
            let mut texts = Required::new();
            for copy in 0..=max {
                if copy >= repetition.min {
                    texts.extend(copies.iter().cloned());
                }
                copies = product(&copies, &one)?;
            }
            few(texts)
        }
    }
}

fn few(texts: Required) -> Option<Required> {
    (!texts.is_empty() && texts.len() <= TEXTS_MAX).then_some(texts)
}

fn product(before: &Required, behind: &Required) -> Option<Required> {
    if before.len() * behind.len() > TEXTS_MAX {
        return None;
    }
    few(before.iter().flat_map(|a| behind.iter().map(move |b| format!("{a}{b}"))).collect())
}
