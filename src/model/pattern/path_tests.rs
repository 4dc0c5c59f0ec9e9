use proptest::prelude::*;

use super::*;
use crate::model::pattern::glob::{Component, Token, components_match, parse_component};

const NONE: Folding = Folding { case: false, unicode: false };
const CASE: Folding = Folding { case: true, unicode: false };
const BOTH: Folding = Folding { case: true, unicode: true };

fn anchors() -> Anchors {
    Anchors {
        workspace: vec!["/home/u/ws".into(), "/ws-link".into()],
        home: vec!["/home/u".into()],
        temp: vec!["/tmp".into()],
        literals: [("./docs".to_owned(), vec!["/home/u/ws/docs".to_owned(), "/srv/docs".to_owned()])].into(),
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    PathPattern::parse(pattern).expect(pattern).matches(path, &anchors(), NONE)
}

#[test]
fn anchors_and_wildcards() {
    for (pattern, path, expected) in [
        ("./src/**", "/home/u/ws/src", true),
        ("./src/**", "/home/u/ws/src/a/b.rs", true),
        ("./src/**", "/ws-link/src/a", true),
        ("./src/**", "/home/u/ws/srcs", false),
        ("./*", "/home/u/ws/a", true),
        ("./*", "/home/u/ws/a/b", false),
        ("./*", "/home/u/ws", false),
        ("./", "/home/u/ws", true),
        ("./**", "/home/u/ws", true),
        ("~/.ssh/**", "/home/u/.ssh/id", true),
        ("/", "/", true),
        ("/", "/a", false),
        ("/**", "/", true),
        ("/**", "/a/b", true),
        ("/etc/*.conf", "/etc/.conf", true),
        ("/etc/*.conf", "/etc/x/y.conf", false),
        ("**/.env", "/.env", true),
        ("**/.env", "/a/b/.env", true),
        ("**/.env", "/a/b/.envx", false),
        ("**/*.md", "/a/.md", true),
        ("**/a/**/b", "/a/b", true),
        ("**/a/**/b", "/x/a/y/z/b", true),
        ("**/a/**/b", "/x/a/y/z/c", false),
        ("./{a,b/c}/*.{rs,toml}", "/home/u/ws/b/c/x.toml", true),
        ("./{a,b/c}/*.{rs,toml}", "/home/u/ws/b/x.toml", false),
        ("./x{,y{1,2}}", "/home/u/ws/xy2", true),
        ("./x{,y{1,2}}", "/home/u/ws/x", true),
        ("./[a-c]?", "/home/u/ws/bz", true),
        ("./[!a-c]?", "/home/u/ws/bz", false),
        ("./\\*\\{", "/home/u/ws/*{", true),
        ("./%2e%2e", "/home/u/ws/%2e%2e", true),
        ("./docs/**", "/srv/docs/a", true),
        ("./docs", "/srv/docs", true),
        ("./docs/api/**", "/srv/docs/api/x", false),
        ("C:/x/**", "C:/x/y", true),
        ("c:/x/**", "C:/x/y", true),
        ("/x/**", "C:/x/y", false),
        ("**/y", "C:/x/y", true),
        ("/a\n*", "/a\nb", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn folding_of_case_and_unicode() {
    let p = |pattern: &str, path: &str, f| {
        PathPattern::parse(pattern).expect(pattern).matches(path, &anchors(), f)
    };
    assert!(p("**/.env", "/a/.ENV", CASE) && !p("**/.env", "/a/.ENV", NONE));
    assert!(p("./SRC/*.[a-z]s", "/HOME/u/ws/src/X.RS", CASE));
    assert!(p("**/caf\u{e9}*", "/cafe\u{301}s", BOTH) && !p("**/caf\u{e9}*", "/cafe\u{301}s", NONE));
    assert!(p("**/cafe\u{301}", "/CAF\u{c9}", BOTH));
    assert!(p("**/cafe\u{301}", "/cafe\u{301}", NONE));
    assert!(p("**/secret\u{17f}", "/secretS", CASE));
    assert!(!p("**/\u{131}d", "/id", CASE));
}

#[test]
fn refused_with_a_mend() {
    for (text, mend) in [
        ("out/**", Some("./out/**")),
        ("*.md", Some("./*.md")),
        ("", None),
        (".", Some("./")),
        ("~", Some("~/")),
        ("**", Some("/**")),
        ("../x", None),
        ("./a/../b", None),
        ("./{a,..}/b", None),
        ("./a/./b", Some("./a/b")),
        ("./a//b", Some("./a/b")),
        ("./a/", Some("./a/**")),
        ("./**.md", Some("./**/*.md")),
        ("./[a", None),
        ("./[^a]", Some("./[!a]")),
        ("./[z-a]", Some("./[a-z]")),
        ("./{a", None),
        ("./a}", None),
        ("./a\\", None),
        ("C:x", Some("C:/x")),
        ("C:\\x", Some("C:/x")),
        ("~root/x", None),
        ("./a\0", None),
    ] {
        let error = PathPattern::parse(text).expect_err(text);
        assert_eq!(error.mend.as_deref(), mend, "{text}: {error:?}");
    }
    let many = format!("./{}", "{a,b}".repeat(9));
    assert!(PathPattern::parse(&many).is_err());
    assert!(PathPattern::parse(&format!("./{}a{}", "{".repeat(50), "}".repeat(50))).is_err());
}

#[test]
fn literal_directories() {
    let dir = |text| PathPattern::parse(text).expect(text).literal_dir().map(|d| d.to_string());
    assert_eq!(dir("./a/b/*.md").as_deref(), Some("./a/b"));
    assert_eq!(dir("./a/b.md").as_deref(), Some("./a/b.md"));
    assert_eq!(dir("**/x"), None);
    assert_eq!(dir("/**").as_deref(), Some("/"));
    let several = PathPattern::parse("./{docs,src}/**").expect("pattern");
    assert_eq!(several.literal_dirs().len(), 2);
    let literal = PathPattern::parse_literal("./docs/").expect("literal");
    assert_eq!(literal.spellings(&anchors()), ["/home/u/ws/docs", "/srv/docs"]);
    assert!(literal.holds("/srv/docs/x", true, &anchors(), NONE));
    assert!(!literal.holds("/srv/docs/x", false, &anchors(), NONE));
    assert_eq!(PathPattern::parse_literal("~/").expect("home").spellings(&anchors()), ["/home/u"]);
    assert_eq!(PathPattern::parse_literal("/").expect("root").spellings(&anchors()), ["/"]);
    for text in ["./a/*", "**/a", "./{a}", "x", "./a/../b"] {
        assert!(PathPattern::parse_literal(text).is_err(), "{text}");
    }
}

#[test]
fn directories_and_what_lies_below() {
    assert!(is_or_below("/WS/a", "/ws", true, CASE) && !is_or_below("/WS/a", "/ws", true, NONE));
    assert!(is_or_below("/ws", "/ws/", false, NONE) && !is_or_below("/ws/a", "/ws", false, NONE));
    assert!(!is_or_below("/wsx", "/ws", true, NONE) && is_or_below("/ws", "/", true, NONE));
    assert!(is_or_below("C:/a", "c:/", true, CASE) && !is_or_below("C:/a", "/", true, CASE));
}

#[test]
fn coverage_of_regions() {
    let cover = |pattern, root| PathPattern::parse(pattern).expect(pattern).coverage(root, &anchors(), NONE);
    for (pattern, root, expected) in [
        ("./docs/**", "/home/u/ws/docs", Coverage::All),
        ("./docs/**", "/srv/docs/x", Coverage::All),
        ("./docs/**", "/home/u/ws", Coverage::Some),
        ("./docs/**", "/home/u/ws/src", Coverage::None),
        ("./**", "/home/u/ws/src", Coverage::All),
        ("./**/*", "/home/u/ws/src", Coverage::All),
        ("./**/*", "/home/u/ws", Coverage::Some),
        ("**/*.md", "/home/u/ws", Coverage::Some),
        ("./src/*.md", "/home/u/ws/src/a.md", Coverage::Some),
        ("./src/*.md", "/home/u/ws/src/a.md/b", Coverage::None),
        ("/**", "/etc", Coverage::All),
        ("/etc/**", "/", Coverage::Some),
        ("**/.git/**", "/x/.git/hooks", Coverage::All),
        ("C:/**", "/etc", Coverage::None),
    ] {
        assert_eq!(cover(pattern, root), expected, "{pattern} {root}");
    }
}

/// The meaning, written down without any thought of speed.
fn naive(pattern: &[Component], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Component::AnyDepth, rest)), _) => {
            naive(rest, path) || path.split_first().is_some_and(|(_, behind)| naive(pattern, behind))
        }
        (Some((first, rest)), Some((name, behind))) => {
            let chars: Vec<char> = name.chars().collect();
            let tokens = match first {
                Component::Literal(text) => text.chars().map(Token::Char).collect(),
                Component::Tokens(tokens) => tokens.clone(),
                Component::AnyDepth => Vec::new(),
            };
            naive_name(&tokens, &chars) && naive(rest, behind)
        }
        (Some(_), None) => false,
    }
}

