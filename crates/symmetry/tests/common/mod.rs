//! What tests of symmetry share.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use quotient_ir::{Model, Symmetry};
use quotient_promela::Options;
use quotient_report::source::SourceMap;
use quotient_step::Control;
use quotient_step::reference::{Interpreter, Moves, State};
use quotient_symmetry::act::{Renaming, applies, forget, generators};
use quotient_symmetry::{Detection, detect};

/// A model with its symmetry.
pub(crate) struct Subject {
    pub model: Model,
    pub sources: SourceMap,
    pub detection: Detection,
}

#[allow(dead_code)]
pub(crate) fn load(path: &Path, defines: &[(&str, &str)]) -> Subject {
    let mut options = Options::default();
    options.defines.extend(defines.iter().map(|(n, v)| (n.to_string(), Some(v.to_string()))));
    finish(quotient_promela::load(path, &options))
}

#[allow(dead_code)]
pub(crate) fn load_text(text: &str) -> Subject {
    let loader = |_: &Path| Ok(text.as_bytes().to_vec());
    finish(quotient_promela::load_with(Path::new("model.pml"), &Options::default(), &loader))
}

fn finish(loaded: quotient_promela::Loaded) -> Subject {
    let Some(mut model) = loaded.model else { panic!("the model has errors: {:?}", loaded.diagnostics) };
    let detection = detect(&mut model);
    // The trial would hide what the rules let through.
    assert!(!detection.mistaken, "{:?}", detection.reasons);
    Subject { model, sources: loaded.sources, detection }
}

impl Subject {
    /// What was found and why not more, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let found = self.detection.found.iter().map(|f| match f.notes.is_empty() {
            true => f.text.clone(),
            false => format!("{} ({})", f.text, f.notes.join("; ")),
        });
        let reasons = self.detection.reasons.iter().map(|reason| {
            let place = reason.span.map_or(String::new(), |span| format!("{}: ", self.sources.line(span)));
            format!("none because {place}{}", reason.message)
        });
        found.chain(reasons).collect()
    }

    /// Checks on reachable states that renaming before and after a step comes to the same.
    pub(crate) fn check(&self, most: usize) -> Result<usize, String> {
        let Some(symmetry) = &self.detection.symmetry else { return Ok(0) };
        let interpreter = Interpreter { model: &self.model, promises: false };
        let generators: Vec<Renaming> =
            generators(symmetry).iter().map(|p| Renaming::new(&self.model, symmetry, p)).collect();
        for renaming in &generators {
            for to in [&renaming.globals, &renaming.channels, &renaming.processes].into_iter().chain(&renaming.locals) {
                let all: HashSet<usize> = to.iter().copied().collect();
                assert_eq!(all.len(), to.len(), "a renaming of places is not one to one");
            }
        }
        let (first, _) = interpreter.initial();
        let mut seen: HashSet<(State, Control)> = HashSet::new();
        let mut queue = VecDeque::from([(first, Control::Free)]);
        let mut checked = 0;
        while let Some((state, control)) = queue.pop_front() {
            if !seen.insert((state.clone(), control)) || seen.len() > most {
                continue;
            }
            // That processes die youngest first is known not to be symmetric.
            let ends = |(pid, p): (usize, &quotient_step::reference::Process)| {
                let member = symmetry.processes.get(pid).is_some_and(|position| !position.members.is_empty());
                member && Some(p.control) == self.model.proctypes[p.proctype].end
            };
            let dying = state.processes.iter().enumerate().any(ends);
            if control == Control::Free && applies(symmetry, &state) && !dying {
                for generator in &generators {
                    let renamed = generator.act(&self.model, symmetry, &state);
                    let mut after = self.successors(&interpreter, symmetry, &state, Some(generator));
                    let mut before = self.successors(&interpreter, symmetry, &renamed, None);
                    after.sort();
                    before.sort();
                    if after != before {
                        return Err(format!(
                            "{generator:?} does not commute in\n{state:?}\nrenamed\n{renamed:?}\nafter {after:#?}\nbefore {before:#?}"
                        ));
                    }
                    checked += 1;
                }
            }
            match interpreter.moves(&state, control) {
                Moves::Some(outcomes) => queue.extend(outcomes.into_iter().filter_map(|o| o.next)),
                Moves::Release => queue.push_back((state, Control::Free)),
                Moves::End | Moves::Deadlock => {}
            }
        }
        Ok(checked)
    }

    /// The stable states after one step, through atomic sequences, as text; renamed if so asked.
    fn successors(
        &self,
        interpreter: &Interpreter,
        symmetry: &Symmetry,
        state: &State,
        rename: Option<&Renaming>,
    ) -> Vec<String> {
        let mut results = Vec::new();
        let mut work = vec![(state.clone(), Control::Free)];
        let mut seen = HashSet::new();
        let mut at_first = true;
        while let Some((state, control)) = work.pop() {
            // A step may lead back to where it began: that is a result like any other.
            if !at_first && !seen.insert((state.clone(), control)) {
                continue;
            }
            if control == Control::Free && !at_first {
                results.push(match rename {
                    Some(renaming) if applies(symmetry, &state) => {
                        format!("{:?}", forget(symmetry, &renaming.act(&self.model, symmetry, &state)))
                    }
                    _ => format!("{:?}", forget(symmetry, &state)),
                });
                continue;
            }
            match interpreter.moves(&state, control) {
                Moves::Some(outcomes) => {
                    for outcome in outcomes {
                        for fault in &outcome.faults {
                            results.push(format!("{:?}", std::mem::discriminant(&fault.kind)));
                        }
                        work.extend(outcome.next);
                    }
                }
                Moves::Release => work.push((state, Control::Free)),
                Moves::End => results.push("end".to_string()),
                Moves::Deadlock => results.push("deadlock".to_string()),
            }
            at_first = false;
        }
        results.sort();
        results.dedup();
        results
    }
}
