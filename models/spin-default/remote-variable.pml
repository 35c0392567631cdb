// A reference to a variable of another process turns merging and resets off in the whole model.
byte g;
active proctype A() { byte x; x = 1; x = 2; x = x + 1; (x == 3); g = 1 }
active proctype B() { byte y; if :: y = 1 :: y = 2 fi; (y > 0); (A:x == 3); g = 2 }
