//! Declared scalarsets of models with a heap: proves that their members differ by name only.
//!
//! The proof follows Ip and Dill, "Better verification through symmetry": what has the sort of a member is stored, sent, compared with
//! others of its set, and used as an index along a dimension that its set indexes, and nothing else happens to it. Then a renaming of
//! members commutes with every step, whatever the names of records and the order of threads are, and whatever the initial
//! state is. The only number that may stand for a member is the one that stands for none; a choice between all members
//! names each of them, too. It is sound and not complete: what is not known to be right is refused.
//!
//! A record, a frame or a process that is made while the model runs begins with zeros, which would be the first member: so each variable and
//! field of such a sort must be given a value at once.

use std::collections::BTreeMap;

use quotient_ir::{
    Action, Axis, BinaryOp, Callee, DeclaredSet, Deterministic, Expr, Heap, HeapAction, HeapExpr, Model, Part, Pattern,
    Place, Proctype, ProctypeId, RecordKind, Scalar, Scope, Setup, Slot, Sort, State, Which,
};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use crate::{Detection, Finding};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A number or a reference.
    Plain,
    /// A constant: a number, or none of the members of a set.
    Const(i32),
    /// A member of a set, or none of them.
    Member(usize),
}

/// Where something is not symmetric, and why.
type Proved<T = ()> = Result<T, (Span, String)>;

struct Proof<'m> {
    model: &'m Model,
    heap: &'m Heap,
    /// Whose variables are meant.
    owner: ProctypeId,
    span: Span,
}

/// Takes note of whether the members of declared scalarsets of a model with a heap differ by name only.
pub(crate) fn detect(model: &mut Model, detection: &mut Detection) {
    if model.declared.sets.is_empty() {
        return;
    }
    let proved = prove(model);
    if let Some(heap) = &mut model.heap {
        heap.members_alike = proved.is_ok();
    }
    match proved {
        Ok(()) => {
            let sets = model.declared.sets.iter().enumerate();
            let finding = |(set, declared): (usize, &DeclaredSet)| Finding {
                set,
                text: format!("S_{} on {}", declared.size, declared.name),
                notes: Vec::new(),
            };
            detection.found.extend(sets.map(finding));
        }
        Err(reason) => detection.reasons.push(reason),
    }
}

/// Proves that the members of the declared scalarsets of a model with a heap differ by name only; says what is against it.
fn prove(model: &Model) -> Result<(), Diagnostic> {
    let Some(heap) = &model.heap else { return Ok(()) };
    let proof = Proof { model, heap, owner: 0, span: Span::default() };
    proof.whole().map_err(|(span, why)| {
        let why = format!("members of scalarsets keep their names, because {why}");
        Diagnostic::warning(span, why)
    })
}

fn member(scalar: Scalar) -> Option<usize> {
    match scalar.sort {
        Sort::Member { set } => Some(usize::from(set)),
        Sort::Plain | Sort::Channel | Sort::Process | Sort::Ref => None,
    }
}

impl<'m> Proof<'m> {
    fn fail<T>(&self, why: impl Into<String>) -> Proved<T> {
        Err((self.span, why.into()))
    }

    fn whole(mut self) -> Proved {
        let model = self.model;
        if model.trace.is_some() {
            return self.fail("the model has a trace");
        }
        for record in &self.heap.records {
            let has_members = record.fields.iter().any(|slot| member(slot.scalar).is_some());
            if has_members && matches!(record.kind, RecordKind::Value(_) | RecordKind::Array) {
                self.span = record.span;
                return self.fail(format!("`{}` has members as elements", record.name));
            }
        }
        for (id, proctype) in model.proctypes.iter().enumerate() {
            self.owner = id;
            self.span = proctype.span;
            if self.is_made(id) {
                self.begins(proctype)?;
            }
            proctype.provided.iter().try_for_each(|expr| self.number(expr))?;
            for promise in &proctype.exclusive {
                self.place(&promise.channel)?;
            }
            for state in &proctype.states {
                self.state(proctype, state)?;
            }
        }
        for claim in &model.claims {
            self.span = claim.span;
            claim.propositions.iter().try_for_each(|proposition| self.number(&proposition.expr))?;
        }
        Ok(())
    }

