// What a process may do cannot be told: its `provided` divides by zero. That is found on its own turn, and also where it is asked
// whether it may receive.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=holds

#ifndef V
#define V 0
#endif

chan c = [0] of { byte };
byte g;

#if V == 0
active proctype Receiver() provided (g == 4 / g) { byte x; c?x }
active proctype Sender() { c!1 }
#elif V == 1
active proctype Sender() { c!1 }
active proctype Receiver() provided (g == 4 / g) { byte x; end: c?x }
#else
active proctype Receiver() provided (g == 0 || 4 / g == 4) { byte x; c?x }
active proctype Sender() { c!1; g = 1 }
#endif
