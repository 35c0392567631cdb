//! Runs a process from one visible operation to the next. Follows section 3 of the design of process checks: it runs alone, and
//! the system decides nothing that another process could have a part in.

use crate::call::{self, Decision, Finish, Moment};
use crate::finish::{Finishing, Next};
use crate::own::Own;
use crate::tracee::{Registers, Stop, Tracee};
use crate::world::World;
use crate::{memory, missing, start};
use quotient_system::{Contents, Extra, Op, Outcome, Printed, Signals, Trouble, Wrote};

/// A process that stands before a visible operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// What it has.
    pub(crate) own: Own,
    /// The operation.
    pub(crate) op: Op,
    /// What is done with the outcome.
    pub(crate) finish: Finish,
    /// The number of the call.
    pub(crate) number: i64,
    /// What becomes of signals.
    pub(crate) signals: Signals,
}

/// What a process did on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    /// What it printed.
    pub(crate) printed: Vec<Printed>,
    /// What it wrote to shared segments.
    pub(crate) wrote: Vec<Wrote>,
}

/// Signals that are on their way to the process.
#[derive(Default)]
struct Coming {
    /// Which ones, and who sent them.
    signals: Vec<(i32, i32)>,
    /// The registers that the process is to have when it gets the first, if others than it has then.
    registers: Option<Registers>,
}

/// Runs a new program to its first operation.
///
/// # Errors
/// It does not come to one.
pub(crate) fn begin(tracee: &Tracee, own: Own, world: &World) -> Result<(Standing, Traces), Trouble> {
    let mut traces = Traces::default();
    let standing = Runner { tracee, own, world, printed: &mut traces.printed, coming: Coming::default() }.go()?;
    Ok((standing, traces))
}

/// Gives a process the outcome of its operation and runs it to the next one.
///
/// # Errors
/// It does not come to one.
pub(crate) fn step(
    tracee: &Tracee,
    from: &Standing,
    outcome: &Outcome,
    world: &World,
) -> Result<(Standing, Traces), Trouble> {
    let mut traces = Traces::default();
    let mut own = from.own.clone();
    let mut coming = Coming { signals: outcome.signals.clone(), registers: None };
    let mut next = Next::Run;
    if let Extra::Delivered { interrupted } = outcome.extra {
        coming.registers = Some(interrupt(tracee, &own, from, outcome, interrupted)?);
    } else {
        next = Finishing { tracee, own: &mut own, number: from.number, outcome }.finish(&from.finish)?;
        if next == Next::Look && !outcome.signals.is_empty() {
            // The call is not through. It is made again after the handlers.
            next = Next::Run;
            coming.registers = Some(interrupt(tracee, &own, from, outcome, false)?);
        }
    }
    for (signal, _) in &coming.signals {
        tracee.send(*signal)?;
        match own.actions.get(signal) {
            None => return Err(Trouble::Failed { what: format!("signal {signal} has no handler") }),
            Some(action) if action.once => drop(own.actions.remove(signal)),
            Some(_) => {}
        }
    }
    fill(tracee, &own, &outcome.memory)?;
    let mut runner = Runner { tracee, own, world, printed: &mut traces.printed, coming };
    let looked = if next == Next::Look { runner.look()? } else { None };
    let standing = match looked {
        Some(standing) => standing,
        None => runner.go()?,
    };
    traces.wrote = differences(tracee, &standing.own, &outcome.memory)?;
    Ok((standing, traces))
}

/// Writes the contents of shared segments into the process.
fn fill(tracee: &Tracee, own: &Own, contents: &[Contents]) -> Result<(), Trouble> {
    for mapping in &own.segments {
        let Some(contents) = contents.iter().find(|contents| contents.segment == mapping.segment) else { continue };
        let bytes = &contents.bytes[mapping.offset..mapping.offset + mapping.size];
        let failed = |error| Trouble::Failed { what: format!("shared memory cannot be written: {error}") };
        memory::write_always(tracee, mapping.address, bytes).map_err(failed)?;
    }
    Ok(())
}

