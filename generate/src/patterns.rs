//! Small models, each with one way to write symmetric code that is easily missed, and the groups that must be found.
//! Where a group is not all permutations of a type's processes, brute force shows that it cannot be larger.

/// A model.
pub struct Pattern {
    /// What is special about it.
    pub name: &'static str,
    /// The model.
    pub text: &'static str,
    /// How what is found begins, one per set.
    pub found: &'static [&'static str],
}

const fn pattern(name: &'static str, text: &'static str, found: &'static [&'static str]) -> Pattern {
    Pattern { name, text, found }
}

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

/// Near misses: what looks like one of the above, and is not. Nothing more may be found than is true.
pub const NEAR: &[Pattern] = &[
    pattern(
        "who set it last",
        "bool f[3]; byte b = 9;
         proctype P(byte id) { do :: f[id] = true; atomic { b == id -> b = 9; f[id] = false } od }
         active proctype Q() { byte i;
            do :: d_step { b == 9 && (f[0] || f[1] || f[2]) -> for (i : 0 .. 2) { if :: f[i] -> b = i :: else fi } i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &[],
    ),
    pattern(
        "who has the most",
        "byte a[3]; byte m; byte b = 9;
         proctype P(byte id) { byte i;
            do :: a[id] == 0 && b == 9 -> a[id] = 1 :: b == id -> assert(false)
            :: d_step { b == 9 && a[0] + a[1] + a[2] > 0 -> m = 0; for (i : 0 .. 2) { if :: a[i] > m -> m = a[i]; b = i :: else fi } i = 0; m = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &[],
    ),
    // What is stored is cut to one bit: 2 is larger than 1, and is kept as 0.
    pattern(
        "the largest of values that do not fit",
        "byte a[2]; bit m;
         proctype P(byte id) { byte i;
            do :: a[id] < 2 -> a[id]++
            :: d_step { a[0] + a[1] == 3 && m == 0 -> for (i : 0 .. 1) { if :: a[i] > m -> m = a[i] :: else fi } i = 0 }
            :: atomic { m == 1 && a[id] == 2 -> a[id] = 2 }
            od }
         init { atomic { run P(0); run P(1) } }",
        &[],
    ),
    // What is stored is not what is compared: 1 and 2 give 2, and 2 and 1 give 3.
    pattern(
        "one more than the largest",
        "byte a[2]; byte m;
         proctype P(byte id) { byte i;
            do :: a[id] < 2 -> a[id]++
            :: d_step { a[0] + a[1] == 3 && m == 0 -> for (i : 0 .. 1) { if :: a[i] > m -> m = a[i] + 1 :: else fi } i = 0 }
            :: m == 3 -> assert(false)
            od }
         init { atomic { run P(0); run P(1) } }",
        &[],
    ),
    pattern(
        "a sum that is compared as it grows",
        "byte a[3]; byte n; byte all;
         proctype P(byte id) { byte i;
            do :: a[id] < 2 -> a[id]++ :: all == 2 -> assert(false)
            :: d_step { all == 0 -> n = 0; for (i : 0 .. 2) { if :: n < 2 -> n = n + a[i] :: else fi } all = (n == 3 -> 2 : 0); n = 0; i = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &[],
    ),
    // The counter is read before it is set, so that a reset of it is seen.
    pattern(
        "a scratch variable that is read in a d_step",
        "bool a[3]; byte n;
         proctype P(byte id) { byte k;
            do :: d_step { !a[k] -> a[k] = 1; k = id; n = 1 } :: d_step { n == 1 -> k = 0; a[id] = 0; n = 0 } od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_2 on P[2..3]"],
    ),
    pattern(
        "a scratch variable that is read late in a d_step",
        "bool a[3]; byte n;
         proctype P(byte id) { byte k;
            do :: d_step { n == 0 -> n = 1; a[k] = 1; k = id } :: d_step { n == 1 -> n = 0; k = 0 } :: n == 1 && a[id] -> assert(false) od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &["S_2 on P[2..3]"],
    ),
    pattern(
        "a sum of ids that somebody reads",
        "byte n; byte sum; proctype P(byte id) { do :: atomic { n < 2 -> n++; sum = (sum + id) % 4 } :: atomic { n > 0 -> n-- } :: sum == 3 -> sum = 0 od }
         init { atomic { run P(0); run P(1); run P(2) } }",
        &[],
    ),
    // A division by zero is seen.
    pattern(
        "a remainder by what nobody else reads",
        "byte n; byte sum; proctype P(byte id) { do :: atomic { n < 2 -> n++; sum = 2 % (sum - id) } :: atomic { n > 0 -> n-- } od }
         init { atomic { run P(1); run P(2); run P(3) } }",
        &[],
    ),
    pattern(
        "the other one of three",
        "bool f[4]; proctype P(byte id) { do :: f[id] = 1; (!f[3 - id]); f[id] = 0 :: f[id] = 0 od }
         init { atomic { run P(1); run P(2); run P(3) } }",
        &["S_2 on P[1..2]"],
    ),
];
