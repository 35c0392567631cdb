//! Partial-order reduction keeps verdicts: whatever can go wrong in a model is found with and without reduction, in both
//! orders. The models are those where a reduction is easily wrong, some of them ones where SPIN's is.

mod common;

use std::collections::BTreeSet;

use quotient_search::{Exploration, Order};

use common::{EVERY_WAY, check_replay, explore, kind, load, models_directory, models_in, name, parse, stem, way};

/// The kinds of errors found.
fn kinds(found: &Exploration) -> BTreeSet<&'static str> {
    found.violations.iter().map(|violation| kind(&violation.error)).collect()
}

/// In every order, with and without reduction, exactly these kinds of errors are found, and their runs can be replayed.
#[track_caller]
fn finds(expected: &[&'static str], text: &str) {
    let model = parse(text);
    for options in EVERY_WAY {
        let found = explore(&model, &options);
        assert_eq!(kinds(&found), BTreeSet::from_iter(expected.iter().copied()), "{}", name(&options));
        for violation in &found.violations {
            check_replay(&model, options.reduce.is_on(), violation)
                .unwrap_or_else(|e| panic!("{}: {e}", name(&options)));
        }
    }
}

/// The same, and reduction leaves states out: it was not simply turned off.
#[track_caller]
fn finds_with_fewer_states(expected: &[&'static str], text: &str) {
    finds(expected, text);
    let model = parse(text);
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let [full, reduced] = [false, true].map(|por| explore(&model, &way(order, por)).states);
        assert!(reduced < full, "{order:?}: {reduced} states with reduction, {full} without");
    }
}

/// SPIN (nimble-code/Spin issue 78) finds no error here unless it is compiled with `-DNOREDUCE`: the second `f` gets the
/// id 1 only if it is created after the first one died, and dies are moves that it thinks nobody can tell.
#[test]
fn the_id_of_a_process_depends_on_who_died_before() {
    finds(&["assertion"], "init { run f() } active proctype f() { assert(_pid == 1) }");
    finds(&["assertion"], "active proctype f() { assert(_pid == 1) } init { run f() }");
    finds(&["assertion"], "init { run f() } proctype f() { run g() } proctype g() { assert(_pid != 2) }");
}

#[test]
fn the_id_that_run_gives_back_depends_on_who_died_before() {
    finds(&["assertion"], "proctype C() { skip } init { pid p, q; p = run C(); q = run C(); assert(p != q) }");
    finds(&["assertion"], "proctype C() { skip } init { pid p, q; p = run C(); q = run C(); assert(p == q) }");
}

#[test]
fn the_number_of_processes_is_seen_while_they_die() {
    finds(
        &["assertion"],
        "active proctype W() { do :: _nr_pr == 3 -> assert(false) :: _nr_pr == 1 -> break od }
         active [3] proctype D() { byte x; x = 1 }",
    );
    finds(
        &["assertion"],
        "active proctype W() { do :: _nr_pr == 4 -> assert(false) :: timeout -> break od }
         proctype D() { skip } init { run D(); run D() }",
    );
    finds(
        &[],
        "active proctype W() { do :: _nr_pr == 5 -> assert(false) :: timeout -> break od }
         proctype D() { skip } init { run D(); run D() }",
    );
}

#[test]
fn an_id_can_be_told_to_others() {
    // Both children get the id 1, unless the second is created before the first one dies.
    finds(
        &["assertion"],
        "chan c = [1] of { pid }; proctype C() { c!_pid }
         init { pid p; run C(); run C(); c?p; assert(p == 1); c?p }",
    );
    finds(
        &["assertion"],
        "pid last; proctype C() { pid me = _pid; last = me } init { run C(); run C(); assert(last != 2) }",
    );
}

#[test]
fn where_a_process_is_can_be_seen_from_outside() {
    finds(
        &["assertion"],
        "active proctype W() { if :: A@L -> assert(false) :: timeout fi }
         active proctype A() { byte x; x = 1; L: x = 2; x = 3 }",
    );
    finds(
        &["assertion"],
        "active proctype W() { if :: A[1]@L -> assert(false) :: timeout fi }
         active proctype A() { byte x; x = 1; atomic { x = 2; x = 3 }; L: x = 4 }",
    );
}

#[test]
fn a_local_variable_can_be_seen_from_outside() {
    finds(
        &["assertion"],
        "active proctype W() { if :: A:x == 2 -> assert(false) :: timeout fi }
         active proctype A() { byte x; x = 1; x = 2; x = 3 }",
    );
}

#[test]
fn who_moved_last_can_be_seen() {
    finds(
        &["assertion"],
        "active proctype W() { if :: _last == 1 -> assert(false) :: timeout fi }
         active proctype A() { byte x; x = 1 } active proctype B() { byte x; x = 1 }",
    );
}

#[test]
fn a_local_array_with_a_global_index_is_not_local() {
    let read = "active proctype A() { byte a[2], r; a[1] = 1; r = a[i]; assert(r == 0) }";
    let write = "active proctype A() { byte a[2]; a[i] = 1; assert(a[0] == 1) }";
    let receive = "chan c = [1] of { byte }; active proctype A() { byte a[2]; c!1; c?a[i]; assert(a[0] == 1) }";
    for process in [read, write, receive] {
        finds(&["assertion"], &format!("byte i; active proctype B() {{ i = 1 }} {process}"));
        finds(&["assertion"], &format!("byte i; {process} active proctype B() {{ i = 1 }}"));
    }
}

#[test]
fn a_global_argument_of_run_is_read_when_it_runs() {
    finds(
        &["assertion"],
        "byte g; active proctype B() { g = 1 } init { run C(g) } proctype C(byte n) { assert(n == 0) }",
    );
    finds(
        &["assertion"],
        "byte g; active proctype B() { g = 1 } init { run C(g) } proctype C(byte n) { assert(n == 1) }",
    );
    finds(
        &["assertion"],
        "byte g; active proctype B() { g = 1 } init { run C() } proctype C() { byte n = g; assert(n == 0) }",
    );
    finds(
        &["assertion"],
        "byte g; active proctype B() { g = 1 } init { atomic { run C(0); run C(g) } } proctype C(byte n) { assert(n == 0) }",
    );
}

#[test]
fn a_loop_of_local_steps_does_not_put_others_off_for_ever() {
    let bad = "active proctype B() { byte y; y = 1; assert(y == 0) }";
    for good in [
        "active proctype A() { byte x; do :: x = 1 - x od }",
        "active proctype A() { byte x; do :: atomic { x = 1; x = 0 } od }",
        "active proctype A() { byte x; do :: d_step { x = 1; x = 0 } od }",
        "active proctype A() { L: if :: skip; goto L :: false fi }",
        "active proctype A() { xr c; xs c; do :: c!1; c?1 od } chan c = [2] of { byte }",
        "active [2] proctype A() { byte x; do :: x = (x + 1) % 3 od }",
        "active proctype A() { do :: r!1 od } active proctype C() { do :: r?1 od } chan r = [0] of { bit }",
    ] {
        let (chan, good) = good.split_once(" chan ").map_or((String::new(), good), |(p, c)| (format!("chan {c};"), p));
        for text in [format!("{chan} {bad} {good}"), format!("{chan} {good} {bad}")] {
            finds(&["assertion"], &text);
        }
    }
}

#[test]
fn an_escape_can_interrupt_local_steps() {
    finds(
        &["assertion"],
        "byte x; active proctype B() { x = 1 }
         active proctype A() { byte l; { l = 1; l = 2; l = 3 } unless { x == 1 -> assert(l != 2) } }",
    );
    finds(
        &["assertion"],
        "chan c = [1] of { bit }; active proctype B() { xs c; c!1 }
         active proctype A() { byte l; xr c; { l = 1; l = 2; l = 3 } unless { c?1 -> assert(l != 2) } }",
    );
    finds(
        &["assertion"],
        "chan c = [1] of { bit }; active proctype B() { xs c; c!1 }
         active proctype A() { byte l; xr c; { l = 1; l = 2; l = 3; c?1 } unless { nempty(c) -> assert(l != 1) } }",
    );
}

#[test]
fn an_escape_can_interrupt_channel_operations() {
    // The consumer meets a full channel only if the producer is that far ahead.
    finds(
        &["assertion"],
        "chan c = [2] of { bit }; active proctype B() { c!1; c!1; end: c!1 }
         active proctype A() { xr c; { c?1; c?1 } unless { full(c) -> assert(false) } }",
    );
    // The producer meets an empty channel again only if the consumer is fast enough.
    finds(
        &["assertion"],
        "chan c = [2] of { bit }; byte n; active proctype A() { xr c; c?1; n++; end: c?1 }
         active proctype B() { xs c; { c!1; c!1 } unless { n == 1 -> assert(false) } }",
    );
}

#[test]
fn exclusive_channels_are_reduced_and_errors_stay() {
    finds_with_fewer_states(
        &["assertion"],
        "chan c = [2] of { byte }; byte g;
         active proctype P() { byte n; xs c; do :: n < 3 -> c!n; n++; g++ :: else -> break od }
         active proctype C() { byte x; xr c; do :: c?x; assert(g <= x + 2) od unless { timeout } }",
    );
    finds_with_fewer_states(
        &["invalid-end-state"],
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { byte n; xs c; xr d; do :: c!n; n = 1 - n; c!n; d?n od }
         active proctype Q() { byte n; xs d; xr c; do :: c?n; n = 0; d!n; d!n; c?n od }",
    );
    finds_with_fewer_states(
        &[],
        "chan c = [2] of { byte };
         active proctype P() { byte n; xs c; end: do :: c!n; n = (n + 1) % 3 od }
         active proctype C() { byte x, n; xr c; end: do :: c?x; assert(x == n); n = (n + 1) % 3 od }",
    );
}

/// A promise matters to reduction only: without it, the model is as good as without the promise.
#[test]
fn a_broken_promise_is_reported_when_it_matters() {
    for text in [
        "chan c = [1] of { bit }; active proctype P() { c!1; c!1 }
         active proctype A() { xr c; c?1 } active proctype B() { c?1 }",
        "chan c = [2] of { bit }; active proctype P() { xs c; c!1 }
         active proctype A() { c!1 } active proctype B() { c?1; c?1 }",
        "chan c = [1] of { bit }; active proctype P() { c!1 }
         active proctype A() { xr c; c?1 } active proctype B() { if :: c?[1] -> skip :: skip fi }",
        "chan c = [0] of { bit }; active proctype P() { c!1; c!1 }
         active proctype A() { xr c; c?1 } active proctype B() { c?1 }",
    ] {
        let model = parse(text);
        for options in EVERY_WAY {
            let found = explore(&model, &options);
            let expected = if options.reduce.is_on() { BTreeSet::from(["exclusive-channel"]) } else { BTreeSet::new() };
            assert_eq!(kinds(&found), expected, "{text}\n{}", name(&options));
            for violation in &found.violations {
                check_replay(&model, options.reduce.is_on(), violation)
                    .unwrap_or_else(|e| panic!("{text}\n{}: {e}", name(&options)));
            }
        }
    }
}

#[test]
fn atomic_sequences_are_as_visible_as_their_statements() {
    finds(
        &["assertion"],
        "byte x; active proctype W() { if :: x == 1 -> assert(false) :: timeout fi }
         active proctype A() { byte l; atomic { l = 1; x = 1 }; atomic { l = 2; x = 2 } }",
    );
    finds(
        &["assertion"],
        "byte x; active proctype W() { x = 1 } active proctype A() { byte l; d_step { l = 1; l = x }; assert(l == 0) }",
    );
    // The blocked atomic sequence lets the other process in.
    finds(
        &["assertion"],
        "byte x, y; active proctype W() { y == 1 -> x = 1; assert(y == 2) }
         active proctype A() { byte l; atomic { l = 1; y = 1; x == 1; y = 2 } }",
    );
}

#[test]
fn rendezvous_with_local_steps_around_them() {
    finds_with_fewer_states(
        &["assertion"],
        "chan c = [0] of { byte }; byte g;
         active proctype P() { byte l; l = 1; c!l; l = 2; g = 1; l = 3 }
         active proctype Q() { byte l, m; m = 1; c?l; m = 2; m = 3; assert(g == 0) }",
    );
}

#[test]
fn a_deadlock_behind_local_steps() {
    finds_with_fewer_states(
        &["invalid-end-state"],
        "bit a, b;
         active proctype P() { byte l; do :: l = 1; atomic { !a -> a = 1 }; l = 2; atomic { !b -> b = 1 }; l = 0; b = 0; a = 0 od }
         active proctype Q() { byte l; do :: l = 1; atomic { !b -> b = 1 }; l = 2; atomic { !a -> a = 1 }; l = 0; a = 0; b = 0 od }",
    );
}

#[test]
fn a_condition_of_a_process_can_change_under_it() {
    finds(
        &["assertion"],
        "byte x; active proctype B() { x = 1; x = 0 }
         active proctype A() provided (x == 0) { byte l; l = 1; l = 2; l = 0 }
         active proctype W() { do :: x == 1 -> assert(A:l != 1) :: timeout -> break od }",
    );
}

#[test]
fn else_beside_a_channel_operation_sees_the_channel() {
    finds(
        &["assertion"],
        "chan c = [1] of { bit }; active proctype P() { xs c; c!1 }
         active proctype A() { xr c; if :: c?1 :: else -> assert(false) fi }",
    );
}

/// A dead process's channel is gone, and its number may be given to another: whether the child dies before the other
/// one is created decides who gets the message.
#[test]
fn the_number_of_a_channel_depends_on_who_died_before() {
    let rest = "init { chan c; run C(); q?c; run D(); c!1 }
         chan q = [1] of { chan }; proctype C() { chan own = [1] of { byte }; q!own }";
    finds(
        &["assertion"],
        &format!(
            "{rest} proctype D() {{ chan mine = [1] of {{ byte }}; if :: mine?_ :: timeout -> assert(false) fi }}"
        ),
    );
    finds(
        &["assertion"],
        &format!(
            "{rest} proctype D() {{ chan mine = [1] of {{ byte }}; if :: mine?_ -> assert(false) :: timeout fi }}"
        ),
    );
}

/// While the child lives its channel can be used; when it is dead the variable holds no channel.
#[test]
fn a_channel_dies_with_its_process() {
    finds(
        &["assertion", "channel-misuse"],
        "chan q = [1] of { chan }; proctype C() { chan own = [1] of { byte }; q!own }
         init { chan c; run C(); q?c; c!1; assert(false) }",
    );
    finds(
        &["assertion"],
        "chan q = [1] of { chan }; proctype C() { chan own = [1] of { byte }; q!own; own?_; assert(false) }
         init { chan c; run C(); q?c; c!1; c = 0 }",
    );
}

/// The models `models/attacks/por-*` whose names begin like that: what goes wrong does so in every way, whether or not a
/// promise that is not kept is reported besides.
#[track_caller]
fn attacks(begin: &str, expected: usize) {
    let files = models_in(&models_directory().join("attacks"));
    let files: Vec<_> = files.iter().filter(|path| stem(path).starts_with(begin)).collect();
    assert_eq!(files.len(), expected);
    for path in files {
        let model = load(path, &[]);
        for options in EVERY_WAY {
            let found = explore(&model, &options);
            let mut kinds = kinds(&found);
            kinds.remove("exclusive-channel");
            assert_eq!(kinds, BTreeSet::from(["assertion"]), "{}: {}", path.display(), name(&options));
            for violation in &found.violations {
                check_replay(&model, options.reduce.is_on(), violation)
                    .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            }
        }
    }
}

#[test]
fn a_promise_is_about_one_element() {
    attacks("por-element", 5);
}

#[test]
fn a_promise_of_who_is_not_there_is_none() {
    attacks("por-death", 4);
}

#[test]
fn a_rendezvous_is_never_local() {
    attacks("por-rendezvous", 4);
}

/// The sender has kept its promise and ended; only then does another one send. The reduction is dropped, and nothing is
/// lost.
#[test]
fn who_ends_leaves_nobody_to_check_its_promise() {
    let text = "chan q = [2] of { byte }; byte v, w; bool go;
         active proctype R() { end: q?v; q?w; assert(v != 1) }
         active proctype B() { end: go -> q!1 }
         active proctype A() { xs q; do :: q!2; break :: break od } init { _nr_pr == 3 -> go = true }";
    for text in [text.to_string(), text.replace("init {", "active proctype Z() {")] {
        let model = parse(&text);
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let found = explore(&model, &way(order, true));
            assert!(!kinds(&found).is_empty(), "{text}");
            assert_eq!(explore(&model, &way(order, false)).errors > 0, found.errors > 0);
        }
    }
    // Nobody is left who could send: what was promised is believed, and the reduction stays.
    let model = parse(
        "chan q = [2] of { byte }; active proctype R() { byte v; xr q; end: do :: q?v; v = 0 od }
         active proctype A() { xs q; q!1; q!2 }",
    );
    let found = explore(&model, &way(Order::DepthFirst, true));
    assert!(found.dropped.is_empty() && found.reduced > 0);
}

