//! One operation at work on a copy of a state. Follows the idea that what an operation touches is what it looked at: every access to
//! something that processes share goes through here and is noted.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::errno::EBADF;
use crate::grow::{Signals, Stop};
use crate::label::FIRST_UNSEEN;
use crate::names::{Names, Noticed, ObjectId};
use crate::object::{Inode, Object, OpenFile};
use crate::op::{Fd, Pid};
use crate::outcome::Outcome;
use crate::state::{Process, State};

/// Something that operations of several processes can meet at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Spot {
    /// A part of an object: a semaphore of a set, a name in a directory; [`WHOLE`] for all of it.
    Object(ObjectId, u32),
    /// A name in one of the spaces of names, by its hash: keys, ports, abstract addresses.
    Name(u64),
    /// The children of a process.
    Children(Pid),
    /// The signals of a process.
    Signals(Pid),
}

/// Names of files are counted from here on, apart from those of other objects.
const FIRST_INODE: u32 = 1 << 31;

/// All parts of an object.
pub(crate) const WHOLE: u32 = u32::MAX;

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Touch {
    pub(crate) spot: Spot,
    pub(crate) writes: bool,
}

impl Spot {
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Object(a, part), Self::Object(b, other_part)) => {
                a == b && (part == other_part || part == WHOLE || other_part == WHOLE)
            }
            _ => self == other,
        }
    }
}

/// Whether two operations that touched these could notice each other.
pub(crate) fn conflict(first: &[Touch], second: &[Touch]) -> bool {
    first.iter().any(|a| second.iter().any(|b| (a.writes || b.writes) && a.spot.meets(b.spot)))
}

/// What an operation has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It cannot go on now.
    Blocked,
    /// It returns this to the process.
    Returns(Box<Outcome>),
    /// It has done something, and is not through.
    Partly,
    /// The process has ended.
    Ended,
    /// The checker does not know what would happen.
    Unsupported(&'static str),
}

impl From<Outcome> for Done {
    fn from(outcome: Outcome) -> Self {
        Self::Returns(Box::new(outcome))
    }
}

/// A value that is returned to the process.
pub(crate) fn value(value: i64) -> Done {
    Outcome::value(value).into()
}

/// An error that is returned to the process.
pub(crate) fn error(number: i32) -> Done {
    Outcome::error(number).into()
}

/// What a reduction may not rely on any more once it has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Habits {
    /// Somebody was sent a signal.
    pub(crate) signals: bool,
    /// A semaphore was used otherwise than by waiting until it can be taken, and by giving it back.
    pub(crate) odd_semaphores: bool,
    pub(crate) noticed: Noticed,
}

impl Habits {
    pub(crate) fn add(&mut self, other: Self) {
        self.signals |= other.signals;
        self.odd_semaphores |= other.odd_semaphores;
        self.noticed.add(other.noticed);
    }
}

/// One operation of one process, at work.
pub(crate) struct Work<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) roots: &'a [(Vec<u8>, ObjectId)],
    /// What the processes at all nodes do about signals.
    pub(crate) signals: &'a [Signals],
    pub(crate) state: State,
    pub(crate) pid: Pid,
    pub(crate) stop: Rc<Stop>,
    pub(crate) touched: Vec<Touch>,
    pub(crate) habits: Habits,
    /// Processes of which the node must be advanced besides: a child that was made, or a parent that was let go.
    pub(crate) others: Vec<(Pid, Outcome)>,
}

