// The MCS queue lock (Mellor-Crummey and Scott): waiting processes form a linked list and each spins
// on its own flag. Swap and compare-and-swap are single steps. Node 0 is the null pointer.
// Checked: mutual exclusion (assertion), no deadlock (no lost hand-over).
//
// expect verdict=holds
// bench -DN=3 por=off states=186807 matched=342557 transitions=529364
// bench -DN=3 por=on states=89164 matched=120684 transitions=209848
// expect por=off states=1328 matched=1176 transitions=2504 errors=0
// expect por=on states=990 matched=643 transitions=1633 errors=0

#ifndef N
#define N 2
#endif

typedef Node {
   bool locked;
   byte next
};

Node node[N + 1];
byte tail;
byte inside;

proctype process(byte me)
{
   byte pred;
   bool swapped;

   do
   :: node[me].next = 0;
      d_step { pred = tail; tail = me };
      if
      :: pred != 0 ->
         node[me].locked = true;       /* before linking, or the hand-over would be lost */
         node[pred].next = me;
         (!node[me].locked)
      :: else
      fi;

      inside++;
      assert(inside == 1);
      inside--;

      if
      :: node[me].next == 0 ->
         d_step {
            swapped = (tail == me);
            tail = (swapped -> 0 : tail)
         };
         if
         :: swapped -> goto done
         :: else -> (node[me].next != 0)    /* a successor is about to link itself */
         fi
      :: else
      fi;
      node[node[me].next].locked = false;
done: skip
   od
}

init {
   byte i;
   atomic {
      for (i : 1 .. N) {
         run process(i)
      }
   }
}
