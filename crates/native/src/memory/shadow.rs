//! What is known about every 8 bytes of the program's memory: which of them exist, which have been written, which location
//! of the execution graph they are, and who has accessed them last. It finds races, and accesses to what is not there.
//!
//! An access is kept as long as a later one could race with it and not with those kept instead. A plain access lies
//! between two events of its thread; it happens before another access if the later of the two events does. Atomic
//! accesses are events, so the graph has them: only what a location leaves behind is kept here, see `keep_atomic`.

mod cell;

use crate::calls::locals::Locals;
use crate::machine::{Machine, Point};
use crate::memory::address_space;
use quotient_runtime::graph::{Clock, OpCode, Kind, Location};
use quotient_runtime::native::{self, EventId, LocationId};
use std::cell::Cell as Field;

/// How an access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Touch {
    Read = 0,
    VolatileRead = 1,
    AtomicRead = 2,
    Write = 3,
    VolatileWrite = 4,
    AtomicWrite = 5,
    Free = 6,
    /// A write that may not happen.
    AtomicExchange = 7,
    /// What is in new memory is as if somebody had written it.
    Allocate = 8,
    /// A primitive that threads wait with is made, or ends.
    Initialise = 9,
    Destroy = 10,
    /// A local variable begins.
    Declare = 11,
    /// A variable goes away with its thread.
    End = 12,
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
            8 => Touch::Allocate,
            9 => Touch::Initialise,
            10 => Touch::Destroy,
            11 => Touch::Declare,
            12 => Touch::End,
            _ => Touch::AtomicExchange,
        }
    }

    pub(crate) fn writes(self) -> bool {
        self as u8 >= Touch::Write as u8
    }

    pub(crate) fn is_volatile(self) -> bool {
        matches!(self, Touch::VolatileRead | Touch::VolatileWrite)
    }

    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Touch::Read => "a plain read",
            Touch::VolatileRead => "a volatile read",
            Touch::AtomicRead => "an atomic read",
            Touch::Write => "a plain write",
            Touch::VolatileWrite => "a volatile write",
            Touch::AtomicWrite => "an atomic write",
            Touch::Free => "freeing it",
            Touch::AtomicExchange => "an atomic exchange",
            Touch::Allocate => "allocating it",
            Touch::Initialise => "initialising it",
            Touch::Destroy => "destroying it",
            Touch::Declare => "declaring it",
            Touch::End => "ending its life",
        }
    }
}

/// An access that is remembered.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Entry {
    pub pc: usize,
    /// The next event of its thread, or the access itself if it is an event.
    pub position: u32,
    pub thread: u16,
    mask: u8,
    touch: u8,
}

impl Entry {
    pub(crate) fn touch(&self) -> Touch {
        Touch::of(self.touch)
    }

    #[inline]
    fn writes(&self) -> bool {
        self.touch >= Touch::Write as u8
    }

    #[inline]
    fn is_atomic(&self) -> bool {
        ATOMIC >> (self.touch & 15) & 1 != 0
    }

    fn allocates(&self) -> bool {
        self.touch == Touch::Allocate as u8
    }
}

/// What is known of 8 bytes when they are looked at for the first time in an execution.
pub(crate) struct First {
    /// The bytes that exist.
    pub valid: u8,
    /// The bytes that have been written.
    pub written: u8,
    /// Where the thread that the memory belongs to has allocated it, and how many events it had had.
    pub allocation: Option<(usize, u32)>,
}

/// A bit for each kind of access that is atomic.
const ATOMIC: u16 = 1 << Touch::AtomicRead as u8 | 1 << Touch::AtomicWrite as u8 | 1 << Touch::AtomicExchange as u8;

const ENTRIES: usize = 3;

/// The shadow of 8 bytes. Several functions may have it at once.
#[repr(C)]
pub(crate) struct Cell {
    /// The execution that the rest is about.
    tag: Field<u32>,
    count: Field<u8>,
    /// The bytes that exist.
    pub valid: Field<u8>,
    /// The bytes that have been written since they exist.
    pub written: Field<u8>,
    /// Where the location begins and how long it is: four bits each. 0 if there is none.
    atom: Field<u8>,
    location: Field<LocationId>,
    /// Whether more is kept elsewhere: accesses, locations.
    more: Field<u8>,
    /// A bit for each of the first threads: whether all accesses that are remembered are before what it does from now on.
    ordered: Field<u16>,
    entries: [Field<Entry>; ENTRIES],
}

