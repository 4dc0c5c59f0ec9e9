//! Arguments against the schemas of the tools that a rule names: does the argument exist, can it
//! ever take the value. What a schema leaves open is never refused.

use serde_json::Value;

use crate::base::suggest::nearest;
use crate::base::{Diagnostic, Fix, Span};
use crate::compile::expr::{AtomKind, Scalar, Subject, Test};
use crate::compile::program::Scope;
use crate::model::{Number, ToolPattern};
use crate::syntax::ast::Step;

use super::sets::short;
use super::{Checker, Use};

/// What a schema says about a place in the arguments.
enum Slot<'s> {
    /// Anything may be there.
    Open,
    /// Nothing may: the name that is missing, and those that are there.
    Missing(&'s str, Vec<&'s str>),
    /// What is there.
    Found(&'s Value),
}

/// References followed for one place: schemas may refer in circles.
const REFERENCES_MAX: usize = 16;

/// Words whose meaning is left to the validator.
const OPEN_WORDS: [&str; 10] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "$dynamicRef",
    "$recursiveRef",
    "dependentSchemas",
    "unevaluatedProperties",
    "patternProperties",
];

impl Checker<'_> {
    /// Checks a tool's own line against its schema.
    pub(super) fn argument_in_schema(&mut self, tool: &str, schema: &Value, path: &[Step], span: Span) {
        if let Slot::Missing(name, others) = slot(schema, path) {
            let diagnostic = self.unknown_argument(tool, name, &others, span);
            self.report.push(diagnostic);
        }
    }

    fn unknown_argument(&self, tool: &str, name: &str, others: &[&str], span: Span) -> Diagnostic {
        let message = format!("the schema of `{tool}` has no argument `{name}`");
        let mut diagnostic = self.error("unknown-argument", span, message);
        if !others.is_empty() {
            diagnostic = diagnostic.expected(super::one_of(others));
        }
        if let Some(near) = nearest(name, others.iter().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
            if let Some(at) = self.text(span).rfind(&format!(".{name}")) {
                let start = span.start as usize + at + 1;
                diagnostic = diagnostic.fix(Fix::suggest(Span::new(start, start + name.len()), near));
            }
        }
        diagnostic
    }

    /// Checks what a rule asks of arguments against the schemas of the tools that it names.
    pub(in crate::compile) fn arguments(
        &mut self,
        scope: &Scope,
        uses: &[Use],
        places: &[(Vec<Step>, Span)],
    ) {
        let Some(tools) = self.schemas(scope) else { return };
        for (path, span) in places {
            self.known_argument(&tools, path, *span);
        }
        for used in uses {
            let Subject::Arg(path) = used.subject.base() else { continue };
            let (file, span) = used.at;
            let previous = std::mem::replace(&mut self.file, file);
            if self.known_argument(&tools, path, span)
                && let Some(atom) = &used.atom
            {
                let value = if used.at == used.field { used.value.unwrap_or(span) } else { span };
                self.value(&tools, path, &used.subject, &atom.kind, (span, value));
            }
            self.file = previous;
        }
    }

    /// The schemas of the tools in a `by`, as far as this layer knows them; `None` where some tool has none.
    fn schemas(&self, scope: &Scope) -> Option<Vec<(String, Vec<Value>)>> {
        let mut found = Vec::new();
        for tool in &scope.tools {
            let ToolPattern::Exact(name) = tool else { return None };
            let schemas: Vec<Value> = self
                .tools
                .iter()
                .filter(|declared| declared.layer.is_none_or(|layer| layer <= self.layer))
                .filter(|declared| declared.declaration.pattern.matches(name))
                .filter_map(|declared| declared.declaration.schema.as_ref())
                .map(|schema| schema.source().clone())
                .collect();
            if schemas.is_empty() {
                return None;
            }
            found.push((name.clone(), schemas));
        }
        (!found.is_empty()).then_some(found)
    }

    /// Whether some tool could have the argument; reports it where none can.
    fn known_argument(&mut self, tools: &[(String, Vec<Value>)], path: &[Step], span: Span) -> bool {
        let mut first = None;
        for (tool, schemas) in tools {
            let missing = schemas.iter().find_map(|schema| match slot(schema, path) {
                Slot::Missing(name, others) => Some((name, others)),
                _ => None,
            });
            match missing {
                None => return true,
                Some((name, others)) => {
                    first.get_or_insert_with(|| self.unknown_argument(tool, name, &others, span));
                }
            }
        }
        self.report.extend(first);
        false
    }

    fn value(
        &mut self,
        tools: &[(String, Vec<Value>)],
        path: &[Step],
        subject: &Subject,
        kind: &AtomKind,
        (field, value): (Span, Span),
    ) {
        let test = match kind {
            AtomKind::Test { test, .. } | AtomKind::Quantified { test, .. } => test,
            AtomKind::SessionHas(_) => return,
        };
        let nodes: Vec<Vec<&Value>> = tools
            .iter()
            .map(|(_, schemas)| {
                schemas
                    .iter()
                    .filter_map(|schema| match slot(schema, path) {
                        Slot::Found(node) => Some(node),
                        _ => None,
                    })
                    .collect()
            })
            .collect();
        // Impossible for a tool where one of its schemas forbids it; refused where it is so for all.
        let never = |check: &dyn Fn(&Value) -> Option<Never>| -> Option<Never> {
            let mut found = None;
            for nodes in &nodes {
                found = Some(nodes.iter().find_map(|node| check(node))?);
            }
            found
        };
        let tool = tools.first().map_or("", |(tool, _)| tool.as_str());
        if let Some(why) = never(&|node| type_never(node, subject, test)) {
            self.never((tool, path), &why, None, field);
            return;
        }
        if !matches!(subject, Subject::Arg(_)) {
            return;
        }
        let Test::OneOf(scalars) = test else {
            if let Some(why) = never(&|node| text_never(node, test)) {
                self.never((tool, path), &why, None, value);
            }
            return;
        };
        let mut scalars: Vec<&Scalar> = scalars.0.iter().collect();
        scalars.sort_by_key(|scalar| shown(scalar));
        let refused: Vec<(&Scalar, Never)> = scalars
            .iter()
            .filter_map(|scalar| never(&|node| scalar_never(node, scalar)).map(|why| (*scalar, why)))
            .collect();
        let in_braces = self.text(value).starts_with('{');
        if in_braces || refused.len() == scalars.len() {
            for (scalar, why) in refused {
                self.never((tool, path), &why, Some(shown(scalar)), value);
            }
        }
    }

    fn never(&mut self, (tool, path): (&str, &[Step]), why: &Never, scalar: Option<String>, span: Span) {
        let argument = argument_text(path);
        let diagnostic = match why {
            Never::Type(types) => {
                let message = match scalar {
                    Some(scalar) => format!("`{argument}` of `{tool}` is never `{scalar}`"),
                    None => format!("`{argument}` of `{tool}` is {}, by its schema", types_text(types)),
                };
                self.error("argument-type", span, message).expected(match types.as_slice() {
                    [ty] if ty == "array" => "an operator on lists".to_owned(),
                    _ => types_text(types),
                })
            }
            Never::Enum(words) => {
                let what = scalar.unwrap_or_else(|| short(self.text(span)));
                let message = format!("`{argument}` of `{tool}` is never `{what}`");
                let mut diagnostic = self.error("enum-never", span, message).expected(super::one_of(words));
                if let Some(near) = nearest(&what, words.iter().map(String::as_str)) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                diagnostic
            }
        };
        self.report.push(diagnostic);
    }
}

