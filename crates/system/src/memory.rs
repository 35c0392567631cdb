//! Shared memory and futexes. Follows the rule that a process has a copy of what it maps, which is brought up to date before it runs
//! and taken back after it.

use crate::errno::{EAGAIN, EEXIST, EINVAL, ENOENT};
use crate::names::ObjectId;
use crate::object::{Inode, Kind, Object, OpenFile, OpenKind, Segment};
use crate::op::{Id, MemoryOp, Pid};
use crate::outcome::{Extra, Outcome};
use crate::state::Progress;
use crate::work::{Done, WHOLE, Work, error, value};

/// Larger segments are refused, because they are copied whole.
const LARGEST: usize = 1 << 26;

impl Work<'_> {
    pub(crate) fn memory(&mut self, op: &MemoryOp) -> Done {
        match op {
            MemoryOp::Get { key, size, create, exclusive } => self.segment_get(*key, *size, *create, *exclusive),
            MemoryOp::Attach { id } => match self.look(*id as ObjectId, WHOLE) {
                Some(Object::Segment(_)) => self.map(*id as ObjectId),
                _ => error(EINVAL),
            },
            MemoryOp::Anonymous { size } => {
                if *size > LARGEST {
                    return Done::Unsupported("a shared segment of this size");
                }
                let segment = Segment { key: None, bytes: vec![0; *size], maps: 0, temporary: true };
                let id = self.make_lasting(Object::Segment(segment));
                self.map(id)
            }
            MemoryOp::MapFile { fd } => match self.file(*fd) {
                Err(done) => done,
                Ok((_, OpenFile { what: OpenKind::File(id), .. })) => match &self.inode(id, WHOLE).kind {
                    Kind::File(_) => self.map(id),
                    _ => error(crate::errno::EACCES),
                },
                Ok(_) => error(crate::errno::EACCES),
            },
            MemoryOp::Detach { id } => {
                let id = *id as ObjectId;
                let mapped = &mut self.me_mut().mapped;
                let Ok(at) = mapped.binary_search_by_key(&id, |entry| entry.0) else { return error(EINVAL) };
                mapped[at].1 -= 1;
                if mapped[at].1 == 0 {
                    mapped.remove(at);
                }
                self.count_map(id, -1);
                value(0)
            }
            MemoryOp::Size { id } => match self.look(*id as ObjectId, WHOLE) {
                Some(Object::Segment(segment)) => value(segment.bytes.len() as i64),
                _ => error(EINVAL),
            },
            MemoryOp::Remove { id } => {
                let id = *id as ObjectId;
                self.touch_name("shm", (), true);
                match self.change(id, WHOLE) {
                    Some(Object::Segment(segment)) => {
                        segment.key = None;
                        segment.temporary = true;
                        if segment.maps == 0 {
                            self.remove(id);
                        }
                        value(0)
                    }
                    _ => error(EINVAL),
                }
            }
        }
    }

    fn segment_get(&mut self, key: Option<i32>, size: usize, create: bool, exclusive: bool) -> Done {
        if size > LARGEST {
            return Done::Unsupported("a shared segment of this size");
        }
        let segment = || Object::Segment(Segment { key, bytes: vec![0; size], maps: 0, temporary: false });
        if key.is_none() {
            return if size == 0 { error(EINVAL) } else { value(i64::from(self.make_lasting(segment()))) };
        }
        self.touch_name("shm", (), create);
        let found = self.state.objects.iter().find_map(|(id, object)| match &**object {
            Object::Segment(segment) if segment.key == key => Some((*id, segment.bytes.len())),
            _ => None,
        });
        match found {
            Some(_) if create && exclusive => error(EEXIST),
            Some((_, there)) if size > there => error(EINVAL),
            Some((id, _)) => value(i64::from(id)),
            None if !create => error(ENOENT),
            None if size == 0 => error(EINVAL),
            None => value(i64::from(self.make_lasting(segment()))),
        }
    }

    fn map(&mut self, id: ObjectId) -> Done {
        let mapped = &mut self.me_mut().mapped;
        match mapped.binary_search_by_key(&id, |entry| entry.0) {
            Ok(at) => mapped[at].1 += 1,
            Err(at) => mapped.insert(at, (id, 1)),
        }
        self.count_map(id, 1);
        let size = match self.state.object(id) {
            Some(Object::Segment(segment)) => segment.bytes.len(),
            Some(Object::Inode(inode)) => inode.size() as usize,
            _ => 0,
        };
        Outcome::with(0, Extra::Segment { segment: id as Id, size }).into()
    }

    /// One mapping more or less.
    pub(crate) fn count_map(&mut self, id: ObjectId, by: i32) {
        match self.change(id, WHOLE) {
            Some(Object::Segment(segment)) => {
                segment.maps = segment.maps.wrapping_add_signed(by);
                if segment.maps == 0 && segment.temporary {
                    self.remove(id);
                }
            }
            Some(Object::Inode(Inode { opens, .. })) => {
                if by < 0 {
                    self.one_open_less(id);
                } else {
                    *opens += 1;
                }
            }
            _ => {}
        }
    }

    fn word(&mut self, id: ObjectId, offset: usize) -> Option<u32> {
        let bytes = match self.change(id, WHOLE)? {
            Object::Segment(segment) => &segment.bytes,
            Object::Inode(Inode { kind: Kind::File(bytes), .. }) => bytes,
            _ => return None,
        };
        let word = bytes.get(offset..offset.checked_add(4)?)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    }

    pub(crate) fn futex_wait(&mut self, segment: Id, offset: usize, expected: u32) -> Done {
        let id = segment as ObjectId;
        match self.me().progress {
            Progress::Woken => {
                self.me_mut().progress = Progress::None;
                return value(0);
            }
            Progress::Parked(..) => {
                self.look(id, WHOLE);
                return Done::Blocked;
            }
            _ => {}
        }
        match self.word(id, offset) {
            None => error(EINVAL),
            Some(now) if now != expected => error(EAGAIN),
            Some(_) => {
                self.me_mut().progress = Progress::Parked(id, offset);
                Done::Partly
            }
        }
    }

    /// Who waits at a word.
    pub(crate) fn parked_at(&mut self, segment: Id, offset: usize) -> Vec<Pid> {
        let id = segment as ObjectId;
        self.look(id, WHOLE);
        let parked = self.state.processes.iter().filter(|other| other.progress == Progress::Parked(id, offset));
        parked.map(|other| other.pid).collect()
    }

    pub(crate) fn futex_wake(&mut self, segment: Id, offset: usize, count: u32, chosen: Option<Pid>) -> Done {
        let parked = self.parked_at(segment, offset);
        self.change(segment as ObjectId, WHOLE);
        let woken = match chosen {
            Some(pid) => vec![pid],
            None if parked.len() <= count as usize => parked,
            None if count == 0 => Vec::new(),
            None => return Done::Unsupported("futex that wakes some of several"),
        };
        for &pid in &woken {
            if let Some(process) = self.process_mut(pid) {
                process.progress = Progress::Woken;
            }
        }
        value(woken.len() as i64)
    }
}
