//! Livelocks of scripted processes: found where a fair run goes on forever and somebody must end who never does, and nowhere else.

use quotient_system::script::{Line, Scripts};
use quotient_system::{
    Exploration, Fairness, FileOp, Op, OpenHow, Options, Program, SemEntry, SemOp, StartContent, StartFile, System,
    Unwatched, ViolationKind, explore, narrate,
};

const KEY: i32 = 5;

/// Finds the set of semaphores; its id is in variable 2.
fn get() -> [Line; 2] {
    let get = SemOp::Get { key: Some(KEY), count: 2, create: true, exclusive: false };
    [Line::Do(Op::Sem(get)), Line::Copy { from: 0, to: 2 }]
}

fn change(index: usize, by: i32, no_wait: bool) -> Line {
    let entries = vec![SemEntry { index, by, no_wait, undo: false }];
    Line::On(2, Op::Sem(SemOp::Change { id: 0, entries, timeout: quotient_system::Timeout::Never }))
}

/// Both semaphores are free when it is through.
fn initialised() -> Vec<Line> {
    let mut lines = get().to_vec();
    lines.extend([change(0, 1, false), change(1, 1, false)]);
    lines
}

fn search(programs: Vec<(Vec<Line>, bool)>, livelock: Option<Fairness>) -> Exploration {
    let system = System {
        programs: programs.iter().map(|entry| Program { name: String::new(), service: entry.1 }).collect(),
        files: vec![StartFile {
            path: b"/shared".to_vec(),
            content: StartContent::Directory,
            mode: 0o755,
            written: None,
        }],
        ..System::default()
    };
    let scripts = || Scripts::new(programs.iter().map(|entry| entry.0.clone()).collect(), true);
    let options = Options { livelock, ..Options::stateful() };
    let found = explore(&system, &mut scripts(), &options, &mut Unwatched);
    for violation in &found.violations {
        let told = narrate(&system, &mut scripts(), &found.names, violation);
        assert!(told.shown, "{violation:?} comes out again");
        assert!(!matches!(violation.kind, ViolationKind::Livelock { from } if from >= violation.run.len()));
    }
    found
}

/// The process that never ends, if there is one.
fn livelock(programs: &[(Vec<Line>, bool)], fairness: Fairness) -> Option<i32> {
    let found = search(programs.to_vec(), Some(fairness));
    assert!(found.violations.iter().all(|violation| matches!(violation.kind, ViolationKind::Livelock { .. })));
    assert!(found.looked_at > 0);
    found.violations.first().and_then(|violation| violation.pid)
}

/// Takes one semaphore, tries the other, and gives up and begins again if that does not work.
fn polite(first: usize) -> Vec<Line> {
    let mut lines = get().to_vec();
    lines.extend([
        change(first, -1, false),
        change(1 - first, -1, true),
        Line::If(0, 0, 7),
        change(first, 1, false),
        Line::Jump(2),
        change(0, 1, false),
        change(1, 1, false),
    ]);
    lines
}

#[test]
fn two_who_give_way_to_each_other_may_never_get_through() {
    let all = [(initialised(), false), (polite(0), false), (polite(1), false)];
    for fairness in [Fairness::Weak, Fairness::Strong] {
        assert_eq!(livelock(&all, fairness), Some(101));
    }
    // In the same order nobody waits for somebody who waits.
    let all = [(initialised(), false), (polite(0), false), (polite(0), false)];
    for fairness in [Fairness::Weak, Fairness::Strong] {
        assert_eq!(livelock(&all, fairness), None);
    }
    assert_eq!(search(all.to_vec(), None).looked_at, 0);
}

/// Takes a semaphore and gives it back, forever.
fn endless() -> Vec<Line> {
    let mut lines = get().to_vec();
    lines.extend([change(0, -1, false), change(0, 1, false), Line::Jump(2)]);
    lines
}

fn once() -> Vec<Line> {
    let mut lines = get().to_vec();
    lines.extend([change(0, -1, false), change(0, 1, false)]);
    lines
}

#[test]
fn whoever_can_go_on_now_and_then_starves_unless_scheduling_is_strongly_fair() {
    let all = [(initialised(), false), (endless(), true), (once(), false)];
    assert_eq!(livelock(&all, Fairness::Weak), Some(102));
    assert_eq!(livelock(&all, Fairness::Strong), None);
}

#[test]
fn a_service_may_go_on_for_ever_and_nobody_else() {
    for fairness in [Fairness::Weak, Fairness::Strong] {
        assert_eq!(livelock(&[(initialised(), false), (endless(), true)], fairness), None);
        assert_eq!(livelock(&[(initialised(), false), (endless(), false)], fairness), Some(101));
    }
    assert_eq!(search(vec![(initialised(), false), (endless(), false)], None).violations, []);
}

/// Looks for a file again and again until it is there.
fn until_there() -> Vec<Line> {
    let how = OpenHow { read: true, ..OpenHow::default() };
    let open = FileOp::Open { fd: 3, path: b"/shared/ready".to_vec(), how };
    vec![Line::Do(Op::File(open)), Line::If(0, 3, 3), Line::Jump(0)]
}

#[test]
fn waiting_for_something_that_comes_is_no_livelock() {
    let make = FileOp::MakeDir { path: b"/shared/ready".to_vec(), mode: 0o755 };
    let all = [(until_there(), false), (vec![Line::Do(Op::Yield), Line::Do(Op::File(make))], false)];
    assert_eq!(livelock(&all, Fairness::Weak), None);
    // Nobody makes it.
    assert_eq!(livelock(&[(until_there(), false), (vec![Line::Do(Op::Yield)], false)], Fairness::Strong), Some(100));
}

#[test]
fn an_alarm_that_is_set_rings_at_some_time() {
    // The signal ends the loop; the process dies of it.
    let waits = vec![Line::Do(Op::Alarm { set: true, again: false }), Line::Do(Op::Yield), Line::Jump(1)];
    assert_eq!(livelock(&[(waits, false)], Fairness::Weak), None);
    let waits = vec![Line::Do(Op::Alarm { set: false, again: false }), Line::Do(Op::Yield), Line::Jump(1)];
    assert_eq!(livelock(&[(waits, false)], Fairness::Strong), Some(100));
}
