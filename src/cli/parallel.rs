//! The same work on many items, on as many threads as there are processors; a line that says how far it
//! is where a person waits.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Before this nobody wonders.
const QUIET: Duration = Duration::from_secs(1);
/// Between two looks at how far the work is.
const TICK: Duration = Duration::from_millis(200);

/// Does the work on every item; the results are in the order of the items. `what` names the items.
pub fn parallel<T: Sync, R: Send>(items: &[T], what: &str, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let over = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        if io::stderr().is_terminal() {
            let count = || next.load(Ordering::Relaxed).min(items.len());
            let over = &over;
            scope.spawn(move || watch(over, &|| format!("{}/{} {what}", count(), items.len())));
        }
        let _at_the_end = Over(&over);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((at, item)) = {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        items.get(at).map(|item| (at, item))
                    } {
                        let result = work(item);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                    }
                });
            }
        });
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Tells the watcher that it is over, also where the work ended in a fault.
struct Over<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

/// Shows how far the work is until it is over, and wipes that away.
fn watch((over, signal): &(Mutex<bool>, Condvar), line: &dyn Fn() -> String) {
    let mut wait = QUIET;
    let mut widest = 0;
    loop {
        let guard = over.lock().unwrap_or_else(PoisonError::into_inner);
        let (ended, _) =
            signal.wait_timeout_while(guard, wait, |over| !*over).unwrap_or_else(PoisonError::into_inner);
        let mut out = io::stderr().lock();
        if *ended {
            if widest > 0 {
                let _ = write!(out, "\r{:widest$}\r", "");
            }
            return;
        }
        drop(ended);
        let line = line();
        widest = widest.max(line.len());
        let _ = write!(out, "\r{line:widest$}");
        let _ = out.flush();
        wait = TICK;
    }
}

#[cfg(test)]
mod tests {
    use super::parallel;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(parallel(&items, "numbers", |n| n * 2), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        assert!(parallel(&[] as &[u64], "numbers", |n| *n).is_empty());
    }
}
