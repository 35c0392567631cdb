//! Treiber's stack (1986) under the client Multiset(n) of section 4.2 of SPORE: ⌈n/2⌉ threads push, ⌊n/2⌋ pop, and what
//! is popped must have been pushed. A thread that finds the stack empty is done.
//!
//! An attempt whose exchange fails changes nothing but the attempting thread's own node, so it is cut, and no failed
//! exchange is in a complete execution. Nodes are never freed, so no address is used twice. In `pushes` all n threads
//! push: only their order counts.
//
// expect n=2 off=2 on=2
// expect n=3 off=8 on=4
// expect n=4 off=38 on=10
// expect n=5 off=282 on=24
// expect n=6 off=2292 on=68
// expect n=7 on=176
// expect pushes n=3 off=6 on=1
// expect pushes n=5 off=120 on=1

use quotient::cell::UnsafeCell;
use quotient::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};
use quotient::thread;
use std::ptr;
use std::sync::Arc;

struct Node {
    value: UnsafeCell<usize>,
    next: AtomicPtr<Node>,
}

struct Stack {
    top: AtomicPtr<Node>,
}

impl Stack {
    fn push(&self, value: usize) {
        let next = AtomicPtr::new(ptr::null_mut());
        let node: &Node = Box::leak(Box::new(Node { value: UnsafeCell::new(value), next }));
        loop {
            let top = self.top.load(Acquire);
            node.next.store(top, Relaxed);
            if self.top.compare_exchange(top, ptr::from_ref(node).cast_mut(), Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let top = self.top.load(Acquire);
            // SAFETY: nodes are initialised before they are published, and never freed.
            let node = unsafe { top.as_ref() }?;
            let next = node.next.load(Relaxed);
            if self.top.compare_exchange(top, next, Release, Relaxed).is_ok() {
                // SAFETY: nobody writes the value after its initialisation; if so, it is reported.
                return Some(node.value.with(|value| unsafe { *value }));
            }
        }
    }
}

pub(crate) fn program(n: usize) {
    multiset(n.div_ceil(2), n / 2);
}

pub(crate) fn pushes(n: usize) {
    multiset(n, 0);
}

fn multiset(inserters: usize, removers: usize) {
    let stack = Arc::new(Stack { top: AtomicPtr::new(ptr::null_mut()) });
    let inserters = thread::spawn_symmetric(inserters, {
        let stack = stack.clone();
        move || stack.push(42)
    });
    let removers = thread::spawn_symmetric(removers, move || {
        assert!(stack.pop().is_none_or(|value| value == 42));
    });
    inserters.join();
    removers.join();
}
