//! The clocks of a thread's events, in one array. Storage only grows: removing an event leaves its clocks behind, and
//! the next one at that place overwrites them.

/// The clocks of an event: which events of every thread are before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Happens-before, the event included.
    Before = 0,
    /// The causal prefix: program order, reads-from, and the earlier of two like threads; the event included.
    Prefix = 1,
    /// What a read that acquires from this write learns. Only writes have it.
    Released = 2,
}

const CLOCKS: usize = 3;

/// Entries of a clock that are worked on together.
type Quad = [u32; 4];

/// How many entries the clocks of a graph have, in quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width(usize);

impl Width {
    /// Enough for so many threads.
    pub fn of(threads: usize) -> Self {
        Width(threads.div_ceil(4).max(1))
    }

    /// Where a clock of the event at `position` begins.
    #[inline]
    fn start(self, position: u32, clock: Clock) -> usize {
        (position as usize * CLOCKS + clock as usize) * self.0
    }
}

/// The clocks of a thread's events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    quads: Vec<Quad>,
}

impl Clocks {
    /// A clock: entry `t` is how many events of thread `t` it covers.
    #[inline]
    pub fn get(&self, width: Width, position: u32, clock: Clock) -> &[u32] {
        self.quads(width, position, clock).as_flattened()
    }

    #[inline]
    fn quads(&self, width: Width, position: u32, clock: Clock) -> &[Quad] {
        &self.quads[width.start(position, clock)..][..width.0]
    }

    /// Makes room for the clocks of the event at `position`.
    #[inline]
    pub fn reserve(&mut self, width: Width, position: u32) {
        let end = width.start(position + 1, Clock::Before);
        if self.quads.len() < end {
            self.quads.resize(end * 2, [0; 4]);
        }
    }

    /// Sets the clocks that follow program order to those of the event before, with the event itself added, and what is
    /// learnt from an event of another thread: its prefix, and one of its clocks for [`Clock::Before`].
    #[inline]
    pub fn follow(&mut self, width: Width, thread: u32, position: u32, learnt: Option<(&Clocks, u32, Option<Clock>)>) {
        // Most programs have few threads; then there is no loop.
        match width.0 {
            1 => self.follow_with(Width(1), thread, position, learnt),
            2 => self.follow_with(Width(2), thread, position, learnt),
            3 => self.follow_with(Width(3), thread, position, learnt),
            _ => self.follow_with(width, thread, position, learnt),
        }
    }

    #[inline(always)]
    fn follow_with(&mut self, width: Width, thread: u32, position: u32, learnt: Option<(&Clocks, u32, Option<Clock>)>) {
        let start = width.start(position, Clock::Before);
        let (old, new) = self.quads.split_at_mut(start);
        let (before, prefix) = new[..2 * width.0].split_at_mut(width.0);
        let old = (position > 0).then(|| old[start - CLOCKS * width.0..][..2 * width.0].split_at(width.0));
        let known = learnt.and_then(|(clocks, position, from)| Some(clocks.quads(width, position, from?)));
        set(before, old.map(|(before, _)| before), known);
        let caused = learnt.map(|(clocks, position, _)| clocks.quads(width, position, Clock::Prefix));
        set(prefix, old.map(|(_, prefix)| prefix), caused);
        let (quad, lane) = (thread as usize / 4, thread as usize % 4);
        (before[quad][lane], prefix[quad][lane]) = (position + 1, position + 1);
    }

    /// Makes a clock cover nothing.
    pub fn clear(&mut self, width: Width, position: u32, clock: Clock) {
        let start = width.start(position, clock);
        self.quads[start..start + width.0].fill([0; 4]);
    }

    /// Adds to a clock what another one of the same thread covers.
    pub fn join_own(&mut self, width: Width, into: (u32, Clock), from: (u32, Clock)) {
        let (target, source) = (width.start(into.0, into.1), width.start(from.0, from.1));
        for index in 0..width.0 {
            let other = self.quads[source + index];
            join(&mut self.quads[target + index], &other);
        }
    }

    /// Adds to a clock what one of another thread covers.
    #[inline]
    pub fn join(&mut self, width: Width, into: (u32, Clock), other: &Clocks, from: (u32, Clock)) {
        let (target, source) = (width.start(into.0, into.1), width.start(from.0, from.1));
        let (to, from) = (&mut self.quads[target..target + width.0], &other.quads[source..source + width.0]);
        for (to, from) in to.iter_mut().zip(from) {
            join(to, from);
        }
    }

    /// Becomes a copy of the clocks of the first `count` events of another thread.
    pub fn copy(&mut self, width: Width, other: &Clocks, count: usize) {
        let used = count * CLOCKS * width.0;
        if self.quads.len() < used {
            self.quads.resize(used, [0; 4]);
        }
        self.quads[..used].copy_from_slice(&other.quads[..used]);
    }

    /// Gives every clock of the first `count` events more entries.
    pub fn widen(&mut self, old: Width, new: Width, count: usize) {
        let mut wide = Vec::with_capacity(count * CLOCKS * new.0);
        for clock in self.quads.chunks_exact(old.0).take(count * CLOCKS) {
            wide.extend_from_slice(clock);
            wide.resize(wide.len() + new.0 - old.0, [0; 4]);
        }
        self.quads = wide;
    }
}

/// Makes a clock cover what one or two others do.
#[inline]
fn set(clock: &mut [Quad], first: Option<&[Quad]>, second: Option<&[Quad]>) {
    match (first, second) {
        (None, None) => clock.fill([0; 4]),
        (Some(only), None) | (None, Some(only)) => {
            for (clock, only) in clock.iter_mut().zip(only) {
                *clock = *only;
            }
        }
        (Some(first), Some(second)) => {
            for ((clock, first), second) in clock.iter_mut().zip(first).zip(second) {
                *clock = *first;
                join(clock, second);
            }
        }
    }
}

#[inline]
fn join(to: &mut Quad, from: &Quad) {
    for (to, from) in to.iter_mut().zip(from) {
        // Entries are small, and x86-64 compares signed numbers in fewer steps.
        *to = (*to as i32).max(*from as i32) as u32;
    }
}
