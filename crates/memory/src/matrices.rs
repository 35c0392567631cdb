//! The partial SC order of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, section 3), over bit matrices:
//! the definition, to which tests hold `psc`.

use crate::before::known_rank;
use quotient_graph::{Clock, Event, EventId, Graph, Kind, Order};

/// Storage for the relations; row `i` of a relation has a bit for every event that `i` is related to.
#[derive(Debug, Default)]
pub(crate) struct Matrices {
    events: Vec<EventId>,
    words: usize,
    before: Vec<u64>,
    elsewhere: Vec<u64>,
    order: Vec<u64>,
    step: Vec<u64>,
    psc: Vec<u64>,
    strong: Vec<usize>,
    /// Rows in the making.
    rows: [Vec<u64>; 3],
}

impl Matrices {
    /// Whether the partial SC order has no cycle.
    pub(crate) fn acyclic(&mut self, graph: &Graph) -> bool {
        if graph.strong_events() < 2 {
            return true;
        }
        self.collect(graph);
        self.words = self.events.len().div_ceil(64);
        self.relate(graph);
        let mut strong = std::mem::take(&mut self.strong);
        strong.clear();
        strong.extend((0..self.events.len()).filter(|&i| is_strong(graph.event(self.events[i]))));
        self.combine(graph, &strong);
        let acyclic = self.is_acyclic(&mut strong);
        self.strong = strong;
        acyclic
    }

    /// The accesses and fences; nothing else takes part, but for the happens-before that it passes on.
    fn collect(&mut self, graph: &Graph) {
        self.events.clear();
        for (number, thread) in graph.threads().iter().enumerate() {
            for (position, event) in thread.events.iter().enumerate() {
                if event.is_access() || event.kind == Kind::Fence {
                    self.events.push(EventId::new(number as u32, position as u32));
                }
            }
        }
    }

    /// Fills happens-before, program order between different locations, and the part of `scb` that needs no
    /// composition: `po ∪ hb|loc ∪ co ∪ rb`.
    fn relate(&mut self, graph: &Graph) {
        let (count, words) = (self.events.len(), self.words);
        for matrix in [&mut self.before, &mut self.elsewhere, &mut self.order, &mut self.step, &mut self.psc] {
            matrix.clear();
            matrix.resize(count * words, 0);
        }
        for i in 0..count {
            for j in 0..count {
                if i == j {
                    continue;
                }
                let (a, b) = (self.events[i], self.events[j]);
                let (first, second) = (graph.event(a), graph.event(b));
                let same = first.is_access() && second.is_access() && first.location == second.location;
                let bit = 1 << (j % 64);
                let at = i * words + j / 64;
                let follows = a.thread() == b.thread() && a.position() < b.position();
                let before = graph.covers(b, Clock::Before, a);
                if before {
                    self.before[at] |= bit;
                }
                if follows && !same {
                    self.elsewhere[at] |= bit;
                }
                // Coherence and reads-before: from an access to every write that is newer than what it knows.
                let newer = same && second.is_write() && known_rank(graph, first) < second.rank;
                if follows || before && same || newer {
                    self.order[at] |= bit;
                }
            }
        }
        // scb also has po|≠loc ; hb ; po|≠loc.
        compose(&self.elsewhere, &self.before, &mut self.step, words);
        compose(&self.step, &self.elsewhere, &mut self.order, words);
    }

    /// psc between strong events: `scb` at strong accesses, extended by happens-before at strong fences; and
    /// `hb ∪ hb;eco;hb` between strong fences.
    fn combine(&mut self, graph: &Graph, strong: &[usize]) {
        let words = self.words;
        let fence = |i: usize| graph.event(self.events[i]).kind == Kind::Fence;
        let [mut reached, mut after, mut fenced] = std::mem::take(&mut self.rows);
        for &from in strong {
            // Everything that scb reaches from the strong event, or from what happens after a strong fence.
            reached.clear();
            reached.extend_from_slice(&self.order[from * words..(from + 1) * words]);
            if fence(from) {
                for middle in bits(&self.before[from * words..(from + 1) * words]) {
                    or_into(&mut reached, &self.order[middle * words..(middle + 1) * words]);
                }
            }
            after.clone_from(&reached);
            for middle in bits(&reached) {
                or_into(&mut after, &self.before[middle * words..(middle + 1) * words]);
            }
            fenced.clear();
            fenced.resize(words, 0);
            if fence(from) {
                let before = &self.before[from * words..(from + 1) * words];
                or_into(&mut fenced, before);
                for middle in bits(before) {
                    for other in 0..self.events.len() {
                        if extended_coherence(graph, self.events[middle], self.events[other]) {
                            or_into(&mut fenced, &self.before[other * words..(other + 1) * words]);
                        }
                    }
                }
            }
            for &to in strong {
                let has = |row: &[u64]| row[to / 64] >> (to % 64) & 1 == 1;
                if has(&reached) || fence(to) && has(&after) || fence(to) && has(&fenced) {
                    self.psc[from * words + to / 64] |= 1 << (to % 64);
                }
            }
        }
        self.rows = [reached, after, fenced];
    }

    /// Removes strong events that nothing remaining leads to, until none is left or none can go.
    fn is_acyclic(&self, remaining: &mut Vec<usize>) -> bool {
        let leads_to = |from: usize, to: usize| self.psc[from * self.words + to / 64] >> (to % 64) & 1 == 1;
        while let Some(free) = remaining.iter().position(|&to| !remaining.iter().any(|&from| leads_to(from, to))) {
            remaining.swap_remove(free);
        }
        remaining.is_empty()
    }
}

fn is_strong(event: &Event) -> bool {
    event.order == Order::SeqCst && (event.is_access() || event.kind == Kind::Fence)
}

/// `eco`: whether `a` is before `b` by reads-from, coherence and reads-before.
fn extended_coherence(graph: &Graph, a: EventId, b: EventId) -> bool {
    let (first, second) = (graph.event(a), graph.event(b));
    if a == b || !first.is_access() || !second.is_access() || first.location != second.location {
        return false;
    }
    let (early, late) = (known_rank(graph, first), known_rank(graph, second));
    if first.is_write() && second.is_read() { early <= late } else { early < late }
}

/// Adds `left ; right` to `result`.
fn compose(left: &[u64], right: &[u64], result: &mut [u64], words: usize) {
    for (row, target) in left.chunks_exact(words).zip(result.chunks_exact_mut(words)) {
        for middle in bits(row) {
            or_into(target, &right[middle * words..(middle + 1) * words]);
        }
    }
}

fn or_into(target: &mut [u64], source: &[u64]) {
    for (to, from) in target.iter_mut().zip(source) {
        *to |= from;
    }
}

fn bits(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &value)| {
        std::iter::successors(Some(value), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|&rest| rest != 0)
            .map(move |rest| word * 64 + rest.trailing_zeros() as usize)
    })
}