/// Why a value can never be there.
enum Never {
    /// The types that can.
    Type(Vec<String>),
    /// The values that can.
    Enum(Vec<String>),
}

/// A place as it is written.
fn argument_text(path: &[Step]) -> String {
    let mut text = "args".to_owned();
    for step in path {
        match step {
            Step::Name(name) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') => {
                text.push('.');
                text.push_str(name);
            }
            Step::Name(name) => text.push_str(&format!("[{}]", super::quote(name))),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Each => text.push_str("[*]"),
        }
    }
    text
}

fn types_text(types: &[String]) -> String {
    let words: Vec<&str> = types
        .iter()
        .map(|ty| match ty.as_str() {
            "array" => "a list",
            "boolean" => "`true` or `false`",
            "integer" => "a whole number",
            "null" => "`null`",
            "number" => "a number",
            "object" => "an object",
            _ => "a string",
        })
        .collect();
    words.join(" or ")
}

fn shown(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => super::quote(text),
        Scalar::Number(number) => number_text(number),
        Scalar::Bool(value) => value.to_string(),
        Scalar::Null => "null".to_owned(),
    }
}

/// A number as a person would write it.
fn number_text(number: &Number) -> String {
    number.to_string()
}

fn types(node: &Value) -> Option<Vec<String>> {
    match node.get("type")? {
        Value::String(ty) => Some(vec![ty.clone()]),
        Value::Array(types) => types.iter().map(|ty| ty.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// The values of `enum` or `const`.
fn values(node: &Value) -> Option<Vec<&Value>> {
    if let Some(value) = node.get("const") {
        return Some(vec![value]);
    }
    node.get("enum")?.as_array().map(|values| values.iter().collect())
}

/// Whether the operator reads a type that the argument never has.
fn type_never(node: &Value, subject: &Subject, test: &Test) -> Option<Never> {
    let types = types(node)?;
    let has = |wanted: &[&str]| types.iter().any(|ty| wanted.contains(&ty.as_str()));
    let fits = match (subject, test) {
        (Subject::Size(_) | Subject::Lower(_), _) => has(&["string"]),
        (Subject::Count(_), _) => has(&["array"]),
        (_, Test::Order(..)) => has(&["number", "integer"]),
        (
            _,
            Test::Matches(_)
            | Test::ContainsMatch(_)
            | Test::StartsWith(_)
            | Test::EndsWith(_)
            | Test::Nets(_),
        ) => has(&["string"]),
        (_, Test::ContainsText(_)) => has(&["string", "array"]),
        (_, Test::ContainsElement(_)) => has(&["array"]),
        (_, Test::Null) => has(&["null"]),
        _ => true,
    };
    (!fits).then_some(Never::Type(types))
}

fn scalar_never(node: &Value, scalar: &Scalar) -> Option<Never> {
    if let Some(values) = values(node) {
        let fits = values.iter().any(|value| equals(scalar, value));
        return (!fits).then(|| Never::Enum(values.iter().map(ToString::to_string).collect()));
    }
    let types = types(node)?;
    let fits = types.iter().any(|ty| match scalar {
        Scalar::Text(_) => ty == "string",
        Scalar::Number(number) => ty == "number" || (ty == "integer" && number.is_whole()),
        Scalar::Bool(_) => ty == "boolean",
        Scalar::Null => ty == "null",
    });
    (!fits).then_some(Never::Type(types))
}

/// Whether a test of strings fails on every value of an enum.
fn text_never(node: &Value, test: &Test) -> Option<Never> {
    let values = values(node)?;
    let fits = |text: &str| match test {
        Test::Matches(pattern) | Test::ContainsMatch(pattern) => pattern.is_match(text) == Some(true),
        Test::ContainsText(part) => text.contains(part.as_str()),
        Test::StartsWith(part) => text.starts_with(part.as_str()),
        Test::EndsWith(part) => text.ends_with(part.as_str()),
        _ => true,
    };
    let any = values.iter().any(|value| value.as_str().is_none_or(fits));
    (!any).then(|| Never::Enum(values.iter().map(ToString::to_string).collect()))
}

fn equals(scalar: &Scalar, value: &Value) -> bool {
    match (scalar, value) {
        (Scalar::Text(text), Value::String(value)) => text == value,
        (Scalar::Number(number), Value::Number(value)) => {
            Number::parse(&value.to_string()).as_ref() == Some(number)
        }
        (Scalar::Bool(a), Value::Bool(b)) => a == b,
        (Scalar::Null, Value::Null) => true,
        _ => false,
    }
}

/// What a schema says about a place.
fn slot<'s>(schema: &'s Value, path: &'s [Step]) -> Slot<'s> {
    let mut node = schema;
    for step in path {
        let Some(here) = resolve(schema, node) else { return Slot::Open };
        let next = match step {
            Step::Name(name) => {
                let properties = here.get("properties").and_then(Value::as_object);
                let closed = here.get("additionalProperties");
                match (properties.and_then(|properties| properties.get(name)), properties, closed) {
                    (Some(next), _, _) => next,
                    (None, Some(properties), None | Some(Value::Bool(false))) => {
                        return Slot::Missing(name, properties.keys().map(String::as_str).collect());
                    }
                    (None, None, Some(Value::Bool(false))) => return Slot::Missing(name, Vec::new()),
                    _ => return Slot::Open,
                }
            }
            Step::Index(_) | Step::Each => match (here.get("items"), here.get("prefixItems")) {
                (Some(items @ Value::Object(_)), None) => items,
                _ => return Slot::Open,
            },
        };
        node = next;
    }
    resolve(schema, node).map_or(Slot::Open, Slot::Found)
}

/// Follows references inside the document. `None` where the meaning is left to the validator.
fn resolve<'s>(root: &'s Value, mut node: &'s Value) -> Option<&'s Value> {
    for _ in 0..REFERENCES_MAX {
        let object = node.as_object()?;
        if OPEN_WORDS.iter().any(|word| object.contains_key(*word)) {
            return None;
        }
        let Some(reference) = object.get("$ref") else { return Some(node) };
        let pointer = reference.as_str()?.strip_prefix('#')?;
        if pointer.contains('%') {
            return None;
        }
        node = root.pointer(pointer)?;
    }
    None
}
