//! What is known about threads that may be alike, in a form that goes with a checkpoint.

use super::{Group, Likeness, Usage};
use serde::{Deserialize, Serialize};

/// What a process has seen of them in all executions so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Carried {
    refused: Vec<String>,
    runs: u64,
    groups: Vec<SavedGroup>,
    families: Vec<SavedGroup>,
    /// By class.
    usage: Vec<(u64, Vec<SavedUsage>)>,
    results: Vec<(u64, usize)>,
}

/// The address of a byte, who uses it, and whether it is written, own, and used elsewhere.
type SavedUsage = (usize, u128, [bool; 3]);

/// A group: its class, argument, whether arguments differ, whether it is claimed, where it is started, and its threads.
type SavedGroup = (u64, usize, bool, bool, usize, (u32, u32));

fn save(class: u64, group: &Group) -> SavedGroup {
    (class, group.argument, group.differs, group.claimed, group.pc, group.threads)
}

impl Likeness {
    /// What goes with a checkpoint.
    pub(crate) fn carried(&self) -> Carried {
        let usage = |(&class, bytes): (&u64, &crate::machine::ByAddress<Usage>)| {
            let save =
                |(&byte, usage): (&usize, &Usage)| (byte, usage.users, [usage.written, usage.own, usage.elsewhere]);
            (class, bytes.iter().map(save).collect())
        };
        Carried {
            refused: self.refused.clone(),
            runs: self.runs,
            groups: self.groups.iter().map(|(&class, group)| save(class, group)).collect(),
            families: self.families.iter().map(|(&class, group)| save(class, group)).collect(),
            usage: self.usage.iter().map(usage).collect(),
            results: self.results(),
        }
    }

    /// Adds what another process has seen. What was run again to come to where it was has been counted there.
    pub(crate) fn carry_on(&mut self, before: &Carried) {
        let new: Vec<String> = before.refused.iter().filter(|text| !self.refused.contains(text)).cloned().collect();
        self.refused.splice(0..0, new);
        self.runs = before.runs;
        for (groups, saved) in [(&mut self.groups, &before.groups), (&mut self.families, &before.families)] {
            for &(class, argument, differs, claimed, pc, threads) in saved {
                let group = groups.entry(class).or_insert(Group { argument, differs, claimed, pc, threads });
                group.differs |= differs || group.argument != argument;
                group.claimed |= claimed;
                group.threads = (group.threads.0.min(threads.0), group.threads.1.max(threads.1));
            }
        }
        for (class, bytes) in &before.usage {
            let known = self.usage.entry(*class).or_default();
            for &(byte, users, [written, own, elsewhere]) in bytes {
                let usage = known.entry(byte).or_default();
                usage.users |= users;
                usage.written |= written;
                usage.own |= own;
                usage.elsewhere |= elsewhere;
            }
        }
        for &(class, result) in &before.results {
            self.results.entry(class).or_insert(result);
        }
    }
}
