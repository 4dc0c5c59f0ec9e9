//! Finding credentials: all keywords of all formats at once, then each format near its keywords.

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex};

use super::encoded;
use super::keyblock;
use super::table::{Check, Detector, Table};
use super::value;

/// One find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'f> {
    /// First byte.
    pub(super) start: usize,
    /// Behind the last byte.
    pub(super) end: usize,
    /// Its format.
    pub(super) id: &'f str,
    /// It may go on behind the end of the text.
    pub(super) open: bool,
}

/// Finds credentials by their formats.
#[derive(Debug)]
pub(super) struct Finder {
    keywords: AhoCorasick,
    /// The detector that each keyword belongs to; one more than there are stands for key blocks.
    owners: Vec<usize>,
    detectors: Vec<Detector>,
}

/// A part of the text in which a detector looks.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: usize,
    end: usize,
}

/// Whether what is encoded in the text is looked at too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Decode,
    Plain,
}

impl Finder {
    /// `None` only if the table is broken, which a test rules out.
    pub(super) fn new(table: Table) -> Option<Self> {
        let blocks = table.detectors.len();
        let own = keyblock::KEYWORDS.iter().map(|word| ((*word).to_owned(), blocks));
        let (keywords, owners): (Vec<_>, Vec<_>) = table.keywords.into_iter().chain(own).unzip();
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(keywords).ok()?;
        Some(Self { keywords, owners, detectors: table.detectors })
    }

    /// The credentials in a text, in order, without overlap.
    pub(super) fn find(&self, text: &[u8], depth: Depth) -> Vec<Found<'_>> {
        let regions = self.regions(text);
        let mut found = Vec::new();
        for (at, places) in regions.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            match self.detectors.get(at) {
                Some(detector) => {
                    let Some(regex) = detector.regex() else { continue };
                    for region in places {
                        search(regex, detector, text, *region, &mut found);
                    }
                }
                None => found.extend(keyblock::blocks(text)),
            }
        }
        if depth == Depth::Decode {
            found.extend(encoded::finds(self, text));
        }
        merged(found)
    }

    /// Where each detector has to look, by its position.
    fn regions(&self, text: &[u8]) -> Vec<Vec<Region>> {
        // Most texts have no keyword, and need no place for what would be found near one.
        let mut regions: Vec<Vec<Region>> = Vec::new();
        for hit in self.keywords.find_overlapping_iter(text) {
            if regions.is_empty() {
                regions.resize(self.detectors.len() + 1, Vec::new());
            }
            let Some(owner) = self.owners.get(hit.pattern().as_usize()) else { continue };
            let (lead, reach) = self.detectors.get(*owner).map_or((0, 0), |d| (d.lead, d.reach));
            let start = hit.start().saturating_sub(lead);
            let end = hit.end().saturating_add(reach).min(text.len());
            let Some(places) = regions.get_mut(*owner) else { continue };
            match places.last_mut() {
                Some(last) if start <= last.end => {
                    last.start = last.start.min(start);
                    last.end = last.end.max(end);
                }
                _ => places.push(Region { start, end }),
            }
        }
        regions
    }
}

fn search<'f>(
    regex: &Regex,
    detector: &'f Detector,
    text: &[u8],
    region: Region,
    found: &mut Vec<Found<'f>>,
) {
    let hay = text.get(..region.end).unwrap_or(text);
    let mut at = region.start;
    while at <= hay.len() {
        let Some(captures) = regex.captures_at(hay, at) else { return };
        let Some((start, end)) = credential(detector, &captures, hay) else {
            // The end of a name is no name, the end of a value no value; a value may hold a name.
            let passed = if detector.has_name() { captures.get(1) } else { captures.get(0) };
            at = passed.map_or(hay.len(), |group| group.end()).max(at + 1);
            continue;
        };
        let end = whole_run(text, end, hay.len());
        found.push(Found { start, end, id: &detector.id, open: end == text.len() });
        at = end.max(at + 1);
    }
}

/// The place of the credential in a match, if what is checked beside its form holds.
fn credential(detector: &Detector, captures: &Captures<'_>, hay: &[u8]) -> Option<(usize, usize)> {
    let first = if detector.has_name() { 2 } else { 1 };
    let group = (first..captures.len()).find_map(|group| captures.get(group)).or_else(|| captures.get(0))?;
    let value = hay.get(group.start()..group.end()).filter(|value| !value.is_empty())?;
    if value::bits_per_byte(value) < detector.bits {
        return None;
    }
    let name = if detector.has_name() { captures.get(1) } else { None };
    let name = name.map_or(&b""[..], |name| name.as_bytes());
    // What is called or indexed is code.
    let called = matches!(hay.get(group.end()), Some(b'(' | b'['));
    let holds = detector.check == Check::Always || (!called && value::holds(detector.check, name, value));
    holds.then_some((group.start(), group.end()))
}

/// The whole run of characters that could belong to a credential goes with it; where the place in which
/// it was looked for ends, anything up to a space or a quote could.
fn whole_run(text: &[u8], end: usize, looked: usize) -> usize {
    let rest = text.get(end..).unwrap_or(&[]);
    let cut_off = end == looked;
    let belongs = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || *byte == b'_'
            || (cut_off && !byte.is_ascii_whitespace() && !b"\"'`\\<>".contains(byte))
    };
    end + rest.iter().position(|byte| !belongs(byte)).unwrap_or(rest.len())
}

/// In order, what overlaps or touches as one, under the name of the first.
fn merged(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
    found.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.open |= next.open && next.end >= kept.end;
            kept.end = kept.end.max(next.end);
        }
        touches
    });
    found
}
