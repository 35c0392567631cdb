//! Pipes and eventfds: reading, writing, and what is ready. Follows the pages of the kernel's pipes, which decide what fits.

use crate::errno::{EAGAIN, EBADF, EINVAL, EPIPE};
use crate::names::ObjectId;
use crate::object::{Event, Object, OpenFile, OpenKind, Page, Pipe};
use crate::op::Fd;
use crate::outcome::{Extra, Outcome};
use crate::signal::SIGPIPE;
use crate::state::Progress;
use crate::work::{Done, WHOLE, Work, error, value};

const PAGE: usize = 4096;
const PAGES: usize = 16;

pub(crate) const POLLIN: i16 = 1;
pub(crate) const POLLOUT: i16 = 4;
pub(crate) const POLLERR: i16 = 8;
pub(crate) const POLLHUP: i16 = 16;
pub(crate) const POLLRDHUP: i16 = 0x2000;

impl Pipe {
    pub(crate) fn len(&self) -> usize {
        self.pages.iter().map(|page| page.bytes.len()).sum()
    }

    /// Takes up to `count` bytes.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let mut taken = Vec::new();
        while taken.len() < count && !self.pages.is_empty() {
            let page = &mut self.pages[0];
            let some = page.bytes.len().min(count - taken.len());
            taken.extend(page.bytes.drain(..some));
            page.skipped += some;
            if page.bytes.is_empty() {
                self.pages.remove(0);
            }
        }
        self.forget_skipped();
        taken
    }

    /// Puts in as much as fits and says how much that was.
    fn put(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        let short = bytes.len() % PAGE;
        if short > 0
            && let Some(last) = self.pages.last_mut()
            && last.skipped + last.bytes.len() + short <= PAGE
        {
            last.bytes.extend_from_slice(&rest[..short]);
            rest = &rest[short..];
        }
        while !rest.is_empty() && self.pages.len() < PAGES {
            let (some, others) = rest.split_at(rest.len().min(PAGE));
            self.pages.push(Page { skipped: 0, bytes: some.to_vec() });
            rest = others;
        }
        self.forget_skipped();
        bytes.len() - rest.len()
    }

    /// Forgets what does not matter.
    fn forget_skipped(&mut self) {
        if self.pages.len() > 1 {
            self.pages[0].skipped = 0;
        }
    }

    fn has_room(&self, count: usize) -> bool {
        self.pages.len() < PAGES
            || self.pages.last().is_some_and(|last| count < PAGE && last.skipped + last.bytes.len() + count <= PAGE)
    }

    pub(crate) fn ready(&self, read: bool, write: bool) -> i16 {
        let mut ready = 0;
        if read {
            ready |= if self.pages.is_empty() { 0 } else { POLLIN };
            ready |= if self.writers == 0 { POLLHUP } else { 0 };
        }
        if write {
            ready |= if self.pages.len() < PAGES { POLLOUT } else { 0 };
            ready |= if self.readers == 0 { POLLERR } else { 0 };
        }
        ready
    }
}

