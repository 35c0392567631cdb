// provided turns merging off in the whole model; dead variables are reset nevertheless.
byte g;
active proctype A() provided (g < 5) { byte x; x = 1; x = 2; x = x + 1; (x == 3); g = 1 }
active proctype B() { byte y; if :: y = 1 :: y = 2 fi; y = y + 1; (y > 1); y = 1; g = 2 }
