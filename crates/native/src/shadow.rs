//! What is known about every 8 bytes of the program's memory: which of them exist, which have been written, which location
//! of the execution graph they are, and who has accessed them last. It finds races, and accesses to what is not there.
//!
//! An access is kept as long as a later one could race with it and not with those kept instead. A plain access lies
//! between two events of its thread; it happens before another access if the later of the two events does.

use crate::machine::{Machine, Point};
use crate::world;
use quotient_runtime::native::LocationId;

/// How an access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Touch {
    Read = 0,
    VolatileRead = 1,
    AtomicRead = 2,
    Write = 3,
    VolatileWrite = 4,
    AtomicWrite = 5,
    Free = 6,
    /// A write that may not happen.
    AtomicExchange = 7,
}

impl Touch {
    fn of(number: u8) -> Self {
        match number {
            0 => Touch::Read,
            1 => Touch::VolatileRead,
            2 => Touch::AtomicRead,
            3 => Touch::Write,
            4 => Touch::VolatileWrite,
            5 => Touch::AtomicWrite,
            6 => Touch::Free,
            _ => Touch::AtomicExchange,
        }
    }

    pub fn writes(self) -> bool {
        self as u8 >= Touch::Write as u8
    }

    pub fn is_atomic(self) -> bool {
        matches!(self, Touch::AtomicRead | Touch::AtomicWrite | Touch::AtomicExchange)
    }

    pub fn is_volatile(self) -> bool {
        matches!(self, Touch::VolatileRead | Touch::VolatileWrite)
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Touch::Read => "a plain read",
            Touch::VolatileRead => "a volatile read",
            Touch::AtomicRead => "an atomic read",
            Touch::Write => "a plain write",
            Touch::VolatileWrite => "a volatile write",
            Touch::AtomicWrite => "an atomic write",
            Touch::Free => "freeing it",
            Touch::AtomicExchange => "an atomic exchange",
        }
    }
}

/// An access that is remembered.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Entry {
    pub pc: usize,
    /// The next event of its thread, or the access itself if it is an event.
    pub position: u32,
    pub thread: u16,
    mask: u8,
    touch: u8,
}

impl Entry {
    pub fn touch(&self) -> Touch {
        Touch::of(self.touch)
    }
}

const ENTRIES: usize = 3;

/// The shadow of 8 bytes.
#[repr(C)]
pub struct Cell {
    /// The execution that the rest is about.
    tag: u32,
    count: u8,
    /// The bytes that exist.
    pub valid: u8,
    /// The bytes that have been written since they exist.
    pub written: u8,
    /// Where the location begins and how long it is: four bits each. 0 if there is none.
    atom: u8,
    location: LocationId,
    /// Whether more is kept elsewhere: accesses, locations.
    more: u32,
    entries: [Entry; ENTRIES],
}

/// Instead of a place and a length: the first and the second half of a location of 16 bytes, which overlap everything.
const FIRST_HALF: u8 = 9;
const SECOND_HALF: u8 = 10;

/// A location of no bytes at the end: there was one, and others may be kept elsewhere.
const GONE: u8 = 8 << 4;

const MORE_ENTRIES: u32 = 1;
const MORE_LOCATIONS: u32 = 2;

/// What an access could do wrong.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// There is no such memory.
    Outside,
    /// It races with an earlier access.
    Race(Entry),
}

