// Which id a process gets depends on whether another one has ended. A poll compares it with a message.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [1] of { byte };
bool g;

proctype P() { g = q?[eval(_pid)]; end: do :: false od }

init { q!2; run P(); end: g -> assert(false) }

active proctype Short() { skip }
#elif V == 1
chan q = [2] of { byte };
byte g;

proctype P() { g = q??[eval(_pid)]; end: do :: false od }

init { q!7; q!1; run P(); end: g -> assert(false) }

active proctype Short() { skip }
#elif V == 2
chan q = [1] of { byte, byte };
byte x;

proctype P() { x = q?[eval(_pid),3] + 1; end: do :: false od }

init { q!2,3; run P(); end: x == 2 -> assert(false) }

active proctype Short() { skip }
#elif V == 3
chan q = [1] of { byte };
bool g;

proctype P() { g = q?[eval(_pid)]; end: do :: false od }

init { q!3; run P(); end: g -> assert(false) }

active proctype Short() { skip }
#endif
