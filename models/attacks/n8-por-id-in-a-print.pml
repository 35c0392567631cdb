// Which id a process gets depends on whether another one has ended. The id reaches the argument of a print, which can go
// wrong. SPIN's reduction misses it.
//
// expect verdict=violated kind=index-out-of-range
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte a[2];

proctype P() { end: do :: printf("%d\n", a[_pid]) od }

init { run P() }

active proctype Short() { skip }
#elif V == 1
proctype P() { end: printf("%d\n", 1 / (_pid - 2)) }

init { run P() }

active proctype Short() { skip }
#elif V == 2
byte a[2];
byte x;

proctype P() { x = _pid; end: d_step { printf("%d\n", a[x]) } }

init { run P() }

active proctype Short() { skip }
#elif V == 3
byte a[3];

proctype P() { end: do :: printf("%d %d\n", _pid, a[_pid]) od }

init { run P() }

active proctype Short() { skip }
#endif
