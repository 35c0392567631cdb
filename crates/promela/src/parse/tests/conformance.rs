//! The small models, one construct each, that state counts are checked against elsewhere; here they only have to
//! parse, and their statements to survive the round trip through text.

use super::{bodies, good, parse_text};

const MODELS: &[(&str, &str)] = &[
    ("accept_label", r#"byte x; active proctype A() { do :: x==0 -> accept: x=1 :: x==1 -> x=0 od }"#),
    ("assert_fail", r#"byte x; active proctype A() { x=1; assert(x==2); x=3 }"#),
    (
        "atomic_block",
        r#"byte x; active proctype A() { atomic { x=1; x==2; x=3 } } active proctype B() { (x==1) -> x=2 }"#,
    ),
    ("atomic_first_guard", r#"byte x; active [2] proctype A() { atomic { x==0 -> x=1 }; x=0 }"#),
    ("atomic_goto_out", r#"byte x; active [2] proctype A() { atomic { x++; goto L }; x=9; L: x=x+2 }"#),
    ("atomic_if_branch", r#"byte x; active [2] proctype A() { atomic { if :: x=1 :: x=2 fi; x++ } }"#),
    ("atomic_seq", r#"byte x; active [2] proctype A() { atomic { x++; x++; x++ } }"#),
    ("block_scope", r#"active proctype A() { { byte x=1; x++ }; { byte x=7; x++ } }"#),
    (
        "chan_array",
        r#"chan q[2]=[1] of {byte}; active proctype A() { q[0]!1; q[1]!2 } active proctype B() { if :: q[0]?_ :: q[1]?_ fi }"#,
    ),
    (
        "chan_as_msg",
        r#"chan d=[1] of {chan}; active proctype A() { chan c=[1] of {byte}; d!c; c?5 } active proctype B() { chan e; d?e; e!5 }"#,
    ),
    (
        "chan_buf",
        r#"chan c=[2] of {byte}; active proctype S() { c!1; c!2; c!3 } active proctype R() { byte v; c?v; c?v; c?v }"#,
    ),
    ("chan_copy", r#"chan c=[2] of {byte}; active proctype S() { byte v; c!3; c?<v>; c?v }"#),
    (
        "chan_eval",
        r#"chan c=[2] of {byte,byte}; byte k=4; active proctype S() { byte v; c!3,4; if :: c?v,eval(k) :: c?_,7 fi }"#,
    ),
    ("chan_full_block", r#"chan c=[1] of {byte}; active proctype S() { c!1; c!2 }"#),
    (
        "chan_len_probe",
        r#"chan c=[2] of {byte}; active proctype S() { c!1; (len(c)==1); nfull(c); c!2; full(c); nempty(c) }"#,
    ),
    ("chan_local", r#"active [2] proctype A() { chan c=[1] of {byte}; c!_pid; c?_ }"#),
    ("chan_local_dies", r#"proctype B() { chan c=[1] of {byte}; c!7 } init { run B(); (_nr_pr==1); run B() }"#),
    (
        "chan_multi_field",
        r#"mtype={a,b}; chan c=[2] of {mtype,int}; active proctype S() { c!a(5); c!b(6) } active proctype R() { int v; do :: c?a(v) :: c?b(v) -> break od }"#,
    ),
    ("chan_poll", r#"chan c=[2] of {byte}; active proctype S() { c!3; if :: c?[3] -> skip :: else -> assert(0) fi }"#),
    ("chan_random_recv", r#"chan c=[3] of {byte}; active proctype S() { c!3; c!1; c!2; c??1; c??[2] -> c??2 }"#),
    ("chan_rv", r#"chan c=[0] of {byte}; active proctype S() { c!1; c!2 } active proctype R() { byte v; c?v; c?v }"#),
    (
        "chan_rv_atomic",
        r#"chan c=[0] of {byte}; byte x; active proctype S() { atomic { x=1; c!1; x=2 } } active proctype R() { byte v; atomic { c?v; x=x+10; x=x+20 } } active proctype Q() { x=x+100 }"#,
    ),
    (
        "chan_rv_choice",
        r#"chan c=[0] of {byte}; active [2] proctype S() { c!_pid } active [2] proctype R() { byte v; c?v }"#,
    ),
    (
        "chan_rv_match",
        r#"chan c=[0] of {byte}; active proctype S() { if :: c!1 :: c!2 fi } active proctype R() { c?2 }"#,
    ),
    ("chan_sorted", r#"chan c=[3] of {byte}; active proctype S() { c!!3; c!!1; c!!2 }"#),
    ("chan_underscore", r#"chan c=[2] of {byte,byte}; active proctype S() { c!3,4; c?_,_ }"#),
    ("cond_expr", r#"byte x=3,y; active proctype A() { y=(x>2 -> 10 : 20) }"#),
    ("dead_local", r#"active [2] proctype A() { byte x; x=1; x=2; skip }"#),
    ("dead_local_read", r#"byte g; active [2] proctype A() { byte x; x=_pid; g=x; skip; skip }"#),
    ("death_blocked_young", r#"byte x; active proctype A() { skip } active proctype B() { x==1 }"#),
    ("death_lifo2", r#"active [2] proctype A() { skip }"#),
    ("death_lifo3", r#"active [3] proctype A() { skip }"#),
    (
        "do_break_goto",
        r#"byte x; active proctype A() { do :: x<2 -> x++; if :: skip :: break fi :: else -> goto done od; x=5; done: x=6 }"#,
    ),
    ("dstep_block_err", r#"byte x; active proctype A() { d_step { x=1; x==2; x=3 } }"#),
    ("dstep_guard", r#"byte x; active [2] proctype A() { d_step { x==0 -> x=1 }; x=0 }"#),
    (
        "dstep_loop",
        r#"byte x,i; active [2] proctype A() { d_step { i=0; do :: i<3 -> x++; i++ :: else -> break od } }"#,
    ),
    ("dstep_nondet", r#"byte x; active proctype A() { d_step { if :: x=1 :: x=2 fi; x=x+10 } }"#),
    ("dstep_seq", r#"byte x; active [2] proctype A() { d_step { x++; x++; x++ } }"#),
    ("else_basic", r#"byte x; active proctype A() { do :: x<3 -> x++ :: else -> break od }"#),
    (
        "enabled_pcvalue",
        r#"byte x; never { do :: enabled(0) -> skip :: !enabled(0) -> break od } active proctype A() { x=1 }"#,
    ),
    ("end_label", r#"chan c=[0] of {byte}; active proctype A() { end: do :: c?_ od }"#),
    ("end_print", r#"active proctype A() { printf("x\n") }"#),
    ("end_skip", r#"init { skip }"#),
    ("end_two_stmts", r#"init { skip; skip }"#),
    ("for_in_array", r#"byte a[3]; byte i; active proctype A() { for (i in a) { a[i]=i } }"#),
    ("for_range", r#"byte i,s; active proctype A() { for (i : 1..3) { s=s+i } }"#),
    ("goto_only", r#"byte x; active proctype A() { L: if :: x==0 -> x=1; goto L :: else fi }"#),
    ("hidden_var", r#"hidden byte h; byte x; active proctype A() { h=1; x=h; h=2 }"#),
    ("if_block", r#"byte x; active proctype A() { if :: x==1 :: x==2 fi }"#),
    ("inline", r#"byte x; inline inc(v,n) { v=v+n; v=v+n } active proctype A() { inc(x,2); inc(x,3) }"#),
    ("label_only", r#"active proctype A() { skip; L: skip }"#),
    ("last_var", r#"byte x; active [2] proctype A() { x=_last }"#),
    ("local_decl_mid", r#"active proctype A() { byte x=1; x=2; byte y=5; y=6 }"#),
    ("local_init", r#"active [2] proctype A() { byte x=3; x=x+1 }"#),
    ("local_tag", r#"local byte h; active [2] proctype A() { h=1 }"#),
    ("ltl_always", r#"byte x; active proctype A() { do :: x<3 -> x++ :: x==3 -> x=0 od } ltl p { [] (x<4) }"#),
    ("ltl_eventually", r#"byte x; active proctype A() { do :: x<3 -> x++ :: x==3 -> x=0 od } ltl p { []<> (x==3) }"#),
    ("ltl_fail", r#"byte x; active proctype A() { do :: x<3 -> x++ :: x=0 od } ltl p { <> (x==3) }"#),
    ("merge_locals", r#"active [2] proctype A() { byte x; x=1; x=x+1; x=x+1; x=0 }"#),
    (
        "mtype_named",
        r#"mtype:fruit={apple,pear}; mtype:veg={kale}; mtype:fruit f; active proctype A() { f=pear; f=apple }"#,
    ),
    ("mtype_vals", r#"mtype={a,b,c}; mtype m; byte x; active proctype A() { m=b; x=m; m=0 }"#),
    ("nested_if", r#"byte x; active proctype A() { if :: if :: x=1 :: x=2 fi :: x=3 fi }"#),
    ("never_safety", r#"byte x; active proctype A() { x=1; x=2 } never { do :: x==2 -> break :: else od }"#),
    ("nr_pr", r#"byte n; proctype B() { n++ } init { atomic { run B(); run B() }; (_nr_pr==1) -> assert(n==2) }"#),
    ("param", r#"byte g; proctype B(byte a; byte b) { g=a+b } init { run B(1,2); run B(3,4) }"#),
    ("pid_in_local", r#"byte x; active [2] proctype A() { x=_pid }"#),
    ("pid_reuse", r#"byte n; proctype B() { n = n + _pid } init { run B(); (_nr_pr==1); run B(); (_nr_pr==1) }"#),
    ("priority_runs", r#"byte x; active proctype A() priority 2 { x=1; x=2 } active proctype B() priority 1 { x=3 }"#),
    ("progress_label", r#"byte x; active proctype A() { do :: x==0 -> progress: x=1 :: x==1 -> x=0 od }"#),
    ("provided", r#"byte y; active proctype A() provided (y==0) { skip; skip } active proctype B() { y=1; y=0 }"#),
    ("remote_label", r#"byte x; active proctype A() { L: x=1 } active proctype B() { (A@L) -> x=5 }"#),
    ("remote_var", r#"active proctype A() { byte v; v=3 } byte r; active proctype B() { (A:v==3) -> r=1 }"#),
    ("run_atomic", r#"proctype B() { skip } init { atomic { run B(); run B() } }"#),
    ("run_chain", r#"proctype B() { skip } init { run B(); run B() }"#),
    ("run_in_expr", r#"byte x; proctype B() { skip } init { if :: (run B()) -> x=1 :: else -> x=2 fi }"#),
    ("run_pid_value", r#"byte p; proctype B() { skip } init { p = run B(); p = run B() }"#),
    ("select", r#"byte x; active proctype A() { select(x : 1..4); assert(x>=1 && x<=4) }"#),
    (
        "sem_mutex3",
        r#"bit s=1; byte n; active [3] proctype A() { do :: atomic { s==1 -> s=0 }; n++; assert(n==1); n--; s=1 od }"#,
    ),
    ("set_priority", r#"byte x; active proctype A() { set_priority(0,5); x=get_priority(0) }"#),
    ("shortcircuit", r#"byte x,y; active proctype A() { (x==0 || 1/y==1); skip }"#),
    ("skip_true_1", r#"active proctype A() { skip; true; 1 }"#),
    ("timeout_basic", r#"byte x; active proctype A() { x==1 } active proctype B() { timeout -> x=1 }"#),
    ("timeout_or", r#"byte x; active proctype A() { do :: x<2 -> x++ :: timeout -> break od }"#),
    ("trace", r#"chan c=[2] of {byte}; active proctype A() { c!1; c!2 } trace { c!1; c!2 }"#),
    ("trunc_bit", r#"bit b; active proctype A() { b=2; b=3 }"#),
    ("trunc_bool", r#"bool b; active proctype A() { b=2; b=3 }"#),
    ("trunc_byte", r#"byte b=255; active proctype A() { b++; b--; b=300 }"#),
    ("trunc_int", r#"int i; active proctype A() { i=2147483647; i=i+1 }"#),
    ("trunc_short", r#"short s; active proctype A() { s=32768; s=s+1; s=-32769 }"#),
    ("trunc_unsigned", r#"unsigned u : 3; active proctype A() { u=7; u++; u=15 }"#),
    ("typedef_arr", r#"typedef T { byte f; bit g[2] }; T t[2]; active proctype A() { t[0].f=3; t[1].g[1]=1 }"#),
    (
        "unless_atomic",
        r#"byte x,y; active proctype A() { { atomic { x=1; x=2 }; x=3 } unless { y==1 } } active proctype B() { y=1 }"#,
    ),
    (
        "unless_basic",
        r#"byte x,y; active proctype A() { { x=1; x=2; x=3 } unless { y==1 -> x=9 } } active proctype B() { y=1 }"#,
    ),
    ("write_only", r#"byte w; active [2] proctype A() { w=1; w=2 }"#),
];

#[test]
fn models_parse() {
    for (name, text) in MODELS {
        let (spec, diagnostics) = parse_text(text);
        assert!(diagnostics.is_empty() && !spec.units.is_empty(), "{name}: {diagnostics:#?}");
    }
}

#[test]
fn their_statements_survive_the_round_trip() {
    for (name, text) in MODELS {
        let spec = good(text);
        for body in bodies(&spec) {
            let shown = body.to_string();
            // The model stands before the text, for its proctypes and typedefs.
            let again = good(&format!("{text} init {shown}"));
            assert_eq!(bodies(&again).last().map(|b| b.to_string()), Some(shown), "{name}");
        }
    }
}
