//! Loops that wait: recognised when a thread comes back to where it was without having changed anything.
//!
//! When a thread asks to spin, or reads again at a place in the code where it has read before and done nothing else
//! since, it is let run on *in the shadow*: its reads give the values that they gave last time, and no events are
//! added. If it arrives at the same place with the same stack, it would do so for ever, and the loop is an `await`: the
//! thread blocks until one of its reads is revisited (SAVER, FMCAD 2021, decided at run time instead of on the code).
//! Its last events are then an iteration of the loop only if it was at the same point before them as before those in the
//! shadow, see [`alike`]; to see that, the execution is run again. If they are not, or if the stack has changed in the
//! shadow, the thread passes this point.

mod alike;

use crate::call::Result;
use crate::context::Context;
use crate::native::Host;
use crate::threads::Slot;
use alike::same_point;
use quotient_dpor::graph::{Event, Kind, LocationId, Order, Outcome, Update, When};
use quotient_dpor::{Operation, Step, ViolationKind};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::{Discriminant, discriminant};
use std::panic::Location;
use std::ptr;

/// A place in the code.
type Site = &'static Location<'static>;

/// A loop is looked at in each of its first iterations, then more and more rarely.
const FIRST_ITERATIONS: usize = 8;
/// Iterations are counted up to here; a longer loop is looked at once in so many events.
const MOST_ITERATIONS: usize = 1024;

/// How many events back a loop is looked for.
const LONGEST_ITERATION: usize = 64;

/// How many points are remembered.
const MOST_POINTS: usize = 1 << 18;

/// Points in the code that a thread comes to, each with what the thread has seen so far; see [`point`].
type Points = HashSet<u64, BuildHasherDefault<Mixed>>;

/// A point that a thread comes to: place, thread, and what the thread has seen so far.
fn point(site: Site, thread: u32, past: u64) -> u64 {
    mix(mix(past, ptr::from_ref(site).addr() as u64), u64::from(thread))
}

/// A number that depends on all bits of both.
#[inline]
fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state.rotate_left(29) ^ word ^ 0x2545_F491_4F6C_DD1D) * 0x9E37_79B9_7F4A_7C15;
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a number that is one.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0, byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// What is known about waiting loops.
#[derive(Default)]
pub(crate) struct Spin {
    active: Option<Shadow>,
    /// Whether variables are compared, too, when it is asked whether a thread has gone round already: what is left on the
    /// stack by other calls then costs executions.
    pub strict: bool,
    /// Points that threads pass, because something changes there: place, thread, and what the thread has seen so far. So
    /// whether a thread is found to wait depends on its own past only, not on what was explored before.
    passed: Points,
    /// Points at which a thread is known to have gone round already; named as those of `passed`.
    confirmed: Points,
    /// What is to be confirmed in this run.
    claim: Option<Claim>,
    /// Stacks at the last two arrivals.
    stacks: [Vec<usize>; 2],
    /// The stack before the first operation in the shadow.
    beginning: Vec<usize>,
    /// The scheduler is to take a picture of the stack.
    wants_picture: bool,
}

/// The events of a thread from a position on are said to be an iteration of a loop.
struct Claim {
    thread: u32,
    position: u32,
    /// The stack before them, when the run has come there.
    stack: Option<Vec<usize>>,
}

struct Shadow {
    thread: u32,
    site: Site,
    /// What the thread has done since it last arrived.
    steps: Vec<Repeated>,
    arrivals: u32,
    /// Whether the thread has gone on since the last picture.
    gone_on: bool,
    verdict: Option<bool>,
}

/// An operation in the shadow, and the value that it gave.
#[derive(Clone, Copy)]
struct Repeated {
    kind: Kind,
    location: LocationId,
    update: Option<Discriminant<Update>>,
    value: u64,
}

impl Repeated {
    /// Whether an event is the same operation with the same value.
    fn is(&self, event: &Event) -> bool {
        let same_access = || {
            event.location == self.location
                && event.value == self.value
                && self.update.is_none_or(|update| update == discriminant(&event.update()))
        };
        event.kind == self.kind && (!event.is_access() || same_access())
    }
}

impl Spin {
    pub fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Forgets the last run. If this one repeats it there may be something to be confirmed.
    pub fn reset(&mut self, repeats: bool) {
        self.active = None;
        self.wants_picture = false;
        if !repeats {
            self.claim = None;
        }
    }

    /// Whether nothing is being looked at.
    pub fn is_idle(&self) -> bool {
        self.active.is_none() && self.claim.is_none()
    }

