//! Locks, channels and shared ownership. Most are Quotient's as they are; atomics and condition variables differ, as their
//! modules say. Locks are never poisoned, because a panic of any thread ends the check.

pub mod atomic;
pub mod mpsc;

mod condvar;
mod notify;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use notify::Notify;
pub use quotient::sync::{
    Arc, Barrier, BarrierWaitResult, LazyLock, LockResult, Mutex, MutexGuard, Once, OnceLock, OnceState, PoisonError,
    RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, Weak,
};
