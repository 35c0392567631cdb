// The bully algorithm: nodes know who is up (a perfect failure detector), the highest node that is up
// must become the coordinator. The environment crashes up to CRASHES nodes at any time; a crash
// interrupts a node wherever it is (`unless`). Checked when nothing can move any more (`timeout`):
// all nodes that are up agree on the highest node that is up.
//
// expect verdict=holds
// expect -DCRASHES=1 por=off states=2818 matched=5648 transitions=8466 errors=0
// expect -DCRASHES=1 por=on states=1420 matched=1263 transitions=2683 errors=0
// expect por=off states=27703 matched=63259 transitions=90962 errors=0
// expect por=on states=13656 matched=12092 transitions=25748 errors=0

#ifndef N
#define N 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif

mtype = { election, answer, coordinator };

chan box[N] = [2 * N] of { mtype, byte };
bool up[N] = true;
byte leader[N] = N - 1;

/* messages to a crashed node are lost */
inline post(to, kind)
{
   atomic {
      if
      :: up[to] -> box[to]!kind(me)
      :: else
      fi
   }
}

/* is a node above `me` still up? */
inline look_above(result)
{
   d_step {
      result = false;
      j = me + 1;
      do
      :: j < N -> result = result || up[j]; j++
      :: else -> break
      od;
      j = 0
   }
}

inline hold_election()
{
   look_above(higher);
   if
   :: higher ->
      waiting = true;
      for (j : me + 1 .. N - 1) {
         post(j, election)
      };
      j = 0
   :: else ->
      waiting = false;
      leader[me] = me;
      j = 0;
      do
      :: j < me -> post(j, coordinator); j++
      :: else -> break
      od;
      j = 0
   fi
}

proctype node(byte me)
{
   byte who, j;
   bool waiting, higher;

   {
end_idle:
      do
      :: box[me]?election(who) ->
         post(who, answer);
         hold_election()
      :: box[me]?answer(_)                   /* a higher node has taken over */
      :: box[me]?coordinator(who) ->
         leader[me] = who;
         waiting = false;
         who = 0
      :: !up[leader[me]] && !waiting ->
         hold_election()
      :: waiting && !up[N - 1] && (me + 2 >= N || !up[me + 1]) ->
         waiting = false                     /* those we waited for are gone */
      od
   } unless {
      !up[me]
   }
}

active proctype environment()
{
   byte crashed, i;

   do
   :: crashed < CRASHES ->
      crashed++;
      i = 1;
      do
      :: i < N - 1 -> i++
      :: break
      od;
      up[i] = false
   :: break
   od;
   timeout;
   /* node 0 never crashes: it must know the highest node that is up */
   i = N - 1;
   do
   :: !up[i] -> i--
   :: else -> break
   od;
   assert(leader[0] == i && leader[i] == i);
end_done:
   false
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run node(i)
      }
   }
}
