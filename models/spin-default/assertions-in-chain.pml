// Assertions that fail inside a chain are counted one by one, and the chain goes on.
byte g;
active proctype A() { byte x; atomic { g = 1; assert(g == 2); x = g; assert(x == 2); g = 3; x = 4 }; assert(x == 4); g = x }
active proctype B() { g = 2 }
