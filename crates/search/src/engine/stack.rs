//! The run that the search is on: a frame for every state under expansion, their bytes, and the steps between them.

use quotient_step::Choice;
use quotient_step::machine::Machine;
use quotient_store::{Entry, Store};

use super::deep::Deep;
use crate::frame::{Frame, Part, Role};
use crate::path::{Event, Path};

/// The states under expansion. It knows bytes and cursors; it may not look anything up, and executes nothing.
#[derive(Default)]
pub(super) struct Stack {
    /// The states of the frames, one after another, but for those that are read from the visited set.
    pub(super) bytes: Vec<u8>,
    pub(super) frames: Deep<Frame>,
    /// The steps that led to the top frame.
    pub(super) trail: Deep<Part>,
    /// The visited set has all bytes of a state, and they are those of the state itself.
    pub(super) refers: bool,
    /// Whether the machine holds the top frame's state.
    pub(super) loaded: bool,
}

impl Stack {
    /// The top frame, while there is one.
    #[inline(always)]
    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a frame is being expanded")
    }

    /// The bytes of a frame's state.
    #[inline(always)]
    pub(super) fn state<'a, S: Store>(&'a self, frame: &Frame, visited: &'a mut S) -> &'a [u8] {
        match (frame.length, frame.entry) {
            (0, Some(entry)) => visited.state(entry),
            (length, _) => &self.bytes[frame.start..frame.start + length as usize],
        }
    }

    /// The innermost frame whose state is stored.
    pub(super) fn stored(&self) -> Option<Frame> {
        self.frames.last_that(|frame| !frame.is(Frame::PASSING))
    }

    /// Puts the machine's state on top; gives back how long it is. Only one process may move, or everyone. The steps that
    /// lead here are on the trail already, from `trail` on.
    #[inline(always)]
    pub(super) fn push(&mut self, machine: &Machine, entry: Option<Entry>, only: Option<usize>, trail: usize) -> usize {
        if let Some(below) = self.frames.last_mut()
            && below.is_through()
        {
            self.bytes.truncate(below.start);
            below.length = 0;
        }
        let start = self.bytes.len();
        let length = machine.state().len();
        let copies = entry.is_none() || !self.refers;
        if copies {
            self.bytes.extend_from_slice(machine.state());
        }
        let (offer, message) = machine.offered();
        if offer != 0 {
            self.bytes.extend(message.iter().flat_map(|field| field.to_le_bytes()));
        }
        let passing = if entry.is_none() { Frame::PASSING } else { 0 };
        let exclusive = if only.is_some() { Frame::EXCLUSIVE } else { 0 };
        self.frames.push(Frame {
            entry,
            start,
            length: if copies { length as u32 } else { 0 },
            trail,
            next: Frame::UNSEEN,
            end: 0,
            escape: 0,
            offer: offer as u16,
            process: only.unwrap_or(0) as i16,
            last: only.unwrap_or(0) as i16,
            flags: passing | exclusive,
        });
        length
    }

    /// Takes the top frame off, with the steps that led to it. Says to the one below whether a rendezvous took place.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.bytes.truncate(frame.start);
        self.trail.truncate(frame.trail);
        self.loaded = false;
        if let Some(below) = self.frames.last_mut()
            && frame.offer != 0
        {
            // A rendezvous send counts as a move only if someone received.
            if frame.is(Frame::MOVED) {
                below.flags |= Frame::MOVED | Frame::MOVED_HERE;
            } else {
                below.escape = 0;
            }
        }
        Some(frame)
    }

    /// Makes the machine hold the top frame's state.
    #[inline]
    pub(super) fn load_top<S: Store>(&mut self, machine: &mut Machine, visited: &mut S) {
        if self.loaded {
            return;
        }
        let Some(frame) = self.frames.last() else { return };
        if let (false, Some(entry)) = (frame.length == 0, frame.entry) {
            visited.approach(entry);
        }
        machine.load(self.state(frame, visited));
        if frame.offer != 0 {
            let end = frame.start + frame.length as usize;
            let message = self.bytes[end..].chunks_exact(4);
            let message = message.map(|field| i32::from_le_bytes([field[0], field[1], field[2], field[3]]));
            machine.offer(u32::from(frame.offer), message);
        }
        self.loaded = true;
    }

    /// Puts the machine's state in the place of the top frame's.
    pub(super) fn save_top(&mut self, machine: &Machine) {
        let top = self.frames.last_mut().expect("a frame is being expanded");
        self.bytes.truncate(top.start);
        self.bytes.extend_from_slice(machine.state());
        top.length = (self.bytes.len() - top.start) as u32;
    }

    /// Notes at the innermost stored state below `frames` frames that some successor is not on the stack. The frames between are
    /// marked, too: below one that is, all are.
    pub(super) fn mark_outside(&mut self, frames: usize) {
        for number in (0..frames).rev() {
            let frame = &mut self.frames.from(number)[0];
            if frame.is(Frame::OUTSIDE) {
                break;
            }
            frame.flags |= Frame::OUTSIDE;
            if !frame.is(Frame::PASSING) {
                break;
            }
        }
    }

    /// Adds the run from the bottom frame to the top one.
    pub(super) fn add_run(&self, path: &mut Path) {
        let mut parts = self.trail.iter();
        let mut frames = self.frames.iter().peekable();
        while let Some(frame) = frames.next() {
            let end = frames.peek().map_or(self.trail.len(), |above| above.trail);
            parts.by_ref().take(end - frame.trail).for_each(|part| add_part(path, part));
            if frame.is(Frame::RELEASED) {
                path.push(Event::Release);
            }
        }
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.capacity() + self.frames.bytes() + self.trail.bytes()
    }
}

/// Adds a process's part in a step to a run; the two parts of a rendezvous become one event.
pub(crate) fn add_part(path: &mut Path, part: Part) {
    let (process, transition) = (usize::from(part.process), part.transition as usize);
    match (part.role, path.last_mut()) {
        (Role::Receives, Some(Event::Move(choice))) => choice.partner = Some((process, transition)),
        _ => path.push(Event::Move(Choice { process, transition, partner: None })),
    }
}
