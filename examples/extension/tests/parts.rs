//! The parts obey what is asked of them, and a search with them finds what the engine finds.

use std::path::Path;

use quotient_bir::{Options, load};
use quotient_canon::{HeapReducer, HeapStrategy, Itself, Representative};
use quotient_example_extension::{Buffer, FewestFirst, SortedThreads};
use quotient_extension::laws;
use quotient_ir::Model;
use quotient_ir::schema::Schema;
use quotient_search::modular::{FirstFirst, Frontier, LastFirst, Pending, explore};

fn model(change: impl Fn(&str) -> String) -> Model {
    let text = include_str!("../buffer.bir");
    let mut options = Options::default();
    options.extensions.add(Buffer);
    let loaded = load(Path::new("buffer.bir"), change(text).as_bytes(), &options);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn engine(model: &Model, heap: HeapStrategy) -> quotient_search::Exploration {
    let options = quotient_search::Options { heap, all_errors: true, ..Default::default() };
    quotient_search::explore(model, &options, &mut |_| true)
}

#[test]
fn the_extension_obeys_the_laws() {
    laws::check(&Buffer, 2_000).unwrap_or_else(|broken| panic!("{broken}"));
}

#[test]
fn parts_can_be_exchanged() {
    let model = model(str::to_string);
    let schema = Schema::new(&model);
    let heap = engine(&model, HeapStrategy::Heap);
    let canonical = engine(&model, HeapStrategy::Canonical);
    assert_eq!((heap.errors, canonical.errors), (0, 0));
    let orders: [fn() -> Box<dyn Frontier>; 3] =
        [|| Box::new(LastFirst::default()), || Box::new(FirstFirst::default()), || Box::new(FewestFirst::default())];
    for order in orders {
        let search = |representative: &mut dyn Representative| {
            let found = explore(&model, &mut *order(), representative, 10_000).expect("it is a renaming");
            assert!(found.complete && found.errors.is_empty());
            found.states
        };
        assert_eq!(search(&mut Itself), heap.states);
        let mut reducer = HeapReducer::new(&model, &schema, HeapStrategy::Canonical).expect("there are threads");
        assert_eq!(search(&mut reducer), canonical.states);
        let sorted = search(&mut SortedThreads::new(&schema).expect("records know no threads"));
        assert!((canonical.states..=heap.states).contains(&sorted), "{sorted}");
        assert!(sorted < heap.states, "nothing is taken for one");
    }
}

#[test]
fn errors_are_found() {
    let careless = model(|text| text.replace("when !Buffer.isFull(buffer) do", "do").replace("(2);", "(1);"));
    let found = explore(&careless, &mut FewestFirst::default(), &mut Itself, 10_000).expect("it is a renaming");
    let kinds: std::collections::BTreeSet<&str> = found.errors.iter().map(|(error, _)| error.kind()).collect();
    assert_eq!(kinds, engine(&careless, HeapStrategy::Heap).kinds);
    assert!(kinds.contains("full-value"), "{kinds:?}");
}

/// An order that loses states, and a representative that is none, are noticed.
#[test]
fn wrong_parts_are_noticed() {
    #[derive(Default)]
    struct Forgets(Option<Pending>);
    impl Frontier for Forgets {
        fn push(&mut self, pending: Pending) {
            self.0 = Some(pending);
        }
        fn pop(&mut self) -> Option<Pending> {
            self.0.take()
        }
    }
    struct Blurs(usize);
    impl Representative for Blurs {
        fn representative(&mut self, state: &[u8]) -> Vec<u8> {
            let mut blurred = state.to_vec();
            blurred[self.0] = 0;
            blurred
        }
    }
    let model = model(str::to_string);
    assert!(!explore(&model, &mut Forgets::default(), &mut Itself, 10_000).expect("it is a renaming").complete);
    let number_of_threads = Schema::new(&model).heap.expect("there is a heap").start as usize;
    assert!(explore(&model, &mut LastFirst::default(), &mut Blurs(number_of_threads), 10_000).is_err());
}
