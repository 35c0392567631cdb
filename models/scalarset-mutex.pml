// A lock with an owner and a queue of waiting processes, over a scalarset of processes. Checked: the owner is alone in
// the critical section (assertion), nobody waits twice, no deadlock.
//
// expect verdict=holds
// expect por=off states=76 matched=63 transitions=139 errors=0
// expect por=on states=76 matched=63 transitions=139 errors=0
// expect -DN=4 por=off states=321 matched=304 transitions=625 errors=0
// expect -DN=4 por=on states=321 matched=304 transitions=625 errors=0
// With symmetry (canonical, no partial-order reduction): 16 of 76 states, 4.75 times fewer.
// With symmetry (canonical, no partial-order reduction) -DN=4: 21 of 321 states, 15.29 times fewer.

#ifndef N
#define N 3
#endif

scalarset PID[N];

PID owner;                       /* undef: the lock is free */
bool waiting[PID];
bool inside[PID];
chan queue = [N] of { PID };

active [PID] proctype process(PID id)
{
   PID next;

   do
   :: atomic {
         owner == undef -> owner = id
      };
critical:
      inside[id] = true;
      assert(count (j : PID) (inside[j]) == 1 && owner == id);
      inside[id] = false;
      atomic {
         if
         :: queue?next -> owner = next; waiting[next] = false; next = undef
         :: empty(queue) -> owner = undef
         fi
      }
   :: atomic {
         owner != undef && !waiting[id] -> waiting[id] = true; queue!id
      };
      atomic { owner == id -> assert(!waiting[id]) };
      goto critical
   od
}
