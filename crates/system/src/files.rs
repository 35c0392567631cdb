//! Files and directories that processes share: a tree in the checker. Follows the calls of Linux as the superuser sees them, so
//! permissions are kept and told, and refuse nothing but the execution of what nobody may execute.

use crate::errno::{EACCES, EBADF, EEXIST, EFBIG, EINVAL, EISDIR, ELOOP, ENOENT, ENOTDIR, ENOTEMPTY, EPERM, ESPIPE};
use crate::names::{Names, ObjectId};
use crate::object::{Inode, Kind, NOW, Object, OpenFile, OpenKind, Pipe};
use crate::op::{Fd, FileOp, OpenHow, Pid, Target, Whence};
use crate::outcome::{Entry, Extra, Outcome, Stat};
use crate::path::Found;
use crate::state::{Progress, State};
use crate::work::{Done, WHOLE, Work, error, part, value};
use crate::world::{StartContent, StartFile};

/// The part of a file that is its contents, and that with its locks.
pub(crate) const CONTENT: u32 = 0;
pub(crate) const LOCKS: u32 = 1;

/// The number that pipes, sockets and the like tell: their names are nobody's business.
const UNSEEN_INODE: u64 = 1;
const ENXIO: i32 = 6;
const EBUSY: i32 = 16;
/// Larger files are refused, because they are copied whole.
const LARGEST: i64 = 1 << 28;

impl Inode {
    pub(crate) fn new(kind: Kind, mode: u32) -> Self {
        Self { kind, mode: mode & 0o7777, links: 1, opens: 0, times: [NOW; 2], locks: Vec::new() }
    }

    pub(crate) fn size(&self) -> i64 {
        match &self.kind {
            Kind::File(bytes) | Kind::Symlink(bytes) => bytes.len() as i64,
            Kind::Directory { .. } => 4096,
            Kind::Fifo(_) | Kind::Socket(_) => 0,
        }
    }

    fn kind_bits(&self) -> u32 {
        match self.kind {
            Kind::File(_) => 0o100_000,
            Kind::Directory { .. } => 0o040_000,
            Kind::Symlink(_) => 0o120_000,
            Kind::Fifo(_) => 0o010_000,
            Kind::Socket(_) => 0o140_000,
        }
    }
}

/// The inode behind an object.
fn inode_of(object: Option<&mut Object>) -> &mut Inode {
    match object {
        Some(Object::Inode(inode)) => inode,
        other => unreachable!("a file is {other:?}"),
    }
}

