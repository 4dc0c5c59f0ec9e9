//! Standard output and standard error: colours only on a terminal, hostile text made harmless, a
//! closed pipe is a quiet end.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};

use super::exit::{Exit, Failure};

/// Writes data to standard output.
///
/// # Errors
/// A closed pipe ends the verb quietly; anything else says what the system said.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            Failure::said(Exit::Fine)
        } else {
            Failure::internal(format!("standard output cannot be written: {error}"))
        }
    })
}

/// Writes one line of data to standard output.
///
/// # Errors
/// As [`print`].
pub fn print_line(text: &str) -> Result<(), Failure> {
    print(&format!("{text}\n"))
}

/// Tells a person something on standard error. Where nobody listens, that is no trouble.
pub fn tell(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{text}");
}

/// Tells why a verb stopped.
pub fn tell_failure(failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    tell(&format!("error: {}", harmless(&failure.message)));
    if let Some(help) = &failure.help {
        tell(&format!("  help: {}", harmless(help)));
    }
}

/// Text from outside with everything taken out of it that could steer a terminal or reorder what is
/// read: control characters (line ends and tabs stay) and the controls of writing direction. Every
/// replacement of a C1 control keeps its length in bytes.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_c1 = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    let hidden = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| match c {
        '\u{1}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\0' => {
            char::from_u32(u32::from(c) + 0x2400).unwrap_or('\u{fffd}')
        }
        '\u{7f}' => '\u{2421}',
        c if is_c1(c) => '\u{b7}',
        c if hidden(c) => '\u{fffd}',
        c => c,
    });
    Cow::Owned(shown.collect())
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\nc"), "a\u{241b}[2Jb\nc");
        assert_eq!(harmless("x\u{202e}y\u{9b}z\0"), "x\u{fffd}y\u{b7}z\u{2400}");
        assert_eq!(harmless("plain ü"), "plain ü");
    }
}
