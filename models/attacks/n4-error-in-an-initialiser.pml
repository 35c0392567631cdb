// An initialiser, or an index inside an index, goes wrong in a step: the run that is shown must show just that.
//
// expect verdict=violated kind=division-by-zero
// expect -DV=1 verdict=violated kind=division-by-zero
// expect -DV=2 verdict=violated kind=index-out-of-range
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
bool g;

proctype Q() { byte who = 4 / g; who = 1 }

init { run Q() }
#elif V == 1
byte a[2];

active proctype P() { a[4 / a[0]] = 1 }
#elif V == 2
byte i = 3;
byte a[2];

proctype Q(byte z) { byte who = a[a[i]]; who = z }

init { run Q(1) }
#elif V == 3
bool g = 1;
byte a[5];

proctype Q() { byte who = 4 / g; a[a[who]] = 1 }

init { run Q() }
#endif
