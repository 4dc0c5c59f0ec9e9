//! The canonical layout: stable, and the same policy.

use proptest::prelude::*;
use tollgate::base::FileId;
use tollgate::format::format;
use tollgate::syntax::parse;

use crate::lang::{cases, listing};

fn formatted(text: &str) -> String {
    match format(text) {
        Ok(out) => out,
        Err(diagnostics) => panic!("{text}\n{}", listing(text, &diagnostics)),
    }
}

#[test]
fn the_good_files_keep_their_layout_once_they_have_it() {
    for (name, text) in cases("good") {
        let once = formatted(&text);
        assert_eq!(formatted(&once), once, "{name}");
        insta::assert_snapshot!(format!("format_{name}"), once);
    }
}

#[test]
fn broken_files_are_left_alone() {
    assert!(format("block a { on reed }").is_err());
    assert!(format("").is_err());
}

#[test]
fn windows_line_ends_become_unix_ones() {
    assert_eq!(
        formatted("tollgate 1\r\n\r\n// c\r\nmodes a,\r\n  b\r\n"),
        "tollgate 1\n\n// c\nmodes a, b\n"
    );
}

#[test]
fn long_things_are_broken_at_their_own_commas() {
    let names: Vec<String> = (0..12).map(|n| format!("\"./folder-number-{n}/**\"")).collect();
    let text = format!(
        "tollgate 1\nlet a = path {{{}}}\nblock b {{ on read when path in path {{{}}} and mode is plan or (mode is build and path under \"./a/very/long/path/indeed\" and args.x is \"a rather long value\") }}\n",
        names.join(","),
        names.join(" , ")
    );
    let once = formatted(&text);
    assert_eq!(formatted(&once), once);
    insta::assert_snapshot!(once);
}

#[test]
fn comments_stay() {
    let text = "// first\ntollgate 1 // edition\n\n\n\n// before\nmodes a, // a\n  b // b\n  // own\n  , c\nlet s = path { // open\n\n  // one\n  \"a\" // a\n  // comma next\n  , \"b\" // b\n\n  // end\n}\n///doc\n// between\n@owner   \"x\" // owner\nblock r { // open\n\n  on read // scope\n  when // when\n    mode is // value\n    a and // and\n    // own\n    not ( // paren\n      tool is \"x\" // x\n    ) // closed\n  // last\n} // end\n// eof";
    let once = formatted(text);
    assert_eq!(formatted(&once), once);
    insta::assert_snapshot!(once);
}

/// A separator: mostly blanks, sometimes line ends, blank lines and comments. Nothing but blanks
/// goes before column 1, as items start there.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => Just(" ".to_owned()),
        2 => Just("   ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\n\n\n ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => "[a-z{}(),\"`/ ]{0,8}".prop_map(|c| format!(" // {c}\n  ")),
        1 => "[a-z{}(),\"`/ ]{0,8}".prop_map(|c| format!("\n\n  //-{c}\n\n  //// x\n ")),
    ]
}

fn word(choices: &'static [&'static str]) -> BoxedStrategy<Vec<String>> {
    prop::sample::select(choices).prop_map(|text| text.split('~').map(str::to_owned).collect()).boxed()
}

fn joined(parts: Vec<Vec<String>>, by: &str) -> Vec<String> {
    let mut out = Vec::new();
    for part in parts {
        if !out.is_empty() {
            out.push(by.to_owned());
        }
        out.extend(part);
    }
    out
}

fn set() -> impl Strategy<Value = Vec<String>> {
    let element = word(&[
        "\"./a/**\"",
        "docs",
        "`git push ...`",
        "10.0.0.0/8",
        "fc00::/7",
        "42",
        "\"x // y\"",
        "\"a rather long string to fill the line\"",
    ]);
    (word(&["", "path", "net", "command"]), prop::collection::vec(element, 0..7), any::<bool>()).prop_map(
        |(kind, elements, comma)| {
            let mut out: Vec<String> = kind.into_iter().filter(|k| !k.is_empty()).collect();
            out.push("{".into());
            let some = !elements.is_empty();
            out.extend(joined(elements, ","));
            if some && comma {
                out.push(",".into());
            }
            out.push("}".into());
            out
        },
    )
}

fn condition() -> BoxedStrategy<Vec<String>> {
    let field = word(&[
        "path",
        "args.or",
        "args[\"odd , name\"][0].and",
        "size~(~args.x~)",
        "any~args.to[*]",
        "command.flags",
    ]);
    let right = prop_oneof![
        word(&[
            "is~\"text\"",
            "is~not~30s",
            "is~present",
            "is~not~opaque",
            "not~matches~/a\\/\\/b{2}/i",
            "starts~with~\"x\"",
            "<=~5.50",
            "under~workspace",
            "contains~`git {a,b} ...`",
            "is~2027-03-31",
            "in~docs",
            "is~true"
        ]),
        set().prop_map(|set| [vec!["not".to_owned(), "in".to_owned()], set].concat()),
    ];
    let leaf = prop_oneof![
        (field, right).prop_map(|(f, r)| [f, r].concat()),
        word(&["risky", "true", "session~has~untrusted"]),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 2..4), prop::sample::select(vec!["and", "or"]))
                .prop_map(|(parts, by)| joined(parts, by)),
            inner.clone().prop_map(|c| [vec!["not".into(), "(".into()], c, vec![")".into()]].concat()),
            inner.prop_map(|c| [vec!["(".into()], c, vec![")".into()]].concat()),
        ]
    })
    .boxed()
}

