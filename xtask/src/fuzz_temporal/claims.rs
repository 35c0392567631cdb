//! Random never claims: loops that wait, loops that accept, ends, assertions, variables, `atomic`, `d_step` and `unless`. They keep to
//! what SPIN's verifiers can do: a `d_step` blocks at its first statement only, and variables are plain.

use quotient_generate::random::Random;

/// A claim that is written.
struct Writer<'a> {
    random: &'a mut Random,
    /// What it can ask of the model.
    names: &'a [String],
    /// Its variables.
    variables: &'a [&'static str],
    /// It has a loop that accepts, which can be jumped to.
    accepts: bool,
}

/// A never claim over what these names stand for, as text.
pub fn claim(random: &mut Random, names: &[String]) -> String {
    if random.chance(40) {
        return Writer { random, names, variables: &[], accepts: true }.plain();
    }
    let variables = *random.pick(&[&[][..], &[], &["n"], &["n"], &["n", "m"]]);
    let accepts = random.chance(65);
    let declared: String = variables.iter().map(|name| format!("  byte {name};\n")).collect();
    let mut writer = Writer { random, names, variables, accepts };
    let mut parts = Vec::new();
    for _ in 0..writer.random.below(3) {
        parts.push(writer.part(1));
    }
    parts.push(format!("again: {}", writer.waiting()));
    for _ in 0..writer.random.below(2) {
        parts.push(writer.part(1));
    }
    if accepts {
        parts.push(format!("accept: {}", writer.accepting()));
    }
    format!("never {{\n{declared}  {}\n}}\n", parts.join(";\n  "))
}

impl Writer<'_> {
    /// A claim that does not count steps, in most cases: where it waits it may always stay, and statements are conditions.
    fn plain(&mut self) -> String {
        let mut parts = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            let mut options = vec!["true".to_string(), format!("{} -> {}", self.condition(), self.exit())];
            match self.random.below(4) {
                0 => options.push(format!("{} -> {}", self.condition(), self.exit())),
                1 => options.push(format!("assert({})", self.often())),
                2 => options.push(self.condition()),
                _ => {}
            }
            self.random.shuffle(&mut options);
            parts.push(format!("do :: {} od", options.join(" :: ")));
        }
        let rounds: Vec<String> = (0..self.random.between(1, 2)).map(|_| self.condition()).collect();
        let leaves = if self.random.chance(20) { format!(" :: {} -> break", self.condition()) } else { String::new() };
        parts.push(format!("accept: do :: {}{leaves} od", rounds.join(" :: ")));
        format!("never {{\n  {}\n}}\n", parts.join(";\n  "))
    }

    /// A loop that is left when something is seen.
    fn waiting(&mut self) -> String {
        let mut options = vec![format!("{} -> {}", self.condition(), self.exit())];
        for _ in 0..self.random.between(1, 3) {
            options.push(self.option());
        }
        self.random.shuffle(&mut options);
        if self.random.chance(40) {
            options.push("else".to_string());
        }
        format!("do :: {} od", options.join(" :: "))
    }

    /// A loop of which every round is accepted.
    fn accepting(&mut self) -> String {
        let mut options: Vec<String> = (0..self.random.between(1, 2)).map(|_| self.option()).collect();
        if self.random.chance(30) {
            options.push(format!("{} -> goto again", self.condition()));
        }
        if self.random.chance(20) {
            options.push(format!("{} -> break", self.condition()));
        }
        format!("do :: {} od", options.join(" :: "))
    }

    fn exit(&mut self) -> &'static str {
        if self.accepts && self.random.chance(40) { "goto accept" } else { "break" }
    }

    /// An option of a loop.
    fn option(&mut self) -> String {
        match self.random.below(8) {
            0 | 1 => self.condition(),
            2 => "true".to_string(),
            3 => format!("true -> {}", self.part(0)),
            4 => self.part(0),
            _ => format!("{} -> {}", self.condition(), self.part(0)),
        }
    }

    /// A statement; deep ones have statements inside.
    fn part(&mut self, depth: usize) -> String {
        match self.random.below(if depth > 0 { 20 } else { 14 }) {
            0..=3 => self.condition(),
            4 => "true".to_string(),
            5 => format!("assert({})", self.often()),
            6..=8 => self.change(),
            9 | 10 => {
                let second = if self.random.chance(50) { self.condition() } else { self.change() };
                format!("atomic {{ {} -> {second}; {} }}", self.condition(), self.change())
            }
            // SPIN refuses a `d_step` that a loop before it is left to.
            11 => format!("true; d_step {{ {} -> {}; {} }}", self.condition(), self.choice(""), self.change()),
            12 => format!("true; d_step {{ {}; {} }}", self.change(), self.change()),
            13 => format!("assert({}) -> {}", self.often(), self.change()),
            14 | 15 => format!("{{ {} }} unless {{ {} }}", self.waiting_here(), self.condition()),
            16 | 17 => self.choice("true"),
            18 => format!("if :: {} -> {} :: {} fi", self.condition(), self.part(0), self.condition()),
            _ => format!("true; true; {}", self.condition()),
        }
    }

    /// A loop that leads nowhere but where an escape does.
    fn waiting_here(&mut self) -> String {
        format!("do :: {} :: {} -> {} od", self.condition(), self.condition(), self.change())
    }

    /// A choice that can always be made. What is said of other cases is what `nothing` says, if it says something.
    fn choice(&mut self, nothing: &str) -> String {
        let other = if nothing.is_empty() { String::new() } else { format!(" -> {nothing}") };
        format!("if :: {} -> {} :: else{other} fi", self.condition(), self.change())
    }

    /// An assignment, or nothing if there are no variables.
    fn change(&mut self) -> String {
        if self.variables.is_empty() {
            return "skip".to_string();
        }
        let name = *self.random.pick(self.variables);
        match self.random.below(8) {
            0 | 1 => format!("{name} = {}", self.random.below(3)),
            2 | 3 => format!("{name} = ({name} + 1) % 3"),
            4 | 5 => format!("{name} = ({} == {})", self.value(), self.random.below(2)),
            6 if self.variables.len() == 1 => format!("{name} = {}", self.value()),
            _ => format!("{name} = ({} > 0 -> 2 : 1)", self.value()),
        }
    }

    /// What holds in most cases.
    fn often(&mut self) -> String {
        match self.variables.first() {
            Some(name) if self.random.chance(60) => format!("{name} != {}", self.random.between(1, 2)),
            _ => format!("!({} && {})", self.condition(), self.condition()),
        }
    }

    /// A value of the model.
    fn value(&mut self) -> String {
        loop {
            let name = self.random.pick(self.names);
            if !name.ends_with("here") {
                return name.clone();
            }
        }
    }

    fn condition(&mut self) -> String {
        let operator = *self.random.pick(&["==", "==", "!=", ">"]);
        if let Some(name) = self.variables.first()
            && self.random.chance(25)
        {
            return match self.random.below(3) {
                0 => format!("({name} {operator} {})", self.random.below(3)),
                1 => format!("({name} {operator} {})", self.value()),
                _ => format!("({name} > 0 && {} {operator} {})", self.value(), self.random.below(2)),
            };
        }
        let name = self.random.pick(self.names).clone();
        match name.ends_with("here") {
            true => format!("({name})"),
            false => format!("({name} {operator} {})", self.random.below(2)),
        }
    }
}
