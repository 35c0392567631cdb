//! From the syntax tree to the intermediate form: resolves names, checks types, and builds control automata with
//! SPIN's control states and transition order.
//!
//! Bodies are lowered three times: expressions may refer to locals and labels of a process type declared further
//! down, and that a label is referred to can change its process's control states. The first pass finds which labels
//! are referred to, the second which states they name; only the third one's results and diagnostics are kept.

mod automaton;
mod declarations;
mod dstep;
mod dynamic;
mod elements;
mod expressions;
mod formulas;
mod loops;
mod messages;
mod rules;
mod scalarsets;
mod spin_default;
mod statements;

use std::rc::Rc;

use quotient_ir::{
    Axis, BinaryOp, Claim, ClaimKind, EventTrace, Exclusive, Expr, Instance, Model, Place, Proctype, ProctypeKind,
    Setup, Slot, Sort, Uses,
};
use quotient_ltl::Formula;
use quotient_report::diagnostic::{Diagnostic, Severity};
use quotient_report::source::Span;

use crate::ast::{self, Name, Spec, Unit};
use crate::preprocess::Dynamic;
use crate::symbols::{Scopes, Signature, Symbols};
use elements::Graph;

/// Lowers a specification. The model is meaningful only if no diagnostic is an error.
pub(crate) fn lower(spec: &Spec, dynamic: Option<Dynamic>) -> (Model, Vec<Diagnostic>) {
    lower_by(spec, dynamic, None)
}

/// Lowers a specification that has no errors, with SPIN's default optimisations.
pub(crate) fn lower_as_spin(spec: &Spec) -> Option<Model> {
    let (model, diagnostics) = lower_by(spec, None, Some(spin_default::Whole::default()));
    (!failed(&diagnostics)).then_some(Model { counts_as_spin: true, ..model })
}

fn lower_by(spec: &Spec, dynamic: Option<Dynamic>, whole: Option<spin_default::Whole>) -> (Model, Vec<Diagnostic>) {
    let mut lowering = Lowering { whole, ..Lowering::default() };
    lowering.model.heap = dynamic.filter(|_| dynamic::has_heap(spec)).map(dynamic::heap);
    lowering.name_functions(spec);
    lowering.note_addresses(spec);
    lowering.symbols.channels_are_records = lowering.model.heap.is_some() && dynamic::come_and_go(spec);
    lowering.declare_types(spec);
    lowering.declare_proctypes(spec);
    lowering.declare_globals(spec);
    let (model, diagnostics) = (lowering.model.clone(), lowering.diagnostics.clone());
    let reference_arrays = lowering.symbols.reference_arrays.clone();
    for complete in [false, false, true] {
        // The types that a pass has made are gone with its model.
        let symbols = Symbols { reference_arrays: reference_arrays.clone(), ..lowering.symbols };
        lowering = Lowering {
            model: model.clone(),
            symbols,
            diagnostics: diagnostics.clone(),
            complete,
            body: Body::default(),
            bounds: Vec::new(),
            remote: None,
            in_formula: false,
            whole: lowering.whole,
        };
        lowering.lower_bodies(spec);
        lowering.note_pass();
    }
    lowering.hide_unread();
    lowering.finish(spec);
    lowering.check_heap();
    let Lowering { model, mut diagnostics, .. } = lowering;
    // Models with a heap were looked at.
    if model.heap.is_none()
        && !failed(&diagnostics)
        && let Err(defects) = model.validate()
    {
        let found = defects.first().map_or(String::new(), |defect| format!(": {defect}"));
        let message = format!("internal error: the model is not made as it must be{found}");
        diagnostics.push(Diagnostic::global(message).help("this is a bug in Quotient"));
    }
    (model, diagnostics)
}

fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// What is known while lowering a specification.
#[derive(Default)]
struct Lowering {
    model: Model,
    symbols: Symbols,
    diagnostics: Vec<Diagnostic>,
    /// Whether this is the last pass.
    complete: bool,
    /// The body being lowered.
    body: Body,
    /// Names that stand for a member of a scalarset.
    bounds: Vec<scalarsets::Bound>,
    /// The process whose variable is looked up next, if a remote reference begins with it.
    remote: Option<(usize, Option<Box<quotient_ir::Expr>>)>,
    /// Whether a temporal formula is being lowered, which may name members of scalarsets.
    in_formula: bool,
    /// With SPIN's default optimisations: what they need to know of the whole model.
    whole: Option<spin_default::Whole>,
}

