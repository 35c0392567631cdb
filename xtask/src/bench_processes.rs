//! Measures checks of processes: transitions on trees that are known, steps and copies of real processes, and what running every path
//! again would take on the same program, all in one run. Follows section 2 of the design of process checks.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use quotient_process::{Counts, Processes, Program, Setup};
use quotient_system::{
    Exploration, Grow, Node, Options as Search, Outcome, Pid, Program as Name, Step, System, Trouble, Unwatched,
    explore,
};

use crate::process::Scratch;

/// Options of `bench-processes`.
#[derive(clap::Args)]
pub struct Options {
    /// How often the program is run again from its start
    #[arg(long, default_value_t = 100)]
    again: u32,
}

/// Processes, and how long they have run.
struct Timed {
    inner: Processes,
    time: Duration,
}

impl Grow for Timed {
    fn start(&mut self, index: usize, pid: Pid, to: Node) -> Result<Step, Trouble> {
        let begun = Instant::now();
        let step = self.inner.start(index, pid, to);
        self.time += begun.elapsed();
        step
    }

    fn grow(&mut self, from: Node, outcome: &Outcome, to: Node) -> Result<Step, Trouble> {
        let begun = Instant::now();
        let step = self.inner.grow(from, outcome, to);
        self.time += begun.elapsed();
        step
    }
}

/// What one search took.
struct Measured {
    found: Exploration,
    counts: Counts,
    /// All of it, and what real processes took of it.
    all: Duration,
    processes: Duration,
}

fn measure(setup: Setup, system: &System, options: &Search) -> Measured {
    let mut grow = Timed { inner: Processes::new(setup), time: Duration::ZERO };
    let begun = Instant::now();
    let found = explore(system, &mut grow, options, &mut Unwatched);
    let all = begun.elapsed();
    Measured { found, counts: grow.inner.counts(), all, processes: grow.time }
}

/// Runs the measurements and prints them.
pub fn run(options: &Options) -> ExitCode {
    match bench(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-processes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(options: &Options) -> Result<(), String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/processes");
    let philosophers = scratch.path().join("philosophers");
    let made =
        Command::new("gcc").args(["-O1", "-DN=4", "-o"]).arg(&philosophers).arg(programs.join("phil.c")).status();
    if !made.is_ok_and(|status| status.success()) {
        return Err("gcc does not compile phil.c".to_owned());
    }
    let program = |command: &str, arguments: &[&str]| Program {
        command: command.to_owned(),
        arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
        environment: Vec::new(),
        directory: programs.clone(),
    };
    let setup = |programs: Vec<Program>| Setup { twice: 0, ..Setup::new(programs) };

    let four = setup(vec![program(&philosophers.to_string_lossy(), &[])]);
    let system = System { programs: vec![Name::default()], exits_wait: true, ..System::default() };
    let plain = Search { all_violations: true, ..Search::plain(false) };
    let learned = measure(four.clone(), &system, &plain);
    failed(&learned)?;
    let known = learned.all.saturating_sub(learned.processes);
    println!("four philosophers, every path: {} transitions, {} paths", learned.found.transitions, learned.found.paths);
    println!("- steps of real processes: {}", learned.counts.steps);
    println!("- in all: {:.2} s", learned.all.as_secs_f64());
    println!("- transitions on trees that are known: {}", rate(learned.found.transitions, known));

    // The first transitions of the search, as many as the longest path has, from the start of the program.
    let longest = learned.found.longest as u64;
    let path = Search { most_transitions: Some(longest), ..plain };
    let begun = Instant::now();
    for _ in 0..options.again {
        let once = measure(four.clone(), &system, &path);
        if once.found.transitions < longest {
            return Err("a path that was run again is shorter".to_owned());
        }
    }
    let each = begun.elapsed() / options.again.max(1);
    let all = each.as_secs_f64() * learned.found.paths as f64;
    println!(
        "- one path of {longest} transitions, run again from the start of the program: {:.2} ms",
        each.as_secs_f64() * 1e3
    );
    println!("- all paths run again: {all:.0} s, {:.0} times as long", all / learned.all.as_secs_f64());

    let scripts = Setup {
        shared: vec!["/shared".into()],
        ..setup(vec![program("dash", &["lock_good.sh"]), program("dash", &["lock_good.sh"])])
    };
    let files = quotient_process::shared_files(&scripts.shared).map_err(|error| error.to_string())?;
    let system = System { programs: vec![Name::default(); 2], files, ..System::default() };
    let shells = measure(scripts, &system, &Search::stateful());
    failed(&shells)?;
    println!("two shell scripts with a lock: {} states, {} transitions", shells.found.states, shells.found.transitions);
    println!("- steps of real processes: {}, {}", shells.counts.steps, rate(shells.counts.steps, shells.processes));
    println!(
        "- copies, each with the step that it runs: {}, {}",
        shells.counts.copies,
        rate(shells.counts.copies, shells.processes)
    );
    Ok(())
}

/// That a search came to its end.
fn failed(measured: &Measured) -> Result<(), String> {
    match (&measured.found.doubts.first(), measured.found.stopped) {
        (None, None) => Ok(()),
        other => Err(format!("a search did not come to its end: {other:?}")),
    }
}

fn rate(count: u64, time: Duration) -> String {
    format!("{:.0} per second", count as f64 / time.as_secs_f64().max(1e-9))
}
