//! What a model can tell about who lives: process ids and the number of processes.
//!
//! Ids are reused, so a death before a creation gives the new process another id than a death after it. SPIN treats
//! creation and death as local all the same and loses errors; here they are local only where no condition or assertion
//! of the model can depend on the order. Which ids reach a condition is found by a flow-insensitive analysis: an id
//! flows through assignments, messages and arguments.

use std::collections::HashSet;

use quotient_ir::{Action, BinaryOp, Expr, Model, Pattern, Place, Proctype, Scope, Setup, Sort};

/// Flow sources and sinks of ids in a model.
#[derive(Clone, Debug)]
pub struct Identity {
    /// An id can reach a condition, an assertion, an index or the choice of a channel.
    ids_observed: bool,
    /// `_nr_pr` is looked at in some way, beyond being assigned to what nobody tests.
    count_observed: bool,
    /// A death can be told by `_nr_pr` when at most so many processes live.
    count_threshold: usize,
    /// Local variables that other processes read: process type and slot.
    remote: HashSet<(usize, usize)>,
    /// Global variables that some process writes.
    written: HashSet<usize>,
    /// Process types whose own channels can become known to others.
    sharing: HashSet<usize>,
}

impl Identity {
    /// Analyses a model.
    pub fn new(model: &Model) -> Self {
        let mut flow = Flow { model, tainted: HashSet::new(), messages: false };
        while flow.propagate() {}
        let ids_observed = flow.sinks();
        let mut threshold = Some(0);
        let mut remote = HashSet::new();
        for_each_expr(model, &mut |expr| {
            expr.walk(&mut |e| {
                if let Expr::RemoteRead { proctype, place, .. } = e {
                    remote.extend(place.all_slots().into_iter().map(|slot| (*proctype, slot)));
                }
            });
            threshold = threshold.and_then(|t| Some(t.max(count_threshold(expr)?)));
        });
        Identity {
            ids_observed,
            count_observed: threshold != Some(0),
            count_threshold: threshold.unwrap_or(usize::MAX),
            remote,
            written: written(model),
            sharing: model.process_types().map(|(id, _)| id).filter(|&id| shares_channels(model, id)).collect(),
        }
    }

    /// Whether some process writes a global variable.
    pub fn is_written(&self, slot: usize) -> bool {
        self.written.contains(&slot)
    }

    /// Whether another process reads a local variable.
    pub fn is_remote(&self, proctype: usize, slot: usize) -> bool {
        self.remote.contains(&(proctype, slot))
    }

    /// Whether another process reads some local variable of a process type, and so can tell that an instance died.
    pub fn is_watched(&self, proctype: usize) -> bool {
        self.remote.iter().any(|&(watched, _)| watched == proctype)
    }

    /// Whether channels that an instance creates can become known to others. They die with it, and their numbers will
    /// be other channels'.
    pub fn shares_channels(&self, proctype: usize) -> bool {
        self.sharing.contains(&proctype)
    }

    /// Whether the order of creations can be told.
    pub fn creation_is_observed(&self) -> bool {
        self.ids_observed || self.count_observed
    }

    /// Whether the death of the youngest of `processes` can be told by nobody.
    pub fn death_is_silent(&self, processes: usize, mut may_create: impl FnMut() -> bool) -> bool {
        processes > self.count_threshold && !(self.ids_observed && may_create())
    }
}

/// Whether a channel that a process type creates is sent, passed on or copied.
fn shares_channels(model: &Model, id: usize) -> bool {
    let proctype = &model.proctypes[id];
    let own = |slot: &usize| proctype.setup.iter().any(|step| matches!(step, Setup::Channel(s, _) if s == slot));
    let reads = |e: &Expr| {
        e.any(&|e| matches!(e, Expr::Read(place) if place.scope == Scope::Local && place.all_slots().iter().any(own)))
    };
    fn shared(action: &Action, reads: &dyn Fn(&Expr) -> bool) -> bool {
        match action {
            Action::Assign(_, value) => reads(value),
            Action::Send { values, .. } => values.iter().any(reads),
            Action::Deterministic(body) => body.actions().any(|a| shared(a, reads)),
            _ => false,
        }
    }
    proctype.statements.iter().any(|s| {
        shared(&s.action, &reads) || s.action.any(&|e| matches!(e, Expr::Run { args, .. } if args.iter().any(reads)))
    })
}

/// The global variables that some process writes.
fn written(model: &Model) -> HashSet<usize> {
    let statements = model.proctypes.iter().flat_map(|proctype| &proctype.statements);
    let writes = statements.flat_map(|statement| quotient_ir::dead::written(&statement.action));
    writes.filter(|&(scope, _)| scope == Scope::Global).map(|(_, slot)| slot).collect()
}

