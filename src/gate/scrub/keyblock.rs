//! Private keys between BEGIN and END lines, and what is left of such blocks when something cut them.
//!
//! A block goes on from its BEGIN line until its END line. Where that is missing it goes on as long as
//! its lines could be of a key, so that the rest of a log behind a cut key stays. Lines may be ended by
//! line ends, by `\n` as strings escape them, or by `%0A`, and may have anything before them: numbers,
//! dates, the signs of a difference.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::find::Found;

/// One of these stands in every marker, lower case.
pub(super) const KEYWORDS: &[&str] = &["private key", "private%20key", "private+key"];

const ID: &str = "private-key";
/// Letters in a row that only key material has.
const DATA_RUN: usize = 16;
/// The same in the first line of a block that was cut.
const FIRST_RUN: usize = 8;
/// The same in a block between its marks: below, the block is a placeholder.
const BODY_RUN: usize = 12;
/// Lines in a row that could not be of a key, behind which a block without END line is over.
const STRANGE_LINES: usize = 4;
/// Bytes of such a line; prose and logs are shorter, and a stream holds no more back.
const LINE_BYTES: usize = 1 << 10;
/// Bytes before an END line without BEGIN that are looked at.
const TAIL_BYTES: usize = 32 << 10;

static MARKERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let marker = r"(?-u)-{4,5} ?(BEGIN|END)(?: |%20|\+)(?:[A-Z0-9]+(?: |%20|\+)){0,4}PRIVATE(?: |%20|\+)KEY(?:(?: |%20|\+)BLOCK)? ?-{4,5}";
    Regex::new(marker).ok()
});

struct Marker {
    at: Range<usize>,
    begins: bool,
}

/// Whether a find is a block.
pub(super) fn is_block(id: &str) -> bool {
    id == ID
}

/// The blocks of a text.
pub(super) fn blocks(text: &[u8]) -> Vec<Found<'static>> {
    let Some(regex) = MARKERS.as_ref() else { return Vec::new() };
    let markers = regex.captures_iter(text).filter_map(|captures| {
        let begins = captures.get(1)?.as_bytes() == b"BEGIN";
        Some(Marker { at: captures.get(0)?.range(), begins })
    });
    let markers: Vec<_> = markers.collect();
    let mut found: Vec<Found<'static>> = Vec::new();
    let mut free = 0;
    for (number, marker) in markers.iter().enumerate() {
        if marker.at.start < free {
            continue;
        }
        let block = if marker.begins {
            // A second BEGIN ends the first block as the end of the text would.
            let next = markers.get(number + 1);
            let limit = next.map_or(text.len(), |next| next.at.start);
            let closing = next.filter(|next| !next.begins).map(|next| next.at.end);
            forward(text, &marker.at, limit, closing)
        } else {
            backward(text, free, &marker.at)
        };
        if let Some(block) = block {
            free = block.end;
            found.push(block);
        } else if let Some(next) = markers.get(number + 1).filter(|next| marker.begins && !next.begins) {
            // A placeholder: its END line is no rest of another block.
            free = next.at.end;
        }
    }
    found
}

/// A block with its BEGIN line; `closing` is the end of its END line.
fn forward(
    text: &[u8],
    begin: &Range<usize>,
    limit: usize,
    closing: Option<usize>,
) -> Option<Found<'static>> {
    let mut state = Body { data: false, last: begin.end, strange: 0, long: false };
    let mut at = begin.end;
    while at < limit {
        let (line, next) = next_line(text, at, limit);
        // The last line may go on behind the text, and become anything.
        if line.end == text.len() && line.len() < LINE_BYTES && closing.is_none() {
            state.take_last(text.get(line.clone()).unwrap_or(&[]), line.end);
            break;
        }
        if !state.take(text.get(line.clone()).unwrap_or(&[]), line.end) {
            return state.data.then_some(Found { start: begin.start, end: state.last, id: ID, open: false });
        }
        at = next;
    }
    match closing {
        Some(end) => {
            let body = text.get(begin.end..limit).unwrap_or(&[]);
            let is_key = longest_run(body) >= BODY_RUN;
            is_key.then_some(Found { start: begin.start, end, id: ID, open: false })
        }
        None if limit < text.len() => {
            state.data.then_some(Found { start: begin.start, end: state.last, id: ID, open: false })
        }
        None => {
            // Nothing has ended it: what comes next may belong to it.
            let end = if state.data { state.last } else { begin.start };
            Some(Found { start: begin.start, end, id: ID, open: true })
        }
    }
}

