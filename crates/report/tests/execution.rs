//! Executions made by hand, and how they are shown.

mod expect;

use quotient_report::Execution;
use quotient_report::execution::{
    Access, Action, Leak, MemoryLocation, Operation, Order, Site, Source, Step, Thread, Waiting, dot, json, text,
};
use quotient_report::source::Location;
use std::path::Path;

#[track_caller]
fn expect(file: &str, text: &str) {
    expect::expect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/execution").join(file), text);
}

fn site(line: u32, source: &str) -> Option<Site> {
    let location = Location { file: "src/queue.rs".to_string(), line, column: 9 };
    Some(Site { location, source: Some(format!("        {source}")) })
}

fn threads(names: &[Option<&str>]) -> Vec<Thread> {
    let thread = |(thread, name): (usize, &Option<&str>)| Thread {
        thread,
        name: name.map(str::to_string),
        spawned: (thread > 0).then(|| site(10 + thread as u32, "spawn(work);")).flatten(),
    };
    names.iter().enumerate().map(thread).collect()
}

fn place(label: &str, initial: Option<u64>, writes: &[usize]) -> MemoryLocation {
    MemoryLocation { label: label.to_string(), initial, writes: writes.to_vec() }
}

fn load(place: usize, order: Order, read: u64, from: Source) -> Action {
    let (read, reads_from) = (Some(read), Some(from));
    Action::Access(Access { operation: Operation::Load, place, order, expected: None, read, reads_from, written: None })
}

fn store(place: usize, order: Order, written: u64) -> Action {
    let written = Some(written);
    Action::Access(Access {
        operation: Operation::Store,
        place,
        order,
        expected: None,
        read: None,
        reads_from: None,
        written,
    })
}

fn lock(place: usize, from: Source) -> Action {
    let (read, reads_from, written) = (Some(0), Some(from), Some(1));
    let operation = Operation::Lock;
    Action::Access(Access { operation, place, order: Order::Acquire, expected: None, read, reads_from, written })
}

