//! Executions by their texts: every execution is had again by its own, and a damaged text gives an error or an execution
//! that the program has.

mod driver;

use driver::Followed;
use quotient_oracle::{Execution, MemoryModel, Program, random};
use std::collections::BTreeSet;

/// A generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit.max(1) as u64) as usize
    }
}

/// A text with something wrong with it, most likely.
fn damage(text: &str, other: &str, random: &mut Random) -> String {
    let mut tokens: Vec<String> = text.split('-').map(str::to_owned).collect();
    let at = random.below(tokens.len());
    let number = random.below(5).to_string();
    match random.below(12) {
        0 => tokens.truncate(at),
        1 => {
            tokens.remove(at);
        }
        2 => tokens.insert(at, tokens[random.below(tokens.len())].clone()),
        3 => {
            let with = random.below(tokens.len());
            tokens.swap(at, with);
        }
        4 => tokens[at] = tokens[at].replacen(|c: char| c.is_ascii_digit(), &number, 1),
        5 => {
            if let Some(last) = tokens[at].rfind(|c: char| c.is_ascii_digit()) {
                tokens[at].replace_range(last..=last, &number);
            }
        }
        6 => {
            let source = ["i".to_owned(), format!("{number}.{}", random.below(6)), "9.99".to_owned()];
            let form = ["<", ">", "="][random.below(3)];
            tokens[at] = format!("{}{form}{}", random.below(4), source[random.below(3)]);
        }
        7 => tokens[at].push_str(["*2", "!", "*99999999999", "*0", "x", "*", "-", "é"][random.below(8)]),
        8 => tokens.push(number),
        9 => tokens.extend(other.split('-').skip(at).map(str::to_owned)),
        10 => {
            tokens.truncate(at);
            tokens.extend(other.split('-').skip(at).map(str::to_owned));
        }
        _ => {
            tokens[at] =
                ["", "-1", "0<", "0>", "0=", "1.2", "4294967296", "1<i<i", "1<1.", "*3"][random.below(10)].to_owned()
        }
    }
    tokens.join("-")
}

/// How many damaged texts were errors, and how many were executions, with and without a race.
#[derive(Debug, Default)]
struct Seen {
    errors: usize,
    executions: usize,
    races: usize,
}

fn attack(program: &Program, model: MemoryModel, seed: u64, seen: &mut Seen) {
    let all = driver::explore_with_texts(program, driver::model(model));
    let complete = |found: &Followed| if let Followed::Complete(one) = found { Some(one.clone()) } else { None };
    let known: BTreeSet<Execution> = all.iter().filter_map(|(found, _)| complete(found)).collect();
    for (found, text) in &all {
        let again = driver::follow(program, driver::model(model), text);
        // The two accesses of a race may come in either order.
        let both_race = matches!((&again, found), (Followed::Violation(_), Followed::Violation(_)));
        assert!(both_race || again == *found, "{model:?}: {text} gives {again:?}, not {found:?}\n{program}");
    }
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..if all.is_empty() { 0 } else { 40 } {
        let mut text = all[random.below(all.len())].1.clone();
        for _ in 0..=random.below(2) {
            let other = &all[random.below(all.len())].1;
            text = damage(&text, other, &mut random);
        }
        match driver::follow(program, driver::model(model), &text) {
            Followed::Complete(found) => {
                assert!(known.contains(&found), "{model:?}: {text} gives an execution that there is not\n{program}");
                seen.executions += 1;
            }
            Followed::Error(message) => {
                assert!(!message.is_empty());
                seen.errors += 1;
            }
            Followed::Blocked => {}
            Followed::Violation(message) => {
                let races = all.iter().any(|(found, _)| matches!(found, Followed::Violation(_)));
                assert!(races, "{model:?}: {text} gives {message}\n{program}");
                seen.races += 1;
            }
        }
    }
}

#[test]
fn damaged_texts_are_errors_or_executions() {
    let mut seen = Seen::default();
    for model in MemoryModel::ALL {
        for seed in 0..120 {
            let shape = random::Shape { non_atomic: 0, ..random::Shape::default() };
            let shape = match seed % 5 {
                0 => random::Shape { locks: 60, total: 7, ..shape },
                1 => random::Shape { weak: true, updates: 50, ..shape },
                2 => random::Shape { non_atomic: 30, ..shape },
                _ => shape,
            };
            attack(&random::program(seed, shape), model, seed, &mut seen);
        }
    }
    assert!(seen.errors > 5000 && seen.executions > 100 && seen.races > 10, "{seen:?}");
}