/// What is known while lowering a body.
struct Body {
    kind: ProctypeKind,
    proctype: Option<usize>,
    scopes: Scopes,
    slots: Vec<Slot>,
    setup: Vec<Setup>,
    exclusive: Vec<Exclusive>,
    graph: Graph,
    /// Loops around the statement, innermost last.
    loops: Vec<usize>,
    /// The inline expansion around the statement; 0 for none.
    inline: u32,
    /// No statement was completed yet, so a declaration's initialiser belongs to the creation of the process.
    fresh: bool,
    /// Whether the latest initialiser may read more than constants and locals.
    global_setup: bool,
    inside_dstep: bool,
    /// Whether the expression is one that is printed.
    printing: bool,
    /// How many atomic sequences are around the statement.
    inside_atomic: usize,
    /// Whether the statement is in a loop over a scalarset.
    inside_iteration: bool,
    /// Loops over scalarsets: the sequence of each iteration.
    unordered: Vec<(Vec<elements::SequenceId>, Span)>,
    /// Array dimensions that scalarsets index: slot, dimension, scalarset.
    axes: Vec<(usize, usize, usize)>,
    /// Parts of records that the receive stores into, with the variables that the fields are in before.
    received: Vec<(dynamic::Followed, Place)>,
    /// Jumps whose label was not met yet: label table index and where.
    pending: Vec<(usize, Span)>,
}

impl Default for Body {
    fn default() -> Self {
        Body {
            kind: ProctypeKind::Process,
            proctype: None,
            scopes: Scopes::default(),
            slots: Vec::new(),
            setup: Vec::new(),
            exclusive: Vec::new(),
            graph: Graph::default(),
            loops: Vec::new(),
            inline: 0,
            fresh: true,
            global_setup: false,
            inside_dstep: false,
            printing: false,
            inside_atomic: 0,
            inside_iteration: false,
            unordered: Vec::new(),
            axes: Vec::new(),
            received: Vec::new(),
            pending: Vec::new(),
        }
    }
}

