//! Runs the oracle's small programs on the explorer: an interpreter that asks the explorer at every access.
#![allow(dead_code, reason = "not every test uses all of it")]

use quotient_dpor::graph::{EventId, Graph, Kind, Order, Rmw, Update, When};
use quotient_dpor::{Ending, Explorer, MemoryModel, Operation, Settings, Statistics, Step, ViolationKind};
use quotient_oracle::{Access, Execution, Instr, Mode, Op, Program, Source};
use std::panic::Location;

/// What the explorer has found about a program.
#[derive(Debug, Default)]
pub(crate) struct Exploration {
    /// Every complete execution, as often as it was found.
    pub executions: Vec<Execution>,
    pub statistics: Statistics,
    pub races: usize,
    pub stuck: usize,
}

pub(crate) fn model(model: quotient_oracle::MemoryModel) -> MemoryModel {
    match model {
        quotient_oracle::MemoryModel::Sc => MemoryModel::Sc,
        quotient_oracle::MemoryModel::Tso => MemoryModel::Tso,
        quotient_oracle::MemoryModel::Ra => MemoryModel::Ra,
        quotient_oracle::MemoryModel::Rc11 => MemoryModel::Rc11,
    }
}

/// Explores all executions of `program`.
pub(crate) fn explore(program: &Program, model: MemoryModel, symmetry: bool) -> Exploration {
    explore_share(program, model, symmetry, (0, 1))
}

/// Explores one of several parts of all executions.
pub(crate) fn explore_share(
    program: &Program,
    model: MemoryModel,
    symmetry: bool,
    (index, of): (u32, u32),
) -> Exploration {
    let mut explorer = Explorer::new(Settings { model, symmetry, ..Settings::default() });
    explorer.take_share(index, of);
    let mut found = Exploration::default();
    loop {
        match run(program, &mut explorer) {
            Ending::Complete => found.executions.push(execution(program, explorer.graph())),
            Ending::Stuck => found.stuck += 1,
            Ending::Violation => {
                let violation = explorer.clear_violation().expect("a violation");
                assert_eq!(violation.kind, ViolationKind::Race, "{}", violation.message);
                found.races += 1;
            }
            Ending::Blocked | Ending::Abandoned => {}
        }
        if !explorer.backtrack() {
            break;
        }
    }
    found.statistics = explorer.statistics();
    found
}

/// Every execution with its text, without symmetry.
pub(crate) fn explore_with_texts(program: &Program, model: MemoryModel) -> Vec<(Followed, String)> {
    let mut explorer = Explorer::new(Settings { model, symmetry: false, ..Settings::default() });
    let mut found = Vec::new();
    loop {
        let ending = run(program, &mut explorer);
        let text = explorer.script();
        if ending != Ending::Abandoned {
            found.push((what_came(program, &mut explorer, ending), text));
        }
        if !explorer.backtrack() {
            return found;
        }
    }
}

/// What came of a text.
#[derive(Debug, PartialEq)]
pub(crate) enum Followed {
    Complete(Execution),
    Blocked,
    Violation(String),
    /// It is not an execution of the program.
    Error(String),
}

/// Runs the execution that a text stands for.
pub(crate) fn follow(program: &Program, model: MemoryModel, text: &str) -> Followed {
    let mut explorer = Explorer::new(Settings { model, symmetry: false, ..Settings::default() });
    if let Err(problem) = explorer.follow(text) {
        return Followed::Error(problem.to_string());
    }
    let ending = run(program, &mut explorer);
    what_came(program, &mut explorer, ending)
}

fn what_came(program: &Program, explorer: &mut Explorer, ending: Ending) -> Followed {
    match ending {
        Ending::Complete => Followed::Complete(execution(program, explorer.graph())),
        Ending::Violation => {
            let violation = explorer.clear_violation().expect("a violation");
            match violation.kind {
                ViolationKind::Replay => Followed::Error(violation.message),
                _ => Followed::Violation(violation.message),
            }
        }
        Ending::Blocked | Ending::Stuck | Ending::Abandoned => Followed::Blocked,
    }
}

/// A thread of the interpreter: what is left to do, the innermost block last.
struct Thread<'a> {
    blocks: Vec<&'a [Instr]>,
    registers: Vec<u64>,
}

fn run(program: &Program, explorer: &mut Explorer) -> Ending {
    let site = Location::caller();
    explorer.start(site);
    // Locations are numbered as in the program.
    let mut bound = vec![None; program.init.len()];
    let mut threads: Vec<Option<Thread>> = vec![];
    let mut spawned = 0;
    let mut numbers = vec![0; program.threads.len() + 1];
    while let Some(number) = explorer.next_thread() {
        if number == 0 {
            let operation = match program.threads.get(spawned) {
                Some(_) => Operation::Spawn { class: class(program, spawned) },
                None => Operation::End,
            };
            if let Step::Done(child, _) = explorer.step(0, &operation, site)
                && spawned < program.threads.len()
            {
                let child = child as usize;
                threads.resize_with(threads.len().max(child + 1), || None);
                numbers[spawned + 1] = child;
                let code = &program.threads[spawned];
                threads[child] = Some(Thread { blocks: vec![&code.code], registers: vec![0; code.registers() + 1] });
                spawned += 1;
            }
            continue;
        }
        step(program, explorer, number, threads[number as usize].as_mut().expect("spawned"), &mut bound);
    }
    assert!(numbers.iter().enumerate().all(|(index, &number)| number == 0 || number == index));
    explorer.finish()
}