/// `local` is believed where one process uses the variable, and only there.
#[test]
fn a_local_variable_that_is_shared_is_not_local() {
    finds(
        &["assertion"],
        "local byte x; active proctype A() { byte l; x = 1; l = x; assert(l == 1) }
         active proctype B() { byte l; l = 1; x = 2; l = 0 }",
    );
    finds(&["assertion"], "local byte x; active [2] proctype A() { byte l; x = _pid; l = x; assert(l == _pid) }");
    finds(
        &["assertion"],
        "local byte x; proctype A(byte n) { byte l; x = n; l = x; assert(l == n) } init { run A(1); run A(2) }",
    );
    finds(
        &["assertion"],
        "byte n; local byte x[2]; active proctype A() { x[0] = 1; n++; x[0] = 0 } active proctype B() { assert(x[0] == 0) }",
    );
    finds_with_fewer_states(
        &["assertion"],
        "byte g; local byte x; active proctype A() { x = 1; x = 2; x = 3; assert(g == 0) }
         active proctype B() { byte l; l = 1; l = 2; g = 1 }",
    );
}

#[test]
fn a_channel_variable_that_is_assigned_holds_something_else_then() {
    for text in [
        "chan a = [2] of { byte }; chan b = [2] of { byte }; chan v;
         active proctype S() { d_step { b!1; b!2; a!0 } v = b }
         active proctype A() { byte x; xr v; v = a; end: v?x; assert(x != 1) } active proctype C() { byte x; end: b?x }",
        "chan b = [2] of { byte }; chan hand = [1] of { chan };
         active proctype S() { d_step { b!1; b!2; hand!b } }
         active proctype A() { byte x; chan v; xr v; hand?v; v?x; v = 0; assert(x != 1) }
         active proctype C() { byte x; end: b?x }",
    ] {
        let model = parse(text);
        for options in EVERY_WAY {
            assert!(kinds(&explore(&model, &options)).contains("assertion"), "{text}: {}", name(&options));
        }
    }
}

