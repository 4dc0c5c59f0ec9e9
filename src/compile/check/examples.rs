//! `example` clauses: JSON, tools, modes.

use serde_json::{Map, Value};

use crate::base::{Span, Spanned};
use crate::compile::program::{self, Verb};
use crate::effects::VirtualWorld;
use crate::model::value::parse_json;
use crate::syntax::ast::Example;

use super::Checker;

impl Checker<'_> {
    /// Understands an example.
    pub(in crate::compile) fn example(
        &mut self,
        verb: Verb,
        result: bool,
        example: &Example,
        span: Span,
    ) -> Option<program::Example> {
        if result {
            let diagnostic = self
                .error("example-of-result", span, "an example is a call, and this rule is about results")
                .help("write a test case with `result:`");
            return self.refuse(diagnostic);
        }
        self.unknown_tool(example.tool.span, &example.tool.node);
        let args = self.object(&example.args);
        let mode = match &example.mode {
            Some(mode) => self.mode(mode.span, &mode.node).map(Some),
            None => Some(None),
        };
        let world = match &example.world {
            Some(world) => self.world(world).map(Some),
            None => Some(None),
        };
        let gives = match &example.gives {
            Some(gives) if verb != Verb::Modify => {
                let message = format!("`{}` rules rewrite nothing", verb.as_str());
                let diagnostic = self
                    .error("gives-without-modify", gives.span, message)
                    .expected("`gives` in `modify` rules only")
                    .help("remove `gives` and what follows it");
                return self.refuse(diagnostic);
            }
            Some(gives) if example.negated => {
                let diagnostic = self
                    .error("gives-with-not", gives.span, "a rule that does not count rewrites nothing")
                    .help("remove `gives`, or `not`");
                return self.refuse(diagnostic);
            }
            Some(gives) => self.object(gives).map(Some),
            None => Some(None),
        };
        Some(program::Example {
            negated: example.negated,
            tool: example.tool.node.clone(),
            args: args?,
            mode: mode?,
            world: world?,
            gives: gives?,
            file: self.file,
            span,
        })
    }

    fn object(&mut self, text: &Spanned<String>) -> Option<Map<String, Value>> {
        match self.json(text)? {
            Value::Object(object) => Some(object),
            _ => {
                let diagnostic = self
                    .error("bad-json", text.span, "the arguments of a call are an object")
                    .expected("`{\"NAME\": VALUE, …}`");
                self.refuse(diagnostic)
            }
        }
    }

    fn world(&mut self, text: &Spanned<String>) -> Option<Value> {
        let value = self.json(text)?;
        match VirtualWorld::from_json(value.clone()) {
            Ok(_) => Some(value),
            Err(error) => {
                let diagnostic = self
                    .error("bad-world", text.span, format!("this is no world: {error}"))
                    .expected("an object such as `{\"files\": {\"a.txt\": \"\"}}`");
                self.refuse(diagnostic)
            }
        }
    }

    /// Reads JSON that stands in the policy.
    pub(super) fn json(&mut self, text: &Spanned<String>) -> Option<Value> {
        match parse_json(&text.node) {
            Ok(value) => Some(value),
            Err(error) => self.bad_json(text.span, &error),
        }
    }
}
