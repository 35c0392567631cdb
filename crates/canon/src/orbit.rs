//! Renamings one at a time: a random one, and how many states they make of one.

use quotient_ir::Group;

use crate::label::Labeller;
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

    /// How many states differ from this one by a renaming, itself included; none if there are too many renamings to try,
    /// or if the state stands for others besides because nobody reads what they differ in.
    pub fn orbit_size(&self, state: &[u8]) -> Option<u64> {
        if self.unread.is_some() {
            return None;
        }
        let all = self.sets.iter().try_fold(1, |all: u64, &set| all.checked_mul(renamings(set)?))?;
        // A renaming that leaves the state as it is takes members to members of the same colour. Of those that differ only
        // in members that can be exchanged without a difference, one is tried for all.
        let colours = Labeller::new(self).colours(self, state);
        let (mut own, mut to_try, mut each) = (Vec::new(), 1, 1);
        for &set in &self.sets {
            let colours = &colours[set.base..set.base + set.size];
            let alike = self.alike(set, colours, state);
            each *= (0..set.size)
                .map(|member| alike[..=member].iter().filter(|&&a| a == alike[member]).count() as u64)
                .product::<u64>();
            own.push(elements(set, colours, &alike, MOST_RENAMINGS / to_try)?);
            to_try *= own[own.len() - 1].len();
        }
        let mut chosen = vec![0; own.len()];
        let (mut images, mut out) = (Vec::new(), Vec::new());
        let mut fixed = 0;
        loop {
            images.clear();
            own.iter().zip(&chosen).for_each(|(own, &number)| images.extend_from_slice(&own[number]));
            self.apply(&images, state, &mut out);
            fixed += u64::from(out[self.hidden..] == state[self.hidden..]);
            // The next choice, counting up from the last set.
            let Some(set) = (0..own.len()).rev().find(|&set| chosen[set] + 1 < own[set].len()) else { break };
            chosen[set] += 1;
            chosen[set + 1..].fill(0);
        }
        // All renamings that lead to the same state are as many as those that leave this one as it is.
        Some(all / (fixed * each))
    }

    /// For each member of a set, the first one that it can be exchanged with without a difference.
    fn alike(&self, set: Set, colours: &[u64], state: &[u8]) -> Vec<u8> {
        let mut first: Vec<u8> = (0..set.size).map(|member| member as u8).collect();
        if set.group != Group::Symmetric {
            return first;
        }
        let mut out = Vec::new();
        for member in 1..set.size {
            let same = |&other: &usize| {
                let mut images = self.identity.clone();
                images.swap(set.base + member, set.base + other);
                self.apply(&images, state, &mut out);
                out[self.hidden..] == state[self.hidden..]
            };
            // Those that are alike are so in turn: it is enough to look at the first of each.
            let firsts =
                (0..member).filter(|&other| usize::from(first[other]) == other && colours[other] == colours[member]);
            if let Some(other) = firsts.collect::<Vec<_>>().into_iter().find(same) {
                first[member] = other as u8;
            }
        }
        first
    }
}

/// The most renamings that are tried on one state.
const MOST_RENAMINGS: usize = 5040;

/// How many renamings a set has, unless they are very many.
fn renamings(set: Set) -> Option<u64> {
    match set.group {
        Group::Symmetric => (1..=set.size as u64).try_fold(1, |all: u64, factor| all.checked_mul(factor)),
        Group::Cyclic => Some(set.size as u64),
        Group::Dihedral => Some(2 * set.size as u64),
    }
}

/// All renamings of a set that take members to members of the same colour, one of those that differ only in members with the
/// same number in `alike`; none if there are more than `most`.
fn elements(set: Set, colours: &[u64], alike: &[u8], most: usize) -> Option<Vec<Vec<u8>>> {
    if set.group != Group::Symmetric {
        let turned = |turn: Turn| (0..set.size).map(|member| turn.image(member, set.size) as u8).collect();
        let all: Vec<Vec<u8>> = Turn::all(set).map(turned).collect();
        return (all.len() <= most).then_some(all);
    }
    // The images of members that are alike go up.
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for member in 0..set.size {
        let before = (0..member).rev().find(|&other| alike[other] == alike[member]);
        let longer = |shorter: &Vec<u8>| {
            let least = before.map_or(0, |other| shorter[other] + 1);
            let fits = |&image: &u8| !shorter.contains(&image) && colours[usize::from(image)] == colours[member];
            (least..set.size as u8).filter(fits).map(|image| [&shorter[..], &[image]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}
