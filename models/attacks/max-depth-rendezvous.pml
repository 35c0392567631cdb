// A limit on the depth of the search can fall between the two sides of a rendezvous.
//
// expect verdict=holds
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=invalid-end-state
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan c = [0] of { byte };
byte x;

active proctype P() { end: do :: x < 10 -> x++; c!1 od }
active proctype Q() { end: do :: c?_ -> x = x % 5 od }
#elif V == 1
chan c = [0] of { byte };
byte x;

active proctype P() { end: do :: x < 10 -> x++; c!1 od }
active proctype Q() { end: do :: c?_ -> x = x % 5 ; assert(x != 3) od }
#elif V == 2
chan c = [0] of { byte };
byte x;

active proctype P() { end: do :: x < 4 -> x++; c!1 od }
active proctype Q() { do :: c?_ -> x = x od }
#elif V == 3
chan c = [0] of { byte };
byte x;

active proctype P() { end: do :: x < 3 -> x++; c!1 od }
active proctype Q() { end: do :: c?_ -> x = x % 5 ; assert(x <= 3) od }
#endif
