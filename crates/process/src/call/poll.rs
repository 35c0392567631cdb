//! Waiting for several descriptors. Follows `poll(2)`, `select(2)` and `epoll(7)`.

use super::{Decision, Finish, Looked, Moment, visible};
use crate::own::Kind;
use nix::errno::Errno;
use quotient_system::{EpollEntry, EpollOp, Fd, Op, PollEntry, Timeout};

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn poll_call(&mut self) -> Option<Looked> {
        let [first, _, third, fourth, fifth, _] = self.arguments;
        Some(match self.number {
            libc::SYS_poll => self.poll(first, milliseconds(self.int(2)), None),
            libc::SYS_ppoll => self.poll_with_mask(first, third, fourth),
            libc::SYS_select => self.select_call(false),
            libc::SYS_pselect6 => self.select_call(true),
            libc::SYS_epoll_ctl => self.epoll_control(fourth),
            libc::SYS_epoll_wait => self.epoll_wait(milliseconds(self.int(3)), 0),
            libc::SYS_epoll_pwait => self.epoll_wait(milliseconds(self.int(3)), fifth),
            libc::SYS_epoll_pwait2 => {
                self.timeout(fourth).map_err(Into::into).and_then(|(timeout, _)| self.epoll_wait(timeout, fifth))
            }
            _ => return None,
        })
    }

    fn poll_with_mask(&self, address: u64, timeout: u64, mask: u64) -> Looked {
        let (timeout, _) = self.timeout(timeout)?;
        self.poll(address, timeout, self.set(mask)?)
    }

    fn poll(&self, address: u64, timeout: Timeout, mask: Option<u64>) -> Looked {
        let count = self.size(1);
        if count > crate::launch::DESCRIPTORS as usize {
            return Err(Errno::EINVAL.into());
        }
        let bytes = self.read(address, count * 8)?;
        let entry = |piece: &[u8]| {
            let fd = Fd::from_le_bytes([piece[0], piece[1], piece[2], piece[3]]);
            self.entry(fd, i16::from_le_bytes([piece[4], piece[5]]))
        };
        let entries = bytes.chunks_exact(8).map(entry).collect();
        Ok(Decision::Visible(Op::Poll { entries, timeout, mask }, Finish::Poll(address)))
    }

    /// What is waited for at one descriptor.
    pub(super) fn entry(&self, fd: Fd, events: i16) -> PollEntry {
        let ready = match self.own.kind(fd) {
            _ if fd < 0 => Some(0),
            Err(_) => Some(libc::POLLNVAL),
            Ok(Kind::Shared(_)) => None,
            // A file is always ready.
            Ok(_) => Some(events & (libc::POLLIN | libc::POLLOUT | libc::POLLRDNORM | libc::POLLWRNORM)),
        };
        PollEntry { fd, events, ready }
    }

    fn epoll_control(&self, address: u64) -> Looked {
        let (epoll, command, fd) = (self.int(0), self.int(1), self.int(2));
        if self.own.shared(epoll).is_none() {
            return Err(self.own.kind(epoll).map_or(Errno::EBADF, |_| Errno::EINVAL).into());
        }
        if self.own.shared(fd).is_none() {
            return Err(self.own.kind(fd).map_or(Errno::EBADF, |_| Errno::EPERM).into());
        }
        let wanted = if command == libc::EPOLL_CTL_DEL {
            None
        } else {
            let bytes = self.read(address, 12)?;
            let events = u32::from_le_bytes(std::array::from_fn(|i| bytes[i]));
            Some(EpollEntry { events, data: u64::from_le_bytes(std::array::from_fn(|i| bytes[4 + i])) })
        };
        visible(Op::Epoll(EpollOp::Control { epoll, fd, wanted, change: command == libc::EPOLL_CTL_MOD }))
    }

    fn epoll_wait(&self, timeout: Timeout, mask: u64) -> Looked {
        let (epoll, count) = (self.int(0), self.int(2));
        if self.own.shared(epoll).is_none() {
            return Err(self.own.kind(epoll).map_or(Errno::EBADF, |_| Errno::EINVAL).into());
        }
        if count <= 0 {
            return Err(Errno::EINVAL.into());
        }
        let mask = self.set(mask)?;
        let op = EpollOp::Wait { epoll, count: count as usize, timeout, mask };
        Ok(Decision::Visible(Op::Epoll(op), Finish::Events(self.arguments[1])))
    }
}

/// How long a process waits that gives milliseconds.
fn milliseconds(time: i32) -> Timeout {
    match time {
        0 => Timeout::Zero,
        1.. => Timeout::Some,
        _ => Timeout::Never,
    }
}
