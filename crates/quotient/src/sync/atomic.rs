//! Atomic types: `std::sync::atomic` with every access in the execution graph. They are one generic type, `Atomic`,
//! under the names that std gives to its instances.

mod boolean;
mod integer;
mod order;
mod pointer;
mod primitive;

use std::fmt;

pub use std::sync::atomic::Ordering;

use crate::ops::{self, MemoryCell};
use primitive::Primitive;

/// A value of type `T` that threads share. Use it under the names that std has: [`AtomicUsize`], [`AtomicBool`], …
///
/// The value itself is in the execution graph, where a load can also find an older value than the last, so there is
/// no address to hand out: `as_ptr`, `from_ptr` and `from_mut` of std do not exist here.
pub struct Atomic<T> {
    place: MemoryCell,
    /// The value before the first write through `place`.
    initial: T,
}

/// An atomic `i8`.
pub type AtomicI8 = Atomic<i8>;
/// An atomic `i16`.
pub type AtomicI16 = Atomic<i16>;
/// An atomic `i32`.
pub type AtomicI32 = Atomic<i32>;
/// An atomic `i64`.
pub type AtomicI64 = Atomic<i64>;
/// An atomic `isize`.
pub type AtomicIsize = Atomic<isize>;
/// An atomic `u8`.
pub type AtomicU8 = Atomic<u8>;
/// An atomic `u16`.
pub type AtomicU16 = Atomic<u16>;
/// An atomic `u32`.
pub type AtomicU32 = Atomic<u32>;
/// An atomic `u64`.
pub type AtomicU64 = Atomic<u64>;
/// An atomic `usize`.
pub type AtomicUsize = Atomic<usize>;
/// An atomic `bool`.
pub type AtomicBool = Atomic<bool>;
/// An atomic raw pointer.
pub type AtomicPtr<T> = Atomic<*mut T>;

// SAFETY: threads reach the value through visible operations only, and a `Primitive` is plain bits.
unsafe impl<T: Primitive> Send for Atomic<T> {}
// SAFETY: as above.
unsafe impl<T: Primitive> Sync for Atomic<T> {}

impl<T> Atomic<T> {
    /// An atomic with this initial value.
    pub const fn new(value: T) -> Self {
        Atomic { place: MemoryCell::new(), initial: value }
    }
}

impl<T: Primitive> Atomic<T> {
    /// Reads the value.
    ///
    /// # Panics
    /// If `order` is `Release` or `AcqRel`.
    #[inline(always)]
    #[track_caller]
    pub fn load(&self, order: Ordering) -> T {
        T::from_word(ops::load(&self.place, self.initial.to_word(), order::of_load(order)))
    }

    /// Writes the value.
    ///
    /// # Panics
    /// If `order` is `Acquire` or `AcqRel`.
    #[inline(always)]
    #[track_caller]
    pub fn store(&self, value: T, order: Ordering) {
        ops::store(&self.place, self.initial.to_word(), value.to_word(), order::of_store(order));
    }

    /// Writes the value; gives the old one.
    #[inline(always)]
    #[track_caller]
    pub fn swap(&self, value: T, order: Ordering) -> T {
        self.fetch(ops::Rmw::Swap, value.to_word(), order)
    }

