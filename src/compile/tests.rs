use super::expr::{Atom, AtomKind, Expr, Subject, Test};
use super::*;
use crate::syntax::ast::UnknownWord;

fn layer(name: &str, text: &str) -> LayerInput {
    LayerInput { name: name.into(), files: vec![("a.toll".into(), format!("tollgate 1\n{text}\n"))] }
}

fn program_of(layers: &[LayerInput]) -> Program {
    let compiled = compile(layers, &NoFiles, Vec::new());
    compiled.program.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics))
}

fn program(text: &str) -> Program {
    program_of(&[layer("project", text)])
}

fn codes(layers: &[LayerInput]) -> Vec<&'static str> {
    compile(layers, &NoFiles, Vec::new()).diagnostics.iter().map(|d| d.code).collect()
}

/// A condition as text: `!` is a negated atom, `~` a negation inside a quantifier.
fn show(expr: &Expr) -> String {
    let join = |parts: &[Expr], word: &str| parts.iter().map(show).collect::<Vec<_>>().join(word);
    match expr {
        Expr::All(parts) if parts.is_empty() => "true".into(),
        Expr::Any(parts) if parts.is_empty() => "false".into(),
        Expr::All(parts) => format!("({})", join(parts, " & ")),
        Expr::Any(parts) => format!("({})", join(parts, " | ")),
        Expr::Atom(atom) => {
            let Atom { negated, kind, .. } = &**atom;
            let body = match kind {
                AtomKind::Test { subject, .. } => format!("{subject:?}"),
                AtomKind::Quantified { all, subject, test_negated, .. } => format!(
                    "{} {}{subject:?}",
                    if *all { "all" } else { "any" },
                    if *test_negated { "~" } else { "" }
                ),
                AtomKind::SessionHas(label) => format!("has {label}"),
            };
            format!("{}{body}", if *negated { "!" } else { "" })
        }
    }
}

fn condition(clauses: &str) -> String {
    let program = program(&format!(
        "labels seen\nlet named = tool is \"a\" or not (user is \"b\" and agent is \"c\")\nblock it {{ on read {clauses} }}"
    ));
    show(&program.layers()[0].rules[0].condition)
}

#[test]
fn negation_is_pushed_down() {
    for (clauses, expected) in [
        ("", "true"),
        ("when true", "true"),
        ("when not true", "false"),
        ("unless true", "false"),
        ("when tool is \"a\"", "Tool"),
        ("when tool is not \"a\"", "!Tool"),
        ("unless tool is \"a\"", "!Tool"),
        ("unless tool is not \"a\"", "Tool"),
        ("when not (tool is \"a\" and not user is \"b\")", "(!Tool | User)"),
        ("when not (tool is \"a\" or agent is \"b\")", "(!Tool & !Agent)"),
        ("when tool is \"a\" unless user is \"b\" or agent is \"c\"", "(Tool & !User & !Agent)"),
        ("when tool is \"a\" and user is \"b\" unless agent is \"c\"", "(Tool & User & !Agent)"),
        ("when named", "(Tool | (!User | !Agent))"),
        ("when not named", "(!Tool & (User & Agent))"),
        ("unless session has seen", "!has seen"),
        ("when any args.to[*] is \"x\"", "any Arg([Name(\"to\"), Each])"),
        ("when any args.to[*] is not \"x\"", "any ~Arg([Name(\"to\"), Each])"),
        ("when not all args.to[*] not in {\"x\"}", "!all ~Arg([Name(\"to\"), Each])"),
    ] {
        assert_eq!(condition(clauses), expected, "{clauses}");
    }
}

#[test]
fn atoms_keep_the_authors_text() {
    let program = program("block it { on read unless  path\n  not in {\"./a\"} }");
    let Expr::Atom(atom) = &program.layers()[0].rules[0].condition else { panic!("an atom") };
    assert_eq!(atom.text, "path not in {\"./a\"}");
    assert!(!atom.negated);
}

fn test_of(text: &str) -> Test {
    let program = program(text);
    let mut found = None;
    lower::rule::walk(&program.layers()[0].rules[0].condition, &mut |_, test| found = Some(test.clone()));
    found.expect("a test")
}

