//! Declarations of extensions: what they say of types and operations must be what is implemented.

use quotient_extension::{Operation, Registry, Term};
use quotient_report::diagnostic::Diagnostic;

use crate::ast::{EntryKind, Extension, ExtensionEntry, Type, TypeKind};

/// What is wrong with the declaration of an extension.
pub(crate) fn check(extension: &Extension, registry: &Registry, tell: &mut dyn FnMut(Diagnostic)) {
    let class = &extension.class;
    let Some(implementation) = registry.find(&class.text) else {
        let names: Vec<&str> = registry.names().collect();
        let problem = Diagnostic::error(class.span, format!("nothing implements the extension `{}`", class.text));
        tell(problem.help(format!("these are there: {}", names.join(", "))));
        return;
    };
    for entry in &extension.entries {
        let name = &*entry.name.text;
        let operation = implementation.operations().iter().find(|operation| operation.name == name);
        let problem = match entry.kind {
            EntryKind::Type => match implementation.types().iter().find(|ty| ty.name == name) {
                Some(ty) if ty.variables == entry.variables => continue,
                Some(ty) => format!("type `{name}` of `{}` has {}", class.text, variables(ty.variables)),
                None => format!("`{}` has no type `{name}`", class.text),
            },
            EntryKind::Expression | EntryKind::Action => match operation {
                Some(operation) if operation.result.is_some() == (entry.kind == EntryKind::Expression) => {
                    if fits(operation, entry) {
                        continue;
                    }
                    format!("`{name}` of `{}` is {}", class.text, show(operation))
                }
                _ => {
                    let what = if entry.kind == EntryKind::Expression { "expression" } else { "action" };
                    format!("`{}` has no {what} `{name}`", class.text)
                }
            },
        };
        tell(Diagnostic::error(entry.name.span, problem));
    }
}

/// `1 type variable`, `2 type variables`.
pub(crate) fn variables(number: usize) -> String {
    match number {
        0 => "no type variables".to_string(),
        1 => "1 type variable".to_string(),
        number => format!("{number} type variables"),
    }
}

/// Whether an operation is declared as it is.
fn fits(operation: &Operation, entry: &ExtensionEntry) -> bool {
    let same = |(term, ty): (Term, &Type)| {
        matches!(
            (term, &ty.kind),
            (Term::Boolean, TypeKind::Boolean)
                | (Term::Int, TypeKind::Int(_))
                | (Term::Variable(_), TypeKind::Variable)
                | (Term::Own(_), TypeKind::Extension(..))
        )
    };
    let terms = operation.parameters.iter().map(|parameter| parameter.term);
    entry.repeats == operation.repeats
        && entry.params.len() == operation.parameters.len()
        && terms.zip(&entry.params).all(same)
        && operation.result.into_iter().zip(&entry.result).all(same)
}

/// An operation as it is to be declared.
fn show(operation: &Operation) -> String {
    let term = |term: Term| match term {
        Term::Boolean => "boolean".to_string(),
        Term::Int => "int".to_string(),
        Term::Variable(number) => format!("`{}", char::from(b'a' + number as u8 % 26)),
        Term::Own(_) => "the extension's type".to_string(),
    };
    let mut params: Vec<String> = operation.parameters.iter().map(|parameter| term(parameter.term)).collect();
    if let (true, Some(last)) = (operation.repeats, params.last_mut()) {
        last.push_str(" ...");
    }
    let params = params.join(", ");
    match operation.result {
        Some(result) => format!("`expdef {} {}({params})`", term(result), operation.name),
        None => format!("`actiondef {}({params})`", operation.name),
    }
}
