//! Positions by hashed key.
//!
//! Only hashes are kept, no keys: two keys with one hash give more candidates, never fewer. The hash has
//! no secret, since nobody who writes a call can add to a table, and a call's own texts meet at most the
//! rules that hash as they do.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Positions;

/// Hash of a key, of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash(u64);

impl Hash {
    /// Where the keys of a kind begin.
    pub(super) const fn kind(number: u64) -> Self {
        Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// The hash of what came before with one more part.
    pub(super) fn with(self, part: &[u8]) -> Self {
        let mut words = part.chunks_exact(8);
        let mut hash = self.0 ^ (part.len() as u64);
        for word in words.by_ref() {
            hash = mix(hash, word.try_into().map_or(0, u64::from_le_bytes));
        }
        let mut last = [0; 8];
        let rest = words.remainder();
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        Self(mix(hash, u64::from_le_bytes(last)))
    }
}

/// Multiplication folded to 64 bits: every bit of both reaches every bit.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0xa076_1d64_78bd_642f) * u128::from(b ^ 0xe703_7ed1_a0b4_28db);
    let bytes = product.to_le_bytes();
    let (low, high) = bytes.split_at(8);
    let half = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    half(low) ^ half(high)
}

/// Hashes are their own.
#[derive(Debug, Default)]
pub(super) struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = Hash(self.0).with(bytes).0;
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The rules of one key: nearly always one.
#[derive(Debug)]
pub(super) enum Few {
    One(u32),
    Many(Box<[u32]>),
}

impl Few {
    pub(super) fn new(mut positions: Positions) -> Self {
        positions.dedup();
        match positions.as_slice() {
            [one] => Self::One(*one),
            _ => Self::Many(positions.into_boxed_slice()),
        }
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// A table that is being built; positions are added in their order.
#[derive(Debug, Default)]
pub(super) struct Building(HashMap<u64, Positions, BuildHasherDefault<Plain>>);

impl Building {
    pub(super) fn add(&mut self, key: Hash, at: u32) {
        self.0.entry(key.0).or_default().push(at);
    }

    pub(super) fn finish(self) -> Table {
        let mut table = HashMap::with_capacity_and_hasher(self.0.len(), BuildHasherDefault::default());
        table.extend(self.0.into_iter().map(|(key, positions)| (key, Few::new(positions))));
        Table(table)
    }
}

/// Positions by key.
#[derive(Debug, Default)]
pub(super) struct Table(HashMap<u64, Few, BuildHasherDefault<Plain>>);

impl Table {
    /// Adds the positions of a key, where it has any.
    pub(super) fn find(&self, key: Hash, found: &mut Positions) {
        if let Some(few) = self.0.get(&key.0) {
            found.extend_from_slice(few.as_slice());
        }
    }
}
