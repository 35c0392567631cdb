//! Table 1 of "Exploiting Symmetry when Model-Checking Software" (1999), with its program of figure 2 compiled by gcc: all
//! numbers, and more of them.

mod support;

use quotient_process::Processes;
use quotient_system::{Exploration, Options, Program, Symmetry, System, Unwatched, explore};
use support::{compile, program, setup, traced};

/// Searches the philosophers, and says how many steps real processes made.
fn search(n: usize, options: &Options) -> (Exploration, u64) {
    let (_directory, path) = compile("phil.c", &[&format!("-DN={n}")]);
    let system = System { programs: vec![Program::default()], exits_wait: true, ..System::default() };
    let mut processes = Processes::new(setup(vec![program(&path, &[])]));
    let options = Options { all_violations: true, ..options.clone() };
    let found = explore(&system, &mut processes, &options, &mut Unwatched);
    assert_eq!((found.stopped, found.doubts.as_slice()), (None, [].as_slice()));
    (found, processes.counts().steps)
}

fn ring(options: Options) -> Options {
    Options { symmetry: Symmetry::Ring, ..options }
}

#[test]
fn the_state_space() {
    if traced() {
        let expected =
            [(18, 17), (123, 75), (708, 321), (3_765, 1_363), (19_158, 5_777), (94_703, 24_475), (458_504, 103_681)];
        for (n, (transitions, states)) in (2..).zip(expected) {
            let (found, steps) = search(n, &Options::plain(true));
            assert_eq!((found.transitions, found.states), (transitions, states), "{n} philosophers");
            assert_eq!(found.deadlocks, 1, "{n} philosophers");
            // One process makes the semaphores, gives each a value, and forks; then there are four operations for each.
            assert_eq!(steps, (1 + n + 2 * (n - 1) + 4 * n) as u64, "{n} philosophers");
        }
    }
}

#[test]
fn stateless_search() {
    if traced() {
        for (n, transitions) in [(2, 18), (3, 1_680), (4, 386_816)] {
            let (found, _) = search(n, &Options::plain(false));
            assert_eq!(found.transitions, transitions, "{n} philosophers");
        }
    }
}

#[test]
fn stateless_search_with_partial_orders() {
    if traced() {
        for (n, transitions) in (2..).zip([17, 75, 275, 959, 3_295, 11_271, 38_503]) {
            let (found, _) = search(n, &Options::paper());
            assert_eq!(found.transitions, transitions, "{n} philosophers");
        }
    }
}

#[test]
fn stateless_search_with_partial_orders_and_symmetry() {
    if traced() {
        for (n, transitions) in (2..).zip([9, 37, 133, 461, 1_581, 5_405, 18_461]) {
            let (found, _) = search(n, &ring(Options::paper()));
            assert_eq!(found.transitions, transitions, "{n} philosophers");
        }
    }
}
