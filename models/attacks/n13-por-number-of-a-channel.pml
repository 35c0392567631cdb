// Which number a channel gets depends on whether a process with a channel of its own has ended. The number is looked at.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;

proctype P() { chan c = [1] of { byte }; x = c; end: x == 2 -> assert(false) }

init { run P() }

active proctype Short() { chan s = [1] of { byte }; skip }
#elif V == 1
proctype P() { chan c = [1] of { byte }; end: c == 2 -> assert(false) }

init { run P() }

active proctype Short() { chan s = [1] of { byte }; skip }
#elif V == 2
proctype Q(byte x) { end: x == 2 -> assert(false) }

proctype P() { chan c = [1] of { byte }; run Q(c); end: c?_ }

init { run P() }

active proctype Short() { chan s = [1] of { byte }; skip }
#elif V == 3
byte x;

proctype P() { chan c = [1] of { byte }; x = c; end: x == 3 -> assert(false) }

init { run P() }

active proctype Short() { chan s = [1] of { byte }; skip }
#endif
