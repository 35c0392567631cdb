//! Owners: what one process alone can reach is its own. While the machine watches, it takes note of moves that use a record that
//! is not their process's own, and of how near the limit on records a search comes. `quotient_por::heap` says what follows.

use std::cell::Cell;

use quotient_ir::schema::HeapLayout;

use super::super::Machine;

/// The owner of a record that is reached from global variables, or from several processes. Others are the number of a process,
/// from 1 on, and 0 is nobody.
const SHARED: u16 = u16::MAX;

/// What is looked at while moves are tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// Making a record is a use of what is shared.
    pub making_is_shared: bool,
    /// Giving back a lock is no use of what is shared.
    pub unlocking_is_own: bool,
    /// What is in a record is its holder's own as long as its lock is held.
    pub locked_is_own: bool,
    /// Every record is taken for the mover's own, or what global variables refer to is not taken for shared. That is wrong, and
    /// is there to see that it is noticed.
    #[doc(hidden)]
    pub all_is_own: bool,
    #[doc(hidden)]
    pub forgets_globals: bool,
}

/// Who owns the records of the loaded state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    /// They are those of the loaded state.
    pub(crate) known: bool,
    /// By name.
    owners: Vec<u16>,
    /// Moves are watched.
    watching: bool,
    watch: Watch,
    /// A move has used what is not its process's own.
    touched: Cell<bool>,
    /// How near the limit on records is looked at.
    measures: bool,
    most: Most,
    processes: Vec<u32>,
    records: Vec<u32>,
    stack: Vec<u32>,
    /// By process, how many references lead from its frames, its own records and those that it has locked to others.
    leading_out: Vec<u32>,
}

/// The most that was met of something, in states from which a record can still be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Most {
    /// Records that can be reached, and those made in one step from there.
    pub records: u32,
    /// Processes.
    pub processes: u32,
    /// References in the frames of one process, and from what it owns or has locked to what it does not own.
    pub references: u32,
}

impl Most {
    /// How many records there may be in a state that a reduced search leaves out (`quotient_por::heap` has the proof).
    pub fn records_left_out(self) -> u64 {
        let (records, processes) = (u64::from(self.records), u64::from(self.processes));
        records * (2 + processes * (1 + u64::from(self.references)))
    }
}

impl Owners {
    /// Takes note that the executing process uses a record.
    #[inline(always)]
    pub(super) fn touch(&self, name: usize, me: usize) {
        // A record that is not in the loaded state was made in this step.
        if self.watching
            && !self.watch.all_is_own
            && self.owners.get(name).is_some_and(|&owner| usize::from(owner) != me + 1)
        {
            self.touched.set(true);
        }
    }

    /// Whether what is in a record is taken for that of the thread that holds its lock.
    #[inline(always)]
    pub(super) fn locked_is_own(&self) -> bool {
        self.watch.locked_is_own
    }

    /// Takes note of something that everybody can see.
    #[inline(always)]
    pub(super) fn touch_shared(&self) {
        self.touched.set(true);
    }

    /// Takes note that a record is made.
    #[inline(always)]
    pub(super) fn make(&self) {
        if self.watch.making_is_shared {
            self.touched.set(true);
        }
    }

    /// Takes note that the executing process gives back the lock of a record.
    #[inline(always)]
    pub(super) fn unlock(&self, name: usize, me: usize) {
        if !self.watch.unlocking_is_own {
            self.touch(name, me);
        }
    }

