//! Literals: scalars for a type, patterns, directories, regular expressions.

use crate::base::limits::REGEX_BYTES_MAX;
use crate::base::{Diagnostic, FileId, Fix, Span};
use crate::compile::expr::{Directory, Scalar, Scalars, Test};
use crate::compile::regex::{TextPattern, TooLarge};
use crate::model::pattern::{CommandPattern, HostPattern, NetSet, PathPattern, PatternError, UrlPattern};
use crate::model::{Action, Capability, Number};
use crate::syntax::ast::{Regex, Value, ValueKind};

use super::fields::{KINDS, Type, Words};
use super::sets::{Literal, SetKind, short};
use super::{Checker, quote};

/// What a literal is, for messages.
pub(super) fn describe_value(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Text(_) => "a string",
        ValueKind::Number(_) => "a number",
        ValueKind::Bool(_) => "`true` or `false`",
        ValueKind::Null => "`null`",
        ValueKind::Duration(_) => "a duration",
        ValueKind::Size(_) => "a size",
        ValueKind::Date(_) => "a date",
        ValueKind::Regex(_) => "a regular expression",
        ValueKind::Command(_) => "a command pattern",
        ValueKind::Net(_) => "an address or a range",
        ValueKind::Word(_) => "a bare word",
        ValueKind::Set(_) => "a set",
    }
}

/// The test that holds for any of the scalars.
pub(super) fn scalar_test(ty: Type, scalars: Vec<Scalar>) -> Test {
    let texts = || {
        scalars.iter().filter_map(|scalar| match scalar {
            Scalar::Text(text) => Some(text.clone()),
            _ => None,
        })
    };
    match ty {
        Type::Program => Test::Programs(texts().collect()),
        Type::Word(Words::Capability) => Test::Capabilities(
            texts().filter_map(|text| Capability::ALL.into_iter().find(|c| c.as_str() == text)).collect(),
        ),
        Type::Word(Words::Action) => Test::Actions(
            texts().filter_map(|text| Action::ALL.into_iter().find(|a| a.as_str() == text)).collect(),
        ),
        Type::Word(Words::Kind) => {
            Test::Kinds(texts().filter_map(|text| KINDS.into_iter().find(|k| k.as_str() == text)).collect())
        }
        _ => Test::OneOf(Scalars(scalars.into_iter().collect())),
    }
}

