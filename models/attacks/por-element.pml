// A promise about one element of an array of channels says nothing about the others.
//
// expect verdict=violated kind=assertion

chan q[2] = [2] of { byte };
bool go;

active proctype A() { xr q[0]; byte v; end: go -> q[0]?v }
active proctype S() { d_step { q[0]!1; q[1]!1; q[1]!2 } }
active proctype B() { byte v; end: q[1]?v; assert(v != 1) }
active proctype C() { byte v; end: q[1]?v }
