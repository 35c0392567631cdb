//! Checkpoints of the search of a model: which options it depends on, when one is written, and what to say if that fails.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use quotient_explain::trace_file::fingerprint;
use quotient_report::text::bytes;
use quotient_search::{Keeper, Options, Order};

use crate::args::{Check, Por};
use crate::checkpoint::{self, EVERY, Hash, Identity, Kind, Pace};
use crate::input::Input;
use crate::output;

/// What must be the same for a search to go on. Limits that only end it may differ.
pub fn identity(args: &Check, input: &Input, options: &Options) -> Identity {
    let mut model = Hash::default();
    // All that the search sees: the symmetry too.
    write!(model, "{:?}", input.model).expect("a hash takes everything");
    let order = match options.order {
        Order::DepthFirst => "dfs",
        Order::BreadthFirst => "bfs",
    };
    let por = match args.por {
        Por::On => "on",
        Por::Off => "off",
        Por::Spin => "spin",
    };
    let given = |given: bool| if given { "given" } else { "not given" }.to_string();
    let all = [
        ("the version of Quotient", env!("CARGO_PKG_VERSION").to_string()),
        ("-D", crate::human::defines(&args.input.defines).trim().to_string()),
        ("the text of the model", fingerprint(&input.sources)),
        ("--order", order.to_string()),
        ("--por", por.to_string()),
        ("the strategy for --symmetry", options.symmetry.map_or("off", |strategy| strategy.name()).to_string()),
        ("--order-free-termination", given(args.order_free_termination)),
        ("--all-errors", given(options.all_errors)),
        ("--max-depth", options.max_depth.map_or("not given".to_string(), |depth| depth.to_string())),
        ("--selfcheck", options.selfcheck.to_string()),
        // With another --symmetry-file, say.
        ("what the search makes of the model", model.to_string()),
    ];
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

/// Writes checkpoints to a file.
pub struct Checkpoints<'a> {
    path: &'a Path,
    identity: Identity,
    pace: Pace,
    /// Whether the last one could be written; none was tried yet.
    pub written: Option<bool>,
}

impl<'a> Checkpoints<'a> {
    /// Checkpoints in a file.
    pub fn new(path: &'a Path, every: Option<Duration>, identity: Identity) -> Self {
        Checkpoints { path, identity, pace: Pace::new(every.unwrap_or(EVERY)), written: None }
    }
}

impl Keeper for Checkpoints<'_> {
    fn is_due(&mut self) -> bool {
        self.pace.is_due()
    }

    fn keep(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let started = Instant::now();
        let result = checkpoint::write(self.path, Kind::Model, &self.identity, write);
        self.pace.written(started.elapsed());
        if let (Err(error), true) = (&result, self.written != Some(false)) {
            output::err(&format!("warning: cannot write the checkpoint `{}`: {error}\n", self.path.display()));
        }
        self.written = Some(result.is_ok());
    }
}

/// Where a search that was cut short can go on, in a line.
pub fn advice(checkpoints: &Checkpoints) -> String {
    match checkpoints.written {
        Some(true) => {
            let size = std::fs::metadata(checkpoints.path).map_or(0, |file| file.len());
            let path = checkpoints.path.display();
            format!("The search is saved ({}); go on with: --resume {path}\n", bytes(size))
        }
        _ => String::new(),
    }
}