/// The largest number of live processes at which the death of the youngest can change a test of `_nr_pr` in an
/// expression; `None` when that cannot be bounded. As long as the youngest lives, at least as many processes do.
fn count_threshold(expr: &Expr) -> Option<usize> {
    let mut threshold = 0;
    let mut compared = 0;
    let mut seen = 0;
    expr.walk(&mut |e| match e {
        Expr::ProcessCount => seen += 1,
        Expr::Binary(op, a, b) => {
            let (op, value) = match (&**a, &**b) {
                (Expr::ProcessCount, Expr::Const(value)) => (*op, *value),
                (Expr::Const(value), Expr::ProcessCount) => (mirrored(*op), *value),
                _ => return,
            };
            // The test changes between `n` and `n - 1` only for these `n`.
            let last = match op {
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Le | BinaryOp::Gt => value.saturating_add(1),
                BinaryOp::Lt | BinaryOp::Ge => value,
                _ => return,
            };
            compared += 1;
            threshold = threshold.max(usize::try_from(last).unwrap_or(0)).max(1);
        }
        _ => {}
    });
    (compared == seen).then_some(threshold)
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        op => op,
    }
}

/// Calls `visit` on every outermost expression of the processes of a model.
fn for_each_expr<'m>(model: &'m Model, visit: &mut dyn FnMut(&'m Expr)) {
    for (_, proctype) in model.bodies() {
        for setup in &proctype.setup {
            if let Setup::Assign(_, value) = setup {
                visit(value);
            }
        }
        proctype.provided.iter().for_each(&mut *visit);
        for statement in &proctype.statements {
            outermost(&statement.action, visit);
        }
    }
}

fn outermost<'m>(action: &'m Action, visit: &mut dyn FnMut(&'m Expr)) {
    fn indices<'m>(place: &'m Place, visit: &mut dyn FnMut(&'m Expr)) {
        place.indices.iter().for_each(|index| visit(&index.value));
    }
    match action {
        Action::Skip | Action::Else | Action::End => {}
        Action::Condition(e) | Action::Assert(e) => visit(e),
        Action::Assign(place, value) => {
            indices(place, visit);
            visit(value);
        }
        Action::Send { channel, values, .. } => {
            indices(channel, visit);
            values.iter().for_each(visit);
        }
        Action::Receive { channel, pattern, .. } => {
            indices(channel, visit);
            for part in pattern {
                match part {
                    Pattern::Match(value) => visit(value),
                    Pattern::Bind(place) => indices(place, visit),
                    Pattern::Ignore => {}
                }
            }
        }
        Action::Print { args, .. } => args.iter().for_each(visit),
        Action::SetPriority(a, b) => {
            visit(a);
            visit(b);
        }
        Action::Deterministic(body) => body.actions().for_each(|a| outermost(a, visit)),
        Action::Heap(action) => action.walk(visit),
    }
}

/// A variable: its process type (`None` for a global) and slot.
type Variable = (Option<usize>, usize);

struct Flow<'m> {
    model: &'m Model,
    tainted: HashSet<Variable>,
    /// Some message field may carry an id.
    messages: bool,
}

