// skip is a condition that can begin a chain, but it is not part of one.
byte g;
active proctype A() { byte x; x = 1; x = x + 1; skip; x = x + 2; x = x + 3; g = x }
active proctype B() { g = 1 }
