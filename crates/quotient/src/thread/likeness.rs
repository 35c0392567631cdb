//! Finds out whether threads are alike, for the symmetry reduction: they are if they run the same code on the same
//! bytes. It must never say so of threads that differ; to miss likeness only costs executions.
//!
//! A thread is compared with the one that its parent has spawned just before. Equal bytes could hide different data only
//! behind a pointer that is equal by chance, because the earlier thread has freed what it points to. But the engine
//! lets neighbours be alike only if their parent performs no operation between, and then no thread runs between.

use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;

use crate::ops::{self, Likeness, ThreadId};
use crate::per_execution::{PerExecution, Table};

/// Closures that capture more are not compared.
const LIMIT: usize = 256;

std::thread_local! {
    /// By thread, what it has spawned.
    static SPAWNED: PerExecution<Spawners> = const { PerExecution::new(Spawners(Vec::new())) };
}

/// Threads, by number.
struct Spawners(Vec<Spawned>);

impl Table for Spawners {
    fn empty(&mut self) {
        for spawned in &mut self.0 {
            (spawned.path, spawned.count, spawned.class) = (0, 0, 0);
        }
    }
}

/// What is known of a thread, to compare those that it spawns.
#[derive(Default)]
struct Spawned {
    /// Says who the thread is, in the same way in every execution.
    path: u64,
    /// How many threads it has spawned.
    count: u64,
    /// The class of the last of them, and what it runs; 0 if there is none.
    class: u64,
    code: usize,
    data: Vec<u8>,
}

/// What a thread runs: code and data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Work<'a> {
    code: usize,
    data: &'a [u8],
}

/// Room for the data of a [`Work`].
pub(super) struct Buffer([MaybeUninit<u8>; LIMIT]);

impl Buffer {
    pub(super) fn new() -> Self {
        Buffer([MaybeUninit::uninit(); LIMIT])
    }
}

impl<'a> Work<'a> {
    /// What a thread with this body runs. Nothing is said of one whose result is not empty, because the program knows
    /// which thread a result comes from.
    pub(super) fn of<F: FnOnce() -> T, T>(body: &F, buffer: &'a mut Buffer) -> Option<Self> {
        if size_of::<T>() != 0 {
            return None;
        }
        Some(Work { code: code::<F, T>(), data: bytes(body, buffer)? })
    }

    /// What a thread runs that calls the shared closure at this address.
    pub(super) fn shared<F: Fn()>(address: &'a [u8]) -> Self {
        Work { code: code::<&F, ()>(), data: address }
    }
}

/// The likeness of a thread that the calling thread is about to spawn. Classes are numbered by where they are spawned,
/// not by what they run: addresses differ from one execution to the next, and the engine remembers classes.
#[track_caller]
pub(super) fn of(work: Option<Work>) -> Likeness {
    let Some(work) = work else { return Likeness::Unlike };
    let site = ptr::from_ref(Location::caller()).addr() as u64;
    with_table(|table| {
        let spawned = entry(table, ops::current_unobserved());
        let alone = mix(mix(spawned.path, spawned.count), site) | 1;
        let may_be_alike = spawned.class != 0 && spawned.code == work.code;
        // Padding differs by chance, from one execution to the next: what was found when this one was recorded stands.
        let is_alike = may_be_alike
            && match ops::recorded_class() {
                Some(class) if class == spawned.class => true,
                Some(class) if class == alone => false,
                _ => spawned.data == work.data,
            };
        if !is_alike {
            spawned.class = alone;
            spawned.code = work.code;
            spawned.data.clear();
            spawned.data.extend_from_slice(work.data);
        }
        Likeness::Class(spawned.class)
    })
}

/// Notes that the calling thread has spawned `child`.
pub(super) fn note_spawn(child: ThreadId) {
    with_table(|table| {
        let parent = entry(table, ops::current_unobserved());
        parent.count += 1;
        let path = mix(parent.path, parent.count);
        let child = entry(table, child);
        (child.path, child.count, child.class) = (path, 0, 0);
    });
}

fn with_table<R>(body: impl FnOnce(&mut Spawners) -> R) -> R {
    SPAWNED.with(|table| table.with(body))
}

fn entry(Spawners(table): &mut Spawners, thread: ThreadId) -> &mut Spawned {
    let number = thread.0 as usize;
    if table.len() <= number {
        table.resize_with(number + 1, Spawned::default);
    }
    &mut table[number]
}

/// A number for a pair of numbers; other pairs have others, most likely. If two are the same, threads of one class are
/// told apart when it would be enough to tell those of another.
fn mix(first: u64, second: u64) -> u64 {
    let mixed = (first ^ second.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ second
}

/// The address of the code that runs an `F`. Different types can share it only if their code is the same.
fn code<F: FnOnce() -> T, T>() -> usize {
    fn run<F: FnOnce() -> T, T>(body: F) -> T {
        body()
    }
    (run::<F, T> as fn(F) -> T as *const ()).addr()
}

/// Copies the bytes of a closure, those of its padding included: they may differ between like closures, which is only
/// a missed likeness.
#[cfg(target_arch = "x86_64")]
fn bytes<'a, F>(body: &F, buffer: &'a mut Buffer) -> Option<&'a [u8]> {
    let size = size_of::<F>();
    if size > LIMIT {
        return None;
    }
    // SAFETY: `size` bytes can be read at `body` and written at `buffer`, which then has as many. Rust has no way to read
    // padding, which has no value for it; for the processor it is memory like any other.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") size => _,
            inout("rsi") ptr::from_ref(body) => _,
            inout("rdi") buffer.0.as_mut_ptr() => _,
            options(nostack, preserves_flags),
        );
        Some(buffer.0[..size].assume_init_ref())
    }
}

/// Without a way to read padding, only closures without captures have bytes to compare.
#[cfg(not(target_arch = "x86_64"))]
fn bytes<'a, F>(_body: &F, _buffer: &'a mut Buffer) -> Option<&'a [u8]> {
    (size_of::<F>() == 0).then_some(&[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn work<T>(body: impl FnOnce() -> T) -> Option<(usize, Vec<u8>)> {
        Work::of(&body, &mut Buffer::new()).map(|work| (work.code, work.data.to_vec()))
    }

    #[test]
    fn same_code_without_captures_is_alike() {
        let alike: Vec<_> = (0..2).map(|_| work(|| ()).expect("nothing is captured")).collect();
        assert_eq!(alike[0], alike[1]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn clones_of_one_arc_are_alike_and_other_captures_are_not() {
        let shared = Arc::new(5);
        let with_clone = || {
            let shared = shared.clone();
            work(move || drop(shared)).expect("little is captured")
        };
        assert_eq!(with_clone(), with_clone());
        let with_number = |number: u32| work(move || assert!(number < 9)).expect("little is captured");
        assert_eq!(with_number(1), with_number(1));
        assert_ne!(with_number(1), with_number(2));
    }

    #[test]
    fn different_code_is_not_alike() {
        let (first, second) = (std::hint::black_box(1u64), std::hint::black_box(1u64));
        let add = work(move || assert!(first + std::hint::black_box(1) == 2));
        let multiply = work(move || assert!(second * std::hint::black_box(2) == 2));
        assert!(add.is_none() || add != multiply);
    }

    #[test]
    fn results_and_large_captures_are_not_compared() {
        assert_eq!(work(|| 5), None);
        let large = [0u8; LIMIT + 1];
        assert_eq!(work(move || assert!(large[0] == 0)), None);
    }
}
