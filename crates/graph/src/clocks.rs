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
    pub(crate) fn of(threads: usize) -> Self {
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
    pub(crate) fn get(&self, width: Width, position: u32, clock: Clock) -> &[u32] {
        self.quads(width, position, clock).as_flattened()
    }

    #[inline]
    fn quads(&self, width: Width, position: u32, clock: Clock) -> &[Quad] {
        &self.quads[width.start(position, clock)..][..width.0]
    }

    /// Makes room for the clocks of the event at `position`.
    #[inline]
    pub(crate) fn reserve(&mut self, width: Width, position: u32) {
        let end = width.start(position + 1, Clock::Before);
        if self.quads.len() < end {
            self.quads.resize(end * 2, [0; 4]);
        }
    }

    /// Sets the clocks that follow program order to those of the event before, with the event itself added.
    #[inline]
    pub(crate) fn follow(&mut self, width: Width, thread: u32, position: u32) {
        // Most programs have few threads; then there is no loop.
        match width.0 {
            1 => self.follow_with(Width(1), thread, position),
            2 => self.follow_with(Width(2), thread, position),
            3 => self.follow_with(Width(3), thread, position),
            _ => self.follow_with(width, thread, position),
        }
    }

    #[inline(always)]
    fn follow_with(&mut self, width: Width, thread: u32, position: u32) {
        let both = 2 * width.0;
        let new = if position == 0 {
            let new = &mut self.quads[..both];
            new.fill([0; 4]);
            new
        } else {
            let start = width.start(position - 1, Clock::Before);
            let (old, new) = self.quads[start..][..CLOCKS * width.0 + both].split_at_mut(CLOCKS * width.0);
            new.copy_from_slice(&old[..both]);
            new
        };
        let (quad, lane) = (thread as usize / 4, thread as usize % 4);
        new[quad][lane] = position + 1;
        new[width.0 + quad][lane] = position + 1;
    }

    /// Adds to the clocks that follow program order what those of an event of another thread cover: to the prefix its
    /// prefix, and to [`Clock::Before`] its clock `from`.
    #[inline]
    pub(crate) fn learn(&mut self, width: Width, position: u32, other: (&Clocks, u32), from: Option<Clock>) {
        match width.0 {
            1 => self.learn_with(Width(1), position, other, from),
            2 => self.learn_with(Width(2), position, other, from),
            3 => self.learn_with(Width(3), position, other, from),
            _ => self.learn_with(width, position, other, from),
        }
    }

    #[inline(always)]
    fn learn_with(&mut self, width: Width, position: u32, (clocks, theirs): (&Clocks, u32), from: Option<Clock>) {
        let start = width.start(position, Clock::Before);
        let (before, prefix) = self.quads[start..][..2 * width.0].split_at_mut(width.0);
        join_all(prefix, clocks.quads(width, theirs, Clock::Prefix));
        if let Some(from) = from {
            join_all(before, clocks.quads(width, theirs, from));
        }
    }

    /// Makes a clock cover nothing.
    #[inline]
    pub(crate) fn clear(&mut self, width: Width, position: u32, clock: Clock) {
        let start = width.start(position, clock);
        for quad in &mut self.quads[start..][..width.0] {
            *quad = [0; 4];
        }
    }

    /// Makes a clock cover what another one of the same thread does.
    #[inline]
    pub(crate) fn set_own(&mut self, width: Width, into: (u32, Clock), from: (u32, Clock)) {
        let (target, source) = (width.start(into.0, into.1), width.start(from.0, from.1));
        for index in 0..width.0 {
            self.quads[target + index] = self.quads[source + index];
        }
    }

    /// Adds to a clock what another one of the same thread covers.
    pub(crate) fn join_own(&mut self, width: Width, into: (u32, Clock), from: (u32, Clock)) {
        let (target, source) = (width.start(into.0, into.1), width.start(from.0, from.1));
        for index in 0..width.0 {
            self.quads[target + index] = larger(self.quads[target + index], self.quads[source + index]);
        }
    }

    /// Adds to a clock what one of another thread covers.
    #[inline]
    pub(crate) fn join(&mut self, width: Width, into: (u32, Clock), other: &Clocks, from: (u32, Clock)) {
        let target = width.start(into.0, into.1);
        join_all(&mut self.quads[target..][..width.0], other.quads(width, from.0, from.1));
    }

    /// Becomes a copy of the clocks of the first `count` events of another thread.
    pub(crate) fn copy(&mut self, width: Width, other: &Clocks, count: usize) {
        let used = count * CLOCKS * width.0;
        if self.quads.len() < used {
            self.quads.resize(used, [0; 4]);
        }
        self.quads[..used].copy_from_slice(&other.quads[..used]);
    }

    /// Gives every clock of the first `count` events more entries.
    pub(crate) fn widen(&mut self, old: Width, new: Width, count: usize) {
        let mut wide = Vec::with_capacity(count * CLOCKS * new.0);
        for clock in self.quads.chunks_exact(old.0).take(count * CLOCKS) {
            wide.extend_from_slice(clock);
            wide.resize(wide.len() + new.0 - old.0, [0; 4]);
        }
        self.quads = wide;
    }
}

/// Makes a clock cover what another one does.
#[inline]
fn join_all(clock: &mut [Quad], other: &[Quad]) {
    for (to, from) in clock.iter_mut().zip(other) {
        *to = larger(*to, *from);
    }
}

#[inline]
fn larger(one: Quad, other: Quad) -> Quad {
    // Entries are small, and x86-64 compares signed numbers in fewer steps.
    std::array::from_fn(|lane| (one[lane] as i32).max(other[lane] as i32) as u32)
}
