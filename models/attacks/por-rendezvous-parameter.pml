// A channel for rendezvous that came as an argument.
//
// expect verdict=violated kind=assertion

chan c = [0] of { byte };
byte g;

proctype A(chan out) { xs out; end: out!1 }
active proctype B() { byte x; end: if :: c?x :: g == 1 -> assert(false) fi }
init { run A(c); g = 1 }
