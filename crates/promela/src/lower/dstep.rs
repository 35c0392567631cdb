//! The inside of a `d_step`: a small deterministic program. Choices are tried in order; nested choices at the start of
//! an option are pulled up, as they are outside a `d_step`.

use std::collections::HashMap;

use quotient_ir::effects;
use quotient_ir::{Action, Deterministic, Node, NodeOption, Scope, Unordered};
use quotient_report::diagnostic::Diagnostic;

use super::Lowering;
use super::elements::{D_STEP, ElementId, Kind, SequenceId};

impl Lowering {
    /// The program of a `d_step`'s sequence.
    pub(super) fn deterministic(&mut self, sequence: SequenceId) -> Deterministic {
        let mut build = Build { nodes: Vec::new(), numbers: HashMap::new(), work: Vec::new() };
        if let Some(first) = self.body.graph.sequences[sequence].first {
            self.node(first, &mut build);
            while let Some((element, number)) = build.work.pop() {
                self.fill(element, number, &mut build);
            }
        }
        let loops = self.loops(&build);
        let body = Deterministic { nodes: build.nodes, loops };
        for unordered in &body.loops {
            self.check_order(&body, unordered);
        }
        body
    }

    /// The loops over scalarsets among the nodes.
    fn loops(&self, build: &Build) -> Vec<Unordered> {
        let mut loops = Vec::new();
        for (iterations, span) in &self.body.unordered {
            let nodes = iterations.iter().map(|&iteration| {
                let mut elements = Vec::new();
                self.elements_of(iteration, &mut elements);
                let mut nodes: Vec<usize> = elements.iter().filter_map(|e| build.numbers.get(e).copied()).collect();
                nodes.dedup();
                nodes
            });
            let iterations: Vec<Vec<usize>> = nodes.collect();
            if iterations.iter().all(|nodes| !nodes.is_empty()) {
                loops.push(Unordered { iterations, span: *span });
            }
        }
        loops
    }

    /// The elements of a sequence with all that is inside them, in textual order.
    fn elements_of(&self, sequence: SequenceId, out: &mut Vec<ElementId>) {
        let graph = &self.body.graph;
        for element in graph.run(sequence, graph.sequences[sequence].extent) {
            out.push(element);
            let inner = graph.options(element).into_iter().chain(graph.body(element));
            inner.for_each(|sequence| self.elements_of(sequence, out));
        }
    }

    fn check_order(&mut self, body: &Deterministic, unordered: &Unordered) {
        let Some((span, scope, slot)) = effects::ordered(body, unordered) else { return };
        let name = match scope {
            Scope::Global => self.model.globals[slot].name.clone(),
            Scope::Local => self.body.slots[slot].name.clone(),
        };
        let message = format!("the iterations of this loop depend on their order: they share `{name}`");
        self.error(
            Diagnostic::error(span, message)
                .related(unordered.span, "the loop is over a scalarset, whose members have no order")
                .help("an iteration may change what belongs to its member (`a[i]`), or gather, as in `n = n + …`"),
        );
    }

    /// The node for an element, or `None` when control leaves the `d_step` there.
    fn node(&mut self, element: ElementId, build: &mut Build) -> Option<usize> {
        let element = self.inside(element, element)?;
        if let Some(&number) = build.numbers.get(&element) {
            return Some(number);
        }
        let number = build.nodes.len();
        let span = self.body.graph.elements[element].span;
        build.nodes.push(Node { options: Vec::new(), span });
        build.numbers.insert(element, number);
        build.work.push((element, number));
        Some(number)
    }

    /// Passes over jumps, joints and blocks; `None` outside the `d_step`.
    fn inside(&mut self, element: ElementId, from: ElementId) -> Option<ElementId> {
        let mut at = element;
        for _ in 0..=self.body.graph.elements.len() {
            let graph = &self.body.graph;
            if graph.elements[at].status & D_STEP == 0 {
                return None;
            }
            at = match &graph.elements[at].kind {
                Kind::Joint | Kind::Exit => graph.elements[at].next?,
                Kind::Goto(jump) => {
                    let target = graph.jump_target(jump)?;
                    let leaves = graph.elements[target].status & D_STEP == 0;
                    let span = graph.elements[at].span;
                    if leaves {
                        self.error(
                            Diagnostic::error(span, "a jump out of a d_step is not allowed")
                                .help("let the d_step end first, or use `atomic`"),
                        );
                        return None;
                    }
                    target
                }
                Kind::Unless(body, _) | Kind::Block(body) | Kind::Atomic(body) | Kind::DStep(body) => {
                    graph.sequences[*body].first?
                }
                _ => return Some(at),
            };
        }
        let span = self.body.graph.elements[from].span;
        self.error(Diagnostic::error(span, "control goes in a circle here without a statement"));
        None
    }

    fn fill(&mut self, element: ElementId, number: usize, build: &mut Build) {
        let mut options = Vec::new();
        self.options_of(element, true, build, &mut options, 0);
        build.nodes[number].options = options;
    }

    fn options_of(
        &mut self,
        element: ElementId,
        direct: bool,
        build: &mut Build,
        options: &mut Vec<NodeOption>,
        depth: usize,
    ) {
        let e = self.body.graph.elements[element].clone();
        match &e.kind {
            Kind::If(sequences) | Kind::Do(sequences) if depth <= self.body.graph.elements.len() => {
                for &sequence in sequences {
                    let Some(first) = self.body.graph.sequences[sequence].first else { continue };
                    // A jump or joint as first statement is an option that always applies.
                    if matches!(self.body.graph.elements[first].kind, Kind::Goto(_) | Kind::Exit) {
                        let next = self.node(first, build);
                        let span = self.body.graph.elements[first].span;
                        options.push(NodeOption { action: Action::Skip, next, span, direct });
                    } else if let Some(inner) = self.inside(first, first) {
                        self.options_of(inner, direct, build, options, depth + 1);
                    }
                }
            }
            Kind::Basic(action) => {
                let next = e.next.and_then(|next| self.node(next, build));
                options.push(NodeOption { action: action.clone(), next, span: e.span, direct });
            }
            _ => {}
        }
    }
}

struct Build {
    nodes: Vec<Node>,
    numbers: HashMap<ElementId, usize>,
    work: Vec<(ElementId, usize)>,
}