/// What the process has changed in shared segments.
fn differences(tracee: &Tracee, own: &Own, contents: &[Contents]) -> Result<Vec<Wrote>, Trouble> {
    let mut wrote = Vec::new();
    for mapping in &own.segments {
        let Some(before) = contents.iter().find(|contents| contents.segment == mapping.segment) else { continue };
        let before = &before.bytes[mapping.offset..mapping.offset + mapping.size];
        let after = memory::read(tracee, mapping.address, mapping.size)
            .map_err(|error| Trouble::Failed { what: format!("shared memory cannot be read: {error}") })?;
        let mut at = 0;
        while at < after.len() {
            let length = after[at..].iter().zip(&before[at..]).take_while(|(new, old)| new != old).count();
            if length > 0 {
                let bytes = after[at..at + length].to_vec();
                wrote.push(Wrote { segment: mapping.segment, offset: mapping.offset + at, bytes });
            }
            at += length.max(1);
        }
    }
    Ok(wrote)
}

/// Calls that are made again after a handler that was set so.
const RESTARTED: [i64; 20] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_flock,
    libc::SYS_fcntl,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_futex,
];

/// Takes a process that stands before a call away from it, because signals are delivered. The result is the registers with which the
/// first handler starts.
fn interrupt(
    tracee: &Tracee,
    own: &Own,
    from: &Standing,
    outcome: &Outcome,
    interrupted: bool,
) -> Result<Registers, Trouble> {
    // The system asks the signal that comes first.
    let first = outcome.signals.first().and_then(|(signal, _)| own.actions.get(signal));
    let restarts = first.is_some_and(|action| action.restart) && RESTARTED.contains(&from.number);
    let before = tracee.registers()?;
    let mut after = before;
    after.orig_rax = u64::MAX;
    if interrupted && !restarts {
        after.rax = -i64::from(libc::EINTR) as u64;
    } else {
        after.rip -= 2;
        after.rax = before.orig_rax;
    }
    // Calls that come with a set of signals: the system puts that set in force, delivers, and puts the old one back.
    let set = match from.number {
        libc::SYS_rt_sigsuspend => before.rdi,
        libc::SYS_ppoll => before.r10,
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => before.r8,
        libc::SYS_pselect6 if before.r9 != 0 => memory::read_u64(tracee, before.r9).unwrap_or(0),
        _ => 0,
    };
    if interrupted && set != 0 {
        let mut suspend = before;
        suspend.orig_rax = libc::SYS_rt_sigsuspend as u64;
        suspend.rdi = set;
        suspend.rsi = 8;
        tracee.set_registers(suspend)?;
    } else {
        tracee.set_registers(after)?;
    }
    Ok(after)
}

struct Runner<'a> {
    tracee: &'a Tracee,
    own: Own,
    world: &'a World,
    printed: &'a mut Vec<Printed>,
    coming: Coming,
}