/// Equal threads have equal classes if they follow each other, which is what the oracle calls a class.
fn class(program: &Program, thread: usize) -> u64 {
    let classes = quotient_oracle::classes(program);
    1 + classes.iter().position(|class| class.contains(&thread)).expect("one of them") as u64
}

/// Makes one visible step of a thread, and what follows it invisibly.
fn step<'a>(
    program: &'a Program,
    explorer: &mut Explorer,
    number: u32,
    thread: &mut Thread<'a>,
    bound: &mut [Option<u32>],
) {
    let site = Location::caller();
    loop {
        let Some(block) = thread.blocks.last().copied() else {
            explorer.step(number, &Operation::End, site);
            return;
        };
        let Some((instruction, rest)) = block.split_first() else {
            thread.blocks.pop();
            continue;
        };
        if let Instr::If { cond, then, otherwise } = instruction {
            *thread.blocks.last_mut().expect("a block") = rest;
            thread.blocks.push(if cond.eval(&thread.registers) != 0 { then } else { otherwise });
            continue;
        }
        if let Instr::Set { reg, value } = instruction {
            thread.registers[*reg] = value.eval(&thread.registers);
            *thread.blocks.last_mut().expect("a block") = rest;
            continue;
        }
        if let Instr::Assume { cond } = instruction
            && cond.eval(&thread.registers) != 0
        {
            *thread.blocks.last_mut().expect("a block") = rest;
            continue;
        }
        if explorer.must_wait(number) {
            return;
        }
        let mut place = |location: usize| {
            *bound[location].get_or_insert_with(|| match explorer.location_of_next(number) {
                Some(known) => {
                    explorer.set_init(number, known, program.init[location]);
                    known
                }
                None => explorer.new_location(program.init[location]),
            })
        };
        let registers = &thread.registers;
        let read =
            |location, orders, update, weak| Operation::Read { location, orders, update, when: When::Always, weak };
        let operation = match instruction {
            Instr::Load { loc, mode, .. } => read(place(*loc), (order(*mode), order(*mode)), Update::Load, false),
            Instr::Store { loc, mode, value } => {
                let value = value.eval(registers);
                Operation::Write { location: place(*loc), order: order(*mode), value, frees: false }
            }
            Instr::Rmw { loc, mode, op, value, .. } => {
                let update = Update::Fetch { op: operator(*op), operand: value.eval(registers), bits: 64 };
                read(place(*loc), (order(*mode), order(*mode)), update, false)
            }
            Instr::Cas { loc, success, failure, expected, new, weak, .. } => {
                let update = Update::Exchange { expected: expected.eval(registers), new: new.eval(registers) };
                read(place(*loc), (order(*success), order(*failure)), update, *weak)
            }
            Instr::Fence { mode } => Operation::Fence(order(*mode)),
            Instr::Lock { loc } => Operation::Read {
                location: place(*loc),
                orders: (Order::Acquire, Order::Relaxed),
                update: Update::Fetch { op: Rmw::Swap, operand: 1, bits: 64 },
                when: When::Is(0),
                weak: false,
            },
            Instr::Unlock { loc } => {
                Operation::Write { location: place(*loc), order: Order::Release, value: 0, frees: false }
            }
            Instr::Assume { .. } => Operation::Block(0),
            Instr::If { .. } | Instr::Set { .. } => unreachable!("handled above"),
        };
        let Step::Done(value, happened) = explorer.step(number, &operation, site) else { return };
        match instruction {
            Instr::Load { reg, .. } | Instr::Rmw { reg, .. } => thread.registers[*reg] = value,
            Instr::Cas { reg, ok, .. } => {
                thread.registers[*reg] = value;
                if let Some(ok) = ok {
                    thread.registers[*ok] = happened as u64;
                }
            }
            Instr::Assume { .. } => return,
            _ => {}
        }
        *thread.blocks.last_mut().expect("a block") = rest;
    }
}

fn order(mode: Mode) -> Order {
    match mode {
        Mode::Na => Order::Plain,
        Mode::Rlx => Order::Relaxed,
        Mode::Acq => Order::Acquire,
        Mode::Rel => Order::Release,
        Mode::AcqRel => Order::AcqRel,
        Mode::Sc => Order::SeqCst,
    }
}

