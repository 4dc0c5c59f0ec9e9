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
/// Bytes of strings in one result that reach the caller where nothing says less: what a model reads
/// at once without drowning in it.
pub const OUTPUT_BYTES_DEFAULT: u64 = 64 << 10;
/// Bytes of output that a result may hold at all, whatever an option says: bounds memory.
pub const OUTPUT_BYTES_MAX: u64 = 4 << 20;
/// Bytes read behind a cut, so that a credential on the cut is seen whole. The longest published
/// token formats (JSON web tokens) stay below.
pub const SCRUB_WINDOW_BYTES: usize = 8 << 10;
/// Bytes of one file that a file tool reads or writes as a whole.
pub const TOOL_FILE_BYTES_MAX: u64 = 4 << 20;
/// Bytes of a file that `read_text` returns whole: 20 KB.
pub const READ_TEXT_WHOLE_BYTES_MAX: u64 = 20_480;
/// Bytes that `read_text` returns of a larger file.
pub const READ_TEXT_HEAD_BYTES: usize = 2_048;
/// Entries of one directory that `list_dir` returns.
pub const LIST_ENTRIES_MAX: usize = 1_000;
/// Milliseconds of one call where neither policy nor caller says less: two minutes, as a person waits.
pub const CALL_TIME_MS_DEFAULT: u64 = 120_000;
/// Milliseconds of one call of a file tool: a disk answers in far less.
pub const FILE_TOOL_TIME_MS: u64 = 30_000;
/// Milliseconds between the polite signal and the hard one.
pub const KILL_GRACE_MS: u64 = 500;
/// Milliseconds that a cancelled tool has to come back, its processes' end included.
pub const CANCEL_GRACE_MS: u64 = 3_000;
/// Milliseconds for the rest of the output once a program has ended: a pipe may be held open by
/// something that it left behind.
pub const DRAIN_MS: u64 = 250;
/// Rounds of one sweep over the process table; a program that forks faster than this is not known
/// to be gone.
pub const SWEEP_ROUNDS_MAX: usize = 40;
/// Rounds of judging for one call whose facts keep changing.
pub const DECIDE_ROUNDS_MAX: usize = 3;
/// Calls of one tool at a time where its definition says no less.
pub const CONCURRENT_CALLS_MAX: usize = 64;
/// Call ids that are remembered to refuse a second use. Older ones are forgotten.
pub const CALL_IDS_REMEMBERED: usize = 100_000;
/// Bytes of a call's id: it stands in every record of the call.
pub const CALL_ID_BYTES_MAX: usize = 256;
/// Bytes of strings that one audit record keeps of arguments; the digest covers all of them.
pub const AUDIT_ARGS_BYTES_MAX: u64 = 16 << 10;
/// Bytes of one audit line that `audit verify` reads.
pub const AUDIT_LINE_BYTES_MAX: usize = 4 << 20;
/// Elements that named sets bring into other sets, over one layer: bounds what sets of sets of sets can
/// grow to. The largest packs bring a few hundred.
pub const NAMED_ELEMENTS_MAX: usize = 100_000;
/// Comparisons of one condition, those behind names included: bounds what names that stand for
/// names can grow to.
pub const CONDITION_COMPARISONS_MAX: usize = 4_096;
/// Checks of one test file, cells of matrices included: a matrix multiplies, and a person has to be able
/// to look at the snapshot.
pub const TEST_CHECKS_MAX: usize = 10_000;
/// Characters of a check's name: it is one line of a report.
pub const TEST_NAME_CHARS_MAX: usize = 200;
/// Milliseconds of one answer of a hook where its declaration says nothing.
pub const HOOK_TIME_MS_DEFAULT: u64 = 10_000;
/// Milliseconds that a hook may be given: an hour, for one that asks a person elsewhere.
pub const HOOK_TIME_MS_MAX: u64 = 3_600_000;
/// Bytes that a hook's program may write: as much as the largest call line.
pub const HOOK_OUTPUT_BYTES_MAX: usize = 1 << 20;
/// Characters kept of the reason that a hook gives: it stands in an envelope that a model reads.
pub const HOOK_REASON_CHARS_MAX: usize = 1_000;
/// Bytes of all files that a hook's command names together: they are hashed before every start.
pub const HOOK_PROGRAM_BYTES_MAX: u64 = 256 << 20;
/// Rounds in which hooks may change the arguments of one call.
pub const HOOK_ROUNDS_MAX: usize = 3;
/// Bytes of a snapshot file: the most checks of a test file, with a full verdict of a kilobyte each.
pub const SNAPSHOT_BYTES_MAX: usize = 16 << 20;
