//! Memory that is allocated by hand.

mod common;

use common::{complaint, executions, violation};
use quotient::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
use quotient::sync::atomic::{AtomicPtr, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use quotient::{ViolationKind, thread};

fn layout() -> Layout {
    Layout::new::<u64>()
}

#[test]
fn memory_is_memory() {
    executions(|| {
        // SAFETY: the memory is used as the `u64` that it was allocated for, and freed once.
        unsafe {
            let memory = alloc_zeroed(layout()).cast::<u64>();
            assert_eq!(*memory, 0);
            *memory = 5;
            assert_eq!(*memory, 5);
            dealloc(memory.cast(), layout());
        }
    });
}

#[test]
fn what_is_not_freed_is_a_leak() {
    // SAFETY: the size is not zero.
    assert!(complaint(|| unsafe { alloc(layout()) }).contains("allocated memory is never freed"));
    assert!(complaint(|| std::mem::forget(Track::new(5))).contains("tracked value is never freed"));
}

#[test]
fn memory_is_freed_once_and_as_it_was_allocated() {
    let twice = violation(|| {
        // SAFETY: the second call is wrong, and is caught.
        unsafe {
            let memory = alloc(layout());
            dealloc(memory, layout());
            dealloc(memory, layout());
        }
    });
    assert_eq!(twice, ViolationKind::Memory);
    let message = complaint(|| {
        // SAFETY: the second call is wrong, and is caught.
        unsafe { dealloc(alloc(layout()), Layout::new::<u32>()) };
    });
    assert_eq!(message, "memory of 8 bytes, aligned to 8, is freed as 4 bytes, aligned to 4");
}

/// Both threads can see the pointer before one of them takes it away.
#[test]
fn a_race_to_free_is_found() {
    let program = |swap: bool| {
        // SAFETY: the size is not zero.
        let slot = AtomicPtr::new(unsafe { alloc(layout()) });
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let memory = if swap {
                        slot.swap(std::ptr::null_mut(), AcqRel)
                    } else {
                        let memory = slot.load(Acquire);
                        slot.store(std::ptr::null_mut(), Release);
                        memory
                    };
                    if !memory.is_null() {
                        // SAFETY: only right if nobody else has the pointer, which is checked.
                        unsafe { dealloc(memory, layout()) };
                    }
                });
            }
        });
    };
    assert_eq!(executions(move || program(true)), 2);
    assert_eq!(violation(move || program(false)), ViolationKind::Memory);
}

#[test]
fn a_tracked_value_is_a_value() {
    executions(|| {
        let mut value = Track::new(vec![1]);
        value.get_mut().push(2);
        assert_eq!(value.get_ref(), &[1, 2]);
        assert_eq!(format!("{value:?}"), "[1, 2]");
        assert_eq!(value.into_inner(), [1, 2]);
    });
}
