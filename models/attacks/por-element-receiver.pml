// A process that promised to be the only receiver on one element receives from another one, as a second process does.
//
// expect verdict=violated kind=assertion

chan q[2] = [2] of { byte };

active proctype S() { q[0]!0; q[1]!1; q[1]!2 }
active proctype C() { byte v; end: q[1]?v }
active proctype B() { xr q[0]; byte v; end: q[1]?v; assert(v != 2) }
