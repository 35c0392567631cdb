//! The places of memory of an execution, each with the name that the program's text gives it where it is
//! accessed.

use super::hint::hint;
use super::sources::{Sources, is_library};
use super::steps::Numbers;
use quotient_graph::{Event, EventId, Graph, LocationId};
use quotient_report::execution::MemoryLocation;
use std::collections::{HashMap, HashSet};

/// A name with so many characters says something; for a shorter one a better one is looked for.
const SPEAKING: usize = 3;

/// The places in the order of their numbers.
pub(super) fn places(graph: &Graph, numbers: &Numbers, sources: &mut Sources) -> Vec<MemoryLocation> {
    let mut hints: Vec<Option<String>> = vec![None; numbers.places().len()];
    // A long run comes to the same places in the program's text again and again.
    let mut tried = HashSet::new();
    for event in numbers.order().iter().map(|&id| graph.event(id)).filter(|event| event.is_access()) {
        let place = numbers.place(event.location);
        let has_name = hints[place].as_ref().is_some_and(|hint| hint.chars().count() >= SPEAKING);
        if !has_name && tried.insert((place, event.site)) {
            let hint = hint_of(event, sources);
            let better = hints[place].is_none() || hint.as_ref().is_some_and(|hint| hint.chars().count() >= SPEAKING);
            if better {
                hints[place] = hint;
            }
        }
    }
    let mut taken: HashMap<String, usize> = HashMap::new();
    let label = |(index, hint): (usize, Option<String>)| {
        let name = hint.unwrap_or_else(|| format!("place {}", index + 1));
        let times = taken.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 { name } else { format!("{name}#{times}") }
    };
    let labels = hints.into_iter().enumerate().map(label);
    let place = |(label, &location): (String, &LocationId)| MemoryLocation {
        label,
        initial: has_values(graph, location).then(|| graph.location(location).init),
        writes: graph.location(location).writes.iter().filter_map(|&write| numbers.step(write)).collect(),
    };
    labels.zip(numbers.places()).map(place).collect()
}

fn hint_of(event: &Event, sources: &mut Sources) -> Option<String> {
    if sources.is_native() {
        return sources.name_of(event.location);
    }
    let site = event.site;
    if is_library(site.file()) {
        return None;
    }
    hint(sources.text(site.file())?, site.line(), site.column())
}

/// Whether the graph knows the values of a place: of ordinary data it knows only that it was accessed.
pub(super) fn has_values(graph: &Graph, location: LocationId) -> bool {
    let place = graph.location(location);
    let tells = |&id: &EventId| !graph.event(id).is_plain() || graph.event(id).value != 0;
    place.init != 0 || place.writes.iter().chain(&place.reads).any(tells)
}
