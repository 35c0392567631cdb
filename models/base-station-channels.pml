// Base station, second model, after the description in Bosnacki, Dams and Holenderski, "Symmetric Spin", section 5.4:
// sending and receiving mobile stations are two families over two scalarsets, and everything goes through channels.
// Checked: a message is received by the station it is for (assertion), no deadlock.
//
// expect verdict=holds
// expect por=off states=6011 matched=15090 transitions=21101 errors=0
// expect por=on states=2116 matched=2927 transitions=5043 errors=0
// expect -DSENDERS=3 por=off states=41753 matched=138984 transitions=180737 errors=0
// expect -DSENDERS=3 por=on states=10960 matched=18652 transitions=29612 errors=0
// With symmetry (canonical, no partial-order reduction): 1618 of 6011 states, 3.72 times fewer.
// With symmetry (canonical, no partial-order reduction) -DSENDERS=3: 4586 of 41753 states, 9.10 times fewer.

#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef RECEIVERS
#define RECEIVERS 2
#endif
#ifndef M
#define M 1
#endif

scalarset SENDER[SENDERS];
scalarset RECEIVER[RECEIVERS];
scalarset RADIO[M];

chan request = [1] of { SENDER, RECEIVER };
chan query = [1] of { RECEIVER };
chan released = [1] of { RADIO };
chan grant[SENDER] = [1] of { RADIO };
chan assign[RECEIVER] = [1] of { RADIO };
chan air[RADIO] = [1] of { RECEIVER };

active [SENDER] proctype sender(SENDER me)
{
   RECEIVER other;
   RADIO r;

   do
   :: select (other : RECEIVER);
      request!me, other;
      grant[me]?r;
      air[r]!other;
      atomic { other = undef; r = undef }
   od
}

active [RECEIVER] proctype receiver(RECEIVER me)
{
   RECEIVER other;
   RADIO r;

   do
   :: query!me;
      assign[me]?r;
      air[r]?other;
      assert(other == me);
      released!r;
      atomic { other = undef; r = undef }
   od
}

active proctype base_station()
{
   SENDER s;
   RECEIVER d;
   RADIO r;
   RECEIVER for_whom[RADIO];
   bool asks[RECEIVER];
   bool given[RADIO];            /* to the receiver, too */

   do
   :: atomic {
         exists (k : RADIO) (for_whom[k] == undef) && nempty(request) ->
         do
         :: select (r : RADIO);
            if
            :: for_whom[r] == undef -> break
            :: else
            fi
         od;
         request?s, d;
         for_whom[r] = d;
         grant[s]!r;
         s = undef; d = undef; r = undef
      }
   :: atomic { query?d -> asks[d] = true; d = undef }
   :: atomic {
         exists (k : RADIO) (for_whom[k] != undef && !given[k] && asks[for_whom[k]]) ->
         do
         :: select (r : RADIO);
            if
            :: for_whom[r] != undef && !given[r] && asks[for_whom[r]] -> break
            :: else
            fi
         od;
         asks[for_whom[r]] = false;
         given[r] = true;
         assign[for_whom[r]]!r;
         r = undef
      }
   :: atomic { released?r -> for_whom[r] = undef; given[r] = false; r = undef }
   od
}
