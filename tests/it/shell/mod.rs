//! Command lines and their effects, against a table, two other parsers and a corpus.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests read files, run an oracle and fail by panicking"
)]

use std::fmt::Write as _;
use std::net::IpAddr;

use proptest::prelude::*;
use tollgate::base::limits::COMMAND_BYTES_MAX;
use tollgate::effects::World;
use tollgate::effects::shell::matching::{flag_contained, matches, program_is};
use tollgate::effects::shell::{CommandLine, CommandText, STEPS_PER_BYTE_MAX, derive, derive_counted};
use tollgate::effects::world::{Node, Platform, WorldError};
use tollgate::model::command::{Command, Identity};
use tollgate::model::effect::{Origin, Resource};
use tollgate::model::path::{Folding, PathKind};
use tollgate::model::pattern::CommandPattern;
use tollgate::model::{Demand, Effect, Truth};
use tollgate::syntax::ast::Date;

mod corpus;
mod lines;

use lines::{BYPASSES, DATA, HIDING};

struct Plain;

const DIRECTORIES: &[&str] =
    &["/", "/w", "/w/src", "/w/docs", "/tmp", "/home", "/home/u", "/etc", "/usr", "/usr/bin", "/bin"];
const FILES: &[&str] = &["/w/.env", "/w/a.txt", "/w/src/main.rs", "/etc/passwd"];

impl World for Plain {
    fn workspace(&self) -> &str {
        "/w"
    }
    fn home(&self) -> Option<&str> {
        Some("/home/u")
    }
    fn home_of(&self, user: &str) -> Option<String> {
        Some(format!("/home/{user}"))
    }
    fn temp(&self) -> Option<&str> {
        Some("/tmp")
    }
    fn cwd(&self) -> Option<&str> {
        None
    }
    fn platform(&self) -> Platform {
        Platform::Posix
    }
    fn folding(&self, _path: &str) -> Folding {
        Folding::default()
    }
    fn inspect(&self, path: &str) -> Result<Node, WorldError> {
        Ok(if DIRECTORIES.contains(&path) {
            Node::Dir
        } else if FILES.contains(&path) {
            Node::File { hard_links: 1 }
        } else {
            Node::Missing
        })
    }
    fn list(&self, directory: &str, _max: usize) -> Result<Vec<String>, WorldError> {
        let prefix = if directory == "/" { "/".to_owned() } else { format!("{directory}/") };
        let mut names: Vec<String> = DIRECTORIES
            .iter()
            .chain(FILES)
            .filter_map(|path| path.strip_prefix(&prefix))
            .filter(|rest| !rest.is_empty() && !rest.contains('/'))
            .map(str::to_owned)
            .collect();
        names.sort();
        Ok(names)
    }
    fn addresses(&self, _host: &str) -> Result<Vec<IpAddr>, WorldError> {
        Ok(Vec::new())
    }
    fn variable(&self, name: &str) -> Option<String> {
        (name == "PATH").then(|| "/usr/bin:/bin".to_owned())
    }
    fn today(&self) -> Option<Date> {
        None
    }
    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
    fn protected(&self) -> Vec<String> {
        Vec::new()
    }
}

fn command_line(text: &str) -> CommandLine<'_> {
    let cwd = tollgate::effects::path::resolve(&Plain, ".", "/w");
    CommandLine { text: CommandText::Line(text), argument: Vec::new(), cwd, opaque_dialect: None }
}

fn effects(text: &str) -> Vec<Effect> {
    derive(&command_line(text), &Plain, &Demand::default())
}

fn commands(text: &str) -> Vec<Command> {
    effects(text)
        .into_iter()
        .filter_map(|effect| match effect.resource {
            Resource::Command(command) => Some((*command).clone()),
            _ => None,
        })
        .collect()
}

fn is_opaque(text: &str) -> bool {
    commands(text).iter().any(|c| c.opaque.is_some())
}

