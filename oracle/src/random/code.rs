//! The code of one random thread. Accesses are drawn one by one; registers are fresh, so that every value read can be
//! told at the end (as in the litmus tests of Alglave, Maranget, Tautschnig, TOPLAS 2014).

use super::Shape;
use super::rng::Rng;
use crate::program::{Expr, Instr, Mode, Op};

/// The taste of a program in modes. Programs of one taste are where the models differ most.
#[derive(Clone, Copy)]
pub(super) enum Taste {
    Mixed,
    Relaxed,
    Fenced,
    ReleaseAcquire,
    Sc,
}

/// Writes the code of one thread.
pub(super) struct Writer<'a> {
    pub rng: &'a mut Rng,
    pub shape: &'a Shape,
    pub taste: Taste,
    /// Registers assigned so far.
    pub registers: usize,
}

impl Writer<'_> {
    /// Code of so many accesses and fences to the first `locations` locations.
    pub(super) fn code(&mut self, len: u64, locations: u64) -> Vec<Instr> {
        let mut code = Vec::new();
        for _ in 0..len {
            let branch = self.registers > 0 && self.rng.chance(self.shape.branches);
            if branch {
                let cond = self.condition();
                let then = vec![self.any(locations)];
                let otherwise = if self.rng.chance(40) { vec![self.any(locations)] } else { Vec::new() };
                code.push(Instr::If { cond, then, otherwise });
            } else {
                code.push(self.any(locations));
            }
            if self.registers > 0 && self.rng.chance(self.shape.assumes) {
                code.push(Instr::Assume { cond: self.condition() });
            }
        }
        code
    }

    /// An access or a fence.
    fn any(&mut self, locations: u64) -> Instr {
        let fences = if let Taste::Fenced = self.taste { 3 * self.shape.fences } else { self.shape.fences };
        if self.rng.chance(fences) {
            return self.fence();
        }
        let loc = self.rng.below(locations) as usize;
        self.access(loc)
    }

    pub(super) fn fence(&mut self) -> Instr {
        Instr::Fence { mode: self.rng.pick(&[Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc, Mode::Sc, Mode::Sc]) }
    }

    pub(super) fn access(&mut self, loc: usize) -> Instr {
        if self.rng.chance(self.shape.updates) {
            self.update(loc)
        } else if self.rng.chance(50) {
            let mode = self.mode(&[Mode::Rlx, Mode::Rel, Mode::Sc], Mode::Rel);
            Instr::Store { loc, mode, value: self.value() }
        } else {
            let mode = self.mode(&[Mode::Rlx, Mode::Acq, Mode::Sc], Mode::Acq);
            Instr::Load { reg: self.register(), loc, mode }
        }
    }

    fn update(&mut self, loc: usize) -> Instr {
        let mode = self.atomic(&[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc], Mode::AcqRel);
        if self.rng.chance(50) {
            let op = self.rng.pick(&[Op::Add, Op::Add, Op::Swap, Op::Or, Op::Sub, Op::Xor, Op::And, Op::Max, Op::Min]);
            let value = self.value();
            return Instr::Rmw { reg: self.register(), loc, mode, op, value };
        }
        let failure = self.atomic(&[Mode::Rlx, Mode::Acq, Mode::Sc], Mode::Acq);
        let expected = Expr::Const(self.rng.pick(&[0, 0, 1, 2]));
        let new = self.value();
        let weak = self.shape.weak && self.rng.chance(50);
        let reg = self.register();
        let ok = self.rng.chance(50).then(|| self.register());
        Instr::Cas { reg, ok, loc, success: mode, failure, expected, new, weak }
    }

    fn mode(&mut self, all: &[Mode], synchronising: Mode) -> Mode {
        if self.rng.chance(self.shape.non_atomic) { Mode::Na } else { self.atomic(all, synchronising) }
    }

    /// A mode to the taste of the program.
    fn atomic(&mut self, all: &[Mode], synchronising: Mode) -> Mode {
        match self.taste {
            Taste::Mixed => self.rng.pick(all),
            Taste::Relaxed | Taste::Fenced => Mode::Rlx,
            Taste::ReleaseAcquire => synchronising,
            Taste::Sc if self.rng.chance(15) => self.rng.pick(all),
            Taste::Sc => Mode::Sc,
        }
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
            4 => Expr::Or(self.known(), Box::new(Expr::And(self.known(), constant))),
            _ => Expr::Eq(self.known(), constant),
        }
    }
}
