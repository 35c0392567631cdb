//! A violation with everything that is needed to show it: the graph, names, who waits for what.

use crate::context::Context;
use crate::loops::livelock::{is_for_ever, is_out_of_date};
use crate::native::Host;
use quotient_dpor::graph::{Graph, Kind, LocationId};
use quotient_dpor::{Operation, Violation, ViolationKind};
use std::panic::Location;
use std::sync::Arc;

/// A file, a line and a column.
pub(crate) type SourcePosition = (String, u32, u32);

/// A violation of the checked program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub violation: Violation,
    /// Where the program panicked: file, line, column.
    pub place: Option<(String, u32, u32)>,
    /// The thread that did something wrong, if it was one.
    pub thread: Option<u32>,
    /// The execution.
    pub graph: Graph,
    /// The names of the threads, by number.
    pub names: Vec<Option<String>>,
    /// Who waits for what at the end.
    pub waiting: Vec<Waiting>,
    /// A text by which exactly this execution can be run again.
    pub script: String,
    /// What was registered and never freed.
    pub leaks: Vec<(&'static str, &'static Location<'static>)>,
    /// Where threads were woken without a reason.
    pub woken: Vec<&'static Location<'static>>,
    /// Who knows places in the code and in memory, if the program is a native one.
    pub host: Native,
}

/// The host of a native program, if it is one.
#[derive(Clone, Default)]
pub struct Native(pub(crate) Option<Arc<dyn Host>>);

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Native").field(&self.0.is_some()).finish()
    }
}

/// A thread that waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: u32,
    /// For what, as the end of a sentence.
    pub why: &'static str,
    /// Where in the program.
    pub site: &'static Location<'static>,
    /// The location whose value it waits for.
    pub location: Option<LocationId>,
    /// The thread whose end it waits for.
    pub child: Option<u32>,
}

impl Failure {
    /// Something that went wrong outside any execution.
    pub(crate) fn without_execution(message: String, site: Option<&'static Location<'static>>) -> Self {
        Failure {
            violation: Violation { kind: ViolationKind::Bound, message, events: Vec::new(), site },
            place: None,
            thread: None,
            graph: Graph::default(),
            names: Vec::new(),
            waiting: Vec::new(),
            script: String::new(),
            leaks: Vec::new(),
            woken: Vec::new(),
            host: Native::default(),
        }
    }

    /// What was to be replayed is not an execution.
    pub(crate) fn of_replay(message: String) -> Self {
        let mut failure = Failure::without_execution(message, None);
        failure.violation.kind = ViolationKind::Replay;
        failure
    }

    /// What is wrong with the execution that has just ended.
    pub(crate) fn of(context: &mut Context, mut violation: Violation) -> Self {
        say_places(context, &mut violation);
        if violation.kind == ViolationKind::Replay {
            return Failure { violation, ..Failure::of_replay(String::new()) };
        }
        if context.culprit.is_some() {
            context.explorer.forget_unrun();
        }
        let thread = context.culprit.or(violation.events.last().map(|event| event.thread()));
        Failure {
            violation,
            thread,
            place: context.panic_place.clone(),
            graph: context.explorer.graph().clone(),
            names: context.slots.iter().map(|slot| slot.name.clone()).collect(),
            waiting: waiting(context),
            script: context.explorer.script(),
            woken: context.slots.iter().filter_map(|slot| slot.woken_at).collect(),
            leaks: context.registrations.iter().filter_map(|&registration| registration).collect(),
            host: Native(context.host.clone()),
        }
    }
}

/// Says where a thread was before that now does something else, or where it does something that it was not told.
fn say_places(context: &Context, violation: &mut Violation) {
    let place = |site: &'static Location<'static>| match &context.host {
        Some(host) => host.place_of(site).map(|(file, line, _)| format!("{file}:{line}")),
        None => Some(site.to_string()),
    };
    match violation.kind {
        ViolationKind::Nondeterminism => {
            let before = violation.events.last().map(|&id| context.explorer.graph().event(id));
            let before = before.filter(|event| !matches!(event.kind, Kind::Begin | Kind::End));
            if let Some(before) = before.and_then(|event| place(event.site)) {
                violation.message.push_str(&format!(" (before: {before})"));
            }
        }
        ViolationKind::Replay => {
            if let Some(place) = violation.site.and_then(place) {
                violation.message.push_str(&format!(" ({place})"));
            }
        }
        _ => {}
    }
}

impl Waiting {
    /// Whether the thread waits for nothing but the end of the program: it ends that, or has ended and will do so after all
    /// others.
    pub(crate) fn is_for_end(&self) -> bool {
        self.child == Some(self.thread) && self.why == "for the end of the program"
            || self.child.is_some() && self.why == "for the last thread to end"
    }
}

/// The threads that wait, and what for.
pub(crate) fn waiting(context: &Context) -> Vec<Waiting> {
    let slots = &context.slots;
    let blocked = context.explorer.blocked().filter_map(|(thread, round)| {
        let last = context.explorer.graph().threads()[thread as usize].events.last()?;
        let why = if round.is_none() { "for an assumption that does not hold" } else { "in a loop for another value" };
        let site = context.explorer.parked_at(thread).unwrap_or(last.site);
        Some(Waiting { thread, why, site, location: None, child: None })
    });
    let waiting = context.explorer.waiting().map(|(thread, operation, site)| Waiting {
        thread,
        why: slots[thread as usize].why,
        site,
        location: if let Operation::Read { location, .. } = operation { Some(location) } else { None },
        child: if let Operation::Join(child) = operation { Some(child) } else { None },
    });
    waiting.chain(blocked).collect()
}

/// Whether the execution has ended with threads that wait forever, and what to call it.
pub(crate) fn hopeless(context: &Context) -> Option<Violation> {
    // Most threads that go no further have read what has changed since.
    if context.explorer.blocked().any(|(thread, round)| is_out_of_date(context, thread, round)) {
        return None;
    }
    let blocked: Vec<_> = context.explorer.blocked().collect();
    // A failed assumption, or a spin on a value that is out of date: the thread could go on in another execution.
    if !is_for_ever(context, &blocked) {
        return None;
    }
    let mut spins = !blocked.is_empty();
    let waiting = waiting(context);
    let first = waiting.iter().find(|one| !one.is_for_end()).or(waiting.first())?;
    // Who waits for itself to end is in a loop in which nothing happens.
    spins |= waiting.iter().any(|one| one.child == Some(one.thread) && !one.is_for_end());
    let list = waiting.iter().map(|one| format!("thread {} waits {}", one.thread, one.why));
    let (kind, what) = if spins {
        (ViolationKind::Livelock, "livelock: a thread waits in a loop for a value that nobody will write")
    } else {
        (ViolationKind::Deadlock, "deadlock: nobody can go on")
    };
    let message = format!("{what}; {}", list.collect::<Vec<_>>().join(", "));
    Some(Violation { kind, message, events: Vec::new(), site: Some(first.site) })
}
