//! Random programs in dSPIN's Promela that take addresses of variables and call functions through variables. Each can also be
//! written without addresses, with a record for every variable whose address is taken: both must have the same errors.

use std::fmt::Write as _;

use crate::random::Random;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    threads: usize,
    /// What can be done at each location of a thread.
    locations: Vec<Vec<Action>>,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    /// A reference to a number gets an address.
    Number(&'static str, &'static str),
    /// A reference to a reference gets an address.
    Place(&'static str, &'static str),
    /// A reference is copied.
    Copy(&'static str, &'static str),
    /// What a reference to a number refers to gets a value, or is compared with it.
    Store(&'static str, u8),
    Check(&'static str, u8),
    /// A variable gets a value, or is checked.
    Set(u8),
    Holds(u8),
    Make(&'static str),
    /// Through a reference to a reference, and back.
    Through(&'static str, &'static str),
    Load(&'static str, &'static str),
    Delete(&'static str),
    Forget(&'static str),
    /// The variable for functions gets one, or is called.
    Choose(&'static str),
    Call(&'static str),
}

const NUMBERS: [&str; 2] = ["r", "gr"];
const PLACES: [&str; 2] = ["s", "gs"];
const NODES: [&str; 2] = ["p", "g"];

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let threads = random.between(1, 2);
    let most = if threads == 1 { 4 } else { 2 };
    let location = |random: &mut Random| (0..random.between(1, 2)).map(|_| action(random)).collect();
    let locations = (0..random.between(2, most)).map(|_| location(random)).collect();
    Program { threads, locations }
}

fn action(random: &mut Random) -> Action {
    let one = |random: &mut Random, names: &[&'static str]| names[random.below(names.len())];
    let value = random.below(2) as u8;
    match random.below(17) {
        0 | 1 => Action::Number(one(random, &NUMBERS), one(random, &["x", "n", "p.key", "g.key"])),
        2 | 3 => Action::Place(one(random, &PLACES), one(random, &["p", "g", "p.next", "g.next"])),
        4 => match random.below(3) {
            0 => Action::Copy(one(random, &NUMBERS), one(random, &NUMBERS)),
            1 => Action::Copy(one(random, &PLACES), one(random, &PLACES)),
            _ => Action::Copy(one(random, &NODES), one(random, &NODES)),
        },
        5 | 6 => Action::Store(one(random, &NUMBERS), value),
        7 => Action::Check(one(random, &NUMBERS), value),
        8 => Action::Set(value),
        9 => Action::Holds(value),
        10 | 11 => Action::Make(one(random, &NODES)),
        12 => Action::Through(one(random, &PLACES), one(random, &NODES)),
        13 => Action::Load(one(random, &NODES), one(random, &PLACES)),
        14 if random.one_in(2) => Action::Delete(one(random, &NODES)),
        14 => Action::Forget(one(random, &["r", "gr", "s", "gs", "p", "g"])),
        15 => Action::Choose(one(random, &["up", "leave", "null"])),
        _ => Action::Call(one(random, &NUMBERS)),
    }
}

impl Program {
    /// With addresses.
    pub fn addresses(&self) -> String {
        self.written(true)
    }

    /// With a record for every variable whose address is taken.
    pub fn records(&self) -> String {
        self.written(false)
    }

    fn written(&self, addresses: bool) -> String {
        let mut text = match addresses {
            true => "typedef node; typedef node { byte key; node &next };\nbyte n;\nnode &g;\nbyte &gr;\nnode & &gs;\nftype h = up;\nftype k = leave;\n",
            false => {
                "typedef node; typedef cell { byte v }; typedef place { node &v };\ntypedef node { cell &key; place &next };\n\
                 cell &n;\nplace &g;\ncell &gr;\nplace &gs;\nftype h = up;\nftype k = leave;\nbit ready;\n"
            }
        }
        .to_string();
        let (number, made, star) = if addresses { ("byte", "", "*a") } else { ("cell", "y = new cell; ", "a.v") };
        let _ = writeln!(text, "function up({number} &a) {{ d_step {{ {star} = 1 - {star} }} }}");
        let (kind, address, gone) = if addresses { ("byte y", "&y", "") } else { ("cell &y", "y", "delete y; ") };
        let _ = writeln!(text, "function leave({number} &a) {{ {kind}; {made}gr = {address}; {gone}return }}");
        if !addresses {
            text.push_str("init { d_step { n = new cell; g = new place; ready = 1 } }\n");
        }
        let _ = writeln!(text, "active [{}] proctype T() {{", self.threads);
        text.push_str(match addresses {
            true => "  byte x; node &p; byte &r; node & &s;\n",
            false => {
                "  cell &x; place &p; cell &r; place &s;\n  d_step { ready == 1 -> x = new cell; p = new place };\n"
            }
        });
        for (number, actions) in self.locations.iter().enumerate() {
            let next = (number + 1) % self.locations.len();
            let _ = writeln!(text, "l{number}: if");
            for &action in actions {
                let _ = writeln!(text, "  :: {}; goto l{next}", written(action, addresses));
            }
            text.push_str("  fi;\n");
        }
        text.push_str("  skip\n}\n");
        text
    }
}

/// A variable that holds a node, or a part of it, as it is written; and its address.
fn place(name: &str, addresses: bool) -> (String, String) {
    match (addresses, name.split_once('.')) {
        (true, _) => (name.to_string(), format!("&{name}")),
        (false, None) => (format!("{name}.v"), name.to_string()),
        (false, Some((node, field))) => (format!("{node}.v.{field}.v"), format!("{node}.v.{field}")),
    }
}

fn written(action: Action, addresses: bool) -> String {
    let follow = |name: &str| if addresses { format!("{name}[0]") } else { format!("{name}.v") };
    let holds = |name: &'static str| place(name, addresses).0;
    let is_node = |name: &str| NODES.contains(&name);
    let set = |to: &str, value: String| format!("d_step {{ true -> {to} = {value} }}");
    match action {
        Action::Number(to, of) | Action::Place(to, of) => {
            let guard = match of.split_once('.') {
                Some((node, _)) if addresses => format!("{node} != null"),
                Some((node, _)) => format!("{node}.v != null"),
                None => "true".to_string(),
            };
            format!("d_step {{ {guard} -> {to} = {} }}", place(of, addresses).1)
        }
        Action::Copy(to, from) if is_node(to) => set(&holds(to), holds(from)),
        Action::Copy(to, from) => set(to, from.to_string()),
        Action::Store(to, value) => format!("d_step {{ {to} != null -> {} = {value} }}", follow(to)),
        Action::Check(of, value) => format!("d_step {{ {of} != null -> assert({} == {value}) }}", follow(of)),
        Action::Set(value) => set(&holds("n"), value.to_string()),
        Action::Holds(value) => format!("{} == {value}", holds("n")),
        Action::Make(to) if addresses => format!("{to} = new node"),
        Action::Make(to) => {
            let to = holds(to);
            format!("d_step {{ {to} = new node; {to}.key = new cell; {to}.next = new place }}")
        }
        Action::Through(to, from) => format!("d_step {{ {to} != null -> {} = {} }}", follow(to), holds(from)),
        Action::Load(to, from) => format!("d_step {{ {from} != null -> {} = {} }}", holds(to), follow(from)),
        Action::Delete(of) if addresses => format!("delete {of}"),
        Action::Delete(of) => {
            let of = holds(of);
            format!("d_step {{ true -> delete {of}.key; delete {of}.next; delete {of} }}")
        }
        Action::Forget(name) if is_node(name) => set(&holds(name), "null".to_string()),
        Action::Forget(name) => set(name, "null".to_string()),
        Action::Choose(function) => set("h", function.to_string()),
        Action::Call(with) => format!("h({with})"),
    }
}
