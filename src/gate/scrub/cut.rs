//! Cutting results to size: of a text head and tail stay, where errors stand; of a structure the first
//! parts, so that it is still one.

use serde_json::{Map, Value};

/// Parts of a cut text that its head gets; the tail gets the rest.
const HEAD_SHARE: (usize, usize) = (2, 3);
/// Bytes below which head and tail of a text tell nothing: then parts are left out instead.
const PREVIEW_BYTES_MIN: usize = 128;
/// Bytes of keys, numbers and signs that come on top of the texts of a result that fits.
const FRAME_BYTES: usize = 1 << 10;

/// Cuts a value so that its texts, with a note for each cut, have at most `max` bytes, and all of it at
/// most [`FRAME_BYTES`] more. Says whether anything was cut.
pub(super) fn cut(mut value: Value, max: usize) -> (Value, bool) {
    let mut lengths = Vec::new();
    measure(&value, &mut lengths);
    let total: usize = lengths.iter().sum();
    let mut was_cut = false;
    if total > max {
        let level = level(lengths, max);
        if level >= PREVIEW_BYTES_MIN {
            shorten(&mut value, level);
            was_cut = true;
        }
    }
    if weight(&value) > max.saturating_add(FRAME_BYTES) || (total > max && !was_cut) {
        value = prune(value, &mut max.clone()).unwrap_or_default();
        was_cut = true;
    }
    if was_cut && let Value::Object(members) = &mut value {
        members.insert("truncated".to_owned(), Value::Bool(true));
    }
    (value, was_cut)
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

/// Head and tail of a text with a note between, together at most `max` bytes.
fn preview(text: &str, max: usize) -> String {
    let note = |omitted: usize| format!("\n… {omitted} bytes left out …\n");
    // The number in the note is at most that of all bytes, so it is at most as long.
    let keep = max.saturating_sub(note(text.len()).len());
    let head = text.floor_char_boundary(keep / HEAD_SHARE.1 * HEAD_SHARE.0);
    let tail = text.ceil_char_boundary(text.len() - (keep - head).min(text.len())).max(head);
    let (start, end) = (text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or(""));
    format!("{start}{}{end}", note(tail - head))
}

/// Bytes of a value as JSON writes it, without what escapes add.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| weight(item) + 1).sum::<usize>(),
        Value::Object(members) => {
            2 + members.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>()
        }
    }
}

/// The first parts of a value that fit; nothing where not even its frame does.
fn prune(value: Value, left: &mut usize) -> Option<Value> {
    match value {
        Value::String(text) => {
            *left = left.checked_sub(2)?;
            let end = text.floor_char_boundary(*left);
            *left -= end;
            Some(Value::String(text.get(..end).unwrap_or("").to_owned()))
        }
        Value::Array(items) => {
            *left = left.checked_sub(2)?;
            let mut kept = Vec::new();
            for item in items {
                let Some(rest) = left.checked_sub(1).filter(|rest| *rest > 0) else { break };
                *left = rest;
                let Some(item) = prune(item, left) else { break };
                kept.push(item);
            }
            Some(Value::Array(kept))
        }
        Value::Object(members) => {
            *left = left.checked_sub(2)?;
            let mut kept = Map::new();
            for (key, value) in members {
                let Some(rest) = left.checked_sub(key.len() + 4).filter(|rest| *rest > 0) else { break };
                *left = rest;
                let Some(value) = prune(value, left) else { break };
                kept.insert(key, value);
            }
            Some(Value::Object(kept))
        }
        small => {
            *left = left.checked_sub(weight(&small))?;
            Some(small)
        }
    }
}
