//! The ordinary data inside a library object: what a `Mutex` protects, what a `OnceLock` holds. Data lives inside the
//! object, except that each execution has its own copy of the data of an object that outlives executions.

use std::alloc::Layout;
use std::any::type_name;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::mem::needs_drop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::internal;
use crate::ops::{self, ProgramError};
use crate::per_execution::PerExecution;
use crate::statics::is_static;

/// Data of type `T` that every execution finds in its initial state.
pub(crate) struct Contents<T: ?Sized> {
    /// The execution that uses the data in place: none yet, one, or `NOBODY`.
    home: AtomicU64,
    data: UnsafeCell<T>,
}

/// The home of data that stays as it is, for copying.
const NOBODY: u64 = u64::MAX;

/// Where an execution finds the data of an object.
enum Where {
    /// In the object.
    Here,
    /// In a copy; the object is a static.
    Static,
    /// In a copy, if one can still be made: an earlier execution has used the object.
    Survivor,
}

impl<T> Contents<T> {
    /// Data that is `value` when an execution begins.
    pub(crate) const fn new(value: T) -> Self {
        Contents { home: AtomicU64::new(0), data: UnsafeCell::new(value) }
    }

    /// Where the current execution keeps its data. `fresh` makes the initial state again.
    pub(crate) fn get_or_fresh(&self, fresh: fn() -> T) -> *mut T {
        match self.whereabouts() {
            Where::Here => self.data.get(),
            Where::Static | Where::Survivor => copy(self.address(), || Kept::value(fresh())).cast(),
        }
    }

    /// Takes the data out of an object that the program owns.
    pub(crate) fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> Contents<T> {
    /// Where the current execution keeps its data. `what` names the object's type in a complaint.
    #[track_caller]
    pub(crate) fn get(&self, what: &'static str) -> *mut T {
        match self.whereabouts() {
            Where::Here => self.data.get(),
            Where::Static if !needs_drop::<T>() => self.bitwise_copy(),
            Where::Static => ops::fail(ProgramError::Misuse, cannot_reset_static(what, type_name::<T>())),
            Where::Survivor => ops::fail(ProgramError::Misuse, outlived(what)),
        }
    }

    /// The data of an object that the program has for itself.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.data.get_mut()
    }

    fn whereabouts(&self) -> Where {
        if !ops::checking() {
            return Where::Here;
        }
        let current = ops::execution_number();
        match self.home.load(Ordering::Relaxed) {
            home if home == current => Where::Here,
            NOBODY => Where::Static,
            0 if is_static(self.address()) => {
                self.home.store(NOBODY, Ordering::Relaxed);
                Where::Static
            }
            0 => match self.home.compare_exchange(0, current, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => Where::Here,
                Err(_) => Where::Survivor,
            },
            _ => Where::Survivor,
        }
    }

    fn address(&self) -> *const () {
        (&raw const *self).cast()
    }

    /// A copy of the bits of a static. Without a destructor a value owns nothing, so two of it do no harm; and nobody
    /// uses the original.
    fn bitwise_copy(&self) -> *mut T {
        let original = self.data.get();
        // SAFETY: the data of a static is never changed in place (its home is `NOBODY`), so it can be looked at.
        let layout = Layout::for_value(unsafe { &*original });
        let bytes = copy(self.address(), || {
            let kept = Kept::bytes(layout);
            // SAFETY: both are valid for `layout.size()` bytes, and the copy is new.
            unsafe { std::ptr::copy_nonoverlapping(original.cast::<u8>(), kept.data.as_ptr(), layout.size()) };
            kept
        });
        with_address(original, bytes)
    }
}

// SAFETY: the threads of a program take turns on one OS thread, and the object that owns the contents hands out the
// pointer only after an operation that orders its accesses. OS threads run different executions, of which only one
// uses the data in place.
unsafe impl<T: ?Sized + Send> Sync for Contents<T> {}

/// A pointer like `original`, with the same metadata, to another address.
fn with_address<T: ?Sized>(original: *mut T, address: *mut u8) -> *mut T {
    let mut pointer = original;
    // SAFETY: a pointer, thin or wide, begins with the address; only that part is replaced.
    unsafe { (&raw mut pointer).cast::<*mut u8>().write(address) };
    pointer
}

/// Finds this execution's copy of the data of the object at `address`, or makes it.
fn copy(address: *const (), make: impl FnOnce() -> Kept) -> *mut u8 {
    std::thread_local! {
        static COPIES: PerExecution<BTreeMap<usize, usize>> = const { PerExecution::new(BTreeMap::new()) };
    }
    let key = address.addr();
    if let Some(&copy) = COPIES.with(|copies| copies.with(|copies| copies.get(&key).copied())).as_ref() {
        return std::ptr::with_exposed_provenance_mut(copy);
    }
    let kept = make();
    let data = kept.data.as_ptr();
    COPIES.with(|copies| copies.with(|copies| copies.insert(key, data.expose_provenance())));
    ops::keep(Box::new(kept));
    data
}

/// Memory that lasts until the execution ends.
struct Kept {
    data: NonNull<u8>,
    free: Free,
}

/// How kept memory is given back.
enum Free {
    /// Its type is forgotten; the function remembers it.
    Value(unsafe fn(NonNull<u8>)),
    /// It is only bytes.
    Bytes(Layout),
}

impl Kept {
    fn value<T>(value: T) -> Self {
        /// Removes a `T`.
        ///
        /// # Safety
        /// `data` came from `internal::place::<T>`, and is used no more.
        unsafe fn free<T>(data: NonNull<u8>) {
            // SAFETY: the caller's promise.
            unsafe { internal::remove(data.cast::<T>()) };
        }
        Kept { data: internal::place(value).cast(), free: Free::Value(free::<T>) }
    }

    fn bytes(layout: Layout) -> Self {
        Kept { data: internal::allocate(layout), free: Free::Bytes(layout) }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        match self.free {
            // SAFETY: the value was placed with the type that the function was made for.
            Free::Value(free) => unsafe { free(self.data) },
            // SAFETY: the memory was allocated with this layout.
            Free::Bytes(layout) => unsafe { internal::free(self.data, layout) },
        }
    }
}

fn cannot_reset_static(what: &str, contents: &str) -> String {
    format!(
        "a static {what} holds a `{contents}`, which cannot be put back to its initial value for the next execution; \
         make it a static `LazyLock` of a {what}"
    )
}

fn outlived(what: &str) -> String {
    format!(
        "this {what} was made outside the checked closure, so its contents would pass from one execution to the next; \
         make it inside"
    )
}
