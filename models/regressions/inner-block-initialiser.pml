// A declaration in an inner block is a step, even before the first statement.
//
// expect verdict=holds
// expect por=off states=31 matched=20 transitions=51 errors=0
// expect por=on states=11 matched=0 transitions=11 errors=0

active [2] proctype P() {
   { byte x = 1; x++ };
   { byte x = 7; x++ }
}
