// The process that makes the promise is created late, and the others have sent before.
//
// expect verdict=violated kind=assertion

chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype C() { end: q!2; run A() }
active proctype R() { end: q?v; q?w; assert(v != 1) }
proctype A() { xs q; end: q!3 }
