//! Symmetry on random systems: processes that do the same around a ring. What is found is what the naive search finds, up to the names;
//! symmetry that only seems to be there is noticed. `QUOTIENT_SYSTEMS` is the number of systems.

use quotient_generate::random::Random;
use quotient_system::script::{Line, Scripts};
use quotient_system::{
    Compare, Damage, Dropped, Exploration, Op, Options, Program, SemEntry, SemOp, Symmetry, System, Timeout, Unwatched,
    ViolationKind, compare_symmetric, explore,
};

/// A system of `n` processes around a ring. `odd` says which line of the first one is another, and what it is.
fn ring(random: &mut Random, n: usize, odd: Option<&mut Random>) -> Vec<Line> {
    let mut lines = vec![
        Line::Do(Op::Sem(SemOp::Get { key: None, count: n + 1, create: true, exclusive: false })),
        Line::Copy { from: 0, to: 2 },
    ];
    let value = random.below(2) as i32;
    for index in 0..=n {
        lines.push(Line::On(2, Op::Sem(SemOp::SetValue { id: 0, index, value })));
    }
    // Pipes are everybody's; semaphores are between neighbours.
    for pipe in 0..2 {
        lines.push(Line::Do(Op::Pipe { read: 50 + 2 * pipe, write: 51 + 2 * pipe, nonblocking: false }));
    }
    let count = random.between(2, 4);
    let loops = random.chance(30);
    let choices: Vec<[usize; 4]> =
        (0..count).map(|_| [random.below(9), random.below(2), random.below(3), random.below(2)]).collect();
    let strange = odd.map(|odd| (odd.below(count), [odd.below(9), odd.below(2), odd.below(3), odd.below(2)]));
    for process in 0..n {
        let mut part = Vec::new();
        part.extend([Line::Set(0, 0), Line::Set(1, -1)]);
        let first = part.len();
        for (at, choice) in choices.iter().enumerate() {
            let choice = match strange {
                Some((line, other)) if line == at && process == 0 => other,
                _ => *choice,
            };
            part.push(line(choice, process, n));
        }
        let start = lines.len() + if process + 1 < n { 3 } else { 0 };
        if loops {
            part.extend([Line::Set(0, 0), Line::Set(1, -1), Line::Jump(start + first)]);
        }
        part.push(Line::Do(Op::Exit { status: 0 }));
        if process + 1 < n {
            lines.push(Line::Do(Op::Fork { waits: false }));
            lines.push(Line::If(0, 0, start));
            lines.push(Line::Jump(start + part.len()));
        }
        lines.extend(part);
    }
    lines
}

fn line([kind, near, byte, which]: [usize; 4], process: usize, n: usize) -> Line {
    let index = if byte == 2 { n } else { (process + near) % n };
    let change = |by: i32, no_wait: bool| {
        let entries = vec![SemEntry { index, by, no_wait, undo: false }];
        Line::On(2, Op::Sem(SemOp::Change { id: 0, entries, timeout: Timeout::Never }))
    };
    match kind {
        0 | 1 => change(-1, false),
        2 | 3 => change(1, false),
        4 => Line::Do(Op::Read { fd: 50 + 2 * near as i32, count: 1, at: None }),
        5 | 6 => Line::Do(Op::Write { fd: 51 + 2 * near as i32, bytes: vec![7 + which as u8], at: None }),
        7 => change(-1, true),
        _ => Line::Assert(which, if which == 0 { 0 } else { 7 }),
    }
}

fn system() -> System {
    System { programs: vec![Program::default()], ..System::default() }
}

fn kinds(found: &Exploration) -> Vec<ViolationKind> {
    let mut kinds: Vec<ViolationKind> = found.violations.iter().map(|violation| violation.kind.clone()).collect();
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    kinds.dedup();
    kinds
}

fn number() -> u64 {
    std::env::var("QUOTIENT_SYSTEMS").ok().map_or(200, |text| text.parse().expect("a number"))
}

