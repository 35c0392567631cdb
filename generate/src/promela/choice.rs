//! Random selections, repetitions, `for` loops and jumps.
//! Inside atomic sequences and `d_step`s every loop counts, because an endless one would never reach a stored state.

use super::expression::{condition, name, number};
use super::feature::Feature;
use super::scope::{Body, Channel, Type, World};
use super::statement::{assignment, communication, inner};
use super::tree::{Block, Choice, Phrase, Piece, Statement};
use crate::phrase;

/// An `if`.
pub(super) fn selection(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let options = options(world, body, Choice::If);
    Some(vec![Statement::Select(Choice::If, options)])
}

/// A `do`, or a counting one where it must end.
pub(super) fn repetition(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    if body.atomic || world.random.chance(25) {
        return counting(world, body);
    }
    world.note(Feature::Do);
    let outer = std::mem::replace(&mut body.looping, true);
    let options = options(world, body, Choice::Do);
    body.looping = outer;
    Some(vec![Statement::Select(Choice::Do, options)])
}

/// The options of a selection or repetition.
fn options(world: &mut World, body: &mut Body, choice: Choice) -> Vec<Vec<Statement>> {
    let odd = world.roll(Feature::OddElse, 60) && !body.deterministic;
    // Within a d_step a selection must not block, so it needs an else or an option that is always executable.
    let with_else = odd || body.deterministic || world.roll(Feature::Else, 55);
    let outer = body.beside_else;
    body.beside_else = (with_else && !odd) || body.deterministic;
    let count = world.random.weighted(&[0, 3, 6, 2]);
    let count = if with_else { count } else { count.max(1) };
    let mut options = Vec::new();
    let mut nested_else = false;
    for _ in 0..count {
        let mut head = head(world, body, choice, with_else);
        nested_else |= keep_else(&mut head, nested_else);
        let beside = std::mem::replace(&mut body.beside_else, false);
        options.push(tail(world, body, choice, head));
        body.beside_else = beside;
    }
    body.beside_else = outer;
    let leaves = choice == Choice::Do && world.random.chance(70);
    if with_else {
        world.note(Feature::Else);
        if odd {
            world.note(Feature::OddElse);
        }
        options.push(if leaves { vec![Statement::Else, Statement::Break] } else { else_option(world, body, choice) });
        if world.random.chance(15) {
            options.rotate_right(1);
        }
    } else if choice == Choice::If && world.random.chance(40) {
        // Often something is possible, or most programs would get stuck at once.
        options.extend(assignment(world, body).map(|mut option| {
            option.truncate(1);
            option
        }));
    } else if leaves {
        let first = if body.single || world.random.chance(50) {
            Some(Statement::Basic(condition(world, body, 1)))
        } else {
            None
        };
        let leave = first.into_iter().chain([Statement::Break]).collect();
        let position = world.random.below(options.len() + 1);
        options.insert(position, leave);
    }
    options
}

/// Whether a selection at the head of an option has an `else`; removed if there is one already, as pan allows one only.
fn keep_else(head: &mut [Statement], already: bool) -> bool {
    let Some(Statement::Select(_, options)) = head.first_mut() else { return false };
    let is_else = |option: &Vec<Statement>| matches!(option.first(), Some(Statement::Else));
    let found = options.iter().any(is_else);
    if already {
        options.retain(|option| !is_else(option));
    }
    found
}

/// `else`, followed by something that changes the state if it is in a loop.
fn else_option(world: &mut World, body: &mut Body, choice: Choice) -> Vec<Statement> {
    let mut option = vec![Statement::Else];
    if choice == Choice::Do || world.random.chance(50) {
        option.extend(assignment(world, body).unwrap_or_else(|| vec![Statement::Basic(phrase!["true"])]));
    }
    option
}

/// The first statement of an option.
fn head(world: &mut World, body: &mut Body, choice: Choice, with_else: bool) -> Vec<Statement> {
    let test = |world: &mut World, body: &Body| vec![Statement::Basic(condition(world, body, 2))];
    if body.beside_else {
        // Nested selections share the control state, hence the else: only plain guards inside them.
        if body.depth < 3 && !body.deterministic && world.roll(Feature::Nested, 20) {
            let count = world.random.between(1, 2);
            return vec![nested(world, body, count, false)];
        }
        return test(world, body);
    }
    if with_else {
        // Only the odd else comes here.
        return communication(world, body).unwrap_or_else(|| test(world, body));
    }
    if body.depth < 3 && world.roll(Feature::Nested, 20) {
        let count = world.random.between(1, 2);
        return vec![nested(world, body, count, true)];
    }
    if world.roll(Feature::Timeout, 12) {
        let both = world.random.chance(30);
        let condition = condition(world, &Body { beside_else: true, ..body.clone() }, 1);
        let operator = *world.random.pick(&[" && ", " || "]);
        return vec![Statement::Basic(if both {
            phrase!["(timeout", operator, condition, ")"]
        } else {
            phrase!["timeout"]
        })];
    }
    if !body.channels.is_empty()
        && world.random.chance(45)
        && let Some(operation) = communication(world, body)
        && matches!(operation[..], [Statement::Basic(_)])
    {
        return operation;
    }
    if !body.atomic && world.roll(Feature::Atomic, 15) {
        let mut first = test(world, body);
        first.extend(assignment(world, body).into_iter().flatten());
        return vec![Statement::Group(Block::Atomic, first)];
    }
    if !body.single && world.roll(Feature::DStep, 12) {
        let mut local = Body { remote: false, ..body.clone() };
        let mut first = test(world, &local);
        first.extend(assignment(world, &mut local).into_iter().flatten());
        return vec![Statement::Group(Block::DStep, first)];
    }
    if choice == Choice::If && !body.single && world.random.chance(8) {
        return vec![Statement::Basic(phrase!["skip"])];
    }
    if world.random.chance(35) {
        return assignment(world, body).unwrap_or_else(|| test(world, body));
    }
    test(world, body)
}

