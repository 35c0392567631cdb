//! Inference: goes over what processes can do once all of them exist and puts everything that shares values into one
//! class, with the uses that say more than "which member". Follows section 2.1 of the design's research page, after
//! Ip and Dill; the typing of one expression serves the verification of renamings, too.

use std::collections::HashMap;

use quotient_ir::{Action, BinaryOp, Expr, Model, Pattern, Place, ProctypeKind, Scope, Sort, UnaryOp};
use quotient_report::source::Span;

use crate::arrays::Arrays;
use crate::classes::{Classes, NodeId, Use};
use crate::start::{Start, statements};

/// The classes of a model, and which node each thing is.
#[derive(Clone, Debug, Default)]
pub struct Inference {
    /// The classes.
    pub classes: Classes,
    /// The arrays of the globals, then those of each process type's locals.
    pub arrays: Vec<Arrays>,
    /// The values of each shape, by component.
    pub values: Vec<Vec<NodeId>>,
    /// Indices by component, variable and name of the axis.
    pub axes: HashMap<(usize, usize, String), NodeId>,
    /// `_pid`, by process type.
    pub pids: Vec<NodeId>,
    /// Whether something depends on the ids of a type's processes.
    pub pid_used: Vec<bool>,
    /// Fields of messages, by channel type.
    pub fields: Vec<Vec<NodeId>>,
    /// An id of some process, of whatever type.
    pub any_pid: NodeId,
    /// Whether the last one is looked at.
    pub any_pid_used: bool,
    /// Where the oldest process of a type is looked at.
    pub named: Vec<(usize, Span)>,
    /// Whether `c - x` is taken for the other one of two members, rather than for a computed number.
    pub reflects: bool,
}

/// The component of a scope.
pub fn component(scope: Scope, proctype: usize) -> usize {
    match scope {
        Scope::Global => 0,
        Scope::Local => proctype + 1,
    }
}

impl Inference {
    /// Infers the classes of a model. `reflects` says whether `c - x` is taken for the other one of two members.
    pub fn new(model: &Model, start: &Start, reflects: bool) -> Self {
        let mut classes = Classes::default();
        let mut arrays = vec![Arrays::new(&model.globals)];
        arrays.extend(model.proctypes.iter().map(|p| Arrays::new(&p.slots)));
        let values: Vec<Vec<NodeId>> =
            arrays.iter().map(|a| a.shapes.iter().map(|_| classes.fresh()).collect()).collect();
        let mut axes = HashMap::new();
        for (component, arrays) in arrays.iter().enumerate() {
            for shape in &arrays.shapes {
                for dimension in 0..shape.lengths.len() {
                    let key = (component, shape.variable, shape.axis(dimension).to_string());
                    axes.entry(key).or_insert_with(|| classes.fresh());
                }
            }
        }
        let pids = model.proctypes.iter().map(|_| classes.fresh()).collect();
        let fields = model.channels.iter().map(|c| c.fields.iter().map(|_| classes.fresh()).collect()).collect();
        let any_pid = classes.fresh();
        let pid_used = vec![false; model.proctypes.len()];
        let mut inference = Inference {
            classes,
            arrays,
            values,
            axes,
            pids,
            pid_used,
            fields,
            any_pid,
            any_pid_used: false,
            named: Vec::new(),
            reflects,
        };
        inference.link_channels(model, start);
        for id in 0..model.proctypes.len() {
            if model.proctypes[id].kind == ProctypeKind::Claim {
                continue;
            }
            let mut walk = Walk { model, inference: &mut inference, proctype: id, span: model.proctypes[id].span };
            for statement in statements(model, id, &start.reachable[id]) {
                walk.span = statement.span;
                walk.action(&statement.action);
            }
            walk.span = model.proctypes[id].span;
            if let Some(provided) = &model.proctypes[id].provided {
                walk.truth(provided);
            }
            for promise in &model.proctypes[id].exclusive {
                walk.place(&promise.channel, id);
            }
        }
        inference
    }

