use proptest::prelude::*;

use super::*;

fn pattern(source: &str) -> TextPattern {
    TextPattern::new(source, false, false, &parse(source, false).expect(source)).expect(source)
}

#[test]
fn matching_is_that_of_the_whole_or_of_a_part() {
    let whole = |source: &str, ignore_case| {
        let parsed = parse(source, ignore_case).expect(source);
        TextPattern::new(source, ignore_case, true, &parsed).expect(source)
    };
    assert_eq!(pattern("b+").is_match("abbc"), Some(true));
    assert_eq!(whole("b+", false).is_match("abbc"), Some(false));
    assert_eq!(whole("b+", true).is_match("bBb"), Some(true));
    assert_eq!(whole("a|b", false).is_match("ab"), Some(false));
    assert_eq!(whole("(?x) a b # a comment", false).is_match("ab"), Some(true));
}

#[test]
fn what_is_too_large_is_refused_at_load() {
    for source in [r"\w{500}", r"(?:[^a]{100}){100}", r"(\pL{40}){40}", r"[a-z]{100000}"] {
        let Some(parsed) = parse(source, false) else { continue };
        assert_eq!(TextPattern::new(source, false, false, &parsed).err(), Some(TooLarge), "{source}");
    }
    // More than half of the limit by the bound, and compiled at load for that.
    for source in [r"\w+@\w+\.\w+ \w+", r"[^a]{500}", r"\pL{12}"] {
        assert_eq!(pattern(source).is_match(""), Some(false), "{source}");
    }
}

fn lists(source: &str, ignore_case: bool) -> Vec<Vec<String>> {
    let parsed = parse(source, ignore_case).expect(source);
    required(&parsed).into_iter().map(|list| list.into_iter().collect()).collect()
}

#[test]
fn texts_that_every_match_holds() {
    for (source, expected) in [
        ("AKIA[0-9A-Z]{16}", "akia"),
        (r"\bDROP\s+TABLE\s+t3_\w+", "drop|table|t3_"),
        (r"(?:[Pp]assword|passwd)_2\s*[:=]\s*\S+", "passwd_2,password_2|:,="),
        (r"(?:curl|wget)\s+[^|]*\|\s*(?:sh|bash)\s+#5\b", "curl,wget|||sh|#5"),
        (r"--force(?:-with-lease)?\s+proj7\b", "--force|proj7"),
        ("ab?c", "abc,ac"),
        ("(?:ab){2}c", "ababc"),
        ("(x+y)+z", "x|y|z"),
        ("a|b.*", "a,b"),
        ("a*", ""),
        (".*", ""),
        ("(?:foo)?", ""),
        ("[a-z]+", ""),
        ("foo|.*", ""),
    ] {
        let found: Vec<String> = lists(source, false).iter().map(|list| list.join(",")).collect();
        assert_eq!(found.join("|"), expected, "{source}");
    }
    // The Kelvin sign is a `k` where case is ignored.
    assert!(lists("ok", true).concat().contains(&"o\u{212a}".to_owned()));
}

/// Expressions of the forms that people write, and some that they do not.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[abkAK_ -]{1,4}",
        Just(r"\w".to_owned()),
        Just(r"\s*".to_owned()),
        Just("[a-c]".to_owned()),
        Just("[^b]".to_owned()),
        Just("[Kk]".to_owned()),
        Just(r"\b".to_owned()),
        Just("^".to_owned()),
        Just("$".to_owned()),
        Just(".".to_owned()),
        Just(r"\pL".to_owned()),
        Just(String::new()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (
                inner.clone(),
                prop_oneof![
                    Just("?"),
                    Just("*"),
                    Just("+"),
                    Just("{2}"),
                    Just("{0,3}"),
                    Just("{2,}"),
                    Just("{9}"),
                    Just("{0}"),
                ]
            )
                .prop_map(|(one, how)| format!("(?:{one}){how}")),
            inner.prop_map(|one| format!("({one})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_match_lacks_a_required_text(source in expression(), text in "[abkAKK_ -]{0,12}", ignore_case: bool) {
        let parsed = parse(&source, ignore_case).expect("the generator writes expressions");
        let pattern = TextPattern::new(&source, ignore_case, false, &parsed);
        let Ok(pattern) = pattern else { return Ok(()) };
        if pattern.is_match(&text) == Some(true) {
            let text = text.to_ascii_lowercase();
            for list in required(&parsed) {
                prop_assert!(list.iter().any(|part| text.contains(part.as_str())), "{source}: {list:?}");
            }
        }
    }

    #[test]
    fn the_weight_is_an_upper_bound(source in expression()) {
        let parsed = parse(&source, false).expect("the generator writes expressions");
        let config = meta::Config::new().nfa_size_limit(Some(weight::weight(&parsed)));
        let built = meta::Regex::builder().configure(config).build(&source);
        prop_assert!(built.is_ok(), "{source}: more than {} bytes", weight::weight(&parsed));
    }
}
