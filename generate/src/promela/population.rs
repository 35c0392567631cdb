//! Random processes: active ones, `init`, those started by `run`, and what is said about them in their headers.
//! The first active process is the oldest, hence outlives all others, so that only it is referred to remotely.

use super::declare::{alias, channel, channel_variable, local, remote_variable, scalar_type};
use super::expression::{condition, constant, find, value};
use super::feature::Feature;
use super::scope::{Body, Channel, Part, Place, Type, World};
use super::statement::{assignment, sequence};
use super::tree::{Block, Choice, Piece, Process, Program, Statement, list};
use crate::phrase;

/// A proctype that is started by `run`.
struct Passive {
    name: String,
    parameters: Vec<Type>,
}

/// All processes of the program, and its trace.
pub(super) fn processes(world: &mut World, program: &mut Program) {
    let runs = world.has(Feature::Run);
    let count = if runs { world.random.between(0, 2) } else { world.random.weighted(&[0, 1, 5, 7]) };
    let exclusive = world.has(Feature::Exclusive);
    let count = if exclusive { count.max(2) } else { count };
    let passive = if runs { passives(world, program) } else { Vec::new() };
    let mut copies_left: usize = if runs { 1 } else { 4 - count.min(3) };
    for index in 0..count {
        let mut copies = 1;
        let may_copy = copies_left > 0 && !exclusive && !(index == 0 && world.has(Feature::Remote));
        if may_copy && world.roll(Feature::Replicated, 50) {
            copies += 1;
            copies_left -= 1;
        }
        active(world, program, index, copies, &passive);
    }
    if runs || count == 0 || world.random.chance(10) {
        init(world, program, &passive);
    }
    trace(world, program);
}

/// The channels a process may use; an exclusive one is sent to by process 0 and received from by process 1.
fn visible(world: &World, index: usize) -> Vec<Channel> {
    let restrict = |channel: &Channel| {
        let mut channel = channel.clone();
        if channel.exclusive {
            (channel.sends, channel.receives) = (index == 0, index == 1);
        }
        channel
    };
    let useful = |channel: &Channel| channel.sends || channel.receives;
    world.channels.iter().map(restrict).filter(useful).collect()
}

/// A body's start: channels, counters, local variables, and whether it will jump back.
fn open(world: &mut World, index: usize, budget: usize) -> (Body, Vec<Statement>) {
    let mut body = Body::new(visible(world, index), budget);
    let mut statements = Vec::new();
    body.send_percent = if index.is_multiple_of(2) { 70 } else { 30 };
    body.single = world.roll(Feature::DProctype, 50);
    body.remote = index > 0;
    for channel in body.channels.iter().filter(|channel| channel.exclusive) {
        let Some(Part::Text(name)) = channel.place.parts.first() else { continue };
        let claim = if channel.sends { "xs" } else { "xr" };
        statements.push(Statement::Declare(phrase![format!("{claim} {name}")]));
        world.used.insert(Feature::Exclusive);
    }
    if world.has(Feature::Priority) {
        // Without a local variable of at least a byte, pan forgets the priority when it computes how much of a process
        // is padding, and then compares states without their bit variables and parts of their priorities.
        statements.push(Statement::Declare(phrase!["byte pad"]));
    }
    let counters = if world.has(Feature::For) || world.has(Feature::Do) { world.random.between(1, 2) } else { 0 };
    for _ in 0..counters {
        let name = world.fresh("i");
        let ty = *world.random.pick(&[Type::Byte, Type::Int, Type::Short]);
        statements.push(Statement::Declare(phrase![world.declarator(ty, &name)]));
        body.locals.push(Place { writable: false, ..Place::variable(&name, ty) });
        body.counters.push(name);
    }
    for _ in 0..world.random.below(3) {
        let (declaration, place) = local(world, &body);
        statements.push(declaration);
        body.locals.push(place);
    }
    if let (Some((first, second)), true) = (world.pair, world.random.chance(30)) {
        let name = world.fresh("s");
        statements.push(Statement::Declare(phrase![format!("Pair {name}")]));
        body.locals.push(Place::variable(&format!("{name}.x"), first));
        body.locals.push(Place::variable(&format!("{name}.y"), second));
    }
    if world.has(Feature::ChannelMessage) {
        statements.extend(channel_variable(world, &mut body));
    }
    if world.roll(Feature::LocalChannel, 50) {
        let buffered = world.groups.iter().position(|group| !group.rendezvous);
        if let Some(group) = buffered {
            let (declaration, channel) = channel(world, group, false);
            statements.push(Statement::Declare(declaration));
            body.channels.push(channel);
        }
    }
    if world.has(Feature::Goto) {
        body.forward = Some(world.fresh("L"));
        body.looping = world.random.chance(50);
    }
    (body, statements)
}

