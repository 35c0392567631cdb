//! References as raw pointers. A pointer leads to the value only, so what belongs to its references is kept in a table.

use std::collections::BTreeMap;
use std::sync::Arc as StdArc;

use super::{Arc, Control};
use crate::internal::Internal;
use crate::ops;
use crate::per_execution::PerExecution;

std::thread_local! {
    /// What belongs to the values that have had references in the form of raw pointers, by address.
    static RAW: PerExecution<BTreeMap<usize, Internal<Control>>> = const { PerExecution::new(BTreeMap::new()) };
}

impl<T: ?Sized> Arc<T> {
    /// Turns a reference into a pointer; [`from_raw`](Self::from_raw) makes it a reference again.
    pub fn into_raw(this: Self) -> *const T {
        let (value, control) = this.into_parts();
        let pointer = StdArc::into_raw(value);
        // An entry is never removed, because a reference can be made of a pointer and forgotten, as often as the program
        // likes. One that an earlier value at this address has left is replaced.
        with_table(|table| table.insert(key(pointer), control));
        pointer
    }

    /// The reference that [`into_raw`](Self::into_raw) has turned into this pointer.
    ///
    /// # Safety
    /// The pointer came from `into_raw` in this execution, and of the references made of it, no more are dropped than
    /// there were calls of `into_raw`.
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let Some(control) = with_table(|table| table.get(&key(pointer)).cloned()) else {
            ops::fail(ops::ProgramError::Memory, "Arc::from_raw of a pointer that is no reference".into());
        };
        // SAFETY: the pointer came from `StdArc::into_raw`, and references are dropped as often as the caller promises.
        Self::with_control(unsafe { StdArc::from_raw(pointer) }, control)
    }

    /// Makes one more reference out of a pointer.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw), which stays as often possible as before and once more.
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: the caller's promise; the reference is given back below.
        let this = unsafe { Self::from_raw(pointer) };
        let another = this.clone();
        Self::into_raw(this);
        Self::into_raw(another);
    }

    /// Drops one of the references that are pointers.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: the caller's promise.
        drop(unsafe { Self::from_raw(pointer) });
    }
}

fn key<T: ?Sized>(pointer: *const T) -> usize {
    pointer.cast::<()>().addr()
}

fn with_table<R>(body: impl FnOnce(&mut BTreeMap<usize, Internal<Control>>) -> R) -> R {
    RAW.with(|table| table.with(body))
}
