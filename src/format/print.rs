//! From texts and possible line ends to lines.
//!
//! A group is printed on one line where it fits, and else every line end that is directly in it is
//! taken; groups inside decide for themselves. The work is linear: the width of every group is
//! measured in one pass from the back.

/// A part of the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text that cannot be broken.
    Text(String),
    /// A comment: as it can end its line only, it needs no room.
    Comment(String),
    /// A text that stands only where its group is broken.
    IfBroken(&'static str),
    /// Nothing, a blank or two; or a line end where its group is broken.
    Break {
        /// What stands here in one line.
        flat: &'static str,
        /// Blanks at the beginning of the new line.
        indent: usize,
        /// Whether the author had a blank line here.
        blank: bool,
    },
    /// A line end, in any case: whatever group it is in is broken.
    Line {
        /// Blanks at the beginning of the new line.
        indent: usize,
        /// Whether a blank line stands before it.
        blank: bool,
    },
    /// A group begins.
    Begin,
    /// The innermost group ends.
    End,
}

/// Wider than any line.
const NEVER: usize = usize::MAX / 2;

/// Prints a layout.
pub(super) fn print(parts: &[Part], columns: usize) -> String {
    let widths = widths(parts);
    let mut out = String::new();
    let mut column = 0;
    let mut broken = vec![true];
    for (at, part) in parts.iter().enumerate() {
        let here = broken.last().copied().unwrap_or(true);
        match part {
            Part::Text(text) | Part::Comment(text) => push(&mut out, text, &mut column),
            Part::IfBroken(text) if here => push(&mut out, text, &mut column),
            Part::IfBroken(_) => {}
            Part::Break { flat, .. } if !here => push(&mut out, flat, &mut column),
            Part::Break { indent, blank, .. } | Part::Line { indent, blank } => {
                line(&mut out, *indent, *blank);
                column = *indent;
            }
            Part::Begin => {
                let width = widths.get(at).copied().unwrap_or(NEVER);
                broken.push(column.saturating_add(width) > columns);
            }
            Part::End => {
                broken.pop();
            }
        }
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

fn push(out: &mut String, text: &str, column: &mut usize) {
    *column = match text.rsplit_once('\n') {
        Some((_, last)) => last.chars().count(),
        None => *column + text.chars().count(),
    };
    out.push_str(text);
}

fn line(out: &mut String, indent: usize, blank: bool) {
    let end = out.trim_end_matches(' ').len();
    out.truncate(end);
    if out.is_empty() {
        return;
    }
    out.push_str(if blank { "\n\n" } else { "\n" });
    out.extend(std::iter::repeat_n(' ', indent));
}

/// For every `Begin`, the columns that its group takes in one line together with what follows up
/// to the next place where a line may end; [`NEVER`] where it cannot be in one line.
fn widths(parts: &[Part]) -> Vec<usize> {
    let mut widths = vec![0; parts.len()];
    // For every open group from the back: the columns in it, and those behind it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // Columns from here to the next possible line end.
    let mut behind = 0_usize;
    for (at, part) in parts.iter().enumerate().rev() {
        let own = match part {
            Part::Text(text) => {
                let head = text.lines().next().unwrap_or("").chars().count();
                behind = if text.contains('\n') { head } else { behind.saturating_add(head) };
                if text.contains('\n') { NEVER } else { head }
            }
            Part::IfBroken(_) | Part::Comment(_) => 0,
            Part::Break { flat, .. } => {
                behind = 0;
                flat.len()
            }
            Part::Line { .. } => {
                behind = 0;
                NEVER
            }
            Part::End => {
                open.push((0, behind));
                0
            }
            Part::Begin => {
                let (inside, after) = open.pop().unwrap_or((0, 0));
                if let Some(width) = widths.get_mut(at) {
                    *width = inside.saturating_add(after);
                }
                // A group that is broken ends a line inside: only what stands before counts then,
                // and taking all of it is on the safe side.
                inside
            }
        };
        if let Some((inside, _)) = open.last_mut() {
            *inside = inside.saturating_add(own).min(NEVER);
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::{Part, print};

    fn text(s: &str) -> Part {
        Part::Text(s.into())
    }

    fn wrap(indent: usize) -> Part {
        Part::Break { flat: " ", indent, blank: false }
    }

    #[test]
    fn a_group_breaks_when_it_does_not_fit() {
        let parts = [
            text("a"),
            Part::Begin,
            wrap(2),
            text("bbbb"),
            Part::Begin,
            wrap(4),
            text("cc"),
            Part::End,
            Part::End,
        ];
        assert_eq!(print(&parts, 9), "a bbbb cc\n");
        assert_eq!(print(&parts, 8), "a\n  bbbb\n    cc\n");
        let hard = [
            Part::Begin,
            text("a"),
            wrap(2),
            text("b"),
            Part::Line { indent: 0, blank: true },
            text("c"),
            Part::End,
        ];
        assert_eq!(print(&hard, 80), "a\n  b\n\nc\n");
    }
}
