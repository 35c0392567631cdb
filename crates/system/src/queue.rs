//! Message queues of System V and POSIX. Follows `msgsnd`, `msgrcv`, `mq_send` and `mq_receive` of Linux with its usual limits.

use crate::errno::{E2BIG, EAGAIN, EBADF, EEXIST, EINVAL, EMSGSIZE, ENOENT, ENOMSG};
use crate::names::ObjectId;
use crate::object::{Object, OpenFile, OpenKind, Queue};
use crate::op::{Fd, MqOp, MsgOp, OpenHow};
use crate::outcome::{Extra, Outcome};
use crate::work::{Done, WHOLE, Work, error, value};

/// The longest message of System V, and how many bytes a queue holds.
const LONGEST: usize = 8192;
const BYTES: usize = 16384;
/// How many messages a queue of POSIX holds if nobody says so, and how long they may be.
const POSIX: (usize, usize) = (10, 8192);
const POSIX_PRIORITIES: u32 = 32768;

impl Work<'_> {
    fn queue(&mut self, id: ObjectId) -> Option<&mut Queue> {
        match self.change(id, WHOLE) {
            Some(Object::Queue(queue)) => Some(queue),
            _ => None,
        }
    }

    pub(crate) fn msg(&mut self, op: &MsgOp) -> Done {
        match op {
            MsgOp::Get { key, create, exclusive } => self.msg_get(*key, *create, *exclusive),
            MsgOp::Send { id, kind, bytes, no_wait } => {
                let Some(queue) = self.queue(*id as ObjectId).filter(|queue| !queue.posix) else {
                    return error(EINVAL);
                };
                if *kind < 1 || bytes.len() > LONGEST {
                    return error(EINVAL);
                }
                let held: usize = queue.messages.iter().map(|message| message.1.len()).sum();
                if held + bytes.len() > queue.longest || queue.messages.len() + 1 > queue.longest {
                    return if *no_wait { error(EAGAIN) } else { Done::Blocked };
                }
                queue.messages.push((*kind, bytes.clone()));
                value(0)
            }
            MsgOp::Receive { id, kind, count, no_wait, cut, except } => {
                let Some(queue) = self.queue(*id as ObjectId).filter(|queue| !queue.posix) else {
                    return error(EINVAL);
                };
                let mut matching = queue.messages.iter().enumerate().filter(|(_, message)| match *kind {
                    0 => true,
                    1.. if *except => message.0 != *kind,
                    1.. => message.0 == *kind,
                    _ => message.0 <= -*kind,
                });
                let found =
                    if *kind < 0 { matching.min_by_key(|(at, message)| (message.0, *at)) } else { matching.next() };
                let Some((at, message)) = found else { return if *no_wait { error(ENOMSG) } else { Done::Blocked } };
                if message.1.len() > *count && !cut {
                    return error(E2BIG);
                }
                let (kind, mut bytes) = queue.messages.remove(at);
                bytes.truncate(*count);
                Outcome::with(bytes.len() as i64, Extra::Message { kind, bytes }).into()
            }
            MsgOp::Count { id } => match self.look(*id as ObjectId, WHOLE) {
                Some(Object::Queue(queue)) if !queue.posix => value(queue.messages.len() as i64),
                _ => error(EINVAL),
            },
            MsgOp::Remove { id } => {
                if self.queue(*id as ObjectId).is_none_or(|queue| queue.posix) {
                    return error(EINVAL);
                }
                self.touch_name("msg", (), true);
                self.remove(*id as ObjectId);
                value(0)
            }
        }
    }

    fn msg_get(&mut self, key: Option<i32>, create: bool, exclusive: bool) -> Done {
        let queue = || {
            Object::Queue(Queue {
                key,
                name: None,
                posix: false,
                messages: Vec::new(),
                most: 0,
                longest: BYTES,
                opens: 0,
            })
        };
        if key.is_none() {
            return value(i64::from(self.make_lasting(queue())));
        }
        self.touch_name("msg", (), create);
        let found =
            self.state.objects.iter().find(|(_, object)| matches!(&**object, Object::Queue(queue) if queue.key == key));
        match found {
            Some(_) if create && exclusive => error(EEXIST),
            Some((id, _)) => value(i64::from(*id)),
            None if !create => error(ENOENT),
            None => value(i64::from(self.make_lasting(queue()))),
        }
    }

    /// The queue behind a descriptor, and whether it waits.
    fn posix_queue(&mut self, fd: Fd) -> Result<(ObjectId, OpenFile), Done> {
        match self.file(fd)?.1 {
            open @ OpenFile { what: OpenKind::Queue(id), .. } => Ok((id, open)),
            _ => Err(error(EBADF)),
        }
    }

    pub(crate) fn mq(&mut self, op: &MqOp) -> Done {
        let done = match op {
            MqOp::Open { fd, name, how, size } => self.mq_open(*fd, name, *how, *size),
            MqOp::Send { fd, bytes, priority, .. } => self.mq_send(*fd, bytes, *priority),
            MqOp::Receive { fd, count, .. } => self.mq_receive(*fd, *count),
            MqOp::Unlink { name } => self.mq_unlink(name),
            MqOp::Attributes { fd } => self.posix_queue(*fd).map(|(id, open)| {
                let queue = self.queue(id).expect("a descriptor leads to it");
                let (most, longest, count) = (queue.most, queue.longest, queue.messages.len());
                Outcome::with(0, Extra::Queue { most, longest, count, nonblocking: open.nonblocking }).into()
            }),
        };
        done.unwrap_or_else(|done| done)
    }

    fn mq_named(&mut self, name: &[u8], writes: bool) -> Option<ObjectId> {
        self.touch_name("mq", name, writes);
        let named = |object: &Object| matches!(object, Object::Queue(queue) if queue.name.as_deref() == Some(name));
        self.state.objects.iter().find(|entry| named(&entry.1)).map(|entry| entry.0)
    }

    fn mq_open(&mut self, fd: Fd, name: &[u8], how: OpenHow, size: Option<(usize, usize)>) -> Result<Done, Done> {
        let id = match self.mq_named(name, how.create) {
            Some(_) if how.create && how.exclusive => return Err(error(EEXIST)),
            Some(id) => id,
            None if !how.create => return Err(error(ENOENT)),
            None => {
                let (most, longest) = size.unwrap_or(POSIX);
                if most == 0 || longest == 0 {
                    return Err(error(EINVAL));
                }
                let name = Some(name.to_vec());
                let queue = Queue { key: None, name, posix: true, messages: Vec::new(), most, longest, opens: 0 };
                self.make(Object::Queue(queue))
            }
        };
        self.queue(id).expect("it was found or made").opens += 1;
        let file = OpenFile::new(OpenKind::Queue(id), how.nonblocking);
        self.open(fd, OpenFile { read: how.read, write: how.write, ..file });
        Ok(value(i64::from(fd)))
    }

    fn mq_send(&mut self, fd: Fd, bytes: &[u8], priority: u32) -> Result<Done, Done> {
        let (id, open) = self.posix_queue(fd)?;
        if priority >= POSIX_PRIORITIES {
            return Err(error(EINVAL));
        }
        if !open.write {
            return Err(error(EBADF));
        }
        let queue = self.queue(id).expect("a descriptor leads to it");
        if bytes.len() > queue.longest {
            return Err(error(EMSGSIZE));
        }
        if queue.messages.len() >= queue.most {
            return Ok(if open.nonblocking { error(EAGAIN) } else { Done::Blocked });
        }
        queue.messages.push((i64::from(priority), bytes.to_vec()));
        Ok(value(0))
    }

    fn mq_receive(&mut self, fd: Fd, count: usize) -> Result<Done, Done> {
        let (id, open) = self.posix_queue(fd)?;
        if !open.read {
            return Err(error(EBADF));
        }
        let queue = self.queue(id).expect("a descriptor leads to it");
        if count < queue.longest {
            return Err(error(EMSGSIZE));
        }
        let first = queue.messages.iter().enumerate().max_by_key(|(at, message)| (message.0, std::cmp::Reverse(*at)));
        let Some((at, _)) = first else {
            return Ok(if open.nonblocking { error(EAGAIN) } else { Done::Blocked });
        };
        let (kind, bytes) = queue.messages.remove(at);
        Ok(Outcome::with(bytes.len() as i64, Extra::Message { kind, bytes }).into())
    }

    fn mq_unlink(&mut self, name: &[u8]) -> Result<Done, Done> {
        let id = self.mq_named(name, true).ok_or(error(ENOENT))?;
        let queue = self.queue(id).expect("it was found");
        queue.name = None;
        if queue.opens == 0 {
            self.remove(id);
        }
        Ok(value(0))
    }

    pub(crate) fn close_queue(&mut self, id: ObjectId) {
        let queue = self.queue(id).expect("a descriptor leads to it");
        queue.opens -= 1;
        if queue.opens == 0 && queue.name.is_none() {
            self.remove(id);
        }
    }
}
