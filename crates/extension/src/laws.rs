//! Laws that every extension must obey, so that a checker can collect, rename and reorder what is in its values.
//!
//! | law | what would go wrong without it |
//! |---|---|
//! | the same call gives the same | runs could not be repeated |
//! | references can be renamed | states that differ in names would be taken for one and behave differently |
//! | the order of entries that are unordered means nothing | the same, for states that differ in that order |
//! | what is only read does not change, and what does not choose has one result | reductions would leave steps out |
//! | values and results are what was declared | references would be taken for numbers |
//!
//! [`check`] tries them with random values; [`Broken`] says which one is broken, by which operation, and with which call.

mod sample;

use std::fmt;

use quotient_ir::extension::{Alternative, Call, Contents, Extension, Failure, Operation, Stopped, Term};

use sample::Sample;

/// A law that an extension breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The law.
    pub law: Law,
    /// The operation.
    pub operation: &'static str,
    /// The call that shows it.
    pub call: String,
}

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Law {
    /// The same call gives the same.
    Repeatable,
    /// Renamed references give renamed results.
    Renaming,
    /// The order of entries that are unordered means nothing.
    Order,
    /// Values that are only read do not change.
    Reads,
    /// What does not choose has one result; what chooses has alternatives from the first on.
    Choices,
    /// Entries have as many cells as declared, and references come from somewhere.
    Shape,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let law = match self.law {
            Law::Repeatable => "gives something else when it is called again",
            Law::Renaming => "depends on the names of references",
            Law::Order => "depends on the order of entries that are unordered",
            Law::Reads => "changes a value that it only reads, as it says",
            Law::Choices => "has other alternatives than it says",
            Law::Shape => "gives something else than it says",
        };
        write!(f, "`{}` {law}: {}", self.operation, self.call)
    }
}

/// Tries all operations of an extension with so many random calls each.
///
/// # Errors
/// The first law that is found broken.
pub fn check(extension: &dyn Extension, rounds: u32) -> Result<(), Broken> {
    for (number, operation) in extension.operations().iter().enumerate() {
        for round in 0..rounds {
            let mut sample = Sample::new((u64::from(round) << 8) + number as u64 + 1);
            let case = sample.case(extension, operation);
            let broken = |law| Broken {
                law,
                operation: operation.name,
                call: format!("{:?} with {:?}", case.args, case.values),
            };
            check_case(extension, number, &case, &mut sample).map_err(broken)?;
        }
    }
    Ok(())
}

/// A call: arguments, what is in those that are values, and which type variables stand for references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    args: Vec<i32>,
    values: Vec<Option<Contents>>,
    /// By argument, the number of its type.
    types: Vec<Option<usize>>,
    references: Vec<bool>,
}

/// What one alternative of a call gave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    result: Result<i32, u8>,
    made: Option<Vec<i32>>,
    values: Vec<Option<Vec<i32>>>,
}

/// More alternatives than this are not looked at.
const MOST: u32 = 64;

fn carry_out(
    extension: &dyn Extension,
    number: usize,
    case: &Case,
    alternative: Alternative,
) -> (Outcome, Option<Stopped>) {
    let operation = &extension.operations()[number];
    let mut values = case.values.clone();
    let mut made = match operation.result {
        Some(Term::Own(ty)) => {
            let ty = &extension.types()[ty];
            Some(Contents::new(ty.head.len(), ty.entry.len()))
        }
        _ => None,
    };
    let result = extension.apply(number, &mut Call::new(&case.args, &mut values, made.as_mut(), alternative));
    let stopped = result.err();
    let failure = |stopped| match stopped {
        Stopped::Failed(Failure::Empty) => 0,
        Stopped::Failed(Failure::Missing) => 1,
        Stopped::Failed(Failure::Full) => 2,
        Stopped::Failed(Failure::Invalid) => 3,
        Stopped::NoAlternative => 4,
        Stopped::TooMany(_) => 5,
    };
    let cells = |value: Option<Contents>| value.map(Contents::into_cells);
    let gives = |result| if matches!(operation.result, Some(Term::Own(_)) | None) { 0 } else { result };
    let result = result.map(gives).map_err(failure);
    // What is left of a call that failed is thrown away.
    let kept = result.is_ok();
    let values = if kept { values.into_iter().map(cells).collect() } else { Vec::new() };
    (Outcome { result, made: cells(made).filter(|_| kept), values }, stopped)
}

