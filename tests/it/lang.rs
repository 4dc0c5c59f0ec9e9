//! Texts of the rule language, read and explained.

use std::fmt::Write as _;
use std::path::PathBuf;

use tollgate::base::{Diagnostic, FileId, Source};
use tollgate::syntax::ast::*;
use tollgate::syntax::parse;

pub fn cases(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases/lang").join(folder);
    let mut out: Vec<(String, String)> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "toll"))
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    out.sort();
    out
}

/// `code line:col-line:col message | expected | help`, and the line with its fix made.
pub fn listing(text: &str, diagnostics: &[Diagnostic]) -> String {
    let source = Source::new("x.toll", text);
    let mut out = String::new();
    for d in diagnostics {
        let (from, to) = source.places(d.span);
        let or = |s: &Option<String>| s.clone().unwrap_or_else(|| "-".into());
        writeln!(
            out,
            "{} {}:{}-{}:{} {} | {} | {}",
            d.code,
            from.line,
            from.column,
            to.line,
            to.column,
            d.message,
            or(&d.expected),
            or(&d.help)
        )
        .unwrap();
        if let Some(fix) = &d.fix {
            let mut fixed = text.to_owned();
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|e| std::cmp::Reverse(e.span.start));
            for edit in &edits {
                fixed.replace_range(edit.span.range(), &edit.text);
            }
            let first = edits.last().unwrap().span.start as usize;
            let start = fixed[..first].rfind('\n').map_or(0, |at| at + 1);
            let lines: Vec<&str> = fixed[start..].lines().take(2).collect();
            let how = if fix.safe { "fix" } else { "maybe" };
            writeln!(out, "    {how}: {}", lines.join(" ⏎ ")).unwrap();
        }
    }
    out
}

fn good(text: &str) -> File {
    let whole = format!("tollgate 1\n{text}\n");
    let (file, diagnostics) = parse(FileId(0), &whole);
    assert!(diagnostics.is_empty(), "{}\n{}", whole, listing(&whole, &diagnostics));
    file
}

#[test]
fn the_good_files_are_read_without_a_word() {
    for (name, text) in cases("good") {
        let (_, diagnostics) = parse(FileId(0), &text);
        assert!(diagnostics.is_empty(), "{name}\n{}", listing(&text, &diagnostics));
    }
}

#[test]
fn the_bad_files_are_explained() {
    insta::glob!("../cases/lang", "*.toll", |path| {
        let text = std::fs::read_to_string(path).unwrap();
        let (_, diagnostics) = parse(FileId(0), &text);
        insta::assert_snapshot!(listing(&text, &diagnostics));
    });
}

fn codes(text: &str) -> Vec<&'static str> {
    parse(FileId(0), text).1.iter().map(|d| d.code).collect()
}

#[test]
fn the_policies_that_ship_are_read() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for folder in ["policies/std", "policies/starters", "examples/quickstart"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ext| ext == "toll") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (_, diagnostics) = parse(FileId(0), &text);
                assert!(diagnostics.is_empty(), "{}\n{}", path.display(), listing(&text, &diagnostics));
            }
        }
    }
}

