//! Which processes are like each other: members that end, special members, ids with gaps, and members whose variables are in
//! no array.

use super::{Pattern, pattern};

/// Channels and variables that are in no array.
pub const OUTSIDE_ARRAYS: &[Pattern] = &[
    pattern(
        "two channels",
        "chan c1 = [1] of { byte }; chan c2 = [1] of { byte }; byte got;
         proctype client(chan c; byte id) { do :: c!id od }
         proctype server() { do :: c1?got -> got = 0 :: c2?got -> got = 0 od }
         init { atomic { run client(c1, 1); run client(c2, 2); run server() } }",
        &["S_2 on client[1..2]"],
    ),
    pattern(
        "three rendezvous channels of one declaration",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; chan c = [0] of { byte }; byte last = 0;
         proctype client(chan c; byte id) { do :: last == 0 -> c!id od }
         proctype server() { do :: a?last -> last = 0 :: b?last -> last = 0 :: c?last -> last = 0 od }
         init { atomic { run server(); run client(a, 1); run client(b, 2); run client(c, 3) } }",
        &["S_3 on client[2..4]"],
    ),
    pattern(
        "one variable for each, by options",
        "byte v1; byte v2; bit turn;
         proctype P(byte id) {
            do :: atomic { id == 1 && v1 == 0 -> v1 = 1 } :: atomic { id == 2 && v2 == 0 -> v2 = 1 }
            :: atomic { id == 1 && v1 == 2 -> v1 = 0 } :: atomic { id == 2 && v2 == 2 -> v2 = 0 } od
         }
         active proctype Q() { do :: v1 == 1 -> v1 = 2; turn = 1 - turn :: v2 == 1 -> v2 = 2; turn = 1 - turn od }
         init { atomic { run P(1); run P(2) } }",
        &["S_2 on P[2..3]"],
    ),
    pattern(
        "one variable for each of three, and a channel",
        "chan c1 = [1] of { bit }; chan c2 = [1] of { bit }; chan c3 = [1] of { bit }; bool v1, v2, v3;
         proctype P(chan c; byte id) {
            do :: c!1 :: id == 1 && v1 -> v1 = 0 :: id == 2 && v2 -> v2 = 0 :: id == 3 && v3 -> v3 = 0 od
         }
         active proctype Q() { do :: atomic { c1?1 -> v1 = 1 } :: atomic { c2?1 -> v2 = 1 } :: atomic { c3?1 -> v3 = 1 } od }
         init { atomic { run P(c1, 1); run P(c2, 2); run P(c3, 3) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "channels alone, without ids",
        "chan up = [0] of { bit }; chan down = [0] of { bit }; chan side = [0] of { bit }; bit n;
         proctype P(chan c) { do :: c!1 :: c?0 od }
         active proctype Q() { do :: up?1 -> up!0 :: down?1 -> down!0 :: side?1 -> side!0 od }
         init { atomic { run P(up); run P(down); run P(side) } }",
        &["S_3 on P[2..4]"],
    ),
];

/// Members that end.
pub const ENDING: &[Pattern] = &[
    pattern(
        "at once",
        "byte n; bool done[3]; proctype P(byte id) { n++; done[id] = true; done[id] = false; n-- }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "one after the other",
        "byte turn = 3; proctype P(byte id) { atomic { turn == 3 -> turn = id }; turn = 3 }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
];

/// A family with a special member, and families side by side.
pub const SPECIAL: &[Pattern] = &[
    pattern(
        "by a literal",
        "byte a[4]; byte n; proctype P(byte id) { do :: atomic { n < 2 && a[id] == 0 -> a[id] = 1; n++ } :: atomic { id != 0 && a[id] -> a[id] = 0; n-- } od }
         init { atomic { run P(0); run P(1); run P(2); run P(3) } }",
        &["S_3 on P[2..4]"],
    ),
    pattern(
        "the one in the middle",
        "byte a[4]; byte n; proctype P(byte id) { do :: atomic { n < 2 && a[id] == 0 -> a[id] = 1; n++ } :: atomic { id != 1 && a[id] -> a[id] = 0; n-- } od }
         init { atomic { run P(0); run P(1); run P(2); run P(3) } }",
        &["S_3 on P[1, 3, 4]"],
    ),
    pattern(
        "by a parameter",
        "byte a[3]; proctype P(byte id; bool boss) { do :: atomic { a[id] == 0 -> a[id] = 1 } :: atomic { boss && a[id] -> a[id] = 0 } od }
         init { atomic { run P(0, 0); run P(1, 1); run P(2, 0) } }",
        &["S_2 on P[1, 3]"],
    ),
    pattern(
        "by an initial value",
        "bool lazy[4]; byte a[4]; proctype P(byte id) { do :: atomic { a[id] == 0 -> a[id] = 1 } :: atomic { !lazy[id] && a[id] -> a[id] = 0 } od }
         init { atomic { lazy[2] = true; run P(0); run P(1); run P(2); run P(3) } }",
        &["S_3 on P[1, 2, 4]"],
    ),
    pattern(
        "two groups of one type",
        "byte a[5]; byte n; proctype P(byte id; bool boss) { do :: atomic { n < 2 && a[id] == 0 -> a[id] = 1; n++ } :: atomic { boss && a[id] -> a[id] = 0; n-- } od }
         init { atomic { run P(0, 1); run P(1, 0); run P(2, 0); run P(3, 1); run P(4, 0) } }",
        &["S_2 on P[1, 4]", "S_3 on P[2, 3, 5]"],
    ),
    pattern(
        "two types",
        "byte n; active [2] proctype P() { do :: n < 2 -> n++ od } active [3] proctype Q() { do :: atomic { n > 0 -> n-- } od }",
        &["S_2 on P[0..1]", "S_3 on Q[2..4]"],
    ),
];

/// Ids that are not in a row.
pub const GAPS: &[Pattern] = &[
    pattern(
        "another process between",
        "bool f[4]; bit n; proctype P() { do :: f[_pid] = !f[_pid] od } proctype Q() { do :: n = 1 - n od }
         init { atomic { run P(); run Q(); run P() } }",
        &["S_2 on P[1, 3]"],
    ),
    pattern(
        "two families that share an array",
        "bool f[5]; proctype P() { do :: f[_pid] = !f[_pid] od } proctype Q() { do :: f[_pid] -> f[_pid] = 0 :: f[_pid] = 1; f[_pid] = 0 od }
         init { atomic { run P(); run Q(); run P(); run Q() } }",
        &["S_2 on P[1, 3]", "S_2 on Q[2, 4]"],
    ),
    pattern(
        "ids with gaps",
        "bool f[6]; byte x = 9; proctype P(byte id) { do :: f[id] = !f[id] :: atomic { x == 9 -> x = id } :: atomic { x == id -> x = 9 } od }
         init { atomic { run P(0); run P(3); run P(5) } }",
        &["S_3 on P[1..3]"],
    ),
    pattern(
        "ids that fall",
        "bool f[6]; proctype P(byte id) { do :: f[id] = !f[id] od }
         init { atomic { run P(5); run P(1); run P(2) } }",
        &["S_3 on P[1..3]"],
    ),
];
