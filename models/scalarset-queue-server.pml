// Clients send requests with their own name through a shared queue; a server answers each on the client's own channel.
// Checked: an answer is for the client that gets it (assertion), no deadlock.
// With -DWRONG the server answers any client that waits (bug: assertion violated).
//
// expect verdict=holds
// expect -DWRONG verdict=violated kind=assertion
// expect por=off states=1166 matched=2456 transitions=3622 errors=0
// expect por=on states=748 matched=1053 transitions=1801 errors=0
// expect -DWRONG por=off states=25631 matched=53459 transitions=79090 errors=9714
// expect -DWRONG por=on states=25631 matched=53459 transitions=79090 errors=9714
// expect -DN=4 por=off states=9733 matched=27416 transitions=37149 errors=0
// expect -DN=4 por=on states=7669 matched=16332 transitions=24001 errors=0
// With symmetry (canonical, no partial-order reduction): 231 of 1166 states, 5.05 times fewer.
// With symmetry (canonical, no partial-order reduction) -DN=4: 602 of 9733 states, 16.17 times fewer.

#ifndef N
#define N 3
#endif

scalarset CLIENT[N];

mtype = { request, answer };

chan in = [N] of { mtype, CLIENT };
chan out[CLIENT] = [1] of { mtype, CLIENT };
bool waits[CLIENT];

active [CLIENT] proctype client(CLIENT me)
{
   CLIENT who;

   do
   :: waits[me] = true;
      in!request(me);
      out[me]?answer(who);
      assert(who == me);
      atomic { waits[me] = false; who = undef }
   od
}

active proctype server()
{
   CLIENT who, to;

end:
   do
   :: in?request(who) ->
#ifdef WRONG
      do
      :: atomic {
            select (to : CLIENT);
            if
            :: waits[to] && empty(out[to]) -> break
            :: else -> to = undef
            fi
         }
      od;
#else
      to = who;
#endif
      out[to]!answer(who);
      atomic { who = undef; to = undef }
   od
}
