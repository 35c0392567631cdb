// A MESI protocol whose bus transactions take several steps: the bus asks every other cache in turn
// (rendezvous) before it grants a line. A cache waiting for the bus still has to answer.
// Checked: an exclusive or modified copy is the only copy (assertion), no deadlock.
// With -DNOINVALIDATE shared copies ignore writes by others (bug: assertion violated).
//
// expect verdict=holds
// expect -DNOINVALIDATE verdict=violated kind=assertion
// expect por=off states=2060 matched=2265 transitions=4325 errors=0
// expect por=on states=868 matched=217 transitions=1085 errors=0
// expect -DNOINVALIDATE por=off states=2256 matched=2519 transitions=4775 errors=24
// expect -DNOINVALIDATE por=on states=956 matched=247 transitions=1203 errors=12
// expect -DN=3 por=off states=61030 matched=114619 transitions=175649 errors=0
// expect -DN=3 por=on states=15612 matched=8939 transitions=24551 errors=0

#ifndef N
#define N 2
#endif

mtype:line = { modified, exclusive, shared, invalid };
mtype:op = { read, write };

chan request = [0] of { mtype:op, byte };
chan snoop[N] = [0] of { mtype:op };
chan reply[N] = [0] of { bool };                /* did the cache hold a copy? */
chan grant[N] = [0] of { mtype:line };

mtype:line state[N] = invalid;

inline check()
{
   for (k : 0 .. N - 1) {
      assert(k == i || state[i] < exclusive || state[k] == invalid);
      assert(k == i || state[k] < exclusive || state[i] == invalid)
   };
   k = 0
}

#ifdef NOINVALIDATE
#define MUST_DROP (seen == write && state[i] != shared)
#else
#define MUST_DROP (seen == write)
#endif

/* answer a request by somebody else; seen and had are cleared to keep the state space small */
inline react()
{
   had = (state[i] != invalid);
   if
   :: MUST_DROP -> state[i] = invalid
   :: seen == read && state[i] != invalid -> state[i] = shared
   :: else
   fi;
   seen = 0
}

proctype cache(byte i)
{
   byte k;
   bool had;
   mtype:op want, seen;
   mtype:line got;

   do
   :: snoop[i]?seen -> react(); reply[i]!had; had = false
   :: atomic { state[i] == exclusive -> state[i] = modified; check() }     /* write hit */
   :: state[i] != invalid -> state[i] = invalid                            /* evict */
   :: if
      :: state[i] == invalid -> want = read
      :: state[i] == invalid || state[i] == shared -> want = write
      fi;
      do
      :: request!want(i) -> break
      :: snoop[i]?seen -> react(); reply[i]!had; had = false
      od;
      atomic {
         grant[i]?got;
         state[i] = got;
         check();
         want = 0;
         got = 0
      }
   od
}

active proctype bus()
{
   mtype:op kind;
   byte who, k;
   bool copy, others;

   do
   :: request?kind(who) ->
      for (k : 0 .. N - 1) {
         if
         :: k != who ->
            snoop[k]!kind;
            reply[k]?copy;
            others = others || copy
         :: else
         fi
      };
      grant[who]!(kind == write -> modified : (others -> shared : exclusive));
      d_step { kind = 0; who = 0; k = 0; copy = false; others = false }
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run cache(i)
      }
   }
}