/// Ends a body: the labels that were jumped to, a jump back, `end` labels.
fn close(world: &mut World, mut body: Body, mut statements: Vec<Statement>) -> Vec<Statement> {
    let start = statements.iter().take_while(|statement| matches!(statement, Statement::Declare(_))).count();
    if body.looping {
        let target = (start..statements.len()).find(|&at| matches!(statements[at], Statement::Basic(_)));
        if let Some(target) = target {
            world.note(Feature::Goto);
            let back = world.fresh("B");
            label(&mut statements, target, &back);
            let plain = Body { beside_else: true, ..body.clone() };
            let option = vec![Statement::Basic(condition(world, &plain, 1)), Statement::Goto(back)];
            let other = if body.single || world.random.chance(60) {
                Statement::Else
            } else {
                Statement::Basic(phrase!["true"])
            };
            statements.push(Statement::Select(Choice::If, vec![option, vec![other]]));
        }
    }
    if let (Some(forward), true) = (body.forward.clone(), body.jumped) {
        let mut last = assignment(world, &mut body).unwrap_or_default();
        last.truncate(1);
        if last.is_empty() {
            last.push(Statement::Basic(phrase!["skip"]));
        }
        label(&mut last, 0, &forward);
        if world.roll(Feature::GotoAtomic, 60) {
            let mut inside = assignment(world, &mut body).unwrap_or_else(|| vec![Statement::Basic(phrase!["skip"])]);
            inside.append(&mut last);
            inside.extend(assignment(world, &mut body).into_iter().flatten());
            last = vec![Statement::Group(Block::Atomic, inside)];
        }
        statements.append(&mut last);
    }
    if world.has(Feature::EndLabel) {
        let labelled = |at: &usize| matches!(statements[*at], Statement::Basic(_) | Statement::Select(..));
        let places: Vec<usize> = (start..statements.len()).filter(labelled).collect();
        if !places.is_empty() {
            world.note(Feature::EndLabel);
            let name = world.fresh("end");
            let at = *world.random.pick(&places);
            label(&mut statements, at, &name);
        }
    }
    statements
}

fn label(statements: &mut [Statement], at: usize, label: &str) {
    let inner = std::mem::replace(&mut statements[at], Statement::Break);
    statements[at] = Statement::Labelled(label.to_string(), Box::new(inner));
}

/// `proctype`, or the deterministic kind.
fn keyword(body: &Body) -> &'static str {
    if body.single { "D_proctype" } else { "proctype" }
}

/// The clauses after a header's parameters, and the `provided` condition.
fn clauses(world: &mut World, header: &mut String) -> Option<crate::promela::tree::Phrase> {
    if world.roll(Feature::Priority, 70) {
        *header += &format!(" priority {}", world.random.between(1, 3));
    }
    let outside = Body { beside_else: true, ..Body::new(Vec::new(), 0) };
    world.roll(Feature::Provided, 40).then(|| condition(world, &outside, 1))
}

