// A message that is a single bit is kept as a byte.
//
// expect verdict=holds
// expect por=off states=6 matched=0 transitions=6 errors=0
// expect por=on states=6 matched=0 transitions=6 errors=0

chan c = [2] of { bool };

active proctype P() {
   byte v = 1;
   v++;
   if
   :: c!0
   :: c!v
   fi
}