    /// Takes a picture of the stack of the thread that runs, if that is what a claim is about.
    #[inline]
    pub fn note_position(&mut self, thread: u32, position: u32, slot: &Slot) {
        if let Some(claim) = &mut self.claim
            && (claim.thread, claim.position) == (thread, position)
            && claim.stack.is_none()
        {
            let mut stack = Vec::new();
            copy_stack(slot, &mut stack);
            claim.stack = Some(stack);
        }
    }

    /// Whether the scheduler has to call [`Spin::picture`] for the thread that has just been suspended.
    pub fn wants_picture(&self) -> bool {
        self.wants_picture
    }

    /// Takes a picture of a suspended thread's stack, and decides if it is the second one.
    pub fn picture(&mut self, slot: &Slot, host: Option<&dyn Host>) {
        self.wants_picture = false;
        let Some(shadow) = &mut self.active else { return };
        copy_stack(slot, &mut self.stacks[shadow.arrivals as usize % 2]);
        shadow.arrivals += 1;
        shadow.gone_on = false;
        let same_memory = host.is_none_or(|host| host.picture(shadow.thread, shadow.arrivals == 2));
        if shadow.arrivals == 2 {
            shadow.verdict = Some(same_memory && self.stacks[0] == self.stacks[1]);
        }
    }
}

fn remember(points: &mut Points, point: u64) {
    if points.len() >= MOST_POINTS {
        points.clear();
    }
    points.insert(point);
}

/// Copies what is on the stack of a thread that has called the checker.
fn copy_stack(slot: &Slot, stack: &mut Vec<usize>) {
    stack.clear();
    let mut address = slot.top.next_multiple_of(size_of::<usize>());
    while address < slot.base {
        // SAFETY: the address is within the part of a coroutine's stack that is in use, which is mapped; the read is
        // volatile because nothing is known about what, if anything, was written there.
        stack.push(unsafe { ptr::read_volatile(address as *const usize) });
        address += size_of::<usize>();
    }
}

impl Context {
    /// Looks at an operation before the explorer does. `Some` is the answer: a result, or to wait.
    #[inline]
    pub(crate) fn before_step(&mut self, operation: &Operation, site: Site) -> Option<Option<(u64, bool)>> {
        if self.spin.active.is_none() && !matches!(operation, Operation::Read { .. }) {
            return None;
        }
        self.look_for_loop(operation, site)
    }

    fn look_for_loop(&mut self, operation: &Operation, site: Site) -> Option<Option<(u64, bool)>> {
        if self.explorer.is_retracing() {
            return None;
        }
        if self.spin.active.is_none() {
            if !self.is_loop(operation, site) {
                return None;
            }
            self.arrive(site);
            return Some(None);
        }
        if self.is_arrival(site) {
            if let Some(answer) = self.after_picture() {
                return Some(answer);
            }
            if self.goes_round() {
                self.arrive(site);
                return Some(None);
            }
        }
        match self.shadow_step(operation, site) {
            Some(answer) => Some(Some(answer)),
            None => Some(self.give_up()),
        }
    }

    /// Whether a new read is at a place where the thread has read before, with nothing but waiting since.
    fn is_loop(&self, operation: &Operation, site: Site) -> bool {
        let Operation::Read { orders, when, .. } = *operation else { return false };
        let thread = self.current.0;
        if orders.0 == Order::Plain || when != When::Always || self.explorer.next_event(thread).is_some() {
            return false;
        }
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let mut harmless = events.iter().rev().take(LONGEST_ITERATION).take_while(|event| self.is_harmless(event));
        harmless.any(|event| event.kind == Kind::Read && ptr::eq(event.site, site))
            && !self.passes(site, site, FIRST_ITERATIONS)
    }

    /// Whether the current thread goes on at this point without being looked at; `repeated` is a place in the loop, and
    /// the first so many visits to it are looked at.
    fn passes(&self, site: Site, repeated: Site, first: usize) -> bool {
        let thread = self.current.0;
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let harmless = events.iter().rev().take_while(|event| self.is_harmless(event));
        let iterations = harmless.filter(|event| ptr::eq(event.site, repeated)).take(MOST_ITERATIONS).count();
        let is_looked_at = iterations <= first
            || iterations < MOST_ITERATIONS && iterations.is_power_of_two()
            || iterations == MOST_ITERATIONS && events.len().is_multiple_of(MOST_ITERATIONS);
        !is_looked_at || self.spin.passed.contains(&point(site, thread, self.past_of(thread)))
    }

