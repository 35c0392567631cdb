//! Programs that need only loads, stores and fetch-adds, written once for all tools: each has a module `tool` with the
//! names used here. They follow the benchmarks of the papers on TruSt, Must and SPORE.

use crate::tool::{AtomicUsize, thread};
use harness::Program;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release, SeqCst};

/// The program of this name.
pub fn find(name: &str) -> Option<Program> {
    match name {
        "fetch-add" => Some(fetch_add),
        "own-cell" => Some(own_cell),
        "readers" => Some(readers),
        "store-buffering" => Some(store_buffering),
        _ => None,
    }
}

/// Runs threads that all do the same, and waits for them.
pub fn together(threads: usize, body: impl Fn() + Clone + Send + 'static) {
    let handles: Vec<_> = (0..threads).map(|_| thread::spawn(body.clone())).collect();
    for handle in handles {
        handle.join().expect("no thread panics");
    }
}

/// Each thread adds one to a counter.
fn fetch_add(threads: usize) {
    let counter = Arc::new(AtomicUsize::new(0));
    let shared = counter.clone();
    together(threads, move || {
        shared.fetch_add(1, AcqRel);
    });
    assert_eq!(counter.load(Acquire), threads);
}

/// Each thread writes to a cell of its own and then adds one to a counter.
fn own_cell(threads: usize) {
    let counter = Arc::new(AtomicUsize::new(0));
    let shared = counter.clone();
    together(threads, move || {
        let own = AtomicUsize::new(0);
        own.store(1, Release);
        shared.fetch_add(1, AcqRel);
    });
    assert_eq!(counter.load(Acquire), threads);
}

/// One thread writes what all others read.
fn readers(readers: usize) {
    let cell = Arc::new(AtomicUsize::new(0));
    let (written, read) = (cell.clone(), cell.clone());
    let writer = thread::spawn(move || written.store(1, Release));
    together(readers, move || assert!(read.load(Acquire) <= 1));
    writer.join().expect("no thread panics");
    assert_eq!(cell.load(Acquire), 1);
}

/// Each thread writes to its cell and reads its neighbour's. That not all can read zero is not asserted, because loom
/// takes SeqCst for AcqRel.
fn store_buffering(threads: usize) {
    let cells: Arc<Vec<AtomicUsize>> = Arc::new((0..threads).map(|_| AtomicUsize::new(0)).collect());
    let handles: Vec<_> = (0..threads)
        .map(|mine| {
            let cells = cells.clone();
            thread::spawn(move || {
                cells[mine].store(1, SeqCst);
                assert!(cells[(mine + 1) % cells.len()].load(SeqCst) <= 1);
            })
        })
        .collect();
    for handle in handles {
        handle.join().expect("no thread panics");
    }
}
