//! Formulas that ask for a thread's own variables and locations: random models in BIR against models in which that thread tells global
//! variables all that it does, on an explicit product. `QUOTIENT_TEMPORAL=5000` tries more of them.

mod heap_models;
#[allow(dead_code, reason = "it is shared with other tests")]
mod heap_temporal;
mod lasso;

use std::fmt::Write;
use std::path::Path;

use heap_temporal::oracle::Graph;
use lasso::certify;
use quotient_canon::HeapStrategy;
use quotient_generate::random::Random;
use quotient_ir::Model;
use quotient_search::Order;
use quotient_search::temporal::{self, Algorithm, Fairness, Found, Options};

const FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

fn load(text: &str, formula: &str) -> Model {
    let formulas = vec![("p".to_string(), formula.to_string())];
    let options = quotient_bir::Options { formulas, ..quotient_bir::Options::default() };
    let loaded = quotient_bir::load(Path::new("m.bir"), text.as_bytes(), &options);
    loaded.model.unwrap_or_else(|| panic!("{:?}\n{formula}\n{text}", loaded.diagnostics))
}

fn check(model: &Model, fairness: Fairness, heap: &str, order: Order, algorithm: Algorithm) -> Found {
    let heap: HeapStrategy = heap.parse().expect("there is such a strategy");
    let search = quotient_search::Options { heap, order, ..quotient_search::Options::default() };
    let options = Options { search, fairness, algorithm, ..Options::default() };
    temporal::check(model, &model.claims[0], &options, &mut |_| true).expect("the claim can be checked")
}

/// A way out of a location: guard, actions, and the next location, or none for the end.
type Way = (Option<String>, Vec<String>, Option<usize>);

/// A body that is determined by random choices.
fn body(random: &mut Random, ends: bool) -> Vec<Vec<Way>> {
    let locations = random.between(2, 3);
    let way = |random: &mut Random, at: usize| {
        let guard = random.chance(40).then(|| match random.below(4) {
            0 => "x == 0".to_string(),
            1 => "n == 1".to_string(),
            2 => "n == 0".to_string(),
            _ => "x == 1 || n == 1".to_string(),
        });
        let action = match random.below(6) {
            0 | 1 => vec![format!("x := {};", random.below(2))],
            2 => vec![format!("n := {};", random.below(2))],
            3 => vec!["n := x;".to_string()],
            4 => vec!["x := n;".to_string()],
            _ => Vec::new(),
        };
        let next = (at + random.between(0, 2)) % locations;
        let leaves = ends && at > 0 && random.one_in(3);
        (guard, action, (!leaves).then_some(next))
    };
    (0..locations).map(|at| (0..random.between(1, 2)).map(|_| way(random, at)).collect()).collect()
}

/// A thread as text. One that is watched tells globals its variable and its location.
fn thread(head: &str, body: &[Vec<Way>], is_watched: bool) -> String {
    let mut text = format!("  {head} {{\n    int (0, 1) x;\n");
    for (at, ways) in body.iter().enumerate() {
        write!(text, "    loc l{at}:").expect("text can be written");
        for (guard, actions, next) in ways {
            let guard = guard.as_ref().map_or(String::new(), |guard| format!("when {guard} "));
            let mut actions = actions.concat();
            if is_watched {
                let (value, place) = next.map_or(("0", 0), |next| ("x", next + 1));
                write!(actions, " wx := {value}; wl := {place};").expect("text can be written");
            }
            let goal = next.map_or("return".to_string(), |next| format!("goto l{next}"));
            write!(text, " {guard}do {{ {actions} }} {goal};").expect("text can be written");
        }
        text.push('\n');
    }
    text + "  }\n"
}

/// A formula in two forms: what it asks of the thread, and what it asks of the globals.
fn formula(random: &mut Random, name: &str, depth: usize) -> (String, String) {
    if depth == 0 || random.one_in(6) {
        return match random.below(3) {
            0 => {
                let value = random.below(2);
                (format!("{name}:x == {value}"), format!("wx == {value}"))
            }
            1 => {
                let place = random.below(2);
                (format!("{name}@l{place}"), format!("wl == {}", place + 1))
            }
            _ => ("n == 1".to_string(), "n == 1".to_string()),
        };
    }
    let (a, b) = (formula(random, name, depth - 1), formula(random, name, depth - 1));
    let both = |with: &dyn Fn(&str, &str) -> String| (with(&a.0, &b.0), with(&a.1, &b.1));
    match random.below(8) {
        0 => both(&|a, _| format!("(!({a}))")),
        1 => both(&|a, b| format!("(({a}) && ({b}))")),
        2 => both(&|a, b| format!("(({a}) || ({b}))")),
        3 => both(&|a, b| format!("(({a}) U ({b}))")),
        4 => both(&|a, _| format!("([] <> ({a}))")),
        5 => both(&|a, _| format!("(<> [] ({a}))")),
        6 => both(&|a, b| format!("([] (({a}) -> <> ({b})))")),
        _ => both(&|a, _| format!("(X ({a}))")),
    }
}

