//! References as raw pointers. A pointer leads to the value only, so what belongs to its references is kept in a table.

use std::collections::BTreeMap;
use std::sync::Arc as StdArc;

use quotient_runtime::ops;

use super::{Arc, Control};
use crate::per_execution::PerExecution;

std::thread_local! {
    /// What belongs to the values that have references in the form of raw pointers, by address.
    static RAW: PerExecution<BTreeMap<usize, Raw>> = const { PerExecution::new(BTreeMap::new()) };
}

struct Raw {
    control: StdArc<Control>,
    /// How many references are raw pointers now.
    count: usize,
}

impl<T: ?Sized> Arc<T> {
    /// Turns a reference into a pointer; [`from_raw`](Self::from_raw) makes it a reference again.
    pub fn into_raw(this: Self) -> *const T {
        let (value, control) = this.into_parts();
        let pointer = StdArc::into_raw(value);
        with_table(|table| table.entry(key(pointer)).or_insert(Raw { control, count: 0 }).count += 1);
        pointer
    }

    /// The reference that [`into_raw`](Self::into_raw) has turned into this pointer.
    ///
    /// # Safety
    /// The pointer came from `into_raw` in this execution, and each call of `into_raw` is undone at most once.
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let control = with_table(|table| {
            let raw = table.get_mut(&key(pointer))?;
            raw.count -= 1;
            let control = raw.control.clone();
            if raw.count == 0 {
                table.remove(&key(pointer));
            }
            Some(control)
        });
        let Some(control) = control else {
            ops::fail(ops::Mistake::Memory, "Arc::from_raw of a pointer that is no reference".into());
        };
        // SAFETY: the pointer came from `StdArc::into_raw`, and this is the only reference made of it.
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

fn with_table<R>(body: impl FnOnce(&mut BTreeMap<usize, Raw>) -> R) -> R {
    RAW.with(|table| table.with(body))
}
