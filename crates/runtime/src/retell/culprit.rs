//! Which thread did something wrong, as far as an execution tells: a failure does not say which thread was running.

use crate::{Failure, ViolationKind};
use quotient_graph::{EventId, Graph, Kind, ThreadId};

/// The thread of the last event concerned, or the one that was running; nothing if that cannot be told for sure.
pub(super) fn culprit(failure: &Failure) -> Option<ThreadId> {
    let Failure { violation, graph, .. } = failure;
    if let Some(event) = violation.events.last() {
        return Some(event.thread());
    }
    let alone = match violation.kind {
        ViolationKind::Panic | ViolationKind::Memory | ViolationKind::Misuse | ViolationKind::Annotation => true,
        // A loop without any visible operation leaves no event.
        ViolationKind::Livelock => !graph.run_order().iter().any(|&event| graph.event(event).kind == Kind::Block),
        _ => false,
    };
    if alone { running(failure) } else { None }
}

/// The thread that was running when the execution ended early.
///
/// A thread goes on as long as it can, so it is the one that has made the last step, unless that one could not go on
/// from there; then it is the first that had not made a step yet.
fn running(failure: &Failure) -> Option<ThreadId> {
    let Failure { graph, waiting, .. } = failure;
    let can_go_on = |&thread: &ThreadId| {
        let last = graph.threads()[thread as usize].events.last();
        let stopped = last.is_none_or(|event| matches!(event.kind, Kind::End | Kind::Block));
        !stopped && waiting.iter().all(|one| one.thread != thread)
    };
    let threads: Vec<ThreadId> = (0..graph.threads().len() as ThreadId).filter(can_go_on).collect();
    if let [only] = threads[..] {
        return Some(only);
    }
    let mut steps = graph.run_order().iter().rev().filter(|&&event| graph.event(event).kind != Kind::Begin);
    let last = steps.next().map_or(0, |event| event.thread());
    if threads.contains(&last) {
        return (!is_ambiguous(graph)).then_some(last);
    }
    threads.into_iter().find(|&thread| graph.len_of(thread) == 1)
}

/// Whether the last step may not have run: a read that was made to read from the update before it, which runs here for
/// the first time.
fn is_ambiguous(graph: &Graph) -> bool {
    let mut events = graph.run_order().iter().rev().copied();
    let mut last = events.next().unwrap_or(EventId::NONE);
    if last.is_real() && graph.event(last).is_write() && graph.event(last).exclusive {
        last = events.next().unwrap_or(EventId::NONE);
    }
    let Some(before) = events.next() else { return false };
    let (last_event, update) = (graph.event(last), graph.event(before));
    last_event.is_read() && last_event.other == before && update.exclusive && before.thread() != last.thread()
}
