//! Loops that wait: recognised when a thread comes back to where it was without having changed anything.
//!
//! When a thread asks to spin, or reads again at a place in the code where it has read before and done nothing else
//! since, it is let run on *in the shadow*: its reads give the values that they gave last time, and no events are
//! added. If it arrives at the same place with the same stack, it would do so for ever, and the loop is an `await`: the
//! thread blocks until one of its reads is revisited (SAVER, FMCAD 2021, decided at run time instead of on the code).
//! Otherwise the execution is run again, and the thread passes this point.

use crate::call::Result;
use crate::context::Context;
use crate::native::Host;
use crate::threads::Slot;
use quotient_dpor::graph::{Event, Kind, LocationId, Order, Outcome, When};
use quotient_dpor::{Operation, Step, ViolationKind};
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;
use std::panic::Location;
use std::ptr;

/// A place in the code.
type Site = *const Location<'static>;

/// After so many loops that change something at the same place, the next one is not looked at.
const MOST_FAILURES: u32 = 8;

/// How many events back a loop is looked for.
const LONGEST_ITERATION: usize = 64;

/// What is known about waiting loops.
#[derive(Default)]
pub(crate) struct Spin {
    active: Option<Shadow>,
    /// Points that threads pass, because something changes there: place, thread, position.
    passed: HashSet<(Site, u32, u32)>,
    /// How often a thread has been let pass at a place.
    failures: HashMap<(Site, u32), u32>,
    /// Stacks at the last two arrivals.
    stacks: [Vec<usize>; 2],
    /// The scheduler is to take a picture of the stack.
    wants_picture: bool,
}

struct Shadow {
    thread: u32,
    site: Site,
    /// What the thread has done since it last arrived, and which value it has read or written.
    steps: Vec<(Kind, LocationId, u64)>,
    arrivals: u32,
    /// Whether the thread has gone on since the last picture.
    gone_on: bool,
    verdict: Option<bool>,
}

impl Spin {
    pub fn is_active(&self) -> bool {
        self.active.is_some()
    }

    pub fn reset(&mut self) {
        self.active = None;
        self.wants_picture = false;
    }

    /// Whether the scheduler has to call [`Spin::picture`] for the thread that has just been suspended.
    pub fn wants_picture(&self) -> bool {
        self.wants_picture
    }

    /// Whether a thread goes on at this point without being looked at.
    fn passes(&self, site: Site, thread: u32, position: u32) -> bool {
        self.failures.get(&(site, thread)).is_some_and(|&failures| failures >= MOST_FAILURES)
            || self.passed.contains(&(site, thread, position))
    }

    /// Takes a picture of a suspended thread's stack, and decides if it is the second one.
    pub fn picture(&mut self, slot: &Slot, host: Option<&dyn Host>) {
        self.wants_picture = false;
        let Some(shadow) = &mut self.active else { return };
        let stack = &mut self.stacks[shadow.arrivals as usize % 2];
        stack.clear();
        let mut address = slot.top.next_multiple_of(size_of::<usize>());
        while address < slot.base {
            // SAFETY: the address is within the stack of a suspended coroutine, which is mapped; the read is volatile
            // because nothing is known about what, if anything, was written there.
            stack.push(unsafe { ptr::read_volatile(address as *const usize) });
            address += size_of::<usize>();
        }
        shadow.arrivals += 1;
        shadow.gone_on = false;
        let same_memory = host.is_none_or(|host| host.picture(shadow.thread, shadow.arrivals == 2));
        if shadow.arrivals == 2 {
            shadow.verdict = Some(same_memory && self.stacks[0] == self.stacks[1]);
        }
    }
}

