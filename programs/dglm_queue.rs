//! The queue of Doherty, Groves, Luchangco & Moir (FORTE 2004; figure 2 of SPORE) under the client Multiset(n) of
//! section 4.2 of SPORE: ⌈n/2⌉ threads insert, ⌊n/2⌋ remove, and what is removed must have been inserted. A thread that
//! finds the queue empty is done.
//!
//! It is the queue of Michael & Scott, but a remover looks at the tail only when it has moved the head. So it may have
//! to help after its last attempt, and complete executions contain helping operations. Nodes are never freed.
//!
//! In `annotated` the exchange that moves the tail is an idempotent operation (section 2.3 of SPORE): the thread that
//! has appended a node runs it, all others leave it to that thread.
//!
//! GenMC 0.11 explores 146 and 26 executions for n = 4 with symmetry reduction: inserters are not alike for it, because
//! each writes to its own node. 286 and 50 executions have 6 and 2 that do not change when the removers are exchanged,
//! and none that does not change when the inserters are; so there are (286 + 6)/4 and (50 + 2)/4 orbits.
//
// expect n=2 off=4 on=4
// expect n=3 off=34 on=17
// expect n=4 off=286 on=73
// expect annotated n=2 off=3 on=3
// expect annotated n=3 off=8 on=4
// expect annotated n=4 off=50 on=13

use quotient::cell::UnsafeCell;
use quotient::helping::Idempotent;
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

impl Node {
    fn leak(value: usize) -> &'static Self {
        let next = AtomicPtr::new(ptr::null_mut());
        Box::leak(Box::new(Node { value: UnsafeCell::new(value), next }))
    }

    fn pointer(&self) -> *mut Self {
        ptr::from_ref(self).cast_mut()
    }
}

struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    annotated: bool,
}

impl Queue {
    fn new(annotated: bool) -> Self {
        let first = Node::leak(0).pointer();
        Queue { head: AtomicPtr::new(first), tail: AtomicPtr::new(first), annotated }
    }

    fn insert(&self, value: usize) {
        let node = Node::leak(value);
        loop {
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are initialised before they are published, and never freed.
            let last = unsafe { &*tail };
            let next = last.next.load(Acquire);
            if tail != self.tail.load(Acquire) {
                continue;
            }
            if !next.is_null() {
                self.help_move_tail(tail, next);
                continue;
            }
            if last.next.compare_exchange(next, node.pointer(), Release, Relaxed).is_ok() {
                return self.move_tail(tail, node);
            }
        }
    }

    fn remove(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            // SAFETY: nodes are initialised before they are published, and never freed.
            let next = unsafe { &*head }.next.load(Acquire);
            if head != self.head.load(Acquire) {
                continue;
            }
            // SAFETY: as above.
            let first = unsafe { next.as_ref() }?;
            if self.head.compare_exchange(head, next, Release, Relaxed).is_ok() {
                if head == self.tail.load(Acquire) {
                    self.help_move_tail(head, next);
                }
                // SAFETY: nobody writes the value after its initialisation; if so, it is reported.
                return Some(first.value.with(|value| unsafe { *value }));
            }
        }
    }

    /// Makes `node` the last, as the thread that has inserted it.
    fn move_tail(&self, tail: *mut Node, node: &Node) {
        let arguments = (ptr::from_ref(self), tail, node.pointer());
        if self.annotated { MOVE_TAIL.main(&arguments) } else { move_tail(&arguments) }
    }

    /// The same on behalf of the thread that has inserted `node`.
    fn help_move_tail(&self, tail: *mut Node, node: *mut Node) {
        let arguments = (ptr::from_ref(self), tail, node);
        if self.annotated { MOVE_TAIL.help(&arguments) } else { move_tail(&arguments) }
    }
}

/// The operation that threads leave to the one who has inserted the node.
static MOVE_TAIL: Idempotent<(*const Queue, *mut Node, *mut Node)> = Idempotent::new(move_tail);

fn move_tail(&(queue, tail, node): &(*const Queue, *mut Node, *mut Node)) {
    // SAFETY: the queue outlives the threads that use it.
    let _ = unsafe { &*queue }.tail.compare_exchange(tail, node, Release, Relaxed);
}

pub(crate) fn program(n: usize) {
    multiset(n, Queue::new(false));
}

pub(crate) fn annotated(n: usize) {
    multiset(n, Queue::new(true));
}

fn multiset(n: usize, queue: Queue) {
    let queue = Arc::new(queue);
    let inserters = thread::spawn_symmetric(n.div_ceil(2), {
        let queue = queue.clone();
        move || queue.insert(42)
    });
    let removers = thread::spawn_symmetric(n / 2, move || {
        assert!(queue.remove().is_none_or(|value| value == 42));
    });
    inserters.join();
    removers.join();
}
