//! JSON in: strict, bounded, with the exact text of numbers.
