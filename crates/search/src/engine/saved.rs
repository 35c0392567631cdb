//! What of a search is written into a checkpoint, and how the search goes on from there. Large parts (visited states, stack,
//! queue) are written as they lie, small ones by `serde`; states keep their bytes, so the numbers of shapes are kept too.
//!
//! A checkpoint is written between two steps, so that frames and trail fit together. What is read is checked as far as the
//! search relies on it; whether it is what was written, the caller knows.

use std::io::{self, Read, Write};
use std::time::Duration;

use quotient_canon::Counts;
use quotient_report::source::Span;
use quotient_step::{Fault, FaultKind};
use quotient_store::{Entry, Exact};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Engine, History, Link, Waiting};
use crate::frame::{Frame, Part, Role};
use crate::{Dropped, Error, Order, Stop, Violation};

/// No word that is read is longer than this.
const LONGEST_WORD: usize = 64;

/// What is counted, and other small things.
#[derive(Serialize, Deserialize)]
struct Small {
    lineage: Vec<(u32, u32)>,
    matched: u64,
    atomic_steps: u64,
    depth: u64,
    state_bytes: u64,
    reduced: u64,
    errors: u64,
    kinds: Vec<String>,
    reached: Vec<Vec<bool>>,
    seen: Vec<(String, Option<Span>)>,
    events: usize,
    cut: bool,
    broken: bool,
    representatives: u64,
    normalised: u64,
    time: Duration,
    pending: Vec<Fault>,
    current: u32,
}

/// Reads what happened before the search that was under way.
pub(super) fn read_history(input: &mut dyn Read) -> io::Result<History> {
    let (dropped, time) = get(input)?;
    Ok(History { dropped, time })
}

