use super::*;
use crate::effects::VirtualWorld;
use crate::model::demand::Demand;
use crate::model::path::Folding;
use crate::model::pattern::{Coverage, PathPattern};

const WORLD: &str = "
workspace: /ws
home: /home/u
files: {a.txt: '', docs/x.md: '', docs/.hidden: '', sub/deep/f: '', .env: '', /etc/passwd: '', /data/real/f: '', /data/new: null, café: ''}
links:
  out: /etc
  in: sub/deep
  abs: /ws/docs
  chain: abs
  up: ..
  loop: loop
  ping: pong
  pong: ping
  dangling: /data/new/missing
  dangling-dir: nowhere/dir
  via: out/passwd
  sub/back: ../docs
  docs/self: .
  /tmp/ws: /ws
hardlinks: {twin: a.txt}
kinds: {/dev/null: other}
";

fn world() -> VirtualWorld {
    VirtualWorld::from_yaml(WORLD).expect("world")
}

fn spellings(world: &dyn World, given: &str) -> Result<Vec<String>, String> {
    let fact = resolve(world, given, "/ws");
    match fact.unresolved {
        Some(reason) => Err(reason),
        None => {
            assert_eq!(fact.canonical, fact.variants.len() - 1);
            Ok(fact.variants.into_iter().map(|variant| variant.path).collect())
        }
    }
}

#[test]
fn every_spelling_on_the_way() {
    let world = world();
    for (given, expected) in [
        ("a.txt", &["/ws/a.txt"][..]),
        ("./docs/../a.txt", &["/ws/a.txt"]),
        ("docs//x.md/", &["/ws/docs/x.md"]),
        ("/", &["/"]),
        ("../../..", &["/"]),
        ("out/passwd", &["/ws/out/passwd", "/etc/passwd"]),
        ("out/new.txt", &["/ws/out/new.txt", "/etc/new.txt"]),
        ("in/f", &["/ws/in/f", "/ws/sub/deep/f"]),
        ("in/../back/x.md", &["/ws/sub/back/x.md", "/ws/docs/x.md"]),
        ("in/..", &["/ws/sub"]),
        ("out/../home", &["/home"]),
        ("up/ws/a.txt", &["/ws/up/ws/a.txt", "/ws/a.txt"]),
        ("chain/x.md", &["/ws/chain/x.md", "/ws/abs/x.md", "/ws/docs/x.md"]),
        ("via", &["/ws/via", "/ws/out/passwd", "/etc/passwd"]),
        ("dangling", &["/ws/dangling", "/data/new/missing"]),
        ("dangling-dir/f", &["/ws/dangling-dir/f", "/ws/nowhere/dir/f"]),
        ("docs/self/self/x.md", &["/ws/docs/self/self/x.md", "/ws/docs/self/x.md", "/ws/docs/x.md"]),
        ("docs/self/../docs/x.md", &["/ws/docs/x.md"]),
        ("abs/sub/../x.md", &[]),
        ("%2e%2e/x", &["/ws/%2e%2e/x"]),
        ("..\\x", &["/ws/..\\x"]),
        ("a b#?.txt", &["/ws/a b#?.txt"]),
        ("~/x", &["/ws/~/x"]),
        ("new/deep/f", &["/ws/new/deep/f"]),
        ("/tmp/ws/a.txt", &["/tmp/ws/a.txt", "/ws/a.txt"]),
    ] {
        let expected = expected.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        match spellings(&world, given) {
            Ok(found) => assert_eq!(found, expected, "{given}"),
            Err(reason) => assert!(expected.is_empty(), "{given}: {reason}"),
        }
    }
}

