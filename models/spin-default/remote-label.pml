// A label that another process looks at keeps its statement out of chains, and no more than that.
byte g;
active proctype A() { byte x; x = 1; x = x + 2; here: x = x + 3; x = x + 4; (x > 0); g = 1 }
active proctype B() { byte y; y = 1; y = 2; (A@here); y = 3; g = y }