    /// A number for what a thread has seen so far.
    fn past_of(&self, thread: u32) -> u64 {
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let see = |past, event: &Event| mix(mix(past, event.value), (event.kind as u64) << 1 | event.exclusive as u64);
        events.iter().fold(events.len() as u64, see)
    }

    /// Whether an event could be part of an iteration that changes nothing.
    fn is_harmless(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Read => !event.exclusive && event.when() == When::Always,
            Kind::Write => {
                !event.exclusive
                    && !event.frees()
                    && self.explorer.graph().location(event.location).is_private_to(self.current.0)
            }
            Kind::Fence | Kind::Help => true,
            _ => false,
        }
    }

    fn is_arrival(&self, site: Site) -> bool {
        self.spin.active.as_ref().is_some_and(|shadow| ptr::eq(shadow.site, site))
    }

    /// Whether the thread has been here since the last picture; if not, it goes on now.
    fn goes_round(&mut self) -> bool {
        self.spin.active.as_mut().is_some_and(|shadow| std::mem::replace(&mut shadow.gone_on, true))
    }

    /// Asks for a picture of the stack at the place where the loop may begin again.
    fn arrive(&mut self, site: Site) {
        let thread = self.current.0;
        self.spin.active.get_or_insert(Shadow {
            thread,
            site,
            steps: Vec::new(),
            arrivals: 0,
            gone_on: false,
            verdict: None,
        });
        self.spin.wants_picture = true;
    }

    /// What follows from a picture that has just been taken: nothing yet, or the verdict.
    fn after_picture(&mut self) -> Option<Option<(u64, bool)>> {
        match self.spin.active.as_ref()?.verdict {
            None => None,
            Some(true) if self.repeats_its_events() => {
                match self.has_gone_round() {
                    Some(true) => {}
                    Some(false) => return Some(self.give_up()),
                    None => {
                        self.spin.active = None;
                        (self.retry, self.abandoning) = (true, true);
                        return Some(None);
                    }
                }
                let shadow = self.spin.active.take().expect("a loop being looked at");
                let length = shadow.steps.len() as u32;
                match self.explorer.step(shadow.thread, &Operation::Block(length), shadow.site) {
                    Step::Abandon => self.abandoning = true,
                    Step::Done(..) | Step::Wait => {}
                }
                Some(None)
            }
            Some(true) if self.spin.active.as_ref().is_some_and(|shadow| shadow.steps.is_empty()) => {
                let shadow = self.spin.active.take().expect("a loop being looked at");
                if self.host.is_some() {
                    // It may be that the program ends all the same, and the thread with it.
                    self.slots[shadow.thread as usize].why = "in a loop in which nothing happens";
                    self.explorer.step(shadow.thread, &Operation::Join(shadow.thread), shadow.site);
                    return Some(None);
                }
                let message = format!(
                    "thread {} spins for ever: its loop does nothing that the checker sees, so nothing can end it",
                    shadow.thread
                );
                self.violate_at(ViolationKind::Livelock, message, Some(shadow.site));
                Some(None)
            }
            Some(_) => Some(self.give_up()),
        }
    }

    /// Whether the last events of the thread are an iteration of the loop that it is in. `None` if it is to be seen when the
    /// execution is run again.
    fn has_gone_round(&mut self) -> Option<bool> {
        let shadow = self.spin.active.as_ref()?;
        let (thread, site, length) = (shadow.thread, shadow.site, shadow.steps.len() as u32);
        let point = point(site, thread, self.past_of(thread));
        if self.spin.confirmed.contains(&point) {
            return Some(true);
        }
        let position = self.explorer.graph().len_of(thread) - length;
        match self.spin.claim.take() {
            Some(Claim { thread: of, position: at, stack: Some(stack) }) if (of, at) == (thread, position) => {
                let beginning = &self.spin.beginning;
                let same = if self.spin.strict { stack == *beginning } else { same_point(&stack, beginning) };
                if same {
                    remember(&mut self.spin.confirmed, point);
                }
                Some(same)
            }
            Some(Claim { thread: of, position: at, stack: None }) if (of, at) == (thread, position) => Some(false),
            _ => {
                self.spin.claim = Some(Claim { thread, position, stack: None });
                None
            }
        }
    }

    /// Whether the last events of the thread are those that it would repeat.
    fn repeats_its_events(&self) -> bool {
        let Some(shadow) = &self.spin.active else { return false };
        let events = &self.explorer.graph().threads()[shadow.thread as usize].events;
        let steps = &shadow.steps;
        !steps.is_empty()
            && events.len() >= steps.len()
            && events[events.len() - steps.len()..].iter().zip(steps).all(|(event, step)| step.is(event))
    }

    /// An operation in the shadow: what the thread's last such event gave. `None` if it is not harmless.
    fn shadow_step(&mut self, operation: &Operation, site: Site) -> Option<(u64, bool)> {
        let thread = self.current.0;
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let recent = || events.iter().rev().take(LONGEST_ITERATION).take_while(|event| self.is_harmless(event));
        let (repeated, answer) = match *operation {
            Operation::Read { location, update, when: When::Always, .. } => {
                let same = |event: &&Event| {
                    event.kind == Kind::Read
                        && event.location == location
                        && discriminant(&event.update()) == discriminant(&update)
                };
                // The compiler may have made two of one place in the code, so another place will do.
                let here = recent().filter(same).find(|event| ptr::eq(event.site, site));
                let last = here.or_else(|| recent().find(same))?;
                if !last.spurious && update.outcome(When::Always, last.value) != Outcome::Reads {
                    return None;
                }
                let update_kind = Some(discriminant(&update));
                let repeated = Repeated { kind: Kind::Read, location, update: update_kind, value: last.value };
                (repeated, (last.value, update == Update::Load))
            }
            Operation::Write { location, value, frees: false, .. } => {
                let last = recent().find(|event| event.kind == Kind::Write && event.location == location)?;
                if last.value != value {
                    return None;
                }
                (Repeated { kind: Kind::Write, location, update: None, value }, (0, true))
            }
            Operation::Fence(_) => (Repeated { kind: Kind::Fence, location: 0, update: None, value: 0 }, (0, true)),
            // What is left to another thread is not done here.
            Operation::Help(value) => {
                recent().find(|event| event.kind == Kind::Help && event.value == value)?;
                (Repeated { kind: Kind::Help, location: 0, update: None, value }, (0, true))
            }
            _ => return None,
        };
        let Spin { active, beginning, .. } = &mut self.spin;
        let shadow = active.as_mut()?;
        if shadow.steps.len() >= LONGEST_ITERATION {
            return None;
        }
        if shadow.steps.is_empty() {
            copy_stack(&self.slots[thread as usize], beginning);
        }
        shadow.steps.push(repeated);
        Some(answer)
    }

    /// The loop changes something: the execution is run again, and the thread passes this point.
    pub(crate) fn give_up(&mut self) -> Option<(u64, bool)> {
        if let Some(shadow) = self.spin.active.take() {
            let past = self.past_of(shadow.thread);
            remember(&mut self.spin.passed, point(shadow.site, shadow.thread, past));
        }
        self.retry = true;
        self.abandoning = true;
        None
    }
}