#[test]
fn what_cannot_be_known() {
    let world = world();
    for given in [
        "",
        "a\0b",
        "loop",
        "ping/x",
        "new/../a.txt",
        "a.txt/..",
        "a.txt/x",
        "dangling/../x",
        "/proc/self/environ",
        "/proc/1/cwd/x",
        "/proc/1/task/2/root",
        "/dev/fd/0",
        "/dev/stdin",
        "/proc/1/fd/3",
    ] {
        assert!(spellings(&world, given).is_err(), "{given}");
    }
    assert!(spellings(&world, &"x/".repeat(3_000)).is_err());
    assert!(spellings(&world, &"x".repeat(300)).is_err());
    assert_eq!(spellings(&world, "/proc/1/environ").expect("plain"), ["/proc/1/environ"]);
    assert!(resolve(&world, "x", "").unresolved.is_some());
}

#[test]
fn kinds() {
    let world = world();
    for (given, kind) in [
        ("a.txt", PathKind::Shared),
        ("twin", PathKind::Shared),
        ("docs/x.md", PathKind::File),
        ("docs", PathKind::Dir),
        ("out", PathKind::Dir),
        ("nothing", PathKind::Missing),
        ("dangling", PathKind::Missing),
        ("/dev/null", PathKind::Other),
    ] {
        let fact = resolve(&world, given, "/ws");
        assert!(fact.variants.iter().all(|variant| variant.kind == kind), "{given} {fact:?}");
    }
}

#[test]
fn long_chains_of_links_end() {
    let links: String = (0..60).map(|n| format!("  l{n}: l{}\n", n + 1)).collect();
    let world = VirtualWorld::from_yaml(&format!("workspace: /ws\nfiles: {{l60: ''}}\nlinks:\n{links}"))
        .expect("world");
    assert_eq!(spellings(&world, "l20").expect("forty").len(), 41);
    assert!(spellings(&world, "l19").is_err());
}

#[test]
fn tilde_of_an_argument_is_judged_both_ways() {
    let world = world();
    let fact = resolve_argument(&world, "~/.ssh/id", "/ws");
    let paths: Vec<_> = fact.variants.iter().map(|variant| variant.path.as_str()).collect();
    assert_eq!(paths, ["/ws/~/.ssh/id", "/home/u/.ssh/id"]);
    assert_eq!(fact.canonical(), Some("/home/u/.ssh/id"));
    assert_eq!(resolve_argument(&world, "~u", "/ws").canonical(), Some("/home/u"));
    assert_eq!(resolve_argument(&world, "~nobody/x", "/ws").canonical(), Some("/ws/~nobody/x"));
    assert_eq!(resolve_argument(&world, "a~/x", "/ws").canonical(), Some("/ws/a~/x"));
    assert!(resolve_argument(&world, "~/../x", "/ws").unresolved.is_some());
}

#[test]
fn folding_reaches_patterns() {
    let world = VirtualWorld::from_yaml("workspace: /ws\ncaseFold: true\nunicodeFold: true\nfiles: {.env: '', \"caf\\u00e9\": ''}\nlinks: {Docs: /d}\n").expect("world");
    let anchors = anchors(&world, &[]);
    for (given, pattern) in [(".ENV", "./.env"), ("cafe\u{301}", "./caf\u{e9}"), ("CAFÉ", "**/café")] {
        let fact = resolve(&world, given, "/WS");
        assert_ne!(fact.variants[0].kind, PathKind::Missing, "{given}");
        let pattern = PathPattern::parse(pattern).expect(pattern);
        assert!(pattern.matches(fact.canonical().expect("path"), &anchors, fact.folding), "{given}");
    }
    assert_eq!(spellings(&world, "docs/x").expect("link"), ["/ws/docs/x", "/d/x"]);
}

