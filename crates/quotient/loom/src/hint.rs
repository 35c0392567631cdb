//! Hints: those of `std::hint` that a program under a check must not give to the processor or the compiler.

pub use quotient::hint::{black_box, spin_loop};

/// Says that this point is never reached. That is checked: it panics.
///
/// # Safety
/// None is needed here. In the program that is not under a check, this point must not be reached.
#[track_caller]
pub unsafe fn unreachable_unchecked() -> ! {
    panic!("unreachable_unchecked was reached")
}
