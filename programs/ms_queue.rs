//! The queue of Michael & Scott (PODC 1996) under the client Multiset(n) of section 4.2 of SPORE: ⌈n/2⌉ threads insert,
//! ⌊n/2⌋ remove, and what is removed must have been inserted. A thread that finds the queue empty is done.
//!
//! The text is the original one, with the second reads of tail and head that make sure that what was read between
//! belongs together. An attempt that fails there, or at an exchange, changes nothing and is cut, so the second reads
//! add no executions. Nodes are never freed, so no address is used twice.
//!
//! In `annotated` the exchange that moves the tail is an idempotent operation (section 2.3 of SPORE): the thread that
//! has appended a node runs it, all others leave it to that thread. An attempt that does nothing but help changes
//! nothing then, and is cut as well. In `annotated_inserts` all n threads insert: only their order counts.
//
// expect n=2 off=3 on=3
// expect n=3 off=26 on=13
// expect n=4 off=158 on=41
// expect n=5 off=4638 on=397
// expect n=6 on=1284
// expect annotated n=2 off=2 on=2
// expect annotated n=3 off=6 on=3
// expect annotated n=4 off=22 on=6
// expect annotated n=5 off=114 on=10
// expect annotated n=6 off=618 on=20
// expect annotated_inserts n=3 off=6 on=1
// expect annotated_inserts n=4 off=24 on=1

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
            let tail = self.tail.load(Acquire);
            // SAFETY: nodes are initialised before they are published, and never freed.
            let next = unsafe { &*head }.next.load(Acquire);
            if head != self.head.load(Acquire) {
                continue;
            }
            if head == tail {
                if next.is_null() {
                    return None;
                }
                self.help_move_tail(tail, next);
                continue;
            }
            // SAFETY: as above, and nobody writes the value after its initialisation; if so, it is reported.
            let value = unsafe { &*next }.value.with(|value| unsafe { *value });
            if self.head.compare_exchange(head, next, Release, Relaxed).is_ok() {
                return Some(value);
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
    multiset(n.div_ceil(2), n / 2, Queue::new(false));
}

pub(crate) fn annotated(n: usize) {
    multiset(n.div_ceil(2), n / 2, Queue::new(true));
}

pub(crate) fn annotated_inserts(n: usize) {
    multiset(n, 0, Queue::new(true));
}

fn multiset(inserters: usize, removers: usize, queue: Queue) {
    let queue = Arc::new(queue);
    let inserters = thread::spawn_symmetric(inserters, {
        let queue = queue.clone();
        move || queue.insert(42)
    });
    let removers = thread::spawn_symmetric(removers, move || {
        assert!(queue.remove().is_none_or(|value| value == 42));
    });
    inserters.join();
    removers.join();
}