impl Engine<'_, '_, '_> {
    /// Whether this search was ended by a limit or by the user, so that it can go on.
    pub(super) fn can_go_on(&self) -> bool {
        let ended = matches!(self.found.stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted));
        ended && self.dropped.is_none()
    }

    /// Has a checkpoint kept.
    #[cold]
    pub(super) fn keep(&mut self) {
        let Some(keeper) = self.keeper.take() else { return };
        keeper.keep(&mut |out| self.save(out));
        self.keeper = Some(keeper);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let dropped: &Vec<Dropped> = &self.history.dropped;
        put(out, &(dropped, self.history.time + self.started.elapsed()))?;
        let counts = self.reducer.as_ref().map_or(Counts::default(), |reducer| reducer.counts());
        let found = &self.found;
        let small = Small {
            lineage: self.machine.lineage(),
            matched: found.matched,
            atomic_steps: found.atomic_steps,
            depth: found.depth,
            state_bytes: found.state_bytes,
            reduced: found.reduced,
            errors: found.errors,
            kinds: found.kinds.iter().map(|kind| (*kind).to_string()).collect(),
            reached: found.reached.clone(),
            seen: self.kept.seen.iter().map(|(kind, span)| ((*kind).to_string(), *span)).collect(),
            events: self.kept.events,
            cut: self.cut,
            broken: self.broken,
            representatives: counts.representatives,
            normalised: counts.normalised,
            time: counts.time,
            pending: self.pending.clone(),
            current: self.current,
        };
        put(out, &small)?;
        put(out, &found.violations)?;
        put(out, &self.samples)?;
        put(out, &self.choices)?;
        self.visited.save(out)?;
        put_bytes(out, &self.bytes)?;
        put_number(out, self.frames.len() as u64)?;
        let mut before = Before::default();
        for frame in &self.frames {
            before.put(out, frame)?;
        }
        put_number(out, self.trail.len() as u64)?;
        self.trail.iter().try_for_each(|&part| put_part(out, part))?;
        put_number(out, u64::from(self.waiting.is_some()))?;
        if let Some(Waiting { part, frame, .. }) = &self.waiting {
            put_part(out, *part)?;
            Before::default().put(out, frame)?;
            put_bytes(out, &self.waiting_state)?;
            put_bytes(out, &self.waiting_key)?;
        }
        if self.options.order == Order::BreadthFirst {
            self.save_breadth(out)?;
        }
        Ok(())
    }

    fn save_breadth(&self, out: &mut dyn Write) -> io::Result<()> {
        put_number(out, self.queue.len() as u64)?;
        self.queue.iter().try_for_each(|state| put_bytes(out, state))?;
        put_number(out, self.links.len() as u64)?;
        let mut last = 0;
        for Link { entry, parent, depth } in self.links.iter() {
            put_number(out, entry.address() - last)?;
            last = entry.address();
            put_number(out, u64::from(parent.wrapping_add(1)))?;
            put_number(out, u64::from(depth))?;
        }
        put_number(out, self.recorded.parts.len() as u64)?;
        self.recorded.parts.iter().try_for_each(|part| put_part(out, part))?;
        put_number(out, self.recorded.ends.len() as u64)?;
        let mut last = 0;
        for (end, released) in self.recorded.ends.iter() {
            put_number(out, ((end - last) as u64) << 1 | u64::from(released))?;
            last = end;
        }
        Ok(())
    }

    /// Takes this search, which has not been started, to where another one was.
    pub(super) fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let small: Small = get(input)?;
        if !self.machine.follow(&small.lineage) {
            return Err(damaged("the kinds of states are not in order"));
        }
        let lengths = |reached: &[Vec<bool>]| reached.iter().map(Vec::len).collect::<Vec<_>>();
        if lengths(&small.reached) != lengths(&self.found.reached) {
            return Err(damaged("it is of a model with other statements"));
        }
        self.found.matched = small.matched;
        self.found.atomic_steps = small.atomic_steps;
        self.found.depth = small.depth;
        self.found.state_bytes = small.state_bytes;
        self.found.reduced = small.reduced;
        self.found.errors = small.errors;
        self.found.kinds = small.kinds.iter().map(|kind| known(kind)).collect::<io::Result<_>>()?;
        self.found.reached = small.reached;
        let seen = small.seen.iter().map(|(kind, span)| Ok((known(kind)?, *span)));
        self.kept.seen = seen.collect::<io::Result<_>>()?;
        self.kept.events = small.events;
        (self.cut, self.broken) = (small.cut, small.broken);
        self.found.stop = small.cut.then_some(Stop::Depth);
        if let Some(reducer) = &mut self.reducer {
            let Small { representatives, normalised, time, .. } = small;
            reducer.count_from(Counts { representatives, normalised, time });
        }
        self.pending = small.pending;
        self.current = small.current;
        self.found.violations = get::<Vec<Violation>>(input)?;
        let (samples, choices) = (std::mem::replace(&mut self.samples, get(input)?), get(input)?);
        let choices = std::mem::replace(&mut self.choices, choices);
        let mut states = self.samples.any.kept.iter().chain(&self.samples.firsts);
        let mut chosen = self.choices.any.kept.iter().chain(&self.choices.firsts);
        let is_move = |(state, process): &(Vec<u8>, usize)| {
            self.machine.knows(state) && *process < self.machine.processes_in(state)
        };
        if !self.samples.is_like(&samples)
            || !self.choices.is_like(&choices)
            || !states.all(|state| self.machine.knows(state))
            || !chosen.all(is_move)
        {
            return Err(damaged("its samples are not in order"));
        }
        self.visited = Exact::load(input)?;
        self.restore_stack(input)?;
        if self.options.order == Order::BreadthFirst {
            self.restore_breadth(input)?;
        }
        if input.read(&mut [0])? > 0 {
            return Err(damaged("there is something after its end"));
        }
        if self.options.max_states.is_some_and(|limit| self.visited.len() as u64 >= limit) {
            self.found.stop = Some(Stop::States);
        }
        Ok(())
    }

    fn restore_stack(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let wrong = || damaged("its stack is not in order");
        self.bytes = get_bytes(input)?;
        let mut before = Before::default();
        for _ in 0..get_number(input)? {
            let frame = before.get(input, &self.visited)?;
            self.frames.push(frame);
        }
        for _ in 0..get_number(input)? {
            let part = get_part(input)?;
            self.trail.push(part);
        }
        let fits = |frame: &Frame, state: Option<&[u8]>, above: usize| {
            let Some(processes) = state.filter(|state| self.machine.knows(state)).map(|s| self.machine.processes_in(s))
            else {
                return false;
            };
            let mover = frame.process < processes as i16 && frame.last >= 0;
            mover && frame.trail <= above && (frame.offer == 0 || above > 0)
        };
        let ends = self.frames.iter().skip(1).map(|above| above.trail).chain([self.trail.len()]);
        for (frame, above) in self.frames.iter().zip(ends) {
            let end = frame.start.checked_add(frame.length as usize).ok_or_else(wrong)?;
            if !fits(frame, self.bytes.get(frame.start..end), above) {
                return Err(wrong());
            }
        }
        if get_number(input)? != 0 {
            let part = get_part(input)?;
            let frame = Before::default().get(input, &self.visited)?;
            self.waiting_state = get_bytes(input)?;
            self.waiting_key = get_bytes(input)?;
            let hidden = self.program.schema.hidden as usize;
            let top = self.frames.last().ok_or_else(wrong)?;
            if !self.machine.knows(&self.waiting_state) || frame.start != top.start || frame.length != top.length {
                return Err(wrong());
            }
            let key = if self.reducer.is_some() { &self.waiting_key } else { &self.waiting_state[hidden..] };
            self.waiting = Some(Waiting { hash: self.visited.hash(key), part, frame });
        }
        self.loaded = false;
        Ok(())
    }

    fn restore_breadth(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let wrong = || damaged("its queue is not in order");
        for _ in 0..get_number(input)? {
            let state = get_bytes(input)?;
            if !self.machine.knows(&state) {
                return Err(wrong());
            }
            self.queue.push(&state);
        }
        let mut last = 0_u64;
        for number in 0..get_number(input)? {
            last = last.checked_add(get_number(input)?).ok_or_else(wrong)?;
            let entry = self.visited.entry(last).ok_or_else(wrong)?;
            let parent = (get_number(input)? as u32).wrapping_sub(1);
            let depth = get_number(input)? as u32;
            // States come after those that they were reached from, so that every run ends.
            if (number > 0) != (u64::from(parent) < number) {
                return Err(wrong());
            }
            self.links.push(Link { entry, parent, depth });
        }
        for _ in 0..get_number(input)? {
            self.recorded.parts.push(get_part(input)?);
        }
        let mut last = 0_usize;
        for _ in 0..get_number(input)? {
            let number = get_number(input)?;
            last = last.checked_add((number >> 1) as usize).ok_or_else(wrong)?;
            self.recorded.ends.push((last, number & 1 != 0));
        }
        let recorded = self.reducer.is_none() || self.recorded.ends.len() == self.links.len();
        let waiting = self.links.len() == self.current as usize + 1 + self.queue.len();
        let Some(link) = self.links.get(self.current as usize).filter(|_| recorded && waiting) else {
            return Err(wrong());
        };
        if last > self.recorded.parts.len() {
            return Err(wrong());
        }
        self.base = u64::from(link.depth);
        Ok(())
    }
}

