// A promise is made by a process that ends, or that never runs, or not yet; others use the channel all the same.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds
// expect -DV=4 verdict=violated kind=assertion

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype C() { end: q!2 }
active proctype R() { end: q?v; q?w; assert(v != 1) }
active proctype A() { xs q; skip }
#elif V == 1
chan q = [2] of { byte };

active proctype S() { d_step { q!1; q!2 } }
active proctype B() { byte v; end: q?v; assert(v != 1) }
active proctype C() { byte v; end: q?v }
active proctype A() { xr q; skip }
#elif V == 2
chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype C() { end: q!2 }
active proctype R() { end: q?v; q?w; assert(v != 1) }
proctype A() { xs q; skip }
#elif V == 3
chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype C() { end: q!2 }
active proctype R() { end: q?v; q?w; assert(v != w) }
proctype A() { xs q; skip }
#elif V == 4
chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype C() { end: q!2 }
active proctype R() { end: q?v; q?w; assert(v != 1) }
proctype A() { xs q; skip }

init { end: v && w -> run A() }
#endif
