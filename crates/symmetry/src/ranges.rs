//! Which values variables and message fields can have once all processes exist: an over-approximation that does not
//! follow the order of statements. The rules of [`crate::rules`] are checked value by value on it.

use quotient_ir::{Action, Expr, Model, Pattern, Place, ProctypeKind, Scalar, Scope};
use quotient_step::reference::State;

use crate::start::{Start, statements};
use crate::values::Values;

/// After so many rounds, what still grows may be anything.
const ROUNDS: usize = 48;

/// The values that everything may have.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    /// Of global variable slots.
    pub globals: Vec<Values>,
    /// Of local variable slots, by process type.
    pub locals: Vec<Vec<Values>>,
    /// Of message fields, by channel type.
    pub fields: Vec<Vec<Values>>,
    /// Ids of processes, by type; a `trace` looks at all of them.
    pids: Vec<Values>,
    /// The type of each channel, by id from one.
    channels: Vec<usize>,
    processes: usize,
}

impl Ranges {
    /// Nothing yet.
    pub fn new(model: &Model) -> Self {
        let none = |count: usize| vec![Values::default(); count];
        Ranges {
            globals: none(model.globals.len()),
            locals: model.proctypes.iter().map(|p| none(p.slots.len())).collect(),
            fields: model.channels.iter().map(|c| none(c.fields.len())).collect(),
            pids: none(model.proctypes.len()),
            channels: Vec::new(),
            processes: 0,
        }
    }

    /// All values in the states that are reached once all processes exist.
    pub fn of(model: &Model, start: &Start) -> Self {
        let mut ranges = start.met.clone();
        ranges.close(model, start);
        ranges
    }

    /// Adds the values of a state.
    pub fn absorb(&mut self, state: &State) {
        let add = |values: &mut Values, value: i32| {
            if !values.contains(value) {
                *values = values.join(&Values::one(value));
            }
        };
        for (values, &value) in self.globals.iter_mut().zip(&state.globals) {
            add(values, value);
        }
        for process in &state.processes {
            for (values, &value) in self.locals[process.proctype].iter_mut().zip(&process.locals) {
                add(values, value);
            }
        }
        for channel in &state.channels {
            for message in &channel.messages {
                for (values, &value) in self.fields[channel.ty].iter_mut().zip(message) {
                    add(values, value);
                }
            }
        }
    }

    /// Adds what statements can make of the values, again and again until nothing is new.
    fn close(&mut self, model: &Model, start: &Start) {
        self.channels = start.state.channels.iter().map(|channel| channel.ty).collect();
        self.processes = start.state.processes.len();
        for (id, proctype) in model.proctypes.iter().enumerate() {
            let of_type =
                |p: &quotient_step::reference::Process| p.proctype == id || proctype.kind == ProctypeKind::Trace;
            let pids = start.state.processes.iter().enumerate().filter(|(_, p)| of_type(p));
            self.pids[id] = Values::Some(pids.map(|(pid, _)| pid as i32).collect());
        }
        for round in 0.. {
            let mut grown = false;
            for id in 0..model.proctypes.len() {
                for statement in statements(model, id, &start.reachable[id]) {
                    grown |= self.action(model, id, &statement.action, round > ROUNDS);
                }
            }
            if !grown {
                return;
            }
        }
    }

    fn action(&mut self, model: &Model, proctype: usize, action: &Action, widen: bool) -> bool {
        match action {
            Action::Skip
            | Action::Condition(_)
            | Action::Else
            | Action::Assert(_)
            | Action::Print { .. }
            | Action::SetPriority(..)
            | Action::End
            | Action::Heap(_) => false,
            Action::Assign(place, value) => {
                let values = self.expr(proctype, value);
                self.store(model, proctype, place, &values, widen)
            }
            Action::Send { channel, values, sorted: _ } => {
                let values: Vec<Values> = values.iter().map(|v| self.expr(proctype, v)).collect();
                let mut grown = false;
                for ty in self.channel_types(proctype, channel) {
                    for (field, values) in values.iter().enumerate().take(model.channels[ty].fields.len()) {
                        let scalar = model.channels[ty].fields[field];
                        grown |= grow(&mut self.fields[ty][field], &values.cut(scalar), scalar, widen);
                    }
                }
                grown
            }
            Action::Receive { channel, pattern, random: _, copy: _ } => {
                let mut grown = false;
                for ty in self.channel_types(proctype, channel) {
                    for (field, part) in pattern.iter().enumerate().take(model.channels[ty].fields.len()) {
                        if let Pattern::Bind(place) = part {
                            let values = self.fields[ty][field].clone();
                            grown |= self.store(model, proctype, place, &values, widen);
                        }
                    }
                }
                grown
            }
            Action::Deterministic(body) => {
                let mut grown = false;
                for action in body.actions() {
                    grown |= self.action(model, proctype, action, widen);
                }
                grown
            }
        }
    }