#[test]
fn messages_in_order_and_at_random() {
    // A message that is sent in order can come before the first.
    finds(
        &["assertion"],
        "chan c = [3] of { byte }; active proctype B() { xs c; end: c!!5; c!!3 }
         active proctype A() { byte x; xr c; end: c?x; assert(x != 3) }",
    );
    finds(
        &["assertion"],
        "chan c = [3] of { byte }; active proctype B() { xs c; end: c!!5; c!!3 }
         active proctype A() { byte x; xr c; end: c?x; assert(x != 5) }",
    );
    // What matches may come later.
    finds(
        &["assertion"],
        "chan c = [3] of { byte }; bool go; active proctype B() { xs c; end: c!1; go = true; c!2 }
         active proctype A() { byte x; xr c; end: go -> if :: c??2 -> assert(false) :: x = 1 fi }",
    );
}

#[test]
fn that_a_channel_operation_is_blocked_can_be_noticed() {
    let send = "active proctype P() { xs c; end: c!1 }";
    for receiver in [
        // The rest of an atomic sequence comes later, if at all.
        "byte y, z; active proctype A() { byte x; xr c; end: atomic { y = 1; c?x; z = 1 } }
         active proctype W() { if :: y == 1 && z == 0 -> assert(false) :: timeout fi }",
        // One cannot wait inside a d_step.
        "active proctype A() { byte x; xr c; d_step { x = 1; if :: nempty(c) -> c?x :: empty(c) -> assert(false) fi } }",
        // The value tells.
        "active proctype A() { byte x; xr c; x = nempty(c); assert(x == 1); end: c?x }",
        "active proctype A() { byte x; xr c; assert(nempty(c)); end: c?x }",
        "byte y; active proctype A() { byte x; xr c; end: if :: nempty(c) || 1 / y :: false fi }",
        // Who is left with an else.
        "active proctype A() { byte x; xr c; end: if :: atomic { c?x; x = 0 } :: else -> assert(false) fi }",
        // What comes first in an unless is done first.
        "active proctype A() { byte x; xr c; { x = 1; assert(x != 1) } unless { c?x } }",
    ] {
        for text in [
            format!("chan c = [1] of {{ byte }}; {send} {receiver}"),
            format!("chan c = [1] of {{ byte }}; {receiver} {send}"),
        ] {
            let model = parse(&text);
            let expected = kinds(&explore(&model, &way(Order::DepthFirst, false)));
            assert!(expected.contains("assertion") || expected.contains("division-by-zero"), "{text}");
            for order in [Order::DepthFirst, Order::BreadthFirst] {
                let mut found = kinds(&explore(&model, &way(order, true)));
                if !found.remove("exclusive-channel") {
                    assert_eq!(found, expected, "{text}");
                }
            }
        }
    }
}

