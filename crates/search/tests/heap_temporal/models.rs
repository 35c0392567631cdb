//! Models with a heap that go on forever, and what is asked of them.

use quotient_generate::random::Random;
use quotient_ir::heap::Order;
use quotient_ir::{
    Action, BinaryOp, Builder, Claim, ClaimKind, Expr, HeapAction, HeapExpr, Model, ProcessBuilder, Proposition, Sort,
    Variable,
};
use quotient_ltl::Formula;

use crate::heap_models::{BYTE, equal, field, local, not, null};

/// Something that is asked of a state.
fn proposition(expr: Expr, text: &str) -> Proposition {
    Proposition { expr, text: text.to_string(), span: Default::default() }
}

/// What can be asked of a model: about its global variables, and about what they refer to.
pub(crate) fn propositions(model: &Model) -> Vec<Proposition> {
    let mut found = Vec::new();
    let mut references = Vec::new();
    for (slot, global) in model.globals.iter().enumerate() {
        let read = Expr::Read(quotient_ir::Place::scalar(quotient_ir::Scope::Global, slot, global.scalar));
        let name = &global.name;
        if global.scalar.sort != Sort::Ref {
            for value in 0..2 {
                found.push(proposition(equal(read.clone(), Expr::Const(value)), &format!("{name} == {value}")));
            }
            continue;
        }
        let some = || not(equal(read.clone(), null()));
        found.push(proposition(equal(read.clone(), null()), &format!("{name} == null")));
        // Only what is no array, and was not deleted, has fields.
        let follows = model.heap.as_ref().is_some_and(|heap| heap.records.len() == 1);
        if follows {
            let next = HeapExpr::Read(field(read.clone(), 0, 0, global.scalar)).into();
            let and = Expr::And(Box::new(some()), Box::new(equal(next, null())));
            found.push(proposition(and, &format!("{name} != null && {name}.next == null")));
        }
        references.push(read);
    }
    if let [first, second, ..] = &references[..] {
        found.push(proposition(equal(first.clone(), second.clone()), "g == h"));
    }
    found
}

/// A random formula over so many propositions.
pub(crate) fn formula(random: &mut Random, propositions: usize, depth: usize) -> Formula {
    if depth == 0 || random.one_in(6) {
        return Formula::Proposition(random.below(propositions));
    }
    let mut part = || formula(random, propositions, depth - 1);
    let (a, b) = (part(), part());
    match random.below(10) {
        0 => a.negated(),
        1 => Formula::and(a, b),
        2 => Formula::or(a, b),
        3 => Formula::until(a, b),
        4 => Formula::release(a, b),
        5 => Formula::always(Formula::eventually(a)),
        6 => Formula::eventually(Formula::always(a)),
        7 => Formula::always(Formula::implies(a, Formula::eventually(b))),
        8 => Formula::eventually(a),
        _ => Formula::next(a),
    }
}

/// A model that is determined by a seed: threads that go round, make and drop records, start others and end.
pub(crate) fn model(seed: u64) -> Model {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new();
    builder.heap().order = if random.chance(50) { Order::OldestFirst } else { Order::YoungestFirst };
    builder.heap().most_records = 20;
    let reference = builder.reference();
    builder.record("Node", &[("next", reference), ("key", BYTE)]);
    let (g, h) = (builder.global("g", reference), builder.global("h", reference));
    let (n, alive) = (builder.global("n", BYTE), builder.global("alive", BYTE));
    let short = random.chance(70).then(|| {
        let mut thread = builder.thread("short");
        thread.local("p", reference);
        let (start, last) = (thread.start(), thread.state());
        for _ in 0..random.between(1, 2) {
            choice(&mut thread, random, (start, last), [g, h, n]);
        }
        let less = Expr::Binary(BinaryOp::Sub, Box::new(alive.read()), Box::new(Expr::Const(1)));
        thread.together(last, "exit", [alive.set(less), HeapAction::Exit.into()], start);
        thread.finish()
    });
    let mut types = Vec::new();
    for name in ["t", "u"].iter().take(random.between(1, 2)) {
        let mut thread = builder.thread(name);
        thread.local("p", reference);
        let states: Vec<usize> =
            [thread.start()].into_iter().chain((0..random.between(1, 2)).map(|_| thread.state())).collect();
        for (at, &from) in states.iter().enumerate() {
            let to = states[(at + 1) % states.len()];
            for _ in 0..random.between(1, 2) {
                choice(&mut thread, random, (from, to), [g, h, n]);
            }
            if let (Some(short), true) = (short, random.one_in(3)) {
                let free = Action::Condition(equal(alive.read(), Expr::Const(random.below(2) as i32)));
                let start: Expr = HeapExpr::Start { proctype: short, args: Vec::new() }.into();
                let steps = [free, alive.increase(1), HeapAction::Evaluate(start).into()];
                thread.together(from, "start", steps, to);
            }
        }
        types.push(thread.finish());
    }
    for _ in 0..random.between(1, 3) {
        let ty = *random.pick(&types);
        builder.start(ty);
    }
    builder.build().unwrap_or_else(|found| panic!("seed {seed}: {found:?}"))
}