/// Where the frame before starts: the next one starts soon after.
#[derive(Default)]
struct Before {
    start: usize,
    trail: usize,
    entry: u64,
}

impl Before {
    fn put(&mut self, out: &mut dyn Write, frame: &Frame) -> io::Result<()> {
        let Frame { entry, start, length, trail, next, end, escape, offer, process, last, flags } = *frame;
        put_signed(out, start as i64 - self.start as i64)?;
        put_signed(out, trail as i64 - self.trail as i64)?;
        let address = entry.map_or(0, Entry::address);
        put_number(out, u64::from(entry.is_some()))?;
        if entry.is_some() {
            put_signed(out, address as i64 - self.entry as i64)?;
            self.entry = address;
        }
        (self.start, self.trail) = (start, trail);
        for number in [length, next.wrapping_add(1), end, escape, offer.into(), flags.into()] {
            put_number(out, u64::from(number))?;
        }
        put_signed(out, process.into())?;
        put_signed(out, last.into())
    }

    fn get(&mut self, input: &mut dyn Read, visited: &Exact) -> io::Result<Frame> {
        let wrong = || damaged("its stack is not in order");
        let add = |to: u64, step: i64| to.checked_add_signed(step).ok_or_else(wrong);
        self.start = add(self.start as u64, get_signed(input)?)? as usize;
        self.trail = add(self.trail as u64, get_signed(input)?)? as usize;
        let mut entry = None;
        if get_number(input)? != 0 {
            self.entry = add(self.entry, get_signed(input)?)?;
            entry = Some(visited.entry(self.entry).ok_or_else(wrong)?);
        }
        let mut numbers = [0_u32; 6];
        for number in &mut numbers {
            *number = u32::try_from(get_number(input)?).map_err(|_| wrong())?;
        }
        let [length, next, end, escape, offer, flags] = numbers;
        let small = |number: u32| u16::try_from(number).map_err(|_| wrong());
        let signed = |number: i64| i16::try_from(number).map_err(|_| wrong());
        let (offer, flags) = (small(offer)?, small(flags)?);
        let (process, last) = (signed(get_signed(input)?)?, signed(get_signed(input)?)?);
        let next = next.wrapping_sub(1);
        let (start, trail) = (self.start, self.trail);
        Ok(Frame { entry, start, length, trail, next, end, escape, offer, process, last, flags })
    }
}

