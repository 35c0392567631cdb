//! RDCSS, the restricted double-compare single-swap of Harris, Fraser & Pratt (DISC 2002; figure 2 of SPORE): n threads
//! want to replace 0 by 1 in a data cell if a control cell is 0, and another thread sets the control cell to 1.
//!
//! A thread first puts its descriptor into the data cell; who finds a descriptor there completes its operation before
//! his own. If that exchange fails, somebody else has completed it, the attempt has changed nothing and is cut.
//! Descriptors are marked pointers, and never freed.
//
// expect n=1 off=2 on=2
// expect n=2 off=20 on=10
// expect n=3 off=519 on=87
// expect n=4 on=1895

use quotient::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire, Release},
};
use quotient::thread;
use std::sync::Arc;

/// What an operation wants: `new` in the data cell instead of `data`, if the control cell is `control`.
struct Descriptor {
    control: usize,
    data: usize,
    new: usize,
}

/// Values are even, so that the address of a descriptor plus one can stand in their place.
const MARK: usize = 1;
const OLD: usize = 0;
const NEW: usize = 2;

fn is_descriptor(value: usize) -> bool {
    value & MARK != 0
}

struct Cells {
    control: AtomicUsize,
    data: AtomicUsize,
}

impl Cells {
    fn rdcss(&self, descriptor: &'static Descriptor) -> usize {
        let marked = (&raw const *descriptor).expose_provenance() + MARK;
        loop {
            match self.data.compare_exchange(descriptor.data, marked, AcqRel, Acquire) {
                Ok(old) => {
                    self.complete(marked);
                    return old;
                }
                Err(other) if is_descriptor(other) => self.complete(other),
                Err(other) => return other,
            }
        }
    }

    fn complete(&self, marked: usize) {
        // SAFETY: descriptors are initialised before they are published, and never freed.
        let descriptor = unsafe { &*std::ptr::with_exposed_provenance::<Descriptor>(marked - MARK) };
        let holds = self.control.load(Acquire) == descriptor.control;
        let outcome = if holds { descriptor.new } else { descriptor.data };
        let _ = self.data.compare_exchange(marked, outcome, AcqRel, Acquire);
    }
}

pub(crate) fn program(n: usize) {
    let cells = Arc::new(Cells { control: AtomicUsize::new(0), data: AtomicUsize::new(OLD) });
    let switch = thread::spawn({
        let cells = cells.clone();
        move || cells.control.store(1, Release)
    });
    let threads = thread::spawn_symmetric(n, move || {
        let descriptor = Box::leak(Box::new(Descriptor { control: 0, data: OLD, new: NEW }));
        assert!([OLD, NEW].contains(&cells.rdcss(descriptor)));
    });
    switch.join().unwrap();
    threads.join();
}
