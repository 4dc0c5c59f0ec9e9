//! `because` texts: `{field}` becomes the value of a field, `{{` and `}}` are braces.

use crate::base::Span;
use crate::base::Spanned;
use crate::compile::check::{Checker, Use};
use crate::compile::program::{Template, TemplatePart};
use crate::syntax::ast::{Field, Name, Step};

impl Checker<'_> {
    /// Reads a `because` text.
    pub(in crate::compile) fn template(&mut self, text: &Name, uses: &mut Vec<Use>) -> Option<Template> {
        let mut parts: Vec<TemplatePart> = Vec::new();
        let mut plain = String::new();
        let mut rest = text.node.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            plain.push_str(before);
            if let Some(behind) = brace.strip_prefix("{{") {
                plain.push('{');
                rest = behind;
            } else if let Some(behind) = brace.strip_prefix("}}") {
                plain.push('}');
                rest = behind;
            } else if let Some(behind) = brace.strip_prefix('}') {
                plain.push('}');
                rest = behind;
            } else {
                let inner = brace.get(1..).unwrap_or("");
                let offset = text.node.len() - inner.len();
                let Some((name, behind)) = inner.split_once('}') else {
                    let span = self.inside(text, offset - 1, text.node.len());
                    let diagnostic = self
                        .error("bad-template", span, "`{` opens a field and is not closed")
                        .expected("`{field}`")
                        .help("for the character itself write `{{`");
                    return self.refuse(diagnostic);
                };
                let span = self.inside(text, offset, offset + name.len());
                let subject = self.template_field(name, span)?;
                let place = (self.file, span);
                uses.push(Use { subject: subject.clone(), atom: None, field: place, value: None, at: place });
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                parts.push(TemplatePart::Field(subject));
                rest = behind;
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Some(Template(parts))
    }

    fn template_field(&mut self, name: &str, span: Span) -> Option<crate::compile::expr::Subject> {
        let Some(field) = parse_field(name.trim(), span) else {
            let diagnostic = self
                .error("bad-template", span, format!("`{{{name}}}` is no field"))
                .expected("a field, such as `{path}` or `{args.to[0]}`")
                .help("for the character itself write `{{`");
            return self.refuse(diagnostic);
        };
        self.field(&field).map(|info| info.subject)
    }

    /// The place of a part of a string literal; the whole literal where it has escapes.
    fn inside(&self, text: &Name, start: usize, end: usize) -> Span {
        let written = self.text(text.span);
        if written.len() != text.node.len() + 2 {
            return text.span;
        }
        let base = text.span.start as usize + 1;
        Span::new(base + start, base + end)
    }
}

/// Reads a field such as `args.list[0]["odd name"]`.
fn parse_field(text: &str, span: Span) -> Option<Field> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (root, mut rest) = text.split_at(end);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let step;
        if let Some(behind) = rest.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let (name, behind) = behind.split_at(end);
            if !is_name(name) {
                return None;
            }
            step = Step::Name(name.to_owned());
            rest = behind;
        } else {
            let behind = rest.strip_prefix('[')?;
            if behind.starts_with('"') {
                let mut values = serde_json::Deserializer::from_str(behind).into_iter::<String>();
                let name = values.next()?.ok()?;
                let behind = behind.get(values.byte_offset()..)?;
                step = Step::Name(name);
                rest = behind.strip_prefix(']')?;
            } else {
                let (index, behind) = behind.split_once(']')?;
                step = if index == "*" { Step::Each } else { Step::Index(index.parse().ok()?) };
                rest = behind;
            }
        }
        steps.push(Spanned::new(step, span));
    }
    is_name(root).then(|| Field { root: Spanned::new(root.to_owned(), span), steps, span })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
