// A selection between constants is a choice of assignments, a long one a loop.
//
// expect verdict=holds
// expect por=off states=657 matched=0 transitions=657 errors=0
// expect por=on states=657 matched=0 transitions=657 errors=0

byte x, y;

active proctype P() {
   select (x : 1 .. 4);
   select (y : 0 .. 40)
}
