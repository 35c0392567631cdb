//! Table 1 of the paper, with philosophers that are written as data: all numbers, and more of them. The program is that of its
//! figure 2: one process makes the semaphores and the others, and becomes the last philosopher.

use quotient_system::script::{Line, Scripts};
use quotient_system::{
    Exploration, Op, Options, Program, SemEntry, SemOp, Symmetry, System, Timeout, Unwatched, ViolationKind, explore,
};

fn change(id: i32, index: usize, by: i32) -> Op {
    let entries = vec![SemEntry { index, by, no_wait: false, undo: false }];
    Op::Sem(SemOp::Change { id, entries, timeout: Timeout::Never })
}

/// What philosopher `i` of `n` does. The semaphores are in variable 2.
fn philosopher(i: usize, n: usize) -> Vec<Line> {
    let (left, right) = (i, (i + 1) % n);
    vec![
        Line::On(2, change(0, left, -1)),
        Line::On(2, change(0, right, -1)),
        Line::On(2, change(0, left, 1)),
        Line::On(2, change(0, right, 1)),
    ]
}

/// The program of figure 2; with `endless`, philosophers begin again.
fn program(n: usize, endless: bool) -> Vec<Line> {
    let mut lines = vec![
        Line::Do(Op::Sem(SemOp::Get { key: None, count: n, create: true, exclusive: false })),
        Line::Copy { from: 0, to: 2 },
    ];
    lines.extend((0..n).map(|index| Line::On(2, Op::Sem(SemOp::SetValue { id: 0, index, value: 1 }))));
    for i in 0..n {
        let mut body = Vec::new();
        if i + 1 < n {
            body.push(Line::Do(Op::Fork { waits: false }));
            // The parent goes on behind the child's part.
            let there = lines.len() + body.len() + 1;
            body.push(Line::If(0, 0, there + 1));
            body.push(Line::Jump(there + 8));
        }
        // Whoever is here forgets how he came here.
        body.extend([Line::Set(0, 0), Line::Set(1, -1)]);
        let first = lines.len() + body.len();
        body.extend(philosopher(i, n));
        body.push(if endless { Line::Jump(first) } else { Line::Do(Op::Exit { status: 0 }) });
        lines.extend(body);
    }
    lines
}

fn run(n: usize, endless: bool, options: &Options) -> Exploration {
    let system = System { programs: vec![Program::default()], exits_wait: !endless, ..System::default() };
    let mut scripts = Scripts::new(vec![program(n, endless)], endless);
    let mut options = options.clone();
    options.all_violations = true;
    let found = explore(&system, &mut scripts, &options, &mut Unwatched);
    assert_eq!(found.stopped, None);
    assert_eq!(found.doubts, []);
    found
}

fn ring(options: Options) -> Options {
    Options { symmetry: Symmetry::Ring, ..options }
}

#[test]
fn the_state_space() {
    let expected = [(18, 17), (123, 75), (708, 321), (3_765, 1_363), (19_158, 5_777), (94_703, 24_475)];
    for (n, (transitions, states)) in (2..).zip(expected) {
        let found = run(n, false, &Options::plain(true));
        assert_eq!((found.transitions, found.states), (transitions, states), "{n} philosophers");
        assert_eq!(found.deadlocks, 1, "{n} philosophers");
    }
}

#[test]
fn stateless_search() {
    for (n, transitions) in [(2, 18), (3, 1_680), (4, 386_816)] {
        let found = run(n, false, &Options::plain(false));
        assert_eq!(found.transitions, transitions, "{n} philosophers");
    }
}

#[test]
fn with_partial_orders() {
    for (n, transitions) in (2..).zip([17, 75, 275, 959, 3_295, 11_271, 38_503]) {
        let found = run(n, false, &Options::paper());
        assert_eq!(found.transitions, transitions, "{n} philosophers");
        assert!(found.deadlocks > 0);
    }
}

#[test]
fn with_partial_orders_and_symmetry() {
    for (n, transitions) in (2..).zip([9, 37, 133, 461, 1_581, 5_405, 18_461]) {
        let found = run(n, false, &ring(Options::paper()));
        assert_eq!(found.dropped, []);
        assert_eq!(found.renamings, n);
        assert_eq!(found.transitions, transitions, "{n} philosophers");
        assert!(found.deadlocks > 0);
    }
}

#[test]
fn processes_run_four_times_each() {
    for n in 2..6 {
        let found = run(n, false, &Options::plain(true));
        let start = run(n, false, &Options { most_depth: Some(0), ..Options::plain(true) });
        assert_eq!(found.steps - start.steps, 4 * n as u64);
    }
}

#[test]
fn endless_philosophers() {
    let expected = [(8, 10), (26, 51), (80, 212), (242, 805), (728, 2_910)];
    for (n, (states, transitions)) in (2..).zip(expected) {
        let found = run(n, true, &Options::plain(true));
        assert_eq!((found.states, found.transitions), (states, transitions), "{n} philosophers");
    }
}

#[test]
fn the_default_finds_the_deadlock_with_less() {
    for n in 2..7 {
        let plain = run(n, false, &Options::plain(true));
        let reduced = run(n, false, &Options::stateful());
        let symmetric = run(n, false, &ring(Options::stateful()));
        for found in [&reduced, &symmetric] {
            assert_eq!(found.dropped, []);
            assert_eq!(found.deadlocks, 1);
            assert_eq!(found.violations[0].kind, ViolationKind::Deadlock);
        }
        assert!(reduced.transitions < plain.transitions, "{} {}", reduced.transitions, plain.transitions);
        assert!(symmetric.transitions < reduced.transitions, "{} {}", symmetric.transitions, reduced.transitions);
    }
}
