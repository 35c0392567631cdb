//! What formulas ask of threads: their variables and locations. Threads are called what runs call them, `T#1` the first `T`. Those that
//! are there from the beginning can be named; of those that are started later, `T:x` is about the oldest that is there.

use quotient_ir::{Expr as Ir, Named, Place, ProctypeId, Scope};
use quotient_report::diagnostic::Diagnostic;

use super::Lowerer;
use super::expressions::{Typed, boolean};
use crate::ast::{Body, Code, Name, Remote};
use crate::declare::Symbol;

impl Lowerer<'_, '_> {
    pub(super) fn remote(&mut self, remote: &Remote) -> Typed {
        let Some(thread) = self.thread(&remote.thread) else { return Typed::error() };
        let code = self.declared.routines[thread].code;
        let Some(asked) = self.asked(thread, remote) else { return Typed::error() };
        match remote.is_location {
            true => self.location(thread, asked, code, &remote.name),
            false => self.local_of(thread, asked, code, &remote.name),
        }
    }

    /// The thread with a name.
    fn thread(&mut self, name: &Name) -> Option<usize> {
        let message = match self.declared.symbol(name) {
            Some(Symbol::Code(id)) if self.declared.routines[id].is_thread() => return Some(id),
            Some(Symbol::Code(_)) => format!("`{}` is a function, and formulas ask for threads", name.text),
            Some(_) => format!("`{}` is no thread", name.text),
            None => format!("thread `{}` is not declared", name.text),
        };
        self.declared.error(name.span, message);
        None
    }

    /// The type of the process that is asked.
    fn asked(&mut self, thread: usize, remote: &Remote) -> Option<ProctypeId> {
        let active = self.declared.routines[thread].active;
        let (name, starts) = (&remote.thread, self.is_started(thread));
        let range = match active {
            1 => format!("`{}#1`", name.text),
            _ => format!("`{0}#1` to `{0}#{active}`", name.text),
        };
        let Some((number, span)) = remote.number else {
            if active > 1 || (active == 1 && starts) {
                let message = format!("there can be several `{}`, and it is not said which one is meant", name.text);
                self.declared.tell(Diagnostic::error(name.span, message).help(format!("formulas can name {range}")));
                return None;
            }
            return Some(thread);
        };
        let number = usize::try_from(number).ok().filter(|number| (1..=active).contains(number));
        let Some(number) = number else {
            let problem = match active {
                0 => {
                    let message = "only threads that are there from the beginning have numbers in formulas";
                    let help = format!("`{0}:x` and `{0}@l` are about the oldest `{0}` that is there", name.text);
                    Diagnostic::error(span, message).help(help)
                }
                _ => Diagnostic::error(span, format!("there is no such thread: formulas can name {range}")),
            };
            self.declared.tell(problem);
            return None;
        };
        if active == 1 && !starts {
            return Some(thread);
        }
        let before: usize = self.declared.routines[..thread].iter().map(|routine| routine.active).sum();
        let instance = before + number - 1;
        let known = self.named.iter().find(|named| named.instance == instance);
        let own = known.map_or(self.finished.len() + self.named.len(), |named| named.own);
        if known.is_none() {
            self.named.push(Named { instance, proctype: thread, own });
        }
        Some(own)
    }

    /// Whether a thread is started while the model runs.
    fn is_started(&self, thread: usize) -> bool {
        let starts = |e: &Ir| match e {
            Ir::Heap(heap) => matches!(**heap, quotient_ir::HeapExpr::Start { proctype, .. } if proctype == thread),
            _ => false,
        };
        self.finished.iter().any(|ty| ty.statements.iter().any(|statement| statement.action.any(&starts)))
    }

    fn local_of(&mut self, thread: usize, asked: ProctypeId, code: &Code, name: &Name) -> Typed {
        let params = code.params.iter().map(|(ty, name)| (ty, name));
        let mut locals = params.chain(code.locals.iter().map(|variable| (&variable.ty, &variable.name)));
        let Some((slot, (ty, _))) = locals.by_ref().enumerate().find(|(_, (_, local))| local.text == name.text) else {
            let message = format!("thread `{}` has no variable `{}`", code.name.text, name.text);
            return self.fail(name.span, message);
        };
        let ty = self.declared.ty(ty);
        let Some(scalar) = self.finished.get(thread).and_then(|ty| ty.slots.get(slot)).map(|slot| slot.scalar) else {
            return Typed::error();
        };
        let place = Box::new(Place::scalar(Scope::Local, slot, scalar));
        Typed { ir: Ir::RemoteRead { proctype: asked, pid: None, place }, ty }
    }

    fn location(&mut self, thread: usize, asked: ProctypeId, code: &Code, name: &Name) -> Typed {
        let Body::Low { locations, .. } = &code.body else {
            let message = format!("thread `{}` has a body with statements, and no locations", code.name.text);
            return self.fail(name.span, message);
        };
        if locations.iter().all(|location| location.name.text != name.text) {
            let message = format!("thread `{}` has no location `{}`", code.name.text, name.text);
            return self.fail(name.span, message);
        }
        let Some(ty) = self.finished.get(thread) else { return Typed::error() };
        let is_meant = |state: &quotient_ir::State| state.labels.iter().any(|label| **label == *name.text);
        // No thread comes to a location that is not there any more.
        let state = ty.states.iter().position(is_meant).unwrap_or(ty.nowhere());
        boolean(Ir::RemoteAt { proctype: asked, pid: None, state })
    }
}
