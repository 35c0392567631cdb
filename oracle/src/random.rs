//! Random programs, the same for the same seed. They are shaped like litmus tests (Alglave, Maranget, Tautschnig,
//! TOPLAS 2014, section 3): few threads of few accesses to few locations, often with identical threads side by side.

use std::ops::RangeInclusive;

use crate::program::{Expr, Instr, Mode, Op, Program, Thread};

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
    /// The chance that a program has runs of identical threads.
    pub symmetric: u64,
    /// The chance that an access is a read-modify-write or a compare-and-swap.
    pub updates: u64,
    /// The chance that it is a fence.
    pub fences: u64,
    /// The chance that it stands in a branch.
    pub branches: u64,
    /// The chance that an assumption follows it.
    pub assumes: u64,
    /// The chance that a load or store is not atomic.
    pub non_atomic: u64,
    /// The chance that a thread does its work while holding a mutex.
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
            symmetric: 50,
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

/// A generator of numbers: splitmix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that starts from a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.number() % n
    }

    fn within(&mut self, range: &RangeInclusive<u64>) -> u64 {
        range.start() + self.below(range.end().saturating_sub(*range.start()) + 1)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The program of a seed.
pub fn program(seed: u64, shape: Shape) -> Program {
    let mut rng = Rng::new(seed);
    let count = rng.within(&shape.threads);
    let locations = rng.within(&shape.locations);
    let identical = rng.chance(shape.symmetric);
    let mutex = (shape.locks > 0).then_some(locations as usize);
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
                Writer { rng: &mut rng, shape: &shape, locations, registers: 0 }.thread(len, mutex)
            }
        };
        left = left.saturating_sub(size(&thread.code));
        threads.push(thread);
    }
    let mut names: Vec<String> = ["x", "y", "z"].into_iter().map(String::from).collect();
    names.extend((3..locations).map(|index| format!("x{index}")));
    names.truncate(locations as usize);
    names.extend(mutex.map(|_| "m".to_string()));
    Program { name: format!("random-{seed}"), init: vec![0; names.len()], locations: names, threads }
}

/// How many accesses and fences a path of the code has at most; those of locks do not count.
fn size(code: &[Instr]) -> u64 {
    let each = code.iter().map(|instr| match instr {
        Instr::If { then, otherwise, .. } => size(then).max(size(otherwise)),
        Instr::Assume { .. } | Instr::Lock { .. } | Instr::Unlock { .. } => 0,
        _ => 1,
    });
    each.sum()
}

/// Writes the code of one thread.
struct Writer<'a> {
    rng: &'a mut Rng,
    shape: &'a Shape,
    locations: u64,
    /// Registers assigned so far.
    registers: usize,
}

impl Writer<'_> {
    fn thread(mut self, len: u64, mutex: Option<usize>) -> Thread {
        let mut code = Vec::new();
        for _ in 0..len {
            let branch = self.registers > 0 && self.rng.chance(self.shape.branches);
            if branch {
                let cond = self.condition();
                let then = vec![self.access()];
                let otherwise = if self.rng.chance(40) { vec![self.access()] } else { Vec::new() };
                code.push(Instr::If { cond, then, otherwise });
            } else {
                code.push(self.access());
            }
            if self.registers > 0 && self.rng.chance(self.shape.assumes) {
                code.push(Instr::Assume { cond: self.condition() });
            }
        }
        if let Some(loc) = mutex.filter(|_| self.rng.chance(self.shape.locks)) {
            let from = self.rng.below(code.len() as u64) as usize;
            code.insert(from, Instr::Lock { loc });
            let to = from + 1 + self.rng.below((code.len() - from) as u64) as usize;
            code.insert(to, Instr::Unlock { loc });
        }
        Thread { code }
    }

    fn access(&mut self) -> Instr {
        let loc = self.rng.below(self.locations) as usize;
        if self.rng.chance(self.shape.fences) {
            Instr::Fence { mode: self.rng.pick(&[Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc, Mode::Sc]) }
        } else if self.rng.chance(self.shape.updates) {
            self.update(loc)
        } else if self.rng.chance(50) {
            let mode = self.mode(&[Mode::Rlx, Mode::Rlx, Mode::Rel, Mode::Sc]);
            Instr::Store { loc, mode, value: self.value() }
        } else {
            let mode = self.mode(&[Mode::Rlx, Mode::Rlx, Mode::Acq, Mode::Sc]);
            Instr::Load { reg: self.register(), loc, mode }
        }
    }

    fn update(&mut self, loc: usize) -> Instr {
        let mode = self.rng.pick(&[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc]);
        if self.rng.chance(50) {
            let op = self.rng.pick(&[Op::Add, Op::Add, Op::Swap, Op::Or, Op::Sub, Op::Xor, Op::And, Op::Max, Op::Min]);
            let value = self.value();
            return Instr::Rmw { reg: self.register(), loc, mode, op, value };
        }
        let failure = self.rng.pick(&[Mode::Rlx, Mode::Acq, Mode::Sc]);
        let expected = Expr::Const(self.rng.pick(&[0, 0, 1, 2]));
        let new = self.value();
        let weak = self.shape.weak && self.rng.chance(50);
        let reg = self.register();
        let ok = self.rng.chance(50).then(|| self.register());
        Instr::Cas { reg, ok, loc, success: mode, failure, expected, new, weak }
    }

    fn mode(&mut self, atomic: &[Mode]) -> Mode {
        if self.rng.chance(self.shape.non_atomic) { Mode::Na } else { self.rng.pick(atomic) }
    }

    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn known(&mut self) -> Box<Expr> {
        Box::new(Expr::Reg(self.rng.below(self.registers as u64) as usize))
    }

    fn value(&mut self) -> Expr {
        let constant = Expr::Const(1 + self.rng.below(2));
        match self.rng.below(8) {
            0 if self.registers > 0 => *self.known(),
            1 if self.registers > 0 => Expr::Add(self.known(), Box::new(constant)),
            _ => constant,
        }
    }

    fn condition(&mut self) -> Expr {
        let constant = Box::new(Expr::Const(self.rng.below(3)));
        match self.rng.below(6) {
            0 => *self.known(),
            1 => Expr::Not(self.known()),
            2 => Expr::Lt(self.known(), constant),
            3 => Expr::Ne(self.known(), constant),
            4 => Expr::Or(self.known(), Box::new(Expr::Eq(self.known(), constant))),
            _ => Expr::Eq(self.known(), constant),
        }
    }
}
