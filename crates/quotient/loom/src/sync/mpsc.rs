//! Channels: Quotient's. Unlike loom's, a receiver that waits is told when the last sender is gone.

pub use quotient::sync::mpsc::{
    IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender, TryIter, TryRecvError,
    TrySendError, channel, sync_channel,
};
