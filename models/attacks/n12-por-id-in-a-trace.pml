// Which id a process gets depends on whether another one has ended. A trace compares it.
//
// expect verdict=violated kind=trace
// expect -DV=1 verdict=violated kind=trace
// expect -DV=2 verdict=violated kind=trace
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [1] of { byte };

proctype P() { end: q!_pid }

init { run P() }

active proctype Short() { skip }

trace { q!1 }
#elif V == 1
chan q = [1] of { byte };

proctype P() { end: q!_pid }

init { run P() }

active proctype Short() { skip }

notrace { q!2 }
#elif V == 2
chan q = [1] of { byte };

proctype P() { byte x; end: q!_pid; q?x }

init { run P() }

active proctype Short() { skip }

notrace { q?2 }
#elif V == 3
chan q = [1] of { byte };

proctype P() { end: q!_pid }

init { run P() }

active proctype Short() { skip }

trace { q!_ }
#endif
