//! Literals: from the text as written to its value, or to what is wrong with it.
//!
//! The grammar reads literals loosely, so that this module can say precisely what a mend would be.

use std::ops::Range;

use super::ast::{Date, Regex, ValueKind};

/// What is wrong with a literal; offsets are relative to its first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The part that is wrong.
    pub range: Range<usize>,
    /// What is wrong with it.
    pub message: String,
    /// What would be right.
    pub expected: Option<&'static str>,
    /// What to do.
    pub help: Option<String>,
    /// What to write in place of `range`, where that can be said.
    pub mend: Option<String>,
    /// Whether the mend can only be what was meant.
    pub certain: bool,
}

impl Fault {
    fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { range, message: message.into(), expected: None, help: None, mend: None, certain: true }
    }

    fn expected(self, expected: &'static str) -> Self {
        Self { expected: Some(expected), ..self }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    fn uncertain(self) -> Self {
        Self { certain: false, ..self }
    }

    fn mend(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let help = self.help.clone().unwrap_or_else(|| format!("write `{text}`"));
        Self { mend: Some(text), help: Some(help), ..self }
    }
}

/// The result of reading one literal.
pub type Read<T> = Result<T, Box<Fault>>;

fn fail<T>(fault: Fault) -> Read<T> {
    Err(Box::new(fault))
}

/// `"text"` with its quotes: JSON's escapes.
///
/// # Errors
///
/// An escape that JSON does not have, or a control character.
pub fn string(literal: &str) -> Read<String> {
    let body = inside(literal);
    let mut out = String::with_capacity(body.len());
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        let at = at + 1;
        if c.is_control() {
            let mend = if c == '\t' { "\\t".to_owned() } else { format!("\\u{:04x}", u32::from(c)) };
            return fail(
                Fault::new(at..at + c.len_utf8(), "a control character cannot stand in a string").mend(mend),
            );
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some((_, escaped)) = chars.next() else { continue };
        match escaped {
            '"' | '\\' | '/' => out.push(escaped),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let rest = body.get(at + 1..).unwrap_or("");
                let Some((c, used)) = unicode_escape(rest) else {
                    return fail(
                        Fault::new(at..at + 2, "`\\u` stands before four hex digits of a character")
                            .expected("an escape such as `\\u00e9`")
                            .help("characters beyond U+FFFF are two such escapes, or can be written as they are"),
                    );
                };
                out.push(c);
                for _ in 0..used {
                    chars.next();
                }
            }
            other => return fail(bad_escape(at, other)),
        }
    }
    Ok(out)
}

fn bad_escape(at: usize, c: char) -> Fault {
    Fault::new(at..at + 1 + c.len_utf8(), format!("`\\{c}` is no escape"))
        .expected("one of `\\\"` `\\\\` `\\/` `\\b` `\\f` `\\n` `\\r` `\\t` `\\uXXXX`")
        .help(format!("write `\\\\{c}` for a backslash; a regex stands between slashes: `/\\{c}…/`"))
        .mend(format!("\\\\{c}"))
        .uncertain()
}

/// The character behind `\u`, and how many characters of the text it took.
fn unicode_escape(rest: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = rest.get(at..at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, 4));
    }
    let second = unit(6).filter(|n| rest.get(4..6) == Some("\\u") && (0xdc00..0xe000).contains(n))?;
    Some((char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 10))
}

fn inside(literal: &str) -> &str {
    literal.get(1..literal.len().saturating_sub(1)).unwrap_or("")
}

/// A command pattern, with its backticks.
///
/// # Errors
///
/// A pattern without words.
pub fn command(literal: &str) -> Read<String> {
    let body = inside(literal);
    if body.trim().is_empty() {
        return fail(
            Fault::new(0..literal.len(), "a command pattern needs at least a program")
                .expected("a pattern such as `` `git status` ``"),
        );
    }
    if let Some((at, c)) = body.char_indices().find(|(_, c)| c.is_control() && *c != '\t') {
        return fail(Fault::new(
            at + 1..at + 1 + c.len_utf8(),
            "a control character cannot stand in a command pattern",
        ));
    }
    Ok(body.to_owned())
}

