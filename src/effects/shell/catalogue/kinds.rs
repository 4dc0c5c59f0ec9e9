//! What a word of a command is.

/// What a program does with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Data: nothing.
    Text,
    /// Reads the file.
    Read,
    /// Creates or changes the file.
    Write,
    /// Reads and changes the file.
    Edit,
    /// Creates it.
    Create,
    /// Deletes it.
    Delete,
    /// Deletes all below it.
    DeleteTree,
    /// Lists the directory.
    List,
    /// Lists all below it.
    ListTree,
    /// Lists the directory, and the program works from there.
    Chdir,
    /// Reads and deletes it (the source of a move).
    Move,
    /// A file, where no `=` stands in it.
    Cookie,
    /// A file, or several in curl's own braces.
    Upload,
    /// Reads all below it.
    Tree,
    /// Changes all below it.
    WriteTree,
    /// Writes the file, or into the directory under the names of the other operands.
    Into,
    /// Connects to the URL.
    Url,
    /// Connects to the host.
    Host,
    /// `host:path`, or a path that is read.
    RemoteRead,
    /// `host:path`, or a path that is written.
    RemoteWrite,
    /// A URL, `host:path`, or a directory that is read (what `git clone` takes).
    Repository,
    /// A URL, or a file or directory that is read (a manifest, a chart).
    Source,
    /// Reads the file, where it is not `host:path` (what is copied into a container).
    CopyRead,
    /// Writes the file, where it is not `host:path` (what is copied out of a container).
    CopyWrite,
    /// `name=file`, or a file, several with commas between: reads them.
    Assigned,
    /// A format of output, or `NAME-file=FILE`: reads the file.
    FormatFile,
    /// Text, or `@` and a file that is read.
    AtFile,
    /// `name=@file`: reads the file.
    Form,
    /// A program file: read, and what it does is not known.
    Script,
    /// `if=` is read, `of=` is written.
    Keyed,
    /// Code: what it does is not known.
    Code,
    /// The working directory for the rest.
    Dir,
    /// A revision, or a path that is read where there is one.
    Pathspec,
    /// A revision, or a path that is changed where there is one.
    PathspecWrite,
    /// Two words of data.
    Pair,
    /// A word of data and a file that is read.
    PairRead,
}

impl Kind {
    /// Reads the word that the files use.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "text" => Self::Text,
            "read" => Self::Read,
            "write" => Self::Write,
            "edit" => Self::Edit,
            "create" => Self::Create,
            "delete" => Self::Delete,
            "list" => Self::List,
            "list-tree" => Self::ListTree,
            "chdir" => Self::Chdir,
            "delete-tree" => Self::DeleteTree,
            "move" => Self::Move,
            "cookie" => Self::Cookie,
            "upload" => Self::Upload,
            "tree" => Self::Tree,
            "write-tree" => Self::WriteTree,
            "into" => Self::Into,
            "url" => Self::Url,
            "host" => Self::Host,
            "remote-read" => Self::RemoteRead,
            "remote-write" => Self::RemoteWrite,
            "repository" => Self::Repository,
            "source" => Self::Source,
            "copy-read" => Self::CopyRead,
            "copy-write" => Self::CopyWrite,
            "assigned" => Self::Assigned,
            "format-file" => Self::FormatFile,
            "at-file" => Self::AtFile,
            "form" => Self::Form,
            "script" => Self::Script,
            "keyed" => Self::Keyed,
            "code" => Self::Code,
            "dir" => Self::Dir,
            "pathspec" => Self::Pathspec,
            "pathspec-write" => Self::PathspecWrite,
            "pair" => Self::Pair,
            "pair-read" => Self::PairRead,
            _ => return None,
        })
    }

    /// Whether a word of this kind has an effect.
    pub fn matters(self) -> bool {
        self != Self::Text
    }
}

/// The operands of a program in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operands {
    /// The first ones.
    pub first: Vec<Kind>,
    /// All that follow.
    pub rest: Option<Kind>,
    /// The last one, where there are at least two.
    pub last: Option<Kind>,
}

impl Operands {
    /// Reads `text read...` or `read... into`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut operands = Self::default();
        for word in text.split_whitespace() {
            let kind = |name: &str| Kind::parse(name).ok_or_else(|| format!("`{name}` is no kind"));
            match word.strip_suffix("...") {
                Some(name) => operands.rest = Some(kind(name)?),
                None if operands.rest.is_some() => operands.last = Some(kind(word)?),
                None => operands.first.push(kind(word)?),
            }
        }
        Ok(operands)
    }

    /// The kind of an operand; `None` where the table does not speak of it.
    pub fn kind(&self, at: usize, count: usize) -> Option<Kind> {
        if let Some(last) = self.last
            && at + 1 == count
            && count > self.first.len().max(1)
        {
            return Some(last);
        }
        self.first.get(at).copied().or(self.rest)
    }
}
