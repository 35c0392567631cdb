//! Damaged models: every kind of defect is found, and where it is. What is not damaged is well-formed.

use std::collections::HashSet;

use quotient_ir::{
    Action, At, Builder, Claim, ClaimKind, Defect, Deterministic, EventTrace, Expr, Index, Instance, Malformed, Model,
    Node, NodeOption, Place, ProctypeKind, Scalar, Scope, Setup, Sort, Termination, Unordered, Width,
};
use quotient_ltl::Formula;
use quotient_report::source::Span;

const BYTE: Scalar = Scalar::plain(Width::Byte);

/// A model with a bit of everything: process type 0 sends to type 1, which it creates.
fn model() -> Model {
    let mut builder = Builder::new();
    let x = builder.global("x", BYTE);
    builder.initially(x, Expr::Const(3));
    let channel = builder.channel("c", 2, &[BYTE]);
    let mut sender = builder.process("sender");
    let own = sender.local("own", BYTE);
    let (sent, last) = (sender.state(), sender.state());
    let start = sender.start();
    let send = Action::Send { channel: channel.place(), values: vec![own.read()], sorted: false };
    let run = Expr::Run { proctype: 1, args: vec![Expr::Const(1)], priority: 1 };
    sender.atomic(start, [("own = 2", own.set(Expr::Const(2))), ("c!own", send)], sent);
    sender.step(sent, "run receiver(1)", Action::Condition(run), last);
    sender.ends_at(last);
    let sender = sender.finish();
    let mut receiver = builder.process("receiver");
    let value = receiver.parameter("value", BYTE);
    let (start, read, last) = (receiver.start(), receiver.state(), receiver.state());
    let receive = Action::Receive {
        channel: channel.place(),
        pattern: vec![quotient_ir::Pattern::Bind(value.place())],
        random: false,
        copy: false,
    };
    receiver.step(start, "c?value", receive, read);
    receiver.step(read, "d_step { x++ }", deterministic(x.increase(1)), last);
    receiver.ends_at(last);
    receiver.finish();
    builder.start(sender);
    builder.build().expect("the model is well-formed")
}

fn deterministic(action: Action) -> Action {
    let option = NodeOption { action, next: None, span: Span::default(), direct: true };
    let node = Node { options: vec![option], span: Span::default() };
    Action::Deterministic(Deterministic { nodes: vec![node], loops: Vec::new() })
}

/// What is found in the model after a change.
fn found(change: impl FnOnce(&mut Model)) -> Vec<Malformed> {
    let mut model = model();
    change(&mut model);
    model.validate().err().unwrap_or_default()
}

fn global(slot: usize, scalar: Scalar) -> Place {
    Place::scalar(Scope::Global, slot, scalar)
}

fn claim(kind: ClaimKind) -> Claim {
    Claim::new("c", kind, Span::default())
}

fn array(length: usize, stride: usize) -> Place {
    let index = Index { value: Expr::Const(0), length, stride, span: Span::default() };
    Place { indices: vec![index], ..global(0, BYTE) }
}

/// The body of the receiver's `d_step`.
fn body(model: &mut Model) -> &mut Deterministic {
    match &mut model.proctypes[1].statements[1].action {
        Action::Deterministic(body) => body,
        other => panic!("{other:?} is no d_step"),
    }
}

/// A change to a model, and what should be found then.
type Damage = (fn(&mut Model), At, Defect);

