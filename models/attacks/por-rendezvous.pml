// In a rendezvous both move: who could receive may do something else first.
//
// expect verdict=violated kind=assertion

chan c = [0] of { byte };
byte g;

active proctype B() { byte x; end: if :: c?x :: g == 0 -> assert(false) fi }
active proctype A() { xs c; end: c!1 }
