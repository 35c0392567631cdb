//! Extensions: what can be declared of them. Their values are not in the intermediate form yet, so that nothing can be done
//! with them.

use quotient_report::diagnostic::Diagnostic;

use crate::ast::{EntryKind, Extension};

/// What implements extensions, with their operations: expressions, then actions.
#[rustfmt::skip]
const KNOWN: &[(&str, &[&str], &[&str])] = &[
    ("quotient.Set", &["create", "isEmpty", "size", "contains", "choose"], &["add", "remove"]),
    ("quotient.Bag", &["create", "isEmpty", "size", "contains", "choose"], &["add", "remove"]),
    ("quotient.Map", &["create", "isEmpty", "size", "contains", "get", "choose"], &["put", "remove"]),
    ("quotient.Queue", &["create", "isEmpty", "size", "first"], &["add", "remove"]),
    ("quotient.Stack", &["create", "isEmpty", "size", "top"], &["push", "pop"]),
    ("quotient.Choose", &["between", "element"], &[]),
];

/// What is wrong with the declaration of an extension.
pub(crate) fn check(extension: &Extension, tell: &mut dyn FnMut(Diagnostic)) {
    let class = &extension.class;
    let Some((_, expressions, actions)) = KNOWN.iter().find(|(name, ..)| *name == &*class.text) else {
        let names: Vec<&str> = KNOWN.iter().map(|(name, ..)| *name).collect();
        let problem = Diagnostic::error(class.span, format!("nothing implements the extension `{}`", class.text));
        tell(problem.help(format!("these are there: {}", names.join(", "))));
        return;
    };
    for entry in &extension.entries {
        let is_known = match entry.kind {
            EntryKind::Type => &*entry.name.text == "type",
            EntryKind::Expression => expressions.contains(&&*entry.name.text),
            EntryKind::Action => actions.contains(&&*entry.name.text),
        };
        if !is_known {
            let what = match entry.kind {
                EntryKind::Type => "type",
                EntryKind::Expression => "expression",
                EntryKind::Action => "action",
            };
            let message = format!("`{}` has no {what} `{}`", class.text, entry.name.text);
            tell(Diagnostic::error(entry.name.span, message));
        }
    }
}