impl Checker<'_> {
    /// A literal as a scalar of a type.
    pub(super) fn scalar(&mut self, ty: Type, literal: &Literal) -> Option<Scalar> {
        let previous = std::mem::replace(&mut self.file, literal.file);
        let found = self.scalar_here(ty, &literal.value);
        self.file = previous;
        found
    }

    fn scalar_here(&mut self, ty: Type, value: &Value) -> Option<Scalar> {
        match (ty, &value.kind) {
            (Type::Word(words), ValueKind::Word(word)) => self.enum_word(words, word, value.span),
            (Type::Word(Words::Mode), ValueKind::Text(word)) => self.mode(value.span, word).map(Scalar::Text),
            (Type::Word(words), ValueKind::Text(word)) => {
                if self.words(words).contains(&word.as_str()) {
                    let message = format!("`{}` is a word of the language", quote(word));
                    let diagnostic = self
                        .error("quoted-word", value.span, message)
                        .expected(format!("`{word}` without quotes"))
                        .fix(Fix::replace(value.span, word.clone()));
                    return self.refuse(diagnostic);
                }
                self.not_a_word(value.span, word, words)
            }
            (Type::Text | Type::Program | Type::Flag | Type::Json, ValueKind::Text(text)) => {
                self.plain_text(ty, text, value.span)?;
                Some(Scalar::Text(text.clone()))
            }
            (Type::Json, ValueKind::Number(text)) => self.number(text, value.span).map(Scalar::Number),
            (Type::Json, ValueKind::Bool(value)) => Some(Scalar::Bool(*value)),
            (Type::Json, ValueKind::Null) => Some(Scalar::Null),
            (Type::Json | Type::Size, ValueKind::Size(n)) | (Type::Json, ValueKind::Duration(n)) => {
                Some(Scalar::Number(Number::from_u64(*n)))
            }
            (Type::Port | Type::Count | Type::Size, ValueKind::Number(text)) => {
                self.whole_number(ty, text, value.span).map(Scalar::Number)
            }
            (_, ValueKind::Word(word)) => self.bare_word(ty, word, value.span),
            _ => self.mismatch(ty, value),
        }
    }

    fn enum_word(&mut self, words: Words, word: &str, span: Span) -> Option<Scalar> {
        if words == Words::Mode {
            return self.mode(span, word).map(Scalar::Text);
        }
        if self.words(words).contains(&word) {
            return Some(Scalar::Text(word.to_owned()));
        }
        self.not_a_word(span, word, words)
    }

    /// A string for a plain string field: no `*`, and no spelling that can never match.
    pub(super) fn plain_text(&mut self, ty: Type, text: &str, span: Span) -> Option<()> {
        if ty != Type::Json && text.contains('*') {
            let help = match ty {
                Type::Program => format!("write a pattern: ``command is `{text} ...` ``"),
                Type::Flag => "name each flag".to_owned(),
                _ => {
                    let regex = regex_syntax::escape(text).replace("\\*", ".*").replace('/', "\\/");
                    format!("a regular expression can: `matches /{regex}/`")
                }
            };
            let message = format!("`*` stands for itself in `{}`: a plain string is no pattern", quote(text));
            let diagnostic =
                self.error("star-in-string", span, message).expected("a string without `*`").help(help);
            return self.refuse(diagnostic);
        }
        match ty {
            Type::Flag if !text.starts_with('-') || text.contains('=') => self.no_flag(text, span),
            Type::Program if !is_program(text) => {
                let message = format!("`{}` is neither a program's name nor an absolute path", quote(text));
                let diagnostic = self
                    .error("program-path", span, message)
                    .expected("a bare name such as `\"git\"`, or a path that starts with `/`")
                    .help(format!("write a pattern: ``command is `{text} ...` ``"));
                self.refuse(diagnostic)
            }
            _ => Some(()),
        }
    }

    fn no_flag(&mut self, text: &str, span: Span) -> Option<()> {
        let diagnostic = if let Some((flag, _)) = text.split_once('=').filter(|_| text.starts_with('-')) {
            let message = format!("`{}` is a flag with its value", quote(text));
            self.error("no-flag", span, message)
                .expected(format!("`{}`", quote(flag)))
                .help(format!("for the value too, write a pattern: ``command is `PROGRAM {text} ...` ``"))
        } else {
            let dashes = if text.chars().count() == 1 { "-" } else { "--" };
            let mend = quote(&format!("{dashes}{text}"));
            self.error("no-flag", span, format!("`{}` is not a flag", quote(text)))
                .expected("a flag with its dashes")
                .help(format!("write `{mend}`"))
                .fix(Fix::suggest(span, mend))
        };
        self.refuse(diagnostic)
    }

    /// A number by value.
    pub(super) fn number(&mut self, text: &str, span: Span) -> Option<Number> {
        match Number::parse(text) {
            Some(number) => Some(number),
            None => {
                let diagnostic =
                    self.error("bad-number", span, format!("`{text}` is not a number")).expected("a number");
                self.refuse(diagnostic)
            }
        }
    }

    /// A number for a field that holds whole numbers from 0 (ports up to 65535).
    pub(super) fn whole_number(&mut self, ty: Type, text: &str, span: Span) -> Option<Number> {
        let number = self.number(text, span)?;
        let whole = text.parse::<u64>().ok();
        let fits = whole.is_some_and(|n| ty != Type::Port || n <= 65_535);
        if fits {
            return Some(number);
        }
        let range = if ty == Type::Port { "a whole number from 0 to 65535" } else { "a whole number from 0" };
        let message = format!("the field is {}, which is never {text}", ty.describe());
        let diagnostic = self.error("number-range", span, message).expected(range);
        self.refuse(diagnostic)
    }

    /// A bare word where a literal belongs.
    pub(super) fn bare_word<T>(&mut self, ty: Type, word: &str, span: Span) -> Option<T> {
        match self.look_up(word) {
            super::Lookup::Refused => None,
            super::Lookup::Found(super::Meaning::Set(_)) => {
                let diagnostic = self
                    .error("set-without-in", span, format!("`{word}` is a set"))
                    .expected(ty.describe())
                    .help(format!("write `in {word}`"));
                self.refuse(diagnostic)
            }
            _ if ty.is_textual() => {
                let diagnostic = self
                    .error(
                        "bare-word",
                        span,
                        format!("`{word}` is a bare word, and the field is {}", ty.describe()),
                    )
                    .expected(format!("`{}`", quote(word)))
                    .help("write it in quotes")
                    .fix(Fix::suggest(span, quote(word)));
                self.refuse(diagnostic)
            }
            _ => {
                let message = format!("`{word}` is a bare word, and the field is {}", ty.describe());
                let diagnostic = self.error("bare-word", span, message).expected(literal_of(ty));
                self.refuse(diagnostic)
            }
        }
    }

    /// Refuses a literal that the type can never equal.
    pub(super) fn mismatch<T>(&mut self, ty: Type, value: &Value) -> Option<T> {
        let written = short(self.text(value.span));
        let message =
            format!("the field is {}, and `{written}` is {}", ty.describe(), describe_value(&value.kind));
        let mut diagnostic = self.error("type-mismatch", value.span, message).expected(literal_of(ty));
        diagnostic = match (&value.kind, ty) {
            (ValueKind::Regex(_), ty) if ty.is_textual() => {
                diagnostic.help("write `matches` in place of `is`")
            }
            (ValueKind::Text(text), Type::Command) => diagnostic
                .help("write the command in backticks")
                .fix(Fix::suggest(value.span, format!("`{text}`"))),
            (ValueKind::Text(text), Type::Ip) => {
                diagnostic.help("write it without quotes").fix(Fix::suggest(value.span, text.clone()))
            }
            (ValueKind::Text(text), Type::Port | Type::Size | Type::Count) => {
                diagnostic.help("write it without quotes").fix(Fix::suggest(value.span, text.clone()))
            }
            (ValueKind::Net(_), Type::Host) => diagnostic.help("compare addresses with `ip`"),
            (ValueKind::Command(_) | ValueKind::Net(_), Type::Json) => {
                let kind =
                    if matches!(value.kind, ValueKind::Net(_)) { SetKind::Net } else { SetKind::Command };
                diagnostic.help(super::sets::resource_help(kind))
            }
            (ValueKind::Command(text), Type::Program) => {
                diagnostic.help(format!("write ``command is `{text}` ``"))
            }
            (ValueKind::Date(_), Type::Json) => diagnostic.help("write it in quotes"),
            _ => diagnostic,
        };
        self.refuse(diagnostic)
    }

    /// One literal as the only pattern of a pattern type.
    pub(super) fn pattern(&mut self, ty: Type, value: &Value) -> Option<Test> {
        let kind = match ty {
            Type::Path => SetKind::Path,
            Type::Host => SetKind::Host,
            Type::Ip => SetKind::Net,
            Type::Url => SetKind::Url,
            _ => SetKind::Command,
        };
        self.patterns(kind, &[Literal { value: value.clone(), file: self.file }])
    }

    /// The literals of a set as patterns of its type.
    pub(super) fn patterns(&mut self, kind: SetKind, literals: &[Literal]) -> Option<Test> {
        let (mut paths, mut hosts, mut urls, mut commands) = (vec![], vec![], vec![], vec![]);
        let mut nets: Vec<&str> = Vec::new();
        let mut fine = true;
        for literal in literals {
            let span = literal.value.span;
            let parsed = match (kind, &literal.value.kind) {
                (SetKind::Path, ValueKind::Text(text)) => PathPattern::parse(text).map(|p| paths.push(p)),
                (SetKind::Host, ValueKind::Text(text)) => HostPattern::parse(text).map(|p| hosts.push(p)),
                (SetKind::Url, ValueKind::Text(text)) => UrlPattern::parse(text).map(|p| urls.push(p)),
                (SetKind::Command, ValueKind::Command(text)) => {
                    CommandPattern::parse(text).map(|p| commands.push(p))
                }
                (SetKind::Net, ValueKind::Net(text)) => {
                    NetSet::parse([text.as_str()]).map(|_| nets.push(text.as_str()))
                }
                _ => {
                    self.element_type(kind, literal);
                    fine = false;
                    continue;
                }
            };
            if let Err(error) = parsed {
                self.report.push(pattern_error(kind, literal.file, span, &literal.value.kind, &error));
                fine = false;
            }
        }
        if !fine {
            return None;
        }
        Some(match kind {
            SetKind::Path => Test::Paths(paths),
            SetKind::Host => Test::Hosts(hosts.into_iter().collect()),
            SetKind::Url => Test::Urls(urls),
            SetKind::Net => Test::Nets(NetSet::parse(nets).ok()?),
            SetKind::Command | SetKind::Plain => Test::Commands(commands),
        })
    }

    fn element_type(&mut self, kind: SetKind, literal: &Literal) {
        let ty = match kind {
            SetKind::Path => Type::Path,
            SetKind::Host => Type::Host,
            SetKind::Net => Type::Ip,
            SetKind::Url => Type::Url,
            SetKind::Command => Type::Command,
            SetKind::Plain => Type::Text,
        };
        let previous = std::mem::replace(&mut self.file, literal.file);
        let _: Option<()> = self.mismatch(ty, &literal.value);
        self.file = previous;
    }

    /// A directory behind `under` or `is`.
    pub(super) fn directory(&mut self, value: &Value) -> Option<Directory> {
        match &value.kind {
            ValueKind::Word(word) => match word.as_str() {
                "workspace" => Some(Directory::Workspace),
                "home" => Some(Directory::Home),
                "temp" => Some(Directory::Temp),
                _ => {
                    let near = crate::base::suggest::nearest(word, ["workspace", "home", "temp"]);
                    let mut diagnostic = self
                        .error("not-a-directory", value.span, format!("`{word}` is not a directory"))
                        .expected("`workspace`, `home`, `temp`, or a literal such as `\"./docs\"`");
                    if let Some(near) = near {
                        diagnostic = diagnostic
                            .help(format!("did you mean `{near}`?"))
                            .fix(Fix::suggest(value.span, near));
                    } else if self.names.lets.contains_key(word.as_str()) {
                        diagnostic = diagnostic.help(format!("for a set of paths write `in {word}`"));
                    }
                    self.refuse(diagnostic)
                }
            },
            ValueKind::Text(text) => match PathPattern::parse_literal(text) {
                Ok(directory) => Some(Directory::Literal(directory)),
                Err(error) => {
                    self.report.push(pattern_error(
                        SetKind::Path,
                        self.file,
                        value.span,
                        &value.kind,
                        &error,
                    ));
                    None
                }
            },
            kind => {
                let message =
                    format!("`under` stands before a directory, and this is {}", describe_value(kind));
                let mut diagnostic = self
                    .error("not-a-directory", value.span, message)
                    .expected("`workspace`, `home`, `temp`, or a literal such as `\"./docs\"`");
                if matches!(kind, ValueKind::Set(_)) {
                    diagnostic =
                        diagnostic.help("write `in` in place of `under`, with patterns that end in `/**`");
                }
                self.refuse(diagnostic)
            }
        }
    }

    /// Checks a regular expression of a condition; `whole` must match the whole string.
    pub(in crate::compile) fn text_pattern(
        &mut self,
        span: Span,
        regex: &Regex,
        whole: bool,
    ) -> Option<TextPattern> {
        let parsed = self.regex_tree(span, regex)?;
        match TextPattern::new(&regex.pattern, regex.ignore_case, whole, &parsed) {
            Ok(pattern) => Some(pattern),
            Err(TooLarge) => self.regex_too_large(span),
        }
    }

    /// Compiles the regular expression of a clause that rewrites what it matches. Its text says all of
    /// it, flags included, so that it can be compiled again for bytes.
    pub(in crate::compile) fn regex(&mut self, span: Span, regex: &Regex) -> Option<regex::Regex> {
        self.regex_tree(span, regex)?;
        let flags = if regex.ignore_case { "(?i)" } else { "" };
        let built = regex::RegexBuilder::new(&format!("{flags}{}", regex.pattern))
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .build();
        match built {
            Ok(built) => Some(built),
            Err(_) => self.regex_too_large(span),
        }
    }

    fn regex_too_large<T>(&mut self, span: Span) -> Option<T> {
        let diagnostic = self
            .error("regex-too-large", span, "the regular expression is too large once compiled")
            .expected(format!("at most {} KiB", REGEX_BYTES_MAX >> 10))
            .help("use smaller counts in `{n,m}`, or ASCII classes in place of Unicode ones");
        self.refuse(diagnostic)
    }

    /// The syntax tree of a regular expression.
    fn regex_tree(&mut self, span: Span, regex: &Regex) -> Option<regex_syntax::hir::Hir> {
        let source = &regex.pattern;
        let parsed = regex_syntax::ParserBuilder::new()
            .case_insensitive(regex.ignore_case)
            .nest_limit(REGEX_NESTING_LEVELS_MAX)
            .build()
            .parse(source);
        let error = match parsed {
            Ok(parsed) => return Some(parsed),
            Err(error) => error,
        };
        let (why, at) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), *error.span()),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), *error.span()),
            other => {
                let message = format!("the regular expression is not valid: {other}");
                let diagnostic = self.error("bad-regex", span, message);
                return self.refuse(diagnostic);
            }
        };
        let place = self.inside_regex(span, source, at.start.offset, at.end.offset);
        let diagnostic = self
            .error("bad-regex", place, format!("the regular expression is not valid: {why}"))
            .expected("the syntax of Rust's crate `regex` (no look-around, no back-references)");
        self.refuse(diagnostic)
    }

    /// The place of a part of a regex literal; `\/` in the text is `/` in the pattern.
    fn inside_regex(&self, span: Span, pattern: &str, start: usize, end: usize) -> Span {
        let written = self.text(span);
        let raw = |offset: usize| {
            let slashes = pattern.get(..offset).unwrap_or("").matches('/').count();
            offset + slashes + 1
        };
        let (start, end) = (raw(start), raw(end));
        if !written.starts_with('/') || end > written.len() {
            return span;
        }
        let base = span.start as usize;
        Span::new(base + start, base + end.max(start + 1))
    }
}

