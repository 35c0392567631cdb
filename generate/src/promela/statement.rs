//! Random statements and sequences; choices and loops are in [`super::choice`].
//! Statements that may block are kept out of `d_step`s, where SPIN stops with an error.

use super::choice;
use super::expression::{condition, constant, find, fixed_name, is_number, name, number, patterns, value};
use super::feature::Feature;
use super::scope::{Body, Channel, Part, Place, Type, World};
use super::tree::{Block, Phrase, Piece, Statement, list};
use crate::phrase;

/// `length` statements, fewer when the budget runs out, but at least one.
pub(super) fn sequence(world: &mut World, body: &mut Body, length: usize) -> Vec<Statement> {
    let mut statements = Vec::new();
    for _ in 0..length {
        if body.budget == 0 && !statements.is_empty() {
            break;
        }
        let next = statement(world, body);
        // SPIN takes the end of a loop, a break, before a d_step for a jump into it.
        let plain = matches!(statements.last(), Some(Statement::Basic(_)));
        if !plain && next.first().is_some_and(opens_with_step) {
            statements.push(Statement::Basic(phrase!["true"]));
        }
        statements.extend(next);
    }
    statements
}

/// Whether a `d_step` is the first thing in a statement.
fn opens_with_step(statement: &Statement) -> bool {
    match statement {
        Statement::Group(Block::DStep, _) => true,
        Statement::Group(_, statements) | Statement::Unless(statements, _) => {
            statements.first().is_some_and(opens_with_step)
        }
        Statement::Select(_, options) => options.iter().any(|option| option.first().is_some_and(opens_with_step)),
        _ => false,
    }
}

/// A sequence in an inner scope: what it declares is gone afterwards.
pub(super) fn inner(world: &mut World, body: &mut Body, length: usize) -> Vec<Statement> {
    let visible = (body.locals.len(), body.channels.len());
    body.depth += 1;
    let statements = sequence(world, body, length);
    body.depth -= 1;
    body.locals.truncate(visible.0);
    body.channels.truncate(visible.1);
    statements
}

/// The ways to make a statement, each with the weight of its being chosen.
type Maker = fn(&mut World, &mut Body) -> Option<Vec<Statement>>;

/// A random statement; more than one when it needs a preparation.
pub(super) fn statement(world: &mut World, body: &mut Body) -> Vec<Statement> {
    body.budget = body.budget.saturating_sub(1);
    let nests = body.depth < 3 && body.budget > 0;
    let free = !body.deterministic;
    let has = |feature: Feature, weight: usize| if world.has(feature) { weight } else { 0 };
    let when = |allowed: bool, weight: usize| if allowed { weight } else { 0 };
    let makers: [(usize, Maker); 19] = [
        (10, assignment),
        (when(free, 2), guard),
        (when(!body.channels.is_empty(), 10), communication),
        (when(nests, 7), choice::selection),
        (when(nests, has(Feature::Do, 8)), choice::repetition),
        (when(nests, has(Feature::For, 7)), choice::for_loop),
        (when(nests && free, has(Feature::Atomic, 8)), atomic),
        (when(nests && free, has(Feature::DStep, 8)), deterministic_step),
        (when(nests && free, has(Feature::Unless, 8)), unless),
        (has(Feature::Select, 6), select),
        (has(Feature::Inline, 6), call),
        (when(free && body.declares, has(Feature::MidDeclaration, 6)), mid_declaration),
        (when(nests && free && body.declares, has(Feature::BlockScope, 6)), block_scope),
        (has(Feature::Assert, 5), assertion),
        (has(Feature::Printf, 3), print),
        (when(nests && free, has(Feature::ForChannel, 6)), messages),
        (has(Feature::ReturnInline, 6), returning_call),
        (has(Feature::PreprocessorIf, 3), preprocessor_choice),
        (when(free, has(Feature::PriorityCall, 6)), change_priority),
    ];
    let weights: Vec<usize> = makers.iter().map(|(weight, _)| *weight).collect();
    for _ in 0..4 {
        let (_, maker) = makers[world.random.weighted(&weights)];
        if let Some(statements) = maker(world, body) {
            return statements;
        }
    }
    assignment(world, body).unwrap_or_else(|| vec![Statement::Basic(phrase!["skip"])])
}

