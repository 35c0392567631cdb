//! Renamings and representatives of random states under random symmetries: several sets, tables of names with gaps and
//! signs, control states that stand for members, what nobody reads. Everything is compared with the meaning of a renaming
//! on states of the reference interpreter, for every renaming there is.

mod common;

use std::collections::HashSet;

use common::{Random, model, proctype, renamings, scramble, slot, state};
use quotient_canon::{Arrangement, Plan, Reducer, Strategy};
use quotient_ir::schema::Schema;
use quotient_ir::{
    ChannelType, Element, Group, Instance, Model, Names, Position, Scalar, Scalarset, SetId, Setup, Symmetry, Width,
};
use quotient_step::machine::{Component, Machine, Program};
use quotient_step::reference::{Channel, Process, State};
use quotient_symmetry::act::{act, applies, forget};

/// How many models are tried, and how many states of each.
const MODELS: u64 = 400;
const STATES: usize = 3;

/// A state's shape and bytes.
fn encode(machine: &mut Machine, state: &State) -> (u32, Arrangement, Vec<u8>) {
    let bytes = machine.encode(state);
    machine.load(&bytes);
    let (shape, components) = machine.shape();
    let place = |component: &Component| (component.ty as usize, component.offset);
    let processes = components.processes.iter().map(place).collect();
    let channels = components.channels.iter().map(place).collect();
    (shape, Arrangement { processes, channels }, bytes)
}

fn symmetry(model: &Model) -> &Symmetry {
    model.symmetry.as_ref().expect("a symmetry")
}

#[test]
fn renamings_of_bytes_are_renamings_of_states() {
    let mut changed = 0;
    for seed in 0..MODELS {
        let random = &mut Random(seed << 32);
        let model = model(random);
        let symmetry = symmetry(&model);
        let program = Program::new(&model);
        let mut machine = Machine::new(&program, false);
        for _ in 0..STATES {
            let state = state(random, &model);
            let (_, arrangement, bytes) = encode(&mut machine, &state);
            let plan = Plan::new(&model, &program.schema, symmetry, &arrangement).expect("a plan");
            assert_eq!(plan.renames(&bytes), applies(symmetry, &state), "model {seed}");
            let mut forgotten = bytes.clone();
            plan.forget(&mut forgotten);
            assert_eq!(forgotten, machine.encode(&forget(symmetry, &state)), "model {seed}");
            for renaming in renamings(symmetry) {
                let renamed = machine.encode(&act(&model, symmetry, &renaming, &state));
                assert_eq!(
                    plan.renamed(&renaming.concat(), &bytes),
                    renamed,
                    "model {seed}: {renaming:?} of {state:?}"
                );
                changed += usize::from(renamed != bytes);
            }
        }
    }
    assert!(changed > 1000, "only {changed} renamings change anything");
}

