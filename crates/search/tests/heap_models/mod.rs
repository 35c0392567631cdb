//! Models with a heap, built by hand.

use quotient_ir::heap::Order;
use quotient_ir::{Action, Builder, Expr, HeapAction, HeapExpr, Model, Place, Scalar, Scope, UnaryOp, Width};

pub(crate) const BOOL: Scalar = Scalar::plain(Width::Bit);

pub(crate) fn not(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(value))
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
    let mut steps: Vec<Action> = (0..number).map(|i| element(i).set(HeapExpr::new(fork))).collect();
    steps.extend((0..number).map(|i| {
        let args = vec![element(i).read(), element(i + 1).read()];
        HeapAction::Evaluate(HeapExpr::Start { proctype: philosopher, args }.into()).into()
    }));
    let mut main = builder.thread("MAIN");
    let f = main.local("f", reference);
    let (start, end) = (main.start(), main.state());
    let all = [f.set(HeapExpr::new_array(forks, Expr::Const(number)))].into_iter().chain(steps);
    main.together(start, "set up", all.chain([HeapAction::Exit.into()]), end);
    let main = main.finish();
    builder.start(main);
    builder.build().expect("the model is well-formed")
}
