// The element is chosen by a variable: the promise is about the one it chose, and the process goes on to the next.
//
// expect verdict=violated kind=assertion

chan q[2] = [2] of { byte };

active proctype S() { d_step { q[0]!3; q[1]!1; q[1]!2 } }
active proctype B() { xr q[0]; byte v, i; end: do :: q[i]?v; assert(v != 1); i = 1 od }
active proctype C() { byte v; end: q[1]?v }
