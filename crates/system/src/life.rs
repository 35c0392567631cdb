//! How processes begin and end, and what becomes of their descriptors. Follows `fork`, `exec`, `exit` and `wait` of Linux.

use crate::errno::ECHILD;
use crate::names::ObjectId;
use crate::object::{Object, OpenFile, OpenKind};
use crate::op::{Fd, Pid, Who};
use crate::outcome::{Extra, Outcome};
use crate::signal::SIGCHLD;
use crate::state::{Alarm, Life, Process, Progress};
use crate::work::{Done, Spot, WHOLE, Work, error, value};

impl Work<'_> {
    pub(crate) fn fork(&mut self, waits: bool) -> Done {
        match self.me().progress {
            Progress::Lent(_) => {
                self.touch(Spot::Children(self.pid), false);
                return Done::Blocked;
            }
            Progress::Returned(child) => {
                self.me_mut().progress = Progress::None;
                return value(i64::from(child));
            }
            _ => {}
        }
        let mut nth = 0;
        let child = loop {
            let pid = self.names.child(self.pid, nth);
            if self.state.index_of(pid).is_none() {
                break pid;
            }
            nth += 1;
        };
        let me = self.me().clone();
        for &(_, file) in &me.fds {
            self.open_mut(file).refs += 1;
        }
        for &(segment, times) in &me.mapped {
            for _ in 0..times {
                self.count_map(segment, 1);
            }
        }
        self.touch(Spot::Children(self.pid), true);
        self.state.add_process(Process {
            pid: child,
            parent: self.pid,
            progress: Progress::None,
            pending: Vec::new(),
            undo: Vec::new(),
            alarm: Alarm::Off,
            made: 0,
            ..me
        });
        self.others.push((child, Outcome::with(0, Extra::Child { pid: child, parent: self.pid })));
        if waits {
            self.me_mut().progress = Progress::Lent(child);
            return Done::Partly;
        }
        value(i64::from(child))
    }

    pub(crate) fn exec(&mut self, close: &[Fd]) -> Done {
        for &fd in close {
            self.close(fd);
        }
        for (segment, times) in std::mem::take(&mut self.me_mut().mapped) {
            for _ in 0..times {
                self.count_map(segment, -1);
            }
        }
        self.let_parent_go();
        value(0)
    }

    /// Tells a parent that has called `vfork` that it may go on.
    fn let_parent_go(&mut self) {
        let parent = self.me().parent;
        if self.state.process(parent).is_some_and(|parent| parent.progress == Progress::Lent(self.pid)) {
            self.touch(Spot::Children(parent), true);
            let child = self.pid;
            self.process_mut(parent).expect("it was there").progress = Progress::Returned(child);
        }
    }

    /// Ends the process. The status is in the form of `wait`.
    pub(crate) fn end(&mut self, status: i32) -> Done {
        let pid = self.pid;
        self.exec(&self.me().fds.iter().map(|entry| entry.0).collect::<Vec<_>>());
        self.undo_all();
        let parent = self.me().parent;
        // Its children are nobody's now.
        let mut orphans = Vec::new();
        for process in &self.state.processes {
            if process.parent == pid {
                orphans.push((process.pid, process.runs()));
            }
        }
        self.touch(Spot::Children(pid), true);
        for (orphan, runs) in orphans {
            if runs {
                self.process_mut(orphan).expect("it was there").parent = 1;
            } else {
                self.state.remove_process(orphan);
            }
        }
        self.touch(Spot::Children(parent), true);
        let kept = self.state.process(parent).is_some_and(|parent| parent.runs()) && !self.ignores(parent, SIGCHLD);
        if kept {
            let me = self.me_mut();
            *me = Process { life: Life::Zombie(status), ..Process::new(pid, parent, me.service, 0) };
            self.post(parent, SIGCHLD, pid);
        } else {
            self.state.remove_process(pid);
        }
        Done::Ended
    }

    /// The children that a call of `wait` can be about, and have ended.
    pub(crate) fn ended_children(&mut self, who: Who) -> Vec<Pid> {
        self.touch(Spot::Children(self.pid), false);
        let pid = self.pid;
        let matching = self.state.processes.iter().filter(|child| child.parent == pid && concerns(who, child.pid));
        matching.filter(|child| !child.runs()).map(|child| child.pid).collect()
    }

    pub(crate) fn wait(&mut self, who: Who, no_hang: bool, keep: bool, choice: Option<Pid>) -> Done {
        let pid = self.pid;
        self.touch(Spot::Children(pid), !keep);
        if let Some(child) = choice {
            let Some(Life::Zombie(status)) = self.state.process(child).map(|child| child.life) else {
                return Done::Blocked;
            };
            if !keep {
                self.state.remove_process(child);
            }
            return Outcome::with(i64::from(child), Extra::Status(status)).into();
        }
        let any = self.state.processes.iter().any(|child| child.parent == pid && concerns(who, child.pid));
        match any {
            false => error(ECHILD),
            true if no_hang => value(0),
            true => Done::Blocked,
        }
    }

    pub(crate) fn parent(&mut self) -> Done {
        let parent = self.me().parent;
        self.touch(Spot::Children(parent), false);
        value(i64::from(parent))
    }

    pub(crate) fn close(&mut self, fd: Fd) -> Done {
        let me = self.me_mut();
        let Ok(index) = me.fds.binary_search_by_key(&fd, |entry| entry.0) else { return error(crate::errno::EBADF) };
        let (_, file) = me.fds.remove(index);
        if let Some(Object::Open(OpenFile { what: OpenKind::File(inode), .. })) = self.state.object(file) {
            self.drop_locks_of_process(*inode);
        }
        self.release(file);
        value(0)
    }

    /// One reference less to an open file.
    pub(crate) fn release(&mut self, file: ObjectId) {
        let open = self.open_mut(file);
        open.refs -= 1;
        if open.refs > 0 {
            return;
        }
        let open = open.clone();
        self.remove(file);
        match open.what {
            OpenKind::PipeRead(id) | OpenKind::PipeWrite(id) | OpenKind::PipeBoth(id) => {
                let pipe = self.the_pipe(id);
                pipe.readers -= u32::from(open.read);
                pipe.writers -= u32::from(open.write);
                if pipe.readers == 0 && pipe.writers == 0 {
                    match pipe.inode {
                        None => self.remove(id),
                        Some(inode) => {
                            pipe.pages.clear();
                            self.one_open_less(inode);
                        }
                    }
                } else if let Some(inode) = pipe.inode {
                    self.one_open_less(inode);
                }
            }
            OpenKind::Event(id) | OpenKind::Timer(id) | OpenKind::Epoll(id) => self.remove(id),
            OpenKind::File(inode) => {
                self.drop_locks_of_file(inode, file);
                self.one_open_less(inode);
            }
            OpenKind::Queue(id) => self.close_queue(id),
            OpenKind::Socket(id) => self.close_socket(id),
            OpenKind::Signals(_) => {}
        }
        self.forget_watched(file);
    }

    pub(crate) fn dup(&mut self, from: Fd, to: Fd) -> Done {
        let Some(file) = self.me().file(from) else { return error(crate::errno::EBADF) };
        if from != to {
            self.open_mut(file).refs += 1;
            if self.me().file(to).is_some() {
                self.close(to);
            }
            self.set_fd(to, file);
        }
        value(i64::from(to))
    }

    pub(crate) fn flags(&mut self, fd: Fd) -> Done {
        match self.file(fd) {
            Err(done) => done,
            Ok((_, open)) => {
                let access = match (open.read, open.write) {
                    (true, true) => 2,
                    (false, true) => 1,
                    _ => 0,
                };
                let append = if open.append { 0o2000 } else { 0 };
                let nonblocking = if open.nonblocking { 0o4000 } else { 0 };
                value(access | append | nonblocking)
            }
        }
    }

    pub(crate) fn set_flags(&mut self, fd: Fd, nonblocking: bool, append: bool) -> Done {
        let Some(file) = self.me().file(fd) else { return error(crate::errno::EBADF) };
        let open = self.open_mut(file);
        open.nonblocking = nonblocking;
        open.append = append;
        value(0)
    }

    /// Touches the segments that the process maps: it may read and write them until its next operation.
    pub(crate) fn touch_mapped(&mut self) {
        for (segment, _) in self.me().mapped.clone() {
            self.touch(Spot::Object(segment, WHOLE), true);
        }
    }
}

fn concerns(who: Who, child: Pid) -> bool {
    match who {
        Who::Any => true,
        Who::Child(pid) => pid == child,
        // Nobody leaves the one group there is.
        Who::Group(_) => true,
    }
}
