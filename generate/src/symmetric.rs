//! Random symmetric models, each in two dialects: plain Promela, in which the symmetry has to be found, and Quotient's,
//! in which it is declared. Both mean the same, state by state. Rings are plain only.

use crate::random::Random;

/// How a model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As SPIN reads it: members are numbers, none of them is the number after the last.
    Plain,
    /// With scalarsets.
    Declared,
}

/// A symmetric model.
#[derive(Clone, Debug)]
pub struct Symmetric {
    families: Vec<Family>,
    /// Values of plain data are below this.
    values: usize,
    /// Whether processes are created in `init`.
    created: bool,
}

#[derive(Clone, Debug)]
struct Family {
    size: usize,
    ring: bool,
    options: Vec<Vec<Act>>,
    atomic: Vec<bool>,
}

/// A step of a process of a family; `usize` is another family or a value.
#[derive(Clone, Debug)]
enum Act {
    /// `a[id] == v`
    Own(usize),
    /// `t == undef`
    Free,
    /// `t == id`
    Mine,
    /// `t != undef && a[t] == v`
    Theirs(usize),
    /// `exists (j : T) (a[j] == v)`
    Some(usize),
    /// `forall (j : T) (j == id || a[j] != v)`
    Others(usize),
    /// `count (j : T) (a[j] == v) < 2`
    Few(usize),
    /// `a[id] = v`
    Set(usize),
    /// `t = id`
    Take,
    /// `t = undef`
    Drop,
    /// `select (who : T)`
    Choose,
    /// `who != undef; a[who] = v; who = undef`
    Give(usize),
    /// `nfull(q); q!id`
    Send,
    /// `q?who`
    Receive,
    /// `q?eval(id)`
    Match,
    /// `q??eval(id)`
    Find,
    /// `for (j : T) { a[j] = v }`
    Reset(usize),
    /// `a[(id + 1) % n] == v`, in a ring
    Right(usize),
    /// `b[who] = id`, an array of members
    Point,
    /// `x = (x + 1) % values`
    Count,
    /// `x == v`
    Counted(usize),
    /// `assert(!(a[id] == v && t == id))`
    Claim(usize),
    /// `assert(count (j : T) (a[j] == v) < n)`
    ClaimAll(usize),
}

/// The model of a seed.
pub fn generate(seed: u64) -> Symmetric {
    let mut random = Random::new(seed);
    let values = random.between(2, 3);
    let count = if random.chance(30) { 2 } else { 1 };
    let families = (0..count).map(|_| family(&mut random, values, count)).collect();
    Symmetric { families, values, created: random.chance(50) }
}

fn family(random: &mut Random, values: usize, count: usize) -> Family {
    let size = if count == 2 { 2 } else { random.between(2, 4) };
    let ring = size > 2 && random.chance(25);
    let options = random.between(2, if size > 3 { 3 } else { 4 });
    let options: Vec<Vec<Act>> = (0..options)
        .map(|_| {
            let mut acts = vec![guard(random, values, ring)];
            acts.extend((0..random.between(1, 2)).map(|_| effect(random, values)));
            if random.chance(20) {
                let v = random.below(values);
                acts.push(if random.chance(50) { Act::Claim(v) } else { Act::ClaimAll(v) });
            }
            acts
        })
        .collect();
    let atomic = options.iter().map(|_| random.chance(60)).collect();
    Family { size, ring, options, atomic }
}

fn guard(random: &mut Random, values: usize, ring: bool) -> Act {
    let v = random.below(values);
    match random.below(if ring { 13 } else { 11 }) {
        0 | 1 => Act::Own(v),
        2 => Act::Free,
        3 => Act::Mine,
        4 => Act::Theirs(v),
        5 => Act::Some(v),
        6 => Act::Others(v),
        7 => Act::Few(v),
        8 => Act::Receive,
        9 if random.chance(50) => Act::Match,
        9 => Act::Find,
        10 => Act::Counted(v),
        _ => Act::Right(v),
    }
}

fn effect(random: &mut Random, values: usize) -> Act {
    let v = random.below(values);
    match random.below(11) {
        0..=2 => Act::Set(v),
        3 => Act::Take,
        4 => Act::Drop,
        5 => Act::Choose,
        6 => Act::Give(v),
        7 => Act::Send,
        8 => Act::Reset(v),
        9 => Act::Point,
        _ => Act::Count,
    }
}

impl Symmetric {
    /// Whether it can be written with scalarsets.
    pub fn declarable(&self) -> bool {
        self.families.iter().all(|family| !family.ring)
    }

