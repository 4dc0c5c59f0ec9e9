//! Fields: what a dotted name means, its type, and the effects that carry it (`language.md`, section 7).

use crate::base::suggest::nearest;
use crate::base::{Fix, Span};
use crate::compile::expr::{CommandPart, Subject};
use crate::compile::import::quoted_list;
use crate::model::path::PathKind;
use crate::model::{Capability, CapabilitySet};
use crate::syntax::ast::{Field, Function, Operand, Step};

use super::Checker;

/// The type of a field, or of an element of a list field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compile) enum Type {
    /// A plain string.
    Text,
    /// `command.program`.
    Program,
    /// An element of `command.flags`.
    Flag,
    /// An argument: any JSON value.
    Json,
    Path,
    Command,
    Url,
    Host,
    Ip,
    Port,
    /// Bytes.
    Size,
    /// Elements.
    Count,
    /// An enum.
    Word(Words),
}

/// The enums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compile) enum Words {
    Mode,
    Capability,
    Action,
    Kind,
}

/// The words of `path.kind`.
pub(super) const KINDS: [PathKind; 6] =
    [PathKind::File, PathKind::Dir, PathKind::Tree, PathKind::Missing, PathKind::Shared, PathKind::Other];

impl Words {
    /// The enum that a field is of.
    pub(super) fn of_field(field: &Field) -> Option<Self> {
        match (field.root.node.as_str(), field.steps.first().map(|step| &step.node)) {
            ("mode", None) => Some(Self::Mode),
            ("capability", None) => Some(Self::Capability),
            ("action", None) => Some(Self::Action),
            ("path", Some(Step::Name(part))) if part == "kind" => Some(Self::Kind),
            _ => None,
        }
    }
}

impl Type {
    /// For messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Program => "the name or path of a program",
            Self::Flag => "a flag",
            Self::Json => "a JSON value",
            Self::Path => "a path",
            Self::Command => "a command",
            Self::Url => "a URL",
            Self::Host => "a host",
            Self::Ip => "an address",
            Self::Port => "a port number",
            Self::Size => "a size",
            Self::Count => "a number of elements",
            Self::Word(Words::Mode) => "a mode",
            Self::Word(Words::Capability) => "a capability",
            Self::Word(Words::Action) => "an action",
            Self::Word(Words::Kind) => "a kind of path",
        }
    }

    /// Strings that `matches`, `starts with` and their kin read.
    pub(super) fn is_textual(self) -> bool {
        matches!(self, Self::Text | Self::Program | Self::Flag | Self::Json)
    }
}

/// A field that was understood.
#[derive(Debug, Clone)]
pub(in crate::compile) struct FieldInfo {
    pub(in crate::compile) subject: Subject,
    /// Of the field, or of its elements.
    pub(super) ty: Type,
    /// A list: needs `any` or `all`.
    pub(super) list: bool,
}

const ROOTS: [&str; 19] = [
    "tool",
    "source",
    "capability",
    "mode",
    "agent",
    "user",
    "args",
    "path",
    "action",
    "command",
    "via",
    "url",
    "host",
    "port",
    "ip",
    "method",
    "target",
    "result",
    "session",
];

/// The parts behind a root, without the root itself.
fn parts(root: &str) -> &'static [&'static str] {
    match root {
        "path" => &["name", "ext", "kind"],
        "command" | "via" => &["program", "flags", "operands", "words", "wrappers", "cwd", "env"],
        "url" => &["scheme", "path", "query", "userinfo"],
        "result" => &["text", "size"],
        _ => &[],
    }
}

