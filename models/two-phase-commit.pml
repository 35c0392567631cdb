// Two-phase commit: a coordinator asks N participants to vote, decides to commit if all agree, and
// tells everybody. Participants vote as they like and may not change their mind.
// Checked: no two sites decide differently, commit only after unanimous votes (assertions), all stop.
//
// expect verdict=holds
// expect por=off states=4059 matched=5827 transitions=9886 errors=0
// expect por=on states=2342 matched=1070 transitions=3412 errors=0
// expect -DN=4 por=off states=29331 matched=53407 transitions=82738 errors=0
// expect -DN=4 por=on states=18123 matched=11335 transitions=29458 errors=0

#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort };
mtype = { undecided };

chan to_site[N] = [1] of { mtype };
chan to_coord = [N] of { mtype, byte };
mtype decision[N] = undecided;
byte yes_votes;

active proctype coordinator()
{
   byte i, who;
   bool all = true;

   for (i : 0 .. N - 1) {
      to_site[i]!prepare
   };
   i = 0;
   do
   :: i < N ->
      if
      :: to_coord?yes(who)
      :: to_coord?no(who) -> all = false
      fi;
      i++
   :: i == N -> break
   od;
   if
   :: all -> assert(yes_votes == N)
   :: else
   fi;
   for (i : 0 .. N - 1) {
      to_site[i]!(all -> commit : abort)
   }
}

proctype participant(byte me)
{
   mtype order;
   byte j;

   to_site[me]?prepare;
   if
   :: yes_votes++; to_coord!yes(me)
   :: to_coord!no(me)
   fi;
   to_site[me]?order;
   atomic {
      decision[me] = order;
      for (j in decision) {
         assert(decision[j] == undecided || decision[j] == order)
      }
   }
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run participant(i)
      }
   }
}
