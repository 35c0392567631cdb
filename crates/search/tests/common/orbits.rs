//! Orbits of states, counted by brute force on the full state space.

use std::collections::{HashMap, HashSet};

use quotient_canon::{Arrangement, Plan};
use quotient_ir::{Group, Model, Symmetry};
use quotient_step::Control;
use quotient_step::machine::{Component, Machine, Program};
use quotient_step::reference::{Interpreter, Moves};

/// Every element of the group, as images over all sets.
fn elements(symmetry: &Symmetry) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for set in &symmetry.sets {
        let n = set.size as u8;
        let own: Vec<Vec<u8>> = match set.group {
            Group::Symmetric => permutations(n),
            Group::Cyclic => (0..n).map(|by| (0..n).map(|m| (m + by) % n).collect()).collect(),
            Group::Dihedral => (0..n)
                .flat_map(|by| [(0..n).map(|m| (m + by) % n).collect(), (0..n).map(|m| (by + n - m) % n).collect()])
                .collect(),
        };
        all = all.iter().flat_map(|head| own.iter().map(move |tail| [&head[..], &tail[..]].concat())).collect();
    }
    all
}

fn permutations(n: u8) -> Vec<Vec<u8>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |shorter: Vec<u8>| {
        (0..n as usize).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, n - 1);
            longer
        })
    };
    permutations(n - 1).into_iter().flat_map(insert).collect()
}

/// The number of orbits of reachable states, and of states. What nobody reads does not count, and states that are not
/// renamed, such as those without all processes, are alone.
pub(crate) fn orbits(model: &Model) -> (u64, u64) {
    let symmetry = model.symmetry.as_ref().expect("a symmetry");
    let elements = elements(symmetry);
    let program = Program::new(model);
    let mut machine = Machine::new(&program, false);
    let interpreter = Interpreter { model, promises: false };
    let mut plans: HashMap<u32, Option<Plan>> = HashMap::new();
    let needed = symmetry.processes.iter().rposition(|position| !position.members.is_empty()).map_or(0, |id| id + 1);
    let mut seen = HashSet::new();
    let mut least = HashSet::new();
    let mut work = vec![(interpreter.initial().0, Control::Free)];
    while let Some((state, control)) = work.pop() {
        if control == Control::Free {
            let bytes = machine.encode(&interpreter.visible(&state));
            machine.load(&bytes);
            let (number, shape) = machine.shape();
            let plan = plans.entry(number).or_insert_with(|| {
                let place = |component: &Component| (component.ty as usize, component.offset);
                let processes: Vec<_> = shape.processes.iter().map(place).collect();
                let channels = shape.channels.iter().map(place).collect();
                let fits = processes.len() >= needed;
                let arrangement = Arrangement { processes, channels };
                fits.then(|| Plan::new(model, &program.schema, symmetry, &arrangement).expect("a plan"))
            });
            let plan = plan.as_ref().filter(|plan| plan.renames(&bytes));
            let all = elements.iter().map(|images| match plan {
                Some(plan) => {
                    let mut renamed = plan.renamed(images, &bytes);
                    plan.forget(&mut renamed);
                    renamed
                }
                None => bytes.clone(),
            });
            least.insert(all.min().expect("an element"));
            if !seen.insert(bytes) {
                continue;
            }
            assert!(seen.len() < 200_000);
        }
        match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => work.extend(outcomes.into_iter().filter_map(|outcome| outcome.next)),
            Moves::Release => work.push((state, Control::Free)),
            Moves::End | Moves::Deadlock => {}
        }
    }
    assert!(least.len() < seen.len(), "the symmetry saves nothing");
    (least.len() as u64, seen.len() as u64)
}
