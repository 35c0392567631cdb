//! What goes when a read is revisited: the read, and what was added after it and is not in the prefix of the write.
//!
//! All of it must have been added maximally (definition 2.1 of SPORE). Reads are tried from the youngest to the oldest, so
//! more and more goes; an event is looked at once for all of them, because what is asked of it does not depend on the read.

use quotient_graph::{Event, EventId, Graph, Kind, LocationId};

/// How far everything goes; keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct Going {
    /// Of each thread, the events from here on go.
    starts: Vec<u32>,
    tables: Vec<Table>,
    used: usize,
    /// Which table is that of a location, plus one.
    table_of: Vec<u32>,
    /// How many events have been looked at so far.
    pub work: u64,
}

/// So many accesses are looked at one by one; for more there is a table.
const FEW: usize = 32;

/// When accesses of a location were added: 0 for what is in the prefix, as if it had always been there.
#[derive(Debug, Default)]
struct Table {
    location: LocationId,
    /// At index `rank`: when the first of the writes that are newer than the one with this rank was added.
    newer: Vec<u32>,
    /// At index `rank`: when the first of those who read the write was added.
    readers: Vec<u32>,
}

impl Going {
    /// Nothing goes yet.
    pub(crate) fn begin(&mut self, graph: &Graph) {
        self.starts.clear();
        self.starts.extend(graph.threads().iter().map(|thread| thread.events.len() as u32));
        for table in &self.tables[..self.used] {
            self.table_of[table.location as usize] = 0;
        }
        self.used = 0;
    }

    /// Of each thread, the events from here on go.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Lets everything go that was added since `since` and is not in the prefix, which is that of `write`. False if
    /// something was not added maximally, or an earlier revisit rests on it.
    pub(crate) fn extend(&mut self, graph: &Graph, since: u32, write: EventId, prefix: &[u32]) -> bool {
        graph.threads().iter().enumerate().all(|(number, thread)| {
            let needed = prefix[number];
            let mut start = self.starts[number];
            while start > needed {
                let event = &thread.events[start as usize - 1];
                if event.stamp < since {
                    break;
                }
                start -= 1;
                let id = EventId::new(number as u32, start);
                if !self.was_added_maximally(graph, (id, event), write, prefix) {
                    return false;
                }
            }
            self.starts[number] = start;
            start as usize == thread.events.len() || start >= thread.fixed()
        })
    }

    /// Definition 2.1 for an event that goes, or is the read itself. What counts is what was there before the event,
    /// and the prefix of the revisiting write (without the write).
    #[inline]
    fn was_added_maximally(
        &mut self,
        graph: &Graph,
        (id, event): (EventId, &Event),
        write: EventId,
        prefix: &[u32],
    ) -> bool {
        self.work += 1;
        match event.kind {
            Kind::Read => {
                let source = event.other;
                !event.spurious
                    && (source == EventId::INIT || added(graph, source, write, prefix) <= event.stamp)
                    && !self.is_newer_there(graph, event, graph.rank(source), write, prefix)
            }
            Kind::Write => {
                !self.is_newer_there(graph, event, event.rank, write, prefix)
                    && !self.is_read_there(graph, id, event, write, prefix)
            }
            Kind::Choose => event.value == 0,
            _ => true,
        }
    }

    /// Whether a write that is newer than the one with this rank counts for an event.
    #[inline]
    fn is_newer_there(&mut self, graph: &Graph, event: &Event, rank: u32, write: EventId, prefix: &[u32]) -> bool {
        let newer = &graph.location(event.location).writes[rank as usize..];
        let first = &newer[..newer.len().min(FEW)];
        if first.iter().any(|&newer| added(graph, newer, write, prefix) <= event.stamp) {
            return true;
        }
        newer.len() > FEW && self.table(graph, event.location, write, prefix).newer[rank as usize] <= event.stamp
    }

    /// Whether a read of a write counts for it.
    fn is_read_there(&mut self, graph: &Graph, id: EventId, event: &Event, write: EventId, prefix: &[u32]) -> bool {
        let reads = &graph.location(event.location).reads;
        if reads.len() > FEW {
            return self.table(graph, event.location, write, prefix).readers[event.rank as usize] <= event.stamp;
        }
        let counts = |read: EventId| added(graph, read, write, prefix) <= event.stamp;
        reads.iter().any(|&read| graph.event(read).other == id && counts(read))
    }

    /// The table of a location.
    fn table(&mut self, graph: &Graph, location: LocationId, write: EventId, prefix: &[u32]) -> &Table {
        if self.table_of.len() < graph.location_count() {
            self.table_of.resize(graph.location_count(), 0);
        }
        if self.table_of[location as usize] == 0 {
            if self.used == self.tables.len() {
                self.tables.push(Table::default());
            }
            self.work += self.tables[self.used].fill(graph, location, write, prefix);
            self.used += 1;
            self.table_of[location as usize] = self.used as u32;
        }
        &self.tables[self.table_of[location as usize] as usize - 1]
    }
}

impl Table {
    /// Makes it the table of a location; gives the number of accesses.
    fn fill(&mut self, graph: &Graph, number: LocationId, write: EventId, prefix: &[u32]) -> u64 {
        let location = graph.location(number);
        let count = location.writes.len() + 1;
        self.location = number;
        for table in [&mut self.newer, &mut self.readers] {
            table.clear();
            table.resize(count, u32::MAX);
        }
        for rank in (1..count).rev() {
            let first = added(graph, location.writes[rank - 1], write, prefix);
            self.newer[rank - 1] = self.newer[rank].min(first);
        }
        for &read in &location.reads {
            let first = &mut self.readers[graph.rank(graph.event(read).other) as usize];
            *first = added(graph, read, write, prefix).min(*first);
        }
        (location.writes.len() + location.reads.len()) as u64
    }
}

/// When an access was added; at once if it is in the prefix, and never if it is the write itself.
#[inline]
fn added(graph: &Graph, access: EventId, write: EventId, prefix: &[u32]) -> u32 {
    if access == write {
        u32::MAX
    } else if prefix[access.thread() as usize] > access.position() {
        0
    } else {
        graph.event(access).stamp
    }
}
