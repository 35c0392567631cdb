//! Thread locals: a value for each thread of each execution, made on first use and dropped when the thread ends.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::ptr::NonNull;

use crate::ops;
use crate::per_execution::PerExecution;

/// A thread local, like `std::thread::LocalKey`. Made by [`thread_local!`](crate::thread_local).
pub struct LocalKey<T: 'static> {
    init: fn() -> T,
}

/// Declares thread locals, like `std::thread_local!`.
///
/// ```
/// use std::cell::Cell;
///
/// quotient::thread_local! {
///     static CALLS: Cell<u32> = const { Cell::new(0) };
///     pub static NAME: String = String::from("worker");
/// }
/// ```
#[macro_export]
macro_rules! thread_local {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr);* $(;)?) => {$(
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = $crate::thread::LocalKey::new(|| $init);
    )*};
}

std::thread_local! {
    /// The locals of all threads of the current execution.
    static LOCALS: PerExecution<BTreeMap<Slot, Local>> = const { PerExecution::new(BTreeMap::new()) };
}

/// A thread, and the address of a key.
type Slot = (ops::ThreadId, usize);

#[derive(Clone, Copy)]
enum Local {
    Alive(NonNull<()>),
    /// The thread is ending and has dropped it.
    Gone,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(init: fn() -> T) -> Self {
        LocalKey { init }
    }

    /// Calls `body` with the calling thread's value.
    ///
    /// # Panics
    /// If the thread is ending and has dropped the value.
    #[track_caller]
    pub fn with<R>(&'static self, body: impl FnOnce(&T) -> R) -> R {
        self.try_with(body).expect("the thread is ending, and this thread local is gone")
    }

    /// Calls `body` with the calling thread's value, unless the thread is ending and has dropped it.
    pub fn try_with<R>(&'static self, body: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        self.value(None).map(body)
    }

    /// The value. If there is none yet, it is `initial` or what the declaration says.
    fn value(&'static self, initial: Option<T>) -> Result<&'static T, AccessError> {
        let slot = (ops::current_unobserved(), std::ptr::from_ref(self).addr());
        let pointer = match locals(|locals| locals.get(&slot).copied()) {
            Some(Local::Alive(pointer)) => pointer.cast(),
            Some(Local::Gone) => return Err(AccessError),
            None => {
                let value = initial.unwrap_or_else(self.init);
                let owner = Owner { slot, value: NonNull::from(Box::leak(Box::new(value))) };
                let pointer = owner.value;
                locals(|locals| locals.insert(slot, Local::Alive(pointer.cast())));
                ops::at_thread_exit(Box::new(move || drop(owner)));
                pointer
            }
        };
        // SAFETY: the value is alive: when its owner drops it, it says that it is gone.
        Ok(unsafe { pointer.as_ref() })
    }

    /// Makes `value` the initial value if there is none; else gives it back with the value there is.
    fn initialise(&'static self, value: T) -> Result<(), (T, &'static T)> {
        let mut value = Some(value);
        let slot = (ops::current_unobserved(), std::ptr::from_ref(self).addr());
        let initial = if locals(|locals| locals.contains_key(&slot)) { None } else { value.take() };
        let inside = self.value(initial).expect("the thread is ending, and this thread local is gone");
        match value {
            Some(value) => Err((value, inside)),
            None => Ok(()),
        }
    }
}

/// What drops a value when its thread ends.
struct Owner<T> {
    slot: Slot,
    value: NonNull<T>,
}

impl<T> Drop for Owner<T> {
    fn drop(&mut self) {
        locals(|locals| locals.insert(self.slot, Local::Gone));
        // SAFETY: the value came from a box, and nobody finds it any more.
        drop(unsafe { Box::from_raw(self.value.as_ptr()) });
    }
}

fn locals<R>(body: impl FnOnce(&mut BTreeMap<Slot, Local>) -> R) -> R {
    LOCALS.with(|table| table.with(body))
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value, without making the initial one.
    pub fn set(&'static self, value: T) {
        if let Err((value, inside)) = self.initialise(Cell::new(value)) {
            inside.set(value.into_inner());
        }
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value, and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Replaces the value; gives the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }

    /// Replaces the value by `change` of it.
    pub fn update(&'static self, change: impl FnOnce(T) -> T)
    where
        T: Copy,
    {
        self.with(|cell| cell.set(change(cell.get())));
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Calls `body` with the value.
    pub fn with_borrow<R>(&'static self, body: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| body(&cell.borrow()))
    }

    /// Calls `body` with the value, to change it.
    pub fn with_borrow_mut<R>(&'static self, body: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| body(&mut cell.borrow_mut()))
    }

    /// Sets the value, without making the initial one.
    pub fn set(&'static self, value: T) {
        if let Err((value, inside)) = self.initialise(RefCell::new(value)) {
            *inside.borrow_mut() = value.into_inner();
        }
    }

    /// Takes the value, and leaves the default.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Replaces the value; gives the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// The thread is ending and has dropped the thread local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the thread is ending, and this thread local is gone")
    }
}

impl Error for AccessError {}
