//! Items and the bodies of tools.

use super::name::{Kind, capability_word};
use super::{Built, Tree, child, children, has};
use crate::base::suggest::nearest;
use crate::base::{Fix, Span, Spanned};
use crate::syntax::ast::{
    AccessVerb, Attribute, CapabilityWord, DefaultWord, Invariant, Item, ItemKind, Let, LetValue, Name,
    Rule as RuleItem, Step, Tool, ToolArg, ToolLine, ToolLineKind, UnknownWord, ValueKind, VerbWord,
};
use crate::syntax::grammar::{Node, Rule};
use crate::syntax::literal;

impl<'a> Tree<'a> {
    pub(super) fn item(&self, nodes: Vec<Node<'a>>) -> Built<Item> {
        let (mut docs, mut attributes) = (Vec::new(), Vec::new());
        for node in nodes {
            match node.as_rule() {
                Rule::doc => docs.push(self.doc(&node)),
                Rule::attribute => attributes.push(self.attribute(&node)?),
                Rule::EOI => {}
                _ => {
                    let (kind, span) = (self.item_kind(&node)?, self.span(&node));
                    return Ok(Item { kind, span, docs, attributes });
                }
            }
        }
        // The entry rule demands an item.
        let end = Span::new(self.base, self.base + self.text.len());
        Err(Box::new(self.error("internal-error", end, "this text was read but not understood")))
    }

    fn doc(&self, node: &Node<'a>) -> Name {
        let text = node.as_str().trim_start_matches('/');
        let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
        let whole = self.span(node);
        let end = whole.start as usize + node.as_str().trim_end().len();
        Spanned::new(text.to_owned(), Span::new(whole.start as usize, end))
    }

    fn attribute(&self, node: &Node<'a>) -> Built<Attribute> {
        let mut parts = node.clone().into_inner();
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { return self.odd(node) };
        let span = self.span(node);
        match name.as_str() {
            "owner" if value.as_rule() != Rule::string => {
                let (word, at) = (value.as_str(), self.span(&value));
                return Err(Box::new(
                    self.error("bad-attribute", at, "an owner stands in quotes")
                        .expected("`@owner \"TEAM\"`")
                        .help(format!("write `\"{word}\"`"))
                        .fix(Fix::replace(at, format!("\"{word}\""))),
                ));
            }
            "owner" => {}
            "severity" => {
                let levels = [("low", ()), ("medium", ()), ("high", ()), ("critical", ())];
                self.one_of(&value, "severity", &levels)?;
            }
            other => {
                let at = self.span(&name);
                let diagnostic = self
                    .error("unknown-attribute", at, format!("there is no `@{other}`"))
                    .expected("`@owner \"TEAM\"` or `@severity low|medium|high|critical`");
                let meant = nearest(other, ["owner", "severity"]);
                return Err(Box::new(self.did_you_mean(diagnostic, at, meant)));
            }
        }
        let name = Spanned::new(name.as_str().to_owned(), self.span(&name));
        let value = if value.as_rule() == Rule::string {
            self.text(&value)?
        } else {
            Spanned::new(value.as_str().to_owned(), self.span(&value))
        };
        Ok(Attribute { name, value, span })
    }

    fn item_kind(&self, node: &Node<'a>) -> Built<ItemKind> {
        Ok(match node.as_rule() {
            Rule::edition => ItemKind::Edition(self.edition(node)?),
            Rule::import => ItemKind::Import(self.text(&self.child(node, Rule::string)?)?),
            Rule::modes => ItemKind::Modes(self.names(node, Kind::Mode)?),
            Rule::labels => ItemKind::Labels(self.names(node, Kind::Label)?),
            Rule::default => {
                let words = [
                    ("block", DefaultWord::Block),
                    ("ask", DefaultWord::Ask),
                    ("allow", DefaultWord::Allow),
                    ("pass", DefaultWord::Pass),
                ];
                ItemKind::Default(self.one_of(&self.child(node, Rule::word)?, "default", &words)?)
            }
            Rule::unknown => ItemKind::Unknown(self.unknown_word(node)?),
            Rule::let_item => {
                let name = self.name(&self.child(node, Rule::name)?, Kind::Let)?;
                let value = self.child(node, Rule::let_value)?;
                let value = match child(&value, Rule::set) {
                    Some(set) => LetValue::Set(self.set(&set)?),
                    None => LetValue::Condition(self.condition(&self.child(&value, Rule::condition)?)?),
                };
                ItemKind::Let(Let { name, value })
            }
            Rule::tool => ItemKind::Tool(self.tool(node)?),
            Rule::invariant => ItemKind::Invariant(self.invariant(node)?),
            Rule::rule_item => ItemKind::Rule(self.rule(node)?),
            _ => return self.odd(node),
        })
    }

