//! Actions: when they can be executed, and what they change.

use quotient_ir::{Action, Deterministic, Expr, MAX_INSTANCES, Model, Pattern, Setup, Transition};
use quotient_report::source::Span;

use super::{Channel, Process, State};
use crate::{Choice, Control, Fault, FaultKind};

/// More steps than this inside one `d_step` count as going round in circles.
pub(crate) const LONGEST_D_STEP: usize = 1_000_000;

/// A step being executed on a copy of a state.
pub(super) struct Run<'m> {
    pub(super) model: &'m Model,
    pub(super) state: State,
    /// The executing process.
    pub(super) me: usize,
    pub(super) timeout: bool,
    pub(super) faults: Vec<Fault>,
    pub(super) promises: bool,
    /// The statement.
    pub(super) span: Span,
    /// How many questions of `enabled` this step is tried for.
    pub(super) asking: usize,
    /// The last action has decided itself where the process goes on, if it does.
    pub(super) jumped: bool,
}

/// Why a step cannot be completed.
pub(super) enum Stop {
    Blocked,
    /// The run ends here, without an error.
    Cut,
    Fault(Fault),
}

/// Which channel it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelAt {
    /// A live channel by its index.
    Fixed(usize),
    /// A record by its name.
    Record(i32),
}

/// A message that waits for its receiver in a rendezvous.
pub(super) struct Offer {
    pub(super) channel: ChannelAt,
    pub(super) message: Vec<i32>,
}

