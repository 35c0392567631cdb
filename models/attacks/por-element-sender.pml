// A promise to be the only sender to one element says nothing about the others: two processes send to the second one.
//
// expect verdict=violated kind=assertion

chan q[3] = [2] of { byte };
byte v, w;

active proctype A() { xs q[2]; end: q[2]!0 }
active proctype B() { xs q[0]; end: q[1]!1 }
active proctype C() { end: q[1]!2 }
active proctype R() { end: q[1]?v; q[1]?w; assert(v != 2) }
