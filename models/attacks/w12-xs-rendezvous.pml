// Nobody else sends on a rendezvous channel, but a receiver can do something else than receive before that.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan c = [0] of { byte };
byte g;

active proctype B() { byte x; end: if :: c?x :: g == 0 -> assert(false) fi }
active proctype A() { xs c; end: c!1 }
#elif V == 1
chan c = [0] of { byte };
byte g, h;

active proctype P1() { byte v; end: if :: h = 1 :: c?v fi }
active proctype P2() { h = 2; g = 2; end: if :: h == 2 :: h != 2 -> assert(false) fi }
active proctype P3() { xs c; end: c!2 }
#elif V == 2
chan c = [0] of { byte };
byte g;

active proctype A() { xr c; byte x; end: if :: c?x :: g == 1 -> assert(false) fi }
active proctype B() { end: if :: c!1 :: g = 1 fi }
#elif V == 3
chan c = [0] of { byte };
byte g;

active proctype B() { byte x; end: if :: c?x :: g == 1 -> assert(false) fi }
active proctype A() { xs c; end: c!1 }
#endif
