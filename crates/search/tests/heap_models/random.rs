//! Random models with a heap: threads and functions over global variables, records, arrays, channels, locks and
//! exceptions.

use quotient_generate::random::Random;
use quotient_ir::heap::Order;
use quotient_ir::{
    Action, Builder, Callee, Expr, Handler, HeapAction, HeapExpr, Model, MonitorOp, Part, Pattern, Probe,
    ProcessBuilder, Question, RecordId, Scalar, Variable,
};

use super::values::{Kind, Values};
use super::{BYTE, equal, field, local, not, null};

/// What all parts of a model know.
#[derive(Clone, Copy)]
pub(super) struct World {
    pub(super) reference: Scalar,
    /// Two types of records, the second extends the first; and arrays of references.
    pub(super) node: RecordId,
    leaf: RecordId,
    array: RecordId,
    globals: [Variable; 2],
    number: Variable,
    /// Whether there are references to threads, and records are deleted.
    tids: bool,
    deletes: bool,
    locks: bool,
    /// A channel whose messages have a reference and a number; and the type of such channels, if they are records.
    channel: Option<Variable>,
    channels: Option<RecordId>,
    /// The values that it has, if it has any.
    values: Option<Values>,
    /// Whether there are assertions, each about one variable or field.
    asserts: bool,
}

/// A model that is determined by a seed.
pub(crate) fn model(seed: u64) -> Model {
    made(seed, None, None, false)
}

/// A model whose channels are records.
pub(crate) fn model_with_channels(seed: u64) -> Model {
    made(seed, None, None, true)
}

/// The same with room for many records.
pub(crate) fn roomy_with_channels(seed: u64) -> Model {
    made(seed, Some(2_000), None, true)
}

/// The same with so many records at most: for reductions, which are given up where states that they leave out may have too many.
pub(crate) fn roomy(seed: u64) -> Model {
    made(seed, Some(2_000), None, false)
}

/// A model with values of an extension.
pub(crate) fn model_with_values(seed: u64) -> Model {
    made(seed, None, Some(Kind::ALL[seed as usize % Kind::ALL.len()]), false)
}

fn made(seed: u64, most_records: Option<usize>, kind: Option<Kind>, records: bool) -> Model {
    let random = &mut Random::new(seed);
    let mut builder = Builder::new();
    builder.heap().order = if random.chance(50) { Order::OldestFirst } else { Order::YoungestFirst };
    builder.heap().most_records = random.between(3, 6);
    builder.heap().most_calls = random.between(1, 2);
    builder.heap().leaks = random.one_in(6);
    let wide = random.one_in(4);
    if wide {
        // References of two bytes; the limit is then one that nobody meets.
        builder.heap().most_records = 300;
    }
    if let Some(most) = most_records {
        builder.heap().most_records = most;
    }
    let reference = builder.reference();
    let node = builder.record("Node", &[("next", reference), ("key", BYTE)]);
    let leaf = builder.record("Leaf", &[("next", reference), ("key", BYTE), ("more", reference)]);
    builder.heap().records[leaf].supers = vec![node];
    let array = builder.array("Node[]", reference);
    let tids = random.one_in(3);
    if tids {
        builder.thread_record();
    }
    let globals = [builder.global("g", reference), builder.global("h", reference)];
    let number = builder.global("n", BYTE);
    if random.chance(50) {
        builder.initially(globals[0], HeapExpr::make(node));
    }
    let values = kind.map(|kind| Values::new(&mut builder, kind, random, reference));
    let (deletes, locks) = (random.chance(40), random.chance(60));
    // Messages leave little to reduce: where reductions are looked at, there are fewer of them.
    let channels = records.then(|| builder.channel_record("c", random.below(3), &[reference, BYTE]));
    let made = channels.map(|record| {
        let global = builder.global("c", reference);
        builder.initially(global, HeapExpr::make(record));
        global
    });
    let channel = random.chance(if most_records.is_some() { 15 } else { 40 } * usize::from(!records)).then(|| {
        let capacity = random.below(3);
        builder.channel("c", capacity, &[reference, BYTE])
    });
    let asserts = most_records.is_some();
    let channel = made.or(channel);
    let world = World {
        reference,
        node,
        leaf,
        array,
        globals,
        number,
        tids,
        deletes,
        locks,
        channel,
        channels,
        values,
        asserts,
    };
    let function = body(&mut builder, random, world, None, None);
    let thread = body(&mut builder, random, world, Some(function), None);
    let starter = random.chance(50).then(|| body(&mut builder, random, world, Some(function), Some(thread)));
    for _ in 0..random.between(1, if starter.is_some() { 2 } else { 3 }) {
        builder.start(thread);
    }
    starter.into_iter().for_each(|starter| builder.start(starter));
    let mut model = builder.build().unwrap_or_else(|found| panic!("seed {seed}: {found:?}"));
    model.make_calls_atomic();
    assert_eq!(model.validate(), Ok(()), "seed {seed}");
    model
}

