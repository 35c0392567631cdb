// The initialisation protocol, after the description in Bosnacki, Dams and Holenderski, "Symmetric Spin", section 5.3:
// no component may enter its main part before all have finished their initial parts, though the shared variables start
// with arbitrary values. Every component has a co-component that looks after the variables. One scalarset, two families.
// Checked: when a component enters its main part, all have finished their initial parts (assertion), no deadlock.
// With -DTRUSTING components do not clear what they may have found there (bug: assertion violated).
//
// expect verdict=holds
// expect -DTRUSTING verdict=violated kind=assertion
// expect por=off states=916 matched=1761 transitions=2677 errors=0
// expect por=on states=745 matched=769 transitions=1514 errors=0
// expect -DTRUSTING por=off states=3332 matched=7045 transitions=10377 errors=176
// expect -DTRUSTING por=on states=2890 matched=2945 transitions=5835 errors=68
// bench -DN=3 por=off states=213329 matched=707551 transitions=920880
// bench -DN=3 por=on states=137693 matched=195968 transitions=333661
// With symmetry (canonical, no partial-order reduction): 478 of 916 states, 1.92 times fewer.
// With symmetry (canonical, no partial-order reduction) -DN=3: 36225 of 213329 states, 5.89 times fewer.

#ifndef N
#define N 2
#endif

scalarset ID[N];

typedef Row { bool from[ID] };

bool started;                    /* until then anything may be written anywhere */
bool finished[ID];               /* for the assertion only */
Row heard[ID];                   /* heard[i].from[j]: i has been told that j is past its initial part */
chan go[ID] = [0] of { bit };

active proctype chaos()
{
   ID i, j;

   do
   :: atomic { select (i : ID); select (j : ID); heard[i].from[j] = !heard[i].from[j]; i = undef; j = undef }
   :: started = true; break
   od;
end:
   do :: false od
}

active [ID] proctype component(ID me)
{
   started;
   finished[me] = true;          /* the initial part */
#ifndef TRUSTING
   for (j : ID) { heard[me].from[j] = false };
#endif
   go[me]!1;
   forall (j : ID) (j == me || heard[me].from[j]);
   assert(forall (j : ID) (finished[j]));
end:
   do :: false od                /* the main part */
}

active [ID] proctype co_component(ID me)
{
   ID to;

end:
   go[me]?1;
   do
   :: select (to : ID);
      if
      :: to != me -> heard[to].from[me] = true
      :: else
      fi;
      to = undef
   od
}
