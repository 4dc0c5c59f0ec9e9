//! The packs that ship with the program: `import "std:NAME"`.

const PACKS: [(&str, &str); 4] = [
    ("network", include_str!("../../policies/std/network.toll")),
    ("secrets", include_str!("../../policies/std/secrets.toll")),
    ("self", include_str!("../../policies/std/self.toll")),
    ("shell", include_str!("../../policies/std/shell.toll")),
];

/// The text of a pack.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    PACKS.iter().find(|(pack, _)| *pack == name).map(|(_, text)| *text)
}

/// The names of all packs, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    PACKS.iter().map(|(name, _)| *name)
}