/// An active process.
fn active(world: &mut World, program: &mut Program, index: usize, copies: usize, passive: &[Passive]) {
    let name = world.fresh("P");
    let budget = if world.random.chance(12) { 14 } else { world.random.between(3, 8) };
    let (mut body, mut statements) = open(world, index, budget);
    if copies == 1
        && let Some(place) = world.tagged.pop()
    {
        world.note(Feature::LocalGlobal);
        body.locals.push(place);
    }
    let mut texts = Vec::new();
    if world.roll(Feature::ActiveParameter, 60) {
        for _ in 0..world.random.between(1, 2) {
            let ty = scalar_type(world);
            let parameter = world.fresh("p");
            texts.push(world.declarator(ty, &parameter));
            body.locals.push(Place::variable(&parameter, ty));
        }
    }
    if !passive.is_empty() && !body.looping && world.random.chance(30) && copies == 1 {
        let run = start(world, &mut body, passive);
        statements.push(run);
    }
    let length = world.random.between(3, 6);
    statements.extend(sequence(world, &mut body, length));
    if index == 0 && world.has(Feature::Remote) {
        let at = statements.iter().position(|statement| matches!(statement, Statement::Basic(_)));
        if let Some(at) = at {
            let mark = world.fresh("mark");
            label(&mut statements, at, &mark);
            world.remotes.push(format!("{name}@{mark}"));
        }
        let top = Body { locals: body.locals.clone(), ..Body::new(Vec::new(), 0) };
        if let Some(Part::Text(variable)) = remote_variable(world, &top).and_then(|place| place.parts.first().cloned())
        {
            world.remotes.push(format!("({name}:{variable} == {})", world.random.below(3)));
        }
    }
    let keyword = keyword(&body);
    let statements = close(world, body, statements);
    let mut header = format!("{keyword} {name}({})", texts.join("; "));
    let provided = clauses(world, &mut header);
    program.processes.push(Process { header, active: copies, provided, body: statements });
}

/// The proctypes started by `run`.
fn passives(world: &mut World, program: &mut Program) -> Vec<Passive> {
    let mut passives = Vec::new();
    for index in 0..world.random.between(1, 2) {
        let name = world.fresh("R");
        let budget = world.random.between(2, 6);
        let (mut body, mut statements) = open(world, index + 2, budget);
        body.send_percent = 50;
        body.remote = false;
        let mut parameters = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..world.random.below(3) {
            let ty = scalar_type(world);
            let parameter = world.fresh("p");
            texts.push(world.declarator(ty, &parameter));
            body.locals.push(Place::variable(&parameter, ty));
            parameters.push(ty);
        }
        let open_group = world.channels.iter().find(|channel| !channel.exclusive).map(|channel| channel.group);
        if let (Some(group), true) = (open_group, world.has(Feature::ChannelParameter)) {
            world.note(Feature::ChannelParameter);
            let parameter = world.fresh("p");
            texts.push(format!("chan {parameter}"));
            alias(&mut body, &parameter, group, false);
            parameters.push(Type::Chan(group));
        }
        let length = world.random.between(1, 4);
        statements.extend(sequence(world, &mut body, length));
        let keyword = keyword(&body);
        let statements = close(world, body, statements);
        let mut header = format!("{keyword} {name}({})", texts.join("; "));
        let provided = clauses(world, &mut header);
        program.processes.push(Process { header, active: 0, provided, body: statements });
        passives.push(Passive { name, parameters });
    }
    passives
}

/// A statement that starts one of the passive processes.
fn start(world: &mut World, body: &mut Body, passive: &[Passive]) -> Statement {
    world.note(Feature::Run);
    let number = world.random.below(passive.len());
    let chosen = &passive[number];
    // SPIN's reduction takes a run for local whatever its arguments read, so that they seldom read anything shared.
    let hide = world.random.chance(80);
    let probe = if hide { world.features.take(&Feature::Probe) } else { None };
    let arguments = world.hiding_globals(hide, |world| {
        let arguments = chosen.parameters.iter().map(|&ty| match ty {
            Type::Chan(_) => value(world, body, ty),
            // SPIN refuses mtype variables as arguments of run.
            Type::Mtype(_) => constant(world, ty),
            _ if world.random.chance(50) => phrase![constant(world, ty)],
            _ => phrase![value(world, body, ty)],
        });
        arguments.collect()
    });
    world.features.extend(probe);
    let arguments = phrase![list(arguments)];
    world.misjudged |= world.mentions_shared(&arguments.to_string());
    let run = phrase![format!("run {}(", chosen.name), Piece::Place(arguments), ")"];
    let run = if world.roll(Feature::PriorityCall, 50) {
        phrase![Piece::Place(run), format!(" priority {}", world.random.between(1, 3))]
    } else {
        run
    };
    if world.has(Feature::RunValue) && world.random.chance(60) {
        let number = |place: &Place| place.writable && matches!(place.ty, Type::Byte | Type::Pid | Type::Int);
        if let Some(place) = find(world, body, number) {
            world.note(Feature::RunValue);
            let target = super::expression::name(world, body, &place);
            return Statement::Basic(phrase![Piece::Place(target), " = ", Piece::Place(run)]);
        }
    }
    Statement::Basic(run)
}

