//! A workspace that has seen structures of a kind allocates nothing for more of them.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use common::{FAMILIES, Random, cyclic, dihedral, graphs, symmetric};
use quotient_group::Canonizer;

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn none_after_the_first_round() {
    let mut random = Random(1);
    let mut structures = Vec::new();
    for sorts in [vec![symmetric(12)], vec![cyclic(12)], vec![dihedral(12)], vec![symmetric(5), cyclic(5)]] {
        for family in FAMILIES {
            structures.extend((0..20).map(|_| family.state(&sorts, &mut random).structure(&sorts)));
        }
    }
    structures.push(graphs::rook(4).structure(&[symmetric(16)]));
    structures.push(graphs::swaps(8).structure(&[symmetric(16)]));
    let mut canonizer = Canonizer::new();
    let mut round = || structures.iter().map(|structure| canonizer.canonize(structure).images(0).len()).sum::<usize>();
    let members = round();
    let before = COUNT.load(Ordering::Relaxed);
    assert_eq!(round(), members);
    assert_eq!(COUNT.load(Ordering::Relaxed), before);
}