impl Machine {
    /// The shadow of an address; nothing for memory that is not the program's.
    #[inline]
    pub fn cell(&mut self, address: usize) -> Option<&'static mut Cell> {
        let offset = address.wrapping_sub(world::WORLD);
        let shadow = if offset < world::SIZE {
            world::SHADOW + (offset >> 3) * size_of::<Cell>()
        } else {
            let offset = address.wrapping_sub(self.image_start);
            if offset >= self.image_size {
                return None;
            }
            self.image_shadow + (offset >> 3) * size_of::<Cell>()
        };
        // SAFETY: the shadow is mapped for all of the world and of the image, and a cell of zeros is valid. Nobody else
        // has a reference to it: functions of the host do not nest, and keep none.
        let cell = unsafe { &mut *(shadow as *mut Cell) };
        if cell.tag != self.tag {
            cell.tag = self.tag;
            cell.count = 0;
            cell.atom = 0;
            cell.more = 0;
            (cell.valid, cell.written) = match world::part_of(address) {
                Some((0, world::Part::Heap)) => (self.heap.early_mask(address), 0xFF),
                Some((_, world::Part::Heap)) => (0, 0),
                _ => (0xFF, 0xFF),
            };
        }
        Some(cell)
    }

    /// Looks at an access and remembers it. The access lies within 8 bytes.
    #[inline]
    pub fn touch(&mut self, address: usize, size: usize, touch: Touch, pc: usize) -> Result<(), Fault> {
        let here = self.here;
        let Some(cell) = self.cell(address) else { return Ok(()) };
        let mask = (((1u32 << size) - 1) << (address & 7)) as u8;
        if cell.valid & mask != mask {
            return Err(Fault::Outside);
        }
        let new = Entry { pc, position: here.position, thread: here.thread as u16, mask, touch: touch as u8 };
        if cell.count == 1 && cell.more & MORE_ENTRIES == 0 && replaces(&new, &cell.entries[0]) {
            let old = cell.entries[0];
            if old.thread == new.thread {
                cell.entries[0] = new;
                return Ok(());
            }
        }
        self.touch_slowly(cell, address, new)
    }

    fn touch_slowly(&mut self, cell: &mut Cell, address: usize, new: Entry) -> Result<(), Fault> {
        let clock = self.clock();
        let mut kept = 0;
        for index in 0..cell.count as usize {
            let old = cell.entries[index];
            let ordered = old.thread == new.thread || clock.get(old.thread as usize).is_some_and(|&n| n > old.position);
            if !ordered && conflicts(&old, &new) {
                return Err(Fault::Race(old));
            }
            if !(ordered && replaces(&new, &old)) {
                cell.entries[kept] = old;
                kept += 1;
            }
        }
        cell.count = kept as u8;
        if cell.more & MORE_ENTRIES != 0 {
            let others = self.more_entries.entry(address & !7).or_default();
            for old in others.iter() {
                let ordered =
                    old.thread == new.thread || clock.get(old.thread as usize).is_some_and(|&n| n > old.position);
                if !ordered && conflicts(old, &new) {
                    return Err(Fault::Race(*old));
                }
            }
        }
        if kept < ENTRIES {
            cell.entries[kept] = new;
            cell.count += 1;
        } else {
            cell.more |= MORE_ENTRIES;
            let others = self.more_entries.entry(address & !7).or_default();
            others.retain(|old| !(old.thread == new.thread && replaces(&new, old)));
            others.push(new);
        }
        Ok(())
    }

    /// Who has written to memory within 8 bytes, as far as that can still be read: threads, and how many events they had.
    pub fn writers(&mut self, address: usize, size: usize) -> Vec<(u32, u32)> {
        let Some(cell) = self.cell(address) else { return Vec::new() };
        let mask = (((1u32 << size) - 1) << (address & 7)) as u8;
        let more = if cell.more & MORE_ENTRIES != 0 { self.more_entries.get(&(address & !7)) } else { None };
        let entries = cell.entries[..cell.count as usize].iter().chain(more.into_iter().flatten());
        let writes = entries.filter(|entry| entry.mask & mask != 0 && entry.touch().writes());
        writes.map(|entry| (u32::from(entry.thread), entry.position)).collect()
    }

    /// The location that is at an address, if it has one with this size; an error if it overlaps another one.
    pub fn location_at(&mut self, address: usize, size: usize) -> Result<Option<LocationId>, ()> {
        if size == 16 {
            return self.wide_location_at(address);
        }
        let Some(cell) = self.cell(address) else { return Ok(self.foreign.get(&address).copied()) };
        let atom = ((address & 7) as u8) << 4 | size as u8;
        if cell.atom == atom {
            return Ok(Some(cell.location));
        }
        if cell.atom == 0 {
            return Ok(None);
        }
        if overlaps(cell.atom, address, size) {
            return Err(());
        }
        if cell.more & MORE_LOCATIONS == 0 {
            return Ok(None);
        }
        let others = self.more_locations.get(&(address & !7)).map_or(&[][..], |others| &others[..]);
        match others.iter().find(|&&(other, _)| overlaps(other, address, size)) {
            None => Ok(None),
            Some(&(other, location)) if other == atom => Ok(Some(location)),
            Some(_) => Err(()),
        }
    }

    /// The same for 16 bytes, which are aligned.
    fn wide_location_at(&mut self, address: usize) -> Result<Option<LocationId>, ()> {
        let (Some(first), Some(second)) = (self.cell(address), self.cell(address + 8)) else {
            return Ok(self.foreign.get(&address).copied());
        };
        let kept_elsewhere = |at| self.more_locations.get(&at).is_some_and(|others| !others.is_empty());
        match (first.atom, second.atom) {
            (FIRST_HALF, SECOND_HALF) => Ok(Some(first.location)),
            (0 | GONE, 0 | GONE) if !kept_elsewhere(address) && !kept_elsewhere(address + 8) => Ok(None),
            _ => Err(()),
        }
    }

    /// Says which location is at an address.
    pub fn bind(&mut self, address: usize, size: usize, location: LocationId) {
        if self.names.len() <= location as usize {
            self.names.resize(location as usize + 1, (0, 0));
        }
        self.names[location as usize] = (address, size as u8);
        let Some(cell) = self.cell(address) else {
            self.foreign.insert(address, location);
            return;
        };
        if size == 16 {
            (cell.atom, cell.location) = (FIRST_HALF, location);
            if let Some(second) = self.cell(address + 8) {
                (second.atom, second.location) = (SECOND_HALF, location);
            }
            return;
        }
        let atom = ((address & 7) as u8) << 4 | size as u8;
        if cell.atom == 0 || cell.atom == GONE || cell.atom == atom {
            (cell.atom, cell.location) = (atom, location);
            return;
        }
        cell.more |= MORE_LOCATIONS;
        self.more_locations.entry(address & !7).or_default().push((atom, location));
    }

    /// The bytes at an address begin a new life: a plain write has come after all accesses to the locations there.
    #[inline]
    pub fn unbind(&mut self, cell: &mut Cell, address: usize, size: usize) {
        if overlaps(cell.atom, address, size) {
            if matches!(cell.atom, FIRST_HALF | SECOND_HALF)
                && let Some(other) = self.cell(address ^ 8)
            {
                other.atom = GONE;
            }
            cell.atom = GONE;
        }
        if cell.more & MORE_LOCATIONS != 0
            && let Some(others) = self.more_locations.get_mut(&(address & !7))
        {
            others.retain(|&(other, _)| !overlaps(other, address, size));
        }
    }

    /// Of the current thread's last event: how many events of each thread happen before.
    fn clock(&self) -> &'static [u32] {
        let Point { thread, position } = self.here;
        quotient_runtime::native::look(|explorer, _| {
            let last = quotient_runtime::native::EventId::new(thread, position.saturating_sub(1));
            let clock = explorer.graph().clock(last, quotient_runtime::graph::Clock::Before);
            // SAFETY: the graph does not change before the next visible operation, and nobody keeps the clock so long.
            unsafe { std::slice::from_raw_parts(clock.as_ptr(), clock.len()) }
        })
    }
}