impl Run<'_> {
    pub(super) fn fault(&self, kind: FaultKind) -> Stop {
        Stop::Fault(Fault { kind, span: self.span })
    }

    /// Keeps what went wrong and goes on.
    pub(super) fn note(&mut self, stop: Stop) {
        if let Stop::Fault(fault) = stop {
            self.faults.push(fault);
        }
    }

    /// Takes note, so often, that something else could have been done in a process type that is deterministic.
    pub(super) fn not_alone(&mut self, times: usize) {
        let fault = Fault { kind: FaultKind::Nondeterminism, span: self.span };
        self.faults.extend(std::iter::repeat_n(fault, times));
    }

    /// Faults of a step that was blocked in the end.
    pub(super) fn only_faults(self, choice: Choice) -> Option<super::Outcome> {
        (!self.faults.is_empty()).then_some(super::Outcome { choice, faults: self.faults, next: None, blocked: true })
    }

    /// Moves the process on; tells who may move next.
    pub(super) fn arrive(&mut self, process: usize, transition: &Transition) -> (State, Control) {
        self.depart(process, transition);
        self.collect();
        let control = if transition.atomic { Control::Exclusive(process) } else { Control::Free };
        (self.state.clone(), control)
    }

    /// Moves the process on. A message that waits for its receiver may refer to what nobody else does, so that nothing is let
    /// go of.
    pub(super) fn depart(&mut self, process: usize, transition: &Transition) {
        if !self.jumped
            && let Some(p) = self.state.processes.get_mut(process)
        {
            p.control = transition.target;
        }
        if self.model.uses.last {
            self.state.last = process;
        }
    }

    /// Executes an action. While a rendezvous message is offered, only its receive is executable. `moved` says whether
    /// an earlier transition of the same control state was. Returns the offer of a rendezvous send.
    pub(super) fn execute(
        &mut self,
        action: &Action,
        moved: bool,
        offer: Option<&Offer>,
    ) -> Result<Option<Offer>, Stop> {
        let receives = |action: &quotient_ir::HeapAction| action.pattern().is_some();
        if offer.is_some()
            && !matches!(action, Action::Receive { .. } | Action::Deterministic(_))
            && !matches!(action, Action::Heap(action) if receives(action))
        {
            return Err(Stop::Blocked);
        }
        match action {
            Action::Skip | Action::Print { .. } => self.evaluate_prints(action)?,
            Action::Condition(condition) => {
                if self.evaluate(condition)? == 0 {
                    return Err(Stop::Blocked);
                }
            }
            Action::Else => {
                if moved {
                    return Err(Stop::Blocked);
                }
            }
            Action::Assign(place, value) => {
                let value = self.evaluate(value)?;
                self.write(place, value)?;
            }
            Action::Assert(condition) => {
                if self.evaluate(condition)? == 0 {
                    self.faults.push(Fault { kind: FaultKind::Assertion, span: self.span });
                }
            }
            Action::SetPriority(pid, value) => {
                let (pid, value) = (self.evaluate(pid)?, self.evaluate(value)?);
                let process = usize::try_from(pid).ok().filter(|&p| p < self.state.processes.len());
                if let Some(process) = process {
                    if !(1..=255).contains(&value) {
                        return Err(self.fault(FaultKind::Priority));
                    }
                    self.state.processes[process].priority = value as u8;
                }
            }
            Action::End => {
                let termination = self.model.proctypes[self.state.processes[self.me].proctype].termination;
                if !termination.removes(self.me, self.state.processes.len()) {
                    return Err(Stop::Blocked);
                }
                let gone = self.boxes_of_process();
                self.state.processes.pop();
                self.delete(gone);
                while self.state.channels.last().is_some_and(|c| c.owner == Some(self.me)) {
                    self.state.channels.pop();
                }
            }
            Action::Send { channel, values, sorted } => {
                let channel = self.channel(channel)?;
                return self.send(channel, values, *sorted);
            }
            Action::Receive { channel, pattern, random, copy } => {
                self.wait_for_offer(*copy, offer)?;
                let channel = self.channel(channel)?;
                self.receive(channel, (pattern, *random, *copy), offer)?;
            }
            Action::Deterministic(body) => self.d_step(body, moved, offer)?,
            Action::Heap(action) => return self.execute_heap(action, offer),
        }
        Ok(None)
    }

    /// Arguments of a print are evaluated, because that can go wrong.
    fn evaluate_prints(&mut self, action: &Action) -> Result<(), Stop> {
        if let Action::Print { args, .. } = action {
            for arg in args {
                self.evaluate(arg)?;
            }
        }
        Ok(())
    }

    /// Sends; gives back the message if it waits for its receiver.
    pub(super) fn send(&mut self, channel: ChannelAt, values: &[Expr], sorted: bool) -> Result<Option<Offer>, Stop> {
        self.check_promises(channel, false, true)?;
        if self.is_full(channel) {
            return Err(Stop::Blocked);
        }
        let given: Vec<_> = values.iter().map(|value| Some(value.is_reference())).collect();
        let values = values.iter().map(|v| self.evaluate(v)).collect::<Result<Vec<_>, _>>()?;
        let ty = self.channel_type(channel);
        self.check_fields(values.len(), ty.fields.len())?;
        self.check_sorts(channel, given)?;
        let message: Vec<i32> = ty.fields.iter().zip(&values).map(|(f, &v)| f.truncate(v)).collect();
        self.event(true, channel, &message);
        if ty.capacity == 0 {
            return Ok(Some(Offer { channel, message }));
        }
        self.change_messages(channel, |messages| {
            let greater = |other: &Vec<i32>| values < *other;
            let at = if sorted { messages.iter().position(greater) } else { None };
            messages.insert(at.unwrap_or(messages.len()), message);
        });
        Ok(None)
    }

    /// Where every channel is a rendezvous, a receive waits for an offer before anything else.
    pub(super) fn wait_for_offer(&self, copy: bool, offer: Option<&Offer>) -> Result<(), Stop> {
        match offer.is_none() && !copy && !self.model.uses.buffered {
            true => Err(Stop::Blocked),
            false => Ok(()),
        }
    }

    pub(super) fn receive(
        &mut self,
        channel: ChannelAt,
        (pattern, random, copy): (&[Pattern], bool, bool),
        offer: Option<&Offer>,
    ) -> Result<(), Stop> {
        self.check_promises(channel, true, false)?;
        let rendezvous = self.channel_type(channel).capacity == 0;
        if rendezvous && copy {
            return Err(self.fault(FaultKind::RendezvousPoll));
        }
        self.check_sorts(channel, pattern.iter().map(Pattern::wants_reference))?;
        if offer.map(|o| o.channel) != rendezvous.then_some(channel) {
            return Err(Stop::Blocked);
        }
        let message = match offer {
            Some(offer) => {
                if !self.matches(pattern, &offer.message)? {
                    return Err(Stop::Blocked);
                }
                self.check_fields(pattern.len(), offer.message.len())?;
                offer.message.clone()
            }
            None => {
                let Some(index) = self.find(channel, pattern, random)? else { return Err(Stop::Blocked) };
                let message = self.messages(channel)[index].clone();
                // A message that is only looked at may have more fields; one that is taken out may not.
                if !copy {
                    self.check_fields(pattern.len(), message.len())?;
                    self.change_messages(channel, |messages| drop(messages.remove(index)));
                }
                message
            }
        };
        if !copy {
            self.event(false, channel, &message);
        }
        for (part, value) in pattern.iter().zip(message) {
            if let Pattern::Bind(place) = part {
                self.write(place, value)?;
            }
        }
        Ok(())
    }

    fn d_step(&mut self, body: &Deterministic, moved: bool, mut offer: Option<&Offer>) -> Result<(), Stop> {
        let mut at = Some(0);
        let mut entering = true;
        let mut moved = moved;
        for _ in 0..LONGEST_D_STEP {
            let Some(node) = at.and_then(|at| body.nodes.get(at)) else { return Ok(()) };
            let mut taken = None;
            for option in &node.options {
                let outer = std::mem::replace(&mut self.span, option.span);
                let result = self.execute(&option.action, moved, offer);
                match result {
                    Err(Stop::Blocked) => self.span = outer,
                    Err(stop) => return Err(stop),
                    Ok(Some(_)) => return Err(self.fault(FaultKind::DStepRendezvous)),
                    Ok(None) => {
                        self.span = outer;
                        taken = Some(option);
                        break;
                    }
                }
            }
            match taken {
                Some(option) => at = option.next,
                None if entering => return Err(Stop::Blocked),
                None => {
                    return Err(Stop::Fault(Fault { kind: FaultKind::DStepBlocked, span: node.span }));
                }
            }
            entering = false;
            moved = false;
            offer = None;
        }
        Err(self.fault(FaultKind::DStepEndless))
    }

    /// Creates a process; gives back its id.
    pub(super) fn create(&mut self, proctype: usize, args: &[i32], priority: u8) -> Result<usize, Stop> {
        let id = self.state.processes.len();
        let model = self.model;
        let most = model.most_processes();
        if id >= most {
            return Err(self.fault(FaultKind::TooManyProcesses { most: most as u32 }));
        }
        let ty = &model.proctypes[proctype];
        let own = ty.setup.iter().filter(|setup| matches!(setup, Setup::Channel(..))).count();
        if self.state.channels.len() + own > MAX_INSTANCES {
            return Err(self.fault(FaultKind::TooManyChannels));
        }
        let mut locals = vec![0; ty.slots.len()];
        for ((local, slot), &arg) in locals.iter_mut().zip(&ty.slots).zip(args) {
            *local = slot.scalar.truncate(arg);
        }
        self.state.processes.push(Process { proctype, control: ty.start, priority, locals, callers: Vec::new() });
        if model.heap.is_some() {
            self.state.heap.numbers.start(id, model.plain_type(proctype));
        }
        let creator = std::mem::replace(&mut self.me, id);
        let span = std::mem::replace(&mut self.span, ty.span);
        for setup in &ty.setup {
            let (slot, value) = match setup {
                Setup::Assign(slot, value) => (*slot, self.evaluate(value)?),
                Setup::Channel(slot, channel) => {
                    self.state.channels.push(Channel { ty: *channel, owner: Some(id), messages: Vec::new() });
                    (*slot, self.state.channels.len() as i32)
                }
            };
            self.state.processes[id].locals[slot] = ty.slots[slot].scalar.truncate(value);
        }
        (self.me, self.span) = (creator, span);
        Ok(id)
    }

    pub(super) fn check_fields(&self, given: usize, expected: usize) -> Result<(), Stop> {
        if given == expected {
            return Ok(());
        }
        Err(self.fault(FaultKind::FieldCount { given: given as u32, expected: expected as u32 }))
    }

    /// A message must have references where the channel has them, and nowhere else.
    pub(super) fn check_sorts(
        &self,
        channel: ChannelAt,
        given: impl IntoIterator<Item = Option<bool>>,
    ) -> Result<(), Stop> {
        match self.channel_type(channel).agrees(given) {
            true => Ok(()),
            false => Err(self.fault(FaultKind::FieldSort)),
        }
    }

    /// Reports the use of a channel that another live process promised to be alone on.
    pub(super) fn check_promises(&mut self, channel: ChannelAt, receive: bool, send: bool) -> Result<(), Stop> {
        if !self.promises {
            return Ok(());
        }
        let model = self.model;
        let user = self.me;
        for owner in (0..self.state.processes.len()).filter(|&p| p != user) {
            for promise in &model.proctypes[self.state.processes[owner].proctype].exclusive {
                let concerned = if promise.receive { receive } else { send };
                self.me = owner;
                let held = self.channel(&promise.channel);
                self.me = user;
                if concerned && held.is_ok_and(|held| held == channel) {
                    let kind = FaultKind::Exclusive { receive: promise.receive, owner: owner as u32 };
                    self.faults.push(Fault { kind, span: self.span });
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
