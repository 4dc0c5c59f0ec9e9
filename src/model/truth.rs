//! Kleene's three values.

/// True, false, or not to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It cannot be known whether it holds.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    /// `false and unknown` is false.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// `true or unknown` is true.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}
