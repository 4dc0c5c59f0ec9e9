//! `tollgate explain`: why one call gets its verdict.

use crate::cli::args::{ExplainArgs, TextFormat};
use crate::cli::calls::{self, Intake, Line};
use crate::cli::commands::decide::Judge;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{load, output, render, tools};

/// Explains the call that is named.
///
/// # Errors
/// The policy, the world or the input cannot be used; there is no such line.
pub fn run(args: &ExplainArgs) -> Result<Exit, Failure> {
    load::one_world(args.world.as_deref(), &args.policy)?;
    let setup = load::setup(&args.policy, &args.context)?;
    let registry = tools::builtin()?;
    let loaded = load::program(&setup, registry.declarations())?;
    let world = load::world(args.world.as_deref(), &setup, &loaded, &args.context)?;
    let call = Intake::new(setup.mode.clone()).take(line_of(args)?).map_err(|none| {
        Failure::unusable(none.why).help("a call is `{\"tool\": \"NAME\", \"args\": {…}}`")
    })?;
    let judge = Judge::new(&loaded.program, world.as_ref(), setup.unattended, tools::sources(&registry));
    let trace = judge.explain(call);
    match args.format {
        TextFormat::Json => output::print_line(&render::trace::to_json(&trace).to_string())?,
        TextFormat::Text => {
            output::print(&render::trace::text(&trace, &loaded.program))?;
            if setup.unattended {
                output::tell("nobody is there to approve, so an `ask` ends as `block`");
            }
        }
    }
    Ok(Exit::Fine)
}

/// The line that holds the call.
fn line_of(args: &ExplainArgs) -> Result<Line, Failure> {
    if let Some(text) = &args.call {
        return Ok(Line { number: 1, text: Ok(text.clone()) });
    }
    let mut lines = calls::open(&args.calls)?;
    while let Some(line) = calls::next(&mut lines)? {
        if args.line.is_none_or(|wanted| wanted == line.number) {
            return Ok(line);
        }
    }
    let name = match args.calls.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => format!("`{}`", args.calls.display()),
    };
    Err(match args.line {
        Some(number) => Failure::unusable(format!("{name} has no call on line {number}")),
        None => Failure::unusable(format!("{name} holds no call")).help("give one with `--call JSON`"),
    })
}
