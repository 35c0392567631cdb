//! Locks on files: of open files (`flock`, `F_OFD_SETLK`) and of processes (`F_SETLK`). Follows Linux: changing the kind of a `flock`
//! gives the old one up first; a process that would wait for itself is told so.

use crate::errno::{EAGAIN, EBADF, EDEADLK, EINVAL};
use crate::files::{CONTENT, LOCKS};
use crate::names::ObjectId;
use crate::object::{Held, Inode, Object, OpenKind, Owner};
use crate::op::{Fd, Lock, Pid, Range};
use crate::outcome::{Extra, Outcome};
use crate::state::Progress;
use crate::work::{Done, Work, error, value};

impl Held {
    fn stands_in_the_way(&self, owner: Owner, lock: Lock, start: i64, end: i64) -> bool {
        let same_kind = matches!(self.owner, Owner::Flock(_)) == matches!(owner, Owner::Flock(_));
        let overlaps = self.start < end && start < self.end;
        same_kind && self.owner != owner && overlaps && (self.lock == Lock::Exclusive || lock == Lock::Exclusive)
    }
}

impl Work<'_> {
    fn locks(&mut self, inode: ObjectId) -> &mut Vec<Held> {
        match self.change(inode, LOCKS) {
            Some(Object::Inode(inode)) => &mut inode.locks,
            other => unreachable!("a lock on {other:?}"),
        }
    }

    pub(crate) fn flock(&mut self, fd: Fd, lock: Option<Lock>, no_wait: bool) -> Done {
        let (file, open) = match self.file(fd) {
            Ok(found) => found,
            Err(done) => return done,
        };
        let OpenKind::File(inode) = open.what else { return Done::Unsupported("flock of what is no file") };
        let owner = Owner::Flock(file);
        let locks = self.locks(inode);
        let own = locks.iter().position(|held| held.owner == owner);
        let Some(lock) = lock else {
            if let Some(own) = own {
                locks.remove(own);
            }
            return value(0);
        };
        if own.is_some_and(|own| locks[own].lock == lock) {
            return value(0);
        }
        if let Some(own) = own {
            locks.remove(own);
        }
        if locks.iter().any(|held| held.stands_in_the_way(owner, lock, 0, i64::MAX)) {
            return match (no_wait, own) {
                (true, _) => error(EAGAIN),
                (false, Some(_)) => Done::Partly,
                (false, None) => Done::Blocked,
            };
        }
        locks.push(Held { owner, lock, start: 0, end: i64::MAX });
        locks.sort_unstable();
        value(0)
    }

    /// The file, the owner and the range that a lock is about.
    fn lock_on(&mut self, fd: Fd, range: Range, of_file: bool) -> Result<(ObjectId, Owner, i64, i64), Done> {
        let (file, open) = self.file(fd)?;
        let OpenKind::File(inode) = open.what else { return Err(Done::Unsupported("a lock on what is no file")) };
        let from = if range.from_position {
            open.position
        } else if range.from_end {
            match self.look(inode, CONTENT) {
                Some(Object::Inode(inode)) => inode.size(),
                _ => 0,
            }
        } else {
            0
        };
        let start = from.saturating_add(range.start);
        let end = if range.end == i64::MAX { i64::MAX } else { from.saturating_add(range.end) };
        if start < 0 || end <= start {
            return Err(error(EINVAL));
        }
        let owner = if of_file { Owner::Open(file) } else { Owner::Process(self.pid) };
        Ok((inode, owner, start, end))
    }

    pub(crate) fn lock(&mut self, fd: Fd, lock: Option<Lock>, range: Range, waits: bool, of_file: bool) -> Done {
        let (inode, owner, start, end) = match self.lock_on(fd, range, of_file) {
            Ok(found) => found,
            Err(done) => return done,
        };
        let open = match self.file(fd) {
            Ok((_, open)) => open,
            Err(done) => return done,
        };
        match lock {
            Some(Lock::Shared) if !open.read => return error(EBADF),
            Some(Lock::Exclusive) if !open.write => return error(EBADF),
            _ => {}
        }
        let locks = self.locks(inode);
        if let Some(lock) = lock {
            let holders: Vec<Owner> = locks
                .iter()
                .filter(|held| held.stands_in_the_way(owner, lock, start, end))
                .map(|held| held.owner)
                .collect();
            if !holders.is_empty() {
                if !waits {
                    return error(EAGAIN);
                }
                if of_file || matches!(self.me().progress, Progress::Locking(..)) {
                    return Done::Blocked;
                }
                if self.would_wait_for_itself(&holders) {
                    return error(EDEADLK);
                }
                self.me_mut().progress = Progress::Locking(inode, start, end, lock);
                return Done::Partly;
            }
        }
        self.me_mut().progress = Progress::None;
        put(self.locks(inode), owner, lock, start, end);
        value(0)
    }

    /// Whether one of the holders of a lock waits, by way of others, for a lock of this process.
    fn would_wait_for_itself(&mut self, holders: &[Owner]) -> bool {
        let mut waiting: Vec<Pid> = holders.iter().filter_map(process).collect();
        let mut next = 0;
        while next < waiting.len() {
            let pid = waiting[next];
            next += 1;
            if pid == self.pid {
                return true;
            }
            let progress = self.state.process(pid).map(|process| process.progress.clone());
            if let Some(Progress::Locking(inode, start, end, lock)) = progress
                && let Some(Object::Inode(Inode { locks, .. })) = self.look(inode, LOCKS)
            {
                let owner = Owner::Process(pid);
                let ahead = locks.iter().filter(|held| held.stands_in_the_way(owner, lock, start, end));
                let more: Vec<Pid> = ahead.filter_map(|held| process(&held.owner)).collect();
                for pid in more {
                    if !waiting.contains(&pid) {
                        waiting.push(pid);
                    }
                }
            }
        }
        false
    }

    pub(crate) fn get_lock(&mut self, fd: Fd, lock: Lock, range: Range, of_file: bool) -> Done {
        let (inode, owner, start, end) = match self.lock_on(fd, range, of_file) {
            Ok(found) => found,
            Err(done) => return done,
        };
        let Some(Object::Inode(inode)) = self.look(inode, LOCKS) else { return error(EBADF) };
        let holder = inode
            .locks
            .iter()
            .filter(|held| held.stands_in_the_way(owner, lock, start, end))
            .min_by_key(|held| held.start);
        let extra = match holder {
            None => Extra::Nothing,
            Some(held) => Extra::Holder {
                lock: held.lock,
                start: held.start,
                end: held.end,
                pid: process(&held.owner).unwrap_or(-1),
            },
        };
        Outcome::with(0, extra).into()
    }

    /// A process that closes any descriptor of a file loses its locks on it.
    pub(crate) fn drop_locks_of_process(&mut self, inode: ObjectId) {
        let owner = Owner::Process(self.pid);
        self.drop_locks(inode, |held| held.owner == owner);
    }

    /// An open file that is closed for good loses its locks.
    pub(crate) fn drop_locks_of_file(&mut self, inode: ObjectId, file: ObjectId) {
        self.drop_locks(inode, |held| held.owner == Owner::Flock(file) || held.owner == Owner::Open(file));
    }

    fn drop_locks(&mut self, inode: ObjectId, goes: impl Fn(&Held) -> bool) {
        if let Some(Object::Inode(inode)) = self.state.object(inode)
            && !inode.locks.iter().any(&goes)
        {
            return;
        }
        self.locks(inode).retain(|held| !goes(held));
    }
}

fn process(owner: &Owner) -> Option<Pid> {
    match owner {
        Owner::Process(pid) => Some(*pid),
        _ => None,
    }
}

/// Gives an owner a lock on a range, or takes it away, and keeps what it has beside it.
fn put(locks: &mut Vec<Held>, owner: Owner, lock: Option<Lock>, start: i64, end: i64) {
    let mut kept = Vec::new();
    for held in locks.drain(..) {
        if held.owner != owner || held.end <= start || end <= held.start {
            kept.push(held);
            continue;
        }
        if held.start < start {
            kept.push(Held { end: start, ..held });
        }
        if end < held.end {
            kept.push(Held { start: end, ..held });
        }
    }
    if let Some(lock) = lock {
        kept.push(Held { owner, lock, start, end });
    }
    kept.sort_unstable_by_key(|held| (held.owner, held.start, held.end));
    // Neighbours of one kind are one lock.
    for held in kept {
        match locks.last_mut() {
            Some(last) if last.owner == held.owner && last.lock == held.lock && last.end == held.start => {
                last.end = held.end
            }
            _ => locks.push(held),
        }
    }
    locks.sort_unstable();
}
