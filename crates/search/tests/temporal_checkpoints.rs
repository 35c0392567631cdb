//! A temporal search that is interrupted and goes on from its checkpoint, as often as you like, finds what one that was never
//! interrupted finds: every count, the verdict, and the run.

mod common;
mod lasso;

use std::io::{self, Write};
use std::time::Duration;

use common::{load, models_directory, parse};
use lasso::certify;
use quotient_canon::Strategy;
use quotient_generate::random::Random;
use quotient_ir::{Claim, Model};
use quotient_search::temporal::{self, Algorithm, Fairness, Found, Options, Refused};
use quotient_search::{Keeper, Reduce, Session, Stop};

/// Keeps the last checkpoint.
#[derive(Default)]
struct Last {
    file: Option<Vec<u8>>,
    /// One is due whenever that is asked for.
    always: bool,
    kept: usize,
}

impl Keeper for Last {
    fn is_due(&mut self) -> bool {
        self.always
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut file = Vec::new();
        write(&mut file).expect("memory takes it");
        self.file = Some(file);
        self.kept += 1;
    }
}

/// Everything that is found, but how long it took.
fn told(mut found: Found) -> String {
    found.time = Duration::ZERO;
    format!("{found:?}")
}

/// A piece of a search: from a checkpoint, with limits.
fn piece(model: &Model, claim: &Claim, options: &Options, from: Option<&[u8]>, keeper: &mut Last) -> Found {
    let mut input = from;
    let resume = input.as_mut().map(|input| input as &mut dyn io::Read);
    let session = Session { resume, keeper: Some(keeper) };
    let found = temporal::check_in(model, claim, options, session, &mut |_| true).expect("the checkpoint is good");
    assert!(input.is_none_or(<[u8]>::is_empty), "all of the checkpoint was read");
    found
}

/// Searches in pieces of so many states; the number of pieces.
fn in_pieces(model: &Model, claim: &Claim, options: &Options, random: &mut Random, most: u64) -> (Found, u64) {
    let mut file: Option<Vec<u8>> = None;
    let mut limit = 0;
    for number in 1.. {
        limit += 1 + random.below(most as usize) as u64;
        let mut keeper = Last::default();
        let mut asked = *options;
        asked.search.max_states = Some(limit);
        let found = piece(model, claim, &asked, file.as_deref(), &mut keeper);
        if found.stop != Some(Stop::States) {
            return (found, number);
        }
        // A part of the formula may have been answered in this piece: what is kept is of the one that was cut short.
        file = Some(keeper.file.expect("a search that was cut short leaves a checkpoint"));
    }
    unreachable!("a search ends")
}

fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        for reduce in [Reduce::Off, Reduce::Full] {
            for symmetry in [None, Some(Strategy::Canonical)] {
                let search = quotient_search::Options { reduce, symmetry, ..quotient_search::Options::default() };
                ways.push(Options { search, fairness, ..Options::default() });
            }
        }
    }
    for all_errors in [false, true] {
        let search = quotient_search::Options { all_errors, ..quotient_search::Options::default() };
        ways.push(Options { search, algorithm: Algorithm::Nested, ..Options::default() });
    }
    let search = quotient_search::Options { max_depth: Some(9), ..quotient_search::Options::default() };
    ways.push(Options { search, ..Options::default() });
    ways
}

fn symmetric(mut model: Model) -> Model {
    quotient_symmetry::detect(&mut model);
    model
}

/// Models with a property each: formulas that hold and that are violated, a conjunction of which one part is enough, claims with
/// variables, processes that come and go, promises that are not kept, a cycle without an end.
fn models() -> Vec<Model> {
    let texts = [
        "byte n[3];
         active [3] proctype P() { do :: n[_pid] < 2 -> n[_pid]++ :: n[_pid] == 2 -> n[_pid] = 0 od }
         ltl p { [] (n[0] == 2 -> <> (n[0] == 0)) && [] (n[1] == 2 -> <> (n[1] == 0)) && [] (n[2] < 3) }",
        "byte turn, idle;
         active [3] proctype P() {
           do
           :: atomic { turn == _pid -> if :: turn = 0 :: turn = 1 :: turn = 2 fi }
           :: turn != _pid && idle < 2 -> idle = 1
           od
         }
         ltl p { []<> (idle == 1) || [] (turn < 3) }",
        "byte x; bool b[2];
         active [2] proctype P() { do :: b[_pid] = !b[_pid] :: x < 5 -> x++ :: x == 5 -> x = 0 od }
         never {
           byte before;
           do :: before = x :: before == 5 && x == 0 && !b[0] -> break od;
           accept: do :: x < 3 od
         }",
        "byte x;
         proctype C() { x = 1 - x }
         init { do :: _nr_pr == 1 -> run C() :: _nr_pr == 1 -> break od }
         ltl p { []<> (x == 0) }",
        "chan c = [2] of { byte }; byte got;
         active proctype S() { xs c; byte i; do :: c!i; i = (i + 1) % 3 :: i == 1 -> break od }
         active proctype R() { xr c; do :: c?got od }
         ltl p { [] (got == 1 -> <> (got == 2)) }",
    ];
    texts.iter().map(|text| symmetric(parse(text))).collect()
}

