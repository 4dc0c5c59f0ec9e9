//! Findings for people: the lines they are about, what was expected, the mend as a difference.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level as Shown, Origin, Patch, Renderer, Snippet};

use crate::base::limits::DIAGNOSTICS_MAX;
use crate::base::{Diagnostic, FileId, Level, Source, Sources, Span};
use crate::cli::output::harmless;

/// Lines between two marked places that are still shown as one excerpt.
const GAP_LINES_MAX: u32 = 20;
/// Bytes of an excerpt; a longer one is only named, so that a file without line ends stays cheap.
const EXCERPT_BYTES_MAX: usize = 16 << 10;

/// Renders findings, at most [`DIAGNOSTICS_MAX`]; the rest is counted. Styled: what prints it strips
/// the colours where there is no terminal.
#[must_use]
pub fn diagnostics(found: &[Diagnostic], sources: &Sources) -> String {
    let renderer = Renderer::styled().hyperlink(false);
    let mut out = String::new();
    for diagnostic in found.iter().take(DIAGNOSTICS_MAX) {
        let _ = writeln!(out, "{}\n", one(&renderer, diagnostic, sources));
    }
    if let Some(rest) = found.len().checked_sub(DIAGNOSTICS_MAX).filter(|rest| *rest > 0) {
        let _ = writeln!(out, "… and {}\n", super::counted(rest, "more finding"));
    }
    out
}

fn one(renderer: &Renderer, found: &Diagnostic, sources: &Sources) -> String {
    let level = match found.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Note => Shown::NOTE,
    };
    let message = harmless(&found.message);
    let expected = found.expected.as_deref().map(|text| format!("expected {}", harmless(text)));
    let mut group = Group::with_title(level.primary_title(message).id(found.code));
    group = group.elements(excerpts(found, expected.as_deref().unwrap_or(""), sources));
    let mut groups = vec![];
    let patch = suggestion(found, sources);
    match (&found.help, patch) {
        (Some(help), Some(patch)) => {
            groups.push(Shown::HELP.secondary_title(harmless(help)).element(patch));
        }
        (None, Some(patch)) => groups.push(Shown::HELP.secondary_title("write").element(patch)),
        (Some(help), None) => group = group.element(Shown::HELP.message(harmless(help))),
        (None, None) => {}
    }
    groups.insert(0, group);
    renderer.render(&groups)
}

/// A marked place.
struct Mark<'a> {
    file: FileId,
    range: Range<usize>,
    label: String,
    primary: bool,
    source: &'a Source,
}

/// The excerpts of a finding: its own place first, then the places that explain it.
fn excerpts<'a>(found: &Diagnostic, expected: &str, sources: &'a Sources) -> Vec<Element<'a>> {
    let mark = |file: FileId, span: Span, label: &str, primary: bool| {
        sources.get(file).map(|source| Mark {
            file,
            range: clamp(span, &source.text),
            label: harmless(label).into_owned(),
            primary,
            source,
        })
    };
    let mut rest: Vec<Mark<'a>> =
        found.labels.iter().filter_map(|label| mark(label.file, label.span, &label.text, false)).collect();
    let mut out = Vec::new();
    let mut next = mark(found.file, found.span, expected, true);
    while let Some(first) = next {
        let line = |mark: &Mark<'_>| mark.source.place(u32::try_from(mark.range.start).unwrap_or(0)).line;
        let near = |other: &Mark<'_>| {
            other.file == first.file && line(other).abs_diff(line(&first)) <= GAP_LINES_MAX
        };
        let (together, apart): (Vec<_>, Vec<_>) = rest.into_iter().partition(near);
        rest = apart;
        let mut marks = vec![first];
        marks.extend(together);
        out.push(excerpt(marks));
        next = (!rest.is_empty()).then(|| rest.remove(0));
    }
    out
}

/// One excerpt with all its marks, which lie in one text.
fn excerpt<'a>(marks: Vec<Mark<'a>>) -> Element<'a> {
    let Some(source) = marks.first().map(|mark| mark.source) else {
        return Element::Padding(annotate_snippets::Padding);
    };
    let name = harmless(&source.name).into_owned();
    let place = |at: usize| source.place(u32::try_from(at).unwrap_or(u32::MAX));
    let low = marks.iter().map(|mark| mark.range.start).min().unwrap_or(0);
    let high = marks.iter().map(|mark| mark.range.end).max().unwrap_or(low);
    let window = lines_around(&source.text, low..high);
    if window.len() > EXCERPT_BYTES_MAX {
        let at = place(low);
        return Origin::path(name).line(at.line as usize).char_column(at.column as usize).into();
    }
    let text = source.text.get(window.clone()).unwrap_or("");
    let mut snippet =
        Snippet::source(unsteered(text)).path(name).line_start(place(window.start).line as usize);
    for mark in marks {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let range = mark.range.start - window.start..mark.range.end - window.start;
        let annotation = kind.span(range);
        snippet =
            snippet.annotation(if mark.label.is_empty() { annotation } else { annotation.label(mark.label) });
    }
    snippet.into()
}

