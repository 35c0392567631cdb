//! The element graph: a process body as a linked graph of statements and joints, before it becomes an automaton.
//!
//! SPIN's state counts depend on which joints between statements are control states of their own, so this follows the
//! construction SPIN documents through its generated verifiers: selections end in a joint, loops begin with one and
//! end in another, a jump is skipped over when control reaches it in sequence, and joints that close an atomic
//! sequence stay. Numbers are given in the order statements are completed, as `pan -d` shows them.

use quotient_ir::{Action, Expr};
use quotient_report::source::Span;

/// Index of an element.
pub(super) type ElementId = usize;
/// Index of a sequence.
pub(super) type SequenceId = usize;

/// Inside an atomic sequence and not its last statement.
pub(super) const ATOMIC: u8 = 1;
/// The last statement of an atomic sequence.
pub(super) const ATOMIC_LAST: u8 = 2;
/// Inside a `d_step`.
pub(super) const D_STEP: u8 = 4;
/// Its sub-sequences were searched for the target of a jump (see [`Graph::contains`]).
const SEARCHED: u8 = 8;

/// What an element is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A statement.
    Basic(Action),
    /// The joint at the end of a selection, at the head of a loop, or after an `unless`.
    Joint,
    /// The joint at the exit of a loop.
    Exit,
    /// A jump to a label; `None` until resolved.
    Goto(Jump),
    /// `if` and its options.
    If(Vec<SequenceId>),
    /// `do` and its options.
    Do(Vec<SequenceId>),
    /// `body unless escape`
    Unless(SequenceId, SequenceId),
    /// `atomic { … }`
    Atomic(SequenceId),
    /// `d_step { … }`
    DStep(SequenceId),
    /// `{ … }`
    Block(SequenceId),
    /// The end of the body.
    Stop,
}

/// Where a jump goes.
#[derive(Clone, Debug)]
pub(super) enum Jump {
    /// To a label, by its index in the body's table.
    Label(usize),
    /// Out of the loop with this number.
    Loop(usize),
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// What it is.
    pub kind: Kind,
    /// The element control goes to next.
    pub next: Option<ElementId>,
    /// `ATOMIC`, `ATOMIC_LAST`, `D_STEP`
    pub status: u8,
    /// Escapes that may interrupt it, outermost first.
    pub escapes: Vec<SequenceId>,
    /// Where it is written.
    pub span: Span,
    /// As a person would write it.
    pub text: String,
    /// The value of an assignment that has become another action, or that declares an array.
    pub assigned: Option<Expr>,
}

/// A run of elements linked by `next`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    /// The first element.
    pub first: Option<ElementId>,
    /// The last one, including a joint appended by the construct around it.
    pub last: Option<ElementId>,
    /// The last one when the sequence was closed.
    pub extent: Option<ElementId>,
}

/// A label of the body.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// The name.
    pub name: std::rc::Rc<str>,
    /// The inline expansion it is in; 0 for none.
    pub inline: u32,
    /// What it names.
    pub element: Option<ElementId>,
    /// Where it is written.
    pub span: Span,
}

/// The graph of one process body.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// Elements; an element's number is its index plus one.
    pub elements: Vec<Element>,
    /// Sequences.
    pub sequences: Vec<Sequence>,
    /// Labels.
    pub labels: Vec<Label>,
    /// For each loop, the joint after it.
    pub exits: Vec<Option<ElementId>>,
}

impl Graph {
    /// A new element, not yet in a sequence.
    pub(super) fn element(&mut self, kind: Kind, span: Span, text: impl Into<String>) -> ElementId {
        let (next, escapes, text) = (None, Vec::new(), text.into());
        self.elements.push(Element { kind, next, status: 0, escapes, span, text, assigned: None });
        self.elements.len() - 1
    }

    /// A new, empty sequence.
    pub(super) fn sequence(&mut self) -> SequenceId {
        self.sequences.push(Sequence::default());
        self.sequences.len() - 1
    }

    /// Appends an element to a sequence. A labelled jump gets a `skip` before it when the label has a meaning, because
    /// control never rests at a jump.
    pub(super) fn append(&mut self, sequence: SequenceId, element: ElementId) {
        if matches!(self.elements[element].kind, Kind::Goto(_)) {
            let marked = self.labels.iter().position(|label| {
                label.element == Some(element)
                    && ["accept", "end", "progress"].iter().any(|prefix| label.name.starts_with(prefix))
            });
            if let Some(label) = marked {
                let span = self.elements[element].span;
                let skip = self.element(Kind::Basic(Action::Skip), span, "skip");
                self.labels[label].element = Some(skip);
                self.link(sequence, skip);
            }
        }
        self.link(sequence, element);
    }

