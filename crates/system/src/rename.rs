//! What a renaming of processes and objects does to operations, outcomes and states. Follows section 7.4 of the design: names of
//! processes and objects are renamed, numbers of descriptors and bytes are not.

use std::rc::Rc;

use crate::found::Move;
use crate::grow::Node;
use crate::names::{Names, ObjectId};
use crate::object::{Inode, Kind, Object, OpenFile, Owner, Phase, Pipe, SemSet, Socket};
use crate::op::{Id, MemoryOp, MsgOp, Op, Pid, SemOp, Who};
use crate::outcome::{Extra, Outcome};
use crate::perform::Choice;
use crate::state::{Process, Progress, State};
use crate::work::{Spot, WHOLE};

/// A renaming. What is not listed is renamed with its maker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// The place of this renaming in its group.
    pub(crate) index: usize,
    pub(crate) pids: Vec<(Pid, Pid)>,
    pub(crate) objects: Vec<(ObjectId, ObjectId)>,
    /// Semaphores: set and index.
    pub(crate) sems: Vec<((ObjectId, usize), (ObjectId, usize))>,
}

fn find<K: PartialEq, V: Copy>(pairs: &[(K, V)], key: &K) -> Option<V> {
    pairs.iter().find(|pair| pair.0 == *key).map(|pair| pair.1)
}

impl Renaming {
    pub(crate) fn is_identity(&self) -> bool {
        self.pids.iter().all(|pair| pair.0 == pair.1)
            && self.objects.iter().all(|pair| pair.0 == pair.1)
            && self.sems.iter().all(|pair| pair.0 == pair.1)
    }

    pub(crate) fn pid(&self, names: &mut Names, pid: Pid) -> Pid {
        if let Some(image) = find(&self.pids, &pid) {
            return image;
        }
        match names.maker_of_process(pid) {
            None => pid,
            Some((parent, nth)) => {
                let parent = self.pid(names, parent);
                names.child(parent, nth)
            }
        }
    }

    pub(crate) fn object(&self, names: &mut Names, id: ObjectId) -> ObjectId {
        if let Some(image) = find(&self.objects, &id) {
            return image;
        }
        match names.maker_of_object(id) {
            None => id,
            Some((maker, nth)) => {
                let maker = self.pid(names, maker);
                names.object(maker, nth)
            }
        }
    }

    fn id(&self, names: &mut Names, id: Id) -> Id {
        self.object(names, id as ObjectId) as Id
    }

    fn sem(&self, names: &mut Names, id: ObjectId, index: usize) -> (ObjectId, usize) {
        find(&self.sems, &(id, index)).unwrap_or_else(|| (self.object(names, id), index))
    }

    pub(crate) fn spot(&self, names: &mut Names, state: &State, spot: Spot) -> Spot {
        match spot {
            Spot::Object(id, part) => match state.object(id) {
                Some(Object::Sems(_)) if part != WHOLE => {
                    let (id, index) = self.sem(names, id, part as usize);
                    Spot::Object(id, index as u32)
                }
                _ => Spot::Object(self.object(names, id), part),
            },
            Spot::Name(hash) => Spot::Name(hash),
            Spot::Children(pid) => Spot::Children(self.pid(names, pid)),
            Spot::Signals(pid) => Spot::Signals(self.pid(names, pid)),
        }
    }

    pub(crate) fn choice(&self, names: &mut Names, choice: &Choice) -> Choice {
        match choice {
            Choice::Reap(pid) => Choice::Reap(self.pid(names, *pid)),
            Choice::Wake(pid) => Choice::Wake(self.pid(names, *pid)),
            other => other.clone(),
        }
    }

    pub(crate) fn of_move(&self, names: &mut Names, one: &Move) -> Move {
        Move { pid: self.pid(names, one.pid), choice: self.choice(names, &one.choice) }
    }

