// A statement that can be interrupted is no part of a chain.
byte g;
active proctype A() { byte x; { x = 1; x = x + 1; x = x + 1 } unless { g == 2 }; x = 5; x = x + 1; g = x }
active proctype B() { g = 1; g = 2 }
