//! Logic on atomic booleans.

use super::primitive::Primitive;
use super::{Atomic, Ordering};
use crate::ops::Rmw;

impl Atomic<bool> {
    /// Logical and; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_and(&self, value: bool, order: Ordering) -> bool {
        self.fetch(Rmw::And, value.to_word(), order)
    }

    /// Negated logical and; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_nand(&self, value: bool, order: Ordering) -> bool {
        // The engine negates all bits of the byte, so negation is said in terms of the one bit that counts.
        if value { self.fetch_not(order) } else { self.swap(true, order) }
    }

    /// Logical or; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_or(&self, value: bool, order: Ordering) -> bool {
        self.fetch(Rmw::Or, value.to_word(), order)
    }

    /// Logical exclusive or; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_xor(&self, value: bool, order: Ordering) -> bool {
        self.fetch(Rmw::Xor, value.to_word(), order)
    }

    /// Logical negation; gives the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}