impl Work<'_> {
    pub(crate) fn touch(&mut self, spot: Spot, writes: bool) {
        let touch = Touch { spot, writes };
        if !self.touched.contains(&touch) {
            self.touched.push(touch);
        }
    }

    /// The process itself.
    pub(crate) fn me(&self) -> &Process {
        self.state.process(self.pid).expect("it is at work")
    }

    /// The process itself, to be changed.
    pub(crate) fn me_mut(&mut self) -> &mut Process {
        self.process_mut(self.pid).expect("it is at work")
    }

    /// A process, to be changed.
    pub(crate) fn process_mut(&mut self, pid: Pid) -> Option<&mut Process> {
        let index = self.state.index_of(pid)?;
        Some(Rc::make_mut(&mut self.state.processes[index]))
    }

    /// A part of an object.
    pub(crate) fn look(&mut self, id: ObjectId, part: u32) -> Option<&Object> {
        self.touch(Spot::Object(id, part), false);
        self.state.object(id)
    }

    /// A part of an object, to be changed.
    pub(crate) fn change(&mut self, id: ObjectId, part: u32) -> Option<&mut Object> {
        self.touch(Spot::Object(id, part), true);
        self.state.object_mut(id)
    }

    /// Makes an object that no process ever sees the name of.
    pub(crate) fn make(&mut self, object: Object) -> ObjectId {
        let id = self.state.objects.last().map_or(FIRST_UNSEEN, |last| (last.0 + 1).max(FIRST_UNSEEN));
        self.touch(Spot::Object(id, WHOLE), true);
        self.state.add_object(id, object);
        id
    }

    /// Makes an object under a name that processes may see, and that this process never uses again.
    pub(crate) fn make_lasting(&mut self, object: Object) -> ObjectId {
        let first = self.me().made;
        let (id, nth) = self.free_name(first);
        self.me_mut().made = nth + 1;
        self.state.add_object(id, object);
        id
    }

    /// Makes a file. Its number is free again when the file is gone, so that whoever makes files forever can come back to where it
    /// was.
    pub(crate) fn make_inode(&mut self, inode: Inode) -> ObjectId {
        let (id, _) = self.free_name(FIRST_INODE);
        self.state.add_object(id, Object::Inode(inode));
        id
    }

    /// The first free name of this process from a number on. Somebody may have to remove an object before its name is free.
    fn free_name(&mut self, first: u32) -> (ObjectId, u32) {
        let mut nth = first;
        loop {
            let id = self.names.object(self.pid, nth);
            if self.state.object(id).is_none() {
                self.touch(Spot::Object(id, WHOLE), true);
                return (id, nth);
            }
            self.touch(Spot::Object(id, WHOLE), false);
            nth += 1;
        }
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, id: ObjectId) {
        self.touch(Spot::Object(id, WHOLE), true);
        self.state.remove_object(id);
    }

    /// Touches a name in a space of names.
    pub(crate) fn touch_name(&mut self, space: &str, name: impl Hash, writes: bool) {
        self.touch(Spot::Name(hash(&(space, name))), writes);
    }

    /// The open file behind a descriptor.
    pub(crate) fn file(&mut self, fd: Fd) -> Result<(ObjectId, OpenFile), Done> {
        let id = self.me().file(fd).ok_or(error(EBADF))?;
        match self.look(id, WHOLE) {
            Some(Object::Open(open)) => Ok((id, open.clone())),
            _ => Err(error(EBADF)),
        }
    }

    /// An open file, to be changed.
    pub(crate) fn open_mut(&mut self, id: ObjectId) -> &mut OpenFile {
        match self.change(id, WHOLE) {
            Some(Object::Open(open)) => open,
            other => unreachable!("descriptors stand for open files, not {other:?}"),
        }
    }

    /// Makes an open file and lets a descriptor stand for it.
    pub(crate) fn open(&mut self, fd: Fd, file: OpenFile) -> ObjectId {
        let id = self.make(Object::Open(OpenFile { refs: 1, ..file }));
        self.set_fd(fd, id);
        id
    }

    /// Lets a descriptor stand for an open file. Whoever calls this has counted it.
    pub(crate) fn set_fd(&mut self, fd: Fd, id: ObjectId) {
        let fds = &mut self.me_mut().fds;
        match fds.binary_search_by_key(&fd, |entry| entry.0) {
            Ok(index) => fds[index].1 = id,
            Err(index) => fds.insert(index, (fd, id)),
        }
    }
}

/// A hash that is the same in every run.
pub(crate) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = rapidhash::fast::RapidHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A part of an object, from a name in it.
pub(crate) fn part(name: &[u8]) -> u32 {
    (hash(&name) as u32) & (WHOLE >> 1)
}
