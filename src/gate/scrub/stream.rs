//! Scrubbing what comes in pieces: the same credentials go as in the whole text, however it was cut.
//!
//! Bytes are held back until the next ones cannot make a credential of them. What is done when depends
//! on how much has come, never on how it was cut into pieces. A find that is longer than may be held is
//! replaced at once, and what still comes of it is dropped.

use regex::bytes::Regex;

use super::Rewriting;
use super::find::{Depth, Finder, Found};
use crate::base::limits::SCRUB_WINDOW_BYTES;

/// How much is held and looked at at once.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Bytes that come before the text is looked at again.
    block: usize,
    /// Bytes at the end that are held back: a credential is known as one in fewer.
    window: usize,
    /// Bytes already given out that are kept: a name stands before its value.
    context: usize,
    /// Bytes that are held for one find.
    hold: usize,
}

const SIZES: Sizes = Sizes { block: 16 << 10, window: SCRUB_WINDOW_BYTES, context: 4 << 10, hold: 64 << 10 };

/// Stands for the beginning of a key block of which only the end is still held.
const BEGUN: &[u8] = b"-----BEGIN PRIVATE KEY-----\n0000000000000000\n";

/// A text in pieces, on its way through the scrubber.
#[derive(Debug)]
pub struct Stream<'s> {
    finder: &'s Finder,
    secrets_with: Option<String>,
    matches: Vec<(Regex, String)>,
    sizes: Sizes,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were given out: they only give the others their context.
    done: usize,
    /// Bytes until the buffer is looked at.
    due: usize,
    /// Whether what stands where the given out bytes end belongs to something that was replaced.
    inside: bool,
    /// Whether everything up to the next space or quote is dropped.
    dropping: bool,
}

struct Piece {
    start: usize,
    end: usize,
    open: bool,
    is_block: bool,
    with: String,
}

impl<'s> Stream<'s> {
    pub(super) fn new(finder: &'s Finder, rules: &Rewriting) -> Self {
        Self::with_sizes(finder, rules, SIZES)
    }

    fn with_sizes(finder: &'s Finder, rules: &Rewriting, sizes: Sizes) -> Self {
        // What compiled for characters compiles for bytes.
        let on_bytes =
            |(regex, with): &(regex::Regex, String)| Some((Regex::new(regex.as_str()).ok()?, with.clone()));
        Self {
            finder,
            secrets_with: rules.secrets_with.clone(),
            matches: rules.matches.iter().filter_map(on_bytes).collect(),
            sizes,
            buffer: Vec::new(),
            done: 0,
            due: sizes.block,
            inside: false,
            dropping: false,
        }
    }

    /// Takes the next piece; gives what can be given out.
    #[must_use]
    pub fn push(&mut self, mut piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while !piece.is_empty() {
            let (now, later) = piece.split_at(self.due.min(piece.len()));
            self.buffer.extend_from_slice(now);
            self.due -= now.len();
            piece = later;
            if self.due == 0 {
                self.due = self.sizes.block;
                self.step(false, &mut out);
            }
        }
        out
    }

