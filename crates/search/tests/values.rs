//! Values of extensions: what `canonical` takes for one, by closed forms, and faults with their places.

use std::path::Path;

use quotient_canon::HeapStrategy;
use quotient_ir::Model;
use quotient_search::{Exploration, Options, explore};

const SET: &str = "extension Set for quotient.Set {
    typedef type<`a>;
    expdef Set.type<`a> create<`a>(`a ...);
    actiondef add<`a>(Set.type<`a>, `a);
    expdef `a choose<`a>(Set.type<`a>);
    expdef `a take<`a>(Set.type<`a>);
  }";

fn load(text: &str) -> Model {
    let loaded = quotient_bir::load(Path::new("m.bir"), text.as_bytes(), &quotient_bir::Options::default());
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn search(model: &Model, strategy: &str) -> Exploration {
    let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
    let found = explore(model, &Options { heap, all_errors: true, ..Options::default() }, &mut |_| true);
    assert_eq!(found.stop, None);
    found
}

/// Threads that each put a record with a number of its own into a set, and end.
fn adders(threads: i32) -> Model {
    let started: String = (0..threads).map(|number| format!("start Adder({number}); ")).collect();
    load(&format!(
        "system Adders {{ {SET}
           record Item {{ int (0, 9) number; }}
           Set.type<Item> items := Set.create<Item>();
           thread Adder(int number) {{ Item i;
             loc a: do {{ i := new Item; i.number := number; Set.add(items, i); }} return;
           }}
           main thread Main() {{ loc a: do {{ {started} }} return; }}
         }}"
    ))
}

/// The set at the end has the same elements, in whatever order they were added: a state for each set of threads that have
/// ended, and one before all. With the order of addition, it is one for each sequence of them.
#[test]
fn only_what_is_in_a_set_matters() {
    for threads in 1..=5u32 {
        let model = adders(threads as i32);
        assert_eq!(search(&model, "canonical").states, 1 + 2u64.pow(threads), "{threads} threads");
        let sequences: u64 = (0..=threads).map(|k| (threads - k + 1..=threads).map(u64::from).product::<u64>()).sum();
        assert_eq!(search(&model, "heap").states, 1 + sequences, "{threads} threads");
    }
}

#[test]
fn every_alternative_is_taken() {
    let model = load(&format!(
        "system Taken {{ {SET}
           Set.type<int> numbers := Set.create<int>(3, 1, 2);
           active thread T() {{ int x; loc a: do {{ x := Set.choose(numbers); assert x != 2; }} return; }}
         }}"
    ));
    for strategy in ["none", "heap", "pc", "kbots", "canonical"] {
        let found = search(&model, strategy);
        assert_eq!((found.errors, found.kinds.len()), (1, 1), "{strategy}");
    }
}

#[test]
fn more_alternatives_than_there_are_transitions_are_an_error() {
    let many: Vec<String> = (0..33).map(|number| number.to_string()).collect();
    let model = load(&format!(
        "system Many {{ {SET}
           Set.type<int> numbers := Set.create<int>({});
           active thread T() {{ int x; loc a: do {{ x := Set.choose(numbers); }} return; }}
         }}",
        many.join(", ")
    ));
    let found = search(&model, "canonical");
    assert!(found.kinds.contains("too-many-alternatives"), "{:?}", found.kinds);
}

#[test]
fn a_value_that_grows_without_end_comes_to_a_limit() {
    let model = load(&format!(
        "system Grows {{ {SET}
           Set.type<int> numbers := Set.create<int>();
           active thread T() {{ int x; loc a: do {{ Set.add(numbers, x); x := x + 1; }} goto a; }}
         }}"
    ));
    assert!(search(&model, "canonical").kinds.contains("heap-limit"));
}
