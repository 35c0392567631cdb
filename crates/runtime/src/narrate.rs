//! From a failure to the run that a person can read: the events of the graph become steps with source lines, values and
//! the names that the program's text gives to its memory. Nothing here can fail: what cannot be found out is left out.

mod hint;
mod interleave;
mod labels;
mod sources;
mod steps;

use crate::native::{self, EventId};
use crate::{Failure, MemoryModel, ViolationKind};
use quotient_report::Execution;
use quotient_report::execution::{Leak, Related, Thread, Waiting};
use sources::Sources;
use steps::Numbers;

/// The run that a failure is about. `test` is the name by which `cargo test` finds the test.
pub fn narrate(failure: &Failure, model: MemoryModel, test: Option<&str>) -> Execution {
    let Failure { violation, graph, .. } = failure;
    let mut sources = Sources::new(failure.host.0.clone());
    let (order, weak) = interleave::interleave(graph, failure.thread);
    let numbers = Numbers::of(graph, order);
    let steps = steps::steps(graph, &numbers, &mut sources);
    let places = labels::places(graph, &numbers, &mut sources);
    let place = failure.place.clone().and_then(|(file, line, column)| sources.site(&file, line, column));
    Execution {
        test: test.map(str::to_owned),
        memory_model: model.name().to_owned(),
        kind: violation.kind.name().to_owned(),
        message: violation.message.clone(),
        location: place.or_else(|| violation.site.and_then(|site| sources.of(site))),
        thread: failure.thread.map(|thread| thread as usize),
        concerns: violation.events.iter().filter_map(|&event| numbers.step(event)).collect(),
        threads: threads(failure, &mut sources),
        places,
        weak,
        steps,
        related: related(failure, &numbers, &mut sources),
        waiting: waiting(failure, &numbers, &mut sources),
        leaks: leaks(failure, &mut sources),
        replay: failure.script.clone(),
    }
}

fn threads(failure: &Failure, sources: &mut Sources) -> Vec<Thread> {
    let graph = &failure.graph;
    let existing = graph.threads().iter().enumerate().filter(|(_, thread)| thread.exists);
    let thread = |(number, thread): (usize, &quotient_graph::Thread)| Thread {
        thread: number,
        name: failure.names.get(number).cloned().flatten(),
        spawned: thread.spawned_by.is_real().then(|| graph.event(thread.spawned_by).site).and_then(|at| sources.of(at)),
    };
    existing.map(thread).collect()
}

/// What is no event and yet matters.
fn related(failure: &Failure, numbers: &Numbers, sources: &mut Sources) -> Vec<Related> {
    let related = failure.host.0.iter().flat_map(|host| host.related());
    let one = |(next, what, site): (EventId, String, native::Site)| Related {
        thread: next.thread() as usize,
        what,
        after: next.position().checked_sub(1).and_then(|last| numbers.step(EventId::new(next.thread(), last))),
        location: sources.of(site),
    };
    related.map(one).collect()
}

fn waiting(failure: &Failure, numbers: &Numbers, sources: &mut Sources) -> Vec<Waiting> {
    let waiting = failure.waiting.iter().map(|one| Waiting {
        thread: one.thread as usize,
        why: one.why.to_owned(),
        location: sources.of(one.site),
        place: one.location.and_then(|location| numbers.places().iter().position(|&known| known == location)),
        child: one.child.filter(|&child| child != one.thread).map(|child| child as usize),
    });
    waiting.collect()
}

/// What was never freed. When an execution ends early for another reason, objects are still alive, not leaked.
fn leaks(failure: &Failure, sources: &mut Sources) -> Vec<Leak> {
    let leaks = failure.leaks.iter().filter(|_| failure.violation.kind == ViolationKind::Leak);
    leaks.map(|&(what, site)| Leak { what: what.to_owned(), location: sources.of(site) }).collect()
}
