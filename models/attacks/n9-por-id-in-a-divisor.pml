// Which id a process gets depends on whether another one has ended. Something is divided by it.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=division-by-zero
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte x;

proctype P() { end: x = 1 / (_pid - 2) }

init { run P() }

active proctype Short() { skip }
#elif V == 1
chan q = [1] of { byte };

proctype P() { end: q!1 % (_pid - 2) }

init { run P() }

active proctype Short() { skip }
#elif V == 2
byte x, y;

proctype P() { x = _pid; end: y = 1 / (x - 2) }

init { run P() }

active proctype Short() { skip }
#elif V == 3
byte x;

proctype P() { end: x = 1 / (_pid - 3) }

init { run P() }

active proctype Short() { skip }
#endif
