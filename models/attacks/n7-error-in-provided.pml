// The condition of `provided` goes wrong. That is the error; that nothing else can happen is not another one.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=index-out-of-range
// expect -DV=2 verdict=violated kind=division-by-zero kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;

active proctype Q() provided (x == 4 / x) { byte k; k = 1 }
#elif V == 1
byte i = 3;
bool a[2];

active [2] proctype Q() provided (a[i] == 0) { byte k; k = 1 }
#elif V == 2
byte x;

active proctype Q() provided (x == 4 / x) { byte k; k = 1 }
active proctype R() { end: assert(x) }
#elif V == 3
byte x = 2;

active proctype Q() provided (x == 4 / x) { byte k; k = 1 }
#endif
