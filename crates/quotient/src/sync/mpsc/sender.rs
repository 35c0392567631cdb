//! The sending ends of channels.

use std::fmt;
use std::sync::Arc;

use super::shared::Shared;
use super::{SendError, TrySendError};

/// The sending end of a [`channel`](super::channel).
pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

/// The sending end of a [`sync_channel`](super::sync_channel).
pub struct SyncSender<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Sender<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        Sender { shared }
    }

    /// Sends a message, or gives it back if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }
}

impl<T> SyncSender<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        SyncSender { shared }
    }

    /// Waits for room and sends a message, or gives it back if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.shared.send(message)
    }

    /// Sends a message if there is room, or gives it back. With a bound of 0 there is room while the receiver waits in
    /// `recv`.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.shared.try_send(message)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.add_sender();
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        self.shared.add_sender();
        SyncSender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.shared.remove_sender();
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
