//! Reading the generated workloads from their folder.

use std::io;
use std::path::Path;

use super::Workload;

/// The workload of a size, from the folder that holds `rules-N.json` and its kin.
pub fn read(folder: &Path, rules: usize) -> io::Result<Workload> {
    Ok(Workload {
        rules: file(folder, "rules", rules)?,
        requests: file(folder, "requests", rules)?,
        expected: file(folder, "verdicts", rules)?,
    })
}

fn file<T: serde::de::DeserializeOwned>(folder: &Path, what: &str, rules: usize) -> io::Result<T> {
    let text = std::fs::read_to_string(folder.join(format!("{what}-{rules}.json")))?;
    serde_json::from_str(&text).map_err(io::Error::other)
}