/// `/regex/` or `/regex/i`. Only the frame is judged here; the pattern is compiled later.
///
/// # Errors
///
/// Flags other than `i`.
pub fn regex(literal: &str) -> Read<Regex> {
    let close = literal.rfind('/').unwrap_or(0);
    let flags = literal.get(close + 1..).unwrap_or("");
    if !matches!(flags, "" | "i") {
        let fault = Fault::new(close + 1..literal.len(), format!("a regex has no flag `{flags}`"))
            .expected("`i` behind the closing slash, or nothing");
        let help = if flags.bytes().all(|b| b"gimsuxUR".contains(&b)) {
            "other flags stand inside: `/(?s)…/`"
        } else {
            "a path stands in double quotes; inside a regex, `/` is written `\\/`"
        };
        return fail(fault.help(help));
    }
    let mut pattern = String::new();
    let mut chars = literal.get(1..close).unwrap_or("").chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('/') => pattern.push('/'),
                Some(other) => pattern.extend(['\\', other]),
                None => pattern.push('\\'),
            },
            _ => pattern.push(c),
        }
    }
    Ok(Regex { pattern, ignore_case: flags == "i" })
}

/// What starts with a digit: a number, duration, size, date, address or range.
///
/// # Errors
///
/// None of them, a unit that does not exist, a day that does not exist.
pub fn quantity(literal: &str) -> Read<ValueKind> {
    let digits = literal.bytes().take_while(u8::is_ascii_digit).count();
    let (head, tail) = literal.split_at_checked(digits).unwrap_or((literal, ""));
    if looks_like_date(literal) {
        return date(literal).map(ValueKind::Date);
    }
    if literal.contains([':', '/']) || literal.bytes().filter(|&b| b == b'.').count() > 1 {
        return Ok(ValueKind::Net(literal.to_owned()));
    }
    if is_number(literal) {
        return number(literal);
    }
    match unit(tail) {
        Some(unit) if unit.exact => measure(literal, head, &unit),
        Some(near) => fail(
            Fault::new(0..literal.len(), format!("`{tail}` is no unit"))
                .expected("`s`, `m`, `h`, `d`, `KB` or `MB`")
                .mend(format!("{head}{}", near.name)),
        ),
        None => fail(odd_quantity(literal)),
    }
}

fn odd_quantity(literal: &str) -> Fault {
    let all = 0..literal.len();
    let split = literal.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(literal.len());
    let (head, tail) = literal.split_at_checked(split).unwrap_or((literal, ""));
    if is_number(head) && unit(tail).is_some() {
        return Fault::new(all, format!("`{literal}` is not a whole number of its unit"))
            .expected("a whole number of `s`, `m`, `h`, `d`, `KB` or `MB`")
            .help("use a smaller unit: `90m` for one hour and a half");
    }
    if is_number(&literal.replace('_', "")) {
        return Fault::new(all, format!("`{literal}` is no number: digits stand without `_`"))
            .mend(literal.replace('_', ""));
    }
    if is_number(head) && !tail.is_empty() {
        return Fault::new(all, format!("`{literal}` has no unit that exists"))
            .expected("`s`, `m`, `h`, `d`, `KB` or `MB`")
            .help("a text stands in double quotes");
    }
    Fault::new(all, format!("`{literal}` is no number"))
        .expected("a number, `30s`, `20KB`, `2027-03-31` or an address")
        .help("a text stands in double quotes")
}

fn is_number(literal: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let body = literal.strip_prefix('-').unwrap_or(literal);
    body.split_once('.').map_or_else(|| digits(body), |(whole, part)| digits(whole) && digits(part))
}

fn number(literal: &str) -> Read<ValueKind> {
    let (sign, body) = literal.strip_prefix('-').map_or(("", literal), |body| ("-", body));
    let whole = body.split('.').next().unwrap_or("");
    if whole.len() > 1 && whole.starts_with('0') {
        let trimmed = body.trim_start_matches('0');
        let zero = if trimmed.is_empty() || trimmed.starts_with('.') { "0" } else { "" };
        return fail(
            Fault::new(0..literal.len(), format!("`{literal}` starts with a zero that means nothing"))
                .mend(format!("{sign}{zero}{trimmed}")),
        );
    }
    Ok(ValueKind::Number(literal.to_owned()))
}

struct Unit {
    name: &'static str,
    factor: u64,
    size: bool,
    exact: bool,
}

const SECOND_MS: u64 = 1_000;

/// The unit a word means; `exact` where it is written as it should be.
fn unit(word: &str) -> Option<Unit> {
    let (name, factor, size) = match word {
        "s" | "S" | "sec" | "secs" | "second" | "seconds" => ("s", SECOND_MS, false),
        "m" | "min" | "mins" | "minute" | "minutes" => ("m", 60 * SECOND_MS, false),
        "h" | "H" | "hr" | "hrs" | "hour" | "hours" => ("h", 3_600 * SECOND_MS, false),
        "d" | "D" | "day" | "days" => ("d", 86_400 * SECOND_MS, false),
        "KB" | "kb" | "Kb" | "kB" | "K" | "k" | "KiB" | "kib" => ("KB", 1 << 10, true),
        "MB" | "mb" | "Mb" | "mB" | "MiB" | "mib" => ("MB", 1 << 20, true),
        _ => return None,
    };
    Some(Unit { name, factor, size, exact: word == name })
}

