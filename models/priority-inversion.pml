// Priority scheduling: a low and a high priority task share a lock while a medium one computes. The
// owner of the lock inherits the priority of the task waiting for it (set_priority), otherwise the
// medium task could keep it from running. Checked: when the high task gets the lock, the medium task
// has not run since it asked (assertion), all tasks finish.
// With -DNOINHERIT the medium task gets in between (bug: assertion violated).
//
// expect verdict=holds
// expect -DNOINHERIT verdict=violated kind=assertion
// expect por=off states=28 matched=5 transitions=33 errors=0
// expect por=on states=28 matched=5 transitions=33 errors=0
// expect -DNOINHERIT por=off states=21 matched=0 transitions=21 errors=1
// expect -DNOINHERIT por=on states=21 matched=0 transitions=21 errors=1

byte owner;              /* pid + 1, 0 = free */
bool waiting;            /* the high priority task waits for the lock */
bool medium_ran;
bool ready_high, ready_medium;

active proctype low() priority 1
{
   atomic { owner == 0 -> owner = _pid + 1 };
   ready_high = true;                    /* interrupts that start the others */
   ready_medium = true;
   skip;                                 /* work while holding the lock */
   skip;
   owner = 0;
   set_priority(_pid, 1);
   assert(get_priority(_pid) == 1)
}

active proctype medium() priority 5
{
   ready_medium;
   medium_ran = waiting;
   skip
}

active proctype high() priority 10
{
   ready_high;
   waiting = true;
#ifndef NOINHERIT
   if
   :: owner != 0 -> set_priority(owner - 1, 10)
   :: else
   fi;
#endif
   atomic { owner == 0 -> owner = _pid + 1 };
   assert(!medium_ran);
   waiting = false;
   owner = 0
}