/// The meaning of a root and its part, `args` left out.
fn known(root: &str, part: &str) -> Option<FieldInfo> {
    use Subject as S;
    let plain = |subject, ty| Some(FieldInfo { subject, ty, list: false });
    match (root, part) {
        ("tool", "") => plain(S::Tool, Type::Text),
        ("source", "") => plain(S::Source, Type::Text),
        ("capability", "") => plain(S::Capability, Type::Word(Words::Capability)),
        ("mode", "") => plain(S::Mode, Type::Word(Words::Mode)),
        ("agent", "") => plain(S::Agent, Type::Text),
        ("user", "") => plain(S::User, Type::Text),
        ("path", "") => plain(S::Path, Type::Path),
        ("path", "name") => plain(S::PathName, Type::Text),
        ("path", "ext") => plain(S::PathExt, Type::Text),
        ("path", "kind") => plain(S::PathKind, Type::Word(Words::Kind)),
        ("action", "") => plain(S::Action, Type::Word(Words::Action)),
        ("url", "") => plain(S::Url, Type::Url),
        ("url", "scheme") => plain(S::UrlScheme, Type::Text),
        ("url", "path") => plain(S::UrlPath, Type::Text),
        ("url", "query") => plain(S::UrlQuery, Type::Text),
        ("url", "userinfo") => plain(S::UrlUserinfo, Type::Text),
        ("host", "") => plain(S::Host, Type::Host),
        ("port", "") => plain(S::Port, Type::Port),
        ("ip", "") => plain(S::Ip, Type::Ip),
        ("method", "") => plain(S::Method, Type::Text),
        ("target", "") => plain(S::Target, Type::Text),
        ("result", "text") => plain(S::ResultText, Type::Text),
        ("result", "size") => plain(S::ResultSize, Type::Size),
        ("command", part) => {
            command_part(part).map(|(p, ty, list)| FieldInfo { subject: S::Command(p), ty, list })
        }
        ("via", part) => command_part(part).map(|(p, ty, list)| FieldInfo { subject: S::Via(p), ty, list }),
        _ => None,
    }
}

fn command_part(part: &str) -> Option<(CommandPart, Type, bool)> {
    Some(match part {
        "" => (CommandPart::Whole, Type::Command, false),
        "program" => (CommandPart::Program, Type::Program, false),
        "flags" => (CommandPart::Flags, Type::Flag, true),
        "operands" => (CommandPart::Operands, Type::Text, true),
        "words" => (CommandPart::Words, Type::Text, true),
        "wrappers" => (CommandPart::Wrappers, Type::Text, true),
        "cwd" => (CommandPart::Cwd, Type::Path, false),
        "env" => (CommandPart::Env, Type::Text, true),
        _ => return None,
    })
}

impl Subject {
    /// The capabilities whose effects carry the field, and whether it needs `on result of`.
    #[must_use]
    pub fn carried_by(&self) -> (CapabilitySet, bool) {
        use Capability::{Exec, Network, Read, Write};
        let set = |members: &[Capability]| members.iter().copied().collect::<CapabilitySet>();
        match self {
            Self::Tool
            | Self::Source
            | Self::Capability
            | Self::Mode
            | Self::Agent
            | Self::User
            | Self::Arg(_) => (CapabilitySet::ANY, false),
            Self::Path | Self::PathName | Self::PathExt | Self::PathKind | Self::Action => {
                (set(&[Read, Write]), false)
            }
            Self::Command(_) => (set(&[Exec]), false),
            Self::Via(_) | Self::Target => (set(&[Read, Write, Network]), false),
            Self::Url
            | Self::UrlScheme
            | Self::UrlPath
            | Self::UrlQuery
            | Self::UrlUserinfo
            | Self::Host
            | Self::Port
            | Self::Ip
            | Self::Method => (set(&[Network]), false),
            Self::ResultText | Self::ResultSize => (CapabilitySet::ANY, true),
            Self::Size(inner) | Self::Count(inner) | Self::Lower(inner) => inner.carried_by(),
        }
    }

    /// The field below functions.
    #[must_use]
    pub fn base(&self) -> &Self {
        match self {
            Self::Size(inner) | Self::Count(inner) | Self::Lower(inner) => inner.base(),
            other => other,
        }
    }
}

