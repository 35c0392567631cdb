//! The loops of random programs: each kind of waiting with what it keeps from round to round, and what comes behind.

use super::{
    AFTER, COUNT, FLAG, KEPT, LOCK, OTHER, Partner, READ, SECOND, TURN, Waiter, Writer, constant, differs, equal,
    leave, less, plus_one, register, when,
};
use crate::loops::Stmt;
use crate::program::{Expr, Instr, Mode, Op};

/// How many kinds of loops there are.
const KINDS: u64 = 20;

impl Writer<'_> {
    /// A thread with a loop, and who makes it end.
    pub(super) fn waiting(&mut self) -> (Waiter, Partner) {
        let kind = self.rng.below(KINDS);
        let (mut code, partner) = self.kind(kind);
        code.extend(self.behind());
        (Waiter { code, kind }, partner)
    }

    /// A thread with a loop of the same kind.
    pub(super) fn waiting_like(&mut self, other: &Waiter) -> Waiter {
        let (mut code, _) = self.kind(other.kind);
        code.extend(self.behind());
        Waiter { code, kind: other.kind }
    }

    fn kind(&mut self, kind: u64) -> (Vec<Stmt>, Partner) {
        match kind {
            0..=4 => (self.flag(), Partner::Signals),
            5 => (self.test_and_set(), Partner::Same),
            6 => (self.test_and_set(), Partner::Releases),
            7 => (self.test_then_set(), Partner::Same),
            8 => (self.retry(), Partner::Changes),
            9 => (self.retry_with_reload(), Partner::Changes),
            10 => (self.retry_with_reload(), Partner::Same),
            11 => (self.with_pair(), Partner::Signals),
            12 => (self.update_in_vain(), Partner::Signals),
            13 => (self.poll_under_lock(), Partner::Locks),
            14 => (self.poll_under_try_lock(), Partner::Locks),
            15 => (self.read_twice(), Partner::Changes),
            16 => (self.ticket(), Partner::Same),
            17 => (self.with_bound(), Partner::Changes),
            18 => (self.nested(), Partner::Signals),
            _ => (self.peeled(), Partner::Signals),
        }
    }

    /// What a round does beside waiting.
    fn keep(&mut self) -> Vec<Stmt> {
        let count = self.rng.pick(&[0, 1, 1, 1, 2]);
        (0..count).map(|_| self.keep_one()).collect()
    }

    fn keep_one(&mut self) -> Stmt {
        let seen = self.rng.below(3);
        match self.rng.below(14) {
            0 | 1 => Stmt::Set { reg: COUNT, value: constant(1) },
            2 | 3 => when(less(COUNT, constant(2)), vec![Stmt::Set { reg: COUNT, value: plus_one(COUNT) }]),
            4 | 5 => Stmt::Set { reg: KEPT, value: register(READ) },
            6 => when(less(KEPT, register(READ)), vec![Stmt::Set { reg: KEPT, value: register(READ) }]),
            7 | 8 => when(equal(READ, seen), vec![Stmt::Set { reg: KEPT, value: constant(1) }]),
            9 => self.store(OTHER, constant(1)),
            10 => self.load(AFTER, OTHER),
            11 => self.fence(),
            12 if self.shape.assertions => Stmt::Assert { cond: differs(READ, 1 + seen) },
            12 => self.rmw(AFTER, OTHER, Op::Or, 1),
            _ if self.shape.plain => Stmt::Access(Instr::Load { reg: AFTER, loc: 3, mode: Mode::Na }),
            _ => when(equal(COUNT, 0), vec![Stmt::Set { reg: COUNT, value: constant(1) }, self.fence()]),
        }
    }

    /// What comes behind a loop.
    fn behind(&mut self) -> Vec<Stmt> {
        let mut code = Vec::new();
        for _ in 0..self.rng.below(3) {
            let stmt = match self.rng.below(8) {
                0 => when(equal(COUNT, 0), vec![self.fence()]),
                1 => when(register(KEPT), vec![self.store(OTHER, constant(2))]),
                2 | 7 => self.load(AFTER, OTHER),
                3 => self.store(OTHER, register(COUNT)),
                4 if self.shape.assertions => Stmt::Assert { cond: equal(COUNT, 0) },
                5 if self.shape.assertions => Stmt::Assert { cond: differs(KEPT, 1) },
                _ if self.shape.plain => self.plain(),
                _ => continue,
            };
            code.push(stmt);
        }
        code
    }

    /// When the flag is as it should be.
    fn is_set(&mut self) -> Expr {
        match self.rng.below(3) {
            0 => equal(READ, self.goal),
            1 => Expr::Not(Box::new(less(READ, constant(self.goal)))),
            _ => differs(READ, 0),
        }
    }

    /// A loop that does `step`, and ends when `done`; what it keeps comes before or behind that.
    fn until(&mut self, mut step: Vec<Stmt>, done: Expr) -> Stmt {
        let before = self.rng.chance(50);
        let keep = self.keep();
        if before {
            step.extend(keep);
            step.push(leave(done));
        } else {
            step.push(leave(done));
            step.extend(keep);
        }
        Stmt::Loop { body: step }
    }

    fn flag(&mut self) -> Vec<Stmt> {
        let (step, done) = (vec![self.load(READ, FLAG)], self.is_set());
        vec![self.until(step, done)]
    }

    /// What is done under a lock, and its release.
    fn critical(&mut self, loc: usize) -> Vec<Stmt> {
        let inside = if self.rng.chance(50) { self.load(AFTER, OTHER) } else { self.store(OTHER, constant(1)) };
        vec![inside, self.store(loc, constant(0))]
    }

    fn test_and_set(&mut self) -> Vec<Stmt> {
        let op = self.rng.pick(&[Op::Swap, Op::Or]);
        let step = vec![self.rmw(READ, LOCK, op, 1)];
        let mut code = vec![self.until(step, equal(READ, 0))];
        code.extend(self.critical(LOCK));
        code
    }

    fn test_then_set(&mut self) -> Vec<Stmt> {
        let take = vec![self.rmw(READ, LOCK, Op::Swap, 1), leave(equal(READ, 0))];
        let mut body = vec![self.load(READ, LOCK), when(equal(READ, 0), take)];
        body.extend(self.keep());
        let mut code = vec![Stmt::Loop { body }];
        code.extend(self.critical(LOCK));
        code
    }

    /// A failed exchange gives the value for the next one.
    fn retry(&mut self) -> Vec<Stmt> {
        let new = if self.rng.chance(50) { plus_one(READ) } else { constant(3) };
        let first = self.load(READ, FLAG);
        let step = vec![self.cas(READ, SECOND, FLAG, register(READ), new)];
        vec![first, self.until(step, register(SECOND))]
    }

    fn retry_with_reload(&mut self) -> Vec<Stmt> {
        let new = if self.rng.chance(70) { plus_one(READ) } else { constant(3) };
        let step = vec![self.load(READ, FLAG), self.cas(AFTER, SECOND, FLAG, register(READ), new)];
        vec![self.until(step, register(SECOND))]
    }

    /// Adds and takes away again in every round.
    fn with_pair(&mut self) -> Vec<Stmt> {
        let mut step = vec![self.rmw(SECOND, OTHER, Op::Add, 1), self.rmw(SECOND, OTHER, Op::Sub, 1)];
        let at = self.rng.below(3) as usize;
        step.insert(at, self.load(READ, FLAG));
        let done = self.is_set();
        vec![self.until(step, done)]
    }

    /// Reads the flag by an update that changes nothing.
    fn update_in_vain(&mut self) -> Vec<Stmt> {
        let op = self.rng.pick(&[Op::Add, Op::Or, Op::Sub]);
        let (step, done) = (vec![self.rmw(READ, FLAG, op, 0)], self.is_set());
        vec![self.until(step, done)]
    }

    fn poll_under_lock(&mut self) -> Vec<Stmt> {
        self.mutex = true;
        let (lock, unlock) = (Instr::Lock { loc: LOCK }, Instr::Unlock { loc: LOCK });
        let step = vec![Stmt::Access(lock), self.load(READ, FLAG), Stmt::Access(unlock)];
        let done = self.is_set();
        vec![self.until(step, done)]
    }

    fn poll_under_try_lock(&mut self) -> Vec<Stmt> {
        self.mutex = true;
        let inside = vec![self.load(READ, FLAG), Stmt::Access(Instr::Unlock { loc: LOCK })];
        let step = vec![Stmt::TryLock { ok: SECOND, loc: LOCK }, when(register(SECOND), inside)];
        let done = self.is_set();
        vec![self.until(step, done)]
    }

    /// As a reader of a sequence lock: the flag must not change while something else is read.
    fn read_twice(&mut self) -> Vec<Stmt> {
        let step = vec![self.load(READ, FLAG), self.load(AFTER, OTHER), self.load(SECOND, FLAG)];
        vec![self.until(step, Expr::Eq(Box::new(register(READ)), Box::new(register(SECOND))))]
    }

    fn ticket(&mut self) -> Vec<Stmt> {
        let draw = self.rmw(TURN, FLAG, Op::Add, 1);
        let step = vec![self.load(READ, OTHER)];
        let done = Expr::Eq(Box::new(register(READ)), Box::new(register(TURN)));
        let is_kept = self.keeps_to_itself(step, done);
        vec![draw, is_kept, self.store(OTHER, plus_one(TURN))]
    }

    /// As [`Writer::until`], without writes to what others wait for.
    fn keeps_to_itself(&mut self, mut step: Vec<Stmt>, done: Expr) -> Stmt {
        let keep = match self.rng.below(4) {
            0 => Vec::new(),
            1 => vec![Stmt::Set { reg: COUNT, value: constant(1) }],
            2 => vec![when(less(COUNT, constant(2)), vec![Stmt::Set { reg: COUNT, value: plus_one(COUNT) }])],
            _ => vec![Stmt::Set { reg: KEPT, value: plus_one(READ) }],
        };
        step.push(leave(done));
        step.extend(keep);
        Stmt::Loop { body: step }
    }

    /// Looks a few times only.
    fn with_bound(&mut self) -> Vec<Stmt> {
        let rounds = 2 + self.rng.below(2);
        let mut body = vec![leave(Expr::Not(Box::new(less(TURN, constant(rounds)))))];
        body.extend([self.load(READ, FLAG), leave(equal(READ, self.goal))]);
        body.extend(self.keep());
        body.push(Stmt::Set { reg: TURN, value: plus_one(TURN) });
        vec![Stmt::Loop { body }]
    }

    fn nested(&mut self) -> Vec<Stmt> {
        let (step, done) = (vec![self.load(READ, FLAG)], self.is_set());
        let inner = if self.rng.chance(50) {
            vec![self.until(step, done.clone())]
        } else {
            vec![Stmt::Set { reg: TURN, value: constant(0) }, self.short(step, done.clone())]
        };
        let mut body = inner;
        body.push(self.load(READ, FLAG));
        body.push(leave(done));
        if self.rng.chance(50) {
            body.push(Stmt::Set { reg: COUNT, value: constant(1) });
        }
        vec![Stmt::Loop { body }]
    }

    /// A loop of two rounds at most.
    fn short(&mut self, mut step: Vec<Stmt>, done: Expr) -> Stmt {
        step.extend([leave(done), Stmt::Set { reg: TURN, value: plus_one(TURN) }]);
        step.push(leave(equal(TURN, 2)));
        Stmt::Loop { body: step }
    }

    /// The first round stands before the loop.
    fn peeled(&mut self) -> Vec<Stmt> {
        let (first, done) = (self.load(READ, FLAG), self.is_set());
        let mut inside = self.keep();
        let step = vec![self.load(READ, FLAG)];
        inside.push(self.until(step, done.clone()));
        vec![first, when(Expr::Not(Box::new(done)), inside)]
    }
}
