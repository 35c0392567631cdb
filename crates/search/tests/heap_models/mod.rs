//! Models with a heap, built by hand, and the oracle that they are held to.

// Every test file compiles its own copy and uses a part of it.
#![allow(dead_code)]

pub(crate) mod oracle;
pub(crate) mod random;
pub(crate) mod values;

use quotient_ir::heap::Order;
use quotient_ir::{
    Action, BinaryOp, Builder, Expr, HeapAction, HeapExpr, Model, Part, Place, RecordId, Scalar, Scope, UnaryOp, Width,
};

pub(crate) const BOOL: Scalar = Scalar::plain(Width::Bit);

pub(crate) fn not(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(value))
}

pub(crate) const BYTE: Scalar = Scalar::plain(Width::Byte);

pub(crate) fn equal(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Eq, Box::new(a), Box::new(b))
}

pub(crate) fn null() -> Expr {
    HeapExpr::Null.into()
}

pub(crate) fn start(proctype: usize, args: Vec<Expr>) -> Action {
    HeapAction::Evaluate(HeapExpr::Start { proctype, args }.into()).into()
}

pub(crate) fn local(slot: usize, scalar: Scalar) -> Expr {
    Expr::Read(Place::scalar(Scope::Local, slot, scalar))
}

/// Dining philosophers whose forks are records, oldest thread first. The main thread makes forks and philosophers in one step,
/// and ends.
pub(crate) fn philosophers(number: i32) -> Model {
    let mut builder = Builder::new();
    builder.heap().order = Order::OldestFirst;
    let reference = builder.reference();
    let fork = builder.record("Fork", &[("isHeld", BOOL)]);
    let forks = builder.array("Fork[]", reference);
    let mut held = |slot: usize| builder.field(local(slot, reference), fork, 0);
    let parts = [held(0), held(1), held(1), held(0)];
    let mut thread = builder.thread("Philosopher");
    thread.parameter("left", reference);
    thread.parameter("right", reference);
    let states = [thread.start(), thread.state(), thread.state(), thread.state()];
    for (number, part) in parts.into_iter().enumerate() {
        let (from, to) = (states[number], states[(number + 1) % 4]);
        match number < 2 {
            true => {
                let free = Action::Condition(not(part.clone().read()));
                thread.together(from, "take", [free, part.set(Expr::Const(1))], to);
            }
            false => thread.step(from, "put back", part.set(Expr::Const(0)), to),
        }
    }
    let philosopher = thread.finish();
    let array = local(0, reference);
    let mut element = |i: i32| builder.element(array.clone(), forks, Expr::Const(i % number));
    let mut steps: Vec<Action> = (0..number).map(|i| element(i).set(HeapExpr::make(fork))).collect();
    steps.extend((0..number).map(|i| {
        let args = vec![element(i).read(), element(i + 1).read()];
        HeapAction::Evaluate(HeapExpr::Start { proctype: philosopher, args }.into()).into()
    }));
    let mut main = builder.thread("MAIN");
    let f = main.local("f", reference);
    let (start, end) = (main.start(), main.state());
    let all = [f.set(HeapExpr::make_array(forks, Expr::Const(number)))].into_iter().chain(steps);
    main.together(start, "set up", all.chain([HeapAction::Exit.into()]), end);
    let main = main.finish();
    builder.start(main);
    builder.build().expect("the model is well-formed")
}

/// A field of a record.
pub(crate) fn field(object: Expr, record: RecordId, field: usize, scalar: Scalar) -> Part {
    let which = quotient_ir::Which::Field(field);
    Part { object, record, which, scalar, span: Default::default() }
}