#[test]
fn windows_paths() {
    let world = VirtualWorld::from_yaml(
        "platform: windows\nworkspace: C:/ws\nfiles: {src/a.rs: ''}\nlinks: {j: 'D:\\data'}\n",
    )
    .expect("world");
    let at = |given: &str| resolve(&world, given, "C:/ws");
    for (given, expected) in [
        ("src\\A.RS", "C:/ws/src/A.RS"),
        ("src/..\\x", "C:/ws/x"),
        ("c:\\Windows\\win.ini", "C:/Windows/win.ini"),
        ("\\x", "C:/x"),
        ("..\\..\\..\\x", "C:/x"),
        ("j\\f", "D:/data/f"),
        ("d:/x", "D:/x"),
        ("missing\\..\\x", "C:/ws/x"),
        ("progra~x", "C:/ws/progra~x"),
        ("console.txt", "C:/ws/console.txt"),
        ("com10", "C:/ws/com10"),
    ] {
        assert_eq!(at(given).canonical(), Some(expected), "{given}");
    }
    for given in [
        "C:x",
        "\\\\?\\C:\\x",
        "//server/share",
        "\\\\.\\pipe\\x",
        "a.txt:stream",
        "a.txt::$DATA",
        "NUL",
        "con.txt",
        "lpt1",
        "COM1.log",
        "aux .txt",
        "x. ",
        "x.",
        ".env ",
        "PROGRA~1",
        "progr~12.txt",
        "a*b",
        "CONIN$",
        "...",
        "a\tb",
        "com¹",
    ] {
        assert!(at(given).unresolved.is_some(), "{given}");
    }
    let fact = at("SRC/a.rs");
    assert_eq!(
        (fact.folding, fact.variants[0].kind),
        (Folding { case: true, unicode: false }, PathKind::File)
    );
}

fn paths_of(fact: &PathFact, role: VariantRole) -> Vec<&str> {
    fact.variants.iter().filter(|variant| variant.role == role).map(|variant| variant.path.as_str()).collect()
}

#[test]
fn trees() {
    let world = world();
    let demand = Demand { paths: true, ..Demand::default() };
    let fact = tree(&world, resolve(&world, "docs", "/ws"), false, &demand);
    assert_eq!(fact.variants[fact.canonical].kind, PathKind::Tree);
    assert_eq!(
        paths_of(&fact, VariantRole::Itself),
        ["/ws/docs", "/ws/docs/.hidden", "/ws/docs/self", "/ws/docs/x.md"]
    );

    let whole = tree(&world, resolve(&world, ".", "/ws"), true, &demand);
    let paths = paths_of(&whole, VariantRole::Itself);
    for path in [
        "/ws/.env",
        "/ws/out",
        "/etc",
        "/etc/passwd",
        "/ws/loop",
        "/data/new/missing",
        "/ws/sub/deep/f",
        "/home/u",
    ] {
        assert!(paths.contains(&path), "{path} in {paths:?}");
    }
    assert!(paths_of(&whole, VariantRole::Region { grants_only: true }).contains(&"/etc"));
    assert!(paths_of(&whole, VariantRole::Region { grants_only: false }).is_empty());

    let through = tree(&world, resolve(&world, "abs", "/ws"), true, &demand);
    assert_eq!(paths_of(&through, VariantRole::Region { grants_only: true }), ["/ws/abs", "/ws/docs"]);
    assert_eq!(tree(&world, resolve(&world, ".", "/ws"), false, &Demand::default()).variants.len(), 1);
    assert_eq!(
        tree(&world, resolve(&world, "docs/x.md", "/ws"), false, &demand).variants[0].kind,
        PathKind::File
    );
    assert!(tree(&world, resolve(&world, "loop", "/ws"), false, &demand).unresolved.is_some());
}

#[test]
fn trees_beyond_the_bound_are_unknown() {
    let names: Vec<String> = (0..10_001).map(|n| format!("big/d{}/f{n}", n % 10)).collect();
    let world = VirtualWorld::plain().with_plain_files(names.iter().map(String::as_str));
    let demand = Demand { paths: true, ..Demand::default() };
    let fact = tree(&world, resolve(&world, "big", "/home/user/project"), false, &demand);
    assert_eq!(paths_of(&fact, VariantRole::Region { grants_only: false }), ["/home/user/project/big"]);
}

