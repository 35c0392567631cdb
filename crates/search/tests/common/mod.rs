//! What the tests share: loading models, exploring them, and replaying what was found.

// Every test file compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub(crate) mod orbits;

use std::path::{Path, PathBuf};

use quotient_canon::HeapStrategy;
use quotient_ir::Model;
use quotient_promela::Loaded;
use quotient_search::{Error, Exploration, Options, Order, Reduce, Storage, Violation};
use quotient_step::reference::Interpreter;
use quotient_step::replay::errors;

/// Both orders without reduction, with SPIN's and with the full one; all errors are looked for.
pub(crate) const EVERY_WAY: [Options; 6] = [
    way(Order::DepthFirst, false),
    way(Order::DepthFirst, true),
    way(Order::BreadthFirst, false),
    way(Order::BreadthFirst, true),
    full(Order::DepthFirst),
    full(Order::BreadthFirst),
];

/// The full reduction.
pub(crate) const fn full(order: Order) -> Options {
    Options { reduce: Reduce::Full, ..way(order, true) }
}

/// Options that only say in which order, and whether with reduction. Nothing is checked behind the reductions, so that what
/// they do wrong shows.
pub(crate) const fn way(order: Order, por: bool) -> Options {
    Options {
        order,
        reduce: if por { Reduce::Spin } else { Reduce::Off },
        trust: false,
        symmetry: None,
        heap: HeapStrategy::Canonical,
        symmetric_independence: true,
        store: Storage::Auto,
        selfcheck: 0,
        all_errors: true,
        max_states: None,
        max_depth: None,
        max_time: None,
        max_memory: None,
        believed: 0,
        left_out: None,
    }
}

/// What tells the ways apart, for messages.
pub(crate) fn name(options: &Options) -> String {
    let order = if options.order == Order::DepthFirst { "depth-first" } else { "breadth-first" };
    let reduction = match options.reduce {
        Reduce::Off => "without reduction",
        Reduce::Spin => "with SPIN's reduction",
        Reduce::Full => "with the full reduction",
    };
    format!("{order} {reduction}")
}

/// The models of the project.
pub(crate) fn models_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// The models with one construct each.
pub(crate) fn conformance_directory() -> PathBuf {
    models_directory().join("conformance")
}

/// The `.pml` files of a directory, by name.
pub(crate) fn models_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    files.sort();
    files
}

/// A file's name without directory and extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Loads a model with macros defined as by `-D`.
pub(crate) fn load(path: &Path, defines: &[(String, Option<String>)]) -> Model {
    let options = quotient_promela::Options { defines: defines.to_vec(), ..quotient_promela::Options::default() };
    expect_model(quotient_promela::load(path, &options))
}

/// Loads a model with SPIN's default optimisations.
pub(crate) fn load_as_spin(path: &Path) -> Model {
    let loaded = quotient_promela::load(path, &quotient_promela::Options::default());
    loaded.as_spin_counts().unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics))
}

/// Loads a model from a text.
pub(crate) fn parse(text: &str) -> Model {
    let loader = |_: &Path| Ok(text.as_bytes().to_vec());
    expect_model(quotient_promela::load_with("inline.pml".as_ref(), &quotient_promela::Options::default(), &loader))
}

fn expect_model(loaded: Loaded) -> Model {
    let Loaded { model, sources, diagnostics, .. } = loaded;
    model.unwrap_or_else(|| panic!("{}", quotient_report::render::render(&diagnostics, &sources, false)))
}

/// Explores a model.
pub(crate) fn explore(model: &Model, options: &Options) -> Exploration {
    quotient_search::explore(model, options, &mut |_| true)
}

/// The machine-readable name of an error.
pub(crate) fn kind(error: &Error) -> &'static str {
    error.kind()
}

/// Repeats a violation's run on the reference interpreter: it must be possible, and show the same violation.
pub(crate) fn check_replay(model: &Model, por: bool, violation: &Violation) -> Result<(), String> {
    let Violation { error, path, .. } = violation;
    let errors = errors(Interpreter { model, promises: por }, path)
        .map_err(|at| format!("{error:?}: event {at} of {} cannot happen: {:?}", path.len(), path[at - 1]))?;
    let same = errors.contains(error);
    if same { Ok(()) } else { Err(format!("{error:?}: the run of {} events does not show it", path.len())) }
}