/// The message that an escape waits for is behind another one; once that is gone, the escape comes first.
#[test]
fn an_escape_waits_behind_another_message() {
    let sender = "active proctype P() { xs c; end: c!1; c!5 }";
    let receiver = "active proctype A() { byte x; xr c; end: { c?1; x = 1; assert(false) } unless { c?5 } }";
    for (first, second) in [(sender, receiver), (receiver, sender)] {
        finds(&["assertion"], &format!("chan c = [3] of {{ byte }}; {first} {second}"));
    }
}

/// How full a channel is after the first statement of a sequence depends on what others have done before it.
#[test]
fn a_sequence_can_choose_by_how_full_a_channel_is() {
    let receiver = "active proctype R() { byte v; xr c; end: do :: c?v; v = 0 od }";
    for body in [
        "atomic { c!1; if :: c!2 -> x = 2 :: x = 1 fi }",
        "d_step { c!1; if :: c!2 -> x = 2 :: x = 1 fi }",
        "atomic { skip; if :: c!2 -> x = 2 :: x = 1 fi }; c!1; atomic { skip; d_step { c!1; if :: c!2 -> x = 2 :: x = 1 fi } }",
    ] {
        let sender = format!("active proctype P() {{ byte x; xs c; c!0; {body}; assert(x != 2) }}");
        for (first, second) in [(&sender[..], receiver), (receiver, &sender[..])] {
            finds(&["assertion"], &format!("chan c = [2] of {{ byte }}; {first} {second}"));
        }
    }
}

