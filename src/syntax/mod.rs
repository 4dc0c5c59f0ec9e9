//! Rank 1: text → (`File`, diagnostics). Never fails, never loops, reads nothing else.

pub mod ast;