fn measure(literal: &str, digits: &str, unit: &Unit) -> Read<ValueKind> {
    let Some(total) = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit.factor)) else {
        return fail(Fault::new(0..literal.len(), format!("`{literal}` is too large to be counted")));
    };
    Ok(if unit.size { ValueKind::Size(total) } else { ValueKind::Duration(total) })
}

/// Whether a word is a unit, or what people write for one.
#[must_use]
pub fn means_unit(word: &str) -> Option<&'static str> {
    unit(word).map(|unit| unit.name)
}

fn looks_like_date(literal: &str) -> bool {
    let dashes = literal.bytes().filter(|&b| b == b'-').count();
    !literal.starts_with('-') && dashes == 2 && literal.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

/// `2027-03-31`.
///
/// # Errors
///
/// Another form, or a day that does not exist.
pub fn date(literal: &str) -> Read<Date> {
    let all = 0..literal.len();
    let form = |fault: Fault| fault.expected("a day such as `2027-03-31`");
    let mut parts = literal.split('-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return fail(form(Fault::new(all, format!("`{literal}` is no day"))));
    };
    let number = |part: &str| part.parse::<u16>().ok();
    let (Some(y), Some(m), Some(d)) = (number(year), number(month), number(day)) else {
        return fail(form(Fault::new(all, format!("`{literal}` is no day"))));
    };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        let fault = form(Fault::new(all, format!("`{literal}` is not written year-month-day")));
        if year.len() == 4 && days_of(y, m).is_some_and(|days| (1..=days).contains(&d)) {
            return fail(fault.mend(format!("{y:04}-{m:02}-{d:02}")));
        }
        return fail(fault);
    }
    let Some(days) = days_of(y, m) else {
        return fail(form(Fault::new(5..7, format!("there is no month {m}"))));
    };
    if !(1..=days).contains(&d) {
        return fail(
            form(Fault::new(8..10, format!("month {m} of {y} has no day {d}")))
                .help(format!("its last day is `{y:04}-{m:02}-{days:02}`")),
        );
    }
    let (month, day) = (u8::try_from(m).unwrap_or(1), u8::try_from(d).unwrap_or(1));
    Ok(Date { year: y, month, day })
}

fn days_of(year: u16, month: u16) -> Option<u16> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    Some(match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u16::from(leap),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_json_strings() {
        assert_eq!(string(r#""a\n\"\u00e9\ud83d\ude00\/é""#).unwrap(), "a\n\"é😀/é");
        assert_eq!(string(r#""""#).unwrap(), "");
        for (bad, range) in
            [(r#""a\d""#, 2..4), (r#""\u12""#, 1..3), (r#""\ud800x""#, 1..3), ("\"a\tb\"", 2..3)]
        {
            assert_eq!(string(bad).unwrap_err().range, range, "{bad}");
        }
    }

    #[test]
    fn quantities() {
        assert_eq!(quantity("30s").unwrap(), ValueKind::Duration(30_000));
        assert_eq!(quantity("7d").unwrap(), ValueKind::Duration(604_800_000));
        assert_eq!(quantity("20KB").unwrap(), ValueKind::Size(20_480));
        assert_eq!(quantity("-1.50").unwrap(), ValueKind::Number("-1.50".into()));
        assert_eq!(quantity("10.0.0.0/8").unwrap(), ValueKind::Net("10.0.0.0/8".into()));
        assert_eq!(quantity("2028-02-29").unwrap(), ValueKind::Date(Date { year: 2028, month: 2, day: 29 }));
        for (bad, mend) in [
            ("5min", Some("5m")),
            ("20kb", Some("20KB")),
            ("007", Some("7")),
            ("00.5", Some("0.5")),
            ("1_000", Some("1000")),
            ("2027-3-1", Some("2027-03-01")),
            ("2027-02-29", None),
            ("2027-13-01", None),
            ("1.5h", None),
            ("5GB", None),
            ("99999999999999999999d", None),
        ] {
            assert_eq!(quantity(bad).unwrap_err().mend.as_deref(), mend, "{bad}");
        }
    }

    #[test]
    fn regexes_lose_only_their_escaped_slashes() {
        let read = |s| regex(s).unwrap();
        assert_eq!(read(r"/a\/b\\/i"), Regex { pattern: r"a/b\\".into(), ignore_case: true });
        assert_eq!(read(r"/\d+/"), Regex { pattern: r"\d+".into(), ignore_case: false });
        assert!(regex("/a/g").is_err());
    }
}
