//! Random expressions: values, conditions, and the operands of channel operations.
//! Divisors and shift distances are constants, since SPIN leaves division by zero to the hardware.

use super::feature::Feature;
use super::scope::{Body, Channel, Part, Place, Type, World};
use super::tree::{Phrase, Piece};
use crate::phrase;

/// Names `place`, its indices chosen anew: constants, or small expressions masked to the bound.
pub(super) fn name(world: &mut World, body: &Body, place: &Place) -> Phrase {
    let mut pieces = Vec::new();
    for part in &place.parts {
        pieces.push(match part {
            Part::Text(text) => Piece::from(text.as_str()),
            Part::Index(bound) if *bound > 1 && world.random.chance(45) => {
                let index = index(world, body, world.is_global(place));
                let index = index.unwrap_or_else(|| phrase!["1"]);
                let mask = if *bound >= 4 { 3 } else { 1 };
                Piece::Value(phrase![index, format!(" & {mask}")])
            }
            Part::Index(bound) => Piece::Value(phrase![world.random.below(*bound).to_string()]),
        });
    }
    Phrase(pieces)
}

/// A variable as an index into a shared array, or into one of a process.
///
/// SPIN's reduction does not look at the indices of a local array, so that it seldom gets one that reads a global.
fn index(world: &mut World, body: &Body, shared: bool) -> Option<Phrase> {
    let hide = !shared && world.random.chance(85);
    let index = world.hiding_globals(hide, |world| scalar(world, body));
    if let Some(index) = &index {
        world.misjudged |= !shared && world.mentions_shared(&index.to_string());
    }
    index
}

/// Names `place` with constant indices: pan evaluates indices again to undo a receive, after their variables changed.
pub(super) fn fixed_name(world: &mut World, place: &Place) -> Phrase {
    let parts = place.parts.iter().map(|part| match part {
        Part::Text(text) => Piece::from(text.as_str()),
        Part::Index(bound) => Piece::Value(phrase![world.random.below(*bound).to_string()]),
    });
    Phrase(parts.collect())
}

/// A place the body can see that satisfies `wanted`; locals are preferred a little.
pub(super) fn find(world: &mut World, body: &Body, wanted: impl Fn(&Place) -> bool) -> Option<Place> {
    let locals: Vec<&Place> = body.locals.iter().filter(|place| wanted(place)).collect();
    let globals: Vec<&Place> = world.globals.iter().filter(|place| wanted(place)).collect();
    let (first, second) = if world.random.chance(40) { (locals, globals) } else { (globals, locals) };
    let places = if first.is_empty() { second } else { first };
    (!places.is_empty()).then(|| places[world.random.below(places.len())].clone())
}

/// Whether values of this type take part in arithmetic.
pub(super) fn is_number(ty: Type) -> bool {
    !matches!(ty, Type::Mtype(_) | Type::Chan(_) | Type::Struct(_))
}

/// A simple numeric variable (no index), for use as an index itself.
///
/// Not the parameter of an inline: it may stand for an element of the indexed array, and pan undoes `a[a[0]] = 1`
/// wrongly.
fn scalar(world: &mut World, body: &Body) -> Option<Phrase> {
    let outside = Body::new(Vec::new(), 0);
    let body = if body.inline { &outside } else { body };
    let place = find(world, body, |place| is_number(place.ty) && place.parts.len() == 1)?;
    Some(fixed_name(world, &place))
}

/// A constant of type `ty`; out of its range if truncation is to be tested.
pub(super) fn constant(world: &mut World, ty: Type) -> Phrase {
    if let Type::Mtype(family) = ty {
        let constants = world.mtypes[family].constants.clone();
        return phrase![world.random.pick(&constants).clone()];
    }
    if !matches!(ty, Type::Bool) && world.roll(Feature::Truncation, 25) {
        let values =
            ["255", "256", "257", "300", "-1", "-2", "32768", "65535", "65537", "-32769", "2147483647", "4", "7"];
        return phrase![*world.random.pick(&values)];
    }
    let narrow = matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(_));
    if !narrow && !world.constants.is_empty() && world.roll(Feature::Define, 30) {
        let constants = world.constants.clone();
        return phrase![world.random.pick(&constants).clone()];
    }
    let value = world.random.below(4);
    match ty {
        Type::Bool => phrase![if value.is_multiple_of(2) { "false" } else { "true" }],
        Type::Bit => phrase![(value % 2).to_string()],
        _ => phrase![value.to_string()],
    }
}