fn put_part(out: &mut dyn Write, part: Part) -> io::Result<()> {
    let role = match part.role {
        Role::Alone => 0,
        Role::Offers => 1,
        Role::Receives => 2,
    };
    put_number(out, u64::from(part.process) << 2 | role)?;
    put_number(out, u64::from(part.transition))
}

fn get_part(input: &mut dyn Read) -> io::Result<Part> {
    let wrong = || damaged("its steps are not in order");
    let number = get_number(input)?;
    let role = match number & 3 {
        0 => Role::Alone,
        1 => Role::Offers,
        2 => Role::Receives,
        _ => return Err(wrong()),
    };
    let process = u16::try_from(number >> 2).map_err(|_| wrong())?;
    let transition = u32::try_from(get_number(input)?).map_err(|_| wrong())?;
    Ok(Part { transition, process, role })
}

/// A number in as many groups of seven bits as it needs.
fn put_number(out: &mut dyn Write, mut number: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        bytes[length] = (number & 127) as u8 | u8::from(number > 127) << 7;
        length += 1;
        number >>= 7;
        if number == 0 {
            return out.write_all(&bytes[..length]);
        }
    }
}

fn get_number(input: &mut dyn Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 127) << shift;
        if byte[0] & 128 == 0 {
            return Ok(number);
        }
    }
    Err(damaged("a number in it is too long"))
}

fn put_signed(out: &mut dyn Write, number: i64) -> io::Result<()> {
    put_number(out, (number << 1 ^ number >> 63) as u64)
}

fn get_signed(input: &mut dyn Read) -> io::Result<i64> {
    let number = get_number(input)?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put_number(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Reads bytes. No memory is taken for bytes that the file does not have.
fn get_bytes(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let length = get_number(input)?;
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")),
    }
}

fn put(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    postcard::to_io(value, out).map(|_| ()).map_err(io::Error::other)
}

fn get<T: DeserializeOwned>(input: &mut dyn Read) -> io::Result<T> {
    let mut word = [0; LONGEST_WORD];
    let (value, _) = postcard::from_io((input, &mut word[..])).map_err(|_| damaged("a part of it makes no sense"))?;
    Ok(value)
}

/// The name of a kind of error.
fn known(name: &str) -> io::Result<&'static str> {
    let names = FaultKind::NAMES.into_iter().chain([Error::Deadlock.kind(), ""]);
    names.into_iter().find(|known| *known == name).ok_or_else(|| damaged("it has an unknown kind of error"))
}

fn damaged(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, u64::MAX >> bit]);
        for number in numbers {
            let mut file = Vec::new();
            put_number(&mut file, number).expect("memory takes it");
            put_signed(&mut file, number as i64).expect("memory takes it");
            let mut file = &file[..];
            assert_eq!(get_number(&mut file).ok(), Some(number));
            assert_eq!(get_signed(&mut file).ok(), Some(number as i64));
            assert!(file.is_empty());
        }
    }
}
