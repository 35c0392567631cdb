//! References that do not keep their value.

use std::fmt;
use std::sync::Weak as StdWeak;

use super::{Arc, Control};
use crate::internal::Internal;
use crate::ops::Order;

/// A reference that does not own, like `std::sync::Weak`.
pub struct Weak<T: ?Sized> {
    value: StdWeak<T>,
    /// There is none for a reference to nothing.
    control: Option<Internal<Control>>,
}

impl<T> Weak<T> {
    /// A reference to nothing.
    pub const fn new() -> Self {
        Weak { value: StdWeak::new(), control: None }
    }
}

impl<T: ?Sized> Weak<T> {
    pub(super) fn with_control(value: StdWeak<T>, control: Internal<Control>) -> Self {
        Weak { value, control: Some(control) }
    }

    /// A strong reference, if the value is still there.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let control = self.control.as_ref()?;
        // That the value is gone is certain once all drops are before; that it is there, never.
        control.observe(Order::Acquire, || self.value.strong_count() == 0);
        self.value.upgrade().map(|value| Arc::with_control(value, control.clone()))
    }

    /// How many strong references there are. Unlike std's it never gives an outdated number.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        self.count();
        self.value.strong_count()
    }

    /// How many weak references there are, or 0 without strong ones. Unlike std's it never gives an outdated number.
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        self.count();
        self.value.weak_count()
    }

    /// Whether two references are to the same value, or both to nothing.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.value.ptr_eq(&other.value)
    }

    /// The address of the value; it may be gone.
    pub fn as_ptr(&self) -> *const T {
        self.value.as_ptr()
    }

    #[track_caller]
    fn count(&self) {
        if let Some(control) = &self.control {
            control.observe(Order::Relaxed, || self.value.strong_count() == 0);
        }
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        if let Some(control) = &self.control {
            control.take_turn(0, Order::Relaxed);
        }
        Weak { value: self.value.clone(), control: self.control.clone() }
    }
}

impl<T: ?Sized> Drop for Weak<T> {
    #[track_caller]
    fn drop(&mut self) {
        // `Arc::get_mut` can tell whether weak references are left.
        if let Some(control) = &self.control {
            control.drop_reference(0, Order::Release);
        }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