/// The example of figure 4 of "Symmetry reductions for model checking of concurrent dynamic software" (Iosif): two threads
/// make a record each and put it into a list. Threads that have ended stay.
pub(crate) fn example() -> Model {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let node = builder.record("Node", &[("n", reference), ("f", reference)]);
    let head = builder.global("H", reference);
    let part = |object: Expr, number: usize| field(object, node, number, reference);
    let mut thread = builder.process("T");
    let v = thread.local("v", reference);
    let states = [thread.start(), thread.state(), thread.state(), thread.state()];
    let next = || part(head.read(), 0);
    thread.step(states[0], "v = new", v.set(HeapExpr::make(node)), states[1]);
    let is_empty = Action::Condition(equal(next().read(), null()));
    thread.together(states[1], "H.n = v", [is_empty, next().set(v.read())], states[2]);
    let is_full = Action::Condition(not(equal(next().read(), null())));
    thread.together(states[1], "H.n.n = v", [is_full, part(next().read(), 0).set(v.read())], states[2]);
    thread.step(states[2], "v.f = new", part(v.read(), 1).set(HeapExpr::make(node)), states[3]);
    thread.rests_at(states[3]);
    let thread = thread.finish();
    let mut main = builder.process("main");
    let states = [main.start(), main.state(), main.state(), main.state()];
    main.step(states[0], "H = new", head.set(HeapExpr::make(node)), states[1]);
    main.step(states[1], "start T", start(thread, Vec::new()), states[2]);
    main.step(states[2], "start T", start(thread, Vec::new()), states[3]);
    main.rests_at(states[3]);
    let main = main.finish();
    builder.start(main);
    builder.build().expect("the model is well-formed")
}

/// Threads that put records with keys 1 and 2 into a sorted list, so many each, locking hand over hand.
pub(crate) fn list(threads: usize, inserts: i32) -> Model {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let node = builder.record("Node", &[("next", reference), ("key", BYTE), ("locked", BOOL)]);
    let head = builder.global("head", reference);
    builder.initially(head, HeapExpr::make(node));
    let next = |object: Expr| field(object, node, 0, reference);
    let key = |object: Expr| field(object, node, 1, BYTE);
    let locked = |object: Expr| field(object, node, 2, BOOL);
    let if_free = |object: Expr| Action::Condition(not(locked(object).read()));
    let lock = |object: Expr| locked(object).set(Expr::Const(1));
    let unlock = |object: Expr| locked(object).set(Expr::Const(0));
    let mut thread = builder.process("inserter");
    let count = thread.local("count", BYTE);
    let [m, prev, cur] = ["m", "prev", "cur"].map(|name| thread.local(name, reference));
    let mut s = vec![thread.start()];
    s.extend((1..9).map(|_| thread.state()));
    let below = |a: Expr, b: Expr| Expr::Binary(BinaryOp::Lt, Box::new(a), Box::new(b));
    let is_null = || equal(cur.read(), null());
    for value in 1..=2 {
        let may = Action::Condition(below(count.read(), Expr::Const(inserts)));
        let (made, keyed) = (m.set(HeapExpr::make(node)), key(m.read()).set(Expr::Const(value)));
        thread.together(s[0], "m = new", [may, made, keyed, count.increase(1)], s[1]);
    }
    thread.together(s[1], "lock head", [if_free(head.read()), lock(head.read()), prev.set(head.read())], s[2]);
    thread.step(s[2], "cur = prev.next", cur.set(next(prev.read()).read()), s[3]);
    thread.step(s[3], "cur == null", Action::Condition(is_null()), s[6]);
    let both = Expr::And(Box::new(not(is_null())), Box::new(not(locked(cur.read()).read())));
    thread.together(s[3], "lock cur", [Action::Condition(both), lock(cur.read())], s[4]);
    let is_less = || below(key(cur.read()).read(), key(m.read()).read());
    let go_on = [Action::Condition(is_less()), unlock(prev.read()), prev.set(cur.read()), cur.set(null())];
    thread.together(s[4], "go on", go_on, s[2]);
    thread.step(s[4], "stop", Action::Condition(not(is_less())), s[5]);
    thread.step(s[5], "m.next = cur", next(m.read()).set(cur.read()), s[6]);
    thread.step(s[6], "prev.next = m", next(prev.read()).set(m.read()), s[7]);
    let found = Action::Condition(not(is_null()));
    thread.together(s[7], "unlock cur", [found, unlock(cur.read()), cur.set(null())], s[8]);
    thread.step(s[7], "cur == null", Action::Condition(is_null()), s[8]);
    thread.together(s[8], "unlock prev", [unlock(prev.read()), m.set(null()), prev.set(null())], s[0]);
    thread.rests_at(s[0]);
    let thread = thread.finish();
    (0..threads).for_each(|_| builder.start(thread));
    builder.build().expect("the model is well-formed")
}
