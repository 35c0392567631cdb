//! From the element graph to a control automaton: which elements are control states, and what can happen in each.
//!
//! A selection's options are pulled up into the state of the selection; an escape's transitions go before those of
//! every state it can interrupt. The order is SPIN's.

use std::collections::HashMap;

use quotient_ir::{Action, Block, State, Statement, Transition};
use quotient_report::diagnostic::Diagnostic;

use super::Lowering;
use super::elements::{ATOMIC, D_STEP, ElementId, Graph, Kind, SequenceId};
use super::spin_default::Chain;

/// A transition between elements.
#[derive(Clone, Debug)]
struct Edge {
    /// The element that is executed.
    element: ElementId,
    target: ElementId,
    atomic: bool,
    /// First elements of the escapes, outermost first.
    escapes: Vec<ElementId>,
    /// For an edge that was copied from an escape: that escape's first element, plus one.
    escape: u32,
}

/// Which labels with a meaning an element carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Marks {
    end: bool,
    accept: bool,
    progress: bool,
}

impl Marks {
    fn join(&mut self, other: Marks) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
    }
}

impl Lowering {
    /// Builds the automaton of the body just lowered.
    pub(super) fn build_automaton(&mut self, id: usize, body: SequenceId) {
        self.keep_observed_jumps(id);
        self.body.graph.tie();
        let plan = self.optimise(body);
        self.body.graph.patch();
        let Some(edges) = self.edges() else { return };
        let graph = &self.body.graph;
        let Some(start) = graph.sequences[body].first.and_then(|e| graph.settle(e, graph.elements[e].status)) else {
            return;
        };
        let (marks, edges, mut statements, statement_of, blocks) = match plan {
            None => {
                let marks = marks(graph, &edges);
                let edges = with_escapes(edges);
                let (statements, statement_of, blocks) = self.statements(body, &edges, &reachable(&edges, start));
                (marks, edges, statements, statement_of, blocks)
            }
            Some(plan) => {
                let chains = plan.chains(graph, body);
                let chained = chained(&edges, &chains);
                let marks = marks(graph, &chained);
                let chained = with_escapes(chained);
                // The statements are numbered as they are without chains, so that the two models can be compared. Should a
                // chain lead to where control does not come without it, there are more.
                let edges = with_escapes(edges);
                let mut reachable = [reachable(&edges, start), reachable(&chained, start)].concat();
                reachable.sort_unstable();
                reachable.dedup();
                let (mut statements, mut statement_of, blocks) = self.statements(body, &edges, &reachable);
                statement_of.extend(self.chain_statements(&chains, &statement_of, &mut statements));
                (marks, chained, statements, statement_of, blocks)
            }
        };
        let reachable = reachable(&edges, start);
        let number: HashMap<ElementId, usize> = reachable.iter().enumerate().map(|(i, &e)| (e, i)).collect();
        let graph = &self.body.graph;
        let mut states = Vec::new();
        for &element in &reachable {
            let transitions = edges[element]
                .iter()
                .map(|edge| Transition {
                    statement: statement_of[&edge.element],
                    target: number[&edge.target],
                    atomic: edge.atomic,
                    escape: edge.escape,
                })
                .collect();
            let labels: Vec<_> = graph.labels.iter().filter(|l| l.element == Some(element)).collect();
            let observed = &self.symbols.signatures[id].observed;
            let at_end = matches!(graph.elements[element].kind, Kind::Stop);
            states.push(State {
                transitions,
                end: marks[element].end || at_end,
                accept: marks[element].accept,
                progress: marks[element].progress,
                observed: labels.iter().any(|l| observed.contains(&l.name)),
                labels: labels.iter().map(|l| l.name.to_string()).collect(),
                handlers: Vec::new(),
                number: element as u32 + 1,
            });
        }
        self.set_calls_apart(&mut states, &mut statements);
        if states.len() > u16::MAX as usize {
            let span = self.model.proctypes[id].span;
            self.error(Diagnostic::error(span, "the process has more than 65535 control states"));
            states.truncate(1);
        }
        let nowhere = states.len();
        for label in &self.body.graph.labels {
            if let Some(element) = label.element {
                let state = number.get(&element).copied().unwrap_or(nowhere);
                self.symbols.signatures[id].labels.insert(label.name.clone(), state);
            }
        }
        let end = reachable.iter().position(|&e| matches!(self.body.graph.elements[e].kind, Kind::Stop));
        let proctype = &mut self.model.proctypes[id];
        proctype.end = end;
        proctype.start = number[&start];
        proctype.states = states;
        proctype.statements = statements;
        proctype.blocks = blocks;
    }

    /// A jump that a label names from another process becomes a `skip` followed by the jump, so that the process can
    /// be seen there.
    fn keep_observed_jumps(&mut self, id: usize) {
        for label in self.symbols.signatures[id].observed.clone() {
            let graph = &mut self.body.graph;
            let Some(element) = graph.labels.iter().find(|l| l.name == label).and_then(|l| l.element) else { continue };
            if !matches!(graph.elements[element].kind, Kind::Goto(_)) {
                continue;
            }
            let jump = graph.elements[element].clone();
            graph.elements.push(jump);
            let copy = graph.elements.len() - 1;
            graph.elements[element].kind = Kind::Basic(Action::Skip);
            graph.elements[element].next = Some(copy);
        }
    }

