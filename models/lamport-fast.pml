// Lamport's fast mutual exclusion algorithm: without contention a process enters after a constant
// number of accesses. Process numbers start at 1, y = 0 means the lock is free.
// Checked: mutual exclusion (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=1983 matched=1743 transitions=3726 errors=0
// expect por=on states=1887 matched=1250 transitions=3137 errors=0
// bench -DN=3 por=off states=147177 matched=256157 transitions=403334
// bench -DN=3 por=on states=118641 matched=124835 transitions=243476

#ifndef N
#define N 2
#endif

byte x, y;
bool b[N + 1];
byte inside;

proctype process(byte i)
{
   byte j;

start:
   b[i] = true;
   x = i;
   if
   :: y != 0 ->
      b[i] = false;
      (y == 0);
      goto start
   :: else
   fi;
   y = i;
   if
   :: x != i ->                    /* contention: the slow path */
      b[i] = false;
      for (j : 1 .. N) {
         !b[j]
      };
      if
      :: y != i -> (y == 0); goto start
      :: else
      fi
   :: else
   fi;
   inside++;
   assert(inside == 1);
   inside--;
   y = 0;
   b[i] = false;
   goto start
}

init {
   byte i = 1;
   atomic {
      do
      :: i <= N -> run process(i); i++
      :: else -> break
      od
   }
}
