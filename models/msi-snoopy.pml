// A snoopy MSI cache coherence protocol with one memory word: bus transactions are atomic, caches
// react to the others' requests. Checked at every step: at most one modified copy, no shared copy
// next to it, a read returns the last value written (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off states=223 matched=925 transitions=1148 errors=0
// expect por=on states=223 matched=925 transitions=1148 errors=0
// expect -DN=4 por=off states=767 matched=4475 transitions=5242 errors=0
// expect -DN=4 por=on states=767 matched=4475 transitions=5242 errors=0

#ifndef N
#define N 3
#endif

mtype = { invalid, shared, modified };

typedef Line { mtype state; bit value };

Line cache[N];
bit memory, latest;            /* `latest` is the ghost copy of the last write */

/* somebody else's request is seen on the bus: write back and give up the line */
inline snoop(me, exclusive)
{
   for (k : 0 .. N - 1) {
      if
      :: k != me && cache[k].state == modified ->
         memory = cache[k].value;
         cache[k].state = (exclusive -> invalid : shared)
      :: k != me && cache[k].state == shared && exclusive ->
         cache[k].state = invalid
      :: else
      fi;
      if
      :: cache[k].state == invalid -> cache[k].value = 0
      :: else
      fi
   };
   k = 0
}

inline coherent()
{
   n = 0;
   for (k : 0 .. N - 1) {
      n = n + (cache[k].state == modified -> N : (cache[k].state == shared -> 1 : 0))
   };
   assert(n <= N);
   k = 0;
   n = 0
}

proctype cpu(byte i)
{
   byte k, n;

   do
   :: atomic {                                     /* read miss */
         cache[i].state == invalid ->
         snoop(i, false);
         cache[i].value = memory;
         cache[i].state = shared;
         coherent()
      }
   :: cache[i].state != invalid ->                 /* read hit, if the line is still there */
      atomic { assert(cache[i].state == invalid || cache[i].value == latest) }
   :: atomic {                                     /* write */
         if
         :: cache[i].state != modified -> snoop(i, true)
         :: cache[i].state == modified
         fi;
         cache[i].state = modified;
         cache[i].value = 1 - latest;
         latest = 1 - latest;
         coherent()
      }
   :: atomic {                                     /* evict */
         cache[i].state != invalid ->
         if
         :: cache[i].state == modified -> memory = cache[i].value
         :: else
         fi;
         cache[i].state = invalid;
         cache[i].value = 0
      }
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         cache[i].state = invalid;
         run cpu(i)
      }
   }
}
