// Cigarette smokers: an agent puts two of three ingredients on the table, the smoker who has the third
// must take both. With pushers that keep track of what is on the table this works; with -DNAIVE each
// smoker takes its ingredients one after the other and everybody can get stuck (invalid end state).
//
// expect verdict=holds
// expect -DNAIVE verdict=violated kind=invalid-end-state
// expect por=off states=58 matched=28 transitions=86 errors=0
// expect por=on states=51 matched=21 transitions=72 errors=0
// expect -DNAIVE por=off states=40 matched=16 transitions=56 errors=3
// expect -DNAIVE por=on states=33 matched=9 transitions=42 errors=3

#define TOBACCO 0
#define PAPER   1
#define MATCHES 2

byte table[3];                 /* semaphores: ingredients on the table */
byte agent_may_go = 1;
byte smoking;

inline down(s) { atomic { s > 0 -> s-- } }

active proctype agent()
{
   do
   :: down(agent_may_go);
      if
      :: table[TOBACCO]++; table[PAPER]++
      :: table[PAPER]++; table[MATCHES]++
      :: table[MATCHES]++; table[TOBACCO]++
      fi
   od
}

#ifdef NAIVE

proctype smoker(byte a; byte b)
{
   do
   :: down(table[a]);
      down(table[b]);
      smoking++;
      assert(smoking == 1);
      smoking--;
      agent_may_go++
   od
}

init {
   atomic {
      run smoker(TOBACCO, PAPER);
      run smoker(PAPER, MATCHES);
      run smoker(MATCHES, TOBACCO)
   }
}

#else

bool seen[3];                  /* what the pushers have found so far */
byte go[3];                    /* go[i]: the smoker who owns ingredient i may smoke */

/* the pusher for ingredient i, the other two being j and k */
proctype pusher(byte i; byte j; byte k)
{
   do
   :: down(table[i]);
      atomic {
         if
         :: seen[j] -> seen[j] = false; go[k]++
         :: !seen[j] && seen[k] -> seen[k] = false; go[j]++
         :: else -> seen[i] = true
         fi
      }
   od
}

proctype smoker(byte i)
{
   do
   :: down(go[i]);
      smoking++;
      assert(smoking == 1 && table[0] + table[1] + table[2] == 0);
      smoking--;
      agent_may_go++
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. 2) {
         run pusher(i, (i + 1) % 3, (i + 2) % 3);
         run smoker(i)
      }
   }
}

#endif