fn operator(op: Op) -> Rmw {
    match op {
        Op::Add => Rmw::Add,
        Op::Sub => Rmw::Sub,
        Op::And => Rmw::And,
        Op::Or => Rmw::Or,
        Op::Xor => Rmw::Xor,
        Op::Swap => Rmw::Swap,
        Op::Max => Rmw::Max,
        Op::Min => Rmw::Min,
    }
}

/// The graph in the oracle's terms. Locations get the program's numbers by the first access in some thread, which is
/// how the explorer numbered them; the program's own numbers are found again through the code.
fn execution(program: &Program, graph: &Graph) -> Execution {
    let mut names: Vec<Option<usize>> = vec![None; graph.location_count()];
    let mut indices = std::collections::HashMap::new();
    let mut threads = Vec::new();
    for (number, code) in program.threads.iter().enumerate() {
        let events = &graph.threads()[number + 1].events;
        let mut count = 0;
        for (position, event) in events.iter().enumerate() {
            let id = EventId::new(number as u32 + 1, position as u32);
            match event.kind {
                Kind::Read | Kind::Fence => {
                    indices.insert(id, (number, count));
                    count += 1;
                }
                Kind::Write if event.exclusive => {
                    indices.insert(id, (number, count - 1));
                }
                Kind::Write => {
                    indices.insert(id, (number, count));
                    count += 1;
                }
                _ => {}
            }
        }
        let values: Vec<u64> =
            events.iter().filter(|event| event.kind == Kind::Read).map(|event| event.value).collect();
        name_locations(code, events, &values, &mut names);
    }
    for (number, _) in program.threads.iter().enumerate() {
        let events = &graph.threads()[number + 1].events;
        let mut accesses: Vec<Access> = Vec::new();
        for event in events {
            let loc = || names[event.location as usize];
            match event.kind {
                Kind::Read => accesses.push(Access {
                    kind: if event.exclusive { quotient_oracle::Kind::Update } else { quotient_oracle::Kind::Read },
                    loc: loc(),
                    rf: Some(match event.other {
                        EventId::INIT => Source::Init,
                        write => Source::Write(indices[&write].0, indices[&write].1),
                    }),
                    read: Some(event.value),
                    written: None,
                }),
                Kind::Write if event.exclusive => accesses.last_mut().expect("its read").written = Some(event.value),
                Kind::Write => accesses.push(Access {
                    kind: quotient_oracle::Kind::Write,
                    loc: loc(),
                    rf: None,
                    read: None,
                    written: Some(event.value),
                }),
                Kind::Fence => accesses.push(Access {
                    kind: quotient_oracle::Kind::Fence,
                    loc: None,
                    rf: None,
                    read: None,
                    written: None,
                }),
                _ => {}
            }
        }
        threads.push(accesses);
    }
    let mut co = vec![Vec::new(); program.init.len()];
    for (location, name) in names.iter().enumerate() {
        if let Some(name) = name {
            co[*name] = graph.location(location as u32).writes.iter().map(|write| indices[write]).collect();
        }
    }
    Execution { threads, co }
}

/// Walks a thread's code along its events, to learn which location of the graph is which of the program.
fn name_locations(
    thread: &quotient_oracle::Thread,
    events: &[quotient_dpor::graph::Event],
    values: &[u64],
    names: &mut [Option<usize>],
) {
    let mut registers = vec![0; thread.registers() + 1];
    let mut blocks: Vec<&[Instr]> = vec![&thread.code];
    let mut accesses =
        events.iter().filter(|event| event.is_access() && !(event.kind == Kind::Write && event.exclusive));
    let mut reads = values.iter();
    let mut exclusives = events.iter().filter(|event| event.kind == Kind::Read).map(|event| event.exclusive);
    while let Some(block) = blocks.pop() {
        let Some((instruction, rest)) = block.split_first() else { continue };
        blocks.push(rest);
        let mut name = |loc: usize| names[accesses.next().expect("an access").location as usize] = Some(loc);
        match instruction {
            Instr::Load { reg, loc, .. } | Instr::Rmw { reg, loc, .. } => {
                name(*loc);
                registers[*reg] = *reads.next().expect("a read");
                exclusives.next();
            }
            Instr::Cas { reg, ok, loc, .. } => {
                name(*loc);
                registers[*reg] = *reads.next().expect("a read");
                let happened = exclusives.next().expect("a read");
                if let Some(ok) = ok {
                    registers[*ok] = happened as u64;
                }
            }
            Instr::Lock { loc } => {
                name(*loc);
                reads.next();
                exclusives.next();
            }
            Instr::Store { loc, .. } | Instr::Unlock { loc } => name(*loc),
            Instr::If { cond, then, otherwise } => {
                blocks.push(if cond.eval(&registers) != 0 { then } else { otherwise });
            }
            Instr::Set { reg, value } => registers[*reg] = value.eval(&registers),
            Instr::Fence { .. } | Instr::Assume { .. } => {}
        }
    }
}
