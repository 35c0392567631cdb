//! What processes leave behind: objects that stay until somebody removes them, and locks that nobody will give back. Follows section 8
//! of the design: these are warnings, and no violations.

use crate::found::Leak;
use crate::names::ObjectId;
use crate::object::{Kind, Object, Owner};
use crate::op::Pid;
use crate::state::State;
use crate::world::World;

/// Notes what is still there in a state in which nothing can happen.
pub(crate) fn note(world: &World<'_>, state: &State, leaks: &mut Vec<Leak>) {
    let found = if state.processes.iter().all(|process| !process.runs()) {
        objects(world, state)
    } else if world.may_end(state) {
        locks(world, state)
    } else {
        Vec::new()
    };
    for leak in found {
        if !leaks.contains(&leak) {
            leaks.push(leak);
        }
    }
}

/// The objects that outlive processes.
fn objects(world: &World<'_>, state: &State) -> Vec<Leak> {
    let mut found = Vec::new();
    for (id, object) in &state.objects {
        let what = match &**object {
            Object::Sems(_) => "semaphore set",
            Object::Queue(queue) if queue.posix => "message queue of POSIX",
            Object::Queue(_) => "message queue",
            Object::Segment(_) => "shared segment",
            _ => continue,
        };
        let maker = world.names.maker_of_object(*id).map(|maker| maker.0);
        found.push(Leak::Object { what, maker });
    }
    found
}

/// The locks on files that somebody has who may wait forever.
fn locks(world: &World<'_>, state: &State) -> Vec<Leak> {
    let mut found = Vec::new();
    for (id, object) in &state.objects {
        let Object::Inode(inode) = &**object else { continue };
        for held in &inode.locks {
            let holder = match held.owner {
                Owner::Process(pid) => Some(pid),
                Owner::Flock(file) | Owner::Open(file) => holder(state, file),
            };
            if let Some(holder) = holder {
                found.push(Leak::Lock { path: path(world, state, *id), holder });
            }
        }
    }
    found
}

/// A process that has an open file.
fn holder(state: &State, file: ObjectId) -> Option<Pid> {
    let has = |fds: &[(i32, ObjectId)]| fds.iter().any(|entry| entry.1 == file);
    state.processes.iter().find(|process| has(&process.fds)).map(|process| process.pid)
}

/// A path that leads to a file.
fn path(world: &World<'_>, state: &State, wanted: ObjectId) -> Option<Vec<u8>> {
    let mut open: Vec<(Vec<u8>, ObjectId)> = world.roots.clone();
    while let Some((path, id)) = open.pop() {
        if id == wanted {
            return Some(path);
        }
        if let Some(Object::Inode(inode)) = state.object(id)
            && let Kind::Directory { entries, .. } = &inode.kind
        {
            open.extend(entries.iter().map(|(name, id)| ([&path[..], b"/", name].concat(), *id)));
        }
    }
    None
}
