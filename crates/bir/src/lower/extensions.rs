//! Calls of operations of extensions: their types, and the edges of those that choose.

use quotient_extension::{Alternative, MOST_ALTERNATIVES, Operation, Term};
use quotient_ir::{Access, Action, Expr as Ir, Extend, Gives, HeapAction, HeapExpr};
use quotient_report::diagnostic::Diagnostic;
use quotient_report::source::Span;

use super::Lowerer;
use super::expressions::{Typed, count};
use crate::ast::{EntryKind, ExtensionCall};
use crate::declare::Symbol;
use crate::types::Ty;

/// Whether an operation that acts is called somewhere in an expression.
pub(super) fn extends(ir: &Ir) -> bool {
    ir.any(&|part| matches!(part, Ir::Heap(heap) if matches!(&**heap, HeapExpr::Extend(call) if call.acts())))
}

fn is_choice(ir: &Ir) -> bool {
    let chooses = |heap: &HeapExpr| matches!(heap, HeapExpr::Extend(call) if call.alternative != Alternative::Only);
    ir.any(&|part| matches!(part, Ir::Heap(heap) if chooses(heap)))
}

/// Whether an action can be carried out in several ways.
pub(super) fn chooses(action: &Action) -> bool {
    match action {
        Action::Assign(_, value) => is_choice(value),
        Action::Heap(heap) => match &**heap {
            HeapAction::Set(_, value) | HeapAction::Evaluate(value) => is_choice(value),
            _ => false,
        },
        _ => false,
    }
}

/// The same action for each alternative, and one that is an error if there are more.
pub(super) fn alternatives(action: Action) -> Vec<Action> {
    if !chooses(&action) {
        return vec![action];
    }
    let Some(most) = most_of(&action) else { return vec![action] };
    let all = (0..most).map(|chosen| Alternative::Number { chosen, most }).chain([Alternative::Beyond(most)]);
    all.map(|alternative| with(action.clone(), alternative)).collect()
}

fn most_of(action: &Action) -> Option<u32> {
    let mut most = None;
    action.walk(&mut |part| {
        if let Ir::Heap(heap) = part
            && let HeapExpr::Extend(Extend { alternative: Alternative::Beyond(beyond), .. }) = **heap
        {
            most = Some(beyond);
        }
    });
    most
}

/// An action with another alternative of the choice in it.
fn with(mut action: Action, alternative: Alternative) -> Action {
    let value = match &mut action {
        Action::Assign(_, value) => value,
        Action::Heap(heap) => match &mut **heap {
            HeapAction::Set(_, value) | HeapAction::Evaluate(value) => value,
            _ => return action,
        },
        _ => return action,
    };
    set_alternative(value, alternative);
    action
}

fn set_alternative(value: &mut Ir, alternative: Alternative) {
    let Ir::Heap(heap) = value else { return };
    match &mut **heap {
        HeapExpr::Extend(call) => call.alternative = alternative,
        HeapExpr::Ranged { value, .. } | HeapExpr::Cast { object: value, .. } => set_alternative(value, alternative),
        _ => {}
    }
}

impl Lowerer<'_, '_> {
    /// Says so if something is chosen where there can be only one way.
    pub(super) fn not_chosen(&mut self, ir: &Ir, span: Span) {
        if is_choice(ir) {
            self.fail(span, "a choice must be assigned to a variable first");
        }
    }

    /// The implementation and number of an operation that is called.
    fn operation(&mut self, call: &ExtensionCall, wanted: EntryKind) -> Option<(usize, usize, Operation)> {
        let ExtensionCall { extension, operation, .. } = call;
        let Some(Symbol::Extension(id)) = self.declared.symbol(extension) else {
            self.fail(extension.span, format!("extension `{}` is not declared", extension.text));
            return None;
        };
        let entries = &self.declared.extensions[id].entries;
        let is_operation = |kind| kind != EntryKind::Type;
        let found = entries.iter().find(|entry| entry.name.text == operation.text && is_operation(entry.kind));
        let Some(entry) = found else {
            let message = format!("extension `{}` declares no `{}`", extension.text, operation.text);
            self.fail(operation.span, message);
            return None;
        };
        let kind = entry.kind;
        let implementation = self.declared.implementations[id].clone()?;
        let number = implementation.operations().iter().position(|known| *known.name == *operation.text)?;
        let known = implementation.operations()[number];
        // What an expression gives back can be left unused if it changes something.
        let fits = kind == wanted || (wanted == EntryKind::Action && known.acts());
        if !fits {
            let what = if wanted == EntryKind::Action { "action" } else { "expression" };
            self.fail(operation.span, format!("`{}` is no {what}", operation.text));
            return None;
        }
        Some((id, number, known))
    }

