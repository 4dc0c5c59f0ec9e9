//! Whether a value that stands where a credential could stand is one: not a mask, not a reference, not a
//! placeholder, and, where its name says little, not a word.

use super::table::Check;

/// Bytes of a value under a telling name.
const NAMED_BYTES_MIN: usize = 6;
/// Bytes of a value that has to look drawn.
const RANDOM_BYTES_MIN: usize = 8;
/// Bits a character of a value under the name of a password.
const PASSWORD_BITS_MIN: f64 = 2.0;
/// Bits a character of a value that has to look drawn: eight characters, most of them different.
const RANDOM_BITS_MIN: f64 = 2.3;
/// Equal characters in a row that only masks have.
const MASK_RUN: usize = 5;
/// Letters of a part of a name that people read.
const WORD_LETTERS: std::ops::RangeInclusive<usize> = 1..=14;

/// Words that stand in examples where a credential would stand. Longer ones first: a value is taken
/// apart from its beginning.
const PLACEHOLDER_WORDS: &[&str] = &[
    "authentication",
    "placeholder",
    "passphrase",
    "replacement",
    "credentials",
    "credential",
    "undefined",
    "changeme",
    "changeit",
    "username",
    "password",
    "redacted",
    "whatever",
    "required",
    "optional",
    "database",
    "message",
    "server",
    "service",
    "prompt",
    "title",
    "example",
    "replace",
    "default",
    "private",
    "account",
    "passwd",
    "secret",
    "access",
    "client",
    "bearer",
    "dummy",
    "token",
    "value",
    "admin",
    "login",
    "string",
    "hidden",
    "insert",
    "sample",
    "change",
    "public",
    "label",
    "empty",
    "false",
    "none",
    "null",
    "true",
    "name",
    "user",
    "pass",
    "here",
    "some",
    "auth",
    "your",
    "test",
    "with",
    "from",
    "this",
    "fake",
    "bar",
    "baz",
    "foo",
    "pwd",
    "api",
    "app",
    "key",
    "the",
    "new",
    "old",
    "my",
    "to",
    "be",
    "is",
    "in",
    "it",
    "me",
    "id",
    "db",
    "a",
];

/// What a name ends in that speaks of a credential without holding it.
const ABOUT: &[&str] = &[
    "url",
    "urls",
    "uri",
    "uris",
    "file",
    "files",
    "filename",
    "path",
    "paths",
    "dir",
    "folder",
    "name",
    "names",
    "id",
    "ids",
    "field",
    "fields",
    "type",
    "types",
    "ttl",
    "expiry",
    "expires",
    "expiresat",
    "expiresin",
    "expiration",
    "expire",
    "length",
    "len",
    "size",
    "count",
    "limit",
    "limits",
    "max",
    "min",
    "env",
    "var",
    "variable",
    "label",
    "prefix",
    "suffix",
    "header",
    "headers",
    "policy",
    "endpoint",
    "arn",
    "ref",
    "version",
    "index",
    "position",
    "format",
    "hint",
    "rule",
    "rules",
    "strength",
    "prompt",
    "placeholder",
    "regex",
    "pattern",
    "class",
    "algorithm",
    "alg",
    "scope",
    "scopes",
    "at",
    "by",
    "status",
    "state",
    "required",
    "enabled",
    "usage",
    "budget",
    "used",
    "reset",
    "provider",
    "store",
    "manager",
    "service",
    "helper",
    "mode",
    "method",
    "source",
    "location",
    "exists",
    "valid",
    "izer",
    "ize",
    "ization",
    "ized",
    "level",
    "digest",
    "info",
    "kind",
    "title",
    "message",
    "description",
    "error",
    "lifetime",
    "timeout",
    "issuer",
    "audience",
    "encryption",
    "group",
    "region",
    "host",
    "port",
    "auth",
];

/// What stands in the place of a password beside a token in the place of a user.
const NO_PASSWORDS: &[&str] = &["x-oauth-basic"];

/// Keys that are none of a lock.
const OPEN_KEYS: &[&str] = &[
    "public",
    "pub",
    "cache",
    "primary",
    "foreign",
    "partition",
    "sort",
    "group",
    "dedup",
    "deduplication",
    "idempotency",
    "object",
    "row",
    "hash",
    "lookup",
    "index",
    "map",
    "verification",
    "verify",
    "unique",
    "host",
    "known",
    "ordering",
    "routing",
    "composite",
    "search",
    "i18n",
    "translation",
    "sequence",
];

/// Shannon entropy in bits a byte.
pub(super) fn bits_per_byte(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
            total += 1;
        }
    }
    let counts = counts.iter().filter(|count| **count > 0);
    counts.map(|count| f64::from(*count) / f64::from(total)).map(|p| -p * p.log2()).sum()
}

