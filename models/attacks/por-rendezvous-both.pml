// Both sides of a rendezvous promise to be alone, and keep it.
//
// expect verdict=violated kind=assertion

chan c = [0] of { byte };
byte g;

active proctype B() { xr c; byte x; end: if :: c?x :: g == 0 -> assert(false) fi }
active proctype A() { xs c; end: c!1 }
