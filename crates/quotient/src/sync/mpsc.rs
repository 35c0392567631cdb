//! Channels with many senders and one receiver: `std::sync::mpsc`. The order of messages is the order in which senders
//! take tickets; everything else waits for one particular ticket, so it adds no orders of its own.

mod receiver;
mod sender;
mod shared;

use std::sync::Arc;

pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use sender::{Sender, SyncSender};
use shared::Shared;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

/// A channel that takes any number of messages.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared::new(None));
    (Sender::new(shared.clone()), Receiver::new(shared))
}

/// A channel in which a sender waits while `bound` messages are not received. With 0 it waits for the receiver to take
/// its message.
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let shared = Arc::new(Shared::new(Some(bound as u64)));
    (SyncSender::new(shared.clone()), Receiver::new(shared))
}