    /// Whether instances of a process type or frames of a function are made while the model runs.
    fn is_made(&self, id: ProctypeId) -> bool {
        let statements = self.model.proctypes.iter().flat_map(|proctype| &proctype.statements);
        let begins = |action: &Action| quotient_ir::ahead::began(action).contains(&id);
        statements.into_iter().any(|statement| match &statement.action {
            Action::Deterministic(body) => body.actions().any(begins),
            action => begins(action),
        })
    }

    /// The variables of such an instance must be given values at once.
    fn begins(&self, proctype: &Proctype) -> Proved {
        let mut given: Vec<bool> = (0..proctype.slots.len()).map(|slot| slot < proctype.params).collect();
        for setup in &proctype.setup {
            if let Setup::Assign(slot, value) = setup {
                self.fits(value, proctype.slots[*slot].scalar)?;
                given[*slot] = true;
            }
        }
        match proctype.slots.iter().zip(given).find(|(slot, given)| member(slot.scalar).is_some() && !given) {
            Some((slot, _)) => {
                self.fail(format!("`{}` has no value at the beginning of `{}`", slot.name, proctype.name))
            }
            None => Ok(()),
        }
    }

    fn state(&mut self, proctype: &Proctype, state: &State) -> Proved {
        // By place and by where they lead: the members that are chosen.
        let mut chosen: BTreeMap<String, (usize, Vec<i32>, Span)> = BTreeMap::new();
        for transition in &state.transitions {
            let statement = &proctype.statements[transition.statement];
            self.span = statement.span;
            if let Action::Assign(place, Expr::Const(value)) = &statement.action
                && let Some(set) = self.place(place)?
                && *value != self.size(set)
                && transition.escape == 0
            {
                let way = format!("{place:?} {} {}", transition.target, transition.atomic);
                chosen.entry(way).or_insert_with(|| (set, Vec::new(), statement.span)).1.push(*value);
                continue;
            }
            self.action(&statement.action)?;
        }
        for (set, mut members, span) in chosen.into_values() {
            members.sort_unstable();
            // Each of them can be chosen, in as many ways.
            let ways = members.len() / self.size(set).max(1) as usize;
            let all = (0..self.size(set)).flat_map(|member| std::iter::repeat_n(member, ways));
            if !members.iter().copied().eq(all) {
                self.span = span;
                return self.fail("a member is named by its number");
            }
        }
        Ok(())
    }

    fn size(&self, set: usize) -> i32 {
        self.model.declared.sets.get(set).map_or(0, |set| set.size as i32)
    }

    // ---- values ----

    /// A number or a reference, and no member.
    fn number(&self, expr: &Expr) -> Proved {
        match self.kind(expr)? {
            Kind::Member(_) => self.fail("a member is used as a number"),
            Kind::Plain | Kind::Const(_) => Ok(()),
        }
    }

    /// A value for a variable or field of a type.
    fn fits(&self, expr: &Expr, target: Scalar) -> Proved {
        match (self.kind(expr)?, member(target)) {
            (Kind::Member(set), Some(other)) if set == other => Ok(()),
            (Kind::Const(value), Some(set)) if value == self.size(set) => Ok(()),
            (Kind::Plain | Kind::Const(_), None) => Ok(()),
            (Kind::Member(_), _) => self.fail("a member is stored where there are none of its scalarset"),
            (Kind::Plain | Kind::Const(_), Some(_)) => self.fail("a number is stored as a member"),
        }
    }