/// Whether what is checked beside the form holds.
pub(super) fn holds(check: Check, name: &[u8], value: &[u8]) -> bool {
    let value = String::from_utf8_lossy(value);
    let name = String::from_utf8_lossy(name);
    match check {
        Check::Always => true,
        Check::Literal => is_literal(&value),
        Check::Userinfo => {
            !is_mask(&value) && !is_reference(&value) && !is_port(&value) && !NO_PASSWORDS.contains(&&*value)
        }
        Check::Header => !is_mask(&value) && !is_reference(&value),
        Check::Random => is_random(&value),
        Check::Named => is_named(&name, &value),
        Check::Environment => {
            !is_about(&name)
                && value.len() >= NAMED_BYTES_MIN
                && is_literal(&value)
                && bits_per_byte(value.as_bytes()) >= PASSWORD_BITS_MIN
                && !is_place(&value)
                && !value.bytes().all(|byte| byte.is_ascii_digit())
        }
        Check::Key => !is_open_key(&name) && is_random(&value) && bits_per_byte(value.as_bytes()) >= 3.0,
    }
}

/// Whether a value under this name is a credential.
pub(super) fn is_named(name: &str, value: &str) -> bool {
    if is_about(name) || value.contains(char::is_whitespace) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    if lower.contains("pass") || lower.ends_with("pwd") || lower.ends_with("pw") {
        return value.len() >= NAMED_BYTES_MIN
            && is_literal(value)
            && !is_typed(value)
            && !is_path(value)
            && bits_per_byte(value.as_bytes()) >= PASSWORD_BITS_MIN;
    }
    is_random(value)
}

/// Whether a member of this name holds a credential.
pub(super) fn name_tells(name: &str) -> bool {
    const TELLS: &[&str] = &[
        "pass",
        "pwd",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "authkey",
        "privatekey",
        "secretkey",
        "credential",
        "encryptionkey",
        "signingkey",
        "masterkey",
        "sessionkey",
        "accountkey",
        "storagekey",
        "servicekey",
        "clientkey",
    ];
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    TELLS.iter().any(|word| plain.contains(word)) && !is_about(name)
}

/// `****`, `xxxxxxxx`, `...`, `[REDACTED]`, `<token>`.
fn is_mask(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut run = 0;
    let mut last = None;
    for c in lower.chars() {
        run = if last == Some(c) { run + 1 } else { 1 };
        last = Some(c);
        if run >= MASK_RUN && "*x.•#-_=?0".contains(c) {
            return true;
        }
    }
    let all_masked = lower.chars().all(|c| "*x.•…#-_?".contains(c));
    all_masked
        || lower.contains("***")
        || lower.contains("...")
        || lower.contains("redacted")
        || value.contains('…')
}

/// `$TOKEN`, `${{ secrets.TOKEN }}`, `%TOKEN%`, `process.env.TOKEN`, `op://vault/item`.
fn is_reference(value: &str) -> bool {
    let opens = value.starts_with(['<', '{', '[', '(', '&', '!', '@']) || value.starts_with("%(");
    let holds = ["${", "$(", "{{", "}}", "<%", "%>", "#{", "?.", "->", "::", "()", "%s", "://"];
    let variable = value.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    let windows = value.len() > 2 && value.starts_with('%') && value.ends_with('%');
    // `{token}` in a text that is filled in.
    let filled = value.find('{').zip(value.rfind('}')).is_some_and(|(open, close)| {
        value.get(open + 1..close).is_some_and(|inner| !inner.is_empty() && inner.chars().all(is_name_char))
    });
    let indexed = value
        .split_once('[')
        .is_some_and(|(before, _)| !before.is_empty() && before.chars().all(is_name_char));
    opens
        || indexed
        || variable
        || windows
        || filled
        || value.starts_with("path/to/")
        || holds.iter().any(|sign| value.contains(sign))
        || is_dotted(value)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// `form.password`, `config.auth.token[0]`: names, parted by dots.
fn is_dotted(value: &str) -> bool {
    let value = value.trim_end_matches([')', ';', ',']);
    let parts: Vec<_> = value.split('.').collect();
    let is_name = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "_[]".contains(c))
            && part.chars().filter(char::is_ascii_digit).count() <= 2
            && part.len() <= 32
    };
    parts.len() > 1 && parts.iter().all(is_name)
}

/// A port in an address, with what follows it.
fn is_port(value: &str) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && value.get(digits..).is_some_and(|rest| rest.starts_with(['/', '?', '#']))
}

/// Only words of [`PLACEHOLDER_WORDS`], with anything but letters between them.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if lower.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    lower.split(|c: char| !c.is_ascii_alphabetic()).all(|mut part| {
        while !part.is_empty() {
            let Some(rest) = PLACEHOLDER_WORDS.iter().find_map(|word| part.strip_prefix(word)) else {
                return false;
            };
            part = rest;
        }
        true
    })
}