    fn link(&mut self, sequence: SequenceId, element: ElementId) {
        match self.sequences[sequence].last {
            None => self.sequences[sequence].first = Some(element),
            Some(last) => self.elements[last].next = Some(element),
        }
        self.sequences[sequence].last = Some(element);
    }

    /// Ends a sequence where it is.
    pub(super) fn close(&mut self, sequence: SequenceId) {
        self.sequences[sequence].extent = self.sequences[sequence].last;
    }

    /// Sub-sequences that are alternatives of the element (not the bodies of blocks).
    pub(super) fn options(&self, element: ElementId) -> Vec<SequenceId> {
        match &self.elements[element].kind {
            Kind::If(options) | Kind::Do(options) => options.clone(),
            Kind::Unless(body, escape) => vec![*body, *escape],
            _ => Vec::new(),
        }
    }

    /// The sequence inside a block, atomic or `d_step`.
    pub(super) fn body(&self, element: ElementId) -> Option<SequenceId> {
        match self.elements[element].kind {
            Kind::Atomic(body) | Kind::DStep(body) | Kind::Block(body) => Some(body),
            _ => None,
        }
    }

    /// The elements of a sequence from its first to `until`, following `next`.
    pub(super) fn run(&self, sequence: SequenceId, until: Option<ElementId>) -> Vec<ElementId> {
        let mut run = Vec::new();
        let mut at = self.sequences[sequence].first;
        while let Some(element) = at {
            run.push(element);
            if Some(element) == until {
                break;
            }
            at = self.elements[element].next;
        }
        run
    }

