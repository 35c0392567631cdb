//! Sets of descriptors. Follows `select(2)`.

use super::{Decision, Finish, Looked, Moment};
use crate::launch::DESCRIPTORS;
use nix::errno::Errno;
use quotient_system::{Fd, Op, PollEntry, Timeout};

/// The sets of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sets {
    /// Where they are: to read, to write, for exceptions.
    addresses: [u64; 3],
    /// The size of each in bytes.
    size: usize,
    /// The descriptors that were asked for, and for what.
    asked: Vec<(Fd, i16)>,
}

/// What is asked for by being in a set, and what puts a descriptor into the set of answers.
const MEANING: [(i16, i16); 3] = [
    (libc::POLLIN, libc::POLLIN | libc::POLLHUP | libc::POLLERR | libc::POLLRDNORM),
    (libc::POLLOUT, libc::POLLOUT | libc::POLLERR | libc::POLLWRNORM),
    (libc::POLLPRI, libc::POLLPRI),
];

impl Moment<'_> {
    /// Looks at `select` or `pselect6`.
    pub(super) fn select_call(&self, precise: bool) -> Looked {
        let [_, read, write, except, time, sixth] = self.arguments;
        let count = self.int(0);
        if count < 0 {
            return Err(Errno::EINVAL.into());
        }
        let count = count.min(DESCRIPTORS) as usize;
        let size = count.div_ceil(64) * 8;
        let addresses = [read, write, except];
        let mut wanted = vec![0; count];
        for (address, (asks, _)) in addresses.into_iter().zip(MEANING) {
            if address == 0 {
                continue;
            }
            let bits = self.read(address, size)?;
            for (fd, events) in wanted.iter_mut().enumerate() {
                if bits[fd / 8] >> (fd % 8) & 1 != 0 {
                    *events |= asks;
                }
            }
        }
        let asked: Vec<(Fd, i16)> = (0..).zip(wanted).filter(|(_, events)| *events != 0).collect();
        let entries: Vec<PollEntry> = asked.iter().map(|&(fd, events)| self.entry(fd, events)).collect();
        if entries.iter().any(|entry| entry.ready == Some(libc::POLLNVAL)) {
            return Err(Errno::EBADF.into());
        }
        let timeout = if precise { self.timeout(time)?.0 } else { self.timeval(time)? };
        let mask = if precise && sixth != 0 {
            let address = u64::from_le_bytes(self.read(sixth, 8)?.try_into().unwrap_or_default());
            self.set(address)?
        } else {
            None
        };
        Ok(Decision::Visible(Op::Poll { entries, timeout, mask }, Finish::Select(Sets { addresses, size, asked })))
    }

    /// A `timeval` as how long a process waits.
    fn timeval(&self, address: u64) -> Result<Timeout, Errno> {
        if address == 0 {
            return Ok(Timeout::Never);
        }
        Ok(if self.read(address, 16)? == [0; 16] { Timeout::Zero } else { Timeout::Some })
    }
}

impl Sets {
    /// The sets of what is ready with their addresses, and how many bits there are in them.
    pub(crate) fn answers(&self, ready: &[i16]) -> (Vec<(u64, Vec<u8>)>, i64) {
        let mut count = 0;
        let mut sets = Vec::new();
        for (address, (asks, means)) in self.addresses.into_iter().zip(MEANING) {
            if address == 0 {
                continue;
            }
            let mut bits = vec![0; self.size];
            for (&(fd, events), ready) in self.asked.iter().zip(ready) {
                if events & asks != 0 && ready & means != 0 {
                    bits[fd as usize / 8] |= 1 << (fd % 8);
                    count += 1;
                }
            }
            sets.push((address, bits));
        }
        (sets, count)
    }
}