fn clause() -> impl Strategy<Value = Vec<String>> {
    let fixed = word(&[
        "on~read~,~write~by~shell~,~\"mcp:*\"",
        "on~result~of~any",
        "because~\"{path} // {{\"",
        "covers~read~,~network",
        "limit~calls~20~per~1m",
        "limit~time~30s",
        "approve~alike~for~15m",
        "unknown~ask",
        "until~2027-03-31",
        "mark~untrusted",
        "set~args.a~=~{\"a\": [1, 2,  {}]}",
        "fill~args[\"x y\"]~=~null",
        "clamp~args.n~to~-1..5",
        "remove~args.list[0]",
        "append~command~`--x y`",
        "replace~args.x~matching~/a/~with~\"b\"",
        "replace~secrets~with~\"\"",
        "example~not~t~{\"a\":   \"// x\"}~in~plan~with~{}~gives~{ }",
    ]);
    prop_oneof![
        3 => fixed,
        1 => condition().prop_map(|c| [vec!["when".to_owned()], c].concat()),
        1 => condition().prop_map(|c| [vec!["unless".to_owned()], c].concat()),
    ]
}

fn item() -> impl Strategy<Value = Vec<String>> {
    let body = |head: &'static str, lines: Vec<Vec<String>>| {
        let mut out: Vec<String> = head.split(' ').map(str::to_owned).collect();
        out.push("{".into());
        out.extend(lines.concat());
        out.push("}".into());
        out
    };
    let line = word(&[
        "reads~args.path~or~\".\"~recursively",
        "runs~args.command~in~args.cwd~or~\".\"~as~bash",
        "network~on~optional~args.to[*]",
        "connects~args.url",
        "nothing",
        "writes~args.x~as~glob",
        "schema~{\"type\": \"object\",\n    \"x\": [1]}",
        "schema~\"a.json\"",
    ]);
    prop_oneof![
        1 => word(&["modes~a~,~b", "labels~x", "default~block", "unknown~ask", "import~\"std:secrets\""]),
        1 => set().prop_map(|s| [vec!["let".into(), "docs".into(), "=".into()], s].concat()),
        1 => condition().prop_map(|c| [vec!["let".into(), "risky".into(), "=".into()], c].concat()),
        1 => prop::collection::vec(line, 1..4).prop_map(move |lines| body("tool t", lines)),
        1 => condition().prop_map(move |c| body("invariant i", vec![vec!["never".into(), "read".into(), ",".into(), "write".into(), "by".into(), "a".into(), "when".into()], c])),
        3 => prop::collection::vec(clause(), 0..5).prop_map(move |clauses| body("block r", clauses)),
    ]
}

fn file() -> impl Strategy<Value = String> {
    let before = prop_oneof![
        6 => Just(String::new()),
        1 => Just("\n\n\n".to_owned()),
        1 => Just("/// doc\n@owner \"x\"\n".to_owned()),
        1 => Just("  // indented\n\n///doc // no comment\n// between\n@severity   high // why\n".to_owned()),
    ];
    let item = item().prop_flat_map(|tokens| {
        let gaps = prop::collection::vec(gap(), tokens.len());
        (Just(tokens), gaps).prop_map(|(tokens, gaps)| {
            let mut out = String::new();
            for (token, gap) in tokens.iter().zip(gaps) {
                if !out.is_empty() {
                    out.push_str(&gap);
                }
                out.push_str(token);
            }
            out
        })
    });
    let end = prop_oneof![Just("\n"), Just(" // trailing\n"), Just("\n\n\n")];
    prop::collection::vec((before, item, end), 0..5).prop_map(|items| {
        let mut out = "// header\ntollgate 1\n".to_owned();
        for (before, item, end) in items {
            out.push_str(&before);
            out.push_str(&item);
            out.push_str(end);
        }
        out
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_layout_is_stable_and_keeps_every_comment(text in file()) {
        let (tree, diagnostics) = parse(FileId(0), &text);
        prop_assert!(diagnostics.is_empty(), "{}\n{}", text, listing(&text, &diagnostics));
        let once = formatted(&text);
        let twice = formatted(&once);
        prop_assert_eq!(&twice, &once, "{}", text);
        let comments = |t: &str| parse(FileId(0), t).0.comments.into_iter().map(|c| c.node).collect::<Vec<_>>();
        let written: Vec<String> = tree.comments.into_iter().map(|c| c.node).collect();
        prop_assert_eq!(comments(&once), written);
        prop_assert!(once.lines().all(|line| line == line.trim_end() || line.contains("\"")), "{}", once);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[a-z{}(),\"`/\\\\ \n@=.<>!0-9*:é-]{0,200}") {
        let (_, diagnostics) = parse(FileId(0), &text);
        for d in &diagnostics {
            prop_assert!(text.get(d.span.range()).is_some(), "{d:?}");
        }
    }

    /// Policies with one token taken out, doubled or moved: every answer is in bounds, and its
    /// mends can be made.
    #[test]
    fn damaged_policies_are_explained(text in file(), at in 0_usize..400, what in 0..4) {
        let tokens = tollgate::syntax::trivia::tokens(&text);
        let token = tokens[at % tokens.len()];
        let mut damaged = text.clone();
        match what {
            0 => damaged.replace_range(token.span.range(), ""),
            1 => damaged.insert_str(token.span.end as usize, token.text(&text)),
            2 => damaged.insert_str(token.span.start as usize, " } "),
            _ => damaged.truncate(token.span.end as usize),
        }
        let (_, diagnostics) = parse(FileId(0), &damaged);
        for d in &diagnostics {
            prop_assert!(damaged.get(d.span.range()).is_some());
            prop_assert!(d.code != "internal-error");
            for edit in d.fix.iter().flat_map(|fix| &fix.edits) {
                prop_assert!(damaged.get(edit.span.range()).is_some());
            }
        }
    }
}
