//! Credentials that are encoded in a text: in base64, in the escapes of addresses, in those of JSON.

use super::find::{Depth, Finder, Found};

/// Letters of base64 below which nothing worth decoding fits.
const BASE64_MIN: usize = 24;
/// Letters of one line of base64 that goes on in the next.
const BASE64_LINE_MIN: usize = 60;
/// Bytes of an encoded text that are decoded at once: bounds memory. Longer ones are looked at in parts.
const DECODED_MAX: usize = 64 << 10;

/// What decoding shows, at the places of the encoded text.
pub(super) fn finds<'f>(finder: &'f Finder, text: &[u8]) -> Vec<Found<'f>> {
    let mut found = Vec::new();
    for (start, end) in base64_runs(text) {
        let run = text.get(start..end).unwrap_or(&[]);
        let Some(decoded) = base64_text(run) else { continue };
        // Where the credential lies in it is of no use: its neighbours would tell.
        if let Some(first) = finder.find(&decoded, Depth::Plain).first() {
            found.push(Found { start, end, id: first.id, open: end == text.len() });
        }
    }
    let runs = escaped_runs(text);
    let parts = runs.iter().flat_map(|(start, end)| {
        (*start..*end).step_by(DECODED_MAX).map(move |at| (at, (at + DECODED_MAX).min(*end)))
    });
    for (start, end) in parts {
        let run = text.get(start..end).unwrap_or(&[]);
        let (decoded, places) = unescaped(run);
        for find in finder.find(&decoded, Depth::Plain) {
            let at = |index: usize| start + places.get(index).copied().unwrap_or(run.len());
            let end = at(find.end);
            found.push(Found { start: at(find.start), end, id: find.id, open: end == text.len() });
        }
    }
    found
}

/// Runs of base64, in either alphabet, over line ends where the lines are full.
fn base64_runs(text: &[u8]) -> Vec<(usize, usize)> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    let mut runs = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or(&[]);
        let Some(skip) = rest.iter().position(is_letter) else { break };
        let start = at + skip;
        let mut end = start;
        loop {
            let line = text.get(end..).unwrap_or(&[]).iter().take_while(|byte| is_letter(byte)).count();
            end += line;
            let behind = text.get(end..).unwrap_or(&[]);
            let gap = match behind {
                [b'\n', next, ..] if is_letter(next) => 1,
                [b'\r', b'\n', next, ..] if is_letter(next) => 2,
                _ => 0,
            };
            if gap == 0 || line < BASE64_LINE_MIN || end - start > DECODED_MAX {
                break;
            }
            end += gap;
        }
        end += text.get(end..).unwrap_or(&[]).iter().take(2).take_while(|byte| **byte == b'=').count();
        if end - start >= BASE64_MIN {
            runs.push((start, end));
        }
        at = end.max(start + 1);
    }
    runs
}

/// What a run of base64 stands for, where that is a text.
fn base64_text(run: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in run {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = u8::try_from((bits >> held) & 0xff).unwrap_or(0);
            // Random bytes are no text, and fail here after a few.
            if !(byte.is_ascii_graphic() || byte.is_ascii_whitespace() || byte >= 0x80) {
                return None;
            }
            out.push(byte);
        }
    }
    let plain = out.iter().filter(|byte| byte.is_ascii()).count();
    (plain * 10 >= out.len() * 9).then_some(out)
}

/// Runs without spaces and quotes that hold an escape.
fn escaped_runs(text: &[u8]) -> Vec<(usize, usize)> {
    let parts = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>".contains(byte);
    let mut runs = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or(&[]);
        let length = rest.iter().position(parts).unwrap_or(rest.len());
        let run = rest.get(..length).unwrap_or(rest);
        let has_escape = run.iter().enumerate().any(|(offset, byte)| {
            matches!(byte, b'%' | b'\\') && escape(run.get(offset..).unwrap_or(&[])).is_some()
        });
        if has_escape {
            runs.push((at, at + length));
        }
        at += length + 1;
    }
    runs
}

/// The byte of an escape and its length: `%3A`, `\u003d`.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    match text {
        [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            Some((hex(&[*high, *low])?, 3))
        }
        [b'\\', b'u', b'0', b'0', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            Some((hex(&[*high, *low])?, 6))
        }
        _ => None,
    }
}

/// The text behind the escapes, and where each of its bytes began.
fn unescaped(run: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut out, mut places) = (Vec::with_capacity(run.len()), Vec::with_capacity(run.len()));
    let mut at = 0;
    while let Some(byte) = run.get(at) {
        let (byte, length) = escape(run.get(at..).unwrap_or(&[])).unwrap_or((*byte, 1));
        out.push(byte);
        places.push(at);
        at += length;
    }
    (out, places)
}
