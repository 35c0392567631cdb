//! From the syntax tree to the intermediate form: names are resolved, types checked, bodies turned into control automata.

mod actions;
mod expressions;
mod extensions;
mod formulas;
mod graph;
mod high;
mod low;
mod operators;
mod remote;
mod split;

use std::collections::HashMap;
use std::rc::Rc;

use quotient_ir::heap::Order;
use quotient_ir::{
    Handler, Heap, Instance, Model, Named, Proctype, ProctypeKind, Scalar, Setup, Slot, Termination, Uses, Waiting,
};
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::{SourceMap, Span};

use crate::Options;
use crate::ast::{Body, Member, System};
use crate::declare::{Declared, declare};
use crate::types::Ty;
use expressions::Binding;
use graph::Graph;
use split::{accesses, looks};

/// How many threads `notify` can choose between, in models that start threads.
const MOST_WAITING: u8 = 8;

/// Longer texts of statements are cut.
const LONGEST_TEXT: usize = 120;

/// Lowers a system; the model can be used if no message is an error.
pub(crate) fn lower(system: &System, options: &Options, starts: bool, sources: &SourceMap) -> (Model, Vec<Diagnostic>) {
    let mut declared = declare(system, options);
    let mut heap = Heap {
        most_records: options.most_records,
        most_calls: options.most_calls,
        order: Order::OldestFirst,
        ..Heap::default()
    };
    let reference = heap.reference();
    let active: usize = declared.routines.iter().map(|routine| routine.active).sum();
    let most_waiting = if starts { MOST_WAITING } else { u8::try_from(active).unwrap_or(u8::MAX - 1).min(u8::MAX - 1) };
    let mut proctypes = Vec::new();
    for id in 0..declared.routines.len() {
        let lowerer = Lowerer::new(&mut declared, sources, reference, id, most_waiting);
        proctypes.push(lowerer.routine());
    }
    let setup = Lowerer::new(&mut declared, sources, reference, usize::MAX, 0).globals();
    let (claims, named) = formulas::claims(&mut declared, sources, reference, system, &proctypes);
    for named in &named {
        proctypes.push(proctypes[named.proctype].clone());
    }
    unused_funs(&mut declared, sources, reference, system);
    heap.records = declared.types.record_types(reference);
    heap.thread = declared.types.thread();
    heap.extensions = declared.implementations.iter().flatten().cloned().collect();
    let name = |(_, id): (i32, usize)| declared.routines[id].code.name.text.to_string();
    let functions = declared.numbered().map(name).collect();
    let slot = |global: &crate::declare::Global<'_>| declared.types.slot(&global.name.text, &global.ty, reference);
    let instances = declared.routines.iter().enumerate();
    let mut model = Model {
        globals: declared.globals.iter().map(slot).collect(),
        setup,
        proctypes,
        initial: instances
            .flat_map(|(proctype, routine)| (0..routine.active).map(move |_| Instance { proctype, priority: 1 }))
            .collect(),
        named,
        mtypes: declared.types.names(functions),
        names_from_zero: true,
        heap: Some(heap),
        claims,
        ..Model::default()
    };
    model.uses = Uses::of(&model);
    let failed = declared.diagnostics.iter().any(|one| one.severity == Severity::Error);
    if !failed {
        model.make_calls_atomic();
    }
    if !failed && let Err(defects) = model.validate() {
        let found = defects.first().map_or(String::new(), |defect| format!(": {defect}"));
        let message = format!("internal error: the model is not made as it must be{found}");
        declared.tell(Diagnostic::global(message).help("this is a bug in Quotient"));
    }
    (model, declared.diagnostics)
}

/// Checks the funs that nobody calls.
fn unused_funs(declared: &mut Declared<'_>, sources: &SourceMap, reference: Scalar, system: &System) {
    for member in &system.members {
        if let Member::Fun(fun) = member {
            Lowerer::new(declared, sources, reference, usize::MAX, 0).check_fun(fun);
        }
    }
}

/// Lowers one thread or function.
struct Lowerer<'d, 'a> {
    declared: &'d mut Declared<'a>,
    sources: &'d SourceMap,
    /// How references are kept.
    reference: Scalar,
    /// The thread or function, by its number.
    id: usize,
    /// How many threads `notify` can choose between.
    most_waiting: u8,
    locals: HashMap<Rc<str>, (usize, Ty)>,
    bindings: Vec<Binding>,
    /// Funs whose bodies we are in.
    funs: Vec<usize>,
    slots: Vec<Slot>,
    /// Temporary variables: slot, type, and whether the statement uses it.
    temporaries: Vec<(usize, Scalar, bool)>,
    graph: Graph,
    /// Handlers of the `try` that we are in, innermost first.
    handlers: Vec<Handler>,
    /// How many `atomic` we are in.
    atomic: usize,
    /// Every step is written out as one.
    is_low: bool,
    waiting: Option<Waiting>,
    /// What formulas can look at, and the threads that they name.
    finished: &'d [Proctype],
    named: Vec<Named>,
}

