//! Random programs that are wrong: whatever is found can be run again, and is retold as a run that can have happened.

use quotient_report::Execution;
use quotient_report::execution::{Action, dot, json, text};
use quotient_runtime::ops::{self, Likeness, MemoryCell, Order, ProgramError, Rmw, When};
use quotient_runtime::{Limits, MemoryModel, Options, Settings, check, narrate};
use std::sync::Arc;

/// Pseudo-random numbers (xorshift), so that every run sees the same programs.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len() as u64) as usize]
    }
}

/// What a thread does: which operation, on which place, how strongly, with which number.
type Body = Vec<(u64, usize, usize, u64)>;

fn body(dice: &mut Dice) -> Body {
    let length = 1 + dice.roll(4);
    (0..length).map(|_| (dice.roll(20), dice.roll(2) as usize, dice.roll(3) as usize, dice.roll(4))).collect()
}

#[derive(Default)]
struct Memory {
    atomics: [MemoryCell; 2],
    locks: [MemoryCell; 2],
    data: MemoryCell,
}

fn run(memory: &Memory, body: &Body) {
    for &(operation, place, strength, number) in body {
        let acquire = [Order::Relaxed, Order::Acquire, Order::SeqCst][strength];
        let release = [Order::Relaxed, Order::Release, Order::SeqCst][strength];
        let both = [Order::Relaxed, Order::AcqRel, Order::SeqCst][strength];
        let (atomic, lock) = (&memory.atomics[place], &memory.locks[place]);
        match operation {
            0..4 => assert_says_who(ops::load(atomic, 0, acquire) != number || strength == 0),
            4..8 => ops::store(atomic, 0, number + 1, release),
            8..10 => assert_says_who(ops::update(atomic, 0, Rmw::Add, 1, 64, both) != number || strength == 0),
            10 => drop(ops::exchange(atomic, 0, number / 2, number + 1, both, acquire, strength == 0)),
            11 => ops::fence(both),
            12 => ops::read_plain(&memory.data),
            13 => ops::write_plain(&memory.data),
            14 => drop(ops::acquire(lock, 0, When::Is(0), Rmw::Swap, 1, Order::Acquire, "for a mutex")),
            15 => drop(ops::update(lock, 0, Rmw::Swap, 0, 64, Order::Release)),
            16 => drop(ops::choose(2)),
            17 => {
                while ops::load(atomic, 0, Order::Acquire) == 0 {
                    ops::spin();
                }
            }
            18 if number == 0 => drop(ops::register("an object")),
            19 if number == 0 => ops::fail(ProgramError::Misuse, format!("{}", ops::current_unobserved().0)),
            _ => {}
        }
    }
}

/// An assertion whose message is the number of the thread.
fn assert_says_who(holds: bool) {
    assert!(holds, "{}", ops::current_unobserved().0);
}

/// Whether the steps, run one after the other on ordinary memory, read what they have read.
fn is_interleaving(execution: &Execution) -> bool {
    let mut memory: Vec<Option<u64>> = execution.places.iter().map(|place| place.initial).collect();
    execution.steps.iter().all(|step| {
        let Action::Access(access) = &step.action else { return true };
        let reads = access.reads_from.is_none() || access.read == memory[access.place];
        if access.written.is_some() {
            memory[access.place] = access.written;
        }
        reads
    })
}

#[test]
fn random_programs() {
    let mut failures = 0;
    for seed in 1..1500 {
        let mut dice = Dice(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        let (alike, joined) = (dice.roll(2) == 0, dice.roll(2) == 0);
        let first = body(&mut dice);
        let bodies: Vec<Body> =
            (0..2 + dice.roll(2)).map(|_| if alike { first.clone() } else { body(&mut dice) }).collect();
        let main = body(&mut dice);
        let settings = Settings {
            model: dice.pick(&MemoryModel::ALL),
            spurious_failures: dice.roll(2) == 0,
            ..Settings::default()
        };
        let model = settings.model;
        let story = format!("seed {seed}, {model:?}, alike {alike}, joined {joined}: {bodies:?} {main:?}");
        let program = Arc::new(move || {
            let memory = Arc::new(Memory::default());
            let spawn = |body: &Body| {
                let (memory, body) = (memory.clone(), body.clone());
                let likeness = if alike { Likeness::Class(1) } else { Likeness::Unlike };
                ops::spawn(Box::new(move || run(&memory, &body)), None, likeness)
            };
            let threads: Vec<ops::ThreadId> = bodies.iter().map(spawn).collect();
            threads.into_iter().filter(|_| joined).for_each(ops::join);
            run(&memory, &main);
        });
        let limits = Limits { executions: Some(2000), ..Limits::default() };
        let options = Options { settings, limits, ..Options::default() };
        let Some(failure) = check(options.clone(), program.clone()).failure else { continue };
        failures += 1;
        let execution = narrate(&failure, model, None);
        assert!(execution.weak || is_interleaving(&execution), "{story}");
        assert!(!execution.weak || model != MemoryModel::Sc, "{story}");
        // The message of a panic is the number of its thread.
        if let (Some(thread), Ok(who)) = (execution.thread, failure.violation.message.parse::<usize>()) {
            assert_eq!(thread, who, "{story}");
        }
        let shown = [text::render(&execution), dot::render(&execution), json::render(&execution)];
        assert!(shown.iter().all(|text| !text.is_empty()));
        let again = check(Options { replay: Some(failure.script), ..options }, program).failure.expect(&story);
        assert_eq!(again.violation.kind, failure.violation.kind, "{story}");
        assert_eq!(again.violation.message, failure.violation.message, "{story}");
    }
    assert!(failures > 300, "most of these programs are wrong: {failures}");
}

/// Loops are recognised only if the checker sees what the program keeps in memory.
#[global_allocator]
static ALLOCATOR: quotient_runtime::Tracked = quotient_runtime::Tracked;