impl Work<'_> {
    pub(crate) fn inode(&mut self, id: ObjectId, part: u32) -> &Inode {
        match self.look(id, part) {
            Some(Object::Inode(inode)) => inode,
            other => unreachable!("a file is {other:?}"),
        }
    }

    pub(crate) fn inode_mut(&mut self, id: ObjectId, part: u32) -> &mut Inode {
        inode_of(self.change(id, part))
    }

    /// Puts a name into a directory.
    pub(crate) fn enter(&mut self, directory: ObjectId, name: &[u8], id: ObjectId) {
        if let Kind::Directory { entries, .. } = &mut self.inode_mut(directory, part(name)).kind
            && let Err(at) = entries.binary_search_by(|entry| entry.0[..].cmp(name))
        {
            entries.insert(at, (name.to_vec(), id));
        }
    }

    /// Takes a name out of a directory.
    fn leave(&mut self, directory: ObjectId, name: &[u8]) {
        if let Kind::Directory { entries, .. } = &mut self.inode_mut(directory, part(name)).kind {
            entries.retain(|entry| entry.0 != name);
        }
    }

    /// One name less. A file without names and open descriptors goes.
    fn one_link_less(&mut self, id: ObjectId) {
        self.inode_mut(id, CONTENT).links -= 1;
        self.drop_unused(id);
    }

    pub(crate) fn one_open_less(&mut self, id: ObjectId) {
        self.inode_mut(id, CONTENT).opens -= 1;
        self.drop_unused(id);
    }

    fn drop_unused(&mut self, id: ObjectId) {
        let inode = self.inode(id, CONTENT);
        if inode.links == 0 && inode.opens == 0 {
            if let Kind::Fifo(pipe) = inode.kind {
                self.remove(pipe);
            }
            self.remove(id);
        }
    }

    pub(crate) fn file_op(&mut self, op: &FileOp) -> Done {
        let done = match op {
            FileOp::Open { fd, path, how } => self.open_file(*fd, path, *how),
            FileOp::Stat { target } => self.stat(target),
            FileOp::Access { target, mode } => self.access(target, *mode),
            FileOp::MakeDir { path, mode } => self.make_directory(path, *mode),
            FileOp::MakeFifo { path, mode } => self.make_fifo(path, *mode),
            FileOp::RemoveDir { path } => self.remove_directory(path),
            FileOp::Unlink { path } => self.unlink(path),
            FileOp::Rename { from, to, no_replace, exchange } => self.rename(from, to, *no_replace, *exchange),
            FileOp::Link { from, to } => self.link(from, to),
            FileOp::Symlink { text, path } => self.symlink(text, path),
            FileOp::ReadLink { path, count } => self.read_link(path, *count),
            FileOp::List { fd } => self.list(*fd),
            FileOp::Seek { fd, by, from } => self.seek(*fd, *by, *from),
            FileOp::Truncate { target, size } => self.truncate(target, *size),
            FileOp::Allocate { fd, size } => self.allocate(*fd, *size),
            FileOp::SetMode { target, mode } => self.target(target).map(|id| {
                self.inode_mut(id, CONTENT).mode = mode & 0o7777;
                value(0)
            }),
            FileOp::SetTimes { target, read, written } => self.target(target).map(|id| {
                if let Inode { kind: Kind::File(_), times, .. } = self.inode_mut(id, CONTENT) {
                    *times = [read.unwrap_or(times[0]), written.unwrap_or(times[1])];
                }
                value(0)
            }),
            FileOp::Touch { target } => self.target(target).map(|_| value(0)),
            FileOp::ChangeDir { target } => self.change_directory(target),
            FileOp::Sync { fd } => self.file(*fd).map(|_| value(0)),
        };
        done.unwrap_or_else(|done| done)
    }

    /// The file that is meant.
    fn target(&mut self, target: &Target) -> Result<ObjectId, Done> {
        match target {
            Target::Path(path) => self.resolve(path, true)?.existing(),
            Target::Link(path) => self.resolve(path, false)?.existing(),
            Target::Fd(fd) => match self.file(*fd)?.1.what {
                OpenKind::File(id) => Ok(id),
                _ => Err(error(EINVAL)),
            },
        }
    }

    /// Makes a file under a name that is free.
    fn add(&mut self, found: &Found, inode: Inode) -> Result<ObjectId, Done> {
        let (directory, name) = found.place()?;
        let id = self.make_inode(inode);
        self.enter(directory, &name, id);
        Ok(id)
    }

    fn open_file(&mut self, fd: Fd, path: &[u8], how: OpenHow) -> Result<Done, Done> {
        if let Progress::Opening(file) = self.me().progress {
            return Ok(self.go_on_opening(file));
        }
        if self.me().progress == Progress::Woken {
            self.me_mut().progress = Progress::None;
            return Ok(value(i64::from(fd)));
        }
        let makes_new = how.create && how.exclusive;
        let follows = !how.no_follow && !makes_new;
        let found = self.resolve(path, follows)?;
        let id = match found.inode {
            Some(_) if how.create && how.exclusive => return Err(error(EEXIST)),
            Some(id) => id,
            None if !how.create => return Err(error(ENOENT)),
            None if found.must_be_directory => return Err(error(EISDIR)),
            None => self.add(&found, Inode::new(Kind::File(Vec::new()), how.mode))?,
        };
        let truncates = how.truncate && !how.path_only;
        let inode = self.inode(id, CONTENT);
        match &inode.kind {
            Kind::Symlink(_) if !how.path_only => return Err(error(ELOOP)),
            Kind::Directory { .. } if how.write || how.create || truncates => return Err(error(EISDIR)),
            Kind::Directory { .. } => {}
            _ if how.directory => return Err(error(ENOTDIR)),
            Kind::Socket(_) if !how.path_only => return Err(error(ENXIO)),
            Kind::Fifo(pipe) if !how.path_only => {
                let pipe = *pipe;
                return self.open_fifo(fd, id, pipe, how);
            }
            Kind::File(bytes) => {
                if truncates && !bytes.is_empty() {
                    let inode = self.inode_mut(id, CONTENT);
                    inode.kind = Kind::File(Vec::new());
                    inode.times[1] = NOW;
                }
            }
            Kind::Symlink(_) | Kind::Socket(_) | Kind::Fifo(_) => {}
        }
        self.inode_mut(id, CONTENT).opens += 1;
        let file = OpenFile::new(OpenKind::File(id), how.nonblocking);
        let usable = !how.path_only;
        self.open(fd, OpenFile { read: how.read && usable, write: how.write && usable, append: how.append, ..file });
        Ok(value(i64::from(fd)))
    }

    /// Opens a named pipe, which waits until somebody has the other end.
    fn open_fifo(&mut self, fd: Fd, id: ObjectId, pipe: ObjectId, how: OpenHow) -> Result<Done, Done> {
        let (read, write) = (how.read, how.write);
        let ends = self.the_pipe(pipe);
        if write && !read && how.nonblocking && ends.readers == 0 {
            return Err(error(ENXIO));
        }
        ends.readers += u32::from(read);
        ends.writers += u32::from(write);
        let alone = if read { ends.writers == 0 } else { ends.readers == 0 };
        let waits = alone && !how.nonblocking;
        self.inode_mut(id, CONTENT).opens += 1;
        let what = match (read, write) {
            (true, true) => OpenKind::PipeBoth(pipe),
            (false, true) => OpenKind::PipeWrite(pipe),
            _ => OpenKind::PipeRead(pipe),
        };
        let file = OpenFile::new(what, how.nonblocking);
        let file = self.open(fd, OpenFile { read, write, ..file });
        // Whoever waited for this end may go on, even if it is closed again before.
        let waiting: Vec<i32> = self
            .state
            .processes
            .iter()
            .filter(|other| self.waits_for_end(other, pipe, read, write))
            .map(|other| other.pid)
            .collect();
        for pid in waiting {
            self.process_mut(pid).expect("it waits").progress = Progress::Woken;
        }
        if waits {
            self.me_mut().progress = Progress::Opening(file);
            return Ok(Done::Partly);
        }
        Ok(value(i64::from(fd)))
    }

    fn waits_for_end(&self, other: &crate::state::Process, pipe: ObjectId, read: bool, write: bool) -> bool {
        let Progress::Opening(file) = other.progress else { return false };
        match self.state.object(file) {
            Some(Object::Open(open)) => {
                open.what.object() == Some(pipe) && ((read && open.write) || (write && open.read))
            }
            _ => false,
        }
    }

    fn go_on_opening(&mut self, file: ObjectId) -> Done {
        if let Some(Object::Open(OpenFile { what: OpenKind::PipeRead(pipe) | OpenKind::PipeWrite(pipe), .. })) =
            self.state.object(file)
        {
            let pipe = *pipe;
            self.look(pipe, WHOLE);
        }
        Done::Blocked
    }

    pub(crate) fn stat(&mut self, target: &Target) -> Result<Done, Done> {
        let stat = |inode, mode, size| {
            Outcome::with(0, Extra::Stat(Stat { inode, mode, links: 1, size, times: [NOW; 2] })).into()
        };
        if let Target::Fd(fd) = target {
            match self.file(*fd)?.1.what {
                OpenKind::File(_) => {}
                OpenKind::PipeRead(_) | OpenKind::PipeWrite(_) | OpenKind::PipeBoth(_) => {
                    return Ok(stat(UNSEEN_INODE, 0o010_600, 0));
                }
                OpenKind::Socket(_) => return Ok(stat(UNSEEN_INODE, 0o140_777, 0)),
                _ => return Ok(stat(UNSEEN_INODE, 0o600, 0)),
            }
        }
        let id = self.target(target)?;
        let inode = self.inode(id, CONTENT);
        let (mode, links, size) = (inode.kind_bits() | inode.mode, inode.links, inode.size());
        let times = inode.times;
        let links = match self.inode(id, CONTENT).kind.clone() {
            Kind::Directory { entries, .. } => {
                self.inode(id, WHOLE);
                let inner = entries.iter().filter(|entry| {
                    matches!(
                        self.state.object(entry.1),
                        Some(Object::Inode(Inode { kind: Kind::Directory { .. }, .. }))
                    )
                });
                links + 1 + inner.count() as u32
            }
            _ => links,
        };
        Ok(Outcome::with(0, Extra::Stat(Stat { inode: u64::from(id), mode, links, size, times })).into())
    }

    fn access(&mut self, target: &Target, mode: u32) -> Result<Done, Done> {
        let id = self.target(target)?;
        let inode = self.inode(id, CONTENT);
        let refused = mode & 1 != 0 && inode.mode & 0o111 == 0 && !matches!(inode.kind, Kind::Directory { .. });
        Ok(if refused { error(EACCES) } else { value(0) })
    }

    fn make_directory(&mut self, path: &[u8], mode: u32) -> Result<Done, Done> {
        let found = self.resolve(path, false)?;
        found.free()?;
        let (directory, _) = found.place()?;
        self.add(&found, Inode::new(Kind::Directory { entries: Vec::new(), parent: Some(directory) }, mode))?;
        Ok(value(0))
    }

    fn make_fifo(&mut self, path: &[u8], mode: u32) -> Result<Done, Done> {
        let found = self.resolve(path, false)?;
        found.free()?;
        let pipe = self.make(Object::Pipe(Pipe::default()));
        let id = self.add(&found, Inode::new(Kind::Fifo(pipe), mode))?;
        self.the_pipe(pipe).inode = Some(id);
        Ok(value(0))
    }

    fn remove_directory(&mut self, path: &[u8]) -> Result<Done, Done> {
        let found = self.resolve(path, false)?;
        let id = found.existing()?;
        let Kind::Directory { entries, .. } = &self.inode(id, WHOLE).kind else { return Err(error(ENOTDIR)) };
        if !entries.is_empty() {
            return Err(error(ENOTEMPTY));
        }
        let Ok((directory, name)) = found.place() else { return Err(error(EBUSY)) };
        if self.is_used(id, Some(self.pid)) {
            return Err(Done::Unsupported("rmdir of a directory that somebody else is in or has open"));
        }
        self.leave(directory, &name);
        if let Kind::Directory { parent, .. } = &mut self.inode_mut(id, WHOLE).kind {
            *parent = None;
        }
        self.one_link_less(id);
        Ok(value(0))
    }

    fn unlink(&mut self, path: &[u8]) -> Result<Done, Done> {
        let found = self.resolve(path, false)?;
        let id = found.existing()?;
        if matches!(self.inode(id, CONTENT).kind, Kind::Directory { .. }) {
            return Err(error(EISDIR));
        }
        if found.must_be_directory {
            return Err(error(ENOTDIR));
        }
        let (directory, name) = found.place()?;
        self.leave(directory, &name);
        self.one_link_less(id);
        Ok(value(0))
    }

    fn rename(&mut self, from: &[u8], to: &[u8], no_replace: bool, exchange: bool) -> Result<Done, Done> {
        let old = self.resolve(from, false)?;
        let new = self.resolve(to, false)?;
        let moved = old.existing()?;
        let (old_directory, old_name) = old.place().map_err(|_| error(EBUSY))?;
        let (new_directory, new_name) = new.place().map_err(|_| error(EBUSY))?;
        let is_directory = |work: &mut Self, id| matches!(work.inode(id, CONTENT).kind, Kind::Directory { .. });
        let directory = is_directory(self, moved);
        if directory && self.is_inside(new_directory, moved) {
            return Err(error(EINVAL));
        }
        if directory && self.is_used(moved, None) {
            return Err(Done::Unsupported("rename of a directory that somebody is in or has open"));
        }
        if exchange {
            let other = new.existing()?;
            if is_directory(self, other) && self.is_used(other, None) {
                return Err(Done::Unsupported("rename of a directory that somebody is in or has open"));
            }
            if is_directory(self, other) && self.is_inside(old_directory, other) {
                return Err(error(EINVAL));
            }
            self.leave(old_directory, &old_name);
            self.leave(new_directory, &new_name);
            self.enter(old_directory, &old_name, other);
            self.enter(new_directory, &new_name, moved);
            self.set_parent(other, old_directory);
            self.set_parent(moved, new_directory);
            return Ok(value(0));
        }
        if !directory && (new.must_be_directory || old.must_be_directory) {
            return Err(error(ENOTDIR));
        }
        if let Some(other) = new.inode {
            if no_replace {
                return Err(error(EEXIST));
            }
            if other == moved {
                return Ok(value(0));
            }
            if is_directory(self, other) && self.is_inside(old_directory, other) {
                return Err(error(ENOTEMPTY));
            }
            match (directory, is_directory(self, other)) {
                (true, false) => return Err(error(ENOTDIR)),
                (false, true) => return Err(error(EISDIR)),
                (true, true) => {
                    if let Kind::Directory { entries, .. } = &self.inode(other, WHOLE).kind
                        && !entries.is_empty()
                    {
                        return Err(error(ENOTEMPTY));
                    }
                }
                (false, false) => {}
            }
            self.leave(new_directory, &new_name);
            self.one_link_less(other);
        }
        self.leave(old_directory, &old_name);
        self.enter(new_directory, &new_name, moved);
        self.set_parent(moved, new_directory);
        Ok(value(0))
    }

    /// Whether a process, except one, is in a directory or below it, or has it or one below it open. Such a process goes by the path
    /// that the directory had.
    fn is_used(&mut self, directory: ObjectId, except: Option<Pid>) -> bool {
        let mut used = Vec::new();
        for process in self.state.processes.iter().filter(|process| Some(process.pid) != except) {
            used.extend(process.directory);
            for (_, file) in &process.fds {
                if let Some(Object::Open(OpenFile { what: OpenKind::File(id), .. })) = self.state.object(*file)
                    && let Some(Object::Inode(Inode { kind: Kind::Directory { .. }, .. })) = self.state.object(*id)
                {
                    used.push(*id);
                }
            }
        }
        used.retain(|id| self.state.object(*id).is_some());
        used.into_iter().any(|id| self.is_inside(id, directory))
    }

    /// Whether a directory is another, or inside it.
    fn is_inside(&mut self, mut directory: ObjectId, of: ObjectId) -> bool {
        loop {
            if directory == of {
                return true;
            }
            match self.inode(directory, CONTENT).kind {
                Kind::Directory { parent: Some(parent), .. } => directory = parent,
                _ => return false,
            }
        }
    }

    fn set_parent(&mut self, id: ObjectId, directory: ObjectId) {
        if let Kind::Directory { parent, .. } = &mut self.inode_mut(id, CONTENT).kind {
            *parent = Some(directory);
        }
    }

    fn link(&mut self, from: &Target, to: &[u8]) -> Result<Done, Done> {
        let id = self.target(from)?;
        let found = self.resolve(to, false)?;
        found.free()?;
        if matches!(self.inode(id, CONTENT).kind, Kind::Directory { .. }) {
            return Err(error(EPERM));
        }
        let (directory, name) = found.place()?;
        if self.inode(id, CONTENT).links == 0 {
            return Err(error(ENOENT));
        }
        self.enter(directory, &name, id);
        self.inode_mut(id, CONTENT).links += 1;
        Ok(value(0))
    }

    fn symlink(&mut self, text: &[u8], path: &[u8]) -> Result<Done, Done> {
        if text.is_empty() {
            return Err(error(ENOENT));
        }
        let found = self.resolve(path, false)?;
        found.free()?;
        self.add(&found, Inode::new(Kind::Symlink(text.to_vec()), 0o777))?;
        Ok(value(0))
    }

    fn read_link(&mut self, path: &[u8], count: usize) -> Result<Done, Done> {
        let id = self.resolve(path, false)?.existing()?;
        match &self.inode(id, CONTENT).kind {
            Kind::Symlink(text) => Ok(Outcome::bytes(text[..text.len().min(count)].to_vec()).into()),
            _ => Err(error(EINVAL)),
        }
    }

    fn list(&mut self, fd: Fd) -> Result<Done, Done> {
        let (file, open) = self.file(fd)?;
        let OpenKind::File(id) = open.what else { return Err(error(ENOTDIR)) };
        let Kind::Directory { entries, parent } = self.inode(id, WHOLE).kind.clone() else {
            return Err(error(ENOTDIR));
        };
        if open.position != 0 {
            return Ok(Outcome::with(0, Extra::Entries(Vec::new())).into());
        }
        self.open_mut(file).position = 1;
        let directory =
            |name: &[u8], id: ObjectId| Entry { name: name.to_vec(), inode: u64::from(id), mode: 0o040_000 };
        let mut all = vec![directory(b".", id), directory(b"..", parent.unwrap_or(id))];
        for (name, id) in entries {
            let mode = match self.state.object(id) {
                Some(Object::Inode(inode)) => inode.kind_bits(),
                _ => 0,
            };
            all.push(Entry { name, inode: u64::from(id), mode });
        }
        Ok(Outcome::with(0, Extra::Entries(all)).into())
    }

    fn seek(&mut self, fd: Fd, by: i64, from: Whence) -> Result<Done, Done> {
        let (file, open) = self.file(fd)?;
        let OpenKind::File(id) = open.what else { return Err(error(ESPIPE)) };
        let base = match from {
            Whence::Start => 0,
            Whence::Position => open.position,
            Whence::End => self.inode(id, CONTENT).size(),
        };
        let to = base.checked_add(by).filter(|to| *to >= 0).ok_or(error(EINVAL))?;
        if to != open.position {
            self.open_mut(file).position = to;
        }
        Ok(value(to))
    }

    fn truncate(&mut self, target: &Target, size: i64) -> Result<Done, Done> {
        if let Target::Fd(fd) = target
            && !self.file(*fd)?.1.write
        {
            return Err(error(EINVAL));
        }
        let id = self.target(target)?;
        self.resize(id, size, true)
    }

    fn allocate(&mut self, fd: Fd, size: i64) -> Result<Done, Done> {
        let (_, open) = self.file(fd)?;
        if !open.write {
            return Err(error(EBADF));
        }
        let id = self.target(&Target::Fd(fd))?;
        self.resize(id, size, false)
    }

    fn resize(&mut self, id: ObjectId, size: i64, shrinks: bool) -> Result<Done, Done> {
        if size < 0 {
            return Err(error(EINVAL));
        }
        if size > LARGEST {
            return Err(error(EFBIG));
        }
        let inode = self.inode_mut(id, CONTENT);
        match &mut inode.kind {
            Kind::File(bytes) => {
                inode.times[1] = NOW;
                if shrinks || bytes.len() < size as usize {
                    bytes.resize(size as usize, 0);
                }
                Ok(value(0))
            }
            Kind::Directory { .. } => Err(error(EISDIR)),
            _ => Err(error(EINVAL)),
        }
    }

    fn change_directory(&mut self, target: &Target) -> Result<Done, Done> {
        let path = match target {
            Target::Path(path) | Target::Link(path) => {
                let found = self.resolve(path, true)?;
                found.existing()?;
                Some(found.path)
            }
            Target::Fd(_) => None,
        };
        let id = self.target(target)?;
        if !matches!(self.inode(id, CONTENT).kind, Kind::Directory { .. }) {
            return Err(error(ENOTDIR));
        }
        self.me_mut().directory = Some(id);
        let extra = path.map_or(Extra::Nothing, Extra::Path);
        Ok(Outcome::with(0, extra).into())
    }

    pub(crate) fn read_file(&mut self, file: ObjectId, id: ObjectId, count: usize, at: Option<i64>) -> Done {
        let position = match self.look(file, WHOLE) {
            Some(Object::Open(open)) => open.position,
            _ => 0,
        };
        let from = at.unwrap_or(position);
        if from < 0 {
            return error(EINVAL);
        }
        let Kind::File(bytes) = &self.inode(id, CONTENT).kind else { return error(EISDIR) };
        let start = bytes.len().min(from as usize);
        let read = bytes[start..bytes.len().min(start.saturating_add(count))].to_vec();
        if at.is_none() && !read.is_empty() {
            self.open_mut(file).position += read.len() as i64;
        }
        Outcome::bytes(read).into()
    }

    pub(crate) fn write_file(&mut self, file: ObjectId, id: ObjectId, bytes: &[u8], at: Option<i64>) -> Done {
        let (position, append) = match self.look(file, WHOLE) {
            Some(Object::Open(open)) => (open.position, open.append),
            _ => (0, false),
        };
        let Inode { kind: Kind::File(contents), times, .. } = self.inode_mut(id, CONTENT) else { return error(EBADF) };
        let from = if append { contents.len() as i64 } else { at.unwrap_or(position) };
        if from < 0 {
            return error(EINVAL);
        }
        let end = from.saturating_add(bytes.len() as i64);
        if end > LARGEST {
            return error(EFBIG);
        }
        if !bytes.is_empty() {
            let (from, end) = (from as usize, end as usize);
            if contents.len() < end {
                contents.resize(end, 0);
            }
            contents[from..end].copy_from_slice(bytes);
            times[1] = NOW;
        }
        if at.is_none() && !bytes.is_empty() {
            self.open_mut(file).position = end;
        }
        value(bytes.len() as i64)
    }
}

