//! Renamings one at a time: a random one, and how many states they make of one.

use quotient_ir::Group;

use crate::plan::{Images, Plan, Set};
use crate::sort::Turn;

impl Plan {
    /// A state renamed.
    pub fn renamed(&self, images: &Images, state: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.apply(images, state, &mut out);
        out
    }

    /// A renaming, each as likely as any other if `random` gives every number below its argument alike.
    pub fn random_images(&self, mut random: impl FnMut(usize) -> usize) -> Vec<u8> {
        let mut images: Vec<u8> = Vec::new();
        for set in &self.sets {
            let mut own: Vec<u8> = (0..set.size).map(|member| member as u8).collect();
            match set.group {
                Group::Symmetric => (1..set.size).for_each(|at| own.swap(at, random(at + 1))),
                Group::Cyclic | Group::Dihedral => {
                    own.rotate_left(random(set.size));
                    if set.group == Group::Dihedral && random(2) == 1 {
                        own.reverse();
                    }
                }
            }
            images.extend(own);
        }
        images
    }

    /// How many states differ from this one by a renaming, itself included; none if there are too many renamings to try
    /// them all, or if the state stands for others besides because nobody reads what they differ in.
    pub fn orbit_size(&self, state: &[u8]) -> Option<u64> {
        if self.unread.is_some() {
            return None;
        }
        let sizes = self.sets.iter().map(|&set| renamings(set));
        let all = sizes.fold(1.0, |all: f64, size| all * size);
        if all > MOST_RENAMINGS {
            return None;
        }
        // Members that can be exchanged without a difference are not told apart: one renaming is tried for all those that
        // differ in them alone.
        let own: Vec<Vec<Vec<u8>>> = self.sets.iter().map(|&set| elements(set, &self.alike(set, state))).collect();
        let mut chosen = vec![0; own.len()];
        let (mut images, mut out) = (Vec::new(), Vec::new());
        let (mut tried, mut fixed) = (0, 0);
        loop {
            images.clear();
            own.iter().zip(&chosen).for_each(|(own, &number)| images.extend_from_slice(&own[number]));
            self.apply(&images, state, &mut out);
            tried += 1;
            fixed += u64::from(out[self.hidden..] == state[self.hidden..]);
            // The next choice, counting up from the last set.
            let Some(set) = (0..own.len()).rev().find(|&set| chosen[set] + 1 < own[set].len()) else { break };
            chosen[set] += 1;
            chosen[set + 1..].fill(0);
        }
        // All renamings that lead to the same state are as many as those that leave this one as it is.
        Some(tried / fixed)
    }

    /// For each member of a set, the first one that it can be exchanged with without a difference.
    fn alike(&self, set: Set, state: &[u8]) -> Vec<u8> {
        let mut first: Vec<u8> = (0..set.size).map(|member| member as u8).collect();
        if set.group != Group::Symmetric {
            return first;
        }
        let identity: Vec<u8> = self.sets.iter().flat_map(|set| (0..set.size).map(|member| member as u8)).collect();
        let mut out = Vec::new();
        for member in 1..set.size {
            let same = |other: &usize| {
                let mut images = identity.clone();
                images.swap(set.base + member, set.base + other);
                self.apply(&images, state, &mut out);
                out[self.hidden..] == state[self.hidden..]
            };
            if let Some(other) = (0..member).find(same) {
                first[member] = first[other];
            }
        }
        first
    }
}

/// The most renamings that are tried on one state: those of seven members.
const MOST_RENAMINGS: f64 = 5040.0;

/// How many renamings a set has.
fn renamings(set: Set) -> f64 {
    match set.group {
        Group::Symmetric => (1..=set.size).map(|factor| factor as f64).product(),
        Group::Cyclic => set.size as f64,
        Group::Dihedral => 2.0 * set.size as f64,
    }
}

/// All renamings of a set; one of those that differ only in members with the same number in `alike`.
fn elements(set: Set, alike: &[u8]) -> Vec<Vec<u8>> {
    if set.group != Group::Symmetric {
        let turned = |turn: Turn| (0..set.size).map(|member| turn.image(member, set.size) as u8).collect();
        return Turn::all(set).map(turned).collect();
    }
    // The images of members that are alike go up.
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for member in 0..set.size {
        let before = (0..member).rev().find(|&other| alike[other] == alike[member]);
        let longer = |shorter: &Vec<u8>| {
            let least = before.map_or(0, |other| shorter[other] + 1);
            let free = (least..set.size as u8).filter(|image| !shorter.contains(image));
            free.map(|image| [&shorter[..], &[image]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
