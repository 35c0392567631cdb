//! Memory that several processes see, files in memory, and waiting at words of memory. Follows `shmop(2)`, `mmap(2)` and
//! `futex(2)`; a shared segment is private memory that the checker fills before every step.

use super::{Decision, Finish, Looked, Moment, visible};
use crate::memory::PAGE;
use crate::own::{FileKind, Kind, Shared};
use nix::errno::Errno;
use quotient_system::{MemoryOp, Op, Timeout};

/// A place for memory, as a process has asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The address, 0 if any will do.
    pub(crate) address: u64,
    /// The size; 0 for that of the segment.
    pub(crate) size: usize,
    /// What may be done with the memory.
    pub(crate) protection: i32,
    /// It must be at the address.
    pub(crate) fixed: bool,
    /// The first byte of the file.
    pub(crate) offset: usize,
}

impl Moment<'_> {
    /// Looks at a call if it is one of these.
    pub(super) fn shared_memory_call(&mut self) -> Option<Looked> {
        Some(match self.number {
            libc::SYS_mmap => self.mmap(),
            libc::SYS_munmap => self.munmap(),
            libc::SYS_mremap if self.overlaps(self.arguments[0], self.size(1)) => {
                Err(self.unsupported("shared memory"))
            }
            libc::SYS_mremap => self.pass(),
            libc::SYS_msync => self.answer(0),
            libc::SYS_shmget => visible(Op::Memory(MemoryOp::Get {
                key: super::ipc::key(self.int(0)),
                size: self.size(1),
                create: self.int(2) & libc::IPC_CREAT != 0,
                exclusive: self.int(2) & libc::IPC_EXCL != 0,
            })),
            libc::SYS_shmat => self.attach(),
            libc::SYS_shmdt => self.detach(),
            libc::SYS_shmctl if self.int(1) == libc::IPC_RMID => {
                visible(Op::Memory(MemoryOp::Remove { id: self.int(0) }))
            }
            libc::SYS_futex => self.futex(),
            _ => return None,
        })
    }

    /// Whether these addresses are in a shared segment.
    fn overlaps(&self, address: u64, size: usize) -> bool {
        let end = address.saturating_add(size as u64);
        self.own.segments.iter().any(|mapping| {
            mapping.address < end && address < mapping.address + (mapping.size as u64).next_multiple_of(PAGE)
        })
    }

    fn mmap(&self) -> Looked {
        let [address, size, protection, flags, _, offset] = self.arguments;
        let (flags, fd) = (flags as i32, self.int(4));
        let request = Request {
            address,
            size: size as usize,
            protection: protection as i32,
            fixed: flags & libc::MAP_FIXED != 0,
            offset: offset as usize,
        };
        if request.fixed && self.overlaps(address, size as usize) {
            return Err(self.unsupported("memory in place of shared memory"));
        }
        let shared = flags & libc::MAP_TYPE != libc::MAP_PRIVATE;
        if flags & libc::MAP_ANONYMOUS != 0 {
            // Private memory does not stop here.
            let op = Op::Memory(MemoryOp::Anonymous { size: size as usize });
            return Ok(Decision::Visible(op, Finish::Attach(Request { offset: 0, ..request })));
        }
        let writes = protection as i32 & libc::PROT_WRITE != 0;
        match self.own.kind(fd)? {
            Kind::Private(file) => match self.own.files[file].kind {
                FileKind::Regular if shared && writes => Err(Errno::EACCES.into()),
                FileKind::Regular | FileKind::Zero if !shared || !writes => self.pass(),
                _ => Err(Errno::ENODEV.into()),
            },
            Kind::Shared(Shared::File { .. }) if shared => {
                Ok(Decision::Visible(Op::Memory(MemoryOp::MapFile { fd }), Finish::Attach(request)))
            }
            Kind::Shared(Shared::File { .. }) => {
                let op = Op::Read { fd, count: request.size, at: Some(offset as i64) };
                Ok(Decision::Visible(op, Finish::Map(request)))
            }
            _ => Err(Errno::ENODEV.into()),
        }
    }

    fn munmap(&self) -> Looked {
        let (address, size) = (self.arguments[0], self.size(1));
        if !self.overlaps(address, size) {
            return self.pass();
        }
        let pages = |size: usize| (size as u64).next_multiple_of(PAGE);
        let whole = |mapping: &&crate::own::Mapping| mapping.address == address && pages(mapping.size) == pages(size);
        let Some(mapping) = self.own.segments.iter().find(whole) else {
            return Err(self.unsupported("a part of a shared segment"));
        };
        self.detach_at(mapping.segment, address, size)
    }

    fn attach(&self) -> Looked {
        let [_, address, flags, ..] = self.arguments;
        let read_only = flags as i32 & libc::SHM_RDONLY != 0;
        if flags as i32 & !(libc::SHM_RDONLY | libc::SHM_RND) != 0 {
            return Err(self.unsupported(format!("flags {flags:#x}")));
        }
        let protection = if read_only { libc::PROT_READ } else { libc::PROT_READ | libc::PROT_WRITE };
        let request = Request { address, size: 0, protection, fixed: address != 0, offset: 0 };
        Ok(Decision::Visible(Op::Memory(MemoryOp::Attach { id: self.int(0) }), Finish::Attach(request)))
    }

    fn detach(&self) -> Looked {
        let address = self.arguments[0];
        let Some(mapping) = self.own.segments.iter().find(|mapping| mapping.address == address) else {
            return Err(Errno::EINVAL.into());
        };
        self.detach_at(mapping.segment, address, mapping.size)
    }

    fn detach_at(&self, id: i32, address: u64, size: usize) -> Looked {
        let request = Request { address, size, protection: 0, fixed: true, offset: 0 };
        Ok(Decision::Visible(Op::Memory(MemoryOp::Detach { id }), Finish::Detach(request)))
    }

    fn futex(&self) -> Looked {
        let [address, _, value, timeout, ..] = self.arguments;
        let command = self.int(1) & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        let word = self.read(address, 4)?;
        let word = u32::from_le_bytes(std::array::from_fn(|i| word[i]));
        let place = self.own.segments.iter().find_map(|mapping| {
            let at = address.checked_sub(mapping.address).filter(|&at| at < mapping.size as u64)?;
            Some((mapping.segment, mapping.offset + at as usize))
        });
        let wait = matches!(command, libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET);
        let wake = matches!(command, libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET);
        match place {
            _ if !wait && !wake => Err(self.unsupported(format!("command {command}"))),
            Some((segment, offset)) if wake => visible(Op::FutexWake { segment, offset, count: value as u32 }),
            Some((segment, offset)) => {
                let timeout = match (timeout, command) {
                    (0, _) => Timeout::Never,
                    (at, libc::FUTEX_WAIT) => self.timeout(at)?.0,
                    (at, _) => self.timespec(at).map(|_| Timeout::Some)?,
                };
                visible(Op::FutexWait { segment, offset, value: value as u32, timeout })
            }
            // Nobody else sees this word.
            None if wake => self.answer(0),
            None if word != value as u32 => Err(Errno::EAGAIN.into()),
            None if timeout != 0 => Err(Errno::ETIMEDOUT.into()),
            None => visible(Op::Pause { mask: None }),
        }
    }
}
