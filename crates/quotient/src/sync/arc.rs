//! Shared ownership. The value and its counts are those of a `std::sync::Arc`; whether making and dropping a reference
//! are also visible operations depends on whether the program can tell.
//!
//! Which reference goes last matters only if the destructor of the value performs operations, or if the program asks
//! for counts or uniqueness. As long as it does neither, references are invisible and cost no executions; nor do they
//! matter if the one who asks has joined all threads that have dropped references. Otherwise they are
//! read-modify-writes of one place: then the order in which they run is the order in which they are explored, and the
//! counts of the inner `Arc` are right at every step.

mod convert;
mod raw;
mod traits;
mod weak;

use std::pin::Pin;
use std::sync::{Arc as StdArc, Mutex as StdMutex, MutexGuard as StdMutexGuard};

use crate::engine;
use crate::internal::Internal;
use crate::ops::{self, MemoryCell, Order, Registration, Rmw, ThreadId};
pub use weak::Weak;

/// A shared reference that owns, like `std::sync::Arc`. A value that still has references when a complete execution
/// ends is a leak.
///
/// `Arc<dyn Trait>` is made with [`from_std`](Self::from_std): only std's own type can turn into it by itself.
pub struct Arc<T: ?Sized> {
    /// `None` only while being dropped or taken apart.
    value: Option<StdArc<T>>,
    control: Internal<Control>,
}

/// What all references to one value share beside the value.
struct Control {
    /// Counts the drops; each operation that depends on the number of references updates it.
    place: MemoryCell,
    state: StdMutex<State>,
}

#[derive(Default)]
struct State {
    /// There is none outside a check.
    registration: Option<Registration>,
    /// The threads that have dropped references invisibly.
    droppers: Vec<ThreadId>,
}

impl Control {
    #[track_caller]
    fn new() -> Internal<Self> {
        let registration = if ops::checking() { Some(ops::register("Arc")) } else { None };
        let state = State { registration, droppers: Vec::new() };
        Internal::new(Control { place: MemoryCell::new(), state: StdMutex::new(state) })
    }

    /// Makes the order of this operation among those on the same value visible, if they are; `drops` is what it adds to
    /// the count of drops.
    #[track_caller]
    fn take_turn(&self, drops: u64, order: Order) {
        if engine::references_visible() && !ops::abandoning() {
            ops::update(&self.place, 0, Rmw::Add, drops, 64, order);
        }
    }

    /// A reference is about to be dropped.
    #[track_caller]
    fn drop_reference(&self, drops: u64, order: Order) {
        self.take_turn(drops, order);
        self.note_drop();
    }

    /// Remembers who has dropped a reference, if that is invisible.
    fn note_drop(&self) {
        if !engine::is_over() && !engine::references_visible() {
            let current = ops::current_unobserved();
            let droppers = &mut self.state().droppers;
            if !droppers.contains(&current) {
                droppers.push(current);
            }
        }
    }

    /// Says that the program is told how many references there are. `unique` says whether it has found no other: that is
    /// certain if all that there were have been dropped before.
    #[track_caller]
    fn observe(&self, order: Order, unique: impl FnOnce() -> bool) {
        if engine::references_visible() {
            self.take_turn(0, order);
        } else if !engine::is_over() && (!unique() || !self.is_settled()) {
            engine::need_references();
        }
    }

    /// Whether all invisible drops of references are before what the calling thread does now.
    fn is_settled(&self) -> bool {
        self.state().droppers.iter().all(|&thread| ops::is_over(thread))
    }

    /// The value is gone, or will be before anything else happens.
    fn value_dropped(&self) {
        self.note_drop();
        let registration = self.state().registration.take();
        if let Some(registration) = registration {
            ops::unregister(registration);
        }
    }

    fn state(&self) -> StdMutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the state")
    }
}