#[test]
fn what_formulas_ask_of_threads_is_what_threads_tell() {
    let number = std::env::var("QUOTIENT_TEMPORAL").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let first: u64 = std::env::var("QUOTIENT_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut compared, mut violated, mut ordered) = (0, [0; 3], 0);
    for seed in first..first + number {
        let random = &mut Random::new(seed ^ 0x7b1d);
        let (t, u) = (body(random, true), body(random, true));
        let threads = random.between(1, 3);
        let named = random.between(1, threads);
        let others = random.chance(60);
        let globals = "  int (0, 1) n;\n";
        let plain = [
            "system S {\n".to_string(),
            globals.to_string(),
            if others { thread("active thread U()", &u, false) } else { String::new() },
            thread(&format!("active[{threads}] thread T()"), &t, false),
            "}\n".to_string(),
        ];
        let watching = [
            "system S {\n".to_string(),
            globals.to_string(),
            "  int (0, 1) wx;\n  int (0, 9) wl := 1;\n".to_string(),
            if others { thread("active thread U()", &u, false) } else { String::new() },
            if threads > 1 { thread(&format!("active[{}] thread T()", threads - 1), &t, false) } else { String::new() },
            thread("active thread W()", &t, true),
            "}\n".to_string(),
        ];
        let name = if threads == 1 && random.chance(50) { "T".to_string() } else { format!("T#{named}") };
        let depth = random.between(1, 3);
        let (asked, told) = formula(random, &name, depth);
        let (model, watching) = (load(&plain.concat(), &asked), load(&watching.concat(), &told));
        let Some(graph) = Graph::new(&watching, &watching.claims[0]) else { continue };
        compared += 1;
        for (number, fairness) in FAIRNESS.into_iter().enumerate() {
            let expected = graph.is_violated(fairness);
            violated[number] += usize::from(expected);
            let mut ways = vec![
                ("none", Order::DepthFirst, Algorithm::Scc),
                ("heap", Order::DepthFirst, Algorithm::Scc),
                ("canonical", Order::DepthFirst, Algorithm::Scc),
                ("canonical", Order::BreadthFirst, Algorithm::Scc),
            ];
            if fairness == Fairness::None {
                ways.push(("kbots", Order::DepthFirst, Algorithm::Scc));
                ways.push(("heap", Order::DepthFirst, Algorithm::Nested));
            }
            for (heap, order, algorithm) in ways {
                let told = format!("seed {seed}: {asked}: {fairness:?} {heap} {order:?} {algorithm:?}");
                let found = check(&model, fairness, heap, order, algorithm);
                assert!(found.unknown.is_none() && (found.stop.is_none() || !found.lassos.is_empty()), "{told}");
                assert_eq!(!found.lassos.is_empty(), expected, "{told}\n{}", plain.concat());
                let strategy = found.heap.as_ref().map(|(strategy, _)| strategy.orders_threads());
                ordered += usize::from(strategy == Some(true) && threads > 2);
                let named = model.naming(&model.claims[0]);
                for lasso in &found.lassos {
                    certify(&named, &model.claims[0], fairness, lasso).unwrap_or_else(|why| panic!("{told}: {why}"));
                }
            }
        }
    }
    assert!(compared * 2 > number as usize, "{compared} of {number} were compared");
    assert!(violated.iter().all(|&violated| violated * 5 >= compared), "{violated:?} of {compared} are violated");
    assert!(ordered > 0, "threads that are not named change places");
}

const WORKERS: &str = "system S {
  int (0, 9) n;
  active[4] thread T() {
    int (0, 1) x;
    loc l0: do { x := 1; } goto l1;
    loc l1: do { n := n + 1; } return;
  }
}";

