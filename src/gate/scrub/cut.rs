//! Cutting results to size: head and tail stay, where errors stand.

use serde_json::Value;

/// Parts of a cut text that its head gets; the tail gets the rest.
const HEAD_SHARE: (usize, usize) = (2, 3);

/// Cuts the longest texts to one length, so that all texts together have at most `max` bytes (and a
/// short note for each cut).
pub(super) fn cut(mut value: Value, max: usize) -> (Value, bool) {
    let mut lengths = Vec::new();
    measure(&value, &mut lengths);
    let total: usize = lengths.iter().sum();
    if total <= max {
        return (value, false);
    }
    shorten(&mut value, level(lengths, max));
    if let Value::Object(members) = &mut value {
        members.insert("truncated".to_owned(), Value::Bool(true));
    }
    (value, true)
}

/// The largest length to which every longer text can be cut so that the sum fits.
fn level(mut lengths: Vec<usize>, max: usize) -> usize {
    lengths.sort_unstable();
    let mut left = max;
    let mut texts = lengths.len();
    for length in lengths {
        let share = left / texts.max(1);
        if length > share {
            return share;
        }
        left -= length;
        texts -= 1;
    }
    max
}

fn measure(value: &Value, lengths: &mut Vec<usize>) {
    match value {
        Value::String(text) => lengths.push(text.len()),
        Value::Array(items) => items.iter().for_each(|item| measure(item, lengths)),
        Value::Object(members) => members.iter().for_each(|(_, value)| measure(value, lengths)),
        _ => {}
    }
}

fn shorten(value: &mut Value, max: usize) {
    match value {
        Value::String(text) if text.len() > max => *text = preview(text, max),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, max)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| shorten(value, max)),
        _ => {}
    }
}

/// Head and tail of a text with a note between.
fn preview(text: &str, max: usize) -> String {
    let head = text.floor_char_boundary(max / HEAD_SHARE.1 * HEAD_SHARE.0);
    let tail = text.ceil_char_boundary(text.len() - (max - head).min(text.len()));
    let tail = tail.max(head);
    let omitted = tail - head;
    let (start, end) = (text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or(""));
    format!("{start}\n… {omitted} bytes left out …\n{end}")
}
