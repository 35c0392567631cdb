//! Gives a process the outcome of its operation. Follows the manual page of each call for what is written where.

use crate::call::{Buffer, Finish, Fork, Header, address_bytes, control, take};
use crate::launch::PLACEHOLDER;
use crate::memory;
use crate::own::{Action, Kind, Mapping, Own, Shared};
use crate::tracee::Tracee;
use crate::{call, layout};
use nix::errno::Errno;
use quotient_system::{Extra, Fd, Lock, Outcome, Trouble};

/// What comes next for a process that has got its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It runs.
    Run,
    /// The call at which it stands is looked at once more.
    Look,
}

/// A process and the outcome that it gets.
pub(crate) struct Finishing<'a> {
    /// The process.
    pub(crate) tracee: &'a Tracee,
    /// What it has.
    pub(crate) own: &'a mut Own,
    /// The number of its call.
    pub(crate) number: i64,
    /// The outcome.
    pub(crate) outcome: &'a Outcome,
}

/// What comes of it.
type Finished<T> = Result<T, call::Refusal>;

impl Finishing<'_> {
    /// Does what the operation needs. An error goes to the process as the value of its call.
    pub(crate) fn finish(&mut self, how: &Finish) -> Result<Next, Trouble> {
        match self.apply(how) {
            Ok(next) => Ok(next),
            Err(call::Refusal::Error(error)) => {
                self.tracee.answer(-(error as i64))?;
                Ok(Next::Run)
            }
            Err(call::Refusal::Trouble(trouble)) => Err(trouble),
        }
    }

    fn apply(&mut self, how: &Finish) -> Finished<Next> {
        let value = self.outcome.value;
        if let Extra::Elsewhere(path) = &self.outcome.extra {
            let detail =
                format!("a symbolic link leads out of a shared directory, to {}", String::from_utf8_lossy(path));
            return Err(Trouble::Unsupported { call: call::name(self.number), detail }.into());
        }
        // Most calls write nothing if they fail.
        if value < 0 && !matches!(how, Finish::Slept { .. }) {
            self.tracee.answer(value)?;
            return Ok(Next::Run);
        }
        match how {
            Finish::Value => self.tracee.answer(value)?,
            Finish::Exec { program } => self.own.exec(program.clone()),
            Finish::Fork(fork) => self.fork(fork)?,
            Finish::Make => {}
            Finish::Action { signal, words } => {
                match Action::new(*words) {
                    Some(action) => self.own.actions.insert(*signal, action),
                    None => self.own.actions.remove(signal),
                };
            }
            Finish::CloseFirst(fd) => {
                self.own.close(*fd);
                self.tracee.insert(libc::SYS_close, [*fd as u64, 0, 0, 0, 0, 0])?;
                return Ok(Next::Look);
            }
            Finish::Close(fd) => {
                self.own.close(*fd);
                self.tracee.substitute(libc::SYS_close, [*fd as u64, 0, 0, 0, 0, 0])?;
            }
            Finish::Dup { from, to, close_on_exec } => self.dup(*from, *to, *close_on_exec)?,
            Finish::New { numbers, close_on_exec, address, peer } => {
                self.new_descriptors(numbers, *close_on_exec, *address, *peer)?;
            }
            Finish::Bytes(buffers) => {
                self.scatter(buffers, self.bytes())?;
                self.tracee.answer(value)?;
            }
            Finish::SetSize(id) => {
                self.own.sets.insert(*id, value as usize);
                return Ok(Next::Look);
            }
            Finish::Values(address) => {
                if let Extra::Values(values) = &self.outcome.extra {
                    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                    self.write(*address, &bytes)?;
                }
                self.tracee.answer(value)?;
            }
            Finish::Status { status, usage } => {
                if let Extra::Status(how) = self.outcome.extra {
                    self.write(*status, &how.to_le_bytes())?;
                    self.write(*usage, &[0; size_of::<libc::rusage>()])?;
                }
                self.tracee.answer(value)?;
            }
            Finish::Info { address, usage } => self.child_info(*address, *usage)?,
            Finish::Stat(address) => self.facts(*address, layout::stat)?,
            Finish::Statx(address) => self.facts(*address, layout::statx)?,
            Finish::Entries { fd, address, room } => self.entries(*fd, *address, *room)?,
            Finish::Directory => {
                if let Extra::Path(path) = &self.outcome.extra {
                    self.own.directory.clone_from(path);
                }
                self.tracee.answer(0)?;
            }
            Finish::Message(address) => {
                if let Extra::Message { kind, bytes } = &self.outcome.extra {
                    self.write(*address, &[&kind.to_le_bytes(), bytes.as_slice()].concat())?;
                }
                self.tracee.answer(value)?;
            }
            Finish::Priority { buffer, priority } => {
                if let Extra::Message { kind, bytes } = &self.outcome.extra {
                    self.write(*buffer, bytes)?;
                    self.write(*priority, &(*kind as u32).to_le_bytes())?;
                }
                self.tracee.answer(value)?;
            }
            Finish::Queue(address) => self.queue(*address)?,
            Finish::Poll(address) => {
                if let Extra::Ready(ready) = &self.outcome.extra {
                    for (index, bits) in ready.iter().enumerate() {
                        self.write(address + 8 * index as u64 + 6, &bits.to_le_bytes())?;
                    }
                }
                self.tracee.answer(value)?;
            }
            Finish::Select(sets) => {
                let nothing = Vec::new();
                let ready = if let Extra::Ready(ready) = &self.outcome.extra { ready } else { &nothing };
                let (answers, count) = sets.answers(ready);
                for (address, bits) in answers {
                    self.write(address, &bits)?;
                }
                self.tracee.answer(count)?;
            }
            Finish::Events(address) => {
                if let Extra::Events(events) = &self.outcome.extra {
                    for (index, (bits, data)) in events.iter().enumerate() {
                        let bytes = [bits.to_le_bytes().as_slice(), &data.to_le_bytes()].concat();
                        self.write(address + 12 * index as u64, &bytes)?;
                    }
                }
                self.tracee.answer(value)?;
            }
            Finish::Received(header) => self.received(header)?,
            Finish::Address { address, size } => {
                self.write_address(*address, *size)?;
                self.tracee.answer(value)?;
            }
            Finish::Number(address) => {
                self.write(*address, &(value as i32).to_le_bytes())?;
                self.tracee.answer(0)?;
            }
            Finish::Holder(address) => self.holder(*address)?,
            Finish::Map(request) => {
                let value = self.place_memory(request, request.size)?;
                if value >= 0 {
                    let failed = |_| Errno::EFAULT;
                    memory::write_always(self.tracee, value as u64, self.bytes()).map_err(failed)?;
                }
            }
            Finish::Attach(request) => self.attach(request)?,
            Finish::Detach(request) => {
                self.own.segments.retain(|mapping| mapping.address != request.address);
                self.tracee.substitute(libc::SYS_munmap, [request.address, request.size as u64, 0, 0, 0, 0])?;
            }
            Finish::Slept { time } => {
                self.own.sleep(*time);
                self.tracee.answer(value)?;
            }
            Finish::Set(address) => {
                self.write(*address, &value.to_le_bytes())?;
                self.tracee.answer(0)?;
            }
            Finish::Taken(address) => {
                if *address != 0 {
                    let mut facts = [0; 128];
                    facts[..4].copy_from_slice(&(value as i32).to_le_bytes());
                    self.write(*address, &facts)?;
                }
                self.tracee.answer(value)?;
            }
            Finish::Timer(address) => {
                self.write(*address, &[0; 32])?;
                self.tracee.answer(if *address == 0 { value } else { 0 })?;
            }
        }
        Ok(Next::Run)
    }

    /// Writes into the process, unless the address is 0.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        if address == 0 { Ok(()) } else { memory::write(self.tracee, address, bytes) }
    }

    /// The bytes of the outcome.
    fn bytes(&self) -> &[u8] {
        if let Extra::Bytes(bytes) = &self.outcome.extra { bytes } else { &[] }
    }

    fn scatter(&self, buffers: &[Buffer], mut bytes: &[u8]) -> Result<(), Errno> {
        for buffer in buffers {
            let (now, later) = bytes.split_at(buffer.length.min(bytes.len()));
            self.write(buffer.address, now)?;
            bytes = later;
        }
        Ok(())
    }

    fn fork(&mut self, fork: &Fork) -> Finished<()> {
        let Extra::Child { pid, .. } = self.outcome.extra else {
            let value = self.outcome.value;
            if let Some(address) = fork.parent_id {
                self.write(address, &(value as i32).to_le_bytes())?;
            }
            return Ok(self.tracee.answer(value)?);
        };
        self.own.child(pid);
        self.own.borrowed = fork.borrowed;
        if let Some(address) = fork.child_id {
            self.write(address, &pid.to_le_bytes())?;
        }
        let mut registers = self.tracee.registers()?;
        registers.orig_rax = u64::MAX;
        registers.rax = 0;
        if fork.stack != 0 {
            registers.rsp = fork.stack;
        }
        if let Some(base) = fork.thread_memory {
            registers.fs_base = base;
        }
        Ok(self.tracee.set_registers(registers)?)
    }

    fn dup(&mut self, from: Fd, to: Fd, close_on_exec: bool) -> Finished<()> {
        let flags = if close_on_exec { libc::O_CLOEXEC } else { 0 };
        self.tracee.substitute(libc::SYS_dup3, [from as u64, to as u64, flags as u64, 0, 0, 0])?;
        let kind = self.own.kind(from)?.clone();
        self.own.put(to, kind, close_on_exec);
        Ok(())
    }

    /// Puts placeholders at the numbers of new descriptors.
    fn new_descriptors(
        &mut self,
        numbers: &[(Fd, Shared)],
        close_on_exec: bool,
        address: Option<u64>,
        peer: Option<(u64, u64)>,
    ) -> Finished<()> {
        for (fd, shared) in numbers {
            self.occupy(*fd, shared.clone(), close_on_exec)?;
        }
        if let Some((address, size)) = peer {
            self.write_address(address, size)?;
        }
        match address {
            Some(address) => {
                let bytes: Vec<u8> = numbers.iter().flat_map(|(fd, _)| fd.to_le_bytes()).collect();
                self.write(address, &bytes)?;
                self.tracee.answer(0)?;
            }
            None => self.tracee.answer(numbers[0].0.into())?,
        }
        Ok(())
    }

    /// Takes a number for something of the checker's.
    fn occupy(&mut self, fd: Fd, shared: Shared, close_on_exec: bool) -> Finished<()> {
        let command = if close_on_exec { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
        let got = self.tracee.insert(libc::SYS_fcntl, [PLACEHOLDER as u64, command as u64, fd as u64, 0, 0, 0])?;
        if got != i64::from(fd) {
            let what = format!("a descriptor got the number {got} instead of {fd}");
            return Err(Trouble::Failed { what }.into());
        }
        self.own.put(fd, Kind::Shared(shared), close_on_exec);
        Ok(())
    }

    fn child_info(&self, address: u64, usage: u64) -> Finished<()> {
        let bytes = match self.outcome.extra {
            Extra::Status(status) => layout::child_info(self.outcome.value as i32, status),
            _ => vec![0; 128],
        };
        self.write(address, &bytes)?;
        self.write(usage, &[0; size_of::<libc::rusage>()])?;
        Ok(self.tracee.answer(0)?)
    }

    fn facts(&self, address: u64, write: fn(quotient_system::Stat) -> Vec<u8>) -> Finished<()> {
        if let Extra::Stat(facts) = self.outcome.extra {
            self.write(address, &write(facts))?;
        }
        Ok(self.tracee.answer(self.outcome.value)?)
    }

    fn entries(&mut self, fd: Fd, address: u64, room: usize) -> Finished<()> {
        if let (Extra::Entries(new), Some(descriptor)) = (&self.outcome.extra, self.own.descriptors.get_mut(&fd))
            && let Kind::Shared(Shared::File { entries, .. }) = &mut descriptor.kind
        {
            entries.clone_from(new);
        }
        let bytes = take(self.own, fd, room)?;
        self.write(address, &bytes)?;
        Ok(self.tracee.answer(bytes.len() as i64)?)
    }

    fn queue(&self, address: u64) -> Finished<()> {
        if let Extra::Queue { most, longest, count, nonblocking } = self.outcome.extra {
            let flags = if nonblocking { libc::O_NONBLOCK as u64 } else { 0 };
            let numbers = [flags, most as u64, longest as u64, count as u64];
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.write(address, &bytes)?;
        }
        Ok(self.tracee.answer(0)?)
    }

    /// Writes as much of an address as there is room for, and its whole size.
    fn put_address(&self, bytes: &[u8], address: u64, room: usize, size: u64) -> Result<(), Errno> {
        self.write(address, &bytes[..room.min(bytes.len())])?;
        self.write(size, &(bytes.len() as u32).to_le_bytes())
    }

    fn write_address(&self, address: u64, size: u64) -> Result<(), Errno> {
        let Extra::Address(known) = &self.outcome.extra else { return Ok(()) };
        let room = memory::read_i32(self.tracee, size)?.max(0) as usize;
        self.put_address(&address_bytes(known), address, room, size)
    }

    fn received(&mut self, header: &Header) -> Finished<()> {
        let Extra::Received { bytes, from, fds, cut } = &self.outcome.extra else {
            return Ok(self.tracee.answer(self.outcome.value)?);
        };
        self.scatter(&header.buffers, bytes)?;
        if header.name != 0 {
            let name = from.as_ref().map(address_bytes).unwrap_or_default();
            self.put_address(&name, header.name, header.name_room, header.name_size)?;
        }
        for fd in fds {
            self.occupy(*fd, Shared::Passed, header.close_on_exec)?;
        }
        if header.header != 0 {
            let control = if fds.is_empty() { Vec::new() } else { control(fds) };
            if header.control != 0 {
                self.write(header.control, &control)?;
            }
            self.write(header.header + 40, &(control.len() as u64).to_le_bytes())?;
            let flags = if *cut { libc::MSG_TRUNC } else { 0 };
            self.write(header.header + 48, &flags.to_le_bytes())?;
        }
        Ok(self.tracee.answer(self.outcome.value)?)
    }

    fn holder(&self, address: u64) -> Finished<()> {
        if let Extra::Holder { lock, start, end, pid } = self.outcome.extra {
            let kind = if lock == Lock::Shared { libc::F_RDLCK } else { libc::F_WRLCK };
            let length = if end == i64::MAX { 0 } else { end - start };
            let mut bytes = vec![0; size_of::<libc::flock>()];
            bytes[..2].copy_from_slice(&(kind as i16).to_le_bytes());
            bytes[8..16].copy_from_slice(&start.to_le_bytes());
            bytes[16..24].copy_from_slice(&length.to_le_bytes());
            bytes[24..28].copy_from_slice(&pid.to_le_bytes());
            self.write(address, &bytes)?;
        } else {
            self.write(address, &(libc::F_UNLCK as i16).to_le_bytes())?;
        }
        Ok(self.tracee.answer(0)?)
    }

    /// Makes private memory. The value is its address or an error.
    fn place_memory(&self, request: &call::Request, size: usize) -> Finished<i64> {
        let fixed = if request.fixed { libc::MAP_FIXED } else { 0 };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed;
        let arguments = [request.address, size as u64, request.protection as u64, flags as u64, u64::MAX, 0];
        Ok(self.tracee.substitute(libc::SYS_mmap, arguments)?)
    }

    fn attach(&mut self, request: &call::Request) -> Finished<()> {
        let Extra::Segment { segment, size: whole } = self.outcome.extra else {
            return Ok(self.tracee.answer(self.outcome.value)?);
        };
        if self.own.segments.iter().any(|mapping| mapping.segment == segment) {
            let detail = "the same shared memory twice in one process".to_owned();
            return Err(Trouble::Unsupported { call: call::name(self.number), detail }.into());
        }
        let size = if request.size == 0 { whole } else { request.size };
        let value = self.place_memory(request, size)?;
        if value >= 0 {
            let size = size.min(whole.saturating_sub(request.offset));
            self.own.segments.push(Mapping { segment, address: value as u64, size, offset: request.offset });
        }
        Ok(())
    }
}
