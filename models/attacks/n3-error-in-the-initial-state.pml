// Something is wrong with the initial state already. Breadth-first search has no stored state then.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=index-out-of-range
// expect -DV=2 verdict=violated kind=division-by-zero
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;
byte y = 1 / x;

active proctype P() { y = 1 }
#elif V == 1
byte i = 5;
byte a[2];
byte y = a[i];

active [2] proctype P() { end: do :: y = 1 od }
#elif V == 2
byte a[2];

active [2] proctype P() { byte y = 4 / a[_pid]; end: do :: y = 1 od }
#elif V == 3
byte x = 1;
byte y = 1 / x;

active proctype P() { y = 1 }
#endif
