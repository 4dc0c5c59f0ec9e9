//! "Did you mean": the nearest of the names that would have been right.

/// The candidate nearest to `word`, where it is near enough to be a slip of the fingers: at most a
/// third of the longer word's characters differ. Ties go to the first in alphabetical order.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let longer = word.chars().count().max(candidate.chars().count());
        let distance = distance(word, candidate);
        if distance == 0 || distance * 3 > longer {
            continue;
        }
        if best.is_none_or(|(d, name)| (distance, candidate) < (d, name)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours.
/// Words over 64 characters are cut: names are short.
fn distance(a: &str, b: &str) -> usize {
    const CHARS_MAX: usize = 64;
    let a: Vec<char> = a.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().take(CHARS_MAX).flat_map(char::to_lowercase).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, &ca) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &cb) in b.iter().enumerate() {
            let cell = |r: usize, c: usize| {
                rows.get(r).and_then(|row| row.get(c)).copied().unwrap_or(usize::MAX - 1)
            };
            let substituted = cell(i, j) + usize::from(ca != cb);
            let deleted = cell(i, j + 1) + 1;
            let inserted = row.last().copied().unwrap_or(0) + 1;
            let mut best = substituted.min(deleted).min(inserted);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&cb) && b.get(j - 1) == Some(&ca);
            if swapped {
                best = best.min(cell(i - 1, j - 1) + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_leaves_strangers() {
        assert_eq!(nearest("wehn", ["when", "unless"]), Some("when"));
        assert_eq!(nearest("secret-file", ["secret-files", "docs"]), Some("secret-files"));
        assert_eq!(nearest("banana", ["when", "unless"]), None);
        assert_eq!(nearest("when", ["when"]), None);
    }
}