/// One thing that can be done at a control state.
fn choice(thread: &mut ProcessBuilder<'_>, random: &mut Random, (from, to): (usize, usize), [g, h, n]: [Variable; 3]) {
    let reference = g.place().scalar;
    let p = || local(0, reference);
    let keep = |value: Expr| Action::Assign(local_place(reference), value);
    let guard = |random: &mut Random| {
        Action::Condition(match random.below(4) {
            0 => equal(g.read(), null()),
            1 => not(equal(h.read(), null())),
            2 => equal(p(), g.read()),
            _ => equal(n.read(), Expr::Const(random.below(2) as i32)),
        })
    };
    let action = match random.below(9) {
        0 => g.set(HeapExpr::make(0)),
        1 => g.set(null()),
        2 => h.set(g.read()),
        3 => keep(g.read()),
        4 => keep(HeapExpr::make(0)),
        5 => g.set(p()),
        6 => n.set(Expr::Const(random.below(2) as i32)),
        7 => {
            let some = Action::Condition(not(equal(g.read(), null())));
            let link = HeapAction::Set(field(g.read(), 0, 0, reference), h.read()).into();
            return thread.together(from, "link", [some, link], to);
        }
        _ => return thread.step(from, "ask", guard(random), to),
    };
    match random.one_in(3) {
        true => {
            let guard = guard(random);
            thread.together(from, "guarded", [guard, action], to);
        }
        false => thread.step(from, "do", action, to),
    }
}

fn local_place(scalar: quotient_ir::Scalar) -> quotient_ir::Place {
    quotient_ir::Place::scalar(quotient_ir::Scope::Local, 0, scalar)
}

/// A thread that starts another when nobody else has done so, and ends.
fn pass_on(relay: &mut ProcessBuilder<'_>, (start, last): (usize, usize), alive: Variable, next: Expr) {
    let free = Action::Condition(equal(alive.read(), Expr::Const(0)));
    relay.together(start, "start", [free, alive.set(Expr::Const(1)), HeapAction::Evaluate(next).into()], last);
    relay.together(last, "exit", [alive.set(Expr::Const(0)), HeapAction::Exit.into()], start);
}

/// Models with threads that come and go, what is asked of them, and whether it is violated without, with weak and with strong fairness.
pub(crate) fn threads() -> Vec<(Model, Claim, [bool; 3])> {
    let claim = |name: &str, n: Variable| {
        let propositions = vec![proposition(equal(n.read(), Expr::Const(1)), "n == 1")];
        let kind = ClaimKind::Ltl { formula: Formula::eventually(Formula::Proposition(0)), text: String::new() };
        Claim { propositions, ..Claim::new(name, kind, Default::default()) }
    };
    let mut found = Vec::new();
    for (name, patient_first, expected) in
        [("the one that waits is older", true, [true, false, false]), ("it is younger", false, [true, false, false])]
    {
        // A thread starts one like itself and ends, forever; another can make the claim true, and is put off.
        let mut builder = Builder::new();
        builder.heap();
        let (n, alive) = (builder.global("n", BYTE), builder.global("alive", BYTE));
        let mut patient = builder.thread("patient");
        let (start, last) = (patient.start(), patient.state());
        patient.step(start, "n := 1", n.set(Expr::Const(1)), last);
        patient.rests_at(last);
        let patient = patient.finish();
        let mut relay = builder.thread("relay");
        let (start, last) = (relay.start(), relay.state());
        let number = patient + 1;
        let next: Expr = HeapExpr::Start { proctype: number, args: Vec::new() }.into();
        pass_on(&mut relay, (start, last), alive, next);
        let relay = relay.finish();
        assert_eq!(relay, number);
        let order = if patient_first { [patient, relay] } else { [relay, patient] };
        order.into_iter().for_each(|ty| builder.start(ty));
        let model = builder.build().expect("the model is well formed");
        found.push((model, claim(name, n), expected));
    }
    // Threads that could make the claim true end instead, and others take their places: nobody is put off.
    let mut builder = Builder::new();
    builder.heap();
    let (n, alive) = (builder.global("n", BYTE), builder.global("alive", BYTE));
    let mut relay = builder.thread("relay");
    let (start, last) = (relay.start(), relay.state());
    let taken = Action::Condition(equal(alive.read(), Expr::Const(0)));
    relay.together(start, "n := 1", [taken, alive.set(Expr::Const(1)), n.set(Expr::Const(1))], last);
    let next: Expr = HeapExpr::Start { proctype: 0, args: Vec::new() }.into();
    pass_on(&mut relay, (start, last), alive, next);
    let relay = relay.finish();
    builder.start(relay);
    found.push((builder.build().expect("the model is well formed"), claim("all end", n), [true; 3]));
    found
}

/// Two records whose references change places in every round.
pub(crate) fn swapping() -> (Model, Claim) {
    let mut builder = Builder::new();
    let reference = builder.reference();
    builder.record("Node", &[("next", reference), ("key", BYTE)]);
    let (g, h) = (builder.global("g", reference), builder.global("h", reference));
    builder.initially(g, HeapExpr::make(0));
    builder.initially(h, HeapExpr::make(0));
    let mut thread = builder.thread("t");
    thread.local("p", reference);
    let (first, second, third) = (thread.start(), thread.state(), thread.state());
    thread.step(first, "p := g", Action::Assign(local_place(reference), g.read()), second);
    thread.step(second, "g := h", g.set(h.read()), third);
    thread.step(third, "h := p", h.set(local(0, reference)), first);
    let thread = thread.finish();
    builder.start(thread);
    let model = builder.build().expect("the model is well formed");
    let formula = Formula::eventually(Formula::Proposition(0));
    let propositions = vec![proposition(equal(g.read(), null()), "g == null")];
    let kind = ClaimKind::Ltl { formula, text: String::new() };
    (model, Claim { propositions, ..Claim::new("p", kind, Default::default()) })
}
