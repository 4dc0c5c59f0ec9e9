//! Capabilities and actions: what a call may do.

/// What an effect does (`language.md`, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    /// Reads a path or a target.
    Read,
    /// Changes a path or a target.
    Write,
    /// Runs a program.
    Exec,
    /// Reaches a host or a target.
    Network,
    /// The call has no effect.
    Nothing,
}

impl Capability {
    /// All capabilities, in the order in which they are written.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Exec, Self::Network, Self::Nothing];

    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
            Self::Network => "network",
            Self::Nothing => "nothing",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Self::Read => 1,
            Self::Write => 2,
            Self::Exec => 4,
            Self::Network => 8,
            Self::Nothing => 16,
        }
    }
}

/// A set of capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CapabilitySet(u8);

impl CapabilitySet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// `any`: every capability, `nothing` included.
    pub const ANY: Self = Self(31);

    /// Adds one.
    #[must_use]
    pub fn with(self, capability: Capability) -> Self {
        Self(self.0 | capability.bit())
    }

    /// Whether it is in the set.
    #[must_use]
    pub fn contains(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// Whether every member of `self` is in `other`.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Members of both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Members of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members in the order of [`Capability::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |c| self.contains(*c))
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(members: I) -> Self {
        members.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// What happens to the path of a read or a write (`language.md`, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Its content is read.
    Read,
    /// Its entries are listed.
    List,
    /// It comes into being.
    Create,
    /// It exists and is changed.
    Change,
    /// It goes away.
    Delete,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 5] = [Self::Read, Self::List, Self::Create, Self::Change, Self::Delete];

    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Create => "create",
            Self::Change => "change",
            Self::Delete => "delete",
        }
    }
}
