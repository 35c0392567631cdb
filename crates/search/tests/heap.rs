//! Models with a heap: published numbers, and the engine against the naive search with brute force over all renamings.

mod heap_models;

use heap_models::philosophers;
use quotient_canon::HeapStrategy;
use quotient_search::{Exploration, Options, explore};

fn search(model: &quotient_ir::Model, options: Options) -> Exploration {
    let options = Options { all_errors: true, ..options };
    let found = explore(model, &options, &mut |_| true);
    assert_eq!(found.stop, None);
    found
}

fn counts(model: &quotient_ir::Model, strategy: &str) -> (u64, u64) {
    let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
    let found = search(model, Options { heap, ..Options::default() });
    assert_eq!(found.heap, Some(heap));
    (found.states, found.matched)
}

/// Table 1 of "Space-reduction strategies for model checking dynamic software": states and states seen again, for philosophers
/// without symmetry of threads (NTS), with threads sorted by control states (PCS) and by what they reach (kBOTS). The column
/// of `canonical` is ours. The states of the table have one more: the one in which the main thread has done nothing.
#[test]
fn philosophers_are_those_of_the_paper() {
    for (number, strategy, expected) in [
        (3, "heap", (36, 41)),
        (3, "pc", (19, 21)),
        (3, "kbots", (14, 15)),
        (3, "canonical", (14, 15)),
        (5, "heap", (393, 1024)),
        (5, "pc", (250, 659)),
        (5, "kbots", (160, 410)),
        (5, "canonical", (81, 208)),
        (7, "heap", (4287, 17394)),
        (7, "pc", (3337, 13683)),
        (7, "kbots", (2207, 8937)),
        (7, "canonical", (615, 2490)),
        (10, "heap", (154_451, 961_681)),
        (10, "pc", (137_863, 860_763)),
        (10, "kbots", (99_976, 623_240)),
        (10, "canonical", (15_490, 96_440)),
    ] {
        assert_eq!(counts(&philosophers(number), strategy), expected, "{number} philosophers, {strategy}");
    }
}
