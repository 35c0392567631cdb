//! All executions of a program, by brute force: every choice of reads-from, every coherence order, then the axioms. As
//! all models here forbid cycles of `po ∪ rf` (RC11, Lahav et al., PLDI 2017), reads need no guessed values.
//!
//! The threads run in a fixed order: always the first one that can. A thread that comes to a read chooses one of the
//! writes that are there, or waits for one that is still to come; when a write comes, each thread that waits on its
//! location reads it at once or waits on. For a given execution all of these choices are determined (a read waits if and
//! only if its source is not there yet, and there is always a thread that can go on, because `po ∪ rf` has no cycle), so
//! every execution is met exactly once.

mod coherence;

use std::collections::BTreeSet;
use std::fmt;

use crate::axioms::{MemoryModel, allows};
use crate::execution::{Execution, Source};
use crate::graph::Graph;
use crate::program::{Instr, Program};
use crate::relation::MOST;
use crate::thread::{Entry, Local, Next, location, reads};

/// How many candidates and partial executions [`executions`] looks at before it gives up.
const LIMIT: usize = 1_000_000;

/// The program has too many candidate executions, or too many events in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program has too many executions to enumerate")
    }
}

impl std::error::Error for TooLarge {}

/// All complete executions of the program that the model allows.
pub fn executions(program: &Program, model: MemoryModel) -> Result<BTreeSet<Execution>, TooLarge> {
    executions_within(program, model, LIMIT)
}

/// The same with a limit of one's own on the number of candidates and partial executions.
pub fn executions_within(program: &Program, model: MemoryModel, limit: usize) -> Result<BTreeSet<Execution>, TooLarge> {
    let mut search = Search { program, model, left: limit, found: BTreeSet::new() };
    search.explore(State::new(program))?;
    Ok(search.found)
}

struct Search<'p> {
    program: &'p Program,
    model: MemoryModel,
    left: usize,
    found: BTreeSet<Execution>,
}

/// An execution in the making, without coherence order.
#[derive(Clone)]
struct State<'p> {
    locals: Vec<Local<'p>>,
    entries: Vec<Vec<Entry>>,
    /// The location of the read at which a thread waits for a write to come.
    waiting: Vec<Option<usize>>,
    /// Writes that have just come, each with the threads that have yet to decide whether to read it.
    fresh: Vec<((usize, usize), Vec<usize>)>,
}

impl<'p> State<'p> {
    fn new(program: &'p Program) -> Self {
        State {
            locals: program.threads.iter().map(Local::new).collect(),
            entries: vec![Vec::new(); program.threads.len()],
            waiting: vec![None; program.threads.len()],
            fresh: Vec::new(),
        }
    }

    /// Lets a thread perform its next access. Says whether it can, and whether the result may still be coherent.
    fn perform(&mut self, thread: usize, source: Option<(Source, u64)>, spurious: bool) -> bool {
        let Some(entry) = self.locals[thread].perform(source, spurious) else { return false };
        self.entries[thread].push(entry);
        self.waiting[thread] = None;
        let Some(loc) = entry.access.loc else { return true };
        if entry.access.written.is_some() {
            let waiters = (0..self.waiting.len()).filter(|&other| self.waiting[other] == Some(loc)).collect();
            self.fresh.push(((thread, self.entries[thread].len() - 1), waiters));
        }
        source.is_none() || coherence::possible(&self.entries, loc)
    }

    /// Whether a thread other than this one may yet write the location.
    fn may_come(&self, thread: usize, loc: usize) -> bool {
        self.locals.iter().enumerate().any(|(other, local)| other != thread && local.may_write(loc))
    }
}

impl<'p> Search<'p> {
    fn explore(&mut self, mut state: State<'p>) -> Result<(), TooLarge> {
        self.count()?;
        // The worst case are updates, which are two events each.
        if 2 * state.entries.iter().map(Vec::len).sum::<usize>() + self.program.init.len() + 2 > MOST {
            return Err(TooLarge);
        }
        while let Some(((thread, index), waiters)) = state.fresh.last_mut() {
            let Some(waiter) = waiters.pop() else {
                state.fresh.pop();
                continue;
            };
            let access = state.entries[*thread][*index].access;
            // It may have read another fresh write in the meantime.
            if state.waiting[waiter].is_some() && state.waiting[waiter] == access.loc {
                let source = (Source::Write(*thread, *index), access.written.unwrap_or(0));
                self.read(&state, waiter, source)?;
            }
        }
        let stalled = |thread: usize| state.waiting[thread].is_some_and(|loc| !state.may_come(thread, loc));
        if (0..state.waiting.len()).any(stalled) {
            return Ok(());
        }
        for thread in 0..state.locals.len() {
            if state.waiting[thread].is_some() {
                continue;
            }
            match state.locals[thread].next() {
                Next::Done => {}
                Next::Blocked => return Ok(()),
                Next::Access(instr) if reads(instr) => return self.choose(state, thread, instr),
                Next::Access(_) => {
                    return if state.perform(thread, None, false) { self.explore(state) } else { Ok(()) };
                }
            }
        }
        if state.waiting.iter().all(Option::is_none) { self.complete(&state) } else { Ok(()) }
    }

    /// A thread comes to a read: it reads any write that is there, or waits.
    fn choose(&mut self, mut state: State<'p>, thread: usize, instr: &Instr) -> Result<(), TooLarge> {
        let Some(loc) = location(instr) else { return Ok(()) };
        self.read(&state, thread, (Source::Init, self.program.init[loc]))?;
        for (writer, entries) in state.entries.iter().enumerate() {
            for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.access.loc == Some(loc)) {
                if let Some(value) = entry.access.written {
                    self.read(&state, thread, (Source::Write(writer, index), value))?;
                }
            }
        }
        state.waiting[thread] = Some(loc);
        self.explore(state)
    }

    /// Goes on with a thread reading from a source, and also with the read failing for no reason if it can.
    fn read(&mut self, state: &State<'p>, thread: usize, source: (Source, u64)) -> Result<(), TooLarge> {
        for spurious in [false, true] {
            let mut state = state.clone();
            if state.perform(thread, Some(source), spurious) {
                self.explore(state)?;
            }
        }
        Ok(())
    }

    /// All threads have finished: tries all coherence orders.
    fn complete(&mut self, state: &State<'p>) -> Result<(), TooLarge> {
        let locations = self.program.init.len();
        let mut graph = Graph::new(locations, &state.entries).ok_or(TooLarge)?;
        let mut orders = vec![Vec::new()];
        for loc in 0..locations {
            let own = coherence::orders(&state.entries, loc, self.left).ok_or(TooLarge)?;
            if orders.len().saturating_mul(own.len()) > self.left {
                return Err(TooLarge);
            }
            let extend = |order: &Vec<Vec<(usize, usize)>>| {
                let order = order.clone();
                own.iter().map(move |last| order.iter().chain([last]).cloned().collect::<Vec<_>>()).collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(extend).collect();
        }
        let accesses = |entries: &Vec<Entry>| entries.iter().map(|entry| entry.access).collect();
        for co in orders {
            self.count()?;
            graph.set_co(&co);
            if allows(self.model, &graph) {
                self.found.insert(Execution { threads: state.entries.iter().map(accesses).collect(), co });
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        Ok(())
    }
}