impl<'d, 'a> Lowerer<'d, 'a> {
    fn new(
        declared: &'d mut Declared<'a>,
        sources: &'d SourceMap,
        reference: Scalar,
        id: usize,
        most_waiting: u8,
    ) -> Self {
        Lowerer {
            declared,
            sources,
            reference,
            id,
            most_waiting,
            locals: HashMap::new(),
            bindings: Vec::new(),
            funs: Vec::new(),
            slots: Vec::new(),
            temporaries: Vec::new(),
            graph: Graph::default(),
            handlers: Vec::new(),
            atomic: 0,
            is_low: true,
            waiting: None,
            finished: &[],
            named: Vec::new(),
        }
    }

    /// A source text in one line.
    fn whole_text(&self, span: Span) -> String {
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        words.join(" ")
    }

    /// A source text in one line that is not too long.
    fn text(&self, span: Span) -> String {
        let text = self.whole_text(span);
        match text.char_indices().nth(LONGEST_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// Whether statements are split into steps.
    fn splits(&self) -> bool {
        !self.is_low && self.atomic == 0
    }

    /// A new state, where we are.
    fn fresh(&mut self) -> usize {
        self.graph.state(self.atomic > 0, &self.handlers)
    }

    /// The initial values of global variables.
    fn globals(mut self) -> Vec<Setup> {
        let mut setup = Vec::new();
        for id in 0..self.declared.globals.len() {
            let (ty, init) = (self.declared.globals[id].ty.clone(), self.declared.globals[id].init);
            if let Some(init) = init {
                let ir = self.stored(init, &ty);
                if looks(&ir) {
                    self.fail(init.span, "the initial value of a variable reads no other variable");
                }
                setup.push(Setup::Assign(id, ir));
            }
        }
        setup
    }

    fn check_fun(mut self, fun: &crate::ast::Fun) {
        for (ty, name) in &fun.params {
            let ty = self.declared.ty(ty);
            let slot = self.slots.len();
            self.locals.insert(name.text.clone(), (slot, ty));
        }
        let returns = self.declared.ty(&fun.returns);
        if let Some(crate::declare::Symbol::Fun(id)) = self.declared.symbol(&fun.name) {
            self.funs.push(id);
        }
        let ir = self.value(&fun.body, &returns);
        self.pure(&ir, fun.body.span, "a fun");
    }

    /// The whole thread or function.
    fn routine(mut self) -> Proctype {
        let code = self.declared.routines[self.id].code;
        let params = self.declared.routines[self.id].params.clone();
        let names = code.params.iter().map(|(_, name)| name);
        self.declared.no_twins(names.chain(code.locals.iter().map(|variable| &variable.name)));
        for ((_, name), ty) in code.params.iter().zip(&params) {
            self.declare_local(&name.text, ty.clone());
        }
        let mut setup = Vec::new();
        for variable in &code.locals {
            let ty = self.declared.ty(&variable.ty);
            let init = variable.init.as_ref().map(|init| (self.value(init, &ty), init.span));
            let slot = self.declare_local(&variable.name.text, ty);
            if let Some((ir, span)) = init {
                let reads = ir.any(&|part| matches!(part, quotient_ir::Expr::Read(_)));
                if accesses(&ir) > 0 || reads {
                    self.fail(span, "the initial value of a local variable must be a constant");
                }
                setup.push(Setup::Assign(slot, ir));
            }
        }
        let start = match &code.body {
            Body::Low { locations, catches } => self.low(locations, catches),
            Body::High(body) => self.high(body, code.end),
        };
        let is_thread = self.declared.routines[self.id].is_thread();
        let kind = if is_thread { ProctypeKind::Process } else { ProctypeKind::Function };
        let finished = self.graph.finish(start);
        let mut proctype = Proctype::new(code.name.text.to_string(), kind, code.name.span);
        proctype.slots = self.slots;
        proctype.params = params.len();
        proctype.setup = setup;
        proctype.termination = Termination::Removed;
        proctype.states = finished.states;
        proctype.start = finished.start;
        proctype.statements = finished.statements;
        proctype.waiting = self.waiting;
        proctype
    }

    fn declare_local(&mut self, name: &Rc<str>, ty: Ty) -> usize {
        let slot = self.slots.len();
        self.slots.push(self.declared.types.slot(name, &ty, self.reference));
        self.locals.entry(name.clone()).or_insert((slot, ty));
        slot
    }
}
