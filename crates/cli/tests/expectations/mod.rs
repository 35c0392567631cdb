//! The lines `// expect …` of the programs in a directory. Whoever reads them says what their words mean.

use std::path::{Path, PathBuf};

/// One line of expectations.
pub(crate) struct Expectation {
    pub file: PathBuf,
    pub line: String,
}

impl Expectation {
    /// The values of a key, in the order of the line.
    pub(crate) fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let words = self.line.split_whitespace().filter_map(|word| word.split_once('='));
        words.filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// Where the programs of a directory of `programs/c` are.
pub(crate) fn programs(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c").join(directory)
}

/// The expectations of all programs of a directory; with a value in this variable, of those whose path contains it.
pub(crate) fn expectations(directory: &str, variable: &str) -> Vec<Expectation> {
    let only = std::env::var(variable).unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(programs(directory))
        .expect("the directory of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let before = all.len();
        let lines = text.lines().filter_map(|line| line.strip_prefix("// expect "));
        all.extend(lines.map(|line| Expectation { file: file.clone(), line: line.to_owned() }));
        assert!(all.len() > before, "{} expects nothing", file.display());
    }
    all
}
