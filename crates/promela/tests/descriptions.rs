//! Description files: what they say of a model, and every message about a wrong one.

use std::path::Path;

use quotient_ir::{Group, Model, Names};
use quotient_promela::{Options, describe, load_with};
use quotient_report::source::SourceMap;

const MODEL: &str = "
    typedef pair { byte of_whom; bool yes };
    byte flag[3]; byte turn = 3; pair said[3]; bit small; chan ask[3] = [2] of { byte, bool };
    proctype P(byte i; byte k) { byte seen[3]; do :: skip od }
    proctype Q(byte i) { do :: skip od }
    init { atomic { run P(1, 0); run P(0, 0); run P(2, 0); byte j; for (j : 0 .. 2) { run Q(j) } } }
";

fn model() -> Model {
    let loader = |_: &Path| Ok(MODEL.as_bytes().to_vec());
    load_with("m.pml".as_ref(), &Options::default(), &loader).model.expect("a model")
}

/// The model with a description, or the messages with their lines.
fn described(description: &str) -> Result<Model, Vec<String>> {
    let mut model = model();
    let mut sources = SourceMap::default();
    let loader = |_: &Path| Ok(description.as_bytes().to_vec());
    let problems = describe(&mut model, "m.sym".as_ref(), &Options::default(), &mut sources, &loader);
    if problems.is_empty() {
        return Ok(model);
    }
    assert!(model.symmetry.is_none(), "a wrong description leaves the model as it was");
    let tell = |problem: &quotient_report::diagnostic::Diagnostic| {
        let line = problem.span.map_or(0, |span| sources.location(span).line);
        format!("{line}: {}", problem.message)
    };
    Err(problems.iter().map(tell).collect())
}

#[test]
fn everything_gets_its_position() {
    let model = described(
        "scalarset PID;\nbyte flag[PID];\nPID turn;\nPID said[PID].of_whom;\nbool said[PID].yes;\nchan ask[PID] of { PID, bool };\n\
         proctype P[PID] { PID i; byte seen[PID] }\nproctype Q[PID];",
    )
    .expect("a right description");
    let symmetry = model.symmetry.as_ref().expect("a symmetry");
    assert_eq!((symmetry.sets[0].size, symmetry.sets[0].group), (3, Group::Symmetric));
    let members = |name: &str| {
        let slot = model.globals.iter().position(|slot| slot.name == name).expect("a slot");
        let element = &symmetry.globals[slot];
        (element.position.members.clone(), element.names.map(|names| symmetry.names[names].clone()))
    };
    let pid = Some(Names::run(0, 0, 3));
    assert_eq!(members("flag[2]"), (vec![(0, 2)], None));
    assert_eq!(members("turn"), (vec![], pid.clone()));
    assert_eq!(members("said[1].of_whom"), (vec![(0, 1)], pid.clone()));
    assert_eq!(members("said[1].yes"), (vec![(0, 1)], None));
    assert_eq!(members("ask[0]"), (vec![(0, 0)], None));
    let channels: Vec<_> = symmetry.channels.iter().map(|position| position.members.clone()).collect();
    assert_eq!(channels, [[(0, 0)], [(0, 1)], [(0, 2)]]);
    let fields: Vec<_> =
        symmetry.fields[0].iter().map(|names| names.map(|names| symmetry.names[names].clone())).collect();
    assert_eq!(fields, [pid.clone(), None]);
    let slots = |ty: &str| {
        let ty = model.proctypes.iter().position(|proctype| proctype.name == ty).expect("a type");
        let element = |element: &quotient_ir::Element| (element.position.members.clone(), element.names.is_some());
        symmetry.locals[ty].iter().map(element).collect::<Vec<_>>()
    };
    let seen = |k| (vec![(0, k)], false);
    assert_eq!(slots("P"), [(vec![], true), (vec![], false), seen(0), seen(1), seen(2)]);
    assert_eq!(slots("Q"), [(vec![], false)]);
    // The parameter tells which member a process is; without one, the order of creation does.
    let processes: Vec<_> = symmetry.processes.iter().map(|position| position.members.clone()).collect();
    assert_eq!(processes[1..], [[(0, 1)], [(0, 0)], [(0, 2)], [(0, 0)], [(0, 1)], [(0, 2)]]);
    assert!(processes[0].is_empty());
}

#[test]
fn groups_and_first_values() {
    let model = described("dihedral R[3]; R(1) turn; proctype P[R];").expect("a right description");
    let symmetry = model.symmetry.as_ref().expect("a symmetry");
    assert_eq!(symmetry.sets[0].group, Group::Dihedral);
    let turn = model.globals.iter().position(|slot| slot.name == "turn").expect("a slot");
    let names = symmetry.globals[turn].names.expect("a table");
    assert_eq!(symmetry.names[names].values, [(1, 0, 0), (2, 0, 1), (3, 0, 2)]);
}

#[test]
fn every_mistake_is_told_with_its_line() {
    let wrong = [
        ("scalarset PID[3]\nbyte flag[PID];", vec!["2: expected `;`, found `byte`"]),
        ("scalarset PID; scalarset PID;", vec!["1: scalarset `PID` is declared twice"]),
        ("\nbyte flag[PID];", vec!["2: `PID` is neither a scalarset declared above nor a type of Promela"]),
        ("scalarset PID;", vec!["1: nothing tells how many members scalarset `PID` has"]),
        ("scalarset PID[300]; PID turn;", vec!["1: scalarset `PID` has 300 members; there can be 1 to 255"]),
        (
            "scalarset PID[3];\nPID tern;\nbyte flog[PID];",
            vec!["2: the model has no variable `tern` here", "3: the model has no variable `flog` here"],
        ),
        ("scalarset PID[3];\nproctype R[PID];", vec!["2: the model has no proctype `R`"]),
        ("scalarset PID[2];\nbyte flag[PID];", vec!["2: `flag[2]` has more elements than scalarset `PID` has members"]),
        ("scalarset PID[3];\nPID small;", vec!["2: `small` is a single bit, too narrow for names"]),
        ("scalarset PID[3];\nPID said[PID];", vec!["2: `said` is a structure: declare its fields"]),
        ("scalarset PID[3];\nPID ask[PID];", vec!["2: `ask` is a channel, not a name of a member"]),
        (
            "scalarset PID[3];\nchan flag[PID];",
            vec!["2: `flag[0]` is not a channel", "2: `flag[1]` is not a channel", "2: `flag[2]` is not a channel"],
        ),
        ("scalarset PID[3];\nchan ask[PID] of { PID };", vec!["2: messages of `ask` have 2 fields, not 1"]),
        ("scalarset PID[4];\nproctype P[PID];", vec!["2: 3 processes of type `P` are created at the start, not 4"]),
        (
            "scalarset PID[3];\nproctype P[PID] { PID k }",
            vec!["2: the instances of `P` do not stand for one member each"],
        ),
        ("scalarset PID[3]; proctype P[PID] { PID\n", vec!["2: expected the name of a variable, found `end of file`"]),
    ];
    for (description, messages) in wrong {
        assert_eq!(described(description).expect_err(description), messages, "{description}");
    }
}