    /// Marks a sequence atomic: all its statements keep control except the last. An atomic sequence inside becomes a
    /// plain block, and so does a `d_step` inside a `d_step`.
    pub(super) fn make_atomic(&mut self, sequence: SequenceId, added: u8) {
        self.walk_atomic(sequence, added);
        let Some(last) = self.sequences[sequence].last else { return };
        match self.elements[last].kind {
            Kind::Block(inner) | Kind::Atomic(inner) => self.make_atomic(inner, added),
            _ => {
                self.elements[last].status &= !ATOMIC;
                self.elements[last].status |= ATOMIC_LAST;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SequenceId, added: u8) {
        for element in self.run(sequence, self.sequences[sequence].last) {
            self.elements[element].status |= ATOMIC | added;
            match self.elements[element].kind {
                Kind::Atomic(inner) | Kind::Block(inner) => {
                    self.elements[element].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                Kind::DStep(inner) if added != 0 => {
                    self.elements[element].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                _ => {}
            }
            for option in self.options(element) {
                self.walk_atomic(option, added);
            }
        }
    }

    /// Lets an escape interrupt every statement of a sequence, and of the escapes already attached there.
    pub(super) fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        for element in self.run(sequence, self.sequences[sequence].extent) {
            self.attach_to_element(element, escape);
        }
    }

    fn attach_to_element(&mut self, element: ElementId, escape: SequenceId) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        for lower in self.elements[element].escapes.clone() {
            self.attach_escape(lower, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].kind.clone() {
            Kind::Unless(body, _) => self.attach_escape(body, escape),
            Kind::If(options) | Kind::Do(options) => {
                for option in options {
                    self.attach_escape(option, escape);
                }
            }
            Kind::DStep(body) => {
                if let Some(first) = self.sequences[body].first {
                    self.attach_to_element(first, escape);
                }
            }
            Kind::Atomic(body) | Kind::Block(body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    /// Drops repeated unlabelled `skip`s in the middle of an option, which SPIN does not count as steps.
    pub(super) fn prune_skips(&mut self, option: SequenceId) {
        let Sequence { first, last, extent } = self.sequences[option];
        let mut count = 0;
        let mut previous: Option<ElementId> = None;
        let mut at = first;
        while let Some(element) = at {
            let next = self.elements[element].next;
            let (idle, printing) = match &self.elements[element].kind {
                Kind::Basic(Action::Skip) => (true, false),
                Kind::Basic(Action::Print { .. }) => (true, true),
                _ => (false, false),
            };
            if idle && !self.is_labelled(element) {
                count += 1;
                if count > 1 && !printing && Some(element) != first && Some(element) != last && Some(element) != extent
                {
                    if let Some(previous) = previous {
                        self.elements[previous].next = next;
                    }
                    at = next;
                    continue;
                }
            } else {
                count = 0;
            }
            previous = Some(element);
            at = next;
        }
    }

    /// Whether some label names the element.
    pub(super) fn is_labelled(&self, element: ElementId) -> bool {
        self.labels.iter().any(|label| label.element == Some(element))
    }

    /// The element a jump goes to.
    pub(super) fn jump_target(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Label(label) => self.labels[*label].element,
            Jump::Loop(number) => self.exits[*number],
        }
    }

    /// Where control really rests when it is sent to `element` by a statement with status `status`: jumps and joints
    /// are passed over, except that leaving an atomic sequence takes a step of its own. `None` for a circle of jumps.
    pub(super) fn settle(&self, element: ElementId, status: u8) -> Option<ElementId> {
        self.settle_before(element, status, usize::MAX)
    }

    /// As [`Self::settle`], but goes no further than `end`.
    pub(super) fn settle_before(&self, element: ElementId, status: u8, end: ElementId) -> Option<ElementId> {
        let mut at = element;
        for _ in 0..=self.elements.len() {
            if at == end {
                return Some(at);
            }
            let next = match &self.elements[at].kind {
                Kind::Goto(jump) => {
                    let target = self.jump_target(jump)?;
                    if target == at {
                        return Some(at);
                    }
                    target
                }
                Kind::Joint | Kind::Exit => match self.elements[at].next {
                    Some(next) => next,
                    None => return Some(at),
                },
                Kind::Unless(body, _) => self.settle_before(self.sequences[*body].first?, status, end)?,
                _ => return Some(at),
            };
            if status & ATOMIC != 0 && self.elements[next].status & ATOMIC == 0 {
                return Some(at);
            }
            at = next;
        }
        None
    }

    /// The first element of a sequence where a choice can start: joints and `unless` are passed over.
    pub(super) fn start(&self, sequence: SequenceId) -> Option<ElementId> {
        let mut at = self.sequences[sequence].first?;
        for _ in 0..=self.elements.len() {
            match (&self.elements[at].kind, self.elements[at].next) {
                (Kind::Joint, Some(next)) => at = next,
                (Kind::Unless(body, _), _) => at = self.sequences[*body].first?,
                _ => return Some(at),
            }
        }
        None
    }

    /// Ties the ends of blocks to what follows them.
    pub(super) fn tie(&mut self) {
        // A block is completed after what is in it, so from the last element on outer blocks come first.
        for element in (0..self.elements.len()).rev() {
            if let Some(body) = self.body(element)
                && let Some(last) = self.sequences[body].last
            {
                self.elements[last].next = self.elements[element].next;
            }
        }
    }

    /// Lets jumps out of and between atomic sequences end or bridge them.
    pub(super) fn patch(&mut self) {
        for element in 0..self.elements.len() {
            if let Some(body) = self.body(element) {
                self.patch_jumps(body);
            }
        }
    }

    fn patch_jumps(&mut self, sequence: SequenceId) {
        for element in self.run(sequence, self.sequences[sequence].extent) {
            if let Kind::Goto(jump) = &self.elements[element].kind {
                let Some(target) = self.jump_target(jump) else { continue };
                let inside = self.elements[target].status & (ATOMIC | ATOMIC_LAST) != 0;
                let status = &mut self.elements[element].status;
                if *status & (ATOMIC | ATOMIC_LAST) != 0 && !inside {
                    *status = *status & !ATOMIC | ATOMIC_LAST;
                }
                if *status & ATOMIC_LAST != 0 && inside {
                    *status = *status & !ATOMIC_LAST | ATOMIC;
                }
            } else {
                for option in self.options(element) {
                    self.patch_jumps(option);
                }
            }
        }
    }

    /// Whether an element can be met by walking on from the start of a sequence. Like SPIN's search it goes past the
    /// sequence's end, and looks into the options of an element only the first time it ever meets it.
    pub(super) fn contains(&mut self, sequence: SequenceId, wanted: ElementId) -> bool {
        let mut at = self.sequences[sequence].first;
        let mut steps = 0;
        while let Some(element) = at {
            if element == wanted {
                return true;
            }
            if self.elements[element].status & SEARCHED == 0 {
                self.elements[element].status |= SEARCHED;
                for option in self.options(element) {
                    if self.contains(option, wanted) {
                        return true;
                    }
                }
            }
            at = self.elements[element].next;
            steps += 1;
            if steps > self.elements.len() {
                break;
            }
        }
        false
    }
}
