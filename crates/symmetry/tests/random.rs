//! Random symmetric models: their symmetry is found in plain Promela, agrees with what is declared, and renamings
//! commute with steps.

mod common;

use quotient_generate::symmetric::{Dialect, generate};

#[test]
fn random_models_are_as_symmetric_as_they_are_made() {
    let (mut found, mut declared, mut checked) = (0, 0, 0);
    for seed in 0..120 {
        let model = generate(seed);
        let plain = common::load_text(&model.text(Dialect::Plain));
        let text = || format!("seed {seed}\n{}\n{:#?}", model.text(Dialect::Plain), plain.lines());
        checked += plain.check(150).unwrap_or_else(|problem| panic!("{}\n{problem}", text()));
        found += usize::from(!plain.detection.found.is_empty());
        if model.declarable() {
            let subject = common::load_text(&model.text(Dialect::Declared));
            assert!(!subject.detection.failed(), "{}\n{:#?}", model.text(Dialect::Declared), subject.lines());
            assert!(!subject.detection.found.is_empty());
            checked += subject.check(150).unwrap_or_else(|problem| panic!("{}\n{problem}", text()));
            declared += 1;
        }
    }
    assert!(found >= 60 && declared >= 80 && checked > 5_000, "{found} found, {declared} declared, {checked} checked");
}
