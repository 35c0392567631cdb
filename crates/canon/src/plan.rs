//! The plan: a model's symmetry compiled against the layout of its states. It says which bytes change places, which of
//! them are names of members, and which are ids of channels that change places.
//!
//! All elements of a class have one layout, so the plan keeps it once, as a [`Block`], with the offset of each element.
//! What no renaming moves is one block of its own: the names that it holds still change.

mod build;
pub(crate) mod code;
mod unread;

use quotient_ir::schema::Schema;
use quotient_ir::{ChannelTypeId, Founder, Group, Model, ProctypeId, Setup};

use code::{Code, Coded};
pub(crate) use unread::Unread;

/// Which processes and channels live in a state, with their types and where their bytes start.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// Processes, in order of their ids.
    pub processes: Vec<(ProctypeId, u32)>,
    /// Channels, in order of their ids.
    pub channels: Vec<(ChannelTypeId, u32)>,
}

impl Arrangement {
    /// Where the components lie once all founders live.
    pub fn of_founders(model: &Model, schema: &Schema, founders: &[Founder]) -> Self {
        let mut arrangement = Arrangement::default();
        let mut end = schema.fixed;
        let add_channels = |setup: &[Setup], end: &mut u32, channels: &mut Vec<(ChannelTypeId, u32)>| {
            for step in setup {
                if let Setup::Channel(_, ty) = step {
                    channels.push((*ty, *end));
                    *end += schema.channels[*ty].size;
                }
            }
        };
        add_channels(&model.setup, &mut end, &mut arrangement.channels);
        for founder in founders {
            arrangement.processes.push((founder.proctype, end));
            end += schema.locals[founder.proctype].size;
            add_channels(&model.proctypes[founder.proctype].setup, &mut end, &mut arrangement.channels);
        }
        arrangement
    }
}

/// A scalarset as the plan sees it: its members are vertices `base..base + size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) base: usize,
    pub(crate) size: usize,
    pub(crate) group: Group,
}

/// A symmetry compiled for the states of one arrangement.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) sets: Vec<Set>,
    /// Members of all sets.
    pub(crate) vertices: usize,
    /// The renaming that changes nothing.
    pub(crate) identity: Vec<u8>,
    pub(crate) blocks: Vec<Block>,
    /// Where each channel stands, by id; the first is no channel.
    pub(crate) channels: Ids,
    /// Where each process stands.
    pub(crate) processes: Ids,
    /// Offset of the last mover's id.
    pub(crate) last: Option<usize>,
    /// Some field holds the id of a channel that can change places.
    pub(crate) renames_channels: bool,
    /// For each set, what its members can be sorted by.
    pub(crate) keys: Vec<Keys>,
    /// Where the bytes that tell states apart begin.
    pub(crate) hidden: usize,
    /// What the values of coded fields stand for.
    pub(crate) codes: Vec<Code>,
    /// What tells the states that are renamed from others; all are if nothing is said.
    pub(crate) steady: Option<Steady>,
    /// What nobody will read.
    pub(crate) unread: Option<Unread>,
}

/// States are renamed only while a process is at some of its control states.
#[derive(Clone, Debug)]
pub(crate) struct Steady {
    pub(crate) at: usize,
    pub(crate) width: usize,
    /// For each control state, whether states are renamed.
    pub(crate) controls: Vec<bool>,
}

/// What the members of a set can be sorted by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    /// The main array: plain values indexed by the set alone.
    pub(crate) array: Option<Key>,
    /// Control states of the families that the set indexes, as SPIN numbers them; those that become each other have the
    /// number of the first.
    pub(crate) controls: Vec<(Key, Vec<u32>)>,
}

/// A number that each member of a set has in a state.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) offsets: Vec<u32>,
    pub(crate) width: usize,
    pub(crate) signed: bool,
}

