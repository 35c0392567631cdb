//! Models written in Rust: what they say is what is searched, with and without reduction, in both orders.

mod common;

use common::{EVERY_WAY, check_replay, explore, kind, name};
use quotient_ir::{Action, BinaryOp, Builder, Expr, Model, Pattern, Property, Scalar, Width};
use quotient_search::Options;

const BYTE: Scalar = Scalar::plain(Width::Byte);

fn equal(a: Expr, b: i32) -> Expr {
    Expr::Binary(BinaryOp::Eq, Box::new(a), Box::new(Expr::Const(b)))
}

/// Two processes count up a variable; each reads it and writes it, in one step or in two.
fn counters(atomic: bool) -> Model {
    let mut builder = Builder::new();
    let (count, done) = (builder.global("count", BYTE), builder.global("done", BYTE));
    for name in ["left", "right"] {
        let mut process = builder.process(name);
        let seen = process.local("seen", BYTE);
        let (start, counted, checked, last) = (process.start(), process.state(), process.state(), process.state());
        let sum = Expr::Binary(BinaryOp::Add, Box::new(seen.read()), Box::new(Expr::Const(1)));
        let steps = [("seen = count", seen.set(count.read())), ("count = seen + 1", count.set(sum))];
        if atomic {
            process.atomic(start, steps, counted);
        } else {
            let [(read, reads), (write, writes)] = steps;
            let between = process.state();
            process.step(start, read, reads, between);
            process.step(between, write, writes, counted);
        }
        process.step(counted, "done++", done.increase(1), checked);
        let right = Expr::Or(
            Box::new(Expr::Binary(BinaryOp::Lt, Box::new(done.read()), Box::new(Expr::Const(2)))),
            Box::new(equal(count.read(), 2)),
        );
        process.step(checked, "assert(done < 2 || count == 2)", Action::Assert(right), last);
        process.ends_at(last);
        let ty = process.finish();
        builder.start(ty);
    }
    builder.build().expect("the model is well-formed")
}

/// A process sends a number to another one, which waits for a certain one.
fn messages(sent: i32, capacity: usize) -> Model {
    let mut builder = Builder::new();
    let channel = builder.channel("c", capacity, &[BYTE]);
    let mut sender = builder.process("sender");
    let (start, last) = (sender.start(), sender.state());
    let send = Action::Send { channel: channel.place(), values: vec![Expr::Const(sent)], sorted: false };
    sender.step(start, "c!n", send, last);
    sender.ends_at(last);
    let sender = sender.finish();
    let mut receiver = builder.process("receiver");
    let (start, last) = (receiver.start(), receiver.state());
    let pattern = vec![Pattern::Match(Expr::Const(7))];
    receiver.step(
        start,
        "c?7",
        Action::Receive { channel: channel.place(), pattern, random: false, copy: false },
        last,
    );
    receiver.ends_at(last);
    let receiver = receiver.finish();
    builder.start(sender);
    builder.start(receiver);
    builder.build().expect("the model is well-formed")
}

/// The kinds of errors that every way of searching finds.
fn errors(model: &Model) -> Vec<&'static str> {
    let mut known: Option<Vec<&'static str>> = None;
    for options in EVERY_WAY {
        let found = explore(model, &Options { all_errors: false, ..options });
        for violation in &found.violations {
            check_replay(model, options.reduce.is_on(), violation).expect("the run can be repeated");
        }
        let properties: Vec<Property> =
            model.properties().filter(|&property| quotient_search::checks(property)).collect();
        assert!(found.violations.iter().all(|violation| properties.contains(&violation.error.property())));
        let kinds: Vec<&str> = found.violations.iter().map(|violation| kind(&violation.error)).collect();
        assert_eq!(*known.get_or_insert(kinds.clone()), kinds, "{}", name(&options));
    }
    known.unwrap_or_default()
}

#[test]
fn counting_in_one_step_is_right() {
    assert_eq!(errors(&counters(true)), [""; 0]);
    let naive = quotient_search::naive::explore(&counters(true), 1_000).expect("the model is small");
    assert_eq!(explore(&counters(true), &Options::default()).states, naive.states);
}

#[test]
fn counting_in_two_steps_is_wrong() {
    assert_eq!(errors(&counters(false)), ["assertion"]);
}

#[test]
fn messages_arrive_or_do_not() {
    for capacity in [0, 1] {
        assert_eq!(errors(&messages(7, capacity)), [""; 0]);
        assert_eq!(errors(&messages(8, capacity)), ["invalid-end-state"]);
    }
}
