//! Renaming identical threads.

use std::collections::BTreeSet;

use quotient_oracle::random::{Shape, program};
use quotient_oracle::{Execution, MemoryModel, classes, executions, parse, permutations};

#[test]
fn classes_are_maximal_runs() {
    let text = "init x=0\nthreads 2 { store rlx x 1 }\nthread { store rlx x 2 }\nthread { store rlx x 1 }";
    let program = parse(text).expect("a program").program;
    assert_eq!(classes(&program), [0..2, 2..3, 3..4]);
}

#[test]
fn permutations_stay_within_classes() {
    let all = permutations(5, &[0..2, 2..5]);
    assert_eq!(all.len(), 12);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 12);
    assert!(all.iter().all(|perm| perm[..2].iter().all(|&to| to < 2)));
}

#[test]
fn executions_are_closed_under_renaming() {
    let symmetric = (0..).map(|seed| program(seed, Shape { symmetric: 100, rings: 0, total: 8, ..Shape::default() }));
    let symmetric = symmetric.filter(|program| classes(program).len() < program.threads.len());
    for program in symmetric.take(400) {
        let classes = classes(&program);
        let permutations = permutations(program.threads.len(), &classes);
        for model in MemoryModel::ALL {
            let found = executions(&program, model).expect("small");
            let renamed = |perm: &Vec<usize>| -> BTreeSet<Execution> {
                found.iter().map(|execution| execution.permuted(perm)).collect()
            };
            assert!(permutations.iter().all(|perm| renamed(perm) == found), "{program}");
            for execution in found.iter().take(20) {
                let least = execution.canonical(&classes);
                assert!(found.contains(&least) && least <= *execution);
                assert!(permutations.iter().all(|perm| execution.permuted(perm).canonical(&classes) == least));
            }
        }
    }
}
