//! Random Promela programs: small, finite, determined by a seed, and free of what SPIN leaves undefined.
//! The state spaces stay small because whatever may be executed repeatedly assigns small values only.
//!
//! # Where SPIN itself goes wrong
//!
//! Each of these was a difference once, and SPIN 6.5.2 was found to be wrong about it. The generator avoids them, or
//! takes back [`Generated::reducible`] where only partial-order reduction is concerned. Where SPIN's verifier then computes
//! something else, it is also [`Generated::miscompiled`].
//!
//! In any search:
//! - A receive into a variable narrower than the field: to undo it pan puts the variable's cut value back into the
//!   channel, and goes on from a state that never existed. Fields of type bit and bool are stored as whole bytes and
//!   not cut when sent, so the same happens to a bit that receives a 2.
//! - An index of a receive's variable, or of an assignment's, that the statement itself changes: pan evaluates it again
//!   to undo the statement.
//! - `D_proctype`: a rendezvous that is offered but not taken counts as a second possibility, while `skip`, jumps,
//!   breaks and `d_step`s never do.
//! - Priorities: a process without a local variable of at least a byte has its priority left out of the computation of
//!   what is padding, so that states are compared without its bit variables and parts of its priority.
//! - Traces: an event with constants is compared with the last message of the channel for a send and with the first one
//!   for a receive, which are others than those sent by `!!` and received by `??`.
//! - Hidden variables: undoing a `d_step` does not restore them, and undoing a receive puts their value, whatever it is
//!   by then, back into the channel.
//! - Conditional expressions and negative constants as arguments of inlines are garbled when they are substituted.
//!
//! With partial-order reduction only:
//! - The arguments of `run` and the indices of local arrays are taken for local whatever they read.
//! - Programs with `xr` or `xs`: `1 - len(c)` is printed as `1 - A && B && q_len(c)`, without parentheses; this
//!   includes the hidden comparison of `for (m in c)`.
//! - Remote variables, and pids observed while processes come and go; see [`generate()`].

mod choice;
mod declare;
mod expression;
pub mod feature;
mod population;
mod scope;
pub mod shrink;
mod statement;
pub mod tree;

use std::collections::BTreeSet;

use self::feature::Feature;
use self::scope::World;
use self::tree::Program;
use crate::random::Random;

/// A program and what is known about it.
#[derive(Clone)]
pub struct Generated {
    /// The program.
    pub program: Program,
    /// The features it uses.
    pub features: BTreeSet<Feature>,
    /// Whether SPIN's and Quotient's partial-order reductions must agree on it.
    pub reducible: bool,
    /// Whether SPIN's verifier with partial-order reduction computes something else than the program says.
    pub miscompiled: bool,
}

/// The program of `seed` with the `forced` features among its features; with odd ones if `odd`.
pub fn generate(seed: u64, forced: &[Feature], odd: bool) -> Generated {
    let mut random = Random::new(seed);
    let features = feature::choose(&mut random, forced, odd);
    let mut world = World::new(random, features);
    let mut program = Program::default();
    declare::globals(&mut world, &mut program);
    population::processes(&mut world, &mut program);
    let used = |feature: Feature| world.used.contains(&feature);
    // Quotient deliberately differs from SPIN when pids are observed while processes come and go.
    let observes = used(Feature::NrPr) || used(Feature::Run) && (used(Feature::Pid) || used(Feature::RunValue));
    // pan warns that its own reduction is not sound with remote variables, and has none for the other two.
    let text = program.to_string();
    let peeks = world.remotes.iter().any(|remote| remote.contains(':') && text.contains(remote.as_str()));
    let priorities = used(Feature::Priority) || used(Feature::PriorityCall);
    let misjudged = world.misjudged || world.miscompiled;
    let reducible = !observes && !peeks && !priorities && !used(Feature::OddElse) && !misjudged;
    Generated { program, features: world.used, reducible, miscompiled: world.miscompiled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_one_program() {
        for seed in 0..50 {
            let [first, second] = [(); 2].map(|()| generate(seed, &[], false).program.to_string());
            assert_eq!(first, second);
        }
    }
}
