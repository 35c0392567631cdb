// A directory cache-coherence protocol over two scalarsets: caches and addresses. A cache asks the directory of an
// address for a shared or an exclusive copy; the directory has other copies given up first.
// Checked: an exclusive copy is the only one (assertion), no deadlock.
// With -DKEEP the directory grants an exclusive copy beside shared ones (bug: assertion violated).
//
// expect verdict=holds
// expect -DKEEP verdict=violated kind=assertion
// expect por=off states=5442 matched=7703 transitions=13145 errors=0
// expect por=on states=5358 matched=6483 transitions=11841 errors=0
// expect -DKEEP por=off states=8487 matched=12178 transitions=20665 errors=1080
// expect -DKEEP por=on states=8307 matched=10127 transitions=18434 errors=861
// bench -DCACHES=3 por=off states=240419 matched=625136 transitions=865555
// bench -DCACHES=3 por=on states=231403 matched=450488 transitions=681891
// With symmetry (canonical, no partial-order reduction): 1385 of 5442 states, 3.93 times fewer.
// With symmetry (canonical, no partial-order reduction) -DCACHES=3: 20823 of 240419 states, 11.55 times fewer.

#ifndef CACHES
#define CACHES 2
#endif
#ifndef ADDRESSES
#define ADDRESSES 2
#endif

scalarset CACHE[CACHES];
scalarset ADDRESS[ADDRESSES];

mtype:line = { exclusive, shared, invalid };

typedef Lines { mtype:line at[ADDRESS] = invalid };

Lines copy[CACHE];
CACHE wants[ADDRESS];            /* who is being served; undef: nobody */
bool wants_exclusive[ADDRESS];

#define ALONE(a, c) (forall (other : CACHE) (other == c || copy[other].at[a] == invalid))

active [CACHE] proctype cache(CACHE me)
{
   ADDRESS a;

   do
   :: select (a : ADDRESS);
      if
      :: atomic { wants[a] == undef && copy[me].at[a] == invalid -> wants[a] = me; wants_exclusive[a] = false };
         wants[a] != me
      :: atomic { wants[a] == undef && copy[me].at[a] != exclusive -> wants[a] = me; wants_exclusive[a] = true };
         wants[a] != me
      :: atomic { wants[a] == undef && copy[me].at[a] != invalid -> copy[me].at[a] = invalid }
      :: wants[a] != undef                      /* somebody else is being served */
      fi;
      assert(forall (c : CACHE) (copy[c].at[a] != exclusive || ALONE(a, c)));
      a = undef
   od
}

active [ADDRESS] proctype directory(ADDRESS mine)
{
   do
   :: d_step {
         wants[mine] != undef ->
#ifndef KEEP
         for (c : CACHE) {
            if
            :: c != wants[mine] && (wants_exclusive[mine] || copy[c].at[mine] == exclusive) ->
               copy[c].at[mine] = invalid
            :: else
            fi
         };
#endif
         copy[wants[mine]].at[mine] = (wants_exclusive[mine] -> exclusive : shared);
         wants_exclusive[mine] = false;
         wants[mine] = undef
      }
   od
}
