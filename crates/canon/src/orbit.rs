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

    /// How many states differ from this one by a renaming. An estimate, never too low: only renamings that exchange two
    /// members, or turn one ring, are tried to see which leave the state as it is.
    pub fn orbit_size(&self, state: &[u8]) -> f64 {
        let mut images: Vec<u8> = self.sets.iter().flat_map(|set| 0..set.size as u8).collect();
        let mut out = Vec::new();
        let mut size = 1.0;
        let mut state = state.to_vec();
        if let Some(unread) = &self.unread {
            unread.neutralise(&mut state);
        }
        for &set in &self.sets {
            let mut leaves = |images: &Images| {
                self.apply(images, &state, &mut out);
                out[self.hidden..] == state[self.hidden..]
            };
            size *= match set.group {
                Group::Symmetric => arrangements(set, &mut images, &mut leaves),
                Group::Cyclic | Group::Dihedral => turns(set, &mut images, &mut leaves),
            };
        }
        size
    }
}

/// In how many ways members can be arranged, if those that can be exchanged in pairs are alike.
fn arrangements(set: Set, images: &mut Images, leaves: &mut dyn FnMut(&Images) -> bool) -> f64 {
    let mut classes: Vec<(usize, usize)> = Vec::new();
    let mut size = 1.0;
    for member in 0..set.size {
        let mut like = |other: usize| {
            images.swap(set.base + member, set.base + other);
            let like = leaves(images);
            images.swap(set.base + member, set.base + other);
            like
        };
        size *= (member + 1) as f64;
        match classes.iter_mut().find(|(first, _)| like(*first)) {
            Some((_, count)) => {
                *count += 1;
                size /= *count as f64;
            }
            None => classes.push((member, 1)),
        }
    }
    size
}

/// How many different states the turns of a ring give.
fn turns(set: Set, images: &mut Images, leaves: &mut dyn FnMut(&Images) -> bool) -> f64 {
    let (mut all, mut fixed) = (0.0, 0.0);
    for turn in Turn::all(set) {
        for member in 0..set.size {
            images[set.base + member] = turn.image(member, set.size) as u8;
        }
        all += 1.0;
        fixed += f64::from(u8::from(leaves(images)));
    }
    for member in 0..set.size {
        images[set.base + member] = member as u8;
    }
    all / fixed
}
