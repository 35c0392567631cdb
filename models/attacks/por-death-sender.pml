// The sender keeps its promise and ends. Who waits for that, and sends then, breaks it when nobody is there to tell.
//
// expect verdict=violated kind=assertion

chan q = [2] of { byte };
byte v, w;

active proctype B() { end: q!1 }
active proctype R() { end: q?v; q?w; assert(v != 1) }
active proctype A() { xs q; q!2 }
