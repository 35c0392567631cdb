//! What is ready: `poll`, `select` and epoll. Follows the bits of `poll`, which are the same for all three.

use crate::errno::{EBADF, EEXIST, EINVAL, ENOENT, EPERM};
use crate::names::ObjectId;
use crate::object::{Object, OpenFile, OpenKind, Watched};
use crate::op::{EpollEntry, EpollOp, Fd, PollEntry, Timeout};
use crate::outcome::{Extra, Outcome};
use crate::pipe::{POLLERR, POLLHUP, POLLIN, POLLOUT};
use crate::signal::bit;
use crate::work::{Done, Spot, WHOLE, Work, error, value};

const POLLNVAL: i16 = 32;
/// Two more bits that mean the same as reading and writing.
const READ: i16 = POLLIN | 64;
const WRITE: i16 = POLLOUT | 256;
const ONE_SHOT: u32 = 1 << 30;
const EDGE: u32 = 1 << 31;

impl Work<'_> {
    /// What is ready of an open file.
    fn ready(&mut self, file: ObjectId, depth: usize) -> i16 {
        let Some(Object::Open(open)) = self.look(file, WHOLE) else { return POLLNVAL };
        let open = open.clone();
        let bits = match open.what {
            OpenKind::PipeRead(id) | OpenKind::PipeWrite(id) | OpenKind::PipeBoth(id) => match self.look(id, WHOLE) {
                Some(Object::Pipe(pipe)) => pipe.ready(open.read, open.write),
                _ => 0,
            },
            OpenKind::Event(id) => match self.look(id, WHOLE) {
                Some(Object::Event(event)) => {
                    (if event.value > 0 { POLLIN } else { 0 }) | (if event.value < u64::MAX - 1 { POLLOUT } else { 0 })
                }
                _ => 0,
            },
            OpenKind::File(_) => POLLIN | POLLOUT,
            OpenKind::Queue(id) => match self.look(id, WHOLE) {
                Some(Object::Queue(queue)) => {
                    let (some, full) = (!queue.messages.is_empty(), queue.messages.len() >= queue.most);
                    (if some && open.read { POLLIN } else { 0 }) | (if !full && open.write { POLLOUT } else { 0 })
                }
                _ => 0,
            },
            OpenKind::Socket(id) => self.socket_ready(id),
            OpenKind::Epoll(id) => {
                let events = if depth == 0 { Vec::new() } else { self.epoll_events(id, depth - 1) };
                if events.is_empty() { 0 } else { POLLIN }
            }
            OpenKind::Timer(id) => match self.look(id, WHOLE) {
                Some(Object::Timer(timer)) if timer.set => POLLIN,
                _ => 0,
            },
            OpenKind::Signals(set) => {
                self.touch(Spot::Signals(self.pid), false);
                if self.me().pending.iter().any(|entry| set & bit(entry.0) != 0) { POLLIN } else { 0 }
            }
        };
        (if bits & POLLIN != 0 { READ } else { 0 }) | (if bits & POLLOUT != 0 { WRITE } else { 0 }) | bits
    }

    pub(crate) fn poll(&mut self, entries: &[PollEntry], at_once: bool) -> Done {
        let mut ready = Vec::with_capacity(entries.len());
        for entry in entries {
            let wanted = entry.events | POLLERR | POLLHUP;
            let bits = match (entry.ready, self.me().file(entry.fd)) {
                _ if entry.fd < 0 => 0,
                (Some(bits), _) => bits & (wanted | POLLNVAL),
                (None, Some(file)) => self.ready(file, DEPTH) & wanted,
                (None, None) => POLLNVAL,
            };
            ready.push(bits);
        }
        let count = ready.iter().filter(|bits| **bits != 0).count();
        if count == 0 && !at_once {
            return Done::Blocked;
        }
        Outcome::with(count as i64, Extra::Ready(ready)).into()
    }

    pub(crate) fn available(&mut self, fd: Fd) -> Done {
        let open = match self.file(fd) {
            Ok((_, open)) => open,
            Err(done) => return done,
        };
        match open.what {
            OpenKind::PipeRead(id) | OpenKind::PipeBoth(id) | OpenKind::PipeWrite(id) => match self.look(id, WHOLE) {
                Some(Object::Pipe(pipe)) => value(pipe.len() as i64),
                _ => error(EBADF),
            },
            OpenKind::Socket(id) => match self.look(id, WHOLE) {
                Some(Object::Socket(socket)) => value(socket.bytes() as i64),
                _ => error(EBADF),
            },
            OpenKind::File(id) => {
                let size = self.inode(id, crate::files::CONTENT).size();
                value((size - open.position).max(0))
            }
            _ => error(crate::errno::EINVAL),
        }
    }

    fn watched(&mut self, id: ObjectId) -> &mut Vec<Watched> {
        match self.change(id, WHOLE) {
            Some(Object::Epoll(watched)) => watched,
            other => unreachable!("an epoll instance is {other:?}"),
        }
    }

    fn epoll_events(&mut self, id: ObjectId, depth: usize) -> Vec<(usize, u32, u64)> {
        let watched = match self.look(id, WHOLE) {
            Some(Object::Epoll(watched)) => watched.clone(),
            _ => Vec::new(),
        };
        let mut events = Vec::new();
        for (at, entry) in watched.iter().enumerate().filter(|entry| !entry.1.told) {
            let wanted = entry.wanted.events as i16 | POLLERR | POLLHUP;
            let bits = self.ready(entry.file, depth) & wanted;
            if bits != 0 {
                events.push((at, u32::from(bits as u16), entry.wanted.data));
            }
        }
        events
    }

    pub(crate) fn epoll(&mut self, op: &EpollOp) -> Done {
        match op {
            EpollOp::New { fd } => {
                let id = self.make(Object::Epoll(Vec::new()));
                self.open(*fd, OpenFile { read: true, ..OpenFile::new(OpenKind::Epoll(id), false) });
                value(i64::from(*fd))
            }
            EpollOp::Control { epoll, fd, wanted, change } => self.epoll_control(*epoll, *fd, *wanted, *change),
            EpollOp::Wait { epoll, count, timeout, .. } => {
                let id = match self.file(*epoll) {
                    Ok((_, OpenFile { what: OpenKind::Epoll(id), .. })) => id,
                    Ok(_) => return error(EINVAL),
                    Err(done) => return done,
                };
                if *count == 0 {
                    return error(EINVAL);
                }
                let mut events = self.epoll_events(id, DEPTH);
                if events.is_empty() && *timeout != Timeout::Zero {
                    return Done::Blocked;
                }
                events.truncate(*count);
                for &(at, _, _) in &events {
                    let entry = &mut self.watched(id)[at];
                    entry.told = entry.wanted.events & ONE_SHOT != 0;
                }
                let events: Vec<(u32, u64)> = events.into_iter().map(|(_, bits, data)| (bits, data)).collect();
                Outcome::with(events.len() as i64, Extra::Events(events)).into()
            }
        }
    }

    fn epoll_control(&mut self, epoll: Fd, fd: Fd, wanted: Option<EpollEntry>, change: bool) -> Done {
        let id = match self.file(epoll) {
            Ok((_, OpenFile { what: OpenKind::Epoll(id), .. })) => id,
            Ok(_) => return error(EINVAL),
            Err(done) => return done,
        };
        let (file, open) = match self.file(fd) {
            Ok(found) => found,
            Err(done) => return done,
        };
        match open.what {
            OpenKind::File(_) => return error(EPERM),
            OpenKind::Epoll(other) if other == id => return error(EINVAL),
            _ => {}
        }
        if wanted.is_some_and(|wanted| wanted.events & EDGE != 0) {
            return Done::Unsupported("epoll with EPOLLET");
        }
        let watched = self.watched(id);
        let at = watched.binary_search_by_key(&(fd, file), |entry| (entry.fd, entry.file));
        match (wanted, at) {
            (None, Ok(at)) => {
                watched.remove(at);
            }
            (Some(wanted), Ok(at)) if change => watched[at] = Watched { fd, file, wanted, told: false },
            (Some(_), Ok(_)) => return error(EEXIST),
            (None, Err(_)) => return error(ENOENT),
            (Some(_), Err(_)) if change => return error(ENOENT),
            (Some(wanted), Err(at)) => watched.insert(at, Watched { fd, file, wanted, told: false }),
        }
        value(0)
    }

    /// Nobody has an open file any more, so nobody watches it.
    pub(crate) fn forget_watched(&mut self, file: ObjectId) {
        let watching = |object: &Object| matches!(object, Object::Epoll(watched) if watched.iter().any(|entry| entry.file == file));
        let epolls: Vec<ObjectId> =
            self.state.objects.iter().filter(|entry| watching(&entry.1)).map(|entry| entry.0).collect();
        for id in epolls {
            self.watched(id).retain(|entry| entry.file != file);
        }
    }
}

/// How deep epoll instances may watch each other.
const DEPTH: usize = 5;
