//! Semaphores of System V. Follows `semget`, `semop` and `semctl` of Linux.

use crate::errno::{E2BIG, EAGAIN, EEXIST, EFBIG, EINVAL, ENOENT, ERANGE};
use crate::names::ObjectId;
use crate::object::{Object, SemSet};
use crate::op::{Id, Op, SemEntry, SemOp, Timeout};
use crate::outcome::{Extra, Outcome};
use crate::work::{Done, Spot, WHOLE, Work, error, value};

/// The largest value.
const MOST: i32 = 32767;
/// The largest number of semaphores in a set, and of entries in one call.
const MOST_IN_SET: usize = 32000;
const MOST_ENTRIES: usize = 500;

impl Work<'_> {
    pub(crate) fn sem(&mut self, op: &SemOp) -> Done {
        match op {
            SemOp::Get { key, count, create, exclusive } => self.sem_get(*key, *count, *create, *exclusive),
            SemOp::Change { id, entries, .. } => self.sem_change(*id, entries),
            SemOp::Value { id, index } => match self.sem_at(*id, *index) {
                Some(now) => value(i64::from(now)),
                None => error(EINVAL),
            },
            SemOp::Values { id } => match self.look(*id as ObjectId, WHOLE) {
                Some(Object::Sems(set)) => {
                    let values = set.values.iter().map(|&value| value as u16).collect();
                    Outcome::with(0, Extra::Values(values)).into()
                }
                _ => error(EINVAL),
            },
            SemOp::SetValue { id, index, value: to } => {
                if !(0..=MOST).contains(to) {
                    return error(ERANGE);
                }
                match self.change(*id as ObjectId, part(*index)) {
                    Some(Object::Sems(set)) if *index < set.values.len() => set.values[*index] = *to,
                    _ => return error(EINVAL),
                }
                self.forget_undo(*id as ObjectId, Some(*index));
                value(0)
            }
            SemOp::SetValues { id, values } => {
                match self.change(*id as ObjectId, WHOLE) {
                    Some(Object::Sems(set)) if values.len() == set.values.len() => {
                        if values.iter().any(|&value| i32::from(value) > MOST) {
                            return error(ERANGE);
                        }
                        set.values = values.iter().map(|&value| i32::from(value)).collect();
                    }
                    _ => return error(EINVAL),
                }
                self.forget_undo(*id as ObjectId, None);
                value(0)
            }
            SemOp::Size { id } => match self.look(*id as ObjectId, WHOLE) {
                Some(Object::Sems(set)) => value(set.values.len() as i64),
                _ => error(EINVAL),
            },
            SemOp::Remove { id } => {
                if !matches!(self.look(*id as ObjectId, WHOLE), Some(Object::Sems(_))) {
                    return error(EINVAL);
                }
                self.touch_name("sem", (), true);
                self.remove(*id as ObjectId);
                self.forget_undo(*id as ObjectId, None);
                value(0)
            }
            SemOp::LastPid { .. } => Done::Unsupported("semctl GETPID"),
            SemOp::Waiting { id, index, .. } => match self.sem_at(*id, *index) {
                None => error(EINVAL),
                Some(_) if self.state.processes.len() == 1 => value(0),
                Some(_) => Done::Unsupported("semctl GETNCNT or GETZCNT"),
            },
        }
    }

    fn sem_get(&mut self, key: Option<i32>, count: usize, create: bool, exclusive: bool) -> Done {
        if count > MOST_IN_SET {
            return error(EINVAL);
        }
        let set = || Object::Sems(SemSet { key, values: vec![0; count] });
        let Some(wanted) = key else {
            return if count == 0 { error(EINVAL) } else { value(i64::from(self.make_lasting(set()))) };
        };
        self.touch_name("sem", (), create);
        let found = self.state.objects.iter().find_map(|(id, object)| match &**object {
            Object::Sems(set) if set.key == Some(wanted) => Some((*id, set.values.len())),
            _ => None,
        });
        match found {
            Some(_) if create && exclusive => error(EEXIST),
            Some((_, size)) if count > size => error(EINVAL),
            Some((id, _)) => value(i64::from(id)),
            None if !create => error(ENOENT),
            None if count == 0 => error(EINVAL),
            None => value(i64::from(self.make_lasting(set()))),
        }
    }

    fn sem_at(&mut self, id: Id, index: usize) -> Option<i32> {
        match self.look(id as ObjectId, part(index))? {
            Object::Sems(set) => set.values.get(index).copied(),
            _ => None,
        }
    }

    fn sem_change(&mut self, id: Id, entries: &[SemEntry]) -> Done {
        if entries.is_empty() {
            return error(EINVAL);
        }
        if entries.len() > MOST_ENTRIES {
            return error(E2BIG);
        }
        let set = id as ObjectId;
        for entry in entries {
            self.touch(Spot::Object(set, part(entry.index)), entry.by != 0);
        }
        let Some(Object::Sems(before)) = self.state.object(set) else { return error(EINVAL) };
        let mut values = before.values.clone();
        if entries.iter().any(|entry| entry.index >= values.len()) {
            return error(EFBIG);
        }
        for entry in entries {
            let now = values[entry.index];
            let stuck = if entry.by == 0 { now != 0 } else { now + entry.by < 0 };
            if stuck {
                return if entry.no_wait { error(EAGAIN) } else { Done::Blocked };
            }
            if now + entry.by > MOST {
                self.habits.odd_semaphores = true;
                return error(ERANGE);
            }
            values[entry.index] = now + entry.by;
        }
        for entry in entries.iter().filter(|entry| entry.undo && entry.by != 0) {
            let undo = &mut self.me_mut().undo;
            match undo.binary_search_by_key(&(set, entry.index), |entry| (entry.0, entry.1)) {
                Ok(at) => {
                    undo[at].2 -= entry.by;
                    if undo[at].2 == 0 {
                        undo.remove(at);
                    }
                }
                Err(at) => undo.insert(at, (set, entry.index, -entry.by)),
            }
        }
        if let Some(Object::Sems(set)) = self.state.object_mut(set) {
            set.values = values;
        }
        value(0)
    }

    /// Drops what processes would give back: somebody has said what the value is.
    fn forget_undo(&mut self, set: ObjectId, index: Option<usize>) {
        let goes = |entry: &(ObjectId, usize, i32)| entry.0 == set && index.is_none_or(|index| index == entry.1);
        for pid in self.state.processes.iter().map(|process| process.pid).collect::<Vec<_>>() {
            if self.state.process(pid).is_some_and(|process| process.undo.iter().any(goes))
                && let Some(process) = self.process_mut(pid)
            {
                process.undo.retain(|entry| !goes(entry));
            }
        }
    }

    /// Gives back what the process has taken with `SEM_UNDO`.
    pub(crate) fn undo_all(&mut self) {
        for (id, index, by) in std::mem::take(&mut self.me_mut().undo) {
            if let Some(Object::Sems(set)) = self.change(id, part(index)) {
                set.values[index] = (set.values[index] + by).clamp(0, MOST);
            }
        }
    }
}

fn part(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(WHOLE)
}

/// Whether an operation only gives back to semaphores: it never waits, and it commutes with taking and giving back.
pub(crate) fn only_gives(op: &Op) -> bool {
    match op {
        Op::Sem(SemOp::Change { entries, .. }) => entries.iter().all(|entry| entry.by > 0),
        _ => false,
    }
}

/// Whether an operation uses semaphores otherwise than by waiting until one can be taken, or giving one back.
pub(crate) fn is_odd(op: &Op) -> bool {
    match op {
        Op::Sem(SemOp::Get { .. } | SemOp::Size { .. }) => false,
        Op::Sem(SemOp::Change { entries, timeout, .. }) => {
            *timeout != Timeout::Never
                || entries.len() != 1
                || entries.iter().any(|entry| entry.by == 0 || entry.undo || (entry.no_wait && entry.by < 0))
        }
        Op::Sem(_) => true,
        _ => false,
    }
}