fn naive_name(tokens: &[Token], text: &[char]) -> bool {
    match (tokens.split_first(), text.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((Token::AnyText, rest)), _) => (0..=text.len()).any(|n| naive_name(rest, &text[n..])),
        (Some(_), None) => false,
        (Some((token, rest)), Some((c, behind))) => {
            let one = match token {
                Token::Char(expected) => expected == c,
                Token::AnyChar => true,
                Token::AnyText => false,
                Token::Class { negated, ranges } => {
                    ranges.iter().any(|(low, high)| low <= c && c <= high) != *negated
                }
            };
            one && naive_name(rest, behind)
        }
    }
}

proptest! {
    #[test]
    fn agrees_with_the_naive_reading(
        pattern in proptest::collection::vec("(\\*\\*|[ab*?]{1,4}|\\[ab\\][ab*]{0,2}|[!a]{0,1}\\[!a\\])", 0..6),
        path in proptest::collection::vec("[abc]{1,4}", 0..7),
    ) {
        let components: Vec<_> =
            pattern.iter().filter_map(|text| parse_component(text, text).ok()).collect();
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let text = names.join("/");
        let rest = if names.is_empty() { None } else { Some(text.as_str()) };
        prop_assert_eq!(components_match(&components, rest, NONE), naive(&components, &names));
    }

    #[test]
    fn coverage_is_no_guess(
        pattern in proptest::collection::vec("(\\*\\*|[ab*]{1,2})", 1..5),
        root in proptest::collection::vec("[ab]{1,2}", 0..4),
        below in proptest::collection::vec("[abc]{1,2}", 0..4),
    ) {
        let Ok(pattern) = PathPattern::parse(&format!("/{}", pattern.join("/"))) else { return Ok(()) };
        let root = format!("/{}", root.join("/"));
        let path = if below.is_empty() { root.clone() } else { join(&root, &below.join("/")) };
        let hit = pattern.matches(&path, &anchors(), NONE);
        match pattern.coverage(&root, &anchors(), NONE) {
            Coverage::All => prop_assert!(hit, "{path}"),
            Coverage::None => prop_assert!(!hit, "{path}"),
            Coverage::Some => {}
        }
    }

    #[test]
    fn parsing_never_fails_badly(text in "[./~*?\\[\\]{},!^a\\\\C:-]{0,24}") {
        let _ = PathPattern::parse(&text);
        let _ = PathPattern::parse_literal(&text);
    }
}

#[test]
fn no_exponential_backtracking() {
    let pattern = PathPattern::parse(&format!("/{}/b", ["**/*a*a*a*"; 20].join("/"))).expect("pattern");
    let path = format!("/{}", ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; 60].join("/"));
    assert!(!pattern.matches(&path, &anchors(), NONE));
}