impl Runner<'_> {
    /// Looks at the call at which the process is. Nothing, if it can run on.
    fn look(&mut self) -> Result<Option<Standing>, Trouble> {
        let registers = self.tracee.registers()?;
        let number = registers.orig_rax as i64;
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9];
        missing::note(self.tracee, &mut self.own, number, arguments);
        let mut moment = Moment {
            tracee: self.tracee,
            own: &mut self.own,
            world: self.world,
            printed: self.printed,
            number,
            arguments,
        };
        match moment.look() {
            Ok(Decision::Done) => Ok(None),
            Ok(Decision::Visible(op, finish)) => {
                missing::check(&self.own, &op)?;
                let signals = self.own.signals(self.tracee.blocked()?);
                Ok(Some(Standing { own: self.own.clone(), op, finish, number, signals }))
            }
            Err(call::Refusal::Trouble(trouble)) => Err(trouble),
            Err(call::Refusal::Error(error)) => Err(Trouble::Failed { what: error.to_string() }),
        }
    }

    /// Runs the process until it stands before an operation.
    fn go(&mut self) -> Result<Standing, Trouble> {
        let mut signal = 0;
        loop {
            let stop = self.tracee.run(std::mem::take(&mut signal))?;
            match stop {
                Stop::Call => {
                    if let Some((signal, _)) = self.coming.signals.first() {
                        let what = format!("signal {signal} was not delivered: the process blocks it");
                        return Err(Trouble::Failed { what });
                    }
                    if let Some(standing) = self.look()? {
                        return Ok(standing);
                    }
                }
                Stop::Exec => start::hide_chance(self.tracee)?,
                Stop::Signal(number) => match self.coming.signals.iter().position(|one| one.0 == number) {
                    Some(at) => {
                        self.tracee.set_sender(self.coming.signals.remove(at).1)?;
                        if let Some(registers) = self.coming.registers.take() {
                            self.tracee.set_registers(registers)?;
                        }
                        signal = number;
                    }
                    None => match self.own_signal(number)? {
                        Fate::Goes(number) => signal = number,
                        Fate::Dies(op) => return Ok(self.dead(op)),
                    },
                },
                Stop::Killed(libc::SIGSYS) => {
                    let call = "a call of a 32-bit program".to_owned();
                    return Err(Trouble::Unsupported { call, detail: String::new() });
                }
                // A loaded process has no room on its stack to say so.
                Stop::Killed(libc::SIGSEGV) if self.tracee.loaded().is_some() => {
                    let reason = "no room on the stack".to_owned();
                    return Ok(self.dead(Op::Crash { signal: libc::SIGSEGV, reason }));
                }
                Stop::Killed(number) => {
                    return Err(Trouble::Limit {
                        what: format!("the system has killed a process with signal {number}"),
                    });
                }
                Stop::Exited(_) | Stop::Return | Stop::Copied => {
                    return Err(Trouble::Failed { what: format!("a process stopped in an unexpected way: {stop:?}") });
                }
            }
        }
    }

    /// A signal that comes from the process itself.
    fn own_signal(&mut self, number: i32) -> Result<Fate, Trouble> {
        match number {
            libc::SIGSEGV if self.reads_counter()? => Ok(Fate::Goes(0)),
            libc::SIGXCPU => Err(Trouble::Divergence),
            libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP | libc::SIGSYS => {
                if self.own.actions.get(&number).is_some_and(|action| !action.ignored) {
                    return Ok(Fate::Goes(number));
                }
                let facts = self.tracee.signal_facts()?;
                // SAFETY: the field has a meaning for all of these signals.
                let address = unsafe { facts.si_addr() };
                let at = self.tracee.registers()?.rip;
                let reason = format!("at {at:#x}, address {address:?}");
                Ok(Fate::Dies(Op::Crash { signal: number, reason }))
            }
            // From outside the check: nobody is to notice.
            _ => Ok(Fate::Goes(0)),
        }
    }

    /// Answers the instructions that read the processor's counter, which are not allowed to run.
    fn reads_counter(&mut self) -> Result<bool, Trouble> {
        let mut registers = self.tracee.registers()?;
        let length = match self.tracee.instruction(registers.rip) {
            [0x0f, 0x31, _] => 2,
            [0x0f, 0x01, 0xf9] => {
                registers.rcx = 0;
                3
            }
            _ => return Ok(false),
        };
        let now = self.own.counter();
        (registers.rax, registers.rdx) = (now & 0xffff_ffff, now >> 32);
        registers.rip += length;
        self.tracee.set_registers(registers)?;
        Ok(true)
    }

    fn dead(&self, op: Op) -> Standing {
        let signals = Signals::default();
        Standing { own: self.own.clone(), op, finish: Finish::Value, number: -1, signals }
    }
}

/// What becomes of a process that gets a signal.
enum Fate {
    /// It goes on, with a signal unless this is 0.
    Goes(i32),
    /// It dies.
    Dies(Op),
}
