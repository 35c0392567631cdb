//! Threads by what they can reach: figure 3 of "Space-reduction strategies for model checking dynamic software" (Robby,
//! Dwyer, Hatcliff, Iosif). Two threads are compared by the number of their frames, control states and plain variables, and
//! then by their references in order: from each, records are compared in pairs, depth first. A record that was seen
//! before is less than one that was not, so the comparison is no order, and the result not canonical.

use std::cmp::Ordering;

use quotient_ir::schema::{DELETED, HeapLayout};

use super::View;
use super::order::insert_sort;

/// Sorts the threads; records are compared up to a depth.
pub(super) fn sort(layout: &HeapLayout, view: &View, state: &[u8], depth: Option<u32>, order: &mut [u8]) {
    let compare = Compare { layout, view, state, depth: depth.unwrap_or(u32::MAX) };
    insert_sort(order, |a, b| compare.threads(usize::from(a), usize::from(b)));
}

struct Compare<'a> {
    layout: &'a HeapLayout,
    view: &'a View,
    state: &'a [u8],
    depth: u32,
}

impl Compare<'_> {
    fn threads(&self, a: usize, b: usize) -> Ordering {
        let Compare { layout, view, state, .. } = *self;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        layout.frames_of(state, view.thread(a), |ty, at| ours.push((ty, at)));
        layout.frames_of(state, view.thread(b), |ty, at| theirs.push((ty, at)));
        let plain = ours.len().cmp(&theirs.len()).then_with(|| {
            let pairs = ours.iter().zip(&theirs);
            pairs.map(|(a, b)| self.frames(*a, *b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        if plain.is_ne() {
            return plain;
        }
        for (&(ty, a), &(_, b)) in ours.iter().zip(&theirs) {
            for &offset in &layout.frames[ty] {
                let name = |at: usize| layout.reference(state, at + offset as usize);
                let order = self.records(name(a), name(b), &mut Vec::new(), &mut Vec::new(), 0);
                if order.is_ne() {
                    return order;
                }
            }
        }
        Ordering::Equal
    }

    /// Compares types, control states and plain variables.
    fn frames(&self, (ty, a): (usize, usize), (other, b): (usize, usize)) -> Ordering {
        let size = self.layout.frame_sizes[ty] as usize;
        ty.cmp(&other).then_with(|| {
            let plain = |at: usize| {
                let is_reference = move |offset: &usize| {
                    let width = self.layout.ref_bytes as usize;
                    self.layout.frames[ty].iter().any(|&r| (r as usize..r as usize + width).contains(offset))
                };
                (0..size).filter(move |offset| !is_reference(offset)).map(move |offset| self.state[at + offset])
            };
            plain(a).cmp(plain(b))
        })
    }

    fn records(&self, a: usize, b: usize, ours: &mut Vec<usize>, theirs: &mut Vec<usize>, depth: u32) -> Ordering {
        if depth == self.depth || a == b {
            return Ordering::Equal;
        }
        if a == 0 || ours.contains(&a) {
            return Ordering::Less;
        }
        if b == 0 || theirs.contains(&b) {
            return Ordering::Greater;
        }
        ours.push(a);
        theirs.push(b);
        let (first, second) = (self.view.record(a), self.view.record(b));
        let plain = self.plain(first).cmp(self.plain(second));
        if plain.is_ne() {
            return plain;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.layout.references(self.state, first, |at| left.push(self.layout.reference(self.state, at)));
        self.layout.references(self.state, second, |at| right.push(self.layout.reference(self.state, at)));
        let mut pairs = left.into_iter().zip(right);
        let next = pairs.find_map(|(a, b)| {
            let order = self.records(a, b, ours, theirs, depth + 1);
            order.is_ne().then_some(order)
        });
        next.unwrap_or(Ordering::Equal)
    }

    /// The bytes of a record without references and names of threads.
    fn plain(&self, at: usize) -> impl Iterator<Item = u8> {
        let mut bytes = self.state[at..at + self.layout.size(self.state, at)].to_vec();
        if bytes[0] != DELETED {
            let mut places = Vec::new();
            self.layout.references(self.state, at, |place| places.push(place - at));
            for place in places {
                self.layout.set_reference(&mut bytes, place, 0);
            }
            self.layout.threads(self.state, at, |place| bytes[place - at] = u8::from(bytes[place - at] != 0));
        }
        bytes.into_iter()
    }
}
