//! Names of objects that no process ever sees, such as open files and pipes: they are numbered anew after every transition, in the order
//! in which they are come to from the processes. Follows the idea that states that differ only in such names are one.

use crate::names::{Names, ObjectId};
use crate::object::{Kind, Object, Phase};
use crate::rename::Renaming;
use crate::state::{Progress, State};

/// Numbers from here on are names that no process sees.
pub(crate) const FIRST_UNSEEN: ObjectId = 1 << 24;

/// The state with its unseen objects numbered in the order in which they are come to.
pub(crate) fn label(names: &mut Names, state: State) -> State {
    let first = state.objects.partition_point(|entry| entry.0 < FIRST_UNSEEN);
    if first == state.objects.len() {
        return state;
    }
    let mut order = Vec::with_capacity(state.objects.len() - first);
    for process in &state.processes {
        for &(_, file) in &process.fds {
            visit(&state, file, &mut order);
        }
        if let Progress::Opening(file) = process.progress {
            visit(&state, file, &mut order);
        }
    }
    for (_, object) in &state.objects[..first] {
        if let Object::Inode(inode) = &**object
            && let Kind::Fifo(id) | Kind::Socket(id) = inode.kind
        {
            visit(&state, id, &mut order);
        }
    }
    for &(id, _) in &state.objects[first..] {
        visit(&state, id, &mut order);
    }
    let objects: Vec<(ObjectId, ObjectId)> =
        order.iter().enumerate().map(|(at, &id)| (id, FIRST_UNSEEN + at as ObjectId)).collect();
    if objects.iter().all(|pair| pair.0 == pair.1) {
        return state;
    }
    let renaming = Renaming { objects, ..Renaming::default() };
    renaming.state(names, &state, |_, node| Some(node)).expect("different objects have different names")
}

fn visit(state: &State, id: ObjectId, order: &mut Vec<ObjectId>) {
    if id < FIRST_UNSEEN || order.contains(&id) {
        return;
    }
    let Some(object) = state.object(id) else { return };
    order.push(id);
    match object {
        Object::Open(open) => {
            if let Some(id) = open.what.object() {
                visit(state, id, order);
            }
        }
        Object::Socket(socket) => {
            match &socket.phase {
                Phase::New => {}
                Phase::Listening { waiting, .. } => {
                    for &id in waiting {
                        visit(state, id, order);
                    }
                }
                Phase::Connected(other) => {
                    if let Some(id) = other {
                        visit(state, *id, order);
                    }
                }
            }
            for &id in socket.messages.iter().flat_map(|message| &message.files) {
                visit(state, id, order);
            }
        }
        Object::Epoll(watched) => {
            for entry in watched {
                visit(state, entry.file, order);
            }
        }
        _ => {}
    }
}