    /// The transitions of every element, before escapes; `None` after reporting a circle of jumps.
    fn edges(&mut self) -> Option<Vec<Vec<Edge>>> {
        let mut edges = Vec::new();
        let graph = &self.body.graph;
        let inside = |element: ElementId| graph.elements[element].status & D_STEP != 0;
        let entering = (0..graph.elements.len()).find(|&element| match &graph.elements[element].kind {
            Kind::Goto(jump) => !inside(element) && graph.jump_target(jump).is_some_and(inside),
            _ => false,
        });
        if let Some(element) = entering {
            let span = graph.elements[element].span;
            self.error(
                Diagnostic::error(span, "a jump into a d_step is not allowed").help("jump to the d_step itself"),
            );
        }
        for element in 0..self.body.graph.elements.len() {
            match flatten(&self.body.graph, element, 0) {
                Some(list) => edges.push(list),
                None => {
                    let span = self.body.graph.elements[element].span;
                    self.error(
                        Diagnostic::error(span, "control goes in a circle here without a statement")
                            .help("a loop of jumps alone never does anything"),
                    );
                    return None;
                }
            }
        }
        Some(edges)
    }

    /// The statement table: everything the user wrote, and the joints at which control can rest.
    fn statements(
        &mut self,
        body: SequenceId,
        edges: &[Vec<Edge>],
        reachable: &[ElementId],
    ) -> (Vec<Statement>, HashMap<ElementId, usize>, Vec<Block>) {
        let mut blocks = Vec::new();
        let mut places = vec![(None, true); self.body.graph.elements.len()];
        self.find_blocks(body, None, true, &mut blocks, &mut places);
        let mut used = vec![false; self.body.graph.elements.len()];
        for &element in reachable {
            for edge in &edges[element] {
                used[edge.element] = true;
            }
        }
        let mut statements = Vec::new();
        let mut statement_of = HashMap::new();
        for element in 0..self.body.graph.elements.len() {
            let action = match self.body.graph.elements[element].kind.clone() {
                Kind::Basic(action) => action,
                Kind::Stop => Action::End,
                Kind::DStep(sequence) => Action::Deterministic(self.deterministic(sequence)),
                Kind::Goto(_) | Kind::Joint | Kind::Exit if used[element] => Action::Skip,
                _ => continue,
            };
            if !used[element] && self.body.graph.elements[element].status & D_STEP != 0 {
                continue;
            }
            let (block, direct) = places[element];
            let Graph { elements, .. } = &self.body.graph;
            statement_of.insert(element, statements.len());
            statements.push(Statement {
                action,
                span: elements[element].span,
                text: elements[element].text.clone(),
                block,
                direct,
                merged: Vec::new(),
                alone: 1,
            });
        }
        (statements, statement_of, blocks)
    }

    /// Numbers the atomic sequences and notes which one each element is in.
    fn find_blocks(
        &mut self,
        sequence: SequenceId,
        block: Option<usize>,
        direct: bool,
        blocks: &mut Vec<Block>,
        places: &mut Vec<(Option<usize>, bool)>,
    ) {
        let last = self.body.graph.sequences[sequence].last;
        for element in self.body.graph.run(sequence, last) {
            if places[element].0.is_some() {
                continue;
            }
            places[element] = (block, direct);
            match self.body.graph.elements[element].kind.clone() {
                Kind::Atomic(inner) => {
                    blocks.push(Block::default());
                    let number = blocks.len() - 1;
                    self.find_blocks(inner, Some(number), true, blocks, places);
                    blocks[number].exits = self.exits(inner, inner);
                }
                Kind::Block(inner) => self.find_blocks(inner, block, block.is_none(), blocks, places),
                _ => {}
            }
            for option in self.body.graph.options(element) {
                self.find_blocks(option, block, direct, blocks, places);
            }
        }
    }

    /// Whether a jump in a sequence leads out of the atomic sequence around it.
    fn exits(&mut self, sequence: SequenceId, atomic: SequenceId) -> bool {
        let last = self.body.graph.sequences[sequence].last;
        for element in self.body.graph.run(sequence, last) {
            let graph = &mut self.body.graph;
            if let Kind::Goto(jump) = graph.elements[element].kind.clone() {
                let target = graph.jump_target(&jump).and_then(|target| graph.settle(target, 0));
                if target.is_none_or(|target| !graph.contains(atomic, target)) {
                    return true;
                }
            }
            for option in graph.options(element) {
                if self.exits(option, atomic) {
                    return true;
                }
            }
        }
        false
    }
}

