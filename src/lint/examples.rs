//! Examples of rules: each is judged in a virtual world and has to come out as it says.

use serde_json::{Map, Value, json};

use crate::base::{Diagnostic, FileId, Span};
use crate::compile::Program;
use crate::compile::program::{Example, Rule, Verb};
use crate::decide::{Trace, explain};
use crate::effects::{VirtualWorld, World, derive};
use crate::model::effect::Resource;
use crate::model::value::values_equal;
use crate::model::{Action, Call, Context};

/// What came of one example.
#[derive(Debug)]
pub struct Outcome {
    /// `example N of RULE`, the rule by its full name; the first is 1.
    pub name: String,
    /// Where it stands.
    pub file: FileId,
    /// Where it stands.
    pub span: Span,
    /// What is wrong, if anything is.
    pub finding: Option<Diagnostic>,
}

/// What came of every example of a program.
#[must_use]
pub fn outcomes(program: &Program) -> Vec<Outcome> {
    let rules = program.layers().iter().flat_map(|layer| &layer.rules);
    let examples = rules
        .flat_map(|rule| rule.examples.iter().zip(1..).map(move |(example, number)| (rule, example, number)));
    examples
        .map(|(rule, example, number)| Outcome {
            name: format!("example {number} of {}", rule.full_name),
            file: example.file,
            span: example.span,
            finding: check_one(program, rule, example),
        })
        .collect()
}

/// The examples that do not hold.
#[must_use]
pub fn check(program: &Program) -> Vec<Diagnostic> {
    outcomes(program).into_iter().filter_map(|outcome| outcome.finding).collect()
}

/// What is wrong with one example, if anything is.
fn check_one(program: &Program, rule: &Rule, example: &Example) -> Option<Diagnostic> {
    let finding = |message: String| Diagnostic::error("example-fails", example.file, example.span, message);
    let call = call_of(program, example);
    let world = match world_of(program, example, &call) {
        Ok(world) => world,
        Err(why) => return Some(finding(format!("the world of this example cannot be used: {why}"))),
    };
    let mut call = call;
    call.context.today = world.today();
    let trace = explain(program, call, &world);
    let counts = counts(rule, &trace);
    let name = rule.full_name.rsplit('/').next().unwrap_or(&rule.full_name);
    let mut out = match (example.negated, counts) {
        (true, true) => finding(format!("`{name}` counts for this call, though the example says `not`")),
        (false, false) => finding(format!("`{name}` does not count for this call")),
        (true, false) => return None,
        (false, true) => match wrong_result(example, &trace) {
            Some(result) => finding(format!("`{name}` rewrites this call otherwise"))
                .expected(Value::Object(example.gives.clone().unwrap_or_default()).to_string())
                .help(format!("it gives `{result}`")),
            None => return None,
        },
    };
    if out.expected.is_none() {
        out = out.expected(expectation(rule, example.negated));
        if let Some(why) = why_not(rule, &trace).filter(|_| !example.negated) {
            out = out.help(why);
        }
    }
    Some(out)
}

fn expectation(rule: &Rule, negated: bool) -> String {
    let verb = rule.verb.as_str();
    if negated {
        format!("a call that the {verb} leaves alone")
    } else {
        format!("a call that the {verb} is about")
    }
}

/// The call of an example: in its mode, else the first that the policy declares.
fn call_of(program: &Program, example: &Example) -> Call {
    let first = program.modes().and_then(|modes| modes.first());
    Call {
        id: "example".to_owned(),
        tool: example.tool.clone(),
        args: example.args.clone(),
        context: Context { mode: example.mode.clone().or_else(|| first.cloned()), ..Context::default() },
        background: false,
        timeout_ms: None,
    }
}

/// The plain world, or the example's own, in which every path that the call names is a plain file and
/// every directory it lists or works in is one.
fn world_of(program: &Program, example: &Example, call: &Call) -> Result<VirtualWorld, String> {
    let given = match &example.world {
        Some(Value::Object(world)) => world.clone(),
        _ => Map::new(),
    };
    let read =
        |world: Map<String, Value>| VirtualWorld::from_json(Value::Object(world)).map_err(|e| e.to_string());
    let bare = read(given.clone())?;
    let declarations = program.declarations(&call.tool);
    let Ok(effects) = derive(call, &declarations, &bare, &program.demand(&call.tool)) else {
        return Ok(bare);
    };
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for effect in &effects {
        match &effect.resource {
            Resource::Path(path) => {
                let lists = effect.action == Some(Action::List);
                let list = if lists { &mut directories } else { &mut files };
                list.extend(path.canonical().map(str::to_owned));
            }
            Resource::Command(command) => directories.extend(command.cwd.canonical().map(str::to_owned)),
            Resource::None | Resource::Network(_) | Resource::Target(_) => {}
        }
    }
    // Directories stand in the description, where what they clash with is seen.
    let mut with_directories = given;
    for directory in directories {
        let here = bare.inspect(&directory);
        if here != Ok(crate::effects::world::Node::Missing) {
            continue;
        }
        let entry = with_directories.entry("files").or_insert_with(|| json!({}));
        if let Value::Object(entries) = entry {
            entries.entry(directory).or_insert(Value::Null);
        }
    }
    let world = read(with_directories).unwrap_or(bare);
    Ok(world.with_plain_files(files.iter().map(String::as_str)))
}

/// Whether a rule counted for the call, or for one that it was rewritten to.
fn counts(rule: &Rule, trace: &Trace) -> bool {
    let name = &*rule.full_name;
    let verdict = &trace.verdict;
    match rule.verb {
        Verb::Modify => {
            verdict.modified.as_ref().is_some_and(|modified| modified.by.iter().any(|by| by == name))
        }
        Verb::Redact => verdict.obligations.redact.iter().any(|rule| rule == name),
        Verb::Allow | Verb::Warn | Verb::Ask | Verb::Block => {
            let effects = trace.calls.iter().flat_map(|call| &call.effects);
            effects.flat_map(|effect| &effect.counted).any(|counted| counted.rule == name)
        }
    }
}

/// What the call is rewritten to, where the example says something else.
fn wrong_result(example: &Example, trace: &Trace) -> Option<String> {
    let expected = Value::Object(example.gives.clone()?);
    let modified = trace.verdict.modified.as_ref().map(|modified| modified.args.clone());
    let found = Value::Object(modified.unwrap_or_else(|| example.args.clone()));
    (!values_equal(&expected, &found)).then(|| found.to_string())
}

/// The comparisons that kept a rule from counting, else what was decided instead.
fn why_not(rule: &Rule, trace: &Trace) -> Option<String> {
    let effects = || trace.calls.iter().flat_map(|call| &call.effects);
    let near = effects().flat_map(|effect| &effect.nearest).find(|near| near.rule == *rule.full_name);
    if let Some(near) = near {
        let failed: Vec<String> = near.failed.iter().map(super::comparison).collect();
        return Some(failed.join("; "));
    }
    let pseudo = effects().flat_map(|effect| &effect.counted).find(|counted| !counted.rule.contains('/'));
    if let Some(pseudo) = pseudo.filter(|pseudo| pseudo.rule != "default") {
        return pseudo.because.clone();
    }
    if let Some(reason) = trace.verdict.reasons.iter().find(|reason| !reason.rule.contains('/')) {
        return reason.because.clone();
    }
    let found: Vec<String> = effects()
        .map(|effect| {
            let resource = effect.resource.as_deref().unwrap_or("nothing that is named");
            format!("{} of {resource}", effect.capability.as_str())
        })
        .collect();
    Some(format!("the call has these effects: {}", found.join(", ")))
}
