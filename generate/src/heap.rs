//! Random programs with a heap, which can be written in BIR and in dSPIN's Promela: like threads that never end go around between
//! locations, make records, hang them into each other, and call a function. Each step means the same in both languages, so that
//! there are as many states.

use std::fmt::Write as _;

use crate::random::Random;

/// The fields of records that are references.
const FIELDS: [&str; 2] = ["a", "b"];

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    threads: usize,
    /// What can be done at each location of a thread, which leads on to the next.
    locations: Vec<Location>,
    /// What the function does, one step after another.
    function: Vec<Step>,
    /// Which variable the function returns.
    result: &'static str,
}

#[derive(Clone, Debug)]
enum Location {
    /// One of these, whose guard holds.
    Steps(Vec<Step>),
    /// `to = f(argument)`, or through a variable that holds a function
    Call { function: &'static str, to: &'static str, argument: &'static str },
}

#[derive(Clone, Debug)]
struct Step {
    guard: Guard,
    actions: Vec<Action>,
}

#[derive(Clone, Copy, Debug)]
enum Guard {
    Always,
    IsNull(&'static str),
    IsNotNull(&'static str),
    Same(&'static str, &'static str),
    Number(u8),
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Make(&'static str),
    Copy(&'static str, &'static str),
    Read(&'static str, &'static str, &'static str),
    Write(&'static str, &'static str, &'static str),
    Key(&'static str, u8),
    Number(u8),
    /// A variable for a function gets one, or none.
    Choose(&'static str, &'static str),
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let threads = random.between(1, 3);
    let locations = random.between(2, if threads == 3 { 3 } else { 4 });
    let calls = random.chance(50);
    let location = |random: &mut Random| match calls && random.one_in(3) {
        true => Location::Call {
            function: if random.chance(60) { "f" } else { variable(random, &HELD) },
            to: variable(random, &OWN),
            argument: variable(random, &THREAD),
        },
        false => Location::Steps((0..random.between(1, 2)).map(|_| step(random, &THREAD, true)).collect()),
    };
    let locations = (0..locations).map(|_| location(random)).collect();
    let function = (0..random.between(1, 2)).map(|_| step(random, &FUNCTION, false)).collect();
    Program { threads, locations, function, result: variable(random, &FUNCTION) }
}

/// Variables that hold functions: one of each thread, and one of all.
const HELD: [&str; 2] = ["k", "m"];
const OWN: [&str; 2] = ["p", "q"];
const THREAD: [&str; 4] = ["p", "q", "g", "h"];
const FUNCTION: [&str; 4] = ["x", "y", "g", "h"];

fn variable(random: &mut Random, names: &[&'static str]) -> &'static str {
    names[random.below(names.len())]
}

fn step(random: &mut Random, names: &[&'static str], guarded: bool) -> Step {
    let guard = match random.below(6) {
        _ if !guarded => Guard::Always,
        0 => Guard::IsNull(variable(random, names)),
        1 => Guard::IsNotNull(variable(random, names)),
        2 => Guard::Same(variable(random, names), variable(random, names)),
        3 => Guard::Number(random.below(2) as u8),
        _ => Guard::Always,
    };
    let actions: Vec<Action> = (0..random.between(1, 2))
        .map(|_| match guarded && random.one_in(8) {
            true => Action::Choose(variable(random, &HELD), variable(random, &["f", "i", "null"])),
            false => action(random, names),
        })
        .collect();
    // Most programs would soon come to an error if they did not look.
    let followed = actions.iter().find_map(|&action| match action {
        Action::Read(_, object, _) | Action::Write(object, _, _) | Action::Key(object, _) => Some(object),
        Action::Make(_) | Action::Copy(..) | Action::Number(_) | Action::Choose(..) => None,
    });
    let guard = match followed {
        Some(object) if guarded && random.chance(80) => Guard::IsNotNull(object),
        _ => guard,
    };
    Step { guard, actions }
}

fn action(random: &mut Random, names: &[&'static str]) -> Action {
    let name = |random: &mut Random| variable(random, names);
    match random.below(9) {
        0 | 1 => Action::Make(name(random)),
        2 | 3 => Action::Copy(name(random), if random.one_in(4) { "null" } else { name(random) }),
        4 => Action::Read(name(random), name(random), variable(random, &FIELDS)),
        5 | 6 => Action::Write(name(random), variable(random, &FIELDS), name(random)),
        7 => Action::Key(name(random), random.below(2) as u8),
        _ => Action::Number(random.below(2) as u8),
    }
}

impl Program {
    /// In BIR.
    pub fn bir(&self) -> String {
        let mut text =
            "system Random {\n  record Node { Node a; Node b; int key; }\n  typealias fun (Node) returns Node Held;\n  Node g;\n  Node h;\n  int n;\n  Held m := i;\n\n"
                .to_string();
        text.push_str("  function f(Node x) returns Node {\n    Node y;\n");
        for (number, step) in self.function.iter().enumerate() {
            let _ = writeln!(text, "    loc f{number}: {} goto f{};", bir_step(step), number + 1);
        }
        let _ = writeln!(text, "    loc f{}: do {{}} return {};\n  }}\n", self.function.len(), self.result);
        text.push_str("  function i(Node x) returns Node {\n    loc i0: do {} return x;\n  }\n\n");
        let _ = writeln!(text, "  active[{}] thread T() {{\n    Node p;\n    Node q;\n    Held k := f;", self.threads);
        for (number, location) in self.locations.iter().enumerate() {
            let next = (number + 1) % self.locations.len();
            let _ = write!(text, "    loc l{number}:");
            match location {
                Location::Call { function, to, argument } => {
                    let _ = writeln!(text, " {to} := invoke {function}({argument}) goto l{next};");
                }
                Location::Steps(steps) => {
                    text.push('\n');
                    for step in steps {
                        let _ = writeln!(text, "      {} goto l{next};", bir_step(step));
                    }
                }
            }
        }
        text.push_str("  }\n}\n");
        text
    }

    /// In dSPIN's Promela.
    pub fn dspin(&self) -> String {
        let mut text =
            "typedef node;\ntypedef node { node &a; node &b; int key };\nnode &g;\nnode &h;\nint n;\nftype m = i;\n\n"
                .to_string();
        text.push_str("function f(node &x) : node & {\n  node &y;\n");
        for step in &self.function {
            let _ = writeln!(text, "  {};", dspin_step(step));
        }
        let _ = writeln!(text, "  return {}\n}}\n", self.result);
        text.push_str("function i(node &x) : node & {\n  return x\n}\n\n");
        let _ = writeln!(text, "active [{}] proctype T() {{\n  node &p;\n  node &q;\n  ftype k = f;", self.threads);
        for (number, location) in self.locations.iter().enumerate() {
            let next = (number + 1) % self.locations.len();
            match location {
                Location::Call { function, to, argument } => {
                    let _ = writeln!(text, "l{number}: {to} = {function}({argument}); goto l{next};");
                }
                Location::Steps(steps) => {
                    let _ = writeln!(text, "l{number}: if");
                    for step in steps {
                        let _ = writeln!(text, "  :: {}; goto l{next}", dspin_step(step));
                    }
                    text.push_str("  fi;\n");
                }
            }
        }
        text.push_str("  skip\n}\n");
        text
    }
}

fn guard(guard: Guard) -> String {
    match guard {
        Guard::Always => "true".to_string(),
        Guard::IsNull(a) => format!("{a} == null"),
        Guard::IsNotNull(a) => format!("{a} != null"),
        Guard::Same(a, b) => format!("{a} == {b}"),
        Guard::Number(value) => format!("n == {value}"),
    }
}

fn bir_step(step: &Step) -> String {
    let actions: Vec<String> =
        step.actions.iter().map(|&action| format!("{};", written(action, ":=", "Node"))).collect();
    format!("when {} do {{ {} }}", guard(step.guard), actions.join(" "))
}

fn dspin_step(step: &Step) -> String {
    let actions: Vec<String> = step.actions.iter().map(|&action| written(action, "=", "node")).collect();
    format!("d_step {{ {} -> {} }}", guard(step.guard), actions.join("; "))
}

fn written(action: Action, assign: &str, record: &str) -> String {
    match action {
        Action::Make(to) => format!("{to} {assign} new {record}"),
        Action::Copy(to, from) => format!("{to} {assign} {from}"),
        Action::Read(to, from, field) => format!("{to} {assign} {from}.{field}"),
        Action::Write(to, field, from) => format!("{to}.{field} {assign} {from}"),
        Action::Key(to, value) => format!("{to}.key {assign} {value}"),
        Action::Number(value) => format!("n {assign} {value}"),
        Action::Choose(to, function) => format!("{to} {assign} {function}"),
    }
}
