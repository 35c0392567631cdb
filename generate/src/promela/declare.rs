//! Random declarations: types, variables, channels, macros and inlines.
//! Channels are made in groups of equal message types, so that a channel variable can never meet the wrong message.

use super::expression::{condition, constant, find, number, value};
use super::feature::Feature;
use super::scope::{Body, Channel, Group, InlineSignature, Mtypes, Part, Place, Structure, Type, World};
use super::statement::{assignment, sequence};
use super::tree::{Phrase, Piece, Program, Statement, list};
use crate::phrase;

/// Everything global except processes.
pub(super) fn globals(world: &mut World, program: &mut Program) {
    mtypes(world, program);
    if world.has(Feature::Define) {
        let name = world.fresh("LIMIT");
        program.declarations.push(phrase![format!("#define {name} {}", world.random.between(1, 3))]);
        world.constants.push(name);
    }
    if world.has(Feature::PreprocessorIf) {
        program.declarations.push(phrase![format!("#define LEVEL {}", world.random.between(0, 2))]);
    }
    function_macros(world, program);
    typedefs(world, program);
    for _ in 0..world.random.between(1, 3) {
        variable(world, program);
    }
    if world.has(Feature::Hidden) {
        let ty = *world.random.pick(&[Type::Int, Type::Byte, Type::Short]);
        program.declarations.push(phrase![format!("hidden {};", world.declarator(ty, "scratch"))]);
        world.scratch = Some(Place::variable("scratch", ty));
    }
    if world.has(Feature::LocalGlobal) {
        for _ in 0..world.random.between(1, 2) {
            let ty = scalar_type(world);
            let name = world.fresh("t");
            program.declarations.push(phrase![format!("local {};", world.declarator(ty, &name))]);
            world.tagged.push(Place::variable(&name, ty));
        }
    }
    channels(world, program);
    if world.has(Feature::Define) {
        let name = world.fresh("busy");
        let test = condition(world, &Body { beside_else: true, ..Body::new(Vec::new(), 0) }, 1);
        program.declarations.push(phrase![format!("#define {name} "), phrase!["(", test, ")"]]);
        world.conditions.push(name);
    }
    if world.has(Feature::Inline) {
        for _ in 0..world.random.between(1, 2) {
            inline(world, program);
        }
    }
    if world.has(Feature::ReturnInline) {
        returning_inline(world, program);
    }
}

/// An inline `name(value)` that returns a number, perhaps after an assignment to a global.
fn returning_inline(world: &mut World, program: &mut Program) {
    let name = world.fresh("compute");
    let mut body = Body::new(Vec::new(), 1);
    body.locals.push(Place { writable: false, ..Place::variable("value", Type::Byte) });
    (body.looping, body.atomic, body.declares, body.deterministic) = (true, true, false, true);
    (body.depth, body.inline) = (3, true);
    let mut statements = Vec::new();
    if world.random.chance(50) {
        statements.extend(assignment(world, &mut body).into_iter().flatten());
    }
    let result = value(world, &body, Type::Byte);
    statements.push(Statement::Macro(phrase!["return ", result]));
    program.inlines.push((format!("inline {name}(value)"), statements));
    world.returning.push(name);
}

/// Macros with a parameter.
fn function_macros(world: &mut World, program: &mut Program) {
    if !world.has(Feature::FunctionMacro) {
        return;
    }
    let name = world.fresh("bump");
    let body = *world.random.pick(&["((x) + 1)", "(x % 2)", "(((x) * 2) & 3)", "(1 - x)"]);
    program.declarations.push(phrase![format!("#define {name}(x) {body}")]);
    world.functions.0.push(name.clone());
    let test = world.fresh("low");
    let body = *world.random.pick(&["((x) < 2)", "(x != 1)", "((x) > 0 && (x) < 3)"]);
    let body = if world.random.chance(30) { format!("({name}(x) <= 1)") } else { body.to_string() };
    program.declarations.push(phrase![format!("#define {test}(x) {body}")]);
    world.functions.1.push(test);
}

