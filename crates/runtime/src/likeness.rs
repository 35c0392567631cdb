//! Threads that are said to be alike although they were started with different arguments: every execution is run again
//! with such threads in each other's places, and nothing may be different then.
//!
//! The threads of a class take turns, so that each has been in the place of every other. What each does for what it has
//! read is then known to be the same, for all that is read in executions that are explored; so the exploration is that
//! of a program whose threads are alike, and by induction on the length of executions the program itself has no others
//! up to renaming. Runs that are given up count as well: an operation that leads nowhere was asked for all the same.

use crate::check::{Control, run_once};
use crate::context::Context;
use crate::native::Host;
use quotient_dpor::graph::{EventId, LocationId, ThreadId};
use quotient_dpor::{Explorer, Renaming, Violation, ViolationKind};
use std::sync::Arc;

/// Threads that are alike, in the order in which they were started, and who takes whose place.
#[derive(Clone, Debug)]
pub struct ThreadPermutation {
    /// The threads.
    pub members: Vec<ThreadId>,
    /// Each takes the place of the one so many before it.
    pub shift: usize,
}

impl ThreadPermutation {
    /// The thread that takes the place of this one.
    pub fn of(&self, thread: ThreadId) -> ThreadId {
        self.index(thread).map_or(thread, |index| self.members[(index + self.shift) % self.members.len()])
    }

    /// Where a thread is in the order, if it is one of them.
    pub fn index(&self, thread: ThreadId) -> Option<usize> {
        self.members.iter().position(|&member| member == thread)
    }
}

struct ByHost<'a> {
    places: &'a ThreadPermutation,
    host: &'a dyn Host,
}

impl Renaming for ByHost<'_> {
    fn thread(&self, thread: ThreadId) -> ThreadId {
        self.places.of(thread)
    }

    fn value(&self, location: LocationId, value: u64) -> u64 {
        self.host.renamed_value(self.places, location, value)
    }
}

/// Checks the likeness of threads in the execution that has just been run. What is found is left in the context: a
/// violation, or that the exploration has to begin again.
pub(crate) fn verify(control: &Arc<Control>, pointer: *mut Context) {
    // SAFETY: no coroutine is running between two runs.
    let context = unsafe { &mut *pointer };
    if !context.explorer.has_classes() || control.options.replay.is_some() || control.options.walks.is_some() {
        return;
    }
    let Some(host) = context.host.clone() else { return };
    let whys: Vec<&'static str> = context.slots.iter().map(|slot| slot.why).collect();
    for (class, members) in doubtful(&context.explorer, &*host) {
        let reason = compare(control, pointer, &*host, class, &members);
        // SAFETY: as above.
        let context = unsafe { &mut *pointer };
        if context.explorer.violation().is_some() {
            return;
        }
        for (slot, &why) in context.slots.iter_mut().zip(&whys) {
            slot.why = why;
        }
        if let Some(reason) = reason {
            match host.refute(class, &members, reason) {
                Some((message, site)) => {
                    let kind = ViolationKind::Annotation;
                    context.explorer.report(Violation { kind, message, events: Vec::new(), site });
                }
                None => {
                    context.distinguished.insert(class);
                    context.restart = true;
                }
            }
            return;
        }
    }
}

/// The classes of threads whose likeness has to be checked.
fn doubtful(explorer: &Explorer, host: &dyn Host) -> Vec<(u64, Vec<ThreadId>)> {
    let threads = explorer.graph().threads();
    let mut chains: Vec<(EventId, u64, Vec<ThreadId>)> = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        if !thread.exists || thread.chain == EventId::NONE || !host.is_in_doubt(thread.class) {
            continue;
        }
        match chains.iter_mut().find(|(chain, ..)| *chain == thread.chain) {
            Some((.., members)) => members.push(number as ThreadId),
            None => chains.push((thread.chain, thread.class, vec![number as ThreadId])),
        }
    }
    chains.retain(|(.., members)| members.len() > 1);
    for (.., members) in &mut chains {
        members.sort_by_key(|&member| threads[member as usize].spawned_by.position());
    }
    chains.into_iter().map(|(_, class, members)| (class, members)).collect()
}

/// Runs the execution again with the members of a class in each other's places; the first time, each is in its own.
fn compare(
    control: &Arc<Control>,
    pointer: *mut Context,
    host: &dyn Host,
    class: u64,
    members: &[ThreadId],
) -> Option<String> {
    for shift in 0..members.len() {
        let places = ThreadPermutation { members: members.to_vec(), shift };
        // SAFETY: no coroutine is running between two runs.
        let context = unsafe { &mut *pointer };
        host.before_permuted_run(class, &places);
        let Some(copy) = context.explorer.renamed(members, &ByHost { places: &places, host }) else {
            return Some(host.why_not());
        };
        let original = std::mem::replace(&mut context.explorer, copy);
        run_once(control, pointer);
        // SAFETY: as above.
        let context = unsafe { &mut *pointer };
        let reason = host.after_permuted_run(class, &places, &context.explorer);
        if reason.is_none() && context.explorer.violation().is_some() {
            // The execution goes wrong with the threads in these places, and it is one of the program's.
            context.explorer.adopt_statistics(&original);
            return None;
        }
        context.explorer = original;
        if reason.is_some() {
            (context.culprit, context.panic_place) = (None, None);
            return reason;
        }
    }
    None
}