fn dropped(found: &Exploration) -> bool {
    found.dropped.iter().any(|dropped| matches!(dropped, Dropped::Symmetry(_)))
}

#[test]
fn symmetric_systems_are_searched_once_for_all_names() {
    let kept = |options: Options| Options { symmetry: Symmetry::Ring, keep: true, all_violations: true, ..options };
    let stateless = Options { most_transitions: Some(4_000), ..Options::stateless() };
    let ways = [
        kept(Options::stateful()),
        kept(Options { compare: Compare::States, ..Options::stateful() }),
        kept(Options::plain(true)),
        kept(stateless),
    ];
    let (mut tried, mut saved) = (0, 0);
    for seed in 0..number() {
        let mut random = Random::new(seed);
        let n = random.between(2, 3);
        let program = ring(&mut random, n, None);
        let mut scripts = Scripts::new(vec![program], true);
        let Some((plain, others)) = compare_symmetric(&system(), &mut scripts, 3_000, &ways) else { continue };
        tried += 1;
        for (way, found) in others.iter().enumerate() {
            assert!(!dropped(found), "system {seed}: {:?}", found.dropped);
            if found.stopped.is_some() {
                continue;
            }
            assert_eq!(kinds(found), kinds(&plain), "system {seed}, way {way}");
            assert_eq!(found.ends, plain.ends, "system {seed}, way {way}");
        }
        saved += plain.states - others[2].states;
    }
    assert!(tried * 2 > number(), "{tried} systems were small enough");
    assert!(saved > 0);
}

#[test]
fn symmetry_that_is_not_there_is_noticed() {
    let mut noticed = 0;
    for seed in 0..number() {
        let mut random = Random::new(seed);
        let n = random.between(2, 3);
        let program = ring(&mut random, n, Some(&mut Random::new(seed + 1_000_000)));
        let run = |symmetry: Symmetry| {
            let options = Options { symmetry, most_states: Some(3_000), all_violations: true, ..Options::stateful() };
            explore(&system(), &mut Scripts::new(vec![program.clone()], true), &options, &mut Unwatched)
        };
        let plain = run(Symmetry::None);
        if plain.stopped.is_some() {
            continue;
        }
        let found = run(Symmetry::Ring);
        noticed += u64::from(dropped(&found));
        assert_eq!(kinds(&found), kinds(&plain), "system {seed}");
    }
    assert!(noticed > 0, "nothing was noticed");
}

/// Two processes want one semaphore; only the one that comes second by name does something wrong when it has it.
#[test]
fn symmetry_that_is_believed_hides_an_error() {
    let take = SemEntry { index: 0, by: -1, no_wait: false, undo: false };
    let take = Line::On(2, Op::Sem(SemOp::Change { id: 0, entries: vec![take], timeout: Timeout::Never }));
    let program = vec![
        Line::Do(Op::Sem(SemOp::Get { key: None, count: 1, create: true, exclusive: false })),
        Line::Copy { from: 0, to: 2 },
        Line::On(2, Op::Sem(SemOp::SetValue { id: 0, index: 0, value: 1 })),
        Line::Do(Op::Fork { waits: false }),
        Line::If(0, 0, 8),
        take.clone(),
        Line::Assert(0, 0),
        Line::Jump(20),
        take,
        Line::Assert(0, 1),
    ];
    let run = |symmetry: Symmetry, damage: Option<Damage>| {
        let options = Options { symmetry, damage, all_violations: true, ..Options::stateful() };
        explore(&system(), &mut Scripts::new(vec![program.clone()], true), &options, &mut Unwatched)
    };
    let both = vec![ViolationKind::Assertion, ViolationKind::Deadlock];
    assert_eq!(kinds(&run(Symmetry::None, None)), both);
    let checked = run(Symmetry::Ring, None);
    assert_eq!(kinds(&checked), both);
    assert!(dropped(&checked));
    let believed = run(Symmetry::Ring, Some(Damage::BelieveSymmetry));
    assert_eq!(kinds(&believed), [ViolationKind::Deadlock]);
}
