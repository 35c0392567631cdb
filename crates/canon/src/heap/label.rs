//! The canonical order of threads, by a labelling of what they share.
//!
//! Records fall into three classes. *Fixed* ones can be reached from global variables: their numbers in that order are the
//! same in every state of an orbit, so references to them are plain data. *Private* ones are reached by one thread only:
//! they are a part of that thread. The rest are *points*, which several threads reach. What is labelled has the
//! threads and the points for its points. The colour of each stands for everything found on a walk from it through private
//! records; where the walk meets a point or a thread, there is an edge whose label is the place in the walk.
//!
//! The order of what is in an unordered value of an extension means nothing, so it must not be followed. What is behind
//! such a value is a point, unless it is fixed on another way; and so is the value, and each of its entries. The colour of an
//! entry stands for its plain cells; edges lead to its value and to what it refers to.

use std::collections::BTreeMap;

use quotient_group::{Canonizer, Group, Point, Sort, Structure};
use quotient_ir::schema::{ENDED, HeapLayout};

use super::{View, unordered};

/// More records and entries of unordered values than this are not labelled: their threads keep their order.
const MOST_RECORDS: usize = 60_000;

/// How often colours are mixed with those of neighbours before they are compared: after that most threads are told apart.
const ROUNDS: usize = 4;

/// Who reaches a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Class {
    /// Nobody, as far as was seen.
    #[default]
    Unseen,
    /// Global variables; its number among those.
    Fixed(u16),
    /// One thread.
    Private(u8),
    /// Several threads, or nobody along references that have an order; its number among such records.
    Shared(u16),
}

/// What a walk writes down, each with what follows it.
pub(super) mod mark {
    pub(in super::super) const NULL: u8 = 0;
    pub(in super::super) const FIXED: u8 = 1;
    pub(in super::super) const SHARED: u8 = 2;
    pub(in super::super) const AGAIN: u8 = 3;
    pub(in super::super) const RECORD: u8 = 4;
    pub(in super::super) const FRAME: u8 = 5;
    pub(in super::super) const NOBODY: u8 = 6;
    pub(in super::super) const OWN: u8 = 7;
    pub(in super::super) const OTHER: u8 = 8;
    pub(in super::super) const GONE: u8 = 9;
    pub(in super::super) const HOLDS: u8 = 10;
    pub(in super::super) const VALUE: u8 = 11;
    pub(in super::super) const ENTRY: u8 = 12;
    pub(in super::super) const PLAIN: u8 = 13;
}

/// Finds canonical orders of threads. A workspace, to be used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Labeller {
    canonizer: Canonizer,
    /// Structures by number of threads.
    structures: BTreeMap<usize, Structure>,
    pub(super) classes: Vec<Class>,
    /// Names of the records that several threads reach, and their points.
    shared: Vec<u16>,
    pub(super) points: Vec<Point>,
    pub(super) stack: Vec<u16>,
    /// What the walks wrote down, one after another, and where each ends: threads first, then points.
    pub(super) walks: Vec<u8>,
    pub(super) ends: Vec<usize>,
    /// Which points the walk from a thread meets, for the order of neighbours.
    meets: Vec<(u8, u16)>,
    /// By point, the places of the threads that meet it in the list so far, and where they begin.
    sharing: Vec<u8>,
    starts: Vec<u32>,
    /// The places that are to come into the new list.
    work: Vec<u8>,
    /// Which threads are named by fixed records: the thread, the record's number, and what it is to it.
    holds: Vec<(u8, u16, u8)>,
    /// Places in a walk of private records, by name.
    places: Vec<u16>,
    order: Vec<u8>,
    /// By name, where a record comes among those whose order is known. For what is in unordered values only.
    ranks: Vec<u32>,
}

impl Labeller {
    /// Puts the threads in their canonical order; false if the search for it took too long.
    pub(super) fn order(&mut self, layout: &HeapLayout, view: &View, state: &[u8], order: &mut Vec<u8>) -> bool {
        self.ranks.clear();
        if view.records.len() + unordered::entries(layout, view, state) > MOST_RECORDS {
            return false;
        }
        let threads = view.threads();
        self.classify(layout, view, state);
        let mut structure = self
            .structures
            .remove(&threads)
            .unwrap_or_else(|| Structure::new(&[Sort { size: threads, group: Group::Symmetric }]));
        structure.clear();
        self.points.clear();
        self.points.extend((0..threads).map(|thread| structure.point(0, thread)));
        for _ in &self.shared {
            self.points.push(structure.fact(0, &[]));
        }
        self.walk_all(layout, view, state, &mut structure);
        let unordered = layout.has_unordered();
        if unordered {
            self.entries(layout, view, state, &mut structure);
        }
        let (walks, ends) = (&self.walks, &self.ends);
        let walk = |point: usize| &walks[point.checked_sub(1).map_or(0, |before| ends[before])..ends[point]];
        for (number, &point) in self.points.iter().enumerate() {
            *structure.colour_mut(point) = hash(walk(number));
        }
        structure.blend_colours(ROUNDS);
        let labelling = self.canonizer.canonize_by(&structure, |a, b| walk(a.index()).cmp(walk(b.index())));
        let canonical = labelling.is_canonical();
        order.clear();
        order.resize(threads, 0);
        for (thread, &image) in labelling.images(0).iter().enumerate() {
            order[usize::from(image)] = thread as u8;
        }
        if unordered {
            let rank = |class: &Class| match *class {
                Class::Fixed(number) => 1 + u32::from(number),
                Class::Shared(number) => (1 << 16) + labelling.rank(self.points[threads + usize::from(number)]) as u32,
                Class::Unseen | Class::Private(_) => 0,
            };
            self.ranks.clear();
            self.ranks.extend(self.classes.iter().map(rank));
        }
        self.structures.insert(threads, structure);
        self.neighbours_first(order);
        canonical
    }