fn basic(phrase: Phrase) -> Option<Vec<Statement>> {
    Some(vec![Statement::Basic(phrase)])
}

/// An assignment, increment or decrement.
pub(super) fn assignment(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let place = find(world, body, |place| place.writable && !matches!(place.ty, Type::Struct(_)))?;
    let place = match world.scratch.clone() {
        Some(scratch) if world.roll(Feature::Hidden, 15) => scratch,
        _ => place,
    };
    let target = name(world, body, &place);
    let wraps = matches!(place.ty, Type::Bit | Type::Bool | Type::Unsigned(_));
    if is_number(place.ty) && (wraps || !body.looping) && world.random.chance(25) {
        let step = *world.random.pick(&["++", "--"]);
        return basic(phrase![Piece::Place(target), step]);
    }
    let source = value(world, body, place.ty);
    basic(phrase![Piece::Place(target), " = ", source])
}

/// An expression statement.
fn guard(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    if world.roll(Feature::Timeout, 25) {
        return basic(phrase!["timeout"]);
    }
    if world.random.chance(10) {
        return basic(phrase![*world.random.pick(&["skip", "true", "1"])]);
    }
    basic(condition(world, body, 2))
}

/// A send or receive on a channel of the body.
pub(super) fn communication(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let sending = world.random.chance(body.send_percent);
    let usable = |channel: &&Channel| {
        let allowed = if sending { channel.sends } else { channel.receives };
        allowed && !(body.deterministic && channel.capacity == 0)
    };
    let channels: Vec<Channel> = body.channels.iter().filter(usable).cloned().collect();
    if channels.is_empty() {
        return None;
    }
    let channel = world.random.pick(&channels).clone();
    let place = if sending { name(world, body, &channel.place) } else { fixed_name(world, &channel.place) };
    let operation = if sending { send(world, body, &channel, &place) } else { receive(world, body, &channel, &place) };
    if !body.deterministic {
        return Some(vec![Statement::Basic(operation)]);
    }
    // Nothing may block here, so the operation is made conditional; len() may stand beside an else.
    if channel.exclusive {
        return None;
    }
    world.note(Feature::Else);
    let length = phrase!["len(", Piece::Place(place), ")"];
    let test = if sending { format!(" < {}", channel.capacity) } else { " > 0".to_string() };
    let option = vec![Statement::Basic(phrase!["(", length, test, ")"]), Statement::Basic(operation)];
    Some(vec![Statement::Select(super::tree::Choice::If, vec![option, vec![Statement::Else]])])
}

fn note_channel(world: &mut World, channel: &Channel) {
    let buffered = !world.groups[channel.group].rendezvous;
    world.note(if buffered { Feature::Buffered } else { Feature::Rendezvous });
    if world.groups[channel.group].fields.len() > 1 {
        world.note(Feature::MultiField);
    }
    if channel.place.parts.len() > 1 {
        world.note(Feature::ChannelArray);
    }
    if channel.exclusive {
        world.note(Feature::Exclusive);
    }
}

fn send(world: &mut World, body: &Body, channel: &Channel, place: &Phrase) -> Phrase {
    note_channel(world, channel);
    let buffered = !world.groups[channel.group].rendezvous;
    let fields = world.groups[channel.group].fields.clone();
    let values = fields.iter().map(|&ty| match ty {
        Type::Bit | Type::Bool if !world.wide_bits => phrase!["(", value(world, body, ty), " & 1)"],
        _ => phrase![value(world, body, ty)],
    });
    let values: Vec<Phrase> = values.collect();
    // With reduction, pan reports sorted sends, random and copying receives on exclusive channels as errors.
    let sorted = buffered && !channel.exclusive && world.roll(Feature::SortedSend, 40);
    let operator = if sorted { "!!" } else { "!" };
    // c!a(b) is another way of writing c!a,b.
    if values.len() > 1 && world.random.chance(20) {
        let mut values = values.into_iter();
        let first = values.next().unwrap_or_default();
        return phrase![Piece::Place(place.clone()), operator, Piece::Place(first), "(", list(values.collect()), ")"];
    }
    phrase![Piece::Place(place.clone()), operator, list(values)]
}

