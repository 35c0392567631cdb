// Lamport's bakery algorithm with bounded ticket numbers: a customer that would draw a number above
// MAX leaves the doorway and tries again later. Every shared variable is read in a step of its own.
// Checked: mutual exclusion (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=3402 matched=3150 transitions=6552 errors=0
// expect por=on states=2380 matched=901 transitions=3281 errors=0
// expect -DMAX=6 por=off states=7122 matched=6528 transitions=13650 errors=0
// expect -DMAX=6 por=on states=5038 matched=2062 transitions=7100 errors=0
// bench -DN=3 -DMAX=4 por=off states=680864 matched=1251429 transitions=1932293
// bench -DN=3 -DMAX=4 por=on states=295761 matched=160341 transitions=456102

#ifndef N
#define N 2
#endif
#ifndef MAX
#define MAX 3
#endif

bool choosing[N];
byte number[N];        /* 0 = not waiting */
byte inside;

active [N] proctype customer()
{
   byte me = _pid;
   byte high;
   byte j;

enter:
   choosing[me] = true;
   high = 0;
   for (j : 0 .. N - 1) {
      if
      :: number[j] > high -> high = number[j]
      :: else
      fi
   };
   if
   :: high >= MAX ->
      choosing[me] = false;
      goto enter
   :: else
   fi;
   number[me] = high + 1;
   choosing[me] = false;

   for (j : 0 .. N - 1) {
      !choosing[j];
      /* pairs (number, index) are compared lexicographically */
      (number[j] == 0 || number[j] > number[me] || (number[j] == number[me] && j >= me))
   };

   inside++;
   assert(inside == 1);
   inside--;
   number[me] = 0;
   goto enter
}
