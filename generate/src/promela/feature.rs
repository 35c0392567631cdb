//! The features of Promela that a generated program may use, and the choice of a subset for one program.
//! Small subsets test interactions deeply; now and then a program may use everything.

use std::collections::BTreeSet;

use crate::random::Random;

/// Declares the features with their command-line names, weights and the features each needs.
macro_rules! features {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $weight:literal, [$($needs:ident),*];)*) => {
        /// Something a program may use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature { $($(#[$doc])* $variant,)* }

        impl Feature {
            /// All features.
            pub const ALL: &[Feature] = &[$(Feature::$variant),*];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name),* }
            }

            /// How often it is chosen for a small subset, relative to the others.
            fn weight(self) -> usize {
                match self { $(Feature::$variant => $weight),* }
            }

            /// The features it cannot do without.
            fn needs(self) -> &'static [Feature] {
                match self { $(Feature::$variant => &[$(Feature::$needs),*]),* }
            }
        }
    };
}

features! {
    /// bit, short, int, unsigned and pid variables next to byte and bool.
    Types = "types", 8, [];
    /// Values that do not fit their variable.
    Truncation = "truncation", 6, [Types];
    /// mtype variables and constants.
    Mtype = "mtype", 6, [];
    /// `mtype:name`.
    NamedMtype = "named-mtype", 3, [Mtype];
    /// Arrays with constant or masked indices.
    Array = "array", 6, [];
    /// Structures with nested arrays.
    Typedef = "typedef", 6, [];
    /// Initialisers that are expressions.
    Initialiser = "initialiser", 5, [];
    /// Declarations after the first statement of a body.
    MidDeclaration = "mid-declaration", 5, [];
    /// Declarations in inner blocks.
    BlockScope = "block-scope", 4, [];
    /// Buffered channels.
    Buffered = "buffered", 14, [];
    /// Rendezvous channels.
    Rendezvous = "rendezvous", 12, [];
    /// Messages of several fields of all types.
    MultiField = "multi-field", 6, [Buffered];
    /// Arrays of channels.
    ChannelArray = "channel-array", 5, [Buffered];
    /// Channels as parameters.
    ChannelParameter = "channel-parameter", 5, [Buffered, Run];
    /// Channels in messages and channel variables.
    ChannelMessage = "channel-message", 5, [Buffered];
    /// Channels local to a process.
    LocalChannel = "local-channel", 4, [Buffered];
    /// Whole structures as messages.
    StructMessage = "struct-message", 3, [Buffered, Typedef];
    /// `c!!m`.
    SortedSend = "sorted-send", 5, [Buffered];
    /// `c??m`.
    RandomReceive = "random-receive", 5, [Buffered];
    /// `c?<m>` and `c??<m>`.
    CopyReceive = "copy-receive", 5, [Buffered];
    /// Constants, `eval` and `_` in receives.
    MatchReceive = "match-receive", 6, [Buffered];
    /// `c?[m]` and `c??[m]`.
    Poll = "poll", 5, [Buffered];
    /// `len`, `empty`, `nempty`, `full`, `nfull`.
    Probe = "probe", 6, [Buffered];
    /// `xr` and `xs`.
    Exclusive = "exclusive", 5, [Buffered];
    /// Repetitions.
    Do = "do", 12, [];
    /// `else`.
    Else = "else", 10, [];
    /// A selection as the first statement of an option.
    Nested = "nested-selection", 6, [];
    /// Forward and backward jumps.
    Goto = "goto", 8, [];
    /// Jumps into the middle of an atomic sequence.
    GotoAtomic = "goto-into-atomic", 3, [Goto, Atomic];
    /// `end` labels.
    EndLabel = "end-label", 4, [];
    /// Atomic sequences.
    Atomic = "atomic", 12, [];
    /// Deterministic steps.
    DStep = "d-step", 10, [];
    /// `unless`.
    Unless = "unless", 8, [];
    /// `timeout`.
    Timeout = "timeout", 6, [];
    /// `for` over ranges and arrays.
    For = "for", 6, [];
    /// `for` over the messages of a channel.
    ForChannel = "for-channel", 5, [StructMessage];
    /// `select`.
    Select = "select", 5, [];
    /// Inlines with parameters.
    Inline = "inline", 6, [];
    /// A `hidden` variable, only ever written.
    Hidden = "hidden", 3, [];
    /// Inlines that return a value.
    ReturnInline = "return-inline", 4, [];
    /// Processes created by `run`, with parameters.
    Run = "run", 10, [];
    /// `p = run P()`.
    RunValue = "run-value", 3, [Run];
    /// `active [n]`.
    Replicated = "replicated", 6, [];
    /// `provided` clauses.
    Provided = "provided", 4, [];
    /// Process priorities.
    Priority = "priority", 2, [];
    /// `set_priority`, `get_priority`, `_priority` and `run P() priority n`.
    PriorityCall = "priority-call", 2, [Priority];
    /// `D_proctype`.
    DProctype = "d-proctype", 2, [];
    /// Parameters of active processes, which are zero.
    ActiveParameter = "active-parameter", 3, [];
    /// Global variables declared `local`, each used by one process.
    LocalGlobal = "local-global", 3, [];
    /// `P@label` and `P:variable`.
    Remote = "remote", 2, [];
    /// `trace` and `notrace`.
    Trace = "trace", 3, [Buffered];
    /// `printf` and `printm`.
    Printf = "printf", 3, [];
    /// Assertions that may fail.
    Assert = "assert", 7, [];
    /// `(a -> b : c)`.
    Conditional = "conditional", 5, [];
    /// `&&`, `||` and `!`.
    ShortCircuit = "short-circuit", 6, [];
    /// `&`, `|`, `^`, `~` and shifts.
    BitOperations = "bit-operations", 5, [];
    /// `_pid`.
    Pid = "pid", 3, [];
    /// `_nr_pr`.
    NrPr = "nr-pr", 3, [];
    /// `#define`.
    Define = "define", 4, [];
    /// Macros with parameters.
    FunctionMacro = "function-macro", 3, [];
    /// `#if`, `#ifdef`, `#ifndef`, `#else` and `#endif`.
    PreprocessorIf = "preprocessor-if", 3, [];
    /// `else` next to channel operations, which SPIN calls dubious; only when asked for.
    OddElse = "odd-else", 0, [Else, Buffered];
}

