//! Writes that the program says are the last ones to their location, as with GenMC's `__VERIFIER_final_write`: nobody writes
//! there after them. What was said is noted here, and looked at when an execution has ended.

use crate::machine::machine;

/// The current thread is about to do what it says is final.
pub(crate) extern "C" fn begin() {
    let machine = machine();
    machine.finals.borrow_mut().push((machine.here.get(), machine.here.get().position));
}

/// It has done so.
pub(crate) extern "C" fn end() {
    let machine = machine();
    let here = machine.here.get();
    let mut finals = machine.finals.borrow_mut();
    let own = finals.iter_mut().rev().find(|(start, _)| start.thread == here.thread);
    if let Some((_, end)) = own {
        *end = here.position;
    }
}
