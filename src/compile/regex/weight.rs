//! An upper bound of what an expression weighs once compiled, in the compiler's own unit.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// Bytes of one state of the automaton, with room to spare (24 to 32 in the compiler).
const STATE: usize = 48;
/// Bytes of one transition or alternative.
const EDGE: usize = 8;
/// Bytes of what stands around every expression.
const FRAME: usize = 1_024;

/// At least what the compiled automaton weighs, in either direction, in bytes.
pub(super) fn weight(hir: &Hir) -> usize {
    of(hir).saturating_add(FRAME)
}

fn of(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE),
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => of(&capture.sub).saturating_add(2 * STATE),
        HirKind::Concat(parts) => parts.iter().fold(STATE, |sum, part| sum.saturating_add(of(part))),
        HirKind::Alternation(parts) => {
            parts.iter().fold(2 * STATE, |sum, part| sum.saturating_add(of(part)).saturating_add(EDGE))
        }
        HirKind::Repetition(repetition) => {
            let copies = match repetition.max {
                Some(max) => max,
                None => repetition.min.saturating_add(1),
            };
            let each = of(&repetition.sub).saturating_add(2 * STATE + 2 * EDGE);
            each.saturating_mul(copies.max(1) as usize).saturating_add(2 * STATE)
        }
    }
}

/// A class is an automaton over the bytes of its characters.
fn of_class(class: &Class) -> usize {
    let sequences = match class {
        Class::Bytes(class) => class.ranges().len(),
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| Utf8Sequences::new(range.start(), range.end()).count()).sum()
        }
    };
    // Four bytes at most, each a state with its edge, and one alternative.
    sequences.saturating_mul(4 * (STATE + EDGE) + EDGE).saturating_add(2 * STATE)
}
