//! How the models relate: what is included in what, and where two of them are the same.

use std::collections::BTreeSet;

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Execution, Instr, MemoryModel, Mode, Program, consistent, executions, race};

fn programs(count: u64, shape: Shape) -> impl Iterator<Item = Program> {
    (0..count).map(move |seed| program(seed, shape.clone()))
}

fn all(program: &Program, model: MemoryModel) -> BTreeSet<Execution> {
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
                Instr::Assume { .. } | Instr::Set { .. } | Instr::Lock { .. } | Instr::Unlock { .. } => {}
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
        let [sc, tso, ra, rc11] = MemoryModel::ALL.map(|model| all(&program, model));
        assert!(sc.is_subset(&tso), "{program}");
        assert!(tso.is_subset(&rc11), "{program}");
        assert!(rc11.is_subset(&ra), "{program}");
    }
}

/// The mode in place of SC, and other modes as they are.
fn unless_sc(mode: Mode, instead: Mode) -> Mode {
    if mode == Mode::Sc { instead } else { mode }
}

#[test]
fn release_acquire_is_rc11_with_sc_weakened() {
    let shapes = [Shape::default(), Shape { locks: 20, total: 7, weak: true, non_atomic: 30, ..Shape::default() }];
    for program in shapes.into_iter().flat_map(|shape| programs(1_000, shape)) {
        let weaker = with_modes(
            &program,
            [
                |mode| unless_sc(mode, Mode::Acq),
                |mode| unless_sc(mode, Mode::Rel),
                |mode| unless_sc(mode, Mode::AcqRel),
                |mode| unless_sc(mode, Mode::AcqRel),
            ],
        );
        let found = all(&program, MemoryModel::Ra);
        assert_eq!(found, all(&weaker, MemoryModel::Rc11), "{program}");
        assert_eq!(found, all(&weaker, MemoryModel::Ra), "{program}");
        for execution in &found {
            let races = race(&program, execution, MemoryModel::Ra);
            assert_eq!(races, race(&weaker, execution, MemoryModel::Rc11), "{program}");
        }
    }
}

#[test]
fn rc11_with_synchronising_accesses_only_is_release_acquire() {
    for program in programs(1_000, Shape::default()) {
        let program = with_modes(&program, [|_| Mode::Acq, |_| Mode::Rel, |_| Mode::AcqRel, |_| Mode::AcqRel]);
        assert_eq!(all(&program, MemoryModel::Ra), all(&program, MemoryModel::Rc11), "{program}");
    }
}

#[test]
fn sc_accesses_only_are_sequentially_consistent() {
    for program in programs(1_000, Shape::default()) {
        let program = with_modes(&program, [|_| Mode::Sc; 4]);
        let sc = all(&program, MemoryModel::Sc);
        assert_eq!(sc, all(&program, MemoryModel::Rc11), "{program}");
        assert_eq!(sc, all(&program, MemoryModel::Tso), "{program}");
    }
}

#[test]
fn weaker_modes_allow_more() {
    for program in programs(1_000, Shape { locks: 20, total: 7, ..Shape::default() }) {
        let weaker = with_modes(&program, [|_| Mode::Rlx, |_| Mode::Rlx, |_| Mode::Rlx, |mode| mode]);
        for model in MemoryModel::ALL {
            assert!(all(&program, model).is_subset(&all(&weaker, model)), "{model}\n{program}");
        }
    }
}

#[test]
fn consistency_of_one_execution_agrees_with_the_enumeration() {
    for program in programs(500, Shape::default()) {
        let found = MemoryModel::ALL.map(|model| all(&program, model));
        for execution in found.iter().flatten() {
            for (model, found) in MemoryModel::ALL.into_iter().zip(&found) {
                assert_eq!(consistent(&program, execution, model), found.contains(execution), "{model}\n{program}");
            }
        }
    }
}