/// Groups inside groups of one regular expression.
const REGEX_NESTING_LEVELS_MAX: u32 = 64;

/// A bare name or an absolute path.
fn is_program(text: &str) -> bool {
    let drive = text.as_bytes().get(1) == Some(&b':');
    !text.is_empty() && (!text.contains(['/', '\\']) || text.starts_with('/') || drive)
}

/// How a literal of a type is written.
fn literal_of(ty: Type) -> &'static str {
    match ty {
        Type::Text | Type::Program | Type::Flag => "a string in quotes",
        Type::Json => "a string, a number, `true`, `false` or `null`",
        Type::Path => "a path pattern in quotes, such as `\"./docs/**\"`",
        Type::Command => "a command pattern in backticks",
        Type::Url => "a URL pattern in quotes, such as `\"https://api.example.com/**\"`",
        Type::Host => "a host in quotes, such as `\"*.example.com\"`",
        Type::Ip => "an address or a range, such as `10.0.0.0/8`",
        Type::Port => "a whole number from 0 to 65535",
        Type::Size => "a size, such as `20KB`",
        Type::Count => "a whole number",
        Type::Word(_) => "a bare word",
    }
}

fn pattern_error(
    kind: SetKind,
    file: FileId,
    span: Span,
    value: &ValueKind,
    error: &PatternError,
) -> Diagnostic {
    let code = match kind {
        SetKind::Path => "bad-glob",
        SetKind::Host => "bad-host",
        SetKind::Net => "bad-cidr",
        SetKind::Url => "bad-url",
        SetKind::Command | SetKind::Plain => "bad-command",
    };
    let mut diagnostic =
        Diagnostic::error(code, file, span, error.message.clone()).expected(error.expected.clone());
    if let Some(mend) = &error.mend {
        let text = match value {
            ValueKind::Command(_) => format!("`{mend}`"),
            ValueKind::Net(_) => mend.clone(),
            _ => quote(mend),
        };
        diagnostic = diagnostic.help(format!("write {}", shown(value, &text))).fix(Fix::suggest(span, text));
    }
    diagnostic
}

/// A literal inside backticks, unless it brings its own.
fn shown(value: &ValueKind, text: &str) -> String {
    if matches!(value, ValueKind::Command(_)) { text.to_owned() } else { format!("`{text}`") }
}