fn show(effect: &Effect) -> String {
    match &effect.resource {
        Resource::None => format!("  implied {}", effect.capability.as_str()),
        Resource::Target(target) => target.clone(),
        Resource::Command(command) => {
            let mut out = format!("exec {}", command.text);
            if !command.wrappers.is_empty() {
                let _ = write!(out, "  [in {}]", command.wrappers.join(" "));
            }
            if !command.env.is_empty() {
                let _ = write!(out, "  [env {}]", command.env.join(" "));
            }
            match &command.identity {
                Identity::Path { resolved, .. } => {
                    let _ = write!(out, "  [path {}]", resolved.join(" "));
                }
                Identity::None => out.push_str("  [names]"),
                _ => {}
            }
            if let Some(reason) = &command.opaque {
                let _ = write!(out, "  [opaque: {reason}]");
            }
            out
        }
        Resource::Network(fact) => {
            let url = fact.url.clone().unwrap_or_else(|| fact.given.clone());
            let mark = if fact.unresolved.is_some() { "unresolved " } else { "" };
            format!("  connect {mark}{url}")
        }
        Resource::Path(fact) => {
            let verb = effect.action.map_or("?", |action| action.as_str());
            if fact.unresolved.is_some() {
                return format!("  {verb} unresolved {}", fact.given);
            }
            let tree = fact.variants.iter().any(|v| v.kind == PathKind::Tree);
            let mut paths: Vec<&str> = Vec::new();
            for variant in &fact.variants {
                if !paths.contains(&variant.path.as_str()) {
                    paths.push(&variant.path);
                }
            }
            format!("  {verb} {}{}", paths.join(" or "), if tree { "/**" } else { "" })
        }
    }
}

fn listing(lines: &[&str]) -> String {
    let mut out = String::new();
    for line in lines {
        let _ = writeln!(out, "$ {}", line.escape_debug());
        for effect in effects(line) {
            let _ = writeln!(out, "{}", show(&effect));
        }
        out.push('\n');
    }
    out
}

#[test]
fn hiding() {
    insta::assert_snapshot!(listing(HIDING));
}

#[test]
fn ways_past_a_gate() {
    insta::assert_snapshot!(listing(BYPASSES));
}

#[test]
fn data_is_no_command() {
    insta::assert_snapshot!(listing(DATA));
}

fn first(text: &str) -> Command {
    commands(text).into_iter().next().expect("a command")
}

fn truth(pattern: &str, line: &str, grant: bool) -> Truth {
    let pattern = CommandPattern::parse(pattern).expect(pattern);
    matches(&pattern, &first(line), grant)
}

#[test]
fn patterns_match() {
    use Truth::{False, True, Unknown};
    for (pattern, line, want) in [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status ...", "git status -s", True),
        ("git push ...", "git -C d push --force", True),
        ("git push ...", "git --no-pager push", True),
        ("git push ...", "git -c user.name=b push", True),
        ("git push ...", "git -c a.b=c push", Unknown),
        ("git push ...", "git -c alias.push=x push", Unknown),
        ("git push ...", "git log push", False),
        ("git push ...", "git pull", False),
        ("git push ...", "/usr/bin/git push", True),
        ("git push ...", "/tmp/git push", Unknown),
        ("git push ...", "./git push", Unknown),
        ("git push ...", "git $x", Unknown),
        ("git push ...", "git \"$x\"", Unknown),
        ("git push ...", "git \"$x\" origin", Unknown),
        ("git push ...", "git pu*", Unknown),
        ("git push ...", "$x push", Unknown),
        ("git {push,pull} ...", "git pull origin", True),
        ("git * ...", "git status", True),
        ("git -p log", "git -p log", True),
        ("git -p log", "git log -p", False),
        ("git log -p ...", "git -p log", False),
        ("git log -p ...", "git log --patch a", True),
        ("git push --force ...", "git push -f", True),
        ("git push --force ...", "git push origin --force main", True),
        ("git push --force ...", "git push", False),
        ("git push --force ...", "git push --forc", Unknown),
        ("git push --force ...", "git push -- --force", False),
        ("git commit -m * ...", "git commit -m x", True),
        ("git commit -m x", "git commit --message=x", True),
        ("git commit -m x", "git commit -mx", True),
        ("git commit -m y", "git commit -m x", False),
        ("rm -rf ...", "rm -fr x", True),
        ("rm -rf ...", "rm -r -f x", True),
        ("rm -rf ...", "rm --recursive --force x", True),
        ("rm -rf ...", "rm -R x --fo", True),
        ("rm -rf ...", "rm -r x", False),
        ("rm -r ...", "rm \"$x\"", Unknown),
        ("rm -r ...", "rm -- \"$x\"", False),
        ("rm -r ...", "rm *.o", False),
        ("rm -r ...", "rm $x", Unknown),
        ("cat -- ...", "cat a", False),
        ("cat -- ...", "cat -- a", True),
        ("cat *", "cat a", True),
        ("cat *", "cat a b", False),
        ("cat *", "cat \"$x\"", Unknown),
        ("echo *.rs", "echo a.rs", True),
        ("cargo test ...", "cargo test --release", True),
        ("cargo test", "cargo test", True),
        ("foo bar", "foo bar", True),
        ("foo bar", "foo -x bar", False),
        ("foo bar ...", "foo -x bar", Unknown),
        ("foo bar ...", "foo -x=1 bar", True),
        ("foo -x ...", "foo -x bar", True),
        ("foo -x ...", "foo -xy bar", Unknown),
        ("foo --a=b", "foo --a b", Unknown),
        ("foo --a=b", "foo --a=b", True),
        ("./build.sh", "./build.sh", Unknown),
        ("/w/build.sh", "./build.sh", True),
        ("/w/*.sh ...", "./build.sh a", True),
        ("/w/*.sh", "./src/build.sh", False),
        ("npm test ...", "CI=1 npm test", True),
        ("CI=* npm test ...", "CI=1 npm test", True),
        ("CI=* npm test ...", "npm test", False),
        ("sudo ...", "sudo git push", True),
        ("sudo", "sudo git push", True),
        ("sudo git push", "sudo git push", False),
        ("dd ...", "mkfs x", False),
        ("deployctl release ...", "deployctl release --environment x", True),
    ] {
        assert_eq!(truth(pattern, line, false), want, "`{pattern}` on `{line}`");
    }
    for (pattern, line, want) in [
        ("npm test ...", "CI=1 npm test", Unknown),
        ("npm test ...", "LC_ALL=C npm test", True),
        ("CI=* npm test ...", "CI=1 npm test", True),
        ("CI=* npm test ...", "npm test", True),
        ("CI=* npm test ...", "CI=1 X=2 npm test", Unknown),
        ("git status", "git status", True),
        ("git status", "PATH=/tmp git status", Unknown),
    ] {
        assert_eq!(truth(pattern, line, true), want, "allow `{pattern}` on `{line}`");
    }
}