impl<T> Arc<T> {
    /// The first reference to `value`.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Self::with_control(StdArc::new(value), Control::new())
    }

    /// The first reference to a value that holds weak references to itself.
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Self {
        let control = Control::new();
        let value = StdArc::new_cyclic(|weak| make(&Weak::with_control(weak.clone(), control.clone())));
        Self::with_control(value, control)
    }

    /// The first reference to a value that never moves.
    #[track_caller]
    pub fn pin(value: T) -> Pin<Self> {
        // SAFETY: the value is in memory of its own, and `Arc` gives out `&mut` only to the last reference, which is
        // pinned too.
        unsafe { Pin::new_unchecked(Self::new(value)) }
    }

    /// Takes the value out if this is the only reference; else gives the reference back.
    #[track_caller]
    pub fn try_unwrap(this: Self) -> Result<T, Self> {
        this.control.observe(Order::AcqRel, || StdArc::strong_count(this.inner()) == 1);
        let (value, control) = this.into_parts();
        match StdArc::try_unwrap(value) {
            Ok(value) => {
                control.value_dropped();
                Ok(value)
            }
            Err(value) => Err(Self::with_control(value, control)),
        }
    }

    /// Drops the reference; gives the value if it was the last.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        this.control.observe(Order::AcqRel, || StdArc::strong_count(this.inner()) == 1);
        let (value, control) = this.into_parts();
        let value = StdArc::into_inner(value);
        if value.is_some() {
            control.value_dropped();
        }
        value
    }

    /// The value if this is the only reference, else a clone of it.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T
    where
        T: Clone,
    {
        Self::try_unwrap(this).unwrap_or_else(|this| (*this).clone())
    }
}

impl<T: ?Sized> Arc<T> {
    /// The first reference to the value of a std `Arc`, which can be unsized: `Arc::<dyn Trait>::from_std(…)`.
    ///
    /// # Panics
    /// If there are other references to it.
    #[track_caller]
    pub fn from_std(value: StdArc<T>) -> Self {
        assert!(StdArc::strong_count(&value) == 1, "the value of this std::sync::Arc has other references");
        Self::with_control(value, Control::new())
    }

    /// A weak reference to the value.
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        this.control.take_turn(0, Order::Relaxed);
        Weak::with_control(StdArc::downgrade(this.inner()), this.control.clone())
    }

    /// How many references there are. Unlike std's it never gives an outdated number.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        this.control.observe(Order::Relaxed, || this.is_unique());
        StdArc::strong_count(this.inner())
    }

    /// How many weak references there are. Unlike std's it never gives an outdated number.
    #[track_caller]
    pub fn weak_count(this: &Self) -> usize {
        this.control.observe(Order::Relaxed, || this.is_unique());
        StdArc::weak_count(this.inner())
    }

    /// Whether two references are to the same value.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        StdArc::ptr_eq(this.inner(), other.inner())
    }

    /// The address of the value.
    pub fn as_ptr(this: &Self) -> *const T {
        StdArc::as_ptr(this.inner())
    }

    /// The value, if this is the only reference, weak ones included.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        this.control.observe(Order::Acquire, || this.is_unique());
        StdArc::get_mut(this.value.as_mut().expect("a live reference has its value"))
    }

    fn with_control(value: StdArc<T>, control: Internal<Control>) -> Self {
        Arc { value: Some(value), control }
    }

    /// Whether there is no other reference now, not even a weak one.
    fn is_unique(&self) -> bool {
        StdArc::strong_count(self.inner()) == 1 && StdArc::weak_count(self.inner()) == 0
    }

    fn inner(&self) -> &StdArc<T> {
        self.value.as_ref().expect("a live reference has its value")
    }

    /// The parts, without dropping the reference.
    fn into_parts(mut self) -> (StdArc<T>, Internal<Control>) {
        let value = self.value.take().expect("a live reference has its value");
        (value, self.control.clone())
    }
}

impl<T: Clone> Arc<T> {
    /// The value for writing: itself if this is the only reference, else of a new clone.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T {
        this.control.observe(Order::Acquire, || this.is_unique());
        if StdArc::get_mut(this.value.as_mut().expect("a live reference has its value")).is_none() {
            // As in std, weak references do not make a second owner; they lose the value instead of keeping it.
            *this = match StdArc::strong_count(this.inner()) {
                1 => Self::new(this.move_out()),
                _ => Self::new((**this).clone()),
            };
        }
        StdArc::get_mut(this.value.as_mut().expect("a live reference has its value")).expect("it is the only one")
    }

    /// Takes the value out of the only strong reference, which is left without.
    fn move_out(&mut self) -> T {
        let value = self.value.take().expect("a live reference has its value");
        self.control.value_dropped();
        StdArc::into_inner(value).expect("it is the only strong reference")
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.control.take_turn(0, Order::Relaxed);
        Self::with_control(self.inner().clone(), self.control.clone())
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        let Some(value) = self.value.take() else { return };
        self.control.drop_reference(1, Order::AcqRel);
        if StdArc::strong_count(&value) > 1 {
            return;
        }
        self.control.value_dropped();
        if engine::is_over() || engine::references_visible() || self.control.is_settled() {
            drop(value);
        } else {
            ops::run_hidden_destructor(|| drop(value));
        }
    }
}
