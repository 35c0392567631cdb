//! Random models and random formulas: the nested search, components, and components with every reduction have one verdict, without
//! fairness and with it. `QUOTIENT_TEMPORAL=100000` tries more of them.

mod common;
mod lasso;

use common::parse;
use lasso::certify;
use quotient_canon::Strategy;
use quotient_generate::random::Random;
use quotient_search::Reduce;
use quotient_search::temporal::{self, Algorithm, Fairness, Found, Options};

/// A random model: a family of like processes, and perhaps others, that use what they share and what they do not.
fn model(random: &mut Random) -> String {
    let members = random.between(2, 3);
    let capacity = random.below(3);
    let mut text = format!("byte g, h, turn; byte a[{members}]; chan c = [{capacity}] of {{ byte }};\n");
    let family = body(random, members, true);
    text += &format!("active [{members}] proctype P() {{ byte i, k; {family} }}\n");
    for name in ["Q", "R"].iter().take(random.below(3)) {
        let other = body(random, members, false);
        text += &format!("active proctype {name}() {{ byte i, k; {other} }}\n");
    }
    text
}

fn body(random: &mut Random, members: usize, family: bool) -> String {
    let mut text = String::new();
    for _ in 0..random.below(2) {
        text += &format!("{}; ", statement(random, members, family));
    }
    text += "do ";
    for _ in 0..random.between(1, 3) {
        let mut parts: Vec<String> = (0..random.between(1, 3)).map(|_| statement(random, members, family)).collect();
        if random.one_in(3) {
            parts.insert(0, condition(random, members, family));
        }
        let parts = parts.join("; ");
        text += &match random.below(5) {
            0 => format!(":: atomic {{ {parts} }} "),
            1 if family => format!(":: {parts}; at: i = 0 "),
            _ => format!(":: {parts} "),
        };
        if text.matches("at:").count() > 1 {
            text = text.replacen("at: ", "", 1);
        }
    }
    text += "od";
    if random.one_in(4) {
        text = text.replacen(
            "od",
            &format!(":: {} -> break od; {}", condition(random, members, family), {
                statement(random, members, family)
            }),
            1,
        );
    }
    text
}

fn condition(random: &mut Random, members: usize, family: bool) -> String {
    let value = random.below(3);
    match random.below(6) {
        0 => format!("g == {value}"),
        1 => format!("h != {value}"),
        2 if family => "turn == _pid".to_string(),
        3 if family => format!("a[_pid] == {value}"),
        4 => format!("i == {}", value % 2),
        _ => format!("turn == {}", random.below(members)),
    }
}

fn statement(random: &mut Random, members: usize, family: bool) -> String {
    let value = random.below(3);
    match random.below(14) {
        0 => format!("g = {value}"),
        1 => "g = 1 - g % 2".to_string(),
        2 => format!("h = {value}"),
        3 => "i = 1 - i".to_string(),
        4 => format!("i = {}", value % 2),
        5 => "if :: i = 0 :: i = 1 fi".to_string(),
        6 => format!("c!{}", value % 2),
        7 => "c?k".to_string(),
        8 => "c?_".to_string(),
        9 if family => format!("a[_pid] = {value}"),
        10 if family => {
            let options: Vec<String> = (0..members).map(|member| format!(":: turn = {member}")).collect();
            format!("if {} fi", options.join(" "))
        }
        11 if family => "turn == _pid".to_string(),
        12 => condition(random, members, family),
        _ => "k = i".to_string(),
    }
}

fn proposition(random: &mut Random, members: usize) -> String {
    let value = random.below(3);
    match random.below(8) {
        0 | 1 => format!("g == {value}"),
        2 => format!("h == {value}"),
        3 => format!("a[{}] == {value}", random.below(members)),
        4 => format!("turn == {}", random.below(members)),
        5 => format!("P[{}]:i == {}", random.below(members), value % 2),
        6 => "len(c) > 0".to_string(),
        _ => format!("P[0]:k == {}", value % 2),
    }
}

fn formula(random: &mut Random, members: usize, depth: usize) -> String {
    if depth == 0 || random.one_in(6) {
        return format!("({})", proposition(random, members));
    }
    let mut operand = || formula(random, members, depth - 1);
    let (a, b) = (operand(), operand());
    match random.below(10) {
        0 => format!("(!{a})"),
        1 => format!("({a} && {b})"),
        2 => format!("({a} || {b})"),
        3 => format!("({a} U {b})"),
        4 => format!("({a} V {b})"),
        5 => format!("([]<> {a})"),
        6 => format!("(<>[] {a})"),
        7 => format!("([] ({a} -> <> {b}))"),
        8 => format!("(<> {a})"),
        _ => format!("([] {a})"),
    }
}

#[test]
fn every_way_has_the_same_verdict() {
    let number = std::env::var("QUOTIENT_TEMPORAL").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let first = std::env::var("QUOTIENT_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let (mut violated, mut compared, mut reduced, mut renamed) = ([0; 3], [0; 3], 0, 0);
    for seed in first..first + number {
        let mut random = Random::new(seed);
        let members = 2;
        let text = model(&mut random);
        let depth = random.between(1, 3);
        let text = format!("{text}ltl p {{ {} }}\n", formula(&mut random, members, depth));
        let mut model = parse(&text);
        quotient_symmetry::detect(&mut model);
        let claim = model.claims[0].clone();
        let limited = quotient_search::Options { max_states: Some(4000), ..quotient_search::Options::default() };
        let check = |options: &Options| -> Option<Found> {
            let found = temporal::check(&model, &claim, options, &mut |_| true).expect("the claim can be checked");
            let complete = found.stop.is_none() || !found.lassos.is_empty();
            (complete && found.unknown.is_none() && found.faults == 0).then_some(found)
        };
        for (number, fairness) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().enumerate() {
            let Some(plain) = check(&Options { search: limited, fairness, ..Options::default() }) else { continue };
            let holds = plain.lassos.is_empty();
            compared[number] += 1;
            violated[number] += usize::from(!holds);
            let certified = |found: &Found, what: &str| {
                let described = format!("seed {seed}, {fairness:?}, {what}\n{text}");
                assert_eq!(found.lassos.is_empty(), holds, "{described}");
                for lasso in &found.lassos {
                    certify(&model, &claim, fairness, lasso).unwrap_or_else(|why| panic!("{why}: {described}"));
                }
            };
            certified(&plain, "no reduction");
            if fairness == Fairness::None {
                let nested = Options { search: limited, algorithm: Algorithm::Nested, ..Options::default() };
                if let Some(found) = check(&nested) {
                    certified(&found, "nested");
                }
            }
            for (reduce, symmetry) in [
                (Reduce::Full, None),
                (Reduce::Off, Some(Strategy::Canonical)),
                (Reduce::Full, Some(Strategy::Canonical)),
                (Reduce::Off, Some(Strategy::PcSorted)),
            ] {
                let search = quotient_search::Options { reduce, symmetry, ..limited };
                let Some(found) = check(&Options { search, fairness, ..Options::default() }) else { continue };
                certified(&found, &format!("{reduce:?} {symmetry:?}"));
                reduced += usize::from(reduce == Reduce::Full && found.applied.order == Some(Ok(())));
                renamed += usize::from(found.applied.symmetry == Some(Ok(())));
            }
        }
    }
    let enough = |violated: usize, compared: usize| compared > 0 && violated * 5 >= compared;
    assert!((0..3).all(|at| enough(violated[at], compared[at])), "{violated:?} of {compared:?} are violated");
    assert!(reduced > 0 && renamed > 0, "reductions were applied: {reduced}, {renamed}");
}
