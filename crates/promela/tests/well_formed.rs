//! Models that the front end makes are well-formed: every model of the project, and random ones of every kind.

use std::path::{Path, PathBuf};

use quotient_generate::symmetric::Dialect;
use quotient_generate::{idiom, lives, patterns, promela, promise, promising, symmetric};
use quotient_promela::{Loaded, Options, load, load_with};

/// How many random models of each kind.
const SEEDS: u64 = 150;

/// Whether there is a model; one that is malformed is an error of the front end.
fn check(name: &str, loaded: Loaded) -> bool {
    match loaded.model {
        None => false,
        Some(model) => {
            assert_eq!(model.validate(), Ok(()), "{name}");
            true
        }
    }
}

fn check_text(name: &str, text: &str) -> bool {
    check(name, load_with(name.as_ref(), &Options::default(), &|_: &Path| Ok(text.as_bytes().to_vec())))
}

/// All models below a directory.
fn models(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the directory can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => models(&path),
            false => Vec::from_iter(path.extension().is_some_and(|end| end == "pml").then_some(path)),
        })
        .collect()
}

#[test]
fn models_of_the_project() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let paths = models(&directory);
    let well_formed =
        paths.iter().filter(|path| check(&path.to_string_lossy(), load(path, &Options::default()))).count();
    assert!(well_formed > 200 && well_formed == paths.len(), "{well_formed} of {}", paths.len());
}

#[test]
fn random_models() {
    let mut well_formed = [0; 7];
    for seed in 0..SEEDS {
        let symmetric = symmetric::generate(seed);
        let texts = [
            promela::generate(seed, &[], seed % 4 == 0).program.to_string(),
            symmetric.text(Dialect::Plain),
            symmetric.text(if symmetric.declarable() { Dialect::Declared } else { Dialect::Plain }),
            idiom::model(seed),
            lives::model(seed),
            promise::model(seed),
            promising::model(seed),
        ];
        for (kind, text) in texts.iter().enumerate() {
            well_formed[kind] += u64::from(check_text("random.pml", text));
        }
    }
    assert!(well_formed.iter().all(|&number| number > SEEDS / 2), "{well_formed:?} of {SEEDS} each");
}

#[test]
fn patterns_of_symmetric_code() {
    let lists = [patterns::RESETS, patterns::LOOPS, patterns::REMOTE, patterns::ENDING, patterns::NESTED];
    for pattern in lists.into_iter().flatten() {
        assert!(check_text(pattern.name, pattern.text), "{}", pattern.name);
    }
}