/// A selection as the first statement of an option; `else` in it only when nothing around it forbids one.
fn nested(world: &mut World, body: &mut Body, count: usize, free: bool) -> Statement {
    let plain = Body { beside_else: true, ..body.clone() };
    let mut options: Vec<Vec<Statement>> = Vec::new();
    for _ in 0..count {
        let mut option = vec![Statement::Basic(condition(world, &plain, 1))];
        option.extend(assignment(world, body).into_iter().flatten().take(1));
        options.push(option);
    }
    // SPIN marks an else dubious by the options next to it only, but pan evaluates it over the whole state.
    if free && body.channels.is_empty() && world.roll(Feature::Else, 40) {
        options.push(vec![Statement::Else]);
    }
    Statement::Select(Choice::If, options)
}

/// The rest of an option: statements, and perhaps a `break` or a jump.
fn tail(world: &mut World, body: &mut Body, choice: Choice, head: Vec<Statement>) -> Vec<Statement> {
    let mut option = head;
    let length = world.random.weighted(&[3, 5, 2]);
    if length > 0 && body.budget > 0 {
        option.extend(inner(world, body, length));
    } else if choice == Choice::Do && option.len() == 1 {
        // A single constant expression would be an unconditional self-loop, which pan refuses.
        option.extend(assignment(world, body).into_iter().flatten());
    }
    if choice == Choice::Do && world.random.chance(15) {
        option.push(Statement::Break);
    } else if let Some(label) = jump(world, body) {
        option.push(Statement::Goto(label));
    }
    option
}

/// The label of a forward jump, if one is to be made here.
fn jump(world: &mut World, body: &mut Body) -> Option<String> {
    let label = body.forward.clone()?;
    if body.deterministic || !world.roll(Feature::Goto, 30) {
        return None;
    }
    body.jumped = true;
    Some(label)
}

/// A loop that counts a variable of its own.
fn counting(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let counter = body.counters.pop()?;
    world.note(Feature::Do);
    let outer = std::mem::replace(&mut body.looping, true);
    let bound = world.random.between(1, 2);
    let mut option = vec![Statement::Basic(phrase![format!("({counter} < {bound})")])];
    let length = world.random.between(1, 2);
    option.extend(inner(world, body, length));
    option.push(Statement::Basic(phrase![format!("{counter}++")]));
    body.looping = outer;
    let leave = if body.deterministic || world.roll(Feature::Else, 50) {
        world.note(Feature::Else);
        Statement::Else
    } else {
        Statement::Basic(phrase![format!("({counter} >= {bound})")])
    };
    let options = vec![option, vec![leave, Statement::Break]];
    let reset = Statement::Basic(phrase![format!("{counter} = 0")]);
    body.counters.push(counter);
    Some(vec![reset, Statement::Select(Choice::Do, options)])
}

/// `for` over a range or an array.
pub(super) fn for_loop(world: &mut World, body: &mut Body) -> Option<Vec<Statement>> {
    let counter = body.counters.pop()?;
    world.note(Feature::For);
    let header = if !world.arrays.is_empty() && world.random.chance(40) {
        let arrays = world.arrays.clone();
        phrase![format!("{counter} in {}", world.random.pick(&arrays))]
    } else {
        let (low, high) = range(world, body);
        phrase![format!("{counter} : "), low, " .. ", high]
    };
    let outer = std::mem::replace(&mut body.looping, true);
    let length = world.random.between(1, 2);
    let statements = inner(world, body, length);
    body.looping = outer;
    body.counters.push(counter);
    Some(vec![Statement::For(header, statements)])
}

/// The bounds of a `for`; the upper one now and then a small expression.
fn range(world: &mut World, body: &Body) -> (Phrase, Phrase) {
    let low = world.random.below(2);
    let high = if world.random.chance(25) {
        let inner = number(world, body, 1);
        phrase!["(", inner, " & 1)"]
    } else {
        phrase![(low + world.random.between(0, 2)).to_string()]
    };
    (phrase![low.to_string()], high)
}

/// `for (m in c)`, which rotates a channel of whole structures; it blocks unless only this process uses the channel.
pub(super) fn for_channel(world: &mut World, body: &mut Body, channel: &Channel) -> Option<Vec<Statement>> {
    let [Type::Struct(number)] = world.groups[channel.group].fields[..] else { return None };
    if body.atomic || !channel.global || !channel.sends || !channel.receives || channel.place.parts.len() > 1 {
        return None;
    }
    world.note(Feature::ForChannel);
    // The loop compares its counter with the channel's length, see `operand`.
    world.miscompiled |= world.has(Feature::Exclusive);
    let variable = world.structs[number].variable.clone();
    let place = name(world, body, &channel.place);
    let outer = std::mem::replace(&mut body.looping, true);
    let statements = inner(world, body, 1);
    body.looping = outer;
    Some(vec![Statement::For(phrase![variable, " in ", Piece::Place(place)], statements)])
}