/// What was seen of a block behind its BEGIN line.
struct Body {
    data: bool,
    /// Behind the last line that belongs to it.
    last: usize,
    strange: usize,
    /// Whether the line before was one of data.
    long: bool,
}

impl Body {
    /// Takes a line without its end: it can add to the block, but not end it.
    fn take_last(&mut self, line: &[u8], end: usize) {
        let mut after = Self { ..*self };
        if after.take(line, end) {
            *self = after;
        }
    }

    /// Takes a line; false where the block is over before it.
    fn take(&mut self, line: &[u8], end: usize) -> bool {
        let is_long = line.len() > LINE_BYTES;
        let line = line.get(..LINE_BYTES).unwrap_or(line);
        let bare = line.trim_ascii();
        let bare: &[u8] = trimmed(bare);
        if bare.is_empty() {
            return true;
        }
        let run = longest_run(line);
        let first = !self.data && leading_run(bare) >= FIRST_RUN;
        let short = self.long && leading_run(bare) == bare.len();
        if run >= DATA_RUN || first || short {
            *self = Self { data: true, last: end, strange: 0, long: run >= DATA_RUN };
            return true;
        }
        self.long = false;
        // `Proc-Type: 4,ENCRYPTED` and the like stand before the data.
        if !self.data && bare.contains(&b':') && bare.len() < LINE_BYTES {
            self.strange += 1;
            return self.strange < 2 * STRANGE_LINES;
        }
        self.strange += 1;
        self.strange < STRANGE_LINES && !is_long
    }
}

/// The rest of a block whose beginning was cut away: the lines of data before its END line.
fn backward(text: &[u8], free: usize, end: &Range<usize>) -> Option<Found<'static>> {
    let from = free.max(end.start.saturating_sub(TAIL_BYTES));
    let mut lines = Vec::new();
    let mut at = from;
    while at < end.start {
        let (line, next) = next_line(text, at, end.start);
        lines.push(line);
        at = next;
    }
    let mut start = None;
    let mut data = false;
    for line in lines.into_iter().rev() {
        let bytes = text.get(line.clone()).unwrap_or(&[]);
        let bare = trimmed(bytes.trim_ascii());
        let whole = !bare.is_empty() && leading_run(bare) == bare.len();
        if longest_run(bytes) < DATA_RUN && !whole {
            if bare.is_empty() && start.is_none() {
                continue;
            }
            break;
        }
        data |= longest_run(bytes) >= FIRST_RUN;
        // What stands before the data in its first line is not of it.
        let pure = bytes.iter().rev().take_while(|byte| is_data(**byte)).count();
        start = Some(if whole || pure == 0 { line.start } else { line.end - pure });
    }
    let start = start.filter(|_| data)?;
    Some(Found { start, end: end.end, id: ID, open: false })
}

/// A line and where the next one begins.
fn next_line(text: &[u8], at: usize, limit: usize) -> (Range<usize>, usize) {
    let rest = text.get(at..limit).unwrap_or(&[]);
    for (offset, byte) in rest.iter().enumerate() {
        let behind = rest.get(offset..).unwrap_or(&[]);
        let length = match byte {
            b'\n' | b'\r' => 1,
            b'\\' => match behind {
                [b'\\', b'n' | b'r', ..] => 2,
                [b'\\', b'\\', b'n' | b'r', ..] => 3,
                _ => 0,
            },
            b'%' if behind.starts_with(b"%0A") || behind.starts_with(b"%0D") => 3,
            _ => 0,
        };
        if length > 0 {
            return (at..at + offset, at + offset + length);
        }
    }
    (at..limit, limit)
}

fn is_data(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

fn longest_run(line: &[u8]) -> usize {
    line.split(|byte| !is_data(*byte)).map(<[u8]>::len).max().unwrap_or(0)
}

fn leading_run(line: &[u8]) -> usize {
    line.iter().take_while(|byte| is_data(**byte)).count()
}

/// Without quotes, signs of continuation and of comments around.
fn trimmed(mut line: &[u8]) -> &[u8] {
    let noise = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\,;>|#*-".contains(byte);
    while let [first, rest @ ..] = line
        && noise(first)
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && noise(last)
    {
        line = rest;
    }
    line
}