/// A number, from operators nested at most `depth` deep.
pub(super) fn number(world: &mut World, body: &Body, depth: usize) -> Phrase {
    if depth == 0 || world.random.chance(40) {
        return operand(world, body);
    }
    if world.roll(Feature::Conditional, 30) {
        // A probe is a condition but not an expression, so it cannot be the test.
        let test = condition(world, &Body { beside_else: true, ..body.clone() }, depth - 1);
        return phrase!["(", test, " -> ", number(world, body, depth - 1), " : ", number(world, body, depth - 1), ")"];
    }
    if !world.functions.0.is_empty() && world.roll(Feature::FunctionMacro, 30) {
        let functions = world.functions.0.clone();
        return apply(world, body, &functions);
    }
    let left = number(world, body, depth - 1);
    if world.roll(Feature::BitOperations, 50) {
        let right = number(world, body, depth - 1);
        return match world.random.below(6) {
            0 => phrase!["(", left, " & ", right, ")"],
            1 => phrase!["(", left, " | ", right, ")"],
            2 => phrase!["(", left, " ^ ", right, ")"],
            3 => phrase!["(~", left, ")"],
            4 => phrase!["(", left, format!(" << {})", world.random.below(4))],
            _ => phrase!["(", left, format!(" >> {})", world.random.below(4))],
        };
    }
    let right = number(world, body, depth - 1);
    match world.random.below(7) {
        0 | 1 => phrase!["(", left, " + ", right, ")"],
        2 => phrase!["(", left, " - ", right, ")"],
        3 => phrase!["(", left, " * ", right, ")"],
        4 => phrase!["(", left, format!(" / {})", world.random.between(2, 3))],
        5 => phrase!["(", left, format!(" % {})", world.random.between(2, 4))],
        _ => phrase!["(- ", left, ")"],
    }
}

/// A macro with an argument; without polls, whose commas the preprocessor would take for its own.
fn apply(world: &mut World, body: &Body, macros: &[String]) -> Phrase {
    let conditional = world.features.take(&Feature::Conditional);
    let argument = number(world, body, 1);
    world.features.extend(conditional);
    phrase![world.random.pick(macros).clone(), "(", argument, ")"]
}

/// A number without operators.
fn operand(world: &mut World, body: &Body) -> Phrase {
    if world.roll(Feature::Pid, 15) {
        return phrase!["_pid"];
    }
    if world.roll(Feature::NrPr, 10) {
        return phrase!["_nr_pr"];
    }
    if world.roll(Feature::PriorityCall, 15) {
        // The oldest process is always there.
        return phrase![*world.random.pick(&["_priority", "get_priority(_pid)", "get_priority(0)"])];
    }
    if world.has(Feature::Probe)
        && world.random.chance(15)
        && let Some(channel) = open_channel(world, body)
    {
        world.note(Feature::Probe);
        // With xr or xs, and with reduction, pan prints `1 - len(c)` as `1 - A && B && q_len(c)`.
        world.miscompiled |= world.has(Feature::Exclusive);
        return phrase!["len(", Piece::Place(name(world, body, &channel.place)), ")"];
    }
    let wanted = if world.random.chance(8) { |_: &Place| true } else { |place: &Place| is_number(place.ty) };
    let readable = |place: &Place| wanted(place) && !matches!(place.ty, Type::Chan(_) | Type::Struct(_));
    match find(world, body, readable) {
        Some(place) if world.random.chance(70) => name(world, body, &place),
        _ => constant(world, Type::Byte),
    }
}

/// A buffered channel that anyone may poll and probe.
fn open_channel(world: &mut World, body: &Body) -> Option<Channel> {
    let open = |channel: &&Channel| !channel.exclusive && !world.groups[channel.group].rendezvous;
    let channels: Vec<&Channel> = body.channels.iter().filter(open).collect();
    (!channels.is_empty()).then(|| (*world.random.pick(&channels)).clone())
}

