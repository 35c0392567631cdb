//! Atomic types: Quotient's, written when they are made. So a thread that finds an atomic without being told through
//! synchronisation races with the one that has made it, as in loom.

mod fetch;

use std::fmt;

pub use quotient::sync::atomic::{Ordering, compiler_fence, fence, spin_loop_hint};

macro_rules! atomics {
    ($($(#[$attribute:meta])* $name:ident $(<$parameter:ident>)?: $type:ty;)*) => {$(
        $(#[$attribute])*
        pub struct $name $(<$parameter>)? {
            inner: quotient::sync::atomic::$name $(<$parameter>)?,
        }

        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// An atomic with this value.
            #[track_caller]
            pub fn new(v: $type) -> Self {
                let inner = quotient::sync::atomic::$name::new(v);
                inner.unsync_store(v);
                $name { inner }
            }

            /// Calls `f` with the value. That nobody else uses the atomic is checked.
            #[track_caller]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $type) -> R) -> R {
                let mut value = self.inner.unsync_load();
                let result = f(&mut value);
                self.inner.unsync_store(value);
                result
            }

            /// Reads the value without synchronisation: a concurrent write by another thread is a data race.
            ///
            /// # Safety
            /// None is needed here, because races are found. Elsewhere, there must be no race.
            #[track_caller]
            pub unsafe fn unsync_load(&self) -> $type {
                self.inner.unsync_load()
            }

            /// Takes the value out. That nobody else uses the atomic is checked.
            #[track_caller]
            pub fn into_inner(self) -> $type {
                self.inner.into_inner()
            }

            /// Reads the value.
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $type {
                self.inner.load(order)
            }

            /// Writes the value.
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`.
            #[track_caller]
            pub fn store(&self, val: $type, order: Ordering) {
                self.inner.store(val, order);
            }

            /// Writes the value; gives the old one.
            #[track_caller]
            pub fn swap(&self, val: $type, order: Ordering) -> $type {
                self.inner.swap(val, order)
            }

            /// Writes `new` if the value is `current`; gives the old value. The old form of
            /// [`compare_exchange`](Self::compare_exchange).
            #[track_caller]
            pub fn compare_and_swap(&self, current: $type, new: $type, order: Ordering) -> $type {
                match self.compare_exchange(current, new, order, on_failure(order)) {
                    Ok(old) | Err(old) => old,
                }
            }

            /// Writes `new` if the value is `current`. The result is the old value, as `Ok` if it was `current`.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                self.inner.compare_exchange(current, new, success, failure)
            }

            /// Like [`compare_exchange`](Self::compare_exchange). As in loom it does not fail without a reason, unless
            /// `QUOTIENT_SPURIOUS` asks for that.
            ///
            /// # Panics
            /// If `failure` is `Release` or `AcqRel`.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $type,
                new: $type,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$type, $type> {
                self.inner.compare_exchange_weak(current, new, success, failure)
            }

            /// Reads the value and replaces it by `f` of it, again and again until no other thread comes between. Returns
            /// up when `f` gives `None`; the result is the last value read, as `Ok` if it was replaced.
            ///
            /// # Panics
            /// If `fetch_order` is `Release` or `AcqRel`.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: F,
            ) -> Result<$type, $type>
            where
                F: FnMut($type) -> Option<$type>,
            {
                self.inner.fetch_update(set_order, fetch_order, f)
            }
        }

        /// Shows the type only: looking at the value would be an operation.
        impl $(<$parameter>)? fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        impl $(<$parameter>)? From<$type> for $name $(<$parameter>)? {
            #[track_caller]
            fn from(v: $type) -> Self {
                $name::new(v)
            }
        }
    )*};
}

atomics! {
    /// An atomic `i8`.
    AtomicI8: i8;
    /// An atomic `i16`.
    AtomicI16: i16;
    /// An atomic `i32`.
    AtomicI32: i32;
    /// An atomic `i64`.
    AtomicI64: i64;
    /// An atomic `isize`.
    AtomicIsize: isize;
    /// An atomic `u8`.
    AtomicU8: u8;
    /// An atomic `u16`.
    AtomicU16: u16;
    /// An atomic `u32`.
    AtomicU32: u32;
    /// An atomic `u64`.
    AtomicU64: u64;
    /// An atomic `usize`.
    AtomicUsize: usize;
    /// An atomic `bool`.
    AtomicBool: bool;
    /// An atomic raw pointer.
    AtomicPtr<T>: *mut T;
}

/// What a `compare_and_swap` of this order does when it fails, as std has defined it.
fn on_failure(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}