    /// Finds the owners of all records of a state.
    fn find(&mut self, layout: &HeapLayout, state: &[u8]) {
        let Owners { owners, processes, records, stack, leading_out, .. } = self;
        layout.scan(state, processes, records);
        owners.clear();
        owners.resize(records.len() + 1, 0);
        let mut follow = |stack: &mut Vec<u32>, by: u16| {
            while let Some(name) = stack.pop() {
                let owner = &mut owners[name as usize];
                let new = if *owner == 0 || *owner == by { by } else { SHARED };
                if name == 0 || *owner == new {
                    continue;
                }
                *owner = new;
                layout.references(state, records[name as usize - 1] as usize, |at| {
                    stack.push(layout.reference(state, at) as u32);
                });
            }
        };
        stack.clear();
        let globals = if self.watch.forgets_globals { &[] } else { &layout.globals[..] };
        stack.extend(globals.iter().map(|&at| layout.reference(state, at as usize) as u32));
        follow(stack, SHARED);
        leading_out.clear();
        for (number, &process) in (1..).zip(&*processes) {
            let mut references = 0;
            layout.frames_of(state, process as usize, |ty, at| {
                references += layout.frames[ty].len() as u32;
                stack.extend(
                    layout.frames[ty].iter().map(|&offset| layout.reference(state, at + offset as usize) as u32),
                );
            });
            follow(stack, number);
            leading_out.push(references);
        }
        if self.measures {
            for (&at, &owner) in records.iter().zip(&owners[1..]) {
                // Who has locked a record of all can change it alone.
                let by = if owner == SHARED { layout.holder(state, at as usize) } else { owner as u8 };
                let by = usize::from(by);
                let Some(references) = leading_out.get_mut(by.wrapping_sub(1)) else { continue };
                layout.references(state, at as usize, |at| {
                    let name = layout.reference(state, at);
                    *references += u32::from(name != 0 && owners[name] != owner);
                });
            }
        }
        self.known = true;
    }
}

impl Machine<'_, '_> {
    /// Begins to look at how near the limit on records a search comes.
    pub fn measure_heap(&mut self, most: Most) {
        self.places.owners.measures = true;
        self.places.owners.most = most;
    }

    /// How near it has come.
    pub fn most(&self) -> Most {
        self.places.owners.most
    }

    /// Begins to watch moves from the loaded state.
    pub fn watch_moves(&mut self, watch: Watch) {
        (self.places.owners.watching, self.places.owners.watch) = (true, watch);
        self.find_owners();
        let owners = &mut self.places.owners;
        owners.touched.set(false);
    }

    /// Stops watching; tells whether a move that was tried used something that is not its process's own.
    pub fn stop_watching(&mut self) -> bool {
        let owners = &mut self.places.owners;
        (owners.watching, owners.watch) = (false, Watch::default());
        owners.touched.get()
    }

    fn find_owners(&mut self) {
        if !self.places.owners.known {
            self.places.owners.find(self.program.heap_layout(), &self.source);
        }
    }

    /// Calls `test` with type and control state of the frames of a process, until it is true for one.
    pub fn any_frame(&self, process: usize, test: impl FnMut(usize, usize) -> bool) -> bool {
        self.any_frame_in(&self.work, self.places.processes[process] as usize, test)
    }

    fn any_frame_in(&self, state: &[u8], process: usize, mut test: impl FnMut(usize, usize) -> bool) -> bool {
        let wide = self.program.schema.control_bytes == 2;
        let mut found = false;
        self.program.heap_layout().frames_of(state, process, |ty, at| {
            let high = if wide { usize::from(state[at + 1]) << 8 } else { 0 };
            found = found || test(ty, usize::from(state[at]) | high);
        });
        found
    }

    /// Takes note of how large the state is that a step was made from, if a record can still be made there.
    #[inline]
    pub(super) fn measure(&mut self) {
        if self.places.owners.measures && !self.source.is_empty() {
            self.measure_loaded();
        }
    }

    fn measure_loaded(&mut self) {
        self.find_owners();
        let makes = &self.program.access.makes;
        let processes = &self.places.owners.processes;
        let can_make = |&process: &u32| self.any_frame_in(&self.source, process as usize, |ty, at| makes[ty][at]);
        if processes.iter().any(can_make) {
            let made = std::mem::take(&mut self.places.made);
            let owners = &mut self.places.owners;
            let most = &mut owners.most;
            let reached = owners.owners[1..].iter().filter(|&&owner| owner != 0).count() as u32;
            most.records = most.records.max(reached + made);
            most.processes = most.processes.max(owners.processes.len() as u32);
            most.references = most.references.max(owners.leading_out.iter().copied().max().unwrap_or(0));
        }
    }
}