#[test]
fn flags_and_programs() {
    let push = first("git push -f --push-option=a");
    assert_eq!(flag_contained(&push, "--force"), Truth::True);
    assert_eq!(flag_contained(&push, "-o"), Truth::True);
    assert_eq!(flag_contained(&push, "--push-option=a"), Truth::True);
    assert_eq!(flag_contained(&push, "--push-option=b"), Truth::False);
    assert_eq!(flag_contained(&push, "--tags"), Truth::False);
    assert_eq!(flag_contained(&first("git push $x"), "--force"), Truth::Unknown);
    assert_eq!(flag_contained(&first("deployctl release"), "--environment"), Truth::False);
    assert_eq!(flag_contained(&first("deployctl release --environment x"), "--environment"), Truth::True);
    assert_eq!(program_is("git", &first("/usr/bin/git x")), Truth::True);
    assert_eq!(program_is("git", &first("./git x")), Truth::Unknown);
    assert_eq!(program_is("git", &first("cat x")), Truth::False);
    assert_eq!(program_is("dd", &first("$x")), Truth::Unknown);
}

#[test]
fn append_places() {
    let place =
        |line: &str, at: usize| commands(line)[at].append_at.as_ref().map(|p| line[..p.offset].to_owned());
    assert_eq!(place("deployctl release > out", 0).as_deref(), Some("deployctl release"));
    assert_eq!(place("ls; deployctl  'release' # c", 1).as_deref(), Some("ls; deployctl  'release'"));
    assert_eq!(place("sudo deployctl release", 1).as_deref(), Some("sudo deployctl release"));
    assert_eq!(place("echo $(deployctl release)", 0).as_deref(), Some("echo $(deployctl release"));
    assert_eq!(place("bash -c 'deployctl release'", 1), None);
    assert_eq!(place("eval deployctl release", 1), None);
    assert_eq!(place("find . -exec deployctl {} \\;", 1), None);
}

#[test]
fn causes_point_at_their_command() {
    for line in BYPASSES.iter().chain(HIDING).chain(DATA) {
        let list = effects(line);
        for effect in &list {
            let Some(cause) = effect.cause else { continue };
            let Resource::Command(command) = &list[cause].resource else { panic!("{line}") };
            assert!(effect.via.as_ref().is_some_and(|via| std::sync::Arc::ptr_eq(via, command)), "{line}");
        }
    }
}

