//! The oracle for loops against itself: the machine, which needs no bound, and unrolled programs give the same answers.

use std::collections::BTreeSet;

use quotient_oracle::loops::random::{Shape, program};
use quotient_oracle::loops::{Answer, Program, REGISTERS, answer, unroll};
use quotient_oracle::{MemoryModel, Outcome, buffered, executions_within};

const LIMIT: usize = 200_000;

/// The final states of the unrolled program under SC, by the axioms.
fn unrolled(program: &Program, bound: usize) -> Option<BTreeSet<Outcome>> {
    let unrolled = unroll(program, bound);
    let mut finals = BTreeSet::new();
    for execution in executions_within(&unrolled, MemoryModel::Sc, LIMIT).ok()? {
        let registers = execution.registers(&unrolled)?;
        if registers.iter().all(|registers| registers[REGISTERS] == 0) {
            let registers = registers.iter().map(|all| all[..REGISTERS].to_vec()).collect();
            finals.insert(Outcome { registers, memory: execution.memory(&unrolled) });
        }
    }
    Some(finals)
}

/// The same under TSO, by the machine for programs without loops.
fn unrolled_tso(program: &Program, bound: usize) -> BTreeSet<Outcome> {
    let outcomes = buffered(&unroll(program, bound)).into_iter();
    let complete = outcomes.filter(|outcome| outcome.registers.iter().all(|registers| registers[REGISTERS] == 0));
    let cut = |outcome: Outcome| {
        let registers = outcome.registers.iter().map(|all| all[..REGISTERS].to_vec()).collect();
        Outcome { registers, memory: outcome.memory }
    };
    complete.map(cut).collect()
}

#[test]
fn the_machine_and_unrolled_programs_agree() {
    let (mut same, mut larger) = (0, 0);
    for seed in 0..400 {
        let program = program(seed, Shape::default());
        let Ok(Answer { finals, .. }) = answer(&program, MemoryModel::Sc, 0, LIMIT) else { continue };
        let Some(found) = unrolled(&program, 4) else { continue };
        assert!(found.is_subset(&finals), "{program}");
        if found == finals { same += 1 } else { larger += 1 }
    }
    assert!(same > 350, "{same} programs need four rounds at most, {larger} more");
}

#[test]
fn the_machine_with_buffers_and_unrolled_programs_agree() {
    let (mut same, mut larger) = (0, 0);
    for seed in 0..400 {
        let program = program(seed, Shape::default());
        let Ok(Answer { finals, .. }) = answer(&program, MemoryModel::Tso, 0, LIMIT) else { continue };
        let found = unrolled_tso(&program, 4);
        assert!(found.is_subset(&finals), "{program}");
        if found == finals { same += 1 } else { larger += 1 }
    }
    assert!(same > 350, "{same} programs need four rounds at most, {larger} more");
}

/// Weaker models have more final states, and one more round seldom makes a difference.
#[test]
fn answers_grow_from_model_to_model_and_settle() {
    let (mut settled, mut stuck, mut several, mut weaker) = (0, 0, 0, 0);
    for seed in 0..300 {
        let program = program(seed, Shape::default());
        let of = |model, bound| answer(&program, model, bound, LIMIT).ok();
        let (Some(sc), Some(rc11), Some(more)) =
            (of(MemoryModel::Sc, 3), of(MemoryModel::Rc11, 3), of(MemoryModel::Rc11, 4))
        else {
            continue;
        };
        assert!(sc.finals.is_subset(&rc11.finals), "{program}");
        assert!(rc11.finals.is_subset(&more.finals), "{program}");
        settled += u32::from(rc11 == more);
        stuck += u32::from(more.stuck);
        several += u32::from(more.finals.len() > 1);
        weaker += u32::from(more.finals.len() > sc.finals.len());
    }
    assert!(settled > 250, "{settled} have settled");
    assert!(stuck < 60, "{stuck} can get stuck");
    assert!(several > 200, "{several} have several final states");
    assert!(weaker > 20, "{weaker} have more final states than under SC");
}
