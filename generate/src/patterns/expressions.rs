//! Symmetry that depends on how an expression is read: guarded indices, arithmetic on ids, what one process knows of others,
//! and operands in another order.

use super::{Pattern, pattern};

/// Indices that are guarded.
pub const GUARDED: &[Pattern] = &[
    pattern(
        "in exists",
        "scalarset T[3]; T p[T]; bool a[T]; bit n;
         active [T] proctype P(T id) { T k;
            do :: atomic { p[id] == undef -> select (k : T); p[id] = k; k = undef } :: atomic { a[id] -> a[id] = 0; p[id] = undef } :: a[id] = 1
            :: exists (i : T) (p[i] != undef && a[p[i]]) -> n = 1 - n od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "in forall and count",
        "scalarset T[2]; T p[T]; bool a[T]; byte n;
         active [T] proctype P(T id) { T k;
            do :: select (k : T); p[id] = k; k = undef :: a[id] = !a[id] :: p[id] = undef
            :: forall (i : T) (p[i] == undef || a[p[i]]) -> n = count (i : T) (p[i] != undef && a[p[i]]) od }",
        &["S_2 on P[0..1]"],
    ),
    pattern(
        "in a disjunction",
        "byte p[3] = 255; bool a[3]; bit n;
         proctype P(byte id) {
            do :: p[id] = id :: p[id] = 255 :: a[id] = !a[id]
            :: (p[0] != 255 && a[p[0]]) || (p[1] != 255 && a[p[1]]) || (p[2] != 255 && a[p[2]]) -> n = 1 - n od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "in a conjunction",
        "byte p[2] = 9; bool a[2]; bit n;
         proctype P(byte id) {
            do :: p[id] = id :: p[id] = 9 :: a[id] = !a[id]
            :: (p[1] == 9 || a[p[1]]) && (p[0] == 9 || a[p[0]]) -> n = 1 - n od }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
];

/// Values that stand for no member.
pub const NONE: &[Pattern] = &[
    pattern(
        "minus one",
        "short x = -1; byte a[3]; proctype P(byte id) { do :: atomic { x == -1 -> x = id; a[id] = 1 } :: atomic { x == id -> x = -1; a[id] = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "minus one in a local variable and in messages",
        "chan q = [2] of { short }; short owner = -1;
         proctype P(short id) { short got = -1;
            do :: q!id :: q!-1 :: q?got -> if :: got != -1 -> owner = got :: got == -1 -> owner = -1 fi; got = -1 od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "255",
        "byte x = 255; byte a[3]; proctype P(byte id) { do :: atomic { x == 255 -> x = id; a[id] = 1 } :: atomic { x == id -> x = 255; a[id] = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "the number of members",
        "#define N 3\n byte x = N; bool a[N]; active [N] proctype P() { do :: atomic { x == N -> x = _pid } :: atomic { x < N && x == _pid -> a[x] = !a[x]; x = N } od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "zero, and members from one",
        "byte x; active proctype Q() { do :: x > 0 -> x = 0 od } active [3] proctype P() { do :: atomic { !x -> x = _pid } od }",
        &["S_3 on P[1..3]"],
    ),
];

/// Arithmetic on ids.
pub const ARITHMETIC: &[Pattern] = &[
    pattern(
        "one minus",
        "bool f[2]; byte turn; byte in;
         active [2] proctype P() { do :: f[_pid] = 1; turn = 1 - _pid; (!f[1 - _pid] || turn == _pid); in++; assert(in == 1); in--; f[_pid] = 0 od }",
        &["S_2 on P[0..1]"],
    ),
    pattern(
        "three minus",
        "bool f[3]; proctype P(byte id) { do :: f[id] = 1; (!f[3 - id]); f[id] = 0 :: f[id] = 0 od }
         init { atomic { run P(1); run P(2) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "plus one modulo two",
        "bool f[2]; proctype P(byte id) { byte other; other = (id + 1) % 2; do :: f[id] = 1; !f[other]; f[id] = 0 :: f[id] = 0 od }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "the next one in a ring",
        "bool t[4]; active [4] proctype P() { do :: atomic { !t[_pid] && !t[(_pid + 1) % 4] -> t[_pid] = 1 } :: atomic { t[_pid] && t[(_pid + 1) % 4] -> t[_pid] = 0 } od }",
        &["C_4 on P[0..3]"],
    ),
    pattern(
        "the one before in a ring",
        "bool t[5]; proctype P(byte i) { do :: atomic { !t[i] && !t[(i + 5 - 1) % 5] -> t[i] = 1 } :: atomic { t[i] && t[(i + 4) % 5] -> t[i] = 0 } od }
         init { atomic { run P(0); run P(1); run P(2); run P(3); run P(4) } }",
        &["C_5 on P[1..5]"],
    ),
    pattern(
        "both neighbours in a ring",
        "bool t[4]; active [4] proctype P() { do :: atomic { !t[_pid] && !t[(_pid + 1) % 4] && !t[(_pid + 3) % 4] -> t[_pid] = 1 } :: t[_pid] = 0 od }",
        &["D_4 on P[0..3]"],
    ),
];

/// What one process knows of others.
pub const REMOTE: &[Pattern] = &[
    pattern(
        "where a member is",
        "bool go; active [2] proctype P() { do :: skip; here: !(P[1 - _pid]@here) -> go = 1 - go od }",
        &["S_2 on P[0..1]"],
    ),
    pattern(
        "where a member is that a variable names",
        "byte o = 9; bit n; active [3] proctype P() { do :: skip; here: skip :: atomic { o == 9 -> o = _pid } :: atomic { o != 9 && P[o]@here -> n = 1 - n; o = 9 } od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "a variable of a member",
        "byte o = 9; bit n; active [3] proctype P() { bit x; do :: x = 1 - x :: atomic { o == 9 -> o = _pid } :: atomic { o != 9 && P[o]:x -> n = 1 - n; o = 9 } od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "each of them by number",
        "bit n; active [2] proctype P() { bit x; do :: x = 1 - x od } active proctype Q() { do :: P[0]:x && P[1]:x -> n = 1 - n :: P[0]:x || P[1]:x -> n = 1 - n od }",
        &["S_2 on P[0..1]"],
    ),
    pattern(
        "whether a member is enabled",
        "byte o = 9; bit n; active [2] proctype P() { do :: atomic { o == 9 -> o = _pid } :: n = 0; n == 1; o = 9 od }
         active proctype Q() { do :: o != 9 && enabled(o) -> n = 1 - n od }",
        &["S_2 on P[0..1]"],
    ),
    pattern(
        "the last mover",
        "bit n; active [3] proctype P() { do :: n = 1 - n :: _last == _pid -> n = 1 - n od }",
        &["S_3 on P[0..2]"],
    ),
    pattern(
        "whether the last mover is another one",
        "bool f[3]; active [3] proctype P() { do :: _last != _pid -> f[_pid] = !f[_pid] od }",
        &["S_3 on P[0..2]"],
    ),
];

/// What nobody reads.
pub const UNREAD: &[Pattern] = &[
    pattern(
        "a sum of ids",
        "byte n; byte sum; proctype P(byte id) { do :: atomic { n < 2 -> n++; sum = (sum + id) % 4 } :: atomic { n > 0 -> n-- } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a sum that goes on",
        "bool n; byte sum; proctype P(byte id) { do :: n = !n; sum = sum + id od }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "the last id",
        "bool n; byte last; proctype P(byte id) { do :: n = !n; last = id od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a shifted id",
        "bool n; byte last; proctype P(byte id) { do :: n = !n; last = 7 * id + 1 od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "a cell that nobody uses",
        "byte a[4]; proctype P(byte id) { do :: a[id] = 1 - a[id] od }
         init { atomic { a[0] = 7; run P(1); run P(2); run P(3) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "cells that are written only",
        "byte log[3]; bool n; proctype P(byte id) { do :: n = !n; log[0] = id od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
];

/// Options and operands in another order for each member.
pub const ORDER: &[Pattern] = &[
    pattern(
        "options",
        "byte x = 9; bool f[2];
         proctype P(byte id) {
            do
            :: x == 9 -> if :: id == 0 -> if :: f[0] = 1 :: x = 0 fi :: id == 1 -> if :: x = 1 :: f[1] = 1 fi fi
            :: x == id -> f[id] = 0; x = 9
            od }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "operands of &&",
        "bool f[3]; byte n; proctype P(byte id) {
            do :: f[id] = !f[id] :: f[0] && f[1] && n == 0 -> n = 1 :: n == 0 && f[2] && f[0] -> n = 1 :: f[2] && n == 0 && f[1] -> n = 1 :: n = 0 od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "operands of || and +",
        "bool f[3]; bit n; proctype P(byte id) {
            do :: f[id] = !f[id] :: (f[2] || f[0] || f[1]) && f[1] + f[2] + f[0] < 3 -> n = 1 - n od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "operands per member",
        "bool f[2]; bit n; proctype P(byte id) {
            do :: id == 0 && (f[0] || n) -> f[0] = 0 :: (n || f[1]) && id == 1 -> f[1] = 0 :: f[id] = 1 :: 1 + f[0] + f[1] == 3 -> n = 1 - n od }
         init { atomic { run P(0); run P(1) } }",
        &["S_2 on P[1..2]"],
    ),
    pattern(
        "options of a server",
        "chan q[3] = [1] of { bit }; bit a, b;
         proctype P(byte id) { do :: q[id]!1 od }
         active proctype S() { do :: q[0]?1 -> a = 1; if :: a = 0 :: b = 1 - b fi :: q[2]?1 -> a = 1; if :: b = 1 - b :: a = 0 fi :: q[1]?1 -> a = 1; if :: a = 0 :: b = 1 - b fi od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[2..4]"],
    ),
];
