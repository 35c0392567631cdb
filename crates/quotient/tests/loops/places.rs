//! Places where a loop keeps what it has seen: memory is found in other ways than variables.

use super::*;
use quotient::sync::atomic::{AtomicBool, Ordering::*};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// A test for a place that fails, and one in which the same place is used and nothing is wrong.
macro_rules! places {
    ($($fails:ident, $holds:ident: $make:expr, $note:expr, $read:expr;)+) => {$(
        #[test]
        fn $fails() {
            fails(|| wait_with($make, $note, |place| assert_eq!($read(place), 0)));
        }

        #[test]
        fn $holds() {
            holds(|| wait_with($make, $note, |place| assert!($read(place) <= 1)));
        }
    )+};
}

/// Waits for a flag and notes in a place of its own, in every round, that it waits.
#[inline(always)]
fn wait_with<P>(
    make: impl FnOnce() -> P + Send + 'static,
    note: impl Fn(&mut P) + Send + 'static,
    check: impl FnOnce(&mut P) + Send + 'static,
) {
    let wait = move |flag: &AtomicBool| {
        let mut place = make();
        while !flag.load(Acquire) {
            note(&mut place);
        }
        check(&mut place);
    };
    beside(AtomicBool::new(false), wait, |flag| flag.store(true, Release));
}

struct Pair {
    rest: u64,
    waited: u32,
}

#[inline(never)]
fn note_apart(waited: &mut u32) {
    *waited = 1;
}

quotient::thread_local! {
    static OWN: Cell<u32> = const { Cell::new(0) };
}

places! {
    a_local, a_local_that_is_fine: || 0_u32, |place| *place = 1, |place: &mut u32| *place;
    by_reference, by_reference_that_is_fine: || 0_u32, note_apart, |place: &mut u32| *place;
    a_field, a_field_that_is_fine:
        || Pair { rest: 7, waited: 0 }, |pair| note_apart(&mut pair.waited), |pair: &mut Pair| pair.waited + (pair.rest - 7) as u32;
    an_element, an_element_that_is_fine: || [0_u32; 9], |many| many[5] = 1, |many: &mut [u32; 9]| many[5];
    a_box, a_box_that_is_fine: || Box::new(0_u32), |place| **place = 1, |place: &mut Box<u32>| **place;
    a_boxed_cell, a_boxed_cell_that_is_fine:
        || Box::new(Cell::new(0_u32)), |place| place.set(1), |place: &mut Box<Cell<u32>>| place.get();
    a_cell, a_cell_that_is_fine: || Cell::new(0_u32), |place| place.set(1), |place: &mut Cell<u32>| place.get();
    a_ref_cell, a_ref_cell_that_is_fine:
        || RefCell::new(0_u32), |place| *place.borrow_mut() = 1, |place: &mut RefCell<u32>| *place.borrow();
    a_vector, a_vector_that_is_fine: || vec![0_u32; 4], |many| many[2] = 1, |many: &mut Vec<u32>| many[2];
    a_pushed_element, a_pushed_element_that_is_fine:
        Vec::<u32>::new, |many| if many.is_empty() { many.push(1) }, |many: &mut Vec<u32>| many.len() as u32;
    a_string, a_string_that_is_fine:
        || String::from("no"), |text| text.replace_range(.., "as"), |text: &mut String| u32::from(text.as_str() != "no");
    a_map, a_map_that_is_fine:
        BTreeMap::<u32, u32>::new, |map| { map.insert(1, 1); }, |map: &mut BTreeMap<u32, u32>| map.len() as u32;
    an_option, an_option_that_is_fine: || None::<u32>, |place| *place = Some(1), |place: &mut Option<u32>| place.unwrap_or(0);
    a_shared_count, a_shared_count_that_is_fine:
        || std::rc::Rc::new(Cell::new(0_u32)), |place| place.set(1), |place: &mut std::rc::Rc<Cell<u32>>| place.get();
    a_thread_local, a_thread_local_that_is_fine:
        || (), |_| OWN.with(|own| own.set(1)), |_: &mut ()| OWN.with(Cell::get);
    an_enum, an_enum_that_is_fine:
        || Err::<u8, u64>(3), |place| *place = Ok(1), |place: &mut Result<u8, u64>| u32::from(place.is_ok());
}

/// Larger than what is passed in registers.
struct Moved {
    rest: [u64; 5],
    waited: u64,
}

/// What a function is given by value may be in the memory of its caller, which has no use for it any more.
#[inline(never)]
fn wait_and_count(flag: &AtomicBool, mut moved: Moved) -> u64 {
    while !flag.load(Acquire) {
        moved.waited = 1;
    }
    moved.waited + moved.rest[3]
}

#[inline(never)]
fn make(value: u64) -> Moved {
    Moved { rest: [value; 5], waited: value }
}

fn wait_with_moved(most: u64) {
    let wait = move |flag: &AtomicBool| {
        let waited = {
            let moved = make(0);
            wait_and_count(flag, moved)
        };
        assert!(waited <= most);
    };
    beside(AtomicBool::new(false), wait, |flag| flag.store(true, Release));
}

#[test]
fn what_was_moved_into_a_function() {
    fails(|| wait_with_moved(0));
}

#[test]
fn what_was_moved_into_a_function_and_is_fine() {
    holds(|| wait_with_moved(1));
}
