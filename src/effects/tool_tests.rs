use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::effects::VirtualWorld;
use crate::model::schema::Schema;
use crate::model::tool::ToolPattern;
use crate::model::value::parse_call;

fn arg(path: &[&str]) -> Argument {
    let path = path
        .iter()
        .map(|step| match *step {
            "*" => Step::Each,
            name => name.parse().map_or_else(|_| Step::Name(name.to_owned()), Step::Index),
        })
        .collect();
    Argument { path, optional: false, or: None }
}

fn tool(lines: Vec<EffectLine>) -> ToolDeclaration {
    ToolDeclaration { pattern: ToolPattern::parse("t"), lines, schema: None }
}

fn path_line(action: Action, arg: Argument) -> EffectLine {
    let capability =
        if matches!(action, Action::Read | Action::List) { Capability::Read } else { Capability::Write };
    EffectLine::Path { capability, action, arg, recursively: false, as_glob: false }
}

fn run(args: Value, declarations: &[&ToolDeclaration]) -> Result<Vec<Effect>, DeriveError> {
    let world = VirtualWorld::from_yaml(
        "workspace: /ws\ncwd: /ws/sub\nfiles: {a: '', sub/b: ''}\nhosts: {x.test: [10.0.0.1, 10.0.0.2]}",
    )
    .expect("world");
    let call = parse_call(&json!({"tool": "t", "args": args}).to_string()).expect("call");
    derive(&call, declarations, &world, &Demand { ip: true, paths: true })
}

fn shown(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .map(|effect| {
            let resource = match &effect.resource {
                Resource::None => String::new(),
                Resource::Path(fact) => fact.canonical().unwrap_or("?").to_owned(),
                Resource::Command(command) => command.text.clone(),
                Resource::Network(fact) => format!("{:?}", fact.ip),
                Resource::Target(text) => text.clone(),
            };
            let action = effect.action.map_or("", Action::as_str);
            format!(
                "{} {action} {resource} {}",
                effect.capability.as_str(),
                effect.from.as_deref().unwrap_or("")
            )
        })
        .collect()
}

#[test]
fn lines_become_effects() {
    let lists = tool(vec![
        path_line(Action::Read, arg(&["files", "*"])),
        path_line(Action::Change, arg(&["to"])),
        path_line(Action::Change, arg(&["odd name"])),
    ]);
    let targets = tool(vec![
        EffectLine::Target { capability: Capability::Network, arg: arg(&["n"]) },
        EffectLine::Connect { arg: arg(&["url"]) },
        EffectLine::Bare(Capability::Exec),
        EffectLine::Bare(Capability::Nothing),
        path_line(Action::Change, arg(&["to"])),
    ]);
    let args =
        json!({"files": ["b", "/ws/a"], "to": "b", "odd name": "c", "n": 12.5, "url": "http://x.test"});
    let effects = run(args, &[&lists, &targets]).expect("effects");
    assert_eq!(
        shown(&effects),
        [
            "read read /ws/sub/b args.files[0]",
            "read read /ws/a args.files[1]",
            "write change /ws/sub/b args.to",
            "write create /ws/sub/c args[\"odd name\"]",
            "network  12.5 args.n",
            "network  Known(10.0.0.1) args.url",
            "network  Known(10.0.0.2) args.url",
            "exec   ",
        ]
    );
}

#[test]
fn absence() {
    let mut optional = arg(&["bcc", "*"]);
    optional.optional = true;
    let target = |arg| EffectLine::Target { capability: Capability::Network, arg };
    let declaration = tool(vec![target(optional)]);
    for args in [json!({}), json!({"bcc": null}), json!({"bcc": []}), json!({"bcc": [null]})] {
        assert_eq!(shown(&run(args, &[&declaration]).expect("effects")), ["nothing   "]);
    }
    assert_eq!(run(json!({"bcc": ["x"]}), &[&declaration]).expect("effects").len(), 1);
    let mut or = arg(&["path"]);
    or.or = Some(".".to_owned());
    let declaration = tool(vec![path_line(Action::List, or)]);
    assert_eq!(shown(&run(json!({}), &[&declaration]).expect("effects")), ["read list /ws/sub args.path"]);
    assert_eq!(shown(&run(json!({"path": null}), &[&declaration]).expect("effects")).len(), 1);
}