impl Feature {
    /// The feature called `name`.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|feature| feature.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|feature| feature.name()).collect();
            format!("no such feature; the features are: {}", names.join(" "))
        })
    }
}

/// Chooses the features of one program: the `forced` ones, and a random subset of the others.
pub fn choose(random: &mut Random, forced: &[Feature], odd: bool) -> BTreeSet<Feature> {
    let mut chosen = BTreeSet::new();
    for &feature in forced {
        add(&mut chosen, feature);
    }
    if random.chance(12) {
        Feature::ALL.iter().filter(|feature| feature.weight() > 0).for_each(|&feature| add(&mut chosen, feature));
        // These three silence others (SPIN refuses priorities with rendezvous), so "everything" seldom has them.
        for rare in [Feature::Priority, Feature::Trace, Feature::Provided] {
            if !forced.contains(&rare) && random.chance(75) {
                chosen.remove(&rare);
            }
        }
    } else {
        let weights: Vec<usize> = Feature::ALL.iter().map(|feature| feature.weight()).collect();
        for _ in 0..random.between(3, 12) {
            add(&mut chosen, Feature::ALL[random.weighted(&weights)]);
        }
    }
    if odd {
        add(&mut chosen, Feature::OddElse);
    }
    if chosen.contains(&Feature::OddElse) && !forced.contains(&Feature::Exclusive) {
        // SPIN refuses the two together.
        chosen.remove(&Feature::Exclusive);
    }
    if chosen.contains(&Feature::DProctype) {
        // In a D_proctype pan counts a rendezvous that is offered but not taken as a second possibility.
        let loser = if forced.contains(&Feature::DProctype) || random.chance(50) {
            Feature::Rendezvous
        } else {
            Feature::DProctype
        };
        chosen.remove(&loser);
    }
    if !chosen.contains(&Feature::Priority) {
        chosen.remove(&Feature::PriorityCall);
    }
    if chosen.contains(&Feature::Priority) {
        if forced.contains(&Feature::Rendezvous) {
            chosen.remove(&Feature::Priority);
            chosen.remove(&Feature::PriorityCall);
        } else {
            chosen.remove(&Feature::Rendezvous);
        }
    }
    chosen
}

fn add(chosen: &mut BTreeSet<Feature>, feature: Feature) {
    chosen.insert(feature);
    feature.needs().iter().for_each(|&needed| add(chosen, needed));
}
