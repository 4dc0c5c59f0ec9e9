//! `tollgate init`: a starter configuration, policy, CI step and pre-commit hook.

use crate::cli::args::InitArgs;
use crate::cli::exit::{Exit, Failure};
use crate::cli::{files, output};

/// The starter policy.
const POLICY: &str = include_str!("../../../policies/starters/coding-agent.toll");

const CONFIGURATION: &str = "\
# The layers of this project's policy, outermost first. A project's configuration can only add layers,
# and layers only tighten: what the user or the operator blocks stays blocked.
layers:
  - name: project
    path: policies
";

const WORKFLOW: &str = "\
name: tollgate
on: [push, pull_request]
permissions:
  contents: read
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      # Put `tollgate` on the PATH here, in the way your other tools get there.
      - run: tollgate fmt --check --diff policies
      - run: tollgate lint --format github --fail-on warning
";

const HOOK: &str = "\
#!/bin/sh
# Refuses a commit whose policies are broken or not laid out. Switch it on once in each clone:
#   git config core.hooksPath .githooks
set -eu
tollgate fmt --check policies
tollgate lint --fail-on warning
";

/// Writes what is missing, keeps what is there.
///
/// # Errors
/// A file cannot be written.
pub fn run(args: &InitArgs) -> Result<Exit, Failure> {
    let starters = [
        ("tollgate.yaml", CONFIGURATION, false),
        ("policies/agent.toll", POLICY, false),
        (".github/workflows/tollgate.yml", WORKFLOW, false),
        (".githooks/pre-commit", HOOK, true),
    ];
    for (name, text, executable) in starters {
        let written = files::create_text(&args.dir.join(name), text, executable)?;
        output::print_line(&if written {
            format!("wrote {name}")
        } else {
            format!("kept  {name}, which was there")
        })?;
    }
    output::tell(
        "next: look through policies/agent.toll, then `tollgate lint`; \
         `git config core.hooksPath .githooks` switches the pre-commit hook on",
    );
    Ok(Exit::Fine)
}
