//! Memory that a program allocates: published without synchronisation, used after it was freed.

use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, Rmw};
use quotient_runtime::{Options, Outcome, Settings, Tracked, ViolationKind, check};
use std::sync::{Arc, Mutex};

#[global_allocator]
static ALLOCATOR: Tracked = Tracked;

fn run(program: impl Fn() + Send + Sync + 'static) -> Outcome {
    check(Options { settings: Settings::default(), ..Options::default() }, Arc::new(program))
}

/// One thread makes an object and stores its address; the other reads the address and uses the object.
fn publish(store: Order, load: Order) -> Outcome {
    run(move || {
        let pointer = Arc::new(MemoryCell::new());
        let shared = pointer.clone();
        let maker = ops::spawn(
            Box::new(move || {
                let object: &'static MemoryCell = Box::leak(Box::new(MemoryCell::new()));
                ops::store(&shared, 0, std::ptr::from_ref(object) as u64, store);
            }),
            None,
            Likeness::Unlike,
        );
        let address = ops::load(&pointer, 0, load);
        if address != 0 {
            // SAFETY: the address is that of an object that is never freed.
            ops::load(unsafe { &*(address as *const MemoryCell) }, 7, Order::Relaxed);
        }
        ops::join(maker);
    })
}

#[test]
fn published_with_release_and_acquire() {
    let outcome = publish(Order::Release, Order::Acquire);
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 2);
}

#[test]
fn published_without_synchronisation() {
    for (store, load) in [(Order::Relaxed, Order::Acquire), (Order::Release, Order::Relaxed)] {
        let failure = publish(store, load).failure.expect("a race with the initialisation");
        assert_eq!(failure.violation.kind, ViolationKind::Race);
        assert!(failure.violation.message.contains("initialised"), "{}", failure.violation.message);
    }
}

#[test]
fn used_after_free() {
    let outcome = run(|| {
        let object = Box::into_raw(Box::new(MemoryCell::new()));
        // SAFETY: the object lives.
        ops::load(unsafe { &*object }, 0, Order::Relaxed);
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(object) });
        // SAFETY: it does not live any more: that is the mistake which is found before memory is touched, because the
        // execution keeps what it frees until it ends.
        ops::load(unsafe { &*object }, 0, Order::Relaxed);
    });
    let failure = outcome.failure.expect("a use of freed memory");
    assert_eq!(failure.violation.kind, ViolationKind::Memory);
}

/// Freed memory is not used again within an execution, and is given back afterwards.
#[test]
fn addresses_are_not_reused() {
    let outcome = run(|| {
        let first = Box::into_raw(Box::new(7u64));
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(first) });
        let second = Box::into_raw(Box::new(8u64));
        assert_ne!(first, second);
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(second) });
        let x = MemoryCell::new();
        ops::choose(3);
        ops::store(&x, 0, 1, Order::Relaxed);
    });
    assert!(outcome.failure.is_none());
    assert_eq!(outcome.statistics.complete, 3);
}

/// Blocks of all sizes, more than fit in one chunk: each is found, whether it was freed or not.
#[test]
fn many_blocks_of_all_sizes() {
    for (freed, used) in [(40, 40), (40, 41), (159, 159), (159, 158), (3, 3), (3, 4)] {
        let outcome = run(move || {
            let size = |number: usize| if number % 4 == 3 { 9000 } else { 64 + 40 * number };
            let mut blocks: Vec<Vec<u64>> = (0..160).map(|number| Vec::with_capacity(size(number) / 8)).collect();
            let place = blocks[used].as_ptr() as usize + size(used) / 2 / 8 * 8;
            drop(std::mem::take(&mut blocks[freed]));
            // SAFETY: there is memory, which nobody else uses; if it has been freed, that is found before it is touched.
            unsafe {
                if freed != used {
                    (place as *mut MemoryCell).write(MemoryCell::new());
                }
                ops::load(&*(place as *const MemoryCell), 0, Order::Relaxed);
            }
        });
        let found = outcome.failure.map(|failure| failure.violation.kind);
        assert_eq!(found, (freed == used).then_some(ViolationKind::Memory), "{freed} freed and {used} used");
    }
}

/// What a program keeps beyond its execution stays as it is, until somebody frees it.
#[test]
fn memory_is_kept_beyond_the_execution() {
    static KEPT: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());
    let outcome = run(|| {
        let chosen = ops::choose(300) as u64;
        let mut kept = KEPT.lock().expect("nobody panics");
        if chosen.is_multiple_of(3) {
            kept.push(vec![chosen; 50]);
        }
        if chosen.is_multiple_of(7) {
            kept.pop();
        }
        let all: Vec<_> = (0..30).map(|number| vec![number; 50]).collect();
        assert!(all.iter().enumerate().all(|(number, block)| block.iter().all(|&one| one == number)));
    });
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let kept = KEPT.lock().expect("nobody panics");
    assert!(kept.len() > 30 && kept.iter().all(|block| block[0] % 3 == 0 && block.iter().all(|&one| one == block[0])));
}

/// Threads that allocate in any order: the names of their blocks are the same in each run.
#[test]
fn addresses_have_names() {
    let outcome = run(|| {
        let shared = Arc::new((MemoryCell::new(), MemoryCell::new()));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let shared = shared.clone();
                let body = move || {
                    let mut blocks: Vec<Vec<u64>> = (0..5).map(|number| vec![number]).collect();
                    ops::update(&shared.0, 0, Rmw::Add, 1, 64, Order::Relaxed);
                    blocks.extend((5..9).map(|number| vec![number]));
                    let own = blocks[7].as_ptr() as u64;
                    ops::update(&shared.1, 0, Rmw::Swap, own, 64, Order::Relaxed);
                    assert_eq!(ops::load(&MemoryCell::new(), own, Order::Relaxed), own);
                };
                ops::spawn(Box::new(body), None, Likeness::Unlike)
            })
            .collect();
        threads.into_iter().for_each(ops::join);
    });
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    assert_eq!(outcome.statistics.complete, 36);
}