/// Instead of a place and a length: the first and the second half of a location of 16 bytes, which overlap everything.
const FIRST_HALF: u8 = 9;
const SECOND_HALF: u8 = 10;

/// A location of no bytes at the end: there was one, and others may be kept elsewhere.
const GONE: u8 = 8 << 4;

const MORE_ENTRIES: u8 = 1;
const MORE_LOCATIONS: u8 = 2;

/// What an access could do wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// There is no such memory.
    Outside,
    /// It races with an earlier access.
    Race(Entry),
    /// It does not race with an earlier access, but only because threads of this class are started or joined one after the
    /// other.
    Place(u64),
}

impl Machine {
    /// The shadow of an address; nothing for memory that is not the program's.
    #[inline]
    pub(crate) fn cell(&self, address: usize) -> Option<&'static Cell> {
        let offset = address.wrapping_sub(address_space::WORLD);
        let shadow = if offset < address_space::SIZE {
            address_space::SHADOW + (offset >> 3) * size_of::<Cell>()
        } else {
            let offset = address.wrapping_sub(self.image_start.get());
            if offset >= self.image_size.get() {
                return None;
            }
            self.image_shadow.get() + (offset >> 3) * size_of::<Cell>()
        };
        // SAFETY: the shadow is mapped for all of the world and of the image, as long as the process lives, and a cell of
        // zeros is valid. Only the thread that explores comes here.
        let cell = unsafe { &*(shadow as *const Cell) };
        if cell.tag.get() != self.tag.get() {
            self.renew(cell, address);
        }
        Some(cell)
    }

    /// A cell is about another execution: now it is about this one.
    #[inline(never)]
    fn renew(&self, cell: &Cell, address: usize) {
        cell.tag.set(self.tag.get());
        cell.count.set(0);
        cell.atom.set(0);
        cell.more.set(0);
        cell.ordered.set(0);
        if address_space::is_on_a_stack(address) {
            cell.valid.set(0xFF);
            cell.written.set(0);
            return;
        }
        self.renew_other(cell, address);
    }

    /// The same for what is not on a stack.
    #[inline(never)]
    fn renew_other(&self, cell: &Cell, address: usize) {
        let part = address_space::part_of(address);
        if let Some((thread, address_space::Part::Heap)) = part {
            let First { valid, written, allocation } = self.heap.borrow_mut().first_look(thread, address);
            cell.valid.set(valid);
            cell.written.set(written);
            if let Some((pc, position)) = allocation {
                // Whoever comes without being ordered after the allocation races with it.
                let touch = Touch::Allocate as u8;
                cell.entries[0].set(Entry { pc, position, thread: thread as u16, mask: valid, touch });
                cell.count.set(1);
            }
            return;
        }
        let (valid, written) = match part {
            Some((thread, address_space::Part::Local)) => {
                let is_gone = self.threads.borrow().locals(thread) == Locals::Gone;
                let offset = address - address_space::locals(thread);
                let valid = self.image().map_or(0xFF, |image| image.valid_locals(offset));
                (if is_gone { 0 } else { valid }, 0xFF)
            }
            Some(_) => (0xFF, 0xFF),
            None => {
                let offset = address.wrapping_sub(self.image_start.get());
                let valid = self.image_valid.get().and_then(|valid| valid.get(offset >> 3));
                (valid.copied().unwrap_or(0xFF), 0xFF)
            }
        };
        cell.valid.set(valid);
        cell.written.set(written);
    }

    /// The shadow of an address of the program's threads, if somebody has looked at it in this execution.
    pub(crate) fn cell_in_use(&self, address: usize) -> Option<&'static Cell> {
        let offset = address.wrapping_sub(address_space::WORLD);
        if offset >= address_space::SIZE {
            return None;
        }
        // SAFETY: as above.
        let cell = unsafe { &*((address_space::SHADOW + (offset >> 3) * size_of::<Cell>()) as *const Cell) };
        (cell.tag.get() == self.tag.get()).then_some(cell)
    }

    /// Whether the allocation of a block happens before what the current thread does now; the access that it is, if not.
    pub(crate) fn races_with_allocation(&self, thread: u32, pc: usize, position: u32) -> Option<Entry> {
        let touch = Touch::Allocate as u8;
        let entry = Entry { pc, position, thread: thread as u16, mask: 0xFF, touch };
        (!self.is_before(&entry)).then_some(entry)
    }

    /// Looks at a plain access within 8 bytes, whose shadow is `cell`, and remembers it.
    #[inline(always)]
    pub(crate) fn touch(
        &self,
        cell: &Cell,
        address: usize,
        size: usize,
        touch: Touch,
        pc: usize,
    ) -> Result<(), Fault> {
        let mask = mask_of(address, size);
        if cell.valid.get() & mask != mask {
            return Err(Fault::Outside);
        }
        let Point { thread, position } = self.here.get();
        let new = Entry { pc, position, thread: thread as u16, mask, touch: touch as u8 };
        if cell.repeats(&new) {
            return Ok(());
        }
        cell.ordered.set(0);
        // Most memory is accessed by one thread only.
        if cell.count.get() <= 1 && cell.is_simple() {
            let [first, next, ..] = &cell.entries;
            let old = first.get();
            if cell.count.get() == 0 || old.thread == new.thread && replaces(&new, &old) {
                first.set(new);
                cell.count.set(1);
                return Ok(());
            }
            if old.thread == new.thread {
                // What is done twice between two events need not be remembered twice.
                if old.position != position || !replaces(&old, &new) || old.allocates() {
                    next.set(new);
                    cell.count.set(2);
                }
                return Ok(());
            }
        }
        if cell.is_own(new.thread) {
            cell.remember_own(new);
            return Ok(());
        }
        self.touch_slowly(cell, address, new)
    }

    #[inline(never)]
    fn touch_slowly(&self, cell: &Cell, address: usize, new: Entry) -> Result<(), Fault> {
        self.race_with_plain(cell, address, &new)?;
        if cell.has_location() {
            self.race_with_atomic(cell, address, &new)?;
        }
        self.remember(cell, address, new);
        Ok(())
    }

    /// Keeps an access, and those before that it does not stand for.
    fn remember(&self, cell: &Cell, address: usize, new: Entry) {
        cell.ordered.set(0);
        let mut kept = 0;
        for old in cell.kept() {
            if !(replaces(&new, &old) && self.is_before(&old)) {
                cell.entries[kept].set(old);
                kept += 1;
            }
        }
        if kept < ENTRIES {
            cell.entries[kept].set(new);
            cell.count.set(kept as u8 + 1);
        } else {
            cell.count.set(kept as u8);
            cell.more.update(|more| more | MORE_ENTRIES);
            let mut more = self.more_entries.borrow_mut();
            let others = more.entry(address & !7).or_default();
            others.retain(|old| !(old.thread == new.thread && replaces(&new, old)));
            others.push(new);
        }
    }

    /// Looks for a plain access that races with a new one.
    #[inline]
    fn race_with_plain(&self, cell: &Cell, address: usize, new: &Entry) -> Result<(), Fault> {
        let races = |old: &Entry| conflicts(old, new) && !self.is_before(old);
        let mut race = cell.kept().find(races);
        if race.is_none() && cell.more.get() & MORE_ENTRIES != 0 {
            let more = self.more_entries.borrow();
            race = more.get(&(address & !7)).and_then(|others| others.iter().copied().find(races));
        }
        match race {
            None if native::has_like_threads() => {
                let others = self.more_entries.borrow();
                let others = others.get(&(address & !7)).filter(|_| cell.more.get() & MORE_ENTRIES != 0);
                let all = cell.kept().chain(others.into_iter().flatten().copied());
                self.ordered_by_place(all.filter(|old| conflicts(old, new)))
            }
            None => Ok(()),
            // What was done after the allocation says more.
            Some(old) if old.allocates() => {
                Err(Fault::Race(cell.kept().filter(|old| !old.allocates()).find(races).unwrap_or(old)))
            }
            Some(old) => Err(Fault::Race(old)),
        }
    }

    /// Looks for one of these accesses, which conflict with a new one and are before it, that would race with it if like
    /// threads were in each other's places.
    #[inline(never)]
    fn ordered_by_place(&self, old: impl Iterator<Item = Entry>) -> Result<(), Fault> {
        let Point { thread, position } = self.here.get();
        let mut old = old.filter(|old| u32::from(old.thread) != thread);
        let class = old.find_map(|old| {
            native::class_told_apart_by_place(EventId::new(old.thread.into(), old.position), position)
        });
        // Threads with different arguments are run in each other's places, which shows it.
        match class.filter(|&class| !self.likeness.borrow().is_in_doubt(class)) {
            Some(class) => Err(Fault::Place(class)),
            None => Ok(()),
        }
    }

    /// Looks for an atomic access that races with a new plain one: the graph has them.
    #[cold]
    fn race_with_atomic(&self, cell: &Cell, address: usize, new: &Entry) -> Result<(), Fault> {
        let mut race: Option<Entry> = None;
        let mut conflicting = Vec::new();
        self.each_atomic(cell, address, |old| {
            let is_later = |race: &Entry| {
                (race.thread, race.writes()) == (old.thread, old.writes()) && race.position < old.position
            };
            if race.as_ref().is_none_or(is_later) && conflicts(&old, new) && !self.is_before(&old) {
                race = Some(old);
            }
            if native::has_like_threads() && conflicts(&old, new) {
                conflicting.push(old);
            }
        });
        match race {
            Some(old) => Err(Fault::Race(old)),
            None => self.ordered_by_place(conflicting.into_iter()),
        }
    }

    /// Calls `f` with every access to the locations in the 8 bytes of a cell that has happened so far, writes first.
    fn each_atomic(&self, cell: &Cell, address: usize, mut f: impl FnMut(Entry)) {
        let first = (cell.atom.get() & !GONE != 0).then_some((cell.atom.get(), cell.location.get()));
        let locations = self.more_locations.borrow();
        let more = if cell.more.get() & MORE_LOCATIONS != 0 { locations.get(&(address & !7)) } else { None };
        for (atom, location) in first.into_iter().chain(more.into_iter().flatten().copied()) {
            let mask = match atom {
                FIRST_HALF | SECOND_HALF => 0xFF,
                _ => mask_of((atom >> 4).into(), (atom & 15).into()),
            };
            native::look(|explorer, _| {
                let graph = explorer.graph();
                let Location { writes, reads, .. } = graph.location(location);
                for &id in writes.iter().chain(reads).filter(|&&id| explorer.has_run(id)) {
                    let event = graph.event(id);
                    let read_half = id.previous().filter(|_| event.exclusive);
                    let touch = match event.kind {
                        // The write is the other half.
                        Kind::Read if event.exclusive => continue,
                        Kind::Read => Touch::AtomicRead,
                        _ if read_half.is_some_and(|read| graph.event(read).asked.what.code == OpCode::Exchange) => {
                            Touch::AtomicExchange
                        }
                        _ => Touch::AtomicWrite,
                    };
                    let pc = self.pc_of_site(event.site).unwrap_or(0);
                    let (position, thread) = (id.position(), id.thread() as u16);
                    f(Entry { pc, position, thread, mask, touch: touch as u8 });
                }
            });
        }
    }

    /// A location is about to be forgotten with bytes that nobody has written instead: the accesses to it are remembered
    /// as others are.
    #[cold]
    pub(crate) fn keep_atomic(&self, cell: &Cell, address: usize) {
        self.keep_atomic_here(cell, address);
        if matches!(cell.atom.get(), FIRST_HALF | SECOND_HALF)
            && let Some(other) = self.cell(address ^ 8)
        {
            self.keep_atomic_here(other, address ^ 8);
        }
    }

    fn keep_atomic_here(&self, cell: &Cell, address: usize) {
        let mut atomic = Vec::new();
        self.each_atomic(cell, address, |entry| atomic.push(entry));
        let here = self.here.get();
        for entry in atomic {
            self.here.set(Point { thread: entry.thread.into(), position: entry.position });
            self.remember(cell, address, entry);
        }
        self.here.set(here);
    }

    /// Whether an access that has happened is before what the current thread does now.
    #[inline]
    fn is_before(&self, old: &Entry) -> bool {
        let Point { thread, position } = self.here.get();
        u32::from(old.thread) == thread || {
            let last = EventId::new(thread, position.saturating_sub(1));
            let known = |clock: &[u32]| clock.get(old.thread as usize).is_some_and(|&events| events > old.position);
            native::look(|explorer, _| known(explorer.graph().clock(last, Clock::Before)))
        }
    }

    /// Looks at an atomic access, which has become an event. The graph remembers it.
    #[inline]
    pub(crate) fn touch_atomic(
        &self,
        cell: &Cell,
        address: usize,
        size: usize,
        touch: Touch,
        pc: usize,
    ) -> Result<(), Fault> {
        let mask = mask_of(address, size);
        if cell.valid.get() & mask != mask {
            return Err(Fault::Outside);
        }
        let Point { thread, position } = self.here.get();
        let thread = thread as u16;
        if cell.cannot_race(thread.into()) {
            return Ok(());
        }
        // An event is its own position.
        let position = position - 1;
        let new = Entry { pc, position, thread, mask, touch: touch as u8 };
        let here = self.here.replace(Point { position, ..self.here.get() });
        let result = self.race_with_all(cell, address, &new);
        self.here.set(here);
        result
    }

    /// Looks for a plain access that races with an atomic one, and notes whether all come before it.
    #[inline(never)]
    fn race_with_all(&self, cell: &Cell, address: usize, new: &Entry) -> Result<(), Fault> {
        if cell.more.get() & MORE_ENTRIES == 0 && !native::has_like_threads() && self.are_before(cell) {
            cell.note_ordered_for(new.thread);
            return Ok(());
        }
        self.race_with_plain(cell, address, new)
    }

    /// Whether the accesses that are remembered in a cell are all before what the current thread does.
    #[inline]
    fn are_before(&self, cell: &Cell) -> bool {
        let Point { thread, position } = self.here.get();
        let last = EventId::new(thread, position.saturating_sub(1));
        native::look(|explorer, _| {
            let clock = explorer.graph().clock(last, Clock::Before);
            let known = |old: Entry| clock.get(old.thread as usize).is_some_and(|&events| events > old.position);
            cell.kept().all(|old| u32::from(old.thread) == thread || known(old))
        })
    }

    /// Who has written to memory within 8 bytes, as far as that can still be read: threads, and how many events they had.
    pub(crate) fn writers(&self, address: usize, size: usize) -> Vec<(u32, u32)> {
        let Some(cell) = self.cell(address) else { return Vec::new() };
        let mask = mask_of(address, size);
        let mut entries: Vec<Entry> = cell.kept().collect();
        if cell.more.get() & MORE_ENTRIES != 0 {
            entries.extend(self.more_entries.borrow().get(&(address & !7)).into_iter().flatten());
        }
        let mut atomic = Vec::new();
        self.each_atomic(cell, address, |entry| atomic.push(entry));
        let is_overwritten = |old: &Entry| {
            let old = EventId::new(old.thread.into(), old.position);
            let after = |new: EventId| new != old && native::look(|e, _| e.graph().covers(new, Clock::Before, old));
            atomic.iter().filter(|new| new.writes()).any(|new| after(EventId::new(new.thread.into(), new.position)))
        };
        entries.extend(atomic.iter().filter(|entry| !is_overwritten(entry)));
        let writes = entries.iter().filter(|entry| entry.mask & mask != 0 && entry.writes() && !entry.allocates());
        writes.map(|entry| (u32::from(entry.thread), entry.position)).collect()
    }

    /// The location that is at an address, if it has one with this size; an error if it overlaps another one.
    #[inline]
    pub(crate) fn location_at(&self, address: usize, size: usize) -> Result<Option<LocationId>, ()> {
        let cell = self.cell(address).filter(|_| size <= 8);
        match cell.and_then(|cell| cell.location_of(address, size)) {
            None => self.find_location(address, size),
            found => Ok(found),
        }
    }

    fn find_location(&self, address: usize, size: usize) -> Result<Option<LocationId>, ()> {
        if size == 16 {
            return self.wide_location_at(address);
        }
        let Some(cell) = self.cell(address) else { return Ok(self.foreign.borrow().get(&address).copied()) };
        let atom = atom_of(address, size);
        if cell.is_new() {
            return Ok(None);
        }
        if overlaps(cell.atom.get(), address, size) {
            return Err(());
        }
        if cell.more.get() & MORE_LOCATIONS == 0 {
            return Ok(None);
        }
        let locations = self.more_locations.borrow();
        let others = locations.get(&(address & !7)).map_or(&[][..], |others| &others[..]);
        match others.iter().find(|&&(other, _)| overlaps(other, address, size)) {
            None => Ok(None),
            Some(&(other, location)) if other == atom => Ok(Some(location)),
            Some(_) => Err(()),
        }
    }

    /// The same for 16 bytes, which are aligned.
    fn wide_location_at(&self, address: usize) -> Result<Option<LocationId>, ()> {
        let (Some(first), Some(second)) = (self.cell(address), self.cell(address + 8)) else {
            return Ok(self.foreign.borrow().get(&address).copied());
        };
        let kept_elsewhere = |at| self.more_locations.borrow().get(&at).is_some_and(|others| !others.is_empty());
        match (first.atom.get(), second.atom.get()) {
            (FIRST_HALF, SECOND_HALF) => Ok(Some(first.location.get())),
            (0 | GONE, 0 | GONE) if !kept_elsewhere(address) && !kept_elsewhere(address + 8) => Ok(None),
            _ => Err(()),
        }
    }

    /// Says which location is at an address.
    pub(crate) fn bind(&self, address: usize, size: usize, location: LocationId) {
        let mut names = self.names.borrow_mut();
        if names.len() <= location as usize {
            names.resize(location as usize + 1, (0, 0));
        }
        names[location as usize] = (address, size as u8);
        let Some(cell) = self.cell(address) else {
            self.foreign.borrow_mut().insert(address, location);
            return;
        };
        if size == 16 {
            cell.bind(FIRST_HALF, location);
            if let Some(second) = self.cell(address + 8) {
                second.bind(SECOND_HALF, location);
            }
            return;
        }
        let atom = atom_of(address, size);
        if cell.atom.get() == 0 || cell.atom.get() == GONE || cell.atom.get() == atom {
            return cell.bind(atom, location);
        }
        cell.more.update(|more| more | MORE_LOCATIONS);
        self.more_locations.borrow_mut().entry(address & !7).or_default().push((atom, location));
    }

    /// The bytes at an address begin a new life: a plain write has come after all accesses to the locations there.
    #[inline]
    pub(crate) fn unbind(&self, cell: &Cell, address: usize, size: usize) {
        if overlaps(cell.atom.get(), address, size) {
            if matches!(cell.atom.get(), FIRST_HALF | SECOND_HALF)
                && let Some(other) = self.cell(address ^ 8)
            {
                other.atom.set(GONE);
            }
            cell.atom.set(GONE);
        }
        if cell.more.get() & MORE_LOCATIONS != 0
            && let Some(others) = self.more_locations.borrow_mut().get_mut(&(address & !7))
        {
            others.retain(|&(other, _)| !overlaps(other, address, size));
        }
    }
}

/// The bytes of an access among the 8 that it lies in.
#[inline]
pub(crate) fn mask_of(address: usize, size: usize) -> u8 {
    (((1u32 << size) - 1) << (address & 7)) as u8
}

/// Where a location begins within 8 bytes and how long it is.
#[inline]
fn atom_of(address: usize, size: usize) -> u8 {
    ((address & 7) as u8) << 4 | size as u8
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
    old.mask & new.mask != 0 && (old.writes() || new.writes()) && !(old.is_atomic() && new.is_atomic())
}

/// Whether whatever races with the old access, which happens before the new one, also races with the new one.
#[inline]
fn replaces(new: &Entry, old: &Entry) -> bool {
    old.mask & !new.mask == 0 && (new.writes() || !old.writes()) && (old.is_atomic() || !new.is_atomic())
}
