//! What came of tests, as the XML that continuous integration shows (`tests/cases/suite/junit.xsd`).
//! It says nothing of time: what is measured differs from run to run, and a report should not.

use std::fmt::Write as _;

use super::{FileReport, Report, text};
use crate::cli::output::harmless;
use crate::cli::render;
use crate::suite::CheckReport;

/// One test of a report.
struct Test {
    name: String,
    file: String,
    line: Option<u32>,
    /// `failure` or `error`, with a sentence and the details.
    wrong: Option<(&'static str, String, String)>,
}

/// The document.
#[must_use]
pub fn report(report: &Report<'_>) -> String {
    let mut suites: Vec<(String, Vec<Test>)> = report
        .files
        .iter()
        .filter(|file| file.is_shown())
        .map(|file| (file.file.name.clone(), tests(file)))
        .collect();
    for file in &report.unusable {
        let mut details = file.help.iter().map(|help| format!("help: {help}\n")).collect::<String>();
        details += &plain(&render::text::diagnostics(&file.findings.found, &file.findings.sources));
        let wrong = Some(("error", file.message.clone(), details));
        let (name, line) = ("the file can be used".to_owned(), file.place.map(|(line, _)| line));
        suites.push((file.name.clone(), vec![Test { name, file: file.name.clone(), line, wrong }]));
    }
    for stray in &report.strays {
        let wrong = Some(("failure", stray.message.clone(), format!("help: {}\n", stray.help)));
        let name = "the file is run".to_owned();
        suites.push((stray.name.clone(), vec![Test { name, file: stray.name.clone(), line: None, wrong }]));
    }
    let all = || suites.iter().flat_map(|(_, tests)| tests);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "<testsuites name=\"tollgate\" {}>", sums(all()));
    for (name, tests) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", attribute(name), sums(tests.iter()));
        for test in tests {
            one_test(&mut out, name, test);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn sums<'a>(tests: impl Iterator<Item = &'a Test> + Clone) -> String {
    let count = |word: &str| {
        tests.clone().filter(|test| test.wrong.as_ref().is_some_and(|(kind, _, _)| *kind == word)).count()
    };
    let (failures, errors) = (count("failure"), count("error"));
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"", tests.count())
}

fn tests(report: &FileReport<'_>) -> Vec<Test> {
    let name = || report.file.name.clone();
    let mut out: Vec<Test> = report.checks.iter().map(|check| check_test(check, report)).collect();
    for example in &report.examples {
        let source = report.file.sources.get(example.file);
        let wrong = example.finding.as_ref().map(|finding| {
            let shown = render::text::diagnostics(std::slice::from_ref(finding), &report.file.sources);
            ("failure", finding.message.clone(), plain(&shown))
        });
        out.push(Test {
            name: example.name.clone(),
            file: source.map(|source| source.name.clone()).unwrap_or_default(),
            line: source.map(|source| source.place(example.span.start).line),
            wrong,
        });
    }
    if report.is_empty() {
        let help = "help: add `cases:` or a `matrix:`, or delete it\n".to_owned();
        let wrong = Some(("failure", "the file checks nothing".to_owned(), help));
        out.push(Test { name: "the file checks something".to_owned(), file: name(), line: None, wrong });
    }
    if let Some(snapshot) = &report.snapshot {
        let wrong = report.is_stale().then(|| {
            let details = format!("{}help: {}\n", text::differences(snapshot), snapshot.mend);
            ("failure", snapshot.sentence(), plain(&details))
        });
        out.push(Test { name: "the snapshot says the same".to_owned(), file: name(), line: None, wrong });
    }
    out
}

fn check_test(check: &CheckReport, report: &FileReport<'_>) -> Test {
    let wrong = (!check.holds()).then(|| {
        let sentences: Vec<String> = check.failures.iter().map(crate::suite::Failure::sentence).collect();
        ("failure", sentences.join("; "), plain(&text::details(report.file, check)))
    });
    let line = check.place.map(|(line, _)| line);
    Test { name: check.name.clone(), file: report.file.name.clone(), line, wrong }
}

fn one_test(out: &mut String, class: &str, test: &Test) {
    let line = test.line.map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
    let (name, class, file) = (attribute(&test.name), attribute(class), attribute(&test.file));
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" file=\"{file}\"{line}");
    match &test.wrong {
        None => out.push_str("/>\n"),
        Some((kind, message, details)) => {
            let (message, details) = (attribute(message), content(details));
            let _ =
                writeln!(out, ">\n      <{kind} message=\"{message}\">{details}</{kind}>\n    </testcase>");
        }
    }
}

/// Without colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The text of an attribute. Ends of lines are written as numbers: a reader would make blanks of them.
fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

/// The text of an element. Characters that XML 1.0 does not have are replaced.
fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in harmless(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{attribute, content};

    #[test]
    fn every_character_is_one_of_xml() {
        let all: String = (0..=0x11_0000).filter_map(char::from_u32).collect();
        let fits =
            |c: char| matches!(c, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(content(&all).chars().all(fits));
        assert!(!content(&all).contains(['<', '>']));
        assert!(!attribute(&all).contains(['<', '>', '"', '\n', '\t']));
        assert_eq!(attribute("a & <b> \"c\"\n\u{1b}[0m"), "a &amp; &lt;b&gt; &quot;c&quot;&#10;\u{241b}[0m");
        assert_eq!(content("a & \"c\"\n"), "a &amp; \"c\"\n");
    }
}
