//! The engine's operations, as the library uses them. They are those of the runtime, but notice when one is performed
//! inside the destructor of a shared value whose references are invisible: then the order of its drops matters.

use std::cell::Cell;
use std::panic::Location;

use quotient_runtime::ops;
pub use quotient_runtime::ops::{
    Body, Likeness, MemoryCell, Order, ProgramError, Registration, Rmw, Task, ThreadId, When, abandoning, as_library,
    at_thread_exit, catch, catch_end, checking, claim, current, current_unobserved, distinguish, execution_number,
    fail, gives_read_lock, has_read_lock, has_write_lock, is_over, is_unwinding, keep, looks_for_likeness,
    may_be_woken, may_wake_without_reason, need_references, note_result, observe_references, operations,
    recorded_class, register, rethrow, set_body, set_name, thread_name, unregister, unwinds, wakes_without_reason,
};

std::thread_local! {
    static IN_HIDDEN_DESTRUCTOR: Cell<bool> = const { Cell::new(false) };
}

/// Runs a destructor of which the program must not be able to tell when it runs. Its first visible operation does not
/// happen: the check starts again with visible references instead.
pub fn run_hidden_destructor(destructor: impl FnOnce()) {
    struct Outer(bool);
    impl Drop for Outer {
        fn drop(&mut self) {
            IN_HIDDEN_DESTRUCTOR.set(self.0);
        }
    }
    let _outer = Outer(IN_HIDDEN_DESTRUCTOR.replace(true));
    destructor();
}

#[inline(always)]
fn notice() {
    if IN_HIDDEN_DESTRUCTOR.get() {
        noticed();
    }
}

#[cold]
fn noticed() {
    IN_HIDDEN_DESTRUCTOR.set(false);
    need_references();
}

macro_rules! noticed {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        #[track_caller]
        #[inline(always)]
        pub fn $name($($argument: $type),*) $(-> $result)? {
            notice();
            ops::$name($($argument),*)
        }
    )*};
}

noticed! {
    fn load(place: &MemoryCell, init: u64, order: Order) -> u64;
    fn store(place: &MemoryCell, init: u64, value: u64, order: Order);
    fn store_at(place: &MemoryCell, init: u64, value: u64, order: Order, site: &'static Location<'static>);
    fn update_at(
        place: &MemoryCell, init: u64, change: (Rmw, u64), bits: u8, order: Order, site: &'static Location<'static>
    ) -> u64;
    fn update(place: &MemoryCell, init: u64, op: Rmw, operand: u64, bits: u8, order: Order) -> u64;
    fn exchange(
        place: &MemoryCell, init: u64, expected: u64, new: u64, success: Order, failure: Order, weak: bool
    ) -> Result<u64, u64>;
    fn acquire(
        place: &MemoryCell, init: u64, when: When, op: Rmw, operand: u64, order: Order, why: &'static str
    ) -> u64;
    fn wait(place: &MemoryCell, init: u64, when: When, order: Order, why: &'static str) -> u64;
    fn read_plain(place: &MemoryCell);
    fn write_plain(place: &MemoryCell);
    fn load_plain(place: &MemoryCell, init: u64) -> u64;
    fn fence(order: Order);
    fn choose(options: usize) -> usize;
    fn spin();
    fn assume(condition: bool);
    fn start(likeness: Likeness) -> ThreadId;
    fn join(thread: ThreadId);
    fn is_finished(thread: ThreadId) -> bool;
}
