//! `.system` files: which processes there are, what they share, and how they are searched. It follows section 9 of the design of process
//! checks.
//!
//! ```toml
//! shared = ["state"]
//!
//! [[process]]
//! run = ["./server"]
//! service = true
//!
//! [[process]]
//! run = ["./client", "{i}"]
//! count = 3
//! symmetric = "full"
//!
//! [search]
//! mode = "stateful"
//! max-depth = 200
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Error;
use crate::parse::{self, ValueError};
use crate::processes::{ProcessFairness, ProcessMode, ProcessOptions, ProcessSet, ProcessSymmetry, StartedProcess};

/// A `.system` file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SystemFile {
    #[serde(default)]
    shared: Vec<PathBuf>,
    #[serde(default)]
    process: Vec<Entry>,
    #[serde(default)]
    search: Search,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    run: Vec<String>,
    #[serde(default)]
    service: bool,
    #[serde(default = "one")]
    count: usize,
    symmetric: Option<Kind>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

fn one() -> usize {
    1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Full,
}

/// A size as on the command line, such as "500M".
#[derive(Debug, Deserialize)]
struct Size(String);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Search {
    mode: Option<ProcessMode>,
    symmetry: Option<ProcessSymmetry>,
    exit_status: Option<bool>,
    livelock: Option<ProcessFairness>,
    all_errors: Option<bool>,
    merge: Option<bool>,
    max_depth: Option<usize>,
    max_states: Option<u64>,
    max_time: Option<u64>,
    max_memory: Option<Size>,
    max_processes: Option<usize>,
    #[serde(alias = "patience")]
    stall_timeout: Option<u64>,
}

impl SystemFile {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |why: String| Error::option(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        toml::from_str(&text).map_err(|error| wrong(error.to_string()))
    }

    /// The processes, and the options; what was given elsewhere goes first.
    pub(crate) fn resolve(self, path: &Path, given: &ProcessOptions) -> Result<(ProcessSet, ProcessOptions), Error> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = parent.canonicalize()?;
        let mut set =
            ProcessSet { name: path.display().to_string(), processes: Vec::new(), symmetric: Vec::new(), directory };
        for entry in self.process {
            if entry.run.is_empty() {
                return Err(Error::option(format!("{}: `run` is empty", path.display())));
            }
            let first = set.processes.len();
            for number in 1..=entry.count {
                let run = entry.run.iter().map(|word| word.replace("{i}", &number.to_string())).collect();
                let environment = entry.environment.clone().into_iter().collect();
                set.processes.push(StartedProcess { run, service: entry.service, environment });
            }
            if entry.symmetric.is_some() && entry.count > 1 {
                set.symmetric.push((first..set.processes.len()).collect());
            }
        }
        let search = self.search;
        let mut options = given.clone();
        options.shared.extend(self.shared);
        if given.mode == ProcessMode::default() {
            options.mode = search.mode.unwrap_or_default();
        }
        if given.symmetry == ProcessSymmetry::default() {
            options.symmetry = search.symmetry.unwrap_or_default();
        }
        options.exit_status |= search.exit_status.unwrap_or(false);
        options.all_errors |= search.all_errors.unwrap_or(false);
        options.no_merge |= search.merge == Some(false);
        options.livelock = given.livelock.or(search.livelock);
        options.max_memory = match (given.max_memory, search.max_memory) {
            (None, Some(Size(text))) => {
                let wrong = |why: ValueError| Error::option(format!("{}: max-memory: {why}", path.display()));
                Some(parse::size(&text).map_err(wrong)?)
            }
            (given, _) => given,
        };
        options.max_depth = given.max_depth.or(search.max_depth);
        options.max_states = given.max_states.or(search.max_states);
        options.max_time = given.max_time.or(search.max_time);
        options.max_processes = given.max_processes.or(search.max_processes);
        options.stall_timeout = given.stall_timeout.or(search.stall_timeout);
        Ok((set, options))
    }
}
