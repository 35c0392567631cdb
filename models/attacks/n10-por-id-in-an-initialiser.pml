// Which id a process gets depends on whether another one has ended. An initialiser goes wrong with one of them.
//
// expect verdict=violated kind=index-out-of-range
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=division-by-zero
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
byte a[2];

proctype P() { byte y = a[_pid]; end: do :: false -> y = 1 od }

init { run P() }

active proctype Short() { skip }
#elif V == 1
proctype P() { byte y = 1 / (_pid - 2); end: do :: false -> y = 1 od }

init { run P() }

active proctype Short() { skip }
#elif V == 2
proctype P(byte z) { end: do :: false -> z = 1 od }

proctype Q() { run P(1 / (_pid - 2)); end: do :: false od }

init { run Q() }

active proctype Short() { skip }
#elif V == 3
byte a[3];

proctype P() { byte y = a[_pid]; end: do :: false -> y = 1 od }

init { run P() }

active proctype Short() { skip }
#endif
