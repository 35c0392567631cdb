//! Random models of processes that share channels, with promises that are kept or broken: wrong elements, wrong
//! processes, processes that end, rendezvous, second users.

use std::fmt::Write;

use crate::random::Random;

/// What a process may do with a channel, by the name it has for it.
#[derive(Clone, Copy)]
struct Right {
    name: &'static str,
    receive: bool,
    send: bool,
}

struct Generator {
    random: Random,
    rights: Vec<Right>,
    /// Statements that are not simple may be made so deep.
    depth: usize,
    /// Inside a sequence, where a loop might not end.
    inside: bool,
}

impl Generator {
    fn channel(&mut self, receive: bool) -> Option<&'static str> {
        let able: Vec<&str> =
            self.rights.iter().filter(|r| if receive { r.receive } else { r.send }).map(|r| r.name).collect();
        (!able.is_empty()).then(|| *self.random.pick(&able))
    }

    /// A statement that stands alone.
    fn simple(&mut self) -> String {
        let value = self.random.below(3);
        let receiver = self.channel(true);
        let sender = self.channel(false);
        match (self.random.below(22), receiver, sender) {
            // This one may be for rendezvous, which cannot be looked into.
            (17 | 19, Some("d"), _) => "nempty(d)".to_string(),
            (0 | 1, ..) => format!("v = {value}"),
            (2, ..) => format!("g = {value}"),
            (3, ..) => format!("g == {value}"),
            (4, ..) => format!("assert(g != {value})"),
            (5 | 6, ..) => format!("assert(v != {value})"),
            (7..=11, _, Some(c)) => format!("{c}!{value}"),
            (12..=15, Some(c), _) => format!("{c}?v"),
            (16, Some(c), _) => format!("{c}?{value}"),
            (17, Some(c), _) => self.random.pick(&["nempty(#)", "#??v", "#?<v>", "#??1"]).replace('#', c),
            (18, _, Some(c)) => self.random.pick(&["nfull(#)", "#!!1", "#!v"]).replace('#', c),
            (19, Some(c), _) if self.rights.iter().any(|r| r.name == c && r.send) => {
                self.random.pick(&["v = len(#)", "full(#)", "empty(#)", "#?[1]"]).replace('#', c)
            }
            (20, Some(c), _) => self.random.pick(&["v = nempty(#)", "assert(nempty(#))"]).replace('#', c),
            _ => "v = 1 - v".to_string(),
        }
    }

    fn statements(&mut self, most: usize) -> String {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.statement()).collect::<Vec<_>>().join("; ")
    }

    fn statement(&mut self) -> String {
        if self.depth == 0 || !self.random.one_in(3) {
            return self.simple();
        }
        self.depth -= 1;
        let outer = self.inside;
        let kind = self.random.below(7);
        self.inside |= (3..6).contains(&kind);
        let text = match kind {
            0 => format!("if :: {} :: {} fi", self.statements(2), self.statements(2)),
            1 => format!("if :: {} :: timeout fi", self.statements(2)),
            2 if !self.inside => format!("do :: {} :: {}; break od", self.statements(2), self.statements(1)),
            2..=4 => format!("atomic {{ {} }}", self.statements(3)),
            5 => {
                let depth = std::mem::take(&mut self.depth);
                let body = self.statements(2);
                self.depth = depth;
                format!("d_step {{ {body} }}")
            }
            _ => format!("{{ {} }} unless {{ {} }}", self.statements(2), self.statements(1)),
        };
        self.depth += 1;
        self.inside = outer;
        text
    }
}

/// A model of two to four processes that share four channels.
pub fn model(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let names = ["c", "d", "q[0]", "q[1]"];
    let mut text = format!(
        "byte g; chan c = [{}] of {{ byte }}; chan d = [{}] of {{ byte }}; chan q[2] = [2] of {{ byte }};\n",
        *random.pick(&[1, 2, 2, 3]),
        *random.pick(&[0, 1, 2]),
    );
    let processes = 2 + random.below(3);
    // Each channel has one sender and one receiver; that is what is promised.
    let owners: Vec<(usize, usize)> =
        names.iter().map(|_| (random.below(processes), random.below(processes))).collect();
    let damaged = random.one_in(4);
    let mut passed = Vec::new();
    for process in 0..processes {
        let mut rights = Vec::new();
        let mut promises = String::new();
        // Some get their channel as a parameter.
        let parameter = random.one_in(4).then(|| random.below(names.len()));
        for (number, &name) in names.iter().enumerate() {
            let (send, receive) = (owners[number].0 == process, owners[number].1 == process);
            let name = if parameter == Some(number) { "p" } else { name };
            if send || receive {
                rights.push(Right { name, receive, send });
            }
            for (word, owned) in [("xs", send), ("xr", receive)] {
                if owned && !random.one_in(4) {
                    write!(promises, "{word} {name}; ").expect("a string can be written to");
                }
            }
        }
        if damaged && random.one_in(2) {
            // A second user, or a promise about the wrong element or by the wrong process.
            match random.below(3) {
                0 => rights.push(Right { name: names[random.below(names.len())], receive: true, send: false }),
                1 => rights.push(Right { name: names[random.below(names.len())], receive: false, send: true }),
                _ => write!(promises, "{} {}; ", random.pick(&["xr", "xs"]), random.pick(&names))
                    .expect("a string can be written to"),
            }
        }
        let mut generator =
            Generator { random: Random(random.below(usize::MAX) as u64), rights, depth: 2, inside: false };
        let body = generator.statements(4);
        let end = if random.one_in(2) { "end: " } else { "" };
        let body = match random.below(4) {
            0 => format!("{end}do :: {body} od"),
            1 => format!("v = 0; {end}{body}"),
            _ => format!("{end}{body}"),
        };
        let (head, argument) = match parameter {
            Some(number) => ("proctype", Some(names[number])),
            None if random.one_in(5) => ("proctype", None),
            None => ("active proctype", None),
        };
        let parameters = if argument.is_some() { "chan p" } else { "" };
        writeln!(text, "{head} P{process}({parameters}) {{ byte v; {promises}{body} }}").expect("it can be written");
        if head == "proctype" {
            passed.push(format!("run P{process}({})", argument.unwrap_or_default()));
        }
    }
    if !passed.is_empty() {
        writeln!(text, "init {{ {} }}", passed.join("; ")).expect("it can be written");
    }
    text
}