    /// Gives the rest.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.step(true, &mut out);
        out
    }

    fn step(&mut self, last: bool, out: &mut Vec<u8>) {
        if self.dropping && !self.drop_rest() {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let pieces = self.pieces(&buffer);
        let limit = if last { buffer.len() } else { buffer.len().saturating_sub(self.sizes.window) };
        let cut = if last { limit } else { self.cut(&buffer, &pieces, limit) };
        let stuck = !last && cut == self.done && buffer.len() - self.done > self.sizes.hold;
        let blocking = pieces.iter().find(|piece| piece.end > self.done || piece.open).filter(|_| stuck);
        let Some(blocking) = blocking else {
            self.give(&buffer, &pieces, cut, out);
            self.keep(&buffer, &pieces, cut);
            return;
        };
        if blocking.start >= self.done {
            out.extend_from_slice(buffer.get(self.done..blocking.start).unwrap_or(&[]));
        }
        if !self.inside {
            out.extend_from_slice(blocking.with.as_bytes());
        }
        if blocking.is_block {
            // From its last line of data on: the lines behind are not decided.
            let end = blocking.end.clamp(self.done, buffer.len());
            let held = buffer.get(..end).unwrap_or(&buffer);
            let line = held.iter().rposition(|byte| *byte == b'\n').map_or(end, |at| at + 1).max(self.done);
            self.buffer = [BEGUN, buffer.get(line..).unwrap_or(&[])].concat();
            self.done = BEGUN.len();
            self.inside = true;
        } else {
            self.done = 0;
            self.inside = false;
            self.dropping = true;
            self.buffer = buffer.get(blocking.end.min(buffer.len())..).unwrap_or(&[]).to_vec();
        }
    }

    /// Drops what still belongs to a find that was replaced. False while there is nothing else.
    fn drop_rest(&mut self) -> bool {
        let parts = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\<>".contains(byte);
        match self.buffer.iter().position(parts) {
            Some(at) => {
                self.buffer.drain(..at);
                self.dropping = false;
                true
            }
            None => {
                self.buffer.clear();
                false
            }
        }
    }

    /// Everything to replace, in order, without overlap.
    fn pieces(&self, buffer: &[u8]) -> Vec<Piece> {
        let of_secret = |found: Found<'s>| Piece {
            start: found.start,
            end: found.end,
            open: found.open,
            is_block: super::keyblock::is_block(found.id),
            with: match &self.secrets_with {
                Some(text) => text.clone(),
                None => format!("[REDACTED:{}]", found.id),
            },
        };
        let mut pieces: Vec<Piece> =
            self.finder.find(buffer, Depth::Decode).into_iter().map(of_secret).collect();
        for (regex, with) in &self.matches {
            let finds = regex.find_iter(buffer).filter(|find| !find.is_empty());
            pieces.extend(finds.map(|find| Piece {
                start: find.start(),
                end: find.end(),
                open: find.end() == buffer.len(),
                is_block: false,
                with: with.clone(),
            }));
        }
        pieces.sort_by_key(|piece| piece.start);
        pieces.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.open |= next.open;
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
        pieces
    }

    /// How far the buffer can be given out: not into a find, nor into what could still become one; where
    /// there is one, to the end of a line.
    fn cut(&self, buffer: &[u8], pieces: &[Piece], limit: usize) -> usize {
        let outside = |at: usize| {
            let around = pieces.iter().filter(|p| p.start < at && (p.open || at < p.end));
            around.map(|piece| piece.start).min().unwrap_or(at)
        };
        let cut = outside(limit).max(self.done);
        let ready = buffer.get(self.done..cut).unwrap_or(&[]);
        let line = ready.iter().rposition(|byte| *byte == b'\n').map(|at| self.done + at + 1);
        match line.map(outside) {
            Some(at) if at > self.done => at,
            _ => cut,
        }
    }

    fn give(&self, buffer: &[u8], pieces: &[Piece], cut: usize, out: &mut Vec<u8>) {
        let mut at = self.done;
        for piece in pieces.iter().filter(|p| p.start < p.end && p.end > self.done && p.start < cut) {
            if piece.start >= at {
                out.extend_from_slice(buffer.get(at..piece.start).unwrap_or(&[]));
            }
            let hidden = self.inside && piece.start < self.done;
            if !hidden {
                out.extend_from_slice(piece.with.as_bytes());
            }
            at = piece.end;
        }
        if at < cut {
            out.extend_from_slice(buffer.get(at..cut).unwrap_or(&[]));
        }
    }

    /// Keeps what was not given out, and some of what was.
    fn keep(&mut self, buffer: &[u8], pieces: &[Piece], cut: usize) {
        if cut == self.done {
            // Nothing was given out: all of it is still needed as it is.
            self.buffer = buffer.to_vec();
            return;
        }
        let earliest = cut.saturating_sub(self.sizes.context);
        let whole = pieces.iter().find(|p| p.start < earliest && earliest < p.end);
        let from = whole.map_or(earliest, |piece| piece.end.min(cut));
        self.buffer = buffer.get(from..).unwrap_or(&[]).to_vec();
        self.done = cut - from;
        self.inside = false;
    }
}

#[cfg(test)]
mod tests;
