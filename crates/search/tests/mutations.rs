//! Broken and half-broken models: whatever bytes and tokens are lost, doubled, swapped or changed, loading a model never
//! panics, and what loads without errors can be explored.

mod common;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use quotient_generate::random::Random;
use quotient_promela::Options as LoadOptions;
use quotient_search::{Options, Order};

use common::{conformance_directory, models_in, stem, way};

const MUTATIONS: usize = 3_000;

/// Pieces of the language to put in.
const PIECES: [&str; 60] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "->",
    "::",
    ":",
    ",",
    ".",
    "..",
    "!",
    "!!",
    "?",
    "??",
    "<",
    ">",
    "=",
    "==",
    "++",
    "--",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&&",
    "@",
    "if",
    "fi",
    "do",
    "od",
    "else",
    "break",
    "goto L",
    "L:",
    "atomic",
    "d_step",
    "unless",
    "timeout",
    "skip",
    "assert(0)",
    "run A()",
    "_pid",
    "_nr_pr",
    "_last",
    "0",
    "1",
    "255",
    "-1",
    "byte z;",
    "chan",
    "len(c)",
    "eval(x)",
    "provided (x)",
    "select (x : 0 .. 3)",
    "for (x : 1 .. 2)",
    "active",
];

/// What a token is made of: a word, a number, a blank, a bracket or separator, an operator.
fn class(c: char) -> u8 {
    match c {
        c if c.is_ascii_digit() => 0,
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        '{' | '}' | '(' | ')' | '[' | ']' | ';' | ',' => 3,
        _ => 4,
    }
}

fn class_of(token: &str) -> Option<u8> {
    token.chars().next().map(class)
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in text.chars() {
        match tokens.last_mut() {
            Some(last) if class(c) == 0 && class_of(last) == Some(1) => last.push(c),
            Some(last) if class(c) != 3 && class_of(last) == Some(class(c)) => last.push(c),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens
}

/// A model with bytes lost, put in or changed, or cut off.
fn mutate_bytes(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 if bytes.len() > 1 => {
                bytes.remove(at);
            }
            1 => bytes.insert(at, random.below(256) as u8),
            2 => bytes[at] = random.below(256) as u8,
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

/// A model with tokens lost, put in, doubled or swapped.
fn mutate_tokens(text: &str, random: &mut Random) -> Vec<u8> {
    let mut tokens = tokens(text);
    for _ in 0..=random.below(3) {
        let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(5) {
            0 if tokens.len() > 1 => {
                tokens.remove(at);
            }
            1 => tokens.insert(at, tokens[other].clone()),
            2 => tokens.swap(at, other),
            3 => tokens.insert(at, format!(" {} ", random.pick(&PIECES))),
            _ => tokens[at] = format!(" {} ", random.pick(&PIECES)),
        }
    }
    tokens.concat().into_bytes()
}

/// A model with tokens replaced by others of their kind, which often still is one: names by names, numbers by numbers.
fn mutate_meaning(text: &str, random: &mut Random) -> Vec<u8> {
    let mut tokens = tokens(text);
    for _ in 0..=random.below(3) {
        let at = random.below(tokens.len());
        let alike: Vec<String> = tokens.iter().filter(|t| class_of(t) == class_of(&tokens[at])).cloned().collect();
        tokens[at] = match class_of(&tokens[at]) {
            Some(0) => random.pick(&["0", "1", "2", "3", "7", "255", "256", "1000"]).to_string(),
            Some(1) => alike[random.below(alike.len())].clone(),
            Some(3) if tokens[at] == ";" => {
                random.pick(&["; skip;", "; x = x + 1;", "; assert(x > 1);", "->"]).to_string()
            }
            Some(4) if ["<", "==", "!=", "+", "-", "++", "--"].contains(&tokens[at].as_str()) => {
                random.pick(&["<", "==", "!=", "+", "-", "*", "/", "%", "++", "--"]).to_string()
            }
            _ => tokens[at].clone(),
        };
    }
    tokens.concat().into_bytes()
}

#[test]
fn nothing_makes_it_panic() {
    let models: Vec<(String, String)> = models_in(&conformance_directory())
        .iter()
        .map(|path| (stem(path), std::fs::read_to_string(path).expect("the model can be read")))
        .collect();
    let mut random = Random::new(20_240_229);
    let mut explored = 0;
    for number in 0..MUTATIONS {
        let (name, text) = &models[number % models.len()];
        let mutated = match random.below(4) {
            0 => mutate_bytes(text, &mut random),
            1 => mutate_tokens(text, &mut random),
            _ => mutate_meaning(text, &mut random),
        };
        let phase = Cell::new("loading");
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let loader = |_: &Path| Ok(mutated.clone());
            let loaded = quotient_promela::load_with("mutated.pml".as_ref(), &LoadOptions::default(), &loader);
            let Some(model) = loaded.model else {
                assert!(!loaded.diagnostics.is_empty(), "a model that does not load has something wrong with it");
                return false;
            };
            for (order, por) in [(Order::DepthFirst, true), (Order::BreadthFirst, false)] {
                phase.set(if por { "depth-first" } else { "breadth-first" });
                let limits = Options { max_states: Some(200), max_depth: Some(2_000), ..way(order, por) };
                quotient_search::explore(&model, &limits, &mut |_| false);
            }
            true
        }));
        match outcome {
            Ok(was_explored) => explored += usize::from(was_explored),
            Err(_) => {
                panic!("mutation {number}, of {name}, while {}:\n{}", phase.get(), String::from_utf8_lossy(&mutated))
            }
        }
    }
    assert!(explored > MUTATIONS / 4, "only {explored} of the mutated models could be explored");
}
