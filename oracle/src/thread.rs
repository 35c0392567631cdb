//! What one thread does, given the values it reads: the only place that gives instructions a meaning. It follows the
//! events of RC11 (Lahav et al., PLDI 2017); a lock is an acquire update that can happen only if it reads 0.

use crate::execution::{Access, Execution, Kind, Source};
use crate::program::{Instr, Mode, Program, Thread};

/// The state of a thread: what is left to run, innermost block last, and its registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local<'p> {
    rest: Vec<&'p [Instr]>,
    pub registers: Vec<u64>,
}

/// An access of a thread with the mode it has; an update has the mode of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub access: Access,
    pub mode: Mode,
}

/// A thread that has run to its end.
pub(crate) struct Run {
    pub entries: Vec<Entry>,
    pub registers: Vec<u64>,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next<'p> {
    /// An access or a fence.
    Access(&'p Instr),
    /// Nothing, it has finished.
    Done,
    /// Nothing, an assumption is false.
    Blocked,
}

impl<'p> Local<'p> {
    pub(crate) fn new(thread: &'p Thread) -> Self {
        Local { rest: vec![&thread.code], registers: vec![0; thread.registers()] }
    }

    /// Takes all branches and computes registers up to the next access, and says what comes then.
    pub(crate) fn next(&mut self) -> Next<'p> {
        while let Some(&block) = self.rest.last() {
            let Some((first, after)) = block.split_first() else {
                self.rest.pop();
                continue;
            };
            match first {
                Instr::If { cond, then, otherwise } => {
                    let taken = if cond.eval(&self.registers) != 0 { then } else { otherwise };
                    *self.rest.last_mut().expect("there is a block") = after;
                    self.rest.push(taken);
                }
                Instr::Set { reg, value } => {
                    self.registers[*reg] = value.eval(&self.registers);
                    *self.rest.last_mut().expect("there is a block") = after;
                }
                Instr::Assume { cond } if cond.eval(&self.registers) == 0 => return Next::Blocked,
                Instr::Assume { .. } => *self.rest.last_mut().expect("there is a block") = after,
                access => return Next::Access(access),
            }
        }
        Next::Done
    }

    /// Performs the next access. `source` is what a reading access reads; `spurious` makes a weak compare-and-swap
    /// fail. `None` if the access cannot happen like that: a lock that is taken, a failure that cannot be.
    ///
    /// The next thing the thread does must be an access, as [`Local::next`] says.
    pub(crate) fn perform(&mut self, source: Option<(Source, u64)>, spurious: bool) -> Option<Entry> {
        let (first, after) = self.rest.last()?.split_first()?;
        let (rf, read) = (source.map(|(rf, _)| rf), source.map(|(_, value)| value));
        let old = read.unwrap_or(0);
        let weak = matches!(first, Instr::Cas { weak: true, .. });
        if reads(first) != source.is_some() || (spurious && !weak) {
            return None;
        }
        let (kind, mode, written) = match first {
            Instr::Load { mode, .. } => (Kind::Read, *mode, None),
            Instr::Store { mode, value, .. } => (Kind::Write, *mode, Some(value.eval(&self.registers))),
            Instr::Rmw { mode, op, value, .. } => {
                (Kind::Update, *mode, Some(op.apply(old, value.eval(&self.registers))))
            }
            Instr::Cas { success, failure, expected, new, .. } => match expected.eval(&self.registers) == old {
                true if !spurious => (Kind::Update, *success, Some(new.eval(&self.registers))),
                false if spurious => return None,
                _ => (Kind::Read, *failure, None),
            },
            Instr::Fence { mode } => (Kind::Fence, *mode, None),
            Instr::Lock { .. } if old != 0 => return None,
            Instr::Lock { .. } => (Kind::Update, Mode::Acq, Some(1)),
            Instr::Unlock { .. } => (Kind::Write, Mode::Rel, Some(0)),
            Instr::If { .. } | Instr::Assume { .. } | Instr::Set { .. } => return None,
        };
        if let Instr::Load { reg, .. } | Instr::Rmw { reg, .. } | Instr::Cas { reg, .. } = first {
            self.registers[*reg] = old;
        }
        if let Instr::Cas { ok: Some(ok), .. } = first {
            self.registers[*ok] = u64::from(kind == Kind::Update);
        }
        *self.rest.last_mut()? = after;
        Some(Entry { access: Access { kind, loc: location(first), rf, read, written }, mode })
    }

    /// Whether what is left to run may write the location.
    pub(crate) fn may_write(&self, loc: usize) -> bool {
        fn any(code: &[Instr], wanted: usize) -> bool {
            code.iter().any(|instr| match instr {
                Instr::If { then, otherwise, .. } => any(then, wanted) || any(otherwise, wanted),
                other => writes(other) && location(other) == Some(wanted),
            })
        }
        self.rest.iter().any(|block| any(block, loc))
    }
}

/// The location an access is about; none for fences and what is no access.
pub(crate) fn location(instr: &Instr) -> Option<usize> {
    match instr {
        Instr::Load { loc, .. }
        | Instr::Store { loc, .. }
        | Instr::Rmw { loc, .. }
        | Instr::Cas { loc, .. }
        | Instr::Lock { loc }
        | Instr::Unlock { loc } => Some(*loc),
        Instr::Fence { .. } | Instr::If { .. } | Instr::Assume { .. } | Instr::Set { .. } => None,
    }
}

/// Whether an access reads.
pub(crate) fn reads(instr: &Instr) -> bool {
    matches!(instr, Instr::Load { .. } | Instr::Rmw { .. } | Instr::Cas { .. } | Instr::Lock { .. })
}

/// Whether an access may write.
fn writes(instr: &Instr) -> bool {
    location(instr).is_some() && !matches!(instr, Instr::Load { .. })
}

/// Runs every thread with the values that the execution says it reads. `None` if the program does not do that: the
/// accesses or the values differ, a read differs from the write it reads from, or a thread does not finish.
pub(crate) fn replay(program: &Program, execution: &Execution) -> Option<Vec<Run>> {
    if program.threads.len() != execution.threads.len() || program.init.len() != execution.co.len() {
        return None;
    }
    let run = |(thread, accesses): (&Thread, &Vec<Access>)| {
        let mut local = Local::new(thread);
        let mut entries = Vec::new();
        for access in accesses {
            if access.read != source_value(program, execution, access) || !matches!(local.next(), Next::Access(_)) {
                return None;
            }
            let (after, entry) = [false, true].into_iter().find_map(|spurious| {
                let mut after = local.clone();
                let entry = after.perform(access.rf.zip(access.read), spurious)?;
                (entry.access == *access).then_some((after, entry))
            })?;
            local = after;
            entries.push(entry);
        }
        (local.next() == Next::Done).then_some(Run { entries, registers: local.registers })
    };
    program.threads.iter().zip(&execution.threads).map(run).collect()
}

/// The value of what an access reads from.
fn source_value(program: &Program, execution: &Execution, access: &Access) -> Option<u64> {
    match access.rf? {
        Source::Init => program.init.get(access.loc?).copied(),
        Source::Write(thread, index) => {
            let write = execution.threads.get(thread)?.get(index)?;
            write.written.filter(|_| write.loc == access.loc)
        }
    }
}
