//! The types that an atomic can hold, as 64-bit words. A word is the value's bits, zero-extended; the engine gets the
//! width where an operator needs it.

use crate::ops::Rmw;

/// A type whose values are words.
pub trait Primitive: Copy {
    /// The width in bits.
    const BITS: u8;

    fn to_word(self) -> u64;

    fn from_word(word: u64) -> Self;
}

/// An integer type.
pub trait Integer: Primitive {
    /// The larger of two, as this type compares.
    const MAX: Rmw;
    /// The smaller of two, as this type compares.
    const MIN: Rmw;
}

macro_rules! integers {
    ($($integer:ident as $unsigned:ident: $max:ident, $min:ident;)*) => {$(
        impl Primitive for $integer {
            const BITS: u8 = $integer::BITS as u8;

            #[inline(always)]
            fn to_word(self) -> u64 {
                self as $unsigned as u64
            }

            #[inline(always)]
            fn from_word(word: u64) -> Self {
                word as $unsigned as $integer
            }
        }

        impl Integer for $integer {
            const MAX: Rmw = Rmw::$max;
            const MIN: Rmw = Rmw::$min;
        }
    )*};
}

integers! {
    i8 as u8: MaxSigned, MinSigned;
    i16 as u16: MaxSigned, MinSigned;
    i32 as u32: MaxSigned, MinSigned;
    i64 as u64: MaxSigned, MinSigned;
    isize as usize: MaxSigned, MinSigned;
    u8 as u8: Max, Min;
    u16 as u16: Max, Min;
    u32 as u32: Max, Min;
    u64 as u64: Max, Min;
    usize as usize: Max, Min;
}

impl Primitive for bool {
    const BITS: u8 = 8;

    #[inline(always)]
    fn to_word(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        word != 0
    }
}

impl<T> Primitive for *mut T {
    const BITS: u8 = usize::BITS as u8;

    #[inline(always)]
    fn to_word(self) -> u64 {
        self.expose_provenance() as u64
    }

    #[inline(always)]
    fn from_word(word: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(word as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    #[test]
    fn words_are_zero_extended() {
        assert_eq!((-1i8).to_word(), 0xff);
        assert_eq!(i16::MIN.to_word(), 0x8000);
        assert_eq!((-1i64).to_word(), u64::MAX);
        assert_eq!(true.to_word(), 1);
    }

    #[inline(always)]
    #[test]
    fn words_come_back() {
        assert_eq!(i8::from_word(0xff), -1);
        assert_eq!(i32::from_word((-7i32).to_word()), -7);
        assert_eq!(u16::from_word(0xabcd), 0xabcd);
        let mut object = 5;
        let pointer = &raw mut object;
        assert_eq!(<*mut i32>::from_word(pointer.to_word()), pointer);
    }
}