impl Context {
    /// Looks at an operation before the explorer does. `Some` is the answer: a result, or to wait.
    #[inline]
    pub(crate) fn before_step(
        &mut self,
        operation: &Operation,
        site: &'static Location<'static>,
    ) -> Option<Option<(u64, bool)>> {
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
    fn is_loop(&self, operation: &Operation, site: &'static Location<'static>) -> bool {
        let Operation::Read { orders, when, .. } = *operation else { return false };
        let thread = self.current.0;
        if orders.0 == Order::Plain || when != When::Always || self.explorer.next_event(thread).is_some() {
            return false;
        }
        let events = &self.explorer.graph().threads()[thread as usize].events;
        if self.spin.passes(site, thread, events.len() as u32) {
            return false;
        }
        let harmless = events.iter().rev().take(LONGEST_ITERATION).take_while(|event| self.is_harmless(event));
        harmless.into_iter().any(|event| event.kind == Kind::Read && ptr::eq(event.site, site))
    }

    /// Whether an event could be part of an iteration that changes nothing.
    fn is_harmless(&self, event: &Event) -> bool {
        match event.kind {
            Kind::Read => !event.exclusive && event.when == When::Always,
            Kind::Write => {
                !event.exclusive
                    && !event.frees
                    && self.explorer.graph().location(event.location).is_private_to(self.current.0)
            }
            Kind::Fence | Kind::Help => true,
            _ => false,
        }
    }

    fn is_arrival(&self, site: &'static Location<'static>) -> bool {
        self.spin.active.as_ref().is_some_and(|shadow| ptr::eq(shadow.site, site))
    }

    /// Whether the thread has been here since the last picture; if not, it goes on now.
    fn goes_round(&mut self) -> bool {
        self.spin.active.as_mut().is_some_and(|shadow| std::mem::replace(&mut shadow.gone_on, true))
    }

    /// Asks for a picture of the stack at the place where the loop may begin again.
    fn arrive(&mut self, site: &'static Location<'static>) {
        let thread = self.current.0;
        self.spin.active.get_or_insert(Shadow {
            thread,
            site: ptr::from_ref(site),
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
                let shadow = self.spin.active.take().expect("a loop being looked at");
                // SAFETY: the pointer was made from a reference to a static location.
                let site = unsafe { &*shadow.site };
                let length = shadow.steps.len() as u32;
                match self.explorer.step(shadow.thread, &Operation::Block(length), site) {
                    Step::Abandon => self.abandoning = true,
                    Step::Done(..) | Step::Wait => {}
                }
                Some(None)
            }
            Some(true) if self.spin.active.as_ref().is_some_and(|shadow| shadow.steps.is_empty()) => {
                let shadow = self.spin.active.take().expect("a loop being looked at");
                let message = format!(
                    "thread {} spins for ever: its loop does nothing that the checker sees, so nothing can end it",
                    shadow.thread
                );
                // SAFETY: the pointer was made from a reference to a static location.
                self.violate_at(ViolationKind::Livelock, message, Some(unsafe { &*shadow.site }));
                Some(None)
            }
            Some(_) => Some(self.give_up()),
        }
    }

    /// Whether the last events of the thread are those that it would repeat.
    fn repeats_its_events(&self) -> bool {
        let Some(shadow) = &self.spin.active else { return false };
        let events = &self.explorer.graph().threads()[shadow.thread as usize].events;
        let steps = &shadow.steps;
        !steps.is_empty()
            && events.len() >= steps.len()
            && events[events.len() - steps.len()..].iter().zip(steps).all(|(event, &(kind, location, value))| {
                event.kind == kind && (!event.is_access() || (event.location, event.value) == (location, value))
            })
    }

    /// An operation in the shadow: what the thread's last such event gave. `None` if it is not harmless.
    fn shadow_step(&mut self, operation: &Operation, site: &'static Location<'static>) -> Option<(u64, bool)> {
        let thread = self.current.0;
        let events = &self.explorer.graph().threads()[thread as usize].events;
        let recent = || events.iter().rev().take(LONGEST_ITERATION).take_while(|event| self.is_harmless(event));
        let (kind, place, seen, answer) = match *operation {
            Operation::Read { location, update, when: When::Always, .. } => {
                let same = |event: &&Event| {
                    event.kind == Kind::Read
                        && event.location == location
                        && discriminant(&event.update) == discriminant(&update)
                };
                // The compiler may have made two of one place in the code, so another place will do.
                let here = recent().filter(same).find(|event| ptr::eq(event.site, site));
                let last = here.or_else(|| recent().find(same))?;
                if !last.spurious && update.outcome(When::Always, last.value) != Outcome::Reads {
                    return None;
                }
                let happened = update == quotient_dpor::graph::Update::Load;
                (Kind::Read, location, last.value, (last.value, happened))
            }
            Operation::Write { location, value, frees: false, .. } => {
                let last = recent().find(|event| event.kind == Kind::Write && event.location == location)?;
                if last.value != value {
                    return None;
                }
                (Kind::Write, location, value, (0, true))
            }
            Operation::Fence(_) => (Kind::Fence, 0, 0, (0, true)),
            // What is left to another thread is not done here.
            Operation::Help(value) => {
                recent().find(|event| event.kind == Kind::Help && event.value == value)?;
                (Kind::Help, 0, 0, (0, true))
            }
            _ => return None,
        };
        let shadow = self.spin.active.as_mut()?;
        if shadow.steps.len() >= LONGEST_ITERATION {
            return None;
        }
        shadow.steps.push((kind, place, seen));
        Some(answer)
    }

    /// The loop changes something: the execution is run again, and the thread passes this point.
    pub(crate) fn give_up(&mut self) -> Option<(u64, bool)> {
        if let Some(shadow) = self.spin.active.take() {
            let length = self.explorer.graph().len_of(shadow.thread);
            self.spin.passed.insert((shadow.site, shadow.thread, length));
            *self.spin.failures.entry((shadow.site, shadow.thread)).or_default() += 1;
        }
        self.retry = true;
        self.abandoning = true;
        None
    }
}

impl Context {
    /// Whether a thread that waits in a loop goes on.
    pub(crate) fn may_go_on(&mut self, site: &'static Location<'static>) -> Result {
        let thread = self.current.0;
        if self.abandoning {
            return if std::thread::panicking() || !self.in_program { Result::Happened } else { Result::Leave };
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
        if self.explorer.is_blocked(thread) {
            return Result::Wait;
        }
        if self.spin.active.is_none() {
            let position = self.explorer.graph().len_of(thread);
            if self.spin.passes(site, thread, position) {
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