#[test]
fn pieces_find_what_the_whole_finds() {
    let (mut pieces, mut violated) = (0, 0);
    for (number, model) in models().iter().enumerate() {
        let claim = &model.claims[0];
        for (way, options) in ways().iter().enumerate() {
            let expected = temporal::check(model, claim, options, &mut |_| true).expect("it can be checked");
            let mut random = Random::new((number * 100 + way) as u64);
            let most = 1 + expected.states / 4;
            let (found, in_all) = in_pieces(model, claim, options, &mut random, most);
            for lasso in &found.lassos {
                certify(model, claim, options.fairness, lasso).unwrap_or_else(|why| panic!("{why}"));
            }
            violated += usize::from(!found.lassos.is_empty());
            pieces += in_all;
            assert!(told(found) == told(expected), "model {number}, {options:?}, in {in_all} pieces");
        }
    }
    assert!(pieces > 150 && violated >= 10, "{pieces} pieces, {violated} violated");
}

/// A checkpoint that is due while the search goes on is as good as one at a limit.
#[test]
fn a_search_goes_on_from_any_checkpoint() {
    let path = models_directory().join("peterson.pml");
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let text = format!("#define N 3\n{text}\nltl p {{ [] (flag[0] > 0 -> <> (flag[0] == 0)) }}\n");
    let model = symmetric(parse(&text));
    let claim = model.claims.last().expect("there is a formula");
    for options in ways().into_iter().filter(|way| way.search.max_depth.is_none() && way.search.reduce == Reduce::Off) {
        let mut keeper = Last { always: true, ..Last::default() };
        let expected = piece(&model, claim, &options, None, &mut keeper);
        let file = keeper.file.unwrap_or_default();
        let wanted = if options.fairness == Fairness::Weak { 2 } else { 0 };
        assert!(keeper.kept >= wanted, "{options:?}: only {} checkpoints", keeper.kept);
        if keeper.kept > 0 {
            let found = piece(&model, claim, &options, Some(&file), &mut Last::default());
            assert_eq!(told(found), told(expected), "{options:?}");
        }
    }
}

/// What is read is checked: damage is an error, or makes no difference, and nothing panics.
#[test]
fn damaged_checkpoints_are_refused() {
    let mut refused = 0;
    for (number, model) in models().iter().enumerate() {
        let claim = &model.claims[0];
        for options in ways().iter().filter(|way| way.search.max_depth.is_none()).step_by(5) {
            let mut asked = *options;
            asked.search.max_states = Some(4);
            let mut keeper = Last::default();
            piece(model, claim, &asked, None, &mut keeper);
            let Some(file) = keeper.file else { continue };
            let mut random = Random::new(number as u64);
            for _ in 0..10 {
                let mut damaged = file.clone();
                match random.below(3) {
                    0 => damaged.truncate(random.below(file.len())),
                    _ => damaged[random.below(file.len())] ^= 1 << random.below(8),
                }
                let mut input = &damaged[..];
                let session = Session { resume: Some(&mut input), keeper: None };
                asked.search.max_states = Some(200);
                let found = temporal::check_in(model, claim, &asked, session, &mut |_| true);
                refused += usize::from(matches!(found, Err(Refused::Checkpoint(..))));
            }
        }
    }
    assert!(refused > 50, "only {refused} refused");
}

/// The models of the project with formulas of their own.
#[test]
fn models_of_the_project_go_on() {
    for name in ["dekker.pml", "lamport-fast.pml", "interrupt-unless.pml"] {
        let path = models_directory().join(name);
        let model = symmetric(load(&path, &[]));
        for claim in [Claim::acceptance(), Claim::progress()].iter().chain(&model.claims) {
            let search = quotient_search::Options { max_states: Some(3000), ..quotient_search::Options::default() };
            let options = Options { search, fairness: Fairness::Weak, ..Options::default() };
            let expected = temporal::check(&model, claim, &options, &mut |_| true).expect("it can be checked");
            let mut half = options;
            half.search.max_states = Some(1 + expected.states / 2);
            let mut keeper = Last::default();
            piece(&model, claim, &half, None, &mut keeper);
            let Some(file) = keeper.file else { continue };
            let found = piece(&model, claim, &options, Some(&file), &mut Last::default());
            assert_eq!(told(found), told(expected), "{name} {claim}");
        }
    }
}
