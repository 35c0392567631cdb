//! Who can come to something: which processes have a reference to it, or can get one without those who have. Follows section 7.3 of
//! the design: descriptors are capabilities.

use crate::grow::Node;
use crate::names::ObjectId;
use crate::object::{Object, OpenKind, Phase};
use crate::op::{Op, Pid};
use crate::sem;
use crate::state::State;
use crate::work::{Habits, Spot, Touch};

/// Which moves of a state are enough: indices of processes of which all moves are, smallest first found. `None` if it takes all.
///
/// A set is enough if nobody outside it can ever change what its members look at, as long as the members do nothing. What a member
/// looks at decides whether it waits and what it does, so members must not wait: they would begin to because of somebody outside
/// only if that one could reach what they look at, and then it would be inside.
pub(crate) fn persistent(
    state: &State,
    moves: &[(Pid, bool, &[Touch])],
    op: impl Fn(Node) -> Op,
    habits: Habits,
    closes: bool,
) -> Option<Vec<Pid>> {
    let runs = |pid: Pid| state.process(pid).is_some_and(|process| process.runs());
    let mut best: Option<Vec<Pid>> = None;
    for &(first, enabled, _) in moves {
        if !enabled {
            continue;
        }
        let node = state.process(first).expect("it moves").node;
        if !habits.odd_semaphores && !habits.signals && sem::only_gives(&op(node)) {
            return Some(vec![first]);
        }
        let mut members = vec![first];
        let mut next = 0;
        let mut stuck = false;
        while next < members.len() && !stuck {
            let member = members[next];
            next += 1;
            let Some((_, enabled, touched)) = moves.iter().find(|entry| entry.0 == member) else { continue };
            if !enabled {
                stuck = true;
                break;
            }
            if !closes {
                continue;
            }
            let spots = touched.iter().map(|touch| touch.spot);
            for spot in spots.filter(|spot| habits.signals || *spot != Spot::Signals(member)) {
                for &(other, _, _) in moves {
                    if !members.contains(&other) && runs(other) && reaches(state, other, spot) {
                        members.push(other);
                    }
                }
            }
            if best.as_ref().is_some_and(|best| best.len() <= members.len()) {
                stuck = true;
            }
        }
        if !stuck && members.len() < moves.len() && best.as_ref().is_none_or(|best| members.len() < best.len()) {
            best = Some(members);
        }
    }
    best
}

/// Whether a process can come to something without the help of those who have it.
fn reaches(state: &State, pid: Pid, spot: Spot) -> bool {
    let process = state.process(pid).expect("it is there");
    match spot {
        Spot::Name(_) | Spot::Signals(_) => true,
        Spot::Children(parent) => parent == pid || process.parent == parent,
        Spot::Object(id, _) => {
            let mut seen = Vec::new();
            has_a_name(state, id)
                || process.mapped.iter().any(|entry| entry.0 == id)
                || process.fds.iter().any(|entry| leads(state, entry.1, id, &mut seen))
        }
    }
}

/// Whether anybody may come to an object, because it has a name or a number that can be passed on.
fn has_a_name(state: &State, id: ObjectId) -> bool {
    match state.object(id) {
        Some(Object::Sems(_) | Object::Inode(_)) => true,
        Some(Object::Queue(queue)) => !queue.posix || queue.name.is_some(),
        Some(Object::Segment(segment)) => !segment.temporary || segment.key.is_some(),
        Some(Object::Socket(socket)) => socket.name.is_some() || socket.phase == Phase::New,
        Some(Object::Pipe(pipe)) => pipe.inode.is_some(),
        Some(Object::Open(_) | Object::Event(_) | Object::Epoll(_) | Object::Timer(_)) => false,
        // It is gone, or it is about to be made: nobody knows its name.
        None => false,
    }
}

/// Whether an object is, or leads to, another.
fn leads(state: &State, from: ObjectId, to: ObjectId, seen: &mut Vec<ObjectId>) -> bool {
    if from == to {
        return true;
    }
    if seen.contains(&from) {
        return false;
    }
    seen.push(from);
    match state.object(from) {
        Some(Object::Open(open)) => match open.what {
            OpenKind::Signals(_) => false,
            what => what.object().is_some_and(|object| leads(state, object, to, seen)),
        },
        Some(Object::Socket(socket)) => {
            let sent = socket.messages.iter().flat_map(|message| &message.files);
            let mut next: Vec<ObjectId> = sent.copied().collect();
            match &socket.phase {
                Phase::New => {}
                Phase::Listening { waiting, .. } => next.extend(waiting),
                Phase::Connected(other) => next.extend(other),
            }
            next.into_iter().any(|object| leads(state, object, to, seen))
        }
        Some(Object::Epoll(watched)) => watched.iter().any(|watched| leads(state, watched.file, to, seen)),
        _ => false,
    }
}