    /// What the channel variables hold in the beginning.
    fn link_channels(&mut self, model: &Model, start: &Start) {
        let mut held: Vec<(usize, usize, i32)> = Vec::new();
        for (slot, &value) in start.state.globals.iter().enumerate() {
            if model.globals[slot].scalar.sort == Sort::Channel {
                held.push((0, slot, value));
            }
        }
        for process in &start.state.processes {
            for (slot, &value) in process.locals.iter().enumerate() {
                if model.proctypes[process.proctype].slots[slot].scalar.sort == Sort::Channel {
                    held.push((process.proctype + 1, slot, value));
                }
            }
        }
        for (component, slot, value) in held {
            let Some(channel) = usize::try_from(value - 1).ok().and_then(|c| start.state.channels.get(c)) else {
                continue;
            };
            let node = self.values[component][self.arrays[component].elements[slot].shape];
            let fields = self.fields[channel.ty].clone();
            self.classes.set_fields(node, &fields, Span::default());
        }
    }

    /// The values of a slot.
    pub fn value(&self, component: usize, slot: usize) -> NodeId {
        self.values[component][self.arrays[component].elements[slot].shape]
    }

    /// The indices along one dimension of a shape.
    pub fn axis(&self, component: usize, shape: usize, dimension: usize) -> NodeId {
        let shape = &self.arrays[component].shapes[shape];
        self.axes[&(component, shape.variable, shape.axis(dimension).to_string())]
    }

    /// What an expression's values are values of, and how much is added; `None` for a computed number.
    pub fn ty(&self, expr: &Expr, proctype: usize) -> Option<(NodeId, i32)> {
        match expr {
            Expr::Read(place) => Some((self.value(component(place.scope, proctype), place.slot), 0)),
            Expr::Pid => Some((self.pids[proctype], 0)),
            Expr::Last => Some((self.any_pid, 0)),
            Expr::Binary(BinaryOp::Add, a, b) => match (&**a, &**b) {
                (a, Expr::Const(c)) | (Expr::Const(c), a) => self.ty(a, proctype).map(|(n, o)| (n, o.wrapping_add(*c))),
                _ => None,
            },
            Expr::Binary(BinaryOp::Sub, a, b) => match (&**a, &**b) {
                (_, Expr::Const(c)) => self.ty(a, proctype).map(|(n, o)| (n, o.wrapping_sub(*c))),
                (Expr::Const(_), _) if self.reflects => self.ty(b, proctype).map(|(n, _)| (n, 0)),
                _ => None,
            },
            Expr::Binary(BinaryOp::Rem, a, b) => match &**b {
                Expr::Const(_) => self.ty(a, proctype).map(|(n, _)| (n, 0)),
                _ => None,
            },
            Expr::Cond(_, a, b) => self.ty(a, proctype).or_else(|| self.ty(b, proctype)),
            Expr::RemoteRead { proctype, place, .. } => Some((self.value(proctype + 1, place.slot), 0)),
            _ => None,
        }
    }
}

struct Walk<'a> {
    model: &'a Model,
    inference: &'a mut Inference,
    proctype: usize,
    span: Span,
}

