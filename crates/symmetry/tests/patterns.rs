//! Ways to write symmetric code that are easily missed: the whole group is found, its renamings commute with the steps of
//! the reference interpreter, and brute force on the graph of states shows that there are no more renamings.

mod common;

use std::collections::{BTreeSet, HashMap};

use quotient_generate::patterns::{self as list, Pattern};
use quotient_ir::{Model, ProctypeId};
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_symmetry::act::{Renaming, generators};
use quotient_symmetry::start;

/// States on which renamings are tried.
const MOST: usize = 3000;
/// States of a graph that is compared with itself.
const MOST_IN_GRAPH: usize = 20_000;

/// What can happen: who moves (nobody, where control becomes free), with whom, and what goes wrong.
type Label = (Option<usize>, Option<usize>, Vec<String>);

/// What can happen, and where it leads; nowhere, if the step cannot be completed.
type Step = (Label, Option<usize>);

/// The graph of states: for each of them its steps.
struct Graph {
    steps: Vec<Vec<Step>>,
    ends: Vec<bool>,
}

fn graph(model: &Model) -> Graph {
    let interpreter = Interpreter { model, promises: false };
    let first = (interpreter.initial().0, Control::Free);
    let mut numbers: HashMap<(State, Control), usize> = HashMap::from([(first.clone(), 0)]);
    let mut found = vec![first];
    let mut graph = Graph { steps: Vec::new(), ends: Vec::new() };
    while graph.steps.len() < found.len() {
        let (state, control) = found[graph.steps.len()].clone();
        let mut number = |next: (State, Control)| {
            *numbers.entry(next.clone()).or_insert_with(|| {
                found.push(next);
                found.len() - 1
            })
        };
        let mut ends = false;
        let steps = match interpreter.moves(&state, control) {
            Moves::Some(outcomes) => outcomes
                .into_iter()
                .map(|outcome| {
                    let faults = outcome.faults.iter().map(|f| format!("{:?}", std::mem::discriminant(&f.kind)));
                    let label = (
                        Some(outcome.choice.process),
                        outcome.choice.partner.map(|(process, _)| process),
                        faults.collect(),
                    );
                    (label, outcome.next.map(&mut number))
                })
                .collect(),
            Moves::Release => vec![((None, None, Vec::new()), Some(number((state, Control::Free))))],
            Moves::End => {
                ends = true;
                Vec::new()
            }
            Moves::Deadlock => Vec::new(),
        };
        graph.steps.push(steps);
        graph.ends.push(ends);
        assert!(found.len() < MOST_IN_GRAPH, "too many states");
    }
    graph
}

impl Graph {
    /// Whether the graph cannot be told from itself with processes renamed: a bisimulation between both, found by refining
    /// a partition of all states of the two.
    fn is_like_itself(&self, to: &[usize]) -> bool {
        let count = self.steps.len();
        let renamed = |process: Option<usize>, copy: usize| process.map(|p| if copy == 1 { to[p] } else { p });
        let mut blocks: Vec<usize> = (0..2 * count).map(|at| usize::from(self.ends[at % count])).collect();
        let mut known = 0;
        loop {
            let mut numbers: HashMap<(usize, BTreeSet<Step>), usize> = HashMap::new();
            let refined: Vec<usize> = (0..2 * count)
                .map(|at| {
                    let (state, copy) = (at % count, at / count);
                    let steps = self.steps[state].iter().map(|((who, with, faults), next)| {
                        let label = (renamed(*who, copy), renamed(*with, copy), faults.clone());
                        (label, next.map(|next| blocks[next + copy * count]))
                    });
                    let next = numbers.len();
                    *numbers.entry((blocks[at], steps.collect())).or_insert(next)
                })
                .collect();
            if refined[0] != refined[count] {
                return false;
            }
            if numbers.len() == known {
                return true;
            }
            known = numbers.len();
            blocks = refined;
        }
    }
}

