//! Tool declarations: lines of a body → [`EffectLine`]s, schemas.

use std::sync::Arc;

use crate::base::limits::CONFIG_FILE_BYTES_MAX;
use crate::base::{Diagnostic, Fix, Span, Spanned};
use crate::compile::import::{Files, normalise};
use crate::compile::resolve::Declared;
use crate::model::schema::Schema;
use crate::model::tool::EffectLine;
use crate::model::tool::{Argument, Dialect};
use crate::model::value::parse_json;
use crate::model::{Action, Capability, ToolDeclaration, ToolPattern};
use crate::syntax::ast::{AccessVerb, CapabilityWord, Name, Tool, ToolArg, ToolLine, ToolLineKind};

use super::Checker;
use super::scope::capability;

/// Where a layer's schema files are read.
pub(in crate::compile) struct SchemaFiles<'f> {
    pub(in crate::compile) files: &'f dyn Files,
    pub(in crate::compile) layer: usize,
    /// Every text that was read, for the revision.
    pub(in crate::compile) texts: Vec<String>,
}

impl Checker<'_> {
    /// Understands a declaration; `None` where a line of it was refused.
    pub(in crate::compile) fn tool(
        &mut self,
        declared: &Declared<'_, Tool>,
        files: &mut SchemaFiles<'_>,
    ) -> Option<ToolDeclaration> {
        let tool = declared.node;
        self.file = declared.file;
        let mut fine = self.tool_name(&tool.name);
        let mut lines: Vec<EffectLine> = Vec::new();
        let mut schema: Option<(Option<Arc<Schema>>, Span)> = None;
        let mut args: Vec<(Vec<crate::syntax::ast::Step>, Span)> = Vec::new();
        for line in &tool.lines {
            if let ToolLineKind::SchemaFile(_) | ToolLineKind::SchemaInline(_) = &line.kind {
                if let Some((_, first)) = &schema {
                    let diagnostic = self
                        .error("duplicate-schema", line.span, "a tool has one schema")
                        .help("keep one of them")
                        .label(self.file, *first, "the first one");
                    self.report.push(diagnostic);
                    fine = false;
                    continue;
                }
                let compiled = self.schema(line, declared.path, files);
                fine &= compiled.is_some();
                schema = Some((compiled.map(Arc::new), line.span));
                continue;
            }
            match self.tool_line(line, &mut args) {
                Some(line) => lines.push(line),
                None => fine = false,
            }
        }
        self.tool_body(tool);
        let schema = schema.and_then(|(schema, _)| schema);
        if let Some(schema) = &schema {
            for (path, span) in &args {
                self.argument_in_schema(&tool.name.node, schema.source(), path, *span);
            }
        }
        fine.then(|| ToolDeclaration { pattern: ToolPattern::parse(&tool.name.node), lines, schema })
    }

    /// A body says something, and `nothing` stands alone.
    fn tool_body(&mut self, tool: &Tool) {
        let effects: Vec<&ToolLine> = tool
            .lines
            .iter()
            .filter(|line| !matches!(line.kind, ToolLineKind::SchemaFile(_) | ToolLineKind::SchemaInline(_)))
            .collect();
        if effects.is_empty() && !self.names.broken {
            let message = format!("`{}` does not say what it does", tool.name.node);
            let diagnostic = self
                .error("empty-tool", tool.name.span, message)
                .expected("at least one line, such as `reads args.path`")
                .help("a tool without effects says `nothing`");
            self.report.push(diagnostic);
        }
        let nothing = effects.iter().find(|line| {
            matches!(&line.kind, ToolLineKind::Capability { capability, .. } if capability.node == CapabilityWord::Nothing)
        });
        if let (Some(nothing), true) = (nothing, effects.len() > 1) {
            let diagnostic = self
                .error("nothing-beside-others", nothing.span, "`nothing` stands beside other effects")
                .expected("`nothing` alone")
                .help("remove `nothing`");
            self.report.push(diagnostic);
        }
    }

    fn tool_line(
        &mut self,
        line: &ToolLine,
        args: &mut Vec<(Vec<crate::syntax::ast::Step>, Span)>,
    ) -> Option<EffectLine> {
        match &line.kind {
            ToolLineKind::Access { verb, arg, recursively, as_glob } => {
                let arg = self.tool_arg(arg, args)?;
                let (capability, action) = match verb.node {
                    AccessVerb::Reads => (Capability::Read, Action::Read),
                    AccessVerb::Lists => (Capability::Read, Action::List),
                    AccessVerb::Writes => (Capability::Write, Action::Change),
                    AccessVerb::Creates => (Capability::Write, Action::Create),
                    AccessVerb::Deletes => (Capability::Write, Action::Delete),
                };
                Some(EffectLine::Path {
                    capability,
                    action,
                    arg,
                    recursively: *recursively,
                    as_glob: *as_glob,
                })
            }
            ToolLineKind::Connects(arg) => Some(EffectLine::Connect { arg: self.tool_arg(arg, args)? }),
            ToolLineKind::Runs { arg, cwd, dialect } => {
                let arg = self.tool_arg(arg, args);
                let cwd = match cwd {
                    Some(cwd) => Some(self.tool_arg(cwd, args)?),
                    None => None,
                };
                Some(EffectLine::Run {
                    arg: arg?,
                    cwd,
                    dialect: dialect.as_ref().map_or(Dialect::Bash, dialect_of),
                })
            }
            ToolLineKind::Capability { capability: word, on } => self.bare_line(word, on.as_ref(), args),
            ToolLineKind::SchemaFile(_) | ToolLineKind::SchemaInline(_) => None,
        }
    }

    fn bare_line(
        &mut self,
        word: &Spanned<CapabilityWord>,
        on: Option<&ToolArg>,
        args: &mut Vec<(Vec<crate::syntax::ast::Step>, Span)>,
    ) -> Option<EffectLine> {
        let Some(capability) = capability(word.node) else {
            let diagnostic = self
                .error("any-in-tool", word.span, "a tool says each of its capabilities")
                .expected("`read`, `write`, `exec`, `network` or `nothing`");
            return self.refuse(diagnostic);
        };
        let Some(on) = on else { return Some(EffectLine::Bare(capability)) };
        let whole = word.span.to(on.span);
        match capability {
            Capability::Exec => {
                let argument = self.text(on.span);
                let diagnostic = self
                    .error("exec-on", whole, "`exec on` has no meaning: a command is no plain string")
                    .expected(format!("`runs {argument}`, or `exec` alone"))
                    .fix(Fix::suggest(whole, format!("runs {argument}")));
                self.refuse(diagnostic)
            }
            Capability::Nothing => {
                let diagnostic =
                    self.error("nothing-on", whole, "`nothing` is on nothing").expected("`nothing` alone");
                self.refuse(diagnostic)
            }
            capability => Some(EffectLine::Target { capability, arg: self.tool_arg(on, args)? }),
        }
    }

    fn tool_arg(
        &mut self,
        arg: &ToolArg,
        args: &mut Vec<(Vec<crate::syntax::ast::Step>, Span)>,
    ) -> Option<Argument> {
        self.argument_path(&arg.path, arg.span)?;
        if let (true, Some(or)) = (arg.optional, &arg.or) {
            let diagnostic = self
                .error(
                    "optional-with-or",
                    or.span,
                    "`optional` and `or` say different things about an absent argument",
                )
                .expected("one of them")
                .help("`optional`: absence is no effect; `or`: absence stands for the value");
            return self.refuse(diagnostic);
        }
        args.push((arg.path.clone(), arg.span));
        let or = arg.or.as_ref().map(|or| or.node.clone());
        Some(Argument { path: arg.path.clone(), optional: arg.optional, or })
    }

    fn schema(&mut self, line: &ToolLine, path: Option<&str>, files: &mut SchemaFiles<'_>) -> Option<Schema> {
        let (text, span, inline) = match &line.kind {
            ToolLineKind::SchemaInline(text) => (text.node.clone(), text.span, true),
            ToolLineKind::SchemaFile(name) => (self.schema_text(name, path, files)?, name.span, false),
            _ => return None,
        };
        let value = match parse_json(&text) {
            Ok(value) => value,
            Err(error) if inline => return self.bad_json(span, &error),
            Err(error) => {
                let message = format!("the schema is not valid JSON: line {}: {}", error.line, error.message);
                let diagnostic = self.error("bad-schema", span, message);
                return self.refuse(diagnostic);
            }
        };
        if !inline {
            files.texts.push(text);
        }
        match Schema::compile(value) {
            Ok(schema) => Some(schema),
            Err(why) => {
                let diagnostic =
                    self.error("bad-schema", span, why).expected("a JSON Schema of the arguments");
                self.refuse(diagnostic)
            }
        }
    }

    fn schema_text(&mut self, name: &Name, path: Option<&str>, files: &SchemaFiles<'_>) -> Option<String> {
        let Some(path) = path else {
            let diagnostic = self.error("schema-path", name.span, "a pack reads no files");
            return self.refuse(diagnostic);
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(key) = normalise(folder, &name.node) else {
            let diagnostic = self
                .error("schema-path", name.span, format!("`{}` is not in the layer's folder", name.node))
                .expected("a path relative to this file, in the folder of the layer");
            return self.refuse(diagnostic);
        };
        match files.files.read(files.layer, &key) {
            Ok(text) if text.len() > CONFIG_FILE_BYTES_MAX => {
                let message = format!("`{key}` is larger than {} MiB", CONFIG_FILE_BYTES_MAX >> 20);
                let diagnostic = self.error("file-too-large", name.span, message);
                self.refuse(diagnostic)
            }
            Ok(text) => Some(text),
            Err(why) => {
                let message = format!("`{key}` cannot be read: {why}");
                let diagnostic = self.error("unreadable-schema", name.span, message);
                self.refuse(diagnostic)
            }
        }
    }

    /// Reports broken JSON inside a policy.
    pub(super) fn bad_json<T>(&mut self, span: Span, error: &crate::model::value::JsonError) -> Option<T> {
        let diagnostic = Diagnostic::error(
            "bad-json",
            self.file,
            span,
            format!("this is not valid JSON: {}", error.message),
        )
        .expected("one line of JSON");
        self.refuse(diagnostic)
    }
}

fn dialect_of(name: &Name) -> Dialect {
    match name.node.as_str() {
        "bash" => Dialect::Bash,
        "words" => Dialect::Words,
        other => Dialect::Other(other.to_owned()),
    }
}
