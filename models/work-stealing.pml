// A work stealing deque: the owner pushes and pops tasks at the bottom, thieves take them from the
// top with compare-and-swap. Checked: every task is executed exactly once (assertions).
// With -DNOCAS the owner takes the last task without compare-and-swap (bug: it may run twice).
//
// expect verdict=holds
// expect -DNOCAS verdict=violated kind=assertion
// expect por=off states=8930 matched=7264 transitions=16194 errors=0
// expect por=on states=7074 matched=3422 transitions=10496 errors=0
// expect -DNOCAS por=off states=12887 matched=10150 transitions=23037 errors=299
// expect -DNOCAS por=on states=9945 matched=4408 transitions=14353 errors=228
// bench -DTHIEVES=2 por=off states=620150 matched=1018845 transitions=1638995
// bench -DTHIEVES=2 por=on states=381544 matched=317312 transitions=698856

#define TASKS 3
#ifndef THIEVES
#define THIEVES 1
#endif

short top, bottom;
byte task[TASKS];                 /* task numbers start at 1 */
byte runs[TASKS + 1];

inline cas(variable, old, new, success)
{
   d_step {
      success = (variable == old);
      variable = (success -> new : variable)
   }
}

inline execute(x)
{
   atomic { runs[x]++; assert(runs[x] == 1); x = 0 }
}

active proctype owner()
{
   byte n = 1;
   short t, b;
   byte x;
   bool ok;

   do
   :: n <= TASKS ->                        /* push */
      task[bottom] = n;
      bottom++;
      n++
   :: bottom > top || n > TASKS ->         /* pop */
      b = bottom - 1;
      bottom = b;
      t = top;
      if
      :: t > b ->                          /* nothing there */
         bottom = b + 1;
         if
         :: n > TASKS -> break
         :: else
         fi
      :: t == b ->                         /* the last one: thieves may be after it */
         x = task[b];
#ifdef NOCAS
         top = t + 1;
         ok = true;
#else
         cas(top, t, t + 1, ok);
#endif
         bottom = b + 1;
         if
         :: ok -> execute(x)
         :: else -> x = 0
         fi
      :: t < b ->
         x = task[b];
         execute(x)
      fi
   od
}

active [THIEVES] proctype thief()
{
   short t, b;
   byte x;
   bool ok;

end:
   do
   :: top < bottom ->
      t = top;
      b = bottom;
      if
      :: t < b ->
         x = task[t];
         cas(top, t, t + 1, ok);
         if
         :: ok -> execute(x)
         :: else -> x = 0
         fi
      :: else
      fi
   od
}