/// A condition; side-effect free, and free of probes beside an `else`.
pub(super) fn condition(world: &mut World, body: &Body, depth: usize) -> Phrase {
    if depth > 0 && world.roll(Feature::ShortCircuit, 35) {
        let left = condition(world, body, depth - 1);
        let right = condition(world, body, depth - 1);
        return match world.random.below(5) {
            0 | 1 => phrase!["(", left, " && ", right, ")"],
            2 | 3 => phrase!["(", left, " || ", right, ")"],
            _ => phrase!["!(", comparison(world, body, depth - 1), ")"],
        };
    }
    if !world.conditions.is_empty() && world.roll(Feature::Define, 20) {
        let conditions = world.conditions.clone();
        return phrase![world.random.pick(&conditions).clone()];
    }
    if !world.functions.1.is_empty() && world.roll(Feature::FunctionMacro, 25) {
        let functions = world.functions.1.clone();
        return apply(world, body, &functions);
    }
    if body.remote && !world.remotes.is_empty() && world.roll(Feature::Remote, 40) {
        let remotes = world.remotes.clone();
        return phrase![world.random.pick(&remotes).clone()];
    }
    if let Some(test) = channel_condition(world, body) {
        return test;
    }
    comparison(world, body, depth)
}

/// A poll or a probe.
fn channel_condition(world: &mut World, body: &Body) -> Option<Phrase> {
    if world.has(Feature::Poll) && world.random.chance(25) {
        let channel = open_channel(world, body)?;
        let fields = world.groups[channel.group].fields.clone();
        if fields.iter().any(|field| matches!(field, Type::Struct(_))) {
            return None;
        }
        world.note(Feature::Poll);
        let arguments = patterns(world, body, &fields, true);
        let operator = if world.roll(Feature::RandomReceive, 40) { "??[" } else { "?[" };
        let place = name(world, body, &channel.place);
        return Some(phrase![Piece::Place(place), operator, super::tree::list(arguments), "]"]);
    }
    if world.has(Feature::Probe) && !body.beside_else && world.random.chance(25) {
        let owned: Vec<Channel> =
            body.channels.iter().filter(|c| c.exclusive && (c.sends != c.receives)).cloned().collect();
        if !owned.is_empty() && world.random.chance(50) {
            let channel = world.random.pick(&owned).clone();
            world.note(Feature::Probe);
            let probe = if channel.sends { "nfull(" } else { "nempty(" };
            return Some(phrase![probe, Piece::Place(name(world, body, &channel.place)), ")"]);
        }
        let channel = open_channel(world, body)?;
        world.note(Feature::Probe);
        let probe = *world.random.pick(&["empty(", "nempty(", "full(", "nfull("]);
        return Some(phrase![probe, Piece::Place(name(world, body, &channel.place)), ")"]);
    }
    None
}

/// A comparison of two values of the same type.
fn comparison(world: &mut World, body: &Body, depth: usize) -> Phrase {
    if world.has(Feature::Mtype) && world.random.chance(30) {
        let is_mtype = |place: &Place| matches!(place.ty, Type::Mtype(_));
        if let Some(place) = find(world, body, is_mtype) {
            world.note(Feature::Mtype);
            let left = name(world, body, &place);
            let operator = *world.random.pick(&[" == ", " != "]);
            let right = constant(world, place.ty);
            return phrase!["(", left, operator, right, ")"];
        }
    }
    let operator = *world.random.pick(&[" == ", " != ", " < ", " > ", " <= ", " >= ", " != ", " <= "]);
    let left = number(world, body, depth);
    let right = if world.random.chance(75) {
        constant(world, Type::Byte)
    } else {
        number(world, body, depth.saturating_sub(1))
    };
    phrase!["(", left, operator, right, ")"]
}

/// A value of type `ty`, to be assigned or sent; small when it may be computed again and again.
pub(super) fn value(world: &mut World, body: &Body, ty: Type) -> Phrase {
    match ty {
        Type::Mtype(_) => match find(world, body, |place| place.ty == ty) {
            Some(place) if world.random.chance(40) => name(world, body, &place),
            _ => constant(world, ty),
        },
        Type::Chan(group) => {
            let channels: Vec<&Channel> =
                body.channels.iter().filter(|channel| channel.group == group && channel.global).collect();
            let place = world.random.pick(&channels).place.clone();
            name(world, body, &place)
        }
        Type::Struct(number) => phrase![world.structs[number].variable.clone()],
        Type::Bool | Type::Bit | Type::Unsigned(_) if world.random.chance(60) => number(world, body, 2),
        _ => match world.random.below(10) {
            0..=3 => constant(world, ty),
            4..=6 if !body.looping => number(world, body, 2),
            4..=8 => {
                let inner = number(world, body, 2);
                phrase!["(", inner, *world.random.pick(&[" & 3", " & 1", " % 3", " % 2"]), ")"]
            }
            _ => condition_value(world, body),
        },
    }
}