const BROKEN: &[Damage] = &[
    (|m| m.initial[0].proctype = 7, At::Model, Defect::NoProctype(7)),
    (|m| m.trace = Some(EventTrace { proctype: 9, negated: false }), At::Model, Defect::NoProctype(9)),
    (|m| m.claims.push(claim(ClaimKind::Never(5))), At::Model, Defect::NoProctype(5)),
    (
        |m| m.claims.push(claim(ClaimKind::Ltl { formula: Formula::Proposition(2), text: String::new() })),
        At::Model,
        Defect::NoProposition(2),
    ),
    (|m| set(m, Expr::Run { proctype: 4, args: vec![], priority: 1 }), At::Statement(0, 2), Defect::NoProctype(4)),
    (|m| m.proctypes[0].kind = ProctypeKind::Claim, At::Model, Defect::NotAProcess(0)),
    (|m| m.proctypes[0].states[1].transitions[0].target = 30, At::State(0, 1), Defect::NoState(30)),
    (|m| m.proctypes[1].start = 30, At::Proctype(1), Defect::NoState(30)),
    (|m| m.proctypes[1].end = Some(31), At::Proctype(1), Defect::NoState(31)),
    (|m| set(m, Expr::RemoteAt { proctype: 1, pid: None, state: 8 }), At::Statement(0, 2), Defect::NoState(8)),
    (|m| m.proctypes[0].states[0].transitions[0].statement = 30, At::State(0, 0), Defect::NoStatement(30)),
    (|m| m.proctypes[0].statements[0].merged = vec![0, 40], At::Statement(0, 0), Defect::NoStatement(40)),
    (|m| m.proctypes[0].statements[0].block = Some(3), At::Statement(0, 0), Defect::NoBlock(3)),
    (|m| m.setup.push(Setup::Channel(1, 6)), At::Model, Defect::NoChannelType(6)),
    (|m| m.globals[0].mtype = Some(2), At::Model, Defect::NoMtype(2)),
    (|m| m.channels[0].mtypes[0] = Some(1), At::Model, Defect::NoMtype(1)),
    (|m| m.globals[0].scalar.sort = Sort::Member { set: 1 }, At::Model, Defect::NoScalarset(1)),
    (|m| set(m, Expr::Read(global(5, BYTE))), At::Statement(0, 2), Defect::NoSlot(Scope::Global, 5)),
    (|m| m.setup.push(Setup::Assign(8, Expr::Const(0))), At::Model, Defect::NoSlot(Scope::Global, 8)),
    (|m| m.setup.push(Setup::Channel(9, 0)), At::Model, Defect::NoSlot(Scope::Global, 9)),
    (|m| set(m, Expr::Read(array(3, 1))), At::Statement(0, 2), Defect::OtherType(Scope::Global, 1)),
    (|m| set(m, Expr::Read(array(1, 0))), At::Statement(0, 2), Defect::EmptyArray),
    (|m| set(m, Expr::Read(array(0, 1))), At::Statement(0, 2), Defect::EmptyArray),
    (|m| set(m, remote(4)), At::Statement(0, 2), Defect::NoSlot(Scope::Local, 4)),
    (
        |m| m.setup.push(Setup::Assign(0, Expr::Read(Place::scalar(Scope::Local, 0, BYTE)))),
        At::Model,
        Defect::NoProcess,
    ),
    (|m| body(m).nodes[0].options[0].next = Some(4), At::Statement(1, 1), Defect::NoNode(4)),
    (
        |m| body(m).loops.push(Unordered { iterations: vec![vec![0, 2]], span: Span::default() }),
        At::Statement(1, 1),
        Defect::NoNode(2),
    ),
    (|m| body(m).nodes.clear(), At::Statement(1, 1), Defect::BadDeterministic),
    (
        |m| body(m).nodes[0].options[0].action = deterministic(Action::Skip),
        At::Statement(1, 1),
        Defect::BadDeterministic,
    ),
    (|m| m.channels[0].fields[0].width = Width::Unsigned(33), At::Model, Defect::BadWidth(33)),
    (|m| m.channels[0].fields[0].width = Width::Unsigned(0), At::Model, Defect::BadWidth(0)),
    (|m| m.proctypes[0].slots[0].scalar.width = Width::Int, At::Statement(0, 0), Defect::OtherType(Scope::Local, 0)),
    (|m| m.setup.push(Setup::Channel(0, 0)), At::Model, Defect::NotAChannel(Scope::Global, 0)),
    (|m| set(m, Expr::Length(Box::new(global(0, BYTE)))), At::Statement(0, 2), Defect::NotAChannel(Scope::Global, 0)),
    (|m| m.channels[0].mtypes.clear(), At::Model, Defect::Length { expected: 1, found: 0 }),
    (|m| m.proctypes[0].params = 3, At::Proctype(0), Defect::Length { expected: 1, found: 3 }),
    (
        |m| set(m, Expr::Run { proctype: 1, args: vec![], priority: 1 }),
        At::Statement(0, 2),
        Defect::Length { expected: 1, found: 0 },
    ),
    (|m| m.initial = vec![Instance { proctype: 0, priority: 1 }; 256], At::Model, Defect::TooMany(256)),
    (|m| set(m, Expr::Timeout), At::Model, Defect::UnsetUse("timeout")),
    (|m| set(m, Expr::Last), At::Model, Defect::UnsetUse("_last")),
    (|m| m.initial[0].priority = 2, At::Model, Defect::UnsetUse("priorities")),
    (|m| m.uses.buffered = false, At::Model, Defect::UnsetUse("buffered channels")),
    (|m| m.channels[0].capacity = 0, At::Model, Defect::UnsetUse("rendezvous channels")),
    (|m| m.proctypes[0].provided = Some(Expr::Const(1)), At::Model, Defect::UnsetUse("provided")),
    (|m| m.proctypes[0].states[0].transitions[0].escape = 1, At::Model, Defect::UnsetUse("unless")),
    (|m| m.proctypes[0].termination = Termination::AnyOrder, At::State(0, 2), Defect::EndsButStays),
];

