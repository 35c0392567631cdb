//! Models with a heap: what is well-formed, and what is not.

use quotient_ir::{
    Action, BinaryOp, Builder, Callee, Defect, Expr, HeapAction, HeapExpr, Model, RecordId, Scalar, UnaryOp, Width,
};

const BOOL: Scalar = Scalar::plain(Width::Bit);
const BYTE: Scalar = Scalar::plain(Width::Byte);

fn not(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(value))
}

/// Dining philosophers whose forks are records: the main thread makes forks and philosophers, and ends.
fn philosophers(number: i32) -> Model {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let fork = builder.record("Fork", &[("isHeld", BOOL)]);
    let forks = builder.array("Fork[]", reference);
    let mut held = |object: Expr| builder.field(object, fork, 0);
    let (left, right) = (local(0, reference), local(1, reference));
    let parts = [held(left.clone()), held(right.clone()), held(right), held(left)];
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
    main_thread(&mut builder, philosopher, fork, forks, number);
    builder.build().expect("the model is well-formed")
}

fn local(slot: usize, scalar: Scalar) -> Expr {
    Expr::Read(quotient_ir::Place::scalar(quotient_ir::Scope::Local, slot, scalar))
}

fn main_thread(builder: &mut Builder, philosopher: usize, fork: RecordId, forks: RecordId, number: i32) {
    let reference = builder.reference();
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
}

#[test]
fn philosophers_are_well_formed() {
    let model = philosophers(3);
    assert_eq!(model.proctypes.len(), 2);
    assert_eq!(model.heap.expect("it has a heap").records.len(), 2);
}

/// What is malformed about a model with one thread that does this.
fn defects(action: impl FnOnce(&mut Builder, RecordId) -> Action) -> Vec<Defect> {
    let mut builder = Builder::new();
    let reference = builder.reference();
    let record = builder.record("Node", &[("next", reference), ("key", BYTE)]);
    builder.global("root", reference);
    let action = action(&mut builder, record);
    let mut thread = builder.thread("T");
    thread.local("p", reference);
    thread.local("n", BYTE);
    let (start, end) = (thread.start(), thread.state());
    thread.step(start, "do it", action, end);
    let thread = thread.finish();
    builder.start(thread);
    builder.build().err().map_or(Vec::new(), |found| found.into_iter().map(|malformed| malformed.kind).collect())
}

#[test]
fn references_are_not_computed_with() {
    let reference = Builder::new().reference();
    let p = || Box::new(local(0, reference));
    let n = || Box::new(local(1, BYTE));
    let condition = |expr: Expr| defects(move |_, _| Action::Condition(expr));
    assert_eq!(condition(Expr::Binary(BinaryOp::Eq, p(), p())), []);
    assert_eq!(condition(Expr::Binary(BinaryOp::Eq, p(), Box::new(HeapExpr::Null.into()))), []);
    for wrong in [
        Expr::Binary(BinaryOp::Lt, p(), p()),
        Expr::Binary(BinaryOp::Add, p(), n()),
        Expr::Binary(BinaryOp::Eq, p(), n()),
        Expr::Unary(UnaryOp::Not, p()),
        *p(),
        HeapExpr::make(0),
        HeapExpr::Length { array: *n(), span: Default::default() }.into(),
    ] {
        let found = condition(wrong.clone());
        assert!(found.contains(&Defect::MixedSorts), "{wrong:?}: {found:?}");
    }
    assert_eq!(defects(|b, r| b.field(local(0, reference), r, 1).set(Expr::Const(3))), []);
    assert_eq!(defects(|b, r| b.field(local(0, reference), r, 0).set(Expr::Const(3))), [Defect::MixedSorts]);
    assert_eq!(defects(|b, r| b.field(local(0, reference), r, 0).set(HeapExpr::make(r))), []);
}

#[test]
fn records_fields_and_functions_are_there() {
    let reference = Builder::new().reference();
    let found = defects(|b, r| {
        let mut part = b.field(local(0, reference), r, 1);
        part.which = quotient_ir::Which::Field(7);
        part.set(Expr::Const(0))
    });
    assert_eq!(found, [Defect::NoField(0, 7)]);
    let new = |record| move |_: &mut Builder, _| HeapAction::Evaluate(HeapExpr::make(record)).into();
    assert_eq!(defects(new(0)), []);
    assert_eq!(defects(new(5)), [Defect::NoRecord(5)]);
    let call = |function| {
        let callee = Callee::Function(function);
        defects(move |_, _| HeapAction::Call { callee, args: Vec::new(), result: None, atomic: false }.into())
    };
    assert_eq!(call(9), [Defect::NoProctype(9)]);
    assert_eq!(call(0), [Defect::NotAProcess(0)]);
    assert_eq!(defects(|_, _| HeapAction::Return(None).into()), [Defect::NoFunction]);
    assert_eq!(defects(|_, _| HeapAction::Exit.into()), []);
}
