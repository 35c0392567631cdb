//! Executions that no model allows, and values that are no executions of the program at all.

use quotient_oracle::{Access, Execution, Kind, MemoryModel, Program, Source, consistent, parse, race};

fn program(text: &str) -> Program {
    parse(text).expect("a program").program
}

fn read(loc: usize, rf: Source, value: u64) -> Access {
    Access { kind: Kind::Read, loc: Some(loc), rf: Some(rf), read: Some(value), written: None }
}

fn write(loc: usize, value: u64) -> Access {
    Access { kind: Kind::Write, loc: Some(loc), rf: None, read: None, written: Some(value) }
}

fn update(loc: usize, rf: Source, old: u64, new: u64) -> Access {
    Access { kind: Kind::Update, loc: Some(loc), rf: Some(rf), read: Some(old), written: Some(new) }
}

fn allowed(program: &Program, execution: &Execution) -> Vec<MemoryModel> {
    MemoryModel::ALL.into_iter().filter(|model| consistent(program, execution, *model)).collect()
}

#[test]
fn updates_of_one_write_violate_atomicity() {
    let program = program("init x=0\nthreads 2 { r0 = add rlx x 1 }");
    let both = vec![vec![update(0, Source::Init, 0, 1)]; 2];
    for order in [[(0, 0), (1, 0)], [(1, 0), (0, 0)]] {
        assert_eq!(allowed(&program, &Execution { threads: both.clone(), co: vec![order.to_vec()] }), []);
    }
}

#[test]
fn a_write_within_an_update_violates_atomicity() {
    let program = program("init x=0\nthread { r0 = add rlx x 1 }\nthread { store rlx x 5 }");
    let threads = vec![vec![update(0, Source::Init, 0, 1)], vec![write(0, 5)]];
    let within = Execution { threads: threads.clone(), co: vec![vec![(1, 0), (0, 0)]] };
    assert_eq!(allowed(&program, &within), []);
    let after = Execution { threads, co: vec![vec![(0, 0), (1, 0)]] };
    assert_eq!(allowed(&program, &after), MemoryModel::ALL);
}

#[test]
fn cycles_of_program_order_and_reads_from_are_forbidden() {
    let program =
        program("init x=0 y=0\nthread { r0 = load rlx x; store rlx y 1 }\nthread { r0 = load rlx y; store rlx x 1 }");
    let threads =
        vec![vec![read(0, Source::Write(1, 1), 1), write(1, 1)], vec![read(1, Source::Write(0, 1), 1), write(0, 1)]];
    let execution = Execution { threads, co: vec![vec![(1, 1)], vec![(0, 1)]] };
    assert!(execution.registers(&program).is_some());
    assert_eq!(allowed(&program, &execution), []);
}

#[test]
fn what_the_program_does_not_do_is_no_execution() {
    let program = program("init x=0 y=3\nthread { store na x 1 }\nthread { r0 = load na x }");
    let good =
        Execution { threads: vec![vec![write(0, 1)], vec![read(0, Source::Init, 0)]], co: vec![vec![(0, 0)], vec![]] };
    assert_eq!(allowed(&program, &good), MemoryModel::ALL);
    assert!(race(&program, &good, MemoryModel::Rc11));
    assert_eq!(good.memory(&program), [1, 3]);
    let change = |change: fn(&mut Execution)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad
    };
    let bad = [
        change(|bad| bad.threads[0][0].written = Some(2)),
        change(|bad| bad.threads[0][0].loc = Some(1)),
        change(|bad| bad.threads[1][0].read = Some(1)),
        change(|bad| bad.threads[1][0].rf = Some(Source::Write(0, 9))),
        change(|bad| bad.threads[1][0].rf = Some(Source::Write(9, 0))),
        change(|bad| bad.threads[1][0].kind = Kind::Write),
        change(|bad| bad.threads[1].clear()),
        change(|bad| bad.threads.truncate(1)),
        change(|bad| bad.threads[1].push(write(0, 1))),
        change(|bad| bad.co[0].clear()),
        change(|bad| bad.co[0].push((0, 0))),
        change(|bad| bad.co[1].push((0, 0))),
        change(|bad| bad.co.truncate(1)),
    ];
    for execution in bad {
        assert_eq!(allowed(&program, &execution), [], "{execution:?}");
        assert!(!race(&program, &execution, MemoryModel::Sc));
    }
}
