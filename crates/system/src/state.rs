//! A state of the system: where every process is, and what is in every object. Follows section 1 of the design: states are plain
//! values, which are copied and compared.

use std::rc::Rc;

use crate::grow::Node;
use crate::names::ObjectId;
use crate::object::Object;
use crate::op::{Fd, Lock, Pid, Signal};

/// Where every process is, and what is in every object. Parts that are equal in several states are kept once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// By id.
    pub(crate) processes: Vec<Rc<Process>>,
    /// By name.
    pub(crate) objects: Vec<(ObjectId, Rc<Object>)>,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    /// 1 if it has ended, or if there was none.
    pub(crate) parent: Pid,
    /// It may wait forever.
    pub(crate) service: bool,
    pub(crate) node: Node,
    pub(crate) life: Life,
    /// What its descriptors stand for, by number.
    pub(crate) fds: Vec<(Fd, ObjectId)>,
    pub(crate) progress: Progress,
    /// Signals that were not delivered yet, with their senders, by number.
    pub(crate) pending: Vec<(Signal, Pid)>,
    /// Segments that it maps, with how often it maps them, by name.
    pub(crate) mapped: Vec<(ObjectId, u32)>,
    /// The shared directory that it has gone to, if it has; it may have gone elsewhere since.
    pub(crate) directory: Option<ObjectId>,
    /// What is given back to semaphores when it ends: set, index, amount.
    pub(crate) undo: Vec<(ObjectId, usize, i32)>,
    pub(crate) alarm: Alarm,
    /// How many objects it has made under names that processes may see.
    pub(crate) made: u32,
}

/// Whether a process has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Life {
    Running,
    /// It has ended with this status, in the form of `wait`, and nobody has asked yet.
    Zombie(i32),
}

/// How far a process has come with its operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// It has not begun.
    None,
    /// So many bytes of a long write are written.
    Written(usize),
    /// It waits at a word of shared memory.
    Parked(ObjectId, usize),
    /// It was woken there.
    Woken,
    /// It has called `vfork` and waits for this child.
    Lent(Pid),
    /// That child has called `exec` or has ended.
    Returned(Pid),
    /// It opens a named pipe, as this open file, and waits for the other end.
    Opening(ObjectId),
    /// It waits for a lock on a range of a file.
    Locking(ObjectId, i64, i64, Lock),
}

/// The alarm clock of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Alarm {
    Off,
    Once,
    Again,
}

impl State {
    pub(crate) fn index_of(&self, pid: Pid) -> Option<usize> {
        self.processes.binary_search_by_key(&pid, |process| process.pid).ok()
    }

    pub(crate) fn process(&self, pid: Pid) -> Option<&Rc<Process>> {
        self.index_of(pid).map(|index| &self.processes[index])
    }

    pub(crate) fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.binary_search_by_key(&id, |entry| entry.0).ok().map(|index| &*self.objects[index].1)
    }

    pub(crate) fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        let index = self.objects.binary_search_by_key(&id, |entry| entry.0).ok()?;
        Some(Rc::make_mut(&mut self.objects[index].1))
    }

    pub(crate) fn add_object(&mut self, id: ObjectId, object: Object) {
        let index = self.objects.binary_search_by_key(&id, |entry| entry.0).expect_err("a name is given once");
        self.objects.insert(index, (id, Rc::new(object)));
    }

    pub(crate) fn remove_object(&mut self, id: ObjectId) {
        if let Ok(index) = self.objects.binary_search_by_key(&id, |entry| entry.0) {
            self.objects.remove(index);
        }
    }

    pub(crate) fn add_process(&mut self, process: Process) {
        let index =
            self.processes.binary_search_by_key(&process.pid, |other| other.pid).expect_err("a process is made once");
        self.processes.insert(index, Rc::new(process));
    }

    pub(crate) fn remove_process(&mut self, pid: Pid) {
        if let Some(index) = self.index_of(pid) {
            self.processes.remove(index);
        }
    }
}

impl Process {
    pub(crate) fn new(pid: Pid, parent: Pid, service: bool, node: Node) -> Self {
        Self {
            pid,
            parent,
            service,
            node,
            life: Life::Running,
            fds: Vec::new(),
            progress: Progress::None,
            pending: Vec::new(),
            mapped: Vec::new(),
            directory: None,
            undo: Vec::new(),
            alarm: Alarm::Off,
            made: 0,
        }
    }

    pub(crate) fn file(&self, fd: Fd) -> Option<ObjectId> {
        self.fds.binary_search_by_key(&fd, |entry| entry.0).ok().map(|index| self.fds[index].1)
    }

    pub(crate) fn runs(&self) -> bool {
        self.life == Life::Running
    }
}
