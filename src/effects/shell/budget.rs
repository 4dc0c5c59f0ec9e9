//! What one line may cost: steps, nodes, levels.

use super::ast::{Parsed, Unparsed};
use crate::base::limits::{COMMAND_NESTING_LEVELS_MAX, COMMAND_NODES_MAX};

/// Steps of the parser for each byte of the line; beyond it the line is opaque. A step is one byte
/// looked at, so this bounds the time by construction.
pub const STEPS_PER_BYTE_MAX: u64 = 64;
/// Bytes that expansions of variables and braces may add; beyond it a value is unknown.
const EXPANDED_BYTES_MAX: usize = 256 << 10;

/// Counters of one line, embedded lines included.
#[derive(Debug)]
pub struct Budget {
    steps: u64,
    steps_max: u64,
    nodes: usize,
    expanded: usize,
    /// Levels of nesting at this point.
    pub depth: usize,
}

impl Budget {
    /// A budget for a line of so many bytes.
    pub fn new(bytes: usize) -> Self {
        let steps_max = STEPS_PER_BYTE_MAX.saturating_mul(bytes as u64);
        Self { steps: 0, steps_max: steps_max.max(64), nodes: 0, expanded: 0, depth: 0 }
    }

    /// The steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts steps.
    pub fn step(&mut self, count: usize) -> Parsed<()> {
        self.steps = self.steps.saturating_add(count as u64);
        if self.steps > self.steps_max {
            self.steps = self.steps_max;
            return Err(Unparsed::new("the line takes too long to read"));
        }
        Ok(())
    }

    /// Counts a node.
    pub fn node(&mut self) -> Parsed<()> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > COMMAND_NODES_MAX {
            return Err(Unparsed::new(format!("the line has more than {COMMAND_NODES_MAX} parts")));
        }
        Ok(())
    }

    /// Enters a level.
    pub fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > COMMAND_NESTING_LEVELS_MAX {
            return Err(Unparsed::new(format!("the line nests deeper than {COMMAND_NESTING_LEVELS_MAX}")));
        }
        Ok(())
    }

    /// Leaves a level.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether so many more bytes of expanded text may be made.
    pub fn expand(&mut self, bytes: usize) -> bool {
        self.expanded = self.expanded.saturating_add(bytes);
        self.expanded <= EXPANDED_BYTES_MAX
    }
}