fn receive(world: &mut World, body: &Body, channel: &Channel, place: &Phrase) -> Phrase {
    note_channel(world, channel);
    let buffered = !world.groups[channel.group].rendezvous;
    let fields = world.groups[channel.group].fields.clone();
    let whole = fields.iter().any(|field| matches!(field, Type::Struct(_)));
    let random = buffered && !whole && !channel.exclusive && world.roll(Feature::RandomReceive, 40);
    let copying = buffered && !whole && !channel.exclusive && world.roll(Feature::CopyReceive, 30);
    let patterns = patterns(world, body, &fields, false);
    let operator = if random { "??" } else { "?" };
    let place = Piece::Place(place.clone());
    // c?a(b) is another way of writing c?a,b.
    if patterns.len() > 1 && !copying && world.random.chance(20) {
        let mut patterns = patterns.into_iter();
        let first = patterns.next().unwrap_or_default();
        return phrase![place, operator, Piece::Place(first), "(", list(patterns.collect()), ")"];
    }
    let arguments = list(patterns);
    if copying {
        return phrase![place, operator, "<", arguments, ">"];
    }
    phrase![place, operator, arguments]
}

fn atomic(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::Atomic);
    let outer = std::mem::replace(&mut body.atomic, true);
    let length = world.random.between(1, 3);
    let mut statements = inner(world, body, length);
    if world.random.chance(60) {
        // A first statement that may block, and usually a second one, so that there is something to be atomic.
        let first = if world.random.chance(50) { guard(world, body) } else { None };
        statements.splice(0..0, first.into_iter().flatten());
    }
    body.atomic = outer;
    Some(vec![Statement::Group(Block::Atomic, statements)])
}

fn deterministic_step(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::DStep);
    let first = if world.random.chance(50) {
        // SPIN refuses remote references in a d_step.
        vec![Statement::Basic(condition(world, &Body { remote: false, ..body.clone() }, 1))]
    } else {
        assignment(world, body)?
    };
    let outer = (body.deterministic, body.atomic, body.remote);
    (body.deterministic, body.atomic, body.remote) = (true, true, false);
    let length = world.random.between(1, 3);
    let mut rest = inner(world, body, length);
    // SPIN sometimes takes the break of a final loop for a jump out of the d_step.
    if !matches!(rest.last(), Some(Statement::Basic(_))) {
        rest.extend(assignment(world, body).unwrap_or_else(|| vec![Statement::Basic(phrase!["skip"])]));
    }
    (body.deterministic, body.atomic, body.remote) = outer;
    Some(vec![Statement::Group(Block::DStep, first.into_iter().chain(rest).collect())])
}

fn unless(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::Unless);
    let length = world.random.between(1, 3);
    let mut main = inner(world, body, length);
    // A declaration as the first statement would be hoisted out of reach of the escape.
    while matches!(main.first(), Some(Statement::Declare(_))) {
        main.insert(0, Statement::Basic(phrase!["skip"]));
    }
    let head = match world.random.below(4) {
        0 => communication(world, body).or_else(|| guard(world, body)),
        _ => guard(world, body),
    };
    let mut escape: Vec<Statement> = head.into_iter().flatten().collect();
    let length = world.random.between(0, 1);
    if length > 0 {
        escape.extend(inner(world, body, length));
    }
    Some(vec![Statement::Unless(main, escape)])
}

fn select(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    if body.deterministic || body.inline || body.single {
        return None;
    }
    let number = |place: &Place| place.writable && matches!(place.ty, Type::Byte | Type::Short | Type::Int);
    let simple = |place: &Place| matches!(&place.parts[..], [Part::Text(text)] if !text.contains('.'));
    let place = find(world, body, |place| number(place) && simple(place))?;
    world.note(Feature::Select);
    let target = name(world, body, &place);
    let low = world.random.below(2);
    let high = low + world.random.between(1, 2);
    let header = phrase!["select (", Piece::Place(target), " : ", phrase![low.to_string()], " .. "];
    Some(vec![Statement::Macro(phrase![Piece::Place(header), phrase![high.to_string()], ")"])])
}