#[test]
fn sets_are_flattened() {
    let test = test_of(
        "let a = path {b, \"./x\"}\nlet b = path {\"./y\", c}\nlet c = b-too\nlet b-too = path {\"./z\", \"./x\"}
block it { on read when path in {a, \"./w\"} }",
    );
    let Test::Paths(patterns) = test else { panic!("{test:?}") };
    let texts: Vec<&str> = patterns.iter().map(|pattern| pattern.text()).collect();
    assert_eq!(texts, ["./y", "./z", "./x", "./w"]);
}

#[test]
fn a_set_without_type_takes_it_from_the_field() {
    assert!(matches!(test_of("block it { on read when path in {\"./a\"} }"), Test::Paths(_)));
    assert!(matches!(test_of("block it { on network when host in {\"a.example\"} }"), Test::Hosts(_)));
    assert!(matches!(test_of("block it { on network when ip in {10.0.0.0/8} }"), Test::Nets(_)));
    assert!(matches!(test_of("block it { on read when args.ip in {10.0.0.0/8} }"), Test::Nets(_)));
    assert!(matches!(test_of("block it { on read when args.n in {1, \"a\"} }"), Test::OneOf(_)));
    assert!(matches!(test_of("block it { on exec when command.program in {\"git\"} }"), Test::Programs(_)));
    assert!(matches!(test_of("block it { on read when action in {list, read} }"), Test::Actions(_)));
    assert!(matches!(
        test_of("let kinds = {file, dir}\nblock it { on read when path.kind in kinds }"),
        Test::Kinds(_)
    ));
    assert!(matches!(
        test_of("modes plan, build\nlet work = {build}\nblock it { on read when mode in work }"),
        Test::OneOf(_)
    ));
    assert!(matches!(
        test_of("block it { on exec when command.flags contains \"-f\" }"),
        Test::ContainsElement(_)
    ));
}

#[test]
fn whole_strings_are_matched() {
    let Test::Matches(pattern) = test_of("block it { on read when path.name matches /a|b(?x) # c/i }") else {
        panic!("a regex")
    };
    assert!(pattern.is_match("A") == Some(true) && pattern.is_match("b") == Some(true));
    assert!(pattern.is_match("ab") == Some(false) && pattern.is_match("a\n") == Some(false));
}

#[test]
fn the_outermost_modes_decide_and_inner_ones_narrow() {
    let outer = layer("org", "modes plan, build, release\nblock a { on read when mode is release }");
    let inner = layer("project", "modes plan, build");
    let program = program_of(&[outer.clone(), inner.clone()]);
    assert_eq!(program.modes().unwrap(), ["plan", "build"]);
    assert!(program.has_mode(Some("plan")) && !program.has_mode(Some("release")) && !program.has_mode(None));
    let wider = layer("project", "modes plan, test");
    assert_eq!(codes(&[outer.clone(), wider]), ["undeclared-mode"]);
    let innermost = layer("user", "block b { on read when mode is release }");
    assert_eq!(codes(&[outer, inner.clone(), innermost]), ["undeclared-mode"]);
    let program = program_of(&[layer("org", ""), inner]);
    assert!(!program.has_mode(Some("plan")) && !program.has_mode(None));
}

#[test]
fn labels_reach_inwards() {
    let has = layer("project", "block a { on read when session has seen }");
    assert_eq!(codes(&[layer("org", "labels seen"), has.clone()]), [""; 0]);
    assert_eq!(codes(&[has, layer("org", "labels seen")]), ["undeclared-label"]);
}

#[test]
fn defaults_and_unknowns_are_the_layers() {
    let program = program(
        "default ask\nunknown ask\nblock a { on read }\nblock b { on read unknown block }\nallow c { on read }",
    );
    let [a, b, c] = &program.layers()[0].rules[..] else { panic!("three rules") };
    assert_eq!((a.unknown, b.unknown, c.unknown), (UnknownWord::Ask, UnknownWord::Block, UnknownWord::Ask));
    assert_eq!(program.layers()[0].default, DefaultWord::Ask);
    assert_eq!(program_of(&[layer("x", "")]).layers()[0].default, DefaultWord::Block);
}

#[test]
fn a_demand_asks_for_addresses_only_where_a_rule_looks() {
    let program = program(
        "tool fetch { connects args.url }\ntool mail { network }\nblock a { on network by fetch when ip in {10.0.0.0/8} }
block b { on read when path under \"./docs\" or path in {\"/etc/x/*\", \"**/y\"} }
block c { on exec when command is `/opt/x/run ...` or command.program is \"/opt/y\" }",
    );
    assert!(program.demand("fetch").ip && !program.demand("mail").ip);
    let dirs: Vec<String> = program.places().literal_dirs().iter().map(ToString::to_string).collect();
    assert_eq!(dirs, ["/etc/x", "/opt/x/run", "/opt/y", "./docs"]);
}

#[test]
fn rules_know_what_they_look_at() {
    let program = program(
        "block a { on exec when command is `CI=* npm test` or command is `A=1 B=2 x` }
block b { on read when via.program is \"x\" }\nblock c { on exec when mode is not \"m\" or user is \"u\" }\nmodes m",
    );
    let [a, b, c] = &program.layers()[0].rules[..] else { panic!("three rules") };
    assert_eq!(a.assigned_names, ["A", "B", "CI"]);
    assert!(a.looks_at_command && b.looks_at_command && !c.looks_at_command);
}

#[test]
fn templates_are_read() {
    use program::TemplatePart::{Field, Text};
    let program = program(r#"block a { on read because "{{{path}}} of {args.to[0][\"x y\"]} }" }"#);
    let parts = &program.layers()[0].rules[0].because.as_ref().unwrap().0;
    assert_eq!(parts.len(), 5, "{parts:?}");
    assert!(matches!(&parts[0], Text(text) if text == "{"));
    assert!(matches!(&parts[1], Field(Subject::Path)));
    assert!(matches!(&parts[2], Text(text) if text == "} of "));
    assert!(matches!(&parts[3], Field(Subject::Arg(steps)) if steps.len() == 3));
    assert!(matches!(&parts[4], Text(text) if text == " }"));
}

#[test]
fn the_revision_is_of_all_texts() {
    let one = program("default block").revision();
    assert_eq!(one, program("default block").revision());
    assert_ne!(one, program("default ask").revision());
    assert_ne!(one, program("default block // why").revision());
    assert_ne!(one, program_of(&[layer("other", "default block")]).revision());
    let file = |name: &str, text: &str| (name.to_owned(), format!("tollgate 1\n{text}\n"));
    let of = |files: Vec<(String, String)>| program_of(&[LayerInput { name: "x".into(), files }]).revision();
    let (a, b) = (file("a.toll", "block a { on read }"), file("b.toll", "block b { on read }"));
    assert_eq!(of(vec![a.clone(), b.clone()]), of(vec![b, a]));
}

#[test]
fn equal_comparisons_share_an_atom_and_keep_their_literals() {
    let program = program(
        "block a { on read when path in   {\"./a\"} // why\n }\nblock b { on read when path in {\"./a\"} }
block c { on read when path.name is \"a  b\" }\nblock d { on read when path.name is \"a b\" }",
    );
    let atoms: Vec<_> = program.layers()[0]
        .rules
        .iter()
        .map(|rule| match &rule.condition {
            Expr::Atom(atom) => std::sync::Arc::clone(atom),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(std::sync::Arc::ptr_eq(&atoms[0], &atoms[1]));
    assert_eq!(atoms[0].text, "path in {\"./a\"}");
    assert_eq!(atoms[2].text, "path.name is \"a  b\"");
    assert_ne!(atoms[2].text, atoms[3].text);
}

#[test]
fn an_inner_layers_schema_does_not_refuse_an_outer_rule() {
    let outer = layer("org", "tool t { network }\nblock a { on network by t when args.x is \"y\" }");
    let inner = layer("project", "tool t { network schema {\"properties\": {\"z\": {}}} }");
    assert_eq!(codes(&[outer.clone(), inner.clone()]), [""; 0]);
    assert_eq!(codes(&[inner, outer]), ["unknown-argument"]);
}
