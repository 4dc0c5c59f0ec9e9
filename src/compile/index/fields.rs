//! Rules by what a place in the arguments holds: strings, pieces of strings, addresses.

use std::collections::BTreeMap;
use std::net::IpAddr;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use ipnet::IpNet;
use serde_json::Value;

use super::Positions;
use super::keys::TextKey;
use super::table::{Building, Few, Hash, Table};
use crate::model::Call;
use crate::model::call::Place;
use crate::model::pattern::net::parse_address;
use crate::syntax::ast::Step;

const IS: Hash = Hash::kind(101);
const BEGINS: Hash = Hash::kind(102);

/// Bytes of all texts of one field up to which the search is a table of every state: about 256 bytes
/// for each byte of text, so 8 MB; above, a form that is smaller and slower.
const FAST_SEARCH_BYTES_MAX: usize = 32 << 10;

/// Bytes by which a beginning is looked up: the largest of these that it has.
const BEGINNINGS: [usize; 14] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96];

/// The keys at one place of the arguments.
#[derive(Debug)]
pub(super) struct Field {
    steps: Box<[Step]>,
    /// Whole texts and beginnings.
    table: Table,
    has_whole: bool,
    /// The lengths of the beginnings in the table.
    beginnings: Box<[usize]>,
    pieces: Option<Pieces>,
    nets: Option<Nets>,
    /// Every rule with a key of this field, for values that are no strings.
    all: Positions,
    /// Those with an address, for strings that are none.
    addressed: Positions,
}

/// Texts looked for anywhere in a string, in one pass.
#[derive(Debug)]
struct Pieces {
    search: AhoCorasick,
    /// The rules of each text.
    rules: Box<[Few]>,
}

impl Pieces {
    fn new(texts: BTreeMap<String, Positions>) -> Option<Self> {
        let bytes: usize = texts.keys().map(String::len).sum();
        let kind = if bytes <= FAST_SEARCH_BYTES_MAX { Some(AhoCorasickKind::DFA) } else { None };
        let search =
            AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(texts.keys()).ok()?;
        Some(Self { search, rules: texts.into_values().map(Few::new).collect() })
    }

    fn find(&self, text: &str, found: &mut Positions) {
        for hit in self.search.find_overlapping_iter(text) {
            if let Some(few) = self.rules.get(hit.pattern().as_usize()) {
                found.extend_from_slice(few.as_slice());
            }
        }
    }
}

impl Field {
    /// Adds the rules that the value of the field does not exclude.
    pub(super) fn find(&self, call: &Call, found: &mut Positions) {
        let text = match call.argument(&self.steps) {
            // A comparison on something absent is false.
            Place::Absent => return,
            Place::Value(Value::String(text)) => text,
            // A value of another type makes a comparison unknown, a list may hold an equal element.
            Place::Misfit | Place::Value(_) => return found.extend_from_slice(&self.all),
        };
        if self.has_whole {
            self.table.find(IS.with(text.as_bytes()), found);
        }
        for length in &self.beginnings {
            let Some(beginning) = text.as_bytes().get(..*length) else { break };
            self.table.find(BEGINS.with(beginning), found);
        }
        if let Some(pieces) = &self.pieces {
            pieces.find(text, found);
        }
        if let Some(nets) = &self.nets {
            match parse_address(text) {
                Some(address) => nets.find(address, found),
                None => found.extend_from_slice(&self.addressed),
            }
        }
    }
}

/// A field that is being built.
#[derive(Debug, Default)]
pub(super) struct BuildingField {
    table: Building,
    has_whole: bool,
    beginnings: std::collections::BTreeSet<usize>,
    pieces: BTreeMap<String, Positions>,
    nets: BuildingNets,
    all: Positions,
    addressed: Positions,
}

impl BuildingField {
    pub(super) fn add(&mut self, key: TextKey, at: u32) {
        self.all.push(at);
        match key {
            TextKey::Is(text) => {
                self.has_whole = true;
                self.table.add(IS.with(text.as_bytes()), at);
            }
            TextKey::Begins(text) => {
                let length = BEGINNINGS.iter().rev().find(|length| **length <= text.len());
                let Some(beginning) = length.and_then(|length| text.as_bytes().get(..*length)) else {
                    return;
                };
                self.beginnings.insert(beginning.len());
                self.table.add(BEGINS.with(beginning), at);
            }
            TextKey::Holds(text) => self.pieces.entry(text).or_default().push(at),
        }
    }

    pub(super) fn add_net(&mut self, net: IpNet, at: u32) {
        self.all.push(at);
        self.addressed.push(at);
        self.nets.add(net, at);
    }

    /// `None` where the texts cannot be searched for: then every rule has to be read.
    pub(super) fn finish(mut self, steps: Vec<Step>) -> Result<Field, Positions> {
        for positions in [&mut self.all, &mut self.addressed] {
            positions.dedup();
            positions.shrink_to_fit();
        }
        let pieces = match self.pieces.is_empty() {
            true => None,
            false => match Pieces::new(self.pieces) {
                Some(pieces) => Some(pieces),
                None => return Err(self.all),
            },
        };
        Ok(Field {
            steps: steps.into_boxed_slice(),
            table: self.table.finish(),
            has_whole: self.has_whole,
            beginnings: self.beginnings.into_iter().collect(),
            pieces,
            nets: self.nets.finish(),
            all: self.all,
            addressed: self.addressed,
        })
    }
}

/// Ranges of addresses, looked up by every length of prefix that occurs.
#[derive(Debug)]
pub(super) struct Nets {
    table: Table,
    v4: Box<[u8]>,
    v6: Box<[u8]>,
}

/// Ranges that are being collected.
#[derive(Debug, Default)]
pub(super) struct BuildingNets {
    table: Building,
    lengths: std::collections::BTreeSet<(bool, u8)>,
}

impl BuildingNets {
    pub(super) fn add(&mut self, net: IpNet, at: u32) {
        self.lengths.insert((net.network().is_ipv6(), net.prefix_len()));
        self.table.add(hash_of(&net), at);
    }

    /// `None` where there are none.
    pub(super) fn finish(self) -> Option<Nets> {
        if self.lengths.is_empty() {
            return None;
        }
        let of = |v6: bool| {
            let lengths = self.lengths.iter().filter(|(six, _)| *six == v6);
            lengths.map(|(_, length)| *length).collect::<Box<[u8]>>()
        };
        let (v4, v6) = (of(false), of(true));
        Some(Nets { table: self.table.finish(), v4, v6 })
    }
}

impl Nets {
    /// Adds the rules of every range that holds an address, which is folded already.
    pub(super) fn find(&self, address: IpAddr, found: &mut Positions) {
        let lengths = if address.is_ipv4() { &self.v4 } else { &self.v6 };
        for length in lengths {
            if let Ok(net) = IpNet::new(address, *length) {
                self.table.find(hash_of(&net), found);
            }
        }
    }
}

fn hash_of(net: &IpNet) -> Hash {
    match net.network() {
        IpAddr::V4(first) => Hash::kind(4).with(&first.octets()),
        IpAddr::V6(first) => Hash::kind(6).with(&first.octets()),
    }
    .with(&[net.prefix_len()])
}