impl Lowering {
    fn error(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Gives every process type its place in the model, so that `run` may name one declared further down.
    fn declare_proctypes(&mut self, spec: &Spec) {
        let mut init: Option<Span> = None;
        for unit in &spec.units {
            let (name, kind, span) = match unit {
                Unit::Proctype(p) => (p.name.text.clone(), ProctypeKind::Process, p.name.span),
                Unit::Init(i) => {
                    if let Some(first) = init.replace(i.span) {
                        self.error(
                            Diagnostic::error(i.span, "a model has only one `init`")
                                .related(first, "the first one is here"),
                        );
                    }
                    ("init".into(), ProctypeKind::Init, i.span)
                }
                Unit::Never(n) => {
                    let name: Rc<str> = n.name.as_ref().map_or_else(|| "never".into(), |n| n.text.clone());
                    let kind = ClaimKind::Never(self.model.proctypes.len());
                    self.model.claims.push(Claim::new(&*name, kind, n.span));
                    (name, ProctypeKind::Claim, n.span)
                }
                Unit::Trace(t) => {
                    if self.model.trace.is_some() {
                        self.error(Diagnostic::error(t.span, "a model has only one `trace` or `notrace`"));
                    }
                    self.model.trace = Some(EventTrace { proctype: self.model.proctypes.len(), negated: t.negated });
                    ("trace".into(), ProctypeKind::Trace, t.span)
                }
                Unit::Function(f) => {
                    self.declare_function(f);
                    (f.name.text.clone(), ProctypeKind::Function, f.name.span)
                }
                _ => continue,
            };
            let id = self.model.proctypes.len();
            if kind == ProctypeKind::Process
                && let Some(other) = self.symbols.proctypes.insert(name.clone(), id)
            {
                let first = self.model.proctypes[other].span;
                self.error(
                    Diagnostic::error(span, format!("proctype `{name}` is declared twice"))
                        .related(first, "first declared here"),
                );
            }
            self.symbols.signatures.push(Signature::default());
            self.model.proctypes.push(Proctype::new(name.to_string(), kind, span));
        }
        let mut ltl = 0;
        for unit in &spec.units {
            if let Unit::Ltl(formula) = unit {
                let name = formula.name.as_ref().map_or_else(|| format!("ltl_{ltl}"), |n| n.text.to_string());
                ltl += 1;
                let span = formula.name.as_ref().map_or(formula.span, |name| name.span);
                if let Some(other) = self.model.claims.iter().find(|claim| claim.name == name) {
                    let message = format!("there is another claim with the name `{name}`");
                    let diagnostic = Diagnostic::error(span, message).related(other.span, "the first one is here");
                    self.error(diagnostic);
                }
                let kind = ClaimKind::Ltl { formula: Formula::True, text: String::new() };
                self.model.claims.push(Claim::new(name, kind, span));
            }
        }
        let mut id = 0;
        for unit in &spec.units {
            match unit {
                Unit::Proctype(p) => {
                    let (mut params, mut types) = (Vec::new(), Vec::new());
                    for decl in &p.params {
                        for var in &decl.vars {
                            let Some(ty) = self.resolve_type(&decl.ty, var) else { continue };
                            self.no_boxes_inside(&ty, var.name.span);
                            let mut slots = Vec::new();
                            self.symbols.flatten(&var.name.text, &ty, None, &declarations::TEMPLATE, &mut slots);
                            params.extend(slots.iter().map(|s| s.scalar));
                            types.push(ty);
                        }
                    }
                    self.symbols.signatures[id].params = params;
                    self.symbols.signatures[id].types = types;
                    self.symbols.signatures[id].active = p.active.is_some();
                    id += 1;
                }
                Unit::Function(f) => {
                    self.declare_signature(id, f);
                    id += 1;
                }
                Unit::Init(_) | Unit::Never(_) | Unit::Trace(_) => id += 1,
                _ => {}
            }
        }
    }

    fn lower_bodies(&mut self, spec: &Spec) {
        let mut id = 0;
        let mut claim = spec.units.iter().filter(|unit| matches!(unit, Unit::Never(_))).count();
        for unit in &spec.units {
            match unit {
                Unit::Proctype(p) => {
                    self.lower_proctype(id, p);
                    id += 1;
                }
                Unit::Function(f) => {
                    self.lower_body(id, ProctypeKind::Function, &f.params, &f.body);
                    id += 1;
                }
                Unit::Init(init) => {
                    self.lower_body(id, ProctypeKind::Init, &[], &init.body);
                    let priority = self.priority(init.priority);
                    self.model.initial.push(Instance { proctype: id, priority });
                    id += 1;
                }
                Unit::Never(never) => {
                    self.lower_body(id, ProctypeKind::Claim, &[], &never.body);
                    id += 1;
                }
                Unit::Trace(trace) => {
                    self.lower_body(id, ProctypeKind::Trace, &[], &trace.body);
                    id += 1;
                }
                Unit::Ltl(ltl) => {
                    self.body = Body { kind: ProctypeKind::Claim, ..Body::default() };
                    self.lower_formula(claim, &ltl.formula);
                    claim += 1;
                }
                Unit::Decl(_) | Unit::Mtype(_) | Unit::Typedef(_) | Unit::Scalarset(_) => {}
            }
        }
    }

    fn lower_proctype(&mut self, id: usize, p: &ast::Proctype) {
        let family = p.active.as_ref().and_then(|active| active.count.as_ref()).and_then(|count| self.named_set(count));
        let count = match &p.active {
            None => 0,
            Some(_) if family.is_some() => family.map_or(0, |set| self.undef(set)),
            Some(ast::Active { count: None, .. }) => 1,
            Some(ast::Active { count: Some(count), .. }) => {
                let value = self.constant(count).unwrap_or(1);
                if !(0..=255).contains(&value) {
                    self.error(
                        Diagnostic::error(count.span, format!("{value} processes cannot be active at once"))
                            .help("at most 255 processes can live at the same time"),
                    );
                }
                value.clamp(0, 255)
            }
        };
        self.lower_body(id, ProctypeKind::Process, &p.params, &p.body);
        self.model.proctypes[id].deterministic = p.deterministic;
        if p.active.is_some() {
            self.name_instances(id, family);
        }
        if let Some(provided) = &p.provided {
            let value = self.in_body(id, |lowering| {
                if lowering.checking() {
                    lowering.check(provided);
                }
                lowering.plain(provided)
            });
            self.model.uses.provided = true;
            self.model.proctypes[id].provided = Some(value);
        }
        let priority = self.priority(p.priority);
        for _ in 0..count {
            self.model.initial.push(Instance { proctype: id, priority });
        }
    }

    /// Processes that exist from the start are given no arguments: the first parameter of the scalarset that counts
    /// them tells each which member it is, and the others are none.
    fn name_instances(&mut self, id: usize, family: Option<usize>) {
        let base = self.model.initial.len() as i32;
        let mut named = false;
        let mut setup = Vec::new();
        for slot in 0..self.model.proctypes[id].params {
            let Sort::Member { set } = self.model.proctypes[id].slots[slot].scalar.sort else { continue };
            let own = Expr::Binary(BinaryOp::Sub, Box::new(Expr::Pid), Box::new(Expr::Const(base)));
            let value = match Some(usize::from(set)) == family && !std::mem::replace(&mut named, true) {
                true => own,
                false => Expr::Const(self.undef(usize::from(set))),
            };
            setup.push(Setup::Assign(slot, value));
        }
        self.model.proctypes[id].setup.splice(0..0, setup);
    }

    fn priority(&mut self, priority: Option<(i32, Span)>) -> u8 {
        let Some((value, span)) = priority else { return 1 };
        self.model.uses.priority = true;
        if !(1..=255).contains(&value) {
            self.error(
                Diagnostic::error(span, format!("priority {value} is out of range")).help("priorities are 1 to 255"),
            );
        }
        value.clamp(1, 255) as u8
    }

    /// Evaluates something in the outermost scope of a body that was lowered before.
    fn in_body<T>(&mut self, id: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        self.body = Body { proctype: Some(id), ..Body::default() };
        self.body.scopes.open();
        for (name, variable) in self.symbols.signatures[id].locals.clone() {
            self.body.scopes.declare(name, variable);
        }
        f(self)
    }

    fn lower_body(&mut self, id: usize, kind: ProctypeKind, params: &[ast::Decl], sequence: &ast::Sequence) {
        self.body = Body { kind, proctype: Some(id), ..Body::default() };
        self.body.scopes.open();
        for decl in params {
            self.declare_params(decl);
        }
        self.model.proctypes[id].params = self.body.slots.len();
        self.box_params(params);
        let first = self.lower_sequence_into(sequence, true);
        let stop = match kind {
            ProctypeKind::Function => self.last_return(id, sequence.close),
            _ => self.body.graph.element(elements::Kind::Stop, sequence.close, "-end-"),
        };
        self.body.graph.append(first, stop);
        self.body.graph.close(first);
        self.resolve_jumps();
        self.build_automaton(id, first);
        let body = std::mem::take(&mut self.body);
        let axes = body.axes.iter().map(|&(slot, dimension, set)| Axis { proctype: Some(id), slot, dimension, set });
        self.model.declared.axes.extend(axes);
        let proctype = &mut self.model.proctypes[id];
        proctype.slots = body.slots;
        proctype.setup = body.setup;
        proctype.exclusive = body.exclusive;
        proctype.global_setup = body.global_setup;
    }

    /// Last checks that need the whole model.
    fn finish(&mut self, spec: &Spec) {
        let model = &mut self.model;
        let Uses { rendezvous, buffered, .. } = Uses::of(model);
        model.uses = Uses { rendezvous, buffered, ..model.uses };
        if model.initial.is_empty() && !self.diagnostics.iter().any(|d| d.severity == Severity::Error) {
            let message = "the model has no process to start with";
            let help = "add `init { … }` or write `active` before a proctype";
            let diagnostic = match spec.units.first() {
                None => Diagnostic::global("the model is empty"),
                Some(_) => Diagnostic::global(message),
            };
            self.error(diagnostic.help(help));
        }
        if self.model.initial.len() > quotient_ir::MAX_INSTANCES {
            let count = self.model.initial.len();
            self.error(Diagnostic::global(format!("{count} processes are active at the start; at most 255 can live")));
        }
    }
}

/// Whether an expression is built from constants alone.
fn is_constant(expr: &Expr) -> bool {
    let mut constant = true;
    expr.walk(&mut |e| {
        constant &= matches!(
            e,
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::And(..) | Expr::Or(..) | Expr::Cond(..)
        );
    });
    constant
}

fn undeclared(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::error(name.span, format!("{what} `{}` is not declared", name.text))
}