/// All ways to rename processes such that each stays of its type.
fn renamings(types: &[ProctypeId]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for &ty in types {
        let choices = |renaming: &Vec<usize>| {
            let free = |&to: &usize| types[to] == ty && !renaming.contains(&to);
            (0..types.len()).filter(free).map(|to| [&renaming[..], &[to]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(choices).collect();
    }
    all
}

/// The renamings of processes that some generate.
fn generated(generators: &[Vec<usize>], processes: usize) -> BTreeSet<Vec<usize>> {
    let mut all = BTreeSet::new();
    let mut work: Vec<Vec<usize>> = vec![(0..processes).collect()];
    while let Some(one) = work.pop() {
        if all.insert(one.clone()) {
            work.extend(generators.iter().map(|g| one.iter().map(|&p| g[p]).collect()));
        }
    }
    all
}

/// Checks one model; gives what is wrong.
fn check(pattern: &Pattern) -> Result<(), String> {
    let subject = common::load_text(pattern.text);
    let found: Vec<&str> = subject.detection.found.iter().map(|f| f.text.as_str()).collect();
    let as_expected = found.len() == pattern.found.len()
        && found.iter().zip(pattern.found).all(|(found, expected)| {
            found.strip_prefix(expected).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
    if !as_expected {
        return Err(format!("expected {:?}\n   found {:#?}", pattern.found, subject.lines()));
    }
    if subject.check(MOST)? == 0 && !found.is_empty() {
        return Err("no renaming was tried".to_string());
    }
    let symmetry = subject.detection.symmetry.clone().unwrap_or_default();
    let types = start::start(&subject.model).expect("all processes are created").state.processes;
    let types: Vec<ProctypeId> = types.iter().map(|p| p.proctype).collect();
    let processes = types.len();
    let own: Vec<Vec<usize>> = generators(&symmetry)
        .iter()
        .map(|p| {
            (0..processes).map(|pid| Renaming::new(&subject.model, &symmetry, p).process(pid as i32) as usize).collect()
        })
        .collect();
    let own = generated(&own, processes);
    let others: Vec<Vec<usize>> = renamings(&types).into_iter().filter(|renaming| !own.contains(renaming)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let graph = graph(&subject.model);
    for renaming in others {
        if graph.is_like_itself(&renaming) {
            return Err(format!("{renaming:?} is a symmetry, too, and is not found: {:#?}", subject.lines()));
        }
    }
    Ok(())
}

fn check_all(patterns: &[Pattern]) {
    let problems: Vec<String> = patterns
        .iter()
        .filter_map(|pattern| check(pattern).err().map(|problem| format!("{}: {problem}", pattern.name)))
        .collect();
    assert!(patterns.len() >= 2);
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn resets() {
    check_all(list::RESETS);
}

#[test]
fn options_for_members() {
    check_all(list::OPTIONS);
}

#[test]
fn channels_and_variables_outside_arrays() {
    check_all(list::OUTSIDE_ARRAYS);
}

#[test]
fn members_that_end() {
    check_all(list::ENDING);
}

#[test]
fn special_members() {
    check_all(list::SPECIAL);
}

#[test]
fn loops() {
    check_all(list::LOOPS);
}

#[test]
fn guarded_indices() {
    check_all(list::GUARDED);
}

#[test]
fn values_for_none() {
    check_all(list::NONE);
}

#[test]
fn scratch_variables() {
    check_all(list::SCRATCH);
}

#[test]
fn arithmetic() {
    check_all(list::ARITHMETIC);
}

#[test]
fn what_is_known_of_others() {
    check_all(list::REMOTE);
}

#[test]
fn ids_with_gaps() {
    check_all(list::GAPS);
}

#[test]
fn what_nobody_reads() {
    check_all(list::UNREAD);
}

#[test]
fn nested_loops() {
    check_all(list::NESTED);
}

#[test]
fn other_orders() {
    check_all(list::ORDER);
}

/// Here brute force must show that what is not found is not there.
#[test]
fn near_misses() {
    check_all(list::NEAR);
}
