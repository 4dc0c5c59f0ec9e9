//! The command line: verbs, flags, help with examples.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "tollgate",
    version,
    about = "A policy engine and gate for the tool calls of AI agents",
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 fine, 1 the answer is negative, 2 the input cannot be used, 3 internal fault"
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Write a starter configuration, a policy, a CI step and a pre-commit hook
    Init(InitArgs),
    /// Execute calls through the gate with the built-in tools: JSON lines in, envelopes out
    Run(RunArgs),
    /// Judge calls and execute nothing: JSON lines in, verdicts out
    Decide(DecideArgs),
    /// Show why one call gets its verdict: effects, rules that counted, rules that nearly did
    Explain(ExplainArgs),
    /// Check policies: errors, and examples that do not hold
    Lint(LintArgs),
    /// Lay policies out in the one canonical way
    Fmt(FmtArgs),
    /// Test policies: cases, matrices, examples of rules, snapshots of verdicts
    Test(TestArgs),
}

/// Where policies come from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// Configuration to read in the operator's place; `none` reads no configuration at all
    #[arg(long, value_name = "FILE|none")]
    pub config: Option<PathBuf>,
    /// A policy file, or a folder of *.toll files: the layer `policy`, inside the configured layers
    #[arg(long, value_name = "PATH")]
    pub policy: Option<PathBuf>,
    /// A named layer, a file or a folder; repeated, outermost first, inside all layers above
    #[arg(long = "layer", value_name = "NAME=PATH", value_parser = parse_layer)]
    pub layers: Vec<(String, PathBuf)>,
    /// The workspace root [default: the nearest folder upward with .git, else the current folder]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
}

/// What the host says about calls.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Context")]
pub struct ContextArgs {
    /// The mode of calls that name none
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Nobody is there to approve: every `ask` becomes `block`
    #[arg(long)]
    pub unattended: bool,
    /// Where audit, artifacts and approvals are kept [default: below $XDG_STATE_HOME/tollgate]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// `run`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"tool\": \"read_file\", \"args\": {\"path\": \"README.md\"}}' | tollgate run --policy policies
  tollgate run --calls calls.jsonl --mode build --unattended --format text")]
pub struct RunArgs {
    /// Calls as JSON lines; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub calls: PathBuf,
    /// How envelopes are shown
    #[arg(long, value_enum, default_value_t = ResultFormat::Json)]
    pub format: ResultFormat,
    /// Work on a fresh copy of this folder, links kept as links; it is removed at the end
    #[arg(long, value_name = "DIR", conflicts_with = "workspace")]
    pub workspace_copy: Option<PathBuf>,
    /// Only for `decide` and `explain`: `run` acts in the real world
    #[arg(long, value_name = "FILE", hide = true)]
    pub world: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub policy: PolicyArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub context: ContextArgs,
}

/// `decide`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"tool\": \"read_file\", \"args\": {\"path\": \".env\"}}' | tollgate decide --policy policies
  tollgate decide --calls calls.jsonl --world world.yaml --fail-on block")]
pub struct DecideArgs {
    /// Calls as JSON lines; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub calls: PathBuf,
    /// Judge in the virtual world of this file: no look at the real file system, no name is resolved
    #[arg(long, value_name = "FILE")]
    pub world: Option<PathBuf>,
    /// Exit with 1 where a verdict is this strict, or stricter
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub fail_on: Option<VerdictLevel>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub policy: PolicyArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub context: ContextArgs,
}

/// `explain`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tollgate explain --policy policies --call '{\"tool\": \"shell\", \"args\": {\"command\": \"cat .env\"}}'
  tollgate explain --calls calls.jsonl --line 17 --world world.yaml --format json")]
pub struct ExplainArgs {
    /// The call, as JSON
    #[arg(long, value_name = "JSON", conflicts_with_all = ["calls", "line"])]
    pub call: Option<String>,
    /// Calls as JSON lines, of which one is explained; `-` is standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub calls: PathBuf,
    /// Which line of the calls, from 1 [default: the first that is not blank]
    #[arg(long, value_name = "N", value_parser = parse_line)]
    pub line: Option<u64>,
    /// Judge in the virtual world of this file: no look at the real file system, no name is resolved
    #[arg(long, value_name = "FILE")]
    pub world: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub policy: PolicyArgs,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub context: ContextArgs,
}

/// `lint`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tollgate lint policies/agent.toll
  tollgate lint --format github --fail-on warning")]
pub struct LintArgs {
    /// Files, or folders of *.toll files, each checked as a policy of its own [default: the
    /// configured layers together]
    #[arg(value_name = "PATHS", conflicts_with_all = ["policy", "layers"])]
    pub paths: Vec<PathBuf>,
    /// How findings are shown
    #[arg(long, value_enum, default_value_t = FindingFormat::Text)]
    pub format: FindingFormat,
    /// Exit with 1 where a finding is this grave, or graver
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = FindingLevel::Error)]
    pub fail_on: FindingLevel,
    /// Apply the mends that are certain, then check again
    #[arg(long)]
    pub fix: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "a doc comment here would become the help of the flags")]
    pub policy: PolicyArgs,
}