/// All elements of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// The sets that index it, outermost first.
    pub(crate) axes: Vec<Axis>,
    /// Where each element starts, in order of its members; the last axis runs fastest.
    pub(crate) offsets: Vec<u32>,
    /// Bytes of an element.
    pub(crate) length: usize,
    /// Runs of bytes that are plain data, relative to the element.
    pub(crate) plain: Vec<(u32, u32)>,
    /// Fields that are names of members.
    pub(crate) members: Vec<Member>,
    /// Fields that stand for members as a code says.
    pub(crate) coded: Vec<Coded>,
    /// Bytes that are ids of channels.
    pub(crate) channels: Vec<u32>,
    /// Messages with names in them.
    pub(crate) queues: Vec<Queue>,
}

/// A set that indexes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) set: usize,
    pub(crate) base: usize,
    pub(crate) size: usize,
    pub(crate) stride: usize,
}

/// A field that is a member's name; the members are a run of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) at: u32,
    pub(crate) width: u8,
    /// The value of member 0.
    pub(crate) first: u8,
    pub(crate) base: u16,
    pub(crate) size: u16,
}

/// A channel's messages, where they hold names. Only those that are there count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Queue {
    pub(crate) at: u32,
    pub(crate) count_bytes: u32,
    pub(crate) message: u32,
    /// Plain runs of a message.
    pub(crate) plain: Vec<(u32, u32)>,
    pub(crate) members: Vec<Member>,
    pub(crate) coded: Vec<Coded>,
    pub(crate) channels: Vec<u32>,
}

/// Where the things with ids (channels, processes) stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    /// For each id its class and its element there; `None` for one that stays.
    pub(crate) places: Vec<Option<(u16, u16)>>,
    pub(crate) classes: Vec<IdClass>,
}

/// Ids that change places.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdClass {
    pub(crate) axes: Vec<Axis>,
    pub(crate) ids: Vec<u8>,
}

/// One permutation for each set, as an array over all vertices: the new number of each member within its set.
pub type Images = [u8];

/// The number that the renamed element has in its class.
#[inline(always)]
pub(crate) fn renamed(axes: &[Axis], element: usize, images: &Images) -> usize {
    match axes {
        [axis] => usize::from(images[axis.base + element]),
        axes => axes
            .iter()
            .map(|axis| usize::from(images[axis.base + element / axis.stride % axis.size]) * axis.stride)
            .sum(),
    }
}

/// Reads a little-endian number of one, two or four bytes.
#[inline(always)]
pub(crate) fn read(bytes: &[u8], at: usize, width: usize) -> u32 {
    match width {
        1 => u32::from(bytes[at]),
        2 => u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
        _ => u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
    }
}

impl Member {
    /// The member that a value stands for, if any.
    #[inline(always)]
    pub(crate) fn of(&self, value: u32) -> Option<usize> {
        let member = value.wrapping_sub(u32::from(self.first));
        (member < u32::from(self.size)).then_some(member as usize)
    }

