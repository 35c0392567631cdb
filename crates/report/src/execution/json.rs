//! The JSON form of an execution, which is [`Execution`] itself: a violation in an [answer](crate::answer), by whose `schema`
//! it is versioned. The book documents it (`docs/src/json.md`).

use super::Execution;
use crate::answer::to_json;

/// The execution as JSON, indented, with a newline at the end.
pub fn render(execution: &Execution) -> String {
    to_json(execution)
}