impl Checker<'_> {
    /// Understands a field.
    pub(in crate::compile) fn field(&mut self, field: &Field) -> Option<FieldInfo> {
        let root = field.root.node.as_str();
        if root == "args" {
            return self.argument(field);
        }
        let part = match field.steps.as_slice() {
            [] => Some(""),
            [step] => match &step.node {
                Step::Name(name) if !name.is_empty() => Some(name.as_str()),
                _ => None,
            },
            _ => None,
        };
        if let Some(info) = part.and_then(|part| known(root, part)) {
            return Some(info);
        }
        if ROOTS.contains(&root) { self.unknown_part(field, root) } else { self.unknown_root(field, root) }
    }

    fn unknown_root(&mut self, field: &Field, root: &str) -> Option<FieldInfo> {
        let message = format!("there is no field `{root}`");
        let mut diagnostic = self.error("unknown-field", field.root.span, message).expected("a field");
        if let Some(near) = nearest(root, ROOTS) {
            diagnostic =
                diagnostic.help(format!("did you mean `{near}`?")).fix(Fix::suggest(field.root.span, near));
        } else {
            diagnostic = diagnostic.help(format!("an argument is written `args.{root}`"));
        }
        self.refuse(diagnostic)
    }

    fn unknown_part(&mut self, field: &Field, root: &str) -> Option<FieldInfo> {
        let written = self.text(field.span);
        let written = if written.is_empty() { root } else { written };
        let parts = parts(root);
        let mut diagnostic =
            self.error("unknown-field", field.span, format!("there is no field `{written}`"));
        diagnostic = match (root, parts) {
            ("session", _) => diagnostic.expected("`session has LABEL`"),
            (_, []) => diagnostic.expected(format!("`{root}` alone")),
            ("result", parts) => {
                diagnostic.expected(quoted_list(parts.iter().map(|p| format!("result.{p}"))))
            }
            (_, parts) => {
                let all = std::iter::once(root.to_owned()).chain(parts.iter().map(|p| format!("{root}.{p}")));
                diagnostic.expected(format!("one of {}", quoted_list(all)))
            }
        };
        let near = match field.steps.as_slice() {
            [step] => match &step.node {
                Step::Name(name) => nearest(name, parts.iter().copied()),
                _ => None,
            },
            _ => None,
        };
        if let Some(near) = near {
            diagnostic = diagnostic
                .help(format!("did you mean `{root}.{near}`?"))
                .fix(Fix::suggest(field.span, format!("{root}.{near}")));
        }
        self.refuse(diagnostic)
    }

    fn argument(&mut self, field: &Field) -> Option<FieldInfo> {
        let steps: Vec<Step> = field.steps.iter().map(|step| step.node.clone()).collect();
        self.argument_path(&steps, field.span)?;
        let list = steps.contains(&Step::Each);
        Some(FieldInfo { subject: Subject::Arg(steps), ty: Type::Json, list })
    }

    /// Checks the steps behind `args`.
    pub(super) fn argument_path(&mut self, steps: &[Step], span: Span) -> Option<()> {
        match steps.first() {
            Some(Step::Name(_)) => {}
            Some(_) => {
                let diagnostic = self
                    .error("argument-name", span, "the arguments of a call have names")
                    .expected("`args.NAME`");
                return self.refuse(diagnostic);
            }
            None => {
                let diagnostic = self
                    .error("argument-name", span, "`args` alone is not a value")
                    .expected("`args.NAME`, the argument that is meant");
                return self.refuse(diagnostic);
            }
        }
        if steps.iter().filter(|step| **step == Step::Each).count() > 1 {
            let diagnostic = self
                .error("nested-each", span, "`[*]` stands twice in one path")
                .expected("at most one `[*]`")
                .help("name the element of one of the lists, as in `[0]`");
            return self.refuse(diagnostic);
        }
        Some(())
    }

    /// Understands the left side of a comparison.
    pub(super) fn operand(&mut self, operand: &Operand) -> Option<FieldInfo> {
        let field = self.field(&operand.field)?;
        let Some(function) = &operand.function else { return Some(field) };
        let written = self.text(operand.field.span);
        let (fits, name, needs) = match function.node {
            Function::Size => (field.ty.is_textual(), "size", "a string"),
            Function::Lower => (field.ty.is_textual(), "lower", "a string"),
            Function::Count => (field.list || field.ty == Type::Json, "count", "a list"),
        };
        if !fits {
            let is = if field.list { "a list" } else { field.ty.describe() };
            let message = format!("`{name}` is of {needs}, and `{written}` is {is}");
            let diagnostic = self.error("function-type", operand.span, message).expected(needs);
            return self.refuse(diagnostic);
        }
        let inner = Box::new(field.subject);
        Some(match function.node {
            Function::Size => FieldInfo { subject: Subject::Size(inner), ty: Type::Size, list: field.list },
            Function::Lower => FieldInfo { subject: Subject::Lower(inner), ty: Type::Text, list: field.list },
            Function::Count => FieldInfo { subject: Subject::Count(inner), ty: Type::Count, list: false },
        })
    }
}