fn call(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let callable: Vec<String> = world
        .inlines
        .iter()
        .filter(|inline| inline.plain || !(body.deterministic || body.beside_else))
        .map(|inline| inline.name.clone())
        .collect();
    if callable.is_empty() {
        return None;
    }
    let place = find(world, body, |place| place.writable && matches!(place.ty, Type::Byte | Type::Short | Type::Int))?;
    world.note(Feature::Inline);
    let inline = world.random.pick(&callable).clone();
    let target = name(world, body, &place);
    // SPIN loses count of the parentheses around a conditional expression in an argument, and writes `- -2` as `--2`.
    let unfit = [Feature::Conditional, Feature::Truncation].map(|feature| world.features.take(&feature));
    let argument = match world.random.below(3) {
        0 => constant(world, Type::Byte),
        _ => number(world, body, 1),
    };
    world.features.extend(unfit.into_iter().flatten());
    Some(vec![Statement::Macro(phrase![inline, "(", Piece::Place(target), ", ", argument, ")"])])
}

/// `for` over the messages of one of the channels that carry structures.
fn messages(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let structured = |channel: &&Channel| matches!(world.groups[channel.group].fields[..], [Type::Struct(_)]);
    let channel = body.channels.iter().find(structured).cloned()?;
    choice::for_channel(world, body, &channel)
}

/// `place = inline(argument)`.
fn returning_call(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    if world.returning.is_empty() || body.inline {
        return None;
    }
    let place = find(world, body, |place| place.writable && matches!(place.ty, Type::Byte | Type::Short | Type::Int))?;
    world.note(Feature::ReturnInline);
    let returning = world.returning.clone();
    let inline = world.random.pick(&returning).clone();
    let target = name(world, body, &place);
    let unfit = [Feature::Conditional, Feature::Truncation].map(|feature| world.features.take(&feature));
    let argument = number(world, body, 1);
    world.features.extend(unfit.into_iter().flatten());
    Some(vec![Statement::Macro(phrase![Piece::Place(target), format!(" = {inline}("), argument, ")"])])
}

/// One of two assignments, chosen by the preprocessor.
fn preprocessor_choice(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    if body.inline {
        return None;
    }
    let mut one = || match assignment(world, body)?.pop() {
        Some(Statement::Basic(phrase)) => Some(Piece::Place(phrase)),
        _ => None,
    };
    let (first, second) = (one()?, one()?);
    world.note(Feature::PreprocessorIf);
    let test = super::declare::preprocessor_condition(world);
    Some(vec![Statement::Macro(phrase![format!("\n{test}\n"), first, "\n#else\n", second, "\n#endif\n"])])
}

/// A change of the priority of this or of the oldest process.
fn change_priority(world: &mut World, _: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::PriorityCall);
    let to = world.random.between(1, 3);
    basic(match world.random.below(4) {
        0 => phrase![format!("_priority = {to}")],
        1 => phrase![format!("set_priority(0, {to})")],
        _ => phrase![format!("set_priority(_pid, {to})")],
    })
}

/// A declaration in the middle of a body, with or without an initialiser.
fn mid_declaration(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::MidDeclaration);
    let (declaration, place) = super::declare::local(world, body);
    body.locals.push(place);
    Some(vec![declaration])
}

fn block_scope(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::BlockScope);
    let visible = body.locals.len();
    let (declaration, place) = super::declare::local(world, body);
    body.locals.push(place);
    let length = world.random.between(1, 2);
    let mut statements = inner(world, body, length);
    body.locals.truncate(visible);
    statements.insert(0, declaration);
    Some(vec![Statement::Group(Block::Plain, statements)])
}

fn assertion(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::Assert);
    let mut body = body.clone();
    body.beside_else = true;
    basic(phrase!["assert(", condition(world, &body, 2), ")"])
}

fn print(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    world.note(Feature::Printf);
    if let Some(place) = find(world, body, |place| matches!(place.ty, Type::Mtype(_)))
        && world.random.chance(30)
    {
        let argument = name(world, body, &place);
        return basic(phrase!["printm(", Piece::Place(argument), ")"]);
    }
    basic(phrase!["printf(\"value %d\\n\", ", number(world, body, 1), ")"])
}
