//! A program that swaps a link as fast as it can never gets a forbidden byte.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::support::*;

const CALLS: usize = 150;

/// Swaps two things at one place until it is told to stop.
fn swap(at: &Path, other: &Path, stop: Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    use rustix_exchange::exchange;
    let (at, other) = (at.to_owned(), other.to_owned());
    std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            exchange(&at, &other);
        }
    })
}

/// Two renames over a third name: both places are always taken again within microseconds.
mod rustix_exchange {
    use std::path::Path;

    pub fn exchange(a: &Path, b: &Path) {
        let spare = a.with_extension("spare");
        let _ = std::fs::rename(a, &spare);
        let _ = std::fs::rename(b, a);
        let _ = std::fs::rename(&spare, b);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_swapped_file_and_a_swapped_directory() {
    let (gate, place, _) = Setting::new().gate();
    place.put("a.txt", "inside");
    link(place.outside.join("secret.txt"), place.workspace.join("b.txt"));
    std::fs::create_dir(place.workspace.join("d")).unwrap();
    std::fs::write(place.workspace.join("d/secret.txt"), "inside").unwrap();
    link(&place.outside, place.workspace.join("e"));
    let stop = Arc::new(AtomicBool::new(false));
    let swaps = [("a.txt", "b.txt"), ("d", "e")]
        .map(|(a, b)| swap(&place.workspace.join(a), &place.workspace.join(b), Arc::clone(&stop)));
    let mut went_well = 0;
    for _ in 0..CALLS {
        for (tool, args) in [
            ("read_file", json!({"path": "a.txt"})),
            ("read_text", json!({"path": "d/secret.txt"})),
            ("edit_file", json!({"path": "d/secret.txt", "old": "FORBIDDEN", "new": "x"})),
            ("write_file", json!({"path": "d/secret.txt", "content": "inside"})),
            ("write_file", json!({"path": "d/new.txt", "content": "inside"})),
        ] {
            let envelope = call(&gate, tool, args).await;
            let text = envelope.to_string();
            assert!(!text.contains("FORBIDDEN"), "{envelope:#}");
            assert!(!text.contains(place.outside.to_str().unwrap()), "{envelope:#}");
            went_well += usize::from(envelope["status"] == "ok");
        }
    }
    stop.store(true, Ordering::Relaxed);
    for swap in swaps {
        swap.join().unwrap();
    }
    assert!(went_well > 0, "some calls must have met the file");
    let outside: Vec<_> =
        std::fs::read_dir(&place.outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(outside, ["secret.txt"]);
    assert_eq!(std::fs::read_to_string(place.outside.join("secret.txt")).unwrap(), "FORBIDDEN");
}
