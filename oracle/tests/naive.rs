//! The enumerator loses nothing and invents nothing: it agrees with one that guesses all sources and all orders blindly,
//! with an interpreter of its own.

use std::collections::BTreeSet;

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Access, Execution, Instr, Kind, MemoryModel, Program, Source, consistent, executions};

/// How running a thread on guessed sources ends.
enum End {
    Finished,
    /// At a read whose source has not been guessed.
    NeedsGuess,
    /// At a read whose source does not exist, or not yet; at a lock that is taken; at a failed assumption.
    Stuck,
}

/// A thread under way: what it has done, with the sources guessed for its reads.
struct Runner<'a> {
    program: &'a Program,
    known: &'a [Vec<Access>],
    guesses: &'a [Source],
    guessed: usize,
    registers: Vec<u64>,
    done: Vec<Access>,
}

impl Runner<'_> {
    fn run(&mut self, code: &[Instr]) -> End {
        for instr in code {
            let end = match instr {
                Instr::If { cond, then, otherwise } => {
                    self.run(if cond.eval(&self.registers) != 0 { then } else { otherwise })
                }
                Instr::Assume { cond } if cond.eval(&self.registers) == 0 => End::Stuck,
                Instr::Assume { .. } => End::Finished,
                Instr::Set { reg, value } => {
                    self.registers[*reg] = value.eval(&self.registers);
                    End::Finished
                }
                access => self.access(access),
            };
            if !matches!(end, End::Finished) {
                return end;
            }
        }
        End::Finished
    }

    fn access(&mut self, instr: &Instr) -> End {
        let mut write = |kind, loc, source: Option<(Source, u64)>, written| {
            let (rf, read) = source.unzip();
            self.done.push(Access { kind, loc, rf, read, written });
            End::Finished
        };
        let loc = match instr {
            Instr::Fence { .. } => return write(Kind::Fence, None, None, None),
            Instr::Store { loc, value, .. } => {
                let value = value.eval(&self.registers);
                return write(Kind::Write, Some(*loc), None, Some(value));
            }
            Instr::Unlock { loc } => return write(Kind::Write, Some(*loc), None, Some(0)),
            Instr::Load { loc, .. } | Instr::Rmw { loc, .. } | Instr::Cas { loc, .. } | Instr::Lock { loc } => *loc,
            Instr::If { .. } | Instr::Assume { .. } | Instr::Set { .. } => return End::Finished,
        };
        let Some(&rf) = self.guesses.get(self.guessed) else { return End::NeedsGuess };
        let value = match rf {
            Source::Init => Some(self.program.init[loc]),
            Source::Write(thread, index) => {
                let write = self.known[thread].get(index).filter(|write| write.loc == Some(loc));
                write.and_then(|write| write.written)
            }
        };
        let Some(old) = value else { return End::Stuck };
        self.guessed += 1;
        let written = match instr {
            Instr::Rmw { op, value, .. } => Some(op.apply(old, value.eval(&self.registers))),
            Instr::Cas { expected, new, .. } => {
                (expected.eval(&self.registers) == old).then(|| new.eval(&self.registers))
            }
            Instr::Lock { .. } if old != 0 => return End::Stuck,
            Instr::Lock { .. } => Some(1),
            _ => None,
        };
        if let Instr::Load { reg, .. } | Instr::Rmw { reg, .. } | Instr::Cas { reg, .. } = instr {
            self.registers[*reg] = old;
        }
        if let Instr::Cas { ok: Some(ok), .. } = instr {
            self.registers[*ok] = u64::from(written.is_some());
        }
        let kind = if written.is_some() { Kind::Update } else { Kind::Read };
        self.done.push(Access { kind, loc: Some(loc), rf: Some(rf), read: Some(old), written });
        End::Finished
    }
}

/// All complete executions with the sources guessed so far, without coherence order.
fn guess(program: &Program, guesses: &mut Vec<Vec<Source>>, found: &mut Vec<Vec<Vec<Access>>>) {
    let mut known = vec![Vec::new(); program.threads.len()];
    // Each round may make known what another thread reads from.
    let ends = loop {
        let mut ends = Vec::new();
        let mut after = Vec::new();
        for (thread, guesses) in program.threads.iter().zip(guesses.iter()) {
            let registers = vec![0; thread.registers()];
            let mut runner = Runner { program, known: &known, guesses, guessed: 0, registers, done: Vec::new() };
            ends.push(runner.run(&thread.code));
            after.push(runner.done);
        }
        if after == known {
            break ends;
        }
        known = after;
    };
    if let Some(thread) = ends.iter().position(|end| matches!(end, End::NeedsGuess)) {
        let most = 6;
        let writes = (0..program.threads.len()).flat_map(|thread| (0..most).map(move |k| Source::Write(thread, k)));
        for source in [Source::Init].into_iter().chain(writes) {
            guesses[thread].push(source);
            guess(program, guesses, found);
            guesses[thread].pop();
        }
    } else if ends.iter().all(|end| matches!(end, End::Finished)) {
        found.push(known);
    }
}

/// All orders of some writes.
fn orders(writes: &[(usize, usize)]) -> Vec<Vec<(usize, usize)>> {
    let Some((first, rest)) = writes.split_first() else { return vec![Vec::new()] };
    let insert = |order: Vec<(usize, usize)>| {
        (0..=order.len()).map(move |at| order[..at].iter().chain([first]).chain(&order[at..]).copied().collect())
    };
    orders(rest).into_iter().flat_map(|order| insert(order).collect::<Vec<_>>()).collect()
}

/// All executions with all coherence orders, allowed or not.
fn candidates(program: &Program) -> Vec<Execution> {
    let mut graphs = Vec::new();
    guess(program, &mut vec![Vec::new(); program.threads.len()], &mut graphs);
    let mut candidates = Vec::new();
    for threads in graphs {
        let mut all = vec![Vec::new()];
        for loc in 0..program.init.len() {
            let places = threads.iter().enumerate().flat_map(|(t, own)| (0..own.len()).map(move |k| (t, k)));
            let is_write = |&(t, k): &(usize, usize)| {
                let access: &Access = &threads[t][k];
                access.loc == Some(loc) && access.written.is_some()
            };
            let writes: Vec<_> = places.filter(is_write).collect();
            let orders = orders(&writes);
            let extend = |co: &Vec<Vec<(usize, usize)>>| -> Vec<Vec<Vec<(usize, usize)>>> {
                orders.iter().map(|order| co.iter().chain([order]).cloned().collect()).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        candidates.extend(all.into_iter().map(|co| Execution { threads: threads.clone(), co }));
    }
    candidates
}

#[test]
fn the_enumerator_agrees_with_blind_guessing() {
    let loose = Shape { threads: 2..=3, total: 4, branches: 30, updates: 40, ..Shape::default() };
    let locked = Shape { threads: 2..=2, total: 2, rings: 0, locks: 80, ..Shape::default() };
    let narrow = Shape { threads: 2..=2, total: 5, rings: 0, locations: 1..=2, symmetric: 100, ..Shape::default() };
    for seed in 0..600 {
        let shape = [&loose, &locked, &narrow][(seed % 3) as usize].clone();
        let program = program(seed, shape);
        let candidates = candidates(&program);
        for model in MemoryModel::ALL {
            let allowed = candidates.iter().filter(|execution| consistent(&program, execution, model));
            let allowed: BTreeSet<Execution> = allowed.cloned().collect();
            assert_eq!(executions(&program, model).expect("small"), allowed, "{model}\n{program}");
        }
    }
}