/// Steps from threads, actions and lines.
fn steps(all: impl IntoIterator<Item = (usize, Action, u32, &'static str)>) -> Vec<Step> {
    let step = |(index, (thread, action, line, source)): (usize, (usize, Action, u32, &str))| Step {
        step: index + 1,
        thread,
        action,
        location: if source.is_empty() { None } else { site(line, source) },
    };
    all.into_iter().enumerate().map(step).collect()
}

/// Data written before a flag, and read after it; the flag is written and read without ordering.
fn message_passing() -> Execution {
    Execution {
        test: Some("queue::publish".to_string()),
        memory_model: "rc11".to_string(),
        kind: "panic".to_string(),
        message: "assertion `left == right` failed\n  left: 0\n right: 42".to_string(),
        location: site(31, "assert_eq!(data.load(Relaxed), 42);"),
        thread: Some(2),
        weak: true,
        threads: threads(&[Some("main"), Some("writer"), None]),
        places: vec![place("data", Some(0), &[3, 4]), place("flag", Some(0), &[5])],
        steps: steps([
            (0, Action::Spawn { child: 1 }, 11, "spawn(work);"),
            (0, Action::Spawn { child: 2 }, 12, "spawn(work);"),
            (1, store(0, Order::Relaxed, 41), 20, "data.store(41, Relaxed);"),
            (1, store(0, Order::Relaxed, 42), 21, "data.store(42, Relaxed);"),
            (1, store(1, Order::Relaxed, 1), 22, "flag.store(1, Relaxed);"),
            (2, load(1, Order::Relaxed, 1, Source::Step(5)), 30, "if flag.load(Relaxed) == 1 {"),
            (2, load(0, Order::Relaxed, 41, Source::Step(3)), 31, "assert_eq!(data.load(Relaxed), 42);"),
        ]),
        replay: "0*2-1>i-1>1.1-1>i-2<1.3-2<1.1".to_string(),
        ..Execution::default()
    }
}

#[test]
fn a_stale_read_is_explained() {
    expect("message_passing.txt", &text::render(&message_passing()));
}

#[test]
fn a_drawing_has_an_arrow_for_every_edge() {
    let mut execution = message_passing();
    execution.concerns = vec![7];
    expect("message_passing.dot", &dot::render(&execution));
}

#[test]
fn json_says_everything() {
    let execution = message_passing();
    let text = json::render(&execution);
    expect("message_passing.json", &text);
    let again: Execution = serde_json::from_str(&text).expect("what was written can be read");
    assert_eq!(again, execution);
}

/// Where it is known what exactly everyone waits for, it is said.
#[test]
fn a_deadlock_says_who_holds_what() {
    let execution = Execution {
        memory_model: "sc".to_string(),
        kind: "deadlock".to_string(),
        message: "deadlock: nobody can go on".to_string(),
        threads: threads(&[None, None, None]),
        places: vec![place("fork", Some(0), &[3]), place("knife", Some(0), &[4])],
        steps: steps([
            (0, Action::Spawn { child: 1 }, 11, "spawn(work);"),
            (0, Action::Spawn { child: 2 }, 12, "spawn(work);"),
            (1, lock(0, Source::Initial), 20, "let fork = fork.lock().unwrap();"),
            (2, lock(1, Source::Initial), 30, "let knife = knife.lock().unwrap();"),
        ]),
        waiting: vec![
            Waiting {
                thread: 0,
                why: "for another thread to end".to_string(),
                location: site(13, "first.join();"),
                place: None,
                child: Some(1),
            },
            Waiting {
                thread: 1,
                why: "for a mutex".to_string(),
                location: site(21, "let knife = knife.lock().unwrap();"),
                place: Some(1),
                child: None,
            },
            Waiting {
                thread: 2,
                why: "for a mutex".to_string(),
                location: site(31, "let fork = fork.lock().unwrap();"),
                place: Some(0),
                child: None,
            },
        ],
        ..Execution::default()
    };
    expect("deadlock.txt", &text::render(&execution));
}

/// Of a long run the end is shown, what is about the memory of the violation, and where values come from.
#[test]
fn the_middle_of_a_long_run_is_left_out() {
    let mut all = vec![
        (0, Action::Spawn { child: 1 }, 11, "spawn(work);"),
        (1, store(0, Order::Plain, 0), 20, "unsafe { *data.get() = 0 };"),
        (1, store(1, Order::Relaxed, 7), 21, "other.store(7, Relaxed);"),
    ];
    all.extend((0..500).map(|value| (0, store(2, Order::Relaxed, value), 14, "busy.store(value, Relaxed);")));
    all.push((0, load(1, Order::Relaxed, 7, Source::Step(3)), 15, "other.load(Relaxed);"));
    all.push((0, load(0, Order::Plain, 0, Source::Step(2)), 16, "unsafe { *data.get() }"));
    let execution = Execution {
        memory_model: "rc11".to_string(),
        kind: "race".to_string(),
        message: "data race: a plain read by thread 0 and a plain write by thread 1 are not ordered".to_string(),
        location: site(16, "unsafe { *data.get() }"),
        thread: Some(0),
        concerns: vec![2, 505],
        threads: threads(&[None, None]),
        places: vec![
            place("data", None, &[2]),
            place("other", Some(0), &[3]),
            place("busy", Some(0), &(4..504).collect::<Vec<_>>()),
        ],
        steps: steps(all),
        replay: "0-1".repeat(40_000),
        ..Execution::default()
    };
    let shown = text::render(&execution);
    expect("long.txt", &shown);
    assert!(shown.lines().count() < 150);
}

/// Columns that do not fit beside each other stand below each other.
#[test]
fn many_threads_are_shown_in_groups() {
    let names: Vec<Option<&str>> = vec![None; 12];
    let mut all: Vec<_> = (1..12).map(|child| (0, Action::Spawn { child }, 11, "spawn(work);")).collect();
    all.extend((1..12).map(|thread| (thread, store(0, Order::Release, thread as u64), 20, "last.store(id, Release);")));
    all.push((0, load(0, Order::SeqCst, 3, Source::Step(14)), 13, "last.load(SeqCst);"));
    // The writes are not in coherence order in the order in which they ran.
    let writes: Vec<usize> = (12..23).filter(|&step| step != 14).chain([14]).collect();
    let execution = Execution {
        memory_model: "ra".to_string(),
        kind: "misuse".to_string(),
        message: "the last one is not the last".to_string(),
        location: site(14, "fail();"),
        thread: Some(0),
        threads: threads(&names),
        places: vec![place("last", Some(0), &writes)],
        steps: steps(all),
        ..Execution::default()
    };
    expect("many_threads.txt", &text::render(&execution));
}

#[test]
fn more_than_a_few_leaks_are_counted() {
    let leak = |line| Leak { what: "Arc".to_string(), location: site(line, "Arc::new(node)") };
    let execution = Execution {
        memory_model: "rc11".to_string(),
        kind: "leak".to_string(),
        message: "leak: Arc is never freed, and 7 more".to_string(),
        leaks: (1..9).map(leak).collect(),
        ..Execution::default()
    };
    expect("leaks.txt", &text::render(&execution));
}

/// A thread that never comes back leaves nothing to show but its last place.
#[test]
fn an_execution_may_have_no_steps() {
    let execution = Execution {
        memory_model: "rc11".to_string(),
        kind: "bound".to_string(),
        message: "a thread has run for 20 s without a visible operation; it may never end".to_string(),
        location: Some(Site { source: None, ..site(7, "").expect("a place") }),
        ..Execution::default()
    };
    expect("no_steps.txt", &text::render(&execution));
    let nothing = Execution::default();
    assert_eq!(serde_json::from_str::<Execution>(&json::render(&nothing)).ok(), Some(nothing.clone()));
    let _ = (text::render(&nothing), dot::render(&nothing));
}