/// A condition on the macro `LEVEL` for the preprocessor.
pub(super) fn preprocessor_condition(world: &mut World) -> String {
    let level = world.random.below(3);
    match world.random.below(6) {
        0 => "#ifdef LEVEL".to_string(),
        1 => "#ifndef LEVEL".to_string(),
        2 => format!("#if defined(LEVEL) && LEVEL != {level}"),
        3 => format!("#if LEVEL > {level} || !defined(OTHER)"),
        _ => format!("#if LEVEL == {level}"),
    }
}

fn mtypes(world: &mut World, program: &mut Program) {
    if !world.has(Feature::Mtype) {
        return;
    }
    let named = world.has(Feature::NamedMtype);
    let mut family = |name: Option<String>, constants: &[&str]| {
        let subtype = name.as_ref().map(|name| format!(":{name}")).unwrap_or_default();
        program.declarations.push(phrase![format!("mtype{subtype} = {{ {} }};", constants.join(", "))]);
        let constants = constants.iter().map(|constant| constant.to_string()).collect();
        world.mtypes.push(Mtypes { name, constants });
    };
    family(None, &["red", "green", "blue"]);
    if named {
        family(Some("fruit".to_string()), &["apple", "pear"]);
    }
}

/// A type for a variable.
pub(super) fn scalar_type(world: &mut World) -> Type {
    if !world.mtypes.is_empty() && world.random.chance(30) {
        world.note(Feature::Mtype);
        let family = world.random.below(world.mtypes.len());
        if family > 0 {
            world.note(Feature::NamedMtype);
        }
        return Type::Mtype(family);
    }
    if world.roll(Feature::Types, 60) {
        let width = world.random.between(1, 3) as u8;
        return *world.random.pick(&[Type::Bit, Type::Short, Type::Int, Type::Unsigned(width), Type::Pid]);
    }
    if world.random.chance(70) { Type::Byte } else { Type::Bool }
}

/// An initialiser for a variable of type `ty`, or nothing.
fn initialiser(world: &mut World, body: &Body, ty: Type, percent: usize) -> Phrase {
    if !world.random.chance(percent) {
        return Phrase::default();
    }
    let number_wanted = !matches!(ty, Type::Mtype(_)) && world.has(Feature::Initialiser) && body.declares;
    if number_wanted && world.roll(Feature::Initialiser, 50) {
        let plain = Body { channels: Vec::new(), remote: false, ..body.clone() };
        let value = number(world, &plain, 1);
        // SPIN itself evaluates an initialiser that mentions variables, and then refuses to truncate any value.
        let narrow = matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(1));
        return phrase![" = ", phrase!["(", value, if narrow { " & 1)" } else { " & 3)" }]];
    }
    // The values of those variables must fit, too.
    let truncation = world.has(Feature::Initialiser) && world.features.remove(&Feature::Truncation);
    let value = constant(world, ty);
    if truncation {
        world.features.insert(Feature::Truncation);
    }
    phrase![" = ", value]
}

/// A global variable or array.
fn variable(world: &mut World, program: &mut Program) {
    let ty = scalar_type(world);
    let outside = Body { declares: false, ..Body::new(Vec::new(), 0) };
    let array = !matches!(ty, Type::Unsigned(_)) && world.roll(Feature::Array, 50);
    let name = world.fresh(if array { "a" } else { "g" });
    let value = initialiser(world, &outside, ty, 40);
    if array {
        let bound = world.random.between(1, 4);
        let declarator = world.declarator(ty, &format!("{name}[{bound}]"));
        let value = if world.random.chance(30) { elements(world, ty, bound) } else { value };
        program.declarations.push(phrase![declarator, Piece::Place(value), ";"]);
        world.globals.push(Place::element(&name, bound, ty));
        world.arrays.push(name);
    } else {
        let declarator = world.declarator(ty, &name);
        let declaration = phrase![declarator.clone(), Piece::Place(value), ";"];
        program.declarations.push(if world.roll(Feature::PreprocessorIf, 60) {
            let test = preprocessor_condition(world);
            let other = initialiser(world, &outside, ty, 40);
            let other = phrase![declarator, Piece::Place(other), ";"];
            phrase![format!("{test}\n"), Piece::Place(declaration), "\n#else\n", Piece::Place(other), "\n#endif"]
        } else {
            declaration
        });
        world.globals.push(Place::variable(&name, ty));
    }
}