/// Puts an expression in the place of the sender's third statement.
fn set(model: &mut Model, expr: Expr) {
    model.proctypes[0].statements[2].action = Action::Condition(expr);
}

fn remote(slot: usize) -> Expr {
    Expr::RemoteRead { proctype: 1, pid: None, place: Box::new(Place::scalar(Scope::Local, slot, BYTE)) }
}

#[test]
fn what_is_not_damaged_is_well_formed() {
    assert_eq!(found(|_| {}), []);
    assert_eq!(found(|model| set(model, remote(0))), []);
}

#[test]
fn every_defect_is_found_where_it_is() {
    let mut kinds = HashSet::new();
    for (number, (damage, at, kind)) in BROKEN.iter().enumerate() {
        let found = found(damage);
        assert!(found.contains(&Malformed { at: *at, kind: *kind }), "damage {number}: {found:?}");
        assert!(found.iter().all(|malformed| !malformed.to_string().is_empty()));
        kinds.insert(std::mem::discriminant(kind));
    }
    assert_eq!(kinds.len(), 21, "there is a damaged model for every kind of defect");
}

#[test]
fn several_defects_are_found_at_once() {
    let found = found(|model| {
        model.proctypes[0].start = 50;
        model.proctypes[1].end = Some(60);
        model.globals.clear();
    });
    let kinds: Vec<Defect> = found.iter().map(|malformed| malformed.kind).collect();
    assert!(kinds.contains(&Defect::NoState(50)) && kinds.contains(&Defect::NoState(60)));
    assert!(kinds.contains(&Defect::NoSlot(Scope::Global, 0)) && kinds.contains(&Defect::NoSlot(Scope::Global, 1)));
}

#[test]
fn a_model_that_is_not_well_formed_is_not_built() {
    let mut builder = Builder::new();
    let mut process = builder.process("lost");
    let start = process.start();
    process.step(start, "goto nowhere", Action::Skip, 17);
    let process = process.finish();
    builder.start(process);
    let found = builder.build().expect_err("a jump leads nowhere");
    assert_eq!(found, [Malformed { at: At::State(0, 0), kind: Defect::NoState(17) }]);
    assert_eq!(found[0].to_string(), "process type 0, control state 0: there is no control state 17");
}