/// A file, a directory, an address, a mailbox.
fn is_place(value: &str) -> bool {
    let extension = value.rsplit_once('.').is_some_and(|(before, ext)| {
        (1..=5).contains(&ext.len())
            && ext.bytes().all(|byte| byte.is_ascii_lowercase())
            && before.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
    });
    is_path(value) || extension || value.contains("://") || value.starts_with("arn:")
}

fn is_path(value: &str) -> bool {
    let rooted = value.starts_with(['/', '~']) || value.starts_with("./") || value.starts_with("../");
    // Key material in base64 may begin with a slash, but has no other sign of a path.
    rooted && (value.contains('.') || value.matches('/').count() > 1)
}

/// A call, or a type with parameters.
fn is_code(value: &str) -> bool {
    value.find(['(', '<']).is_some_and(|at| {
        value.get(..at).is_some_and(|before| {
            before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && before.chars().all(|c| is_name_char(c) || ":!".contains(c))
        })
    })
}

/// A type where code has one.
fn is_typed(value: &str) -> bool {
    let types = ["string", "number", "boolean", "bytes", "object", "option", "optional", "varchar", "text"];
    let lower = value.to_ascii_lowercase();
    types.iter().any(|word| {
        lower == *word || lower.starts_with(&format!("{word}<")) || lower.starts_with(&format!("{word}("))
    })
}

fn is_literal(value: &str) -> bool {
    !is_mask(value) && !is_reference(value) && !is_placeholder(value)
}

/// Letters and digits, or capitals in the middle and signs, in an order that no name has.
fn is_random(value: &str) -> bool {
    if value.len() < RANDOM_BYTES_MIN
        || !is_literal(value)
        || is_place(value)
        || is_code(value)
        || bits_per_byte(value.as_bytes()) < RANDOM_BITS_MIN
    {
        return false;
    }
    let has = |test: fn(&char) -> bool| value.chars().any(|c| test(&c));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = has(char::is_ascii_alphabetic);
    let signs = value.chars().any(|c| !is_name_char(c));
    if !letters || (digits == 0 && !signs) {
        // Long ones without a digit: capitals and small letters in turn.
        return letters && value.len() >= 20 && turns(value) * 4 >= value.len() && !is_wordy(value);
    }
    if is_version(value) {
        return false;
    }
    !is_wordy(value)
}

/// Changes between capitals and small letters; a name has one at the beginning of a word.
fn turns(value: &str) -> usize {
    let bytes = value.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs.filter(|(a, b)| a.is_ascii_uppercase() != b.is_ascii_uppercase()).count()
}

/// `1.2.3-rc4`, `2026-12-01`, `v2`.
fn is_version(value: &str) -> bool {
    let rest = value.strip_prefix('v').unwrap_or(value);
    let digits = rest.bytes().filter(|byte| byte.is_ascii_digit() || b".:-+TZ".contains(byte)).count();
    rest.starts_with(|c: char| c.is_ascii_digit())
        && digits * 3 >= rest.len() * 2
        && rest.contains(['.', ':', '-'])
        && !is_uuid(rest)
}

fn is_uuid(value: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<_> = value.split('-').collect();
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Words that people read, parted by signs or capitals, with small numbers behind them.
fn is_wordy(value: &str) -> bool {
    let parts: Vec<_> = value.split(|c: char| "-_./: ".contains(c)).filter(|part| !part.is_empty()).collect();
    parts.iter().all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = part.len() - word.len();
        let vowels = word.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
        let plain = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let spoken = vowels * 5 >= word.len() || word.len() <= 4;
        // One capital a word, or all of them.
        let humps = turns(word) <= word.len() / 2 + 1 && !word.bytes().all(|b| b.is_ascii_digit());
        let numbers = if parts.len() > 1 { number <= 4 } else { number <= 2 };
        (word.is_empty() && number <= 4 && parts.len() > 1)
            || (plain && WORD_LETTERS.contains(&word.len()) && spoken && humps && numbers)
    })
}

/// What a name says about a credential instead of holding it: `token_url`, `passwordField`, `tokenizer`.
fn is_about(name: &str) -> bool {
    let mut spread = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before_lower {
            spread.push('_');
        }
        before_lower = c.is_ascii_lowercase();
        spread.push(if "-.".contains(c) { '_' } else { c.to_ascii_lowercase() });
    }
    let last =
        spread.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit()).rsplit('_').next().unwrap_or("");
    let glued = [
        "tokenizer",
        "tokenize",
        "tokenized",
        "tokenization",
        "passed",
        "passes",
        "passing",
        "passenger",
        "passport",
        "passive",
        "bypass",
        "compass",
        "secretary",
    ];
    ABOUT.contains(&last) || glued.contains(&last) || spread.contains("public")
}

fn is_open_key(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| OPEN_KEYS.contains(&part)) || is_about(name)
}
