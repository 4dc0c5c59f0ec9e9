//! Rank 6a: findings about policies beyond what the compiler refuses.

pub mod examples;
