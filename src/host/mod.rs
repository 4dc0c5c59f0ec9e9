//! The ports made real.
