use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn numbers_keep_their_text() {
    for text in ["1e2", "-0", "100", "12345678901234567890123456789.10", "1E+400", "0.10"] {
        assert_eq!(parse_json(text).expect(text).to_string(), text);
    }
    let equal = |a, b| values_equal(&parse_json(a).expect(a), &parse_json(b).expect(b));
    assert!(equal("1e2", "100") && equal("-0", "0") && equal("[1.0,{\"a\":2}]", "[1,{\"a\":2.00}]"));
    assert!(equal("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"));
    assert!(!equal("9007199254740993", "9007199254740992") && !equal("1", "\"1\"") && !equal("[1]", "[1,1]"));
}

#[test]
fn refuses_what_hides() {
    for (text, at, line, column) in [
        ("{\"a\": 1,\n \"a\": 2}", "", 2, 2),
        ("{\"x\": {\"a\": 1, \"\\u0061\": 2}}", "/x", 1, 16),
        ("[1, 2] 3", "", 1, 8),
        ("{\"a/b\": [0, tru]}", "/a~1b/1", 1, 13),
        ("[1,]", "/1", 1, 4),
        ("{\"a\": 01}", "/a", 1, 9),
        ("\"\\ud800\"", "", 1, 8),
        ("\"\\ud800\\u0041\"", "", 1, 14),
        ("\"a\nb\"", "", 1, 3),
        ("", "", 1, 1),
        ("\"é\\x\"", "", 1, 4),
    ] {
        let error = parse_json(text).expect_err(text);
        assert_eq!((error.at.as_str(), error.line, error.column), (at, line, column), "{text}: {error}");
    }
    for text in [
        "{a: 1}",
        "'a'",
        "nul",
        "NaN",
        "1.",
        ".5",
        "1e",
        "+1",
        "{\"a\" 1}",
        "[1 2]",
        "\"\\u12g4\"",
        "truefalse",
    ] {
        assert!(parse_json(text).is_err(), "{text}");
    }
    assert!(parse_json("{\"$serde_json::private::Number\": \"1\"}").is_err());
    assert!(parse_json(&"[".repeat(100_000)).is_err());
    assert!(parse_json(&format!("{}{}", "[".repeat(64), "]".repeat(64))).is_ok());
    assert_eq!(parse_json("\"\\u0000\\ud83d\\ude00\"").expect("string"), json!("\0😀"));
}

#[test]
fn calls() {
    let call = parse_call(r#"{"tool": "read_file", "args": {"path": "a"}, "mode": "build", "timeoutMs": 5000, "background": true, "cwd": "/x"}"#).expect("call");
    assert_eq!((call.id.as_str(), call.tool.as_str(), call.timeout_ms), ("", "read_file", Some(5000)));
    assert_eq!(call.context.mode.as_deref(), Some("build"));
    assert!(call.background);
    for (text, message) in [
        (r#"{"tol": "x"}"#, "a call has no key `tol`, did you mean `tool`?"),
        (r#"{"args": {}}"#, "a call must have `tool`"),
        (r#"{"tool": ""}"#, "`tool` must be a name, this is an empty string"),
        (r#"{"tool": "x", "args": "{}"}"#, "`args` must be an object, this is a string"),
        (r#"{"tool": "x", "mode": null}"#, "`mode` must be a string, this is null"),
        (
            r#"{"tool": "x", "timeoutMs": 1.5}"#,
            "`timeoutMs` must be a whole number of milliseconds, this is a number with a fraction or an exponent",
        ),
        (r#"["tool"]"#, "a call is an object, this is a list"),
        (r#"{"tool": "x", "tool": "y"}"#, "`tool` stands twice in one object (line 1, column 15)"),
    ] {
        assert_eq!(parse_call(text).expect_err(text).to_string(), message);
    }
}

proptest! {
    #[test]
    fn agrees_with_the_library(text in "[ \\[\\]{}:,\"a1e.\\\\u0-]{0,24}") {
        let own = parse_json(&text);
        let library = serde_json::from_str::<serde_json::Value>(&text);
        // The library takes the last of two equal keys; everything else is the same language.
        let twice = own.as_ref().is_err_and(|error| error.message.contains("twice"));
        let same = match (&own, &library) {
            (Ok(a), Ok(b)) => values_equal(a, b),
            (a, b) => a.is_err() == b.is_err(),
        };
        prop_assert!(twice || same, "{text}");
    }
}
