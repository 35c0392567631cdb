//! Values of extensions whose entries have no order: what is behind them, and how they are written.
//!
//! Only `canonical` sorts the entries: by the canonical labels of what they refer to, and never by names or by the order in
//! which they were added. Other strategies keep that order, and so tell more states apart.

use quotient_group::{Point, Structure};
use quotient_ir::schema::{HeapLayout, RecordLayout};

use super::View;
use super::label::{Class, Labeller, Walk, mark};

/// How many entries the unordered values of a state have.
pub(super) fn entries(layout: &HeapLayout, view: &View, state: &[u8]) -> usize {
    if !layout.has_unordered() {
        return 0;
    }
    values(layout, view, state).map(|(_, at)| HeapLayout::length(state, at)).sum()
}

/// The unordered values of a state: their names and places.
fn values(layout: &HeapLayout, view: &View, state: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let places = view.records.iter().map(|&at| at as usize);
    (1..).zip(places).filter(|&(_, at)| layout.is_unordered(state, at))
}

fn of<'a>(layout: &'a HeapLayout, state: &[u8], at: usize) -> &'a RecordLayout {
    &layout.records[usize::from(state[at])]
}

/// Says that unordered values with references are shared, and everything behind them, unless it is fixed.
pub(super) fn classify(layout: &HeapLayout, view: &View, state: &[u8], classes: &mut [Class], stack: &mut Vec<u16>) {
    stack.clear();
    for (name, at) in values(layout, view, state) {
        let record = of(layout, state, at);
        if record.entry.iter().all(|cell| !cell.1) {
            continue;
        }
        if classes[name] == Class::Unseen {
            classes[name] = Class::Shared(0);
        }
        layout.references(state, at, |place| stack.push(layout.reference(state, place) as u16));
    }
    while let Some(name) = stack.pop() {
        let name = usize::from(name);
        if name == 0 || classes[name] != Class::Unseen {
            continue;
        }
        classes[name] = Class::Shared(0);
        layout.references(state, view.record(name), |at| stack.push(layout.reference(state, at) as u16));
    }
}

impl Walk<'_> {
    /// Writes down what is plain in an unordered value, without the order of its entries. Those that refer to something are
    /// points of their own.
    pub(super) fn value(&mut self, labeller: &mut Labeller, at: usize) {
        let (layout, state) = (self.layout, self.state);
        let record = of(layout, state, at);
        let start = labeller.walks.len() + 1;
        labeller.walks.push(mark::VALUE);
        labeller.walks.extend_from_slice(&state[at..at + record.size as usize]);
        let first = labeller.stack.len();
        layout.ordered(state, at, |place| {
            labeller.stack.push(layout.reference(state, place) as u16);
            layout.set_reference(&mut labeller.walks, start + place - at, 0);
        });
        labeller.stack[first..].reverse();
        if record.entry.iter().all(|cell| !cell.1) {
            let size = record.element.0 as usize;
            let mut entries: Vec<&[u8]> = record.entries(state, at).map(|entry| &state[entry..entry + size]).collect();
            entries.sort_unstable();
            entries.iter().for_each(|entry| labeller.walks.extend_from_slice(entry));
        }
    }
}

/// The edges of an entry: their labels, and where they lead.
type Edges = Vec<(u32, Point)>;

/// Labels of the edges of an entry: to its value, and from here on to what its cells refer to.
const TO_VALUE: u32 = 0;
const TO_CELLS: u32 = 1;

impl Labeller {
    /// Adds a point for each entry that refers to something.
    pub(super) fn entries(&mut self, layout: &HeapLayout, view: &View, state: &[u8], structure: &mut Structure) {
        let mut texts: Vec<(Vec<u8>, Edges)> = Vec::new();
        for (name, at) in values(layout, view, state) {
            let record = of(layout, state, at);
            if record.entry.iter().all(|cell| !cell.1) {
                continue;
            }
            texts.clear();
            for entry in record.entries(state, at) {
                let mut text = vec![mark::ENTRY];
                let mut edges = Vec::new();
                self.target(layout, name, TO_VALUE, view, &mut text, &mut edges);
                self.cells(layout, record, state, entry, view, &mut text, &mut edges);
                texts.push((text, edges));
            }
            // Entries that are the same are one point.
            texts.sort_unstable();
            for same in texts.chunk_by(|a, b| a == b) {
                let (text, edges) = &same[0];
                let point = structure.fact(0, &[]);
                self.points.push(point);
                edges.iter().for_each(|&(label, to)| structure.edge(label, point, to));
                self.walks.extend_from_slice(text);
                self.walks.extend_from_slice(&(same.len() as u32).to_le_bytes());
                self.ends.push(self.walks.len());
            }
        }
    }

    /// Writes a reference down: null and fixed records as they are, others as an edge.
    fn target(&self, layout: &HeapLayout, name: usize, label: u32, view: &View, text: &mut Vec<u8>, edges: &mut Edges) {
        debug_assert!(layout.ref_bytes <= 2, "names have two bytes at most");
        match self.classes[name] {
            _ if name == 0 => text.push(mark::NULL),
            Class::Fixed(number) => text.extend([mark::FIXED, number as u8, (number >> 8) as u8]),
            Class::Shared(number) => {
                text.push(mark::SHARED);
                edges.push((label, self.points[view.threads() + usize::from(number)]));
            }
            Class::Private(_) | Class::Unseen => debug_assert!(false, "what is behind an unordered value is shared"),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn cells(
        &self,
        layout: &HeapLayout,
        record: &RecordLayout,
        state: &[u8],
        entry: usize,
        view: &View,
        text: &mut Vec<u8>,
        edges: &mut Edges,
    ) {
        for (number, &(offset, is_reference)) in record.entry.iter().enumerate() {
            let at = entry + offset as usize;
            if is_reference {
                self.target(layout, layout.reference(state, at), TO_CELLS + number as u32, view, text, edges);
            } else {
                let end = record.entry.get(number + 1).map_or(record.element.0, |next| next.0);
                text.push(mark::PLAIN);
                text.extend_from_slice(&state[at..entry + end as usize]);
            }
        }
    }
}

/// Sorts the entries of all unordered values of a state by the ranks of what they refer to.
pub(super) fn sort(layout: &HeapLayout, view: &View, state: &mut [u8], ranks: &[u32]) {
    let places: Vec<usize> = values(layout, view, state).map(|(_, at)| at).collect();
    for at in places {
        let record = of(layout, state, at);
        let size = record.element.0 as usize;
        let key = |entry: &[u8]| {
            let mut key = Vec::with_capacity(record.entry.len());
            for (number, &(offset, is_reference)) in record.entry.iter().enumerate() {
                let end = record.entry.get(number + 1).map_or(record.element.0, |next| next.0) as usize;
                let offset = offset as usize;
                match is_reference {
                    true => key.extend(ranks[layout.reference(entry, offset)].to_be_bytes()),
                    false => key.extend_from_slice(&entry[offset..end]),
                }
            }
            key
        };
        let first = at + record.size as usize;
        let end = first + HeapLayout::length(state, at) * size;
        let mut entries: Vec<Vec<u8>> = state[first..end].chunks_exact(size.max(1)).map(<[u8]>::to_vec).collect();
        entries.sort_by_cached_key(|entry| key(entry));
        state[first..end].copy_from_slice(&entries.concat());
    }
}
