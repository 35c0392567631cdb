//! Arithmetic on atomic integers. Each is one read-modify-write that wraps around.

use super::primitive::Integer;
use super::{Atomic, Ordering};
use crate::ops::Rmw;

#[allow(private_bounds, reason = "the names of the integer types are std's; the trait is not for programs")]
impl<T: Integer> Atomic<T> {
    /// Adds, wrapping around; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_add(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::Add, value.to_word(), order)
    }

    /// Subtracts, wrapping around; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_sub(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::Sub, value.to_word(), order)
    }

    /// Bitwise and; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_and(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::And, value.to_word(), order)
    }

    /// Negated bitwise and; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_nand(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::Nand, value.to_word(), order)
    }

    /// Bitwise or; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_or(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::Or, value.to_word(), order)
    }

    /// Bitwise exclusive or; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_xor(&self, value: T, order: Ordering) -> T {
        self.fetch(Rmw::Xor, value.to_word(), order)
    }

    /// Replaces by the larger of both; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_max(&self, value: T, order: Ordering) -> T {
        self.fetch(T::MAX, value.to_word(), order)
    }

    /// Replaces by the smaller of both; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_min(&self, value: T, order: Ordering) -> T {
        self.fetch(T::MIN, value.to_word(), order)
    }
}