#[test]
fn an_orbit_has_one_representative() {
    let (mut orbits, mut unread, mut steady) = (0, 0, 0);
    for seed in 0..MODELS {
        let random = &mut Random(seed << 32 | 1);
        let model = model(random);
        let symmetry = symmetry(&model);
        let program = Program::new(&model);
        let mut machine = Machine::new(&program, false);
        let mut reducers: Vec<Reducer> = Strategy::ALL
            .iter()
            .map(|&strategy| Reducer::new(&model, &program.schema, strategy).expect("a symmetry"))
            .collect();
        for _ in 0..STATES {
            let first = state(random, &model);
            if !applies(symmetry, &first) {
                let (shape, arrangement, bytes) = encode(&mut machine, &first);
                for reducer in &mut reducers {
                    assert_eq!(reducer.representative(shape, || arrangement.clone(), &bytes), bytes, "model {seed}");
                    let (own, images) = reducer.representative_and_images(shape, || arrangement.clone(), &bytes);
                    assert!(own == bytes && images.is_none(), "model {seed}");
                }
                steady += 1;
                continue;
            }
            let states: Vec<State> =
                renamings(symmetry).iter().map(|renaming| act(&model, symmetry, renaming, &first)).collect();
            let orbit: HashSet<Vec<u8>> = states.iter().map(|s| machine.encode(&forget(symmetry, s))).collect();
            orbits += usize::from(orbit.len() > 1);
            let (_, arrangement, bytes) = encode(&mut machine, &first);
            let plan = Plan::new(&model, &program.schema, symmetry, &arrangement).expect("a plan");
            let read = symmetry.unread.globals.is_empty() && symmetry.unread.locals.iter().flatten().all(Vec::is_empty);
            if let (Some(size), true) = (plan.orbit_size(&bytes), read) {
                assert_eq!(size, orbit.len() as u64, "model {seed}");
            }
            let scrambled = machine.encode(&scramble(random, &model, &first));
            assert_eq!(plan.orbit_size(&bytes), plan.orbit_size(&scrambled), "model {seed}");
            for reducer in &mut reducers {
                let strategy = reducer.strategy();
                let mut found = HashSet::new();
                for state in &states {
                    let state = scramble(random, &model, state);
                    let (shape, arrangement, bytes) = encode(&mut machine, &state);
                    let representative = reducer.representative(shape, || arrangement.clone(), &bytes).to_vec();
                    let (again, images) = reducer.representative_and_images(shape, || arrangement, &bytes);
                    assert_eq!(again, representative, "model {seed}, {strategy}: {first:?}");
                    let mut renamed = plan.renamed(images.expect("it is renamed"), &bytes);
                    plan.forget(&mut renamed);
                    assert_eq!(renamed, representative, "model {seed}, {strategy}: {images:?} of {state:?}");
                    assert!(orbit.contains(&representative), "model {seed}, {strategy}: {first:?}");
                    unread += usize::from(forget(symmetry, &state) != state);
                    found.insert(representative);
                }
                let canonical = strategy.is_canonical() && reducer.counts().normalised == 0;
                assert!(!canonical || found.len() == 1, "model {seed}, {strategy}: {} of {first:?}", found.len());
            }
        }
        let normalised: u64 = reducers.iter().map(|reducer| reducer.counts().normalised).sum();
        assert_eq!(normalised, 0, "model {seed}");
    }
    assert!(
        orbits > 500 && unread > 5000 && steady > 20,
        "only {orbits} orbits, {unread} unread, {steady} not renamed"
    );
}

/// The message of a symmetry that does not fit.
fn refusal(model: &Model) -> String {
    let schema = Schema::new(model);
    let arrangement = Arrangement::of_founders(model, &schema, &quotient_ir::population(model));
    Plan::new(model, &schema, symmetry(model), &arrangement).err().map_or(String::new(), |misfit| misfit.to_string())
}

/// A set of three, a variable of a type whose values are named by a table, and an array that it indexes.
fn named(width: Width, values: &[(i32, SetId, u8)]) -> Model {
    let names = Names { values: values.to_vec() };
    let mut symmetry = Symmetry { sets: vec![scalarset(3)], names: vec![names], ..Symmetry::default() };
    symmetry.globals.push(Element { names: Some(0), ..Element::default() });
    let mut globals = vec![slot(Scalar::plain(width))];
    for k in 0..3 {
        globals.push(slot(Scalar::plain(Width::Byte)));
        symmetry.globals.push(Element { position: Position { class: 1, members: vec![(0, k)] }, names: None });
    }
    Model { globals, symmetry: Some(symmetry), ..Model::default() }
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let run = |first: i32| [(first, 0, 0), (first + 1, 0, 1), (first + 2, 0, 2)];
    let fitting = [
        (Width::Byte, 253),
        (Width::Unsigned(2), 1),
        (Width::Short, -32768),
        (Width::Short, 32765),
        (Width::Unsigned(16), 65533),
        (Width::Int, i32::MIN),
    ];
    for (width, first) in fitting {
        assert_eq!(refusal(&named(width, &run(first))), "", "{width:?} {first}");
    }
    let narrow = [
        (Width::Bit, 0),
        (Width::Byte, 254),
        (Width::Byte, -1),
        (Width::Unsigned(2), 2),
        (Width::Unsigned(16), 65534),
        (Width::Unsigned(16), -1),
        (Width::Short, 32766),
        (Width::Short, -32769),
    ];
    for (width, first) in narrow {
        let refusal = refusal(&named(width, &run(first)));
        assert_eq!(refusal, "a variable is too narrow for all members of its scalarset", "{width:?} {first}");
    }
    let wrong = [
        (vec![(0, 0, 0), (1, 0, 1)], "a table has names for some members of a scalarset and not for others"),
        (vec![(0, 0, 0), (1, 0, 1), (2, 0, 2), (7, 0, 0)], "two values of a table stand for one member"),
        (vec![(0, 0, 0), (0, 0, 1), (2, 0, 2)], "the values of a table of names are not in order"),
        (vec![(0, 0, 0), (1, 0, 1), (2, 0, 3)], "a table names member 3 of scalarset 0, which does not exist"),
        (vec![(0, 1, 0)], "a table names member 0 of scalarset 1, which does not exist"),
    ];
    for (values, message) in wrong {
        assert_eq!(refusal(&named(Width::Byte, &values)), message);
    }
    // Elements that change places are named alike.
    let mut model = named(Width::Byte, &run(0));
    model.symmetry.as_mut().expect("a symmetry").globals[2].names = Some(0);
    assert!(refusal(&model).contains("their types differ"), "{}", refusal(&model));
    let mut model = named(Width::Byte, &[(0, 0, 2), (1, 0, 1), (2, 0, 0)]);
    let symmetry = model.symmetry.as_mut().expect("a symmetry");
    symmetry.names.push(Names { values: vec![(0, 0, 1), (1, 0, 0), (2, 0, 2)] });
    symmetry.globals[1..].iter_mut().for_each(|element| element.names = Some(0));
    assert_eq!(refusal(&model), "");
    model.symmetry.as_mut().expect("a symmetry").globals[2].names = Some(1);
    assert!(refusal(&model).contains("their types differ"), "{}", refusal(&model));
}