/// A function, or a thread that calls one, and may start others.
fn body(
    builder: &mut Builder,
    random: &mut Random,
    world: World,
    calls: Option<usize>,
    starts: Option<usize>,
) -> usize {
    let World { reference, .. } = world;
    let is_function = calls.is_none();
    let mut body = if is_function { builder.function("f") } else { builder.thread("t") };
    if is_function {
        body.parameter("p", reference);
    } else {
        body.local("p", reference);
    }
    let q = body.local("q", reference);
    let number = body.local("k", BYTE);
    body.waits();
    let states: Vec<usize> =
        [body.start()].into_iter().chain((0..random.between(2, 4)).map(|_| body.state())).collect();
    for (at, &from) in states.iter().enumerate() {
        let to = states[(at + 1) % states.len()];
        let is_last = at + 1 == states.len();
        if random.one_in(4) {
            let (slot, target) = (random.chance(70).then_some(0), *random.pick(&states));
            body.handles(from, Handler { record: *random.pick(&[world.node, world.leaf]), slot, target });
        }
        match (is_last, is_function) {
            (true, true) => {
                let value = random.chance(70).then(|| reference_expr(random, world));
                body.step(from, "return", HeapAction::Return(value).into(), to);
                continue;
            }
            (true, false) if random.chance(60) => {
                body.step(from, "exit", HeapAction::Exit.into(), to);
                continue;
            }
            _ => {}
        }
        if let (Some(function), true) = (calls, random.one_in(5)) {
            let args = vec![if random.chance(30) { HeapExpr::make(world.leaf) } else { reference_expr(random, world) }];
            let callee = match random.chance(50) {
                true => Callee::Function(function),
                false => Callee::Virtual(vec![(world.node, function), (world.leaf, function)]),
            };
            let result = random.chance(60).then_some(1);
            let atomic = random.one_in(3);
            body.step(from, "call", HeapAction::Call { callee, args, result, atomic }.into(), to);
            continue;
        }
        for _ in 0..random.between(1, 2) {
            choice(&mut body, random, world, (from, to), starts, (q, number));
        }
    }
    body.finish()
}