fn program(text: &str) -> Program {
    quotient_oracle::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")).program
}

/// Both threads read the old value: only one memory model allows that.
#[test]
fn what_the_model_does_not_allow_is_an_error() {
    let program =
        program("init x=0 y=0\nthread { store sc x 1; r0 = load sc y }\nthread { store sc y 1; r0 = load sc x }");
    for (model, allowed) in MemoryModel::ALL.into_iter().zip([false, false, true, false]) {
        match driver::follow(&program, driver::model(model), "0*3-1>i-1<i-1-2>i-2<i-2") {
            Followed::Complete(_) => assert!(allowed, "{model:?}"),
            Followed::Error(message) => {
                assert!(!allowed && message.contains("does not allow it"), "{model:?}: {message}");
            }
            other => panic!("{model:?}: {other:?}"),
        }
    }
}

/// Each kind of misfit, and what is said of it.
#[test]
fn an_error_says_where_and_why() {
    let program = program("init x=0 y=0\nthread { store rlx x 1; r0 = load rlx x }\nthread { r0 = add rlx y 1 }");
    let cases = [
        ("", "ends after 0 steps"),
        ("0*3-1>i-1<1.1-1", "ends after 6 steps"),
        ("0*3-1>i-1<1.1-1-2<i-2-2", "step 9 of the text (`2`) does not fit: that thread has ended"),
        ("0*3-1>i-1<1.1-1-2<i-2-7", "(`7`) does not fit: there is no such thread"),
        ("0*3-1<i", "the text has a read, and thread 1 comes to a write"),
        ("0*3-1", "the text has something else than an access, and thread 1 comes to a write"),
        ("0*3-1>i-1>i", "the text has a write, and thread 1 comes to a read"),
        ("0*3-1=0", "the text has a choice"),
        ("0<i", "the text has a read, and thread 0 comes to the start of a thread"),
        ("0*3-1>i-1<i", "step 5 of the text (`1<i`) does not fit: thread 1 knows a newer value already"),
        ("0*3-1>i-1<2.1", "there is no write 2.1 yet"),
        ("0*3-2<i-1>i-1<2.2", "2.2 is a write to other memory"),
        ("0*3-2<i-1>i-1<2.1", "2.1 is not a write, but a read"),
        ("0*3-2<i!", "this does not fail without a reason"),
        ("0*3-1>2.2", "there is no write 2.2 yet"),
        ("0*4", "step 4 of the text (`0`) does not fit: that thread has ended"),
        ("1", "there is no such thread"),
        ("0*4000000000", "more than 100000 steps"),
        ("0*99999999999999999999", "is not repeated a number of times"),
        ("0*0", "is not repeated a number of times"),
        ("0*+1", "is not repeated a number of times"),
        ("rubbish", "`rubbish` is not a step of an execution"),
        ("0--0", "`` is not a step of an execution"),
        ("4095", "`4095` is not a step of an execution"),
        ("1<i!!", "is not a step of an execution"),
        ("1=1!", "is not a step of an execution"),
    ];
    for (text, expected) in cases {
        match driver::follow(&program, quotient_dpor::MemoryModel::Rc11, text) {
            Followed::Error(message) => assert!(message.contains(expected), "`{text}` gives: {message}"),
            other => panic!("`{text}` gives {other:?}"),
        }
    }
}

/// Of two updates of the same value one comes after the other.
#[test]
fn a_value_is_replaced_once() {
    let program =
        program("init x=0\nthread { r0 = add rlx x 1 }\nthread { r0 = add rlx x 1 }\nthread { store rlx x 5 }");
    let error = |text: &str| match driver::follow(&program, quotient_dpor::MemoryModel::Rc11, text) {
        Followed::Error(message) => message,
        other => panic!("{other:?}"),
    };
    assert!(error("0*4-1<i-2<i").contains("another thread has replaced that value"));
    assert!(error("0*4-1<i-3>i").contains("cannot write there"));
}
