//! What of a search is written into a checkpoint, and how the search goes on from there. Large parts (visited states, stack,
//! queue) are written as they lie, small ones by `serde`; states keep their bytes, so the numbers of shapes are kept too.
//!
//! A checkpoint is written between two steps, so that frames and trail fit together. What is read is checked as far as the
//! search relies on it; whether it is what was written, the caller knows.

use std::io::{self, Read, Write};
use std::time::Duration;

use quotient_canon::Counts;
use quotient_report::source::Span;
use quotient_step::machine::Most;
use quotient_step::{Fault, FaultKind};
use quotient_store::Store;
use serde::{Deserialize, Serialize};

use super::deep::Pack;
use super::format::{Before, damaged, get, get_bytes, get_number, get_part, put, put_bytes, put_number, put_part};
use super::postponed::Waiting;
use super::{Engine, Frontier, Visitor};
use crate::explore::History;
use crate::frame::Frame;
use crate::{Dropped, Error, Stop, Violation};

/// What is counted, and other small things.
#[derive(Serialize, Deserialize)]
struct Small {
    lineage: Vec<(u32, u32, u32)>,
    matched: u64,
    atomic_steps: u64,
    depth: u64,
    state_bytes: u64,
    reduced: u64,
    skipped: u64,
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
    most: Most,
}

/// Reads what happened before the search that was under way.
pub(crate) fn read_history(input: &mut dyn Read) -> io::Result<History> {
    let (dropped, time) = get(input)?;
    Ok(History { dropped, time })
}