/// One thing that can be done at a control state.
fn choice(
    body: &mut ProcessBuilder<'_>,
    random: &mut Random,
    world: World,
    (from, to): (usize, usize),
    starts: Option<usize>,
    (q, number): (Variable, Variable),
) {
    if let Some(values) = world.values
        && random.chance(60)
    {
        return values.step(body, random, world, (from, to), (q, number));
    }
    if world.asserts && random.one_in(4) {
        let key = field(base_expr(random, world), world.node, 1, BYTE);
        let what = if random.chance(50) { key.read() } else { world.number.read() };
        let set = not(equal(local(0, world.reference), null()));
        let assert = Action::Assert(equal(what, Expr::Const(random.below(2) as i32)));
        return body.together(from, "assert", [Action::Condition(set), assert], to);
    }
    let weight = |is_there: bool, weight| if is_there { weight } else { 0 };
    let (locks, starting, sending) = (world.locks, starts.is_some(), world.channel.is_some());
    match random.weighted(&[4, 3, weight(locks, 4), weight(starting, 2), 1, 1, weight(sending, 4)]) {
        0 => body.step(from, "store", store(random, world, q, number), to),
        1 => {
            let guard = condition(random, world);
            let steps: Vec<Action> = (0..random.between(1, 2)).map(|_| store(random, world, q, number)).collect();
            body.together(from, "guarded", [guard].into_iter().chain(steps), to);
        }
        2 => {
            let object = reference_expr(random, world);
            match random.below(6) {
                0 | 1 => body.step(from, "lock", HeapAction::Monitor(MonitorOp::Lock, object).into(), to),
                2 => body.step(from, "unlock", HeapAction::Monitor(MonitorOp::Unlock, object).into(), to),
                3 => {
                    for number in 0..3 {
                        let notify = MonitorOp::Notify(number);
                        body.step(from, "notify", HeapAction::Monitor(notify, object.clone()).into(), to);
                    }
                    let crowd = HeapAction::Monitor(MonitorOp::Crowd(3), object).into();
                    body.together(from, "crowd", [crowd, Action::Assert(Expr::Const(0))], to);
                }
                4 => body.step(from, "notifyAll", HeapAction::Monitor(MonitorOp::NotifyAll, object).into(), to),
                _ => {
                    let waiting = body.state();
                    body.step(from, "wait", HeapAction::Monitor(MonitorOp::Wait, object.clone()).into(), waiting);
                    body.step(waiting, "unwait", HeapAction::Monitor(MonitorOp::Unwait, object).into(), to);
                }
            }
        }
        3 => {
            let start: Expr = HeapExpr::Start { proctype: starts.unwrap_or(0), args: Vec::new() }.into();
            let action = if random.chance(50) { q.set(start) } else { HeapAction::Evaluate(start).into() };
            body.step(from, "start", action, to);
        }
        4 => {
            let thrown = if random.chance(50) { HeapExpr::make(world.leaf) } else { reference_expr(random, world) };
            body.together(from, "throw", [condition(random, world), HeapAction::Throw(thrown).into()], to);
        }
        6 => {
            let Some(channel) = world.channel else { return };
            body.step(from, "message", message(random, world, channel, (q, number)), to);
        }
        _ => {
            let assumed = HeapAction::Assume(equal(world.number.read(), Expr::Const(1))).into();
            body.together(from, "assume", [condition(random, world), assumed], to);
        }
    }
}

/// A send or a receive. Sometimes it does not fit the channel.
fn message(random: &mut Random, world: World, channel: Variable, (q, number): (Variable, Variable)) -> Action {
    let record = world.channels.map(|_| if random.one_in(5) { base_expr(random, world) } else { channel.read() });
    let channel = channel.place();
    let send = |values: Vec<Expr>| match record.clone() {
        Some(channel) => HeapAction::Send { channel, values, sorted: false }.into(),
        None => Action::Send { channel: channel.clone(), values, sorted: false },
    };
    if random.one_in(30) {
        return send(vec![number.read(), number.read()]);
    }
    if random.chance(50) {
        return send(vec![reference_expr(random, world), Expr::Const(random.below(2) as i32)]);
    }
    let reference = match random.below(4) {
        0 => Pattern::Ignore,
        1 => Pattern::Match(base_expr(random, world)),
        _ => Pattern::Bind(q.place()),
    };
    let key = match random.below(3) {
        0 => Pattern::Ignore,
        1 => Pattern::Match(Expr::Const(random.below(2) as i32)),
        _ => Pattern::Bind(number.place()),
    };
    let (random, copy) = (random.chance(30), random.one_in(5));
    let pattern = vec![reference, key];
    match record {
        Some(channel) => HeapAction::Receive { channel, pattern, random, copy }.into(),
        None => Action::Receive { channel, pattern, random, copy },
    }
}