#[test]
fn control_states_that_some_members_lack_are_refused() {
    let (mut incomplete, mut checked) = (0, 0);
    for seed in 0..MODELS {
        let mut model = model(&mut Random(seed << 32 | 2));
        assert_eq!(refusal(&model), "");
        let symmetry = model.symmetry.as_mut().expect("a symmetry");
        let moves = |(set, _): &(SetId, u8)| symmetry.sets[*set].size > 1;
        for ty in 0..symmetry.controls.len() {
            let Some(at) = symmetry.controls[ty].iter().position(|p| p.members.iter().any(moves)) else { continue };
            let class = symmetry.controls[ty][at].class;
            incomplete += usize::from(symmetry.controls[ty][at].members.len() > 1);
            checked += 1;
            symmetry.controls[ty][at].members.clear();
            symmetry.controls[ty][at].class = class;
            let message = format!("some members have a control state of P{ty} that others do not have");
            assert!(refusal(&model) == message || refusal(&model).contains("depends on the member"), "model {seed}");
            break;
        }
    }
    assert!(checked > 100 && incomplete > 20, "only {checked}, {incomplete}");
}

#[test]
fn what_cannot_be_forgotten_counts() {
    // All values of the variable are names, or not all of the array is unread.
    let bits = [(0, 0, 0), (1, 0, 1), (2, 0, 2), (3, 1, 0)];
    for unread in [vec![0], vec![1, 2]] {
        let mut model = named(Width::Unsigned(2), &bits);
        let symmetry = model.symmetry.as_mut().expect("a symmetry");
        symmetry.sets.push(scalarset(1));
        symmetry.unread.globals = unread;
        let schema = Schema::new(&model);
        for strategy in Strategy::ALL {
            let mut reducer = Reducer::new(&model, &schema, strategy).expect("a symmetry");
            let mut representative = |globals: [u8; 4]| {
                let state = [&[0, 0, 0][..], &globals].concat();
                reducer.representative(0, Arrangement::default, &state).to_vec()
            };
            let mut found = HashSet::new();
            for named in 0..4 {
                for one in 1..4 {
                    let mut globals = [named, 0, 0, 0];
                    globals[one] = 1;
                    found.insert(representative(globals));
                }
            }
            // The name is that of the one element, or of another one, or of the other set.
            assert!(found.len() == 3 || found.len() > 3 && !strategy.is_canonical(), "{strategy}: {found:?}");
        }
    }
}

