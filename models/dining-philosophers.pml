// Dining philosophers: N philosophers share N forks and take the left one first. By default they
// deadlock when each holds its left fork (bug: invalid end state). With -DLEFTHANDED the last one
// takes its right fork first, which breaks the cycle. Checked: fork ownership (assertion), deadlock.
//
// expect verdict=violated kind=invalid-end-state
// expect -DLEFTHANDED verdict=holds
// expect por=off states=118 matched=223 transitions=341 errors=1
// expect por=on states=118 matched=223 transitions=341 errors=1
// expect -DLEFTHANDED por=off states=79 matched=130 transitions=209 errors=0
// expect -DLEFTHANDED por=on states=79 matched=130 transitions=209 errors=0
// expect -DN=8 por=off states=14158 matched=67691 transitions=81849 errors=1
// expect -DN=8 por=on states=14158 matched=67691 transitions=81849 errors=1
// bench -DN=10 por=off states=154450 matched=961681 transitions=1116131
// bench -DN=10 por=on states=154450 matched=961681 transitions=1116131
// bench -DN=12 por=off states=1684801 matched=12925452 transitions=14610253

#ifndef N
#define N 4
#endif

#ifdef LEFTHANDED
#define FIRST  (_pid == N - 1 -> 0 : _pid)
#define SECOND (_pid == N - 1 -> N - 1 : _pid + 1)
#else
#define FIRST  _pid
#define SECOND ((_pid + 1) % N)
#endif

bool taken[N];

active [N] proctype philosopher()
{
   byte first = FIRST;
   byte second = SECOND;

   do
   :: atomic { !taken[first] -> taken[first] = true };
      atomic { !taken[second] -> taken[second] = true; assert(taken[first]) };
      taken[second] = false;
      taken[first] = false
   od
}