    fn store(&mut self, model: &Model, proctype: usize, place: &Place, values: &Values, widen: bool) -> bool {
        let values = values.cut(place.scalar);
        let mut grown = false;
        for slot in self.slots(proctype, place) {
            let (old, scalar) = match place.scope {
                Scope::Global => (&mut self.globals[slot], model.globals[slot].scalar),
                Scope::Local => (&mut self.locals[proctype][slot], model.proctypes[proctype].slots[slot].scalar),
            };
            grown |= grow(old, &values, scalar, widen);
        }
        grown
    }

    /// The slots that a place can stand for.
    pub fn slots(&self, proctype: usize, place: &Place) -> Vec<usize> {
        let mut slots = vec![place.slot];
        for index in &place.indices {
            let values = self.expr(proctype, &index.value);
            let inside: Vec<usize> = (0..index.length).filter(|&i| values.contains(i as i32)).collect();
            slots = slots.iter().flat_map(|&slot| inside.iter().map(move |i| slot + i * index.stride)).collect();
        }
        slots
    }

    /// The types of the channels that a place can hold.
    pub fn channel_types(&self, proctype: usize, place: &Place) -> Vec<usize> {
        let ids = self.place(proctype, place);
        let held = self.channels.iter().enumerate().filter(|(at, _)| ids.contains(*at as i32 + 1));
        let mut types: Vec<usize> = held.map(|(_, &ty)| ty).collect();
        types.sort_unstable();
        types.dedup();
        types
    }

    /// The values of a variable.
    pub fn place(&self, proctype: usize, place: &Place) -> Values {
        let of_slot = |slot: usize| match place.scope {
            Scope::Global => &self.globals[slot],
            Scope::Local => &self.locals[proctype][slot],
        };
        self.slots(proctype, place).into_iter().fold(Values::default(), |values, slot| values.join(of_slot(slot)))
    }

    /// The ids that processes of a type have.
    pub fn pids(&self, proctype: usize) -> &Values {
        &self.pids[proctype]
    }

    /// The ids of all processes.
    pub fn all_pids(&self) -> Values {
        Values::range(0, (self.processes as i32 - 1).max(0))
    }

    /// The values of an expression; never too few.
    pub fn expr(&self, proctype: usize, expr: &Expr) -> Values {
        match expr {
            Expr::Const(value) => Values::one(*value),
            Expr::Read(place) => self.place(proctype, place),
            Expr::Unary(op, a) => self.expr(proctype, a).unary(*op),
            Expr::Binary(op, a, b) => self.expr(proctype, a).binary(*op, &self.expr(proctype, b)),
            Expr::And(..)
            | Expr::Or(..)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Enabled(_)
            | Expr::RemoteAt { .. }
            | Expr::Probe(..)
            | Expr::Poll { .. } => Values::range(0, 1),
            Expr::Cond(_, a, b) => self.expr(proctype, a).join(&self.expr(proctype, b)),
            Expr::Pid => self.pids[proctype].clone(),
            Expr::Last => self.all_pids(),
            Expr::Length(_) | Expr::ProcessCount | Expr::OwnPriority | Expr::PriorityOf(_) | Expr::PcValue(_) => {
                Values::Range(0, i32::MAX)
            }
            Expr::Run { .. } | Expr::Heap(_) => Values::ANY,
            Expr::RemoteRead { proctype: owner, pid: _, place } => {
                // The indices are the executing process's, the variable is the other's.
                let slots = self.slots(proctype, place);
                slots.into_iter().fold(Values::one(0), |all, slot| all.join(&self.locals[*owner][slot]))
            }
        }
    }
}

/// Adds values to those that a variable can have; tells whether some are new. To `widen` means to give up on them.
fn grow(old: &mut Values, new: &Values, scalar: Scalar, widen: bool) -> bool {
    if old.includes(new) {
        return false;
    }
    *old = if widen { Values::of(scalar) } else { old.join(new) };
    true
}