/// A condition used as a number; probes may not be operands, so only comparisons.
fn condition_value(world: &mut World, body: &Body) -> Phrase {
    comparison(world, body, 1)
}

/// Arguments of a receive or poll: variables unless `poll`, constants, `eval`, `_`.
pub(super) fn patterns(world: &mut World, body: &Body, fields: &[Type], poll: bool) -> Vec<Phrase> {
    // The parameter of an inline may stand for any variable.
    let mut taken = if body.inline && fields.len() > 1 { vec!["target".to_string()] } else { Vec::new() };
    fields.iter().map(|&ty| pattern(world, body, ty, poll, &mut taken)).collect()
}

/// Whether a variable of type `variable` can hold every value of a field of type `field`.
///
/// Receives into narrower ones are not generated: to undo them pan puts the variable's cut value back into the channel,
/// and the search goes on from a state that never existed.
fn holds(variable: Type, field: Type) -> bool {
    let range = |ty: Type| match ty {
        Type::Bit | Type::Bool => Some((0, 1)),
        Type::Byte | Type::Pid => Some((0, 255)),
        Type::Short => Some((-32_768, 32_767)),
        Type::Int => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        Type::Unsigned(width) => Some((0, (1 << width) - 1)),
        Type::Mtype(_) | Type::Chan(_) | Type::Struct(_) => None,
    };
    match (range(variable), range(field)) {
        (Some((low, high)), Some((least, most))) => low <= least && most <= high,
        _ => false,
    }
}

/// One argument; SPIN refuses a variable, even an element of the same array, in two fields.
fn pattern(world: &mut World, body: &Body, ty: Type, poll: bool, taken: &mut Vec<String>) -> Phrase {
    let blocking = !body.deterministic;
    let root = |place: &Place| match &place.parts[0] {
        Part::Text(text) => text.split(['[', '.']).next().unwrap_or_default().to_string(),
        Part::Index(_) => String::new(),
    };
    if let Type::Struct(number) = ty {
        return phrase![world.structs[number].variable.clone()];
    }
    if !matches!(ty, Type::Chan(_)) && blocking && (poll || world.roll(Feature::MatchReceive, 45)) {
        match world.random.below(3) {
            0 => return constant(world, ty),
            1 => {
                if let Some(place) = find(world, body, |place| place.ty == ty && !taken.contains(&root(place))) {
                    taken.push(root(&place));
                    return phrase!["eval(", Piece::Place(fixed_name(world, &place)), ")"];
                }
                return constant(world, ty);
            }
            _ => return phrase!["_"],
        }
    }
    if poll {
        return phrase!["_"];
    }
    let field = if world.wide_bits && matches!(ty, Type::Bit | Type::Bool) { Type::Byte } else { ty };
    let fits = |place: &Place| if is_number(ty) { holds(place.ty, field) } else { place.ty == ty };
    match find(world, body, |place| fits(place) && place.writable && !taken.contains(&root(place))) {
        Some(place) => {
            // pan undoes a d_step without its hidden variables, and a receive by sending the variable's value back.
            let scratch = world.scratch.clone().filter(|scratch| fits(scratch) && !taken.contains(&root(scratch)));
            let place = match scratch {
                Some(scratch) if !world.has(Feature::DStep) && world.roll(Feature::Hidden, 25) => scratch,
                _ => place,
            };
            taken.push(root(&place));
            fixed_name(world, &place)
        }
        None => phrase!["_"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_as_wide_as_the_field_receive_it() {
        assert!(holds(Type::Int, Type::Short) && holds(Type::Short, Type::Byte) && holds(Type::Pid, Type::Bool));
        assert!(!holds(Type::Byte, Type::Short) && !holds(Type::Unsigned(3), Type::Byte));
        assert!(!holds(Type::Bit, Type::Byte) && !holds(Type::Byte, Type::Mtype(0)));
    }
}