impl Work<'_> {
    pub(crate) fn pipe(&mut self, read: Fd, write: Fd, nonblocking: bool) -> Done {
        let pipe = self.make(Object::Pipe(Pipe { readers: 1, writers: 1, ..Pipe::default() }));
        let file = OpenFile::new(OpenKind::PipeRead(pipe), nonblocking);
        self.open(read, OpenFile { read: true, ..file.clone() });
        self.open(write, OpenFile { what: OpenKind::PipeWrite(pipe), write: true, ..file });
        value(0)
    }

    pub(crate) fn the_pipe(&mut self, id: ObjectId) -> &mut Pipe {
        match self.change(id, WHOLE) {
            Some(Object::Pipe(pipe)) => pipe,
            other => unreachable!("the end of a pipe leads to {other:?}"),
        }
    }

    pub(crate) fn read_pipe(&mut self, id: ObjectId, count: usize, nonblocking: bool) -> Done {
        let pipe = self.the_pipe(id);
        if count == 0 || (pipe.pages.is_empty() && pipe.writers == 0) {
            return Outcome::with(0, Extra::Bytes(Vec::new())).into();
        }
        if pipe.pages.is_empty() {
            return if nonblocking { error(EAGAIN) } else { Done::Blocked };
        }
        Outcome::bytes(pipe.take(count)).into()
    }

    pub(crate) fn write_pipe(&mut self, id: ObjectId, bytes: &[u8], nonblocking: bool) -> Done {
        if bytes.is_empty() {
            return value(0);
        }
        let before = match self.me().progress {
            Progress::Written(count) => count,
            _ => 0,
        };
        let pipe = self.the_pipe(id);
        if pipe.readers == 0 {
            self.me_mut().progress = Progress::None;
            self.post(self.pid, SIGPIPE, 0);
            return if before > 0 { value(before as i64) } else { error(EPIPE) };
        }
        let rest = &bytes[before..];
        if !pipe.has_room(rest.len()) {
            return if nonblocking { error(EAGAIN) } else { Done::Blocked };
        }
        let written = before + pipe.put(rest);
        if written == bytes.len() || nonblocking {
            self.me_mut().progress = Progress::None;
            return value(written as i64);
        }
        self.me_mut().progress = Progress::Written(written);
        Done::Partly
    }

    pub(crate) fn make_event(&mut self, fd: Fd, first: u64, semaphore: bool, nonblocking: bool) -> Done {
        let event = self.make(Object::Event(Event { value: first, semaphore }));
        let file = OpenFile::new(OpenKind::Event(event), nonblocking);
        self.open(fd, OpenFile { read: true, write: true, ..file });
        value(i64::from(fd))
    }

    fn event(&mut self, id: ObjectId) -> &mut Event {
        match self.change(id, WHOLE) {
            Some(Object::Event(event)) => event,
            other => unreachable!("an eventfd leads to {other:?}"),
        }
    }

    pub(crate) fn read_event(&mut self, id: ObjectId, count: usize, nonblocking: bool) -> Done {
        if count < 8 {
            return error(EINVAL);
        }
        let event = self.event(id);
        if event.value == 0 {
            return if nonblocking { error(EAGAIN) } else { Done::Blocked };
        }
        let taken = if event.semaphore { 1 } else { event.value };
        event.value -= taken;
        Outcome::bytes(taken.to_le_bytes().to_vec()).into()
    }

    pub(crate) fn write_event(&mut self, id: ObjectId, bytes: &[u8], nonblocking: bool) -> Done {
        let Some(Ok(by)) = bytes.get(..8).map(<[u8; 8]>::try_from) else { return error(EINVAL) };
        let by = u64::from_le_bytes(by);
        if by == u64::MAX {
            return error(EINVAL);
        }
        let event = self.event(id);
        if event.value > u64::MAX - 1 - by {
            return if nonblocking { error(EAGAIN) } else { Done::Blocked };
        }
        event.value += by;
        value(8)
    }

    /// Reads from what a descriptor stands for.
    pub(crate) fn read(&mut self, fd: Fd, count: usize, at: Option<i64>) -> Done {
        let (id, open) = match self.file(fd) {
            Ok(found) => found,
            Err(done) => return done,
        };
        if !open.read {
            return error(EBADF);
        }
        match open.what {
            OpenKind::File(inode) => self.read_file(id, inode, count, at),
            _ if at.is_some() => error(crate::errno::ESPIPE),
            OpenKind::PipeRead(pipe) | OpenKind::PipeBoth(pipe) => self.read_pipe(pipe, count, open.nonblocking),
            OpenKind::Event(event) => self.read_event(event, count, open.nonblocking),
            OpenKind::Socket(socket) => self.receive_bytes(socket, count, open.nonblocking),
            OpenKind::Signals(set) => self.read_signals(set, count, open.nonblocking),
            OpenKind::Timer(timer) => self.read_timer(timer, count, open.nonblocking),
            OpenKind::PipeWrite(_) => error(EBADF),
            OpenKind::Queue(_) | OpenKind::Epoll(_) => error(EINVAL),
        }
    }

    /// Writes to what a descriptor stands for.
    pub(crate) fn write(&mut self, fd: Fd, bytes: &[u8], at: Option<i64>) -> Done {
        let (id, open) = match self.file(fd) {
            Ok(found) => found,
            Err(done) => return done,
        };
        if !open.write {
            return error(EBADF);
        }
        match open.what {
            OpenKind::File(inode) => self.write_file(id, inode, bytes, at),
            _ if at.is_some() => error(crate::errno::ESPIPE),
            OpenKind::PipeWrite(pipe) | OpenKind::PipeBoth(pipe) => self.write_pipe(pipe, bytes, open.nonblocking),
            OpenKind::Event(event) => self.write_event(event, bytes, open.nonblocking),
            OpenKind::Socket(socket) => self.send_bytes(socket, bytes, open.nonblocking),
            OpenKind::PipeRead(_) => error(EBADF),
            OpenKind::Queue(_) | OpenKind::Epoll(_) | OpenKind::Timer(_) | OpenKind::Signals(_) => error(EINVAL),
        }
    }
}

impl OpenFile {
    /// An open file that nobody may read or write yet.
    pub(crate) fn new(what: OpenKind, nonblocking: bool) -> Self {
        Self { what, refs: 1, read: false, write: false, nonblocking, append: false, position: 0 }
    }
}