#[test]
fn whole_lines_are_opaque() {
    for line in [
        "ls\0",
        "ls\r",
        "ls\r\nrm x",
        "ls 'x",
        "ls \"x",
        "ls $(",
        "ls `",
        "(ls",
        "{ ls",
        "if true; then",
        "ls )",
        "ls ;; ls",
        "| ls",
        "&& ls",
        "coproc ls",
        "x=(a",
        "for i in",
        "case x in",
        "ls <",
        "f() ls",
        "echo ${",
        "echo ${x@P}",
        "ls &;",
        "cat <<E (\n",
        "echo \"$\\\n(ls)\"",
    ] {
        assert!(is_opaque(line), "{line:?}: {:?}", listing(&[line]));
    }
    let long = "a".repeat(COMMAND_BYTES_MAX + 1);
    assert!(is_opaque(&long));
    let dialect = CommandLine { opaque_dialect: Some("fish"), ..command_line("ls") };
    assert_eq!(derive(&dialect, &Plain, &Demand::default()).len(), 4);
}

#[test]
fn steps_are_linear() {
    let n = 20_000;
    let repeat = |text: &str, n: usize| text.repeat(n);
    let documents = format!("{}\n", repeat("cat <<a;", 6_000));
    for text in [
        repeat("((", n),
        repeat("$((", n),
        repeat("$(", n),
        repeat("(( ", 15),
        repeat("\\", 60_000),
        repeat("\"", n),
        repeat("'", n),
        repeat("\"$(", n),
        repeat("`", n),
        repeat("\\`", n),
        repeat("${x:-", n),
        repeat("case x in a) ", 3_000),
        repeat("if ", n),
        repeat("{ ", n),
        repeat("{", n),
        repeat("{a,b}", 5_000),
        repeat("a=$a$a;", 5_000),
        repeat("((echo # (\n) );", 3_000),
        documents,
        repeat("cat <<a\na\n", 6_000),
        repeat("<<a ", 10_000),
        repeat("[[ ", n),
        repeat("for ((", n),
        repeat("until ((", 5_000),
        repeat("true && a=1;", 5_000),
        repeat("x ", n),
        repeat(";", n),
        repeat("a[", n),
        repeat("a[1", n),
        repeat("f(){ f;};", 3_000),
        repeat("eval ", 8_000),
        repeat("sudo ", 8_000),
        repeat("$[", n),
        repeat("{1..9}", 5_000),
        repeat("for i in 1 2 3 4 5 6 7 8; do ", 30),
        repeat("x|", n),
        repeat("cd a;", 5_000),
        repeat("f(){ :;};", 5_000),
    ] {
        let text: String = text.chars().take(COMMAND_BYTES_MAX).collect();
        let (list, steps) = derive_counted(&command_line(&text), &Plain, &Demand::default());
        let head: String = text.chars().take(20).collect();
        assert!(steps <= STEPS_PER_BYTE_MAX * text.len() as u64, "{head}");
        assert!(list.len() < 400, "{head}");
    }
}

fn small_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "git", "push", "rm", "-rf", "a", "'a b'", "\"$x\"", "$x", "$(ls)", "`ls`", "{a,b}", "*.c", "~",
        "x=1", ">", "<", "2>&1", "|", "||", "&&", ";", "&", "(", ")", "{", "}", "if", "then", "fi", "for",
        "in", "do", "done", "\n", "!", "[[", "]]", "((", "))", "case", "esac", ";;", "<<E", "E", "<<<",
        "sudo", "env", "bash", "-c", "eval", "cd", "find", "-exec", "xargs", "#", "\\", "'", "\"",
        "$((1+1))", "${x:-y}", "f()", "function", "while",
    ]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "(?s).{0,60}") {
        effects(&text);
    }

    #[test]
    fn no_line_panics_and_none_is_silent(text in small_line()) {
        let list = effects(&text);
        // A line without any exec effect holds only assignments, redirections and comments.
        if list.iter().all(|e| !matches!(e.resource, Resource::Command(_))) {
            for word in ["git", "rm", "sudo", "eval", "find"] {
                let stands = text.split(['#', '\n']).next().unwrap_or("").split_whitespace().next() == Some(word);
                prop_assert!(!stands, "{text}");
            }
        }
        for effect in &list {
            if effect.origin == Origin::Implied {
                prop_assert!(effect.cause.is_some());
            }
        }
    }
}