    /// An operation that is called as an action.
    pub(super) fn extension_action(&mut self, call: &ExtensionCall, span: Span) -> Option<HeapExpr> {
        let found = self.operation(call, EntryKind::Action);
        let (typed, span) = (self.call_extension(call, found, span, None), span);
        match typed.ir {
            Ir::Heap(heap) if matches!(*heap, HeapExpr::Extend(_)) => {
                self.whole(&Ir::Heap(heap.clone()), span);
                Some(*heap)
            }
            _ => None,
        }
    }

    /// An operation that is called as an expression, where a type is expected.
    pub(super) fn extension(&mut self, call: &ExtensionCall, span: Span, expected: Option<&Ty>) -> Typed {
        let found = self.operation(call, EntryKind::Expression);
        self.call_extension(call, found, span, expected)
    }

    fn call_extension(
        &mut self,
        call: &ExtensionCall,
        found: Option<(usize, usize, Operation)>,
        span: Span,
        expected: Option<&Ty>,
    ) -> Typed {
        let mut variables: Vec<Option<Ty>> = call.types.iter().map(|ty| Some(self.declared.ty(ty))).collect();
        let args: Vec<Typed> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let Some((extension, number, operation)) = found else { return Typed::error() };
        let (least, most) = operation.arguments();
        if args.len() < least || most.is_some_and(|most| args.len() > most) {
            let needed = if most.is_none() { format!("at least {}", count(least)) } else { count(least) };
            let message = format!("`{}` takes {needed}, not {}", call.operation.text, args.len());
            return self.fail(span, message);
        }
        let known = self.variables_of(extension, &operation);
        if variables.len() > known {
            let known = crate::extensions::variables(known);
            let message = format!("`{}` has {known}, not {}", call.operation.text, variables.len());
            return self.fail(span, message);
        }
        variables.resize(known, None);
        let Some(access) = self.values(call, &operation, extension, &args, &mut variables) else {
            return Typed::error();
        };
        if let (Some(Term::Own(_)), Some(Ty::Ref(record))) = (operation.result, expected)
            && let Some((_, _, types)) = self.declared.types.records[*record].value.clone()
        {
            // What is made is of the type that is wanted, unless something else is said.
            variables.iter_mut().zip(types).for_each(|(variable, ty)| _ = variable.get_or_insert(ty));
        }
        let args = self.elements(call, &operation, args, &mut variables);
        let Some((gives, ty)) = self.given(&operation, extension, &variables, span) else { return Typed::error() };
        let alternative = match operation.chooses {
            true => Alternative::Beyond(self.most_alternatives(extension, number, &args)),
            false => Alternative::Only,
        };
        if operation.chooses {
            for (arg, at) in args.iter().zip(&call.args) {
                self.pure(arg, at.span, "an argument of a choice");
            }
        }
        let call = Extend { extension, operation: number, args, access, gives, alternative, span };
        Typed { ir: HeapExpr::Extend(call).into(), ty }
    }

    /// What is done with the arguments; those that are values say what type variables stand for.
    fn values(
        &mut self,
        call: &ExtensionCall,
        operation: &Operation,
        extension: usize,
        args: &[Typed],
        variables: &mut [Option<Ty>],
    ) -> Option<Vec<Access>> {
        let mut access = Vec::new();
        for (number, (arg, at)) in args.iter().zip(&call.args).enumerate() {
            let parameter = operation.parameter(number)?;
            let Term::Own(own) = parameter.term else {
                access.push(Access::Plain);
                continue;
            };
            let Some((record, types)) = self.own(arg, extension, own) else {
                if arg.ty != Ty::Error {
                    let shown = self.declared.types.show(&arg.ty);
                    let name = &call.extension.text;
                    self.fail(at.span, format!("a value of extension `{name}` is needed here, and this is `{shown}`"));
                }
                return None;
            };
            access.push(if parameter.writes { Access::Writes(record) } else { Access::Reads(record) });
            for (variable, ty) in variables.iter_mut().zip(types) {
                let known = variable.get_or_insert_with(|| ty.clone()).clone();
                if known != ty && known != Ty::Error {
                    let (wanted, found) = (self.declared.types.show(&known), self.declared.types.show(&ty));
                    self.fail(at.span, format!("the type variable stands for `{wanted}`, and here for `{found}`"));
                }
            }
        }
        Some(access)
    }

