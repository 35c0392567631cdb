//! Random programs with loops, the same for the same seed. They are put together from the ways in which loops wait in
//! real programs: flags, locks, tickets, retries; with something that is kept from round to round.

mod wait;

use super::{Program, Stmt};
use crate::program::{Expr, Instr, Mode, Op};
use crate::random::Rng;

/// What threads wait for, in most programs.
const FLAG: usize = 0;
/// What else they read and write.
const OTHER: usize = 1;
/// The lock, in programs that have one.
const LOCK: usize = 2;

/// The value that was read last.
const READ: usize = 0;
/// A second value, or whether something has succeeded.
const SECOND: usize = 1;
/// What is counted.
const COUNT: usize = 2;
/// What is kept from earlier rounds.
const KEPT: usize = 3;
/// What is read behind the loop.
const AFTER: usize = 4;
/// Rounds of loops with a bound, and tickets.
const TURN: usize = 5;

/// What random programs may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Assertions, which may fail.
    pub assertions: bool,
    /// A location that is not atomic, which may be raced for.
    pub plain: bool,
}

/// The program of a seed.
pub fn program(seed: u64, shape: Shape) -> Program {
    let mut rng = Rng::new(seed ^ 0x6c6f_6f70);
    let taste =
        rng.pick(&[Taste::Mixed, Taste::Mixed, Taste::Relaxed, Taste::Relaxed, Taste::ReleaseAcquire, Taste::Sc]);
    let goal = 1 + rng.below(2);
    let mut writer = Writer { rng: &mut rng, taste, shape, goal, mutex: false };
    let (first, partner) = writer.waiting();
    let second = match partner {
        Partner::Same if writer.rng.chance(50) => first.clone(),
        Partner::Same => writer.waiting_like(&first),
        Partner::Signals => writer.signals(),
        Partner::Locks => writer.signals_under_lock(),
        Partner::Changes => writer.changes(),
        Partner::Releases => writer.releases(),
    };
    let mut threads = vec![first.code, second.code];
    let (mutex, held) = (writer.mutex, matches!(partner, Partner::Releases));
    if writer.rng.chance(20) {
        let third = match writer.rng.below(3) {
            0 => writer.some_accesses(1),
            1 => writer.changes().code,
            _ => vec![writer.load(AFTER, OTHER), writer.load(SECOND, FLAG)],
        };
        threads.push(third);
    }
    let plain = if shape.plain { vec![3] } else { Vec::new() };
    let init = vec![0, 0, u64::from(held), 0];
    let program = Program { init, mutexes: if mutex { vec![LOCK] } else { Vec::new() }, plain, threads };
    program.without_unused()
}

/// A thread, and the kind of loop that it has.
#[derive(Clone)]
struct Waiter {
    code: Vec<Stmt>,
    kind: u64,
}

/// Who makes a loop end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partner {
    /// A thread with a loop of the same kind.
    Same,
    /// A thread that sets the flag in the end.
    Signals,
    /// A thread that does so under the lock.
    Locks,
    /// A thread that changes the flag for a while.
    Changes,
    /// A thread that gives back the lock.
    Releases,
}

/// The taste of a program in modes.
#[derive(Clone, Copy)]
enum Taste {
    Mixed,
    Relaxed,
    ReleaseAcquire,
    Sc,
}

/// Writes the code of threads.
struct Writer<'a> {
    rng: &'a mut Rng,
    taste: Taste,
    shape: Shape,
    /// The value to which the flag is set in the end.
    goal: u64,
    /// Whether the lock is a real mutex.
    mutex: bool,
}

fn constant(value: u64) -> Expr {
    Expr::Const(value)
}

fn register(reg: usize) -> Expr {
    Expr::Reg(reg)
}

fn equal(reg: usize, value: u64) -> Expr {
    Expr::Eq(Box::new(register(reg)), Box::new(constant(value)))
}

fn differs(reg: usize, value: u64) -> Expr {
    Expr::Ne(Box::new(register(reg)), Box::new(constant(value)))
}

fn less(reg: usize, value: Expr) -> Expr {
    Expr::Lt(Box::new(register(reg)), Box::new(value))
}

fn plus_one(reg: usize) -> Expr {
    Expr::Add(Box::new(register(reg)), Box::new(constant(1)))
}

fn when(cond: Expr, then: Vec<Stmt>) -> Stmt {
    Stmt::If { cond, then, otherwise: Vec::new() }
}

fn leave(cond: Expr) -> Stmt {
    when(cond, vec![Stmt::Break])
}

