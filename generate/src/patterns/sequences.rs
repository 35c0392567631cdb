//! Symmetry that shows only when several statements are looked at together: resets, options and loops over all members,
//! scratch variables. Each model is a small one.

use super::{Pattern, pattern};

/// Resets in a row.
pub const RESETS: &[Pattern] = &[
    pattern(
        "in an atomic sequence",
        "byte a[3]; byte n;
         proctype P(byte id) { do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ } :: atomic { n == 2 -> a[0] = 0; a[1] = 0; a[2] = 0; n = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "in a d_step of another process",
        "byte a[4]; byte n;
         proctype P(byte id) { do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ } od }
         active proctype Q() { do :: d_step { n == 2 -> a[2] = 0; a[1] = 0; n = 0; a[3] = 0 } od }
         init { atomic { run P(1); run P(2); run P(3) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "with resets of scratch variables between",
        "byte a[3]; byte who = 9;
         proctype P(byte id) {
            byte k; byte t;
            do :: atomic { who == 9 && a[id] == 0 -> k = id; who = k; a[k] = 1; k = 0 }
            :: atomic { who != 9 -> t = 1; a[1] = 0; t = 0; a[0] = 0; k = 0; a[2] = 0; who = 9 } od
         }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "of variables that are in no array",
        "bool x; bool y; bit n;
         proctype P(byte id) {
            do :: atomic { id == 0 && !x -> x = 1 } :: atomic { id == 1 && !y -> y = 1 } :: d_step { x && y -> x = 0; n = 1 - n; y = 0 } od
         }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
];

/// One option per member, with several statements.
pub const OPTIONS: &[Pattern] = &[
    pattern(
        "in a server",
        "byte x[3]; byte y; byte receiver = 9;
         proctype P(byte id) { do :: atomic { receiver == 9 && x[id] == 0 -> receiver = id } :: x[id] == 3 -> x[id] = 0 od }
         active proctype server() {
            do :: receiver == 0 -> x[0] = 3; y = 1; receiver = 9; y = 0
            :: receiver == 1 -> x[1] = 3; y = 1; receiver = 9; y = 0
            :: receiver == 2 -> x[2] = 3; y = 1; receiver = 9; y = 0 od
         }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "in the family itself",
        "byte x[2]; byte y; byte receiver = 2;
         proctype P(byte id) {
            do :: atomic { receiver == 2 && x[id] == 0 -> receiver = 1 - id }
            :: receiver == 0 && id == 0 -> x[0] = 1; y = 1; atomic { x[0] = 0; y = 0; receiver = 2 }
            :: receiver == 1 && id == 1 -> x[1] = 1; y = 1; atomic { x[1] = 0; y = 0; receiver = 2 }
            od
         }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "in the family itself, three of them",
        "byte x[3]; byte turn = 3;
         proctype P(byte id) {
            do :: atomic { turn == 3 -> turn = id }
            :: turn == 0 -> x[0] = 1; atomic { x[0] = 0; turn = 3 }
            :: turn == 1 -> x[1] = 1; atomic { x[1] = 0; turn = 3 }
            :: turn == 2 -> x[2] = 1; atomic { x[2] = 0; turn = 3 }
            od
         }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "that lead through labels",
        "byte x[2]; byte receiver = 9;
         proctype P(byte id) { do :: atomic { receiver == 9 -> receiver = id } :: x[id] == 3 -> x[id] = 0 od }
         active proctype server() {
            wait: if :: receiver == 0 -> goto first :: receiver == 1 -> goto second fi;
            first: x[0] == 0; x[0] = 3; receiver = 9; goto wait;
            second: x[1] == 0; x[1] = 3; receiver = 9; goto wait
         }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[2..3]"],
    ),
];

/// Loops over members, in order, whose iterations do not disturb each other.
pub const LOOPS: &[Pattern] = &[
    pattern(
        "a counter in an atomic sequence",
        "byte a[3]; byte n;
         proctype P(byte id) { byte i;
            do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ }
            :: atomic { n == 2 -> i = 0; do :: i < 3 -> a[i] = 0; i++ :: else -> break od; n = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "for over a range in a d_step",
        "byte a[3]; byte n;
         proctype P(byte id) { byte i;
            do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ }
            :: d_step { n == 2 -> for (i : 0 .. 2) { a[i] = 0 } n = 0; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "for over an array in an atomic sequence",
        "byte a[3]; byte n;
         proctype P(byte id) { byte i;
            do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ }
            :: atomic { n == 2 -> for (i in a) { a[i] = 0 } n = 0; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "for over an array in a d_step",
        "byte a[3]; byte n;
         proctype P(byte id) { do :: atomic { a[id] == 0 && n < 2 -> a[id] = 1; n++ } od }
         active proctype Q() { byte i; do :: d_step { n == 2 -> for (i in a) { a[i] = 0 } n = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "a sum",
        "bool f[3]; byte n; bool many;
         proctype P(byte id) { byte i;
            do :: f[id] = !f[id]
            :: atomic { n = 0; for (i : 0 .. 2) { n = n + f[i] } many = n > 1; n = 0; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a difference in a d_step",
        "bool f[3]; byte n; bool many;
         proctype P(byte id) { do :: f[id] = !f[id] od }
         active proctype Q() { byte i; do :: d_step { n = 3; i = 0; do :: i < 3 -> n = n - f[i]; i++ :: else -> break od; many = n > 1; n = 0; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "a disjunction",
        "bool f[3]; bool b;
         proctype P(byte id) { byte i;
            do :: f[id] = !f[id]
            :: atomic { b = false; for (i : 0 .. 2) { b = b || f[i] } i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a choice in the body",
        "bool f[3]; byte n;
         proctype P(byte id) { byte i;
            do :: f[id] = !f[id]
            :: atomic { n = 0; for (i : 0 .. 2) { if :: f[i] -> n++ :: else fi } i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a choice in the body in a d_step",
        "bool f[3]; byte n;
         proctype P(byte id) { do :: f[id] = !f[id] od }
         active proctype Q() { byte i; do :: d_step { n = 0; i = 0; do :: i < 3 -> if :: f[i] -> n++ :: else fi; i++ :: else -> break od } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "a flag that is set in the body",
        "bool f[3]; bool b;
         proctype P(byte id) { byte i;
            do :: f[id] = !f[id]
            :: d_step { b = false; for (i : 0 .. 2) { if :: f[i] && i != id -> b = true :: else fi } i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "members created in a loop",
        "byte a[3]; proctype P(byte id) { do :: a[id] = 1 - a[id] od }
         init { byte i; atomic { i = 0; do :: i < 3 -> a[i] = 1; run P(i); i++ :: else -> break od } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "loops in loops",
        "typedef row { bool to[3] }; row r[3]; bit n;
         proctype P(byte id) { byte i, j;
            do :: r[id].to[id] = 1
            :: atomic { i = 0; do :: i < 3 -> j = 0; do :: j < 3 -> r[i].to[j] = 0; j++ :: else -> break od; i++ :: else -> break od; i = 0; j = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "loops in loops in a d_step",
        "bool f[3]; byte n;
         proctype P(byte id) { do :: f[id] = !f[id] od }
         active proctype Q() { byte i, j; do :: d_step { n = 0; for (i : 0 .. 2) { for (j : 0 .. 2) { if :: f[i] && f[j] -> n++ :: else fi } } i = 0; j = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
];

/// Scratch variables.
pub const SCRATCH: &[Pattern] = &[
    pattern(
        "reset after use",
        "byte x = 9; bool a[3]; proctype P(byte id) { byte k; do :: k = id; x = k; k = 0; a[id] = !a[id]; x = 9 od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "set to _pid",
        "bool a[3]; active [3] proctype P() { byte k; do :: k = _pid; a[k] = !a[k]; k = 0 od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "dead and never reset",
        "bool a[3]; byte x = 9; active [3] proctype P() { byte k; do :: atomic { x == 9 -> x = _pid }; k = x; a[k] = !a[k]; x = 9 od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "received and reset",
        "chan q = [2] of { byte }; bool a[3];
         active [3] proctype P() { byte k; do :: q!_pid :: q?k -> a[k] = !a[k]; k = 0 od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "reset to two different members",
        "bool a[2]; active [2] proctype P() { byte k; do :: k = 1 - _pid; a[k] -> a[k] = 0; k = 0 :: k = _pid; a[k] = 1; k = 1 od }",
        &["S_2 on P[0..1]"],
    ),
];

/// Declared loops in loops, and the largest of some values.
pub const NESTED: &[Pattern] = &[
    pattern(
        "a quantifier in a loop over a scalarset",
        "scalarset T[3]; typedef row { bool to[T] }; row r[T]; byte n;
         active [T] proctype P(T id) {
            do :: r[id].to[id] = 1
            :: d_step { for (i : T) { if :: exists (j : T) (r[i].to[j]) -> n++ :: else fi; r[i].to[i] = 0 } n = 0 } od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "a count in a loop over a scalarset",
        "scalarset T[3]; bool f[T]; byte n;
         active [T] proctype P(T id) {
            do :: f[id] = !f[id] :: d_step { n = 0; for (i : T) { n = n + count (j : T) (f[i] && f[j]) } } od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "the largest",
        "byte a[3]; byte m;
         proctype P(byte id) { byte i;
            do :: a[id] < 2 -> a[id]++
            :: d_step { m = 0; i = 0; do :: i < 3 -> if :: a[i] > m -> m = a[i] :: else fi; i++ :: else -> break od; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "the least",
        "byte a[3]; byte m;
         proctype P(byte id) { byte i;
            do :: a[id] < 2 -> a[id]++
            :: atomic { m = 255; for (i : 0 .. 2) { m = (a[i] < m -> a[i] : m) } i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
];
