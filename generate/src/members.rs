//! Random programs in dSPIN's Promela with a scalarset and a heap: members are stored in variables and records, sent, compared, chosen and
//! used as indices. What is wrong about them, if they are damaged on purpose, is that a member is named by its number.

use std::fmt::Write as _;

use crate::random::Random;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    size: usize,
    /// There is a thread for each member; else so many threads.
    family: bool,
    threads: usize,
    capacity: usize,
    locations: Vec<Vec<String>>,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let family = random.chance(50);
    let size = random.between(2, if family { 2 } else { 3 });
    let number = random.between(2, 3);
    let locations = (0..number).map(|_| (0..random.between(1, 2)).map(|_| step(random, family)).collect()).collect();
    Program { size, family, threads: random.between(1, 2), capacity: random.below(3), locations }
}

fn step(random: &mut Random, family: bool) -> String {
    let held = |random: &mut Random| match random.below(5) {
        0 => "last",
        1 if family => "me",
        _ => "m",
    };
    let node = |random: &mut Random| if random.chance(50) { "p" } else { "g" };
    let (one, other, number) = (held(random), held(random), random.below(2));
    let (from, to) = (node(random), node(random));
    let guarded = |node: &str, what: String| format!("d_step {{ {node} != null -> {what} }}");
    match random.below(14) {
        0 | 1 => format!("select ({} : S)", if random.chance(60) { "m" } else { "last" }),
        2 => format!("{} = {one}", if random.chance(50) { "m" } else { "last" }),
        3 => format!("{from} = new node"),
        4 => guarded(from, format!("{from}.owner = {one}")),
        5 => guarded(from, format!("m = {from}.owner")),
        6 => format!("d_step {{ {one} != undef -> count[{one}] = 1 - count[{one}] }}"),
        7 => format!("d_step {{ {one} != undef -> assert(count[{one}] == {number}) }}"),
        8 => format!("{one} == {other}"),
        9 => guarded(from, format!("{from}.owner == {one}")),
        10 => format!("c!{one},{from}"),
        11 => format!("c?m,{to}"),
        12 => format!("d_step {{ {one} != undef -> kept[{one}] = {from} }}"),
        _ => format!("d_step {{ {one} != undef -> {to} = kept[{one}] }}"),
    }
}

impl Program {
    /// As text.
    pub fn written(&self) -> String {
        let (size, capacity) = (self.size, self.capacity);
        let mut text = format!(
            "scalarset S[{size}];\ntypedef node;\ntypedef node {{ S owner; node &next }};\nS last;\nbit count[S];\n\
             node &g;\nnode &kept[S];\nchan c = [{capacity}] of {{ S, node & }};\n"
        );
        let _ = match self.family {
            true => writeln!(text, "active [S] proctype T(S me) {{"),
            false => writeln!(text, "active [{}] proctype T() {{", self.threads),
        };
        text.push_str("  S m;\n  node &p;\n");
        for (number, steps) in self.locations.iter().enumerate() {
            let next = (number + 1) % self.locations.len();
            let _ = writeln!(text, "l{number}: if");
            for step in steps {
                let _ = writeln!(text, "  :: {step}; goto l{next}");
            }
            text.push_str("  fi;\n");
        }
        text.push_str("  skip\n}\n");
        text
    }
}