#[test]
fn arguments_that_do_not_fit() {
    let declaration = tool(vec![path_line(Action::Read, arg(&["files", "*", "path"]))]);
    for (args, at) in [
        (json!({}), "/files"),
        (json!({"files": null}), "/files"),
        (json!({"files": "a"}), "/files"),
        (json!({"files": ["a"]}), "/files/0"),
        (json!({"files": [{"path": "a"}, {}]}), "/files/1/path"),
        (json!({"files": [{"path": ["a"]}]}), "/files/0/path"),
        (json!({"files": [{"path": 5}]}), "/files/0/path"),
    ] {
        match run(args.clone(), &[&declaration]) {
            Err(DeriveError::InvalidArguments(error)) => assert_eq!(error.at, at, "{args}"),
            other => panic!("{args}: {other:?}"),
        }
    }
    let mut with_schema = tool(vec![EffectLine::Bare(Capability::Nothing)]);
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false});
    with_schema.schema = Some(Arc::new(Schema::compile(schema).expect("schema")));
    assert!(run(json!({"n": 1}), &[&with_schema]).is_ok());
    assert!(
        matches!(run(json!({"n": "1"}), &[&with_schema]), Err(DeriveError::InvalidArguments(e)) if e.at == "/n")
    );
    assert!(run(json!({"m": 1}), &[&with_schema]).is_err());
}

#[test]
fn undeclared_and_too_many() {
    let other = ToolDeclaration { pattern: ToolPattern::parse("other*"), lines: Vec::new(), schema: None };
    let effects = run(json!({}), &[&other]).expect("effects");
    assert_eq!(effects.len(), 4);
    assert!(effects.iter().all(|effect| effect.origin == Origin::Undeclared));
    let many: Vec<String> = (0..257).map(|n| n.to_string()).collect();
    let declaration =
        tool(vec![EffectLine::Target { capability: Capability::Network, arg: arg(&["to", "*"]) }]);
    assert_eq!(run(json!({"to": many}), &[&declaration]), Err(DeriveError::TooManyEffects));
    assert_eq!(run(json!({"to": many[1..]}), &[&declaration]).expect("effects").len(), 256);
}

#[test]
fn commands_shift_their_causes() {
    let line = |dialect| EffectLine::Run {
        arg: arg(&["cmd"]),
        cwd: Some(Argument { or: Some("..".into()), ..arg(&["cwd"]) }),
        dialect,
    };
    let declaration = tool(vec![EffectLine::Bare(Capability::Read), line(Dialect::Bash)]);
    let effects = run(json!({"cmd": "make"}), &[&declaration]).expect("effects");
    let Resource::Command(command) = &effects[1].resource else { panic!("{effects:?}") };
    assert_eq!(command.cwd.canonical(), Some("/ws"));
    assert!(effects[2..].iter().all(|effect| effect.cause.is_none_or(|cause| cause >= 1)));
    assert!(run(json!({"cmd": ["make"]}), &[&declaration]).is_err());
    let words = tool(vec![line(Dialect::Words)]);
    assert!(run(json!({"cmd": ["make", "all"], "cwd": "/ws"}), &[&words]).is_ok());
    assert!(run(json!({"cmd": "make"}), &[&words]).is_err());
    assert!(run(json!({"cmd": ["make", 1]}), &[&words]).is_err());
}

#[test]
fn an_unresolved_directory_leaves_absolute_paths() {
    let world = VirtualWorld::from_yaml("workspace: /ws\nlinks: {l: l}").expect("world");
    let call =
        parse_call(r#"{"tool": "t", "args": {"a": "x", "b": "/etc/x"}, "cwd": "/ws/l"}"#).expect("call");
    let declaration = tool(vec![path_line(Action::Read, arg(&["a"])), path_line(Action::Read, arg(&["b"]))]);
    let effects = derive(&call, &[&declaration], &world, &Demand::default()).expect("effects");
    assert_eq!(shown(&effects), ["read read ? args.a", "read read /etc/x args.b"]);
}