/// An initialiser that lists the elements of an array.
fn elements(world: &mut World, ty: Type, bound: usize) -> Phrase {
    let values = (0..bound).map(|_| match ty {
        Type::Mtype(_) => constant(world, ty),
        Type::Bit | Type::Bool => phrase![world.random.below(2).to_string()],
        _ => phrase![world.random.below(4).to_string()],
    });
    phrase![" = { ", list(values.collect()), " }"]
}

/// A local variable: its declaration and itself.
pub(super) fn local(world: &mut World, body: &Body) -> (Statement, Place) {
    let ty = scalar_type(world);
    let name = world.fresh("l");
    let value = initialiser(world, body, ty, 60);
    let array = !matches!(ty, Type::Unsigned(_)) && !body.looping && world.roll(Feature::Array, 15);
    if array {
        let declarator = world.declarator(ty, &format!("{name}[2]"));
        return (Statement::Declare(phrase![declarator]), Place::element(&name, 2, ty));
    }
    let declarator = world.declarator(ty, &name);
    (Statement::Declare(phrase![declarator, Piece::Place(value)]), Place::variable(&name, ty))
}

/// Structures: one of scalars, and one that contains an array of the first.
fn typedefs(world: &mut World, program: &mut Program) {
    if !world.has(Feature::Typedef) {
        return;
    }
    world.note(Feature::Typedef);
    let (first, second) = (scalar_type(world), scalar_type(world));
    let fields = format!("{}; {}", world.declarator(first, "x"), world.declarator(second, "y"));
    program.declarations.push(phrase![format!("typedef Pair {{ {fields} }}")]);
    program.declarations.push(phrase!["Pair s0;"]);
    world.pair = Some((first, second));
    let field = |path: &str, ty: Type| Place::variable(path, ty);
    world.globals.push(field("s0.x", first));
    world.globals.push(field("s0.y", second));
    // Channels cannot carry unsigned fields.
    if !matches!(first, Type::Unsigned(_)) && !matches!(second, Type::Unsigned(_)) {
        world.structs.push(Structure { name: "Pair".to_string(), variable: "s0".to_string() });
    }
    if world.random.chance(60) {
        program.declarations.push(phrase!["typedef Nest { Pair p[2]; byte z[2] }"]);
        program.declarations.push(phrase!["Nest n0[2];"]);
        let text = |text: &str| Part::Text(text.to_string());
        let parts = vec![text("n0["), Part::Index(2), text("].p["), Part::Index(2), text("].x")];
        world.globals.push(Place { parts, ty: first, writable: true });
        let parts = vec![text("n0["), Part::Index(2), text("].z["), Part::Index(2), text("]")];
        world.globals.push(Place { parts, ty: Type::Byte, writable: true });
    }
}

/// A type for the field of a message.
fn message_type(world: &mut World) -> Type {
    match scalar_type(world) {
        Type::Unsigned(_) => Type::Byte,
        ty => ty,
    }
}

/// A group of channels; `fields` fixes its message type.
fn group(world: &mut World, rendezvous: bool, fields: Option<Vec<Type>>) -> usize {
    let fields = fields.unwrap_or_else(|| {
        let count = if world.has(Feature::MultiField) && !rendezvous || world.roll(Feature::MultiField, 40) {
            world.random.between(1, 3)
        } else {
            1
        };
        (0..count).map(|_| message_type(world)).collect()
    });
    world.groups.push(Group { fields, rendezvous });
    world.groups.len() - 1
}

/// Declares a channel of `group` and returns it.
pub(super) fn channel(world: &mut World, group: usize, global: bool) -> (Phrase, Channel) {
    let array = global && world.roll(Feature::ChannelArray, 60);
    let name = world.fresh(if array { "cs" } else { "c" });
    let capacity = if world.groups[group].rendezvous { 0 } else { world.random.between(1, 2) };
    let fields: Vec<String> = world.groups[group].fields.iter().map(|&ty| world.field_type(ty)).collect();
    let (suffix, place) = if array {
        ("[2]", Place::element(&name, 2, Type::Chan(group)))
    } else {
        ("", Place::variable(&name, Type::Chan(group)))
    };
    let declaration = phrase![format!("chan {name}{suffix} = [{capacity}] of {{ {} }}", fields.join(", "))];
    let channel = Channel { place, group, capacity, sends: true, receives: true, exclusive: false, global };
    (declaration, channel)
}

