//! Address arithmetic on atomic pointers. All wraps around.

use super::{Atomic, Ordering};
use crate::ops::Rmw;

impl<T> Atomic<*mut T> {
    /// Moves the pointer forward by this many `T`; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_ptr_add(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(count.wrapping_mul(size_of::<T>()), order)
    }

    /// Moves the pointer back by this many `T`; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, count: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(count.wrapping_mul(size_of::<T>()), order)
    }

    /// Moves the pointer forward by this many bytes; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_byte_add(&self, bytes: usize, order: Ordering) -> *mut T {
        self.fetch(Rmw::Add, bytes as u64, order)
    }

    /// Moves the pointer back by this many bytes; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_byte_sub(&self, bytes: usize, order: Ordering) -> *mut T {
        self.fetch(Rmw::Sub, bytes as u64, order)
    }

    /// Bitwise and of the address; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_and(&self, bits: usize, order: Ordering) -> *mut T {
        self.fetch(Rmw::And, bits as u64, order)
    }

    /// Bitwise or of the address; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_or(&self, bits: usize, order: Ordering) -> *mut T {
        self.fetch(Rmw::Or, bits as u64, order)
    }

    /// Bitwise exclusive or of the address; gives the old pointer.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_xor(&self, bits: usize, order: Ordering) -> *mut T {
        self.fetch(Rmw::Xor, bits as u64, order)
    }
}