/// Everything that a call can give.
fn all(extension: &dyn Extension, number: usize, case: &Case) -> Result<Vec<Outcome>, Law> {
    let operation = &extension.operations()[number];
    if !operation.chooses {
        let (outcome, stopped) = carry_out(extension, number, case, Alternative::Only);
        return match stopped {
            Some(Stopped::NoAlternative | Stopped::TooMany(_)) => Err(Law::Choices),
            _ => Ok(vec![outcome]),
        };
    }
    let mut found = Vec::new();
    for chosen in 0..MOST {
        let alternative = Alternative::Number { chosen, most: u32::MAX };
        let (outcome, stopped) = carry_out(extension, number, case, alternative);
        match stopped {
            Some(Stopped::NoAlternative) => break,
            Some(Stopped::TooMany(_)) => return Err(Law::Choices),
            _ => found.push(outcome),
        }
    }
    // The alternatives are as many as those that a model must have transitions for, and have no gaps.
    let number_of = found.len() as u32;
    let beyond = |most| carry_out(extension, number, case, Alternative::Beyond(most)).1;
    let fits = match found.first().map(|outcome| outcome.result) {
        Some(Ok(_)) => {
            beyond(number_of) == Some(Stopped::NoAlternative)
                && beyond(number_of - 1) == Some(Stopped::TooMany(number_of - 1))
                && found.iter().all(|outcome| outcome.result.is_ok())
        }
        Some(Err(_)) => number_of == 1 && beyond(0) == Some(Stopped::NoAlternative),
        None => beyond(0) == Some(Stopped::NoAlternative),
    };
    let constants: Vec<Option<i32>> = case.args.iter().copied().map(Some).collect();
    let promised = extension.alternatives(number, &constants).is_none_or(|most| number_of <= most);
    if fits && promised { Ok(found) } else { Err(Law::Choices) }
}

fn check_case(extension: &dyn Extension, number: usize, case: &Case, sample: &mut Sample) -> Result<(), Law> {
    let operation = &extension.operations()[number];
    let outcomes = all(extension, number, case)?;
    if all(extension, number, case)? != outcomes {
        return Err(Law::Repeatable);
    }
    for outcome in &outcomes {
        reads(operation, case, outcome)?;
        shape(extension, operation, case, outcome)?;
    }
    let renaming = sample.renaming();
    let renamed = rename_case(extension, operation, case, &renaming);
    let expected: Vec<Outcome> =
        outcomes.iter().map(|outcome| rename(extension, operation, case, outcome, &renaming)).collect();
    if all(extension, number, &renamed)? != expected {
        return Err(Law::Renaming);
    }
    let shuffled = sample.shuffled(extension, case);
    if shuffled != *case {
        let normal = |outcomes: Vec<Outcome>| {
            let normal = outcomes.into_iter().map(|outcome| normal_form(extension, operation, case, outcome));
            let mut normal: Vec<Outcome> = normal.collect();
            normal.sort_unstable();
            normal
        };
        if normal(all(extension, number, &shuffled)?) != normal(outcomes) {
            return Err(Law::Order);
        }
    }
    Ok(())
}

/// What is only read does not change.
fn reads(operation: &Operation, case: &Case, outcome: &Outcome) -> Result<(), Law> {
    for (number, after) in outcome.values.iter().enumerate() {
        let writes = operation.parameter(number).is_some_and(|parameter| parameter.writes);
        let before = case.values[number].as_ref().map(Contents::cells);
        if !writes && after.as_deref() != before {
            return Err(Law::Reads);
        }
    }
    Ok(())
}

/// Cells, by the type of their value.
fn is_reference(extension: &dyn Extension, case: &Case, ty: usize, cell: usize) -> bool {
    let ty = &extension.types()[ty];
    let term = match cell.checked_sub(ty.head.len()) {
        None => ty.head[cell],
        Some(cell) => ty.entry[cell % ty.entry.len().max(1)],
    };
    term_is_reference(case, term)
}

fn term_is_reference(case: &Case, term: Term) -> bool {
    match term {
        Term::Variable(variable) => case.references[variable],
        Term::Own(_) => true,
        Term::Boolean | Term::Int => false,
    }
}

/// The references in a list of values with their types.
fn references(extension: &dyn Extension, case: &Case, ty: usize, cells: &[i32]) -> Vec<i32> {
    let chosen = cells.iter().enumerate().filter(|&(number, _)| is_reference(extension, case, ty, number));
    chosen.map(|(_, &cell)| cell).collect()
}

