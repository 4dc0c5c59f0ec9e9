//! Sets: flattening of nested names, types of elements.

use crate::base::limits::NAMED_ELEMENTS_MAX;
use crate::base::{FileId, Fix, Span};
use crate::compile::expr::{Scalar, Test};
use crate::syntax::ast::{Set, SetType, Value, ValueKind};

use super::fields::{FieldInfo, Type, Words};
use super::values::describe_value;
use super::{Checker, Lookup, Meaning, one_of};

/// What the elements of a set are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compile) enum SetKind {
    Path,
    Host,
    Net,
    Url,
    Command,
    /// Strings, numbers, enum words.
    Plain,
}

impl SetKind {
    /// The word before the brace; empty for a plain set.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Host => "host",
            Self::Net => "net",
            Self::Url => "url",
            Self::Command => "command",
            Self::Plain => "",
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Path => "a set of paths",
            Self::Host => "a set of hosts",
            Self::Net => "a set of addresses",
            Self::Url => "a set of URLs",
            Self::Command => "a set of commands",
            Self::Plain => "a set of strings",
        }
    }

    fn of_word(word: SetType) -> Self {
        match word {
            SetType::Path => Self::Path,
            SetType::Host => Self::Host,
            SetType::Net => Self::Net,
            SetType::Url => Self::Url,
            SetType::Command => Self::Command,
        }
    }

    /// The kind of sets that a field is compared with.
    fn of_type(ty: Type) -> Self {
        match ty {
            Type::Path => Self::Path,
            Type::Host => Self::Host,
            Type::Ip => Self::Net,
            Type::Url => Self::Url,
            Type::Command => Self::Command,
            _ => Self::Plain,
        }
    }
}

/// A literal and the file it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::compile) struct Literal {
    pub(super) value: Value,
    pub(super) file: FileId,
}

/// A set with all names in it replaced by what they stand for.
#[derive(Debug, Clone)]
pub(in crate::compile) struct SetValue {
    pub(super) kind: SetKind,
    pub(super) literals: Vec<Literal>,
    /// The patterns, parsed; only a plain set waits for its field.
    test: Option<Test>,
    /// Where it was written, for a mend: the file and the place before its brace.
    at: (FileId, Span),
    /// No type word stands before its brace.
    untyped: bool,
}

impl SetValue {
    /// The word before the brace; empty for a plain set.
    pub(in crate::compile) fn word(&self) -> &'static str {
        self.kind.word()
    }
}