/// What can happen when control is at an element. `None` for a circle of jumps.
fn flatten(graph: &Graph, element: ElementId, depth: usize) -> Option<Vec<Edge>> {
    if depth > graph.elements.len() {
        return None;
    }
    let e = &graph.elements[element];
    let single = |target| {
        let escapes = if matches!(e.kind, Kind::Joint) { &[][..] } else { &e.escapes };
        let escapes = escapes
            .iter()
            .map(|&escape| graph.settle(graph.sequences[escape].first?, e.status))
            .collect::<Option<Vec<_>>>()?;
        Some(vec![Edge { element, target, atomic: e.status & ATOMIC != 0, escapes, escape: 0 }])
    };
    match &e.kind {
        Kind::If(options) | Kind::Do(options) => {
            let mut edges = Vec::new();
            for &option in options {
                let start = graph.start(option)?;
                let dead =
                    matches!(graph.elements[start].kind, Kind::Basic(Action::Condition(quotient_ir::Expr::Const(0))));
                if !(dead && graph.elements[start].escapes.is_empty()) {
                    edges.extend(flatten(graph, start, depth + 1)?);
                }
            }
            Some(edges)
        }
        Kind::Atomic(body) | Kind::Block(body) | Kind::Unless(body, _) => {
            flatten(graph, graph.start(*body)?, depth + 1)
        }
        Kind::Goto(jump) => match graph.settle(graph.jump_target(jump)?, e.status)? {
            target if target == element => None,
            target => single(target),
        },
        Kind::Stop => single(element),
        Kind::Basic(_) | Kind::Joint | Kind::Exit | Kind::DStep(_) => match e.next {
            Some(next) => single(graph.settle(next, e.status)?),
            None => single(element),
        },
    }
}

/// The transitions with chains in place of the statements that begin them.
fn chained(edges: &[Vec<Edge>], chains: &HashMap<ElementId, Chain>) -> Vec<Vec<Edge>> {
    let rewrite = |edge: &Edge| match chains.get(&edge.element) {
        Some(chain) if chain.removed => None,
        Some(chain) => Some(Edge { target: chain.target.unwrap_or(edge.target), atomic: chain.atomic, ..edge.clone() }),
        None => Some(edge.clone()),
    };
    edges.iter().map(|list| list.iter().filter_map(rewrite).collect()).collect()
}

/// Which elements carry labels with a meaning. A label on the first statement of an option counts for the state after
/// that statement, because control never rests before it.
fn marks(graph: &Graph, edges: &[Vec<Edge>]) -> Vec<Marks> {
    let mut marks = vec![Marks::default(); graph.elements.len()];
    for label in &graph.labels {
        if let Some(element) = label.element {
            marks[element].join(Marks {
                end: label.name.starts_with("end"),
                accept: label.name.starts_with("accept"),
                progress: label.name.starts_with("progress"),
            });
        }
    }
    for element in 0..graph.elements.len() {
        pass_marks(graph, edges, element, &mut marks);
    }
    for element in 0..graph.elements.len() {
        if let [edge] = &edges[element][..]
            && edge.element == element
            && matches!(graph.elements[element].kind, Kind::Goto(_) | Kind::Joint | Kind::Exit)
            && marks[element].end
        {
            marks[edge.target].end = true;
        }
    }
    marks
}

fn pass_marks(graph: &Graph, edges: &[Vec<Edge>], element: ElementId, marks: &mut [Marks]) {
    let starts: Vec<ElementId> = match &graph.elements[element].kind {
        Kind::If(options) | Kind::Do(options) => options.iter().filter_map(|&option| graph.start(option)).collect(),
        Kind::Atomic(body) | Kind::Block(body) => graph.start(*body).into_iter().collect(),
        _ => return,
    };
    for start in starts {
        let from = marks[start];
        if from == Marks::default() {
            continue;
        }
        match &graph.elements[start].kind {
            Kind::If(options) | Kind::Do(options) => {
                for inner in options.iter().filter_map(|&option| graph.start(option)) {
                    marks[inner].join(from);
                }
                pass_marks(graph, edges, start, marks);
            }
            Kind::Atomic(body) | Kind::Block(body) => {
                if let Some(inner) = graph.start(*body) {
                    marks[inner].join(from);
                }
                pass_marks(graph, edges, start, marks);
            }
            _ => {
                if let [edge] = &edges[start][..] {
                    marks[edge.target].join(from);
                }
            }
        }
    }
}

/// Puts the transitions of escapes before those they can interrupt.
fn with_escapes(mut edges: Vec<Vec<Edge>>) -> Vec<Vec<Edge>> {
    for element in 0..edges.len() {
        let own = edges[element].clone();
        for edge in &own {
            for &escape in edge.escapes.iter().rev() {
                for copied in edges[escape].clone() {
                    if edges[element].iter().any(|e| e.element == copied.element) {
                        continue;
                    }
                    edges[element].insert(0, Edge { escape: escape as u32 + 1, ..copied });
                }
            }
        }
    }
    edges
}

/// The elements at which control can rest, in order of their numbers.
fn reachable(edges: &[Vec<Edge>], start: ElementId) -> Vec<ElementId> {
    let mut seen = vec![false; edges.len()];
    let mut work = vec![start];
    seen[start] = true;
    while let Some(element) = work.pop() {
        for edge in &edges[element] {
            if !std::mem::replace(&mut seen[edge.target], true) {
                work.push(edge.target);
            }
        }
    }
    (0..edges.len()).filter(|&e| seen[e]).collect()
}
