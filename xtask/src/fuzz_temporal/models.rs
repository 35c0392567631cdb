//! Random models and formulas for temporal questions. Models are small, run forever in most cases, and have channels, rendezvous,
//! atomic sequences and processes that end.

use quotient_generate::random::Random;
use quotient_generate::symmetric::{self, Dialect};
use quotient_ir::Model;

/// A kind of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Processes with a loop each.
    Loops,
    /// The same process several times, with an array that each has its own element of.
    Family,
    /// The symmetric models of `fuzz-symmetry`.
    Symmetric,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 3] = [Class::Loops, Class::Family, Class::Symmetric];

    /// The model of a seed.
    pub fn model(self, seed: u64) -> String {
        let mut random = Random::new(seed);
        match self {
            Class::Loops => loops(&mut random),
            Class::Family => family(&mut random),
            Class::Symmetric => symmetric::generate(seed).text(Dialect::Plain),
        }
    }
}

fn loops(random: &mut Random) -> String {
    let mut text = "byte a, b, c;\nchan q = [1] of { bit };\nchan r = [0] of { bit };\n".to_string();
    for number in 0..random.between(2, 3) {
        let mut options: String = (0..random.between(1, 3)).map(|_| format!("  :: {}\n", branch(random))).collect();
        if random.chance(40) {
            let label = *random.pick(&["here", "here", "progress"]);
            options = options.replacen(":: ", &format!(":: {label}: "), 1);
        }
        let before = if random.chance(30) { format!("  {};\n", action(random)) } else { String::new() };
        let own = if [&options, &before].iter().any(|text| text.contains("i = ")) { "  byte i;\n" } else { "" };
        let last = if random.chance(30) { "  :: break\n" } else { "" };
        text.push_str(&format!("active proctype P{number}() {{\n{own}{before}  do\n{options}{last}  od\n}}\n"));
    }
    text
}

fn branch(random: &mut Random) -> String {
    let steps: Vec<String> = (0..random.between(1, 3)).map(|_| action(random)).collect();
    let steps = steps.join("; ");
    if random.chance(25) { format!("atomic {{ {steps} }}") } else { steps }
}

fn action(random: &mut Random) -> String {
    let name = *random.pick(&["a", "b", "c"]);
    let other = *random.pick(&["a", "b", "c"]);
    match random.below(17) {
        // What only this process uses, and perhaps the property.
        12 | 13 => format!("i = {}", random.below(2)),
        14 => "i = 1 - i".to_string(),
        // A partner that waits, but not only for this.
        15 => format!("if :: r?_ :: {name} == {} fi", random.below(2)),
        16 => format!("i = 1 - i; if :: r?_ :: {name} == {} fi", random.below(2)),
        0..=2 => format!("{name} = {}", random.below(3)),
        3 | 4 => format!("{name} = 1 - ({other} > 0)"),
        5 | 6 => format!("{name} == {}", random.below(2)),
        7 => format!("{name} != {other}"),
        8 => "q!1".to_string(),
        9 => "q?_".to_string(),
        10 => "r!1".to_string(),
        _ => "r?_".to_string(),
    }
}

