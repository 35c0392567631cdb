//! The JSON form of an execution, which is [`Execution`] itself: a violation in an [answer](crate::answer), by whose `schema`
//! it is versioned.
//!
//! ```text
//! { "test": "name" | null, "memory_model": "sc" | "tso" | "ra" | "rc11",
//!   "kind": "panic" | "race" | "deadlock" | "livelock" | "leak" | "memory" | "misuse" | "annotation" | "nondeterminism"
//!           | "bound",
//!   "message": "…",
//!   "location": {"file": "src/x.rs", "line": 1, "column": 1, "source"?: "the line itself"} | null,
//!   "thread": 1 | null,
//!   "concerns": [3, 6],
//!   "weak": false,
//!   "threads": [ {"thread": 0, "name": "main" | null, "spawned": location | null} ],
//!   "places": [ {"label": "flag", "initial": 0 | null, "writes": [4, 7]} ],
//!   "steps": [ {"step": 1, "thread": 0, "location": location | null, "what": …, and by this:
//!       "access"  "operation": "load" | "store" | "swap" | "fetch-add" | … | "compare-exchange" | "compare-exchange-failed"
//!                              | "compare-exchange-spurious" | "lock" | "unlock" | "wait" | "free",
//!                 "place": 0, "order": "Plain" | "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst",
//!                 "expected"?: 0, "read"?: 0, "reads_from"?: "initial" | {"step": 4}, "written"?: 1
//!       "fence"   "order": "SeqCst"
//!       "spawn"   "child": 1
//!       "join"    "child": 1
//!       "end"
//!       "choose"  "value": 1
//!       "spin"    "steps": 2
//!       "assume"
//!       "main"    "operation": 1
//!       "help"    "operation": 1} ],
//!   "related"?: [ {"thread": 1, "what": "a plain write", "after"?: 5, "location": location | null} ],
//!   "waiting": [ {"thread": 1, "why": "for a mutex", "location": location | null, "place"?: 0, "child"?: 2} ],
//!   "leaks": [ {"what": "Arc", "location": location | null} ],
//!   "replay": "0-0-1<i-…" }
//! ```
//!
//! Steps are numbered from one; `concerns`, `writes` and `reads_from` are such numbers. `writes` is in coherence order. A `place` is an index into `places`. Keys with `?` are left out when there is nothing
//! to say. `weak` says that no interleaving explains the execution; if it is false, every read reads the newest write
//! among the steps before it. `replay` is what `QUOTIENT_REPLAY` takes.

use super::Execution;
use crate::answer::to_json;

/// The execution as JSON, indented, with a newline at the end.
pub fn render(execution: &Execution) -> String {
    to_json(execution)
}
