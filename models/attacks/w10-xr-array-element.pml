// A promise about one element of an array of channels says nothing of the others.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q[2] = [2] of { byte };
bool go;

active proctype A() { xr q[0]; byte v; end: go -> q[0]?v }
active proctype S() { d_step { q[0]!1; q[1]!1; q[1]!2 } }
active proctype B() { byte v; end: q[1]?v; assert(v != 1) }
active proctype C() { byte v; end: q[1]?v }
#elif V == 1
chan q[2] = [2] of { byte };
byte v, w;

active proctype A() { xs q[0]; end: false -> q[0]!1 }
active proctype R() { end: q[1]?v; q[1]?w; assert(v != 1) }
active proctype B() { end: q[1]!1 }
active proctype C() { end: q[1]!2 }
#elif V == 2
chan q[3] = [2] of { byte };
byte i = 2;
bool go;

active proctype A() { xr q[1]; byte v; end: go -> q[1]?v }
active proctype S() { d_step { q[1]!1; q[2]!1; q[2]!2 } }
active proctype B() { byte v; end: q[i]?v; assert(v != 1) }
active proctype C() { byte v; end: q[i]?v }
#elif V == 3
chan q[2] = [2] of { byte };
bool go;

active proctype A() { xr q[0]; byte v; end: go -> q[0]?v }
active proctype S() { d_step { q[0]!1; q[1]!1; q[1]!2 } }
active proctype B() { xr q[1]; byte v; end: q[1]?v; assert(v == 1) }
#endif