/// Checks that states have as many representatives as orbits.
fn check_all(model: &Model, states: &[State]) {
    let symmetry = symmetry(model);
    let program = Program::new(model);
    let mut machine = Machine::new(&program, false);
    let mut reducer = Reducer::new(model, &program.schema, Strategy::Canonical).expect("a symmetry");
    let (mut orbits, mut found) = (HashSet::new(), HashSet::new());
    for state in states {
        let all = renamings(symmetry).into_iter().map(|renaming| act(model, symmetry, &renaming, state));
        orbits.insert(all.map(|state| machine.encode(&state)).min());
        let (shape, arrangement, bytes) = encode(&mut machine, state);
        found.insert(reducer.representative(shape, || arrangement, &bytes).to_vec());
    }
    assert!(orbits.len() < states.len());
    assert_eq!(found.len(), orbits.len());
}

fn scalarset(size: usize) -> Scalarset {
    Scalarset { name: "S".to_string(), size, group: Group::Symmetric }
}

#[test]
fn classes_of_control_states_count() {
    // A process for each pair of members; it is at one of two control states for each member.
    let members = |k| vec![(0, k)];
    let controls = [(0, 0), (1, 1), (1, 0), (0, 1)].map(|(class, k)| Position { class, members: members(k) });
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let processes = pairs.map(|(a, b)| Position { class: 0, members: vec![(0, a), (0, b)] });
    let symmetry = Symmetry {
        sets: vec![scalarset(2)],
        controls: vec![controls.to_vec()],
        processes: processes.to_vec(),
        ..Symmetry::default()
    };
    let model = Model {
        proctypes: vec![proctype(0, Vec::new(), Vec::new(), vec![Default::default(); 4])],
        initial: vec![Instance { proctype: 0, priority: 1 }; 4],
        symmetry: Some(symmetry),
        ..Model::default()
    };
    let state = |number: usize| {
        let process = |k: usize| Process {
            proctype: 0,
            control: number >> (2 * k) & 3,
            priority: 1,
            locals: Vec::new(),
            callers: Vec::new(),
        };
        let processes = (0..4).map(process).collect();
        State {
            globals: Vec::new(),
            processes,
            channels: Vec::new(),
            last: 0,
            event: 0,
            rests: false,
            heap: Default::default(),
        }
    };
    check_all(&model, &(0..256).map(state).collect::<Vec<_>>());
}

#[test]
fn names_in_different_queues_are_different() {
    // Each process has two channels, whose messages name members of another set.
    let position = |class, k| Position { class, members: vec![(0, k)] };
    let symmetry = Symmetry {
        sets: vec![scalarset(2), scalarset(2)],
        names: vec![Names { values: vec![(3, 1, 1), (5, 1, 0)] }],
        fields: vec![vec![Some(0)]],
        channels: vec![position(0, 0), position(1, 0), position(0, 1), position(1, 1)],
        processes: vec![position(0, 0), position(0, 1)],
        ..Symmetry::default()
    };
    let setup = vec![Setup::Channel(0, 0), Setup::Channel(1, 0)];
    let fields = vec![Scalar::plain(Width::Byte)];
    let model = Model {
        channels: vec![ChannelType { name: "c".to_string(), capacity: 1, fields, mtypes: vec![None] }],
        proctypes: vec![proctype(0, vec![slot(Scalar::CHANNEL); 2], setup, vec![Default::default()])],
        initial: vec![Instance { proctype: 0, priority: 1 }; 2],
        symmetry: Some(symmetry),
        ..Model::default()
    };
    let state = |number: usize| {
        let process = |k: i32| Process {
            proctype: 0,
            control: 0,
            priority: 1,
            locals: vec![2 * k + 1, 2 * k + 2],
            callers: Vec::new(),
        };
        let channel = |k: usize| Channel {
            ty: 0,
            owner: Some(k / 2),
            messages: [vec![], vec![vec![3]], vec![vec![5]], vec![vec![7]]][number >> (2 * k) & 3].clone(),
        };
        let (processes, channels) = ((0..2).map(process).collect(), (0..4).map(channel).collect());
        State { globals: Vec::new(), processes, channels, last: 0, event: 0, rests: false, heap: Default::default() }
    };
    check_all(&model, &(0..256).map(state).collect::<Vec<_>>());
}
