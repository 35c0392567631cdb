//! From Rust's orderings to the engine's orders. An ordering that an operation cannot have is the program's mistake,
//! and panics as it does in std.

use std::sync::atomic::Ordering;

use crate::ops::Order;

#[inline(always)]
#[track_caller]
pub(super) fn of_load(order: Ordering) -> Order {
    match any(order) {
        Order::Release | Order::AcqRel => refuse("a load", order, "it writes nothing to release"),
        order => order,
    }
}

#[inline(always)]
#[track_caller]
pub(super) fn of_store(order: Ordering) -> Order {
    match any(order) {
        Order::Acquire | Order::AcqRel => refuse("a store", order, "it reads nothing to acquire"),
        order => order,
    }
}

#[inline(always)]
#[track_caller]
pub(super) fn of_update(order: Ordering) -> Order {
    any(order)
}

#[inline(always)]
#[track_caller]
pub(super) fn of_fence(order: Ordering) -> Order {
    match any(order) {
        Order::Relaxed => refuse("a fence", order, "it would order nothing"),
        order => order,
    }
}

#[inline(always)]
#[track_caller]
fn any(order: Ordering) -> Order {
    match order {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        Ordering::SeqCst => Order::SeqCst,
        _ => refuse("an operation", order, "the ordering is not known"),
    }
}

/// Apart from the code above, which is a part of the user's functions: a message needs the address of what it shows, and what
/// has an address may be kept.
#[cold]
#[inline(never)]
#[track_caller]
fn refuse(what: &str, order: Ordering, reason: &str) -> ! {
    panic!("{what} cannot be {order:?}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[inline(always)]
    #[test]
    fn orderings_without_meaning_panic() {
        for order in [Ordering::Release, Ordering::AcqRel] {
            assert!(catch_unwind(|| of_load(order)).is_err());
        }
        for order in [Ordering::Acquire, Ordering::AcqRel] {
            assert!(catch_unwind(|| of_store(order)).is_err());
        }
        assert!(catch_unwind(|| of_fence(Ordering::Relaxed)).is_err());
    }

    #[inline(always)]
    #[test]
    fn other_orderings_keep_their_meaning() {
        assert_eq!(of_load(Ordering::Acquire), Order::Acquire);
        assert_eq!(of_store(Ordering::Release), Order::Release);
        assert_eq!(of_update(Ordering::AcqRel), Order::AcqRel);
        assert_eq!(of_fence(Ordering::SeqCst), Order::SeqCst);
        assert_eq!(of_load(Ordering::Relaxed), Order::Relaxed);
    }
}