/// `fmt`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tollgate fmt policies
  tollgate fmt --check --diff policies/agent.toll")]
pub struct FmtArgs {
    /// Files, or folders searched for *.toll files; `-` formats standard input to standard output
    /// [default: every *.toll file below the current folder]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Write nothing; name the files that differ and exit with 1 where one does
    #[arg(long)]
    pub check: bool,
    /// Write nothing; show the differences and exit with 1 where there is one
    #[arg(long)]
    pub diff: bool,
}

/// `test`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tollgate test policies
  tollgate test --accept policies/tests/agent.test.yaml")]
pub struct TestArgs {
    /// Test files, policy files, or folders searched for *.test.yaml files and, for the examples of
    /// rules, *.toll files [default: the current folder]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Only checks whose `FILE: NAME` holds this text
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write the snapshots as the verdicts are; read the difference before you keep it. Refused in
    /// continuous integration (where `CI` is set)
    #[arg(long, conflicts_with = "filter")]
    pub accept: bool,
    /// How the report is shown
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// `init`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tollgate init
  tollgate init path/to/project")]
pub struct InitArgs {
    /// The folder of the project; made where it is missing
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
    /// JSON lines, one for each call
    Json,
    /// For people
    Text,
}

/// How one thing is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// How findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FindingFormat {
    /// For people, with the lines they are about
    Text,
    /// One JSON object
    Json,
    /// Commands that a GitHub workflow shows at the changed lines
    Github,
}

/// How reports of tests are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// XML that continuous integration shows
    Junit,
}

/// Levels of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictLevel {
    /// Any verdict but a plain allow
    Warn,
    /// Ask or block
    Ask,
    /// Block only
    Block,
}

impl From<VerdictLevel> for crate::model::Level {
    fn from(level: VerdictLevel) -> Self {
        match level {
            VerdictLevel::Warn => Self::Warn,
            VerdictLevel::Ask => Self::Ask,
            VerdictLevel::Block => Self::Block,
        }
    }
}

/// Levels of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FindingLevel {
    /// The policy does not load
    Error,
    /// Probably a mistake
    Warning,
    /// Any finding
    Note,
}

impl From<FindingLevel> for crate::base::Level {
    fn from(level: FindingLevel) -> Self {
        match level {
            FindingLevel::Error => Self::Error,
            FindingLevel::Warning => Self::Warning,
            FindingLevel::Note => Self::Note,
        }
    }
}

/// Reads the number of a line.
fn parse_line(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "lines are counted from 1".to_owned())
}

/// Reads `NAME=PATH`.
fn parse_layer(text: &str) -> Result<(String, PathBuf), String> {
    let (name, path) =
        text.split_once('=').ok_or_else(|| format!("write `NAME=PATH`, such as `project={text}`"))?;
    crate::host::config::check_layer_name(name)?;
    if path.is_empty() {
        return Err(format!("the layer `{name}` has no path behind the `=`"));
    }
    Ok((name.to_owned(), PathBuf::from(path)))
}
