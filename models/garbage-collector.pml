// An on-the-fly mark and sweep collector with three colours. Every node has one pointer, node 0 is
// the root. The mutator redirects pointers between reachable nodes and allocates free ones; it shades
// the target of every pointer it writes. Checked: no reachable node is ever freed (assertion).
// With -DNOBARRIER the mutator does not shade (bug: a reachable node is freed).
//
// expect verdict=holds
// expect -DNOBARRIER verdict=violated kind=assertion
// expect por=off states=7719 matched=69472 transitions=77191 errors=0
// expect por=on states=6057 matched=19887 transitions=25944 errors=0
// expect -DNOBARRIER por=off states=7739 matched=69652 transitions=77391 errors=24
// expect -DNOBARRIER por=on states=6381 matched=18921 transitions=25302 errors=24
// bench -DNODES=4 por=off states=208858 matched=3341729 transitions=3550587
// bench -DNODES=4 por=on states=163406 matched=992352 transitions=1155758

#ifndef NODES
#define NODES 3
#endif

mtype = { white, grey, black };

mtype colour[NODES] = white;
byte ptr[NODES];
bool unused[NODES];

inline shade(n)
{
   colour[n] = (colour[n] == white -> grey : colour[n])
}

/* result = n can be reached from the root; p and steps are scratch variables */
inline reachable(n, result)
{
   p = 0;
   steps = 0;
   do
   :: steps < NODES && p != n -> p = ptr[p]; steps++
   :: else -> break
   od;
   result = (p == n);
   p = 0;
   steps = 0
}

active proctype mutator()
{
   byte a, b, p, steps;
   bool yes;

   do
   :: atomic {
         select (a : 0 .. NODES - 1);
         select (b : 0 .. NODES - 1);
         reachable(a, yes);
         if
         :: !yes                                    /* cannot get at it */
         :: yes && unused[b] ->                     /* allocate b and insert it after a */
            unused[b] = false;
            ptr[b] = ptr[a];
            ptr[a] = b;
            shade(b)
         :: yes && !unused[b] ->                    /* redirect, if b can be reached */
            reachable(b, yes);
            if
            :: yes ->
               ptr[a] = b;
#ifndef NOBARRIER
               shade(b);
#endif
            :: else
            fi
         fi;
         a = 0;
         b = 0;
         yes = false
      }
   od
}

active proctype collector()
{
   byte j, p, steps;
   bool found, yes;

   do
   :: colour[0] = (colour[0] == white -> grey : colour[0]);
      do                                            /* mark until no grey node is seen */
      :: found = false;
         for (j : 0 .. NODES - 1) {
            if
            :: colour[j] == grey ->
               found = true;
               atomic { shade(ptr[j]); colour[j] = black }
            :: else
            fi
         };
         if
         :: found
         :: else -> break
         fi
      od;
      for (j : 0 .. NODES - 1) {                    /* sweep */
         atomic {
            if
            :: colour[j] == white && !unused[j] ->
               reachable(j, yes);
               assert(!yes);
               unused[j] = !yes;
               ptr[j] = (yes -> ptr[j] : j);
               yes = false
            :: else -> colour[j] = white
            fi
         }
      }
   od
}