fn family(random: &mut Random) -> String {
    let size = random.between(2, 3);
    let turn = random.chance(50);
    let mut text = format!("byte a, w[{size}];\nchan r = [0] of {{ bit }};\n");
    let own = |random: &mut Random| match random.below(8) {
        0 | 1 => format!("w[_pid] = {}", random.below(2)),
        2 => "w[_pid] = 1 - w[_pid]".to_string(),
        3 => format!("w[_pid] == {}", random.below(2)),
        4 => format!("a == {}", random.below(2)),
        5 => format!("a = {}", random.below(2)),
        6 => "r!1".to_string(),
        _ => "r?_".to_string(),
    };
    let mut options = String::new();
    for _ in 0..random.between(1, 3) {
        let steps: Vec<String> = (0..random.between(1, 3)).map(|_| own(random)).collect();
        options.push_str(&format!("  :: {}\n", steps.join("; ")));
    }
    if turn {
        options.push_str("  :: a > 0 -> a = 0\n");
    }
    // Whose round it is, is passed on to anybody. No property asks for it.
    if random.chance(40) {
        text.push_str("byte round;\n");
        if random.chance(60) {
            options = format!("  :: a = {}\n", random.below(2));
        }
        options = options.replacen(":: ", ":: round != _pid && a < 2 -> ", 1);
        let anybody: String = (0..size).map(|next| format!(" :: round = {next}")).collect();
        options.push_str(&format!("  :: atomic {{ round == _pid -> if{anybody} fi }}\n"));
    }
    text.push_str(&format!("active [{size}] proctype P() {{\n  do\n{options}  od\n}}\n"));
    text
}

/// What a property can ask of a model: its global variables, whether a process is at a label, and a variable of a process. Nothing
/// if there is no global variable.
pub fn names(model: &Model) -> Vec<String> {
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "_[]".contains(c));
    let globals = model.globals.iter().map(|slot| slot.name.clone());
    let mut names: Vec<String> = globals.filter(|name| plain(name) && !name.starts_with(['q', 'r'])).collect();
    if names.is_empty() {
        return names;
    }
    for (number, ty) in model.proctypes.iter().enumerate() {
        if ty.states.iter().any(|state| state.labels.iter().any(|label| label == "here")) {
            names.push(format!("{}[{number}]@here", ty.name));
        }
        if ty.slots.iter().any(|slot| slot.name == "i") {
            names.push(format!("{}[{number}]:i", ty.name));
        }
    }
    names
}

/// A formula over what these names stand for, as text.
pub fn formula(random: &mut Random, names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let depth = random.between(1, 4);
    let first = names.iter().find(|name| name.ends_with("[0]")).map(|name| name.trim_end_matches("[0]"));
    if let (Some(array), true) = (first, random.chance(40)) {
        let plain: Vec<&str> = names.iter().copied().filter(|name| !name.ends_with("here")).collect();
        return for_all(random, array, &plain, depth.min(3));
    }
    tree(random, &names, depth)
}

/// The conjunction of a formula over all elements of an array, each with the one that follows it.
fn for_all(random: &mut Random, array: &str, names: &[&str], depth: usize) -> String {
    let element = format!("{array}[");
    let size = names.iter().filter(|name| name.starts_with(&element)).count();
    let (own, next) = (format!("{element}#]"), format!("{element}@]"));
    let mut some = vec![own.as_str(), own.as_str()];
    if random.chance(30) {
        some.push(&next);
    }
    some.extend(names.iter().filter(|name| !name.contains('[')));
    let part = tree(random, &some, depth);
    let part = |k: usize| part.replace('#', &k.to_string()).replace('@', &((k + 1) % size).to_string());
    (0..size).map(|k| format!("({})", part(k))).collect::<Vec<_>>().join(" && ")
}

fn tree(random: &mut Random, names: &[&str], depth: usize) -> String {
    if depth == 0 || random.chance(10) {
        let (name, operator) = (*random.pick(names), *random.pick(&["==", "==", "!=", ">"]));
        return match name.ends_with("here") {
            true => format!("({name})"),
            false => format!("({name} {operator} {})", random.below(2)),
        };
    }
    let one = |random: &mut Random| tree(random, names, depth - 1);
    match random.below(11) {
        0 | 1 => format!("[] {}", one(random)),
        2..=4 => format!("<> {}", one(random)),
        5 => format!("!({})", one(random)),
        6 => format!("({} U {})", one(random), one(random)),
        7 => format!("({} V {})", one(random), one(random)),
        8 => format!("({} && {})", one(random), one(random)),
        9 => format!("({} || {})", one(random), one(random)),
        _ => format!("({} -> {})", one(random), one(random)),
    }
}