/// The global channels.
fn channels(world: &mut World, program: &mut Program) {
    let mut declare = |world: &mut World, group: usize, exclusive: bool| {
        let (declaration, mut channel) = channel(world, group, true);
        channel.exclusive = exclusive;
        program.declarations.push(phrase![Piece::Place(declaration), ";"]);
        world.channels.push(channel);
    };
    if world.has(Feature::Buffered) {
        let buffered = group(world, false, None);
        for _ in 0..world.random.between(1, 2) {
            declare(world, buffered, false);
        }
        if world.roll(Feature::ChannelMessage, 100) {
            let carrier = group(world, false, Some(vec![Type::Chan(buffered)]));
            declare(world, carrier, false);
        }
        if !world.structs.is_empty() && world.roll(Feature::StructMessage, 80) {
            let structured = group(world, false, Some(vec![Type::Struct(0)]));
            declare(world, structured, false);
        }
    }
    if world.has(Feature::Rendezvous) {
        let port = group(world, true, None);
        for _ in 0..world.random.between(1, 2) {
            declare(world, port, false);
        }
    }
    if world.has(Feature::Exclusive) {
        // With reduction, pan reports every use of an exclusive rendezvous port as an error.
        let private = group(world, false, None);
        let array = world.features.remove(&Feature::ChannelArray);
        declare(world, private, true);
        if array {
            world.features.insert(Feature::ChannelArray);
        }
    }
}

/// An inline `name(target, value)`, whose body sees its parameters and the globals.
fn inline(world: &mut World, program: &mut Program) {
    let name = world.fresh("step");
    let plain = world.random.chance(60);
    let channels = if plain { Vec::new() } else { world.channels.iter().filter(|c| !c.exclusive).cloned().collect() };
    let mut body = Body::new(channels, 3);
    body.locals.push(Place::variable("target", Type::Byte));
    body.locals.push(Place { writable: false, ..Place::variable("value", Type::Byte) });
    (body.looping, body.atomic, body.declares, body.deterministic) = (true, true, false, plain);
    (body.depth, body.inline) = (1, true);
    let length = world.random.between(1, 2);
    let statements = sequence(world, &mut body, length);
    program.inlines.push((format!("inline {name}(target, value)"), statements));
    world.inlines.push(InlineSignature { name, plain });
}

/// A channel variable of an aliasable group, initialised so that it always names a channel.
pub(super) fn channel_variable(world: &mut World, body: &mut Body) -> Option<Statement> {
    let open: Vec<Channel> = body
        .channels
        .iter()
        .filter(|channel| channel.global && !channel.exclusive && channel.place.parts.len() == 1)
        .filter(|channel| !world.groups[channel.group].rendezvous)
        .cloned()
        .collect();
    if open.is_empty() {
        return None;
    }
    let target = world.random.pick(&open).clone();
    let name = world.fresh("q");
    let Part::Text(source) = &target.place.parts[0] else { return None };
    let declaration = Statement::Declare(phrase![format!("chan {name} = {source}")]);
    alias(body, &name, target.group, true);
    Some(declaration)
}

/// Makes a channel variable or parameter known to the body.
pub(super) fn alias(body: &mut Body, name: &str, group: usize, writable: bool) {
    let place = Place::variable(name, Type::Chan(group));
    body.locals.push(Place { writable, ..place.clone() });
    let channel = Channel { place, group, capacity: 0, sends: true, receives: true, exclusive: false, global: false };
    body.channels.push(channel);
}

/// A place other processes can refer to: a local scalar that is always there.
pub(super) fn remote_variable(world: &mut World, body: &Body) -> Option<Place> {
    // Those that start with a t are globals declared local.
    let own = |text: &str| !text.contains('.') && !text.starts_with('t');
    let simple = |place: &Place| matches!(&place.parts[..], [Part::Text(text)] if own(text));
    let wanted = |place: &Place| simple(place) && matches!(place.ty, Type::Byte | Type::Int);
    world.hiding_globals(true, |world| find(world, body, wanted))
}