/// Every value is as long as it must be, and every reference was there before, or is none.
fn shape(extension: &dyn Extension, operation: &Operation, case: &Case, outcome: &Outcome) -> Result<(), Law> {
    let mut known = vec![0];
    for (number, &arg) in case.args.iter().enumerate() {
        let term = operation.parameter(number).map(|parameter| parameter.term);
        if term.is_some_and(|term| term_is_reference(case, term)) {
            known.push(arg);
        }
        if let (Some(ty), Some(value)) = (case.types[number], &case.values[number]) {
            known.extend(references(extension, case, ty, value.cells()));
        }
    }
    let check = |ty: usize, cells: &[i32]| {
        let declared = &extension.types()[ty];
        let entries = cells.len().checked_sub(declared.head.len()).ok_or(Law::Shape)?;
        let whole = entries == 0 || (!declared.entry.is_empty() && entries.is_multiple_of(declared.entry.len()));
        let all_known = || references(extension, case, ty, cells).iter().all(|name| known.contains(name));
        if whole && all_known() { Ok(()) } else { Err(Law::Shape) }
    };
    for (ty, cells) in case.types.iter().zip(&outcome.values) {
        if let (Some(ty), Some(cells)) = (ty, cells) {
            check(*ty, cells)?;
        }
    }
    match (operation.result, outcome.result, &outcome.made) {
        (Some(Term::Own(ty)), Ok(_), Some(cells)) => check(ty, cells),
        (Some(Term::Own(_)), Ok(_), None) => Err(Law::Shape),
        (Some(Term::Boolean), Ok(value), _) if !(0..=1).contains(&value) => Err(Law::Shape),
        (Some(term), Ok(value), _) if term_is_reference(case, term) && !known.contains(&value) => Err(Law::Shape),
        _ => Ok(()),
    }
}

type Renaming = Box<dyn Fn(i32) -> i32>;

fn rename_cells(extension: &dyn Extension, case: &Case, ty: usize, cells: &[i32], renaming: &Renaming) -> Vec<i32> {
    let name = |(number, &cell): (usize, &i32)| match is_reference(extension, case, ty, number) {
        true => renaming(cell),
        false => cell,
    };
    cells.iter().enumerate().map(name).collect()
}

fn rename_case(extension: &dyn Extension, operation: &Operation, case: &Case, renaming: &Renaming) -> Case {
    let mut renamed = case.clone();
    for (number, arg) in renamed.args.iter_mut().enumerate() {
        let term = operation.parameter(number).map(|parameter| parameter.term);
        if term.is_some_and(|term| term_is_reference(case, term)) {
            *arg = renaming(*arg);
        }
        if let (Some(ty), Some(value)) = (case.types[number], &case.values[number]) {
            let declared = &extension.types()[ty];
            let cells = rename_cells(extension, case, ty, value.cells(), renaming);
            renamed.values[number] = Some(Contents::of_cells(cells, declared.head.len(), declared.entry.len()));
        }
    }
    renamed
}

fn rename(
    extension: &dyn Extension,
    operation: &Operation,
    case: &Case,
    outcome: &Outcome,
    renaming: &Renaming,
) -> Outcome {
    let mut renamed = outcome.clone();
    if let (Some(Term::Variable(variable)), Ok(value)) = (operation.result, &mut renamed.result)
        && case.references[variable]
    {
        *value = renaming(*value);
    }
    if let (Some(Term::Own(ty)), Some(made)) = (operation.result, &mut renamed.made) {
        *made = rename_cells(extension, case, ty, made, renaming);
    }
    for (ty, value) in case.types.iter().zip(&mut renamed.values) {
        if let (Some(ty), Some(value)) = (ty, value) {
            *value = rename_cells(extension, case, *ty, value, renaming);
        }
    }
    renamed
}

/// The outcome with its unordered entries sorted.
fn normal_form(extension: &dyn Extension, operation: &Operation, case: &Case, mut outcome: Outcome) -> Outcome {
    let sort = |ty: usize, cells: &mut Vec<i32>| {
        let ty = &extension.types()[ty];
        if ty.unordered {
            let mut value = Contents::of_cells(std::mem::take(cells), ty.head.len(), ty.entry.len());
            value.sort();
            *cells = value.into_cells();
        }
    };
    if let (Some(Term::Own(ty)), Some(made)) = (operation.result, &mut outcome.made) {
        sort(ty, made);
    }
    for (ty, value) in case.types.iter().zip(&mut outcome.values) {
        if let (Some(ty), Some(value)) = (ty, value) {
            sort(*ty, value);
        }
    }
    outcome
}
