//! Time. Every thread has a clock; all kinds of clocks show the same.
//!
//! - A clock never goes back. It is at least what it was at every point that the present one depends on, in the same thread
//!   or by what was read from others.
//! - A thread that has slept, or has waited in vain until a deadline, has a clock that shows so.
//! - Whoever looks at a clock finds that no more time has passed than that, or a long time: a choice. The very first look,
//!   before another thread is started, is none: only differences of times mean something.
//!
//! A long time is 25 hours; the second time 47 years; then months. So most deadlines are passed by one step and all by two,
//! and those that are set anew then by one. With `--clock still` no time passes but by sleeping and by waiting in vain.

use crate::machine::machine;
use quotient_runtime::native;

/// Nanoseconds.
pub(crate) type Time = u64;

const SECOND: Time = 1_000_000_000;

/// What clocks show at first.
const START: Time = 1_000_000 * SECOND;
/// A long time. The number is such that what is left of it in an `int`, as microseconds or nanoseconds, is large too.
const LONG: Time = 90_732 * SECOND;
/// A time that is longer than what programs wait for; in an `int`, as milliseconds too.
const LONGER: Time = 1_500_000_686 * SECOND;
/// What passes from then on, for those who wait anew.
const AGAIN: Time = 9_127_343 * SECOND;
/// Whoever waits as long as this waits forever.
const FOR_EVER: Time = 3_000_000_000 * SECOND;

/// The clocks of all threads.
#[derive(Default)]
pub(crate) struct Clocks {
    /// For each thread, what its clock has shown: how many events it had had, and the time.
    threads: Vec<Vec<(u32, Time)>>,
    /// Whether anybody has looked at a clock in this execution, and whether a constructor has.
    is_known: bool,
    is_known_early: bool,
    /// Whether time passes only by sleeping and by waiting in vain.
    pub still: bool,
}

impl Clocks {
    /// An execution begins.
    pub(crate) fn reset(&mut self) {
        self.threads.iter_mut().for_each(Vec::clear);
        self.is_known = self.is_known_early;
    }

    /// The clock of a thread, which has had so many events, shows this.
    fn set(&mut self, thread: u32, position: u32, time: Time) {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, Vec::new);
        }
        match self.threads[thread].last_mut() {
            Some(last) if last.0 == position => last.1 = time,
            _ => self.threads[thread].push((position, time)),
        }
    }

    /// What the clock of a thread showed when it had had fewer events than this.
    fn before(&self, thread: usize, events: u32) -> Time {
        let times = self.threads.get(thread).map_or(&[][..], Vec::as_slice);
        let known = times.partition_point(|&(position, _)| position < events);
        if known == 0 { START } else { times[known - 1].1 }
    }
}

/// What the clock of the current thread shows at least.
pub(crate) fn least() -> Time {
    let machine = machine();
    let own = machine.clocks.borrow().before(machine.here.get().thread as usize, u32::MAX);
    if machine.clocks.borrow().threads.iter().all(Vec::is_empty) || !machine.running.get() {
        return own;
    }
    let known = native::known_events(machine.here.get().position);
    let others = known.iter().enumerate().map(|(thread, &events)| machine.clocks.borrow().before(thread, events));
    others.fold(own, Time::max)
}

/// The clock of the current thread shows at least this from now on.
pub(crate) fn pass(time: Time) {
    let time = time.max(least());
    let machine = machine();
    let here = machine.here.get();
    machine.clocks.borrow_mut().set(here.thread, here.position, time);
}

/// Whether a deadline is so far away that it never comes.
pub(crate) fn is_never(deadline: Time) -> bool {
    deadline.saturating_sub(least()) > FOR_EVER
}

/// The current thread looks at its clock.
pub(crate) extern "C" fn now() -> Time {
    let least = least();
    let machine_now = machine();
    if !machine_now.running.get() {
        machine_now.clocks.borrow_mut().is_known_early = true;
    }
    if !machine_now.running.get() {
        return least;
    }
    let is_first = !machine_now.clocks.borrow().is_known && machine_now.threads.borrow().is_alone();
    machine_now.clocks.borrow_mut().is_known = true;
    if machine_now.clocks.borrow().still {
        return least;
    }
    if is_first {
        return least;
    }
    let (pc, frame) = (machine_now.pc(), machine_now.frame());
    machine_now.last_pc.set(pc);
    let site = machine_now.site(pc);
    machine_now.note_waits(frame);
    let late = least >= START + LONGER;
    machine_now.note_operation(native::Operation::Clock { least, late }, pc);
    let (least, passed) = native::look_at_clock(site, frame, least, late);
    machine().refresh();
    let time = match passed {
        false => least,
        true if late => least.saturating_add(AGAIN),
        true if least >= START + LONG => least.saturating_add(LONGER),
        true => least.saturating_add(LONG),
    };
    pass(time);
    time
}

/// The clock of the current thread goes on by this.
pub(crate) extern "C" fn pass_for(time: Time) {
    if machine().running.get() {
        note_sleep(time);
        pass(least().saturating_add(time.min(FOR_EVER)));
    }
}

/// The clock of the current thread shows at least this.
pub(crate) extern "C" fn pass_until(time: Time) {
    if machine().running.get() {
        note_sleep(time);
        pass(time.min(least().saturating_add(FOR_EVER)));
    }
}

/// Where time passes by sleeping only, a round of a loop that sleeps is not like the one before, if anybody looks at a clock.
fn note_sleep(time: Time) {
    let clocks = machine().clocks.borrow();
    if clocks.still && clocks.is_known {
        machine().note_deed(time);
    }
}
