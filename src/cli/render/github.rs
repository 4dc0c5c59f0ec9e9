//! Findings as workflow commands of GitHub: `::error file=…,line=…,col=…::message`.

use std::fmt::Write as _;

use crate::base::{Diagnostic, Level, Source};

use super::Findings;

/// One line for each finding.
#[must_use]
pub fn findings(all: &[Findings]) -> String {
    let mut out = String::new();
    for findings in all {
        for found in &findings.found {
            let _ = writeln!(out, "{}", command(found, findings.sources.get(found.file)));
        }
    }
    out
}

fn command(found: &Diagnostic, source: Option<&Source>) -> String {
    let word = match found.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut place = String::new();
    if let Some(source) = source {
        let (start, end) = source.places(found.span);
        let _ = write!(place, "file={},line={},col={}", property(&source.name), start.line, start.column);
        // GitHub shows columns of one line only.
        if end.line == start.line {
            let _ = write!(place, ",endColumn={}", end.column);
        } else {
            let _ = write!(place, ",endLine={}", end.line);
        }
        place.push(',');
    }
    let mut message = found.message.clone();
    for (word, text) in [("expected", &found.expected), ("help", &found.help)] {
        if let Some(text) = text {
            let _ = write!(message, "\n{word}: {text}");
        }
    }
    format!("::{word} {place}title={}::{}", property(found.code), data(&message))
}

/// Escapes the text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(data("50%\r\n::set-output x"), "50%25%0D%0A::set-output x");
        assert_eq!(property("a,b:c%"), "a%2Cb%3Ac%25");
    }
}
