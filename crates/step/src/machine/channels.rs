//! Sending and receiving on a channel's bytes: a count, then messages, unused ones zero.

use quotient_ir::{RecordKind, Scope, Slot, Sort};

use super::program::{CompiledChannel, Part, Program, Receive, Send};
use super::{Component, Machine, Memory, Trap};
use crate::{Fault, FaultKind};

/// The number of messages in a channel.
#[inline]
pub(super) fn count(channel: &CompiledChannel, bytes: &[u8], at: usize) -> u32 {
    match channel.count_bytes {
        0 => 0,
        1 => u32::from(bytes[at]),
        _ => Memory::U16.read(bytes, at) as u32,
    }
}

impl<'p> Machine<'p, '_> {
    /// The type and offset of the channel with an id.
    #[inline]
    pub(super) fn channel(&self, id: i32) -> Result<(&'p CompiledChannel, usize), Trap> {
        let channels = &self.shapes.get(self.shape).channels;
        match channels.get((id as usize).wrapping_sub(1)) {
            Some(component) => Ok((&self.program.channels[component.ty as usize], component.offset as usize)),
            None => self.channel_record(id),
        }
    }

    /// The type and offset of the channel that a reference refers to, in a model whose channels are records.
    #[cold]
    fn channel_record(&self, name: i32) -> Result<(&'p CompiledChannel, usize), Trap> {
        if !self.program.access.channel_records || name == 0 {
            return Err(self.fault(FaultKind::NoChannel));
        }
        let start = self.used(name, self.span)?;
        let program: &'p Program<'p> = self.program;
        let layout = &program.heap_layout().records[usize::from(self.work[start])];
        match layout.kind {
            RecordKind::Channel(ty) => Ok((&program.channels[ty], start + layout.head as usize)),
            _ => Err(self.fault(FaultKind::BadCast)),
        }
    }

    /// How many messages the channel in a variable of a process holds and can hold; `None` if it holds no channel, or one
    /// for rendezvous.
    pub fn channel_fill(&self, process: usize, scope: Scope, slot: usize) -> Option<(u32, u32)> {
        let component = self.shapes.get(self.shape).channels.get(self.held(process, scope, slot).wrapping_sub(1))?;
        let channel = &self.program.channels[component.ty as usize];
        (channel.capacity > 0).then(|| (count(channel, &self.work, component.offset as usize), channel.capacity))
    }

    /// The id of the channel in a channel variable of a process, or of the model; 0 for none.
    pub fn held(&self, process: usize, scope: Scope, slot: usize) -> usize {
        let schema = &self.program.schema;
        let at = match scope {
            Scope::Global => schema.globals.offsets[slot],
            Scope::Local => {
                let component = self.shapes.get(self.shape).processes[process];
                component.offset + schema.locals[component.ty as usize].offsets[slot]
            }
        };
        usize::from(self.work[at as usize])
    }

    /// Whether some message in a channel has a channel in it, of these ids.
    pub fn is_in_a_message(&self, wanted: impl Fn(usize) -> bool) -> bool {
        self.shapes.get(self.shape).channels.iter().any(|component| self.message_has(component, &wanted))
    }

    /// Whether some message in one channel has a channel in it, of these ids.
    fn message_has(&self, &Component { ty, offset }: &Component, wanted: &dyn Fn(usize) -> bool) -> bool {
        let channel = &self.program.channels[ty as usize];
        let fields = &self.program.model.channels[ty as usize].fields;
        (0..count(channel, &self.work, offset as usize)).any(|message| {
            let start = offset + channel.count_bytes + message * channel.message;
            fields.iter().zip(&channel.fields).any(|(scalar, field)| {
                let value = usize::from(self.work[(start + field.offset) as usize]);
                scalar.sort == Sort::Channel && value != 0 && wanted(value)
            })
        })
    }

    /// The channels that a process promised to be alone on, by their ids: as receiver (true) or as sender.
    pub fn promised(&mut self, process: usize) -> Vec<(bool, usize)> {
        let program = self.program;
        let component = self.shapes.get(self.shape).processes[process];
        let (me, base, registers) = (self.me, self.base, self.registers.clone());
        (self.me, self.base) = (process, component.offset as usize);
        let mut promised = Vec::new();
        for &(receive, code) in &program.proctypes[component.ty as usize].promises {
            if let Some(id) = self.evaluate(code).ok().and_then(|id| usize::try_from(id).ok()).filter(|&id| id > 0) {
                promised.push((receive, id));
            }
        }
        (self.me, self.base, self.registers) = (me, base, registers);
        promised
    }

    /// Whether a variable or message outside the youngest process holds one of the channels it created; of local
    /// variables, only those count that `live` says are, by process type, control state and slot.
    pub fn channels_are_known(&self, youngest: usize, live: impl Fn(usize, usize, usize) -> bool) -> bool {
        let Program { model, schema, .. } = self.program;
        let shape = self.shapes.get(self.shape);
        let kept = self.shapes.get(shape.parent).channels.len();
        let known = |at: u32| usize::from(self.work[at as usize]) > kept;
        let in_slots = |slots: &[Slot], offsets: &[u32], base: u32, counts: &dyn Fn(usize) -> bool| {
            slots.iter().zip(offsets).enumerate().any(|(number, (slot, &offset))| {
                slot.scalar.sort == Sort::Channel && known(base + offset) && counts(number)
            })
        };
        in_slots(&model.globals, &schema.globals.offsets, 0, &|_| true)
            || (0..youngest).any(|process| {
                let (ty, control) = self.control(process);
                let (slots, offsets) = (&model.proctypes[ty].slots, &schema.locals[ty].offsets);
                in_slots(slots, offsets, shape.processes[process].offset, &|slot| live(ty, control, slot))
            })
            || shape.channels[..kept].iter().any(|component| self.message_has(component, &|id| id > kept))
    }

    fn set_count(&mut self, channel: &CompiledChannel, at: usize, count: u32) {
        match channel.count_bytes {
            1 => self.work[at] = count as u8,
            _ => Memory::U16.write(&mut self.work, at, count as i32),
        }
    }

    /// Sends; true for a rendezvous that waits for its receiver.
    pub(super) fn send(&mut self, send: &Send) -> Result<bool, Trap> {
        let id = self.evaluate(send.channel)?;
        let (channel, at) = self.channel(id)?;
        if self.promises {
            self.check_promises(id, false, true);
        }
        let used = count(channel, &self.work, at);
        if channel.capacity > 0 && used >= channel.capacity {
            return Err(Trap::Blocked);
        }
        self.evaluate(send.values)?;
        let expected = channel.fields.len() as u32;
        if send.count != expected {
            return Err(self.fault(FaultKind::FieldCount { given: send.count, expected }));
        }
        self.check_sorts(channel, &send.references)?;
        if self.program.events.is_some() || channel.capacity == 0 {
            self.message.clear();
            for (i, field) in channel.fields.iter().enumerate() {
                self.message.push(cut(field.memory, self.registers[i] & field.mask));
            }
            self.event(true, id);
        }
        if channel.capacity == 0 {
            self.offer = id as u32;
            return Ok(true);
        }
        let first = at + channel.count_bytes as usize;
        let size = channel.message as usize;
        let mut slot = used as usize;
        if send.sorted {
            slot = (0..used as usize).find(|&i| self.is_before(channel, first + i * size)).unwrap_or(slot);
            let start = first + slot * size;
            self.work.copy_within(start..first + used as usize * size, start + size);
        }
        for (i, field) in channel.fields.iter().enumerate() {
            let value = self.registers[i] & field.mask;
            field.memory.write(&mut self.work, first + slot * size + field.offset as usize, value);
        }
        self.set_count(channel, at, used + 1);
        self.places.dirty |= channel.references;
        Ok(false)
    }

    /// Whether the values in the registers come before the message at an address.
    fn is_before(&self, channel: &CompiledChannel, at: usize) -> bool {
        for (i, field) in channel.fields.iter().enumerate() {
            let stored = field.memory.read(&self.work, at + field.offset as usize);
            if self.registers[i] != stored {
                return self.registers[i] < stored;
            }
        }
        false
    }

    /// Receives. A blocked receive changes nothing.
    #[inline]
    pub(super) fn receive(&mut self, receive: &Receive) -> Result<(), Trap> {
        // Where every channel is a rendezvous, a receive waits for an offer before anything else.
        if self.offer == 0 && !receive.copy && !self.program.model.uses.buffered {
            return Err(Trap::Blocked);
        }
        self.receive_from(receive)
    }

    fn receive_from(&mut self, receive: &Receive) -> Result<(), Trap> {
        let id = self.evaluate(receive.channel)?;
        let (channel, at) = self.channel(id)?;
        if self.promises {
            self.check_promises(id, true, false);
        }
        if channel.capacity == 0 && receive.copy {
            return Err(self.fault(FaultKind::RendezvousPoll));
        }
        self.check_sorts(channel, &receive.references)?;
        if channel.capacity == 0 {
            self.receive_offer(receive, id)?;
            self.places.dirty |= channel.references;
            return Ok(());
        }
        if self.offer != 0 {
            return Err(Trap::Blocked);
        }
        let Some(slot) = self.find(channel, at, &receive.pattern, receive.random)? else {
            return Err(Trap::Blocked);
        };
        // A message that is only looked at may have more fields; one that is taken out may not.
        if !receive.copy {
            self.check_fields(receive.pattern.len(), channel.fields.len())?;
        }
        let first = at + channel.count_bytes as usize;
        let size = channel.message as usize;
        let start = first + slot as usize * size;
        self.message.clear();
        for field in &channel.fields {
            self.message.push(field.memory.read(&self.work, start + field.offset as usize));
        }
        if !receive.copy {
            let used = count(channel, &self.work, at);
            let end = first + used as usize * size;
            self.work.copy_within(start + size..end, start);
            self.work[end - size..end].fill(0);
            self.set_count(channel, at, used - 1);
            self.places.dirty |= channel.references;
            self.event(false, id);
        }
        self.bind(&receive.pattern)
    }

    fn receive_offer(&mut self, receive: &Receive, id: i32) -> Result<(), Trap> {
        if self.offer != id as u32 {
            return Err(Trap::Blocked);
        }
        let (given, expected) = (receive.pattern.len(), self.message.len());
        if given > expected {
            self.check_fields(given, expected)?;
        }
        for (i, part) in receive.pattern.iter().enumerate() {
            if !self.part_matches(*part, self.message[i])? {
                return Err(Trap::Blocked);
            }
        }
        self.check_fields(given, expected)?;
        self.event(false, id);
        self.bind(&receive.pattern)
    }

    /// Stores the fields of the message at hand.
    fn bind(&mut self, pattern: &[Part]) -> Result<(), Trap> {
        for (i, part) in pattern.iter().enumerate() {
            if let Part::Bind(code) = part {
                self.registers[0] = self.message[i];
                self.evaluate(*code)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn part_matches(&mut self, part: Part, value: i32) -> Result<bool, Trap> {
        Ok(match part {
            Part::MatchConst(wanted) => wanted == value,
            Part::Match(code) => self.evaluate(code)? == value,
            Part::Bind(_) | Part::Ignore => true,
        })
    }

    /// The first message that matches, among all or only the oldest. A pattern with fewer fields looks at the first ones
    /// only.
    pub(super) fn find(
        &mut self,
        channel: &CompiledChannel,
        at: usize,
        pattern: &[Part],
        random: bool,
    ) -> Result<Option<u32>, Trap> {
        let used = count(channel, &self.work, at);
        let candidates = if random { used } else { used.min(1) };
        if candidates > 0 && pattern.len() > channel.fields.len() {
            self.check_fields(pattern.len(), channel.fields.len())?;
        }
        'message: for slot in 0..candidates {
            let start = at + (channel.count_bytes + slot * channel.message) as usize;
            for (part, field) in pattern.iter().zip(&channel.fields) {
                let value = field.memory.read(&self.work, start + field.offset as usize);
                if !self.part_matches(*part, value)? {
                    continue 'message;
                }
            }
            return Ok(Some(slot));
        }
        Ok(None)
    }

    fn check_fields(&self, given: usize, expected: usize) -> Result<(), Trap> {
        if given == expected {
            return Ok(());
        }
        Err(self.fault(FaultKind::FieldCount { given: given as u32, expected: expected as u32 }))
    }

    /// A message must have references where the channel has them, and nowhere else.
    #[inline]
    pub(super) fn check_sorts(&self, channel: &CompiledChannel, given: &[Option<bool>]) -> Result<(), Trap> {
        if given.is_empty() || self.program.model.channels[channel.ty as usize].agrees(given.iter().copied()) {
            return Ok(());
        }
        Err(self.fault(FaultKind::FieldSort))
    }

    /// Reports the use of a channel that another live process promised to be alone on.
    pub(super) fn check_promises(&mut self, id: i32, receive: bool, send: bool) {
        let program = self.program;
        let (me, base, registers) = (self.me, self.base, self.registers.clone());
        'owners: for owner in 0..self.processes() {
            if owner == me {
                continue;
            }
            let component = self.shapes.get(self.shape).processes[owner];
            (self.me, self.base) = (owner, component.offset as usize);
            for &(promised, code) in &program.proctypes[component.ty as usize].promises {
                let concerned = if promised { receive } else { send };
                if concerned && self.evaluate(code).is_ok_and(|held| held == id) {
                    let kind = FaultKind::Exclusive { receive: promised, owner: owner as u32 };
                    self.faults.push(Fault { kind, span: self.span });
                    break 'owners;
                }
            }
        }
        (self.me, self.base, self.registers) = (me, base, registers);
    }

    /// Lets the event automaton take note of a send or receive of the message at hand.
    fn event(&mut self, send: bool, id: i32) {
        let Some(events) = &self.program.events else { return };
        let at = self.program.schema.event.unwrap_or(0) as usize;
        let registers = self.registers.clone();
        let named = events.scope.iter().any(|&(s, code)| s == send && self.evaluate(code).is_ok_and(|c| c == id));
        if named {
            let state = Memory::U16.read(&self.work, at) as usize;
            let message = self.message.clone();
            // An automaton that ran off its end matches nothing any more.
            let next = events.states.get(state).map_or(&[][..], |events| events).iter().find(|event| {
                event.send == send
                    && self.evaluate(event.channel).is_ok_and(|c| c == id)
                    && event
                        .fields
                        .iter()
                        .zip(&message)
                        .all(|(part, &value)| self.part_matches(*part, value).unwrap_or(false))
            });
            let fault = match next {
                Some(event) => {
                    Memory::U16.write(&mut self.work, at, event.target as i32);
                    (events.negated && event.target == events.end).then_some(FaultKind::TraceMatched)
                }
                None if events.negated => {
                    Memory::U16.write(&mut self.work, at, events.end as i32);
                    None
                }
                None => Some(FaultKind::TraceUnexpected),
            };
            if let Some(kind) = fault {
                self.faults.push(Fault { kind, span: self.span });
            }
        }
        self.registers = registers;
    }
}

/// What is left of a value after it was stored in a field's bytes.
fn cut(memory: Memory, value: i32) -> i32 {
    match memory {
        Memory::U8 => value & 0xff,
        Memory::U16 => value & 0xffff,
        Memory::I16 => i32::from(value as i16),
        Memory::I32 => value,
    }
}
