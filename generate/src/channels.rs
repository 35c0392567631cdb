//! Random programs in dSPIN's Promela whose messages have channels in them. Each can be written in two ways: with channels that are
//! there from the beginning, and with the same channels as records. Both must have the same states and errors. A third way makes new
//! channels while the program runs.

use std::fmt::Write as _;

use crate::random::Random;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    threads: usize,
    /// How many messages fit into each of the two channels.
    capacities: [usize; 2],
    /// What can be done at each location of a thread.
    locations: Vec<Vec<String>>,
    /// At which locations a new channel can be made instead, and where it goes.
    made: Vec<Option<&'static str>>,
}

/// What is written before a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Channels are there from the beginning.
    Fixed,
    /// They are records.
    Records,
    /// They are records, and new ones are made.
    New,
}

/// Variables that always hold a channel, and those that need not.
const CHANNELS: [&str; 4] = ["a", "b", "c", "e"];
const HOLDERS: [&str; 2] = ["c", "e"];

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let random = &mut Random::new(seed);
    let threads = random.between(1, 3);
    let number = random.between(2, if threads == 3 { 2 } else { 4 });
    let locations = (0..number).map(|_| (0..random.between(1, 2)).map(|_| step(random)).collect()).collect();
    let made = (0..number).map(|_| random.one_in(3).then(|| one(random, &HOLDERS))).collect();
    Program { threads, capacities: [random.between(1, 2), random.below(3)], locations, made }
}

fn one(random: &mut Random, names: &[&'static str]) -> &'static str {
    names[random.below(names.len())]
}

fn step(random: &mut Random) -> String {
    // Most programs would soon come to an error if they used any variable.
    let used = if random.chance(85) { one(random, &CHANNELS[..2]) } else { one(random, &CHANNELS) };
    let (other, number) = (one(random, &CHANNELS), random.below(2));
    match random.below(13) {
        0 | 1 => format!("{} = {other}", one(random, &HOLDERS)),
        2 | 3 => format!("{used}!{number},{other}"),
        4 => format!("{used}!x,e"),
        5 => format!("{used}?x,e"),
        6 => format!("{used}??{number},e"),
        7 => "a?<x,e>".to_string(),
        8 => format!("{used}?eval(x),_"),
        9 => match random.below(4) {
            0 => format!("len({used}) == {number}"),
            1 => format!("{}({used})", one(random, &["full", "empty", "nfull", "nempty"])),
            2 => format!("a?[{number},_]"),
            _ => format!("c == {other}"),
        },
        10 => "x = 1 - x".to_string(),
        11 => format!("assert(x == {number})"),
        _ => format!("d_step {{ a?x,_ -> a!{number},e }}"),
    }
}

impl Program {
    /// As text.
    pub fn written(&self, form: Form) -> String {
        let mut text = "byte &unused;\n".to_string();
        if form != Form::Fixed {
            text.push_str("typedef holder { chan held };\n");
        }
        for (name, capacity) in ["a", "b"].iter().zip(self.capacities) {
            let _ = writeln!(text, "chan {name} = [{capacity}] of {{ byte, chan }};");
        }
        let _ = writeln!(text, "chan c = a;\nactive [{}] proctype T() {{\n  byte x;\n  chan e = b;", self.threads);
        for (number, steps) in self.locations.iter().enumerate() {
            let next = (number + 1) % self.locations.len();
            let _ = writeln!(text, "l{number}: if");
            for step in steps {
                let _ = writeln!(text, "  :: {step}; goto l{next}");
            }
            if let (Some(to), Form::New) = (self.made[number], form) {
                let made = "chan made = [1] of { byte, chan }";
                let _ = writeln!(text, "  :: atomic {{ skip; {made}; {to} = made; made = null }}; goto l{next}");
            }
            text.push_str("  fi;\n");
        }
        text.push_str("  skip\n}\n");
        text
    }
}