    /// The image of an operation.
    pub(crate) fn op(&self, names: &mut Names, op: &Op) -> Option<Op> {
        let mut op = op.clone();
        match &mut op {
            Op::Wait { who: Who::Child(pid) | Who::Group(pid), .. } => *pid = self.pid(names, *pid),
            Op::Kill { to, .. } if *to > 0 => *to = self.pid(names, *to),
            Op::Sem(sem) => match sem {
                SemOp::Get { .. } => {}
                SemOp::Change { id, entries, .. } => {
                    let mut set = None;
                    for entry in &mut *entries {
                        let (to, index) = self.sem(names, *id as ObjectId, entry.index);
                        if set.is_some_and(|set| set != to) {
                            return None;
                        }
                        set = Some(to);
                        entry.index = index;
                    }
                    *id = set.map_or_else(|| self.id(names, *id), |set| set as Id);
                }
                SemOp::Value { id, index }
                | SemOp::SetValue { id, index, .. }
                | SemOp::LastPid { id, index }
                | SemOp::Waiting { id, index, .. } => {
                    let (set, at) = self.sem(names, *id as ObjectId, *index);
                    (*id, *index) = (set as Id, at);
                }
                // These tell of all semaphores in their order.
                SemOp::Values { id } | SemOp::SetValues { id, .. } => {
                    if self.sems.iter().any(|pair| pair.0.0 == *id as ObjectId && pair.0 != pair.1) {
                        return None;
                    }
                    *id = self.id(names, *id);
                }
                SemOp::Size { id } | SemOp::Remove { id } => *id = self.id(names, *id),
            },
            Op::Msg(msg) => match msg {
                MsgOp::Get { .. } => {}
                MsgOp::Send { id, .. } | MsgOp::Receive { id, .. } | MsgOp::Count { id } | MsgOp::Remove { id } => {
                    *id = self.id(names, *id);
                }
            },
            Op::Memory(memory) => match memory {
                MemoryOp::Get { .. } | MemoryOp::Anonymous { .. } | MemoryOp::MapFile { .. } => {}
                MemoryOp::Attach { id } | MemoryOp::Detach { id } | MemoryOp::Size { id } | MemoryOp::Remove { id } => {
                    *id = self.id(names, *id);
                }
            },
            Op::FutexWait { segment, .. } | Op::FutexWake { segment, .. } => *segment = self.id(names, *segment),
            _ => {}
        }
        Some(op)
    }

    /// The image of an outcome of this operation.
    pub(crate) fn outcome(&self, names: &mut Names, op: &Op, outcome: &Outcome) -> Outcome {
        let mut outcome = outcome.clone();
        if outcome.value > 0 {
            match op {
                Op::Fork { .. } | Op::Wait { .. } | Op::Parent => {
                    outcome.value = i64::from(self.pid(names, outcome.value as Pid));
                }
                Op::Sem(SemOp::Get { .. }) | Op::Msg(MsgOp::Get { .. }) | Op::Memory(MemoryOp::Get { .. }) => {
                    outcome.value = i64::from(self.id(names, outcome.value as Id));
                }
                _ => {}
            }
        }
        match &mut outcome.extra {
            Extra::Child { pid, parent } => {
                *pid = self.pid(names, *pid);
                *parent = self.pid(names, *parent);
            }
            Extra::Holder { pid, .. } => *pid = self.pid(names, *pid),
            Extra::Stat(stat) => stat.inode = u64::from(self.object(names, stat.inode as ObjectId)),
            Extra::Entries(entries) => {
                for entry in entries {
                    entry.inode = u64::from(self.object(names, entry.inode as ObjectId));
                }
            }
            Extra::Segment { segment, .. } => *segment = self.id(names, *segment),
            _ => {}
        }
        for (_, sender) in &mut outcome.signals {
            *sender = self.pid(names, *sender);
        }
        for contents in &mut outcome.memory {
            contents.segment = self.id(names, contents.segment);
        }
        outcome.memory.sort();
        outcome
    }

    /// The image of a state. `node` says where a process's node is taken to.
    pub(crate) fn state(
        &self,
        names: &mut Names,
        state: &State,
        mut node: impl FnMut(Pid, Node) -> Option<Node>,
    ) -> Option<State> {
        let mut processes = Vec::with_capacity(state.processes.len());
        for process in &state.processes {
            let to = if process.runs() { node(process.pid, process.node)? } else { process.node };
            processes.push(Rc::new(self.process(names, process, to)));
        }
        let mut objects = Vec::with_capacity(state.objects.len());
        for (id, object) in &state.objects {
            objects.push((self.object(names, *id), self.inside(names, state, *id, object)?));
        }
        processes.sort_by_key(|process| process.pid);
        objects.sort_by_key(|entry| entry.0);
        let once = processes.windows(2).all(|two| two[0].pid != two[1].pid)
            && objects.windows(2).all(|two| two[0].0 != two[1].0);
        once.then_some(State { processes, objects })
    }