impl Context {
    /// Whether a thread that waits in a loop goes on.
    pub(crate) fn may_go_on(&mut self, site: Site) -> Result {
        let thread = self.current.0;
        if self.abandoning {
            if self.in_program && !std::thread::panicking() {
                return Result::Leave;
            }
            let goes_on = self.may_spin_on() || !self.in_program;
            return if goes_on { Result::Happened } else { Result::Wait };
        }
        if self.explorer.must_wait(thread) {
            return Result::Wait;
        }
        if let Some(event) = self.explorer.next_event(thread) {
            if event.kind == Kind::Block {
                self.explorer.step(thread, &Operation::Block(0), site);
                return Result::Wait;
            }
            return Result::Happened;
        }
        if self.explorer.is_retracing() {
            self.explorer.halt(thread, &Operation::Block(0), site);
            return Result::Wait;
        }
        if self.explorer.is_blocked(thread) {
            return Result::Wait;
        }
        if self.spin.active.is_none() {
            let last = self.explorer.graph().threads()[thread as usize].events.last();
            // Before it says that it waits, a thread may have asked a number of times.
            if self.passes(site, last.map_or(site, |event| event.site), LONGEST_ITERATION) {
                return Result::Happened;
            }
            self.arrive(site);
            return Result::Wait;
        }
        if !self.is_arrival(site) {
            return Result::Happened;
        }
        if self.after_picture().is_some() {
            return if self.abandoning { Result::Leave } else { Result::Wait };
        }
        if self.goes_round() {
            self.arrive(site);
            return Result::Wait;
        }
        Result::Happened
    }
}
