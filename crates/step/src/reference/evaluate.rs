//! Expressions.

use quotient_ir::{Expr, Pattern, Place, Probe, Scope};

use super::Process;
use super::execute::{ChannelAt, Run, Stop};
use crate::FaultKind;

impl Run<'_> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Result<i32, Stop> {
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Read(place) => self.read(place)?,
            Expr::Unary(op, a) => op.apply(self.evaluate(a)?),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                op.apply(a, b).ok_or_else(|| self.fault(FaultKind::DivisionByZero))?
            }
            Expr::And(a, b) => (self.evaluate(a)? != 0 && self.evaluate(b)? != 0) as i32,
            Expr::Or(a, b) => (self.evaluate(a)? != 0 || self.evaluate(b)? != 0) as i32,
            Expr::Cond(c, a, b) => {
                if self.evaluate(c)? != 0 {
                    self.evaluate(a)?
                } else {
                    self.evaluate(b)?
                }
            }
            Expr::Length(place) => {
                let channel = self.channel(place)?;
                self.check_promises(channel, true, true)?;
                self.messages(channel).len() as i32
            }
            Expr::Probe(probe, place) => {
                let channel = self.channel(place)?;
                let (receive, send) = match probe {
                    Probe::Full | Probe::Empty => (true, true),
                    Probe::NotEmpty => (true, false),
                    Probe::NotFull => (false, true),
                };
                self.check_promises(channel, receive, send)?;
                self.probe(*probe, channel)
            }
            Expr::Poll { channel, pattern, random } => {
                let channel = self.channel(channel)?;
                self.check_promises(channel, true, true)?;
                self.poll(channel, pattern, *random)?
            }
            Expr::Run { proctype, args, priority } => {
                let values = args.iter().map(|arg| self.evaluate(arg)).collect::<Result<Vec<_>, _>>()?;
                self.create(*proctype, &values, *priority)? as i32
            }
            Expr::Pid => self.me as i32,
            Expr::ProcessCount => self.state.processes.len() as i32,
            Expr::Last => self.state.last as i32,
            Expr::OwnPriority => i32::from(self.state.processes[self.me].priority),
            Expr::Timeout => self.timeout as i32,
            Expr::NonProgress => {
                let at_progress =
                    self.state.processes.iter().any(|p| self.model.proctypes[p.proctype].states[p.control].progress);
                (!at_progress && !self.state.rests) as i32
            }
            Expr::Enabled(pid) => {
                let pid = self.evaluate(pid)?;
                let interpreter = super::Interpreter { model: self.model, promises: false };
                if self.asking > self.state.processes.len() {
                    return Err(self.fault(FaultKind::EnabledCircle));
                }
                match usize::try_from(pid).ok().filter(|&p| p < self.state.processes.len()) {
                    Some(process) => {
                        let enabled = interpreter.enabled(&self.state, process, self.timeout, None, self.asking + 1);
                        enabled.map_err(|_| self.fault(FaultKind::EnabledCircle))? as i32
                    }
                    None => 0,
                }
            }
            Expr::PcValue(pid) => {
                let pid = self.evaluate(pid)?;
                let process = usize::try_from(pid).ok().and_then(|p| self.state.processes.get(p));
                process.map_or(0, |p| self.model.proctypes[p.proctype].states[p.control].number as i32)
            }
            Expr::PriorityOf(pid) => {
                let pid = self.evaluate(pid)?;
                let process = usize::try_from(pid).ok().and_then(|p| self.state.processes.get(p));
                process.map_or(0, |p| i32::from(p.priority))
            }
            Expr::RemoteAt { proctype, pid, state } => {
                let process = self.remote(*proctype, pid.as_deref())?;
                let at = |p: &Process| p.callers.is_empty() && p.control == *state;
                process.is_some_and(|p| at(&self.state.processes[p])) as i32
            }
            Expr::RemoteRead { proctype, pid, place } => match self.remote(*proctype, pid.as_deref())? {
                Some(process) => {
                    let slot = self.slot(place)?;
                    let process = &self.state.processes[process];
                    process.callers.first().map_or(&process.locals, |own| &own.locals)[slot]
                }
                None => 0,
            },
            Expr::Heap(heap) => self.evaluate_heap(heap)?,
        })
    }

    /// The process a remote reference is about: the one with the given id, or the oldest of its type. While it is in a function, its
    /// own variables are those of its oldest frame.
    fn remote(&mut self, proctype: usize, pid: Option<&Expr>) -> Result<Option<usize>, Stop> {
        let is_meant = |p: &Process| p.callers.first().map_or(p.proctype, |own| own.proctype) == proctype;
        Ok(match pid {
            Some(pid) => {
                let pid = self.evaluate(pid)?;
                usize::try_from(pid).ok().filter(|&p| self.state.processes.get(p).is_some_and(is_meant))
            }
            None => self.state.processes.iter().position(is_meant),
        })
    }

    /// The slot a place stands for.
    pub(super) fn slot(&mut self, place: &Place) -> Result<usize, Stop> {
        let mut slot = place.slot;
        for index in &place.indices {
            let outer = std::mem::replace(&mut self.span, index.span);
            let value = self.evaluate(&index.value)?;
            self.span = outer;
            if value < 0 || value as usize >= index.length {
                let kind = FaultKind::Index { index: value, length: index.length as u32 };
                return Err(Stop::Fault(crate::Fault { kind, span: index.span }));
            }
            slot += value as usize * index.stride;
        }
        Ok(slot)
    }

    pub(super) fn read(&mut self, place: &Place) -> Result<i32, Stop> {
        let slot = self.slot(place)?;
        Ok(match place.scope {
            Scope::Global => self.state.globals[slot],
            Scope::Local => self.state.processes[self.me].locals[slot],
        })
    }

    /// Stores a value, cut to the place's type.
    pub(super) fn write(&mut self, place: &Place, value: i32) -> Result<(), Stop> {
        let slot = self.slot(place)?;
        let value = place.scalar.truncate(value);
        match place.scope {
            Scope::Global => self.state.globals[slot] = value,
            Scope::Local => self.state.processes[self.me].locals[slot] = value,
        }
        Ok(())
    }

    /// The first message that matches, among all or only the oldest.
    pub(super) fn find(
        &mut self,
        channel: ChannelAt,
        pattern: &[Pattern],
        random: bool,
    ) -> Result<Option<usize>, Stop> {
        let candidates = if random { usize::MAX } else { 1 };
        let messages = self.messages(channel);
        for (index, message) in messages.iter().take(candidates).enumerate() {
            if self.matches(pattern, message)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether a message matches. A pattern with fewer fields looks at the first ones only.
    pub(super) fn matches(&mut self, pattern: &[Pattern], message: &[i32]) -> Result<bool, Stop> {
        if pattern.len() > message.len() {
            self.check_fields(pattern.len(), message.len())?;
        }
        for (part, &field) in pattern.iter().zip(message) {
            if let Pattern::Match(value) = part
                && self.evaluate(value)? != field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