fn condition(random: &mut Random, world: World) -> Action {
    if let Some(values) = world.values
        && random.chance(40)
    {
        return Action::Condition(values.question(random, world));
    }
    let a = reference_expr(random, world);
    Action::Condition(match random.below(7) {
        0 => equal(a, null()),
        1 => not(equal(a, null())),
        2 => equal(a, reference_expr(random, world)),
        3 => HeapExpr::InstanceOf(a, world.leaf).into(),
        4 if world.locks => {
            let question = *random.pick(&[Question::LockAvailable, Question::HasLock, Question::WasNotified]);
            HeapExpr::Ask(question, a).into()
        }
        4 if world.tids => HeapExpr::Ask(Question::HasEnded, local(1, world.reference)).into(),
        5 if world.channels.is_some() => asked(random, world, a),
        5 if world.channel.is_some() => {
            let channel = Box::new(world.channel.map_or(world.number, |channel| channel).place());
            let pattern = vec![Pattern::Match(a), Pattern::Ignore];
            Expr::Poll { channel, pattern, random: random.chance(50) }
        }
        _ => equal(world.number.read(), Expr::Const(random.below(2) as i32)),
    })
}

/// Something that is asked of a channel that is a record.
fn asked(random: &mut Random, world: World, wanted: Expr) -> Expr {
    let channel = world.channel.map_or(null(), Variable::read);
    match random.below(4) {
        0 => equal(HeapExpr::Messages(channel).into(), Expr::Const(1)),
        1 => HeapExpr::Probe(*random.pick(&[Probe::Full, Probe::NotFull]), channel).into(),
        2 => HeapExpr::Probe(*random.pick(&[Probe::Empty, Probe::NotEmpty]), base_expr(random, world)).into(),
        _ => {
            let pattern = vec![Pattern::Match(wanted), Pattern::Ignore];
            HeapExpr::Poll { channel, pattern, random: random.chance(50) }.into()
        }
    }
}

/// A part of a record that holds a reference.
fn part(random: &mut Random, world: World) -> Part {
    let object = base_expr(random, world);
    match random.below(5) {
        0 => field(object, world.leaf, 2, world.reference),
        1 => {
            let which = quotient_ir::Which::Element(Expr::Const(random.below(3) as i32));
            Part { object, record: world.array, which, scalar: world.reference, span: Default::default() }
        }
        _ => field(object, world.node, 0, world.reference),
    }
}

pub(super) fn base_expr(random: &mut Random, world: World) -> Expr {
    match random.below(4) {
        0 => world.globals[0].read(),
        1 => world.globals[1].read(),
        2 => local(0, world.reference),
        _ => local(1, world.reference),
    }
}

pub(super) fn reference_expr(random: &mut Random, world: World) -> Expr {
    match random.below(10) {
        0 => null(),
        1 => part(random, world).read(),
        2 => HeapExpr::Cast { object: base_expr(random, world), record: world.leaf, span: Default::default() }.into(),
        _ => base_expr(random, world),
    }
}

fn store(random: &mut Random, world: World, q: Variable, number: Variable) -> Action {
    let value = match random.below(5) {
        0 => HeapExpr::make(world.node),
        1 => HeapExpr::make(world.leaf),
        2 if world.channels.is_some() && random.chance(60) => HeapExpr::make(world.channels.unwrap_or(world.node)),
        2 => HeapExpr::make_array(world.array, Expr::Const(random.below(3) as i32)),
        _ => reference_expr(random, world),
    };
    match random.below(9) {
        0 if world.channels.is_some() && random.chance(30) => world.channel.unwrap_or(world.globals[0]).set(value),
        0 => world.globals[random.below(2)].set(value),
        1 | 2 => q.set(value),
        3 | 4 => part(random, world).set(value),
        5 => {
            let key = field(base_expr(random, world), world.node, 1, BYTE);
            if random.chance(50) { key.set(Expr::Const(random.below(2) as i32)) } else { number.set(key.read()) }
        }
        6 => world.number.set(Expr::Const(random.below(2) as i32)),
        7 if world.deletes => HeapAction::Delete(base_expr(random, world)).into(),
        7 => number.set(HeapExpr::Length { array: base_expr(random, world), span: Default::default() }.into()),
        _ => {
            let (value, span) = (number.read(), Default::default());
            world.number.set(HeapExpr::Ranged { value, low: 0, high: 1, span }.into())
        }
    }
}