    fn process(&self, names: &mut Names, process: &Process, node: Node) -> Process {
        let mut image = process.clone();
        image.pid = self.pid(names, process.pid);
        image.parent = self.pid(names, process.parent);
        image.node = node;
        for entry in &mut image.fds {
            entry.1 = self.object(names, entry.1);
        }
        for entry in &mut image.pending {
            entry.1 = self.pid(names, entry.1);
        }
        for entry in &mut image.mapped {
            entry.0 = self.object(names, entry.0);
        }
        image.mapped.sort_unstable();
        image.directory = process.directory.map(|id| self.object(names, id));
        for entry in &mut image.undo {
            (entry.0, entry.1) = self.sem(names, entry.0, entry.1);
        }
        image.undo.sort_unstable();
        match &mut image.progress {
            Progress::None | Progress::Written(_) | Progress::Woken => {}
            Progress::Parked(id, _) | Progress::Opening(id) | Progress::Locking(id, ..) => {
                *id = self.object(names, *id)
            }
            Progress::Lent(pid) | Progress::Returned(pid) => *pid = self.pid(names, *pid),
        }
        image
    }

    fn inside(&self, names: &mut Names, state: &State, id: ObjectId, object: &Rc<Object>) -> Option<Rc<Object>> {
        let image = match &**object {
            Object::Open(open) => {
                let what = match open.what.object() {
                    Some(object) => open.what.of(self.object(names, object)),
                    None => open.what,
                };
                Object::Open(OpenFile { what, ..open.clone() })
            }
            Object::Sems(set) => {
                let mut values = vec![0; set.values.len()];
                for (index, value) in values.iter_mut().enumerate() {
                    // Which semaphore comes here: the one of any set whose image this is.
                    let here = (self.object(names, id), index);
                    let (from, at) = self.sems.iter().find(|pair| pair.1 == here).map_or((id, index), |pair| pair.0);
                    match state.object(from) {
                        Some(Object::Sems(set)) => *value = *set.values.get(at)?,
                        _ => return None,
                    }
                }
                Object::Sems(SemSet { key: set.key, values })
            }
            Object::Pipe(pipe) => match pipe.inode {
                None => return Some(Rc::clone(object)),
                Some(inode) => Object::Pipe(Pipe { inode: Some(self.object(names, inode)), ..pipe.clone() }),
            },
            Object::Event(_) | Object::Queue(_) | Object::Timer(_) | Object::Segment(_) => {
                return Some(Rc::clone(object));
            }
            Object::Inode(inode) => {
                let mut inode: Inode = inode.clone();
                match &mut inode.kind {
                    Kind::File(_) | Kind::Symlink(_) => {}
                    Kind::Directory { entries, parent } => {
                        for entry in entries {
                            entry.1 = self.object(names, entry.1);
                        }
                        *parent = parent.map(|parent| self.object(names, parent));
                    }
                    Kind::Fifo(id) | Kind::Socket(id) => *id = self.object(names, *id),
                }
                for held in &mut inode.locks {
                    held.owner = match held.owner {
                        Owner::Flock(id) => Owner::Flock(self.object(names, id)),
                        Owner::Open(id) => Owner::Open(self.object(names, id)),
                        Owner::Process(pid) => Owner::Process(self.pid(names, pid)),
                    };
                }
                inode.locks.sort_unstable();
                Object::Inode(inode)
            }
            Object::Socket(socket) => {
                let mut socket: Socket = socket.clone();
                match &mut socket.phase {
                    Phase::New => {}
                    Phase::Listening { waiting, .. } => {
                        for id in waiting {
                            *id = self.object(names, *id);
                        }
                    }
                    Phase::Connected(other) => *other = other.map(|id| self.object(names, id)),
                }
                for message in &mut socket.messages {
                    for id in &mut message.files {
                        *id = self.object(names, *id);
                    }
                }
                Object::Socket(socket)
            }
            Object::Epoll(watched) => {
                let mut watched = watched.clone();
                for entry in &mut watched {
                    entry.file = self.object(names, entry.file);
                }
                Object::Epoll(watched)
            }
        };
        Some(Rc::new(image))
    }
}