    /// By name, the ranks of the records that unordered values refer to, after [`Self::order`].
    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Says of every record who reaches it.
    fn classify(&mut self, layout: &HeapLayout, view: &View, state: &[u8]) {
        let Labeller { classes, shared, stack, .. } = self;
        classes.clear();
        classes.resize(view.records.len() + 1, Class::Unseen);
        stack.clear();
        stack.extend(layout.globals.iter().rev().map(|&at| layout.reference(state, at as usize) as u16));
        let mut number = 0;
        while let Some(name) = stack.pop() {
            let name = usize::from(name);
            if name == 0 || classes[name] != Class::Unseen {
                continue;
            }
            classes[name] = Class::Fixed(number);
            number += 1;
            let first = stack.len();
            layout.ordered(state, view.record(name), |at| stack.push(layout.reference(state, at) as u16));
            stack[first..].reverse();
        }
        if layout.has_unordered() {
            unordered::classify(layout, view, state, classes, stack);
        }
        for thread in 0..view.threads() {
            layout.frames_of(state, view.thread(thread), |ty, at| {
                let names = layout.frames[ty].iter().map(|&offset| layout.reference(state, at + offset as usize));
                stack.extend(names.map(|name| name as u16));
            });
            while let Some(name) = stack.pop() {
                let name = usize::from(name);
                classes[name] = match classes[name] {
                    _ if name == 0 => continue,
                    Class::Fixed(_) | Class::Shared(_) => continue,
                    Class::Private(owner) if usize::from(owner) == thread => continue,
                    Class::Unseen => Class::Private(thread as u8),
                    Class::Private(_) => Class::Shared(0),
                };
                layout.references(state, view.record(name), |at| stack.push(layout.reference(state, at) as u16));
            }
        }
        shared.clear();
        for (name, class) in classes.iter_mut().enumerate() {
            if let Class::Shared(number) = class {
                *number = shared.len() as u16;
                shared.push(name as u16);
            }
        }
    }

    /// Walks from every thread and every point.
    fn walk_all(&mut self, layout: &HeapLayout, view: &View, state: &[u8], structure: &mut Structure) {
        self.walks.clear();
        self.ends.clear();
        self.meets.clear();
        self.places.clear();
        self.places.resize(view.records.len() + 1, 0);
        self.find_holders(layout, view, state);
        for thread in 0..view.threads() {
            let mut walk =
                Walk { layout, view, state, structure, from: thread, thread: Some(thread), label: 0, met: 0 };
            let mut roots = std::mem::take(&mut self.stack);
            roots.clear();
            layout.frames_of(state, view.thread(thread), |ty, at| {
                self.walks.extend([mark::FRAME, ty as u8]);
                let mut next = 0;
                for &offset in &layout.frames[ty] {
                    let offset = offset as usize;
                    self.walks.extend_from_slice(&state[at + next..at + offset]);
                    roots.push(layout.reference(state, at + offset) as u16);
                    next = offset + layout.ref_bytes as usize;
                }
                self.walks.extend_from_slice(&state[at + next..at + layout.frame_sizes[ty] as usize]);
            });
            roots.reverse();
            self.stack = roots;
            walk.go(self);
            for &(_, number, which) in self.holds.iter().filter(|held| usize::from(held.0) == thread) {
                self.walks.extend([mark::HOLDS, which, number as u8, (number >> 8) as u8]);
            }
            self.ends.push(self.walks.len());
        }
        for number in 0..self.shared.len() {
            let name = usize::from(self.shared[number]);
            let from = view.threads() + number;
            let mut walk = Walk { layout, view, state, structure, from, thread: None, label: 0, met: 0 };
            self.stack.clear();
            walk.record(self, name);
            walk.go(self);
            self.ends.push(self.walks.len());
        }
    }

    /// Finds out which fixed records have something to do with which threads.
    fn find_holders(&mut self, layout: &HeapLayout, view: &View, state: &[u8]) {
        let Labeller { holds, classes, .. } = self;
        holds.clear();
        for (name, class) in classes.iter().enumerate().skip(1) {
            let Class::Fixed(number) = class else { continue };
            let mut which = 0;
            layout.threads(state, view.record(name), |at| {
                if state[at] != 0 && state[at] != ENDED {
                    holds.push((state[at] - 1, *number, which));
                }
                which += 1;
            });
        }
        holds.sort_unstable();
    }