impl Checker<'_> {
    /// The set behind `let NAME =`.
    pub(in crate::compile) fn let_set(&mut self, set: &Set) -> Option<SetValue> {
        let kind = set.kind.as_ref().map_or(SetKind::Plain, |kind| SetKind::of_word(kind.node));
        self.build(set, kind, None, true)
    }

    /// What `in` stands before, for a field.
    pub(super) fn set_operand(&mut self, field: &FieldInfo, value: &Value, operator: Span) -> Option<Test> {
        match &value.kind {
            ValueKind::Set(set) => {
                let inferred = self.kind_beside(field, set);
                let kind = set.kind.as_ref().map_or(inferred, |kind| SetKind::of_word(kind.node));
                let words = match field.ty {
                    Type::Word(words) => Some(words),
                    _ => None,
                };
                let built = self.build(set, kind, words, false)?;
                self.test_of(field, &built, value.span)
            }
            ValueKind::Word(name) => match self.look_up(name) {
                Lookup::Found(Meaning::Set(set)) => self.test_of(field, &set, value.span),
                Lookup::Found(Meaning::Condition(_)) => self.condition_as_set(value.span, name),
                Lookup::Refused => None,
                Lookup::Missing if self.is_enum_word(field, name) => self.in_without_set(value, operator),
                Lookup::Missing => {
                    let what = match SetKind::of_type(field.ty).word() {
                        "" => "set".to_owned(),
                        word => format!("{word} set"),
                    };
                    self.unknown_name(value.span, name, &what, &[])
                }
            },
            _ => self.in_without_set(value, operator),
        }
    }

    fn is_enum_word(&self, field: &FieldInfo, word: &str) -> bool {
        matches!(field.ty, Type::Word(words) if self.words(words).contains(&word))
            || (field.ty == Type::Path && matches!(word, "workspace" | "home" | "temp"))
    }

    fn in_without_set<T>(&mut self, value: &Value, operator: Span) -> Option<T> {
        let written = self.text(value.span);
        let under =
            matches!(&value.kind, ValueKind::Word(w) if matches!(w.as_str(), "workspace" | "home" | "temp"));
        let word = if under { "under" } else { "is" };
        let negated = self.text(operator).trim_start().starts_with("not");
        let mend = match (under, negated) {
            (true, true) => "not under",
            (true, false) => "under",
            (false, true) => "is not",
            (false, false) => "is",
        };
        let diagnostic = self
            .error(
                "in-without-set",
                value.span,
                format!("`in` stands before a set, and `{written}` is one value"),
            )
            .expected("`{…}` or the name of a set")
            .help(format!("write `{word}` in place of `in`"))
            .fix(Fix::suggest(operator, mend));
        self.refuse(diagnostic)
    }

    fn condition_as_set<T>(&mut self, span: Span, name: &str) -> Option<T> {
        let diagnostic = self
            .error("condition-as-set", span, format!("`{name}` is a condition, not a set"))
            .expected("`{…}` or the name of a set")
            .help(format!("write `{name}` alone, joined by `and` or `or`"));
        self.refuse(diagnostic)
    }

    /// The kind of an untyped set beside a field: an argument takes it from the elements.
    fn kind_beside(&self, field: &FieldInfo, set: &Set) -> SetKind {
        match (field.ty, set.elements.first().map(|element| &element.kind)) {
            (Type::Json, Some(ValueKind::Net(_))) => SetKind::Net,
            (Type::Json, Some(ValueKind::Word(name))) => match self.look_up(name) {
                Lookup::Found(Meaning::Set(inner)) if inner.kind == SetKind::Net => SetKind::Net,
                _ => SetKind::Plain,
            },
            (ty, _) => SetKind::of_type(ty),
        }
    }

    fn build(&mut self, set: &Set, kind: SetKind, words: Option<Words>, in_let: bool) -> Option<SetValue> {
        let mut literals: Vec<Literal> = Vec::new();
        let mut fine = true;
        if set.elements.is_empty() {
            let diagnostic = crate::base::Diagnostic::warning(
                "empty-set",
                self.file,
                set.span,
                "nothing is in an empty set: the comparison is never true",
            );
            self.report.push(diagnostic);
        }
        for element in &set.elements {
            match self.set_element(set, element, kind, words, in_let) {
                Some(found) => literals.extend(found),
                None => fine = false,
            }
        }
        if !fine {
            return None;
        }
        let mut seen = std::collections::HashSet::new();
        literals.retain(|literal| seen.insert(format!("{:?}", literal.value.kind)));
        let test = match kind {
            SetKind::Plain => None,
            kind => Some(self.patterns(kind, &literals)?),
        };
        Some(SetValue { kind, literals, test, at: (self.file, set.span), untyped: set.kind.is_none() })
    }

    fn set_element(
        &mut self,
        set: &Set,
        element: &Value,
        kind: SetKind,
        words: Option<Words>,
        in_let: bool,
    ) -> Option<Vec<Literal>> {
        let file = self.file;
        let literal = || vec![Literal { value: element.clone(), file }];
        match &element.kind {
            ValueKind::Word(name) => {
                if words.is_some_and(|words| self.words(words).contains(&name.as_str())) {
                    return Some(literal());
                }
                match self.look_up(name) {
                    Lookup::Found(Meaning::Set(inner)) if inner.kind == kind => {
                        self.copied = self.copied.saturating_add(inner.literals.len());
                        if self.copied > NAMED_ELEMENTS_MAX {
                            return self.too_many_elements(element.span);
                        }
                        Some(inner.literals.clone())
                    }
                    Lookup::Found(Meaning::Set(inner)) => {
                        self.wrong_kind(set, element.span, name, &inner, kind)
                    }
                    Lookup::Found(Meaning::Condition(_)) => self.condition_as_set(element.span, name),
                    Lookup::Refused => None,
                    Lookup::Missing if kind == SetKind::Plain && in_let && self.is_any_word(name) => {
                        Some(literal())
                    }
                    Lookup::Missing => self.strange_word(element.span, name, kind, words),
                }
            }
            ValueKind::Set(_) => {
                let diagnostic = self
                    .error("set-in-set", element.span, "a set holds no set in braces")
                    .expected("a literal, or the name of a set")
                    .help("take the inner braces out");
                self.refuse(diagnostic)
            }
            _ if kind == SetKind::Plain => self.plain_element(set, element, in_let).map(|()| literal()),
            _ => Some(literal()),
        }
    }

    fn too_many_elements<T>(&mut self, span: Span) -> Option<T> {
        let diagnostic = self
            .error("too-many-elements", span, "sets of sets have grown too large")
            .expected(format!(
                "at most {NAMED_ELEMENTS_MAX} elements brought in by names, over the whole layer"
            ))
            .help("write wider patterns, or name fewer sets in sets");
        self.refuse(diagnostic)
    }

    /// Whether a word is an enum word of any field.
    fn is_any_word(&self, word: &str) -> bool {
        [Words::Mode, Words::Capability, Words::Action, Words::Kind]
            .into_iter()
            .any(|words| self.words(words).contains(&word))
    }

    fn strange_word<T>(&mut self, span: Span, name: &str, kind: SetKind, words: Option<Words>) -> Option<T> {
        if kind == SetKind::Path && matches!(name, "workspace" | "home" | "temp") {
            let diagnostic = self
                .error("place-in-set", span, format!("`{name}` is no element of a set"))
                .expected("path patterns, or names of path sets")
                .help(format!("write `path under {name}`, joined by `or`"));
            return self.refuse(diagnostic);
        }
        match words {
            Some(Words::Mode) => self.mode(span, name).and(None),
            Some(words) => self.not_a_word(span, name, words),
            None => {
                let what = match kind.word() {
                    "" => "set".to_owned(),
                    word => format!("{word} set"),
                };
                self.unknown_name(span, name, &what, &[])
            }
        }
    }

    pub(super) fn not_a_word<T>(&mut self, span: Span, name: &str, words: Words) -> Option<T> {
        let all = self.words(words);
        let message = format!("`{name}` is not {}", Type::Word(words).describe());
        let mut diagnostic = self.error("unknown-word", span, message).expected(one_of(&all));
        if let Some(near) = crate::base::suggest::nearest(name, all) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?")).fix(Fix::suggest(span, near));
        }
        self.refuse(diagnostic)
    }

    fn wrong_kind<T>(
        &mut self,
        set: &Set,
        span: Span,
        name: &str,
        inner: &SetValue,
        kind: SetKind,
    ) -> Option<T> {
        let message = format!("`{name}` is {}, and stands in {}", inner.kind.describe(), kind.describe());
        let mut diagnostic =
            self.error("set-type", span, message).expected(format!("literals, or names of {}", plural(kind)));
        if kind == SetKind::Plain && set.kind.is_none() {
            let start = Span { start: set.span.start, end: set.span.start };
            diagnostic = diagnostic
                .help(format!("write `{} {{…}}`", inner.kind.word()))
                .fix(Fix::suggest(start, format!("{} ", inner.kind.word())));
        }
        self.refuse(diagnostic)
    }

    /// What may stand in a set without a type.
    fn plain_element(&mut self, set: &Set, element: &Value, in_let: bool) -> Option<()> {
        let needed = match &element.kind {
            ValueKind::Net(_) => "net",
            ValueKind::Command(_) => "command",
            ValueKind::Regex(_) => {
                let diagnostic = self
                    .error("regex-in-set", element.span, "a set holds no regular expression")
                    .expected("strings")
                    .help("write `matches /…|…/` in place of `in`");
                return self.refuse(diagnostic);
            }
            _ => return Some(()),
        };
        let written = self.text(element.span);
        let message = format!("`{written}` is {}, and the set has no type", describe_value(&element.kind));
        let mut diagnostic = self.error("set-type", element.span, message).expected("strings or numbers");
        if in_let {
            let start = Span { start: set.span.start, end: set.span.start };
            diagnostic = diagnostic
                .help(format!("write `{needed} {{…}}`"))
                .fix(Fix::replace(start, format!("{needed} ")));
        }
        self.refuse(diagnostic)
    }

    /// The test of a field against a set.
    fn test_of(&mut self, field: &FieldInfo, set: &SetValue, span: Span) -> Option<Test> {
        match (field.ty, set.kind) {
            (Type::Path, SetKind::Path)
            | (Type::Host, SetKind::Host)
            | (Type::Ip | Type::Json, SetKind::Net)
            | (Type::Url, SetKind::Url)
            | (Type::Command, SetKind::Command) => set.test.clone(),
            (Type::Path | Type::Host | Type::Ip | Type::Url | Type::Command, _) => {
                self.field_and_set(field, set, span)
            }
            (_, SetKind::Plain) => self.scalars(field.ty, &set.literals),
            _ => self.field_and_set(field, set, span),
        }
    }

    fn field_and_set<T>(&mut self, field: &FieldInfo, set: &SetValue, span: Span) -> Option<T> {
        let wanted = SetKind::of_type(field.ty);
        let is = if field.list {
            format!("{} in a list", field.ty.describe())
        } else {
            field.ty.describe().to_owned()
        };
        let message =
            format!("the field is {is}, and `{}` is {}", short(self.text(span)), set.kind.describe());
        let mut diagnostic = self.error("set-type", span, message).expected(wanted.describe());
        if field.ty == Type::Json {
            diagnostic = diagnostic.help(resource_help(set.kind));
        } else if set.kind == SetKind::Plain && set.untyped && wanted != SetKind::Plain {
            let (file, place) = set.at;
            diagnostic = diagnostic
                .help(format!("write `{} {{…}}` where the set is declared", wanted.word()))
                .label(file, place, "the set has no type");
            if file == self.file {
                let start = Span { start: place.start, end: place.start };
                diagnostic = diagnostic.fix(Fix::suggest(start, format!("{} ", wanted.word())));
            }
        }
        self.refuse(diagnostic)
    }

    /// Scalars of one type.
    pub(super) fn scalars(&mut self, ty: Type, literals: &[Literal]) -> Option<Test> {
        let mut found: Vec<Scalar> = Vec::new();
        let mut fine = true;
        for literal in literals {
            match self.scalar(ty, literal) {
                Some(scalar) => found.push(scalar),
                None => fine = false,
            }
        }
        fine.then(|| super::values::scalar_test(ty, found))
    }
}

fn plural(kind: SetKind) -> &'static str {
    match kind {
        SetKind::Path => "path sets",
        SetKind::Host => "host sets",
        SetKind::Net => "net sets",
        SetKind::Url => "url sets",
        SetKind::Command => "command sets",
        SetKind::Plain => "sets of strings",
    }
}

/// What to do where an argument is compared with patterns.
pub(super) fn resource_help(kind: SetKind) -> &'static str {
    match kind {
        SetKind::Path => "declare the argument in the tool (`reads args.NAME`) and test `path`",
        SetKind::Command => "declare the argument in the tool (`runs args.NAME`) and test `command`",
        SetKind::Plain => "compare it with strings or numbers",
        _ => "declare the argument in the tool (`connects args.NAME`) and test `host`, `ip` or `url`",
    }
}

/// A text for a message: one line, not too long.
pub(super) fn short(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= CHARS_MAX {
        return line;
    }
    line.chars().take(CHARS_MAX - 1).chain(['…']).collect()
}