#[test]
fn huge_nonsense_ends_quickly() {
    const BYTES: usize = 4 << 20;
    let mut seed = 7_u32;
    let noise: Vec<u8> = (0..BYTES / 4)
        .flat_map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()
        })
        .collect();
    let mut noise = String::from_utf8_lossy(&noise).into_owned();
    noise.truncate((0..=BYTES).rev().find(|&at| noise.is_char_boundary(at)).unwrap());
    let mut texts = vec![noise];
    for unit in [
        "(",
        "not ",
        "{",
        "[",
        "a\n",
        "block\n",
        "block a {\n",
        "}\n",
        "\"",
        "/",
        "@",
        "///\n",
        "unknown\n",
        "{\"a\":",
    ] {
        let bytes = if matches!(unit, "(" | "not " | "{") { BYTES } else { BYTES / 64 };
        texts.push(unit.repeat(bytes / unit.len()));
        for head in ["let x = ", "block a { example t {\"a\": "] {
            let mut text = head.to_owned();
            text.push_str(&unit.repeat(BYTES / 64 / unit.len()));
            texts.push(text);
        }
    }
    for unit in ["a and ", "a or b and ", "path in {\"x\"} and not "] {
        // Long, flat and right: no recursion may be as deep as the text is long.
        texts.push(format!("tollgate 1\nlet x = {}a\n", unit.repeat((1 << 18) / unit.len())));
    }
    for text in texts {
        let (_, diagnostics) = parse(FileId(0), &text);
        assert!(diagnostics.len() <= 1_010);
    }
    assert_eq!(codes(&"x".repeat(BYTES + 1)), ["file-too-large"]);
}

fn clauses(text: &str) -> Vec<ClauseKind> {
    let file = good(&format!("block a {{ {text} }}"));
    match file.items.into_iter().nth(1).unwrap().kind {
        ItemKind::Rule(rule) => rule.clauses.into_iter().map(|clause| clause.kind).collect(),
        other => panic!("{other:?}"),
    }
}

fn condition(text: &str) -> Condition {
    match clauses(&format!("when {text}")).remove(0) {
        ClauseKind::When(condition) => condition,
        other => panic!("{other:?}"),
    }
}

/// A condition as it was understood, every part in parentheses.
fn shape(condition: &Condition) -> String {
    let all =
        |parts: &[Condition], by: &str| format!("({})", parts.iter().map(shape).collect::<Vec<_>>().join(by));
    match &condition.kind {
        ConditionKind::Or(parts) => all(parts, " or "),
        ConditionKind::And(parts) => all(parts, " and "),
        ConditionKind::Not(inner) => format!("not {}", shape(inner)),
        ConditionKind::Name(name) => name.clone(),
        ConditionKind::Bool(value) => value.to_string(),
        ConditionKind::SessionHas(label) => format!("has {}", label.node),
        ConditionKind::Compare(c) => {
            let quantifier = c.quantifier.as_ref().map(|q| format!("{:?} ", q.node)).unwrap_or_default();
            let function = c.left.function.as_ref().map(|f| format!("{:?} ", f.node)).unwrap_or_default();
            let steps: Vec<String> = c.left.field.steps.iter().map(|s| format!("{:?}", s.node)).collect();
            let not = if c.negated { "Not" } else { "" };
            let right = c.right.as_ref().map(|v| format!(" {}", value(v))).unwrap_or_default();
            format!(
                "{quantifier}{function}{}{} {not}{:?}{right}",
                c.left.field.root.node,
                steps.concat(),
                c.operator.node
            )
        }
    }
}

