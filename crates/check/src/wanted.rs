//! Which properties of a model are checked. It follows the option `--property`: names are looked up in the model, and what is no
//! name is a formula.

use quotient_ir::{Claim, ClaimKind, Model, ProctypeKind};

use crate::Error;
use crate::input::{Input, ModelSource, load_as};
use crate::options::ModelOptions;
use crate::words::{Algorithm, CountAs, Language, Order, Property, Store};

/// What is checked.
pub(crate) struct Wanted {
    /// Whether safety is.
    pub safety: bool,
    /// The claims, in the order in which they are checked.
    pub claims: Vec<Claim>,
    /// What the model states beside, as reports call it.
    pub unchecked: Vec<String>,
    /// Whether all that was asked for is checked.
    pub is_complete: bool,
    /// Formulas of the command line, with the names that they got.
    pub formulas: Vec<(String, String)>,
}

/// Reads the model and decides.
pub(crate) fn choose(source: &ModelSource, options: &ModelOptions) -> Result<(Input, Wanted), Error> {
    let (defines, count_as) = (&options.common.defines, options.count_as);
    let mut input = load_as(source, defines, &[], count_as, &options.reading)?;
    let asked: Vec<Property> = match &options.common.property[..] {
        [] => vec![Property::All],
        some => some.to_vec(),
    };
    // What is not the name of a claim is a formula.
    let mut formulas = Vec::new();
    let mut names = Vec::new();
    for property in &asked {
        let Property::Claim(text) = property else { continue };
        if input.model.claims.iter().any(|claim| claim.name == *text) {
            names.push(text.clone());
            continue;
        }
        let mut name = format!("cli_{}", formulas.len() + 1);
        while input.model.claims.iter().any(|claim| claim.name == name) {
            name.push('_');
        }
        names.push(name.clone());
        formulas.push((name, text.clone()));
    }
    if !formulas.is_empty() {
        let names: Vec<String> = input.model.claims.iter().map(|claim| format!("`{}`", claim.name)).collect();
        input = load_as(source, defines, &formulas, count_as, &options.reading)
            .map_err(|error| with_names(error, &names))?;
    }
    let model = &input.model;
    let has = |property: Property| asked.contains(&property);
    let (all, counts) = (has(Property::All), count_as != CountAs::Quotient);
    let own = |claim: &&Claim| !formulas.iter().any(|(name, _)| *name == claim.name);
    let mut claims: Vec<Claim> = Vec::new();
    if all && !counts {
        let (never, others): (Vec<&Claim>, Vec<&Claim>) =
            model.claims.iter().filter(own).partition(|claim| matches!(claim.kind, ClaimKind::Never(_)));
        claims.extend(never.into_iter().chain(others).cloned());
    }
    for name in names {
        if !claims.iter().any(|claim| claim.name == name) {
            claims.extend(model.claims.iter().find(|claim| claim.name == name).cloned());
        }
    }
    if has(Property::Acceptance) {
        claims.push(Claim::acceptance());
    }
    if has(Property::Progress) {
        claims.push(Claim::progress());
    }
    let is_bir = options.reading.language_of(source.name()) == Language::Bir;
    if let Some(about) = [Property::Acceptance, Property::Progress].into_iter().find(|one| is_bir && has(one.clone())) {
        let name = if about == Property::Progress { "progress" } else { "acceptance" };
        return Err(Error::option(format!(
            "--property {name} is about labels of processes, and models in BIR have none; an `ltl` formula can say it"
        )));
    }
    let safety = all || has(Property::Safety) || has(Property::None);
    refuse(options, &claims, safety)?;
    let mut unchecked = Vec::new();
    if !has(Property::None) {
        let others = model.claims.iter().filter(|claim| !claims.iter().any(|other| other.name == claim.name));
        unchecked.extend(others.map(Claim::to_string));
    }
    let is_complete = !all || unchecked.is_empty();
    if !has(Property::None) {
        unchecked.extend(unasked_labels(model, &claims));
    }
    Ok((input, Wanted { safety, claims, unchecked, is_complete, formulas }))
}

/// What is wrong with formulas. One that is a single word was meant as a name.
fn with_names(error: Error, names: &[String]) -> Error {
    let Error::Rejected { input, mut diagnostics, sources } = error else { return error };
    let known = match names {
        [] => "the model has no claim with a name".to_string(),
        names => format!("the model's claims are {}", names.join(", ")),
    };
    for diagnostic in &mut diagnostics {
        let text = diagnostic.span.map_or("", |span| &sources.file(span.file).text);
        if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)) {
            diagnostic.help.push(format!("{known}; what is not the name of one is read as a formula"));
        }
    }
    Error::Rejected { input, diagnostics, sources }
}

/// Refuses options that a temporal search does not honour.
fn refuse(options: &ModelOptions, claims: &[Claim], safety: bool) -> Result<(), Error> {
    if !options.fair_to.is_empty() && options.fair.is_none() {
        return Err(Error::option("--fair-to says whom --fair is about, and there is no --fair"));
    }
    let Some(first) = claims.first() else {
        let given = [
            (options.fair.is_some(), "--fair"),
            (options.explain, "--explain"),
            (options.algorithm == Algorithm::Ndfs, "--algorithm ndfs"),
        ];
        return match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => {
                let message = format!("{option} is for temporal properties, and none is checked");
                Err(Error::Option { message, help: vec!["--property 'FORMULA' asks for one".to_string()] })
            }
            None => Ok(()),
        };
    };
    let help = |message: &str| Error::Option {
        message: format!("{message}, and {first} is a temporal property"),
        help: vec!["--property safety checks safety only".to_string()],
    };
    if options.count_as != CountAs::Quotient {
        return Err(help("--count-as counts the states of safety searches"));
    }
    if options.algorithm == Algorithm::Ndfs && (options.fair.is_some() || options.order == Order::Bfs) {
        return Err(Error::option("--algorithm ndfs knows no fairness, and is depth-first"));
    }
    if !safety {
        let given = [
            (options.store == Store::Tree, "--store tree is for safety searches"),
            (options.unreached, "--unreached tells of safety searches"),
            (
                options.all_errors && options.algorithm != Algorithm::Ndfs,
                "--all-errors goes on in safety searches and in --algorithm ndfs",
            ),
        ];
        if let Some((_, about)) = given.iter().find(|(is_given, _)| *is_given) {
            return Err(Error::option(format!("{about}, and {first} is a temporal property")));
        }
    }
    if options.explain && options.algorithm == Algorithm::Ndfs {
        return Err(Error::option("--explain asks about fairness, and --algorithm ndfs knows none"));
    }
    // A formula may look into records whose locks somebody holds.
    if options.reading.assume_locks {
        return Err(help("--assume-locks is for safety searches"));
    }
    Ok(())
}

/// Labels that state a property which nobody asked for.
fn unasked_labels(model: &Model, claims: &[Claim]) -> Vec<String> {
    let processes = model.proctypes.iter().filter(|ty| matches!(ty.kind, ProctypeKind::Process | ProctypeKind::Init));
    let states = || processes.clone().flat_map(|ty| &ty.states);
    let asked = |kind: fn(&ClaimKind) -> bool| claims.iter().any(|claim| kind(&claim.kind));
    let mut unasked = Vec::new();
    if states().any(|state| state.accept) && !asked(|kind| matches!(kind, ClaimKind::Acceptance)) {
        unasked.push("acceptance labels (--property acceptance)".to_string());
    }
    if states().any(|state| state.progress) && !asked(|kind| matches!(kind, ClaimKind::Progress)) {
        unasked.push("progress labels (--property progress)".to_string());
    }
    unasked
}