/// The mend, where it is short enough to be looked at.
fn suggestion<'a>(found: &Diagnostic, sources: &'a Sources) -> Option<Snippet<'a, Patch<'a>>> {
    let fix = found.fix.as_ref()?;
    let source = sources.get(found.file)?;
    let ranges: Vec<_> = fix.edits.iter().map(|edit| clamp(edit.span, &source.text)).collect();
    let low = ranges.iter().map(|range| range.start).min()?;
    let high = ranges.iter().map(|range| range.end).max()?;
    let window = lines_around(&source.text, low..high);
    if window.len() > EXCERPT_BYTES_MAX || fix.edits.iter().any(|edit| edit.text.len() > EXCERPT_BYTES_MAX) {
        return None;
    }
    let text = source.text.get(window.clone()).unwrap_or("");
    let line = source.place(u32::try_from(window.start).unwrap_or(0)).line as usize;
    let patches = fix.edits.iter().zip(ranges).map(|(edit, range)| {
        Patch::new(range.start - window.start..range.end - window.start, harmless(&edit.text).into_owned())
    });
    Some(Snippet::source(unsteered(text)).line_start(line).patches(patches))
}

/// What the renderer lets through and nobody can see, replaced by something visible of the same length
/// in bytes: C1 controls, and characters without width.
fn unsteered(text: &str) -> String {
    let visible = |c| match c {
        '\u{80}'..='\u{9f}' => '\u{b7}',
        '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            '\u{fffd}'
        }
        c => c,
    };
    text.chars().map(visible).collect()
}

/// A span as a range that fits the text: in order, inside, between characters.
fn clamp(span: Span, text: &str) -> Range<usize> {
    let fit = |at: u32| {
        let mut at = (at as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (fit(span.start), fit(span.end));
    start.min(end)..start.max(end)
}

/// The whole lines that hold a range.
fn lines_around(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.get(..range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(range.end..).and_then(|behind| behind.find('\n'));
    start..rest.map_or(text.len(), |at| range.end + at)
}

#[cfg(test)]
mod tests {
    use super::diagnostics;
    use crate::base::{Diagnostic, Fix, Source, Sources, Span};

    #[test]
    fn any_span_of_any_text_can_be_shown() {
        let texts = ["", "\n", "ü", "a\r\nb\u{9b}[31m\r\n", "x\u{202e}y\u{1b}[2J", "\t\u{200d}é\n\n\nlast"];
        for text in texts {
            let mut sources = Sources::default();
            let file = sources.add(Source::new("odd\u{1b}.toll", text));
            let most = u32::try_from(text.len()).expect("short") + 3;
            for (start, end) in (0..most).flat_map(|start| (0..most).map(move |end| (start, end))) {
                let span = Span { start, end };
                let found = Diagnostic::error("some-code", file, span, "bad\u{1b}")
                    .expected("good\u{7}")
                    .help("so\u{9b}")
                    .label(file, Span { start: end, end: start }, "there")
                    .fix(Fix::replace(span, "mend\u{1b}\n"));
                let shown = anstream::adapter::strip_str(&diagnostics(&[found], &sources)).to_string();
                assert!(!shown.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{shown:?}");
            }
        }
    }

    #[test]
    fn looks_like_a_compiler() {
        let text = "tollgate 1\n\nblock keys {\n  on read\n  when path in secret-file\n}\n";
        let mut sources = Sources::default();
        let file = sources.add(Source::new("policies/base.toll", text));
        let at = text.find("secret-file").expect("there");
        let span = Span::new(at, at + "secret-file".len());
        let found = Diagnostic::error("unknown-name", file, span, "there is no set `secret-file`")
            .expected("a path set")
            .help("did you mean `secret-files`?")
            .fix(Fix::replace(span, "secret-files"));
        let shown = anstream::adapter::strip_str(&diagnostics(&[found], &sources)).to_string();
        insta::assert_snapshot!(shown, @r"
        error[unknown-name]: there is no set `secret-file`
         --> policies/base.toll:5:16
          |
        5 |   when path in secret-file
          |                ^^^^^^^^^^^ expected a path set
          |
        help: did you mean `secret-files`?
          |
        5 |   when path in secret-files
          |                           +
        ");
    }
}
