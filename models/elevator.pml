// An elevator with FLOORS floors, call buttons and a door. The controller keeps moving in one direction
// while there are calls ahead. Checked: the car never moves with the door open and serves only called
// floors (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off states=17090 matched=20787 transitions=37877 errors=0
// expect por=on states=14587 matched=9740 transitions=24327 errors=0
// bench -DFLOORS=8 por=off states=1199854 matched=1501023 transitions=2700877
// bench -DFLOORS=8 por=on states=1087217 matched=765439 transitions=1852656

#ifndef FLOORS
#define FLOORS 4
#endif

mtype = { open, closed };

mtype door = closed;
bit call[FLOORS];
byte at;
short direction = 1;

inline calls_ahead(result)
{
   d_step {
      result = false;
      i = at + direction;
      do
      :: i >= 0 && i < FLOORS -> result = result || call[i]; i = i + direction
      :: else -> break
      od;
      i = 0
   }
}

active proctype controller()
{
   short i;
   bool ahead;

   do
   :: call[at] ->
      door = open;
      assert(call[at]);
      call[at] = 0;
      door = closed
   :: !call[at] ->
      calls_ahead(ahead);
      if
      :: ahead ->
         assert(door == closed);
         at = at + direction
      :: else -> direction = -direction
      fi;
      ahead = false
   od
}

active proctype people()
{
   byte f;

   do
   :: select (f : 0 .. FLOORS - 1);
      call[f] = 1
   od
}
