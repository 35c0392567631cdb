// Base station, first model, after the description in Bosnacki, Dams and Holenderski, "Symmetric Spin", section 5.4: N
// mobile stations talk to each other over M radio channels that one base station gives out; all through variables.
// Checked: a message is received by the station it is for (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=1442 matched=7503 transitions=8945 errors=0
// expect por=on states=1442 matched=7503 transitions=8945 errors=0
// bench -DN=3 por=off states=119363 matched=1004840 transitions=1124203
// bench -DN=3 por=on states=119363 matched=1004840 transitions=1124203
// With symmetry (canonical, no partial-order reduction): 389 of 1442 states, 3.71 times fewer.
// With symmetry (canonical, no partial-order reduction) -DN=3: 10172 of 119363 states, 11.73 times fewer.

#ifndef N
#define N 2
#endif
#ifndef M
#define M 2
#endif

scalarset STATION[N];
scalarset RADIO[M];

/* what a station asks of the base station, and what it is given */
STATION partner[STATION];        /* wants to send to this one */
bool listens[STATION];           /* wants to receive */
RADIO sends_on[STATION];
RADIO receives_on[STATION];

/* the radio channels */
STATION from[RADIO];             /* undef: free */
STATION to[RADIO];
bool carries[RADIO];             /* a message is on the air */
STATION message[RADIO];          /* whom it is for */

active [STATION] proctype station(STATION me)
{
   STATION other;
   bool sent;

   do
   :: partner[me] == undef ->                               /* ask to send to some other station */
      atomic {
         select (other : STATION);
         if
         :: other != me -> partner[me] = other
         :: else
         fi;
         other = undef
      }
   :: sends_on[me] != undef && !sent ->
      atomic { message[sends_on[me]] = partner[me]; carries[sends_on[me]] = true; sent = true }
   :: atomic { sent && !carries[sends_on[me]] ->
         from[sends_on[me]] = undef; sends_on[me] = undef; partner[me] = undef; sent = false
      }
   :: !listens[me] -> listens[me] = true
   :: receives_on[me] != undef ->
      atomic { carries[receives_on[me]] ->
         assert(message[receives_on[me]] == me);
         carries[receives_on[me]] = false;
         message[receives_on[me]] = undef
      };
      atomic { to[receives_on[me]] = undef; receives_on[me] = undef; listens[me] = false }
   od
}

active proctype base_station()
{
   STATION s;
   RADIO r;

   do
   :: atomic {
         select (s : STATION);
         select (r : RADIO);
         if
         :: partner[s] != undef && sends_on[s] == undef && from[r] == undef && to[r] == undef ->
            sends_on[s] = r;
            from[r] = s;
            to[r] = partner[s]
         :: listens[s] && receives_on[s] == undef && to[r] == s -> receives_on[s] = r
         :: else
         fi;
         s = undef;
         r = undef
      }
   od
}