#[test]
fn globs() {
    let world = world();
    let shell = |pattern: &str| glob(&world, pattern, "/ws");
    let list = |fact: &PathFact| {
        paths_of(fact, VariantRole::Itself).iter().map(|p| (*p).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&shell("*.txt")), ["/ws/a.txt"]);
    assert_eq!(list(&shell("docs/*")), ["/ws/docs", "/ws/docs/self", "/ws/docs/x.md"]);
    assert_eq!(list(&shell(".e*v")), ["/ws/.env"]);
    assert_eq!(list(&shell("/e[t]c/p*")), ["/etc/passwd"]);
    assert_eq!(list(&shell("o?t/p*")), ["/etc/passwd", "/ws/out/passwd"]);
    assert_eq!(list(&shell("../ws/a.*")), ["/ws/a.txt"]);
    assert_eq!(list(&shell("[^b].txt")), ["/ws/a.txt"]);
    assert_eq!(list(&shell("[[:alpha:]].txt")), ["/ws/a.txt"]);
    assert_eq!(list(&shell("[]a[:digit:]].txt")), ["/ws/a.txt"]);
    assert_eq!(list(&shell("[a.txt")), ["/ws/[a.txt"]);
    assert_eq!(list(&shell("no*such")), ["/ws/no*such"]);
    assert_eq!(list(&shell("no\\*such")), ["/ws/no*such"]);
    assert!(shell("docs/*").variants.iter().all(|variant| variant.role == VariantRole::Itself));
    let tool = glob_argument(&world, "docs/**/*.{md,rs}", "/ws");
    assert_eq!(paths_of(&tool, VariantRole::Itself), ["/ws/docs/x.md"]);
    assert_eq!(paths_of(&tool, VariantRole::Region { grants_only: true }), ["/ws/docs", "/ws/docs"]);
    let demand = Demand { paths: true, ..Demand::default() };
    let deep = tree(&world, shell("s*b"), false, &demand);
    assert!(paths_of(&deep, VariantRole::Itself).contains(&"/ws/sub/deep/f"));
    let hidden = glob_argument(&world, "**/.*", "/ws");
    assert!(paths_of(&hidden, VariantRole::Itself).contains(&"/ws/.env"));
    assert!(glob_argument(&world, "docs/{a", "/ws").unresolved.is_some());
    assert!(glob_argument(&world, "loop/*", "/ws").unresolved.is_some());
}

#[test]
fn anchors_list_other_spellings() {
    let world = world();
    let dirs: Vec<_> = [
        "./docs/**",
        "./abs/**",
        "./a.txt",
        "~/.ssh/**",
        "./via",
        "./dangling",
        "./out/passwd",
        "./out/new/**",
        "/tmp/ws/docs/*",
    ]
    .iter()
    .map(|p| PathPattern::parse(p).expect(p).literal_dir().expect(p))
    .collect();
    let anchors = anchors(&world, &dirs);
    assert_eq!(anchors.workspace, ["/ws"]);
    let mut keys: Vec<_> = anchors.literals.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["./abs", "./out/new", "./out/passwd", "/tmp/ws/docs"]);
    assert_eq!(anchors.literals["./out/new"], ["/ws/out/new", "/etc/new"]);
    let pattern = PathPattern::parse("./abs/**").expect("pattern");
    assert!(pattern.matches("/ws/docs/x.md", &anchors, Folding::default()));
    assert_eq!(pattern.coverage("/ws/docs", &anchors, Folding::default()), Coverage::All);
    let linked = VirtualWorld::from_yaml("workspace: /link/p\nlinks: {/link: /real}\nfiles: {/real/p: null}")
        .expect("world");
    assert_eq!(super::anchors(&linked, &[]).workspace, ["/real/p", "/link/p"]);
}

#[test]
fn paths_for_people() {
    let anchors = anchors(&world(), &[]);
    for (path, expected) in [
        ("/ws", "."),
        ("/ws/a/b", "a/b"),
        ("/etc/passwd", "<outside the workspace>/…/passwd"),
        ("/", "<outside the workspace>/"),
        ("/wsx", "<outside the workspace>/…/wsx"),
    ] {
        assert_eq!(display_path(path, &anchors), expected);
    }
}