impl Flow<'_> {
    fn variables(&self, proctype: usize, place: &Place) -> impl Iterator<Item = Variable> {
        let owner = match place.scope {
            Scope::Global => None,
            Scope::Local => Some(proctype),
        };
        place.all_slots().into_iter().map(move |slot| (owner, slot))
    }

    /// Whether an id can flow into an expression's value.
    fn carries(&self, proctype: usize, expr: &Expr) -> bool {
        match expr {
            Expr::Pid | Expr::Run { .. } | Expr::Last => true,
            Expr::Read(place) => self.variables(proctype, place).any(|v| self.tainted.contains(&v)),
            Expr::RemoteRead { proctype, place, .. } => {
                self.variables(*proctype, place).any(|v| self.tainted.contains(&v))
            }
            Expr::Unary(_, a) => self.carries(proctype, a),
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                self.carries(proctype, a) || self.carries(proctype, b)
            }
            Expr::Cond(c, a, b) => [c, a, b].into_iter().any(|e| self.carries(proctype, e)),
            _ => false,
        }
    }

    /// One round; tells whether anything new was tainted.
    fn propagate(&mut self) -> bool {
        let before = (self.tainted.len(), self.messages);
        let model = self.model;
        for (id, proctype) in model.process_types() {
            for setup in &proctype.setup {
                if let Setup::Assign(slot, value) = setup
                    && self.carries(id, value)
                {
                    self.tainted.insert((Some(id), *slot));
                }
            }
            for statement in &proctype.statements {
                self.propagate_action(id, &statement.action);
            }
        }
        before != (self.tainted.len(), self.messages)
    }

    fn propagate_action(&mut self, id: usize, action: &Action) {
        match action {
            Action::Assign(place, value) if self.carries(id, value) || self.numbers(Some(place.scalar.sort), value) => {
                let variables: Vec<_> = self.variables(id, place).collect();
                self.tainted.extend(variables);
            }
            Action::Send { values, .. } => {
                let number = |(field, value): (usize, &Expr)| {
                    let fitting = self.model.channels.iter().filter(|channel| channel.fields.len() == values.len());
                    fitting.into_iter().any(|channel| self.numbers(Some(channel.fields[field].sort), value))
                };
                self.messages |= values.iter().any(|v| self.carries(id, v)) || values.iter().enumerate().any(number);
            }
            Action::Receive { pattern, .. } if self.messages => {
                for part in pattern {
                    if let Pattern::Bind(place) = part {
                        let variables: Vec<_> = self.variables(id, place).collect();
                        self.tainted.extend(variables);
                    }
                }
            }
            Action::Deterministic(body) => body.actions().for_each(|a| self.propagate_action(id, a)),
            _ => {}
        }
        action.walk(&mut |e| {
            if let Expr::Run { proctype, args, .. } = e {
                for (slot, arg) in args.iter().enumerate() {
                    let sort = self.model.proctypes[*proctype].slots[slot].scalar.sort;
                    if self.carries(id, arg) || self.numbers(Some(sort), arg) {
                        self.tainted.insert((Some(*proctype), slot));
                    }
                }
            }
        });
    }

    /// Whether an id can reach something that decides what happens.
    fn sinks(&self) -> bool {
        let initial = |id: usize, setup: &Setup| match setup {
            Setup::Assign(_, value) => self.contains_test(id, value),
            Setup::Channel(..) => false,
        };
        self.messages && self.trace_matches()
            || self.model.process_types().any(|(id, proctype)| {
                proctype.provided.as_ref().is_some_and(|e| self.decides(id, e))
                    || proctype.setup.iter().any(|setup| initial(id, setup))
                    || proctype.statements.iter().any(|s| self.action_decides(id, &s.action))
            })
    }

    /// Whether a trace compares fields of messages.
    fn trace_matches(&self) -> bool {
        let Some(trace) = &self.model.trace else { return false };
        self.model.proctypes[trace.proctype].statements.iter().any(|statement| match &statement.action {
            Action::Send { values, .. } => values.iter().any(|value| matches!(value, Expr::Const(_))),
            Action::Receive { pattern, .. } => pattern.iter().any(|part| matches!(part, Pattern::Match(_))),
            _ => false,
        })
    }

    /// Whether a channel that some process created is used as a number: which number it has depends on who lives. What
    /// is copied to another channel variable stays a channel.
    fn numbers(&self, target: Option<Sort>, expr: &Expr) -> bool {
        let own = |(_, proctype): (usize, &Proctype)| proctype.setup.iter().any(|s| matches!(s, Setup::Channel(..)));
        let channel = |e: &Expr| matches!(e, Expr::Read(place) if place.scalar.sort == Sort::Channel);
        if target == Some(Sort::Channel) && channel(expr) || !expr.any(&channel) {
            return false;
        }
        self.model.process_types().any(own)
    }

    fn action_decides(&self, id: usize, action: &Action) -> bool {
        let index = |place: &Place| place.indices.iter().any(|i| self.carries(id, &i.value));
        match action {
            Action::Condition(e) | Action::Assert(e) => self.decides(id, e),
            Action::Assign(place, value) => index(place) || self.contains_test(id, value),
            Action::Send { channel, values, sorted } => {
                index(channel) || (*sorted && self.messages) || values.iter().any(|v| self.contains_test(id, v))
            }
            Action::Receive { channel, pattern, .. } => {
                index(channel)
                    || pattern.iter().any(|part| match part {
                        Pattern::Match(value) => self.messages || self.carries(id, value),
                        Pattern::Bind(place) => index(place),
                        Pattern::Ignore => false,
                    })
            }
            Action::SetPriority(pid, value) => self.carries(id, pid) || self.carries(id, value),
            Action::Deterministic(body) => body.actions().any(|a| self.action_decides(id, a)),
            // What is printed does not matter, but working it out can go wrong.
            Action::Print { args, .. } => args.iter().any(|arg| self.contains_test(id, arg)),
            Action::Skip | Action::Else | Action::End => false,
            Action::Heap(_) => true,
        }
    }

    /// Whether an expression used as a condition depends on an id. That `run` gives a number that is not zero says
    /// nothing.
    fn decides(&self, id: usize, expr: &Expr) -> bool {
        if matches!(expr, Expr::Run { .. }) {
            return self.contains_test(id, expr);
        }
        self.carries(id, expr) || self.contains_test(id, expr) || self.numbers(None, expr)
    }

    /// Whether an index, a divisor, a poll or a look at another process inside an expression depends on an id.
    fn contains_test(&self, id: usize, expr: &Expr) -> bool {
        expr.any(&|e| match e {
            Expr::Read(place) => place.indices.iter().any(|i| self.carries(id, &i.value)),
            Expr::Length(place) | Expr::Probe(_, place) => place.indices.iter().any(|i| self.carries(id, &i.value)),
            Expr::Poll { pattern, .. } => pattern.iter().any(|part| match part {
                Pattern::Match(value) => self.messages || self.carries(id, value),
                _ => false,
            }),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => self.carries(id, divisor),
            Expr::RemoteAt { pid, .. } | Expr::RemoteRead { pid, .. } => pid.is_some(),
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::PriorityOf(_) => true,
            _ => false,
        })
    }
}