impl<F: Frontier, V: Visitor> Engine<'_, '_, '_, F, V> {
    /// Whether this search was ended by a limit or by the user, so that it can go on.
    pub(crate) fn can_go_on(&self) -> bool {
        let ended = matches!(self.found.stop, Some(Stop::States | Stop::Time | Stop::Memory | Stop::Interrupted));
        ended && self.dropped.is_none()
    }

    /// Has a checkpoint kept.
    #[cold]
    pub(crate) fn keep(&mut self) {
        let Some(keeper) = self.caller.keeper.take() else { return };
        keeper.keep(&mut |out| self.save(out));
        self.caller.keeper = Some(keeper);
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let dropped: &Vec<Dropped> = &self.caller.history.dropped;
        put(out, &(dropped, self.caller.history.time + self.caller.started.elapsed()))?;
        let counts = self.visited.counts().unwrap_or_default();
        let found = &self.found;
        let small = Small {
            lineage: self.expander.machine.lineage(),
            matched: found.matched,
            atomic_steps: found.atomic_steps,
            depth: found.depth,
            state_bytes: found.state_bytes,
            reduced: found.reduced,
            skipped: found.skipped,
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
            pending: self.expander.pending.clone(),
            current: self.frontier.current(),
            most: self.expander.machine.most(),
        };
        put(out, &small)?;
        put(out, &found.violations)?;
        put(out, &self.nets.samples)?;
        put(out, &self.nets.choices)?;
        put_bytes(out, F::Store::NAME.as_bytes())?;
        self.visited.set.save(out)?;
        put_bytes(out, &self.stack.bytes)?;
        put_number(out, self.stack.frames.len() as u64)?;
        let mut before = Before::default();
        for frame in self.stack.frames.iter() {
            frame.put(&mut before, out)?;
        }
        put_number(out, self.stack.trail.len() as u64)?;
        self.stack.trail.iter().try_for_each(|part| put_part(out, part))?;
        put_number(out, u64::from(self.postponed.waiting.is_some()))?;
        if let Some(Waiting { frame, .. }) = &self.postponed.waiting {
            put_number(out, self.postponed.parts.len() as u64)?;
            self.postponed.parts.iter().try_for_each(|&part| put_part(out, part))?;
            frame.put(&mut Before::default(), out)?;
            put_bytes(out, &self.postponed.state)?;
            put_bytes(out, &self.postponed.key)?;
        }
        self.frontier.save(out)
    }

    /// Takes this search, which has not been started, to where another one was.
    pub(crate) fn restore(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let small: Small = get(input)?;
        if !self.expander.machine.follow(&small.lineage) {
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
        self.found.skipped = small.skipped;
        self.found.errors = small.errors;
        self.found.kinds = small.kinds.iter().map(|kind| known(kind)).collect::<io::Result<_>>()?;
        self.found.reached = small.reached;
        let seen = small.seen.iter().map(|(kind, span)| Ok((known(kind)?, *span)));
        self.kept.seen = seen.collect::<io::Result<_>>()?;
        self.kept.events = small.events;
        (self.cut, self.broken) = (small.cut, small.broken);
        self.found.stop = small.cut.then_some(Stop::Depth);
        let Small { representatives, normalised, time, .. } = small;
        self.visited.count_from(Counts { representatives, normalised, time });
        if self.expander.program.model.heap.is_some() && self.options.reduce.is_on() {
            self.expander.machine.measure_heap(small.most);
        }
        self.expander.pending = small.pending;
        self.found.violations = get::<Vec<Violation>>(input)?;
        let (samples, choices) = (std::mem::replace(&mut self.nets.samples, get(input)?), get(input)?);
        let choices = std::mem::replace(&mut self.nets.choices, choices);
        let mut states = self.nets.samples.any.kept.iter().chain(&self.nets.samples.firsts);
        let mut chosen = self.nets.choices.any.kept.iter().chain(&self.nets.choices.firsts);
        let is_move = |(state, process): &(Vec<u8>, usize)| {
            self.expander.machine.knows(state) && *process < self.expander.machine.processes_in(state)
        };
        if !self.nets.samples.is_like(&samples)
            || !self.nets.choices.is_like(&choices)
            || !states.all(|state| self.expander.machine.knows(state))
            || !chosen.all(is_move)
        {
            return Err(damaged("its samples are not in order"));
        }
        if get_bytes(input)? != F::Store::NAME.as_bytes() {
            return Err(damaged("its states are kept in another way"));
        }
        self.visited.set = F::Store::load(input)?;
        self.restore_stack(input)?;
        let records = self.records();
        self.frontier.restore(input, small.current, records, &self.expander.machine, &self.visited)?;
        if input.read(&mut [0])? > 0 {
            return Err(damaged("there is something after its end"));
        }
        if self.options.max_states.is_some_and(|limit| self.visited.set.len() as u64 >= limit) {
            self.found.stop = Some(Stop::States);
        }
        Ok(())
    }

    fn restore_stack(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let wrong = || damaged("its stack is not in order");
        self.stack.bytes = get_bytes(input)?;
        let mut before = Before::default();
        for _ in 0..get_number(input)? {
            self.stack.frames.push(get_frame(&mut before, input, &self.visited.set)?);
        }
        for _ in 0..get_number(input)? {
            let part = get_part(input)?;
            self.stack.trail.push(part);
        }
        let fits = |frame: &Frame, state: Option<&[u8]>, above: usize| {
            let Some(processes) =
                state.filter(|state| self.expander.machine.knows(state)).map(|s| self.expander.machine.processes_in(s))
            else {
                return false;
            };
            let mover = frame.process < processes as i16 && frame.last >= 0;
            mover && frame.trail <= above && (frame.offer == 0 || above > 0)
        };
        let ends = self.stack.frames.iter().skip(1).map(|above| above.trail).chain([self.stack.trail.len()]);
        for (frame, above) in self.stack.frames.iter().zip(ends) {
            let end = frame.start.checked_add(frame.length as usize).ok_or_else(wrong)?;
            let copied;
            let state = match frame.length {
                0 if self.stack.refers => {
                    copied = frame.entry.map(|entry| self.visited.set.copy(entry));
                    copied.as_deref()
                }
                _ => self.stack.bytes.get(frame.start..end),
            };
            let needs_none = frame.length == 0 && frame.is_through() && frame.trail <= above;
            if !needs_none && !fits(&frame, state, above) {
                return Err(wrong());
            }
        }
        if get_number(input)? != 0 {
            for _ in 0..get_number(input)? {
                let part = get_part(input)?;
                self.postponed.parts.push(part);
            }
            let frame = get_frame(&mut Before::default(), input, &self.visited.set)?;
            self.postponed.state = get_bytes(input)?;
            self.postponed.key = get_bytes(input)?;
            let hidden = self.expander.program.schema.hidden as usize;
            let top = self.stack.frames.last().ok_or_else(wrong)?;
            if !self.expander.machine.knows(&self.postponed.state)
                || frame.start != top.start
                || frame.length != top.length
            {
                return Err(wrong());
            }
            let key = if self.visited.is_symmetric() { &self.postponed.key } else { &self.postponed.state[hidden..] };
            if !self.expander.machine.knows(&[&self.postponed.state[..hidden], key].concat()) {
                return Err(wrong());
            }
            self.expander.machine.load(&self.postponed.state);
            let prepared = self.visited.prepare_key(&self.expander.machine, key).ok_or_else(wrong)?;
            self.postponed.waiting = Some(Waiting { prepared, frame });
        }
        self.stack.loaded = false;
        Ok(())
    }
}

/// Reads a frame whose state, if it says so, is in the visited set.
fn get_frame(before: &mut Before, input: &mut dyn Read, visited: &impl Store) -> io::Result<Frame> {
    let frame = Frame::get(before, input)?;
    match frame.entry.is_none_or(|entry| visited.entry(entry.address()).is_some()) {
        true => Ok(frame),
        false => Err(damaged("its stack is not in order")),
    }
}

/// The name of a kind of error.
fn known(name: &str) -> io::Result<&'static str> {
    let names = FaultKind::NAMES.into_iter().chain([Error::Deadlock.kind(), ""]);
    names.into_iter().find(|known| *known == name).ok_or_else(|| damaged("it has an unknown kind of error"))
}