/// How many messages there are depends on the sender, which has promised nothing.
#[test]
fn looking_into_a_channel_needs_both_promises() {
    let sender = "active proctype P() { c!1; c!2 }";
    for look in ["x = len(c); assert(x != 1)", "if :: c?[1] -> assert(false) :: x = 1 fi", "assert(len(c) != 2)"] {
        let receiver = format!("active proctype A() {{ byte x; xr c; {look} }}");
        for (first, second) in [(sender, &receiver[..]), (&receiver[..], sender)] {
            finds(&["assertion"], &format!("chan c = [2] of {{ byte }}; {first} {second}"));
        }
    }
}

/// A trace sees in which order messages are sent, to whatever channels.
#[test]
fn a_trace_sees_the_order_of_events() {
    for text in [
        "trace { do :: a!1; b!1 od } chan a = [2] of { byte }; chan b = [2] of { byte };
         active proctype A() { xs a; a!1 } active proctype B() { xs b; b!1 }",
        "notrace { b!1; a!1 } chan a = [2] of { byte }; chan b = [2] of { byte };
         active proctype B() { xs b; b!1 } active proctype A() { xs a; a!1 }",
    ] {
        finds(&["trace"], text);
    }
}

/// Whether a partner is there decides whether an atomic sequence is interrupted; a local step brings the partner there.
#[test]
fn a_local_step_can_bring_a_partner() {
    let watch = "byte y, got; chan d = [0] of { byte };
         active proctype S() { end: atomic { y = 1; d!0 } }
         active proctype W() { if :: y == 1 && got == 0 -> assert(false) :: timeout fi }";
    finds(&["assertion"], &format!("{watch} active proctype R() {{ byte l; l = 1; atomic {{ d?l; got = 1 }} }}"));
    finds(
        &["assertion"],
        &format!("{watch} proctype R() {{ byte l; end: atomic {{ d?l; got = 1 }} }} init {{ run R() }}"),
    );
    finds(
        &["assertion", "invalid-end-state"],
        "chan d = [0] of { byte }; active proctype S() { byte x; { x = 1; assert(false) } unless { d!1 } }
         active proctype R() { byte l; l = 1; d?l }",
    );
}

/// The first statement of the sequence is local and leads to no label; the last one does.
#[test]
fn a_label_behind_a_sequence_is_seen() {
    let looker = "active proctype Q() { if :: P@L -> skip :: else -> assert(false) fi }";
    for sequence in ["atomic { l = 1; l = l + 1; l = l + 2 }", "d_step { l = 1; l = l + 1; l = l + 2 }"] {
        let walker = format!("active proctype P() {{ byte l; l = 5; l = 4; {sequence}; end: L: false }}");
        finds_with_fewer_states(&["assertion"], &format!("{looker} {walker}"));
        finds_with_fewer_states(&["assertion"], &format!("{walker} {looker}"));
    }
}