    /// Writes `new` if the value is `current`. The result is the old value, as `Ok` if it was `current`.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        self.exchange(current, new, success, failure, false)
    }

    /// Like [`compare_exchange`](Self::compare_exchange), but if the check explores spurious failures
    /// ([`Builder::spurious_failures`](crate::Builder::spurious_failures)) it may fail although the value is `current`.
    ///
    /// # Panics
    /// If `failure` is `Release` or `AcqRel`.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange_weak(&self, current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
        self.exchange(current, new, success, failure, true)
    }

    /// Reads the value and replaces it by `change` of it, again and again until no other thread comes between. Returns
    /// up when `change` gives `None`; the result is the last value read, as `Ok` if it was replaced.
    ///
    /// # Panics
    /// If `fetch_order` is `Release` or `AcqRel`.
    #[track_caller]
    pub fn fetch_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut change: impl FnMut(T) -> Option<T>,
    ) -> Result<T, T> {
        let mut old = self.load(fetch_order);
        while let Some(new) = change(old) {
            match self.compare_exchange(old, new, set_order, fetch_order) {
                Ok(_) => return Ok(old),
                // Operations have no effect any more, so no exchange will ever succeed.
                Err(_) if ops::abandoning() => return Err(old),
                Err(newer) => old = newer,
            }
        }
        Err(old)
    }

    /// The newer name of [`fetch_update`](Self::fetch_update).
    ///
    /// # Panics
    /// If `fetch_order` is `Release` or `AcqRel`.
    #[track_caller]
    pub fn try_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        change: impl FnMut(T) -> Option<T>,
    ) -> Result<T, T> {
        self.fetch_update(set_order, fetch_order, change)
    }

    /// Like [`try_update`](Self::try_update), with a change that never gives up. Returns the old value.
    ///
    /// # Panics
    /// If `fetch_order` is `Release` or `AcqRel`.
    #[track_caller]
    pub fn update(&self, set_order: Ordering, fetch_order: Ordering, mut change: impl FnMut(T) -> T) -> T {
        match self.fetch_update(set_order, fetch_order, |old| Some(change(old))) {
            Ok(old) | Err(old) => old,
        }
    }

    /// The value, for the one who has the atomic for itself. That nobody else does is checked: an access by another
    /// thread that does not happen before is a data race.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        self.initial = self.unsync_load();
        // What is done through the reference is seen by nobody before the next operation, so it is a new beginning.
        self.place = MemoryCell::new();
        &mut self.initial
    }

    /// Calls `body` with the value; like [`get_mut`](Self::get_mut), as in loom.
    #[track_caller]
    pub fn with_mut<R>(&mut self, body: impl FnOnce(&mut T) -> R) -> R {
        body(self.get_mut())
    }

    /// Takes the value out; checked like [`get_mut`](Self::get_mut).
    #[track_caller]
    pub fn into_inner(self) -> T {
        self.unsync_load()
    }

    /// Reads the value without synchronisation, as in loom: a concurrent write by another thread is a data race.
    #[inline(always)]
    #[track_caller]
    pub fn unsync_load(&self) -> T {
        if !ops::checking() {
            return self.initial;
        }
        T::from_word(ops::load_plain(&self.place, self.initial.to_word()))
    }

    /// Writes the value without synchronisation: a concurrent access by another thread is a data race. Outside a check
    /// it does nothing.
    #[inline(always)]
    #[track_caller]
    pub fn unsync_store(&self, value: T) {
        if ops::checking() {
            ops::store(&self.place, self.initial.to_word(), value.to_word(), ops::Order::Plain);
        }
    }

    #[inline(always)]
    #[track_caller]
    fn fetch(&self, op: ops::Rmw, operand: u64, order: Ordering) -> T {
        T::from_word(ops::update(&self.place, self.initial.to_word(), op, operand, T::BITS, order::of_update(order)))
    }

    #[inline(always)]
    #[track_caller]
    fn exchange(&self, current: T, new: T, success: Ordering, failure: Ordering, weak: bool) -> Result<T, T> {
        let (success, failure) = (order::of_update(success), order::of_load(failure));
        let (initial, current, new) = (self.initial.to_word(), current.to_word(), new.to_word());
        match ops::exchange(&self.place, initial, current, new, success, failure, weak) {
            Ok(old) => Ok(T::from_word(old)),
            Err(old) => Err(T::from_word(old)),
        }
    }
}

impl<T: Primitive + Default> Default for Atomic<T> {
    fn default() -> Self {
        Atomic::new(T::default())
    }
}

impl<T: Primitive> From<T> for Atomic<T> {
    fn from(value: T) -> Self {
        Atomic::new(value)
    }
}

/// Shows the type only: looking at the value would be an operation.
impl<T> fmt::Debug for Atomic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Atomic(..)")
    }
}

/// A fence between the operations before and after it.
///
/// # Panics
/// If `order` is `Relaxed`.
#[inline(always)]
#[track_caller]
pub fn fence(order: Ordering) {
    ops::fence(order::of_fence(order));
}

/// A fence for the compiler. Threads of a check take turns at operations, which a compiler does not move, so there is
/// nothing to do.
///
/// # Panics
/// If `order` is `Relaxed`.
#[inline(always)]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    order::of_fence(order);
}

/// The old name of [`hint::spin_loop`](crate::hint::spin_loop).
#[inline(always)]
#[track_caller]
pub fn spin_loop_hint() {
    ops::spin();
}
