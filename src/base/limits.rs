//! Every bound of the program, with its unit and its reason.

/// Bytes of one policy file. A policy of 10,000 rules is about 3 MB.
pub const POLICY_FILE_BYTES_MAX: usize = 4 << 20;
/// Files of one policy set, imports included. More than any team keeps, small enough to list.
pub const POLICY_FILES_MAX: usize = 1_000;
/// Bytes of a configuration, world, schema or test file: people write these by hand.
pub const CONFIG_FILE_BYTES_MAX: usize = 4 << 20;
/// Bytes of one call line. A larger argument belongs in a file.
pub const CALL_LINE_BYTES_MAX: usize = 1 << 20;
/// Levels of nesting in conditions, JSON and YAML: deeper is a mistake or an attack on the stack.
pub const NESTING_LEVELS_MAX: usize = 64;
/// Effects of one call. Beyond it the verdict is `block` with the pseudo-rule `limit`.
pub const EFFECTS_PER_CALL_MAX: usize = 256;
/// Bytes of one command line that is parsed. Longer is opaque.
pub const COMMAND_BYTES_MAX: usize = 64 << 10;
/// Levels of nested shell constructs. Deeper is opaque.
pub const COMMAND_NESTING_LEVELS_MAX: usize = 32;
/// Nodes of one parsed command line. More is opaque.
pub const COMMAND_NODES_MAX: usize = 10_000;
/// Symbolic links followed for one path, as Linux does (path_resolution(7)).
pub const LINKS_PER_PATH_MAX: usize = 40;
/// Bytes of one path, as Linux's PATH_MAX. Longer is unresolved.
pub const PATH_BYTES_MAX: usize = 4_096;
/// Entries visited by one tree walk or glob. Beyond it the answer is unknown.
pub const TREE_ENTRIES_MAX: usize = 10_000;
/// Addresses taken from one name. Real names have a few; more is unresolved.
pub const ADDRESSES_PER_NAME_MAX: usize = 32;
/// Patterns that the `{a,b}` groups of one glob may stand for: more is a list, and lists are sets.
pub const PATTERN_ALTERNATIVES_MAX: usize = 256;
/// Bytes of one compiled regular expression (crate `regex`'s own unit): bounds memory at load.
pub const REGEX_BYTES_MAX: usize = 1 << 20;
/// Characters of a field that is filled into a `because` text.
pub const FILLED_FIELD_CHARS_MAX: usize = 80;
/// Diagnostics printed for one load; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 200;
/// Comparisons of one condition, those behind names included: bounds what names that stand for
/// names can grow to.
pub const CONDITION_COMPARISONS_MAX: usize = 4_096;
