//! The words of the language, for the parser's checks and for whoever completes or explains them.

/// The words that start an item, the verbs of rules apart.
pub const ITEMS: &[&str] =
    &["tollgate", "import", "modes", "labels", "default", "unknown", "let", "tool", "invariant"];

/// The verbs of rules.
pub const VERBS: &[&str] = &["allow", "warn", "ask", "block", "modify", "redact"];

/// The words that start a clause of a rule.
pub const CLAUSES: &[&str] = &[
    "on", "when", "unless", "because", "fix", "covers", "limit", "approve", "unknown", "until", "mark",
    "set", "fill", "clamp", "remove", "append", "replace", "example",
];

/// The words of conditions.
pub const OPERATORS: &[&str] = &[
    "and", "or", "not", "is", "in", "under", "matches", "contains", "starts", "ends", "with", "any", "all",
    "session", "has", "size", "count", "lower",
];

/// The first words of fields.
pub const FIELDS: &[&str] = &[
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
];

/// The words before a set's brace.
pub const SET_TYPES: &[&str] = &["path", "host", "net", "url", "command"];

/// The words with a meaning of their own as a value.
pub const LITERALS: &[&str] = &["present", "absent", "opaque", "unresolved", "null", "true", "false"];

/// The words for capabilities in a scope.
pub const CAPABILITIES: &[&str] = &["read", "write", "exec", "network", "nothing", "any"];

/// The words that start a line of a tool body.
pub const TOOL_LINES: &[&str] = &[
    "reads", "lists", "writes", "creates", "deletes", "connects", "runs", "schema", "read", "write", "exec",
    "network", "nothing",
];

/// Whether a word starts an item.
#[must_use]
pub fn starts_item(word: &str) -> bool {
    ITEMS.contains(&word) || VERBS.contains(&word)
}

/// Whether a word may not be a name unless it is quoted, or stands behind a dot.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    [ITEMS, VERBS, CLAUSES, OPERATORS, FIELDS, SET_TYPES, LITERALS].iter().any(|list| list.contains(&word))
}

/// Whether a word is a kebab-case name: `[a-z][a-z0-9]*(-[a-z0-9]+)*`.
#[must_use]
pub fn is_kebab(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// The kebab-case name nearest to what was written, where there is one.
#[must_use]
pub fn to_kebab(word: &str) -> Option<String> {
    let mut out = String::new();
    let mut after_lower = false;
    for c in word.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && after_lower {
                out.push('-');
            }
            after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            after_lower = false;
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
        }
    }
    let out = out.trim_matches('-').trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').to_owned();
    is_kebab(&out).then_some(out)
}

/// Whether a word can be a tool, argument or mode name without quotes, reserved words apart.
#[must_use]
pub fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::{is_kebab, to_kebab};

    #[test]
    fn kebab_names() {
        for good in ["a", "a1", "no-tokens-2", "a-1b"] {
            assert!(is_kebab(good), "{good}");
        }
        for bad in ["", "A", "1a", "a-", "-a", "a--b", "a_b", "ä"] {
            assert!(!is_kebab(bad), "{bad}");
        }
        assert_eq!(to_kebab("NoTokens_here").as_deref(), Some("no-tokens-here"));
        assert_eq!(to_kebab("2fa").as_deref(), Some("fa"));
        assert_eq!(to_kebab("___"), None);
    }
}
