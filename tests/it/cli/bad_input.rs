//! Input that cannot be used, in every place that takes input: exit 2, the place named, no fault.

use super::{Ended, POLICY, Place};

/// Bytes that look random and are the same in every run.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(65), close.repeat(65)).into_bytes();
    vec![
        ("noise", noise(4_096)),
        ("nothing", Vec::new()),
        ("a NUL", b"tollgate 1\n\0\n".to_vec()),
        ("not UTF-8 on line 2", b"tollgate 1\nallow \xc3\x28 { on read }\n".to_vec()),
        ("5 MiB", vec![b' '; 5 << 20]),
        ("65 levels of brackets", deep("[", "]")),
        ("65 levels of braces", deep("{\"a\":", "}")),
        (
            "65 levels of parentheses",
            [b"tollgate 1\nallow x { on read when ".to_vec(), deep("(", ")"), b" }\n".to_vec()].concat(),
        ),
        ("a million brackets", vec![b'['; 1_000_000]),
        ("the same key twice", b"mode: a\nmode: b\n".to_vec()),
        ("an unknown key", b"colour: red\n".to_vec()),
    ]
}

fn check(what: &str, name: &str, ended: &Ended) -> String {
    assert_eq!(ended.status, Some(2), "{what}, {name}: {ended}");
    assert!(!ended.stderr.contains("internal fault"), "{what}, {name}: {ended}");
    // No type, no path of a module, no source file of the program.
    for word in ["::", ".rs", "Err(", "Some(", "None", "panicked"] {
        assert!(!ended.stderr.contains(word), "{what}, {name}: {word} in {ended}");
    }
    let last: Vec<&str> = ended.stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let told = last.iter().rev().find(|line| line.starts_with("error")).copied().unwrap_or("(nothing)");
    let place = last.iter().find(|line| line.trim_start().starts_with("--> ")).copied().unwrap_or("");
    format!("{name}: {told}{place}\n")
}

#[test]
fn policies() {
    let place = Place::new();
    let mut out = String::new();
    for (name, text) in texts() {
        place.file("p.toll", text);
        out += &check("policy", name, &place.run(&["decide", "--config", "none", "--policy", "p.toll"]));
    }
    out += &check("policy", "missing", &place.run(&["decide", "--policy", "nowhere.toll"]));
    out += &check("policy", "a folder without policies", &place.run(&["decide", "--policy", ".git"]));
    insta::assert_snapshot!(out);
}

#[test]
fn a_mark_of_byte_order_is_named_or_read() {
    let place = Place::new();
    place.file("p.toll", format!("\u{feff}{POLICY}"));
    insta::assert_snapshot!(place.run(&["lint", "p.toll"]));
}

#[test]
fn configurations() {
    let place = Place::new();
    let mut out = String::new();
    place.file("p.toll", POLICY);
    for (name, text) in texts() {
        place.file("c.yaml", text);
        out += &check(
            "configuration",
            name,
            &place.run(&["decide", "--config", "c.yaml", "--policy", "p.toll"]),
        );
    }
    out += &check("configuration", "missing", &place.run(&["decide", "--config", "nowhere.yaml"]));
    insta::assert_snapshot!(out);
}

#[test]
fn worlds() {
    let place = Place::new();
    let mut out = String::new();
    place.file("p.toll", POLICY);
    for (name, text) in texts() {
        place.file("w.yaml", text);
        out += &check("world", name, &place.run(&["decide", "--policy", "p.toll", "--world", "w.yaml"]));
    }
    out +=
        &check("world", "missing", &place.run(&["decide", "--policy", "p.toll", "--world", "nowhere.yaml"]));
    insta::assert_snapshot!(out);
}

#[test]
fn calls() {
    let place = Place::new();
    place.file("p.toll", POLICY).file("w.yaml", "{}\n");
    for (name, text) in texts().into_iter().filter(|(name, _)| *name != "nothing" && *name != "5 MiB") {
        place.file("calls.jsonl", text);
        let ended =
            place.run(&["decide", "--policy", "p.toll", "--world", "w.yaml", "--calls", "calls.jsonl"]);
        check("calls", name, &ended);
        assert!(ended.stdout.lines().all(|line| line.contains("invalid-call")), "{name}: {ended}");
    }
    let missing = place.run(&["decide", "--policy", "p.toll", "--calls", "nowhere.jsonl"]);
    check("calls", "missing", &missing);
}

#[test]
fn large_numbers_keep_their_digits() {
    let place = Place::new();
    let policy = "tollgate 1\n\ntool pay { nothing }\n\nallow one { on any by pay  when args.n is 9007199254740993 }\n";
    place.file("p.toll", policy).file("w.yaml", "{}\n");
    let arguments = ["decide", "--policy", "p.toll", "--world", "w.yaml"];
    let verdict = |n: &str| {
        place.run_with(&arguments, format!("{{\"tool\": \"pay\", \"args\": {{\"n\": {n}}}}}").as_bytes())
    };
    assert!(verdict("9007199254740993").stdout.contains("\"allow\""));
    assert!(verdict("9007199254740992").stdout.contains("\"block\""));
    assert!(verdict("900719925474099300000000000000000000000001").stdout.contains("\"block\""));
}
