// An elevator with FLOORS floors, call buttons and a door. The controller keeps moving in one direction
// while there are calls ahead. Checked: the car never moves with the door open and serves only called
// floors (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off
// expect por=on
// bench -DFLOORS=10 por=off
// bench -DFLOORS=10 por=on

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
