// Two-phase commit when the coordinator may crash before it has told everybody its decision.
// Bug: participants that voted yes may neither commit nor abort on their own, so they wait forever
// (invalid end state). This is the well-known blocking property of the protocol.
//
// expect verdict=violated kind=invalid-end-state
// expect por=off states=3928 matched=6496 transitions=10424 errors=45
// expect por=on states=3856 matched=4136 transitions=7992 errors=45

#define N 2

mtype = { vote_yes, vote_no, commit, abort };

chan vote = [N] of { mtype };
chan order[N] = [1] of { mtype };
bool committed[N], aborted[N];
bool crashed;

active proctype coordinator()
{
   mtype v, result = commit;
   byte i;

   {
      for (i : 1 .. N) {
         vote?v;
         if
         :: v == vote_no -> result = abort
         :: else
         fi
      };
      for (i : 0 .. N - 1) {
         order[i]!result
      }
   } unless {
      crashed
   }
}

active proctype environment()
{
   if
   :: crashed = true
   :: skip
   fi
}

proctype participant(byte me)
{
   mtype m;

   if
   :: vote!vote_yes;
      order[me]?m;
      if
      :: m == commit -> committed[me] = true
      :: m == abort -> aborted[me] = true
      fi
   :: vote!vote_no;
      aborted[me] = true                /* a no vote is a veto: no need to wait */
   fi;
   assert(!(committed[me] && aborted[1 - me]))
}

init {
   atomic { run participant(0); run participant(1) }
}
