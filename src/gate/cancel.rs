//! Cancelling: a request that many can wait for. Whether it succeeded is another matter.

use std::sync::Arc;

use tokio::sync::watch;

/// A request to stop, shared between who asks and who is asked. Once made, it stays.
#[derive(Debug, Clone)]
pub struct Cancel {
    sender: Arc<watch::Sender<bool>>,
}

impl Cancel {
    /// Nothing is asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Asks to stop.
    pub fn request(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it was asked.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.sender.borrow()
    }

    /// Returns once it is asked.
    pub async fn requested(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives in `self`, so the channel cannot close while this waits.
        let _ = receiver.wait_for(|asked| *asked).await;
    }

    /// Asks when it is dropped, unless it is disarmed.
    #[must_use]
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop { cancel: Some(self.clone()) }
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

/// Requests the cancellation when dropped: the caller has gone away.
#[derive(Debug)]
pub struct CancelOnDrop {
    cancel: Option<Cancel>,
}

impl CancelOnDrop {
    /// The caller has its answer.
    pub fn disarm(mut self) {
        self.cancel = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.cancel {
            cancel.request();
        }
    }
}
