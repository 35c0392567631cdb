//! How the models relate: what is included in what, and where two of them are the same.

use std::collections::BTreeSet;

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Execution, Instr, Mode, Model, Program, consistent, executions};

fn programs(count: u64, shape: Shape) -> impl Iterator<Item = Program> {
    (0..count).map(move |seed| program(seed, shape.clone()))
}

fn all(program: &Program, model: Model) -> BTreeSet<Execution> {
    executions(program, model).expect("small")
}

/// The program with its modes changed: first those of reads, then of writes, of updates and of fences.
fn with_modes(program: &Program, [read, write, update, fence]: [fn(Mode) -> Mode; 4]) -> Program {
    fn change(code: &mut [Instr], modes: [fn(Mode) -> Mode; 4]) {
        let [read, write, update, fence] = modes;
        for instr in code {
            match instr {
                Instr::Load { mode, .. } => *mode = read(*mode),
                Instr::Store { mode, .. } => *mode = write(*mode),
                Instr::Rmw { mode, .. } => *mode = update(*mode),
                Instr::Cas { success, failure, .. } => (*success, *failure) = (update(*success), read(*failure)),
                Instr::Fence { mode } => *mode = fence(*mode),
                Instr::If { then, otherwise, .. } => {
                    change(then, modes);
                    change(otherwise, modes);
                }
                Instr::Assume { .. } | Instr::Lock { .. } | Instr::Unlock { .. } => {}
            }
        }
    }
    let mut program = program.clone();
    program.threads.iter_mut().for_each(|thread| change(&mut thread.code, [read, write, update, fence]));
    program
}

#[test]
fn stronger_models_allow_less() {
    for program in programs(1_500, Shape { weak: true, ..Shape::default() }) {
        let [sc, tso, ra, rc11] = Model::ALL.map(|model| all(&program, model));
        assert!(sc.is_subset(&tso), "{program}");
        assert!(tso.is_subset(&ra), "{program}");
        assert!(tso.is_subset(&rc11), "{program}");
    }
}

#[test]
fn release_acquire_is_stronger_than_rc11_without_sc() {
    let weaken: fn(Mode) -> Mode = |mode| if mode == Mode::Sc { Mode::Rlx } else { mode };
    for program in programs(1_000, Shape::default()) {
        let program = with_modes(&program, [weaken, weaken, weaken, |_| Mode::AcqRel]);
        assert!(all(&program, Model::Ra).is_subset(&all(&program, Model::Rc11)), "{program}");
    }
}

#[test]
fn rc11_with_synchronising_accesses_only_is_release_acquire() {
    for program in programs(1_000, Shape::default()) {
        let program = with_modes(&program, [|_| Mode::Acq, |_| Mode::Rel, |_| Mode::AcqRel, |_| Mode::AcqRel]);
        assert_eq!(all(&program, Model::Ra), all(&program, Model::Rc11), "{program}");
    }
}

#[test]
fn sc_accesses_only_are_sequentially_consistent() {
    for program in programs(1_000, Shape::default()) {
        let program = with_modes(&program, [|_| Mode::Sc; 4]);
        let sc = all(&program, Model::Sc);
        assert_eq!(sc, all(&program, Model::Rc11), "{program}");
        assert_eq!(sc, all(&program, Model::Tso), "{program}");
    }
}

#[test]
fn weaker_modes_allow_more() {
    for program in programs(1_000, Shape { locks: 20, total: 7, ..Shape::default() }) {
        let weaker = with_modes(&program, [|_| Mode::Rlx, |_| Mode::Rlx, |_| Mode::Rlx, |mode| mode]);
        assert!(all(&program, Model::Rc11).is_subset(&all(&weaker, Model::Rc11)), "{program}");
        assert!(all(&program, Model::Tso).is_subset(&all(&weaker, Model::Tso)), "{program}");
    }
}

#[test]
fn consistency_of_one_execution_agrees_with_the_enumeration() {
    for program in programs(500, Shape::default()) {
        let found = Model::ALL.map(|model| all(&program, model));
        for execution in found.iter().flatten() {
            for (model, found) in Model::ALL.into_iter().zip(&found) {
                assert_eq!(consistent(&program, execution, model), found.contains(execution), "{model}\n{program}");
            }
        }
    }
}
