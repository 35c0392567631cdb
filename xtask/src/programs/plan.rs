//! Which programs are measured, and with how many threads.
//! Beyond eight threads only symmetry reduction keeps up, and only where few orbits are left.

use super::tool::Tool;

/// A program of `benches/programs`.
pub struct Program {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in the table; `N` is the number of threads.
    pub title: &'static str,
    /// The numbers of threads, besides the main one.
    pub sizes: &'static [usize],
}

impl Program {
    /// The most threads that a tool is given.
    pub fn most(&self, tool: Tool) -> usize {
        if tool == Tool::Symmetric { usize::MAX } else { 8 }
    }
}

const SMALL: &[usize] = &[2, 3, 4, 5, 6, 7, 8];
const LARGE: &[usize] = &[2, 3, 4, 5, 6, 7, 8, 16, 32];

/// What is measured, in the order of the table.
pub const PROGRAMS: &[Program] = &[
    Program { name: "fetch-add", title: "fetch-add × N", sizes: LARGE },
    Program { name: "own-cell", title: "fetch-add + own cell × N", sizes: LARGE },
    Program { name: "mutex", title: "mutex × N", sizes: LARGE },
    Program { name: "spin-lock", title: "CAS spin lock × N", sizes: SMALL },
    Program { name: "treiber-push", title: "Treiber push × N", sizes: SMALL },
    Program { name: "ms-enqueue", title: "MS queue enqueue × N", sizes: SMALL },
    Program { name: "readers", title: "1 writer, N readers", sizes: LARGE },
    Program { name: "store-buffering", title: "store-buffering ring × N", sizes: SMALL },
];