/// `init`, which starts the passive processes, atomically or not, and then behaves like any other process.
fn init(world: &mut World, program: &mut Program, passive: &[Passive]) {
    let budget = world.random.between(1, 4);
    let (mut body, mut statements) = open(world, 2, budget);
    body.remote = false;
    // A process created again and again would soon exceed SPIN's limit.
    (body.looping, body.single) = (false, false);
    if !passive.is_empty() {
        let most = if program.processes.len() > 3 { 2 } else { 3 };
        let count = world.random.between(1, most);
        let runs: Vec<Statement> = (0..count).map(|_| start(world, &mut body, passive)).collect();
        if world.random.chance(50) {
            statements.push(Statement::Group(Block::Atomic, runs));
        } else {
            statements.extend(runs);
        }
    }
    let length = world.random.between(1, 3);
    statements.extend(sequence(world, &mut body, length));
    let statements = close(world, body, statements);
    program.processes.push(Process { header: "init".to_string(), active: 0, provided: None, body: statements });
}

/// A `trace` or `notrace` over one or two buffered channels.
fn trace(world: &mut World, program: &mut Program) {
    let simple = |channel: &&Channel| channel.place.parts.len() == 1 && channel.capacity > 0;
    let channels: Vec<Channel> = world.channels.iter().filter(simple).cloned().collect();
    if channels.is_empty() || !world.roll(Feature::Trace, 80) {
        return;
    }
    let first = world.random.pick(&channels).clone();
    let second = world.random.pick(&channels).clone();
    let [send, receive] = ["!", "?"].map(|operator| event(world, &first, operator));
    let [other_send, other_receive] = ["!", "?"].map(|operator| event(world, &second, operator));
    program.trace = Some(match world.random.below(7) {
        0 => format!("trace {{\n  do\n  :: {send}\n  :: {receive}\n  od\n}}"),
        1 => format!("trace {{\n  do\n  :: {send}; {receive}\n  od\n}}"),
        2 => format!("notrace {{\n  {send}; {receive}\n}}"),
        3 => format!("trace {{\n  {send}; {send}\n}}"),
        4 => format!("trace {{\n  do\n  :: {send}; {other_send}\n  :: {other_receive}\n  od\n}}"),
        5 => format!("notrace {{\n  if\n  :: {send}; {other_receive}\n  :: {other_send}; {send}\n  fi\n}}"),
        _ => {
            format!("trace {{\n  {send};\n  do\n  :: {other_send}\n  :: {receive}; break\n  od;\n  {other_receive}\n}}")
        }
    });
}

/// An event on `channel`; its fields are mostly left open.
fn event(world: &mut World, channel: &Channel, operator: &str) -> String {
    let fields = world.groups[channel.group].fields.clone();
    // pan looks at the last message for a send and at the first one for a receive, even if it was another one.
    let elsewhere = if operator == "!" { Feature::SortedSend } else { Feature::RandomReceive };
    let exact = !world.has(elsewhere);
    let mut field = |ty: Type| match ty {
        Type::Chan(_) => "_".to_string(),
        // A structure stands for its fields.
        Type::Struct(_) => "_, _".to_string(),
        _ if exact && world.random.chance(25) => constant(world, ty).to_string(),
        _ => "_".to_string(),
    };
    let fields: Vec<String> = fields.into_iter().map(&mut field).collect();
    let Some(Part::Text(name)) = channel.place.parts.first() else { return "skip".to_string() };
    format!("{name}{operator}{}", fields.join(", "))
}