    fn edition(&self, node: &Node<'a>) -> Built<Spanned<u64>> {
        let number = self.child(node, Rule::quantity)?;
        let span = self.span(&number);
        if number.as_str() == "1" {
            return Ok(Spanned::new(1, span));
        }
        Err(Box::new(
            self.error(
                "unknown-edition",
                span,
                format!("there is no edition `{}` of the language", number.as_str()),
            )
            .expected("`tollgate 1`")
            .help("write `tollgate 1`, or use a program that knows this edition")
            .fix(Fix::suggest(span, "1")),
        ))
    }

    pub(super) fn unknown_word(&self, node: &Node<'a>) -> Built<Spanned<UnknownWord>> {
        let words = [("ask", UnknownWord::Ask), ("block", UnknownWord::Block)];
        self.one_of(&self.child(node, Rule::word)?, "word for what is unknown", &words)
    }

    fn invariant(&self, node: &Node<'a>) -> Built<Invariant> {
        let name = self.name(&self.child(node, Rule::name)?, Kind::Rule)?;
        let never = self.child(node, Rule::never)?;
        let when = match child(&never, Rule::when) {
            Some(when) => Some(self.condition(&self.child(&when, Rule::condition)?)?),
            None => None,
        };
        Ok(Invariant { name, by: self.by(&never)?, never: self.capabilities(&never, true)?, when })
    }

    pub(super) fn by(&self, node: &Node<'a>) -> Built<Vec<Name>> {
        child(node, Rule::by).map_or_else(|| Ok(Vec::new()), |by| self.names(&by, Kind::ToolPattern))
    }

    fn rule(&self, node: &Node<'a>) -> Built<RuleItem> {
        let verb = self.child(node, Rule::verb)?;
        let kind = match verb.as_str() {
            "allow" => VerbWord::Allow,
            "warn" => VerbWord::Warn,
            "ask" => VerbWord::Ask,
            "block" => VerbWord::Block,
            "modify" => VerbWord::Modify,
            _ => VerbWord::Redact,
        };
        let name = self.name(&self.child(node, Rule::name)?, Kind::Rule)?;
        let clauses =
            children(node, Rule::clause).map(|clause| self.clause(&clause)).collect::<Built<_>>()?;
        Ok(RuleItem { verb: Spanned::new(kind, self.span(&verb)), name, clauses })
    }

    fn tool(&self, node: &Node<'a>) -> Built<Tool> {
        let name = self.name(&self.child(node, Rule::name)?, Kind::Tool)?;
        let lines: Vec<_> =
            children(node, Rule::tool_line).map(|line| self.tool_line(&line)).collect::<Built<_>>()?;
        if lines.is_empty() {
            let open = self.span(&self.child(node, Rule::lbrace)?);
            let close = self.span(&self.child(node, Rule::rbrace)?);
            let body = open.to(close);
            return Err(Box::new(
                self.error("empty-tool", body, "a tool says what it does")
                    .expected("lines such as `reads args.path`")
                    .help("a tool without any effect is `{ nothing }`")
                    .fix(Fix::suggest(body, "{ nothing }")),
            ));
        }
        Ok(Tool { name, lines })
    }

    fn tool_line(&self, node: &Node<'a>) -> Built<ToolLine> {
        let Some(line) = node.clone().into_inner().next() else { return self.odd(node) };
        let kind = match line.as_rule() {
            Rule::access => self.access(&line)?,
            Rule::connects => ToolLineKind::Connects(self.tool_arg(&self.child(&line, Rule::tool_arg)?)?),
            Rule::runs => {
                let arg = self.tool_arg(&self.child(&line, Rule::tool_arg)?)?;
                let cwd = match child(&line, Rule::runs_in) {
                    Some(cwd) => Some(self.tool_arg(&self.child(&cwd, Rule::tool_arg)?)?),
                    None => None,
                };
                let dialect = match child(&line, Rule::as_word) {
                    Some(word) => Some(self.plain_word(&self.child(&word, Rule::word)?)),
                    None => None,
                };
                ToolLineKind::Runs { arg, cwd, dialect }
            }
            Rule::schema => match child(&line, Rule::string) {
                Some(file) => ToolLineKind::SchemaFile(self.text(&file)?),
                None => {
                    let json = self.child(&line, Rule::json_object)?;
                    ToolLineKind::SchemaInline(Spanned::new(json.as_str().to_owned(), self.span(&json)))
                }
            },
            Rule::bare => self.bare(&line)?,
            _ => return self.odd(node),
        };
        Ok(ToolLine { kind, span: self.span(&line) })
    }

