// After an attempt at a rendezvous inside a `d_step`, which is an error, all other errors must still be found.
//
// expect verdict=violated kind=blocked-d-step kind=assertion
// expect -DV=1 verdict=violated kind=blocked-d-step kind=assertion
// expect -DV=2 verdict=violated kind=blocked-d-step kind=division-by-zero
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [0] of { byte };
bool g;

active proctype P() { end: if :: d_step { true -> q!1 } :: g = 1; assert(false) fi }
#elif V == 1
chan q = [0] of { byte };
bool g;

active [2] proctype P() { end: do :: d_step { !g -> skip; q!_pid } :: atomic { !g -> g = 1 } :: g -> assert(false) od }
#elif V == 2
chan q = [0] of { byte };
byte g;

active proctype R() { byte v; end: q?v }
active proctype P() { end: d_step { skip; q!1 } }
active proctype S() { end: g = 1 / g }
#elif V == 3
chan q = [1] of { byte };
bool g;

active proctype P() { end: if :: d_step { true -> q!1 } :: g = 1; assert(g) fi }
#endif