    fn kind(&self, expr: &Expr) -> Proved<Kind> {
        let of = |set: Option<usize>| set.map_or(Kind::Plain, Kind::Member);
        Ok(match expr {
            Expr::Const(value) => Kind::Const(*value),
            Expr::Read(place) => of(self.place(place)?),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => match (self.kind(a)?, self.kind(b)?) {
                (Kind::Member(a), Kind::Member(b)) if a == b => Kind::Plain,
                (Kind::Member(set), Kind::Const(value)) | (Kind::Const(value), Kind::Member(set))
                    if value == self.size(set) =>
                {
                    Kind::Plain
                }
                (Kind::Member(_), _) | (_, Kind::Member(_)) => return self.fail("a member is compared with a number"),
                _ => Kind::Plain,
            },
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::PriorityOf(a) => {
                self.number(a)?;
                Kind::Plain
            }
            Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
                self.number(a)?;
                self.number(b)?;
                Kind::Plain
            }
            Expr::Cond(condition, a, b) => {
                self.number(condition)?;
                match (self.kind(a)?, self.kind(b)?) {
                    (Kind::Member(a), Kind::Member(b)) if a == b => Kind::Member(a),
                    (Kind::Member(set), Kind::Const(value)) | (Kind::Const(value), Kind::Member(set))
                        if value == self.size(set) =>
                    {
                        Kind::Member(set)
                    }
                    (Kind::Member(_), _) | (_, Kind::Member(_)) => return self.fail("a member stands beside a number"),
                    _ => Kind::Plain,
                }
            }
            Expr::Length(place) | Expr::Probe(_, place) => {
                self.place(place)?;
                Kind::Plain
            }
            Expr::Poll { channel, pattern, random: _ } => {
                self.place(channel)?;
                self.pattern(pattern)?;
                Kind::Plain
            }
            Expr::Run { proctype, args, priority: _ } => {
                self.arguments(*proctype, args)?;
                Kind::Plain
            }
            Expr::Pid | Expr::ProcessCount | Expr::Last | Expr::OwnPriority | Expr::Timeout | Expr::NonProgress => {
                Kind::Plain
            }
            Expr::RemoteAt { proctype: _, pid, state: _ } => {
                pid.iter().try_for_each(|pid| self.number(pid))?;
                Kind::Plain
            }
            Expr::RemoteRead { proctype, pid, place } => {
                pid.iter().try_for_each(|pid| self.number(pid))?;
                of(self.place_of(*proctype, place)?)
            }
            Expr::Heap(heap) => return self.heap_expr(heap),
        })
    }

    fn heap_expr(&self, expr: &HeapExpr) -> Proved<Kind> {
        match expr {
            HeapExpr::Null => {}
            HeapExpr::Read(part) => return Ok(self.part(part)?.map_or(Kind::Plain, Kind::Member)),
            HeapExpr::Length { array: value, span: _ }
            | HeapExpr::InstanceOf(value, _)
            | HeapExpr::IsExactly(value, _)
            | HeapExpr::Cast { object: value, record: _, span: _ }
            | HeapExpr::Ranged { value, low: _, high: _, span: _ }
            | HeapExpr::Ask(_, value)
            | HeapExpr::Messages(value)
            | HeapExpr::Probe(_, value) => self.number(value)?,
            HeapExpr::New { record, length, inits, span: _ } => {
                length.iter().try_for_each(|length| self.number(length))?;
                let ty = &self.heap.records[*record];
                for (field, value) in inits {
                    self.fits(value, ty.fields[*field].scalar)?;
                }
                let given = |field: usize| inits.iter().any(|(given, _)| *given == field);
                let is_left = |(field, slot): (usize, &Slot)| member(slot.scalar).is_some() && !given(field);
                let is_channel = matches!(ty.kind, RecordKind::Channel(_));
                if !is_channel && ty.fields.iter().enumerate().any(is_left) {
                    return self.fail(format!("a member has no value in a new `{}`", ty.name));
                }
            }
            HeapExpr::Start { proctype, args } => self.arguments(*proctype, args)?,
            HeapExpr::Extend(call) => call.args.iter().try_for_each(|arg| self.number(arg))?,
            HeapExpr::Poll { channel, pattern, random: _ } => {
                self.number(channel)?;
                self.pattern(pattern)?;
            }
        }
        Ok(Kind::Plain)
    }

    fn arguments(&self, callee: ProctypeId, args: &[Expr]) -> Proved {
        let slots = &self.model.proctypes[callee].slots;
        args.iter().zip(slots).try_for_each(|(arg, slot)| self.fits(arg, slot.scalar))
    }

    /// The scalarset of what a part of a record holds.
    fn part(&self, part: &Part) -> Proved<Option<usize>> {
        self.number(&part.object)?;
        if let Which::Element(index) = &part.which {
            self.number(index)?;
        }
        Ok(member(part.scalar))
    }

    /// The scalarset of what a variable holds.
    fn place(&self, place: &Place) -> Proved<Option<usize>> {
        self.place_of(self.owner, place)
    }

    /// The same for a variable of another process. An element of an array that a scalarset indexes is named by a member.
    fn place_of(&self, owner: ProctypeId, place: &Place) -> Proved<Option<usize>> {
        let (of, slots): (Option<ProctypeId>, &[Slot]) = match place.scope {
            Scope::Global => (None, &self.model.globals),
            Scope::Local => (Some(owner), &self.model.proctypes[owner].slots),
        };
        let axes = |slot: usize| {
            let axes = self.model.declared.axes.iter().filter(move |axis| axis.proctype == of && axis.slot == slot);
            axes.map(|axis: &Axis| (axis.dimension, axis.set))
        };
        let mut left: Vec<(usize, usize)> = axes(place.slot).collect();
        left.sort_unstable();
        left.dedup();
        for index in &place.indices {
            let kind = self.kind(&index.value)?;
            let next = slots.get(place.slot + index.stride).filter(|_| index.length > 1);
            let dimension = next.and_then(|next| differing(&slots[place.slot].name, &next.name));
            let along = left.iter().position(|&(known, _)| Some(known) == dimension);
            match (along, kind) {
                (Some(at), Kind::Member(set)) if left[at].1 == set => drop(left.remove(at)),
                (None, Kind::Plain | Kind::Const(_)) => {}
                (Some(_), _) => return self.fail("an element for a member is named by a number"),
                (None, Kind::Member(_)) => return self.fail("a member is used as a number, as an index"),
            }
        }
        let same = |slot: usize| {
            let mut found: Vec<(usize, usize)> = axes(slot).collect();
            found.sort_unstable();
            found.dedup();
            let mut own: Vec<(usize, usize)> = axes(place.slot).collect();
            own.sort_unstable();
            own.dedup();
            found == own && slots.get(slot).is_some_and(|slot| slot.scalar == place.scalar)
        };
        if !left.is_empty() || !place.all_slots().into_iter().all(same) {
            return self.fail("an element for a member is named by a number");
        }
        Ok(member(place.scalar))
    }

    /// A pattern for messages of whatever channel has them.
    fn pattern(&self, pattern: &[Pattern]) -> Proved {
        for channel in &self.model.channels {
            for (part, &field) in pattern.iter().zip(&channel.fields) {
                match part {
                    Pattern::Match(value) => self.fits(value, field)?,
                    Pattern::Bind(place) if self.place(place)? != member(field) => {
                        return self.fail("a member is received where there are none of its scalarset");
                    }
                    Pattern::Bind(_) | Pattern::Ignore => {}
                }
            }
        }
        Ok(())
    }

    /// A message for whatever channel takes it.
    fn message(&self, values: &[Expr], sorted: bool) -> Proved {
        if sorted {
            values.iter().try_for_each(|value| self.number(value))?;
        }
        let fitting = self.model.channels.iter().filter(|channel| channel.fields.len() == values.len());
        for channel in fitting {
            values.iter().zip(&channel.fields).try_for_each(|(value, &field)| self.fits(value, field))?;
        }
        values.iter().try_for_each(|value| self.kind(value).map(drop))
    }

    // ---- actions ----

    fn action(&self, action: &Action) -> Proved {
        match action {
            Action::Skip | Action::Else | Action::End => Ok(()),
            Action::Condition(value) | Action::Assert(value) => self.number(value),
            Action::Assign(place, value) => {
                self.place(place)?;
                self.fits(value, place.scalar)
            }
            Action::Send { channel, values, sorted } => {
                self.place(channel)?;
                self.message(values, *sorted)
            }
            Action::Receive { channel, pattern, random: _, copy: _ } => {
                self.place(channel)?;
                self.pattern(pattern)
            }
            // What is printed decides nothing.
            Action::Print { format: _, args, mtype: _ } => args.iter().try_for_each(|arg| self.kind(arg).map(drop)),
            Action::SetPriority(pid, value) => {
                self.number(pid)?;
                self.number(value)
            }
            Action::Deterministic(body) => self.deterministic(body),
            Action::Heap(action) => self.heap_action(action),
        }
    }

    fn deterministic(&self, body: &Deterministic) -> Proved {
        // The first that can be executed is taken, which is another one only if what it asks is.
        body.actions().try_for_each(|action| self.action(action))
    }

    fn heap_action(&self, action: &HeapAction) -> Proved {
        match action {
            HeapAction::Set(part, value) => {
                self.part(part)?;
                self.fits(value, part.scalar)
            }
            HeapAction::Evaluate(value) => self.kind(value).map(drop),
            HeapAction::Delete(value)
            | HeapAction::Throw(value)
            | HeapAction::Assume(value)
            | HeapAction::Monitor(_, value) => self.number(value),
            HeapAction::Call { callee, args, result, atomic: _ } => {
                if let Callee::Value(value, _) = callee {
                    self.number(value)?;
                }
                for function in callee.functions() {
                    self.arguments(function, args)?;
                    if let Some(slot) = result {
                        self.returns(function, self.model.proctypes[self.owner].slots[*slot].scalar)?;
                    }
                }
                Ok(())
            }
            HeapAction::Return(value) => value.iter().try_for_each(|value| self.kind(value).map(drop)),
            HeapAction::Exit => Ok(()),
            HeapAction::Send { channel, values, sorted } => {
                self.number(channel)?;
                self.message(values, *sorted)
            }
            HeapAction::Receive { channel, pattern, random: _, copy: _ } => {
                self.number(channel)?;
                self.pattern(pattern)
            }
        }
    }

    /// What a function gives back must fit.
    fn returns(&self, function: ProctypeId, target: Scalar) -> Proved {
        let inside = Proof { owner: function, ..*self };
        for statement in &self.model.proctypes[function].statements {
            let returned = |action: &Action| match action {
                Action::Heap(action) => match &**action {
                    HeapAction::Return(Some(value)) => inside.fits(value, target),
                    HeapAction::Return(None) if member(target).is_some() => {
                        self.fail("a function gives back no member")
                    }
                    _ => Ok(()),
                },
                _ => Ok(()),
            };
            match &statement.action {
                Action::Deterministic(body) => body.actions().try_for_each(returned)?,
                action => returned(action)?,
            }
        }
        Ok(())
    }
}

/// Which index differs in the names of two slots, if it is only one.
fn differing(one: &str, other: &str) -> Option<usize> {
    let indices = |name: &str| {
        name.split('[').skip(1).map(|part| part.split(']').next().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    let (one, other) = (indices(one), indices(other));
    let mut found = one.iter().zip(&other).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at);
    let first = found.next()?;
    (one.len() == other.len() && found.next().is_none()).then_some(first)
}
