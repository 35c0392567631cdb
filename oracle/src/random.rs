//! Random programs, the same for the same seed. They are shaped like litmus tests (Alglave, Maranget, Tautschnig,
//! TOPLAS 2014): few threads of few accesses to few locations, often with identical threads side by side.

mod code;
mod rng;

use std::ops::RangeInclusive;

use crate::program::{Instr, Program, Thread};
use code::{Taste, Writer};

pub use rng::Rng;

/// What random programs look like. Chances are in percent.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many threads.
    pub threads: RangeInclusive<u64>,
    /// How many accesses and fences in each thread, not counting those for locks.
    pub accesses: RangeInclusive<u64>,
    /// How many accesses and fences in all threads together, at most; threads are shortened to fit.
    pub total: u64,
    /// How many locations, not counting mutexes.
    pub locations: RangeInclusive<u64>,
    /// The chance that a program is a ring: each thread leads from one location to the next. Models differ in rings.
    pub rings: u64,
    /// The chance that a program has runs of identical threads, if it is not a ring.
    pub symmetric: u64,
    /// The chance that an access is a read-modify-write or a compare-and-swap.
    pub updates: u64,
    /// The chance that there is a fence in place of an access.
    pub fences: u64,
    /// The chance that an access stands in a branch.
    pub branches: u64,
    /// The chance that an assumption follows it.
    pub assumes: u64,
    /// The chance that a load or store is not atomic.
    pub non_atomic: u64,
    /// The chance that a thread holds a mutex for a while.
    pub locks: u64,
    /// Whether a compare-and-swap may be weak.
    pub weak: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            threads: 2..=4,
            accesses: 1..=4,
            total: 9,
            locations: 1..=3,
            rings: 30,
            symmetric: 85,
            updates: 25,
            fences: 12,
            branches: 15,
            assumes: 3,
            non_atomic: 10,
            locks: 0,
            weak: false,
        }
    }
}

/// The program of a seed.
pub fn program(seed: u64, shape: Shape) -> Program {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let tastes =
        [Taste::Mixed, Taste::Mixed, Taste::Mixed, Taste::Relaxed, Taste::Fenced, Taste::ReleaseAcquire, Taste::Sc];
    let taste = rng.pick(&tastes);
    let fits = *shape.locations.end() >= 2 && *shape.threads.end() >= 2;
    let ring = fits && rng.chance(shape.rings);
    let (mut threads, locations) = if ring { ring_of(rng, &shape, taste) } else { loose(rng, &shape, taste) };
    let mut names: Vec<String> = (0..locations).map(name).collect();
    if shape.locks > 0 {
        let loc = names.len();
        names.push("m".to_string());
        threads = locked(rng, &shape, &threads, loc);
    }
    Program { name: format!("random-{seed}"), init: vec![0; names.len()], locations: names, threads }
}

fn name(location: u64) -> String {
    match location {
        0 => "x".to_string(),
        1 => "y".to_string(),
        2 => "z".to_string(),
        more => format!("x{more}"),
    }
}

/// Threads with accesses here and there, and the number of locations.
fn loose(rng: &mut Rng, shape: &Shape, taste: Taste) -> (Vec<Thread>, u64) {
    let count = rng.within(&shape.threads);
    let locations = rng.within(&shape.locations).max(1);
    let identical = rng.chance(shape.symmetric);
    let mut threads: Vec<Thread> = Vec::new();
    let mut left = shape.total;
    for index in 0..count {
        // Leave one access for every thread still to come.
        let most = left.saturating_sub(count - index - 1);
        let previous = threads.last().filter(|thread| size(&thread.code) <= most);
        let thread = match previous {
            Some(previous) if identical && rng.chance(70) => previous.clone(),
            _ => {
                let len = rng.within(&shape.accesses).min(most.max(1));
                Thread { code: Writer { rng, shape, taste, registers: 0 }.code(len, locations) }
            }
        };
        left = left.saturating_sub(size(&thread.code));
        threads.push(thread);
    }
    (threads, locations)
}

/// Threads that lead from location to location, around all of them and back to the first; and the number of locations.
/// A thread of one access stays where it is.
fn ring_of(rng: &mut Rng, shape: &Shape, taste: Taste) -> (Vec<Thread>, u64) {
    let count = rng.within(&shape.threads).max(2);
    let locations = (2 + rng.below(2)).min(count).min(*shape.locations.end());
    let mut at = 0;
    let mut threads = Vec::new();
    for index in 0..count {
        let moves_left = locations - at;
        let must_move = count - index <= moves_left;
        let mut writer = Writer { rng, shape, taste, registers: 0 };
        let mut code = vec![writer.access((at % locations) as usize)];
        if moves_left > 0 && (must_move || writer.rng.chance(60)) {
            at += 1;
            if writer.rng.chance(3 * shape.fences) {
                code.push(writer.fence());
            }
            code.push(writer.access((at % locations) as usize));
        }
        threads.push(Thread { code });
    }
    (threads, locations)
}

/// The threads with a part of some of them between a lock and an unlock. Identical threads stay identical.
fn locked(rng: &mut Rng, shape: &Shape, threads: &[Thread], loc: usize) -> Vec<Thread> {
    let mut locked: Vec<Thread> = Vec::new();
    for (index, thread) in threads.iter().enumerate() {
        let mut thread = thread.clone();
        match locked.last() {
            Some(previous) if threads[index - 1] == thread => thread = previous.clone(),
            _ if rng.chance(shape.locks) => {
                let from = rng.below(thread.code.len() as u64) as usize;
                thread.code.insert(from, Instr::Lock { loc });
                let to = from + 1 + rng.below((thread.code.len() - from) as u64) as usize;
                thread.code.insert(to, Instr::Unlock { loc });
            }
            _ => {}
        }
        locked.push(thread);
    }
    locked
}

/// How many accesses and fences a path of the code has at most.
fn size(code: &[Instr]) -> u64 {
    let each = code.iter().map(|instr| match instr {
        Instr::If { then, otherwise, .. } => size(then).max(size(otherwise)),
        Instr::Assume { .. } | Instr::Set { .. } => 0,
        _ => 1,
    });
    each.sum()
}