    /// Lists the threads anew: from the first on, each is followed by those that it shares records with. States are stored as
    /// trees, and these are smaller if what belongs together is close together.
    fn neighbours_first(&mut self, order: &mut Vec<u8>) {
        let Labeller { meets, sharing, starts, work, order: base, .. } = self;
        if meets.is_empty() {
            return;
        }
        base.clear();
        base.extend_from_slice(order);
        order.clear();
        // By point, the places of the threads that meet it, in ascending order. Filled from the back, so that ends turn into
        // starts.
        starts.clear();
        starts.resize(self.shared.len() + 1, 0);
        meets.iter().for_each(|&(_, point)| starts[usize::from(point)] += 1);
        let mut end = 0;
        for start in starts.iter_mut() {
            end += *start;
            *start = end;
        }
        sharing.clear();
        sharing.resize(meets.len(), 0);
        // Threads were walked from one after another.
        let of = |thread: u8| {
            let start = meets.partition_point(|meeting| meeting.0 < thread);
            meets[start..].iter().take_while(move |meeting| meeting.0 == thread).map(|meeting| usize::from(meeting.1))
        };
        for (place, &thread) in base.iter().enumerate().rev() {
            for point in of(thread) {
                starts[point] -= 1;
                sharing[starts[point] as usize] = place as u8;
            }
        }
        let mut done = [false; 256];
        work.clear();
        work.extend((0..base.len() as u8).rev());
        while let Some(place) = work.pop() {
            if std::mem::replace(&mut done[usize::from(place)], true) {
                continue;
            }
            let thread = base[usize::from(place)];
            order.push(thread);
            let first = work.len();
            for point in of(thread) {
                let others = &sharing[starts[point] as usize..starts[point + 1] as usize];
                work.extend(others.iter().filter(|&&other| !done[usize::from(other)]));
            }
            work[first..].reverse();
        }
    }
}

/// A walk from a thread or a point.
pub(super) struct Walk<'a> {
    pub(super) layout: &'a HeapLayout,
    view: &'a View,
    pub(super) state: &'a [u8],
    structure: &'a mut Structure,
    /// The number of the point that it starts from.
    from: usize,
    /// The thread that it starts from.
    thread: Option<usize>,
    /// How many references it has followed.
    label: u32,
    /// How many private records it has met.
    met: u16,
}

impl Walk<'_> {
    /// Follows what is on the stack.
    fn go(&mut self, labeller: &mut Labeller) {
        while let Some(name) = labeller.stack.pop() {
            self.label += 1;
            let name = usize::from(name);
            match labeller.classes[name] {
                _ if name == 0 => labeller.walks.push(mark::NULL),
                Class::Fixed(number) => {
                    labeller.walks.extend([mark::FIXED, number as u8, (number >> 8) as u8]);
                }
                Class::Shared(number) => {
                    labeller.walks.push(mark::SHARED);
                    let to = labeller.points[self.view.threads() + usize::from(number)];
                    self.structure.edge(self.label, labeller.points[self.from], to);
                    if let Some(thread) = self.thread {
                        labeller.meets.push((thread as u8, number));
                    }
                }
                Class::Private(_) if labeller.places[name] != 0 => {
                    let place = labeller.places[name];
                    labeller.walks.extend([mark::AGAIN, place as u8, (place >> 8) as u8]);
                }
                Class::Private(_) | Class::Unseen => {
                    self.met += 1;
                    labeller.places[name] = self.met;
                    self.record(labeller, name);
                }
            }
        }
    }

    /// Writes down what is plain in a record, and puts its references on the stack.
    fn record(&mut self, labeller: &mut Labeller, name: usize) {
        let Walk { layout, state, .. } = *self;
        let at = self.view.record(name);
        if layout.is_unordered(state, at) {
            return self.value(labeller, at);
        }
        let start = labeller.walks.len() + 1;
        labeller.walks.push(mark::RECORD);
        labeller.walks.extend_from_slice(&state[at..at + layout.size(state, at)]);
        let first = labeller.stack.len();
        layout.references(state, at, |place| {
            labeller.stack.push(layout.reference(state, place) as u16);
            layout.set_reference(&mut labeller.walks, start + place - at, 0);
        });
        labeller.stack[first..].reverse();
        let mut threads = [None; 2];
        let mut number = 0;
        layout.threads(state, at, |place| {
            labeller.walks[start + place - at] = 0;
            threads[number] = Some(state[place]);
            number += 1;
        });
        for process in threads.into_iter().flatten() {
            self.label += 1;
            labeller.walks.push(match process {
                0 => mark::NOBODY,
                ENDED => mark::GONE,
                process if self.thread == Some(usize::from(process) - 1) => mark::OWN,
                process => {
                    let to = labeller.points[usize::from(process) - 1];
                    self.structure.edge(self.label, labeller.points[self.from], to);
                    mark::OTHER
                }
            });
        }
    }
}

/// A hash of what a walk wrote down. What it does not tell apart is compared.
fn hash(bytes: &[u8]) -> u64 {
    let mix = |a: u64, b: u64| {
        let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xe703_7ed1_a0b4_28db);
        product as u64 ^ (product >> 64) as u64
    };
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}