    /// The type of a value of an extension, if it is one of this type.
    fn own(&self, arg: &Typed, extension: usize, own: usize) -> Option<(usize, Vec<Ty>)> {
        let Ty::Ref(record) = arg.ty else { return None };
        match &self.declared.types.records[record].value {
            Some((of, number, types)) if *of == extension && *number == own => Some((record, types.clone())),
            _ => None,
        }
    }

    /// The arguments that are no values, made to fit.
    fn elements(
        &mut self,
        call: &ExtensionCall,
        operation: &Operation,
        args: Vec<Typed>,
        variables: &mut [Option<Ty>],
    ) -> Vec<Ir> {
        let mut fitted = Vec::new();
        for (number, (arg, at)) in args.into_iter().zip(&call.args).enumerate() {
            let ty = match operation.parameter(number).map(|parameter| parameter.term) {
                Some(Term::Boolean) => Ty::Boolean,
                Some(Term::Int) => Ty::Int(None),
                Some(Term::Variable(variable)) => {
                    if variables[variable].is_none() && arg.ty != Ty::Null {
                        variables[variable] = Some(arg.ty.clone());
                    }
                    variables[variable].clone().unwrap_or(Ty::Null)
                }
                Some(Term::Own(_)) | None => arg.ty.clone(),
            };
            fitted.push(self.fitted(arg, &ty, at.span));
        }
        fitted
    }

    /// What an operation gives back, and of which type it is.
    fn given(
        &mut self,
        operation: &Operation,
        extension: usize,
        variables: &[Option<Ty>],
        span: Span,
    ) -> Option<(Gives, Ty)> {
        match operation.result {
            None => Some((Gives::Number, Ty::Error)),
            Some(Term::Boolean) => Some((Gives::Number, Ty::Boolean)),
            Some(Term::Int) => Some((Gives::Number, Ty::Int(None))),
            Some(Term::Variable(variable)) => {
                let Some(ty) = variables[variable].clone() else {
                    self.unknown(operation, span);
                    return None;
                };
                let is_reference = matches!(ty, Ty::Ref(_) | Ty::Null);
                Some((if is_reference { Gives::Reference } else { Gives::Number }, ty))
            }
            Some(Term::Own(own)) => {
                let wanted = self.declared.implementations[extension].as_ref()?.types()[own].variables;
                let types: Option<Vec<Ty>> = variables.iter().take(wanted).cloned().collect();
                let Some(types) = types else {
                    self.unknown(operation, span);
                    return None;
                };
                match self.declared.value_type(extension, own, types, span) {
                    Ty::Ref(record) => Some((Gives::New(record), Ty::Ref(record))),
                    _ => None,
                }
            }
        }
    }

    fn unknown(&mut self, operation: &Operation, span: Span) {
        let problem = Diagnostic::error(span, "it is not clear what the type variables stand for");
        self.declared.tell(problem.help(format!("write the types: `{}<…>(…)`", operation.name)));
    }

    /// How many alternatives there can be.
    fn most_alternatives(&self, extension: usize, operation: usize, args: &[Ir]) -> u32 {
        let constant = |arg: &Ir| if let Ir::Const(value) = arg { Some(*value) } else { None };
        let constants: Vec<Option<i32>> = args.iter().map(constant).collect();
        let implementation = self.declared.implementations[extension].as_ref();
        implementation.and_then(|one| one.alternatives(operation, &constants)).unwrap_or(MOST_ALTERNATIVES)
    }

    /// How many type variables an operation has.
    fn variables_of(&self, extension: usize, operation: &Operation) -> usize {
        let types = self.declared.implementations[extension].as_ref().map_or(&[][..], |one| one.types());
        let terms = operation.parameters.iter().map(|parameter| parameter.term).chain(operation.result);
        let variables = |term: Term| match term {
            Term::Variable(variable) => variable + 1,
            Term::Own(own) => types[own].variables,
            Term::Int | Term::Boolean => 0,
        };
        terms.map(variables).max().unwrap_or(0)
    }
}
