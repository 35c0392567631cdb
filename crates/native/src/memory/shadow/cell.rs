//! What the shadow of 8 bytes says by itself, without the rest of the machine. It answers most plain accesses: the same
//! thread again, which neither races nor needs to be remembered twice.

use super::{Cell, Entry, Field, GONE, MORE_LOCATIONS, Touch, atom_of, mask_of, replaces};
use quotient_runtime::native::{self, LocationId};

/// Of so many threads it is noted what is before what they do.
const ORDERED: u16 = u16::BITS as u16;

impl Cell {
    /// The accesses that are remembered here, the oldest first.
    #[inline(always)]
    pub(super) fn kept(&self) -> impl DoubleEndedIterator<Item = Entry> {
        self.entries[..usize::from(self.count.get())].iter().map(Field::get)
    }

    /// A location is here now.
    #[inline]
    pub(super) fn bind(&self, atom: u8, location: LocationId) {
        self.atom.set(atom);
        self.location.set(location);
    }

    /// Whether there is nothing to know but a few plain accesses.
    #[inline(always)]
    pub(super) fn is_simple(&self) -> bool {
        self.more.get() == 0 && self.atom.get() & !GONE == 0
    }

    /// Whether nobody but this thread is known to have made a plain access here.
    #[inline]
    fn is_of(&self, thread: u16) -> bool {
        let count = self.count.get();
        count == 0 || count == 1 && self.entries[0].get().thread == thread && self.more.get() == 0
    }

    /// Whether it is known at once that an atomic access by a thread races with no plain one. Most memory was accessed by one
    /// thread only, if at all; or what was done to it is known to come before.
    #[inline(always)]
    pub(crate) fn cannot_race(&self, thread: u32) -> bool {
        let thread = thread as u16;
        self.is_of(thread) || self.is_ordered_for(thread) && !native::has_like_threads()
    }

    /// Whether all accesses that are remembered are known to be before what a thread does now.
    #[inline]
    fn is_ordered_for(&self, thread: u16) -> bool {
        thread < ORDERED && self.ordered.get() >> thread & 1 != 0
    }

    /// All accesses that are remembered are before what a thread does from now on.
    #[inline]
    pub(super) fn note_ordered_for(&self, thread: u16) {
        if thread < ORDERED {
            self.ordered.set(self.ordered.get() | 1 << thread);
        }
    }

    /// Whether an access is the same as the last one, by the same thread. Then there is nothing to look for, and the new one
    /// takes the place of the old one.
    #[inline(always)]
    pub(super) fn repeats(&self, new: &Entry) -> bool {
        let Some(field) = self.entries.get(usize::from(self.count.get()).wrapping_sub(1)) else { return false };
        let last = field.get();
        let repeats =
            self.is_simple() && (last.thread, last.mask, last.touch) == (new.thread, new.mask, new.touch);
        if repeats {
            self.ordered.set(0);
            field.set(*new);
        }
        repeats
    }

    /// Whether two accesses are remembered, both by this thread, and nothing else.
    #[inline]
    pub(super) fn is_own(&self, thread: u16) -> bool {
        let [first, second, _] = &self.entries;
        self.count.get() == 2
            && self.is_simple()
            && first.get().thread == thread
            && second.get().thread == thread
    }

    /// Keeps an access by the only thread that has accessed these bytes.
    #[inline(never)]
    pub(super) fn remember_own(&self, new: Entry) {
        let [first, second, third] = &self.entries;
        match (replaces(&new, &first.get()), replaces(&new, &second.get())) {
            (true, true) => {
                first.set(new);
                self.count.set(1);
            }
            (true, false) => {
                first.set(second.get());
                second.set(new);
            }
            (false, true) => second.set(new),
            (false, false) => {
                third.set(new);
                self.count.set(3);
            }
        }
    }

    /// Where these bytes were declared as one variable, if that is still known.
    pub(crate) fn declared_at(&self, address: usize, size: usize) -> Option<usize> {
        let mask = mask_of(address, size);
        self.kept().rev().find(|entry| entry.touch == Touch::Declare as u8 && entry.mask == mask).map(|entry| entry.pc)
    }

    /// Whether a location of the graph is here.
    #[inline]
    pub(crate) fn has_location(&self) -> bool {
        self.atom.get() != 0
    }

    /// The location of exactly these bytes, if it is found at once.
    #[inline]
    pub(crate) fn location_of(&self, address: usize, size: usize) -> Option<LocationId> {
        (self.atom.get() == atom_of(address, size)).then(|| self.location.get())
    }

    /// Whether there is no location of the graph here, and never was.
    #[inline]
    pub(crate) fn is_new(&self) -> bool {
        self.atom.get() == 0
    }

    /// Whether the bytes exist, and have been written if they are read: an atomic operation is about to write the others.
    #[inline]
    pub(crate) fn admits(&self, address: usize, size: usize, touch: Touch) -> bool {
        let mask = mask_of(address, size);
        if touch != Touch::AtomicRead && self.valid.get() & mask == mask {
            self.note_written(mask);
        }
        self.valid.get() & self.written.get() & mask == mask
    }

    /// These bytes are written.
    #[inline(always)]
    pub(crate) fn note_written(&self, mask: u8) {
        self.written.set(self.written.get() | mask);
    }

    /// These bytes are new: nobody has written them.
    #[inline(always)]
    pub(crate) fn forget_written(&self, mask: u8) {
        self.written.set(self.written.get() & !mask);
    }

    /// Whether there is a location of which bytes other than these are part.
    #[inline]
    pub(crate) fn reaches_beyond(&self, address: usize, size: usize) -> bool {
        let atom = self.atom.get();
        let (start, end) = ((atom >> 4) as usize, ((atom >> 4) + (atom & 15)) as usize);
        let beyond = start < address & 7 || (address & 7) + size < end;
        atom != GONE && beyond || self.more.get() & MORE_LOCATIONS != 0
    }
}