impl Writer<'_> {
    fn mode(&mut self, all: &[Mode], synchronising: Mode) -> Mode {
        match self.taste {
            Taste::Mixed => self.rng.pick(all),
            Taste::Relaxed => Mode::Rlx,
            Taste::ReleaseAcquire => synchronising,
            Taste::Sc => Mode::Sc,
        }
    }

    fn load(&mut self, reg: usize, loc: usize) -> Stmt {
        let mode = self.mode(&[Mode::Rlx, Mode::Acq, Mode::Sc], Mode::Acq);
        Stmt::Access(Instr::Load { reg, loc, mode })
    }

    fn store(&mut self, loc: usize, value: Expr) -> Stmt {
        let mode = self.mode(&[Mode::Rlx, Mode::Rel, Mode::Sc], Mode::Rel);
        Stmt::Access(Instr::Store { loc, mode, value })
    }

    fn rmw(&mut self, reg: usize, loc: usize, op: Op, value: u64) -> Stmt {
        let mode = self.mode(&[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc], Mode::AcqRel);
        Stmt::Access(Instr::Rmw { reg, loc, mode, op, value: constant(value) })
    }

    fn cas(&mut self, reg: usize, ok: usize, loc: usize, expected: Expr, new: Expr) -> Stmt {
        let success = self.mode(&[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc], Mode::AcqRel);
        let failure = self.mode(&[Mode::Rlx, Mode::Acq, Mode::Sc], Mode::Acq);
        Stmt::Access(Instr::Cas { reg, ok: Some(ok), loc, success, failure, expected, new, weak: false })
    }

    fn fence(&mut self) -> Stmt {
        Stmt::Access(Instr::Fence { mode: self.rng.pick(&[Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc]) })
    }

    /// An access to the location that is not atomic.
    fn plain(&mut self) -> Stmt {
        if self.rng.chance(50) {
            Stmt::Access(Instr::Load { reg: AFTER, loc: 3, mode: Mode::Na })
        } else {
            Stmt::Access(Instr::Store { loc: 3, mode: Mode::Na, value: constant(1) })
        }
    }

    /// A few accesses without a loop.
    fn some_accesses(&mut self, most: u64) -> Vec<Stmt> {
        let count = self.rng.below(most + 1);
        let mut code = Vec::new();
        for _ in 0..count {
            let value = constant(1 + self.rng.below(2));
            let stmt = match self.rng.below(6) {
                0 | 1 => self.store(OTHER, value),
                2 => self.load(AFTER, OTHER),
                3 => self.rmw(SECOND, OTHER, Op::Add, 1),
                4 => self.fence(),
                _ if self.shape.plain => self.plain(),
                _ => self.store(FLAG, value),
            };
            code.push(stmt);
        }
        code
    }

    /// Sets the flag to its goal in the end.
    fn signals(&mut self) -> Waiter {
        let mut code = self.some_accesses(2);
        if self.shape.plain && self.rng.chance(60) {
            code.insert(0, Stmt::Access(Instr::Store { loc: 3, mode: Mode::Na, value: constant(1) }));
        }
        if self.rng.chance(50) {
            code.push(self.store(OTHER, constant(1)));
        }
        if self.rng.chance(50) {
            let value = 1 + self.rng.below(3);
            code.push(self.store(FLAG, constant(value)));
        }
        let goal = self.goal;
        code.push(if self.rng.chance(80) {
            self.store(FLAG, constant(goal))
        } else {
            self.rmw(AFTER, FLAG, Op::Swap, goal)
        });
        if self.rng.chance(25) {
            code.push(self.load(AFTER, OTHER));
        }
        Waiter { code, kind: 0 }
    }

    fn signals_under_lock(&mut self) -> Waiter {
        let mut code = self.some_accesses(1);
        let goal = self.goal;
        if self.rng.chance(30) {
            let free = Stmt::TryLock { ok: SECOND, loc: LOCK };
            let inside = vec![self.load(AFTER, OTHER), Stmt::Access(Instr::Unlock { loc: LOCK })];
            code.extend([free, when(register(SECOND), inside)]);
        }
        code.push(Stmt::Access(Instr::Lock { loc: LOCK }));
        code.push(self.store(FLAG, constant(goal)));
        code.push(Stmt::Access(Instr::Unlock { loc: LOCK }));
        Waiter { code, kind: 0 }
    }

    /// Changes the flag, for loops that end by themselves.
    fn changes(&mut self) -> Waiter {
        let mut code = self.some_accesses(1);
        for value in 1..=1 + self.rng.below(2) {
            let stmt =
                if self.rng.chance(75) { self.store(FLAG, constant(value)) } else { self.rmw(AFTER, FLAG, Op::Add, 1) };
            code.push(stmt);
        }
        Waiter { code, kind: 0 }
    }

    /// Has had the lock from the beginning, and gives it back.
    fn releases(&mut self) -> Waiter {
        let mut code = self.some_accesses(2);
        code.push(self.store(LOCK, constant(0)));
        Waiter { code, kind: 0 }
    }
}

impl Program {
    /// The program without locations that nobody uses, as far as they are the last ones.
    fn without_unused(mut self) -> Program {
        let text = self.to_string();
        while self.init.len() > 1 && !text.contains(&format!("x{}", self.init.len() - 1)) {
            self.init.pop();
        }
        self.plain.retain(|loc| *loc < self.init.len());
        self.mutexes.retain(|loc| *loc < self.init.len());
        self
    }
}