    fn access(&self, node: &Node<'a>) -> Built<ToolLineKind> {
        let verb = self.child(node, Rule::access_verb)?;
        let kind = match verb.as_str() {
            "reads" => AccessVerb::Reads,
            "lists" => AccessVerb::Lists,
            "writes" => AccessVerb::Writes,
            "creates" => AccessVerb::Creates,
            _ => AccessVerb::Deletes,
        };
        for word in children(node, Rule::as_word) {
            self.one_of(&self.child(&word, Rule::word)?, "form of a path", &[("glob", ())])?;
        }
        for rule in [Rule::as_word, Rule::kw_recursively] {
            if let Some(second) = children(node, rule).nth(1) {
                let span = self.span(&second);
                return Err(Box::new(
                    self.error("duplicate-word", span, format!("`{}` stands here twice", second.as_str()))
                        .help("remove it")
                        .fix(Fix::replace(span, "")),
                ));
            }
        }
        Ok(ToolLineKind::Access {
            verb: Spanned::new(kind, self.span(&verb)),
            arg: self.tool_arg(&self.child(node, Rule::tool_arg)?)?,
            recursively: has(node, Rule::kw_recursively),
            as_glob: has(node, Rule::as_word),
        })
    }

    fn bare(&self, node: &Node<'a>) -> Built<ToolLineKind> {
        let word = self.child(node, Rule::capability)?;
        let span = self.span(&word);
        let capability = capability_word(word.as_str()).unwrap_or(CapabilityWord::Any);
        let on = match child(node, Rule::on_target) {
            Some(on) => Some(self.tool_arg(&self.child(&on, Rule::tool_arg)?)?),
            None => None,
        };
        if capability == CapabilityWord::Any {
            return Err(Box::new(
                self.error("unknown-capability", span, "a tool names its capabilities one by one")
                    .expected("`read`, `write`, `exec`, `network` or `nothing`")
                    .help("write one line for each: `read write exec network`"),
            ));
        }
        Ok(ToolLineKind::Capability { capability: Spanned::new(capability, span), on })
    }

    fn tool_arg(&self, node: &Node<'a>) -> Built<ToolArg> {
        let place = self.arg_place(&self.child(node, Rule::field)?)?;
        let or = match child(node, Rule::or_value) {
            Some(or) => Some(self.text(&self.child(&or, Rule::string)?)?),
            None => None,
        };
        Ok(ToolArg { optional: has(node, Rule::kw_optional), path: place.path, or, span: self.span(node) })
    }

    pub(super) fn plain_word(&self, node: &Node<'a>) -> Name {
        Spanned::new(node.as_str().to_owned(), self.span(node))
    }

    /// One step of a field.
    pub(super) fn step(&self, node: &Node<'a>) -> Built<Spanned<Step>> {
        let Some(part) = node.clone().into_inner().next() else { return self.odd(node) };
        let step = match part.as_rule() {
            Rule::word => Step::Name(part.as_str().to_owned()),
            Rule::star => Step::Each,
            Rule::string => Step::Name(self.text(&part)?.node),
            Rule::index => match part.as_str().parse() {
                Ok(index) => Step::Index(index),
                Err(_) => {
                    let message = format!("`{}` is too large for an index", part.as_str());
                    return Err(Box::new(self.error("bad-literal", self.span(&part), message)));
                }
            },
            _ => return self.odd(node),
        };
        Ok(Spanned::new(step, self.span(node)))
    }

    /// A quantity that has to be of one kind; `None` where it is of another.
    pub(super) fn quantity<T>(
        &self,
        node: &Node<'a>,
        expected: &str,
        pick: impl Fn(ValueKind) -> Option<T>,
    ) -> Built<Spanned<T>> {
        let value = self.literal(node, literal::quantity(node.as_str()))?;
        let span = self.span(node);
        if let Some(found) = pick(value) {
            return Ok(Spanned::new(found, span));
        }
        Err(Box::new(
            self.error("bad-literal", span, format!("`{}` does not fit here", node.as_str()))
                .expected(expected),
        ))
    }
}