impl Cell {
    /// Whether a location of the graph is here.
    #[inline]
    pub fn has_location(&self) -> bool {
        self.atom != 0
    }

    /// Whether there is a location of which bytes other than these are part.
    #[inline]
    pub fn reaches_beyond(&self, address: usize, size: usize) -> bool {
        let (start, end) = ((self.atom >> 4) as usize, ((self.atom >> 4) + (self.atom & 15)) as usize);
        let beyond = start < address & 7 || (address & 7) + size < end;
        self.atom != GONE && beyond || self.more & MORE_LOCATIONS != 0
    }
}

/// Whether a location has some of the bytes.
#[inline]
fn overlaps(atom: u8, address: usize, size: usize) -> bool {
    let (start, end) = ((atom >> 4) as usize, ((atom >> 4) + (atom & 15)) as usize);
    start < (address & 7) + size && (address & 7) < end
}

/// Whether two accesses race if nothing orders them.
#[inline]
fn conflicts(old: &Entry, new: &Entry) -> bool {
    let (one, other) = (old.touch(), new.touch());
    old.mask & new.mask != 0 && (one.writes() || other.writes()) && !(one.is_atomic() && other.is_atomic())
}

/// Whether whatever races with the old access, which happens before the new one, also races with the new one.
#[inline]
fn replaces(new: &Entry, old: &Entry) -> bool {
    let (one, other) = (old.touch(), new.touch());
    old.mask & !new.mask == 0 && (other.writes() || !one.writes()) && (one.is_atomic() || !other.is_atomic())
}
