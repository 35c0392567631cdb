//! What was found out about each property of a model, as data and in a few lines. Safety is one property; each claim about whole
//! runs is another.

use serde::{Deserialize, Serialize};

use crate::text::{Palette, count, thousands};
use crate::verdict::{StopReason, Verdict};

/// Which runs a temporal property is about, if not all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fairness {
    /// Those in which a process that can move from some time on without a break does move.
    Weak,
    /// Those in which a process that can move again and again does move again and again.
    Strong,
}

impl Fairness {
    /// How such a run is called.
    pub fn adverb(self) -> &'static str {
        match self {
            Fairness::Weak => "weakly",
            Fairness::Strong => "strongly",
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }
}

/// What a run shows of a temporal property: it repeats from some step on, or violates the property however it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeats {
    /// The property.
    pub property: String,
    /// The first step of the cycle. One more than there are steps if nothing can happen at the end, and the last state repeats for
    /// ever. None if the run violates the property however it goes on.
    pub loop_start: Option<usize>,
    /// Nothing can happen at the end of the run, and the last state repeats forever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stutter: bool,
    /// The run is fair in this sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// What to know of the cycle: what its propositions do, and why it is fair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
}

/// The answer about one property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PropertyAnswer {
    /// Its name.
    pub name: String,
    /// `safety`, `ltl`, `never`, `acceptance` or `progress`.
    pub kind: String,
    /// The formula of an `ltl` property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// What was found out.
    pub verdict: Verdict,
    /// Why the search ended early.
    pub stop: Option<StopReason>,
    /// Why the answer is inconclusive, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Which runs it is about; all if there is nothing.
    pub fairness: Option<Fairness>,
    /// The process types that runs are to be fair to; all if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair_to: Vec<String>,
    /// The automaton that watched the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automaton: Option<AutomatonSize>,
    /// What to know besides.
    pub notes: Vec<String>,
    /// How big the search was. For safety, that is in the answer itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<PropertyStats>,
}

/// How large an automaton is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutomatonSize {
    /// Its states.
    pub states: usize,
    /// Its acceptance sets.
    pub sets: u32,
    /// Whether the property was shown not to count steps. Nothing if nobody asked.
    pub stutter_invariant: Option<bool>,
}

/// How big the search for one property was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PropertyStats {
    /// Pairs of a state of the model and one of the automaton that were stored.
    pub states: u64,
    /// The same, counted once for each search that visits them.
    pub visited: u64,
    /// Pairs met again.
    pub matched: u64,
    /// The longest run, in steps.
    pub depth: u64,
    /// How long it took.
    pub seconds: f64,
    /// Partial-order reduction: `on`, `off`, or why it was not used.
    pub por: String,
    /// Symmetry reduction, likewise.
    pub symmetry: String,
}

impl PropertyAnswer {
    /// What it is called in reports: `ltl p: [] <> q`.
    pub fn title(&self) -> String {
        match (&*self.kind, &self.formula) {
            ("ltl", Some(formula)) => format!("ltl {}: {formula}", self.name),
            ("never", _) => format!("never claim {}", self.name),
            ("acceptance", _) => "no cycle with an acceptance label".to_string(),
            ("progress", _) => "no cycle without progress".to_string(),
            _ => self.name.clone(),
        }
    }

    /// The verdict in a line, and what there is to say about it below; with the size of the search if `sized`.
    fn lines(&self, sized: bool, palette: Palette) -> String {
        let verdict = match self.verdict {
            Verdict::Holds => palette.good("HOLDS"),
            Verdict::Violated => palette.bad("VIOLATED"),
            Verdict::Inconclusive => palette.note("INCONCLUSIVE"),
        };
        let pad = " ".repeat("INCONCLUSIVE".len() - self.verdict.name().len());
        let whom = if self.fair_to.is_empty() { String::new() } else { format!(" to {}", self.fair_to.join(", ")) };
        let fairness = self.fairness.map_or(String::new(), |fair| format!(", with {} fairness{whom}", fair.name()));
        let mut text = format!("  {verdict}{pad}  {}{fairness}\n", self.title());
        let mut below = Vec::new();
        below.extend(self.reason.clone());
        below.extend(self.stats.as_ref().filter(|_| sized).map(|stats| self.size(stats)));
        below.extend(self.notes.iter().map(|note| format!("{}: {note}", palette.note("note"))));
        for line in below {
            text.push_str(&format!("{}{line}\n", " ".repeat("INCONCLUSIVE".len() + 4)));
        }
        text
    }

    fn size(&self, stats: &PropertyStats) -> String {
        let automaton = self
            .automaton
            .map_or(String::new(), |automaton| format!("; automaton with {}", count(automaton.states as u64, "state")));
        let PropertyStats { states, matched, por, symmetry, .. } = stats;
        let pairs = format!("{} stored, {} met again{automaton}", count(*states, "pair"), thousands(*matched));
        format!("{pairs}; partial-order reduction {por}, symmetry reduction {symmetry}")
    }
}

/// The verdicts of all properties, one after the other; with the sizes of the searches if `sized`.
pub fn list(properties: &[PropertyAnswer], sized: bool, palette: Palette) -> String {
    properties.iter().map(|property| property.lines(sized, palette)).collect()
}
