//! Finds out whether threads are alike, for the symmetry reduction: they are if they run the same code on the same
//! bytes. It must never say so of threads that differ; to miss likeness only costs executions.
//!
//! Equal bytes can hide different data only behind a pointer that is equal by chance: if the first thread has freed
//! what it points to, and the memory is used again for the second. The engine rules that out, because it treats
//! threads as alike only if no thread has run between their spawns.

use std::hash::{DefaultHasher, Hash, Hasher};

use quotient_runtime::ops::Likeness;

/// Closures that capture more are not compared.
const LIMIT: usize = 256;

/// The likeness of a thread that runs `body`. A thread whose result is not empty is like no other, because the program
/// knows which thread a result comes from.
pub fn of<F: FnOnce() -> T, T>(body: &F) -> Likeness {
    if size_of::<T>() != 0 {
        return Likeness::Unlike;
    }
    let mut buffer = [0; LIMIT];
    match bytes(body, &mut buffer) {
        Some(bytes) => class(code::<F, T>(), bytes),
        None => Likeness::Unlike,
    }
}

/// The class of threads that share their code and this data.
pub fn class(code: usize, data: &[u8]) -> Likeness {
    let mut hasher = DefaultHasher::new();
    (code, data).hash(&mut hasher);
    Likeness::Class(hasher.finish())
}

/// The address of the code that runs an `F`. Different types can share it only if their code is the same.
pub fn code<F: FnOnce() -> T, T>() -> usize {
    fn run<F: FnOnce() -> T, T>(body: F) -> T {
        body()
    }
    (run::<F, T> as fn(F) -> T as *const ()).addr()
}

/// Copies the bytes of a closure, those of its padding included: they may differ between like closures, which is only
/// a missed likeness.
#[cfg(target_arch = "x86_64")]
fn bytes<'a, F>(body: &F, buffer: &'a mut [u8; LIMIT]) -> Option<&'a [u8]> {
    let size = size_of::<F>();
    if size > LIMIT {
        return None;
    }
    // SAFETY: `size` bytes can be read at `body` and written at `buffer`. Rust has no way to read padding, which has no
    // value for it; for the processor it is memory like any other.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") size => _,
            inout("rsi") std::ptr::from_ref(body) => _,
            inout("rdi") buffer.as_mut_ptr() => _,
            options(nostack, preserves_flags),
        );
    }
    Some(&buffer[..size])
}

/// Without a way to read padding, only closures without captures have bytes to compare.
#[cfg(not(target_arch = "x86_64"))]
fn bytes<'a, F>(_body: &F, buffer: &'a mut [u8; LIMIT]) -> Option<&'a [u8]> {
    (size_of::<F>() == 0).then(|| &buffer[..0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn likeness<T>(body: impl FnOnce() -> T) -> Likeness {
        of(&body)
    }

    #[test]
    fn same_code_without_captures_is_alike() {
        let alike: Vec<_> = (0..2).map(|_| likeness(|| ())).collect();
        assert_ne!(alike[0], Likeness::Unlike);
        assert_eq!(alike[0], alike[1]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn clones_of_one_arc_are_alike_and_other_captures_are_not() {
        let shared = Arc::new(5);
        let with_clone = || {
            let shared = shared.clone();
            likeness(move || drop(shared))
        };
        assert_ne!(with_clone(), Likeness::Unlike);
        assert_eq!(with_clone(), with_clone());
        let with_number = |number: u32| likeness(move || assert!(number < 9));
        assert_ne!(with_number(1), Likeness::Unlike);
        assert_eq!(with_number(1), with_number(1));
        assert_ne!(with_number(1), with_number(2));
    }

    #[test]
    fn different_code_is_not_alike() {
        let (first, second) = (std::hint::black_box(1u64), std::hint::black_box(1u64));
        let add = likeness(move || assert!(first + std::hint::black_box(1) == 2));
        let multiply = likeness(move || assert!(second * std::hint::black_box(2) == 2));
        assert_ne!(add, multiply);
    }

    #[test]
    fn results_and_large_captures_are_not_compared() {
        assert_eq!(likeness(|| 5), Likeness::Unlike);
        let large = [0u8; LIMIT + 1];
        assert_eq!(likeness(move || assert!(large[0] == 0)), Likeness::Unlike);
    }
}
