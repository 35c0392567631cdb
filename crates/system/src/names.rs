//! Names for processes and objects: who made it, and which of its maker's it is. Follows the observation that numbers from a counter
//! would tell processes in which order others have done things.

use std::collections::HashMap;

use crate::op::Pid;

/// Who made something, and which of his it is.
pub type Made = (Pid, u32);
/// The name of an object, as a number.
pub(crate) type ObjectId = u32;

/// The names that were given in a search. A name means the same in all of its states.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pids: HashMap<Made, Pid>,
    objects: HashMap<Made, ObjectId>,
    makers: Vec<Made>,
    parents: Vec<Made>,
    pub(crate) noticed: Noticed,
}

/// Signals that somebody may notice. A call that changes what becomes of others is nobody else's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    /// Somebody has sent them to another process.
    pub sent: u64,
    /// Somebody waits for them without a handler, or asks whether they are there.
    pub taken: u64,
}

impl Noticed {
    pub(crate) fn add(&mut self, other: Self) {
        self.sent |= other.sent;
        self.taken |= other.taken;
    }
}

/// The id of the first program's process.
pub(crate) const FIRST_PID: Pid = 100;
/// Ids of processes that are made by others begin here.
pub(crate) const FIRST_CHILD: Pid = 1000;
/// Programs that can be started at once.
pub(crate) const MOST_PROGRAMS: usize = (FIRST_CHILD - FIRST_PID) as usize;

impl Names {
    /// The names as they were given, to be kept: who made each process, and which of his it is; then the same of objects.
    #[must_use]
    pub fn given(&self) -> (&[Made], &[Made]) {
        (&self.parents, &self.makers)
    }

    /// The signals that somebody may notice.
    #[must_use]
    pub fn noticed(&self) -> Noticed {
        self.noticed
    }

    /// The names that were given before.
    #[must_use]
    pub fn again(processes: &[Made], objects: &[Made], noticed: Noticed) -> Self {
        let mut names = Self { noticed, ..Self::default() };
        for &(parent, nth) in processes {
            names.child(parent, nth);
        }
        for &(maker, nth) in objects {
            names.object(maker, nth);
        }
        names
    }

    /// The program that a process comes from, by its index, and the way from there: which child of which.
    #[must_use]
    pub fn origin(&self, pid: Pid) -> (usize, Vec<u32>) {
        let mut way = Vec::new();
        let mut first = pid;
        while let Some((parent, nth)) = self.maker_of_process(first) {
            way.insert(0, nth);
            first = parent;
        }
        (usize::try_from(first - FIRST_PID).unwrap_or(0), way)
    }

    /// The id of a process's child number `nth`.
    pub(crate) fn child(&mut self, parent: Pid, nth: u32) -> Pid {
        let next = FIRST_CHILD + Pid::try_from(self.parents.len()).expect("as many processes as there are ids");
        *self.pids.entry((parent, nth)).or_insert_with(|| {
            self.parents.push((parent, nth));
            next
        })
    }

    /// The name of a process's object number `nth`.
    pub(crate) fn object(&mut self, maker: Pid, nth: u32) -> ObjectId {
        let next = ObjectId::try_from(self.makers.len() + 1).expect("as many objects as there are ids");
        *self.objects.entry((maker, nth)).or_insert_with(|| {
            self.makers.push((maker, nth));
            next
        })
    }

    /// Who made a process, and which of his it is.
    pub(crate) fn maker_of_process(&self, pid: Pid) -> Option<Made> {
        self.parents.get(usize::try_from(pid - FIRST_CHILD).ok()?).copied()
    }

    /// Who made an object, and which of his it is.
    pub(crate) fn maker_of_object(&self, id: ObjectId) -> Option<Made> {
        self.makers.get((id as usize).checked_sub(1)?).copied()
    }
}
