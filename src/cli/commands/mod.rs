//! One file a verb.

pub mod decide;
pub mod explain;
pub mod fmt;
pub mod init;
pub mod lint;
pub mod run;
pub mod test;