impl Walk<'_> {
    fn ty(&self, expr: &Expr) -> Option<(NodeId, i32)> {
        self.inference.ty(expr, self.proctype)
    }

    fn note(&mut self, expr: &Expr, how: Use) {
        if let Some((node, offset)) = self.ty(expr) {
            self.inference.classes.note(node, offset, how, self.span);
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            // A model with a heap is not looked at.
            Action::Skip | Action::Else | Action::End | Action::Heap(_) => {}
            Action::Condition(e) | Action::Assert(e) => self.truth(e),
            Action::Assign(place, value) => {
                self.place(place, self.proctype);
                let target = self.inference.value(component(place.scope, self.proctype), place.slot);
                self.flow(value, target, "is assigned a computed number");
            }
            Action::Send { channel, values, sorted } => {
                let fields = self.message(channel, values.len());
                for (value, &field) in values.iter().zip(&fields) {
                    if self.trace() && matches!(value, Expr::Pid) {
                        continue;
                    }
                    self.flow(value, field, "is sent as a computed number");
                    if *sorted {
                        let how = Use::Plain("is compared by a sorted send".to_string());
                        self.inference.classes.note(field, 0, how, self.span);
                    }
                }
            }
            Action::Receive { channel, pattern, .. } => self.pattern(channel, pattern),
            Action::Print { args, .. } => args.iter().for_each(|arg| self.expr(arg)),
            Action::SetPriority(pid, value) => {
                self.any_pid(pid);
                self.plain(value, "is used as a priority");
            }
            Action::Deterministic(body) => {
                for option in body.nodes.iter().flat_map(|node| &node.options) {
                    let outer = std::mem::replace(&mut self.span, option.span);
                    self.action(&option.action);
                    self.span = outer;
                }
            }
        }
    }

    fn trace(&self) -> bool {
        self.model.proctypes[self.proctype].kind == ProctypeKind::Trace
    }

    fn message(&mut self, channel: &Place, count: usize) -> Vec<NodeId> {
        self.place(channel, self.proctype);
        let node = self.inference.value(component(channel.scope, self.proctype), channel.slot);
        self.inference.classes.fields(node, count)
    }

    fn pattern(&mut self, channel: &Place, pattern: &[Pattern]) {
        let fields = self.message(channel, pattern.len());
        for (part, &field) in pattern.iter().zip(&fields) {
            match part {
                Pattern::Match(Expr::Pid) if self.trace() => {}
                Pattern::Match(value) => self.flow(value, field, "is matched with a computed number"),
                Pattern::Bind(place) => {
                    self.place(place, self.proctype);
                    let node = self.inference.value(component(place.scope, self.proctype), place.slot);
                    self.inference.classes.unify(node, field, 0, self.span);
                }
                Pattern::Ignore => {}
            }
        }
    }

    /// The indices of a variable of a process of some type.
    fn place(&mut self, place: &Place, owner: usize) {
        let component = component(place.scope, owner);
        let dimensions = self.inference.arrays[component].dimensions(place);
        let shape = self.inference.arrays[component].elements[place.slot].shape;
        for (index, dimension) in place.indices.iter().zip(dimensions) {
            let axis = self.inference.axis(component, shape, dimension);
            let outer = std::mem::replace(&mut self.span, index.span);
            self.flow(&index.value, axis, "is indexed by a computed number");
            self.span = outer;
        }
    }

    /// The values of an expression go to a node.
    fn flow(&mut self, expr: &Expr, node: NodeId, computed: &str) {
        self.expr(expr);
        match (self.ty(expr), expr) {
            (Some((from, offset)), _) => {
                self.inference.classes.unify(node, from, offset, self.span);
                self.constants(expr, node, 0);
            }
            (None, Expr::Const(value)) => self.inference.classes.note(node, 0, Use::Literal(*value), self.span),
            (None, Expr::Cond(_, a, b)) if matches!((&**a, &**b), (Expr::Const(_), Expr::Const(_))) => {
                self.constants(expr, node, 0);
            }
            (None, _) => self.inference.classes.note(node, 0, Use::Plain(computed.to_string()), self.span),
        }
    }

    /// Constants that an expression can be, as values of a node.
    fn constants(&mut self, expr: &Expr, node: NodeId, offset: i32) {
        match expr {
            Expr::Const(value) => self.inference.classes.note(node, offset, Use::Literal(*value), self.span),
            Expr::Cond(_, a, b) => {
                self.constants(a, node, offset);
                self.constants(b, node, offset);
            }
            _ => {}
        }
    }

    fn relate(&mut self, a: &Expr, b: &Expr, computed: &str) {
        self.expr(a);
        self.expr(b);
        match (self.ty(a), self.ty(b)) {
            (Some((x, p)), Some((y, q))) => {
                self.inference.classes.unify(x, y, q - p, self.span);
                self.constants(a, y, q);
                self.constants(b, x, p);
            }
            (Some((x, p)), None) => self.beside(x, p, b, computed),
            (None, Some((y, q))) => self.beside(y, q, a, computed),
            (None, None) => {}
        }
    }

    fn beside(&mut self, node: NodeId, offset: i32, expr: &Expr, computed: &str) {
        match expr {
            Expr::Const(_) | Expr::Cond(..) => self.constants(expr, node, offset),
            _ => self.inference.classes.note(node, offset, Use::Plain(computed.to_string()), self.span),
        }
        if let Expr::Cond(_, a, b) = expr {
            for part in [a, b] {
                if !matches!(**part, Expr::Const(_)) {
                    self.inference.classes.note(node, offset, Use::Plain(computed.to_string()), self.span);
                }
            }
        }
    }

    fn truth(&mut self, expr: &Expr) {
        self.expr(expr);
        self.note(expr, Use::Truth);
    }

    fn plain(&mut self, expr: &Expr, why: &str) {
        self.expr(expr);
        self.note(expr, Use::Plain(why.to_string()));
    }

    fn any_pid(&mut self, expr: &Expr) {
        self.inference.any_pid_used |= !matches!(expr, Expr::Pid);
        self.flow(expr, self.inference.any_pid, "is computed as a process id");
    }

    fn remote(&mut self, proctype: usize, pid: Option<&Expr>) {
        match pid {
            Some(pid) => {
                self.inference.pid_used[proctype] = true;
                self.flow(pid, self.inference.pids[proctype], "is computed as a process id");
            }
            None => self.inference.named.push((proctype, self.span)),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_)
            | Expr::ProcessCount
            | Expr::OwnPriority
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Heap(_) => {}
            Expr::Pid => self.inference.pid_used[self.proctype] |= !self.trace(),
            Expr::Last => self.inference.any_pid_used = true,
            Expr::Read(place) => self.place(place, self.proctype),
            Expr::Unary(UnaryOp::Not, a) => self.truth(a),
            Expr::Unary(_, a) => self.plain(a, "is computed with"),
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.truth(a);
                self.truth(b);
            }
            Expr::Cond(c, a, b) => {
                self.truth(c);
                self.relate(a, b, "is used like a computed number");
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, expr),
            Expr::Length(place) | Expr::Probe(_, place) => self.place(place, self.proctype),
            Expr::Poll { channel, pattern, .. } => self.pattern(channel, pattern),
            Expr::Run { args, .. } => args.iter().for_each(|arg| self.plain(arg, "is given to a new process")),
            Expr::Enabled(pid) | Expr::PcValue(pid) | Expr::PriorityOf(pid) => self.any_pid(pid),
            Expr::RemoteAt { proctype, pid, .. } => self.remote(*proctype, pid.as_deref()),
            Expr::RemoteRead { proctype, pid, place } => {
                self.remote(*proctype, pid.as_deref());
                // The variable is another process's, its indices are the executing one's.
                let dimensions = self.inference.arrays[proctype + 1].dimensions(place);
                let shape = self.inference.arrays[proctype + 1].elements[place.slot].shape;
                for (index, dimension) in place.indices.iter().zip(dimensions) {
                    let axis = self.inference.axis(proctype + 1, shape, dimension);
                    self.flow(&index.value, axis, "is indexed by a computed number");
                }
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, whole: &Expr) {
        let ordered = match op {
            BinaryOp::Eq | BinaryOp::Ne => return self.relate(a, b, "is compared with a computed number"),
            BinaryOp::Lt => "is compared with `<`",
            BinaryOp::Gt => "is compared with `>`",
            BinaryOp::Le => "is compared with `<=`",
            BinaryOp::Ge => "is compared with `>=`",
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
                "is used as a pattern of bits"
            }
            _ => "is computed with",
        };
        match (op, self.ty(whole)) {
            (BinaryOp::Add | BinaryOp::Sub, Some(_)) => {
                self.expr(a);
                self.expr(b);
            }
            (BinaryOp::Rem, Some((node, _))) => {
                self.expr(a);
                let (Some((_, shift)), Expr::Const(modulus)) = (self.ty(a), b) else { return };
                let how = Use::Ring { shift, modulus: *modulus };
                self.inference.classes.note(node, 0, how, self.span);
            }
            _ => {
                self.plain(a, ordered);
                self.plain(b, ordered);
            }
        }
    }
}