    /// The text in a dialect.
    pub fn text(&self, dialect: Dialect) -> String {
        let mut text = String::from("byte x;\n");
        for (f, family) in self.families.iter().enumerate() {
            let n = family.size;
            text += &match dialect {
                Dialect::Plain => format!(
                    "byte a{f}[{n}];\nbyte b{f}[{n}] = {n};\nbyte t{f} = {n};\nchan q{f} = [2] of {{ byte }};\n"
                ),
                Dialect::Declared => format!(
                    "scalarset T{f}[{n}];\nbyte a{f}[T{f}];\nT{f} b{f}[T{f}];\nT{f} t{f};\nchan q{f} = [2] of {{ T{f} }};\n"
                ),
            };
        }
        for (f, family) in self.families.iter().enumerate() {
            text += &self.process(f, family, dialect);
        }
        if self.created {
            text += "init { atomic {\n";
            for (f, family) in self.families.iter().enumerate() {
                text += &match dialect {
                    Dialect::Plain => (0..family.size).map(|i| format!("   run P{f}({i});\n")).collect::<String>(),
                    Dialect::Declared => format!("   for (i : T{f}) {{ run P{f}(i) }};\n"),
                };
            }
            text += "   skip\n} }\n";
        }
        text
    }

    fn process(&self, f: usize, family: &Family, dialect: Dialect) -> String {
        let n = family.size;
        // Processes that are active from the start have their ids from `_pid`.
        let before: usize = self.families[..f].iter().map(|family| family.size).sum();
        let mut text = match (dialect, self.created) {
            (Dialect::Plain, true) => format!("proctype P{f}(byte id)\n{{\n   byte who = {n};\n"),
            (Dialect::Plain, false) => {
                format!("active [{n}] proctype P{f}()\n{{\n   byte id = _pid - {before};\n   byte who = {n};\n")
            }
            (Dialect::Declared, true) => format!("proctype P{f}(T{f} id)\n{{\n   T{f} who;\n"),
            (Dialect::Declared, false) => format!("active [T{f}] proctype P{f}(T{f} id)\n{{\n   T{f} who;\n"),
        };
        text += "   do\n";
        for (option, &atomic) in family.options.iter().zip(&family.atomic) {
            let steps: Vec<String> = option.iter().map(|act| self.act(f, n, act, dialect)).collect();
            let steps = steps.join("; ");
            text += &if atomic { format!("   :: atomic {{ {steps} }}\n") } else { format!("   :: {steps}\n") };
        }
        text + "   od\n}\n"
    }

    fn act(&self, f: usize, n: usize, act: &Act, dialect: Dialect) -> String {
        let plain = dialect == Dialect::Plain;
        let undef = if plain { n.to_string() } else { "undef".to_string() };
        let each = |join: &str, term: &dyn Fn(&str) -> String| {
            let terms: Vec<String> = (0..n).map(|j| format!("({})", term(&j.to_string()))).collect();
            format!("({})", terms.join(join))
        };
        let all = |quantifier: &str, join: &str, term: &dyn Fn(&str) -> String| match plain {
            true => each(join, term),
            false => format!("{quantifier} (j : T{f}) ({})", term("j")),
        };
        match *act {
            Act::Own(v) => format!("a{f}[id] == {v}"),
            Act::Free => format!("t{f} == {undef}"),
            Act::Mine => format!("t{f} == id"),
            Act::Theirs(v) => format!("t{f} != {undef} && a{f}[t{f}] == {v}"),
            Act::Some(v) => all("exists", " || ", &|j| format!("a{f}[{j}] == {v}")),
            Act::Others(v) => all("forall", " && ", &|j| format!("{j} == id || a{f}[{j}] != {v}")),
            Act::Few(v) => format!("{} < 2", all("count", " + ", &|j| format!("a{f}[{j}] == {v}"))),
            Act::Set(v) => format!("a{f}[id] = {v}"),
            Act::Take => format!("t{f} = id"),
            Act::Drop => format!("t{f} = {undef}"),
            Act::Choose if plain => {
                let options: String = (0..n).map(|k| format!(":: who = {k} ")).collect();
                format!("if {options}fi")
            }
            Act::Choose => format!("select (who : T{f})"),
            Act::Give(v) => format!("if :: who != {undef} -> a{f}[who] = {v}; who = {undef} :: else fi"),
            Act::Send => format!("if :: nfull(q{f}) -> q{f}!id :: full(q{f}) fi"),
            Act::Receive => format!("q{f}?who"),
            Act::Match => format!("q{f}?eval(id)"),
            Act::Find => format!("q{f}??eval(id)"),
            Act::Reset(v) if plain => {
                let steps: String = (0..n).map(|k| format!("; a{f}[{k}] = {v}")).collect();
                format!("d_step {{ skip{steps} }}")
            }
            Act::Reset(v) => format!("for (j : T{f}) {{ a{f}[j] = {v} }}"),
            Act::Right(v) => format!("a{f}[(id + 1) % {n}] == {v}"),
            Act::Point => format!("if :: who != {undef} -> b{f}[who] = id :: else fi"),
            Act::Count => format!("x = (x < {} -> x + 1 : 0)", self.values - 1),
            Act::Counted(v) => format!("x == {v}"),
            Act::Claim(v) => format!("assert(!(a{f}[id] == {v} && t{f} == id))"),
            Act::ClaimAll(v) => format!("assert({} < {n})", all("count", " + ", &|j| format!("a{f}[{j}] == {v}"))),
        }
    }
}