/// Puts the files that are there at the start into a state, and says where shared trees begin.
pub(crate) fn make_files(files: &[StartFile], names: &mut Names, state: &mut State) -> Vec<(Vec<u8>, ObjectId)> {
    let mut roots: Vec<(Vec<u8>, ObjectId)> = Vec::new();
    let mut known: Vec<(Vec<u8>, ObjectId)> = Vec::new();
    let mut nth = 0;
    let mut name = || {
        nth += 1;
        names.object(0, nth - 1)
    };
    for file in files {
        let id = name();
        let cut = file.path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
        let (directory, last) = (&file.path[..cut], &file.path[(cut + 1).min(file.path.len())..]);
        let parent = known.iter().find(|entry| entry.0 == directory).map(|entry| entry.1);
        let kind = match &file.content {
            StartContent::File(bytes) => Kind::File(bytes.clone()),
            StartContent::Symlink(text) => Kind::Symlink(text.clone()),
            StartContent::Directory => Kind::Directory { entries: Vec::new(), parent },
            StartContent::Fifo => {
                let pipe = name();
                state.add_object(pipe, Object::Pipe(Pipe { inode: Some(id), ..Pipe::default() }));
                Kind::Fifo(pipe)
            }
        };
        let mut inode = Inode::new(kind, file.mode);
        if let (Kind::File(_), Some(written)) = (&inode.kind, file.written) {
            inode.times = [written; 2];
        }
        state.add_object(id, Object::Inode(inode));
        match parent {
            None => roots.push((file.path.clone(), id)),
            Some(parent) => {
                if let Kind::Directory { entries, .. } = &mut inode_of(state.object_mut(parent)).kind {
                    entries.push((last.to_vec(), id));
                    entries.sort();
                }
            }
        }
        known.push((file.path.clone(), id));
    }
    roots
}
