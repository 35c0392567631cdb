//! Models in dSPIN's Promela: errors that have to do with references, and every strategy against every other.

use std::path::Path;
use std::time::{Duration, Instant};

use quotient_canon::HeapStrategy;
use quotient_ir::Model;
use quotient_promela::{Dynamic, Options as Reading, load_with};
use quotient_search::{Exploration, Options, Order, Reduce, Stop, explore};
use quotient_step::reference::Interpreter;
use quotient_step::{FaultKind, replay};

fn parse_with(text: &str, dynamic: Dynamic) -> Model {
    let options = Reading { dynamic: Some(dynamic), ..Reading::default() };
    let loaded = load_with(Path::new("m.dprom"), &options, &|_| Ok(text.as_bytes().to_vec()));
    let problems: Vec<String> = loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
    loaded.model.unwrap_or_else(|| panic!("{problems:?}\n{text}"))
}

fn parse(text: &str) -> Model {
    parse_with(text, Dynamic::default())
}

fn search(model: &Model, strategy: &str) -> Exploration {
    let heap: HeapStrategy = strategy.parse().expect("there is such a strategy");
    let found = explore(model, &Options { heap, all_errors: true, ..Options::default() }, &mut |_| true);
    assert_eq!(found.stop, None);
    found
}

/// The kinds of errors, each once.
fn errors(model: &Model, strategy: &str) -> Vec<String> {
    let mut kinds: Vec<String> =
        search(model, strategy).violations.iter().map(|violation| violation.error.kind().to_string()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

const STRATEGIES: [&str; 5] = ["none", "heap", "pc", "kbots", "canonical"];

/// The errors are these, with every strategy.
fn expect(text: &str, expected: &[&str]) {
    let model = parse(text);
    for strategy in STRATEGIES {
        assert_eq!(errors(&model, strategy), expected, "{strategy}\n{text}");
    }
}

const NODE: &str = "typedef node; typedef node { byte key; node &next };\n";

#[test]
fn records_are_made_followed_and_deleted() {
    let text = "node &head, &last;
        active proctype P() {
          head = new node; head.key = 3; head.next = new node; head.next.key = head.key + 1;
          last = head.next; assert(last.key == 4 && last != head && last.next == null);
          last.key++; assert(head.next.key == 5);
          delete last; last = null; head.next = null; assert(head.key == 3) }";
    expect(&format!("{NODE}{text}"), &[]);
}

#[test]
fn wrong_references_are_errors() {
    for (body, expected) in [
        ("p.key = 1", &["null-reference"][..]),
        ("p = new node; q = p; delete p; q.key = 1", &["dangling-reference"]),
        ("p = new node; q = p; delete p; delete q", &["double-delete"]),
        ("delete p", &["null-reference"]),
        ("p = new node; assert(p.next == p)", &["assertion"]),
        ("do :: q = new node; q.next = p; p = q od", &["heap-limit"]),
    ] {
        expect(&format!("{NODE}active proctype P() {{ node &p, &q; {body} }}"), expected);
    }
}

#[test]
fn functions_call_themselves_and_return() {
    let factorial = "function fact(int n) : int { int f;
            if :: n == 0 -> return 1 :: else -> f = fact(n - 1); return n * f fi }
        int g; active proctype P() { int r; r = fact(5); assert(r == 120); g = fact(3); assert(g == 6) }";
    expect(factorial, &[]);
    expect("function f() { f() } active proctype P() { f() }", &["stack-limit"]);
    let lists = "function push(node &l; byte k) : node & { node &n; n = new node; n.key = k; n.next = l; return n }
        function last(node &l) : node & { if :: l.next == null -> return l :: else -> return last(l.next) fi }
        active proctype P() { node &l, &e; l = push(l, 1); l = push(l, 2); e = last(l); assert(e.key == 1 && l.key == 2) }";
    expect(&format!("{NODE}{lists}"), &[]);
}

/// One process too many is the same error for the machine and for the interpreter that defines what a model means.
#[test]
fn there_can_be_255_processes() {
    const RECORD: &str = "typedef n { byte k } n &p;\n";
    let count = |last: &str| {
        format!(
            "{RECORD}proctype U() {{ end: false }}
            init {{ byte i; do :: i < 254 -> run U(); i++ :: else -> break od; {last} }}"
        )
    };
    for (text, expected) in [
        (format!("{RECORD}active proctype T() {{ run T() }}"), &["too-many-processes"][..]),
        (count("run U()"), &["too-many-processes"]),
        (count("skip"), &[]),
        (format!("{RECORD}active [255] proctype T() {{ end: false }}"), &[]),
    ] {
        let model = parse(&text);
        let found = explore(&model, &Options::default(), &mut |_| true);
        let kinds: Vec<&str> = found.violations.iter().map(|violation| violation.error.kind()).collect();
        assert_eq!(kinds, expected, "{text}");
        for violation in &found.violations {
            let interpreter = Interpreter { model: &model, promises: true };
            let repeated = replay::errors(interpreter, &violation.path).expect("the run can be repeated");
            assert!(repeated.contains(&violation.error), "{text}: {repeated:?}");
        }
    }
}

/// The limit is on calls that are inside each other: at one, a function can be called, and cannot call another.
#[test]
fn the_limit_on_calls_counts_calls() {
    let text = |depth: usize| {
        let inner: String = (1..depth).map(|n| format!("function f{n}() {{ f{}() }}\n", n - 1)).collect();
        format!("function f0() {{ skip }}\n{inner}active proctype P() {{ f{}(); f0() }}", depth - 1)
    };
    for most_calls in 1..4 {
        for depth in 1..6 {
            let model = parse_with(&text(depth), Dynamic { most_calls, ..Dynamic::default() });
            let expected: &[&str] = if depth > most_calls { &["stack-limit"] } else { &[] };
            assert_eq!(errors(&model, "canonical"), expected, "{depth} calls, {most_calls} allowed");
        }
    }
    let message = |most: u32| FaultKind::StackLimit { most }.message();
    assert_eq!(
        (message(1), message(2)),
        ("more than 1 call inside each other".into(), "more than 2 calls inside each other".into())
    );
}

#[test]
fn arrays_have_lengths() {
    let body = |body: &str| format!("byte &a; active proctype P() {{ byte i; a = new byte[3]; {body} }}");
    expect(&body("for (i : 0 .. 2) { a[i] = i * i }; assert(a[2] == 4 && *a == 0)"), &[]);
    expect(&body("i = 3; a[i] = 1"), &["index-out-of-range"]);
    // An array inside a record, whose index is worked out.
    let tree = "typedef tree; typedef tree { byte keys[2]; tree &sons[2] };
        active proctype P() { tree &t; byte i; t = new tree;
          do :: i < 2 -> t.keys[i] = i + 5; t.sons[i] = new tree; t.sons[i].keys[1 - i] = i + 1; i++ :: else -> break od;
          assert(t.keys[0] == 5 && t.keys[1] == 6 && t.sons[0].keys[1] == 1 && t.sons[1].keys[0] == 2);
          TAIL }";
    expect(&tree.replace("TAIL", "skip"), &[]);
    expect(&tree.replace("TAIL", "i = t.keys[i]"), &["out-of-range"]);
    expect(&tree.replace("TAIL", "t.keys[i] = 1"), &["out-of-range"]);
}

#[test]
fn records_that_nobody_can_delete_any_more_are_leaks() {
    let text = format!("{NODE}active proctype P() {{ node &p; p = new node; p = null; skip }}");
    expect(&text, &[]);
    let model = parse_with(&text, Dynamic { leaks: true, ..Dynamic::default() });
    for strategy in STRATEGIES {
        assert_eq!(errors(&model, strategy), ["leak"], "{strategy}");
    }
}

/// A message keeps what it refers to; nobody else has to.
#[test]
fn messages_carry_references() {
    for capacity in [0, 1, 2] {
        let text = format!(
            "{NODE}chan c = [{capacity}] of {{ node &, byte }};
            active proctype P() {{ node &p; p = new node; p.key = 7; c!p,1; p = null; c!null,2 }}
            active proctype C() {{ node &q; byte k; c?q,k; assert(q.key == 7 && k == 1); c?eval(q.next),k; assert(k == 2) }}"
        );
        expect(&text, &[]);
        let kept = text.replace("assert(k == 2)", "assert(k == 2); delete q");
        let model = parse_with(&kept, Dynamic { leaks: true, ..Dynamic::default() });
        for strategy in STRATEGIES {
            assert!(errors(&model, strategy).is_empty(), "{capacity}, {strategy}");
        }
        expect(&text.replace("p = null", "delete p"), &["dangling-reference"]);
    }
    // What nobody takes out of a channel is not lost; what is taken out and forgotten is.
    let text = "chan c = [1] of { node & }; active proctype P() { node &p; p = new node; c!p; p = null; TAIL }";
    let model = |tail: &str| {
        let text = format!("{NODE}{}", text.replace("TAIL", tail));
        parse_with(&text, Dynamic { leaks: true, ..Dynamic::default() })
    };
    for strategy in STRATEGIES {
        assert!(errors(&model("skip"), strategy).is_empty(), "{strategy}");
        assert_eq!(errors(&model("c?_"), strategy), ["leak"], "{strategy}");
    }
    // Where the channel is known only when the model runs, so is what it carries.
    let text = "chan c = [1] of { node & }; chan d = [1] of { byte };
        active proctype P() { chan e; node &p; byte i; p = new node; e = d; TAIL }";
    for (tail, expected) in [
        ("e!p", &["channel-misuse"][..]),
        ("e = c; e!1", &["channel-misuse"]),
        ("e!1; e?p", &["channel-misuse"]),
        ("e = c; e!p; e?i", &["channel-misuse"]),
        ("e = c; e!p; !e?[1]", &["channel-misuse"]),
        ("e = c; e!p; e?p; e = d; e!1; e?i", &[]),
    ] {
        expect(&format!("{NODE}{}", text.replace("TAIL", tail)), expected);
    }
}

/// Nobody moves while a function runs that was called in an atomic sequence.
#[test]
fn functions_are_part_of_atomic_sequences() {
    let text = "byte n; chan c = [1] of { byte };
        function twice(byte by) : byte { byte old; old = n; n = old + by; old = n; n = old + by; return n }
        function more() : byte { byte r; r = twice(1); return r }
        active [2] proctype P() { byte r; CALL; r = twice(0) }
        active proctype Q() { assert(n % 2 == 0) }";
    for call in ["atomic { r = more() }", "atomic { r = twice(1); skip }", "atomic { skip; n = n; r = more() }"] {
        expect(&text.replace("CALL", call), &[]);
    }
    expect(&text.replace("CALL", "atomic { if :: r = twice(1) :: r = more() fi }"), &[]);
    expect(&text.replace("CALL", "r = twice(1)"), &["assertion"]);
    expect(&text.replace("CALL", "r = more()"), &["assertion"]);
    // Who has to wait lets others in.
    let waits = "byte n; chan c = [1] of { byte };
        function get() : byte { byte x; c?x; n = x; return x }
        active proctype P() { byte r; atomic { r = get(); assert(n == r) } }
        active proctype Q() { c!1; assert(n == 0 || n == 1) }";
    expect(waits, &[]);
}

#[test]
fn a_lock_that_is_missing_loses_a_node() {
    let text = "node &head; byte in;
        function add(byte k) { node &n; n = new node; n.key = k; LOCK; n.next = head; head = n; FREE }
        bit free = 1;
        proctype P(byte k) { add(k); in++ }
        init { run P(1); run P(2); in == 2; assert(head != null && head.next != null) }";
    let locked = text.replace("LOCK", "atomic { free == 1; free = 0 }").replace("FREE", "free = 1");
    expect(&format!("{NODE}{locked}"), &[]);
    let open = text.replace("LOCK", "skip").replace("FREE", "skip");
    expect(&format!("{NODE}{open}"), &["assertion"]);
}

/// Symmetry leaves states out and loses nothing.
#[test]
fn the_ordered_list_has_fewer_states_with_symmetry() {
    let text = include_str!("../../../models/dynamic/ordered-list.dprom");
    let model = parse(text);
    let states = STRATEGIES.map(|strategy| {
        let found = search(&model, strategy);
        assert!(found.violations.is_empty(), "{strategy}");
        found.states
    });
    // The two processes differ, so that only the names of records can be left out.
    assert_eq!(states, [1063, 931, 931, 931, 931]);
}

#[test]
fn addresses_are_those_of_variables_and_fields() {
    let text = "typedef inner { byte a; byte b = 2 }; typedef node { byte key = 7; node &next };
        mtype = { red, green }; mtype color = red;
        byte n = 5; byte all[3]; inner st; node &head; byte &gp; bit flag; chan c = [2] of { byte };
        function bump(byte &x) { *x = *x + 1 }
        function twice(byte v) : byte { byte &q; q = &v; *q = *q * 2; return v }
        function left() { byte y = 3; gp = &y }
        function append(node & &where; byte k) {
          if :: *where == null -> *where = new node; where[0].key = k :: else -> append(&where[0].next, k) fi }
        active proctype P() { byte x = 1; byte r; byte i; node & &s; inner &ip; mtype &mp; bit &bp; TAIL }"
        .replace("typedef inner", "typedef node; typedef inner");
    for (tail, expected) in [
        ("bump(&n); bump(&x); bump(&x); assert(n == 6 && x == 3)", &[][..]),
        ("r = twice(4); assert(r == 8)", &[]),
        ("i = 1; bump(&all[i]); bump(&all[1]); assert(all[1] == 2 && all[0] == 0)", &[]),
        (
            "append(&head, 1); append(&head, 2); assert(head.key == 1 && head.next.key == 2 && head.next.next == null)",
            &[],
        ),
        ("head = new node; bump(&head.key); assert(head.key == 8)", &[]),
        ("head = new node; head.next = new node; s = &head.next; *s = s[0].next; assert(head.next == null)", &[]),
        ("ip = &st; assert(ip.b == 2); ip.a = 4; assert(st.a == 4 && ip == &st)", &[]),
        ("mp = &color; *mp = green; assert(color == green)", &[]),
        ("bp = &flag; *bp = 2; assert(flag == 0)", &[]),
        ("c!9; c?x; gp = &x; assert(*gp == 9); c!4; c?n; assert(n == 4)", &[]),
        ("byte late; gp = &late; *gp = 4; assert(late == 4 && &late == gp)", &[]),
        ("left(); assert(*gp == 3)", &["dangling-reference"]),
        ("head = new node; gp = &head.key; delete head; *gp = 1", &["dangling-reference"]),
        ("gp = &n; delete gp", &["deleted-variable"]),
        ("gp = &all[0]; gp[1] = 2", &["index-out-of-range"]),
        ("*gp = 1", &["null-reference"]),
    ] {
        expect(&text.replace("TAIL", tail), expected);
    }
    // A process that has ended has no variables.
    let ended = "byte &gp; active proctype Q() { gp != null; _nr_pr == 1; TAIL }
        active proctype P() { byte x; gp = &x }";
    expect(&ended.replace("TAIL", "skip"), &[]);
    expect(&ended.replace("TAIL", "*gp = 1"), &["dangling-reference"]);
}

/// A box goes with what it belongs to, and is no leak itself.
#[test]
fn boxes_are_no_leaks() {
    let text = "typedef node { byte key }; byte &q; function f() { byte y; q = &y; q = null }
        active proctype P() { node &p; p = new node; q = &p.key; f(); TAIL }";
    for (tail, expected) in [("delete p", &[][..]), ("p = null", &["leak"])] {
        let model = parse_with(&text.replace("TAIL", tail), Dynamic { leaks: true, ..Dynamic::default() });
        for strategy in STRATEGIES {
            assert_eq!(errors(&model, strategy), expected, "{tail}, {strategy}");
        }
    }
}

#[test]
fn functions_are_values() {
    let text = "typedef node { byte v; ftype act }; byte total; ftype how; ftype table[2];
        chan c = [1] of { ftype, byte };
        function add(byte n) { total = total + n }
        function twice(byte n) { total = total + n + n }
        function value(node &x) : byte { return x.v }
        function pick(bool b) : ftype { if :: b -> return add :: else -> return null fi }
        function apply(ftype f; byte n) { f(n) }
        active proctype P() { node &n; ftype f; byte r; n = new node; n.v = 3; TAIL }";
    for (tail, expected) in [
        ("n.act = twice; n.act(2); assert(total == 4)", &[][..]),
        ("f = pick(true); assert(f == add && f != null && f != twice); f(1); assert(total == 1)", &[]),
        ("table[1] = add; table[1](5); assert(total == 5 && table[0] == null)", &[]),
        ("c!twice,1; c?how,r; how(r); assert(total == 2)", &[]),
        ("how = value; f = add; r = how(n); assert(r == 3)", &[]),
        ("c!null,4; c?eval(null),r; assert(r == 4)", &[]),
        ("c!add,4; c?eval(null),r", &["invalid-end-state"]),
        ("apply(twice, 2); apply(add, 1); assert(total == 5)", &[]),
        ("atomic { apply(add, 1); how = twice; how(1) }; assert(total == 3)", &[]),
        ("if :: f = add :: f = twice fi; f(1); assert(total == 1)", &["assertion"]),
        ("f = add; f = pick(false); f(1)", &["no-function"]),
        ("how = value; f = add; how(r)", &["no-function"]),
    ] {
        expect(&text.replace("TAIL", tail), expected);
    }
}

/// A channel of a body is there while somebody refers to it, also in a model without other records.
#[test]
fn channels_of_bodies_outlive_their_processes() {
    let text = "chan g; byte done;
        proctype C() { chan own = [1] of { byte }; g = own; own!7; done = 1 }
        init { byte v; run C(); done == 1; _nr_pr == 1; g?v; assert(v == 7) TAIL }";
    expect(&text.replace("TAIL", ""), &[]);
    expect(&text.replace("TAIL", "; g = null; assert(g == null)"), &[]);
    expect(&text.replace("TAIL", "; g = null; g!1"), &["channel-misuse"]);
}

#[test]
fn messages_are_received_through_references() {
    for capacity in [0, 1] {
        let text = format!(
            "{NODE}chan c = [{capacity}] of {{ byte }}; chan d = [{capacity}] of {{ node & }};
            active proctype S() {{ node &n; n = new node; n.key = 5; c!3; d!n; c!4 }}
            active proctype R() {{ byte y, z; byte &p = &y; node &m; node & &s = &m;
              c?*p; assert(y == 3); d?*s; assert(m.key == 5); p = &z; c?<*p>; c?*p; assert(y == 3 && z == 4) }}"
        );
        // What is sent without a buffer cannot be copied.
        let text = if capacity == 0 { text.replace("c?<*p>; ", "") } else { text };
        expect(&text, &[]);
    }
}

/// Lists grow for thousands of local steps without a choice; each step looks at the whole heap.
#[test]
fn limits_hold_while_steps_without_a_choice_are_taken() {
    let text = format!(
        "{NODE}node &g; node &other;
        active [3] proctype P() {{ node &l; byte b; do :: l = new node; if :: g != null -> b = 1 :: else fi :: l = g; skip od }}
        active proctype M() {{ node &l, &first; l = new node; first = l;
          do :: atomic {{ l.next = new node; l.next.key = l.key + 1; if :: l != null -> l = l.next :: else fi }} od }}"
    );
    let model = parse_with(&text, Dynamic { most_records: 3000, ..Dynamic::default() });
    let heap = "none".parse().expect("there is such a strategy");
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let options = Options { heap, order, reduce: Reduce::Full, all_errors: true, ..Options::default() };
        let started = Instant::now();
        let timed = Options { max_time: Some(Duration::from_secs(1)), ..options };
        assert_eq!(explore(&model, &timed, &mut |_| true).stop, Some(Stop::Time), "{order:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{order:?}: {:?}", started.elapsed());
        let mut told = 0;
        let found = explore(&model, &options, &mut |_| {
            told += 1;
            started.elapsed() < Duration::from_secs(2)
        });
        assert_eq!(found.stop, Some(Stop::Interrupted), "{order:?}");
        assert!(told > 1 && started.elapsed() < Duration::from_secs(40), "{order:?}: {told}, {:?}", started.elapsed());
    }
}

/// While a process is in a function its own variables are what they are, and it is at none of its labels.
#[test]
fn a_process_in_a_function_keeps_its_variables() {
    let model = |claim: &str| {
        format!(
            "typedef node; typedef node {{ byte k }}; node &g; byte place;
             function f(byte y) : int {{ place = 1; place = 2; return 0 }}
             active proctype T() {{ byte x; int r; x = 5; l: r = f(3); x = 7; place = 3; g = null }}
             active proctype M() {{ end: place == 1; {claim} }}"
        )
    };
    expect(&model("assert(place != 1 || (T:x == 5 && T[0]:x == 5))"), &[]);
    expect(&model("assert(place != 1 || T:x != 5)"), &["assertion"]);
    expect(&model("assert(place != 1 || !T@l)"), &[]);
}