fn value(value: &Value) -> String {
    match &value.kind {
        ValueKind::Set(set) => {
            let kind = set.kind.as_ref().map(|k| format!("{:?}", k.node)).unwrap_or_default();
            format!("{kind}{{{}}}", set.elements.iter().map(self::value).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn conditions_group_as_the_language_says() {
    for (text, expected) in [
        ("a and b or not c and d", "((a and b) or (not c and d))"),
        ("not (a or b) and c", "(not (a or b) and c)"),
        ("not not a", "not not a"),
        ("not path is \"x\"", "not path Is Text(\"x\")"),
        ("path is not \"x\"", "path NotIs Text(\"x\")"),
        ("path not in docs", "path NotIn Word(\"docs\")"),
        ("path not under workspace", "path NotUnder Word(\"workspace\")"),
        ("user not matches /a/i", "user NotMatches Regex(Regex { pattern: \"a\", ignore_case: true })"),
        ("command.flags not contains \"-r\"", "commandName(\"flags\") NotContains Text(\"-r\")"),
        ("user not starts\n  with \"a\"", "user NotStartsWith Text(\"a\")"),
        ("user ends with \"a\"", "user EndsWith Text(\"a\")"),
        ("args.x is not present", "argsName(\"x\") NotIsPresent"),
        ("args.x is absent", "argsName(\"x\") IsAbsent"),
        ("args.x is not null", "argsName(\"x\") NotIsNull"),
        ("path is not opaque", "path NotIsOpaque"),
        ("ip is unresolved", "ip IsUnresolved"),
        ("not session has untrusted", "not has untrusted"),
        (
            "any args.to[*].set not in {\"a\", staff,}",
            "Any argsName(\"to\")EachName(\"set\") NotIn {Text(\"a\"), Word(\"staff\")}",
        ),
        ("all command.operands is \"x\"", "All commandName(\"operands\") Is Text(\"x\")"),
        ("size(args.a) <= 20KB", "Size argsName(\"a\") LessOrEqual Size(20480)"),
        ("count(args.list) > -1.5", "Count argsName(\"list\") Greater Number(\"-1.5\")"),
        (
            "lower(args[\"odd \\\" name\"][3]) is true",
            "Lower argsName(\"odd \\\" name\")Index(3) Is Bool(true)",
        ),
        ("path in path {\"out/**\"}", "path In Path{Text(\"out/**\")}"),
        (
            "args.ip in net {10.0.0.0/8, ::1, fc00::/7}",
            "argsName(\"ip\") In Net{Net(\"10.0.0.0/8\"), Net(\"::1\"), Net(\"fc00::/7\")}",
        ),
        ("command in {`a b`, builds}", "command In {Command(\"a b\"), Word(\"builds\")}"),
        ("mode in {plan, build}", "mode In {Word(\"plan\"), Word(\"build\")}"),
        ("args.not is null", "argsName(\"not\") IsNull"),
        ("args.when.and.or is 30s", "argsName(\"when\")Name(\"and\")Name(\"or\") Is Duration(30000)"),
        ("via.program is \"x\"", "viaName(\"program\") Is Text(\"x\")"),
        ("args.day is 2027-03-31", "argsName(\"day\") Is Date(Date { year: 2027, month: 3, day: 31 })"),
        ("true", "true"),
    ] {
        assert_eq!(shape(&condition(text)), expected, "{text}");
    }
}

#[test]
fn a_span_covers_exactly_what_was_written() {
    let text =
        "tollgate 1\nblock a {\n  when (a or b)   // c\n    and not path is not \"x\"  \n  mark  y\n}\n";
    let (file, _) = parse(FileId(0), text);
    let ItemKind::Rule(rule) = &file.items[1].kind else { panic!() };
    let slices: Vec<&str> = rule.clauses.iter().map(|c| c.span.slice(text)).collect();
    assert_eq!(slices, ["when (a or b)   // c\n    and not path is not \"x\"", "mark  y"]);
    assert_eq!(file.items[1].span.slice(text), &text[11..text.len() - 1]);
    let ClauseKind::When(condition) = &rule.clauses[0].kind else { panic!() };
    let ConditionKind::And(parts) = &condition.kind else { panic!() };
    let slices: Vec<&str> = parts.iter().map(|c| c.span.slice(text)).collect();
    assert_eq!(slices, ["(a or b)", "not path is not \"x\""]);
}

#[test]
fn clauses_say_what_they_say() {
    use ClauseKind as K;
    let read = clauses(
        "on result of read, any by a, \"m:*\" because \"x\\n\" covers read limit calls 20 per 1m limit calls 3 per session \
         limit grade confined approve alike per session approve for 15m unknown ask until 2028-02-29 mark a-1 \
         set args.set = [1, {\"a\": null}] clamp args.n to -1..2.5 append command `-x` append args.l = 1 remove args.a[*] \
         replace args.x matching /a/ with \"b\" replace secrets with \"c\" replace /d/i with \"e\" \
         example not \"m:x\" {\"a\": \"}\"} in plan with {} gives {\"b\": 1}",
    );
    assert_eq!(read.len(), 20);
    assert!(
        matches!(&read[0], K::On { result: true, capabilities, by } if capabilities.len() == 2 && by[1].node == "m:*")
    );
    assert!(matches!(&read[1], K::Because(text) if text.node == "x\n"));
    assert!(matches!(&read[3], K::Limit(LimitClause::Calls { max, per_ms: Some(60_000) }) if max.node == 20));
    assert!(matches!(&read[4], K::Limit(LimitClause::Calls { per_ms: None, .. })));
    assert!(matches!(&read[6], K::Approve { alike: true, reach: ApproveReach::Session }));
    assert!(matches!(&read[7], K::Approve { alike: false, reach: ApproveReach::Ms(900_000) }));
    assert!(matches!(&read[11], K::Modify(ModifyClause::Set(place, json))
        if place.path == [Step::Name("set".into())] && json.node == "[1, {\"a\": null}]"));
    assert!(
        matches!(&read[12], K::Modify(ModifyClause::Clamp(_, low, high)) if low.node == "-1" && high.node == "2.5")
    );
    assert!(matches!(&read[15], K::Modify(ModifyClause::Remove(place)) if place.path[1] == Step::Each));
    assert!(matches!(&read[16], K::Modify(ModifyClause::Replace(..))));
    assert!(matches!(&read[17], K::Redact { pattern: None, .. }));
    let K::Example(example) = &read[19] else { panic!("{:?}", read[19]) };
    assert!(example.negated && example.tool.node == "m:x" && example.args.node == "{\"a\": \"}\"}");
    assert_eq!(example.mode.as_ref().unwrap().node, "plan");
    assert_eq!(
        (&*example.world.as_ref().unwrap().node, &*example.gives.as_ref().unwrap().node),
        ("{}", "{\"b\": 1}")
    );
}

#[test]
fn tool_lines_may_share_a_text_line() {
    let file = good(
        "tool t { reads optional args.a or \".\" recursively as glob  runs args.c in args.d as words\n\
         network on args.to[*] write nothing schema {\n  \"type\": \"object\"\n} }",
    );
    let ItemKind::Tool(tool) = &file.items[1].kind else { panic!() };
    assert_eq!(tool.lines.len(), 6);
    assert!(matches!(&tool.lines[0].kind, ToolLineKind::Access { arg, recursively: true, as_glob: true, .. }
        if arg.optional && arg.or.as_ref().unwrap().node == "."));
    assert!(
        matches!(&tool.lines[1].kind, ToolLineKind::Runs { cwd: Some(_), dialect: Some(d), .. } if d.node == "words")
    );
    assert!(matches!(&tool.lines[5].kind, ToolLineKind::SchemaInline(json) if json.node.contains('\n')));
}

#[test]
fn a_lone_name_is_a_condition_and_braces_are_a_set() {
    let file = good("let a = b\nlet c = {d}\nlet e = path {\"./x\",}");
    let kinds: Vec<bool> = file.items[1..]
        .iter()
        .map(|item| matches!(&item.kind, ItemKind::Let(Let { value: LetValue::Set(_), .. })))
        .collect();
    assert_eq!(kinds, [false, true, true]);
}

#[test]
fn docs_attributes_and_comments_are_kept() {
    let text = "tollgate 1 // one\n\n/// First.\n///  Second.\n// two\n@owner \"team\"\n@severity high\nblock a { on read } // three\n";
    let (file, diagnostics) = parse(FileId(0), text);
    assert!(diagnostics.is_empty());
    let docs: Vec<&str> = file.items[1].docs.iter().map(|d| &*d.node).collect();
    assert_eq!(docs, ["First.", " Second."]);
    assert_eq!(file.items[1].attributes[0].value.node, "team");
    assert_eq!(file.items[1].span.slice(text), "block a { on read }");
    let comments: Vec<&str> = file.comments.iter().map(|c| &*c.node).collect();
    assert_eq!(comments, ["// one", "// two", "// three"]);
    assert!(file.comments.iter().all(|c| c.span.slice(text) == c.node));
}

#[test]
fn the_edition_comes_first() {
    assert_eq!(codes(""), ["missing-edition"]);
    assert_eq!(codes("// c\nmodes a\n"), ["missing-edition"]);
    assert_eq!(codes("tollgate 2\nmodes a\n"), ["unknown-edition"]);
    assert_eq!(codes("modes a\ntollgate 1\n"), ["misplaced-edition"]);
    assert_eq!(codes("tollgate 1\ntollgate 1\n"), ["duplicate-edition"]);
    let text = "// c\nmodes a\n";
    let fix = parse(FileId(0), text).1[0].fix.clone().unwrap();
    assert_eq!((fix.edits[0].span.start, &*fix.edits[0].text), (5, "tollgate 1\n\n"));
}

#[test]
fn odd_characters_are_named_once() {
    assert_eq!(codes("\u{feff}tollgate 1\n"), ["byte-order-mark"]);
    assert_eq!(codes("tollgate 1\n// a\0b\0\nmodes a"), ["bad-character"]);
    assert_eq!(codes("tollgate 1\rmodes a\rlabels b\r\n"), ["bad-character"]);
    assert_eq!(codes("tollgate 1\r\nmodes a\r\n"), Vec::<&str>::new());
}

#[test]
fn nesting_has_a_bound() {
    let nested = |n: usize| format!("tollgate 1\nblock a {{ when {}a{} }}\n", "(".repeat(n), ")".repeat(n));
    assert_eq!(codes(&nested(64)), Vec::<&str>::new());
    assert_eq!(codes(&nested(65)), ["too-deep"]);
    let nots = |n: usize| format!("tollgate 1\nlet a = {}b\n", "not ".repeat(n));
    assert_eq!(codes(&nots(64)), Vec::<&str>::new());
    assert_eq!(codes(&nots(65)), ["too-deep"]);
}

#[test]
fn one_broken_item_is_one_error_and_the_rest_is_read() {
    let text = "tollgate 1\nblock a { on read\nblock b { wehn x\n  is y\nthen z\n}\n/// d\nallow c { on read }\n\
                let d = path {\"a\"\ntool e { nothing }\nblock f {\non read\nwhen tool\nis \"x\"\nunknown ask\n}\nunknown ask\n";
    let (file, diagnostics) = parse(FileId(0), text);
    let lines: Vec<u32> =
        diagnostics.iter().map(|d| Source::new("x", text).place(d.span.start).line).collect();
    assert_eq!(lines, [2, 3, 9], "{}", listing(text, &diagnostics));
    let kinds: Vec<&str> = file
        .items
        .iter()
        .map(|item| match &item.kind {
            ItemKind::Rule(rule) => &*rule.name.node,
            ItemKind::Tool(tool) => &*tool.name.node,
            ItemKind::Unknown(_) => "unknown",
            _ => "-",
        })
        .collect();
    assert_eq!(kinds, ["-", "c", "e", "f", "unknown"]);
}

/// A mend that is called certain is one: made, the file is read.
#[test]
fn certain_mends_mend() {
    for name in ["items", "clauses", "conditions"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/lang/{name}.toll"));
        let text = std::fs::read_to_string(path).unwrap();
        let before = parse(FileId(0), &text).1;
        for (at, d) in before.iter().enumerate() {
            let Some(fix) = d.fix.as_ref().filter(|fix| fix.safe) else { continue };
            let mut fixed = text.clone();
            let mut edits = fix.edits.clone();
            edits.sort_by_key(|e| std::cmp::Reverse(e.span.start));
            for edit in edits {
                fixed.replace_range(edit.span.range(), &edit.text);
            }
            let after = parse(FileId(0), &fixed).1;
            assert!(after.len() < before.len(), "{at}: {}", listing(&text, std::slice::from_ref(d)));
        }
    }
}
