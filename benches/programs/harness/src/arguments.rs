//! The command line of a binary: `PROGRAM THREADS LIMIT REPEAT [symmetry]`, times in seconds of CPU time.
//! Only `cargo xtask bench-programs` calls it, so it has no options.

/// What to check, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The name of the program.
    pub program: String,
    /// How many threads it has besides the main one.
    pub threads: usize,
    /// After how many seconds the check is given up.
    pub limit: f64,
    /// For how many seconds the check is repeated.
    pub repeat: f64,
    /// Whether to reduce by symmetry, for a tool that can.
    pub symmetry: bool,
}

impl Arguments {
    /// Reads a command line.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let words: Vec<String> = words.collect();
        let (required, symmetry) = match words.as_slice() {
            [required @ .., last] if last == "symmetry" => (required, true),
            all => (all, false),
        };
        let [program, threads, limit, repeat] = required else {
            return Err("usage: PROGRAM THREADS LIMIT REPEAT [symmetry]".to_string());
        };
        Ok(Arguments {
            program: program.clone(),
            threads: threads.parse().map_err(|error| format!("{threads}: {error}"))?,
            limit: limit.parse().map_err(|error| format!("{limit}: {error}"))?,
            repeat: repeat.parse().map_err(|error| format!("{repeat}: {error}"))?,
            symmetry,
        })
    }
}
