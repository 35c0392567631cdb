// The sleeping barber: customers that find all chairs taken go away, the others wait; the barber
// sleeps when there is nobody. The waiting room is a buffered channel, the chair a rendezvous.
// Checked: one customer in the barber's chair at a time, who gets his own hair cut (assertions), the
// barber may only be left asleep.
//
// expect verdict=holds
// expect por=off states=676 matched=1264 transitions=1940 errors=0
// expect por=on states=322 matched=228 transitions=550 errors=0
// expect -DCUSTOMERS=4 por=off states=3695 matched=9668 transitions=13363 errors=0
// expect -DCUSTOMERS=4 por=on states=1499 matched=1342 transitions=2841 errors=0

#ifndef CUSTOMERS
#define CUSTOMERS 3
#endif
#define CHAIRS 2

mtype = { next_please, finished };

chan waiting_room = [CHAIRS] of { pid };
chan chair = [0] of { mtype, pid };
byte in_chair;

active proctype barber()
{
   pid who;

end_asleep:
   do
   :: waiting_room?who ->
      chair!next_please(who);
      assert(in_chair <= 1);
      chair!finished(who);
      who = 0
   od
}

active [CUSTOMERS] proctype customer()
{
   do
   :: atomic {
         if
         :: full(waiting_room) -> goto away
         :: nfull(waiting_room) -> waiting_room!_pid
         fi
      };
      atomic { chair?next_please(eval(_pid)); in_chair++ };
      assert(in_chair == 1);
      atomic { chair?finished(eval(_pid)); in_chair-- };
away: if
      :: skip
      :: break                       /* never comes back */
      fi
   od
}