/// A thread that a formula names stays itself while others change places, and is gone when it has ended.
#[test]
fn a_named_thread_is_told_from_others() {
    let pairs = |formula: &str, heap: &str, holds: bool| {
        let model = load(WORKERS, formula);
        let found = check(&model, Fairness::None, heap, Order::DepthFirst, Algorithm::Scc);
        assert_eq!(found.lassos.is_empty(), holds, "{formula} {heap}");
        found.states
    };
    for heap in ["none", "canonical"] {
        // Whoever stands first in a state is another one when the first has ended.
        pairs("[] (T#2:x == 1 -> [] (T#2:x == 1 || n > 0))", heap, true);
        pairs("[] (T#2@l1 -> <> (T#2:x == 0 && !T#2@l0 && !T#2@l1))", heap, true);
        pairs("[] (T#2:x == 1 -> T#1:x == 1)", heap, false);
        pairs("<> [] (T#1:x == 0)", heap, true);
        pairs("[] (T#4@l0 || T#4@l1 || n > 0)", heap, true);
    }
    // Four threads with three places each, the last of which is that they are gone. One is named, and the others change places: 3 * 10.
    // If they do not, 7 * 3 words are left of them beside the two places of the one that is named, and 15 when it is gone.
    let formula = "[] (T#3@l1 -> T#3:x == 1)";
    assert_eq!((pairs(formula, "heap", true), pairs(formula, "canonical", true)), (57, 30));
    let two = "[] (T#3@l1 -> T#3:x == 1) && [] (T#1@l1 -> T#1:x == 1)";
    assert_eq!(pairs(two, "canonical", true), 3 * 3 * 6, "two are named, two change places");
    // Searches for other properties know nothing of it.
    let model = load(WORKERS, formula);
    let explored = quotient_search::explore(&model, &quotient_search::Options::default(), &mut |_| true);
    let plain = Model { claims: Vec::new(), named: Vec::new(), ..model.clone() };
    let other = quotient_search::explore(&plain, &quotient_search::Options::default(), &mut |_| true);
    assert_eq!(explored.states, other.states);
}

/// While a thread is in a function it is at none of its locations, and its variables are what they were.
#[test]
fn a_thread_in_a_function_keeps_its_variables() {
    let text = "system S {
  int (0, 9) n;
  function f(int y) returns int {
    int x;
    loc f0: do { x := 7; n := 1; } goto f1;
    loc f1: do { n := 2; } return x + y;
  }
  active[2] thread T() {
    int x;
    loc l0: do { x := 3; } goto l1;
    loc l1: x := invoke f(x) goto l2;
    loc l2: do { assert x == 10; } return;
  }
}";
    for (formula, holds) in [
        ("[] (n == 1 -> T#1:x == 0 || T#1:x == 3 || T#1:x == 10)", true),
        ("[] (T#1:x == 0 || T#1:x == 3 || T#1:x == 10)", true),
        ("[] !(T#1:x == 7)", true),
        ("[] (T#1:x == 3 -> T#1@l1)", false),
        ("<> (T#1:x == 3 && !T#1@l1)", true),
        ("<> (T#2@l2 && T#2:x == 10)", true),
        ("<> [] (!T#2@l2 && T#2:x == 0)", true),
    ] {
        let model = load(text, formula);
        for heap in ["none", "heap", "canonical"] {
            let found = check(&model, Fairness::None, heap, Order::DepthFirst, Algorithm::Scc);
            assert_eq!(found.lassos.is_empty(), holds, "{formula} {heap}");
        }
    }
}

/// Of threads that are started later, the oldest is meant; a variable may refer to a record.
#[test]
fn threads_that_are_started_and_references() {
    let text = "system S {
  record Node { int (0, 5) v; Node next; }
  main thread M() {
    loc m0: do { start W(); } goto m1;
    loc m1: do { start W(); } return;
  }
  thread W() {
    Node n;
    loc w0: do { n := new Node; } goto w1;
    loc w1: do { n.v := 4; } goto w2;
    loc w2: do { n := null; } goto w0;
  }
}";
    for (formula, holds) in [
        ("<> W@w0", true),
        ("[] (W:n == null || W:n.v == 0 || W:n.v == 4)", true),
        ("[] (W@w1 -> W:n != null && W:n.v == 0)", true),
        ("[] (W:n != null -> W:n.v == 0)", false),
        ("[] (M@m1 -> W@w0 || W@w1 || W@w2)", true),
        ("[] M#1@m0", false),
    ] {
        let model = load(text, formula);
        for heap in ["none", "heap", "canonical"] {
            let found = check(&model, Fairness::None, heap, Order::DepthFirst, Algorithm::Scc);
            assert!(found.unknown.is_none(), "{formula}");
            assert_eq!(found.lassos.is_empty(), holds, "{formula} {heap}");
        }
    }
}

/// Which thread is the oldest is lost where threads change places.
#[test]
fn threads_keep_their_places_where_the_oldest_is_meant() {
    let text = "system S {
  int (0, 1) busy;
  main thread M() {
    loc m0: do { start W(); } goto m1;
    loc m1: do { start W(); } return;
  }
  thread W() {
    loc w0: when busy == 0 do { busy := 1; } goto w1;
    loc w1: do { busy := 0; } goto w0;
  }
}";
    let model = load(text, "[] (busy == 1 -> W@w1)");
    for heap in ["none", "heap", "canonical"] {
        let found = check(&model, Fairness::None, heap, Order::DepthFirst, Algorithm::Scc);
        assert!(!found.lassos.is_empty(), "{heap}: the younger one may be busy");
    }
}
