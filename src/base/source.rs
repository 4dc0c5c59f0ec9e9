//! Texts handed in by callers, and the way from byte offsets to lines and columns.

use super::Span;

/// Which text of a [`Sources`] a span points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One named text with its line index.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name shown to people: a path as the user gave it, or `std:NAME`.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Indexes the lines of `text`.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        let mut line_starts = vec![0];
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                line_starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            }
        }
        Self { name, text, line_starts }
    }

    /// The line and column of a byte offset; an offset past the end is the end.
    #[must_use]
    pub fn place(&self, offset: u32) -> Place {
        let mut offset = offset.min(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        while offset > 0 && !self.text.is_char_boundary(offset as usize) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        Place {
            line: u32::try_from(line + 1).unwrap_or(u32::MAX),
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
        }
    }

    /// The places where a span begins and ends.
    #[must_use]
    pub fn places(&self, span: Span) -> (Place, Place) {
        (self.place(span.start), self.place(span.end))
    }
}

/// The texts of one load, in the order in which they were read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a text and gives its id.
    pub fn add(&mut self, source: Source) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(source);
        id
    }

    /// The text of an id; ids of another `Sources` may give none.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// All texts with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(at, s)| (FileId(u32::try_from(at).unwrap_or(u32::MAX)), s))
    }
}
