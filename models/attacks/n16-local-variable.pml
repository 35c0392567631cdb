// `local` before a global variable promises that only one process uses it. Nobody checks that, and here it is not so. (SPIN finds the
// errors with -o3, without merging statements.)
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
local byte x;

active proctype B() { end: x == 1 -> assert(false) }
active proctype A() { x = 1; x = 2 }
#elif V == 1
local bool x[2];

active [2] proctype A() { x[_pid] = 1; x[_pid] = 0 }
active proctype B() { end: do :: x[0] && x[1] -> assert(false) od }
#elif V == 2
local byte x;

active proctype B() { end: do :: d_step { x == 1 -> x = 5 } :: x == 5 -> assert(false) od }
active proctype A() { x = 1; x = 2 }
#elif V == 3
local byte x;
byte y;

active proctype B() { end: y == 1 -> y = 2 }
active proctype A() { x = 1; y = x; x = 2; assert(x == 2) }
#endif
