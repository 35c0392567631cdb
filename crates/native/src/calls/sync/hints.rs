//! What the program says itself: choices that nobody decides, conditions that hold, and that it waits for others.

use crate::calls::atomic::Atomic;
use crate::machine::machine;
use quotient_runtime::native::{self, Operation};

/// A choice of the explorer's.
pub(crate) fn choose(options: u32, atomic: &Atomic) -> u32 {
    let site = machine().site(atomic.pc);
    machine().note_operation(Operation::Choose(options), atomic.pc);
    machine().note_waits(atomic.frame);
    let (value, _) = native::perform(site, atomic.frame, |_, _| Operation::Choose(options));
    machine().refresh();
    value as u32
}

/// A choice that nobody decides.
pub(crate) extern "C" fn nondet(options: u32) -> u32 {
    if options < 2 { 0 } else { choose(options, &Atomic::called(0, 0)) }
}

pub(crate) extern "C" fn assume(condition: i32) {
    if condition == 0 && machine().running.get() {
        let (pc, frame) = (machine().pc(), machine().frame());
        let site = machine().site(pc);
        machine().note_operation(Operation::Block(0), pc);
        machine().note_waits(frame);
        native::block(site, frame);
    }
}

/// The thread waits for others, in a loop.
pub(crate) extern "C" fn spin() -> i32 {
    if machine().running.get() {
        let (pc, frame) = (machine().pc(), machine().frame());
        let site = machine().site(pc);
        machine().note_operation(Operation::Block(1), pc);
        machine().note_waits(frame);
        native::spin(site, frame);
        machine().refresh();
    }
    0
}