    #[inline(always)]
    fn rename(&self, bytes: &mut [u8], start: usize, images: &Images) {
        let at = start + self.at as usize;
        if self.width == 1 {
            let member = bytes[at].wrapping_sub(self.first);
            if u16::from(member) < self.size {
                bytes[at] = self.first + images[usize::from(self.base) + usize::from(member)];
            }
            return;
        }
        if let Some(member) = self.of(read(bytes, at, usize::from(self.width))) {
            let value = u32::from(self.first) + u32::from(images[usize::from(self.base) + member]);
            let width = usize::from(self.width);
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
}

impl Queue {
    /// How many messages there are.
    #[inline(always)]
    pub(crate) fn count(&self, bytes: &[u8], start: usize) -> usize {
        read(bytes, start + self.at as usize, self.count_bytes as usize) as usize
    }

    /// Where a message starts.
    #[inline(always)]
    pub(crate) fn start(&self, start: usize, number: usize) -> usize {
        start + (self.at + self.count_bytes) as usize + number * self.message as usize
    }
}

impl Ids {
    /// What each id becomes.
    fn table(&self, images: &Images, table: &mut [u8; 256]) {
        for (id, entry) in table.iter_mut().enumerate() {
            *entry = id as u8;
        }
        for class in &self.classes {
            for (element, &id) in class.ids.iter().enumerate() {
                table[usize::from(id)] = class.ids[renamed(&class.axes, element, images)];
            }
        }
    }
}

impl Plan {
    /// The sets' sizes, in order.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.sets.iter().map(|set| set.size)
    }

    /// Whether a state is renamed at all: in the beginning, nothing may be symmetric yet.
    #[inline]
    pub fn renames(&self, state: &[u8]) -> bool {
        let Some(Steady { at, width, controls }) = &self.steady else { return true };
        controls.get(read(state, *at, *width) as usize).copied().unwrap_or(false)
    }

    /// Writes zero over what nobody will read.
    pub fn forget(&self, state: &mut [u8]) {
        if let Some(unread) = &self.unread {
            unread.clear(state);
        }
    }

    /// Renames a state: `out` gets the state in which every member has the name that `images` gives it.
    pub fn apply(&self, images: &Images, state: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(state);
        if *images == self.identity[..] {
            return;
        }
        let mut ids = [0; 256];
        if self.renames_channels {
            self.channels.table(images, &mut ids);
        }
        for block in &self.blocks {
            block.copy(images, state, out);
            if block.members.is_empty()
                && block.queues.is_empty()
                && (block.channels.is_empty() || !self.renames_channels)
            {
                continue;
            }
            for &start in &block.offsets {
                let start = start as usize;
                for member in &block.members {
                    member.rename(out, start, images);
                }
                if self.renames_channels {
                    for &at in &block.channels {
                        let id = &mut out[start + at as usize];
                        *id = ids[usize::from(*id)];
                    }
                }
                for queue in &block.queues {
                    for number in 0..queue.count(out, start) {
                        let message = queue.start(start, number);
                        for member in &queue.members {
                            member.rename(out, message, images);
                        }
                        if self.renames_channels {
                            for &at in &queue.channels {
                                let id = &mut out[message + at as usize];
                                *id = ids[usize::from(*id)];
                            }
                        }
                    }
                }
            }
        }
        if !self.codes.is_empty() {
            self.apply_codes(images, out);
        }
        if let Some(at) = self.last {
            self.processes.table(images, &mut ids);
            out[at] = ids[usize::from(out[at])];
        }
    }

    /// Renames what codes say to stand for members. Few models have such fields, so they are no part of the loop above.
    fn apply_codes(&self, images: &Images, out: &mut [u8]) {
        for block in &self.blocks {
            for &start in &block.offsets {
                let start = start as usize;
                for coded in &block.coded {
                    coded.rename(&self.codes, out, start, images);
                }
                for queue in block.queues.iter().filter(|queue| !queue.coded.is_empty()) {
                    for number in 0..queue.count(out, start) {
                        let message = queue.start(start, number);
                        for coded in &queue.coded {
                            coded.rename(&self.codes, out, message, images);
                        }
                    }
                }
            }
        }
    }

    /// What each process id becomes.
    pub fn process_ids(&self, images: &Images) -> [u8; 256] {
        let mut table = [0; 256];
        self.processes.table(images, &mut table);
        table
    }
}

impl Block {
    /// Puts every element where its renamed self belongs.
    #[inline]
    fn copy(&self, images: &Images, state: &[u8], out: &mut [u8]) {
        match (&self.axes[..], self.length) {
            ([], _) => {}
            ([axis], 1) => {
                for (member, &from) in self.offsets.iter().enumerate() {
                    let to = self.offsets[usize::from(images[axis.base + member])];
                    out[to as usize] = state[from as usize];
                }
            }
            (axes, length) => {
                for (element, &from) in self.offsets.iter().enumerate() {
                    let to = renamed(axes, element, images);
                    if to != element {
                        let (from, to) = (from as usize, self.offsets[to] as usize);
                        out[to..to + length].copy_from_slice(&state[from..from + length]);
                    }
                }
            }
        }
    }
}
