//! Read-modify-writes that depend on the type: arithmetic on integers, logic on booleans; and defaults.

use super::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize, Ordering,
};

macro_rules! fetches {
    ($name:ident: $type:ty { $($(#[$attribute:meta])* $fetch:ident),* $(,)? }) => {
        impl $name {$(
            $(#[$attribute])*
            #[track_caller]
            pub fn $fetch(&self, val: $type, order: Ordering) -> $type {
                self.inner.$fetch(val, order)
            }
        )*}

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                $name::new(<$type>::default())
            }
        }
    };
}

macro_rules! integers {
    ($($name:ident: $type:ty;)*) => {$(
        fetches! {
            $name: $type {
                /// Adds, wrapping around; gives the old value.
                fetch_add,
                /// Subtracts, wrapping around; gives the old value.
                fetch_sub,
                /// Bitwise and; gives the old value.
                fetch_and,
                /// Negated bitwise and; gives the old value.
                fetch_nand,
                /// Bitwise or; gives the old value.
                fetch_or,
                /// Bitwise exclusive or; gives the old value.
                fetch_xor,
                /// Replaces by the larger of both; gives the old value.
                fetch_max,
                /// Replaces by the smaller of both; gives the old value.
                fetch_min,
            }
        }
    )*};
}

integers! {
    AtomicI8: i8;
    AtomicI16: i16;
    AtomicI32: i32;
    AtomicI64: i64;
    AtomicIsize: isize;
    AtomicU8: u8;
    AtomicU16: u16;
    AtomicU32: u32;
    AtomicU64: u64;
    AtomicUsize: usize;
}

fetches! {
    AtomicBool: bool {
        /// Logical and; gives the old value.
        fetch_and,
        /// Negated logical and; gives the old value.
        fetch_nand,
        /// Logical or; gives the old value.
        fetch_or,
        /// Logical exclusive or; gives the old value.
        fetch_xor,
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}
