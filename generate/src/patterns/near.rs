//! What looks like a pattern of symmetric code, and is not. Nothing more may be found than is true.

use super::{Pattern, pattern};

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
